"""Arrays as bytes: NumPy's own format, compressed where it pays, without pickle."""

import io
import zipfile
import zlib
from collections.abc import Mapping

import numpy as np

# Bytes below which compression takes longer than it saves, as for linear models.
SMALL = 2048


def packed(**arrays: np.ndarray) -> bytes:
    """The arrays, with their names, as bytes."""
    stream = io.BytesIO()
    small = sum(array.nbytes for array in arrays.values()) < SMALL
    save = np.savez if small else np.savez_compressed
    save(stream, allow_pickle=False, **arrays)
    return stream.getvalue()


def unpacked(content: bytes) -> Mapping[str, np.ndarray]:
    """The arrays of `packed` by name.

    Raises
    ------
    ValueError
        If the bytes are not such arrays.
    """
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
        raise ValueError(str(error)) from error
