"""Several runs in one picture: their colours, their curves, small multiples."""

import colorsys
import itertools

import numpy as np
import pytest

from rankcore.algorithms import list_algorithms
from rankcore.charts.palette import (
    DARK,
    LIGHT,
    READS,
    SEEN,
    algorithm_style,
    contrast,
    lightness_steps,
    run_styles,
)
from rankcore.charts.race import RunInRace, race_figure
from rankcore.insight.curves import Curve, RunCurves

pytestmark = pytest.mark.unit

THEMES = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda one: one.kind)


def hue(colour):
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return colorsys.rgb_to_hls(*channels)[0]


def same_hue(one, other):
    apart = abs(hue(one) - hue(other))
    return min(apart, 1 - apart) < 0.02


@THEMES
@pytest.mark.parametrize("place", range(6))
def test_lightness_steps_keep_the_hue_and_can_be_seen(palette, place):
    steps = lightness_steps(palette.runs[place], 4, palette)

    for colour in steps:
        assert contrast(colour, palette.background) >= SEEN
        assert same_hue(colour, palette.runs[place])
    for one, other in itertools.combinations(steps, 2):
        assert contrast(one, other) >= 1.2
    assert lightness_steps(palette.runs[place], 2, palette) == steps[:2]


@THEMES
def test_a_colour_that_can_be_seen_stays_as_it_is(palette):
    for colour in palette.runs:
        (first,) = lightness_steps(colour, 1, palette)
        seen = contrast(colour, palette.background) >= SEEN
        assert (first == colour.lower()) == seen


@THEMES
def test_every_algorithm_can_be_seen_on_its_own(palette):
    for name in list_algorithms():
        (style,) = run_styles([name], palette)
        colour, marker = algorithm_style(name, palette)
        assert same_hue(style.colour, colour)
        assert style.marker == marker
        assert contrast(style.colour, palette.background) >= SEEN
        assert contrast(palette.readable(style.colour), palette.background) >= READS


@THEMES
def test_settings_of_an_algorithm_share_its_hue_and_no_other_has_it(palette):
    runs = ["RSRank", "ListNet", "RSRank", "RankSVM", "RSRank"]
    colours = [style.colour for style in run_styles(runs, palette)]

    assert len(set(colours)) == 5
    for (name, one), (other, two) in itertools.combinations(
        zip(runs, colours, strict=True), 2
    ):
        assert same_hue(one, two) == (name == other)


@THEMES
def test_algorithms_of_one_hue_get_two_where_they_meet(palette):
    """There are more algorithms than hues."""
    by_colour = {}
    for name in list_algorithms():
        by_colour.setdefault(algorithm_style(name, palette)[0], []).append(name)
    one, other = next(iter(by_colour.values()))[:2]
    third = next(name for name in list_algorithms() if name not in (one, other))
    first, second, last = run_styles([one, other, third], palette)

    assert same_hue(first.colour, algorithm_style(one, palette)[0])
    assert not same_hue(first.colour, second.colour)
    if algorithm_style(third, palette)[0] != algorithm_style(one, palette)[0]:
        assert same_hue(last.colour, algorithm_style(third, palette)[0])


@THEMES
def test_no_setting_of_four_runs_looks_like_another_algorithm(palette):
    """Blue and sky blue have one hue, as have orange and brown, nearly."""
    names = list_algorithms()
    for one, other, third in itertools.combinations(names[::3], 3):
        runs = [one, one, other, third]
        colours = [style.colour for style in run_styles(runs, palette)]
        assert len(set(colours)) == 4
        for colour in colours[2:]:
            assert not same_hue(colour, colours[0])


@THEMES
def test_six_algorithms_have_six_colours_and_more_keep_their_own(palette):
    names = list_algorithms()
    for six in (names[:6], names[::4][:6], names[-6:]):
        colours = [style.colour for style in run_styles(six, palette)]
        for one, two in itertools.combinations(colours, 2):
            assert not same_hue(one, two) or contrast(one, two) >= 1.5
    for style, name in zip(run_styles(names, palette), names, strict=True):
        assert same_hue(style.colour, algorithm_style(name, palette)[0])


