"""Bytes from files, uploads and buffers, within limits and without surprises."""

import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import IO, Any

import numpy as np

from rankcore._arrays import Bytes
from rankcore.errors import DataError

Source = str | os.PathLike[str] | bytes | bytearray | IO[bytes]

GZIP_MAGIC = b"\x1f\x8b"
PARQUET_MAGIC = b"PAR1"
GZIP_FORMAT = 16 + zlib.MAX_WBITS
BLOCK = 3 * 2**18
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


class Interrupted(Exception):  # noqa: N818
    """Reading ends early, for a reason and with a remedy; the caller knows the line."""


def read_blocks(
    source: Source, name: str, limits: Limits, without_lines: bytes | None = None
) -> Iterator[bytes | bytearray]:
    """Read and, if need be, decompress ``source``, a block at a time.

    Blocks may share one buffer: each is valid until the next is asked for.

    What begins with the bytes ``without_lines`` has no lines to be limited.

    Raises
    ------
    DataError
        If the source cannot be opened.
    Interrupted
        If it is damaged or exceeds ``limits.size`` or ``limits.line``; no more than a
        block beyond the limit is ever in memory.
    """
    size = min(BLOCK, limits.line)
    total = line = 0
    with _opened(source, name) as stream:
        for block in _decompressed(_blocks(stream, size), size):
            if total == 0 and without_lines and block.startswith(without_lines):
                limits = replace(limits, line=limits.size)
            total += len(block)
            # A block is no longer than a line may be: only a line that began in an
            # earlier block can be too long.
            first = block.find(b"\n")
            line += len(block) if first < 0 else first
            if line > limits.line:
                problem = f"The line is longer than {limits.line} bytes"
                remedy = "Check that the file is text with one document per line"
                raise Interrupted(problem, remedy)
            if total > limits.size:
                problem = f"The data is larger than {limits.size} bytes"
                raise Interrupted(problem, "Use fewer queries, or raise the limit")
            if first >= 0:
                line = len(block) - block.rfind(b"\n") - 1
            yield block


def read_bytes(source: Source, name: str, limits: Limits) -> bytes:
    """Read ``source`` whole; it is a table, and Parquet has no lines.

    Raises
    ------
    DataError
        As :func:`read_blocks`, with the line reading had come to.
    """
    content = bytearray()
    try:
        for block in read_blocks(source, name, limits, PARQUET_MAGIC):
            content += block
    except Interrupted as interruption:
        line = content.count(b"\n") + 1
        problem, remedy = interruption.args
        raise DataError(problem, remedy, name, line, 1) from interruption
    return bytes(content)


def whole_lines(blocks: Iterator[bytes | bytearray], padding: int) -> Iterator[Bytes]:
    """Cut blocks at line ends and append newlines to each.

    All share one buffer: each is valid until the next is asked for.
    """
    buffer = np.empty(0, dtype=np.uint8)
    rest = b""
    for block in chain(blocks, [b""]):
        cut = block.rfind(b"\n") + 1 if block else 0
        if block and not cut:
            rest += block
            continue
        size = len(rest) + cut + padding
        if size == padding:
            continue
        if size > len(buffer):
            buffer = np.empty(size + size // 8, dtype=np.uint8)
        lines = buffer[:size]
        lines[: len(rest)] = np.frombuffer(rest, dtype=np.uint8)
        lines[len(rest) : -padding] = np.frombuffer(block, np.uint8, cut)
        lines[-padding:] = ord("\n")
        rest = bytes(memoryview(block)[cut:])
        lines.flags.writeable = False
        yield lines


def expected_size(source: Source) -> int:
    """Return the bytes in ``source``, before decompression; 0 if unknown."""
    try:
        return os.stat(source).st_size if isinstance(source, str | os.PathLike) else 0
    except (OSError, ValueError):
        return 0


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


def _blocks(stream: IO[bytes], size: int) -> Iterator[bytes | bytearray]:
    """Read ``size`` bytes at a time, into one buffer where the stream surely can."""
    try:
        if isinstance(stream, io.BufferedReader | io.BytesIO):
            buffer = bytearray(size)
            while read := stream.readinto(buffer):
                yield buffer if read == size else buffer[:read]
        while block := stream.read(size):
            yield block.encode() if isinstance(block, str) else block
    except OSError as error:
        problem = f"Reading fails ({error.strerror or error})"
        raise Interrupted(problem, "Copy or download the file again") from error


def _decompressed(
    blocks: Iterator[bytes | bytearray], size: int
) -> Iterator[bytes | bytearray]:
    first = next(blocks, b"")
    if not first.startswith(GZIP_MAGIC):
        yield first
        yield from blocks
        return
    try:
        yield from _inflated(first, blocks, size)
    except (zlib.error, EOFError) as error:
        raise Interrupted(
            f"The gzip data is damaged or cut short ({error})",
            "Copy or download the file again",
        ) from error


def _inflated(
    first: bytes | bytearray, blocks: Iterator[bytes | bytearray], size: int
) -> Iterator[bytes]:
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
