"""``rankscope evaluate``."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankcore.cli import _output
from rankcore.cli._data import (
    DATA,
    Reading,
    Weights,
    load,
    takes_reading,
    usual_measures,
)
from rankcore.cli._failures import Misused, misuse
from rankcore.cli._files import outputs
from rankcore.cli._options import (
    MODEL,
    AsJson,
    Convention,
    Empty,
    NumberRange,
    Ties,
)
from rankcore.cli.commands.evaluate_rankings import judge

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from rankcore.algorithms import Ranker
    from rankcore.base.outputs import Output
    from rankcore.data.dataset import RankingDataset
    from rankcore.measures import Rules
    from rankcore.measures import Ties as TiedDocuments
    from rankcore.topics.compare.replacing import Replacement
    from rankcore.topics.datasets.unjudged import Report


# Options that exclude `--run`.
OF_MODELS = (
    *("--split", "--run-out", "--qrels-out", "--against", "--against-column"),
    *("--changes", "--slice-by"),
)


@takes_reading
def evaluate(
    data: Annotated[str | None, DATA] = None,
    model: Annotated[Path | None, MODEL] = None,
    more: Annotated[list[Path] | None, typer.Argument()] = None,
    run: list[Path] | None = None,
    split: str | None = None,
    measure: list[str] | None = None,
    convention: Convention = "standard",
    empty: Empty = "zero",
    ties: Ties = None,
    queries: str | None = None,
    per_query: bool = False,
    run_out: Path | None = None,
    qrels_out: Path | None = None,
    against: Path | None = None,
    against_column: str | None = None,
    changes: Annotated[int | None, NumberRange(0)] = None,
    slice_by: list[str] | None = None,
    weights: Weights = None,
    as_json: AsJson = False,
    *,
    reading: Reading,
) -> None:
    """Evaluate a model on data, or rankings of any ranker against judgements.

    Where documents have no judgement, each measure is also shown on judged documents
    only, with the share of judged documents. Rankings are files of --run, with
    --judgements; --convention trec measures them as trec_eval does.

    Parameters
    ----------
    more : RUN
        Further runs, with --run.
    run : FILE
        Instead of DATA and MODEL, evaluate the rankings in this file against
        --judgements: a TREC run, CSV or JSON. Several are compared, as in --run a.run
        b.run.
    split : WORD
        Split to evaluate: train, valid or test; by default test, or the only one.
    measure : NAME
        Measure; may be repeated. (default nDCG@1, @3, @5, @10 and AP)
    queries : WORD
        Queries to average over with --run: judged (all judged queries) or both (judged
        and in the run). (default judged; both with --convention trec)
    per_query
        Also show the values of each query, and its text where known.
    run_out : FILE
        Write the rankings here as a TREC run.
    qrels_out : FILE
        Write the labels here as TREC qrels.
    against : FILE
        Production model: show where MODEL is below it, by groups of queries.
    against_column : COLUMN
        Scores of the production model to compare with: a column of --score, or a
        feature.
    changes
        Number of rankings with changed top documents to show for --against, the largest
        loss first. (default 10)
    slice_by : WORD
        How to group queries for --against: list length, relevant documents, a column of
        --group or a feature; may be repeated. (default: all except features)
    """
    reading = reading._replace(weights=weights)
    if run:
        further = [None if data is None else Path(data), model, *(more or ())]
        paths = [*run, *(path for path in further if path is not None)]
        values = split, run_out, qrels_out, against, against_column, changes, slice_by
        options = dict(zip(OF_MODELS, values, strict=True))
        rule = convention, empty, ties, queries
        judge(paths, measure, rule, reading, options, per_query, as_json)
        return
    data, model = _data_and_model(data, model, more, queries)
    from rankcore import measures
    from rankcore.studies.models import load_model
    from rankcore.topics.compare.replacing import replacement

    names = usual_measures(measure, measures.LETOR_MEASURES, reading)
    outs = {"--run-out": run_out, "--qrels-out": qrels_out}
    run_file, qrels_file = outputs(outs, data, [model, against, *reading.files])
    _check_against(against, against_column, slice_by, changes)
    rules = _output.rules_of(names, convention, empty)
    with misuse():
        measures.tie_rule(convention, ties)
    ranker = load_model(model)
    evaluation = _Evaluation(ranker, *part_of(data, split, reading), names, rules, ties)
    dataset, scores = evaluation.dataset, evaluation.scores
    others = _in_use(against, against_column, dataset)
    replaced = None
    if others is not None:
        with misuse():
            replaced = replacement(
                dataset, scores, others, names[0], rules, slice_by or ()
            )
    evaluation.write(run_file, qrels_file)
    if as_json:
        content = evaluation.to_json(per_query, run_file is not None)
        _output.print_json(content | _slices(replaced))
        return
    evaluation.show(per_query, run_file is not None)
    if replaced is not None:
        _print_replacement(
            replaced, str(against or against_column), 10 if changes is None else changes
        )


def _data_and_model(
    data: str | None,
    model: Path | None,
    more: Sequence[Path] | None,
    queries: str | None,
) -> tuple[str, Path]:
    """Return data and model, which are required without ``--run``."""
    if data is None or model is None:
        missing = "DATA" if data is None else "MODEL"
        raise Misused(f"Missing argument '{missing}'; or evaluate rankings with --run.")
    if more or queries:
        option = f"The argument {more[0]}" if more else "--queries"
        raise Misused(f"{option} has no effect without --run.")
    return data, model


def _slices(replaced: "Replacement | None") -> dict[str, Any]:
    """Return the comparison with the production model as JSON; empty without one."""
    if replaced is None:
        return {}
    heads, rows = _slice_table(replaced)
    return {
        "slices": [dict(zip(heads, row, strict=True)) for row in rows],
        "changes": [one._asdict() for one in replaced.changes],
    }


def _check_against(
    model: Path | None,
    column: str | None,
    slice_by: Sequence[str] | None,
    changes: int | None,
) -> None:
    """Refuse options of the comparison that exclude or require each other."""
    if model is not None and column is not None:
        raise Misused("Give --against or --against-column, not both.")
    if model is None and column is None:
        for option, value in {"--slice-by": slice_by, "--changes": changes}.items():
            if value:
                raise Misused(f"{option} has no effect without --against.")


@dataclass(frozen=True)
class _Evaluation:
    """A model evaluated on one split. ``ties`` is the rule for tied documents; None is
    the convention's rule."""

    ranker: "Ranker"
    part: str
    dataset: "RankingDataset"
    names: list[str]
    rules: "Rules"
    ties: str | None

    @cached_property
    def scores(self) -> "np.ndarray":
        return _scores(self.ranker, self.dataset)

    @cached_property
    def means(self) -> dict[str, float | None]:
        return _output.means(
            self.dataset, self.scores, self.names, self.rules, self.ties
        )

    @property
    def weights(self) -> dict[str, Any]:
        """Return the effective number of queries if their weights differ."""
        return _output.weights_of({self.part: self.dataset})

    @cached_property
    def by_trec(self) -> dict[str, float]:
        """Return the means with tied documents in descending order of id."""
        from rankcore import measures

        return measures.means(
            self.dataset, self.scores, self.names, *self.rules, "trec"
        )

    @cached_property
    def by_query(self) -> "pd.DataFrame":
        from rankcore import measures

        return measures.evaluate(
            self.dataset, self.scores, self.names, *self.rules, self.ties
        )

    @cached_property
    def tied(self) -> "TiedDocuments":
        from rankcore import measures

        return measures.ties_of(self.scores, self.dataset.y, self.dataset.offsets)

    @cached_property
    def unjudged(self) -> "Report | None":
        """Return how much of the rankings is judged; None if all documents are."""
        from rankcore.topics.datasets import unjudged

        if self.dataset.n_judged == self.dataset.n_documents:
            return None
        return unjudged.report(self.dataset, self.scores, self.names, self.rules)

    def write(self, run_file: "Output | None", qrels_file: "Output | None") -> None:
        """Write rankings and labels in the formats of trec_eval."""
        from rankcore.data.trec import qrels, trec_run

        if run_file is not None:
            name = type(self.ranker).__name__
            run_file.write(trec_run(self.dataset, self.scores, name))
        if qrels_file is not None:
            qrels_file.write(qrels(self.dataset))

    def to_json(self, per_query: bool, as_run: bool) -> dict[str, Any]:
        """Return the evaluation as JSON, with values per query and of a TREC run."""
        from rankcore import measures

        origin = self.ranker.provenance_
        content = {
            "data": self.dataset.name,
            "split": self.part,
            **self.rules._asdict(),
            "ties": measures.tie_rule(self.rules.convention, self.ties),
            "ranks": not measures.ranks_nothing(self.scores, self.dataset.offsets),
            "iteration": origin.iteration if self.ranker.trains else None,
            "chosen_by": origin.chosen_by,
            "measures": self.means,
            **self.weights,
        }
        if per_query:
            content["queries"] = self.by_query.to_dict("index")
            if self.dataset.query_texts is not None:
                words = zip(
                    self.dataset.query_ids, self.dataset.query_texts, strict=True
                )
                content["query_texts"] = dict(words)
        if as_run:
            content["tied documents"] = self.tied.documents
            content["by trec_eval's rule"] = self.by_trec
        if self.unjudged is not None:
            content["unjudged"] = {
                **self.unjudged._asdict(),
                "rows": [row._asdict() for row in self.unjudged.rows],
            }
        return content

    def show(self, per_query: bool, as_run: bool) -> None:
        """Print the evaluation; the parameters are those of `to_json`."""
        if per_query:
            _print_queries(self.dataset, self.by_query)
        typer.echo(f"{type(self.ranker).title}, {self.ranker.provenance_.text}.\n")
        _output.print_measures({self.part: self.means}, self.rules, self.ties)
        _output.print_weights(self.weights)
        if sentence := self.tied.sentence(self.rules.convention, self.ties):
            typer.echo(f"\n{sentence}")
        if as_run:
            typer.echo(f"\n{_by_trec(self.tied.documents, self.by_trec)}")
        if self.unjudged is not None:
            _print_unjudged(self.unjudged)


