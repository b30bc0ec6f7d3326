"""Claims of the ConeRank paper, checked in numbers.

T. T. Tran, D.-S. Pham, "ConeRANK: Ranking as learning generalized inequalities",
arXiv:1206.4110, 2012. Votes and a linear score do give the same order. Clipping and
rescaling is not a projection, a cone of few vectors is not proper, and its negative
does not project to zero.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankcore.algorithms.parts.cones import scoring_direction
from rankcore.base.arrays import Floats, Integers
from rankcore.base.draws import standard_normal
from rankcore.mathematics.elementary import geomspace
from rankcore.mathematics.products import combination, product, times_vector
from rankcore.mathematics.small_matrices import eigenvectors, pseudo_inverse
from rankcore.topics.cones.cone import fold, in_cone, votes

MOST_STEPS = 100_000


class TwoOrders(NamedTuple):
    """The same documents ordered in two ways.

    Attributes
    ----------
    direction : (d,) float64
        The scoring direction a.
    scores : (n,) float64
    votes : (n,) int64
        Votes of Algorithm 2, pair by pair.
    by_score, by_votes : (n,) int64
        Documents from the first rank down; ties keep the input order.
    """

    direction: Floats
    scores: Floats
    votes: Integers
    by_score: Integers
    by_votes: Integers


def order(basis: ArrayLike, documents: ArrayLike) -> TwoOrders:
    """Order documents (n, d) by votes and by the linear score of a basis (d, K)."""
    U = np.asarray(basis, dtype=np.float64)
    X = np.asarray(documents, dtype=np.float64)
    direction = scoring_direction(U)
    scores, counted = times_vector(X, direction), votes(U, X)
    return TwoOrders(
        direction,
        scores,
        counted,
        np.argsort(-scores, kind="stable"),
        np.argsort(-counted, kind="stable"),
    )


def orders_that_differ(count: int) -> int:
    """Return the number of random cones and lists whose two orders differ."""
    rng = np.random.default_rng(0)
    differing = 0
    for _ in range(count):
        d, k, n = (int(rng.integers(*ends)) for ends in ((2, 7), (1, 9), (2, 9)))
        orders = order(standard_normal(rng, (d, k)), standard_normal(rng, (n, d)))
        differing += int((orders.by_score != orders.by_votes).any())
    return differing


def pair_sums(basis: ArrayLike, documents: ArrayLike) -> list[tuple[int, int, float]]:
    """Return each pair of documents with the sum of its difference's free weights,
    whose sign is the vote."""
    inverse = pseudo_inverse(np.asarray(basis, dtype=np.float64))
    X = np.asarray(documents, dtype=np.float64)
    return [
        (i, j, float(times_vector(inverse, X[i] - X[j]).sum()))
        for i, j in combinations(range(len(X)), 2)
    ]


class FoldingPath(NamedTuple):
    """The path of a folding-in rule.

    Attributes
    ----------
    steps : (t,) int64
        Rising numbers of steps, evenly spaced in their logarithms.
    weights : (t, K) float64
        Weights after these steps.
    values : (t,) float64
        Squared distances.
    slopes : (K,) float64
        Gradient with respect to the weights at the end. At the optimum, it is equal for
        all weights above zero.
    """

    steps: Integers
    weights: Floats
    values: Floats
    slopes: Floats


def folding_paths(
    basis: ArrayLike,
    z: ArrayLike,
    rate: float,
    rules: Sequence[str] = ("exact", "eg", "sg"),
    most: int = MOST_STEPS,
) -> dict[str, FoldingPath]:
    """Fold in one difference by several rules, from equal weights of sum 1.

    Parameters
    ----------
    basis : (d, K) float64
    z : (d,) float64
    rate : float
        The paper's mu, the length of a step along the gradient.
    rules : sequence of {"exact", "eg", "eg_approx", "sg"}
    most : int
        Maximum number of steps.
    """
    counts = np.unique(geomspace(1, most, 41).astype(np.int64))
    return {
        rule: _folding_path(
            basis, z, rule, rate, counts[-1:] if rule == "exact" else counts
        )
        for rule in rules
    }


def _folding_path(
    basis: ArrayLike, z: ArrayLike, rule: str, rate: float, counts: Integers
) -> FoldingPath:
    U = np.asarray(basis, dtype=np.float64)
    # A step in `fold` goes along half the gradient.
    points = [fold(U, z, 1.0, 1.0, rule, int(n), 2.0 * rate) for n in counts]
    weights = np.array([folds.weights[0] for folds in points])
    values = np.array([folds.distances[0] for folds in points]) ** 2
    return FoldingPath(
        counts, weights, values, -2.0 * combination(points[-1].residuals[0], U)
    )


def along_segment(basis: ArrayLike, z: ArrayLike) -> tuple[Floats, Floats]:
    """Return the squared distance for every weight of the first of two vectors, 0 to
    1."""
    U, target = (np.asarray(a, dtype=np.float64) for a in (basis, z))
    first = np.linspace(0.0, 1.0, 2001)
    rebuilt = product(np.stack([first, 1.0 - first], axis=1), U.T)
    return first, ((target - rebuilt) ** 2).sum(axis=1)


class Interior(NamedTuple):
    """A test whether a cone has an interior.

    Attributes
    ----------
    inside : (d,) float64
        A point deep in the cone: the sum of its vectors.
    across : (d,) float64
        The direction, of length 1, in which the cone is thinnest.
    distances : tuple of float
        Distances from the cone to the point moved by ``step`` in both directions.
    """

    inside: Floats
    across: Floats
    distances: tuple[float, float]
    step: float


def interior(basis: ArrayLike, step: float = 0.1) -> Interior:
    """Move a point of the cone a little in its thinnest direction.

    If both moved points are as far from the cone as they were moved, it has no
    interior, and the cone orders no pair in general position.
    """
    U = np.asarray(basis, dtype=np.float64)
    inside = U.sum(axis=1)
    across = eigenvectors(product(U, U.T))[1][-1]
    points = np.stack([inside + step * across, inside - step * across])
    there, back = fold(U, points).distances
    return Interior(inside, across, (float(there), float(back)), step)


def share_inside(basis: ArrayLike, differences: ArrayLike) -> float:
    """Return the share of differences (m, d) that lie in the cone."""
    return float(in_cone(basis, differences).mean())


class Negative(NamedTuple):
    """A difference that should project to zero, and its projection.

    Attributes
    ----------
    weights : (K,) float64
    projection : (d,) float64
    in_negative : bool
        Whether it lies in the negative of the cone.
    products : (K,) float64
        With the vectors; none is positive if and only if the projection is 0.
    """

    weights: Floats
    projection: Floats
    in_negative: bool
    products: Floats


def negative(basis: ArrayLike, z: ArrayLike) -> Negative:
    """Project a difference (d,) onto the cone of a basis (d, K)."""
    U, target = (np.asarray(a, dtype=np.float64) for a in (basis, z))
    folds = fold(U, target)
    return Negative(
        folds.weights[0],
        folds.projections[0],
        bool(in_cone(U, -target)[0]),
        combination(target, U),
    )
