"""Features scaled within each query."""

import numpy as np

from rankcore.base.arrays import Floats, Integers, aligned
from rankcore.base.blocks import blocks


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
        0 where a feature is constant within a query, NaN where its value is missing.
    """
    result = aligned(X.shape, X.dtype)
    for block in blocks(offsets, X.shape[1]):
        own = X[block.rows].astype(np.float64, copy=False)
        unit = minmax(own, block.offsets)
        result[block.rows] = zscore(unit, block.offsets) if kind == "zscore" else unit
    return result


def minmax(X: Floats, offsets: Integers) -> Floats:
    """Map each query's smallest value of a feature to 0 and its largest to 1.

    Missing values, which are NaN, count as none and stay.

    Parameters
    ----------
    X : (n, d) float64
    offsets : (q + 1,) int64

    Returns
    -------
    (n, d) float64
        0 where a feature is constant within a query.
    """
    low = np.minimum.reduceat(X, offsets[:-1], axis=0)
    high = np.maximum.reduceat(X, offsets[:-1], axis=0)
    if np.isnan(low).any():
        low = np.fmin.reduceat(X, offsets[:-1], axis=0)
        high = np.fmax.reduceat(X, offsets[:-1], axis=0)
    # The range of values near the largest float overflows; halves do not.
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
    """Standardise values already scaled to [0, 1], where no sum can overflow, but for
    missing ones."""
    lengths = np.diff(offsets)
    centred = unit - np.repeat(_means(unit, offsets), lengths, axis=0)
    variance = _means(centred**2, offsets)
    deviation = np.sqrt(np.where(variance > 0, variance, 1.0))
    deviations = np.repeat(deviation, lengths, axis=0)
    return np.divide(centred, deviations, out=aligned(unit.shape))


def _means(values: Floats, offsets: Integers) -> Floats:
    """Mean (q, d) in each query of the values that are not missing; 0 of none."""
    sums = np.add.reduceat(values, offsets[:-1], axis=0)
    counts = np.diff(offsets)[:, None]
    if np.isnan(sums).any():
        present = ~np.isnan(values)
        sums = np.add.reduceat(np.where(present, values, 0.0), offsets[:-1], axis=0)
        counts = np.add.reduceat(present, offsets[:-1], axis=0, dtype=np.int64)
    return np.asarray(sums / np.maximum(counts, 1))
