"""The settings that find runs, and the runs found."""

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pages.ui.serving import visitor
from rankcore.views import Choice, Listed, Number, Several, Text, Values, past

if TYPE_CHECKING:
    from rankcore.studies.store import Query, Store, StoredRuns

ROWS = 100
# Number of runs in the figure, which covers several lists.
WINDOW = 500
DEFAULT_MEASURE = "nDCG@10"
# Seconds after which the choices are read again.
_FRESH_SECONDS = 1.0

SORTS = {
    "newest": "Newest first",
    "oldest": "Oldest first",
    "best": "Best value on each data set",
    "last": "Last value on each data set",
    "iterations": "Most iterations",
    "seconds": "Longest training",
    "title": "Title",
    "algorithm": "Algorithm",
    "data": "Data",
}
STATUSES = ("running", "finished", "stopped", "interrupted", "failed")
GROUPS = {
    "": "Do not group",
    "algorithm": "Algorithm",
    "data": "Data",
    "status": "Status",
    "tag": "Tag",
}
COLUMNS = {
    "algorithm": "Algorithm",
    "settings": "Settings",
    "data": "Data",
    "best": "Best (validation)",
    "last": "Last (validation)",
    "curve": "Curve",
    "iterations": "Iterations",
    "seconds": "Seconds",
    "seed": "Seed",
    "status": "Status",
    "tags": "Tags",
    "notes": "Note",
    "created": "Started (UTC)",
}
# The title contains algorithm, settings, data and best value.
USUAL = ("last", "curve", "iterations", "status", "tags", "created")


class _Choices:
    """The values of the filters, read once for all controls of a page draw."""

    def __init__(self) -> None:
        self._read: dict[str, tuple[Any, float, Mapping[str, Any]]] = {}

    def of(self, name: str) -> list[str]:
        """Return the values of one facet, the most frequent first."""
        from rankcore.studies.store import StoreError

        store, now = past.store(), time.monotonic()
        if store is None:
            return []
        who = visitor.owner()
        before, then, facets = self._read.get(who, (None, 0.0, {}))
        if before is not store or now - then > _FRESH_SECONDS:
            try:
                facets = store.facets(who)
            except StoreError:
                facets = {}
            fresh = {k: v for k, v in self._read.items() if now - v[1] < _FRESH_SECONDS}
            self._read = {**fresh, who: (store, now, facets)}
        return list(facets.get(name, ()))


_CHOICES = _Choices()


def _offered(facet: str, every: str) -> Callable[[Values], dict[str, str]]:
    """Return the choices of a filter: no filter, and every value of the runs."""
    return lambda values: {"": every} | {name: name for name in _CHOICES.of(facet)}


def _measures(values: Values) -> list[str]:
    return _CHOICES.of("measure") or [DEFAULT_MEASURE]


# All controls stand beside the figure, and none starts a study.
BESIDE: dict[str, Any] = {"inline": True, "studied": False}
SEARCH = Text(
    "runs_search",
    "",
    "Search runs",
    meaning="Words in title, algorithm, data, note or tags, a setting such as g = 30, "
    "or the start of an id.",
    **BESIDE,
)
ALGORITHM = Listed(
    "runs_algorithm",
    "",
    "Algorithm",
    names=_offered("algorithm", "All algorithms"),
    **BESIDE,
)
DATA = Listed("runs_data", "", "Data", names=_offered("data", "All data"), **BESIDE)
SORT = Listed("runs_sort", "newest", "Sort by", names=SORTS, **BESIDE)
STATUS = Listed(
    "runs_status",
    "",
    "Status",
    names={"": "Any status"} | {name: name for name in STATUSES},
    **BESIDE,
)
TAG = Listed("runs_tag", "", "Tag", names=_offered("tag", "Any tag"), **BESIDE)
MEASURE = Listed(
    "runs_measure",
    DEFAULT_MEASURE,
    "Measure",
    names=_measures,
    meaning="Best and last are values of this measure on validation queries.",
    **BESIDE,
)
GROUP = Listed("runs_group", "", "Group by", names=GROUPS, **BESIDE)
SHOWN_COLUMNS = Several(
    "runs_columns", USUAL, "Columns", names=COLUMNS, least=1, boxed=True, **BESIDE
)
BIN = Choice(
    "runs_deleted",
    "",
    "Which runs",
    names={"": "Kept", "deleted": "Deleted"},
    **BESIDE,
)
LIST = Number(
    "runs_list",
    1,
    "List",
    meaning=f"Each list has {ROWS} runs.",
    low=1,
    whole=True,
    box=True,
    **BESIDE,
)
FILTERS = (ALGORITHM, DATA, STATUS, TAG)
SETTINGS = (
    SEARCH, ALGORITHM, DATA, SORT, STATUS, TAG, MEASURE, GROUP, SHOWN_COLUMNS, BIN, LIST
)  # fmt: skip


def query(values: Values) -> "Query":
    """Return the query that the settings define."""
    from rankcore.studies.store import Query

    return Query(
        values.runs_search,
        values.runs_algorithm,
        values.runs_data,
        values.runs_status,
        values.runs_tag,
        values.runs_measure,
        values.runs_sort,
        bool(values.runs_deleted),
        visitor.owner(),
    )


def listed_runs(store: "Store", values: Values) -> tuple["StoredRuns", int]:
    """Return the runs around the selected list, and the position of its first run."""
    begins = ROWS * (values.runs_list - 1)
    window = begins // WINDOW * WINDOW
    runs = store.search(query(values), WINDOW, window)
    return runs, begins - window
