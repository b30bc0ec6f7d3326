"""The folder of compiled kernels: its name, and the removal of old content.

    place / version, Python, Numba and processor / file of kernels and its sources

Checkouts and versions share the place safely: a folder's name identifies everything its
content was compiled from, files are only added, and a folder that disappears under a
running process only costs that process a compilation.
"""

import functools
import hashlib
import logging
import os
import re
import shutil
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from rankcore.base.version import __version__

VARIABLE = "NUMBA_CACHE_DIR"
# Folders unused for this long are removed.
UNUSED_DAYS = 14

_PACKAGE = Path(__file__).parents[1]
# The options that all kernels are compiled with.
_OPTIONS = _PACKAGE / "_kernels" / "__init__.py"
_IMPORTED = re.compile(rb"from rankcore\.([\w.]+) import")
_KERNEL = re.compile(rb"^@(borrowing_)?kernel\b", re.MULTILINE)
_DAY = 86400
_LOG = logging.getLogger("rankcore")


class Size(NamedTuple):
    """Size of the cache."""

    files: int
    bytes: int


@functools.cache
def place() -> Path:
    """Return the first writable place for compiled kernels, shared by all versions:
    the folder that Numba's variable names, else the user's cache folder, else a
    temporary folder, with a warning."""
    for folder in _places():
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            if os.access(folder, os.W_OK):
                return folder
    folder = _private_folder()
    _LOG.warning(
        "No folder for compiled kernels is writable. They are stored in %s and may be "
        "compiled again after a restart. Set %s to a writable folder.",
        folder,
        VARIABLE,
    )
    return folder


@functools.lru_cache(maxsize=256)
def folder_of(file: str) -> Path:
    """Return the folder for the kernels in ``file``, named after all their sources.

    Numba itself detects changes of the file of a kernel, but not of the files of
    kernels that it calls: without the name, an upgrade would run outdated code.
    """
    folder = _environment() / _name(Path(file))
    if not folder.exists():
        _prune(place())
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    _mark_used(folder)
    return folder


def is_complete() -> bool:
    """Return whether the cache has all kernels of these sources for this Numba and this
    processor; if so, mark them as used."""
    folders = [_mark(), *(_environment() / name for name in _names())]
    if not all(folder.exists() for folder in folders):
        return False
    for folder in folders:
        _mark_used(folder)
    return True


def set_complete() -> None:
    """Record that all kernels of these sources have been compiled."""
    with suppress(OSError):
        _mark().mkdir(parents=True, exist_ok=True)


def size() -> Size:
    """Return the size of the cache of all versions."""
    files = [path for path in place().rglob("*") if path.is_file()]
    return Size(len(files), sum(path.stat().st_size for path in files))


def clear() -> Size:
    """Remove the cache of all versions; return its previous size.

    Running processes recompile kernels that they have not loaded yet.
    """
    before = size()
    for folder in place().iterdir():
        _remove(folder)
    return before


def _places() -> Iterator[Path]:
    if folder := os.environ.get(VARIABLE):
        yield Path(folder) / "rankscope"
    from platformdirs import user_cache_path

    yield user_cache_path("rankscope") / "kernels"


def _private_folder() -> Path:
    """Return a temporary folder that only this user can write to, because a cache
    contains code; it is the same each time, unless another user owns that name."""
    user = os.getuid() if hasattr(os, "getuid") else "user"
    folder = Path(tempfile.gettempdir()) / f"rankscope-kernels-{user}"
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if hasattr(os, "getuid") and (status.st_uid != user or status.st_mode & 0o077):
        return Path(tempfile.mkdtemp(prefix="rankscope-kernels-"))
    return folder


@functools.cache
def _environment() -> Path:
    """Return the folder of this version, Python, Numba and processor.

    Machines may share a home, and code for one processor may crash on another.
    """
    # Imported here: it takes a tenth of a second.
    from llvmlite import binding

    setting = os.environ.get
    name = setting("NUMBA_CPU_NAME") or binding.get_host_cpu_name()
    features = (
        setting("NUMBA_CPU_FEATURES") or binding.get_host_cpu_features().flatten()
    )
    processor = _digest(name, features, sys.version)
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    compiler = f"python{python}-numba{version('numba')}"
    return place() / f"{__version__}-{compiler}-{processor}"


def _name(file: Path) -> str:
    """Return a name for the location and the sources of the kernels in ``file``; the
    location counts because compiled code contains its module's name."""
    contents = (path.read_bytes() for path in sorted(_sources(file)))
    inside = file.is_relative_to(_PACKAGE)
    place = file.relative_to(_PACKAGE).as_posix() if inside else file.name
    return f"{file.stem}-{_digest(place, *contents)}"


@functools.lru_cache(maxsize=256)
def _sources(path: Path) -> frozenset[Path]:
    """Return ``path``, the file of the options, and the kernel files that either
    imports, directly or indirectly."""
    sources = {path, _OPTIONS}
    for name in _IMPORTED.findall(path.read_bytes()):
        source = _PACKAGE.joinpath(*name.decode().split(".")).with_suffix(".py")
        if source.exists():
            sources |= _sources(source)
    return frozenset(sources)


@functools.cache
def _names() -> tuple[str, ...]:
    """Return the names of the folders of all files with kernels."""
    files = _PACKAGE.rglob("*.py")
    names = (_name(path) for path in files if _KERNEL.search(path.read_bytes()))
    return tuple(sorted(names))


def _mark() -> Path:
    return _environment() / f"all-{_digest(*_names())}"


def _digest(*parts: str | bytes) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for part in parts:
        content = part.encode() if isinstance(part, str) else part
        digest.update(f"{len(content)} ".encode() + content)
    return digest.hexdigest()


def _mark_used(folder: Path) -> None:
    with suppress(OSError):
        if folder.stat().st_mtime < time.time() - _DAY:
            os.utime(folder)


def _prune(place: Path) -> None:
    """Remove folders of older versions or edited sources that were unused for a long
    time; called before new compilations."""
    oldest = time.time() - UNUSED_DAYS * _DAY
    with suppress(OSError):
        for environment in place.iterdir():
            for folder in environment.iterdir():
                if folder.stat().st_mtime < oldest:
                    _remove(folder)
            if environment.stat().st_mtime < oldest:
                # This succeeds only if the folder is empty.
                environment.rmdir()


def _remove(folder: Path) -> None:
    """Remove a folder atomically, so that no process sees it partly deleted."""
    removed = folder.with_name(f"removed-{uuid.uuid4().hex}")
    with suppress(OSError):
        folder.rename(removed)
        shutil.rmtree(removed, ignore_errors=True)
