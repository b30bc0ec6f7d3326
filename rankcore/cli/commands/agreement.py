"""``rankscope agreement``."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from rankcore.base.numbers import counted
from rankcore.cli import _output
from rankcore.cli._failures import Misused, misuse
from rankcore.cli._files import outputs
from rankcore.cli._options import AsJson

if TYPE_CHECKING:
    import numpy as np

    from rankcore.data.ratings import Ratings

# Number of queries printed.
MOST = 10
# Suffixes of table formats other than CSV.
_OTHERS = {".json", ".jsonl", ".md", ".parquet", ".tex", ".tsv", ".xls", ".xlsx"}


def agreement(
    file: Path,
    rater: str | None = None,
    labels: str | None = None,
    level: str = "ordinal",
    out: Path | None = None,
    rule: str = "majority",
    ties: str = "lower",
    run: list[Path] | None = None,
    measure: str = "nDCG@10",
    as_json: AsJson = False,
) -> None:
    """Measure how far raters agree, and combine their labels into one.

    Krippendorff's alpha, with an interval over documents, allows any number of raters
    and missing labels, Cohen's kappa two raters, and Fleiss' kappa the same number of
    ratings of each document. Below are the queries on which raters disagree most: the
    variance of labels on an ordinal scale, summed with the discount of DCG.

    Parameters
    ----------
    file : FILE
        CSV or Parquet with columns query, document, rater and label.
    rater : COLUMN
        The column of raters. (default one called rater, judge, worker …)
    labels : TEXT
        Grades for labels that are words, as in 'Exact=3, Partial=1'.
    level : WORD
        Scale of the labels for Krippendorff's alpha: nominal, ordinal or interval.
    out : FILE
        Write one label per document here, as CSV for --judgements.
    rule : WORD
        How labels are combined: majority or median.
    ties : WORD
        How ties of the rule are broken: lower (the lower grade), or fractional (their
        mean, for the linear gain; all grades are then multiplied to be whole).
    run : FILE
        Rankings as `evaluate --run` reads them, at least two: the measure of each per
        query is shown beside the raters' disagreement.
    measure : NAME
        Measure for the rankings of --run.
    """
    from rankcore.data.ratings import read_ratings
    from rankcore.topics.datasets.raters import HEADS, RaterAgreement

    _check(rule, ties, run, measure)
    if out is not None and out.suffix.lower() in _OTHERS:
        raise Misused(
            f"--out writes CSV for --judgements, not {out.suffix}: name a .csv file."
        )
    (out_file,) = outputs({"--out": out}, None, [file, *(run or [])])
    with misuse():
        ratings = read_ratings(file, rater=rater, labels=labels)
        raters = RaterAgreement(ratings, level, rule, ties)  # type: ignore[arg-type]
        rows, consensus = raters.measures, raters.consensus
        grades, factor = consensus.whole()
        queries = [one._asdict() for one in raters.queries]
        if run:
            queries = _beside(queries, ratings, grades, run, measure)
    if out_file is not None:
        out_file.write(raters.label_table)
    sizes = raters.sizes
    if as_json:
        table = [dict(zip(HEADS, row, strict=True)) for row in rows]
        settings = {"ties": consensus.ties, "factor": factor}
        _output.print_json(
            {**sizes, **settings, "agreement": table, "queries": queries}
        )
        return
    typer.echo(", ".join(counted(count, what) for what, count in sizes.items()) + ".\n")
    _print(rows, raters.undefined, queries)
    if out is not None:
        choice = "the lower grade" if ties == "lower" else "the mean"
        times = f" All are multiplied by {factor}." if factor > 1 else ""
        typer.echo(
            f"\n{out} has labels by {rule}; where it leaves a choice, {choice}: "
            f"{consensus.ties} of them.{times}"
        )


def _check(rule: str, ties: str, runs: list[Path] | None, measure: str) -> None:
    """Refuse unknown option values and options that exclude each other."""
    from rankcore.mathematics.agreement import RULES, TIES
    from rankcore.measures import parse

    if rule not in RULES:
        raise Misused(f"There is no rule {rule!r}; use {' or '.join(RULES)}.")
    if ties not in TIES:
        raise Misused(f"There is no rule {ties!r} of ties; use {' or '.join(TIES)}.")
    if not runs:
        return
    if len(runs) < 2:
        raise Misused("Give at least two runs to compare.")
    with misuse():
        gain = getattr(parse(measure), "dcg", "")
    if ties == "fractional" and gain != "log2":
        raise Misused(
            "Fractional grades need a measure with linear gain; use --measure "
            "\"nDCG(dcg='log2')@10\"."
        )


def _print(
    rows: list[tuple[Any, ...]], why: str, queries: list[dict[str, Any]]
) -> None:
    """Print the measures of agreement, ``why`` some are undefined, and the queries with
    the largest disagreement."""
    from rankcore.topics.datasets.raters import HEADS

    undefined = [row for row in rows if math.isnan(row[1])]
    _output.print_table(HEADS, [row for row in rows if row not in undefined])
    for row in undefined:
        typer.echo(f"{row[0]}  {why}")
    typer.echo("\nQueries on which raters disagree most:\n")
    cells = [list(one.values()) for one in queries[:MOST]]
    _output.print_table(list(queries[0]), cells)


def _beside(
    rows: list[dict[str, Any]],
    ratings: "Ratings",
    grades: "np.ndarray",
    runs: list[Path],
    measure: str,
) -> list[dict[str, Any]]:
    """Return the queries with the measure of each run and its range over runs."""
    from rankcore.data.rankings import read_rankings
    from rankcore.measures import evaluate_run

    judged: dict[str, dict[str, int]] = {}
    for (query, document), grade in zip(
        ratings.documents, grades.tolist(), strict=True
    ):
        judged.setdefault(query, {})[document] = grade
    values = {
        str(run): evaluate_run(read_rankings(run), judged, measure).iloc[:, 0]
        for run in runs
    }
    for row in rows:
        by_name = {name: float(table[row["query"]]) for name, table in values.items()}
        row.update(by_name)
        row["range"] = max(by_name.values()) - min(by_name.values())
    return rows
