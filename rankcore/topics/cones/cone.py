"""The geometry of ConeRank: projections, energy, spectrum, bounds, pictures' numbers.

Vectors and differences are in the units ConeRank works in, standardised features by
default; a basis is a (d, K) array with one vector per column, like `ConeRank.basis_`.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcore.algorithms.parts.cones import Differences, Folding, folding_weights
from rankcore.base.arrays import Floats, Integers
from rankcore.mathematics.elementary import log
from rankcore.mathematics.products import combination, norm, product, times_vector
from rankcore.mathematics.small_matrices import eigenvectors, pseudo_inverse

_SAME = 1e-9


class Folds(NamedTuple):
    """Differences (m, d) folded in.

    Attributes
    ----------
    weights : (m, K) float64
    projections : (m, d) float64
        Weighted sums of the vectors.
    residuals : (m, d) float64
        Differences minus their projections.
    distances : (m,) float64
        Lengths of the residuals.
    """

    weights: Floats
    projections: Floats
    residuals: Floats
    distances: Floats


def fold(
    basis: ArrayLike,
    differences: ArrayLike,
    low: float = 0.0,
    high: float = np.inf,
    rule: str = "exact",
    steps: int = 50,
    rate: float = 0.0,
) -> Folds:
    """Find the weights of differences; by default project them onto the cone.

    Parameters
    ----------
    basis : (d, K) float64
    differences : (m, d) or (d,) float64
    low, high : float
        Limits of the sum of weights; both 1 is ConeRank's default.
    rule : {"exact", "eg", "eg_approx", "sg"}
        See `ConeRank`.
    steps : int
        Maximum number of gradient steps, for rules other than exact.
    rate : float
        Step length, times the factor 2 of the gradient; 0 selects the longest safe one.

    Raises
    ------
    ValueError
        If no sum of weights lies within the limits.
    """
    if not 0.0 <= low <= high or low == np.inf:
        raise ValueError(
            f"The sum of weights cannot lie between {low:g} and {high:g}; give a "
            "finite low of at least 0 and a high of at least low."
        )
    U = np.asarray(basis, dtype=np.float64)
    Z = np.atleast_2d(np.asarray(differences, dtype=np.float64))
    weights = folding_weights(
        product(U.T, U), product(Z, U), Folding(rule, low, high, rate, steps)
    )
    projections = product(weights, U.T)
    residuals = Z - projections
    return Folds(weights, projections, residuals, _lengths(residuals, 1))


def in_cone(basis: ArrayLike, points: ArrayLike) -> NDArray[np.bool_]:
    """Whether points (m, d) lie in the cone, to a billionth of their length."""
    Z = np.atleast_2d(np.asarray(points, dtype=np.float64))
    return fold(basis, Z).distances <= _SAME * (1.0 + _lengths(Z, 1))


def project_onto_simplex(point: ArrayLike, total: float = 1.0) -> Floats:
    """Return the nearest point (K,) without negative numbers whose sum is ``total``."""
    v = np.asarray(point, dtype=np.float64)
    falling = -np.sort(-v)
    shifts = (np.cumsum(falling) - total) / np.arange(1, len(v) + 1)
    last = np.flatnonzero(falling > shifts)[-1]
    return np.maximum(v - shifts[last], 0.0)


def votes(basis: ArrayLike, documents: ArrayLike) -> Integers:
    r"""Votes for each document of a query: Algorithm 2 of the paper, pair by pair.

    Each pair's difference is folded in without constraints, which gives :math:`U^+ z`,
    the shortest where there are several; a positive sum of these weights is a vote for
    the first document, otherwise for the second. Sorting by `scoring_direction` gives
    the same order in O(n d) instead of O(n^2 d K).

    Parameters
    ----------
    basis : (d, K) float64
    documents : (n, d) float64
        In the units of the basis.

    Returns
    -------
    (n,) int64
        For documents of different scores, a permutation of 0 … n - 1.
    """
    X = np.asarray(documents, dtype=np.float64)
    inverse = pseudo_inverse(np.asarray(basis, dtype=np.float64))
    counts = np.zeros(len(X), dtype=np.int64)
    for first, second in combinations(range(len(X)), 2):
        weights = times_vector(inverse, X[first] - X[second])
        counts[first if weights.sum() > 0.0 else second] += 1
    return counts


class CapturedEnergy(NamedTuple):
    """The share of the differences' energy that is explained.

    Attributes
    ----------
    n_vectors : (d,) int64
        1 … d.
    subspace : (d,) float64
        Share captured by the best linear subspace with this number of dimensions.
    eigenvalues : (d,) float64
        Eigenvalues of the uncentred second-moment matrix, descending.
    directions : (d, d) float64
        Its eigenvectors, one per column.
    """

    n_vectors: Integers
    subspace: Floats
    eigenvalues: Floats
    directions: Floats


def energy_spectrum(differences: Differences) -> CapturedEnergy:
    """Return the spectrum of the ordered differences, as in Fig. 4 of the paper.

    The second-moment matrix is the mean over queries of the weighted mean of z z' over
    their pairs; it is summed pair by pair, without storing pairs.
    """
    from rankcore._kernels.models.cone_pass import second_moment

    dataset = differences.dataset
    d = dataset.n_features
    if len(differences.queries):
        matrix = second_moment(
            dataset.X,
            dataset.y,
            dataset.offsets,
            differences.queries,
            differences.inverse,
            float(differences.alpha),
            float(differences.rho),
            differences.unit > 0.0,
        )
    else:
        matrix = np.zeros((d, d))
    falling, vectors = eigenvectors(matrix)
    eigenvalues = np.maximum(falling, 0.0)
    total = float(eigenvalues.sum())
    share = np.cumsum(eigenvalues) / total if total > 0.0 else np.zeros(d)
    return CapturedEnergy(np.arange(1, d + 1), share, eigenvalues, vectors.T)


def stability_bound(
    change: float, n_basis: int, rho: float, cap: float, high: float = 1.0
) -> float:
    r"""Theorem 2: bound on the change of a pair's loss with the basis.

    .. math::

        \beta \le 2 s \lambda_u (\rho + \sqrt K c \lambda_u) + s^2 \lambda_u^2

    It follows from (17) of the paper, where a parenthesis is misplaced, and holds for
    any two bases whose vectors are no longer than the cap.

    Parameters
    ----------
    change : float
        Spectral norm s of the change.
    n_basis : int
        K.
    rho : float
        Differences are shorter than this.
    cap : float
        No vector is longer than this.
    high : float
        The largest sum of weights.
    """
    reach = rho + np.sqrt(n_basis) * cap * high
    return float(2.0 * change * high * reach + (change * high) * (change * high))


def uniform_stability_risk(
    risk: float, beta: float, n_queries: int, largest_loss: float
) -> float:
    r"""Theorem 1: bound that the true risk exceeds with probability at most ε = 0.05.

    .. math::

        R \le \hat R + 2 \beta + (4 P \beta + \gamma) \sqrt{\ln(1/\varepsilon) / (2 P)}

    It is loose unless beta is of the order of 1 / P.

    Parameters
    ----------
    risk : float
        Training objective.
    beta : float
        Stability, for example from `stability_bound`.
    n_queries : int
        P.
    largest_loss : float
        Bound gamma on the loss.
    """
    spread = np.sqrt(float(log(1.0 / 0.05)) / (2.0 * n_queries))
    return float(risk + 2.0 * beta + (4.0 * n_queries * beta + largest_loss) * spread)


def extreme_rays(basis: ArrayLike) -> Integers:
    """Return the vectors (numbers from 0) outside the others' cone: the edges to
    draw."""
    U = np.asarray(basis, dtype=np.float64)
    lengths = _lengths(U, 0)
    unit = U / np.where(lengths > 0.0, lengths, 1.0)
    rays = [int(k) for k in np.flatnonzero(lengths > 0.0)]
    for k in tuple(rays):
        others = [i for i in rays if i != k]
        if others and in_cone(unit[:, others], unit[:, k])[0]:
            rays = others
    return np.array(rays, dtype=np.int64)


@dataclass(frozen=True)
class Facet:
    """A side of a cone in two or three dimensions.

    Attributes
    ----------
    rays : tuple of int
        The vectors that span it: one in the plane, two in space.
    normal : (d,) float64
        The normal of length 1, pointing into the cone.
    """

    rays: tuple[int, ...]
    normal: Floats


def facets(basis: ArrayLike) -> list[Facet]:
    """Return the sides of a cone in two or three dimensions.

    Parameters
    ----------
    basis : (2, K) or (3, K) float64

    Returns
    -------
    list of Facet
        Empty if the cone is the whole plane or space, or flat.

    Raises
    ------
    ValueError
        In other dimensions.
    """
    U = np.asarray(basis, dtype=np.float64)
    if U.shape[0] not in (2, 3):
        raise ValueError(
            f"The sides of a cone can be listed in 2 or 3 dimensions, and these "
            f"vectors have {U.shape[0]}; choose two or three features."
        )
    rays = extreme_rays(U)
    unit = U / np.maximum(_lengths(U, 0), np.finfo(float).tiny)
    planes = []
    for spanning in combinations(rays, U.shape[0] - 1):
        normal = _normal(unit[:, spanning])
        length = norm(normal)
        if length <= _SAME:
            continue
        side = combination(normal / length, unit[:, rays])
        for sign in (1.0, -1.0):
            if (sign * side >= -_SAME).all() and (sign * side > _SAME).any():
                numbers = tuple(int(k) for k in spanning)
                planes.append(Facet(numbers, sign * normal / length))
    return planes


def _normal(spanning: Floats) -> Floats:
    """Return a direction perpendicular to one vector in the plane, or two in space."""
    if spanning.shape[0] == 2:
        return np.array([-spanning[1, 0], spanning[0, 0]])
    return np.cross(spanning[:, 0], spanning[:, 1])


def _lengths(vectors: Floats, axis: int) -> Floats:
    return np.sqrt((vectors**2).sum(axis=axis))
