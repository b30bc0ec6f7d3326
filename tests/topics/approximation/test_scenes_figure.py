"""Pictures of scenes say what they show, and hold their numbers."""

from dataclasses import replace

import numpy as np
import pytest

from rankcore import load_dataset
from rankcore.algorithms.approx_ndcg import ApproxNDCG
from rankcore.topics.approximation.model_curves import CIRCLE, LINE, feature_ground
from rankcore.topics.approximation.scenes import CurveScene, SphereScene
from rankcore.topics.approximation.scenes_figure import (
    BANDS,
    MAP,
    SphereFigures,
    restart_gain_figure,
    restart_values_figure,
    scene_ring_figure,
    scene_steps_figure,
)
from tests.topics.approximation.test_landscape_figure import end_point


def scene(curve):
    ground = feature_ground(load_dataset("toy-2d").train, [0, 1], 6, 800)
    return CurveScene(ground, "nDCG", ApproxNDCG(), curve)


@pytest.fixture(scope="module")
def sphere():
    ground = feature_ground(load_dataset("toy-3d").train, [0, 1, 2], 6, 400)
    return SphereScene(ground, "nDCG", ApproxNDCG())


def point(start, coef, exact=0.5, alpha=10.0):
    start, coef = np.array(start, float), np.array(coef, float)
    return replace(end_point(alpha, exact), coef=coef, start=start)


def named(picture, name):
    return next((trace for trace in picture.data if trace["name"] == name), None)


def test_restarts_beyond_the_line_are_left_out():
    points = [point([1, 0], [1, 1], 0.75), point([1, 0], [-1, 3], 0.25)]
    picture = scene_steps_figure(scene(LINE), 10.0, [1.0], points=points)
    ends = named(picture, "end points")
    assert (list(ends["x"]), list(ends["y"])) == ([0.5], [0.75])
    round_it = scene_ring_figure(scene(CIRCLE), 10.0, points=points)
    degrees = named(round_it, "end points")["theta"]
    assert degrees == pytest.approx([45.0, 180.0 - np.degrees(np.arctan(3))])
    assert named(scene_steps_figure(scene(LINE), 10.0), "end points") is None


def test_pictures_of_a_curve_have_its_steps_as_a_table():
    result = scene(CIRCLE)
    picture = scene_steps_figure(result, 10.0, [1.0, 10.0])
    assert f"{len(result.profile.values)} steps" in picture.alt
    assert list(picture.numbers())[3:] == [
        "α = 1, in the middle",
        "α = 10, in the middle",
    ]
    ring = scene_ring_figure(result, 10.0, at=30.0)
    assert f"{result.profile.best:.3f}" in ring.alt
    assert ring.numbers()["nDCG"].tolist() == result.profile.values.tolist()


def test_pictures_of_a_sphere_share_one_scale_of_colours(sphere):
    figures = SphereFigures(sphere, [point([1] * 3, [0, 0, 1])])
    exact, surrogate = figures.map(), figures.map(10.0)
    globe = figures.globe(10.0)
    values = sphere.exact(MAP)
    for picture, low, high in (
        (exact, "zmin", "zmax"),
        (surrogate, "zmin", "zmax"),
        (globe, "cmin", "cmax"),
    ):
        colours = picture.data[0]
        assert (colours[low], colours[high]) == (values.min(), values.max())
    assert named(exact, "scores cross") is not None
    assert named(surrogate, "scores cross") is None
    assert named(globe, "end points")["z"] == pytest.approx([1.05])
    assert f"exact nDCG on the map is {values.max():.3f}" in exact.alt
    assert "surrogate nDCG" in surrogate.alt
    assert "text match, popularity, freshness" in globe.alt
    assert len(exact.numbers()["0°"]) == BANDS


def test_pictures_of_restarts_say_where_they_vary_and_gain_most():
    points = [
        point([1, 0], [1, 0], exact, alpha)
        for alpha, values in ((1.0, (0.5, 0.5)), (100.0, (0.2, 0.9)))
        for exact in values
    ]
    spread = restart_values_figure(points, "AP")
    assert "At α = 100 restarts end between 0.200 and 0.900" in spread.alt
    assert spread.numbers()["AP"] == [0.5, 0.5, 0.2, 0.9]
    gain = restart_gain_figure(points, "AP", 80.0)
    assert "of AP." in gain.alt
    assert gain.numbers()["restarts"].tolist() == [1, 2]
    assert gain.numbers()["α = 1"].tolist() == [0.5, 0.5]
