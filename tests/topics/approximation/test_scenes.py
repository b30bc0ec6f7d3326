"""Scenes of a landscape: what they compute once, and their tables."""

import numpy as np
import pytest

from rankcore import load_dataset, measures
from rankcore.algorithms.approx_ndcg import ApproxNDCG
from rankcore.topics.approximation import directions
from rankcore.topics.approximation.landscape import smooth_at
from rankcore.topics.approximation.model_curves import CIRCLE, LINE, feature_ground
from rankcore.topics.approximation.scenes import CurveScene, SphereScene


def curve_scene(curve=CIRCLE):
    ground = feature_ground(load_dataset("toy-2d").train, [0, 1], 6, 800)
    return CurveScene(ground, "nDCG", ApproxNDCG(alpha=7.0, random_state=3), curve)


def sphere_scene():
    ground = feature_ground(load_dataset("toy-3d").train, [0, 1, 2], 6, 400)
    return SphereScene(ground, "nDCG", ApproxNDCG(alpha=7.0))


def test_the_learner_of_a_sharpness_keeps_all_else():
    learner = curve_scene().learner_at(50.0)
    assert (learner.alpha, learner.random_state) == (50.0, 3)


@pytest.mark.parametrize("curve", [CIRCLE, LINE], ids=["circle", "line"])
def test_a_surrogate_has_the_sharpness_that_is_asked_for(curve):
    scene = curve_scene(curve)
    place = float(curve.grid()[100])
    model = curve.models([place])
    for alpha in (1.0, 300.0):
        (expected,) = smooth_at(ApproxNDCG(alpha=alpha), scene.ground, model)
        assert scene.surrogate(alpha).at(place) == pytest.approx(expected)
    assert scene.surrogate(300.0) is scene.surrogate(300.0)


def test_a_query_is_ranked_by_the_model_at_a_place():
    scene = curve_scene()
    result = scene.ranking(2, 75.0)
    scores = scene.ground.query(2).X @ CIRCLE.models(75.0)
    np.testing.assert_allclose(result.scores, np.sort(scores)[::-1])
    values = [scene.ranking(query, 75.0).value for query in range(6)]
    # The mean is over the queries with relevant documents.
    assert np.nanmean(values) == pytest.approx(float(scene.profile.at(75.0)))


def test_the_table_of_a_curve_has_a_row_for_each_step():
    scene = curve_scene()
    assert set(scene.table()) == {"from", "to", "nDCG"}
    table = scene.table([1.0, 10.0])
    middle = (table["from"] + table["to"]) / 2
    np.testing.assert_array_equal(scene.profile.at(middle), table["nDCG"])
    np.testing.assert_allclose(
        table["α = 10, in the middle"], scene.surrogate(10.0).at(middle)
    )


def test_a_sphere_has_the_measure_and_its_surrogate_in_every_direction():
    scene, latitudes = sphere_scene(), np.array([-0.4, 0.0, 1.2])
    assert scene.exact(latitudes).shape == (3, 90)
    table = scene.table(latitudes)
    models = directions.on_sphere(table["longitude"], table["latitude"])
    data, place = scene.ground, 200
    expected = measures.means(data, data.X @ models[place], "nDCG")["nDCG"]
    assert table["nDCG"][place] == pytest.approx(expected)
    surrogate = scene.surrogate(10.0, latitudes).ravel()
    smooth = smooth_at(ApproxNDCG(alpha=10.0), data, models[[0, place]])
    np.testing.assert_allclose(surrogate[[0, place]], smooth)
    assert len(scene.circles) == len(directions.great_circles(data))
