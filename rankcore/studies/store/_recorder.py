"""Writing of runs during training, in a separate thread.

The history of a run is append-only, so the thread reads it during the run: training
never waits, and a killed process loses at most `LONGEST_WAIT` seconds of a run.
"""

import logging
import math
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import Connection, bindparam, delete, insert, update

from rankcore import measures as _measures
from rankcore.studies.store import _figures, _tables
from rankcore.studies.store._arrays import packed
from rankcore.studies.store._database import (
    Database,
    StoreError,
    cause_of,
    nameless,
)
from rankcore.training import columns

if TYPE_CHECKING:
    from rankcore.data.catalogue import Splits
    from rankcore.training import Record, Run

_LOG = logging.getLogger("rankscope.store")
# Seconds between two writes of a run; more if writing takes more than its share.
SHORTEST_WAIT, LONGEST_WAIT = 0.5, 1.5
SHARE = 0.02
# Seconds between two signs of life of a paused run.
QUIET_SECONDS = 10.0
# Number of models stored per run besides the best and the last.
MOST_MODELS = 40
ATTEMPTS = 3
# Seconds between later retries, an hour in total, such as for a full disk.
LATER = tuple(2.0**k for k in range(12))
# Bytes of data read within a few milliseconds, before a run begins.
SMALL = 2**22
# Number of values of the short curve in tables.
CURVE = 32
# Created once: creating them takes longer than executing them.
_SET = update(_tables.runs).where(_tables.runs.c.id == bindparam("key"))
_REMOVE = delete(_tables.models).where(
    _tables.models.c.run == bindparam("key"),
    _tables.models.c.name.in_(bindparam("names", expanding=True)),
)
_FORGET = delete(_tables.queries).where(_tables.queries.c.run == bindparam("key"))
_PIECE, _MODELS, _QUERIES = map(
    insert, (_tables.pieces, _tables.models, _tables.queries)
)


