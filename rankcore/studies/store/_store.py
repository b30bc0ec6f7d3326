"""The store: find, store, annotate and remove runs."""

import logging
import os
import secrets
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields as fields_of
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import RowMapping, delete, func, insert, select, update

from rankcore.base.cancellation import exit_of
from rankcore.studies.store import (
    _process,
    _progress,
    _search,
    _storage,
    _sweeps,
    _tables,
)
from rankcore.studies.store._arrays import packed
from rankcore.studies.store._database import Database, StoreError, address
from rankcore.studies.store._files import read_run
from rankcore.studies.store._recorder import (
    QUIET_SECONDS,
    Recorder,
    fingerprinted,
    fingerprints,
)
from rankcore.studies.store._search import Count, Query, StoredRuns
from rankcore.studies.store._stored import DAMAGED, UNREAD, StoredRun
from rankcore.studies.store._sweeps import StoredSweep
from rankcore.training.changes import Change

if TYPE_CHECKING:
    import pandas as pd

    from rankcore.studies.results import Cell
    from rankcore.training import Run

__all__ = ["Store", "StoreError", "open_store"]

# After this time without a sign of life, a run on another machine, whose processes are
# not visible, counts as interrupted.
_SILENT = timedelta(seconds=4 * QUIET_SECONDS)
_HEAVY = ("started_from",)
# Deleted runs stay until they are cleared.
_DELETABLE = (_tables.runs, _tables.sweeps)


def open_store(url: str | None = None, *, quiet: bool = False) -> "Store":
    """Open the run store, creating it if necessary.

    Parameters
    ----------
    url : str, optional
        ``sqlite:////folder/runs.sqlite`` or ``postgresql://user@host/name``; by default
        the environment variable RANKSCOPE_DATABASE_URL, or a file in the user's data
        folder.
    quiet : bool
        Whether remarks are only in `Store.remarks` rather than warnings.

    Raises
    ------
    StoreError
        If it is not accessible, or was written by a newer version.

    Warns
    -----
    UserWarning
        If an unreadable file was renamed, now or while the store is open.
    """
    remarks: list[str] = []

    def warn(sentence: str) -> None:
        remarks.append(sentence)
        logging.getLogger("rankscope.store").info(sentence)
        if not quiet:
            warnings.warn(sentence, UserWarning, stacklevel=2)

    return Store(Database(address(url), warn), remarks)


