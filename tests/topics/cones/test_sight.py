"""What pictures of cones are drawn from, and the claims that they put to the test."""

import numpy as np
import pytest

from rankcore.algorithms.cone_rank import ConeRank
from rankcore.algorithms.parts.cones import Differences
from rankcore.data.catalogue import load_dataset
from rankcore.data.dataset import RankingDataset
from rankcore.topics.cones import claims
from rankcore.topics.cones import sight as insight
from rankcore.topics.cones.cone import energy_spectrum

DIAGONAL = np.diag([2.0, 1.0])
Z = np.array([1.0, 0.2])


@pytest.mark.parametrize("rate", [0.1, 0.01, 0.001])
def test_clipping_rests_beside_the_best_weights_whatever_the_step(rate):
    paths = claims.folding_paths(DIAGONAL, Z, rate)
    assert paths["exact"].weights[-1] == pytest.approx([0.56, 0.44])
    assert paths["exact"].values[-1] == pytest.approx(0.072)
    assert paths["eg"].weights[-1] == pytest.approx([0.56, 0.44], abs=1e-6)
    assert paths["eg"].slopes == pytest.approx([0.48, 0.48], abs=1e-5)
    assert paths["sg"].weights[-1] == pytest.approx([0.576073, 0.423927], abs=1e-6)
    assert paths["sg"].values[-1] == pytest.approx(0.073292, abs=1e-6)
    weights, slopes = paths["sg"].weights[-1], paths["sg"].slopes
    # At rest w - mu g is a multiple of w, so that slopes are equal across weights.
    assert slopes[0] / weights[0] == pytest.approx(slopes[1] / weights[1], rel=1e-3)
    assert abs(slopes[0] - slopes[1]) > 0.1


def test_the_segment_is_lowest_at_the_exact_weights():
    first, values = claims.along_segment(DIAGONAL, Z)
    assert first[np.argmin(values)] == pytest.approx(0.56, abs=1e-3)
    assert values.min() == pytest.approx(0.072, abs=1e-6)


def test_pair_sums_are_differences_of_scores():
    rng = np.random.default_rng(0)
    basis, X = rng.normal(size=(3, 2)), rng.normal(size=(5, 3))
    scores = claims.order(basis, X).scores
    for i, j, total in claims.pair_sums(basis, X):
        assert total == pytest.approx(scores[i] - scores[j])


@pytest.mark.parametrize(("k", "flat"), [(1, True), (2, True), (3, False)])
def test_a_point_leaves_a_flat_cone_both_ways(k, flat):
    basis = np.array([[1.0, 0.2, 0.1], [0.0, 1.0, 0.3], [0.1, 0.0, 1.0]])[:, :k]
    interior = claims.interior(basis, step=0.05)
    assert basis.sum(axis=1) == pytest.approx(interior.inside)
    expected = 0.05 if flat else 0.0
    assert interior.distances == pytest.approx((expected, expected), abs=1e-9)


@pytest.mark.parametrize(
    ("basis", "share"),
    [
        ([[1.0], [0.0]], 0.0),
        ([[1.0, 0.0], [0.0, 1.0]], 0.5),
        ([[1.0, -1.0, 0.0], [0.0, 0.0, 1.0]], 1.0),
        ([[1.0, -1.0, 0.0], [0.0, 0.3, -1.0]], 2.0),
        (np.eye(3), 0.25),
        (np.eye(3)[:, :2], 0.0),
        (np.hstack([np.eye(3), -np.eye(3)]), 2.0),
    ],
)
def test_the_opening_is_the_share_of_a_half_space(basis, share):
    assert insight.opening(basis) == pytest.approx(share, abs=0.01)


def test_the_hull_of_points_in_the_plane():
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0.4, 0.5]], dtype=float)
    around = insight.hull(corners)
    assert sorted(around) == [0, 1, 2, 3]
    assert len(insight.hull(corners[:2])) == 2
    assert len(insight.hull(corners[:1])) == 1


@pytest.mark.parametrize(
    ("corners", "area", "n_edges"),
    [
        (np.zeros((2, 3)), 0.0, 1),
        ([[0, 0, 1], [0, 0, 3], [0, 0, 2]], 0.0, 1),
        (np.eye(3), np.sqrt(3) / 2, 3),
        ([[1, 0, 1], [0, 1, 1], [2, 0, 2], [0, 2, 2]], 1.5 * np.sqrt(3), 4),
        ([*np.ndindex(2, 2, 2), (0.5, 0.5, 0.5)], 6.0, 12),
        (np.vstack([np.eye(3), 2 * np.eye(3)]), 2.5 * np.sqrt(3) + 4.5, 9),
    ],
)
def test_the_surface_of_points_in_space(corners, area, n_edges):
    corners = np.asarray(corners, dtype=float)
    surface = insight.surface(corners)
    one, other, third = (corners[surface.triangles[:, i]] for i in range(3))
    doubled = np.linalg.norm(np.cross(other - one, third - one), axis=1)
    assert doubled.sum() / 2 == pytest.approx(area)
    assert len(surface.edges) == n_edges
    lengths = np.linalg.norm(np.diff(corners[surface.edges], axis=1), axis=2)
    if n_edges == 1:
        assert lengths.max() == np.ptp(corners, axis=0).max()
    else:
        assert len(np.unique(np.sort(surface.edges), axis=0)) == n_edges


