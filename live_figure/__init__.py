"""A Plotly figure in Streamlit that redraws in place while numbers arrive.

`st.plotly_chart` is torn out and rebuilt whenever its figure changes, and zoom with it.
This component keeps its picture, so that a fragment can push the whole figure ten times
a second. It draws figures with the plotly.js of the installed Plotly package, and
rankings as columns of chips. Points of a figure can be dragged and clicked, its
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
# Called with what the browser says of an event.
OnReport = Callable[[Mapping[str, Any]], None]

# The height of a heading of one line, in pixels.
HEADING = 24
# So long a browser that opens a page may need to load what draws figures, in seconds.
OPENS = 5.0
_FIRST = "first live figure"
# The key of the first figure's picture.
_PICTURE = "still_picture"
# The smaller bundle of Plotly, for figures in the plane.
_PLANE = "plotly/plotly-cartesian.min.js"
# The style sheet comes with the figure, which is later than its picture.
_ABOVE = "position:absolute;inset:0 0 auto;z-index:1;pointer-events:none"


def available() -> bool:
    """Whether this Streamlit serves the component; where it does not, draw by
    ``st.plotly_chart``."""
    return _serving.serve()


def early() -> str:
    """Return what a server may write into its pages, as HTML, so that the browser shows
    pictures of figures, and loads what draws these, while the page is made; empty where
    it is not served."""
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
    """Draw a figure, or redraw it where it stands.

    Parameters
    ----------
    data, layout
        As plotly.js takes them, with values that JSON can hold. Long arrays are best
        written as plotly.js reads them in base64; those of traces that are dragged are
        lists.
    key : str
        The same figure from run to run has the same key.
    view : str
        Zoom is kept as long as this stays the same.
    alt : str
        Its text alternative.
    heading : str
        What stands above it, as HTML.
    pictured : bool
        Whether a still picture stands in its place until the browser has loaded what
        draws it, if it is the first figure of a session and pages have `early`.
    on_drag, on_click : callable, optional
        Called with the trace's name, the point's number from 0, and its new x and y,
        before the page runs again: while and after a point is dragged whose trace has
        ``meta={"drag": "x"}`` (or "y" or "xy"), or when any point is clicked. On an
        axis of names or moments its place is text. A point in space, of a trace with
        ``meta={"drag": "xyz"}``, is dragged in the plane of the screen, and its z is
        given too. Keys move such points as well: Tab reaches the figure, arrows choose
        a point, Enter takes it. It is called by its text, or its name in
        ``meta["names"]``. Where Escape puts it back, its new place is an `ExactPlace`.
    on_hover : callable, optional
        Called likewise, at most four times a second, while the pointer is on a point
        that leads other figures but has no state of its own: ``empty`` in the ``meta``
        of its trace says which these are.
    on_brush : callable, optional
        Called with the ranges on parallel axes, by the names of the axes, a quarter of
        a second after a brush has come to rest.
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
    # Reserve the height until the figure is drawn, so that nothing below it moves.
    reserved = height + HEADING if height else "content"
    if pictured and _is_first(key):
        _stand_in(data, layout, heading)
    _draw("figure", content, key, {"alt": alt, "heading": heading}, events, reserved)


def _is_first(key: str) -> bool:
    """Whether a figure is the one that a session began with."""
    return bool(st.session_state.setdefault(_FIRST, (key, time.monotonic()))[0] == key)


def _stand_in(
    data: Sequence[Mapping[str, Any]], layout: Mapping[str, Any], heading: str
) -> None:
    """Draw a picture in place of the first figure while its page opens; afterwards
    nothing, in the same place."""
    opened = st.session_state[_FIRST][1]
    picture = still(data, layout) if time.monotonic() < opened + OPENS else ""
    if not picture:
        st.empty()
        return
    # A heading in it would be one of the page.
    above = re.sub("<(/?)h[1-6]", r"<\1div", heading)
    # The page's script makes the picture of this text: Streamlit would load what draws
    # HTML first. `still` escapes all words and attributes.
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
    """Draw columns of chips, which move where their order changes.

    Parameters
    ----------
    content : dict
        As ``assets/ranking.js`` reads it.
    key, alt, heading, on_click
        Of `figure`.
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
    """Return what passes on to ``function`` what the browser reports."""

    def call() -> None:
        # A browser may still report a point of a figure that has gone.
        report = st.session_state.get(key, {}).get(event)
        if report is not None:
            st.session_state[_heard(key)] = int(report["told"])
            function(report)

    return call


def _at_point(function: OnPoint | None) -> OnReport | None:
    """Return what tells ``function`` which point the browser reports."""
    if function is None:
        return None

    return lambda report: function(*place(report))


class ExactPlace(float):
    """A coordinate of the place to which a point is put back: `round`, which a callback
    may do to the places of a pointer, leaves it as it is."""

    def __round__(self, digits: Any = None) -> Any:
        return self


def place(report: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the trace's name, the point's number and its place, of what the browser
    reports of a point.

    Raises
    ------
    LookupError, TypeError, ValueError
        If it reports none.
    """
    places = [report[axis] for axis in "xyz" if axis in report]
    number = ExactPlace if report.get("back") else float
    # The browser names the places of categories and dates.
    at = [p if isinstance(p, str) else number(p) for p in places]
    return str(report["trace"]), int(report["point"]), *at


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
        _serving.NAME, js=_serving.mount(), css="live.css", isolate_styles=False
    )
