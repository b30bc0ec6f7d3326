"""Evidence that two models differ: tests, intervals and power, over queries.

All functions take plain arrays, one value per query; queries with NaN are left out. The
randomisation test is that of M. D. Smucker, J. Allan, B. Carterette, "A comparison of
statistical significance tests for information retrieval evaluation", CIKM 2007; a
sampled p-value includes the observed outcome (B. Phipson, G. K. Smyth, "Permutation
p-values should never be zero", 2010). Multiple p-values are adjusted by the method of
S. Holm, "A simple sequentially rejective multiple test procedure", 1979.

Intervals are those of the Bayesian bootstrap (D. B. Rubin, 1981): the queries have
random weights. Half a query is added at each end of the range of values, to allow for
values that were not observed: for values of 0 and 1 this is the Jeffreys interval (L.
D. Brown, T. T. Cai, A. DasGupta, "Interval estimation for a binomial proportion",
2001). The range of a value is from 0 to 1, that of a difference is plus or minus the
largest observed one. The distribution of the weighted mean is not sampled but computed
by a saddlepoint approximation, so there is no seed. ``benchmarks.intervals`` has the
coverage of this and other methods.

Query weights are importances in a mean, not frequencies: the mean is Σwm / Σw, signs
are flipped and queries drawn as without weights, and only the ratios of weights matter.
"""

import bisect
from functools import lru_cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankcore.base.numbers import counted
from rankcore.mathematics.elementary import ten_digits

SIGN_FLIPS = 10_000
SEED = 0
LEVEL = 0.95
SIGNIFICANT = 0.05
# The smallest p-value of k nonzero differences is 2^(1 - k): .031 for six.
FEWEST_DIFFERING = 6
# Up to this many queries all sign flips, at most 4096, are enumerated.
EXACT_UP_TO = 12
# Number of values drawn at a time: 8 MB for each model.
AT_ONCE = 1_000_000
RESAMPLES = 1000
# Relative differences that the order of summation can cause.
ROUNDING = 1e-12
# Below this, squares and cubes lose too many digits.
TINY = 1e-90
_MOST_QUERIES = 10**9
_ROOT_TOLERANCE = 1e-14


class RandomisationTest(NamedTuple):
    """Whether two models differ by more than chance.

    Attributes
    ----------
    difference : float
        Mean of ``b - a`` over the queries.
    p_value : float
        Two-sided, in (0, 1]: the share of sign flips whose mean difference is at least
        as large in magnitude.
    queries : int
        Number of queries with a value for both models.
    sign_flips : int
        Number of sign flips, enumerated if ``exact``, else sampled.
    seed : int
        Seed of the sample; meaningless if ``exact``.
    constant : bool
        Whether all queries have the same difference.
    differing : int
        Number of queries whose values differ between the models.
    effective : float or None
        The effective number of queries, (Σw)²/Σw²; None without weights.
    """

    difference: float
    p_value: float
    queries: int
    sign_flips: int
    exact: bool
    seed: int
    constant: bool
    differing: int
    effective: float | None = None

    def __str__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """The result in one to three sentences."""
        return f"{self._finding} {_effectively(self.effective)}".rstrip()

    @property
    def _finding(self) -> str:
        if self.constant and self.difference == 0.0:
            return f"The two models have equal values in all {self.queries} queries."
        every = "in every query, " if self.constant else ""
        sentence = (
            f"The means differ by {self.difference:.4g}, {every}p = {self.p_value:.4g}."
        )
        return f"{sentence} {few_differ(self.differing, self.queries)}".rstrip()

    @property
    def method(self) -> str:
        """The method behind the p-value, in words."""
        which = "all" if self.exact else "a sample of"
        seed = "" if self.exact else f", seed {self.seed}"
        return (
            f"paired two-sided randomisation test over {self.queries} queries, {which} "
            f"{self.sign_flips} sign flips{seed}"
        )


