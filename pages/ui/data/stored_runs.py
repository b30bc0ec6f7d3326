"""Runs of the store to choose from, on every page that shows them beside others."""

import re
import time
from collections.abc import Mapping
from functools import lru_cache

from pages.ui.serving import visitor
from rankcore import past
from rankcore.views import Several, Values

# A list of stored runs is this old at most.
FRESH_SECONDS = 5
LISTED = 200


def _stored_runs(values: Values) -> dict[str, str]:
    return dict(_recent(int(time.monotonic() / FRESH_SECONDS)))


@lru_cache(maxsize=1)
def _recent(moment: int) -> Mapping[str, str]:
    """The newest stored runs that can be compared: id → words."""
    from rankcore.store import StoreError

    store = past.store()
    try:
        found = (
            None
            if store is None
            else store.runs(visitor=visitor.current()).head(LISTED)
        )
    except StoreError:
        return {}
    if found is None:
        return {}
    rows = found[found["status"] != "running"].iterrows()
    return {
        str(key): f"{row['title']}, {row['data']}, seed {row['seed']}, "
        f"{row['created']:%d %b %H:%M}"
        for key, row in rows
    }


def _run_id(text: str) -> str:
    if not re.fullmatch("[A-Za-z0-9_-]{1,32}", text):
        raise ValueError(f"{text[:40]!r} is not the id of a stored run.")
    return text


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
