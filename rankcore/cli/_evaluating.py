"""``rankscope evaluate``."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankcore.cli import _output
from rankcore.cli._data import (
    Data,
    Reading,
    load,
    takes_reading,
    usual_measures,
)
from rankcore.cli._failures import Misused, misuse
from rankcore.cli._files import outputs
from rankcore.cli._options import (
    AsJson,
    Convention,
    Empty,
    Ties,
    option_measures,
    option_number,
)

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from rankcore.algorithms import Ranker
    from rankcore.data.dataset import RankingDataset
    from rankcore.measures import Rules
    from rankcore.topics.compare.replacing import Replacement
    from rankcore.topics.datasets.unjudged import Report


@takes_reading
def evaluate(
    data: Data,
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
    ties: Ties = None,
    per_query: Annotated[
        bool,
        typer.Option(
            "--per-query", help="Show each query's values and words, if known, too."
        ),
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
    against_column: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The same against scores in use that the data holds: a column of "
            "--score, or a feature.",
        ),
    ] = None,
    changes: Annotated[
        int | None,
        option_number(
            "--changes",
            "integer",
            0,
            help="Rankings to show whose first documents change, the largest loss "
            "first, for --against. (default 10)",
        ),
    ] = None,
    slice_by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORD",
            help="Group queries for --against by this: list length, relevant "
            "documents, a column of --group or a feature; may be repeated. (default: "
            "all but features)",
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
    from rankcore.reports.trec import qrels, trec_run
    from rankcore.studies.experiments import LETOR_MEASURES
    from rankcore.studies.models import load_model
    from rankcore.topics.compare.replacing import replacement

    names = usual_measures(measure, LETOR_MEASURES, reading)
    named = {"--run-out": run_out, "--qrels-out": qrels_out}
    run_file, qrels_file = outputs(named, data, [model, against, *reading.files])
    if against is not None and against_column is not None:
        raise Misused("Give --against or --against-column, not both.")
    if against is None and against_column is None:
        given = {"--slice-by": slice_by, "--changes": changes}
        for option in (option for option, value in given.items() if value):
            raise Misused(f"{option} has no effect without --against.")
    rules = measures.Rules(convention, empty)
    _output.check_measures(names, rules)
    with misuse():
        rule = measures.tie_rule(convention, ties)
    ranker = load_model(model)
    part, dataset = _part(data, split, reading)
    scores = _scores(ranker, dataset)
    means = _output.means(dataset, scores, names, rules, ties)
    table = measures.evaluate(dataset, scores, names, *rules, ties)
    ranks = not measures.ranks_nothing(scores, dataset.offsets)
    tied = measures.ties_of(scores, dataset.y, dataset.offsets)
    by_trec: dict[str, float] = {}
    if run_file is not None:
        by_trec = measures.means(dataset, scores, names, *rules, "trec")
    unjudged = _unjudged(dataset, scores, names, rules)
    others = _in_use(against, against_column, dataset)
    replaced = None
    if others is not None:
        with misuse():
            replaced = replacement(
                dataset, scores, others, names[0], rules, slice_by or ()
            )
    if run_file is not None:
        run_file.write(trec_run(dataset, scores, type(ranker).__name__))
    if qrels_file is not None:
        qrels_file.write(qrels(dataset))
    if as_json:
        shown = _queries(dataset, table) if per_query else {}
        about = {"data": dataset.name, "split": part}
        content = {
            **about,
            **rules._asdict(),
            "ties": rule,
            "ranks": ranks,
            "iteration": ranker.provenance_.iteration,
            "chosen_by": ranker.provenance_.chosen_by,
            "measures": means,
            **shown,
        }
        if run_file is not None:
            content["tied documents"] = tied.documents
            content["by trec_eval's rule"] = by_trec
        if unjudged is not None:
            content["unjudged"] = {
                **unjudged._asdict(),
                "rows": [row._asdict() for row in unjudged.rows],
            }
        if replaced is not None:
            content["slices"] = [
                dict(zip(SLICE_HEADS, row, strict=True))
                for row in _slice_rows(replaced)
            ]
            content["changes"] = [one._asdict() for one in replaced.changes]
        _output.print_json(content)
        return
    if per_query:
        _print_queries(dataset, table)
    typer.echo(f"{type(ranker).title}, {ranker.provenance_.text}.\n")
    _output.print_measures({part: means}, rules, ties)
    if said := tied.sentence(convention, ties):
        typer.echo(f"\n{said}")
    if run_file is not None:
        typer.echo(f"\n{_by_trec(tied.documents, by_trec)}")
    if unjudged is not None:
        _print_unjudged(unjudged)
    if replaced is not None:
        _print_replacement(
            replaced, str(against or against_column), 10 if changes is None else changes
        )


def _by_trec(tied: int, means: dict[str, float]) -> str:
    """How many documents tie, and what trec_eval makes of a run, as a sentence."""
    if not tied:
        return "No documents of one query have equal scores."
    values = ", ".join(f"{name} {value:.4f}" for name, value in means.items())
    return (
        f"{tied} documents tie with another document of their query. By falling "
        f"document id, as trec_eval orders ties, the run has {values}; the nDCG of "
        "trec_eval itself has linear gain."
    )


SLICE_HEADS = ("by", "group", "queries", "model", "against", "difference", "verdict")


def _queries(dataset: "RankingDataset", table: "pd.DataFrame") -> dict[str, Any]:
    """Return the values of each query, and its words where the data has them."""
    found: dict[str, Any] = {"queries": table.to_dict("index")}
    if dataset.query_texts is not None:
        words = zip(dataset.query_ids, dataset.query_texts, strict=True)
        found["query_texts"] = dict(words)
    return found


def _print_queries(dataset: "RankingDataset", table: "pd.DataFrame") -> None:
    from rankcore.data.dataset import short_text

    rows = [list(row) for row in table.reset_index().itertuples(index=False)]
    heads = ["query", *table.columns]
    if dataset.query_texts is not None:
        heads.append("query text")
        for row, text in zip(rows, dataset.query_texts, strict=True):
            row.append(short_text(text))
    _output.print_table(heads, rows)
    typer.echo()


def _unjudged(
    dataset: "RankingDataset",
    scores: "np.ndarray",
    names: Sequence[str],
    rules: "Rules",
) -> "Report | None":
    """How much of the rankings is judged; None where everything is."""
    from rankcore.topics.datasets import unjudged

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
    from rankcore.studies.models import document_scores

    with misuse():
        return document_scores(model, dataset)


def _in_use(
    model: Path | None, column: str | None, dataset: "RankingDataset"
) -> "np.ndarray | None":
    """Scores of the model in use, from its file or a column; None of neither."""
    from rankcore.studies.models import load_model
    from rankcore.topics.compare.replacing import column_scores

    if column is not None:
        with misuse():
            return column_scores(dataset, column)
    return None if model is None else _scores(load_model(model), dataset)


def _print_replacement(replacement: "Replacement", used: str, most: int) -> None:
    typer.echo(f"\n{replacement.measure} by groups of queries, against {used}:")
    _output.print_table(SLICE_HEADS, _slice_rows(replacement))
    if replacement.undecided:
        typer.echo(f"\n{replacement.undecided}")
    typer.echo(f"\n{replacement.sentence}")
    if replacement.changes and most:
        heads = (
            "query",
            "model",
            "against",
            "new in the top",
            "first now",
            "first before",
        )
        _output.print_table(
            heads,
            [
                (
                    *(change.name, change.value, change.other, change.entering),
                    *(", ".join(change.first), ", ".join(change.other_first)),
                )
                for change in replacement.changes[:most]
            ],
        )


def _slice_rows(replacement: "Replacement") -> list[tuple[object, ...]]:
    return [
        (
            *(by, row.name, row.queries, row.first, row.second),
            *(row.first - row.second, row.verdict),
        )
        for by, rows in replacement.slices.items()
        for row in rows
    ]
