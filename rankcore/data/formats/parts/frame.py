"""DataFrames, read column by column."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankcore.base.arrays import Floats, aligned
from rankcore.data.dataset import Gain, RankingDataset
from rankcore.data.formats.parts.cells import identifier, number
from rankcore.data.formats.parts.columns import (
    SAMPLED_CELLS,
    Columns,
)
from rankcore.data.formats.parts.rows import Rows
from rankcore.data.formats.parts.source import Limits

if TYPE_CHECKING:
    import pandas as pd


def read(
    frame: pd.DataFrame, columns: Columns, gain: Gain, limits: Limits
) -> RankingDataset:
    """Read a DataFrame.

    Raises
    ------
    DataError
        With the row, counted from 1, and the column of the first problem.
    """
    frame = frame.set_axis([str(column) for column in frame.columns], axis=1)
    columns.find(frame.columns)
    rows = Rows(columns, limits)
    rows.check_width(frame.shape[1])
    rows.check_shape(len(frame))
    X = aligned((len(frame), len(columns.features)))
    for j, feature in enumerate(columns.features):
        X[:, j] = _numbers(frame[feature], columns)
    figures = np.column_stack([_numbers(frame[c], columns) for c in columns.figures])
    names = dict.fromkeys(c for c in columns.identifiers if c)
    rows.add_all({c: _strings(frame[c], columns) for c in names}, len(frame))
    return rows.dataset(X, figures, gain)


def _numbers(column: pd.Series, columns: Columns) -> Floats:
    """Convert a column to finite float64."""
    if columns.labels is not None and column.name == columns.label:
        values = np.array([columns.grade(cell) for cell in _cells(column)])
    elif column.dtype.kind in "iufb":
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        values = np.array([number(cell) for cell in _cells(column)])
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        wrong = columns.unfilled(wrong, _cells(column.iloc[wrong]), str(column.name))
    if len(wrong):
        row = int(wrong[0])
        sample = _cells(column.iloc[row : row + SAMPLED_CELLS])
        raise columns.not_finite(str(column.name), row, sample)
    return values


def _strings(column: pd.Series, columns: Columns) -> list[str]:
    """Convert a column to identifiers or texts."""
    strings = []
    for row, cell in enumerate(_cells(column)):
        word = identifier(cell)
        if word is None:
            raise columns.no_identifier(str(column.name), row, cell)
        strings.append(word)
    return strings


def _cells(column: pd.Series) -> list[object]:
    """Return Python values, NaN for missing ones."""
    return column.to_numpy(dtype=object, na_value=np.nan).tolist()
