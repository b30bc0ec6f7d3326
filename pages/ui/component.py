"""Small components of the page's own: a script and a style in this folder each."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

HERE = Path(__file__).parent


def component(
    name: str, html: str | None = None, style: str = ""
) -> Callable[..., Any]:
    """Return the component of ``name``.js, styled by ``name``.css or ``style``.css."""
    css = HERE / f"{style or name}.css"
    return st.components.v2.component(
        name,
        html=html,
        css=css.read_text("utf-8") if css.exists() else None,
        js=(HERE / f"{name}.js").read_text("utf-8"),
    )
