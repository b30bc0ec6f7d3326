"""A picture carries its text alternative and its numbers, and can be enlarged."""

import numpy as np
import pytest

from rankcore.data.catalogue import load_dataset
from rankcore.plot.numbers import decimals, minus, subscript
from rankcore.plot.palette import palette
from rankcore.plot.pointing import LETTER, WIDTH, pointed
from rankcore.plot.style import (
    LINE_HEIGHT,
    Picture,
    end_names,
    layout,
    lines,
    marks,
    padded_range,
    short_names,
    shortened,
    span,
)


def test_marks_on_a_projector_have_eight_pixels_where_they_are_few():
    def drawn(count, size, mode="markers"):
        trace = {"x": np.arange(count), "mode": mode, "marker": {"size": size}}
        return Picture([trace], {}).larger(1.5).data[0]["marker"]["size"]

    assert drawn(3, 4) == 8.0
    assert drawn(3, np.array([2, 4, 10])) == [8.0, 8.0, 10.0]
    assert drawn(1000, 4) == 4
    assert drawn(3, 4, "lines+markers") == 4


def test_type_margins_and_height_grow_and_numbers_stay():
    x = np.arange(3.0)
    text = {"size": [10, 20], "color": "red"}
    drawn = layout(palette("light"), "x", "y", 200)
    drawn["annotations"] = [{"text": "here", "font": {"size": 11}, "x": 1}]
    small = Picture([{"x": x, "marker": {"size": 6}, "textfont": text}], drawn)
    large = small.larger(2.0)

    assert large.data[0]["x"] is x
    assert large.data[0]["marker"] == {"size": 6}
    assert large.data[0]["textfont"] == {"size": [20, 40], "color": "red"}
    assert large.layout["font"]["size"] == 2 * drawn["font"]["size"]
    assert large.layout["annotations"][0] == {
        "text": "here",
        "font": {"size": 22},
        "x": 1,
    }
    assert large.layout["height"] == 400
    assert large.layout["margin"] == {k: 2 * v for k, v in drawn["margin"].items()}
    assert small.layout["height"] == 200
    large.figure()


def test_offsets_of_labels_grow_with_their_type_and_places_on_axes_stay():
    label = {"text": "here", "x": 1, "xshift": 6, "yshift": -4.0, "ax": 70, "ay": 0.5}
    drawn = layout(palette("light"), "x", "y", 200)
    drawn["annotations"] = [label | {"ayref": "y", "standoff": 8, "borderpad": 4}]
    (large,) = Picture([], drawn).larger(1.5).layout["annotations"]
    offsets = {name: large[name] for name in ("xshift", "yshift", "standoff", "ax")}
    assert offsets == {"xshift": 9, "yshift": -6, "standoff": 12, "ax": 105}
    assert (large["borderpad"], large["x"], large["ay"]) == (6, 1, 0.5)


@pytest.mark.parametrize(
    ("scale", "x", "at"), [("linear", [0.0, 9.0, np.nan], 9.0), ("log", [1, 100], 2.0)]
)
def test_an_arrow_points_at_the_last_point_of_a_trace(scale, x, at):
    drawn = layout(palette("light"), "x", "y")
    drawn["xaxis"] |= {"type": scale, "range": [0.0, 10.0]}
    drawn["yaxis"] |= {"range": [0.0, 12.0]}
    drawn["annotations"] = [{"text": "a label", "x": 1.0, "y": 5.5}]
    curve = lines(x, np.arange(len(x)) + 5.0, "#000000", name="curve")
    words = "too long to stand above it"
    label, arrow = pointed(Picture([curve], drawn), "curve", words).layout[
        "annotations"
    ]
    assert label["text"] == "a label"
    assert (arrow["text"], arrow["x"], arrow["y"]) == (words, at, 6.0)
    # The words stand where there is room.
    assert (arrow["ax"] < 0) == (at > 5.0)
    assert len(drawn["annotations"]) == 1


