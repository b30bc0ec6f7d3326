"""Scaling of features within each query, or by statistics of all training rows."""

from collections.abc import Callable
from typing import NamedTuple, Self

import numpy as np

from rankcore.base.arrays import Floats, Integers, aligned
from rankcore.base.blocks import blocks

# Values processed at a time, in float64.
_ROWS = 4096
# Numbers near it are 2⁻²⁴ apart, like those near 1 in single precision.
_ROUNDING = 1.5 * 2.0**28


class Scaling(NamedTuple):
    """Mean and standard deviation of each feature over all rows, optionally weighted.

    Attributes
    ----------
    mean : (d,) float64
    deviation : (d,) float64
        Population standard deviation; 1 where a feature is constant.
    """

    mean: Floats
    deviation: Floats

    @classmethod
    def of(cls, X: Floats, weights: Floats | None = None) -> Self:
        """Return the scaling of finite features (n, d) of any magnitude; rows may have
        weights (n,), above 0."""
        low, high = (
            np.asarray(end(axis=0), dtype=np.float64) for end in (X.min, X.max)
        )
        largest = np.maximum(np.abs(low), np.abs(high))
        unit = np.where(largest > 0.0, largest, 1.0)
        mean = _mean(X, lambda rows: rows / unit, weights)
        variance = _mean(X, lambda rows: (rows / unit - mean) ** 2, weights)
        varies = (low < high) & (variance > 0.0)
        return cls(
            np.where(varies, mean * unit, low),
            np.where(varies, np.sqrt(variance) * unit, 1.0),
        )

    def applied(self, X: Floats) -> Floats:
        """Return features (n, d) of the same type, as (X - mean) / deviation rounded to
        multiples of 2⁻²⁴.

        Features in another unit, such as multiplied by 1,000, differ in their last
        bits, which can lead a search to another local optimum. Rounding makes them
        equal, unless a value lies midway between two multiples to within its own
        rounding error, about one in ten million of values as large as the deviation.
        """
        result = aligned(X.shape, X.dtype)
        for begin in range(0, len(X), _ROWS):
            rows = slice(begin, begin + _ROWS)
            # Halves, because the difference of the largest floats overflows.
            difference = X[rows] * 0.5 - self.mean * 0.5
            result[rows] = difference / self.deviation * 2.0 + _ROUNDING - _ROUNDING
        return result


def _mean(
    X: Floats, function: Callable[[Floats], Floats], weights: Floats | None
) -> Floats:
    """Return the mean (d,) over all rows of a function of them, in a fixed order."""
    sums = []
    for begin in range(0, len(X), _ROWS):
        rows = slice(begin, begin + _ROWS)
        values = function(X[rows].astype(np.float64, copy=False))
        if weights is not None:
            values = values * weights[rows, None]
        sums.append(np.add.reduce(values, axis=0))
    whole = len(X) if weights is None else np.add.reduce(weights)
    return np.asarray(np.add.reduce(sums, axis=0) / whole)


def scaled(X: Floats, offsets: Integers, kind: str) -> Floats:
    """Scale each feature within each query, block by block.

    Parameters
    ----------
    X : (n, d) float64 or float32
    offsets : (q + 1,) int64
    kind : {"minmax", "zscore"}

    Returns
    -------
    (n, d) array of the same type
        0 if a feature is constant within a query, NaN if its value is missing.
    """
    result = aligned(X.shape, X.dtype)
    for block in blocks(offsets, X.shape[1]):
        values = X[block.rows].astype(np.float64, copy=False)
        unit = minmax(values, block.offsets)
        result[block.rows] = zscore(unit, block.offsets) if kind == "zscore" else unit
    return result


def minmax(X: Floats, offsets: Integers) -> Floats:
    """Map each query's smallest value of a feature to 0 and its largest to 1.

    Missing values (NaN) are ignored and stay.

    Parameters
    ----------
    X : (n, d) float64
    offsets : (q + 1,) int64

    Returns
    -------
    (n, d) float64
        0 if a feature is constant within a query.
    """
    low = np.minimum.reduceat(X, offsets[:-1], axis=0)
    high = np.maximum.reduceat(X, offsets[:-1], axis=0)
    if np.isnan(low).any():
        low = np.fmin.reduceat(X, offsets[:-1], axis=0)
        high = np.fmax.reduceat(X, offsets[:-1], axis=0)
    # The range of values near the largest float overflows, but not that of halves.
    half = 0.5 if np.isinf(_range(low, high)).any() else 1.0
    low, span = low * half, _range(low * half, high * half)
    lengths = np.diff(offsets)
    shifted = X * half - np.repeat(low, lengths, axis=0)
    spans = np.repeat(np.where(span > 0, span, 1.0), lengths, axis=0)
    return np.divide(shifted, spans, out=aligned(X.shape))


def _range(low: Floats, high: Floats) -> Floats:
    with np.errstate(over="ignore"):
        return np.asarray(high - low)


def zscore(unit: Floats, offsets: Integers) -> Floats:
    """Standardise values, except missing ones, already scaled to [0, 1], so that no sum
    overflows."""
    lengths = np.diff(offsets)
    centred = unit - np.repeat(_means(unit, offsets), lengths, axis=0)
    variance = _means(centred**2, offsets)
    deviation = np.sqrt(np.where(variance > 0, variance, 1.0))
    deviations = np.repeat(deviation, lengths, axis=0)
    return np.divide(centred, deviations, out=aligned(unit.shape))


def _means(values: Floats, offsets: Integers) -> Floats:
    """Return the mean (q, d) of the present values of each query; 0 if none."""
    sums = np.add.reduceat(values, offsets[:-1], axis=0)
    counts = np.diff(offsets)[:, None]
    if np.isnan(sums).any():
        present = ~np.isnan(values)
        sums = np.add.reduceat(np.where(present, values, 0.0), offsets[:-1], axis=0)
        counts = np.add.reduceat(present, offsets[:-1], axis=0, dtype=np.int64)
    return np.asarray(sums / np.maximum(counts, 1))
