"""Pictures of landscapes show the numbers they are given, and Plotly knows them."""

import colorsys

import numpy as np
import pytest

from rankcore.plot.palette import DARK, LIGHT, contrast
from rankcore.studies.results import Cell
from rankcore.topics.approximation.end_points import EndPoint, outcomes
from rankcore.topics.approximation.end_points_figure import buying_figure, spread_figure
from rankcore.topics.approximation.landscape import Optima, Profile
from rankcore.topics.approximation.landscape_figure import (
    MOST_STEPS,
    SCALE,
    MarkedProfile,
    Marks,
    profile_figure,
)
from rankcore.topics.approximation.ring_figure import MOST_SECTORS, ring_figure, sectors
from rankcore.topics.approximation.sphere_figure import (
    MarkedSphere,
    circle_points,
    globe_figure,
    map_figure,
    map_latitudes,
    patch_latitudes,
)
from rankcore.topics.approximation.unrolled_figure import (
    TURNING,
    placed,
    unrolled_figure,
)

STEPS = Profile(np.array([0.0, 90.0, 225.0, 360.0]), np.array([0.5, 1.0, 0.25]))
GRID = np.linspace(0.0, 360.0, 9)
SMOOTH = {1.0: np.linspace(0.4, 0.6, 9), 10.0: np.linspace(0.3, 0.9, 9)}
MARKS = Marks(np.array([5.0, 300.0]), np.array([91.0, 92.0]), np.array([1.0, 1.0]))
TOPS = Optima(157.5, 1.0, 45.0, 0.6, 0.5, 45.0)
AXES = np.eye(3)


def named(picture, name):
    """The trace of that name."""
    return next(trace for trace in picture.data if trace["name"] == name)


PLAIN = MarkedProfile(STEPS, "nDCG")
MARKED = MarkedProfile(STEPS, "AP", at=30.0, marks=MARKS, tops=TOPS)


def curve(marked=PLAIN, **details):
    return profile_figure(marked, GRID, SMOOTH, 10.0, "direction", **details)


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_every_picture_is_one_that_plotly_knows(palette):
    values = np.linspace(0, 1, 20 * 36).reshape(20, 36)
    names = ("a feature of a very long name", "<b>", "c")
    points = [end_point(1.0, 0.5), end_point(1.0, 0.75), end_point(10.0, 0.25)]
    sphere = MarkedSphere(names, "AP", (0.0, 1.0), circles=AXES, ends=AXES)
    pictures = [
        curve(MARKED, ticks={0.0: "a", 90.0: "<i>"}, palette=palette),
        ring_figure(MARKED, names[:2], palette),
        globe_figure(values, sphere, palette),
        map_figure(values, sphere, palette),
        spread_figure(points, outcomes(points), "AP", palette),
        buying_figure(outcomes(points), "AP", 10.0, palette),
    ]

    for picture in pictures:
        text = picture.figure().to_json()
        assert "a feature of a very long name" not in text
        assert '"<b>"' not in text
        assert '"<i>"' not in text


def test_smooth_curves_have_names_at_their_ends_and_the_chosen_one_stands_out():
    picture = curve()

    assert named(picture, "α = 1")["y"].tolist() == SMOOTH[1.0].astype("f4").tolist()
    widths = {a: named(picture, f"α = {a}")["line"]["width"] for a in (1, 10)}
    assert widths[10] > 1.5 * widths[1]
    assert picture.data[-1]["name"] == "α = 10"
    texts = [note["text"] for note in picture.layout["annotations"]]
    assert texts == ["<b>exact</b>", "<b>α = 1</b>", "<b>α = 10</b>"]


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_the_settings_of_one_algorithm_are_steps_of_one_hue(palette):
    alphas = [1.0, 10.0, 50.0, 100.0, 300.0]
    points = [end_point(alpha, 0.5) for alpha in alphas]
    curves = [
        profile_figure(
            PLAIN, GRID, dict.fromkeys(alphas, SMOOTH[1.0]), 50.0, "t", palette=palette
        ),
        buying_figure(outcomes(points), "nDCG", 50.0, palette),
    ]
    for picture in curves:
        shades = [named(picture, f"α = {a:g}")["line"]["color"] for a in alphas]
        assert len(set(shades)) == len(alphas)
        apart = [contrast(shade, palette.background) for shade in shades]
        assert apart == sorted(apart)
        assert apart[0] > 2.0
        hues = [
            colorsys.rgb_to_hls(*(int(s[i : i + 2], 16) / 255 for i in (1, 3, 5)))[0]
            for s in shades
        ]
        assert max(hues) - min(hues) < 0.03
        ends = [note["text"] for note in picture.layout["annotations"]]
        assert [end for end in ends if "α" in end] == [
            f"<b>α = {a:g}</b>" for a in alphas
        ]


