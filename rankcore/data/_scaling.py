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
        0 where a feature is constant within a query.
    """
    result = aligned(X.shape, X.dtype)
    for block in blocks(offsets, X.shape[1]):
        own = X[block.rows].astype(np.float64, copy=False)
        unit = minmax(own, block.offsets)
        result[block.rows] = zscore(unit, block.offsets) if kind == "zscore" else unit
    return result


def minmax(X: Floats, offsets: Integers) -> Floats:
    """Map each query's smallest value of a feature to 0 and its largest to 1.

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
    # The range of values near the largest float overflows; halves do not.
    half = 0.5 if not np.isfinite(_range(low, high)).all() else 1.0
    low, span = low * half, _range(low * half, high * half)
    lengths = np.diff(offsets)
    shifted = X * half - np.repeat(low, lengths, axis=0)
    spans = np.repeat(np.where(span > 0, span, 1.0), lengths, axis=0)
    return np.divide(shifted, spans, out=aligned(X.shape))


def _range(low: Floats, high: Floats) -> Floats:
    with np.errstate(over="ignore"):
        return np.asarray(high - low)


def zscore(unit: Floats, offsets: Integers) -> Floats:
    """Standardise values already scaled to [0, 1], where no sum can overflow."""
    lengths = np.diff(offsets)
    mean = np.add.reduceat(unit, offsets[:-1], axis=0) / lengths[:, None]
    centred = unit - np.repeat(mean, lengths, axis=0)
    variance = np.add.reduceat(centred**2, offsets[:-1], axis=0) / lengths[:, None]
    deviation = np.sqrt(np.where(variance > 0, variance, 1.0))
    deviations = np.repeat(deviation, lengths, axis=0)
    return np.divide(centred, deviations, out=aligned(unit.shape))
