"""The mathematics of ConeRank: differences, folding-in and the scoring direction."""

import itertools
from typing import NamedTuple

import numpy as np

from rankcore.algorithms.parts.content_order import content_order
from rankcore.algorithms.parts.scales import graded_queries, widest_ranges
from rankcore.base.cancellation import cancel_point
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.products import combination, product
from rankcore.mathematics.small_matrices import solution

RULES = ("exact", "eg", "eg_approx", "sg")
FOLDING_TOLERANCE = 1e-12
_SWEEPS = 3
# Binary places that are kept of a fractional label.
_DIGITS = 40
# A chunk takes some hundredths of a second, with ten vectors up to a second, so that
# cancelling is prompt. Each piece of a query recomputes the projections of its
# documents.
_PAIRS_PER_CHUNK = 50_000
_PAIRS_PER_PIECE = 1_000_000


class Differences:
    """The differences of ordered pairs of documents of a data set, never formed.

    Parameters
    ----------
    standardise : bool
        Whether features are divided by their standard deviations.
    alpha, rho : float
        The normalisation rho z / (alpha + ||z||).
    weighted : bool
        Whether a pair is weighted by its difference of labels, or counts once.

    Attributes
    ----------
    inverse : (d,) float64
        Factor of each feature; 0 for one that is constant within every query that has
        pairs.
    n_pairs : (q,) int64
        Number of pairs of each query.
    queries : (p,) int64
        The queries that have pairs.
    labels : (n,) int64
        Integer labels; the weight of a pair is `unit` times their difference.
    unit : float
        0 where pairs count once.
    """

    def __init__(
        self,
        dataset: RankingDataset,
        standardise: bool = True,
        alpha: float = 1.0,
        rho: float | None = None,
        weighted: bool = True,
    ) -> None:
        X = dataset.X
        self.dataset = dataset
        varies = widest_ranges(dataset, graded_queries(dataset)) > 0.0
        spread = _deviations(dataset) if standardise else np.ones(X.shape[1])
        varies &= spread > 0.0
        self.inverse = np.where(varies, 1.0 / np.where(varies, spread, 1.0), 0.0)
        self.n_pairs = ordered_pairs(dataset)
        self.queries = np.flatnonzero(self.n_pairs)
        self.alpha = alpha
        self.rho = np.sqrt(X.shape[1]) if rho is None else rho
        self.labels, self.unit = dataset.grades, 1.0 if weighted else 0.0
        if weighted and dataset.has_fractions:
            self.labels, self.unit = _multiples(dataset.y)

    @property
    def in_content_order(self) -> np.ndarray:
        """`queries` in an order that does not depend on the order of the rows."""
        return content_order(self.dataset).of(self.queries)

    def sample(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Normalised differences (count, d) of random pairs, queries equally likely."""
        dataset, rows = self.dataset, np.empty((count, self.dataset.n_features))
        by_query = content_order(dataset).by_query
        for i, q in enumerate(rng.choice(self.in_content_order, count)):
            members = by_query[dataset.query(q).slice]
            y = dataset.y[members]
            ends = np.cumsum(_worse(y))
            pick = rng.integers(ends[-1])
            better = np.searchsorted(ends, pick, side="right")
            worse = np.flatnonzero(y < y[better])[pick - ends[better]]
            rows[i] = (
                dataset.X[members[better]] - dataset.X[members[worse]]
            ) * self.inverse
        lengths = lengths_of(rows)[:, None]
        scale = self.alpha + lengths
        return rows * np.where(scale > 0.0, self.rho / np.where(scale, scale, 1.0), 0.0)


def ordered_pairs(dataset: RankingDataset) -> np.ndarray:
    """(q,) number of pairs of documents of different labels in each query."""
    lengths = dataset.lengths
    labels, label = np.unique(dataset.y, return_inverse=True)
    query = np.repeat(np.arange(len(lengths)), lengths)
    cells = np.bincount(
        query * len(labels) + label, minlength=len(lengths) * len(labels)
    )
    alike = (cells.reshape(len(lengths), -1) ** 2).sum(axis=1)
    return (lengths**2 - alike) // 2


def _multiples(labels: np.ndarray) -> tuple[np.ndarray, float]:
    """Return labels (n,) as whole multiples of a unit, a power of two, and that unit:
    kernels are compiled for whole labels."""
    exponent = int(np.frexp(labels.max())[1]) - _DIGITS
    multiples = np.rint(np.ldexp(labels, -exponent)).astype(np.int64)
    return multiples, float(np.ldexp(1.0, exponent))


def _worse(labels: np.ndarray) -> np.ndarray:
    """(n,) number of documents of smaller label than each document of a query."""
    return np.searchsorted(np.sort(labels), labels)


def _deviations(dataset: RankingDataset) -> np.ndarray:
    """Return the standard deviation of each feature, query by query to avoid a copy of
    the data."""
    mean = dataset.X.mean(axis=0)
    squares = np.zeros_like(mean)
    for query in map(dataset.query, range(dataset.n_queries)):
        squares += ((query.X - mean) ** 2).sum(axis=0)
    return np.sqrt(squares / dataset.n_documents)


class Folding(NamedTuple):
    """The method by which folding-in finds the weights of a pair.

    Attributes
    ----------
    rule : str
        One of `RULES`.
    low, high : float
        Bounds of the sum of weights.
    rate : float
        Step length of the rules that take steps; 0 for the longest step that never
        increases the distance.
    steps : int
        Number of steps.
    """

    rule: str = "exact"
    low: float = 1.0
    high: float = 1.0
    rate: float = 0.0
    steps: int = 50

    @property
    def numbers(self) -> tuple[float, ...]:
        """The rule as kernel arguments, with the tolerance."""
        low, high, rate = float(self.low), float(self.high), float(self.rate)
        return RULES.index(self.rule), low, high, rate, self.steps, FOLDING_TOLERANCE


class Folded(NamedTuple):
    """Statistics of all folded pairs, for (K, d) vectors.

    Attributes
    ----------
    risk : float
        Mean over queries of the mean weighted squared distance.
    energy : float
        The same mean of the squared lengths of the differences.
    weight_sum, active, gap : float
        Means over pairs of the sum of weights, of the number of weights above 0, and
        of a bound on the suboptimality of the squared distance for that sum.
    shortened : int
        Number of vectors that stochastic updates shortened to the maximum length.
    moment : (K, d) float64
        Mean of weight w z'.
    second : (K, K) float64
        Mean of weight w w'.
    basis : (K, d) float64
        The vectors after any stochastic updates.
    """

    risk: float
    energy: float
    weight_sum: float
    active: float
    gap: float
    shortened: int
    moment: np.ndarray
    second: np.ndarray
    basis: np.ndarray


def fold_in(
    differences: Differences,
    basis: np.ndarray,
    folding: Folding,
    *,
    order: np.ndarray | None = None,
    basis_rate: float = 0.0,
    cap: float = np.inf,
) -> Folded:
    """Fold in every pair for the vectors ``basis`` (K, d), in one pass over the data.

    With a ``basis_rate`` the vectors are updated after each query, in this ``order``.
    There are cancel points between chunks of queries and within long queries.
    """
    from rankcore._kernels.models.cone_pass import descend

    basis = np.array(basis, dtype=np.float64)
    order = differences.queries if order is None else order
    sums, moment, shortened = np.zeros(6), np.zeros_like(basis), 0
    second = np.zeros((len(basis), len(basis)))
    for chunk in _chunks(order, differences.n_pairs):
        pieces = _pieces(differences.dataset, chunk, differences.n_pairs)
        rate = float(basis_rate) if len(pieces) == 1 else 0.0
        chunk_moment, chunk_second = np.zeros_like(moment), np.zeros_like(second)
        for piece in pieces:
            cancel_point()
            statistics = _pass(differences, piece, basis, folding, rate, cap)
            sums += statistics[0]
            chunk_moment += statistics[1]
            chunk_second += statistics[2]
            shortened += statistics[3]
        if basis_rate > rate:
            shortened += descend(
                basis, chunk_moment, chunk_second, float(basis_rate), float(cap)
            )
        moment += chunk_moment
        second += chunk_second
    queries, n_pairs = max(len(order), 1), max(sums[5], 1.0)
    return Folded(
        risk=float(sums[0] / queries),
        energy=float(sums[1] / queries),
        weight_sum=float(sums[2] / n_pairs),
        active=float(sums[3] / n_pairs),
        gap=float(sums[4] / n_pairs),
        shortened=shortened,
        moment=moment / queries,
        second=(np.tril(second) + np.tril(second, -1).T) / queries,
        basis=basis,
    )


def _pass(
    differences: Differences,
    piece: np.ndarray,
    basis: np.ndarray,
    folding: Folding,
    rate: float,
    cap: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Fold in the pairs of some queries; with a rate, update the vectors after each.

    Returns
    -------
    sums, moment, second, shortened
        As in `cone_pass`.
    """
    from rankcore._kernels.models.cone_pass import cone_pass

    dataset = differences.dataset
    return cone_pass(
        dataset.X,
        differences.labels,
        dataset.offsets,
        piece,
        differences.n_pairs,
        differences.inverse,
        basis,
        float(differences.alpha),
        float(differences.rho),
        differences.unit,
        *folding.numbers,
        rate,
        float(cap),
    )


def folding_weights(
    gram: np.ndarray, products: np.ndarray, folding: Folding
) -> np.ndarray:
    """Fold in differences, given by their products with the vectors.

    Parameters
    ----------
    gram : (K, K) float64
        Products of the vectors with each other.
    products : (m, K) float64
        Products of each difference with the vectors.

    Returns
    -------
    (m, K) float64
        The weights of each difference.
    """
    from rankcore._kernels.models.folding_in import fold_all

    return fold_all(
        np.ascontiguousarray(gram),
        np.ascontiguousarray(products),
        *folding.numbers,
    )


def _chunks(order: np.ndarray, n_pairs: np.ndarray) -> list[np.ndarray]:
    """Split ``order`` into chunks of about `_PAIRS_PER_CHUNK` pairs; a query of more
    pairs than `_PAIRS_PER_PIECE` is a chunk of its own."""
    pairs = n_pairs[order]
    full = np.cumsum(pairs) // _PAIRS_PER_CHUNK
    alone = pairs > _PAIRS_PER_PIECE
    ends = (np.diff(full) > 0) | alone[1:] | alone[:-1]
    return np.split(order, np.flatnonzero(ends) + 1)


def _pieces(
    dataset: RankingDataset, queries: np.ndarray, n_pairs: np.ndarray
) -> list[np.ndarray]:
    """Return the arguments (p, 3) of `cone_pass` for a chunk: one piece, or several for
    a single query of many pairs, with cancel points between them."""
    if len(queries) != 1 or n_pairs[queries[0]] <= _PAIRS_PER_PIECE:
        begins, ends = dataset.offsets[queries], dataset.offsets[queries + 1]
        return [np.column_stack([queries, begins, ends])]
    rows = dataset.query(int(queries[0])).slice
    full = np.cumsum(_worse(dataset.y[rows])) // _PAIRS_PER_PIECE
    cuts = rows.start + np.flatnonzero(np.diff(full)) + 1
    bounds = [rows.start, *cuts.tolist(), rows.stop]
    return [np.array([[queries[0], *rows]]) for rows in itertools.pairwise(bounds)]


def scoring_direction(basis: np.ndarray) -> np.ndarray:
    r"""Return the direction :math:`a = (U^+)^\top \mathbf 1` that votes for a document.

    Parameters
    ----------
    basis : (d, K) float64

    Returns
    -------
    (d,) float64
        The shortest a whose products with the vectors are closest to 1.
    """
    gram = product(basis.T, basis)
    return combination(solution(gram, np.ones(len(gram))), basis.T)


def lengths_of(vectors: np.ndarray) -> np.ndarray:
    """Return the Euclidean lengths (K,) of vectors (K, d)."""
    return np.sqrt((vectors * vectors).sum(axis=1))


def project_to_norm_ball(basis: np.ndarray, cap: float) -> tuple[np.ndarray, int]:
    """Shorten vectors (K, d) to at most ``cap``; also return the number shortened."""
    lengths = lengths_of(basis)
    long = lengths > cap
    if not long.any():
        return basis, 0
    shrink = np.where(long, cap / np.where(long, lengths, 1.0), 1.0)
    return basis * shrink[:, None], int(long.sum())


def update_dictionary(folded: Folded, cap: float) -> tuple[np.ndarray, int]:
    """Minimise the risk over each vector in turn, with all weights held fixed.

    The risk is an isotropic quadratic in one vector, so the best vector within the cap
    is the projection of the unconstrained minimiser. Vectors that no pair uses are
    unchanged.

    Returns
    -------
    (K, d) float64
    int
        Number of vectors shortened to the cap.
    """
    basis = folded.basis.copy()
    shortened = 0
    for _ in range(_SWEEPS):
        shortened = 0
        for k, use in enumerate(np.diag(folded.second)):
            if use > 0.0:
                pull = folded.moment[k] - combination(folded.second[k], basis)
                atoms, cut = project_to_norm_ball((basis[k] + pull / use)[None], cap)
                basis[k] = atoms[0]
                shortened += cut
    return basis, shortened
