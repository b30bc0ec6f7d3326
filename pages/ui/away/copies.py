"""Ways to the same result elsewhere: a link, a command, and Python."""

import shlex
from collections.abc import Mapping, Sequence

from pages.ui.away import links
from pages.ui.data import datasets
from rankcore.views import Page, Setting, Shown, Values

# The page that an address without a path leads to.
HOME = "home"
SERVER = "http://127.0.0.1:8501"


def ways(
    page: Page,
    rows: Sequence[Setting],
    values: Values,
    shown: Shown,
    server: str = SERVER,
    job: str = "",
) -> Mapping[str, str]:
    """Texts to copy, each by its name: a link, a command and Python.

    Parameters
    ----------
    page : Page
    rows : sequence of Setting
        Of the view that is chosen.
    values : Values
    shown : Shown
        What the view shows; it may know commands and Python of its own.
    server : str
        The address of the app; by default that of ``rankscope serve``.
    job : str
        The id of the study in sight, as of `links.link`.
    """
    link = links.link(page, rows, values, job)
    there = {"Link": f"{server}/{link.removeprefix(HOME)}"}
    if str(values.get("data", "")).startswith(datasets.PREFIX):
        # No other program has an uploaded file.
        return there
    return {
        **there,
        "Command": shown.command or command(link),
        "Python": shown.python or python(link),
    }


def command(link: str) -> str:
    """The command that writes a view as a report."""
    return shlex.join(["rankscope", "export-view", link, "--out", "view.html"])


def python(link: str) -> str:
    """Python that makes a view: its numbers and its figures."""
    return f"""from rankcore.reports import open_view

shown = open_view({link!r})
tables = shown.exports()
figures = [panel.picture.figure() for panel in shown.panels()]
"""
