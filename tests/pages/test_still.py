"""The picture that stands in the place of a page's first figure until it is drawn."""

import math
import re
from xml.etree import ElementTree as ET

import pytest
from streamlit.testing.v1 import AppTest

from live_figure._axes import Axis, values
from live_figure._still import DRAWN, MOST_MARKS, still
from pages.ui import examples
from pages.ui.catalogue import pages
from pages.ui.components.live import content
from rankcore.plot import packed
from rankcore.plot.palette import DARK, LIGHT
from rankcore.plot.style import bars, layout, lines, marks
from rankcore.views import Training, read

pytestmark = pytest.mark.contract

OPENED = [
    pytest.param(page, view, theme, id=f"{page.name}-{name}-{theme}")
    for page in pages().values()
    for name, view in page.views.items()
    for theme in ("light", "dark")
]
# Views without a figure of Plotly, and figures that are not in a plane.
NONE = {"Staircase", "Lessons", "Kept runs"}
NOT_FLAT = {"Landscape", "Search"}


def opened(page, view, theme):
    """The first figure of a view as it opens, or None."""
    raw = page.opens(view)
    result = read(view.rows(raw), raw, theme)
    example = examples.example(page, view, result)
    if example is not None:
        shown = example.show(result)
    elif view.work_for(result) is None:
        shown = view.show(result)
    else:
        assert not isinstance(view.work_for(result), Training)
        shown = view.show(result, None)
    return shown.panels()[0].picture if shown.panels() else None


def points(trace):
    """The points of a trace that have a place."""
    both = zip(values(trace["x"]), values(trace["y"]), strict=True)
    return [
        (x, y)
        for x, y in both
        if all(
            isinstance(v, str) or (v is not None and math.isfinite(v)) for v in (x, y)
        )
    ]


@pytest.mark.parametrize(("page", "view", "theme"), OPENED)
def test_the_first_figure_of_every_view_has_a_picture_with_its_marks(page, view, theme):
    picture = opened(page, view, theme)
    assert (picture is None) == (view.name in NONE)
    if picture is None:
        return
    figure = content(picture)
    text = still(**figure)
    assert bool(text) == (view.name not in NOT_FLAT)
    if not text:
        assert {trace["type"] for trace in figure["data"]} - DRAWN
        return
    root = ET.fromstring(text)
    wanted = sum(
        min(len(points(trace)), MOST_MARKS)
        for trace in figure["data"]
        if "markers" in trace.get("mode", "") and "maxdisplayed" not in trace["marker"]
        and len(points(trace)) <= MOST_MARKS
    )  # fmt: skip
    marked = sum(1 for _ in root.iter("circle")) + sum(
        "scale" in path.get("transform", "") for path in root.iter("path")
    )
    assert marked >= wanted
    columns = sum(len(points(t)) for t in figure["data"] if t["type"] == "bar")
    assert sum(1 for _ in root.iter("rect")) >= columns
    assert "NaN" not in text
    assert "nan%" not in text
    assert "inf%" not in text
    colours = {
        t["line"]["color"] for t in figure["data"] if "lines" in t.get("mode", "")
    }
    assert colours <= {e.get("stroke") for e in root.iter("path")}


def a_figure(*traces, **axes):
    """A figure of traces; axes by their names."""
    drawn = layout(LIGHT, "across", "up", height=200)
    for name, more in axes.items():
        drawn[name] = drawn[name] | more
    return ET.fromstring(still(packed(list(traces)), packed(drawn)))


def test_marks_curves_and_bars_are_where_their_axes_put_them():
    root = a_figure(
        marks([1, 3], [0, 10], {"size": 8, "color": "#111111"}),
        lines([0, 4], [0, 10], "#222222"),
        bars([2], [5], {"color": "#333333"}, width=1),
        xaxis={"range": [0, 4]},
        yaxis={"range": [0, 10]},
    )
    circles = [(c.get("cx"), c.get("cy"), c.get("r")) for c in root.iter("circle")]
    assert circles == [("25%", "100%", "4"), ("75%", "0%", "4")]
    (curve,) = (p for p in root.iter("path") if p.get("stroke") == "#222222")
    assert curve.get("d") == "M0 10000L10000 0"
    (bar,) = root.iter("rect")
    sides = [bar.get(side) for side in ("x", "y", "width", "height")]
    assert sides == ["37.5%", "50%", "25%", "50%"]


def test_the_plot_lies_within_the_margins_of_the_figure():
    root = a_figure(lines([0, 1], [0, 1], "#222222"))
    (plot,) = (svg for svg in root.iter("svg") if "position" in svg.get("style", ""))
    # Left, right, upper and lower margins of `layout` are 68, 12, 16 and 52 pixels.
    assert "left:68px;top:16px;width:calc(100% - 80px)" in plot.get("style")
    assert "height:calc(100% - 68px)" in plot.get("style")


