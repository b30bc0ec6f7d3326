"""Colours beside each other differ for readers without green or red cones."""

import itertools

import numpy as np
import pytest

from rankcore.plot.palette import DARK, LIGHT

pytestmark = pytest.mark.unit

# Machado, Oliveira and Fernandes, A physiologically-based model for simulation of color
# vision deficiency, IEEE TVCG 15 (2009), at severity 1: linear RGB as it is seen.
SEEN_AS = {
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
}
TO_XYZ = np.array(
    [
        [0.4124, 0.3576, 0.1805],
        [0.2126, 0.7152, 0.0722],
        [0.0193, 0.1192, 0.9505],
    ]
)
# A difference in CIELAB that is seen at a glance; 2.3 is just noticeable.
CLEAR = 10.0


def lab(colour, matrix):
    """CIELAB coordinates of a colour as it is seen."""
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(
        channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4
    )
    seen = TO_XYZ @ np.clip(np.array(matrix) @ linear, 0, 1) / TO_XYZ.sum(axis=1)
    x, y, z = np.where(seen > 0.008856, np.cbrt(seen), 7.787 * seen + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def nearest(colours, matrix):
    """The smallest difference between two of several colours."""
    places = [lab(colour, matrix) for colour in colours]
    return min(np.linalg.norm(a - b) for a, b in itertools.combinations(places, 2))


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda one: one.kind)
@pytest.mark.parametrize("kind", SEEN_AS)
@pytest.mark.parametrize("colours", ["runs", "relevance"])
def test_colours_differ_without_red_or_green_cones(palette, kind, colours):
    assert nearest(getattr(palette, colours), SEEN_AS[kind]) >= CLEAR


@pytest.mark.parametrize("kind", SEEN_AS)
def test_red_and_green_that_confuse_are_caught(kind):
    assert nearest(["#a07000", "#808000"], SEEN_AS[kind]) < CLEAR
