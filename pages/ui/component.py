"""Small components of the page's own: a script, a style and HTML in ``assets``."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

ASSETS = Path(__file__).parent / "assets"


def component(
    name: str, html: str | None = None, style: str = ""
) -> Callable[..., Any]:
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
