"""Compiled free functions on arrays.

Every kernel releases the interpreter lock, so that no visitor's page freezes, and is
cached on disk, so that only the first run on a machine pays for compilation. None uses
threads: two visitors training at once would abort Numba's fallback threading layer.
"""

from collections.abc import Callable
from typing import Any

from numba import njit


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile ``function`` with the house options, plus any given (``fastmath`` …).

    ``error_model="numpy"`` drops the zero-division check that stops vectorisation.
    """
    compiler = njit(cache=True, nogil=True, error_model="numpy", **options)
    return compiler if function is None else compiler(function)
