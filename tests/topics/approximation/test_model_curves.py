"""Lines and circles of models: places, models, slopes, and curves beside steps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankcore import RankingDataset, load_dataset
from rankcore.algorithms.approx_ndcg import ApproxNDCG
from rankcore.algorithms.least_squares import LeastSquares
from rankcore.topics.approximation import directions, landscape
from rankcore.topics.approximation.landscape import Profile
from rankcore.topics.approximation.model_curves import (
    CIRCLE,
    LINE,
    ZERO,
    beside_exact,
    end_model,
    feature_ground,
    linear_algorithms,
    model_ground,
)
from rankcore.topics.approximation.scenes import CurveScene, SphereScene

CURVES = pytest.mark.parametrize("curve", [LINE, CIRCLE], ids=["line", "circle"])
lengths = st.floats(1e-3, 1e3)


@pytest.fixture(scope="module")
def train():
    return load_dataset("toy-2d").train


@pytest.fixture(scope="module")
def ground(train):
    return feature_ground(train, [0, 1], 6, 800)


@CURVES
@settings(deadline=None)
@given(share=st.floats(0.0, 1.0, exclude_max=True), length=lengths)
def test_models_are_found_again_at_their_places_whatever_their_length(
    curve, share, length
):
    place = curve.low + share * (curve.high - curve.low)
    (result,) = curve.places(length * curve.models([place]))

    apart = abs(result - place)
    assert min(apart, curve.high - curve.low - apart if curve.closed else apart) < 1e-8


def test_a_model_that_points_away_from_the_line_has_no_place():
    np.testing.assert_array_equal(
        LINE.places([[-1.0, -1.0], [0.0, 0.0], [1.0, 1.0]]), [np.nan, np.nan, 0.5]
    )
    assert CIRCLE.places([[-1.0, 0.0], [0.0, -2.0]]).tolist() == [180.0, 270.0]


@CURVES
def test_the_tangent_is_the_derivative_of_the_model(curve):
    h = 1e-6
    for place in np.linspace(curve.low, curve.high, 7):
        ahead, behind = curve.models(place + h), curve.models(place - h)
        np.testing.assert_allclose(
            curve.tangent(place), (ahead - behind) / (2 * h), atol=1e-8
        )


@CURVES
@pytest.mark.parametrize("alpha", [3.0, 30.0])
def test_the_slope_is_the_derivative_of_the_smooth_measure(curve, alpha, ground):
    learner, h = ApproxNDCG(alpha=alpha), 1e-5
    scene = CurveScene(ground, "nDCG", ApproxNDCG(), curve)
    for place in curve.low + np.array([0.2, 0.5, 0.8]) * (curve.high - curve.low):
        ahead, behind = landscape.smooth_at(
            learner, ground, curve.models([place + h, place - h])
        )
        assert scene.slope(alpha, place) == pytest.approx(
            (ahead - behind) / (2 * h), rel=1e-4, abs=1e-7
        )


@pytest.mark.parametrize(
    ("curve", "place", "kept"),
    [
        (CIRCLE, 45.3, 45.5),
        (CIRCLE, -7.0, 0.0),
        (CIRCLE, 999.0, 360.0),
        (LINE, 0.123, 0.12),
        (LINE, 9.0, 1.25),
        (LINE, -9.0, -0.25),
    ],
)
def test_places_are_kept_within_the_curve_and_rounded(curve, place, kept):
    assert curve.nearest(place) == kept


def test_a_smooth_curve_is_compared_with_the_steps():
    """One step up at t = 0.5, and a tent above it with its top at t = 0.25."""
    steps = Profile(np.array([-0.25, 0.5, 1.25]), np.array([0.0, 1.0]))
    tent = 1.0 - np.abs(LINE.grid() - 0.25)
    exact = beside_exact(LINE, steps, tent)

    assert exact.peaks == 1
    assert exact.optima.smooth == pytest.approx(0.25)
    assert exact.optima.best - exact.optima.worth == 1.0
    assert exact.error == pytest.approx(np.abs(tent - steps.at(LINE.grid())).mean())
    assert exact.at(0.75) == pytest.approx(0.5)
    # The middles of the steps are t = 0.125 and t = 0.875.
    np.testing.assert_allclose(exact.within_steps(steps), [0.875, 0.375])


def test_grounds_are_the_first_queries_in_units_of_their_ranges(train):
    data = load_dataset("planted").train
    one = feature_ground(data, [4, 1], 3, 10_000)
    other = model_ground(data, np.eye(data.n_features)[[4, 1]], 3, 10_000)

    assert one.n_queries == 3
    assert one.feature_names == (data.feature_names[4], data.feature_names[1])
    assert other.feature_names == ("start", "end")
    np.testing.assert_array_equal(one.X, other.X)
    assert feature_ground(data, [0, 1], 3, 1).n_queries == 1


def test_the_ends_of_a_line_are_linear_models():
    algorithms = linear_algorithms()

    assert {"RSRank", "LeastSquares", "RankSVM"} <= set(algorithms)
    assert "RankBoost" not in algorithms


def test_a_smooth_sphere_is_the_smooth_measure_in_each_direction():
    data = load_dataset("toy-3d").train
    scene = SphereScene(data, "nDCG", ApproxNDCG())
    values, across = scene.surrogate(10.0, [-0.5, 0.7]), scene.sphere.longitudes

    assert values.shape == (2, len(across))
    models = [directions.on_sphere(across[5], 0.7)]
    (one,) = landscape.smooth_at(ApproxNDCG(alpha=10.0), data, models)
    assert values[1, 5] == pytest.approx(one)
    flat = RankingDataset.from_arrays(np.eye(2), [1, 0])
    with pytest.raises(ValueError, match="choose 3"):
        SphereScene(flat, "nDCG", ApproxNDCG()).surrogate(10.0, [0.7])


def test_a_model_at_the_end_of_a_line_is_trained(train):
    model = end_model("LeastSquares", train)
    assert model.tolist() == LeastSquares().fit_dataset(train).coef_.tolist()
    assert end_model(ZERO, train).tolist() == [0.0, 0.0]