def _by_trec(tied: int, means: dict[str, float]) -> str:
    """Return a sentence with the number of ties and the values of trec_eval."""
    if not tied:
        return "No documents of one query have equal scores."
    values = ", ".join(f"{name} {value:.4f}" for name, value in means.items())
    return (
        f"{tied} documents tie with another document of their query. In descending "
        f"order of document id, as in trec_eval, the run has {values}; the nDCG of "
        "trec_eval itself has linear gain."
    )


SLICE_HEADS = (
    *("by", "group", "queries", "model", "against", "difference", "verdict"),
    "effective queries",
)


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


def _print_unjudged(report: "Report") -> None:
    typer.echo(
        f"\n{report.unjudged} of {report.documents} documents have no judgement and "
        f"count as irrelevant above. bpref, which leaves them out: {report.bpref:.4f}."
    )
    heads = ("", "all documents", "judged only", "share judged")
    _output.print_table(heads, report.rows)


def part_of(
    data: str, split: str | None, reading: Reading
) -> "tuple[str, RankingDataset]":
    """Return the name and the data of the split to evaluate."""
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
    """Return the scores of the production model, from a file or column, or None."""
    from rankcore.studies.models import load_model
    from rankcore.topics.compare.replacing import column_scores

    if column is not None:
        with misuse():
            return column_scores(dataset, column)
    return None if model is None else _scores(load_model(model), dataset)


def _print_replacement(replacement: "Replacement", other: str, most: int) -> None:
    weighting = f" ({replacement.weighting})" if replacement.weighting else ""
    typer.echo(
        f"\n{replacement.measure} by groups of queries{weighting}, against {other}:"
    )
    _output.print_table(*_slice_table(replacement))
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


def _slice_table(
    replacement: "Replacement",
) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    """Return the header and rows of the slices, with effective numbers of queries if
    weights differ."""
    heads: tuple[str, ...] = SLICE_HEADS
    heads = heads if replacement.weighting else heads[:-1]
    table: list[tuple[object, ...]] = [
        (
            *(by, row.name, row.queries, row.first, row.second),
            *(row.first - row.second, row.verdict, row.effective),
        )[: len(heads)]
        for by, rows in replacement.slices.items()
        for row in rows
    ]
    return heads, table
