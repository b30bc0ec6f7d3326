"""Small components of the app: a script, a style and HTML in ``assets``."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from pages.ui.assets import ASSETS


def component(name: str, html: str = "", style: str = "") -> Callable[..., Any]:
    """Return the component of ``name``.js and ``html`` or ``name``.html, styled by
    ``style``.css or ``name``.css."""
    return st.components.v2.component(
        name,
        html=html or _text(f"{name}.html"),
        css=_text(f"{style or name}.css"),
        js=_text(f"{name}.js"),
    )


def _text(file: str) -> str | None:
    path = ASSETS / file
    return path.read_text("utf-8") if path.exists() else None
