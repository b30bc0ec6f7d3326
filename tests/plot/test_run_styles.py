"""Several runs in one picture: their colours, their curves, small multiples."""

import colorsys
import itertools

import numpy as np
import pytest

from rankcore import algorithms
from rankcore.algorithms import list_algorithms
from rankcore.plot.palette import (
    DARK,
    LIGHT,
    READS,
    VISIBLE,
    algorithm_style,
    contrast,
    lightness_steps,
    run_styles,
)
from rankcore.topics.train.curves import Curve, RunCurves
from rankcore.topics.train.race_figure import RunInRace, race_figure
from tests.plot.sight import SIGHTS, distance

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
        assert contrast(colour, palette.background) >= VISIBLE
        assert same_hue(colour, palette.runs[place])
    for one, other in itertools.combinations(steps, 2):
        assert contrast(one, other) >= 1.2
    assert lightness_steps(palette.runs[place], 2, palette) == steps[:2]


def test_an_algorithm_has_its_hue_whichever_packages_are_installed(monkeypatch):
    """So pictures that ship have those of the app."""
    before = [algorithm_style(name, LIGHT) for name in list_algorithms()]
    names = list_algorithms()
    monkeypatch.setattr(algorithms, "is_offered", lambda one: one.__name__ == "RSRank")
    algorithms._discovered.cache_clear()
    try:
        assert list_algorithms() == ["RSRank"]
        assert [algorithm_style(name, LIGHT) for name in names] == before
    finally:
        algorithms._discovered.cache_clear()


@pytest.mark.parametrize("name", list_algorithms())
def test_an_algorithm_has_one_hue_in_both_themes(name):
    light, dark = (algorithm_style(name, palette)[0] for palette in (LIGHT, DARK))

    assert same_hue(light, dark)


@THEMES
def test_a_colour_that_can_be_seen_stays_as_it_is(palette):
    for colour in palette.runs:
        (first,) = lightness_steps(colour, 1, palette)
        seen = contrast(colour, palette.background) >= VISIBLE
        assert (first == colour.lower()) == seen


@THEMES
def test_every_algorithm_can_be_seen_on_its_own(palette):
    for name in list_algorithms():
        (style,) = run_styles([name], palette)
        colour, marker = algorithm_style(name, palette)
        assert same_hue(style.colour, colour)
        assert style.marker == marker
        assert contrast(style.colour, palette.background) >= VISIBLE
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
        styles = run_styles(six, palette)
        for one, two in itertools.combinations([s.colour for s in styles], 2):
            assert not same_hue(one, two) or contrast(one, two) >= 1.5
        assert len({style.marker for style in styles}) == 6
    for style, name in zip(run_styles(names, palette), names, strict=True):
        assert same_hue(style.colour, algorithm_style(name, palette)[0])


@THEMES
def test_each_algorithm_has_a_hue_and_marker_of_its_own(palette):
    styles = [algorithm_style(name, palette) for name in list_algorithms()]

    assert len({*styles}) == len(styles)


@THEMES
@pytest.mark.parametrize(
    "others",
    [["RSRank"], ["RSRank", "RSRank"], ["RSRank"] * 3, ["ListNet", "RankSVM"]],
)
def test_what_else_is_there_does_not_change_a_hue(palette, others):
    """LambdaRank and RSRank are orange and vermilion, which are next to each other."""
    *_, style = run_styles([*others, "LambdaRank"], palette)

    assert same_hue(style.colour, algorithm_style("LambdaRank", palette)[0])


# In CIELAB, where 2.3 is just seen: for four runs on a chart, and for six, of which all
# but one are named at their ends.
TOLD_APART = {4: 7.0, 6: 3.5}


@THEMES
@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize(("count", "least"), TOLD_APART.items())
def test_runs_on_one_chart_are_told_apart_by_every_eye(palette, sight, count, least):
    names = list_algorithms()
    alike = [[name] * count for name in names[:6]]
    pairs = [
        [one, two] * (count // 2) for one, two in zip(names, names[4:], strict=False)
    ]
    mixed = [names[i : i + count] for i in range(len(names) - count + 1)]
    default = [["RSRank", "ListNet", "RankSVM", "LambdaRank"]]
    for runs in (*alike, *pairs, *mixed, *default):
        styles = run_styles(runs, palette)
        for one, two in itertools.combinations(styles, 2):
            apart = distance(one.colour, two.colour, sight) >= least
            assert apart or one.marker != two.marker, (runs, one, two)


@pytest.mark.parametrize("others", [["RSRank"], ["LambdaRank", "ListNet", "RankSVM"]])
def test_curves_of_several_algorithms_have_marks(others):
    runs = [run_in_race(name, f"{i}") for i, name in enumerate(["RSRank", *others])]
    curves = [t for t in race_figure(runs).data if t["mode"].startswith("lines")]

    styles = run_styles([run.algorithm for run in runs], LIGHT)
    several = len({style.marker for style in styles}) > 1
    wanted = [style.marker if several else None for style in styles]
    assert [t.get("marker", {}).get("symbol") for t in curves] == wanted
    for trace in curves:
        assert trace["mode"] == ("lines+markers" if several else "lines")


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


def test_before_the_first_record_the_axes_are_there():
    empty = RunCurves("nDCG@10", (), Curve("objective", *np.zeros((2, 0))), None)
    picture = race_figure([RunInRace("a", "RSRank", empty)])

    assert picture.data == []
    assert picture.alt == "The runs have not started; their curves will be drawn here."
    picture.figure()


def test_equal_values_leave_room_around_the_line():
    picture = race_figure([run_in_race("RSRank", values=(0.5, 0.5))])
    low, high = picture.layout["yaxis"]["range"]

    assert low < 0.5 < high
