"""The choice of stored runs, for every page that compares them with others."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from pages.ui.data import datasets
from pages.ui.serving import visitor
from rankcore.views import Several, Values, past

LISTED = 200
# The link key of the page that shows a run without training it.
RUN = "run"
# Settings shared by the compared runs.
TERMS = ("data", "normalise", "measure", "convention", "empty")


def _stored_runs(values: Values) -> dict[str, str]:
    """Return labels of the newest ended runs, and of those in a link, by id."""
    names = dict(past.recent(visitor.owner(), LISTED, ended=True))
    linked = {
        key: past.title_of(key) for key in values.get("runs") or () if key not in names
    }
    return names | {key: name for key, name in linked.items() if name is not None}


def _run_id(text: str) -> str:
    if not re.fullmatch("[A-Za-z0-9_-]{1,32}", text):
        raise ValueError(f"{text[:40]!r} is not the id of a stored run.")
    return text


def terms(keys: Sequence[str]) -> dict[str, Any]:
    """Return the data and evaluation rules of the first of some runs; empty if its data
    is missing."""
    run = next(filter(None, map(past.stored, keys)), None)
    settings = {} if run is None else past.settings(run)
    if not datasets.here(str(settings.get("data", ""))):
        return {}
    return {key: settings[key] for key in TERMS if key in settings}


def start_settings(key: str) -> Mapping[str, Any]:
    """Return the settings of a stored run; empty if the store does not have it."""
    run = past.stored(key)
    return {} if run is None else past.settings(run)


def brought(
    rows: Collection[str],
    link: Mapping[str, Any],
    settings_of: Callable[[str], Mapping[str, Any]] = start_settings,
) -> dict[str, Any]:
    """Return settings that a link leaves to the runs it names: data and rules of the
    first of several runs to compare, or all settings of one run to view."""
    settings: dict[str, Any] = {}
    if RUNS.key in rows and link.get(RUNS.key):
        settings |= terms(link[RUNS.key])
    if RUN in rows and link.get(RUN):
        settings |= settings_of(link[RUN])
    return {k: v for k, v in settings.items() if k in rows and k not in link}


RUNS = Several(
    "runs",
    (),
    "Stored runs",
    meaning="Also compare runs that were trained earlier, here or by a command.",
    names=_stored_runs,
    reads=_run_id,
    boxed=True,
    most=60,
    studied=False,
    group="Stored runs",
)
