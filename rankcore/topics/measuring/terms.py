r"""A measure of one small list in detail: terms, ties, and one moving score.

Every function takes the labels of a list in displayed order, from the top down.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from rankcore.base.arrays import Floats, Integers
from rankcore.measures import (
    CONVENTIONS,
    Measure,
    Rules,
    Terms,
    list_measures,
    soft_ranks,
)

MOST_TIED = 8
# Number of scores for smooth measures, and the sharpness of their cutoff.
POINTS, BETA = 240, 10.0


class Rectangles(NamedTuple):
    """The terms of a measure as rectangles by position, with the ideal order's.

    The last factor of a term is the width, the product of the others the height.

    Attributes
    ----------
    height, width : str
        Names of the sides.
    heights, widths : (n,) float64
    ideal_heights, ideal_widths : (n,) float64
        Sides of the rectangles of the ideal order.
    whole : float
        The area that represents the value 1.
    """

    height: str
    width: str
    heights: Floats
    widths: Floats
    ideal_heights: Floats
    ideal_widths: Floats
    whole: float

    @property
    def area(self) -> float:
        """The sum of all areas."""
        return float((self.heights * self.widths).sum())

    @property
    def ideal_area(self) -> float:
        """The sum of the ideal order's areas."""
        return float((self.ideal_heights * self.ideal_widths).sum())

    @property
    def ideal_is_whole(self) -> bool:
        """Whether the value is the ratio of both areas, so that the ideal order has
        1."""
        return bool(np.isclose(self.ideal_area, self.whole))


class FilledTerms(NamedTuple):
    """The terms of a measure, one per position, with its value.

    Attributes
    ----------
    factors : dict of str to (n,) float64
        Values of each factor by position, by the factor's name.
    terms : (n,) float64
        Contribution of each position; they sum to the value.
    value : float
        The measure; NaN if undefined.
    filled : str
        The sum with its numbers, in Markdown; each term is a formula, so that lines
        can break between them.
    rectangles : Rectangles, optional
        The terms as areas; None if they are not products.
    """

    factors: dict[str, Floats]
    terms: Floats
    value: float
    filled: str
    rectangles: Rectangles | None


class ScoreCurve(NamedTuple):
    """A measure as a function of one document's score, with all others fixed.

    Attributes
    ----------
    starts, ends, steps : (m,) float64
        The measure is ``steps[i]`` for scores from ``starts[i]`` to ``ends[i]``.
    scores : (p,) float64
    smooth : dict of float to (p,) float64
        The smooth measure at ``scores``, by sharpness α.
    at : float
        The document's present score.
    """

    starts: Floats
    ends: Floats
    steps: Floats
    scores: Floats
    smooth: dict[float, Floats]
    at: float

    @property
    def exact(self) -> Floats:
        """(p,) the measure at ``scores``; at a change, the value above it."""
        step = np.searchsorted(self.ends[:-1], self.scores, side="right")
        return self.steps[step]

    def error(self, alpha: float) -> float:
        """Return the largest difference of the smooth measure from the exact one;
        undefined values are ignored."""
        return float(np.abs(np.nan_to_num(self.smooth[alpha] - self.exact)).max())


def measure_of(
    labels: Sequence[int], measure: Measure, convention: str = "standard"
) -> float:
    """Return the measure of a list in its order; NaN if undefined."""
    ranks = np.arange(1.0, len(labels) + 1)
    return float(measure(ranks, labels, [0, len(labels)], convention)[0])


def measures_with_terms(cutoff: int) -> tuple[Measure, ...]:
    """Return every measure that declares terms, by name, with the cutoff if usual.

    Parameters
    ----------
    cutoff : int
        For measures usually computed with a cutoff, such as nDCG and P; 1 or more.
    """
    kinds = (
        kind(cutoff=cutoff) if kind.usually_cut else kind()
        for kind in list_measures()
        if kind.usually_cut or kind.cutoffs != "always"
    )
    return tuple(measure for measure in kinds if _has_terms(measure))