class Store:
    """Runs in a database; safe to use from any thread.

    Attributes
    ----------
    remarks : sequence of str
        Sentences about events since opening, such as a renamed file.
    """

    def __init__(self, database: Database, remarks: Sequence[str] = ()) -> None:
        self.remarks = remarks
        self._database = database
        self._closed = threading.Event()
        self._reading = database.reading
        self._writing = database.writing

    @property
    def url(self) -> str:
        """Its URL, without password."""
        return self._database.url.render_as_string(hide_password=True)

    @property
    def kind(self) -> str:
        """Kind of database, such as SQLite."""
        return "SQLite" if self._database.url.drivername == "sqlite" else "PostgreSQL"

    @property
    def file(self) -> str:
        """Name of its file; empty for a database server."""
        return os.path.basename(self._database.url.database or "") * (
            self.kind == "SQLite"
        )

    def close(self) -> None:
        """Close its connections; failed writes are not retried any more."""
        self._closed.set()
        self._database.engine.dispose()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def record(
        self,
        run: "Run",
        title: str = "",
        settings: Mapping[str, Any] | None = None,
        key: str | None = None,
        visitor: str | None = None,
    ) -> Recorder:
        """Start storing a run: write its row, and its records during training.

        Parameters
        ----------
        run : Run
            Run of `rankcore.training.drive`, over which the caller iterates afterwards.
        title : str
            Title of the run; by default the algorithm's.
        settings : dict, optional
            Settings with which an app can restore its controls.
        key : str, optional
            Its id of at most 32 letters and digits; by default a new one.
        visitor : str, optional
            Its owner, of at most 32 characters; by default everybody.

        Returns
        -------
        Recorder
            A recorder; call its ``end`` after training.

        Raises
        ------
        StoreError
            If it cannot be written or the store is full.
        """
        row = _row(run, title, settings or {}) | {"visitor": visitor}
        row["id"] = key or row["id"]
        with self._writing() as connection:
            _storage.check(connection)
            connection.execute(insert(_tables.runs), row)
        return Recorder(self._database, row["id"], run, closed=self._closed)

    @contextmanager
    def recording(self, run: "Run", **details: Any) -> "Iterator[Recorder]":
        """Record a run trained in the ``with`` block; an error in it becomes the reason
        why the run failed."""
        recorder = self.record(run, **details)
        try:
            yield recorder
        except BaseException as error:
            ended = exit_of(error) is not None
            recorder.end(None if ended else str(error) or type(error).__name__)
            raise
        recorder.end()
        if recorder.problem is not None:
            warnings.warn(recorder.problem, UserWarning, stacklevel=3)

    def runs(self, deleted: bool = False, *, visitor: str = "") -> "pd.DataFrame":
        """Return the runs, one row each, newest first, indexed by id. Titles mark
        damaged rows.

        Parameters
        ----------
        deleted : bool
            Whether to show runs deleted but not yet removed instead.
        visitor : str
            As for `Query`.
        """
        import pandas as pd

        table = _tables.runs
        columns = [c for c in table.c if c.name not in (*_HEAVY, "feature_names")]
        wanted = select(*columns).where(table.c.deleted == deleted)
        wanted = wanted.where(_search.visible(table, visitor, deleted))
        with self._reading() as connection:
            records = connection.execute(wanted.order_by(table.c.created.desc()))
            rows = [_readable_row(row)[0] for row in records.mappings()]
        names = [
            c.name for c in columns if c.name not in ("deleted", "process", "host")
        ]
        return pd.DataFrame(rows, columns=names).set_index("id")

    def search(
        self, query: Query | None = None, limit: int | None = None, offset: int = 0
    ) -> StoredRuns:
        """Return a page of sorted runs, and their total number.

        Parameters
        ----------
        query : Query, optional
            By default all runs that are not deleted, newest first.
        limit, offset : int
            Maximum number of runs, and number of runs to skip before.

        Raises
        ------
        ValueError
            If the sort key or the status is unknown.
        """
        with self._reading() as connection:
            wanted = query or Query()
            return _search.search(connection, wanted, limit, offset, _SILENT)

    def counts(self, by: str, query: Query | None = None) -> list[Count]:
        """Return the number of runs of each algorithm, data set, status and so on.

        Parameters
        ----------
        by : {"algorithm", "data", "status", "tag", "measure"}
            Property to count by; a run counts once for each of its tags and measures.
        query : Query, optional
            As for `search`.

        Returns
        -------
        list of Count
            Counts, most frequent first.
        """
        with self._reading() as connection:
            return _search.counted(connection, by, query or Query(), _SILENT)

    def facets(self, visitor: str = "") -> dict[str, list[str]]:
        """Return the values of a visitor's runs that are not deleted, most frequent
        first.

        They are the values of ``"algorithm"``, ``"data"``, ``"tag"`` and ``"measure"``.
        """
        with self._reading() as connection:
            return _search.facets(connection, visitor)

    def beginning(self, key: str, deleted: bool = False) -> list[str]:
        """Return at most ten ids of runs with a given beginning, newest first."""
        with self._reading() as connection:
            return _search.beginning(connection, key, deleted)

    def load(self, key: str) -> StoredRun:
        """Return a run.

        Raises
        ------
        KeyError
            If there is no run with that id.
        StoreError
            If its row is damaged.
        """
        runs = _tables.runs
        with self._reading() as connection:
            rows = connection.execute(select(runs).where(runs.c.id == key))
            return self._stored(self._row_of(key, rows))

    def has_visitor(self, visitor: str) -> bool:
        """Return whether a visitor has any run or sweep, including deleted ones."""
        with self._reading() as connection:
            return any(
                connection.scalar(
                    select(table.c.id).where(table.c.visitor == visitor).limit(1)
                )
                for table in (_tables.runs, _tables.sweeps)
            )

    def newest(self, limit: int, *, visitor: str = "") -> list[StoredRun]:
        """Return a number of the latest runs, newest first; ``visitor`` as for
        `runs`."""
        runs = _tables.runs
        wanted = select(runs).where(~runs.c.deleted, _search.visible(runs, visitor))
        newest = wanted.order_by(runs.c.created.desc(), runs.c.id).limit(limit)
        with self._reading() as connection:
            records = connection.execute(newest).mappings().all()
        rows = map(_readable_row, records)
        return [self._stored(row) for row, damaged in rows if not damaged]

    def _stored(self, changes: dict[str, Any]) -> StoredRun:
        """Return a run from its displayed row."""
        names = (f.name for f in fields_of(StoredRun) if not f.name.startswith("_"))
        fields = {name: changes[name] for name in names}
        fields |= {name: tuple(changes[name]) for name in ("feature_names", "measures")}
        fields["tags"] = tuple(changes["tags"])
        planned_then = changes["planned"] or {}
        fields["planned"] = {int(at): new for at, new in planned_then.items()}
        fields["curve"] = tuple(changes["curve"] or ())
        fields["changes"] = tuple(Change(**change) for change in changes["changes"])
        return StoredRun(
            **fields, _database=self._database, _started_from=changes["started_from"]
        )

    def _row_of(self, key: str, result: Any) -> dict[str, Any]:
        """Return the single displayed row of a query."""
        row = result.mappings().first()
        if row is None:
            raise KeyError(f"There is no run {key!r} in {self.url}.")
        fields, damaged = _readable_row(row)
        if damaged:
            raise StoreError(DAMAGED.format(f"Run {key}", damaged))
        return fields

    def resume(self, stored: StoredRun, run: "Run", visitor: str = "") -> Recorder:
        """Resume a stopped or interrupted run.

        Parameters
        ----------
        run : Run
            Run from `StoredRun.again`: it repeats the stored iterations, so that the
            rest is identical to the bit to an uninterrupted run.
        visitor : str
            Visitor who resumes it, as for `note`.

        Returns
        -------
        Recorder
            A recorder of the new iterations.

        Raises
        ------
        KeyError
            If the run has been removed.
        StoreError
            If it is in training, this visitor may not change it, or it cannot be
            written.
        """
        runs = _tables.runs
        with self._changing(stored.id, visitor) as connection:
            # If two processes resume it at once, the second one waits here.
            query = select(runs).where(runs.c.id == stored.id).with_for_update()
            rows = connection.execute(query)
            if self._row_of(stored.id, rows)["status"] == "running":
                raise StoreError(
                    f"Run {stored.id} is being trained; wait until it has ended."
                )
            now = {"updated": datetime.now(UTC), "status": "running", "reason": ""}
            now |= _made_here()
            connection.execute(update(runs).where(runs.c.id == stored.id).values(**now))
        n_written = len(stored.history())
        iterations = [int(name) for name in stored.models() if name.isdigit()]
        return Recorder(
            self._database, stored.id, run, n_written, iterations, self._closed
        )

    def add(self, content: bytes | str, visitor: str | None = None) -> str:
        """Import a run written by `StoredRun.to_json`, here or elsewhere.

        Parameters
        ----------
        content : bytes or str
            Content of the file.
        visitor : str, optional
            Its new owner; by default everybody.

        Returns
        -------
        str
            The unchanged id of the run.

        Raises
        ------
        DataError
            If it is not such a file; the message says where.
        StoreError
            If the run is already stored, or cannot be written.
        """
        rows = read_run(content)
        (row,) = rows["runs"]
        runs = _tables.runs
        with self._writing() as connection:
            same = select(runs.c.deleted).where(runs.c.id == row["id"])
            deleted = connection.execute(same).scalar()
            if deleted is not None:
                hidden = ", among those deleted" if deleted else ""
                raise StoreError(f"Run {row['id']} is already in this store{hidden}.")
            here = {"host": _process.host(), "process": "", "deleted": False}
            here["visitor"] = visitor
            connection.execute(insert(runs).values({**row, **here}))
            for table in (_tables.pieces, _tables.models, _tables.queries):
                for values in rows[table.name.removeprefix("rankscope_")]:
                    connection.execute(insert(table).values(run=row["id"], **values))
        return str(row["id"])

    def note(
        self,
        key: str,
        *,
        title: str | None = None,
        notes: str | None = None,
        tags: Sequence[str] | None = None,
        visitor: str = "",
    ) -> None:
        """Change a run's title, notes or tags.

        Parameters
        ----------
        title, notes : str, optional
        tags : sequence of str, optional
        visitor : str
            Visitor who changes it. Runs of other visitors, and read-only common runs,
            raise StoreError; an empty name may change all.
        """
        sorted_tags = None if tags is None else sorted(set(tags))
        changes = {"title": title, "notes": notes, "tags": sorted_tags}
        values = {name: value for name, value in changes.items() if value is not None}
        runs = _tables.runs
        with self._changing(key, visitor) as connection:
            connection.execute(update(runs).where(runs.c.id == key).values(**values))

    def begin_sweep(self, *, visitor: str | None = None, **fields: Any) -> str:
        """Start storing a sweep for `SweepRecorder`, owned by a visitor or everybody;
        the fields are those of a `StoredSweep`. Returns its id.

        Raises
        ------
        StoreError
            If it cannot be written or the store is full.
        """
        key = _new_id()
        with self._writing() as connection:
            _storage.check(connection)
            _sweeps.add(connection, {"id": key, "visitor": visitor, **fields})
        return key

    def put_cell(
        self,
        key: str,
        cell: int,
        figures: Mapping[str, Any],
        new_cell: "Cell | None" = None,
    ) -> None:
        """Store the result of a sweep's cell by number, and the cell itself if it was
        unknown when the sweep began."""
        with self._writing() as connection:
            _sweeps.put(connection, key, cell, figures, new_cell)

    def put_folds(self, key: str, folds: Mapping[str, Any]) -> None:
        """Store the fingerprints of a sweep's data if they were unknown before."""
        with self._writing() as connection:
            _sweeps.put_folds(connection, key, folds)

    def sweeps(self, deleted: bool = False, *, visitor: str = "") -> "pd.DataFrame":
        """Return the sweeps, one row each, newest first, indexed by id.

        ``cells`` is the number of runs of a sweep, ``ended`` the number of ended ones,
        and ``read`` whether all its data has been read and is identified.

        Parameters are those of `runs`.
        """
        with self._reading() as connection:
            return _sweeps.listed(connection, deleted, visitor)

    def load_sweep(self, key: str) -> StoredSweep:
        """Return a sweep. Raises KeyError if there is none with that id."""
        with self._reading() as connection:
            sweep = _sweeps.load(connection, key, self._reading)
        if sweep is None:
            raise KeyError(f"There is no sweep {key!r} in {self.url}.")
        return sweep

    def delete(self, *keys: str, visitor: str = "") -> None:
        """Soft-delete runs or sweeps; `clear` purges them, `restore` undoes it.

        Runs opened from a sweep are kept. A run that is not the ``visitor``'s raises
        StoreError; an empty name may delete all."""
        self._mark(keys, visitor, deleted=True)

    def restore(self, *keys: str, visitor: str = "") -> None:
        """Restore deleted runs or sweeps; ``visitor`` as for `delete`."""
        self._mark(keys, visitor, deleted=False)

    def clear(self, visitor: str = "") -> tuple[int, int]:
        """Remove all deleted runs and sweeps, or a visitor's own; return the numbers of
        runs and sweeps."""
        with self._writing() as connection:
            runs, sweeps = (
                connection.execute(
                    delete(table).where(
                        table.c.deleted, _search.visible(table, visitor, deleted=True)
                    )
                ).rowcount
                for table in _DELETABLE
            )
        if runs or sweeps:
            with self._database.telling():
                _storage.shrink(self._database.engine)
        return runs, sweeps

    def progress(self, visitor: str) -> dict[str, int]:
        """Return the furthest step of each lesson that a visitor has opened, by lesson
        name."""
        with self._reading() as connection:
            return _progress.load(connection, visitor)

    def put_progress(self, visitor: str, lesson: str, step: int) -> None:
        """Store that a visitor has opened a step; an earlier step changes nothing."""
        with self._writing() as connection:
            _storage.check(connection)
            _progress.put(connection, visitor, lesson, step)

    def size(self) -> int:
        """Return the bytes used by the database, without space freed by removed
        runs."""
        with self._reading() as connection:
            return _storage.size(connection)

    def __repr__(self) -> str:
        return f"<Store {self.url}>"

    def __len__(self) -> int:
        runs = _tables.runs
        query = select(func.count()).select_from(runs).where(~runs.c.deleted)
        with self._reading() as connection:
            return int(connection.execute(query).scalar_one())

    def _mark(self, keys: Sequence[str], visitor: str, deleted: bool) -> None:
        with self._writing() as connection:
            for table in _DELETABLE:
                _search.refuse(connection, table, keys, visitor, deletes=True)
                those = update(table).where(table.c.id.in_(keys))
                connection.execute(those.values(deleted=deleted))

    @contextmanager
    def _changing(self, key: str, visitor: str) -> Iterator[Any]:
        """Provide a connection for changing a run, if the visitor may change it."""
        with self._writing() as connection:
            _search.refuse(connection, _tables.runs, [key], visitor, deletes=False)
            yield connection


