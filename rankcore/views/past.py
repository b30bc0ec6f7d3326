"""The run store of this process, whose runs outlive it."""

import datetime as dt
import logging
import math
import threading
import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from rankcore.algorithms import get_algorithm
from rankcore.data.dataset import AS_GIVEN, set_name
from rankcore.studies.jobs import Job
from rankcore.training.changes import texts
from rankcore.views import CHANGES

if TYPE_CHECKING:
    from rankcore.data.dataset import RankingDataset
    from rankcore.studies.store import (
        Recorder,
        Store,
        StoredRun,
        StoredSweep,
        StoreError,
    )
    from rankcore.topics.explore.computed import Batch
    from rankcore.training import Run

T = TypeVar("T")
# Logger of store faults, for the operator of the server.
_LOG = logging.getLogger("rankscope.store")
MOST_LISTED = 50
# Seconds for which a list of runs is reused, as every change of a setting draws it.
LISTED_SECONDS = 2.0
# The place that stands for `computed` in `rankcore.views.Values.work`.
COMPUTED = "computed"
# Seconds until another attempt to open the store.
AGAIN_SECONDS = 30.0


class _Opened:
    """The store, opened on first use."""

    def __init__(self) -> None:
        self.problem: str | None = None
        self._store: Store | None = None
        self._tried_at = -math.inf
        self._lock = threading.Lock()

    def store(self) -> "Store | None":
        from rankcore.studies.store import StoreError, open_store

        with self._lock:
            due = time.monotonic() - self._tried_at > AGAIN_SECONDS
            if self._store is None and due:
                self._tried_at = time.monotonic()
                try:
                    self._store = open_store(quiet=True)
                    self.problem = None
                except StoreError as error:
                    self.note(error)
            return self._store

    def ask(self, question: "Callable[[Store], T]", otherwise: T) -> T:
        """Return the answer of the store, or a default if it cannot be read."""
        from rankcore.studies.store import StoreError

        store = self.store()
        try:
            return otherwise if store is None else question(store)
        except StoreError:
            return otherwise

    def put(self, action: "Callable[[Store], T]") -> T | None:
        """Return the store's answer to a write; None, with a note, if it cannot be
        written."""
        from rankcore.studies.store import StoreError

        store = self.store()
        try:
            return None if store is None else action(store)
        except StoreError as error:
            self.note(error)
            return None

    def note(self, error: "StoreError") -> None:
        """Remember why runs are not kept."""
        problem = f"Runs are not kept after a restart: {error.public}"
        if problem != self.problem:
            _LOG.warning("Runs are not kept: %s", error)
        self.problem = problem


_OPENED = _Opened()
# Keys of data and split from a command, which are not settings of a page.
SOURCE = (
    "source", "valid", "test", "divide", "divide_seed", "weights", "document_weights",
)  # fmt: skip


def store() -> "Store | None":
    """Return the run store; None if there is none, and `problem` says why."""
    return _OPENED.store()


def problem() -> str | None:
    """Why runs are not stored, as a sentence; None if no problem is known."""
    return _OPENED.problem


def works() -> bool:
    """Whether the store is readable now."""
    return _OPENED.ask(lambda store: len(store) >= 0, False)


def has_visitor(visitor: str) -> bool:
    """Whether the store has runs or sweeps of a visitor; False if it is unreadable."""
    return _OPENED.ask(lambda store: store.has_visitor(visitor), False)


def progress(visitor: str) -> Mapping[str, int]:
    """Return the furthest step that a visitor has opened in each lesson, by lesson
    name; empty if the store cannot be read."""
    return _OPENED.ask(lambda store: store.progress(visitor), {})


def keep_progress(visitor: str, lesson: str, step: int) -> None:
    """Record that a visitor has opened a step of a lesson, if there is a store."""
    _OPENED.put(lambda store: store.put_progress(visitor, lesson, step))


def keep(job: Job) -> "Recorder | None":
    """Start to store a job's run, under the job's id and owner."""
    details = job.title, job.settings, job.id, job.owner
    recorder = _OPENED.put(lambda store: store.record(job.run, *details))
    if recorder is not None:
        _OPENED.problem = None
    return recorder


def sweeps(visitor: str, study: str | None = None) -> Any:
    """``store=`` of `rankcore.studies.sweeps.sweep` for a visitor's sweeps, grouped by
    ``study``; None if no page is drawn, as for examples."""
    if not visitor:
        return None
    from rankcore.studies.store import SweepKeeper

    return SweepKeeper(_OPENED.store, _OPENED.note, visitor, study)


