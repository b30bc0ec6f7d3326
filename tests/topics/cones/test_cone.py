"""The geometry of cones, with the statements of the paper that hold and do not."""

import numpy as np
import pytest
from scipy.optimize import nnls

from rankcore.algorithms.parts.cones import (
    Differences,
    Folding,
    fold_in,
    scoring_direction,
)
from rankcore.data.dataset import RankingDataset
from rankcore.topics.cones.cone import (
    energy_spectrum,
    extreme_rays,
    facets,
    fold,
    in_cone,
    project_onto_simplex,
    stability_bound,
    uniform_stability_risk,
    votes,
)

SLANTED = np.array([[1.0, -1.0], [0.0, 1.0]])


def pairs(dataset):
    differences = Differences(dataset)
    for query in map(dataset.query, range(dataset.n_queries)):
        for i, j in np.argwhere(query.y[:, None] > query.y):
            z = (query.X[i] - query.X[j]) * differences.inverse
            z *= np.sqrt(len(z)) / (1 + np.linalg.norm(z))
            n_pairs = (query.y[:, None] > query.y).sum()
            yield z, (query.y[i] - query.y[j]) / n_pairs


def small(queries=4, size=6, d=3):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(queries * size, d)), rng.integers(0, 3, queries * size)
    return RankingDataset.from_arrays(X, y, np.repeat(np.arange(queries), size))


@pytest.mark.parametrize("total", [1.0, 2.5])
def test_the_projection_onto_the_simplex_is_the_nearest_point(total):
    rng = np.random.default_rng(0)
    corners = total * np.eye(5)
    for v in rng.normal(size=(30, 5)):
        w = project_onto_simplex(v, total)
        assert w.min() >= 0
        assert w.sum() == pytest.approx(total)
        assert ((corners - w) @ (v - w)).max() <= 1e-12


def test_projections_onto_a_cone_agree_with_scipy():
    rng = np.random.default_rng(1)
    basis, Z = rng.normal(size=(5, 4)), rng.normal(size=(20, 5))
    folds = fold(basis, Z)
    for z, w, distance in zip(Z, folds.weights, folds.distances, strict=True):
        expected, residual = nnls(basis, z)
        assert w == pytest.approx(expected, abs=1e-9)
        assert distance == pytest.approx(residual)
    assert in_cone(basis, folds.projections).all()
    assert folds.projections + folds.residuals == pytest.approx(Z)


def test_the_negative_of_a_cone_need_not_project_to_zero():
    z = -SLANTED[:, 0]
    assert fold(SLANTED, z).projections[0] == pytest.approx([-0.5, 0.5])
    acute = np.abs(SLANTED)
    assert fold(acute, -acute[:, 0]).projections[0] == pytest.approx([0.0, 0.0])
    away = np.array([-1.0, -2.0])
    assert (SLANTED.T @ away <= 0).all()
    assert fold(SLANTED, away).projections[0] == pytest.approx([0.0, 0.0])


def test_a_cone_of_few_vectors_has_no_interior():
    rng = np.random.default_rng(2)
    basis = rng.random((5, 3))
    inside = basis @ np.ones(3)
    assert in_cone(basis, inside)[0]
    across = np.linalg.svd(basis)[0][:, -1]
    assert not in_cone(basis, inside + 1e-3 * across)[0]
    assert not in_cone(basis, inside - 1e-3 * across)[0]


def test_votes_sort_as_the_linear_form_does():
    rng = np.random.default_rng(3)
    for _ in range(60):
        d, k, n = rng.integers(2, 7), rng.integers(1, 6), rng.integers(2, 9)
        basis, X = rng.normal(size=(d, k)), rng.normal(size=(n, d))
        counts = votes(basis, X)
        assert sorted(counts) == list(range(n))
        scores = X @ scoring_direction(basis)
        np.testing.assert_array_equal(np.argsort(counts), np.argsort(scores))


def test_the_whole_cone_is_on_the_side_that_is_voted_for():
    rng = np.random.default_rng(4)
    basis = rng.normal(size=(5, 4))
    assert basis.T @ scoring_direction(basis) == pytest.approx(np.ones(4))


