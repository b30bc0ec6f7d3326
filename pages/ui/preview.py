"""Figures as a page will draw them once a change has reached it."""

from collections.abc import Mapping
from typing import Any

import live_figure
from pages.ui.components import live
from rankcore.base.errors import DataError
from rankcore.studies.jobs import drawing
from rankcore.views.preview import PagePreview


def figures(
    preview: PagePreview, large: bool, report: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return the figures after a change that the browser reports: a dragged point or a
    moved slider; with type as on a slide if ``large``. None if they have to wait for
    the page."""
    try:
        if "figure" in report:
            key = str(report["figure"]).removesuffix(live.FIGURE)
            preview.dragged(key, *live_figure.place(report))
        else:
            # After the last hyphen is the number of `session.control`.
            name = str(report["control"]).rpartition("-")[0]
            preview.slid(name, float(report["at"]))
        with drawing():
            content = preview.content()
    except (ArithmeticError, DataError, LookupError, TypeError, ValueError):
        # The page says why.
        return None
    if content is None:
        return None
    values, shown = content
    return live.frames(shown.blocks, values.palette, large)
