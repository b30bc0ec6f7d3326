"""A picture carries its text alternative and its numbers, and can be enlarged."""

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
