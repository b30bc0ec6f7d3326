"""Arrays as bytes: concatenated NumPy files, without pickle, in zlib format.

The first contains the names of the others. zlib adds a checksum, and small arrays are
stored uncompressed.
"""

import io
import zipfile
import zlib
from collections.abc import Mapping
from functools import lru_cache

import numpy as np
from numpy.lib import format as npy

# Size in bytes below which compression does not pay, as for linear models.
SMALL = 2048
# The zlib level that compresses forests well in a third of the default's time.
LEVEL = 4
# First bytes of archives of earlier versions.
_ARCHIVE = b"PK"


def packed(**arrays: np.ndarray) -> bytes:
    """Return named arrays as bytes. Raises ValueError if they contain Python
    objects."""
    files = [_file(np.array(list(arrays))), *map(_file, arrays.values())]
    small = sum(array.nbytes for array in arrays.values()) < SMALL
    return zlib.compress(b"".join(files), 0 if small else LEVEL)


def unpacked(content: bytes) -> Mapping[str, np.ndarray]:
    """Return the arrays of `packed` by name. Raises ValueError if the bytes are not
    such arrays."""
    try:
        if content.startswith(_ARCHIVE):
            with np.load(io.BytesIO(content), allow_pickle=False) as file:
                return {name: file[name] for name in file.files}
        stream = io.BytesIO(zlib.decompress(content))
        names = npy.read_array(stream, allow_pickle=False).tolist()
        return {name: npy.read_array(stream, allow_pickle=False) for name in names}
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
        raise ValueError(str(error)) from error


def _file(array: np.ndarray) -> bytes:
    """Return an array in the format of `numpy.save`."""
    return _header(array.dtype, array.shape) + array.tobytes()


@lru_cache(maxsize=256)
def _header(dtype: np.dtype, shape: tuple[int, ...]) -> bytes:
    """Return a cached header, because the models of a run are alike."""
    if dtype.hasobject:
        raise ValueError("Python objects cannot be stored: allow_pickle is False.")
    stream = io.BytesIO()
    described = npy.dtype_to_descr(dtype)
    content = {"descr": described, "fortran_order": False, "shape": shape}
    npy.write_array_header_1_0(stream, content)
    return stream.getvalue()
