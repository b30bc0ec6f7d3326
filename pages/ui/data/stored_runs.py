"""Runs of the store to choose from, on every page that shows them beside others."""

import re
from collections.abc import Sequence
from typing import Any

from pages.ui.data import datasets
from pages.ui.serving import visitor
from rankcore import past
from rankcore.views import Several, Values

LISTED = 200
# What runs that are compared have in common.
TERMS = ("data", "normalise", "measure", "convention", "empty")


def _stored_runs(values: Values) -> dict[str, str]:
    """The newest runs that have ended: id → words."""
    return dict(past.recent(visitor.current(), LISTED, ended=True))


def _run_id(text: str) -> str:
    if not re.fullmatch("[A-Za-z0-9_-]{1,32}", text):
        raise ValueError(f"{text[:40]!r} is not the id of a stored run.")
    return text


def terms(keys: Sequence[str]) -> dict[str, Any]:
    """The settings of data and rules with which the first of some runs was made; none
    where its data is not here."""
    kept = next(filter(None, map(past.stored, keys)), None)
    settings = {} if kept is None else past.settings(kept)
    if not datasets.here(str(settings.get("data", ""))):
        return {}
    return {key: settings[key] for key in TERMS if key in settings}


RUNS = Several(
    "runs",
    (),
    "Stored runs",
    meaning="Runs trained earlier, here or by a command, are compared as well.",
    names=_stored_runs,
    reads=_run_id,
    boxed=True,
    most=60,
    studied=False,
    group="Stored runs",
)