@pytest.mark.parametrize(
    ("reach", "more", "low", "high"),
    [
        # Lines have no margin along, and one twentieth of the axis up and down.
        ([(0, 0, False), (10, 0, False)], {}, 0, 10),
        ([(0, 0, True), (9, 0, True)], {}, -0.5, 9.5),
        ([(0, 0, True), (19, 0, True)], {"rangemode": "tozero"}, 0, 20),
        ([(3, 0, True)], {}, 2, 4),
        ([(100, 0, True)], {"range": [1, 3]}, 1, 3),
        ([], {}, 0, 1),
    ],
)
def test_ranges_are_those_of_plotly(reach, more, low, high):
    axis = Axis("yaxis", more, reach)
    assert (axis.low, axis.high) == pytest.approx((low, high))


@pytest.mark.parametrize(
    ("more", "texts"),
    [
        ({"range": [0, 6]}, ["0", "2", "4", "6"]),
        ({"range": [-0.2, 0.3]}, ["−0.2", "−0.1", "0", "0.1", "0.2", "0.3"]),
        ({"range": [0, 40_000]}, ["0", "10k", "20k", "30k", "40k"]),
        (
            {"range": [0, 0.6], "tickformat": ".2f"},
            ["0.00", "0.20", "0.40", "0.60"],
        ),
        ({"range": [0, 4], "type": "log"}, ["1", "10", "100", "1000", "10k"]),
        (
            {"range": [-4, -1], "type": "log", "exponentformat": "power"},
            ["10⁻⁴", "10⁻³", "10⁻²", "10⁻¹"],
        ),
        (
            {"range": [0, 2], "tickvals": [0, 2], "ticktext": ["no", "yes"]},
            ["no", "yes"],
        ),
        ({"range": [0, 2], "visible": False}, []),
    ],
)
def test_ticks_are_those_of_plotly(more, texts):
    axis = Axis("xaxis", {"nticks": 6} | more, [])
    assert [text for _, text in axis.ticks()] == texts


def test_cells_have_the_colours_of_a_scale_that_has_a_name():
    cells = {"type": "heatmap", "z": [[0, 1, 2]], "colorscale": "Cividis"}
    root = a_figure(cells | {"zmin": 0, "zmax": 2})
    first, middle, last = (rect.get("fill") for rect in root.iter("rect"))
    assert first.startswith("color-mix(in srgb, #002a66 0%, #00204c")
    assert middle.startswith("color-mix(in srgb, #838178 50%, #757575")
    assert last.startswith("color-mix(in srgb, #ffe945 100%")


def test_the_title_of_an_axis_is_below_all_lines_of_its_ticks():
    def depths(*texts):
        ticks = {"range": [0, 2], "tickvals": [0, 2], "ticktext": list(texts)}
        root = a_figure(lines([0, 2], [0, 1], "#222222"), xaxis=ticks)
        return {text.text: float(text.get("dy")) for text in root.iter("text")}

    one, two = depths("no", "yes"), depths("no<br>A", "yes<br>B")
    assert two["across"] - two["B"] > 14
    assert two["across"] - two["B"] == pytest.approx(one["across"] - one["yes"])


def test_text_of_a_figure_cannot_become_markup():
    trace = marks([1], [1], {"size": 8, "color": "#111111"}, text=["<i>&lt;b> & c"])
    root = a_figure(trace | {"mode": "markers+text"})
    assert "<b> & c" in {text.text for text in root.iter("text")}


def test_what_cannot_be_drawn_has_no_picture():
    drawn = layout(DARK, "across", "up")
    assert still([{"type": "scatter3d", "x": [1], "y": [1], "z": [1]}], drawn) == ""
    assert still([{"type": "heatmap", "z": [["no number"]]}], drawn) == ""
    assert re.match("<div", still([lines([0, 1], [0, 1], "#222222")], drawn))


def test_a_picture_is_sent_as_text_without_headings():
    def script():
        import live_figure
        from rankcore.plot import packed
        from rankcore.plot.palette import LIGHT
        from rankcore.plot.style import layout, marks

        named = marks([1], [1], {"size": 8}, text=["one\n\n*two*\r\n\r\n$x$"])
        drawn = packed(layout(LIGHT, "across", "up", height=200))
        data = packed([named | {"mode": "markers+text"}])
        heading = "<h2>a\n\n# b</h2>"
        live_figure.figure(data, drawn, key="f", view="f", heading=heading)

    page = AppTest.from_function(script).run()
    assert not page.exception
    (picture,) = (text.value for text in page.text)
    assert "<text" in picture
    assert "<h2>" not in picture
