"""Agreement of the rankings of several models.

Kendall's tau-b is that of M. G. Kendall, "The treatment of ties in ranking problems",
1945; rank-biased overlap that of W. Webber, A. Moffat, J. Zobel, "A similarity measure
for indefinite rankings", TOIS 2010, equation 32: extrapolated from lists of equal
length.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankcore.base.arrays import Floats
from rankcore.mathematics.products import dot, product
from rankcore.measures import exact_ranks

PERSISTENCE = 0.9
CUTOFF = 10
# Longer lists are compared only by the first documents of the first model.
MOST_DOCUMENTS = 300
MOST_QUERIES = 200


class Agreement(NamedTuple):
    """Agreement of models, two by two, as means over queries.

    Attributes
    ----------
    tau : (k, k) float64
        Kendall's tau-b of the scores, −1 to 1; NaN where a model ties all documents of
        every query.
    overlap_biased : (k, k) float64
        Rank-biased overlap, 0 to 1.
    overlap : (k, k) float64
        Share of the first documents that two models have in common, 0 to 1.
    queries : int
        Number of queries of two or more documents; at most `MOST_QUERIES`.
    """

    tau: Floats
    overlap_biased: Floats
    overlap: Floats
    queries: int


def agreement(
    scores: Sequence[ArrayLike],
    offsets: ArrayLike,
    cutoff: int = CUTOFF,
    persistence: float = PERSISTENCE,
    weights: Floats | None = None,
) -> Agreement:
    """Compare the rankings of several models.

    Parameters
    ----------
    scores : sequence of k (n,) float64
        Scores of the same documents under each model; higher is better.
    offsets : (q + 1,) int64
        As in a `rankcore.data.dataset.RankingDataset`.
    cutoff : int
        At least 1.
    persistence : float
        A reader's probability to go on, for rank-biased overlap; 0 to 1.
    weights : (q,) float64, optional
        Weight of each query in the means, above 0; by default all weigh the same.
    """
    values = np.array([np.asarray(model, np.float64) for model in scores])
    bounds = np.asarray(offsets, np.int64)
    ranks = np.array([exact_ranks(model, bounds) for model in values])
    long = np.flatnonzero(np.diff(bounds) >= 2)
    if len(long) > MOST_QUERIES:
        long = long[np.linspace(0, len(long) - 1, MOST_QUERIES).round().astype(int)]
    k = len(values)
    agreements = np.full((3, max(len(long), 1), k, k), np.nan)
    for number, query in enumerate(long):
        rows = slice(bounds[query], bounds[query + 1])
        kinds = _of_query(values[:, rows], ranks[:, rows], cutoff, persistence)
        agreements[:, number] = kinds
    defined = ~np.isnan(agreements)
    if weights is not None:
        shares = (weights / weights.max())[long][:, None, None]
        agreements, defined = shares * agreements, shares * defined
    totals, counts = np.where(defined, agreements, 0.0).sum(axis=1), defined.sum(axis=1)
    means = np.where(counts > 0, totals / np.where(counts > 0, counts, 1), np.nan)
    tau, biased, overlap = means
    return Agreement(tau, biased, overlap, len(long))


def _of_query(scores: Floats, ranks: Floats, cutoff: int, p: float) -> list[Floats]:
    top = (ranks <= cutoff).astype(np.float64)
    return [
        _tau(scores[:, np.argsort(ranks[0], kind="stable")[:MOST_DOCUMENTS]]),
        _biased(ranks, p),
        product(top, top.T) / min(cutoff, scores.shape[1]),
    ]


def _tau(scores: Floats) -> Floats:
    """Kendall's tau-b (k, k)."""
    above, below = np.triu_indices(scores.shape[1], 1)
    signs = np.sign(scores[:, above] - scores[:, below])
    products = product(signs, signs.T)
    sizes = np.sqrt(np.diag(products))
    with np.errstate(invalid="ignore", divide="ignore"):
        return products / np.outer(sizes, sizes)


def _biased(ranks: ArrayLike, p: float) -> Floats:
    """Rank-biased overlap (k, k) from ranks (k, m), 1 = first."""
    places = np.asarray(ranks)
    k, m = places.shape
    depths, overlaps = np.arange(1, m + 1), np.ones((k, k))
    powers = np.cumprod(np.full(m, p))
    weights = powers * (1.0 - p) / p
    for i in range(k):
        for j in range(i):
            # From the lower of its two ranks on, a document is in both lists.
            later = np.maximum(places[i], places[j]).astype(np.int64)
            common = np.cumsum(np.bincount(later, minlength=m + 1)[1:])
            value = dot(common / depths, weights) + common[-1] / m * powers[-1]
            overlaps[i, j] = overlaps[j, i] = min(value, 1.0)
    return overlaps
