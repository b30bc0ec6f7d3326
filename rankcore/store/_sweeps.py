"""Sweeps in a store: one entry each, whose cells become runs when they are opened."""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, delete, func, insert, select

from rankcore.measures import Rules
from rankcore.store._search import visible
from rankcore.store._tables import cells, sweeps

if TYPE_CHECKING:
    import pandas as pd

    from rankcore.dataset import RankingDataset
    from rankcore.training import Run

Connecting = Callable[[], AbstractContextManager[Connection]]


@dataclass(frozen=True)
class StoredSweep:
    """A sweep as the store has it.

    Attributes
    ----------
    id : str
    created : datetime
        UTC.
    title, algorithm : str
    hyperparameters : dict
        Those that all cells share.
    folds : dict
        Name → ``data``, ``fingerprint``, ``valid_fingerprint`` and ``normalisation``.
    cells : sequence of dict
        Each with ``settings``, ``fold`` and ``seed``, as `rankcore.sweeps.Cell`.
    measures : sequence of str
    convention, empty : str
        Evaluation rules.
    stop : dict
        The limits of each run, as `rankcore.training.Stop` takes them; empty: the
        algorithm's own ``max_iter``.
    warm : bool or None
        Whether each cell began from the model of the one before, as on a path.
    visitor : str or None
        Whose it is; None: everybody's.
    """

    id: str
    created: datetime
    title: str
    algorithm: str
    hyperparameters: Mapping[str, Any]
    folds: Mapping[str, Mapping[str, Any]]
    cells: Sequence[Mapping[str, Any]]
    measures: Sequence[str]
    convention: str
    empty: str
    stop: Mapping[str, Any]
    warm: bool | None
    visitor: str | None
    _reading: Connecting = field(repr=False, compare=False)

    def to_frame(self) -> "pd.DataFrame":
        """A table of the cells whose runs have ended, indexed by their number; its
        columns are those of `rankcore.sweeps.Sweep.to_frame`."""
        import pandas as pd

        wanted = select(cells.c.cell, cells.c.figures).where(cells.c.sweep == self.id)
        with self._reading() as connection:
            found = connection.execute(wanted.order_by(cells.c.cell)).all()
        index = pd.Index([row.cell for row in found], name="cell", dtype=int)
        return pd.DataFrame([row.figures for row in found], index=index)

    def settings(self, cell: int) -> dict[str, Any]:
        """All hyperparameters of a cell."""
        own = self.cells[cell]
        swept = dict(own["settings"])
        return {**self.hyperparameters, **swept, "random_state": own["seed"]}

    def run(
        self,
        cell: int,
        train: "RankingDataset",
        valid: "RankingDataset | None" = None,
    ) -> "Run":
        """The run of a cell, not begun: to iterate over, and to keep as a run.

        It reaches what the sweep reached, to the bit.

        Raises
        ------
        ValueError
            If the data is not that of the cell's fold, or the cell began from the model
            of another one.
        """
        from rankcore.algorithms import get_algorithm
        from rankcore.training import Stop, drive

        if self.warm and cell:
            raise ValueError(
                "The models of a path begin from the one before: train the path again."
            )
        fold = self.folds[self.cells[cell]["fold"]]
        prints = train.fingerprint, None if valid is None else valid.fingerprint
        if prints != (fold["fingerprint"], fold["valid_fingerprint"]):
            raise ValueError(
                f"This sweep was made with other data, {fold['data'] or 'unnamed'}: "
                "give the same training and validation data."
            )
        return drive(
            get_algorithm(self.algorithm)(**self.settings(cell)),
            train,
            valid,
            stop=Stop(**self.stop) if self.stop else None,
            measures=self.measures,
            rules=Rules(self.convention, self.empty),
        )


def add(connection: Connection, row: Mapping[str, Any]) -> None:
    """Begin a sweep."""
    connection.execute(insert(sweeps).values(created=datetime.now(UTC), **row))


def put(
    connection: Connection, key: str, cell: int, figures: Mapping[str, Any]
) -> None:
    """Write what the run of a cell reached."""
    finite = {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in figures.items()
    }
    values = {"sweep": key, "cell": cell, "figures": finite}
    connection.execute(insert(cells).values(values))


def listed(connection: Connection, visitor: str) -> "pd.DataFrame":
    """See `rankcore.store.Store.sweeps`."""
    import pandas as pd

    ended = (
        select(cells.c.sweep, func.count().label("ended"))
        .group_by(cells.c.sweep)
        .subquery()
    )
    rows = connection.execute(
        select(sweeps, func.coalesce(ended.c.ended, 0).label("ended"))
        .join(ended, ended.c.sweep == sweeps.c.id, isouter=True)
        .where(visible(sweeps, visitor))
        .order_by(sweeps.c.created.desc())
    ).mappings()
    names = ["id", "title", "algorithm", "data", "cells", "ended", "created"]
    table = [
        {
            **{name: row[name] for name in ("id", "title", "algorithm", "ended")},
            "data": ", ".join(fold["data"] for fold in row["folds"].values()),
            "cells": len(row["cells"]),
            "created": row["created"].replace(tzinfo=UTC),
        }
        for row in rows
    ]
    return pd.DataFrame(table, columns=names).set_index("id")


def load(connection: Connection, key: str, reading: Connecting) -> StoredSweep | None:
    """One sweep, or None."""
    found = connection.execute(select(sweeps).where(sweeps.c.id == key))
    row = found.mappings().first()
    if row is None:
        return None
    fields = dict(row) | {"created": row["created"].replace(tzinfo=UTC)}
    return StoredSweep(**fields, _reading=reading)


def remove(connection: Connection, keys: Sequence[str]) -> None:
    """Remove sweeps, not the runs that their cells have become."""
    connection.execute(delete(sweeps).where(sweeps.c.id.in_(keys)))
