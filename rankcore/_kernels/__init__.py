"""Compiled free functions on arrays.

Every kernel releases the interpreter lock, so that no visitor's page freezes, and is
cached on disk, so that only the first run on a machine pays for compilation. None uses
threads: two visitors training at once would abort Numba's fallback threading layer.
"""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import config, njit


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile ``function`` with the house options, plus any given (``fastmath`` …).

    ``error_model="numpy"`` drops the zero-division check that stops vectorisation.
    """
    compiler = njit(cache=True, nogil=True, error_model="numpy", **options)
    if function is None:
        return lambda function: _compiled(compiler, function)
    return _compiled(compiler, function)


def _compiled(compiler: Callable[..., Any], function: Callable[..., Any]) -> Any:
    """Prepare compilation; where Numba finds no writable folder for its cache, neither
    beside the source nor in the user's home, the cache is kept in a temporary one."""
    try:
        return compiler(function)
    except RuntimeError:
        config.CACHE_DIR = str(_private_folder())  # type: ignore[attr-defined]
        return compiler(function)


def _private_folder() -> Path:
    """Return a temporary folder that only this user can write to, for a cache holds
    code; the same one each time, unless somebody else has taken its name."""
    user = os.getuid() if hasattr(os, "getuid") else "user"
    folder = Path(tempfile.gettempdir()) / f"rankscope-kernels-{user}"
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if hasattr(os, "getuid") and (status.st_uid != user or status.st_mode & 0o077):
        return Path(tempfile.mkdtemp(prefix="rankscope-kernels-"))
    return folder
