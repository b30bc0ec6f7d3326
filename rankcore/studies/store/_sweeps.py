"""Sweeps in a store: one entry each, whose cells become runs when they are opened.

Paths, searches and studies of the sensitivity are sweeps too.
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
# Figures of a cell beside those of a `Result`: the ends of the 95% interval over
# queries of the measure that chooses.
ENDS = ("interval low", "interval high")


@dataclass(frozen=True)
class StoredSweep:
    """A sweep as the store has it.

    Attributes
    ----------
    created : datetime
        UTC.
    hyperparameters : dict
        Those that all cells share.
    folds : dict
        Name → ``data``, ``fingerprint``, ``valid_fingerprint``, ``normalisation`` and
        ``features``; fingerprints are empty until large data has been read, and sweeps
        of earlier versions do not name their features.
    cells : sequence of Cell or None
        All that were to come; None: one of a search that has not come.
    convention, empty : str
        Evaluation rules.
    stop : dict
        The limits of each run, as `rankcore.training.Stop` takes them; empty: the
        algorithm's own ``max_iter``.
    measured_every : int
        So many iterations of each run lie between those that are measured.
    warm : bool or None
        Whether each cell began from the model of the one before, as on a path.
    visitor : str or None
        Whose it is; None: everybody's.
    study : str or None
        The same for all sweeps of one study, such as a comparison; None: it is one by
        itself, or of an earlier version.
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
        """Return a table of the cells whose runs have ended, indexed by their number;
        its columns are those of `rankcore.studies.sweeps.Sweep.to_frame`."""
        import pandas as pd

        figures = self._figures()
        index = pd.Index(list(figures), name="cell", dtype=int)
        table = pd.DataFrame(list(figures.values()), index=index)
        return table.drop(columns=[name for name in table if name in ENDS])

    def results(self) -> dict[int, Result]:
        """Return the results of the cells whose runs have ended, by their number,
        without models, histories and measures of queries."""
        return {
            number: Result.of_row(cell, figures)
            for number, figures in self._figures().items()
            if (cell := self.cells[number]) is not None
        }

    def _figures(self) -> dict[int, dict[str, Any]]:
        wanted = select(cells.c.cell, cells.c.figures).where(cells.c.sweep == self.id)
        with self._reading() as connection:
            rows = connection.execute(wanted.order_by(cells.c.cell)).all()
        # A damaged cell is as one that has not ended.
        return {row.cell: row.figures for row in rows if isinstance(row.figures, dict)}

    @property
    def pooled(self) -> bool:
        """Whether its folds divide one data set, as those of
        `rankcore.topics.compare.comparison_plan.pooled_folds`."""
        names = [fold["data"] for fold in self.folds.values()]
        return len(names) > 1 and len(set(names)) == 1

    def settings(self, cell: int) -> dict[str, Any]:
        """All hyperparameters of a cell; ValueError where it has not come."""
        selected = self._cell(cell)
        swept = dict(selected.settings)
        return {**self.hyperparameters, **swept, "random_state": selected.seed}

    def run(
        self,
        cell: int,
        train: "RankingDataset",
        valid: "RankingDataset | None" = None,
    ) -> "Run":
        """Return the run of a cell, not begun: to iterate over, and to keep as a run.

        It reaches what the sweep reached, to the bit.

        Parameters
        ----------
        cell : int
            Its number.
        train, valid : RankingDataset
            The data of the cell's fold, or with more features; what a cell changes in
            them is changed here.

        Raises
        ------
        ValueError
            If the data is not that of the cell's fold or has not been read, the cell
            began from the model of another one, or is one of a search that has not
            come.
        """
        from rankcore.algorithms import get_algorithm
        from rankcore.training import Stop, drive, every

        selected = self._cell(cell)
        if self.warm and cell:
            raise ValueError(
                "The models of a path begin from the one before: train the path again."
            )
        fold = self.folds[selected.fold]
        if fold["fingerprint"] == UNREAD:
            raise ValueError(
                "The data of this sweep has not been read to its end, so it is not "
                "known which data it was made with: wait until it has ended, or, if "
                "it was killed, train it anew."
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
            raise ValueError(f"Cell {number} of this search has not come.")
        return cell


def add(connection: Connection, row: Mapping[str, Any]) -> None:
    """Begin a sweep."""
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
    """Write what the run of a cell reached, and the cell where it is not known."""
    finite = {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in figures.items()
    }
    values: dict[str, Any] = {"sweep": key, "cell": cell, "figures": finite}
    if new_cell is not None:
        values["own"] = new_cell.to_json()
    connection.execute(insert(cells).values(values))


def put_folds(connection: Connection, key: str, folds: Mapping[str, Any]) -> None:
    """Write which data a sweep was made with."""
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
    """Return the measure that chooses in a sweep, its best value so far, and the ends
    of its 95% interval over queries; NaN where they are not known."""
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
    """One sweep, or None; StoreError where its row is damaged."""
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
    """Those that were known when the sweep began, and those that have come."""
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
