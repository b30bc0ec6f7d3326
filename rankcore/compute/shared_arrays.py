"""Arrays that several processes read: each is written once, and then mapped.

What processes are sent holds large read-only arrays by the file that has their memory:
that of a memory map, or one of this process, in memory where the system has a folder
for that. A part of an array goes by the memory of the whole.
"""

import io
import os
import pickle
import shutil
import tempfile
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from rankcore.base.arrays import CACHE_LINE, aligned

# Smaller arrays are sent themselves.
_LARGE = 2**16
_IN_MEMORY = Path("/dev/shm")
# Beside what is written there, this share of the folder in memory stays free.
_SPARE = 0.1


class Shared:
    """The files of one process, removed with `close` or at its end."""

    def __init__(self) -> None:
        # Where the memory of an array begins in a file, by the array's identity.
        self._written: dict[int, tuple[str, int]] = {}
        self._removals: list[weakref.finalize[Any, Any]] = []

    def dumps(self, value: Any) -> bytes:
        """Pickle anything for `pickle.loads` in another process on this machine."""
        text = io.BytesIO()
        _Pickler(text, self._place).dump(value)
        return text.getvalue()

    def close(self) -> None:
        """Remove the files; what has mapped them keeps its memory."""
        for removal in self._removals:
            removal()
        self._removals.clear()

    def _place(self, owner: np.ndarray) -> tuple[str, int]:
        """Return the file that has the memory of an array, and where there."""
        if (found := _map_of(owner)) is not None:
            return found
        key = id(owner)
        if key not in self._written:
            self._written[key] = path, _ = _write(owner)
            # With the array, or when this process ends.
            removal = weakref.finalize(owner, _remove, self._written, key, path)
            self._removals.append(removal)
        return self._written[key]


def _write(owner: np.ndarray) -> tuple[str, int]:
    # Its place relative to cache lines stays, and with it the speed.
    begin = owner.ctypes.data % CACHE_LINE
    number, path = tempfile.mkstemp(
        prefix="rankscope-", dir=_roomy_folder(owner.nbytes)
    )
    with open(number, "wb") as file:
        file.write(bytes(begin))
        file.flush()
        owner.tofile(file)
    return path, begin


def _remove(written: dict[int, tuple[str, int]], key: int, path: str) -> None:
    written.pop(key, None)
    Path(path).unlink(missing_ok=True)


def _roomy_folder(size: int) -> str | None:
    """Return the folder in memory if it has room, else None: the one for temporary
    files."""
    if not os.access(_IN_MEMORY, os.W_OK):
        return None
    total, _, free = shutil.disk_usage(_IN_MEMORY)
    return str(_IN_MEMORY) if size + _SPARE * total <= free else None


def dumps_for_elsewhere(value: Any) -> bytes:
    """Pickle anything for `pickle.loads` on other machines.

    Memory maps go by the path of their file; other arrays are sent themselves.
    """
    text = io.BytesIO()
    _Pickler(text, _map_of).dump(value)
    return text.getvalue()


def _map_of(owner: np.ndarray) -> tuple[str, int] | None:
    """Return the file that an array is a memory map of, and where it begins there."""
    if isinstance(owner, np.memmap) and owner.filename is not None:
        return str(owner.filename), owner.offset
    return None


class _Pickler(pickle.Pickler):
    def __init__(
        self, file: io.BytesIO, place: Callable[[np.ndarray], tuple[str, int] | None]
    ) -> None:
        super().__init__(file, protocol=pickle.HIGHEST_PROTOCOL)
        self._place = place

    def reducer_override(self, value: Any) -> Any:
        if type(value) is not np.ndarray or value.flags.writeable or not value.size:
            return NotImplemented
        owner = _owner(value)
        if value.nbytes < _LARGE or not owner.flags.c_contiguous:
            return _locked, (value.copy(),)
        placed = self._place(owner)
        if placed is None:
            return _locked, (value.copy(),)
        path, begin = placed
        begin += value.ctypes.data - owner.ctypes.data
        return _mapped, (path, begin, value.dtype.str, value.shape, value.strides)


def _owner(array: np.ndarray) -> np.ndarray:
    """Return the array whose memory this one shows a part of."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _locked(array: np.ndarray) -> np.ndarray:
    if array.nbytes >= _LARGE:
        given, array = array, aligned(array.shape, array.dtype)
        array[...] = given
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
