"""Colours beside each other differ for readers without green or red cones."""

import itertools

import pytest

from rankcore.plot.palette import DARK, LIGHT
from tests.plot.sight import SIGHTS, distance

pytestmark = pytest.mark.unit
# A difference in CIELAB that is seen at a glance; 2.3 is just noticeable.
CLEAR = 10.0
BLIND = [sight for sight in SIGHTS if sight != "all cones"]


def nearest(colours, sight):
    """The smallest difference between two of several colours."""
    return min(distance(*pair, sight) for pair in itertools.combinations(colours, 2))


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda one: one.kind)
@pytest.mark.parametrize("sight", BLIND)
@pytest.mark.parametrize("colours", ["runs", "relevance"])
def test_colours_differ_without_red_or_green_cones(palette, sight, colours):
    assert nearest(getattr(palette, colours), sight) >= CLEAR


@pytest.mark.parametrize("sight", BLIND)
def test_red_and_green_that_confuse_are_caught(sight):
    assert nearest(["#a07000", "#808000"], sight) < CLEAR