def test_of_very_many_steps_the_extremes_stay():
    values = np.random.default_rng(0).random(3 * MOST_STEPS)
    many = Profile(np.linspace(0, 360, len(values) + 1), values)
    picture = profile_figure(MarkedProfile(many, "nDCG"), GRID, {}, 1.0, "t")
    drawn = named(picture, "exact")["y"]

    assert len(drawn) <= MOST_STEPS + 1
    assert drawn.min() == values.min()
    assert drawn.max() == values.max()


def test_a_ring_has_a_sector_for_each_cell():
    sector = named(ring_figure(PLAIN, ("a", "b")), "nDCG")

    assert sector["theta"].tolist() == [45.0, 157.5, 292.5]
    assert sector["width"].tolist() == [90.0, 135.0, 135.0]
    assert sector["customdata"].tolist() == [0.5, 1.0, 0.25]
    marker = sector["marker"]
    for of in (marker, marker["line"]):
        assert (of["color"].tolist(), of["colorscale"]) == ([0.5, 1.0, 0.25], SCALE)
    assert marker["line"]["width"] >= 1


def test_many_cells_become_sectors_of_their_exact_mean():
    values = np.tile([0.0, 1.0], 2 * MOST_SECTORS)
    cells = Profile(np.linspace(0.0, 360.0, len(values) + 1), values)
    means = sectors(cells)

    assert len(means.values) == MOST_SECTORS
    np.testing.assert_allclose(means.values, 0.5)
    assert means.mean == pytest.approx(cells.mean)
    assert sectors(STEPS) is STEPS


def test_patches_of_the_globe_have_the_value_of_their_middle():
    bands, meridians = 6, 8
    values = np.arange(bands * meridians).reshape(bands, meridians) / 100.0
    mesh = named(globe_figure(values, MarkedSphere("abc", "AP", (0.0, 1.0))), "AP")
    corners = np.stack([mesh["x"], mesh["y"], mesh["z"]], axis=1)
    triangles = np.stack([mesh["i"], mesh["j"], mesh["k"]], axis=1)
    # Two triangles a patch: their six corners surround its middle.
    middles = corners[triangles].reshape(-1, 6, 3).mean(axis=1)
    up = np.repeat(patch_latitudes(bands), meridians)
    across = np.tile(np.arange(meridians) * 2 * np.pi / meridians, bands)
    longitudes = np.arctan2(middles[:, 1], middles[:, 0]) % (2 * np.pi)
    turn = np.abs(longitudes - across)

    np.testing.assert_allclose(np.minimum(turn, 2 * np.pi - turn), 0, atol=0.3)
    np.testing.assert_allclose(
        np.arcsin(middles[:, 2] / np.sqrt((middles**2).sum(axis=1))), up, atol=0.2
    )
    assert mesh["intensity"].tolist() == np.repeat(values, 2).astype("f4").tolist()