def test_points_are_all_ordered_pairs_and_shorter_than_rho():
    dataset = load_dataset("toy-2d").train
    points = insight.points(dataset, alpha=1.0, rho=2.0)
    assert len(points.z) == insight.toy_scene(dataset).n_pairs
    raw = dataset.X[points.better] - dataset.X[points.worse]
    lengths = np.linalg.norm(raw, axis=1, keepdims=True)
    assert points.z == pytest.approx(2.0 * raw / (1.0 + lengths))
    assert (np.linalg.norm(points.z, axis=1) < 2.0).all()
    assert (points.gaps == dataset.y[points.better] - dataset.y[points.worse]).all()
    assert (points.gaps > 0).all()


def test_a_sample_draws_queries_alike_and_keeps_pairs_in_order():
    dataset = load_dataset("planted").train
    axes = insight.feature_axes(dataset, [3, 8])
    scene = insight.scene(dataset, axes, ["a", "b"], most=200, seed=1)
    assert scene.sampled
    assert scene.dataset.n_queries == 200
    points = insight.points(scene.dataset)
    assert len(points.z) == 200
    again = insight.scene(dataset, axes, ["a", "b"], most=200, seed=1)
    assert (again.dataset.X == scene.dataset.X).all()


def test_principal_axes_hold_the_spectrum_and_point_to_better_documents():
    dataset = load_dataset("toy-3d").train
    energy = energy_spectrum(Differences(dataset))
    axes = insight.principal_axes(dataset, energy, 2)
    inverse = Differences(dataset).inverse
    assert np.abs(axes) == pytest.approx(
        np.abs(inverse[:, None] * energy.directions[:, :2])
    )
    z = insight.points(dataset, 0.0).z
    raw = np.array(z) @ axes
    assert raw.mean(axis=0)[0] > 0


def test_training_is_that_of_the_algorithm():
    scene = insight.toy_scene(load_dataset("toy-2d").train, noise=0.2, seed=3)
    cone = ConeRank(n_basis=2, standardise="no", random_state=5)
    passes = insight.train(scene.dataset, cone, passes=4)
    steps = cone.steps(scene.dataset, np.random.default_rng(5))
    for one, step in zip(passes, steps, strict=False):
        assert one.objective == step.objective
        assert (one.basis == step.state["basis"]).all()
    objectives = [one.objective for one in passes]
    assert (np.diff(objectives) <= 1e-12).all()


def test_a_look_counts_pairs_in_order_and_inside():
    z = np.array([[1.0, 1.0], [1.0, -0.5], [-1.0, -1.0]])
    view = insight.look(np.eye(2), z)
    assert view.direction == pytest.approx([1.0, 1.0])
    assert view.right.tolist() == [True, True, False]
    assert view.inside.tolist() == [True, False, False]
    assert view.folds.weights.sum(axis=1) == pytest.approx([1.0, 1.0, 1.0])


@pytest.mark.parametrize(
    ("z", "low", "high", "loss"),
    [
        ([2.0, 0.0], 1.0, 1.0, 1.0),
        ([2.0, 0.0], 1.0, 2.0, 0.0),
        ([0.25, 0.25], 1.0, 1.0, 0.125),
    ],
)
def test_the_limits_of_the_sum_of_weights(z, low, high, loss):
    view = insight.look(np.eye(2), np.array([z]), low, high)
    assert view.inside.all()
    assert view.folds.distances[0] ** 2 == pytest.approx(loss)


def test_rank_svm_s_half_space_orders_what_can_be_ordered():
    X = np.array([[2.0, 0.1], [1.0, -0.1], [0.0, 0.3], [1.5, 1.0], [0.5, 0.9]])
    dataset = RankingDataset.from_arrays(X, [2, 1, 0, 1, 0], [1, 1, 1, 2, 2])
    w = insight.svm_direction(dataset)
    assert np.linalg.norm(w) == pytest.approx(1.0)
    assert (insight.points(dataset).z @ w > 0.0).all()


def test_angles_and_outliers():
    assert insight.angle(np.array([1.0, 0.0]), np.array([0.0, 2.0])) == 90.0
    assert insight.angle(np.zeros(2), np.ones(2)) == 0.0
    z = np.array([[1.0, 0.0], [-1.0, 0.2], [2.0, 0.0]])
    assert insight.outlier(z).tolist() == [-1.0, 0.2]


@pytest.mark.parametrize(
    ("normal", "count"), [((0, 0, 1), 4), ((1, 1, 1), 6), ((1, 0.2, 0.1), 4)]
)
def test_a_plane_is_cut_where_it_leaves_a_box(normal, count):
    ends = np.array([[-1.0, 1.0]] * 3)
    corners = insight.box_slice(np.array(normal, float), ends)
    assert len(corners) == count
    assert corners @ normal == pytest.approx(np.zeros(count), abs=1e-12)
    assert np.abs(corners).max(axis=1) == pytest.approx(np.ones(count))
    # Round the border: the turns from corner to corner all go the same way.
    sides = np.roll(corners, -1, axis=0) - corners
    turns = np.cross(sides, np.roll(sides, -1, axis=0)) @ normal
    assert (turns > 0).all() or (turns < 0).all()


def test_a_plane_through_the_corners_of_a_box_has_each_once():
    ends = np.array([[-1.0, 2.0], [-1.0, 2.0], [-1.0, 1.0]])
    corners = insight.box_slice(np.array([1.0, -1.0, 0.0]), ends)
    expected = {(-1, -1, -1), (-1, -1, 1), (2, 2, 1), (2, 2, -1)}
    assert {tuple(corner) for corner in corners.tolist()} == expected
    assert len(corners) == 4
