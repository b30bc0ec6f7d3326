"""A colour that a lesson names is in its figures, in the light and the dark theme."""

import colorsys
import json
import re
from urllib.parse import urlencode

import numpy as np
import pytest

from pages.ui.lessons import store
from rankcore.reports import open_view

# Degrees on the circle of hues.
HUES = {"orange": (15, 45), "green": (140, 175), "blue": (195, 225)}
NAMED = re.compile(rf"\b({'|'.join(HUES)}|red|yellow|purple|grey|black|white)\b", re.I)
LESSONS = {lesson.name: lesson for lesson in store.everything()[0]}
STEPS = [
    pytest.param(step, id=f"{name}-{number}")
    for name, lesson in LESSONS.items()
    for number, step in enumerate(lesson.steps, 1)
    if NAMED.search(" ".join([step.text, step.question, step.answer, step.notes]))
]


def _plain(value):
    return np.asarray(value).tolist()


def hues(value):
    """The hues, in degrees, of all colours in the data of a figure."""
    for colour in re.findall(r"#([0-9a-fA-F]{6})\b", json.dumps(value, default=_plain)):
        channels = [int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4)]
        hue, _, saturation = colorsys.rgb_to_hls(*channels)
        if saturation > 0.5:
            yield 360 * hue


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("step", STEPS)
def test_named_colours_are_drawn(step, theme):
    link = f"{step.page}?{urlencode(step.settings)}"
    shown = open_view(link, theme=theme)
    first = shown.panels()[0].picture
    drawn = list(hues(first.data))
    texts = " ".join([step.text, step.question, step.answer, step.notes])
    for name in {name.lower() for name in NAMED.findall(texts)}:
        low, high = HUES[name]
        assert any(low <= hue <= high for hue in drawn), name


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_reconstructions_lie_on_the_green_segment(theme):
    cone = LESSONS["4-cones"].steps[1]
    assert "hollow marks on the green segment" in " ".join(cone.text.split())
    shown = open_view(f"{cone.page}?{urlencode(cone.settings)}", theme=theme)
    traces = {trace["name"]: trace for trace in shown.panels()[0].picture.data}
    segment, marks = traces["simplex"], traces["projections"]
    (hue,) = set(hues(segment["line"]))
    assert HUES["green"][0] <= hue <= HUES["green"][1]
    assert marks["marker"]["symbol"] == "circle-open"
    (x0, x1, _), (y0, y1, _) = segment["x"], segment["y"]
    off = (marks["x"] - x0) * (y1 - y0) - (marks["y"] - y0) * (x1 - x0)
    assert abs(off).max() < 1e-5
