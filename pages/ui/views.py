"""The views of a page: one at a time, each with its controls, figures and export."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from streamlit.delta_generator import DeltaGenerator

from pages.ui import downloads, explain, frame
from pages.ui.choice import segments

Parts = Mapping[str, explain.Part]


class View(NamedTuple):
    """One way to look: its settings, and what it draws with their values.

    Attributes
    ----------
    settings, show, export : callable
        Draw controls and return their values; draw the figures, and the export, of
        these. Without an export of its own, the tables by name that ``show`` returns
        are taken away.
    """

    settings: Callable[[], Any]
    show: Callable[[Any], Mapping[str, Any] | None]
    export: Callable[[Any], None] | None = None


def show(
    key: str,
    views: Mapping[str, View],
    parts: Callable[[str, Any], Parts],
    actions: DeltaGenerator,
) -> None:
    """Controls, figures, explanation and export of the view that is chosen.

    Parameters
    ----------
    key : str
        Of the setting that names the view.
    views : dict
    parts : callable
        The parts of the explanation, by the view's name and the controls' values.
    actions : place
        Where the export goes.
    """
    name = picker(key, views)
    view = views[name]
    controls, picture = frame.split()
    with controls:
        values = view.settings()
    with picture:
        shown = view.show(values)
        explain.panel(parts(name, values))
    with actions:
        if view.export is not None:
            view.export(values)
        else:
            downloads.menu({name: lambda t=t: t for name, t in (shown or {}).items()})


def picker(key: str, names: Iterable[str]) -> str:
    """Choose a view by name."""
    return segments("View", key, names, label_visibility="collapsed")
