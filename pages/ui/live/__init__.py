"""The live figure: one component that redraws in place while numbers arrive.

`st.plotly_chart` is torn out and rebuilt whenever its figure changes, and zoom with it.
This component keeps its picture, so that a fragment can push the whole figure ten times
a second. It draws figures with the plotly.js of the installed Plotly package, and
rankings as columns of chips.
"""

from base64 import b64encode
from typing import Any

import numpy as np
import streamlit as st

from pages.ui.live import _assets
from pages.ui.live._chips import chips
from rankcore.charts.palette import Palette
from rankcore.insight.ranking import QueryRanking


def figure(picture: dict[str, Any], *, key: str, view: str, alt: str) -> None:
    """Draw a figure, or redraw it where it stands.

    Parameters
    ----------
    picture : dict
        Traces and layout in Plotly's form, from `rankcore.charts`.
    key : str
        The same figure from run to run has the same key.
    view : str
        Zoom is kept as long as this stays the same.
    alt : str
        What the picture shows, as a sentence.
    """
    layout = picture["layout"] | {"uirevision": view}
    traces = [_packed(trace) for trace in picture["data"]]
    _draw("figure", {"data": traces, "layout": layout}, key, alt)


def ranking(
    ranking: QueryRanking, *, key: str, rows: int, palette: Palette, alt: str
) -> None:
    """Draw a query's first ``rows`` documents as chips, the ideal order beside them."""
    _draw("ranking", chips(ranking, rows, palette), key, alt)


def _packed(trace: dict[str, Any]) -> dict[str, Any]:
    """A trace with its arrays in the binary form that plotly.js reads."""
    return {
        name: {
            "dtype": value.dtype.str[1:],
            "bdata": b64encode(value.tobytes()).decode("ascii"),
        }
        if isinstance(value, np.ndarray)
        else value
        for name, value in trace.items()
    }


def _draw(kind: str, content: dict[str, Any], key: str, alt: str) -> None:
    _assets.serve()
    _mount(key=key, data={"kind": kind, "alt": alt, "content": content})


_assets.serve()
_mount = st.components.v2.component(
    _assets.NAME, js="live.js", css="live.css", isolate_styles=False
)