def test_theorem_2_holds_on_random_changes_of_the_basis():
    rng = np.random.default_rng(5)
    largest = 0.0
    for _ in range(150):
        d, k, high = rng.integers(2, 6), rng.integers(1, 5), rng.choice([1.0, 2.0])
        rho, cap = 2.0, 3.0
        U = rng.normal(size=(d, k))
        V = U + rng.choice([0.01, 0.3, 2.0]) * rng.normal(size=(d, k))
        U, V = (W * np.minimum(1, cap / np.linalg.norm(W, axis=0)) for W in (U, V))
        z = rng.normal(size=d)
        z *= rho * rng.random() / np.linalg.norm(z)
        losses = [fold(W, z, 1.0, high).distances[0] ** 2 for W in (U, V)]
        change = np.linalg.norm(U - V, 2)
        bound = stability_bound(change, k, rho, cap, high)
        assert abs(losses[0] - losses[1]) <= bound
        largest = max(largest, abs(losses[0] - losses[1]) / bound)
    assert largest > 0.05


@pytest.mark.parametrize(
    ("change", "bound"), [(0.01, 0.9937), (0.1, 9.9455), (1.0, 100.36)]
)
def test_theorem_2_at_the_paper_s_settings(change, bound):
    rho = np.sqrt(46)
    result = stability_bound(change, 10, rho, 2 * rho)
    assert result == pytest.approx(
        2 * change * (rho + np.sqrt(10) * 2 * rho) + change**2
    )
    assert result == pytest.approx(bound, rel=1e-4)


def test_theorem_1_says_little_for_a_change_of_a_hundredth():
    beta = stability_bound(0.01, 10, np.sqrt(46), 2 * np.sqrt(46))
    spread = np.sqrt(np.log(20) / (2 * 1017))
    assert 4 * 1017 * beta * spread == pytest.approx(155, abs=0.5)
    risk = uniform_stability_risk(8.0, beta, 1017, 414.0)
    assert risk == pytest.approx(8 + 2 * beta + (4 * 1017 * beta + 414) * spread)


def test_the_spectrum_is_that_of_the_second_moments():
    dataset = small()
    matrix = sum(w * np.outer(z, z) for z, w in pairs(dataset)) / 4
    spectrum = energy_spectrum(Differences(dataset))
    expected = np.sort(np.linalg.eigvalsh(matrix))[::-1]
    assert spectrum.eigenvalues == pytest.approx(expected)
    assert spectrum.subspace[-1] == pytest.approx(1.0)
    assert spectrum.subspace == pytest.approx(np.cumsum(expected) / expected.sum())


def test_no_cone_captures_more_than_the_subspace_of_as_many_dimensions():
    dataset = small()
    differences = Differences(dataset)
    best = energy_spectrum(differences).subspace
    rng = np.random.default_rng(7)
    for k in (1, 2, 3):
        basis = rng.normal(size=(3, k))
        folded = fold_in(differences, basis.T.copy(), Folding("exact", 0.0, np.inf))
        captured = 1 - folded.risk / folded.energy
        assert 0.0 <= captured <= best[k - 1] + 1e-12
        loss = sum(w * fold(basis, z).distances[0] ** 2 for z, w in pairs(dataset))
        energy = sum(w * (z @ z) for z, w in pairs(dataset))
        assert captured == pytest.approx(1 - loss / energy)


def test_edges_and_sides_of_a_cone_in_the_plane():
    basis = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 2.0]])
    assert extreme_rays(basis).tolist() == [0, 2]
    sides = facets(basis)
    assert {side.rays for side in sides} == {(0,), (2,)}
    assert {tuple(np.round(side.normal, 9) + 0.0) for side in sides} == {
        (0.0, 1.0),
        (1.0, 0.0),
    }


def test_edges_and_sides_of_a_cone_in_space():
    square = np.array([[1, 1, 0], [1, -1, 0], [-1, 1, 0], [-1, -1, 0], [0, 0, 0.5]]).T
    basis = square + np.array([[0.0], [0.0], [1.0]])
    assert extreme_rays(basis).tolist() == [0, 1, 2, 3]
    sides = facets(basis)
    assert {side.rays for side in sides} == {(0, 1), (0, 2), (1, 3), (2, 3)}
    for side in sides:
        assert (side.normal @ basis >= -1e-12).all()
    with pytest.raises(ValueError, match="2 or 3 dimensions"):
        facets(np.eye(4))


def test_a_cone_that_is_the_whole_plane_has_no_facets():
    assert facets(np.array([[1.0, -1.0, -1.0], [0.0, 1.0, -1.0]])) == []
