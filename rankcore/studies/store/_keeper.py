"""Storing of sweeps, paths and searches during training."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from rankcore.mathematics.statistics import mean_interval
from rankcore.studies.store._database import StoreError
from rankcore.studies.store._recorder import fingerprinted, fingerprints
from rankcore.studies.store._store import Store
from rankcore.studies.store._stored import UNREAD
from rankcore.studies.store._sweeps import ENDS

if TYPE_CHECKING:
    from rankcore.algorithms import Ranker
    from rankcore.data.catalogue import Splits
    from rankcore.measures import Rules
    from rankcore.studies.results import Cell, Result
    from rankcore.training import Stop


class SweepKeeper:
    """``store=`` of `rankcore.studies.sweeps.sweep`, `rankcore.studies.paths.path` and
    `rankcore.studies.searches.search` for training independent of the store: failures
    are noted, and training continues.

    Parameters
    ----------
    find : callable
        Returns the store, or None without one; may raise StoreError.
    note : callable
        Called with each StoreError.
    visitor : str, optional
        Owner of the sweeps; by default everybody.
    study : str, optional
        Key of the study that all of them belong to.
    """

    def __init__(
        self,
        find: Callable[[], Store | None],
        note: Callable[[StoreError], None],
        visitor: str | None = None,
        study: str | None = None,
    ) -> None:
        self._find = find
        self._note = note
        self._common = {"visitor": visitor, "study": study}

    def begin_sweep(self, **fields: Any) -> str:
        """Begin a sweep as `Store` does; return an empty id if it is not stored."""
        try:
            store = self._find()
            if store is not None:
                return store.begin_sweep(**self._common, **fields)
        except StoreError as error:
            self._note(error)
        return ""

    def put_cell(self, key: str, *of: Any) -> None:
        """Call the method of `Store` if the sweep is stored."""
        self._put("put_cell", key, *of)

    def put_folds(self, key: str, *of: Any) -> None:
        """Call the method of `Store` if the sweep is stored."""
        self._put("put_folds", key, *of)

    def _put(self, name: str, key: str, *of: Any) -> None:
        try:
            store = self._find() if key else None
            if store is not None:
                getattr(store, name)(key, *of)
        except StoreError as error:
            self._note(error)


class SweepRecorder:
    """Writes one sweep, path or search, cell by cell.

    Training does not wait for the fingerprints of large data, which are stored later.

    Parameters
    ----------
    store : Store or SweepKeeper
    model : Ranker
        Algorithm with the hyperparameters common to all cells.
    folds : dict of str to Splits
    cells : sequence of Cell or None
        Cells; None for those known only after their runs.
    measures, rules, stop, measured_every
        As for `rankcore.studies.sweeps.sweep`.
    warm : bool, optional
        As in `StoredSweep`.

    Raises
    ------
    StoreError
        If it cannot be written or the store is full.
    """

    def __init__(
        self,
        store: Store | SweepKeeper,
        model: "Ranker",
        folds: "Mapping[str, Splits]",
        cells: "Sequence[Cell | None]",
        *,
        title: str,
        measures: Sequence[str],
        rules: "Rules",
        stop: "Stop | None" = None,
        measured_every: int = 1,
        warm: bool | None = None,
    ) -> None:
        from rankcore.base.hyperparameters import stored_settings

        self._store = store
        self._folds = folds
        self._reading = threading.Thread(target=self._read_data, daemon=True)
        complete = all(map(fingerprinted, folds.values()))
        self._key = store.begin_sweep(
            title=title,
            algorithm=type(model).__name__,
            hyperparameters=stored_settings(model),
            folds=self._fold_rows(fingerprints if complete else _unread),
            cells=list(cells),
            measures=list(measures),
            convention=rules.convention,
            empty=rules.empty,
            stop={} if stop is None else asdict(stop),
            measured_every=measured_every,
            warm=warm,
        )
        if not complete:
            self._reading.start()

    def put(
        self, cell: int, figures: Mapping[str, Any], new_cell: "Cell | None" = None
    ) -> None:
        """Store a cell as `Store.put_cell`."""
        self._store.put_cell(self._key, cell, figures, new_cell)

    def put_result(
        self, cell: int, row: "Result", new_cell: "Cell | None" = None
    ) -> None:
        """Store the metrics of a result, with the interval of its first measure over
        queries."""
        ends = dict(zip(ENDS, _ends(row), strict=False))
        self.put(cell, row.to_row() | ends, new_cell)

    def close(self) -> None:
        """Wait for the data to be read, and store its fingerprints."""
        if self._reading.ident is not None:
            self._reading.join()
            self._store.put_folds(self._key, self._fold_rows(fingerprints))

    def _read_data(self) -> None:
        for fold in self._folds.values():
            fingerprints(fold)

    def _fold_rows(
        self, prints: "Callable[[Splits], dict[str, str | None]]"
    ) -> dict[str, Any]:
        """Return the data of each fold in the store's form."""
        return {
            name: {
                "data": fold.train.name,
                "normalisation": fold.train.normalisation,
                "features": list(fold.train.feature_names),
                **prints(fold),
            }
            for name, fold in self._folds.items()
        }


def _ends(row: "Result") -> tuple[float, ...]:
    """Return the ends of the 95% interval of the mean over queries; none if unknown."""
    values = next(iter(row.queries.values()), None)
    if values is None:
        return ()
    finite = values[~np.isnan(values)]
    if len(finite) < 2:
        return ()
    interval = mean_interval(finite)
    return interval.low, interval.high


def _unread(fold: "Splits") -> dict[str, str | None]:
    return {"fingerprint": UNREAD, "valid_fingerprint": None}