def run_in_race(algorithm, name=None, values=(0.2, 0.3, 0.25)):
    x = np.arange(len(values), dtype=float)
    curve = Curve("validation", x, np.array(values))
    curves = RunCurves("nDCG@10", (curve,), curve, (1.0, max(values)))
    return RunInRace(name or algorithm, algorithm, curves)


def test_runs_together_are_dashed_named_and_ringed():
    runs = [run_in_race("RSRank", "g = 1 <"), run_in_race("RSRank", "g = 5")]
    picture = race_figure(runs, palette=DARK)
    curves = [trace for trace in picture.data if trace["mode"] == "lines"]

    assert [curve["line"]["dash"] for curve in curves] == ["dash", "dash"]
    styles = run_styles(["RSRank", "RSRank"], DARK)
    assert [curve["line"]["color"] for curve in curves] == [s.colour for s in styles]
    rings = [trace for trace in picture.data if trace["mode"] == "markers"]
    assert [(ring["x"], ring["y"]) for ring in rings] == [([1.0], [0.3])] * 2
    names = [note["text"] for note in picture.layout["annotations"]]
    assert names == ["<b>g = 1 &lt; ○ 0.300</b>", "<b>g = 5 ○ 0.300</b>"]
    heights = sorted(note["yshift"] for note in picture.layout["annotations"])
    assert heights[1] - heights[0] >= 15
    assert picture.layout["height"] >= 380
    assert picture.alt == (
        "Best nDCG@10 on validation queries so far: g = 1 < 0.300, g = 5 0.300."
    )
    assert len(picture.numbers()) == 6
    picture.figure()


def test_long_names_have_room_at_the_ends_and_are_cut_before_their_values():
    long = run_in_race("LightGBM", "LightGBM LambdaMART, number of leaves = 15")
    one, two = (race_figure([run]) for run in (run_in_race("DORM"), long))
    (label,) = two.layout["annotations"]

    assert label["text"] == "<b>LightGBM LambdaMART, numb… ○ 0.300</b>"
    width = len(label["text"]) - len("<b></b>")
    assert two.layout["margin"]["r"] >= 7 * width
    assert one.layout["margin"]["r"] < two.layout["margin"]["r"]


@pytest.mark.parametrize(("count", "charts"), [(6, 1), (7, 7), (28, 28)])
def test_more_than_six_algorithms_are_small_multiples(count, charts):
    names = list_algorithms()[:count]
    runs = [run_in_race(name) for name in names] + [run_in_race(names[0], "again")]
    picture = race_figure(runs, "seconds")
    places = {trace.get("yaxis", "y") for trace in picture.data}

    assert len(places) == charts
    axes = [picture.layout[key] for key in picture.layout if key.startswith("yaxis")]
    assert len({tuple(own["range"]) for own in axes}) == 1
    first = [trace for trace in picture.data if trace.get("yaxis", "y") == "y"]
    if charts > 1:
        assert {trace["name"] for trace in first} == {names[0], "again", "best"}
    if charts > 1:
        column = [own["domain"] for own in axes[::3]]
        for (low, high), (_, below) in itertools.pairwise(column):
            assert high > low > below
    picture.figure()


def test_before_the_first_record_the_axes_are_there():
    empty = RunCurves("nDCG@10", (), Curve("objective", *np.zeros((2, 0))), None)
    picture = race_figure([RunInRace("a", "RSRank", empty)])

    assert picture.data == []
    assert picture.alt == "The runs have not begun; their curves will be drawn here."
    picture.figure()


def test_equal_values_leave_room_around_the_line():
    picture = race_figure([run_in_race("RSRank", values=(0.5, 0.5))])
    low, high = picture.layout["yaxis"]["range"]

    assert low < 0.5 < high
