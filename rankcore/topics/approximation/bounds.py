r"""Errors of soft positions and smooth measures, and bounds on them.

With :math:`\delta_x` the distance of a document's score to the nearest other one of its
query, :math:`\delta` the smallest of a query's n documents, m of them relevant, and
:math:`\varepsilon = \max_x |\hat\pi_x - \pi_x|`, the theorems of T. Qin, T.-Y. Liu,
H. Li, *A general approximation framework for direct optimization of information
retrieval measures*, Information Retrieval 13:375-397, 2010, are

.. math::

    |\hat\pi_x - \pi_x| &\le \frac{n - 1}{e^{\alpha \delta_x} + 1}, \\
    |\widehat{\rm AP} - {\rm AP}| &\le \frac{1}{1 + e^{\beta (1 - 2 \varepsilon)}}
    \sum_{i=1}^m \frac{1}{i - \varepsilon} + \sum_{i=1}^m
    \frac{2 \varepsilon}{i (i - \varepsilon)} \quad (\varepsilon < \tfrac12), \\
    |\widehat{\rm NDCG} - {\rm NDCG}| &\le \frac{\varepsilon}{2 \ln 2}.

The paper has :math:`<`; the first is an equality for every list of two. The factor 2 in
the second sum is not needed, but kept as printed. Exact positions are those of a strict
order, ties in the order of the documents, for which the bounds hold too.
"""

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankcore import measures
from rankcore.base.arrays import Floats, Integers
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.elementary import LN2, exp

if TYPE_CHECKING:
    from rankcore.algorithms import Approximation


# Beyond this, e^x overflows; the bound is 0 long before.
_FAR = 700.0


class PositionErrors(NamedTuple):
    """Soft and exact positions of n documents.

    Attributes
    ----------
    exact, soft : (n,) float64
        Positions, 1 = best.
    error : (n,) float64
        Absolute difference of the two positions.
    gap : (n,) float64
        Distance to the nearest other score of the query; infinite where there is none.
    bound : (n,) float64
        Theorem 1's bound on the error.
    """

    exact: Floats
    soft: Floats
    error: Floats
    gap: Floats
    bound: Floats


class MeasureErrors(NamedTuple):
    """A smooth and the exact measure of q queries.

    Attributes
    ----------
    exact, smooth, error : (q,) float64
        The two values and their distance; NaN without relevant documents.
    position_error, position_bound : (q,) float64
        The largest error of a position, epsilon of the formulas, and theorem 1's bound
        on it.
    bound : (q,) float64
        The bound of theorem 2 (average precision) or 3 (nDCG without a cutoff) on the
        error, from `position_error`. Infinite where theorem 2 gives no bound, NaN for
        other measures.
    """

    exact: Floats
    smooth: Floats
    error: Floats
    position_error: Floats
    position_bound: Floats
    bound: Floats


def position_errors(
    dataset: RankingDataset, scores: ArrayLike, alpha: float
) -> PositionErrors:
    """Compare soft positions with exact ones, document by document.

    Parameters
    ----------
    scores : (n,) float64
        Finite; of any model.
    alpha : float
        Sharpness of the soft positions, above 0.
    """
    from rankcore._kernels.losses.approximation import soft_positions

    s = np.asarray(scores, dtype=np.float64)
    exact = measures.exact_ranks(s, dataset.offsets)
    soft = soft_positions(s, np.ones(len(s)), dataset.offsets, float(alpha))
    gap = score_gaps(s, dataset)
    others = np.repeat(dataset.lengths - 1, dataset.lengths)
    bound = position_bound(others + 1, alpha, gap)
    return PositionErrors(exact, soft, np.abs(soft - exact), gap, bound)


def score_gaps(scores: Floats, dataset: RankingDataset) -> Floats:
    """Distance (n,) of each score to the nearest other one of its query."""
    query = np.repeat(np.arange(dataset.n_queries), dataset.lengths)
    order = np.lexsort((scores, query))
    steps = np.full(len(scores) + 1, np.inf)
    same = query[order][1:] == query[order][:-1]
    steps[1:-1][same] = np.diff(scores[order])[same]
    gaps = np.empty(len(scores))
    gaps[order] = np.minimum(steps[1:], steps[:-1])
    return gaps


def position_bound(documents: ArrayLike, alpha: float, gap: ArrayLike) -> Floats:
    """Theorem 1: (n - 1) / (exp(alpha gap) + 1)."""
    exponent = np.minimum(alpha * np.asarray(gap, dtype=np.float64), _FAR)
    return (np.asarray(documents) - 1.0) / (exp(exponent) + 1.0)


def average_precision_bound(epsilon: float, relevant: int, beta: float) -> float:
    """Theorem 2, for position errors up to epsilon; infinite from epsilon = 1/2 on."""
    if not epsilon < 0.5:
        return math.inf
    i = np.arange(1.0, relevant + 1.0)
    wrong = 1.0 / (1.0 + float(exp(min(beta * (1.0 - 2.0 * epsilon), _FAR))))
    near, far = np.sum(1.0 / (i - epsilon)), np.sum(2.0 * epsilon / (i * (i - epsilon)))
    return float(wrong * near + far)


def ndcg_bound(epsilon: float) -> float:
    """Theorem 3: epsilon / (2 ln 2)."""
    return epsilon / (2.0 * LN2)


def measure_errors(
    algorithm: "Approximation", dataset: RankingDataset, scores: ArrayLike
) -> MeasureErrors:
    """Compare a smooth measure with the exact one, query by query.

    Parameters
    ----------
    algorithm : Approximation
        `ApproxNDCG`, `ApproxAP` or another of their kind, which determines the measure
        and its sharpness. It need not be trained.
    scores : (n,) float64
        Scores of any model.
    """
    s = np.asarray(scores, dtype=np.float64)
    positions = position_errors(dataset, s, algorithm.alpha)
    smooth = algorithm.surrogate(dataset).at(s).values
    exact = exact_values(algorithm, dataset, positions.exact)
    begins = dataset.offsets[:-1]
    relevant = np.add.reduceat((dataset.y > 0).astype(np.int64), begins)
    gap = np.minimum.reduceat(positions.gap, begins)
    epsilon = np.maximum.reduceat(positions.error, begins)
    return MeasureErrors(
        exact=exact,
        smooth=smooth,
        error=np.abs(smooth - exact),
        position_error=epsilon,
        position_bound=position_bound(dataset.lengths, algorithm.alpha, gap),
        bound=_bounds(algorithm, dataset, epsilon, relevant),
    )


def exact_values(
    algorithm: "Approximation", dataset: RankingDataset, ranks: Floats
) -> Floats:
    """Return the exact values (q,) of an algorithm's measure at ranks (n,)."""
    measure = measures.parse(algorithm.measure(dataset))
    return measure(ranks, dataset.y, dataset.offsets)


def _bounds(
    algorithm: "Approximation",
    dataset: RankingDataset,
    epsilon: Floats,
    relevant: Integers,
) -> Floats:
    """Theorem 2 or 3 for each query that has relevant documents."""
    name = algorithm.measure(dataset)
    if name == "nDCG":
        bounds = [ndcg_bound(e) for e in epsilon]
    elif name == "AP":
        beta = algorithm.get_params()["beta"]
        bounds = [
            average_precision_bound(e, m, beta)
            for e, m in zip(epsilon, relevant, strict=True)
        ]
    else:
        bounds = [math.nan] * len(epsilon)
    return np.where(relevant > 0, bounds, math.nan)
