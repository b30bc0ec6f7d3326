"""``rankscope agreement``."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankcore.base.numbers import counted
from rankcore.cli import _output
from rankcore.cli._failures import Misused, misuse
from rankcore.cli._files import outputs
from rankcore.cli._options import AsJson

if TYPE_CHECKING:
    import numpy as np

    from rankcore.data.ratings import Ratings

HEADS = ("agreement", "value", "low", "high")


def agreement(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="CSV with columns query, document, rater and label."
        ),
    ],
    rater: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column of raters. (default one called rater, judge, worker …)",
        ),
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="Grades of labels that are words, as in 'Exact=3, Partial=1'.",
        ),
    ] = None,
    level: Annotated[
        str,
        typer.Option(
            metavar="WORD",
            help="Labels for Krippendorff's alpha are nominal, ordinal or interval.",
        ),
    ] = "ordinal",
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write one label a document here, as CSV that --judgements reads.",
        ),
    ] = None,
    rule: Annotated[
        str,
        typer.Option(
            metavar="WORD",
            help="How --out makes it: majority or median; of a tie the lower grade.",
        ),
    ] = "majority",
    as_json: AsJson = False,
) -> None:
    """Measure how far raters agree, and make one label of several.

    Krippendorff's alpha, with an interval over documents, is for any number of raters
    and missing labels, Cohen's kappa for two raters, and Fleiss' kappa for as many
    ratings of each document.
    """
    from rankcore.base.spreadsheets import csv_text
    from rankcore.data.ratings import read_ratings
    from rankcore.mathematics.agreement import RULES, UNDEFINED, label_counts

    if rule not in RULES:
        raise Misused(f"There is no rule {rule!r}; use {' or '.join(RULES)}.")
    (out_file,) = outputs({"--out": out}, None, [file])
    with misuse():
        ratings = read_ratings(file, rater=rater, labels=labels)
        values, counts = label_counts(ratings.item, ratings.label)
        rows = _rows(ratings, values, counts, level)
    consensus = RULES[rule](values, counts)
    if out_file is not None:
        table = [
            (*one, f"{label:.0f}")
            for one, label in zip(ratings.documents, consensus.labels, strict=True)
        ]
        out_file.write(csv_text([("query", "document", "label"), *table]))
    sizes = {
        "documents": len(ratings.documents),
        "raters": len(ratings.raters),
        "ratings": len(ratings.label),
    }
    if as_json:
        named = [dict(zip(HEADS, row, strict=True)) for row in rows]
        _output.print_json({**sizes, "ties": consensus.ties, "agreement": named})
        return
    words = ", ".join(counted(count, what) for what, count in sizes.items())
    typer.echo(f"{words}.\n")
    undefined = [row for row in rows if math.isnan(row[1])]
    _output.print_table(HEADS, [row for row in rows if row not in undefined])
    for row in undefined:
        typer.echo(f"{row[0]}  {UNDEFINED}")
    if out is not None:
        typer.echo(
            f"\n{out} has labels by {rule}; where it leaves a choice, the lower grade: "
            f"{consensus.ties} of them."
        )


def _rows(
    ratings: "Ratings", values: "np.ndarray", counts: "np.ndarray", level: str
) -> list[tuple[Any, ...]]:
    """Return name, value and ends of each measure that the ratings allow."""
    from rankcore.mathematics.agreement import cohen, fleiss, krippendorff

    alpha = krippendorff(values, counts, level)  # type: ignore[arg-type]
    rows: list[tuple[Any, ...]] = [
        (f"Krippendorff's alpha ({level})", *alpha[:3]),
    ]
    pairs = ratings.of_two()
    if pairs is not None:
        rows += [
            ("Cohen's kappa", cohen(*pairs), None, None),
            ("Cohen's kappa (linear)", cohen(*pairs, "linear"), None, None),
            ("Cohen's kappa (quadratic)", cohen(*pairs, "quadratic"), None, None),
        ]
    raters = counts.sum(axis=1)
    if raters.min() == raters.max() > 1:
        rows.append(("Fleiss' kappa", fleiss(counts), None, None))
    return rows
