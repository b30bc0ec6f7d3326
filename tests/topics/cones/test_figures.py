"""Pictures of cones: valid figures that show the numbers they are given."""

import dataclasses

import numpy as np
import pytest

from rankcore.algorithms.cone_rank import ConeRank
from rankcore.algorithms.parts.cones import Differences
from rankcore.data.catalogue import load_dataset
from rankcore.plot.palette import LIGHT
from rankcore.topics.cones import cone_figure as plane
from rankcore.topics.cones import sight as insight
from rankcore.topics.cones.cone import energy_spectrum
from rankcore.topics.cones.cone_figure import vector_name
from rankcore.topics.cones.plane_figure import plane_figure
from rankcore.topics.cones.space_figure import (
    CAMERA,
    MOST_POINTS,
    box,
    inner_ticks,
    label,
    space_figure,
)
from rankcore.topics.cones.spectrum_figure import spectrum_figure
from rankcore.topics.cones.trained import TrainedCone, look, train_cone
from rankcore.topics.cones.training_figure import weights_figure

SYMBOLS = {"circle", "square", "diamond"}


def seen(name, k, high=1.0, low=1.0, svm=None):
    """Return a cone trained by default, looked at with other limits."""
    scene = insight.toy_scene(load_dataset(name).train)
    learner = ConeRank(n_basis=k, standardise="no")
    cone = train_cone(scene.dataset, learner)
    largest = None if high == np.inf else high
    limits = dataclasses.replace(learner, lambda_low=low, lambda_high=largest)
    cone = cone._replace(algorithm=limits)
    return look(scene, cone, len(cone.passes), cone.points.z[0], svm)


def traces(picture):
    return {trace["name"]: trace for trace in picture.data if "name" in trace}


@pytest.mark.parametrize("k", [1, 2, 3, 6])
@pytest.mark.parametrize("high", [1.0, 3.0, np.inf])
def test_a_plane_shows_every_difference_and_its_image(k, high):
    state = seen("toy-2d", k, high, svm=np.array([1.0, 0.5]))
    points, view = state.cone.points, state.view
    drawn = traces(plane_figure(state))
    for name, kind in (("in order", view.right), ("out of order", ~view.right)):
        assert drawn[name]["x"] == pytest.approx(points.z[kind, 0], abs=1e-6)
        assert drawn[name]["y"] == pytest.approx(points.z[kind, 1], abs=1e-6)
        rows = [plane.difference_at(view, name, i) for i in range(kind.sum())]
        assert rows == np.flatnonzero(kind).tolist()
    assert (
        drawn["in order"]["marker"]["color"].tolist()
        == points.gaps[view.right].tolist()
    )
    assert drawn["out of order"]["marker"]["symbol"] == "diamond"
    assert drawn["projections"]["x"] == pytest.approx(
        view.folds.projections[:, 0], abs=1e-6
    )
    assert drawn["z"]["meta"] == {"drag": "xy"}
    assert [drawn["z"]["x"][0], drawn["z"]["y"][0]] == list(state.z)
    assert drawn["generators"]["x"][1::3] == pytest.approx(view.basis[0])


def test_the_simplex_is_drawn_at_both_limits():
    state = seen("toy-2d", 2, low=0.5, high=2.0)
    drawn = traces(plane_figure(state))["simplex"]
    corners = {(round(x, 9), round(y, 9)) for x, y in zip(drawn["x"], drawn["y"])}  # noqa: B905
    expected = {
        (round(total * x, 9), round(total * y, 9))
        for total in (0.5, 2.0)
        for x, y in state.view.basis.T
    }
    assert corners == expected


def test_parts_that_are_not_asked_for_are_left_out():
    state = seen("toy-2d", 2, svm=np.array([1.0, 0.0]))
    picture = plane_figure(state, ("RankSVM",))
    assert not {"simplex", "residuals"} & set(traces(picture))
    assert len(picture.layout["shapes"]) == 1
    assert len(plane_figure(state).layout["shapes"]) == 3


