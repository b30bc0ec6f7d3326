"""Bytes from files, uploads and buffers, within limits and without surprises."""

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from rankcore.errors import DataError

Source = str | os.PathLike[str] | bytes | bytearray | IO[bytes]

GZIP_MAGIC = b"\x1f\x8b"
GZIP_FORMAT = 16 + zlib.MAX_WBITS
BLOCK = 2**20
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


def read_bytes(source: Source, name: str, limits: Limits) -> bytearray:
    """Read and, if need be, decompress ``source``.

    Raises
    ------
    DataError
        If it cannot be read, is truncated, or exceeds ``limits.size`` or
        ``limits.line``; no more than a block beyond the limit is ever in memory.
    """
    content = bytearray()
    since_newline = 0
    size = min(BLOCK, limits.line)
    with _opened(source, name) as stream:
        for block in _decompressed(_blocks(stream, size), size, content, name):
            # A block is no longer than a line may be: only its ends can break the rule.
            first = block.find(b"\n")
            since_newline += len(block) if first < 0 else first
            if since_newline > limits.line:
                raise DataError(
                    f"The line is longer than {limits.line} bytes",
                    "Check that the file is LETOR text or CSV with one row per line",
                    name,
                    content.count(b"\n") + 1,
                    1,
                )
            if first >= 0:
                since_newline = len(block) - block.rfind(b"\n") - 1
            content += block
            if len(content) > limits.size:
                raise DataError(
                    f"The data is larger than {limits.size} bytes",
                    "Use fewer queries, or raise the limit",
                    name,
                    content.count(b"\n") + 1,
                )
    return content


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
    blocks: Iterator[bytes], size: int, so_far: bytearray, name: str
) -> Iterator[bytes]:
    first = next(blocks, b"")
    if not first.startswith(GZIP_MAGIC):
        yield first
        yield from blocks
        return
    try:
        yield from _inflated(first, blocks, size)
    except (zlib.error, EOFError, gzip.BadGzipFile) as error:
        raise DataError(
            f"The gzip data is damaged or cut short ({error})",
            "Copy or download the file again",
            name,
            so_far.count(b"\n") + 1,
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