@pytest.mark.parametrize("above", [True, False])
def test_the_words_of_an_arrow_cover_no_line(above):
    drawn = layout(palette("light"), "x", "y")
    drawn["xaxis"] |= {"range": [0.0, 10.0]}
    drawn["yaxis"] |= {"range": [-10.0, 10.0]}
    curve = lines([0.0, 10.0], [5.0, 5.0] if above else [-5.0, -5.0], "#000000")
    mark = marks([1.0], [0.0], {}, name="mark")
    result = pointed(Picture([curve, mark], drawn), "mark", "words")
    (arrow,) = result.layout["annotations"]
    assert arrow["ax"] > 0
    # In pixels from the top.
    assert (arrow["ay"] > 0) == above


@pytest.mark.parametrize("side", [-1, 1])
def test_an_arrow_crosses_no_label(side):
    drawn = layout(palette("light"), "x", "y")
    drawn["xaxis"] |= {"range": [0.0, 10.0]}
    drawn["yaxis"] |= {"range": [0.0, 10.0]}
    place = {"yshift": 18, "xanchor": "left" if side > 0 else "right"}
    drawn["annotations"] = [{"text": "a label", "x": 5.0, "y": 5.0, **place}]
    mark = marks([5.0], [5.0], {}, name="mark")
    *_, arrow = pointed(Picture([mark], drawn), "mark", "words").layout["annotations"]
    # On the other side, or below.
    assert arrow["ax"] * side < 0 or arrow["ay"] > 0


@pytest.mark.parametrize("side", ["left", "right"])
def test_an_arrow_crosses_no_text_beside_its_mark(side):
    drawn = layout(palette("light"), "x", "y")
    drawn["xaxis"] |= {"range": [0.0, 10.0]}
    drawn["yaxis"] |= {"range": [0.0, 10.0]}
    text = {"mode": "markers+text", "text": ["2.42"], "textposition": f"middle {side}"}
    mark = marks([5.0], [5.0], {}, name="mark") | text
    (arrow,) = pointed(Picture([mark], drawn), "mark", "words").layout["annotations"]
    assert arrow["ax"] * (1 if side == "right" else -1) <= 0


def test_an_arrow_crosses_no_other_mark_and_its_words_cover_none():
    drawn = layout(palette("light"), "x", "y")
    drawn["xaxis"] |= {"range": [0.0, 10.0]}
    drawn["yaxis"] |= {"range": [0.0, 10.0]}
    # The last one is pointed at: the axis is below, and the other ones above.
    ends = marks([5.0, 4.5, 5.0], [1.0, 1.8, 0.0], {}, name="ends")
    (arrow,) = pointed(Picture([ends], drawn), "ends", "words").layout["annotations"]
    assert arrow["ax"] > 0


@pytest.mark.parametrize("at", [0.0, 5.0, 10.0])
@pytest.mark.parametrize("share", [0.3, 0.5, 1.0])
def test_the_words_of_an_arrow_are_not_cut_at_the_edge(at, share):
    drawn = layout(palette("light"), "x", "y")
    drawn["xaxis"] |= {"range": [0.0, 10.0]}
    # Much to hide everywhere but at the edges.
    many = marks(np.linspace(0.0, 10.0, 200), np.tile([2.0, 5.0, 8.0, 9.0], 50), {})
    mark = marks([at], [5.0], {}, name="mark")
    result = pointed(Picture([many, mark], drawn), "mark", "ten letters", share)
    (arrow,) = result.layout["annotations"]
    left, right = (drawn["margin"][side] for side in "lr")
    width = share * WIDTH
    middle = left + at / 10.0 * (width - left - right) + arrow["ax"]
    half = LETTER * len(arrow["text"]) / 2.0
    middle += {"left": half, "right": -half, "center": 0.0}[arrow["xanchor"]]
    assert half <= middle <= width - half


@pytest.mark.parametrize(
    "trace",
    [
        {"type": "scatter", "name": "other", "x": [1.0], "y": [1.0]},
        {"type": "scatter", "name": "curve", "x": ["a"], "y": [1.0]},
        {"type": "scatter", "name": "curve", "x": [np.nan], "y": [1.0]},
        {"type": "scatter3d", "name": "curve", "x": [1.0], "y": [1.0], "z": [1.0]},
    ],
)
def test_there_is_no_arrow_without_its_mark_in_the_plane(trace):
    drawn = layout(palette("light"), "x", "y")
    assert pointed(Picture([trace], drawn), "curve", "here") is None