@pytest.mark.parametrize("k", [1, 2, 3, 6])
@pytest.mark.parametrize("high", [1.0, 3.0])
def test_space_uses_only_marks_that_every_browser_draws(k, high):
    state = seen("toy-3d", k, high, svm=np.ones(3))
    picture = space_figure(state)
    for trace in picture.data:
        assert trace["x"].dtype == np.float32
        assert trace.get("marker", {}).get("symbol", "circle") in SYMBOLS
    drawn = traces(picture)
    assert len(drawn["in order"]["x"]) + len(drawn["out of order"]["x"]) == 75
    assert ("cone" in drawn) == (len(state.view.rays) > 0 and (k in (2, 3)))


# Six vectors lie all around, and so those of the smaller sum inside.
@pytest.mark.parametrize(("k", "n_used"), [(1, 2), (2, 4), (3, 6), (6, 6)])
def test_the_simplex_in_space_reaches_both_limits_and_stays_what_it_is(k, n_used):
    kinds, modes = [], []
    for high in (0.5, 2.0):
        state = seen("toy-3d", k, high, low=0.5)
        picture = space_figure(state)
        kinds.append([(trace["name"], trace["type"]) for trace in picture.data])
        modes.append(traces(picture)["simplex edges"]["mode"])
    assert kinds[0] == kinds[1]
    assert modes == ["markers" if k == 1 else "lines", "lines"]
    mesh, edges = (traces(picture)[name] for name in ("simplex", "simplex edges"))
    expected = np.vstack([0.5 * state.view.basis.T, 2.0 * state.view.basis.T])
    drawn = np.stack([mesh["x"], mesh["y"], mesh["z"]], axis=1)
    assert drawn == pytest.approx(expected, abs=1e-6)
    assert np.unique([mesh[c] for c in "ijk"]).size == (1 if k == 1 else n_used)
    assert np.unique(edges["x"][~np.isnan(edges["x"])]).size == n_used


def test_space_is_thinned():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(4000, 3))
    ones = np.ones(4000, dtype=np.int64)
    points = insight.DifferencePoints(z, ones, ones, ones)
    scene = insight.toy_scene(load_dataset("toy-3d").train)
    passes = (insight.Pass(np.eye(3), 0.0, 1.0),)
    cone = TrainedCone(ConeRank(n_basis=3), points, passes, np.ones(1))
    drawn = traces(space_figure(look(scene, cone, 0, z[0])))
    shown = len(drawn["in order"]["x"]) + len(drawn["out of order"]["x"])
    assert shown == MOST_POINTS
    assert len(drawn["projections"]["x"]) == MOST_POINTS


def test_weights_of_zero_are_hollow():
    picture = weights_figure(np.array([0.0, 0.7, 0.3]), np.array([-0.2, 0.9, 0.1]))
    picture.figure()
    bars, hollow, free = picture.data
    assert bars["y"].tolist() == [0.0, 0.7, 0.3]
    assert hollow["x"].tolist() == [0]
    assert free["y"].tolist()[::3] == [-0.2, 0.9, 0.1]


def test_lines_of_weights_stay_with_their_bars_and_leave_the_numbers_free():
    picture = weights_figure(np.full(6, 0.3), np.array([0.3, 0.31, 0.2, -0.1, 0.5, 0]))
    line = picture.data[2]
    assert np.nanmax(np.array(line["x"][1::3]) - line["x"][::3]) < 1.0
    axis = picture.layout["xaxis"]
    assert [*zip(axis["tickvals"], axis["ticktext"], strict=True)] == [
        (k, vector_name(k)) for k in range(6)
    ]
    numbers = picture.layout["annotations"]
    assert [number["text"] for number in numbers] == ["0.30"] * 6
    assert [number["y"] for number in numbers] == [0.3, 0.31, 0.3, 0.3, 0.3, 0.3]


