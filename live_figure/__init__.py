"""A Plotly figure in Streamlit that redraws in place as data arrives.

`st.plotly_chart` is removed and rebuilt whenever its figure changes, which loses the
zoom. This component updates its figure, so that a fragment can push the whole figure
ten times a second. It draws figures with the plotly.js of the installed Plotly package,
and rankings as columns of chips. Points of a figure can be dragged and clicked, and its
parallel axes brushed.
"""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import streamlit as st

from live_figure import _serving
from live_figure._still import still

__version__ = "0.1.0"
__all__ = ["ExactPlace", "available", "early", "figure", "place", "ranking"]

OnPoint = Callable[..., None]
OnBrush = Callable[[Mapping[str, Any]], None]
# Called with the browser's report of an event.
OnReport = Callable[[Mapping[str, Any]], None]

# The height of a one-line heading, in pixels.
HEADING = 24
# Seconds that a browser may need to load the drawing code when it opens a page.
OPENS = 5.0
_FIRST = "first live figure"
# The key of the first figure's picture.
_PICTURE = "still_picture"
# Plotly's smaller bundle, for two-dimensional figures.
_PLANE = "plotly/plotly-cartesian.min.js"
# Inline, because the style sheet arrives with the figure, after its picture.
_ABOVE = "position:absolute;inset:0 0 auto;z-index:1;pointer-events:none"


def available() -> bool:
    """Whether this Streamlit serves the component; if not, use ``st.plotly_chart``."""
    return _serving.serve()


def early() -> str:
    """Return HTML for a server to insert into its pages, with which the browser shows
    still pictures and loads the drawing code while the page is built; empty if not
    served."""
    if not available():
        return ""
    _component()
    folder = f"./_stcore/bidi-components/{_serving.NAME}"
    return (
        f"<style>.st-key-{_PICTURE} {{ display: none }}</style>"
        f'<link rel="modulepreload" fetchpriority="low" href="{folder}/{_PLANE}">'
        f'<script type="module" src="{folder}/early.js"></script>'
    )


def figure(
    data: Sequence[Mapping[str, Any]],
    layout: Mapping[str, Any],
    *,
    key: str,
    view: str,
    alt: str = "",
    heading: str = "",
    pictured: bool = True,
    on_drag: OnPoint | None = None,
    on_click: OnPoint | None = None,
    on_hover: OnPoint | None = None,
    on_brush: OnBrush | None = None,
) -> None:
    """Draw a figure, or redraw it in place.

    Parameters
    ----------
    data, layout
        As for plotly.js, with values that JSON can represent. Long arrays are best
        encoded in plotly.js's base64 form; those of draggable traces must be lists.
    key : str
        Identifies the figure from run to run.
    view : str
        Zoom is kept as long as this value is unchanged.
    alt : str
        Its text alternative.
    heading : str
        HTML above the figure.
    pictured : bool
        Whether a still picture takes its place until the browser has loaded the drawing
        code, if it is the first figure of a session and pages include `early`.
    on_drag, on_click : callable, optional
        Called with the trace's name, the point's number from 0, and its new x and y,
        before the page runs again: during and after the drag of a point whose trace has
        ``meta={"drag": "x"}`` (or "y" or "xy"), or when any point is clicked. On a
        categorical or date axis the coordinate is text. A point in 3D, of a trace with
        ``meta={"drag": "xyz"}``, is dragged in the plane of the screen, and its z is
        passed too. The keyboard also moves such points: Tab reaches the figure, arrows
        choose a point, Enter takes it. Its accessible name is its text, or its name in
        ``meta["names"]``. When Escape puts it back, its coordinates are `ExactPlace`.
    on_hover : callable, optional
        Called likewise, at most four times a second, while the pointer is on a point
        for which the browser has no states to show in linked figures: ``empty`` in the
        ``meta`` of its trace lists these points.
    on_brush : callable, optional
        Called with the ranges on parallel axes, by axis name, a quarter of a second
        after a brush stops moving.
    """
    content = {
        "data": data,
        "layout": layout,
        "view": view,
        "drags": on_drag is not None,
        "clicks": on_click is not None,
        "hovers": on_hover is not None,
        "brushes": on_brush is not None,
    }
    events = {
        "dragged": _at_point(on_drag),
        "clicked": _at_point(on_click),
        "hovered": _at_point(on_hover),
        "brushed": _at_rest(on_brush),
    }
    height = layout.get("height")
    # Reserve the height until the figure is drawn, so that content below does not move.
    reserved = height + HEADING if height else "content"
    if pictured and _is_first(key):
        _stand_in(data, layout, heading)
    _draw("figure", content, key, {"alt": alt, "heading": heading}, events, reserved)


