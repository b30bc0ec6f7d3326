r"""Agreement of several raters on the labels of the same items.

Krippendorff's :math:`\alpha = 1 - D_o / D_e` compares the disagreement within items
with the disagreement expected if labels were assigned to items at random (K.
Krippendorff, *Computing Krippendorff's alpha-reliability*, 2011): items with one label
do not count, and items may have different numbers of labels. Squared distances of
labels are 1 (nominal), the square of the number of ratings between them, counting those
at each end by half (ordinal), or the square of their difference (interval).

Cohen's :math:`\kappa` is for two raters (J. Cohen, *Weighted kappa*, Psychological
Bulletin 70, 1968), with weights by the distance of labels or its square. Fleiss'
:math:`\kappa` is for items with the same number of labels each (J. L. Fleiss,
*Measuring nominal scale agreement among many raters*, Psychological Bulletin 76, 1971).

All are nan where no disagreement is expected, such as when all labels are equal.
"""

from fractions import Fraction
from math import lcm
from typing import Literal, NamedTuple, get_args

import numpy as np

from rankcore.mathematics.statistics import RESAMPLES, SEED

Level = Literal["nominal", "ordinal", "interval"]
LEVELS = get_args(Level)
Weights = Literal["none", "linear", "quadratic"]
Ties = Literal["lower", "fractional"]
TIES = get_args(Ties)
# Largest denominator of a mean of tied labels.
MOST_CHOICES = 64
UNDEFINED = "undefined: all labels equal"
UNPAIRED = "undefined: no document has labels of two raters"


class Alpha(NamedTuple):
    """Krippendorff's α.

    Attributes
    ----------
    value : float
        nan if it is undefined.
    low, high : float
        The central 95% of resamples of the items; resamples in which all labels are
        equal are omitted.
    items : int
        Number of items with at least two labels, which count.
    """

    value: float
    low: float
    high: float
    items: int