def test_names_in_space_do_not_hide_each_other():
    """One vector is behind another, as the camera stands at first."""
    eye = np.array([*CAMERA["eye"].values()])
    at = np.array([-0.5 * eye, 0.05 * eye, [0.0, 1.0, 0.0]])
    labels = [label("u", point, "#0072B2", LIGHT) for point in at]
    ends = np.array([[-1.5, 1.5]] * 3)
    first, second, other = box(LIGHT, "abc", ends, labels)["scene"]["annotations"]
    assert abs(first["yshift"] - second["yshift"]) > 12
    assert other == labels[2]


def test_the_spectrum_lies_above_the_energy_of_subspaces():
    energy = energy_spectrum(Differences(load_dataset("toy-3d").train))
    picture = spectrum_figure(energy, at=2)
    picture.figure()
    drawn = traces(picture)
    assert drawn["eigenvalues"]["y"].tolist() == energy.eigenvalues.tolist()
    assert drawn["subspace"]["y"][-1] == pytest.approx(1.0)


def test_axes_hold_the_points_and_little_more():
    points = np.array([[1.0, 0.0, 0.1], [3.0, -0.5, 0.2]])
    ends = plane.limits(points)
    # A quarter of the furthest coordinate at least on both sides of the origin.
    assert (ends[:, 0] <= [-0.75, -0.75, -0.75]).all()
    assert (ends[:, 1] >= [3.0, 0.75, 0.75]).all()
    assert (np.ptp(ends, axis=1) <= [4.75, 2.5, 2.5]).all()
    # What is dragged beyond them lies on the border; the other ends stay.
    dragged = plane.limits(points, np.array([5.0, 0.0, -2.0]))
    assert dragged[0].tolist() == [ends[0, 0], 5.0]
    assert dragged[1].tolist() == ends[1].tolist()
    assert dragged[2].tolist() == [-2.0, ends[2, 1]]


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [(-1.3, 1.3, [-0.5, 0.0, 0.5]), (0.0, 2.0, [0.5, 1.0, 1.5]), (-120, 40, [-50, 0])],
)
def test_numbers_of_axes_in_space_do_not_meet_in_corners(low, high, ticks):
    assert inner_ticks(low, high) == pytest.approx(ticks)
    near = 0.14 * (high - low)
    assert low + near <= ticks[0] < ticks[-1] <= high - near


def test_rays_end_at_the_border():
    ends = np.array([[-1.0, 2.0], [-1.0, 4.0]])
    border = plane.to_border([[1.0, 1.0], [-2.0, 0.0], [0.0, 0.0]], ends)
    assert border.tolist() == [[2.0, 2.0], [-1.0, 0.0], [0.0, 0.0]]


def test_marks_nearer_to_the_camera_are_larger_and_stronger():
    drawn = traces(space_figure(seen("toy-3d", 3)))
    marks = drawn["in order"]
    at = np.stack([marks[axis] for axis in "xyz"], axis=1)
    eye = np.array([CAMERA["eye"][axis] for axis in "xyz"])
    order = np.argsort(at @ eye)
    assert (np.diff(np.asarray(marks["marker"]["size"])[order]) >= 0).all()
    assert marks["marker"]["size"].min() < marks["marker"]["size"].max()


def test_the_half_space_reaches_to_the_borders_of_the_picture():
    state = seen("toy-3d", 3)
    picture = space_figure(state)
    plane_drawn = traces(picture)["half-space"]
    corners = np.stack([plane_drawn[axis] for axis in "xyz"], axis=1)
    scene = picture.layout["scene"]
    ends = np.array([scene[f"{axis}axis"]["range"] for axis in "xyz"])
    at_border = np.isclose(corners[:, :, None], ends[None], atol=1e-5).any(axis=(1, 2))
    assert at_border.all()
    assert corners @ state.view.direction == pytest.approx(
        np.zeros(len(corners)), abs=1e-5
    )
