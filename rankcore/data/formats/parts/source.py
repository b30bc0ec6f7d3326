"""Bytes from files, uploads and buffers, read within limits."""

import codecs
import io
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from rankcore.base.arrays import Bytes
from rankcore.base.errors import DataError

Blocks = Iterator[bytes | bytearray]
Source = str | os.PathLike[str] | bytes | bytearray | IO[bytes]

GZIP_MAGIC = b"\x1f\x8b"
GZIP_FORMAT = 16 + zlib.MAX_WBITS
BLOCK = 3 * 2**18
# zlib copies the data after the end of one of several joined files: at most this much.
PORTION = 2**12
BEGINNING = 2**12
BYTE_ORDER_MARK = codecs.BOM_UTF8
ENCODINGS = {  # by byte-order mark; that of UTF-32 begins like that of UTF-16
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


@dataclass(frozen=True)
class Limits:
    """Limits of a reader, checked before memory is allocated.

    By default a file of up to 50 MB is read with these limits, which keep memory below
    1 GB, and a larger file with the higher ones of `LARGE_FILE`.

    Attributes
    ----------
    size : int
        Bytes of a file, after decompression.
    line : int
        Bytes of a line, and characters of a CSV row over several lines.
    contents : int
        Bytes of a Parquet file's table of contents.
    group : int
        Bytes of a Parquet file's row group, after decompression.
    rows : int
        Documents.
    features : int
        Largest feature number, or columns of a table.
    cells : int
        Numbers in memory: documents times (features + 16). The identifiers of a
        document take as much memory as 16 numbers.
    text : int
        Bytes that identifiers and texts take in memory.
    """

    size: int = 2**30
    line: int = 4 * 2**20
    contents: int = 16 * 2**20
    group: int = 240_000_000
    rows: int = 2_000_000
    features: int = 100_000
    cells: int = 37_500_000
    text: int = 2**27

    def problem(self, n_rows: int, n_features: int) -> str | None:
        """Return why a table of this shape is refused; None if it is accepted."""
        most = self.most_rows(n_features)
        if n_rows <= most:
            return None
        if most == self.rows:
            return f"There are more than {self.rows} rows"
        return (
            f"{n_rows} rows of {n_features} features are too many numbers: rows times "
            f"(features + {CELLS_OF_ROW}) may be at most {self.cells}"
        )

    def most_rows(self, n_features: int) -> int:
        """Return the maximum number of rows with a number of features."""
        return min(self.rows, self.cells // (n_features + CELLS_OF_ROW))

    def too_much_text(self) -> tuple[str, str]:
        """Return the problem of too long identifiers and texts, and the remedy."""
        problem = f"Identifiers and texts take more than {self.text} bytes"
        return problem, f"Use fewer queries, shorten the texts, {RAISE}"


CELLS_OF_ROW = 16
SMALL_FILE = 50 * 2**20
LARGE_FILE = Limits(size=2**32, rows=10_000_000, cells=2**29, text=2**30, group=2**32)
# The end of the remedy for every file that exceeds a limit.
RAISE = "or raise the limit"
LESS = f"Use fewer queries or features, {RAISE}"
# Maximum share of the machine's memory for the features of a file.
_SHARE = 0.8


def limits_of_machine() -> Limits:
    """Return limits for a user's file: any size that fits into memory.

    Identifiers are counted as in `Limits.cells`.
    """
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # not on Windows
        return LARGE_FILE
    cells = int(_SHARE * memory) // 8
    return replace(
        LARGE_FILE,
        size=2**62,
        rows=max(cells // CELLS_OF_ROW, LARGE_FILE.rows),
        cells=max(cells, LARGE_FILE.cells),
        text=max(memory // 4, LARGE_FILE.text),
        group=2**62,
    )


def source_name(source: Source | Any, name: str | None = None) -> str:
    """Return the name of ``source`` in messages."""
    if name:
        return name
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    attribute = getattr(source, "name", None)
    return attribute if isinstance(attribute, str) else "the given data"


class Interrupted(Exception):  # noqa: N818
    """Reading ended early, with a problem and a remedy; the caller adds the line."""


@dataclass(frozen=True)
class Opened:
    """A source being read.

    Attributes
    ----------
    stream : binary file
    size : int
        Bytes of the file before decompression; 0 if unknown.
    name : str
        Its name in messages.
    limits : Limits
        Accepted sizes.
    skip : frozenset of int
        Lines of text, from 1, to read as blank.
    change : callable, optional
        Rewrites the blocks of text while reading, without changing the number of lines.
    """

    stream: IO[bytes]
    size: int
    name: str
    limits: Limits
    skip: frozenset[int] = frozenset()
    change: Callable[[Blocks], Blocks] | None = None

    def peek(self) -> tuple[bytes, "Opened"]:
        """Return the first bytes, decompressed, and the unread source."""
        stream = self.stream
        head = bytearray(read_bytes(stream, BEGINNING, self.name))
        begin = bytes(head)
        if head.startswith(GZIP_MAGIC):
            begin = self._unpacked_begin(head)
        if _is_seekable(stream):
            stream.seek(-len(head), io.SEEK_CUR)
        else:
            stream = joined(bytes(head), stream)
        return begin, replace(self, stream=stream)

    def _unpacked_begin(self, head: bytearray) -> bytes:
        """Return the first decompressed bytes, and append the bytes read for them to
        ``head``: joined files may begin with many empty ones."""

        def blocks() -> Iterator[bytes]:
            yield bytes(head)
            while len(head) < SMALL_FILE and (
                block := read_bytes(self.stream, BLOCK, self.name)
            ):
                head.extend(block)
                yield block

        begin = bytearray()
        packed_blocks = blocks()
        # Damaged files are refused later, when they are read.
        with suppress(zlib.error, EOFError):
            for piece in _inflated(next(packed_blocks), packed_blocks, BEGINNING):
                begin += piece
                if len(begin) >= BEGINNING:
                    break
        return bytes(begin[:BEGINNING])

    def blocks(self) -> Iterator[bytes | bytearray]:
        """Yield blocks, decompressed if necessary.

        Blocks may share one buffer: each is valid until the next one is read.

        Raises
        ------
        Interrupted
            If the source is damaged or exceeds ``limits.size`` or ``limits.line``; at
            most one block beyond the limit is in memory.
        """
        size = min(BLOCK, self.limits.line)
        total = line = 0
        plain_blocks = _decompressed(_blocks(self.stream, size), size)
        if self.change is not None:
            plain_blocks = self.change(plain_blocks)
        for block in self._unskipped(plain_blocks):
            total += len(block)
            # A block is at most as long as the longest line: only a line that began in
            # an earlier block can be too long.
            first = block.find(b"\n")
            line += len(block) if first < 0 else first
            if line > self.limits.line:
                problem = f"The line is longer than {self.limits.line} bytes"
                remedy = "Check that the file is text with one document per line"
                raise Interrupted(problem, remedy)
            if total > self.limits.size:
                raise Interrupted(*self.too_large())
            if first >= 0:
                line = len(block) - block.rfind(b"\n") - 1
            yield block

    def _unskipped(
        self, blocks: Iterator[bytes | bytearray]
    ) -> Iterator[bytes | bytearray]:
        """Yield blocks with skipped lines emptied."""
        if not self.skip:
            yield from blocks
            return
        line = 1
        for block in blocks:
            end = line + block.count(b"\n")
            if any(one in self.skip for one in range(line, end + 1)):
                lines = bytes(block).split(b"\n")
                block = b"\n".join(  # noqa: PLW2901
                    b"" if number in self.skip else text
                    for number, text in enumerate(lines, start=line)
                )
            line = end
            if block:
                yield block

    def seekable(self) -> IO[bytes]:
        """Return the stream, or a copy of its content, as a seekable stream.

        Raises
        ------
        DataError
            If the whole file is compressed, or it is too large.
        """
        stream = self.stream
        if not _is_seekable(stream) or stream.tell():
            stream = io.BytesIO(read_bytes(stream, self.limits.size + 1, self.name))
        begin = stream.read(len(GZIP_MAGIC))
        size = stream.seek(0, io.SEEK_END)
        stream.seek(0)
        if begin == GZIP_MAGIC:
            problem = "Parquet compressed by gzip is not supported"
            raise DataError(problem, "Unpack it with gunzip", self.name, 1, 1)
        if size > self.limits.size:
            problem, remedy = self.too_large()
            raise DataError(problem, remedy, self.name, 1, 1)
        return stream

    def check_room(self, rows: int, size: int, line: int, name: str = "rows") -> None:
        """Refuse more rows, or texts of a larger ``size``, than allowed.

        Raises
        ------
        DataError
        """
        if rows > self.limits.rows:
            problem = f"There are more than {self.limits.rows} {name}"
            raise DataError(problem, LESS, self.name, line, 1)
        if size > self.limits.text:
            raise DataError(*self.limits.too_much_text(), self.name, line, 1)

    def too_large(self) -> tuple[str, str]:
        """Return the problem of too many bytes, and the remedy."""
        return f"The data is larger than {self.limits.size} bytes", LESS


@contextmanager
def opened(
    source: Source,
    name: str | None = None,
    limits: Limits | None = None,
    skip: Iterable[int] = (),
) -> Iterator[Opened]:
    """Open a source and determine its size; by default its name is that of
    `source_name`.

    The size determines the limits if they are not given. A source of unknown size, such
    as a pipe, is read ahead until it ends or exceeds the size of a small file.

    Raises
    ------
    DataError
        If the source cannot be opened or read.
    """
    name = source_name(source, name)
    with stream_of(source, name) as source_stream:
        stream, size = source_stream, _size(source_stream)
        if limits is None and size == 0:
            head = read_bytes(source_stream, SMALL_FILE + 1, name)
            stream, size = joined(head, source_stream), len(head)
        if limits is None:
            limits = LARGE_FILE if size > SMALL_FILE else Limits()
        yield Opened(stream, size, name, limits, frozenset(skip))


class _Joined(io.RawIOBase):
    def __init__(self, head: bytes, rest: IO[bytes]) -> None:
        self.head, self.rest = io.BytesIO(head), rest

    def read(self, size: int = -1) -> bytes:
        return self.head.read(size) or _encoded(self.rest.read(size))


def joined(head: bytes, rest: IO[bytes]) -> IO[bytes]:
    """Return a stream that begins with bytes already read."""
    return cast(IO[bytes], _Joined(head, rest))


def say_encoding(encoding: str) -> str:
    """Return how to name the encoding of a file, as a part of a remedy."""
    way = "(on the command line --encoding)"
    return f"give its encoding with encoding={encoding!r} {way}"


def encoding_problem(begin: bytes | bytearray) -> tuple[str, str] | None:
    """Return problem and remedy if the first bytes show another encoding than UTF-8."""
    for mark, encoding in ENCODINGS.items():
        if begin.startswith(mark):
            problem = f"The file is {encoding}, not text in UTF-8"
            return problem, f"Save it as UTF-8, or {say_encoding(encoding.lower())}"
    return None


def json_problem(begin: bytes) -> tuple[str, str] | None:
    """Return problem and remedy if the first bytes show that a text is JSON."""
    if not begin.removeprefix(BYTE_ORDER_MARK).startswith((b"{", b"[")):
        return None
    problem = "The file is JSON, neither a table nor LETOR text"
    return problem, "Name it .json or .ndjson if it is a feature log"


def whole_lines(blocks: Iterator[bytes | bytearray], padding: int) -> Iterator[Bytes]:
    """Yield blocks cut at line ends, with newlines appended.

    All share one buffer: each is valid until the next one is read.
    """
    buffer = np.empty(0, dtype=np.uint8)
    rest = bytearray()
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
        rest = bytearray(memoryview(block)[cut:])
        lines.flags.writeable = False
        yield lines


def without_lines(
    blocks: Iterator[bytes | bytearray], count: int
) -> Iterator[bytes | bytearray]:
    """Skip the first lines of blocks."""
    for block in blocks:
        if count:
            lines = block.count(b"\n")
            if lines < count:
                count -= lines
                continue
            at = -1
            for _ in range(count):
                at = block.find(b"\n", at + 1)
            block, count = block[at + 1 :], 0  # noqa: PLW2901
        yield block


def _is_seekable(stream: IO[bytes]) -> bool:
    return isinstance(stream, io.BufferedReader | io.BytesIO) and stream.seekable()


def _size(stream: IO[bytes]) -> int:
    """Return the number of bytes of a seekable stream, otherwise 0."""
    if not _is_seekable(stream):
        return 0
    here = stream.tell()
    size = stream.seek(0, io.SEEK_END) - here
    stream.seek(here)
    return size


def read_bytes(stream: IO[bytes], size: int, name: str) -> bytes:
    """Return ``size`` bytes, fewer only at the end."""
    content = bytearray()
    try:
        while block := _encoded(stream.read(min(size - len(content), BLOCK))):
            content += block
    except (OSError, UnicodeError) as error:
        problem, remedy = _failing(error)
        raise DataError(problem, remedy, name, 1, 1) from error
    return bytes(content)


def _encoded(block: bytes | str) -> bytes:
    return block.encode() if isinstance(block, str) else block


@contextmanager
def stream_of(source: Source, name: str) -> Iterator[IO[bytes]]:
    """Open a source as a stream.

    Raises
    ------
    DataError
        If it cannot be opened.
    """
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
        f"The file cannot be opened ({reason})", "Check its permissions", name
    )


def _blocks(stream: IO[bytes], size: int) -> Iterator[bytes | bytearray]:
    """Yield ``size`` bytes at a time, in one buffer if the stream supports it."""
    try:
        if isinstance(stream, io.BufferedReader | io.BytesIO):
            buffer = bytearray(size)
            while read := stream.readinto(buffer):
                yield buffer if read == size else buffer[:read]
        while block := _encoded(stream.read(size)):
            yield block
    except (OSError, UnicodeError) as error:
        raise Interrupted(*_failing(error)) from error


def _failing(error: OSError | UnicodeError) -> tuple[str, str]:
    if isinstance(error, UnicodeError):
        problem = f"The file is not text in the given encoding ({error})"
        return problem, "Name the encoding in which it was saved"
    problem = f"Reading fails ({error.strerror or error})"
    return problem, "Copy or download the file again"


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
    portion = PORTION
    for block in chain([first], blocks):
        begin, view = 0, memoryview(block)
        while begin < len(view):
            piece: Any = view[begin : begin + portion]
            begin += len(piece)
            portion = min(2 * portion, size)
            if inflater.eof:
                # Files may be joined, and padded with zeros.
                piece = bytes(piece).lstrip(b"\0")
                if not piece:
                    continue
                inflater, portion = zlib.decompressobj(GZIP_FORMAT), PORTION
            while piece and not inflater.eof:
                if inflated := inflater.decompress(piece, size):
                    yield inflated
                piece = inflater.unconsumed_tail
            begin -= len(inflater.unused_data)
    if not inflater.eof:
        raise EOFError("it ends before its end mark")
