"""Metrics of a run's iterations, which are written in pieces."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import Connection, delete, func, insert, select

from rankcore.studies.store import _tables
from rankcore.studies.store._arrays import packed, unpacked

if TYPE_CHECKING:
    import pandas as pd


def read(
    connection: Connection,
    key: str,
    unpack: Callable[[bytes], Mapping[str, np.ndarray]] = unpacked,
) -> "pd.DataFrame":
    """Return the metrics of each iteration of a run, all as float64.

    Earlier versions stored only the number of features of an iteration, not whether it
    ranks.
    """
    import pandas as pd

    pieces = _tables.pieces
    wanted = select(pieces.c["columns"], pieces.c.figures).where(pieces.c.run == key)
    rows = connection.execute(wanted.order_by(pieces.c.first)).all()
    frames = [
        pd.DataFrame(unpack(figures)["figures"], columns=columns)
        for columns, figures in rows
    ]
    if not frames:
        return pd.DataFrame()
    table = pd.concat(frames, ignore_index=True)
    ranks = (table["nonzeros"] > 0).astype(np.float64)
    table["ranks"] = table.get("ranks", ranks).fillna(ranks)
    return table


def join(connection: Connection, key: str) -> None:
    """Merge all pieces into one: many small ones take ten times the space."""
    pieces = _tables.pieces
    count = select(func.count()).where(pieces.c.run == key)
    if connection.execute(count).scalar_one() < 2:
        return
    table = read(connection, key)
    connection.execute(delete(pieces).where(pieces.c.run == key))
    piece = {"run": key, "first": 0, "columns": list(table.columns)}
    figures = packed(figures=table.to_numpy())
    connection.execute(insert(pieces).values(piece | {"figures": figures}))
