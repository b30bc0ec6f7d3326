"""Arrays as bytes: NumPy's own format, compressed, without pickle."""

import io
import zipfile
import zlib
from collections.abc import Mapping

import numpy as np


def packed(**arrays: np.ndarray) -> bytes:
    """The arrays, with their names, as bytes."""
    stream = io.BytesIO()
    np.savez_compressed(stream, allow_pickle=False, **arrays)
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