def measure_terms(
    labels: Sequence[int], measure: Measure, convention: str = "standard"
) -> FilledTerms:
    """Return the terms of a measure of one list, position by position.

    Parameters
    ----------
    labels : sequence of n int
    measure : Measure
        One that declares `Measure.terms`, with or without a cutoff.
    convention : {"standard", "letor3", "letor4"}

    Raises
    ------
    ValueError
        For a measure that is not a sum over positions.
    """
    grades = np.asarray(labels, dtype=np.int64)
    parts = measure.terms(grades, Rules(convention).definition)
    if parts is None:
        raise ValueError(
            f"{measure.name} is not shown term by term; choose one of "
            f"{', '.join(measure.name for measure in measures_with_terms(10))}."
        )
    value = measure_of(labels, measure, convention)
    # A convention may assign the value 0 to a list that is too short.
    terms = parts.terms if value else np.zeros(len(grades))
    rectangles = None
    if parts.whole is not None and np.isclose(parts.terms.sum(), value):
        best = measure.terms(np.sort(grades)[::-1], Rules(convention).definition)
        assert best is not None
        names, sides = list(parts.factors), (*_sides(parts), *_sides(best))
        height = " × ".join(names[:-1])
        rectangles = Rectangles(height, names[-1], *sides, parts.whole)
    filled = _filled(str(measure), terms, value, rectangles)
    return FilledTerms(parts.factors, terms, value, filled, rectangles)


def term_rows(
    labels: Sequence[int], names: Sequence[str], terms: Mapping[str, FilledTerms]
) -> list[dict[str, Any]]:
    """Return a row for each measure and rank; parameters as for
    `rankcore.topics.measuring.terms_figure.terms_table`."""
    return [
        {"measure": measure, "rank": rank, "document": document, "label": label}
        | {"adds": term}
        for measure, each in terms.items()
        for rank, (document, label, term) in enumerate(
            zip(names, labels, each.terms, strict=True), start=1
        )
    ]


def tied_values(
    labels: Sequence[int],
    first: int,
    last: int,
    measure: Measure,
    convention: str = "standard",
) -> dict[str, float]:
    """Return the values of a measure under several rules for equal scores.

    Parameters
    ----------
    labels : sequence of n int
    first, last : int
        Ranks, from 1, between which all scores are equal; at most 8 of them.
    convention : {"standard", "letor3", "letor4"}

    Returns
    -------
    dict
        Rule in words → value: as listed, the mean over all orders of the tied documents
        (RankScope's rule, except in LETOR's conventions), the best and the worst of
        these orders, and the value with their shared middle rank.
    """
    if not 1 <= first <= last <= len(labels) or last - first >= MOST_TIED:
        raise ValueError(
            f"The ranks {first} to {last} are not a range of at most {MOST_TIED} of "
            f"the {len(labels)} ranks."
        )
    n = len(labels)
    orders = _orders(tuple(sorted(labels[first - 1 : last])))
    lists = np.tile(np.asarray(labels, dtype=np.int64), (len(orders), 1))
    lists[:, first - 1 : last] = orders
    ranks = np.tile(np.arange(1.0, n + 1), len(orders))
    offsets = np.arange(len(orders) + 1) * n
    values = measure(ranks, lists.ravel(), offsets, convention)
    middle = np.arange(1.0, n + 1)
    middle[first - 1 : last] = (first + last) / 2
    return {
        "as listed": measure_of(labels, measure, convention),
        # Distinct orders of labels are equally likely, each from as many permutations.
        "mean": float(values.mean()),
        "best": float(values.max()),
        "worst": float(values.min()),
        "middle rank": float(measure(middle, labels, [0, n], convention)[0]),
    }


