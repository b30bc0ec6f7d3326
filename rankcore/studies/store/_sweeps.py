"""Sweeps in a store: one entry each, whose cells become runs when opened.

Paths, searches and sensitivity studies are sweeps, too.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, func, insert, select, update

from rankcore.measures import Rules
from rankcore.studies.results import Cell, Result
from rankcore.studies.store._database import StoreError
from rankcore.studies.store._search import visible
from rankcore.studies.store._stored import DAMAGED, UNREAD, same_data
from rankcore.studies.store._tables import cells, sound, sweeps

if TYPE_CHECKING:
    import pandas as pd

    from rankcore.data.dataset import RankingDataset
    from rankcore.training import Run

Connecting = Callable[[], AbstractContextManager[Connection]]
# Metrics of a cell besides those of a `Result`: the ends of the 95% interval over
# queries of the measure for choosing.
ENDS = ("interval low", "interval high")


@dataclass(frozen=True)
class StoredSweep:
    """A sweep in the store.

    Attributes
    ----------
    created : datetime
        UTC.
    hyperparameters : dict
        Hyperparameters common to all cells.
    folds : dict
        Name → ``data``, ``fingerprint``, ``valid_fingerprint``, ``normalisation`` and
        ``features``; fingerprints are empty until large data has been read, and sweeps
        of earlier versions lack features.
    cells : sequence of Cell or None
        All planned cells; None for a cell of a search not yet proposed.
    convention, empty : str
        Evaluation rules.
    stop : dict
        Limits of each run, as for `rankcore.training.Stop`; empty for the algorithm's
        own ``max_iter``.
    measured_every : int
        Number of iterations between evaluations.
    warm : bool or None
        Whether each cell started from the previous cell's model, as on a path.
    visitor : str or None
        Its owner; None for everybody.
    study : str or None
        Key shared by all sweeps of one study, such as a comparison; None for a single
        sweep or one of an earlier version.
    """

    id: str
    created: datetime
    title: str
    algorithm: str
    hyperparameters: Mapping[str, Any]
    folds: Mapping[str, Mapping[str, Any]]
    cells: Sequence[Cell | None]
    measures: Sequence[str]
    convention: str
    empty: str
    stop: Mapping[str, Any]
    measured_every: int
    warm: bool | None
    visitor: str | None
    study: str | None
    _reading: Connecting = field(repr=False, compare=False)

    def to_frame(self) -> "pd.DataFrame":
        """Return a table of the cells with ended runs, indexed by number; its columns
        are those of `rankcore.studies.sweeps.Sweep.to_frame`."""
        import pandas as pd

        figures = self._figures()
        index = pd.Index(list(figures), name="cell", dtype=int)
        table = pd.DataFrame(list(figures.values()), index=index)
        return table.drop(columns=[name for name in table if name in ENDS])

    def results(self) -> dict[int, Result]:
        """Return the results of cells with ended runs by number, without models,
        histories and measures of queries."""
        return {
            number: Result.of_row(cell, figures)
            for number, figures in self._figures().items()
            if (cell := self.cells[number]) is not None
        }

    def _figures(self) -> dict[int, dict[str, Any]]:
        wanted = select(cells.c.cell, cells.c.figures).where(cells.c.sweep == self.id)
        with self._reading() as connection:
            rows = connection.execute(wanted.order_by(cells.c.cell)).all()
        # A damaged cell counts as one that has not ended.
        return {row.cell: row.figures for row in rows if isinstance(row.figures, dict)}

    @property
    def pooled(self) -> bool:
        """Whether its folds divide one data set, like those of
        `rankcore.topics.compare.comparison_plan.pooled_folds`."""
        names = [fold["data"] for fold in self.folds.values()]
        return len(names) > 1 and len(set(names)) == 1

    def settings(self, cell: int) -> dict[str, Any]:
        """Return a cell's hyperparameters. Raises ValueError if it was not proposed."""
        selected = self._cell(cell)
        swept = dict(selected.settings)
        return {**self.hyperparameters, **swept, "random_state": selected.seed}

    def run(
        self,
        cell: int,
        train: "RankingDataset",
        valid: "RankingDataset | None" = None,
    ) -> "Run":
        """Return the unstarted run of a cell, to iterate over and to store.

        Its results are identical to the sweep's, to the bit.

        Parameters
        ----------
        cell : int
            Its number.
        train, valid : RankingDataset
            The data of the cell's fold, possibly with more features; the cell's
            modifications are applied here.

        Raises
        ------
        ValueError
            If the data is not that of the cell's fold or was not read, the cell started
            from another one's model, or a search did not propose it.
        """
        from rankcore.algorithms import get_algorithm
        from rankcore.training import Stop, drive, every

        selected = self._cell(cell)
        if self.warm and cell:
            raise ValueError(
                "The models of a path start from earlier ones: train the path again."
            )
        fold = self.folds[selected.fold]
        if fold["fingerprint"] == UNREAD:
            raise ValueError(
                "The data of this sweep has not been read completely, so it cannot be "
                "identified: wait until the sweep has ended, or, if it was killed, "
                "train it again."
            )
        features = fold.get("features") or ()
        train, valid = same_data("This sweep", features, fold, train, valid)
        return drive(
            get_algorithm(self.algorithm)(**self.settings(cell)),
            selected.data(train),
            valid,
            stop=selected.limits(Stop(**self.stop) if self.stop else None),
            measures=self.measures,
            rules=Rules(self.convention, self.empty),
            schedule=every(self.measured_every),
        )

    def _cell(self, number: int) -> Cell:
        cell = self.cells[number]
        if cell is None:
            raise ValueError(f"Cell {number} of this search was not proposed.")
        return cell