def test_a_picture_carries_its_text_alternative_and_its_numbers():
    bare = Picture([{"x": [1, 2]}], {"height": 100})
    assert (bare.alt, bare.table, bare.numbers()) == ("", None, None)

    computed = []

    def table():
        computed.append(True)
        return {"x": [1, 2]}

    described = bare.described("x rises from 1 to 2.", table)
    assert described.data is bare.data
    assert described.alt == "x rises from 1 to 2."
    assert not computed
    assert described.numbers() == {"x": [1, 2]}
    assert described.described("Rising.").table is table
    assert bare.described("", {"x": [1]}).numbers() == {"x": [1]}
    assert (bare.alt, bare.table) == ("", None)

    large = described.larger(2.0)
    assert (large.alt, large.table) == (described.alt, table)
    large.figure()


def test_names_at_the_ends_of_lines_do_not_overlap():
    ends = {"a": (0.5, "#000000"), "b": (0.5, "#ff0000"), "c": (0.9, "#000000")}

    names = end_names(ends, palette("light"), pixels=100.0)

    # The second is raised by a line of 15 pixels, then all sink by the mean, 15 / 3.
    assert LINE_HEIGHT == 15
    heights = [100.0 * name["y"] + name["yshift"] for name in names]
    assert heights == pytest.approx([50.0 - 5.0, 65.0 - 5.0, 90.0 - 5.0])
    assert [name["text"] for name in names] == ["<b>a</b>", "<b>b</b>", "<b>c</b>"]
    assert all((name["x"], name["xref"]) == (1.0, "paper") for name in names)
    assert end_names({}, palette("light"), 100.0) == []


def test_names_at_the_ends_of_lines_are_apart_on_a_projector_whose_plot_is_lower():
    ends = {"a": (0.50, "#000000"), "b": (0.66, "#ff0000"), "c": (0.9, "#000000")}
    drawn = layout(palette("light"), "x", "y", 200)
    drawn["annotations"] = end_names(ends, palette("light"), pixels=100.0)
    assert [name["yshift"] for name in drawn["annotations"]] == pytest.approx([0, 0, 0])

    names = Picture([], drawn).larger(1.4).layout["annotations"]

    heights = [50.0 * name["y"] + name["yshift"] for name in names]
    assert np.diff(heights).min() >= 1.4 * LINE_HEIGHT - 1e-9


def test_spans_and_ranges_leave_room():
    assert span([1.0, np.nan], [3.0, np.inf]) == 2.0
    assert span() == span([2.0]) == 1e-9
    assert padded_range(0.1, [0.0, 10.0], [20.0]) == [-2.0, 22.0]
    assert padded_range(0.5, [1.0]) == [0.5, 1.5]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1 / 3, "0.333"),
        (-1 / 3, "−0.333"),
        (-0.0001, "0.000"),
        (np.float64(2), "2.00"),
        (float("nan"), "undefined"),
    ],
)
def test_numbers_have_three_digits_and_a_true_minus_sign(value, text):
    assert decimals(value) == text


def test_texts_of_numbers_and_names():
    assert minus("-1e-5") == "−1e−5"
    assert subscript(102) == "₁₀₂"
    assert shortened("a feature", 9) == "a feature"
    assert shortened("a feature", 3) == "a…"


def test_short_names_are_cut_where_they_stay_distinct():
    one, other = short_names(["min of length (title)", "min"], 15)
    assert (one, other) == ("min of…(title)", "min")
    alike = ["one way, to begin (url)", "one way, to end (url)"]
    assert len(set(short_names(alike, 16))) == 2
    features = load_dataset("mslr10k-sample").train.feature_names
    for longest in (24, 28):
        short = short_names(features, longest)
        assert len(set(short)) == len(features)
        assert max(map(len, short)) <= longest
