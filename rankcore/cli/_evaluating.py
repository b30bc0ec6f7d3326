"""``rankscope evaluate``."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rankcore.cli import _output
from rankcore.cli._data import DATA_HELP, Reading, load, takes_reading
from rankcore.cli._failures import Misused, misuse
from rankcore.cli._files import outputs
from rankcore.cli._options import AsJson, Convention, Empty, option_measures

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from rankcore.algorithms import Ranker
    from rankcore.dataset import RankingDataset
    from rankcore.insight.unjudged import Report
    from rankcore.measures import Rules


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
    against: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A model in use: show where MODEL is below it, by groups of queries.",
        ),
    ] = None,
    slice_by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORD",
            help="Group queries for --against by this: list length, relevant documents "
            "or a feature; may be repeated. (default: the first two)",
        ),
    ] = None,
    as_json: AsJson = False,
    *,
    reading: Reading,
) -> None:
    """Measure a model on data.

    Where documents have no judgement, each measure is shown on judged documents only
    too, with the share of judged documents.
    """
    from rankcore import measures
    from rankcore.experiments import LETOR_MEASURES
    from rankcore.models import load_model
    from rankcore.reports.trec import qrels, trec_run

    names = measure or LETOR_MEASURES
    named = {"--run-out": run_out, "--qrels-out": qrels_out}
    run_file, qrels_file = outputs(named, data, [model, against, *reading.files])
    if slice_by and against is None:
        raise Misused("--slice-by has no effect without --against.")
    rules = measures.Rules(convention, empty)
    _output.check_measures(names, rules)
    ranker = load_model(model)
    part, dataset = _part(data, split, reading)
    scores = _scores(ranker, dataset)
    means = measures.means(dataset, scores, names, *rules)
    table = measures.evaluate(dataset, scores, names, *rules)
    unjudged = _unjudged(dataset, scores, names, rules)
    slices = None
    if against is not None:
        other = measures.evaluate(
            dataset, _scores(load_model(against), dataset), names, *rules
        )
        slices = _slices(dataset, table, other, slice_by)
    if run_file is not None:
        run_file.write(trec_run(dataset, scores, type(ranker).__name__))
    if qrels_file is not None:
        qrels_file.write(qrels(dataset))
    if as_json:
        shown = {"queries": table.to_dict("index")} if per_query else {}
        about = {"data": dataset.name, "split": part}
        content = {**about, **rules._asdict(), "measures": means, **shown}
        if unjudged is not None:
            content["unjudged"] = {
                **unjudged._asdict(),
                "rows": [row._asdict() for row in unjudged.rows],
            }
        if slices is not None:
            content["slices"] = [
                dict(zip(SLICE_HEADS, row, strict=True)) for row in slices
            ]
        _output.print_json(content)
        return
    if per_query:
        rows = zip(table.index, table.to_numpy().tolist(), strict=True)
        heads = ("query", *table.columns)
        _output.print_table(heads, [(query, *values) for query, values in rows])
        typer.echo()
    _output.print_measures({part: means}, rules)
    if unjudged is not None:
        _print_unjudged(unjudged)
    if slices is not None:
        typer.echo(f"\n{names[0]} by groups of queries, against {against}:")
        _output.print_table(SLICE_HEADS, slices)


SLICE_HEADS = ("by", "group", "queries", "model", "against", "difference", "verdict")


def _unjudged(
    dataset: "RankingDataset",
    scores: "np.ndarray",
    names: Sequence[str],
    rules: "Rules",
) -> "Report | None":
    """How much of the rankings is judged; None where everything is."""
    from rankcore.insight import unjudged

    if dataset.n_judged == dataset.n_documents:
        return None
    return unjudged.report(dataset, scores, names, rules)


def _print_unjudged(report: "Report") -> None:
    typer.echo(
        f"\n{report.unjudged} of {report.documents} documents have no judgement and "
        f"count as irrelevant above. bpref, which leaves them out: {report.bpref:.4f}."
    )
    heads = ("", "all documents", "judged only", "share judged")
    _output.print_table(heads, report.rows)


def _slices(
    dataset: "RankingDataset",
    table: "pd.DataFrame",
    other: "pd.DataFrame",
    slice_by: Sequence[str] | None,
) -> list[tuple[object, ...]]:
    """The first measure of two models by groups of queries."""
    from rankcore.insight import slices

    name = table.columns[0]
    known = table[name].notna() & other[name].notna()
    values = (one.loc[known, name].to_numpy() for one in (table, other))
    first, second = values
    ids = list(table.index[known])
    rows: list[tuple[object, ...]] = []
    for by in slice_by or (slices.LENGTH, slices.RELEVANT):
        with misuse():
            groups = slices.slices(dataset, by)
        rows += [
            (
                *(by, row.name, row.queries, row.first, row.second),
                *(row.first - row.second, row.verdict),
            )
            for row in slices.slice_differences(groups, ids, first, second)
        ]
    return rows


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
