"""Ways to reproduce a result: a link, a command, Python, a step of a lesson."""

import shlex
from collections.abc import Mapping, Sequence
from urllib.parse import parse_qsl

import yaml

from pages.ui.away import links
from pages.ui.data import datasets
from pages.ui.lessons.store import STEP_PAGES
from rankcore.views import Page, Setting, Shown, Values

# The page that a link without a path opens.
HOME = "home"
SERVER = "http://127.0.0.1:8501"
# Placeholder for the text of a lesson's step.
WORDS = {"text": "What there is to see.", "question": "Why?", "answer": "Because."}


def ways(
    page: Page,
    rows: Sequence[Setting],
    values: Values,
    shown: Shown,
    server: str = SERVER,
    job: str = "",
) -> Mapping[str, str]:
    """Texts to copy, by name: a link, a command, Python, and a step of a lesson.
    ``server`` is the address of the app, and ``job`` the id of the study shown, as in
    `links.link`."""
    link = links.link(page, rows, values, job)
    there = {"Link": f"{server}/{link.removeprefix(HOME)}"}
    name = str(values.get("data", ""))
    if datasets.missing(name):
        return there
    files = datasets.files(name)
    # Programs can find an uploaded file only by its path.
    code = shown.python if files is None or name not in shown.python else ""
    return {
        **there,
        "Command": shown.command or command(link, files),
        "Python": code or python(link, files),
        **(
            {"Lesson step": step(link)}
            if files is None and page.name in STEP_PAGES
            else {}
        ),
    }


def command(link: str, files: datasets.Files | None = None) -> str:
    """Return the command that writes a view as a report; ``files`` are the files of its
    data, if uploaded."""
    words = [] if files is None else ["--data", *files.words()]
    return shlex.join(["rankscope", "export-view", link, *words, "--out", "view.html"])


def step(link: str) -> str:
    """Return a step of a lesson that opens a view with its settings, in YAML."""
    page, _, query = link.partition("?")
    settings = {key: text for key, text in parse_qsl(query) if key != links.JOB}
    entry = {"page": page, **({"settings": settings} if settings else {}), **WORDS}
    return yaml.safe_dump([entry], allow_unicode=True, sort_keys=False)


def python(link: str, files: datasets.Files | None = None) -> str:
    """Return Python code that opens a view; ``files`` as in `command`."""
    reading, data = "", ""
    if files is not None:
        reading, data = f"{files.splits()}\n", ", data=data"
    return f"""{reading}from rankcore.reports import open_view

shown = open_view({link!r}{data})
tables = shown.exports()
figures = [panel.picture.figure() for panel in shown.panels()]
"""
