"""Stored sweeps: one entry per sweep, whose cells become runs when opened.

Paths, searches and sensitivity studies are included.
"""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from pages.ui import texts
from pages.ui.data import datasets
from pages.ui.serving import visitor
from pages.views.runs._chosen import PINNED, PINS
from rankcore import views
from rankcore.algorithms import get_algorithm
from rankcore.studies.results import Cell
from rankcore.topics.runs.studies import StoredStudy, studies_of
from rankcore.training import Run

if TYPE_CHECKING:
    import pandas as pd

    from rankcore.studies.store import Store, StoredSweep

COMMON = "A common sweep: `rankscope runs delete` deletes it."
ABSENT = "Sweep {} is not in the table. Choose a sweep in the table."
SWEEP = views.Text("runs_sweep", "", "Sweep", inline=True, studied=False)
CELL = views.Text("runs_cell", "", "Cell of the sweep", inline=True, studied=False)
DELETED = views.Text(
    "sweeps_undo", "", "Recently deleted sweep", inline=True, studied=False
)
STUDY = views.Text("runs_study", "", "Comparison", inline=True, studied=False)
SETTINGS = (SWEEP, CELL, DELETED, STUDY)


def blocks(store: "Store", values: views.Values) -> list[views.Block]:
    """Return the comparisons and sweeps that match the page's search, one row each, and
    below them the selected comparison's sweeps and the selected sweep's cells. None
    without sweeps."""
    stored = store.sweeps(bool(values.runs_deleted), visitor=visitor.owner())
    studies, undo = stored["study"][_sought(stored, values)], _undo(store, values)
    # Each algorithm of a comparison finds it, and it is shown completely.
    table = stored[stored["study"].isin(studies)]
    if table.empty:
        return undo
    rows = studies_of(table)
    parts: list[views.Block] = [_listed("sweeps_table", "Comparisons and sweeps", rows)]
    chosen = next((s for s in rows if s.key == values.runs_study), None)
    if chosen is not None and len(chosen.sweeps) > 1:
        sweeps = [StoredStudy.of(table.loc[[key]]) for key in chosen.sweeps]
        parts.append(_listed("study_table", f"Sweeps of {chosen.title}", sweeps))
    if values.runs_sweep in table.index:
        parts += _cells(store, store.load_sweep(values.runs_sweep), values)
    elif values.runs_sweep:
        parts.append(views.Caption(ABSENT.format(texts.literal(values.runs_sweep))))
    return [*undo, *parts]


def _listed(key: str, title: str, studies: Sequence[StoredStudy]) -> views.Table:
    """Return a table with one row per study; a study of a single sweep opens it."""

    def opened(row: int) -> views.Changes:
        study = studies[row]
        alone = study.sweeps[0] if len(study.sweeps) == 1 else ""
        link = {} if key == "study_table" else {STUDY.key: "" if alone else study.key}
        return {SWEEP.key: alone, CELL.key: "", **link}

    note = "choose a row to see its runs"
    return views.Table(key, title, note, [s.row() for s in studies], on_choose=opened)


def _sought(table: "pd.DataFrame", values: views.Values) -> list[bool]:
    """Return a mask of the sweeps that match the words, algorithm and data."""
    words = values.runs_search.lower().split()
    return [
        all(word in f"{row.Index} {row.title} {row.data}".lower() for word in words)
        and values.runs_algorithm in ("", row.algorithm)
        and values.runs_data in ("", *row.data.split(", "))
        for row in table.itertuples()
    ]


def _undo(store: "Store", values: views.Values) -> list[views.Block]:
    key = values[DELETED.key]
    if not key or values.runs_deleted:
        return []
    titles = store.sweeps(deleted=True, visitor=visitor.owner())["title"]
    if key not in titles.index:
        return []
    note = views.Caption(f"Deleted {texts.literal(titles[key])}.")
    back = _back(store, key, "Undo", "sweeps_restore")
    return [views.Row([[note], [back]], widths=(3, 2))]


