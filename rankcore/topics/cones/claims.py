"""Claims of the ConeRank paper, checked in numbers.

T. T. Tran, D.-S. Pham, "ConeRANK: Ranking as learning generalized inequalities",
arXiv:1206.4110, 2012. That votes and a linear score give the same order holds; that
clipping and rescaling projects does not, nor does it hold that a cone of few vectors is
proper, nor that its negative projects to zero.
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
        a, with which a document scores.
    scores : (n,) float64
    votes : (n,) int64
        Of Algorithm 2, pair by pair.
    by_score, by_votes : (n,) int64
        Documents from the first rank down; equal ones as they came.
    """

    direction: Floats
    scores: Floats
    votes: Integers
    by_score: Integers
    by_votes: Integers


def order(basis: ArrayLike, documents: ArrayLike) -> TwoOrders:
    """Documents (n, d) ordered by votes and by the linear score of a basis (d, K)."""
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
    """Return the number of random cones and lists that the two order differently."""
    rng = np.random.default_rng(0)
    differing = 0
    for _ in range(count):
        d, k, n = (int(rng.integers(*ends)) for ends in ((2, 7), (1, 9), (2, 9)))
        orders = order(standard_normal(rng, (d, k)), standard_normal(rng, (n, d)))
        differing += int((orders.by_score != orders.by_votes).any())
    return differing


def pair_sums(basis: ArrayLike, documents: ArrayLike) -> list[tuple[int, int, float]]:
    """Each pair of documents with the sum of its difference's free weights, whose sign
    is the vote."""
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
        Steps taken, rising, spread by their logarithms.
    weights : (t, K) float64
        After so many steps.
    values : (t,) float64
        Squared distances.
    slopes : (K,) float64
        Gradient by the weights at the end. Where weights are best, all that are above
        zero have the same.
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
    """Fold one difference in by several rules, from equal weights of sum 1.

    Parameters
    ----------
    basis : (d, K) float64
    z : (d,) float64
    rate : float
        The paper's mu, the length of a step along the gradient.
    rules : sequence of {"exact", "eg", "eg_approx", "sg"}
    most : int
        Steps at most.
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
    # A step in `fold` is along half the gradient.
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
    """Whether a cone has an inside.

    Attributes
    ----------
    inside : (d,) float64
        A point as deep in the cone as its vectors allow: their sum.
    across : (d,) float64
        The direction, of length 1, in which the cone is thinnest.
    distances : tuple of float
        From the cone to the point moved by ``step`` that way and the other.
    """

    inside: Floats
    across: Floats
    distances: tuple[float, float]
    step: float


def interior(basis: ArrayLike, step: float = 0.1) -> Interior:
    """Move a point of the cone a little to where the cone is thinnest.

    If both moved points are as far from the cone as they were moved, there is no
    inside, and the cone orders no pair in general position.
    """
    U = np.asarray(basis, dtype=np.float64)
    inside = U.sum(axis=1)
    across = eigenvectors(product(U, U.T))[1][-1]
    points = np.stack([inside + step * across, inside - step * across])
    there, back = fold(U, points).distances
    return Interior(inside, across, (float(there), float(back)), step)


def share_inside(basis: ArrayLike, differences: ArrayLike) -> float:
    """Share of differences (m, d) that lie in the cone."""
    return float(in_cone(basis, differences).mean())


class Negative(NamedTuple):
    """A difference that should project to zero, and what it does.

    Attributes
    ----------
    weights : (K,) float64
    projection : (d,) float64
    in_negative : bool
        Whether it lies in the negative of the cone.
    products : (K,) float64
        With the vectors; the projection is zero if and only if none is positive.
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