def test_the_globe_fills_its_canvas_and_hides_no_name():
    picture = globe_figure(np.ones((4, 8)), MarkedSphere("abc", "AP", (0.0, 1.0)))
    scene = picture.layout["scene"]
    eye = np.array([scene["camera"]["eye"][axis] for axis in "xyz"])
    assert scene["camera"]["projection"]["type"] == "orthographic"
    # Seen so, a canvas is two units high; a unit of the axes is so many of these.
    low, high = scene["xaxis"]["range"]
    unit = scene["aspectratio"]["x"] / (high - low)
    assert 0.7 <= unit <= 0.85

    names = named(picture, "features")
    points = np.stack([names["x"], names["y"], names["z"]], axis=1)
    assert (np.abs(points) < high).all()
    toward = eye / np.sqrt(eye @ eye)
    aside = points - np.outer(points @ toward, toward)
    distances = np.sqrt((aside**2).sum(axis=1))
    # Beyond the outline of the globe, and on the canvas with room for a line of text.
    assert (distances > 1.1).all()
    assert (unit * distances < 0.9).all()


def test_bands_of_the_map_have_equal_areas():
    edges = np.sin(map_latitudes(10))

    np.testing.assert_allclose(np.diff(edges), 0.2)
    assert edges[0] == pytest.approx(-0.9)


def test_great_circles_lie_across_their_normals():
    normals = np.array([[1.0, 0, 0], [0, 0.6, 0.8], [0.48, 0.6, 0.64]])
    points = circle_points(normals, 17)

    np.testing.assert_allclose(np.einsum("mpi,mi->mp", points, normals), 0, atol=1e-12)
    np.testing.assert_allclose((points**2).sum(axis=2), 1.0)
    sphere = MarkedSphere("abc", "AP", (0.0, 1.0), circles=normals)
    drawn = named(map_figure(np.ones((4, 8)), sphere), "scores cross")
    across, z = np.radians(drawn["x"]), drawn["y"]
    level = np.sqrt(1 - z**2)
    models = np.stack([level * np.cos(across), level * np.sin(across), z], axis=1)
    seen = ~np.isnan(z)
    nearest = np.abs(models[seen] @ normals.T).min(axis=1)
    np.testing.assert_allclose(nearest, 0, atol=1e-5)


def end_point(alpha, exact):
    return EndPoint(
        Cell((("alpha", alpha),), "", 1),
        iterations=9,
        seconds=0.5,
        objective=exact - 0.1,
        train={"nDCG": exact},
        coef=np.array([exact, 1.0]),
        start=np.array([0.5, 0.5]),
        flat=0.0,
    )


@pytest.mark.parametrize("share", [0.05, 0.2, 0.6, 1.0])
def test_a_band_keeps_its_length_while_it_is_unrolled(share):
    x, y = placed(np.linspace(0.0, 360.0, 4001), share)
    assert np.hypot(np.diff(x), np.diff(y)).sum() == pytest.approx(2 * np.pi, rel=1e-5)
    # 180° stays in the middle once the ring is open.
    assert (share < TURNING) or (x[2000], y[2000]) == pytest.approx((0.0, 0.0))


def test_an_unrolled_ring_ends_on_the_axis_of_the_curve_below():
    x, y = placed([0.0, 90.0, 180.0, 360.0], 1.0)
    low, high = unrolled_figure(PLAIN, ("a", "b"), 1.0).layout["xaxis"]["range"]
    assert ((x - low) / (high - low)).tolist() == pytest.approx([0, 0.25, 0.5, 1])
    assert y.tolist() == [0.0] * 4


def test_an_unrolled_ring_has_the_values_and_marks_of_the_ring():
    marked = PLAIN._replace(at=157.5, tops=TOPS)
    picture = unrolled_figure(marked, ("a", "b"), 0.5)
    degrees, values = named(picture, "nDCG")["customdata"].T
    assert values.tolist() == STEPS.at(degrees).tolist()
    here, best = named(picture, "direction"), named(picture, "best")
    assert (here["x"], here["y"]) == placed([157.5], 0.5)
    assert best["customdata"].tolist() == [TOPS.exact]
    # Its names are at both ends of the cut.
    assert [one["text"] for one in picture.layout["annotations"]].count("a") == 2
