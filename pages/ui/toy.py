"""The small ranking of the home page: drag one weight and watch nDCG jump.

The numbers are sent once; moving the weight afterwards happens in the browser, without
a request to the server.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

HERE = Path(__file__).parent

_toy = st.components.v2.component(
    "toy_ranking",
    css=(HERE / "toy.css").read_text("utf-8"),
    js=(HERE / "toy.js").read_text("utf-8"),
)


def draw(key: str, data: Mapping[str, Any]) -> None:
    """Draw the ranking, its ideal order and nDCG over the weight, with a slider."""
    _toy(key=key, data=dict(data))
