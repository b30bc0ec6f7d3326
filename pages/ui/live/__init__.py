"""The live figure: one component that redraws in place while numbers arrive.

`st.plotly_chart` is torn out and rebuilt whenever its figure changes, and zoom with it.
This component keeps its picture, so that a fragment can push the whole figure ten times
a second. It draws figures with the plotly.js of the installed Plotly package, and
rankings as columns of chips. Points of a figure can be dragged and clicked, its
parallel axes brushed.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import streamlit as st

from pages.ui.component import component
from pages.ui.lessons import place
from pages.ui.live import _assets
from rankcore.plot import Picture, listed, packed
from rankcore.plot.palette import Palette
from rankcore.topics.inspect.chips_figure import chips, followed
from rankcore.views import Tiles

OnPoint = Callable[..., None]
OnBrush = Callable[[Mapping[str, Any]], None]
# Called with what the browser says of an event.
OnReport = Callable[[Mapping[str, Any]], None]

# Type in figures, in the large-type view of a lesson.
ON_A_WALL = 1.35
# The height of a heading of one line, in pixels.
HEADING = 24

_BUTTONS = "".join(
    f'<button type="button" disabled value="{kind}">{kind.upper()}</button> '
    for kind in ("png", "svg")
)
_save = component("save_figure", _BUTTONS, style="button")


def figure(
    picture: Picture,
    *,
    key: str,
    view: str,
    heading: str = "",
    on_drag: OnPoint | None = None,
    on_click: OnPoint | None = None,
    on_hover: OnPoint | None = None,
    on_brush: OnBrush | None = None,
) -> None:
    """Draw a figure, or redraw it where it stands.

    Parameters
    ----------
    picture : Picture
        From `rankcore.plot`.
    key : str
        The same figure from run to run has the same key.
    view : str
        Zoom is kept as long as this stays the same.
    heading : str
        What stands above it, as HTML.
    on_drag, on_click : callable, optional
        Called with the trace's name, the point's number from 0, and its new x and y,
        before the page runs again: while and after a point is dragged whose trace has
        ``meta={"drag": "x"}`` (or "y" or "xy"), or when any point is clicked. On an
        axis of names or moments its place is text. A point in space, of a trace with
        ``meta={"drag": "xyz"}``, is dragged in the plane of the screen, and its z is
        given too.
    on_hover : callable, optional
        Called likewise, at most four times a second, while the pointer is on a point
        that leads other figures but has no state of its own: ``empty`` in the ``meta``
        of its trace says which these are.
    on_brush : callable, optional
        Called with the ranges on parallel axes, by the names of the axes, a quarter of
        a second after a brush has come to rest.
    """
    if place.presenting():
        picture = picture.larger(ON_A_WALL)
    if not _assets.serve():
        st.html(heading)
        st.plotly_chart(picture.figure(), key=key)
        return
    content = {
        **drawn(picture),
        "view": view,
        "drags": on_drag is not None,
        "clicks": on_click is not None,
        "hovers": on_hover is not None,
        "brushes": on_brush is not None,
        "heard": st.session_state.get(_heard(key), 0),
    }
    told = {"alt": picture.alt, "heading": heading}
    events = {
        "dragged": _at_point(on_drag),
        "clicked": _at_point(on_click),
        "hovered": _at_point(on_hover),
        "brushed": _at_rest(on_brush),
    }
    _draw("figure", content, key, told, events)


def drawn(picture: Picture, larger: bool = False) -> dict[str, Any]:
    """Return traces and layout of a picture as the browser takes them."""
    if larger:
        picture = picture.larger(ON_A_WALL)
    data = [listed(t) if _drags(t) else packed(t) for t in picture.data]
    return {"data": data, "layout": packed(picture.layout)}


def ranking(
    block: Tiles, palette: Palette, heading: str, on_click: OnPoint | None
) -> None:
    """Draw a query's documents as chips, as `rankcore.views.Tiles` describes."""
    orders = [block.ranking, *block.others]
    content = chips(orders, block.rows, palette, block.heads, block.ends)
    if (led := block.follows) is not None:
        content |= followed(led.rankings, block.rows, palette)
        content |= {"follows": led.group, "at": led.at}
    content["clicks"] = on_click is not None
    content["heard"] = st.session_state.get(_heard(block.key), 0)
    if _assets.serve():
        told = {"alt": block.alt, "heading": heading}
        _draw("ranking", content, block.key, told, {"clicked": _at_point(on_click)})
    else:
        st.html(heading)
        st.dataframe(block.table(), key=block.key)


def save(key: str, name: str) -> None:
    """Draw buttons that save a figure or ranking as ``name.png`` and ``name.svg``."""
    if _assets.serve():
        _save(key=f"save_{key}", data={"figure": key, "name": name}, width="content")


def _drags(trace: Mapping[str, Any]) -> bool:
    return "drag" in (trace.get("meta") or {})


def _draw(
    kind: str,
    content: dict[str, Any],
    key: str,
    texts: Mapping[str, str],
    events: Mapping[str, OnReport | None],
) -> None:
    callbacks = {
        f"on_{event}_change": _calling(function, key, event)
        for event, function in events.items()
        if function is not None
    }
    mount = _component()
    # Reserve the height until the figure is drawn, so that nothing below it moves.
    height = content.get("layout", {}).get("height")
    mount(
        key=key,
        height=height + HEADING if height else "content",
        data={"kind": kind, **texts, "content": content},
        **callbacks,
    )


def _calling(function: OnReport, key: str, event: str) -> Callable[[], None]:
    """Return what passes on to ``function`` what the browser reports."""

    def call() -> None:
        report = st.session_state[key].get(event)
        if report is not None:
            st.session_state[_heard(key)] = int(report["told"])
            function(report)

    return call


def _at_point(function: OnPoint | None) -> OnReport | None:
    """Return what tells ``function`` which point the browser reports."""
    if function is None:
        return None

    def call(point: Mapping[str, Any]) -> None:
        places = [point[axis] for axis in "xyz" if axis in point]
        # Of a category or a moment, the browser gives the name.
        at = [p if isinstance(p, str) else float(p) for p in places]
        function(str(point["trace"]), int(point["point"]), *at)

    return call


def _at_rest(function: OnBrush | None) -> OnReport | None:
    """Return what tells ``function`` the ranges that the browser reports."""
    if function is None:
        return None
    return lambda report: function(report["ranges"])


def _heard(key: str) -> str:
    """Where the number of the last report heard from a figure is kept."""
    return f"{key} heard"


@cache
def _component() -> Callable[..., Any]:
    """Return the component; a process without a server can do without it."""
    return st.components.v2.component(
        _assets.NAME, js=_assets.mount(), css="live.css", isolate_styles=False
    )
