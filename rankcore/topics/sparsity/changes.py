"""Relative changes of a measure between two models, with their uncertainty."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankcore.base.numbers import counted
from rankcore.mathematics import statistics


class RelativeChange(NamedTuple):
    """The relative change of a measure's mean between two models.

    Attributes
    ----------
    before, after : float
        Means over the queries with a value.
    change : float
        ``after / before - 1``: -0.02 is a loss of 2%. NaN if ``before`` is 0.
    low, high : float
        Ends of the interval of ``change``. NaN if there are too few queries.
    queries : int
        Number of queries with a value under both models.
    differing : int
        Number of queries whose two values differ.
    confidence : float
        Level of the interval.
    """

    before: float
    after: float
    change: float
    low: float
    high: float
    queries: int
    differing: int
    confidence: float

    @property
    def text(self) -> str:
        """The change with its interval, such as −3.8% [−6.1, −1.2], on two lines."""
        if np.isnan(self.change):
            return "no relative change"
        ends = f"{_signed(self.low)}, {_signed(self.high)}"
        return " ".join(
            words.replace(" ", "\N{NO-BREAK SPACE}")
            for words in (
                f"{_signed(self.change)}%",
                "[no interval]" if np.isnan(self.low) else f"[{ends}]",
            )
        )

    @property
    def method(self) -> str:
        """The name of the interval, in words."""
        return (
            f"{100 * self.confidence:g}% interval of paired differences over "
            f"{counted(self.queries, 'queries')}"
        )

    @property
    def caution(self) -> str:
        """Why no test of the difference can decide; empty if one can."""
        return statistics.few_differ(self.differing, self.queries)


def relative_change(
    before: ArrayLike,
    after: ArrayLike,
    confidence: float = statistics.LEVEL,
    *,
    weights: ArrayLike | None = None,
) -> RelativeChange:
    """Return the relative change of a mean over queries, with its paired interval.

    Parameters
    ----------
    before, after : (q,) float64
        The measure of each query under either model, in the same order. Queries with a
        NaN are left out.
    confidence : float
        Between 0 and 1.
    weights : (q,) float64, optional
        How much each query counts in the means, above 0.

    Raises
    ------
    ValueError
        If the two arrays differ in length.

    Examples
    --------
    >>> found = relative_change([0.5, 1.0, 0.75], [0.4, 0.8, 0.6])
    >>> round(found.change, 3), found.low < found.change < found.high
    (-0.2, True)
    """
    first, second = statistics.paired(before, after)
    (each,) = statistics.paired(np.ones_like(first) if weights is None else weights)
    counted = ~(np.isnan(first) | np.isnan(second))
    pair, each = (first[counted], second[counted]), each[counted]
    queries = len(each)
    shares = each / each.mean() if queries else each
    start, end = (float((shares * v).mean()) if queries else np.nan for v in pair)
    change = end / start - 1.0 if start > 0.0 else np.nan
    low, high = np.nan, np.nan
    if queries > 1 and start > 0.0:
        low, high = statistics.relative_ends(*pair, confidence, shares)
    differing = (
        int(np.count_nonzero(statistics.rounded_differences(*pair)[0]))
        if queries
        else 0
    )
    return RelativeChange(start, end, change, low, high, queries, differing, confidence)


def _signed(share: float) -> str:
    """Return a share in per cent with its sign, without the unit."""
    text = f"{100 * share:+.1f}"
    return text.replace("-", "−") if float(text) else "0.0"