def label_counts(
    items: np.ndarray, labels: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct labels (v,), in order, and their counts for each item.

    Parameters
    ----------
    items : (n,) int
        The item of each rating, counted from 0.
    labels : (n,) float64

    Returns
    -------
    values : (v,) float64
    counts : (m, v) int64
    """
    values, codes = np.unique(labels, return_inverse=True)
    m, v = int(items.max(initial=-1)) + 1, len(values)
    counts = np.bincount(items * v + codes, minlength=m * v).reshape(m, v)
    return values, counts


def krippendorff(
    values: np.ndarray, counts: np.ndarray, level: Level = "ordinal"
) -> Alpha:
    """Return Krippendorff's α of items, with an interval by resampling them.

    Parameters
    ----------
    values : (v,) float64
        Distinct labels, in order.
    counts : (m, v) int
        Number of ratings of each item with each label.
    level : {"nominal", "ordinal", "interval"}

    Examples
    --------
    >>> item, label = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])
    >>> alpha = krippendorff(*label_counts(item, label))
    >>> alpha.value, alpha.items
    (0.0, 2)
    """
    if level not in LEVELS:
        raise ValueError(f"There is no level {level!r}; use {', '.join(LEVELS)}.")
    pairable = counts[counts.sum(axis=1) > 1]
    n = len(pairable)
    if n == 0:
        return Alpha(np.nan, np.nan, np.nan, 0)
    patterns, times = np.unique(pairable, axis=0, return_counts=True)
    alphas = _alphas(values, patterns, _resamples(times), level)
    alphas = alphas[np.isfinite(alphas)]
    ends = np.quantile(alphas, [0.025, 0.975]) if len(alphas) else (np.nan, np.nan)
    (value,) = _alphas(values, patterns, times[None, :], level)
    return Alpha(float(value), float(ends[0]), float(ends[1]), n)


def _resamples(times: np.ndarray) -> np.ndarray:
    """Return the counts (b, p) of patterns in resamples of items with these counts
    (p,)."""
    rng, pattern = np.random.default_rng(SEED), np.repeat(np.arange(len(times)), times)
    samples = np.empty((RESAMPLES, len(times)), dtype=np.int64)
    for row in samples:
        items = rng.integers(len(pattern), size=len(pattern))
        row[:] = np.bincount(pattern[items], minlength=len(times))
    return samples


def _alphas(
    values: np.ndarray, patterns: np.ndarray, times: np.ndarray, level: Level
) -> np.ndarray:
    """Return α (b,) of samples with counts (b, p) of patterns (p, v) of labels."""
    b, v = len(times), len(values)
    totals, observed = np.zeros((b, v)), np.zeros((b, v, v))
    for pattern, weights in zip(patterns, times.T, strict=True):
        pairs = pattern[:, None] * pattern - np.diag(pattern)
        totals += weights[:, None] * pattern
        observed += weights[:, None, None] * (pairs / (pattern.sum() - 1.0))
    # The ordinal place of a label is the middle of the ratings equal to it.
    places = np.cumsum(totals, axis=1) - totals / 2.0
    if level == "interval":
        places = np.broadcast_to(values, totals.shape)
    distances = (places[:, :, None] - places[:, None, :]) ** 2
    if level == "nominal":
        distances = np.broadcast_to(1.0 - np.eye(v), observed.shape)
    n = totals.sum(axis=1)
    within = (observed * distances).sum(axis=(1, 2)) / n
    expected = (totals[:, :, None] * totals[:, None, :] * distances).sum(axis=(1, 2))
    expected /= n * (n - 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected > 0.0, 1.0 - within / expected, np.nan)


def cohen(first: np.ndarray, second: np.ndarray, weights: Weights = "none") -> float:
    """Return Cohen's κ of two raters' labels (n,) of the same items.

    Disagreement is 1 for different labels, or the distance of labels (``linear``) or
    its square (``quadratic``).
    """

    def disagreement(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        apart = np.abs(a - b)
        if weights == "none":
            return (apart != 0.0).astype(np.float64)
        return apart if weights == "linear" else apart * apart

    values, first_codes = np.unique(first, return_inverse=True)
    others, second_codes = np.unique(second, return_inverse=True)
    ours, theirs = np.bincount(first_codes), np.bincount(second_codes)
    apart = disagreement(values[:, None], others)
    n = len(first)
    expected = float((ours[:, None] * theirs * apart).sum()) / n**2 if n else 0.0
    return 1.0 - disagreement(first, second).mean() / expected if expected else np.nan


def fleiss(counts: np.ndarray) -> float:
    """Return Fleiss' κ of a table (m, v) of the counts of labels for each item.

    Raises
    ------
    ValueError
        If items have different numbers of labels, or fewer than two.
    """
    raters = counts.sum(axis=1)
    if not len(counts) or (raters != raters[0]).any() or raters[0] < 2:
        raise ValueError(
            "Fleiss' κ needs at least two ratings, equally many for each item"
        )
    m, n = len(counts), int(raters[0])
    observed = float((counts * (counts - 1)).sum()) / (m * n * (n - 1))
    shares = counts.sum(axis=0) / (m * n)
    expected = float((shares**2).sum())
    return (observed - expected) / (1.0 - expected) if expected < 1.0 else np.nan


class Consensus(NamedTuple):
    """One label for each item.

    Attributes
    ----------
    labels : (m,) float64
    ties : int
        Number of items for which the rule is ambiguous.
    """

    labels: np.ndarray
    ties: int

    def whole(self) -> tuple[np.ndarray, int]:
        """Return integer labels and the factor that makes them integers.

        With the linear gain, the factor does not change nDCG.
        """
        factor = 1
        for label in np.unique(self.labels).tolist():
            of_label = Fraction(label).limit_denominator(MOST_CHOICES)
            factor = lcm(factor, of_label.denominator)
        return np.rint(self.labels * factor).astype(np.int64), factor


def majority(values: np.ndarray, counts: np.ndarray, ties: Ties = "lower") -> Consensus:
    """Return the most frequent label of each item; the lowest of equally frequent ones,
    or their mean if ``ties`` is ``fractional``.

    Other parameters are those of `krippendorff`; every item has a label.
    """
    is_most = counts == counts.max(axis=1, keepdims=True)
    choices = is_most.sum(axis=1)
    labels = values[is_most.argmax(axis=1)]
    if ties == "fractional":
        labels = (is_most * values).sum(axis=1) / choices
    return Consensus(labels, int((choices > 1).sum()))


def median(values: np.ndarray, counts: np.ndarray, ties: Ties = "lower") -> Consensus:
    """Return the median label of each item; the lower of two middle ones, or their mean
    if ``ties`` is ``fractional``.

    Other parameters are those of `krippendorff`; every item has a label.
    """
    below, n = np.cumsum(counts, axis=1), counts.sum(axis=1, keepdims=True)
    low = (2 * below >= n).argmax(axis=1)
    high = (2 * below > n).argmax(axis=1)
    labels = values[low]
    if ties == "fractional":
        labels = (values[low] + values[high]) / 2.0
    return Consensus(labels, int((low != high).sum()))


RULES = {"majority": majority, "median": median}


def ordinal_variances(counts: np.ndarray) -> np.ndarray:
    """Return the variance of the places of each item's labels, (m,) float64.

    The place of a label is the share of all ratings below it plus half of those equal
    to it. An item with one label has the variance 0.

    Examples
    --------
    >>> ordinal_variances(np.array([[2, 0], [1, 1]])).tolist()
    [0.0, 0.125]
    """
    totals, n = counts.sum(axis=0), counts.sum(axis=1)
    places = (np.cumsum(totals) - totals / 2.0) / totals.sum()
    means = (counts * places).sum(axis=1) / n
    squares = (counts * (places - means[:, None]) ** 2).sum(axis=1)
    return squares / np.maximum(n - 1, 1)
