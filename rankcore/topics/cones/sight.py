"""The numbers behind a picture of a cone in two or three dimensions.

A `ConeScene` holds documents in the axes of the picture; `train` returns the iterations
of a cone on them, and `look` gathers the visible parts of the cone after an iteration.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, islice, pairwise, product
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcore.algorithms.cone_rank import ConeRank
from rankcore.algorithms.parts.cones import Differences, scoring_direction
from rankcore.algorithms.rank_svm import RankSVM
from rankcore.base.arrays import Floats, Integers
from rankcore.base.draws import standard_normal
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics import products
from rankcore.mathematics.angles import arctan2, cos, sin
from rankcore.mathematics.small_matrices import singular_vectors
from rankcore.topics.cones.cone import (
    CapturedEnergy,
    Facet,
    Folds,
    extreme_rays,
    facets,
    fold,
    in_cone,
)
from rankcore.training import Stop, drive

MOST_PASSES = 30
_SVM_PASSES = 60
_DIRECTIONS = 1800
_PARTS = ("better", "worse")
_FLAT = 1e-9


class Surface(NamedTuple):
    """The triangles and edges of a convex hull in space.

    Attributes
    ----------
    triangles : (n, 3) int64
        Numbers of corners; empty if the hull is a line or a point.
    edges : (m, 2) int64
        Numbers of corners; for a point both are the same.
    """

    triangles: Integers
    edges: Integers


@dataclass(frozen=True)
class ConeScene:
    """Documents in the axes of a picture.

    Attributes
    ----------
    dataset : RankingDataset
        Two or three features, in units of their standard deviations; its feature names
        are those of the axes.
    n_pairs : int
        Ordered pairs of the whole data.
    sampled : bool
        Whether the pairs are a sample, in which each pair is a query.
    """

    dataset: RankingDataset
    n_pairs: int
    sampled: bool = False


class DifferencePoints(NamedTuple):
    """The differences of ordered pairs of documents.

    Attributes
    ----------
    z : (m, d) float64
        Normalised, shorter than rho.
    gaps : (m,) int64
        Differences of the two labels.
    better, worse : (m,) int64
        Rows of the data set.
    """

    z: Floats
    gaps: Integers
    better: Integers
    worse: Integers


@lru_cache(maxsize=32)
def toy_scene(dataset: RankingDataset, noise: float = 0.0, seed: int = 0) -> ConeScene:
    """Return a small data set in units of its standard deviations, plus noise of that
    size."""
    axes = np.diag(Differences(dataset).inverse)
    X = products.product(dataset.X, axes)
    X = X + noise * standard_normal(np.random.default_rng(seed), X.shape)
    return ConeScene(_in_axes(dataset, X, dataset.feature_names), _count(dataset))


def feature_axes(dataset: RankingDataset, features: Sequence[int]) -> Floats:
    """Axes (d, k) along features, in units of their standard deviations."""
    return np.diag(Differences(dataset).inverse)[:, list(features)]


def principal_axes(dataset: RankingDataset, energy: CapturedEnergy, k: int) -> Floats:
    """Return axes (d, k) along the directions in which differences are longest.

    Each points towards better documents, summed over all pairs.
    """
    axes = Differences(dataset).inverse[:, None] * energy.directions[:, :k]
    return axes * np.where(
        products.combination(_mean_lead(dataset), axes) < 0.0, -1.0, 1.0
    )


@lru_cache(maxsize=16)
def leading_features(dataset: RankingDataset, k: int) -> tuple[int, ...]:
    """Return the features (columns) that differ most between better and worse
    documents."""
    lead = _mean_lead(dataset) * Differences(dataset).inverse
    return tuple(np.argsort(-np.abs(lead), kind="stable")[:k].tolist())


def outlier(z: Floats) -> Floats:
    """Return the difference (d,) with the largest angle to the mean difference."""
    return (
        z[int(np.argmin(products.times_vector(z, z.mean(axis=0))))]
        if len(z)
        else np.zeros(z.shape[1])
    )


def angle(a: Floats, b: Floats) -> float:
    """Return the angle between two directions in degrees; 0 if one of them is 0."""
    lengths = products.norm(a) * products.norm(b)
    if lengths == 0.0:
        return 0.0
    cosine = max(-1.0, min(products.dot(a, b) / lengths, 1.0))
    sine = math.sqrt((1.0 - cosine) * (1.0 + cosine))
    return float(np.degrees(arctan2(sine, cosine)))


def scene(
    dataset: RankingDataset,
    axes: Floats,
    names: Sequence[str],
    most: int = 400,
    seed: int = 0,
) -> ConeScene:
    """Return data along some axes, with a sample of its pairs if there are many.

    Parameters
    ----------
    axes : (d, k) float64
        From `feature_axes` or `principal_axes`.
    names : sequence of k str
        Distinct.
    most : int
        Maximum number of pairs. Beyond it, pairs are sampled with equal probability per
        query, as queries weigh the same in the objective.
    seed : int
        Seed of the sample.
    """
    n_pairs = _count(dataset)
    X = products.product(dataset.X, axes)
    if n_pairs <= most:
        return ConeScene(_in_axes(dataset, X, names), n_pairs)
    better, worse = _sample(dataset, most, np.random.default_rng(seed))
    rows = np.stack([better, worse], axis=1).ravel()
    sampled = RankingDataset.from_arrays(
        X[rows],
        dataset.y[rows],
        np.repeat(np.arange(most), 2),
        doc_ids=[f"{part} of pair {i}" for i in range(most) for part in _PARTS],
        feature_names=list(names),
        name=dataset.name,
    )
    return ConeScene(sampled, n_pairs, sampled=True)


@lru_cache(maxsize=32)
def points(
    dataset: RankingDataset, alpha: float = 1.0, rho: float | None = None
) -> DifferencePoints:
    """Return all differences of a small data set, normalised to rho z / (alpha + |z|).

    Parameters
    ----------
    dataset : RankingDataset
        In the units of the picture.
    alpha : float
        At least 0.
    rho : float, optional
        By default the square root of the number of features.
    """
    pieces = [
        np.argwhere(query.y[:, None] > query.y) + query.slice.start
        for query in map(dataset.query, range(dataset.n_queries))
    ]
    better, worse = np.concatenate(pieces).T
    z = dataset.X[better] - dataset.X[worse]
    d = dataset.n_features
    lengths = alpha + np.sqrt((z**2).sum(axis=1, keepdims=True))
    scale = (np.sqrt(d) if rho is None else rho) / np.where(lengths, lengths, 1.0)
    return DifferencePoints(
        z * scale, dataset.y[better] - dataset.y[worse], better, worse
    )


class Pass(NamedTuple):
    """A cone after an iteration of training.

    Attributes
    ----------
    basis : (d, K) float64
    captured : float
        Share of the differences' energy.
    """

    basis: Floats
    objective: float
    captured: float


def train(
    dataset: RankingDataset, algorithm: ConeRank, passes: int = MOST_PASSES
) -> list[Pass]:
    """Train; return the start and all iterations, at most ``passes``.

    Parameters
    ----------
    algorithm : ConeRank
        Its ``random_state`` determines the start.

    Returns
    -------
    list of Pass
        At least the start.
    """
    rng = np.random.default_rng(algorithm.random_state)
    return [
        Pass(
            np.asarray(step.state["basis"]),
            step.objective,
            step.diagnostics.get("energy captured", 0.0),
        )
        for step in islice(algorithm.steps(dataset, rng), passes + 1)
    ]


class VisibleCone(NamedTuple):
    """The visible parts of a cone among differences.

    Attributes
    ----------
    basis : (d, K) float64
    folds : Folds
        The differences folded in, within the limits of the sum of weights.
    inside : (m,) bool
        Whether each difference lies in the cone, ignoring the weight constraint.
    direction : (d,) float64
        The scoring direction a.
    right : (m,) bool
        Whether that direction orders each pair correctly.
    rays : (r,) int64
        Numbers of the vectors that are edges.
    opening : float
        The cone's share of a half-space: 0 if flat, 2 for the whole space.
    """

    basis: Floats
    folds: Folds
    inside: NDArray[np.bool_]
    direction: Floats
    right: NDArray[np.bool_]
    rays: Integers
    sides: list[Facet]
    opening: float

    @property
    def opening_in_words(self) -> str:
        """The opening in words: the whole plane, a half-space, or no interior."""
        if self.opening > 1.99:
            return f"covers the whole {'plane' if len(self.basis) == 2 else 'space'}"
        return "1 is a half-space" if self.opening else "flat, no interior"


def look(
    basis: ArrayLike, z: Floats, low: float = 1.0, high: float = 1.0
) -> VisibleCone:
    """Gather the visible parts of a cone.

    Parameters
    ----------
    basis : (2, K) or (3, K) float64
    z : (m, d) float64
        Normalised differences.
    low, high : float
        Limits of the sum of weights; ``high`` may be infinite.
    """
    U = np.asarray(basis, dtype=np.float64)
    direction = scoring_direction(U)
    return VisibleCone(
        basis=U,
        folds=fold(U, z, low, high),
        inside=in_cone(U, z),
        direction=direction,
        right=products.times_vector(z, direction) > 0.0,
        rays=extreme_rays(U),
        sides=facets(U),
        opening=opening(U),
    )


def opening(basis: ArrayLike) -> float:
    """Return a cone's share of a half-space in two or three dimensions.

    It counts evenly spread directions on the circle or the sphere, with an error of at
    most 0.005.

    Returns
    -------
    float
        0 for a cone without interior, 1 for a half-space, 2 for the whole space.
    """
    U = np.asarray(basis, dtype=np.float64)
    return 2.0 * float(in_cone(U, _all_around(U.shape[0])).mean())


@lru_cache(maxsize=2)
def _all_around(d: int) -> Floats:
    """Directions spread evenly: on the sphere, a Fibonacci lattice."""
    i = np.arange(_DIRECTIONS) + 0.5
    if d == 2:
        turn = 2.0 * np.pi * i / _DIRECTIONS
        return np.stack([cos(turn), sin(turn)], axis=1)
    height = 1.0 - 2.0 * i / _DIRECTIONS
    around, width = np.pi * (1.0 + 5.0**0.5) * i, np.sqrt(1.0 - height**2)
    return np.stack([cos(around) * width, sin(around) * width, height], axis=1)


@lru_cache(maxsize=64)
def svm_direction(dataset: RankingDataset) -> Floats:
    """Return the direction (d,) of RankSVM on the same documents: its half-space is the
    widest cone that can order pairs. It has length 1, or 0 if there is nothing to
    learn."""
    run = drive(RankSVM(), dataset, stop=Stop(max_iterations=_SVM_PASSES), measures=())
    w = np.asarray(list(run)[-1].coef, dtype=np.float64)
    length = products.norm(w)
    return w / length if length > 0.0 else w


def simplex(basis: ArrayLike, total: float) -> Floats:
    """Return the vertices (K, d) of {Bβ : β ≥ 0, Σβ = total}."""
    return total * np.asarray(basis, dtype=np.float64).T


def hull(corners: Floats) -> Integers:
    """Return the corners (numbers) around the convex hull of points in the plane, in
    order."""
    order = np.lexsort(corners.T[::-1])
    if len(np.unique(corners, axis=0)) < 3:
        return order[[0, -1]] if len(order) > 1 else order
    return np.array(
        [*_chain(corners, order)[:-1], *_chain(corners, order[::-1])[:-1]],
        dtype=np.int64,
    )


def _chain(corners: Floats, order: Integers) -> list[int]:
    """Half a hull, from the first to the last (A. M. Andrew's monotone chain)."""
    hull: list[int] = []
    for k in order:
        while len(hull) > 1 and _turn(*corners[[hull[-2], hull[-1], k]]) <= 0.0:
            hull.pop()
        hull.append(int(k))
    return hull


def surface(corners: Floats) -> Surface:
    """Return the convex hull of points (n, 3) in space, which may be flat or a line."""
    centred = corners - corners.mean(axis=0)
    lengths, axes = singular_vectors(centred)
    rank = int((lengths > _FLAT * max(lengths[0], 1.0)).sum())
    if rank < 2:
        along = products.times_vector(centred, axes[0])
        ends = np.array([[along.argmin(), along.argmax()]])
        return Surface(np.empty((0, 3), dtype=np.int64), ends)
    if rank == 2:
        ring = hull(products.product(centred, axes[:2].T))
        fan = [(ring[0], *side) for side in pairwise(ring[1:])]
        return Surface(np.array(fan), np.stack([ring, np.roll(ring, -1)], axis=1))
    return _solid(corners)


def box_slice(normal: Floats, ends: Floats) -> Floats:
    """Corners (n, 3), in order, of a plane through the origin within a box.

    Parameters
    ----------
    normal : (3,) float64
        The plane's normal; not 0.
    ends : (3, 2) float64
        The box from its least to its largest coordinates, with the origin inside.
    """
    corners = np.array(list(product(*ends)))
    sides = products.times_vector(corners, normal)
    cuts = [
        corners[i] + sides[i] / (sides[i] - sides[j]) * (corners[j] - corners[i])
        for i, j in combinations(range(8), 2)
        if (corners[i] != corners[j]).sum() == 1 and sides[i] * sides[j] < 0.0
    ]
    points = np.array([*cuts, *corners[sides == 0.0]])
    least = np.eye(3)[int(np.argmin(np.abs(normal)))]
    one = np.cross(normal, least) / products.norm(np.cross(normal, least))
    other = np.cross(normal, one) / products.norm(normal)
    flat = products.product(points - points.mean(axis=0), np.array([one, other]).T)
    return points[np.argsort(arctan2(flat[:, 1], flat[:, 0]), kind="stable")]


def _solid(corners: Floats) -> Surface:
    from scipy.spatial import ConvexHull

    hull = ConvexHull(corners)
    triangles = hull.simplices.astype(np.int64)
    # The line between two coplanar triangles is not an edge.
    normals = hull.equations[:, :3]
    edges = [
        np.delete(triangles[one], corner)
        for one, others in enumerate(hull.neighbors)
        for corner, other in enumerate(others)
        if one < other and products.dot(normals[one], normals[other]) < 1.0 - _FLAT
    ]
    return Surface(triangles, np.array(edges))


def _turn(a: Floats, b: Floats, c: Floats) -> float:
    one, other = b - a, c - a
    return float(one[0] * other[1] - one[1] * other[0])


def _in_axes(
    dataset: RankingDataset, X: Floats, names: Sequence[str]
) -> RankingDataset:
    queries = np.repeat(np.arange(dataset.n_queries), np.diff(dataset.offsets))
    return RankingDataset.from_arrays(
        X,
        dataset.y,
        np.array(dataset.query_ids, dtype=object)[queries],
        doc_ids=dataset.doc_ids,
        doc_texts=dataset.doc_texts,
        query_texts=dataset.query_texts,
        feature_names=list(names),
        name=dataset.name,
    )


def _count(dataset: RankingDataset) -> int:
    """Return the number of ordered pairs of a data set, from the labels' counts."""
    total = 0
    for query in map(dataset.query, range(dataset.n_queries)):
        counts = np.bincount(query.y)
        total += (len(query) ** 2 - int((counts**2).sum())) // 2
    return total


def _sample(
    dataset: RankingDataset, count: int, rng: np.random.Generator
) -> tuple[Integers, Integers]:
    """Return better and worse rows of random pairs, with queries equally likely."""
    graded = Differences(dataset).queries
    sample = np.sort(rng.choice(graded, count))
    pieces = []
    for q in np.unique(sample):
        query = dataset.query(q)
        pairs = np.argwhere(query.y[:, None] > query.y) + query.slice.start
        pieces.append(pairs[rng.integers(len(pairs), size=int((sample == q).sum()))])
    better, worse = np.concatenate(pieces).T
    return better, worse


def _mean_lead(dataset: RankingDataset) -> Floats:
    """Return the sum of features, weighted by labels minus their query's mean label."""
    lead = np.zeros(dataset.n_features)
    for query in map(dataset.query, range(dataset.n_queries)):
        lead += products.combination(query.y - query.y.mean(), query.X)
    return lead
