"""Cones trained on scenes: their passes, limits, and shares of pairs in order."""

import numpy as np
import pytest

from rankcore.algorithms.cone_rank import ConeRank
from rankcore.data.catalogue import load_dataset
from rankcore.topics.cones import sight as cone_view
from rankcore.topics.cones.cone import fold
from rankcore.topics.cones.trained import (
    difference_spectrum,
    feature_scene,
    principal_scene,
    train_cone,
    unconstrained_weights,
)


@pytest.fixture(scope="module")
def planted():
    return load_dataset("planted").train


@pytest.fixture(scope="module")
def toy():
    return cone_view.toy_scene(load_dataset("toy-2d").train, noise=0.3, seed=1).dataset


def cone(**values):
    return ConeRank(**values, standardise="no", random_state=0)


def test_scenes_are_seen_along_features_or_principal_directions(planted):
    chosen = feature_scene(planted, (4, 1), most=200)
    names = (planted.feature_names[4], planted.feature_names[1])
    assert chosen.dataset.feature_names == names
    assert chosen.sampled

    energy = difference_spectrum(planted)
    one = principal_scene(planted, 3, 200, seed=2)
    axes = cone_view.principal_axes(planted, energy, 3)
    names = [f"direction {i}" for i in (1, 2, 3)]
    other = cone_view.scene(planted, axes, names, 200, seed=2)
    assert one.dataset.feature_names == ("direction 1", "direction 2", "direction 3")
    np.testing.assert_array_equal(one.dataset.X, other.dataset.X)


def test_a_trained_cone_holds_the_passes_of_the_algorithm(toy):
    algorithm = cone(n_basis=3)
    result = train_cone(toy, algorithm)

    passes = cone_view.train(toy, algorithm)
    assert len(result.passes) == len(passes)
    np.testing.assert_array_equal(result.last, passes[-1].basis)
    for i in (0, -1):
        np.testing.assert_array_equal(result.view(i).basis, passes[i].basis)
        assert result.view(i).right.mean() == result.in_order[i]


@pytest.mark.parametrize(
    ("values", "limits"),
    [
        ({}, (1.0, 1.0)),
        ({"lambda_low": 0.0, "lambda_high": None}, (0.0, np.inf)),
        ({"lambda_low": 0.5, "lambda_high": 2.0}, (0.5, 2.0)),
    ],
)
def test_differences_are_folded_in_within_the_algorithm_s_limits(toy, values, limits):
    result = train_cone(toy, cone(n_basis=2, **values))
    z = np.array([0.4, -0.3])

    assert result.limits == limits
    assert result.fold(z, 1).weights.tolist() == (
        fold(result.passes[1].basis, z, *limits).weights.tolist()
    )
    sums = result.view().folds.weights.sum(axis=1)
    assert limits[0] - 1e-9 <= sums.min() <= sums.max() <= limits[1] + 1e-9


@pytest.mark.parametrize(("alpha", "rho"), [(1.0, "auto"), (0.5, 2.0)])
def test_differences_are_normalised_as_the_algorithm_does(toy, alpha, rho):
    result = train_cone(toy, cone(n_basis=2, alpha=alpha, rho=rho))
    raw = toy.X[result.points.better] - toy.X[result.points.worse]
    longest = np.sqrt(2.0) if rho == "auto" else rho

    lengths = np.linalg.norm(raw, axis=1, keepdims=True)
    np.testing.assert_allclose(result.points.z, longest * raw / (alpha + lengths))


def test_unconstrained_weights_vote_as_the_cone_s_direction_scores(toy):
    view = train_cone(toy, cone(n_basis=3)).view()
    z = np.array([0.7, -1.1])
    weights = unconstrained_weights(view.basis, z)

    np.testing.assert_allclose(view.basis @ weights, z)
    assert weights.sum() == pytest.approx(view.direction @ z)