def keeper(
    visitor: str, settings: Mapping[str, Any]
) -> "Callable[[Run, str], Recorder | None] | None":
    """Return a function that starts to store a visitor's run under a title, as part of
    a study with these common settings; None if no page is drawn."""

    def begin(run: "Run", title: str) -> "Recorder | None":
        return _OPENED.put(
            lambda store: store.record(run, title, settings, visitor=visitor)
        )

    return begin if visitor else None


def resume(stored: "StoredRun", visitor: str, job: Job) -> "Recorder | None":
    """Store the continuation of a stored run, if a visitor may change it; ValueError if
    it cannot continue."""
    from rankcore.studies.store import StoreError

    store = _OPENED.store()
    try:
        return None if store is None else store.resume(stored, job.run, visitor)
    except StoreError as error:
        raise ValueError(error.public) from error


def stored(key: str | None) -> "StoredRun | None":
    """Return the stored run with that id, or None."""
    try:
        return _OPENED.ask(lambda store: store.load(key), None) if key else None
    except KeyError:
        return None


def recent(
    visitor: str, most: int = MOST_LISTED, ended: bool = False
) -> Mapping[str, str]:
    """Return a visitor's newest stored runs, ended ones if ``ended``: title, settings,
    data, seed and time by id. They may be seconds old, except for their number. Without
    a visitor: of all."""
    moment = time.monotonic() // LISTED_SECONDS
    terms = moment, visitor, most, ended
    return _OPENED.ask(lambda store: _listed(store, len(store), *terms), {})


@lru_cache(maxsize=64)
def _listed(
    store: "Store", number: int, moment: float, visitor: str, most: int, ended: bool
) -> Mapping[str, str]:
    from rankcore.studies.store import Query, with_settings

    runs = store.search(Query(visitor=visitor), most).table
    runs = runs[runs["status"] != "running"] if ended else runs
    titles = map(with_settings, runs["title"], runs["settings"])
    columns = titles, runs["data"], runs["seed"], runs["created"]
    rows = zip(*columns, strict=True)
    return {str(key): _words(*row) for key, row in zip(runs.index, rows, strict=True)}


def title_of(key: str) -> str | None:
    """Return the title in `recent` of any visitor's stored run; None if it is
    missing."""
    run = stored(key)
    if run is None:
        return None
    return _words(run.described, run.data, run.seed, run.created)


def _words(title: str, data: str, seed: float | None, created: dt.datetime) -> str:
    seeded = "" if seed is None or math.isnan(seed) else f"seed {seed:.0f}, "
    return f"{title}, {data}, {seeded}{created:%d %b %H:%M}"


def computed(visitor: str) -> "tuple[Batch, ...]":
    """Return the results of a visitor's stored studies and runs, and of common ones;
    without a visitor: of all. They may be seconds old."""
    moment = time.monotonic() // LISTED_SECONDS
    return _OPENED.ask(lambda store: _computed(store, moment, visitor), ())


@lru_cache(maxsize=16)
def _computed(store: "Store", moment: float, visitor: str) -> "tuple[Batch, ...]":
    from rankcore.topics.explore.computed import stored

    return stored(store, visitor)


def recalled(
    stored: "StoredRun", train: "RankingDataset", valid: "RankingDataset | None"
) -> "Run":
    """Return `StoredRun.recalled`; ValueError also if the store cannot be read."""
    from rankcore.studies.store import StoreError

    try:
        return stored.recalled(train, valid)
    except StoreError as error:
        raise ValueError(error.public) from error


def settings(run: "StoredRun") -> Mapping[str, Any]:
    """Return a page's settings for a stored run, with the changes made since its start.

    Settings that were not stored, as for a run started by a command, are those with
    which the page would have made it.
    """
    changes = texts(get_algorithm(run.algorithm), run.planned)
    values = declared(
        run.algorithm,
        {**run.hyperparameters, "random_state": run.seed},
        run.data,
        run.normalisation,
        run,
    )
    start = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in run.settings.items()
        if key not in SOURCE
    }
    return {**values, **start, CHANGES: ";".join(changes)}


def declared(
    algorithm: str,
    hyperparameters: Mapping[str, Any],
    data: str,
    normalisation: str | None,
    measured: "StoredRun | StoredSweep",
) -> dict[str, Any]:
    """Return a page's settings for a run, from its hyperparameters and conditions;
    ``measured`` describes its evaluation."""
    values = {f"{algorithm}.{name}": value for name, value in hyperparameters.items()}
    seed = values.pop(f"{algorithm}.random_state")
    return values | {
        "algorithm": algorithm,
        "data": set_name(data),
        "normalise": normalisation or AS_GIVEN,
        "measure": measured.measures[0] if measured.measures else "nDCG@10",
        "convention": measured.convention,
        "empty": measured.empty,
        "seed": seed or 0,
    }
