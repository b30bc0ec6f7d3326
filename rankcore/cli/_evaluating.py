"""``rankscope evaluate``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rankcore.cli import _output
from rankcore.cli._data import DATA_HELP, Reading, load, takes_reading
from rankcore.cli._failures import Misused
from rankcore.cli._files import outputs
from rankcore.cli._options import AsJson, Convention, Empty, option_measures

if TYPE_CHECKING:
    import numpy as np

    from rankcore.algorithms import Ranker
    from rankcore.dataset import RankingDataset


@takes_reading
def evaluate(
    data: Annotated[str, typer.Argument(metavar="DATA", help=DATA_HELP)],
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="A file of `rankscope train --out`.")
    ],
    split: Annotated[
        str | None,
        typer.Option(
            metavar="WORD",
            help="The part to measure: train, valid or test; by default test, or the "
            "only one.",
        ),
    ] = None,
    measure: Annotated[
        list[str] | None, option_measures(". (default nDCG@1, @3, @5, @10 and AP)")
    ] = None,
    convention: Convention = "standard",
    empty: Empty = "zero",
    per_query: Annotated[
        bool, typer.Option("--per-query", help="Show each query's values too.")
    ] = False,
    run_out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the rankings here as a TREC run."),
    ] = None,
    qrels_out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the labels here as TREC qrels."),
    ] = None,
    as_json: AsJson = False,
    *,
    reading: Reading,
) -> None:
    """Measure a model on data."""
    from rankcore import measures
    from rankcore.experiments import LETOR_MEASURES
    from rankcore.models import load_model
    from rankcore.reports.trec import qrels, trec_run

    names = measure or LETOR_MEASURES
    named = {"--run-out": run_out, "--qrels-out": qrels_out}
    run_file, qrels_file = outputs(named, data, [model, *reading.files])
    rules = measures.Rules(convention, empty)
    _output.check_measures(names, rules)
    ranker = load_model(model)
    part, dataset = _part(data, split, reading)
    scores = _scores(ranker, dataset)
    means = measures.means(dataset, scores, names, *rules)
    table = measures.evaluate(dataset, scores, names, *rules)
    if run_file is not None:
        run_file.write(trec_run(dataset, scores, type(ranker).__name__))
    if qrels_file is not None:
        qrels_file.write(qrels(dataset))
    if as_json:
        shown = {"queries": table.to_dict("index")} if per_query else {}
        about = {"data": dataset.name, "split": part}
        _output.print_json({**about, **rules._asdict(), "measures": means, **shown})
        return
    if per_query:
        rows = zip(table.index, table.to_numpy().tolist(), strict=True)
        heads = ("query", *table.columns)
        _output.print_table(heads, [(query, *values) for query, values in rows])
        typer.echo()
    _output.print_measures({part: means}, rules)


def _part(
    data: str, split: str | None, reading: Reading
) -> "tuple[str, RankingDataset]":
    splits = load(data, reading=reading)._asdict()
    present = [name for name, dataset in splits.items() if dataset is not None]
    chosen = split or ("test" if "test" in present else present[0])
    if chosen not in present:
        raise Misused(f"{data} has no part {chosen!r}; choose {', '.join(present)}.")
    return chosen, splits[chosen]


def _scores(model: "Ranker", dataset: "RankingDataset") -> "np.ndarray":
    """Score documents whose features are scaled as those the model was trained on."""
    import numpy as np

    provenance = model.provenance_
    features = provenance.feature_names[: dataset.n_features]
    if features != dataset.feature_names:
        raise Misused(
            f"The data's {dataset.n_features} features are not the model's "
            f"{len(provenance.feature_names)}; name data with the same features."
        )
    if provenance.normalisation not in (None, dataset.normalisation):
        dataset = dataset.normalise(provenance.normalisation)
    X, lacking = dataset.X, len(provenance.feature_names) - dataset.n_features
    if lacking:
        X = np.pad(X, ((0, 0), (0, lacking)))
    return model.scores(X, model.parameters_)