def _is_first(key: str) -> bool:
    """Whether a figure is the first one of a session."""
    return bool(st.session_state.setdefault(_FIRST, (key, time.monotonic()))[0] == key)


def _stand_in(
    data: Sequence[Mapping[str, Any]], layout: Mapping[str, Any], heading: str
) -> None:
    """Draw a still picture in place of the first figure while its page opens;
    afterwards, an empty element."""
    opened = st.session_state[_FIRST][1]
    picture = still(data, layout) if time.monotonic() < opened + OPENS else ""
    if not picture:
        st.empty()
        return
    # A heading element in the picture would count as a heading of the page.
    above = re.sub("<(/?)h[1-6]", r"<\1div", heading)
    # The page's script inserts this text as HTML, because Streamlit would first load
    # its own HTML element. `still` escapes all text and attributes.
    with st.container(key=_PICTURE):
        st.text(
            f'<div class="rs-still" aria-hidden="true" style="{_ABOVE}">'
            f'<div class="rs-live-heading">{above}</div>{picture}</div>'
        )


def ranking(
    content: Mapping[str, Any],
    *,
    key: str,
    alt: str = "",
    heading: str = "",
    on_click: OnPoint | None = None,
) -> None:
    """Draw columns of chips, which move when their order changes.

    Parameters
    ----------
    content : dict
        In the format of ``assets/ranking.js``.
    key, alt, heading, on_click
        As in `figure`.
    """
    content = {**content, "clicks": on_click is not None}
    texts = {"alt": alt, "heading": heading}
    _draw("ranking", content, key, texts, {"clicked": _at_point(on_click)})


def _draw(
    kind: str,
    content: Mapping[str, Any],
    key: str,
    texts: Mapping[str, str],
    events: Mapping[str, OnReport | None],
    height: int | str = "content",
) -> None:
    _serving.serve()
    callbacks = {
        f"on_{event}_change": _calling(function, key, event)
        for event, function in events.items()
        if function is not None
    }
    heard = st.session_state.get(_heard(key), 0)
    _component()(
        key=key,
        height=height,
        data={"kind": kind, **texts, "content": {**content, "heard": heard}},
        **callbacks,
    )


def _calling(function: OnReport, key: str, event: str) -> Callable[[], None]:
    """Return a callback that passes the browser's reports to ``function``."""

    def call() -> None:
        # A browser may still report a point of a figure that no longer exists.
        report = st.session_state.get(key, {}).get(event)
        if report is not None:
            st.session_state[_heard(key)] = int(report["told"])
            function(report)

    return call


def _at_point(function: OnPoint | None) -> OnReport | None:
    """Return a callback that passes the reported point to ``function``."""
    if function is None:
        return None

    return lambda report: function(*place(report))


class ExactPlace(float):
    """A coordinate of the place to which a point is put back: `round`, which a callback
    may do to the places of a pointer, leaves it as it is."""

    def __round__(self, digits: Any = None) -> Any:
        return self


def place(report: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the trace's name, the point's number and its coordinates from a report.

    Raises
    ------
    LookupError, TypeError, ValueError
        If the report contains no point.
    """
    places = [report[axis] for axis in "xyz" if axis in report]
    number = ExactPlace if report.get("back") else float
    # On categorical and date axes the browser reports names.
    at = [p if isinstance(p, str) else number(p) for p in places]
    return str(report["trace"]), int(report["point"]), *at


def _at_rest(function: OnBrush | None) -> OnReport | None:
    """Return a callback that passes the reported ranges to ``function``."""
    if function is None:
        return None
    return lambda report: function(report["ranges"])


def _heard(key: str) -> str:
    """Return the session key for the number of the last report of a figure."""
    return f"{key} heard"


@cache
def _component() -> Callable[..., Any]:
    """Return the component, or None in a process without a server."""
    return st.components.v2.component(
        _serving.NAME, js=_serving.mount(), css="live.css", isolate_styles=False
    )
