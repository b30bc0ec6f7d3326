"""A comparison of models as a table for a paper, with significance marks."""

import string
from collections.abc import Sequence

from rankcore.base.numbers import counted
from rankcore.reports.tables import Column, MarkedValue, ReportTable
from rankcore.topics.compare.comparison import Comparison


def comparison_table(
    comparisons: Sequence[Comparison], data: str, remarks: Sequence[str] = ()
) -> ReportTable:
    """Return a table with one row per model and its mean of each measure.

    A superscript letter marks a model as significantly better than the model with that
    letter.

    Parameters
    ----------
    comparisons : sequence of Comparison
        One comparison per measure, of the same models, in the order of the first.
    data : str
        Name of the data set and the queries.
    remarks : sequence of str
        Further sentences below the table.
    """
    first = comparisons[0]
    letters = dict(zip(first.names, _letters(len(first.names)), strict=True))
    columns: list[Column | str] = ["", "Model"]
    columns += [Column(one.measure, ".3f", "highest") for one in comparisons]
    columns += [Column("Features", ".3g"), "Iteration", Column("Seconds", ".3g")]
    marks = [_marks(one, letters) for one in comparisons]
    rows = []
    for contender in first.contenders:
        name = contender.name
        cells = [
            MarkedValue(float(one.means[one.names.index(name)]), mark.get(name, ""))
            for one, mark in zip(comparisons, marks, strict=True)
        ]
        cost = [contender.nonzeros, contender.iterations, contender.seconds]
        rows.append([letters[name], name, *cells, *cost])
    weighting = f" ({first.weighting})" if first.weighting else ""
    return ReportTable(
        columns,
        rows,
        f"Means over {counted(len(first.ids), 'queries')} of {data}{weighting}, "
        f"{_runs(first)}.",
        " ".join([*_method(first), *remarks]),
    )


def _letters(count: int) -> list[str]:
    """Return names of rows: a, b, …, z, aa, ab."""
    letters = string.ascii_lowercase
    doubles = (a + b for a in letters for b in letters)
    return [*letters, *doubles][:count]


def _marks(comparison: Comparison, letters: dict[str, str]) -> dict[str, str]:
    """Return, by model name, the letters of significantly worse models."""
    beaten: dict[str, list[str]] = {}
    for pair in comparison.pairs:
        if pair.significant:
            better, worse = comparison.names[pair.first], comparison.names[pair.second]
            if pair.difference.mean < 0.0:
                better, worse = worse, better
            beaten.setdefault(better, []).append(letters[worse])
    return {name: ", ".join(sorted(letters)) for name, letters in beaten.items()}


def _runs(comparison: Comparison) -> str:
    counts = {len(one.runs) for one in comparison.contenders}
    if counts == {1}:
        return "one run each"
    low, high = min(counts), max(counts)
    each = str(low) if low == high else f"{low} to {high}"
    return f"each query averaged over {each} runs (seeds and folds)"


def _method(comparison: Comparison) -> list[str]:
    if not comparison.pairs:
        return []
    tests = len(comparison.pairs)
    queries = counted(len(comparison.ids), "queries")
    test = f"paired two-sided randomisation test over {queries}"
    holm = f"Holm's correction for {counted(tests, 'tests')}"
    letter = "A raised letter: better than the model of that letter"
    sentences = [f"{letter} ({test}, {holm}, p ≤ 0.05).", "Bold: the highest mean."]
    return [*sentences, *comparison.undecided]
