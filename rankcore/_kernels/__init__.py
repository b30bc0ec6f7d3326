"""Compiled free functions on arrays.

Every kernel releases the interpreter lock, so that no visitor's page freezes, and is
cached on disk, so that only the first run on a machine pays for compilation. None uses
threads: two visitors training at once would abort Numba's fallback threading layer.
"""

import functools
import gc
import hashlib
import os
import re
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock
from llvmlite.binding import get_host_cpu_name
from numba import __version__ as numba_version
from numba import config, njit
from numba.core import event
from numba.core.caching import FunctionCache

from rankcore.compiling import NOTICE

HERE = Path(__file__).parent
_IMPORTED = re.compile(rb"from rankcore\.([\w.]+) import")
_TOLD: str = config.CACHE_DIR  # type: ignore[attr-defined]
_PLACING = threading.Lock()


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile ``function`` with the house options, plus any given (``fastmath`` …).

    ``error_model="numpy"`` drops the zero-division check that stops vectorisation.
    """
    compiler = njit(nogil=True, error_model="numpy", **options)
    if function is None:
        return lambda function: _compiled(compiler, function)
    return _compiled(compiler, function)


def borrowing_kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a kernel that makes no array and counts no references to those it gets.

    Its caller holds them. A count is an atomic operation, and kernels that call one
    another for every line of a text would spend a third of their time counting.
    """
    return kernel(function, _nrt=False, **options)


def _compiled(compiler: Callable[..., Any], function: Callable[..., Any]) -> Any:
    dispatcher = compiler(function)
    # Without compilation it is the function itself.
    if dispatcher is not function:
        with _cached_in(str(_cache_folder(function.__code__.co_filename))):
            dispatcher._cache = _SharedCache(function)
    return dispatcher


class _SharedCache(FunctionCache):
    """Numba's cache of one function, to which one process at a time adds.

    Numba numbers a function's compiled versions. Two processes that add one each at
    once would take the same number, and run the code of one version as the other.
    """

    def save_overload(self, sig: Any, data: Any) -> None:
        self._impl.locator.ensure_cache_path()
        with FileLock(Path(self.cache_path, f"{self._impl.filename_base}.lock")):
            super().save_overload(sig, data)


@contextmanager
def _cached_in(folder: str) -> Iterator[None]:
    """Have Numba keep its cache in ``folder``, without changing that of others.

    Numba has one such setting, and threads may load kernels at the same time.
    """
    with _PLACING:
        before = config.CACHE_DIR  # type: ignore[attr-defined]
        config.CACHE_DIR = folder  # type: ignore[attr-defined]
        try:
            yield
        finally:
            config.CACHE_DIR = before  # type: ignore[attr-defined]


class _Compilations(event.Listener):
    """Tells of compilations, and pauses the garbage collector meanwhile, which would
    take a fifth of the time.

    Numba compiles in one thread at a time, which is the one that calls these.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._collected = False

    def on_start(self, compilation: event.Event) -> None:
        if not _ours(compilation):
            return
        if self._depth == 0:
            self._collected = gc.isenabled()
            gc.disable()
        self._depth += 1
        NOTICE.begin()

    def on_end(self, compilation: event.Event) -> None:
        if not _ours(compilation):
            return
        NOTICE.end()
        self._depth -= 1
        if self._depth == 0 and self._collected:
            gc.enable()


def _ours(compilation: event.Event) -> bool:
    module: str = compilation.data["dispatcher"].py_func.__module__
    return module.startswith("rankcore.")


event.register("numba:compile", _Compilations())


def compiled_mark() -> Path:
    """The file that is there once all kernels of these sources have been compiled with
    this Numba for this processor."""
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(HERE.parent.rglob("*.py")):
        digest.update(path.read_bytes())
    for about in (sys.version, numba_version, get_host_cpu_name()):
        digest.update(about.encode())
    return _cache_folder(__file__).parent / f"all-{digest.hexdigest()}"


@functools.cache
def _cache_folder(file: str) -> Path:
    """The first writable place for the cache of the kernels in ``file``, in a folder
    named after all it is compiled from.

    Numba itself notices a change of the file a kernel is in, but not of the files whose
    kernels that one calls: without the name, an upgrade would run outdated code.
    """
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(_sources(Path(file))):
        digest.update(path.read_bytes())
    name = f"{Path(file).stem}-{digest.hexdigest()}"
    for folder in (place / name for place in _places()):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return _private_folder() / name


@functools.cache
def _sources(path: Path) -> frozenset[Path]:
    """``path``, this file, and the files of kernels that either imports, directly or
    not."""
    found = {path, Path(__file__)}
    for name in _IMPORTED.findall(path.read_bytes()):
        source = HERE.parent.joinpath(*name.decode().split(".")).with_suffix(".py")
        if source.exists():
            found |= _sources(source)
    return frozenset(found)


def _places() -> Iterator[Path]:
    """Where a cache may be kept: where Numba is told to, else beside the source, as
    Python's own, or with the user's other caches."""
    if _TOLD:
        yield Path(_TOLD)
        return
    yield HERE / "__pycache__"
    from platformdirs import user_cache_path

    yield user_cache_path("rankscope")


def _private_folder() -> Path:
    """Return a temporary folder that only this user can write to, for a cache holds
    code; the same one each time, unless another user owns that name."""
    user = os.getuid() if hasattr(os, "getuid") else "user"
    folder = Path(tempfile.gettempdir()) / f"rankscope-kernels-{user}"
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if hasattr(os, "getuid") and (status.st_uid != user or status.st_mode & 0o077):
        return Path(tempfile.mkdtemp(prefix="rankscope-kernels-"))
    return folder
