"""Synthetic data in the shape of OHSUMED, with a known true model."""

import numpy as np

from rankcore.base.arrays import Floats, Integers
from rankcore.base.draws import standard_normal
from rankcore.data.dataset import RankingDataset

N_QUERIES = 106
N_FEATURES = 45
MEAN_LENGTH = 152
LABEL_SHARES = (0.70, 0.16, 0.14)
TRUTH = {3: 1.0, 8: 0.8, 12: -0.6, 17: 0.7, 23: 0.5, 29: -0.4, 34: 0.6, 41: 0.3}
NOISE = 0.3
SEED = 20101


def planted_truth() -> Floats:
    """Return the weights that generated the labels of the planted data.

    Returns
    -------
    (45,) float64
        Eight are non-zero. Only their direction matters for a ranking.
    """
    weights = np.zeros(N_FEATURES)
    weights[list(TRUTH)] = list(TRUTH.values())
    return weights


def planted(
    seed: int = SEED,
    noise: float = NOISE,
    n_queries: int = N_QUERIES,
    mean_length: int = MEAN_LENGTH,
) -> RankingDataset:
    """Generate queries whose grades follow a sparse linear model plus noise.

    A document's utility is the dot product of its features with :func:`planted_truth`,
    plus a constant per query (some queries have many relevant documents, some hardly
    any), plus noise. Thresholds give the grades 0, 1 and 2 OHSUMED's shares of 70, 16
    and 14%.

    Parameters
    ----------
    seed : int
        The same number gives the same data.
    noise : float
        Standard deviation of the noise; with 0, labels are a function of the features
        within each query.
    n_queries : int
        At least 1.
    mean_length : int
        Documents per query, on average; at least 2.

    Returns
    -------
    RankingDataset
        Features lie in [0, 1] and fill that range in every query.
    """
    from rankcore._kernels.arithmetic.rows import score_all

    rng = np.random.default_rng(seed)
    lengths = _lengths(rng, n_queries, mean_length)
    query = np.repeat(np.arange(n_queries), lengths)
    features = RankingDataset.from_arrays(
        _correlated(rng, len(query)), np.zeros(len(query)), query + 1
    ).normalise("minmax")
    utility = score_all(features.X, planted_truth())
    utility += np.repeat(0.3 * standard_normal(rng, n_queries), lengths)
    utility += noise * standard_normal(rng, len(query))
    cuts = np.quantile(utility, np.cumsum(LABEL_SHARES)[:-1])
    return RankingDataset.from_arrays(
        features.X, np.searchsorted(cuts, utility), query + 1, name="planted"
    )


def _lengths(rng: np.random.Generator, n_queries: int, mean: int) -> Integers:
    """Draw list lengths with the spread of OHSUMED's."""
    from rankcore._kernels.arithmetic.elementary import exponentials

    factors = np.empty(n_queries)
    exponentials(0.4 * standard_normal(rng, n_queries) - 0.08, factors)
    lengths = mean * factors
    shortest, longest = max(1, min(20, mean // 3)), max(320, 2 * mean)
    return np.clip(np.rint(lengths), shortest, longest).astype(np.int64)


def _correlated(rng: np.random.Generator, n: int) -> Floats:
    """Draw features with a common factor, like retrieval scores of one text."""
    shared = standard_normal(rng, (n, 1))
    return 0.3 * shared + standard_normal(rng, (n, N_FEATURES))
