"""Curves of kept runs, as small charts."""

import itertools

import pandas as pd
import pytest

from rankcore.topics.runs.runs_figure import curves_figure

pytestmark = pytest.mark.unit

NARROW, LETTER = 330, 6.6  # pixels of a telephone's figure, and of a bold letter


def table(count):
    return pd.DataFrame(
        [
            {
                "title": f"ApproxNDCG, alpha = {number}, seed {number}",
                "algorithm": "ApproxNDCG",
                "terms": "planted",
                "iterations": 20,
                "curve": [0.1, 0.2 + number / 100],
                "best": 0.2 + number / 100,
            }
            for number in range(count)
        ]
    )


@pytest.mark.parametrize("count", [1, 2, 5, 12])
def test_charts_and_titles_of_runs_do_not_overlap(count):
    layout = curves_figure(table(count), "nDCG@10").layout
    margin = layout["margin"]
    plot = layout["height"] - margin["t"] - margin["b"]
    across = NARROW - margin["l"] - margin["r"]
    boxes = []
    for note in layout["annotations"]:
        lines = note["text"].replace("</b>", "").partition(">")[2].split("<br>")
        left, bottom = across * note["x"], plot * note["y"]
        boxes.append((left, left + LETTER * max(map(len, lines)), bottom, bottom + 34))
    for number in range(1, count + 1):
        x, y = (layout[f"{name}axis{number if number > 1 else ''}"] for name in "xy")
        low, high = (plot * end for end in y["domain"])
        assert high - low >= 60
        boxes.append((across * x["domain"][0], across * x["domain"][1], low, high))
    for one, other in itertools.combinations(boxes, 2):
        beside = one[1] <= other[0] or other[1] <= one[0]
        assert beside or one[3] <= other[2] or other[3] <= one[2], (one, other)