def _back(store: "Store", sweep: str, label: str, key: str) -> views.Act:
    """Return a button that brings back a deleted sweep."""

    def restored() -> dict[str, Any]:
        store.restore(sweep, visitor=visitor.owner())
        return {DELETED.key: "", SWEEP.key: sweep}

    return views.Act(label, key, restored, icon="undo")


def _cells(
    store: "Store", sweep: "StoredSweep", values: views.Values
) -> list[views.Block]:
    table = sweep.to_frame()
    numbers = list(table.index)

    def deleted() -> dict[str, Any]:
        store.delete(sweep.id, visitor=visitor.owner())
        return {SWEEP.key: "", CELL.key: "", DELETED.key: sweep.id}

    warning = "This can be undone. Runs opened from the sweep stay."
    acts: list[list[views.Block]] = [
        [views.Act("Delete sweep", "sweep_delete", deleted, warning, "delete")]
    ]
    if visitor.owner() not in ("", sweep.visitor):
        acts = [[views.Caption(COMMON)]]
    if values.runs_deleted:
        acts = [[_back(store, sweep.id, "Bring back sweep", "sweep_back")]]
    elif sweep.warm:
        text = "A path: each model starts from the one before. Cells are not runs."
        acts.insert(0, [views.Caption(text)])
    elif values.runs_cell.isdecimal() and int(values.runs_cell) in numbers:
        acts[:0] = [[block] for block in _chosen(sweep, int(values.runs_cell))]
    else:
        acts.insert(0, [views.Caption("Choose a cell to open it as a run.")])
    if not numbers:
        return [views.Row(acts)]
    return [
        views.Table(
            "cells_table",
            sweep.title,
            "one row per completed run",
            table.reset_index(),
            on_choose=lambda row: {CELL.key: str(numbers[row])},
        ),
        views.Row(acts),
    ]


def _chosen(sweep: "StoredSweep", number: int) -> list[views.Block]:
    """Return the buttons that open and pin a cell, or the reason why there are none."""
    cell = sweep.cells[number]
    assert cell is not None
    if sweep.pooled:
        origin = f"It was trained on fold {cell.fold} of the data"
    elif cell.sample is not None:
        of = (f"{name} {value:g}" for name, value in cell.sample.to_row().items())
        origin = f"It was trained on changed data ({', '.join(of)})"
    else:
        row = sweep.to_frame().loc[number]
        return _open(sweep, number, cell, "" if row["failed"] else row["iteration"])
    text = (
        f"{origin}; Train uses the unchanged data set. In Python, "
        f"`open_store().load_sweep({sweep.id!r}).run({number}, train, valid)` retrains "
        "this cell."
    )
    return [views.Caption(text)]


def _open(
    sweep: "StoredSweep", number: int, cell: Cell, iteration: int | str
) -> list[views.Block]:
    """Return the buttons that retrain a cell and store it as a run, whose best model
    has this ``iteration`` if known."""
    fold = sweep.folds[cell.fold]
    settings = views.past.declared(
        sweep.algorithm,
        sweep.settings(number),
        fold["data"],
        fold["normalisation"],
        sweep,
    )
    if fold.get("features"):
        off = datasets.feature_names(settings["data"], without=fold["features"])
        settings["without"] = off

    def run() -> Run:
        splits = datasets.load(settings["data"], settings["normalise"])
        valid = splits.valid if fold["valid_fingerprint"] else None
        return sweep.run(number, splits.train, valid)

    title = get_algorithm(sweep.algorithm).title
    hint = f"Retrains {title} with the same result, and stores the run."
    begin = partial(
        views.Begin,
        page="train",
        run=run,
        settings=settings | {views.CHANGES: ""},
        plays=True,
        at=str(iteration),
    )
    return [
        begin(f"Open cell {number} in Train", "cell_open", help=hint),
        begin("Pin", "cell_pin", help=f"{hint} {PINS}", icon="keep", pins=PINNED.key),
    ]
