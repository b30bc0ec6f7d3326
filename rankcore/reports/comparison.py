"""A comparison of models as a table for a paper, with marks of significance."""

import string
from collections.abc import Sequence

from rankcore.base.numbers import counted
from rankcore.reports.tables import Column, MarkedValue, ReportTable
from rankcore.topics.compare.comparison import Comparison


def comparison_table(
    comparisons: Sequence[Comparison], data: str, remarks: Sequence[str] = ()
) -> ReportTable:
    """Return a row a model, with its mean of each measure.

    A raised letter says that a model is better than the one of that letter, by more
    than noise.

    Parameters
    ----------
    comparisons : sequence of Comparison
        Of the same models, one for each measure; the order of the first counts.
    data : str
        Name of the data set and of the queries.
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
    """So many names of rows: a, b, …, z, aa, ab."""
    letters = string.ascii_lowercase
    doubles = (a + b for a in letters for b in letters)
    return [*letters, *doubles][:count]


def _marks(comparison: Comparison, letters: dict[str, str]) -> dict[str, str]:
    """Return the letters of those that a model is significantly better than, by its
    name."""
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