def along_score(
    labels: Sequence[int],
    place: int,
    measure: Measure,
    convention: str = "standard",
    alphas: Sequence[float] = (),
) -> ScoreCurve:
    """Return a measure while one document's score moves past all others.

    The scores are n, n - 1, …, 1 from the top down, so a difference of 1 is one place.

    Parameters
    ----------
    labels : sequence of n int
    place : int
        The moving document, from 0.
    convention : {"standard", "letor3", "letor4"}
    alphas : sequence of float
        Sharpness of the smooth ranks.
    """
    n = len(labels)
    scores = np.arange(n, 0, -1.0)
    others = [label for i, label in enumerate(labels) if i != place]
    bounds = np.concatenate(([0.0], np.sort(np.delete(scores, place)), [n + 1.0]))
    steps = [
        measure_of([*others[:rank], labels[place], *others[rank:]], measure, convention)
        for rank in range(n - 1, -1, -1)
    ]
    grid = np.linspace(0.0, n + 1.0, POINTS)
    rows = np.repeat(scores[None, :], POINTS, axis=0)
    rows[:, place] = grid
    offsets = np.arange(POINTS + 1) * n
    many = np.tile(np.asarray(labels, dtype=np.int64), POINTS)
    smooth = {
        alpha: measure(
            soft_ranks(rows.ravel(), offsets, alpha), many, offsets, convention, BETA
        )
        for alpha in alphas
    }
    return ScoreCurve(
        bounds[:-1], bounds[1:], np.array(steps), grid, smooth, float(scores[place])
    )


@lru_cache(maxsize=32)
def _orders(values: tuple[int, ...]) -> Integers:
    return np.array(list(_distinct_orders(values)), dtype=np.int64)


def _distinct_orders(values: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Every distinct order of sorted values, once."""
    if not values:
        yield ()
        return
    for i, value in enumerate(values):
        if i == 0 or values[i - 1] != value:
            rest = list(chain(values[:i], values[i + 1 :]))
            yield from ((value, *order) for order in _distinct_orders(rest))


def _has_terms(measure: Measure) -> bool:
    some = np.array([1, 0], dtype=np.int64)
    return measure.terms(some, Rules().definition) is not None


def _sides(terms: Terms) -> tuple[Floats, Floats]:
    """Return the heights and the widths of rectangles whose areas are products."""
    *heights, width = terms.factors.values()
    return np.prod(heights, axis=0), width


def _filled(
    name: str, terms: Floats, value: float, rectangles: Rectangles | None
) -> str:
    if np.isnan(value):
        return rf"$\mathrm{{{name}}}$ is undefined."
    quotients = [] if rectangles is None else _quotients(rectangles)
    values = [f"{term:.3f}" for term in terms if term] or ["0"]
    sums = [
        f"${sign} {part}$"
        for parts in (quotients, values)
        for sign, part in zip(["=", *["{} +"] * len(parts)], parts, strict=False)
    ]
    return rf"$\mathrm{{{name}}}$ {' '.join(sums)} $= \mathbf{{{value:.3f}}}$"


def _quotients(rectangles: Rectangles) -> list[str]:
    """Return each nonzero term, as in (3/1.585)/4.131: the width is a divisor.

    Divisors have one more digit than results, so that results can be recomputed.
    """
    quotients = []
    for height, width in zip(rectangles.heights, rectangles.widths, strict=True):
        if height * width:
            area = _short(height) + (f"/{_short(1.0 / width)}" if width != 1.0 else "")
            area = f"({area})" if "/" in area and rectangles.whole != 1.0 else area
            whole = f"/{_short(rectangles.whole)}" if rectangles.whole != 1.0 else ""
            quotients.append(area + whole)
    return quotients


def _short(number: float) -> str:
    """Return a number with at most three decimals."""
    return f"{number:.3f}".rstrip("0").rstrip(".")


def by_rule(
    labels: Sequence[int], tied: int, measure: Measure, convention: str = "standard"
) -> dict[str, float]:
    """Return a measure under every convention, and under every rule for ties in one of
    them.

    Parameters
    ----------
    labels : sequence of n int
    tied : int
        Number of top documents with equal scores, 1 to 8.
    convention : {"standard", "letor3", "letor4"}
        The convention for the rules for ties.

    Returns
    -------
    dict
        Values by convention or rule, those of `tied_values` last.
    """
    values = {name: measure_of(labels, measure, name) for name in CONVENTIONS}
    rules = tied_values(labels, 1, tied, measure, convention)
    return values | {name: rules[name] for name in rules if name != "as listed"}
