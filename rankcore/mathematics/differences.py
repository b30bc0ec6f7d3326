"""Pairwise comparison of many models over the same queries, at once.

The tests and intervals are those of `rankcore.mathematics.statistics` and of SciPy.
All models share the same sign flips, so that fifty models take little longer than two.
Mean ranks over data sets are compared after J. Demšar, "Statistical comparisons of
classifiers over multiple data sets", JMLR 2006.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcore.mathematics import statistics
from rankcore.mathematics.elementary import ten_digits

Floats = NDArray[np.float64]

FEWEST_DATA_SETS = 5
FEWEST_MODELS = 3


class Difference(NamedTuple):
    """The mean difference of two models over queries.

    Attributes
    ----------
    mean : float
        Mean of the first model's values minus the second's.
    low, high : float
        Its interval, as in `rankcore.mathematics.statistics.difference_interval`.
    p_value : float
        p-value of a paired two-sided randomisation test.
    t_p_value : float
        p-value of a paired two-sided t-test.
    effect : float
        Cohen's d_z: the mean in standard deviations of the differences; 0 if all are 0,
        infinite if all are equal and not 0.
    deviation : float
        Standard deviation of the differences; with weights, that of equally weighted
        values whose mean has the same uncertainty.
    differing : int
        Number of queries whose values differ.
    effective : float or None
        The effective number of queries, (Σw)²/Σw²; None where all count alike.
    """

    mean: float
    low: float
    high: float
    p_value: float
    t_p_value: float
    effect: float
    deviation: float
    queries: int
    differing: int
    effective: float | None = None


class MeanRanks(NamedTuple):
    """Mean ranks of models over several data sets.

    Attributes
    ----------
    ranks : (k,) float64
        Mean rank of each model, 1 = best; tied models share their mean rank.
    chi_square : float
        Friedman's statistic, with correction for ties.
    p_value : float
        p-value of Iman and Davenport's F test that all models are equal.
    critical_difference : float
        Nemenyi's: mean ranks further apart differ significantly.
    level : float
        Probability of any false finding.
    """

    ranks: Floats
    chi_square: float
    p_value: float
    critical_difference: float
    data_sets: int
    level: float

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """The maximal groups of models whose mean ranks do not differ significantly,
        each from the best to the worst."""
        order = np.argsort(self.ranks, kind="stable")
        sorted_ranks = self.ranks[order]
        reach = sorted_ranks + self.critical_difference * (1.0 + statistics.ROUNDING)
        ends = np.searchsorted(sorted_ranks, reach, side="right")
        spans, furthest = [], 0
        for begin, end in enumerate(ends):
            if end > furthest and end - begin > 1:
                spans.append(tuple(int(i) for i in order[begin:end]))
            furthest = max(furthest, int(end))
        return tuple(spans)


def differences(
    values: ArrayLike,
    pairs: Sequence[tuple[int, int]],
    *,
    weights: ArrayLike | None = None,
    sign_flips: int = statistics.SIGN_FLIPS,
    seed: int = statistics.SEED,
    level: float = statistics.LEVEL,
) -> list[Difference]:
    """Compare models two by two.

    Parameters
    ----------
    values : (k, q) float64
        A measure of each query (column) under each model (row), possibly a mean over
        seeds or folds. No NaN, at least two queries.
    pairs : sequence of (int, int)
        Rows to compare: the first minus the second.
    weights : (q,) float64, optional
        Positive weights of the queries in the means.
    sign_flips, seed, level
        As in `rankcore.mathematics.statistics.randomisation_test` and
        ``difference_interval``.

    Returns
    -------
    list of Difference
        One per pair.

    Raises
    ------
    ValueError
        If there are fewer than two queries, or a value is NaN.

    Examples
    --------
    >>> found = differences([[0.5, 0.7, 0.9], [0.4, 0.5, 0.6]], [(0, 1)])
    >>> round(found[0].mean, 3), found[0].p_value
    (0.2, 0.25)
    """
    matrix = _checked(values)
    shares = statistics.query_shares(weights, matrix.shape[1])
    effective = statistics.effective_number(weights)
    sums, exact = statistics.flipped_sums(shares * matrix, sign_flips, seed)
    rows, count = [], sums.shape[1]
    for one, other in pairs:
        each, noise = statistics.rounded_differences(matrix[one], matrix[other])
        low, high = statistics.difference_ends(each, level, shares)
        limit = abs((shares * each).sum()) - noise * len(each)
        beyond = int((np.abs(sums[one] - sums[other]) >= limit).sum())
        p = beyond / count if exact else (beyond + 1) / (count + 1)
        effect, deviation = _effect(statistics.equally_weighted(each, shares), noise)
        rows.append(
            Difference(
                mean=float((shares * each).mean()),
                low=low,
                high=high,
                p_value=p,
                t_p_value=_t_test(effect, len(each)),
                effect=effect,
                deviation=deviation,
                queries=len(each),
                differing=int(np.count_nonzero(each)),
                effective=effective,
            )
        )
    return rows


def against(
    values: ArrayLike, best: int, *, weights: ArrayLike | None = None
) -> Floats:
    """Test each model against one reference model.

    Parameters
    ----------
    values : (k, q) float64
        As in `differences`.
    best : int
        The row of that model.
    weights : (q,) float64, optional
        As in `differences`.

    Returns
    -------
    (k,) float64
        The p-values of the paired randomisation tests, adjusted by Holm's method; 1 for
        the reference itself.
    """
    matrix = np.asarray(values, np.float64)
    others = [row for row in range(len(matrix)) if row != best]
    p_values = np.ones(len(matrix))
    comparisons = differences(matrix, [(best, row) for row in others], weights=weights)
    p_values[others] = statistics.holm([one.p_value for one in comparisons])
    return p_values


def selection_optimism(
    values: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    resamples: int = statistics.RESAMPLES,
    seed: int = statistics.SEED,
) -> float:
    """Return the optimism of the best of several means that results from its selection.

    B. Efron, R. Tibshirani, "An introduction to the bootstrap", 1993, section 17.6: the
    best model is selected on resampled queries, and the optimism is the average excess
    of its mean over these above its mean over all queries.

    Parameters
    ----------
    values : (k, q) float64
        As in `differences`.
    weights : (q,) float64, optional
        As in `differences`.
    seed : int
        The same seed gives the same number.

    Examples
    --------
    >>> selection_optimism([[0.5, 0.5, 0.5], [0.25, 0.25, 0.25]])
    0.0
    """
    from rankcore._kernels.measures.resampling import weighted_sums

    matrix = _checked(values)
    queries = matrix.shape[1]
    shares = statistics.query_shares(weights, queries)
    matrix = np.ascontiguousarray(shares * matrix)
    rng, means, total = np.random.default_rng(seed), matrix.mean(axis=1), 0.0
    batch = max(1, statistics.AT_ONCE // max(matrix.shape))
    for begin in range(0, resamples, batch):
        count = min(batch, resamples - begin)
        samples = rng.integers(0, queries, (count, queries))
        samples += queries * np.arange(count)[:, None]
        times = np.bincount(samples.ravel(), minlength=count * queries)
        sums, sizes = np.empty((len(matrix), count)), np.empty((1, count))
        weighted_sums(matrix, times.reshape(count, queries), sums)
        weighted_sums(shares[None], times.reshape(count, queries), sizes)
        chosen = sums.argmax(axis=0)
        best = sums[chosen, np.arange(count)] / sizes[0]
        total += float((best - means[chosen]).sum())
    return total / resamples


def mean_ranks(values: ArrayLike, level: float = 0.05) -> MeanRanks:
    """Compare models by their ranks on each of several data sets.

    Parameters
    ----------
    values : (n, k) float64
        A measure of each data set under each model; higher is better.
    level : float
        Probability of any false finding, between 0 and 1.

    Raises
    ------
    ValueError
        For fewer than five data sets or three models, or a missing value.
    """
    from scipy.stats import f as f_distribution
    from scipy.stats import friedmanchisquare, rankdata, studentized_range

    matrix = np.asarray(values, np.float64)
    if matrix.ndim != 2 or matrix.shape[0] < FEWEST_DATA_SETS:
        raise ValueError(
            f"Mean ranks need at least {FEWEST_DATA_SETS} data sets; give a row for "
            "each."
        )
    n, k = matrix.shape
    if k < FEWEST_MODELS or np.isnan(matrix).any():
        raise ValueError(
            f"Mean ranks need at least {FEWEST_MODELS} models with a value on every "
            "data set."
        )
    ranks = rankdata(-matrix, axis=1).mean(axis=0)
    alike = not np.ptp(matrix, axis=1).any()
    chi_square = 0.0 if alike else float(friedmanchisquare(*matrix.T).statistic)
    rest = n * (k - 1) - chi_square
    f_statistic = (n - 1) * chi_square / rest if rest > 0.0 else np.inf
    p_value = f_distribution.sf(f_statistic, k - 1, (k - 1) * (n - 1))
    q = studentized_range.ppf(1.0 - level, k, np.inf) / np.sqrt(2.0)
    return MeanRanks(
        ranks=ranks,
        chi_square=chi_square,
        p_value=float(ten_digits(p_value)),
        critical_difference=float(ten_digits(q * np.sqrt(k * (k + 1) / (6.0 * n)))),
        data_sets=n,
        level=level,
    )


def _checked(values: ArrayLike) -> Floats:
    matrix = np.asarray(values, np.float64)
    if matrix.ndim != 2 or matrix.shape[1] < 2:
        raise ValueError("Comparing models takes at least 2 queries with a value.")
    if np.isnan(matrix).any():
        raise ValueError("A query has no value for one of the models; leave it out.")
    return matrix


def _effect(each: Floats, noise: float) -> tuple[float, float]:
    """Cohen's d_z and the standard deviation."""
    mean, deviation = float(each.mean()), float(each.std(ddof=1))
    if np.ptp(each) <= noise:
        return (0.0 if mean == 0.0 else float(np.copysign(np.inf, mean))), 0.0
    return mean / deviation, deviation


def _t_test(effect: float, queries: int) -> float:
    from scipy.special import stdtr

    p_value = 2.0 * stdtr(queries - 1, -abs(effect) * np.sqrt(queries))
    return float(ten_digits(p_value))
