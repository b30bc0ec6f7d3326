"""The disk space of runs, and the removal of deleted ones."""

from typing import TYPE_CHECKING, Any

from pages.ui.serving import visitor
from rankcore.base.numbers import counted
from rankcore.views import Act, Block, Caption, Popover, Values

if TYPE_CHECKING:
    from rankcore.studies.store import Store


def size(store: "Store") -> str:
    """Return the size of the store and its limit."""
    from rankcore.studies.store import as_text, limit

    return f"{as_text(store.size())} of {as_text(limit())}"


def blocks(store: "Store", values: Values) -> list[Block]:
    """Return a folded panel: where the runs are stored, and removal of deleted ones."""
    return [Popover("Storage", "runs_storage", lambda: _panel(store))]


def _panel(store: "Store") -> list[Block]:
    from rankcore.studies.store import LIMIT_VARIABLE, Query

    who = visitor.owner()
    deleted = store.search(Query(deleted=True, visitor=who), limit=1).total
    swept = len(store.sweeps(deleted=True, visitor=who))

    def cleared() -> dict[str, Any]:
        store.clear(who)
        return {"runs_undo": "", "sweeps_undo": "", "runs_deleted": ""}

    sweeps = f" and {counted(swept, 'sweeps')}" if swept else ""
    label = f"Remove {counted(deleted, 'deleted runs')}{sweeps}"
    # Only the owner sees the location.
    place = f"in the file `{store.file}`" if store.file and not who else store.kind
    return [
        Caption(
            f"{size(store)}, {place}. If it is full, new runs are not stored; set "
            f"`{LIMIT_VARIABLE}` to change the limit."
        ),
        Act(
            f"{label} for good",
            "runs_remove",
            cleared,
            "This cannot be undone.",
            "delete_forever",
            disabled=not (deleted or swept),
        ),
    ]
