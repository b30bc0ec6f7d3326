"""Pictures for a wall: their type grows, their numbers stay."""

import numpy as np

from rankcore.charts._style import Picture, layout
from rankcore.charts.palette import palette


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