class Interval(NamedTuple):
    """An interval of a mean over queries.

    Attributes
    ----------
    estimate : float
        The mean of the values.
    level : float
        Confidence, such as 0.95.
    common : float
        The most frequent value; 0 for a difference.
    others : int
        Number of queries with another value.
    effective : float or None
        As in `RandomisationTest`.
    """

    estimate: float
    low: float
    high: float
    queries: int
    level: float
    common: float
    others: int
    effective: float | None = None

    @property
    def caution(self) -> str:
        """Why it cannot be trusted, as a sentence, or empty."""
        if self.others >= FEWEST_DIFFERING:
            return ""
        if self.queries <= FEWEST_DIFFERING:
            return f"{self.queries} queries are too few to trust the interval."
        return (
            f"{self.queries} queries, {self.others or 'none'} of them other than "
            f"{self.common:.3g}: too few to trust the interval."
        )

    @property
    def brief(self) -> str:
        """Its ends and any caution."""
        ends = f"{100 * self.level:g}% interval {self.low:.3f} to {self.high:.3f}"
        return "; ".join(filter(None, (ends, self.caution)))

    def __str__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """The interval in one to three sentences."""
        sentence = (
            f"{self.estimate:.4g}, {100 * self.level:g}% interval "
            f"[{self.low:.4g}, {self.high:.4g}]."
        )
        sentences = (sentence, self.caution, _effectively(self.effective))
        return " ".join(filter(None, sentences))


class Detectable(NamedTuple):
    """The least difference that a paired test over these queries detects.

    Attributes
    ----------
    difference : float
        True mean difference that a two-sided paired t-test detects with probability
        ``power``; 0 if all queries have the same difference.
    deviation : float
        Standard deviation of the differences.
    power, level : float
        Probabilities of detecting it, and of a false detection.
    constant : bool
        Whether all queries have the same difference.
    """

    difference: float
    deviation: float
    queries: int
    power: float
    level: float
    constant: bool

    def __str__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """The result as a sentence."""
        if self.constant:
            return (
                f"All {self.queries} queries have the same difference, so any other "
                "than 0 would be detected."
            )
        return (
            f"{self.queries} queries detect a mean difference of {self.difference:.4g} "
            f"with probability {self.power:g} at level {self.level:g}."
        )


def randomisation_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    sign_flips: int = SIGN_FLIPS,
    seed: int = SEED,
    weights: ArrayLike | None = None,
) -> RandomisationTest:
    """Test whether two models differ, by flipping the signs of their differences.

    Parameters
    ----------
    a, b : (q,) float64
        A measure of each query under either model, in the same order.
    sign_flips : int
        Number of samples for more than `EXACT_UP_TO` queries; fewer are enumerated.
    seed : int
        The same seed gives the same p-value.
    weights : (q,) float64, optional
        Positive weights of the queries in the mean.

    Raises
    ------
    ValueError
        If the lengths differ, or no query has values for both.

    Examples
    --------
    >>> randomisation_test([0.5, 0.4, 0.7], [0.6, 0.6, 0.9]).p_value
    0.25
    """
    (first, second), shares, effective = _weighted(paired(a, b), weights, 1)
    differences, noise = rounded_differences(second, first)
    constant = bool(np.ptp(differences) <= noise)
    differences = shares * differences
    queries, total = len(differences), abs(float(differences.sum()))
    sums, exact = flipped_sums(differences[None], sign_flips, seed)
    count = sums.shape[1]
    limit = total - noise * queries
    beyond = int((np.abs(sums[0]) >= limit).sum())
    return RandomisationTest(
        difference=float(differences.mean()),
        p_value=beyond / count if exact else (beyond + 1) / (count + 1),
        queries=queries,
        sign_flips=count,
        exact=exact,
        seed=seed,
        constant=constant,
        differing=int(np.count_nonzero(differences)),
        effective=effective,
    )


randomization_test = randomisation_test


def few_differ(differing: int, queries: int) -> str:
    """Return a note if too few queries differ for any paired test to reach the level
    0.05, else an empty string."""
    if not 0 < differing < FEWEST_DIFFERING:
        return ""
    if differing == queries:
        return f"{queries} queries are too few: no test can decide."
    return f"Only {differing} of {queries} queries differ: no test can decide."


