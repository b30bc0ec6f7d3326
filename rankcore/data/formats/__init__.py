"""File formats, one module each, discovered in this folder.

To add a format, add a module with a subclass of `Format`; readers, converters and
previews use it at once. Shared code is in `parts`.
"""

from __future__ import annotations

import codecs
import gzip
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from rankcore.base.discovery import declared, remembered
from rankcore.base.errors import DataError
from rankcore.data.formats.parts.format import Format
from rankcore.data.formats.parts.source import (
    BEGINNING,
    GZIP_MAGIC,
    LARGE_FILE,
    Source,
    joined,
    opened,
    read_bytes,
    stream_of,
)

__all__ = [
    "Format",
    "all_formats",
    "in_utf8",
    "is_named",
    "of_begin",
    "of_name",
    "of_source",
    "recoded",
    "stem",
    "suffixes",
]


@remembered
def all_formats() -> tuple[Format, ...]:
    """Return all formats, in the order in which they are tried."""
    kinds = [kind() for kind in declared(__name__, Format, "formats")]
    return tuple(sorted(kinds, key=lambda kind: (kind.order, kind.name)))


@remembered
def suffixes() -> tuple[str, ...]:
    """Return the suffixes of file names that identify a format, without .gz."""
    return tuple(end for kind in all_formats() for end in kind.suffixes if end)


def of_name(name: str) -> Format:
    """Return the format of a file name, gzipped or not, by its longest matching
    suffix."""
    plain = name.lower().removesuffix(".gz")
    end = max((end for end in suffixes() if plain.endswith(end)), key=len, default="")
    return next(kind for kind in all_formats() if end in kind.suffixes)


def of_begin(begin: bytes, options: Mapping[str, Any] | None = None) -> Format:
    """Return the format of a file by its first bytes and its options."""
    arguments = options or {}
    return next(kind for kind in all_formats() if kind.recognises(begin, arguments))


def of_source(source: Source, name: str, options: Mapping[str, Any]) -> Format:
    """Return the format of a path or bytes, by its name or its first bytes."""
    if is_named(source, name):
        return of_name(name)
    with opened(source, name) as opened_source:
        return of_begin(opened_source.peek()[0], options)


def is_named(source: Source, name: str) -> bool:
    """Return whether a name indicates a format; names of pipes and devices do not.

    Parameters
    ----------
    source : path, bytes or binary file
    name : str
        Its name.
    """
    if name.lower().removesuffix(".gz").endswith(suffixes()):
        return True
    if isinstance(source, str | os.PathLike):
        return Path(source).is_file() or not Path(source).exists()
    return False


def stem(name: str) -> str:
    """Return a file name without folder and known suffixes."""
    path, ends = Path(name), {".gz", *suffixes()}
    while path.suffix.lower() in ends and path.stem:
        path = path.with_suffix("")
    return path.name


@contextmanager
def recoded(source: Source, name: str, encoding: str | None) -> Iterator[Source]:
    """Return text in an encoding as a UTF-8 stream; unchanged without an encoding.

    Raises
    ------
    DataError
        If the encoding is unknown, or the source cannot be opened.
    """
    if encoding is None:
        yield source
        return
    try:
        b"text".decode(encoding, "replace")
    except (LookupError, ValueError) as error:
        problem = f"There is no encoding {encoding!r:.40}"
        remedy = "Name one such as windows-1252 or utf-16"
        raise DataError(problem, remedy, name) from error
    with stream_of(source, name) as stream:
        head = read_bytes(stream, BEGINNING, name)
        whole = joined(head, stream)
        if not of_begin(head).is_text:
            yield whole
            return
        if head.startswith(GZIP_MAGIC):
            whole = cast(IO[bytes], gzip.GzipFile(fileobj=whole))
        utf8 = codecs.EncodedFile(whole, "utf-8", encoding)
        vars(utf8)["name"] = name
        yield cast(IO[bytes], utf8)


def in_utf8(content: bytes, name: str, encoding: str | None) -> bytes:
    """Return a text in UTF-8; other values unchanged."""
    if encoding is None:
        return content
    with recoded(content, name, encoding) as text:
        return read_bytes(cast(IO[bytes], text), LARGE_FILE.size, name)
