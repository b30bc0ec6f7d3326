"""Pickling for other machines, which map the files of memory-mapped arrays."""

import io
import pickle
import weakref
from typing import Any

import numpy as np

from rankcore.base.arrays import aligned

# Smaller arrays are always sent by value.
_LARGE = 2**16


def dumps(value: Any) -> bytes:
    """Return an object pickled for `pickle.loads` on other machines.

    Memory maps are sent as the path of their file; other arrays by value.
    """
    text = io.BytesIO()
    _Pickler(text, protocol=pickle.HIGHEST_PROTOCOL).dump(value)
    return text.getvalue()


class _Pickler(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        if type(value) is not np.ndarray or value.flags.writeable or not value.size:
            return NotImplemented
        owner = _owner(value)
        if value.nbytes < _LARGE or not _is_map(owner):
            return _locked, (value.copy(),)
        begin = owner.offset + value.ctypes.data - owner.ctypes.data
        path = str(owner.filename)
        return _mapped, (path, begin, value.dtype.str, value.shape, value.strides)


def _owner(array: np.ndarray) -> Any:
    """Return the array whose memory this one views."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _is_map(owner: np.ndarray) -> bool:
    return (
        isinstance(owner, np.memmap)
        and owner.filename is not None
        and owner.flags.c_contiguous
    )


def _locked(array: np.ndarray) -> np.ndarray:
    if array.nbytes >= _LARGE:
        sent, array = array, aligned(array.shape, array.dtype)
        array[...] = sent
    array.flags.writeable = False
    return array


_MAPS: weakref.WeakValueDictionary[str, np.memmap] = weakref.WeakValueDictionary()


def _mapped(
    path: str, begin: int, dtype: str, shape: tuple[int, ...], strides: tuple[int, ...]
) -> np.ndarray:
    whole = _MAPS.get(path)
    if whole is None:
        whole = _MAPS[path] = np.memmap(path, np.uint8, "r")
    return np.ndarray(shape, dtype, whole, begin, strides)