def rounded_differences(
    first: np.ndarray, second: np.ndarray
) -> tuple[np.ndarray, float]:
    """Return the first values (q,) minus the second, 0 where they differ by rounding
    only.

    Returns
    -------
    differences : (q,) float64
    noise : float
        Bound on the difference that rounding can cause in equal values or means.
    """
    largest = float(np.nanmax(np.abs([first, second])))
    noise = ROUNDING * max(largest, TINY)
    differences = first - second
    return np.where(np.abs(differences) <= noise, 0.0, differences), noise


def flipped_sums(
    values: np.ndarray, sign_flips: int = SIGN_FLIPS, seed: int = SEED
) -> tuple[np.ndarray, bool]:
    """Return sums over the queries after sign flips, which are the same in all rows.

    Parameters
    ----------
    values : (k, q) float64
        Without NaN.
    sign_flips, seed : int
        As in `randomisation_test`.

    Returns
    -------
    sums : (k, n) float64
    exact : bool
        Whether all n = 2^q flips are included, rather than a sample of ``sign_flips``.
    """
    from rankcore._kernels.measures.resampling import weighted_sums

    queries = values.shape[1]
    exact = queries <= EXACT_UP_TO
    count = 2**queries if exact else sign_flips
    rng, batch = np.random.default_rng(seed), max(1, AT_ONCE // queries)
    values = np.ascontiguousarray(values)
    sums = np.empty((len(values), count))
    whole = values.sum(axis=1, keepdims=True)
    # SciPy's permutation_test takes half a minute for 7000 queries, this code a second.
    for begin in range(0, count, batch):
        end = min(begin + batch, count)
        if exact:
            numbers = np.arange(begin, end)
            flipped = (numbers[:, None] >> np.arange(queries)) % 2 == 1
        else:
            flipped = rng.integers(0, 2, (end - begin, queries), dtype=np.bool_)
        weighted_sums(values, flipped, sums[:, begin:end])
    return whole - 2.0 * sums, exact


def mean_interval(
    values: ArrayLike, level: float = LEVEL, *, weights: ArrayLike | None = None
) -> Interval:
    """Return the interval of the mean of a measure over queries.

    Parameters
    ----------
    values : (q,) float64
        A measure of each query; the range is from 0 to 1, extended to values outside.
    level : float
        Between 0 and 1.
    weights : (q,) float64, optional
        As in `randomisation_test`.

    Raises
    ------
    ValueError
        For fewer than two queries.

    Examples
    --------
    >>> found = mean_interval([0.0, 0.0, 0.0, 1.0])
    >>> round(found.low, 2), round(found.high, 2)
    (0.03, 0.72)
    """
    (column,), shares, effective = _weighted(paired(values), weights, 2)
    distinct, counts = np.unique(column, return_counts=True)
    most = int(counts.argmax())
    return Interval(
        float((shares * column).mean()),
        *_mean_ends(column, level, shares),
        queries=len(column),
        level=level,
        common=float(distinct[most]),
        others=len(column) - int(counts[most]),
        effective=effective,
    )


def mean_intervals(
    values: ArrayLike, *, weights: ArrayLike | None = None
) -> np.ndarray:
    """Return the 95% interval (k, 2) of each model's mean over the queries.

    Parameters
    ----------
    values : (k, q) float64
        As in `mean_interval`, without NaN, for at least two queries.
    weights : (q,) float64, optional
        As in `randomisation_test`.
    """
    every = np.asarray(values, np.float64)
    shares = query_shares(weights, every.shape[1])
    return np.array([_mean_ends(column, LEVEL, shares) for column in every])


def query_shares(weights: ArrayLike | None, queries: int) -> np.ndarray:
    """Return weights (q,) of queries divided by their mean: 1 if none are given or all
    are equal.

    Raises
    ------
    ValueError
        If a weight is not positive and finite, or the number of weights is wrong.
    """
    _, shares, _ = _weighted((np.zeros(queries),), weights, 1)
    return shares


def weighted_means(values: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """Return the means (k,) of values (k, q) over queries, Σwm / Σw with weights (q,),
    plain ones without."""
    if weights is None:
        return values.mean(axis=1)
    shares = weights / weights.max()
    return (shares * values).sum(axis=1) / shares.sum()


def effective_number(weights: ArrayLike | None) -> float | None:
    """Return the effective number of queries, (Σw)²/Σw²; None without weights, or if
    all are equal.

    Examples
    --------
    >>> effective_number([1.0, 1.0, 2.0]), effective_number([2.0, 2.0])
    (2.6666666666666665, None)
    """
    if weights is None or not np.ptp(weights):
        return None
    share = np.asarray(weights, np.float64) / np.max(weights)
    return float(share.sum() ** 2 / (share**2).sum())


def equally_weighted(differences: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Return values (q,) whose plain mean and standard error equal those of the mean of
    differences times shares."""
    if (shares == 1.0).all():
        return differences
    mean = (shares * differences).mean()
    return mean + shares * (differences - mean)


def difference_interval(
    first: ArrayLike,
    second: ArrayLike,
    level: float = LEVEL,
    *,
    weights: ArrayLike | None = None,
) -> Interval:
    """Return the interval of the mean of ``first - second`` over queries.

    Parameters
    ----------
    first, second, weights
        As ``a``, ``b`` and ``weights`` in `randomisation_test`.
    level : float
        Between 0 and 1.

    Raises
    ------
    ValueError
        If the lengths differ, or fewer than two queries have values for both.

    Examples
    --------
    >>> difference_interval([0.5, 0.25], [0.5, 0.25])[:3]
    (0.0, 0.0, 0.0)
    """
    pair, shares, effective = _weighted(paired(first, second), weights, 2)
    each, _ = rounded_differences(*pair)
    return Interval(
        float((shares * each).mean()),
        *difference_ends(each, level, shares),
        queries=len(each),
        level=level,
        common=0.0,
        others=int(np.count_nonzero(each)),
        effective=effective,
    )


def difference_ends(
    differences: np.ndarray, level: float, shares: np.ndarray | None = None
) -> tuple[float, float]:
    """Return the interval of a mean of differences (q,), each times its share (q,) of
    mean 1."""
    largest = float(np.abs(differences).max())
    if largest == 0.0:
        return 0.0, 0.0
    return _bounded_ends(differences, -largest, largest, level, shares)


def relative_ends(
    before: np.ndarray,
    after: np.ndarray,
    level: float,
    shares: np.ndarray | None = None,
) -> tuple[float, float]:
    """Return the interval of mean(after) / mean(before) - 1, each value times its
    share.

    Parameters
    ----------
    before, after : (q,) float64
        At least 0; the mean of ``before`` is above 0.
    shares : (q,) float64, optional
        As in `difference_ends`.
    """
    from rankcore._kernels.measures.intervals import interval_end

    each, _ = rounded_differences(after, before)
    largest = float(np.abs(each).max())
    if largest == 0.0:
        return 0.0, 0.0
    if shares is not None:
        before, each = shares * before, shares * each
    mean = float(before.mean())
    y = np.concatenate([each, [-largest, largest]]) / mean
    x = np.concatenate([before, [mean, mean]]) / mean
    # A model that is always 0 has the change -1; there is no largest change.
    outer = 1.0
    shapes, score = _shapes(len(each)), _normal_score(level)
    high = np.inf
    while high >= outer / 2.0:
        outer *= 4.0
        high = interval_end(y, x, shapes, score, outer)
    low = interval_end(y, x, shapes, -score, -outer)
    estimate = float(each.mean()) / mean
    return max(min(low, estimate), -1.0), max(high, estimate)


def _mean_ends(
    values: np.ndarray, level: float, shares: np.ndarray | None = None
) -> tuple[float, float]:
    low, high = min(0.0, float(values.min())), max(1.0, float(values.max()))
    return _bounded_ends(values, low, high, level, shares)


def _bounded_ends(
    values: np.ndarray,
    low: float,
    high: float,
    level: float,
    shares: np.ndarray | None = None,
) -> tuple[float, float]:
    """Return the interval of a mean of values (q,) within a range; ``shares`` as in
    `difference_ends`."""
    from rankcore._kernels.measures.intervals import interval_end

    each = np.ones(len(values)) if shares is None else shares
    x = np.concatenate([each, [1.0, 1.0]])
    y = x * np.concatenate([(values - low) / (high - low), [0.0, 1.0]])
    shapes = _shapes(len(values))
    mean, score = float((each * values).mean()), _normal_score(level)
    first, last = (
        low + (high - low) * interval_end(y, x, shapes, side, outer)
        for side, outer in ((-score, 0.0), (score, 1.0))
    )
    return min(first, mean), max(last, mean)


def _shapes(queries: int) -> np.ndarray:
    """Return the shapes of the weights of the queries, and of half a query at each
    end."""
    return np.repeat([1.0, 0.5], [queries, 2])


@lru_cache(maxsize=64)
def _normal_score(level: float) -> float:
    return float(ten_digits(NormalDist().inv_cdf((1.0 + level) / 2.0)))


def holm(p_values: ArrayLike) -> np.ndarray:
    """Adjust the p-values of several tests by Holm's method.

    A test is significant at a level if its adjusted p-value is at most that level; the
    probability of any false finding is then at most the level.

    Parameters
    ----------
    p_values : (m,) float64
        From 0 to 1.

    Returns
    -------
    (m,) float64
        In the same order, from 0 to 1.

    Raises
    ------
    ValueError
        For a value outside the range from 0 to 1.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03, 0.005]).round(3).tolist()
    [0.03, 0.06, 0.06, 0.02]
    """
    p = np.asarray(p_values, np.float64)
    if p.ndim != 1 or not ((p >= 0.0) & (p <= 1.0)).all():
        raise ValueError("p-values are a list of numbers from 0 to 1.")
    order = np.argsort(p, kind="stable")
    remaining = np.arange(len(p), 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(remaining * p[order])
    return np.minimum(adjusted, 1.0)


def minimal_detectable_difference(
    differences: ArrayLike, *, power: float = 0.8, level: float = 0.05
) -> Detectable:
    """Return the least true difference that these queries would detect.

    Parameters
    ----------
    differences : (q,) float64
        Difference of a measure between two models for each query; only their spread
        matters. The values of one model give the difference from a constant.
    power : float
        Probability of detecting it by a two-sided paired t-test; from ``level`` to 1.
    level : float
        Probability of a false finding, between 0 and 1.

    Raises
    ------
    ValueError
        For fewer than two queries, or a power or level out of range.

    Examples
    --------
    >>> found = minimal_detectable_difference([-1.0, 1.0] * 17)
    >>> round(found.difference / found.deviation, 2)
    0.5
    """
    values = _power_checked(differences, power, level)
    queries, deviation = len(values), float(values.std(ddof=1))
    constant = _constant(values)
    least = 0.0 if constant else detectable_effect(queries, power, level) * deviation
    return Detectable(
        float(least), 0.0 if constant else deviation, queries, power, level, constant
    )


@lru_cache(maxsize=256)
def detectable_effect(queries: int, power: float = 0.8, level: float = 0.05) -> float:
    """Return the least difference that this number of queries detects, in standard
    deviations of the differences; the parameters are those of
    `minimal_detectable_difference`."""
    from scipy.optimize import brentq

    shift = 1.0
    while _power(shift, queries, level) < power:
        shift *= 2.0
    least = brentq(
        lambda nc: _power(nc, queries, level) - power, 0.0, shift, xtol=_ROOT_TOLERANCE
    )
    return float(ten_digits(least / np.sqrt(queries)))


def queries_needed(
    differences: ArrayLike,
    difference: float,
    *,
    power: float = 0.8,
    level: float = 0.05,
) -> int:
    """Return the number of queries with which a true difference would be detected.

    Parameters
    ----------
    differences : (q,) float64
        As in `minimal_detectable_difference`: queries with the spread of future ones.
    difference : float
        True mean difference, not 0.
    power, level : float
        As there.

    Returns
    -------
    int
        At least 2, which is enough if all queries have the same difference.

    Raises
    ------
    ValueError
        As there; for a difference of 0, or one so small that more than 10⁹ queries are
        needed.

    Examples
    --------
    >>> queries_needed([-1.0, 1.0] * 50, 0.5)
    34
    """
    values = _power_checked(differences, power, level)
    if not (np.isfinite(difference) and difference != 0.0):
        raise ValueError("Give a difference other than 0: no test detects none.")
    if _constant(values):
        return 2
    effect = abs(float(difference)) / float(values.std(ddof=1))

    def enough(queries: int) -> bool:
        reached = _power(effect * np.sqrt(queries), queries, level)
        return bool(ten_digits(reached) >= power)

    if not enough(_MOST_QUERIES):
        raise ValueError(
            f"A difference of {difference:.4g} would take more than 10⁹ queries: give "
            "a larger one."
        )
    return 2 + bisect.bisect_left(range(2, _MOST_QUERIES), True, key=enough)


def _power(shift: float, queries: int, level: float) -> float:
    """Probability that a two-sided t-test detects a mean ``shift`` standard errors from
    0."""
    from scipy.stats import nct, t

    bound = t.isf(level / 2.0, queries - 1)
    above = nct.sf(bound, queries - 1, shift)
    # SciPy returns NaN for a lower tail that underflows.
    below = np.nan_to_num(nct.cdf(-bound, queries - 1, shift))
    return float(above + below)


def _power_checked(differences: ArrayLike, power: float, level: float) -> np.ndarray:
    if not 0.0 < level < power < 1.0:
        raise ValueError(
            f"level and power are between 0 and 1, and power is larger; they are "
            f"{level:g} and {power:g}."
        )
    return _counted(paired(differences)[0], 2)


def paired(*values: ArrayLike) -> tuple[np.ndarray, ...]:
    """Return the values as arrays (q,), one value per query each.

    Raises
    ------
    ValueError
        If their shapes differ.
    """
    arrays = tuple(np.asarray(each, np.float64) for each in values)
    shapes = [array.shape for array in arrays]
    if arrays[0].ndim != 1 or len(set(shapes)) > 1:
        raise ValueError(
            "Give one value per query for each model, in the same order; these have "
            f"the shapes {', '.join(map(str, shapes))}."
        )
    return arrays


def _weighted(
    values: tuple[np.ndarray, ...], weights: ArrayLike | None, least: int
) -> tuple[np.ndarray, np.ndarray, float | None]:
    """Return the values (k, q) of at least this many queries without NaN, their
    weights (q,) divided by the mean, and the effective number of queries, None
    without weights."""
    if weights is None:
        columns = _counted(np.stack(values), least)
        return columns, np.ones(columns.shape[1]), None
    *_, shares = paired(*values, weights)
    if not (np.isfinite(shares) & (shares > 0.0)).all():
        raise ValueError("Weights of queries are finite numbers above 0.")
    *rest, columns = _counted(np.stack([*values, shares]), least)
    columns = columns / columns.max()
    effective = float(columns.sum() ** 2 / (columns**2).sum())
    return np.stack(rest), columns / columns.mean(), effective


def _effectively(number: float | None) -> str:
    """Return a note on the effective number of queries; empty without weights."""
    return "" if number is None else f"Effective number of queries {number:.1f}."


def _counted(values: np.ndarray, least: int) -> np.ndarray:
    """Return the columns (..., q) without NaN, at least this many."""
    columns = values[..., ~np.isnan(np.atleast_2d(values)).any(axis=0)]
    if columns.shape[-1] < least:
        few = counted(columns.shape[-1], "queries")
        verb = "has" if columns.shape[-1] == 1 else "have"
        raise ValueError(f"{few} {verb} a value, and at least {least} are needed.")
    return columns


def _constant(values: np.ndarray) -> bool:
    """Whether all queries (..., q) have the same values up to rounding."""
    spread = np.ptp(values, axis=-1)
    return bool((spread <= ROUNDING * np.abs(values).max()).all())
