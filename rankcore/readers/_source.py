"""Bytes from files, uploads and buffers, within limits and without surprises."""

import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import numpy as np

from rankcore._arrays import Bytes, owned
from rankcore.errors import DataError

Source = str | os.PathLike[str] | bytes | bytearray | IO[bytes]

GZIP_MAGIC = b"\x1f\x8b"
PARQUET_MAGIC = b"PAR1"
GZIP_FORMAT = 16 + zlib.MAX_WBITS
BLOCK = 2**18
NEWLINE = ord("\n")
SUFFIXES = {".gz", ".txt", ".csv", ".tsv", ".parquet", ".dat", ".letor", ".svm"}


@dataclass(frozen=True)
class Limits:
    """What a reader accepts; checked before memory is taken, so that it is bounded.

    Attributes
    ----------
    size : int
        Bytes of a file, after decompression.
    line : int
        Bytes of a line.
    rows : int
        Documents.
    features : int
        Largest feature number.
    cells : int
        Documents times features.
    """

    size: int = 4 * 2**30
    line: int = 4 * 2**20
    rows: int = 10_000_000
    features: int = 100_000
    cells: int = 2**29


DEFAULT_LIMITS = Limits()


def source_name(source: Source | Any, name: str | None = None) -> str:
    """Return what to call ``source`` in a message."""
    if name:
        return name
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    given = getattr(source, "name", None)
    return given if isinstance(given, str) else "the given data"


def stem(name: str) -> str:
    """Return a file's name without folder and known suffixes."""
    path = Path(name)
    while path.suffix.lower() in SUFFIXES and path.stem:
        path = path.with_suffix("")
    return path.name


def read_bytes(source: Source, name: str, limits: Limits, padding: int = 0) -> Bytes:
    """Read and, if need be, decompress ``source``.

    Parameters
    ----------
    source, name
        What to read, and what to call it in a message.
    limits : Limits
        Of these, ``size`` and ``line`` are checked here.
    padding : int
        Number of newlines to append.

    Returns
    -------
    (bytes,) uint8

    Raises
    ------
    DataError
        If the source cannot be read, is damaged, or exceeds a limit; no more than a
        block beyond the limit is ever in memory.
    """
    size = min(BLOCK, limits.line)
    with _opened(source, name) as stream:
        content = _Content(_expected_size(stream, limits), padding)
        line = 0
        for block in _decompressed(_blocks(stream, size), size, content, name):
            # A block is no longer than a line may be: only a line that began in an
            # earlier block can be too long.
            if not content.size and block.startswith(PARQUET_MAGIC):
                limits = replace(limits, line=limits.size)
            first = block.find(b"\n")
            line += len(block) if first < 0 else first
            if line > limits.line:
                problem = f"The line is longer than {limits.line} bytes"
                remedy = "Check that the file is text with one document per line"
                raise DataError(problem, remedy, name, content.line, 1)
            if first >= 0:
                line = len(block) - block.rfind(b"\n") - 1
            content.append(block)
            if content.size > limits.size:
                problem = f"The data is larger than {limits.size} bytes"
                remedy = "Use fewer queries, or raise the limit"
                raise DataError(problem, remedy, name, content.line, 1)
    return content.padded()


class _Content:
    """A growing array of bytes."""

    def __init__(self, expected: int, padding: int) -> None:
        self.buffer = np.empty(expected + padding, dtype=np.uint8)
        self.padding = padding
        self.size = 0

    @property
    def line(self) -> int:
        """The line, from 1, that the next byte belongs to."""
        return int(np.count_nonzero(self.buffer[: self.size] == NEWLINE)) + 1

    def append(self, block: bytes) -> None:
        end = self.size + len(block)
        if end + self.padding > len(self.buffer):
            grown = np.empty(2 * end + self.padding, dtype=np.uint8)
            grown[: self.size] = self.buffer[: self.size]
            self.buffer = grown
        self.buffer[self.size : end] = np.frombuffer(block, dtype=np.uint8)
        self.size = end

    def padded(self) -> Bytes:
        end = self.size + self.padding
        self.buffer[self.size : end] = NEWLINE
        return owned(self.buffer)[:end]


def _expected_size(stream: IO[bytes], limits: Limits) -> int:
    try:
        size = os.fstat(stream.fileno()).st_size
    except (OSError, AttributeError):
        size = BLOCK
    return min(size, limits.size)


@contextmanager
def _opened(source: Source, name: str) -> Iterator[IO[bytes]]:
    if isinstance(source, bytes | bytearray):
        yield io.BytesIO(source)
    elif isinstance(source, str | os.PathLike):
        try:
            stream = open(source, "rb")  # noqa: SIM115
        except (OSError, ValueError) as error:
            raise _unreadable(Path(source), error, name) from error
        with stream:
            yield stream
    else:
        yield source


def _unreadable(path: Path, error: Exception, name: str) -> DataError:
    if isinstance(error, FileNotFoundError):
        return DataError("There is no such file", "Check the path", name)
    if isinstance(error, IsADirectoryError):
        return DataError(
            "This is a folder, not a file",
            "Name a file in it, or use load_folds for a LETOR folder",
            name,
        )
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return DataError(
        f"The file cannot be opened ({reason})", "Check that you may read it", name
    )


def _blocks(stream: IO[bytes], size: int) -> Iterator[bytes]:
    while block := stream.read(size):
        yield block.encode() if isinstance(block, str) else block


def _decompressed(
    blocks: Iterator[bytes], size: int, so_far: _Content, name: str
) -> Iterator[bytes]:
    first = next(blocks, b"")
    if not first.startswith(GZIP_MAGIC):
        yield first
        yield from blocks
        return
    try:
        yield from _inflated(first, blocks, size)
    except (zlib.error, EOFError) as error:
        raise DataError(
            f"The gzip data is damaged or cut short ({error})",
            "Copy or download the file again",
            name,
            so_far.line,
            1,
        ) from error


def _inflated(first: bytes, blocks: Iterator[bytes], size: int) -> Iterator[bytes]:
    inflater = zlib.decompressobj(GZIP_FORMAT)
    block = first
    while block or not inflater.eof:
        if not block:
            block = next(blocks, b"")
            if not block:
                raise EOFError("it ends before its end mark")
        yield inflater.decompress(block, size)
        block = inflater.unconsumed_tail
        if inflater.eof:
            # Files may be joined, and padded with zeros.
            block = (inflater.unused_data or next(blocks, b"")).lstrip(b"\0")
            if block:
                inflater = zlib.decompressobj(GZIP_FORMAT)