def _readable_row(row: RowMapping) -> tuple[dict[str, Any], str]:
    """Return a row for display, where a run whose process has ended is interrupted, and
    its damaged columns."""
    values, damaged = _tables.sound(row)
    if values["status"] == "running" and _lost(values):
        values["status"] = "interrupted"
        values["reason"] = "Its process ended before the run did."
    return values, damaged


def _lost(row: Mapping[str, Any]) -> bool:
    if row["host"] == _process.host():
        return _process.gone(row["process"])
    return datetime.now(UTC) - row["updated"] > _SILENT


def _made_here() -> dict[str, Any]:
    return {
        "versions": _process.versions(),
        "machine": _process.machine(),
        "host": _process.host(),
        "process": _process.process(),
    }


def _new_id() -> str:
    """Return an unguessable id that no command mistakes for an option."""
    return secrets.token_hex(8)


def _weights(run: "Run") -> dict[str, Any]:
    """Return the name of the query weights, as a setting."""
    data = run.train if run.valid is None else run.valid
    return {"weights": data.weights_name} if data.weighting else {}


def _row(run: "Run", title: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    from rankcore.base.hyperparameters import stored_settings

    model, train, now = run.algorithm, run.train, datetime.now(UTC)
    # Fingerprints of large data follow during the run.
    complete = fingerprinted(run)
    prints = fingerprints(run) if complete else {"fingerprint": UNREAD}
    start = None if run.start is None else packed(coef=np.asarray(run.start))
    return {
        "id": _new_id(),
        "created": now,
        "updated": now,
        "status": "running",
        "reason": "",
        "title": title or model.title,
        "algorithm": type(model).__name__,
        "hyperparameters": stored_settings(model),
        "changes": [],
        "planned": {str(at): dict(new) for at, new in run.changes.items()},
        "settings": _weights(run) | dict(settings),
        "seed": model.random_state,
        "data": train.name,
        **prints,
        "normalisation": train.normalisation,
        "feature_names": list(train.feature_names),
        "measures": [str(measure) for measure in run.measures],
        "convention": run.rules.convention,
        "empty": run.rules.empty,
        "max_iterations": run.max_iterations,
        "max_seconds": run.max_seconds,
        "started_from": start,
        **_made_here(),
        "iterations": 0,
        "seconds": 0.0,
        "best": {},
        "last": {},
        "curve": [],
        "notes": "",
        "tags": [],
        "deleted": False,
    }