def add(connection: Connection, row: Mapping[str, Any]) -> None:
    """Add a sweep."""
    cells = [None if cell is None else cell.to_json() for cell in row["cells"]]
    values = {**row, "created": datetime.now(UTC), "cells": cells}
    connection.execute(insert(sweeps).values(values))


def put(
    connection: Connection,
    key: str,
    cell: int,
    figures: Mapping[str, Any],
    new_cell: Cell | None,
) -> None:
    """Store the result of a cell, and the cell if it was unknown."""
    finite = {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in figures.items()
    }
    values: dict[str, Any] = {"sweep": key, "cell": cell, "figures": finite}
    if new_cell is not None:
        values["own"] = new_cell.to_json()
    connection.execute(insert(cells).values(values))


def put_folds(connection: Connection, key: str, folds: Mapping[str, Any]) -> None:
    """Store the fingerprints of a sweep's data."""
    change = update(sweeps).where(sweeps.c.id == key)
    connection.execute(change.values(folds=dict(folds)))


def listed(connection: Connection, deleted: bool, visitor: str) -> "pd.DataFrame":
    """See `rankcore.studies.store.Store.sweeps`."""
    import pandas as pd

    ended = (
        select(cells.c.sweep, func.count().label("ended"))
        .group_by(cells.c.sweep)
        .subquery()
    )
    rows = connection.execute(
        select(sweeps, func.coalesce(ended.c.ended, 0).label("ended"))
        .join(ended, ended.c.sweep == sweeps.c.id, isouter=True)
        .where(sweeps.c.deleted == deleted, visible(sweeps, visitor, deleted))
        .order_by(sweeps.c.created.desc())
    ).mappings()
    sound_rows = [sound(row)[0] for row in rows]
    names = [
        "id", "title", "algorithm", "data", "cells", "ended", "read", "created",
        "study", "measure", "best", "low", "high",
    ]  # fmt: skip
    table = [
        {
            **{name: row[name] for name in ("id", "title", "algorithm", "ended")},
            **_best(connection, row),
            "study": row["study"] or row["id"],
            "data": ", ".join(dict.fromkeys(o["data"] for o in row["folds"].values())),
            "cells": len(row["cells"]),
            "read": all(o["fingerprint"] != UNREAD for o in row["folds"].values()),
            "created": row["created"],
        }
        for row in sound_rows
    ]
    return pd.DataFrame(table, columns=names).set_index("id")


def _best(connection: Connection, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the measure for choosing in a sweep, its best value so far, and the ends
    of its 95% interval over queries; NaN if unknown."""
    first = next(iter(row["measures"]), "")
    validated = any(fold.get("valid_fingerprint") for fold in row["folds"].values())
    name = f"{'valid' if validated else 'train'} {first}"
    value = cells.c.figures[name].as_float()
    figures = connection.execute(
        select(cells.c.figures)
        .where(cells.c.sweep == row["id"], value.is_not(None))
        .order_by(value.desc(), cells.c.cell)
        .limit(1)
    ).scalar()
    measured = figures if isinstance(figures, dict) else {}
    ends = (measured.get(key) for key in (name, *ENDS))
    numbers = (math.nan if one is None else float(one) for one in ends)
    best, low, high = numbers
    return {"measure": first, "best": best, "low": low, "high": high}


def load(connection: Connection, key: str, reading: Connecting) -> StoredSweep | None:
    """Return a sweep or None. Raises StoreError if its row is damaged."""
    rows = connection.execute(select(sweeps).where(sweeps.c.id == key))
    row = rows.mappings().first()
    if row is None:
        return None
    values, damaged = sound(row)
    if damaged:
        raise StoreError(DAMAGED.format(f"Sweep {key}", damaged))
    try:
        every = _all_cells(connection, key, row["cells"])
    except (KeyError, TypeError, ValueError) as error:
        raise StoreError(DAMAGED.format(f"Sweep {key}", error)) from error
    fields = values | {
        "cells": every,
        "measured_every": row["measured_every"] or 1,
    }
    del fields["deleted"]
    return StoredSweep(**fields, _reading=reading)


def _all_cells(
    connection: Connection, key: str, rows: Sequence[Any]
) -> list[Cell | None]:
    """Return the cells known when the sweep began, and those added later."""
    rows_by_cell = dict(enumerate(rows))
    if None in rows:
        own_fields = cells.c.own.label("own")
        come = select(cells.c.cell, own_fields).where(
            cells.c.sweep == key, own_fields.is_not(None)
        )
        rows_by_cell |= {row.cell: row.own for row in connection.execute(come)}
    return [
        None if content is None else Cell.from_json(content)
        for content in rows_by_cell.values()
    ]
