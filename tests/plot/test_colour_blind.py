"""Colours beside each other differ for readers without green or red cones."""

import itertools

import pytest

from rankcore.plot.palette import DARK, LIGHT, READS, contrast, lightness_steps
from tests.plot.sight import SIGHTS, ciede2000, difference, distance

pytestmark = pytest.mark.unit
# A difference in CIELAB that is seen at a glance; 2.3 is just noticeable.
CLEAR = 10.0
# By CIEDE2000, which is stricter on strong colours; notes have other words, too.
APART, NOTED = 9.5, 5.5
BLIND = [sight for sight in SIGHTS if sight != "all cones"]


def nearest(colours, sight):
    """The smallest difference between two of several colours."""
    return min(distance(*pair, sight) for pair in itertools.combinations(colours, 2))


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda one: one.kind)
@pytest.mark.parametrize("sight", BLIND)
@pytest.mark.parametrize("colours", ["runs", "relevance"])
def test_colours_differ_without_red_or_green_cones(palette, sight, colours):
    assert nearest(getattr(palette, colours), sight) >= CLEAR


def drawn(palette):
    """The colours of runs, as their marks and as their names have them."""
    marks = [lightness_steps(item, 1, palette)[0] for item in palette.runs]
    return {"marks": marks, "names": [palette.readable(mark) for mark in marks]}


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda one: one.kind)
@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("what", ["marks", "names"])
def test_all_pairs_of_runs_differ_as_they_are_drawn(palette, sight, what):
    colours = drawn(palette)[what]
    for one, other in itertools.combinations(colours, 2):
        assert difference(one, other, sight) >= APART, (one, other)
    for colour in colours:
        assert difference(colour, palette.secondary, sight) >= NOTED, colour
        assert difference(colour, palette.primary, sight) >= NOTED, colour
        assert difference(colour, palette.ink, sight) >= APART, colour


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda one: one.kind)
def test_names_of_runs_can_be_read(palette):
    for colour in drawn(palette)["names"]:
        assert contrast(colour, palette.background) >= READS, colour


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((6.7747, -0.2908, -2.4247), (5.8714, -0.0985, -2.2286), 0.6377),
        ((22.7233, 20.0904, -46.6940), (23.0331, 14.9730, -42.5619), 2.0373),
        ((90.8027, -2.0831, 1.4410), (91.1528, -1.6435, 0.0447), 1.4441),
    ],
)
def test_differences_are_those_of_the_paper(one, other, expected):
    assert ciede2000(one, other) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize("sight", BLIND)
def test_red_and_green_that_confuse_are_caught(sight):
    assert nearest(["#a07000", "#808000"], sight) < CLEAR
