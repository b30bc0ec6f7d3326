"""How surely one model ranks better or worse than another, relative to the first: the
interval of `rankcore.statistics.bootstrap_interval`."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankcore.statistics import LEVEL, RESAMPLES, SEED, bootstrap_interval, paired


class RelativeChange(NamedTuple):
    """By how much the mean of a measure differs between two models.

    Attributes
    ----------
    before, after : float
        The means over the queries that count.
    change : float
        ``after / before - 1``: -0.02 for 2% lost. NaN if ``before`` is 0.
    low, high : float
        Ends of the interval of ``change``. NaN where queries are too few for one.
    queries : int
        Those with a value under both models.
    resamples, seed, confidence
        Settings of the interval.
    """

    before: float
    after: float
    change: float
    low: float
    high: float
    queries: int
    resamples: int
    seed: int
    confidence: float

    @property
    def text(self) -> str:
        """The change with its interval, such as −3.8 % [−6.1, −1.2]; breaks once."""
        if np.isnan(self.change):
            return "no relative change"
        ends = f"{_signed(self.low)}, {_signed(self.high)}"
        return " ".join(
            words.replace(" ", "\N{NO-BREAK SPACE}")
            for words in (
                f"{_signed(self.change)} %",
                "[no interval]" if np.isnan(self.low) else f"[{ends}]",
            )
        )

    @property
    def method(self) -> str:
        """How the interval was found, in words."""
        return (
            f"{100 * self.confidence:g} % interval, paired bootstrap over "
            f"{self.queries} queries, {self.resamples} resamples, seed {self.seed}"
        )


def relative_change(
    before: ArrayLike,
    after: ArrayLike,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    confidence: float = LEVEL,
) -> RelativeChange:
    """Relative change of a mean over queries, with its paired percentile interval.

    Each resample draws as many queries as there are, with replacement, and divides the
    mean after by the mean before.

    Parameters
    ----------
    before, after : (q,) float64
        The measure of each query under either model, in the same order. A query with
        NaN in either is left out.
    resamples : int
    seed : int
        The same seed gives the same interval.
    confidence : float
        Between 0 and 1.

    Returns
    -------
    RelativeChange

    Raises
    ------
    ValueError
        If the two do not have a value for each query.

    Examples
    --------
    >>> found = relative_change([0.5, 1.0, 0.75], [0.4, 0.8, 0.6])
    >>> [round(number, 3) for number in found[2:5]]
    [-0.2, -0.2, -0.2]
    """
    first, second = paired(before, after)
    counted = ~(np.isnan(first) | np.isnan(second))
    pair = first[counted], second[counted]
    queries = len(pair[0])
    start, end = (float(values.mean()) if queries else np.nan for values in pair)
    change, low, high = float(_relative(start, end)), np.nan, np.nan
    if queries > 1:
        _, low, high, *_ = bootstrap_interval(
            *pair,
            statistic=lambda first, second, axis: _relative(
                first.mean(axis), second.mean(axis)
            ),
            resamples=resamples,
            seed=seed,
            level=confidence,
        )
    return RelativeChange(
        start, end, change, low, high, queries, resamples, seed, confidence
    )


def _relative(before: ArrayLike, after: ArrayLike) -> np.ndarray:
    """The relative change; NaN where there is nothing to compare with."""
    base = np.asarray(before, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(base > 0.0, np.divide(after, base) - 1.0, np.nan)


def _signed(share: float) -> str:
    """A share in per cent with its sign, without the unit."""
    text = f"{100 * share:+.1f}"
    return text.replace("-", "−") if float(text) else "0.0"