class Recorder:
    """Writes one run from its beginning to its end.

    Attributes
    ----------
    id : str
        Id of the run in the store.
    problem : str or None
        Why the run could not be written, as a sentence; training goes on.
    """

    def __init__(
        self,
        database: Database,
        key: str,
        run: "Run",
        n_written: int = 0,
        iterations: Sequence[int] = (),
        closed: threading.Event | None = None,
    ) -> None:
        self.id = key
        self.problem: str | None = None
        self._database = database
        self._run = run
        self._n_written = n_written
        # Number of history pieces in the store; several are merged into one at the end.
        self._pieces = min(n_written, 1)
        # Names of models in the store that later ones replace.
        self._names: set[str] = {"best", "last"} if n_written else set()
        self._best: Record | None = None
        self._iterations = sorted(iterations)
        self._stride = math.gcd(*self._iterations) or 1
        self._prints: dict[str, str | None] = {}
        self._printing = threading.Thread(target=self._read_data, daemon=True)
        if not fingerprinted(run):
            self._printing.start()
        self._ending = threading.Event()
        self._ended = threading.Event()
        self._closed = closed or threading.Event()
        self._signed_at = -math.inf
        self._signed: Any = None
        self._status = "stopped"
        self._end_reason = ""
        self._thread = threading.Thread(
            target=self._write_on, name=f"recorder {key}", daemon=True
        )
        self._thread.start()

    def end(self, error: str | None = None, wait: float | None = None) -> None:
        """Write the rest and the end of the run.

        Failed writes are retried as long as the process and the store stay open.

        Parameters
        ----------
        error : str, optional
            Why the run failed, as a sentence.
        wait : float, optional
            Maximum seconds to wait; by default until everything is written, or
            `problem` gives the reason for a failure.
        """
        reason = self._run.reason
        self._status = (
            "failed" if error else "stopped" if reason is None else "finished"
        )
        self._end_reason = error or reason or "Stopped."
        self._ending.set()
        self._ended.wait(wait)

    def wait(self) -> None:
        """Wait until there are no more retries."""
        self._thread.join()

    def _write_on(self) -> None:
        pause = SHORTEST_WAIT
        while not self._ending.wait(pause):
            began, clock = time.thread_time(), time.monotonic()
            if self._has_news() or clock - self._signed_at > QUIET_SECONDS:
                self._attempt(self._write_news)
            spent = time.thread_time() - began
            wait = min(max(SHORTEST_WAIT, spent / SHARE), LONGEST_WAIT)
            # A killed process loses the records of the wait and of the next write.
            pause = max(wait - (time.monotonic() - clock), 0.0)
        # Retry, so that a lock of another process does not lose the end of the run.
        if any(self._attempt(self._write_end) for _ in range(ATTEMPTS)):
            self._write_rest()
        self._ended.set()
        for pause in LATER:
            if self.problem is None or self._closed.wait(pause):
                return
            if self._attempt(self._write_end):
                self._write_rest()

    def _read_data(self) -> None:
        self._prints = fingerprints(self._run)

    def _write_rest(self) -> None:
        """Write the parts that take long to compute."""
        if self._printing.ident is not None:
            self._printing.join()
            if self._has_news() and not self._attempt(self._write_news):
                return
        self._write_queries()

    def _has_news(self) -> bool:
        """Return whether there is more to write than a sign of life."""
        return (
            len(self._run.history) > self._n_written or self._details() != self._signed
        )

    def _attempt(self, write: Callable[[Connection], None]) -> bool:
        """Write in one transaction and return whether that succeeded; failed parts are
        retried with the next write."""
        before = self._n_written, self._best, self._stride, self._iterations.copy()
        self._signed = self._details()
        try:
            with self._database.writing() as connection:
                write(connection)
        except Exception as error:
            self._n_written, self._best, self._stride, self._iterations = before
            self._signed = None
            self.problem = _not_kept(error)
            return False
        self.problem = None
        self._signed_at = time.monotonic()
        return True

    def _write_news(
        self, connection: Connection, last: "Record | None" = None, **ending: str
    ) -> None:
        # The run continues meanwhile; a newer best record follows with the next write.
        best = self._run.best if len(self._run.history) else None
        news = self._run.history.records[self._n_written :]
        figures: dict[str, Any] = {"updated": datetime.now(UTC), **self._details()}
        models = {} if last is None else {"last": last}
        gone: list[str] = []
        if news and best is not None:
            best = (
                best if best.iteration <= news[-1].iteration else self._best or news[0]
            )
            gone = self._choose_models(models, best, news)
            figures |= self._progress(best, news[-1])
        if not connection.execute(_SET, {"key": self.id, **figures, **ending}).rowcount:
            raise StoreError("It has been removed from the run store")
        if news and best is not None:
            self._add_piece(connection, news)
            self._n_written += len(news)
        self._put_models(connection, models, gone)

    def _write_end(self, connection: Connection) -> None:
        last = self._run.history[-1] if self._caught_up else None
        self._write_news(connection, last, status=self._status, reason=self._end_reason)
        if self._pieces > 1:
            _figures.join(connection, self.id)

    def _write_queries(self) -> bool:
        """Write the measures of each query; others may write during the evaluation."""
        try:
            rows = self._queries() if self._caught_up else []
        except Exception as error:
            self.problem = _not_kept(error)
            return False

        def write(connection: Connection) -> None:
            connection.execute(_FORGET, {"key": self.id})
            connection.execute(_QUERIES, rows)

        return not rows or self._attempt(write)

    @property
    def _caught_up(self) -> bool:
        """Return whether the records exceed the stored ones: a resumed run may end
        before it reaches them."""
        return 0 < len(self._run.history) >= self._n_written

    def _progress(self, best: "Record", last: "Record") -> dict[str, Any]:
        return {
            "iterations": last.iteration,
            "seconds": last.seconds,
            "last": _figures_of(last),
            "best": _figures_of(best),
            "curve": self._curve(),
        }

    def _details(self) -> dict[str, Any]:
        changes = [change._asdict() for change in self._run.history.changes]
        planned = {str(at): dict(new) for at, new in self._run.changes.items()}
        return {"changes": changes, "planned": planned, **self._prints}

    def _curve(self) -> list[float | None]:
        """Return a few values from first to last: of the first measure on validation
        data, or on training data, or of the objective."""
        run, records = self._run, self._run.history.records
        split = "train" if run.valid is None else "valid"
        name = f"{split} {run.measures[0]}" if run.measures else "objective"
        count = min(CURVE, len(records))
        at = np.linspace(0, len(records) - 1, count).round().astype(int)
        values = _finite({str(k): records[k].figure(name) for k in at})
        return list(values.values())

    def _add_piece(self, connection: Connection, records: "list[Record]") -> None:
        of = columns(records)
        figures = np.array(list(of.values()), dtype=np.float64).T
        piece = {"run": self.id, "first": self._n_written, "columns": list(of)}
        piece["figures"] = packed(figures=figures)
        connection.execute(_PIECE, piece)
        self._pieces += 1

    def _choose_models(
        self, models: "dict[str, Record]", best: "Record", records: "list[Record]"
    ) -> list[str]:
        """Set the names of the models to keep; return the names of those to remove."""
        if best is not self._best:
            models["best"] = self._best = best
        before = set(self._iterations)
        # Later forests contain earlier ones, so the best and the last suffice.
        by_iteration = {r.iteration: r for r in records if best.coef.ndim == 1}
        for iteration in by_iteration:
            if iteration % self._stride == 0:
                self._iterations.append(iteration)
            if len(self._iterations) > MOST_MODELS:
                self._stride *= 2
                self._iterations = [
                    k for k in self._iterations if k % self._stride == 0
                ]
        models |= {
            str(k): by_iteration[k] for k in self._iterations if k in by_iteration
        }
        return [str(k) for k in before.difference(self._iterations)]

    def _put_models(
        self, connection: Connection, models: "dict[str, Record]", gone: list[str]
    ) -> None:
        names = [*gone, *(name for name in models if name in self._names)]
        if names:
            connection.execute(_REMOVE, {"key": self.id, "names": names})
        # The best model is often the last, or one of the others.
        arrays = {
            record.iteration: packed(coef=record.coef, **record.state)
            for record in {id(record): record for record in models.values()}.values()
        }
        rows = [
            {
                "run": self.id,
                "name": name,
                "iteration": record.iteration,
                "arrays": arrays[record.iteration],
            }
            for name, record in models.items()
        ]
        if rows:
            connection.execute(_MODELS, rows)
            self._names |= {name for name in models if not name.isdigit()}

    def _queries(self) -> list[dict[str, Any]]:
        """Return the rows of the best and the last model, which may be the same."""
        run, last = self._run, self._run.history[-1]
        split = "train" if run.valid is None else "valid"
        data = run.train if run.valid is None else run.valid
        shared = {"run": self.id, "split": split, "ids": list(data.query_ids)}
        shared["measures"] = [str(measure) for measure in run.measures]
        weights = {"weights": data.weights} if data.weighting else {}
        measured: dict[int, bytes] = {}
        for record in (run.best, last) if run.measures else ():
            if record.iteration not in measured:
                scores = run.scores(record)
                columns = _measures.by_query(data, scores, run.measures, *run.rules)
                values = np.column_stack(list(columns.values()))
                measured[record.iteration] = packed(values=values, **weights)
        ends = {"best": run.best.iteration, "last": last.iteration}
        return [
            {**shared, "name": name, "values": measured[iteration]}
            for name, iteration in ends.items()
            if measured
        ]


def fingerprinted(run: "Run | Splits") -> bool:
    """Return whether the fingerprint of a run's data is known or quick to compute."""
    datasets = [data for data in (run.train, run.valid) if data is not None]
    return all(
        "fingerprint" in vars(data) or data.X.nbytes <= SMALL for data in datasets
    )


def fingerprints(run: "Run | Splits") -> dict[str, str | None]:
    """Return the columns that identify a run's data."""
    valid = None if run.valid is None else run.valid.fingerprint
    return {"fingerprint": run.train.fingerprint, "valid_fingerprint": valid}


def _not_kept(error: Exception) -> str:
    if isinstance(error, StoreError) and isinstance(error.__cause__, Exception):
        # The message omits the name of the store.
        error = error.__cause__
    cause = cause_of(error)
    _LOG.info("A run is not stored: %s.", cause)
    return f"The run is not stored: {nameless(cause)}."


def _figures_of(record: "Record") -> dict[str, float | None]:
    return _finite(record.to_row())


def _finite(row: dict[str, float]) -> dict[str, float | None]:
    """Return metrics for JSON, which has no NaN."""
    return {name: float(v) if math.isfinite(v) else None for name, v in row.items()}
