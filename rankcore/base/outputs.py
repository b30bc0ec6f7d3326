"""Output files named by the user: written completely, or left unchanged."""

import errno
import os
import secrets
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from typing import IO

PathLike = str | os.PathLike[str]

_REFUSED = {
    stat.S_IFDIR: (errno.EISDIR, "this is a folder; name a file in it"),
    stat.S_IFBLK: (errno.ENOTSUP, "this is a disk; name a file"),
    stat.S_IFSOCK: (errno.ENOTSUP, "this is a socket; name a file"),
}


class Output:
    """An output that is checked to be writable when it is created.

    - A file is replaced as a whole: its content goes into a temporary file in the same
      folder and is flushed to disk before it takes the name. Mode, owner and extended
      attributes of an existing file are preserved if the user may set them; a new file
      has the usual ones. Symbolic links are followed and stay links; other hard links
      keep the old content.
    - Standard output and standard error (``/dev/stdout``, ``/dev/fd/1`` …), other
      character devices and named pipes are written to directly. A pipe needs a reader.
    - Folders, disks and sockets are rejected.

    Parameters
    ----------
    path : path

    Attributes
    ----------
    is_file : bool
        Whether it is a regular file, rather than a stream or device.

    Raises
    ------
    OSError
        If it is not writable; ``strerror`` says why.
    """

    def __init__(self, path: PathLike) -> None:
        self.path = os.fspath(path)
        with _naming(self.path):
            self._write = _writer(self.path)
        self.is_file = self._write.func is _replace

    def write(self, text: str | bytes) -> None:
        """Write bytes, or a text in UTF-8.

        Raises
        ------
        OSError
            If that fails. A file is then unchanged.
        """
        content = text.encode() if isinstance(text, str) else text
        with _naming(self.path):
            self._write(content)

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """Open the output for writing in pieces; on failure, the named file is
        unchanged.

        Raises
        ------
        OSError
            If it is not a file, or writing fails.
        """
        if not self.is_file:
            raise OSError(errno.ENOTSUP, "not a regular file; name one", self.path)
        try:
            with _replacement(os.path.realpath(self.path)) as file:
                yield file
        except OSError as error:
            if error.filename is not None:
                raise
            with _naming(self.path):
                raise


def check_apart(outputs: Mapping[str, PathLike], inputs: Iterable[PathLike]) -> None:
    """Reject outputs that would overwrite an input or each other.

    Files are compared, not names: links to one file are the same file.

    Parameters
    ----------
    outputs : dict of str to path
        Paths by option.
    inputs : iterable of paths

    Raises
    ------
    ValueError
        For the first conflict.
    """
    earlier: dict[str, PathLike] = {}
    inputs = list(inputs)
    for option, path in outputs.items():
        for read in inputs:
            if _same_file(path, read):
                raise ValueError(
                    f"{option} {path} would overwrite {read}, which is read here; name "
                    "another file."
                )
        for other, output in earlier.items():
            if _same_file(path, output):
                raise ValueError(
                    f"{other} and {option} name the same file, {path}; name two files."
                )
        earlier[option] = path


def _same_file(one: PathLike, other: PathLike) -> bool:
    try:
        files = os.stat(one), os.stat(other)
    except OSError:
        return os.path.realpath(one) == os.path.realpath(other)
    return stat.S_ISREG(files[0].st_mode) and os.path.samestat(*files)


def _writer(path: str) -> partial[None]:
    try:
        file = os.stat(path)
    except FileNotFoundError:
        return _replacing(path)
    for stream in (sys.__stdout__, sys.__stderr__):
        if stream is not None and _is_open_as(file, stream):
            return partial(_send, stream)
    kind = stat.S_IFMT(file.st_mode)
    if kind in _REFUSED:
        raise OSError(*_REFUSED[kind])
    if kind == stat.S_IFCHR:
        return partial(_write_device, path)
    if kind == stat.S_IFIFO:
        return partial(_write_pipe, _opened_pipe(path))
    return _replacing(path)


def _is_open_as(status: os.stat_result, stream: IO[str]) -> bool:
    try:
        return os.path.samestat(status, os.fstat(stream.fileno()))
    except (OSError, ValueError):
        return False


def _send(stream: IO[str], content: bytes) -> None:
    """Write to the open stream: reopening a file would overwrite printed text."""
    for printed in (sys.stdout, stream):
        printed.flush()
    with open(stream.fileno(), "wb", closefd=False) as file:
        file.write(content)


def _write_device(path: str, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)


def _opened_pipe(path: str) -> int:
    """Open a pipe at once: closing and reopening it would end the reader's input."""
    try:
        pipe = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        reason = "nobody reads from this pipe; start its reader first"
        raise OSError(error.errno, reason) from None
    os.set_blocking(pipe, True)
    return pipe


def _write_pipe(pipe: int, content: bytes) -> None:
    with open(pipe, "wb") as file:
        file.write(content)


def _replacing(path: str) -> partial[None]:
    """Return the writer of the file at ``path``, after a check that it works."""
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        reason = f"there is no folder {folder}; create it first"
        raise FileNotFoundError(errno.ENOENT, reason)
    if os.path.exists(target) and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    with _temporary(folder):
        pass
    return partial(_replace, target)


def _replace(target: str, content: bytes) -> None:
    with _replacement(target) as file:
        file.write(content)


@contextmanager
def _replacement(target: str) -> Iterator[IO[bytes]]:
    """Open a temporary file that replaces the target once it is complete."""
    folder = os.path.dirname(target)
    with _temporary(folder) as (file, name):
        if os.path.lexists(target):
            _keep_metadata(target, name)
        yield file
        file.flush()
        os.fsync(file.fileno())
        os.replace(name, target)
        _flush_folder(folder)


@contextmanager
def _temporary(folder: str) -> Iterator[tuple[IO[bytes], str]]:
    """Provide a temporary file in a folder, which is removed at the end unless
    renamed."""
    name = os.path.join(folder, f".rankscope-{secrets.token_hex(8)}")
    try:
        with open(name, "xb") as file:
            yield file, name
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name)


def _keep_metadata(target: str, name: str) -> None:
    file = os.lstat(target)
    if not stat.S_ISREG(file.st_mode):
        raise OSError(errno.EEXIST, "this is no longer a file")
    with suppress(PermissionError):
        os.chown(name, file.st_uid, file.st_gid)
    shutil.copystat(target, name)


def _flush_folder(folder: str) -> None:
    """Make the new name durable; some systems cannot flush a folder."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


@contextmanager
def _naming(path: str) -> Iterator[None]:
    """Make an OSError name the path given by the user."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise OSError(error.errno or errno.EIO, reason, path) from error
