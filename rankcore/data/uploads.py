"""Uploads of visitors, kept in this process, with a limit per visitor."""

import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from typing import Generic, NamedTuple, TypeVar

from rankcore.base.errors import DataError, gathered_warnings

T = TypeVar("T")
# Characters that may be markup in displayed text: all except letters, digits, and
# underscores within a word.
_MARKUP = re.compile(r"[^\w.,()+ -]|(?<![^\W_])_|_(?![^\W_])")


# An upload unused for this long is removed if others need its space.
IDLE_SECONDS = 3600.0


class FullError(ValueError):
    """No space is left; the message gives a remedy."""


class Newest(Generic[T]):
    """The newest values of each visitor by name; a new one replaces the visitor's
    oldest. Anyone who knows a name gets its value, the visitor's own before another
    one's.

    Streamlit's cache is unsuitable: every client can clear it for all.

    Parameters
    ----------
    each : int
        Maximum number of values per visitor.
    most : int
        Maximum total number of values.
    """

    def __init__(self, each: int, most: int) -> None:
        self._each, self._most = each, most
        self._lock = threading.Lock()
        self._used_at: dict[str, float] = {}
        self._values: dict[str, OrderedDict[str, T]] = {}

    def keep(self, name: str, value: T, visitor: str) -> T:
        """Store a visitor's value under a name, and return it.

        Raises
        ------
        FullError
            If other visitors use all the space.
        """
        with self._lock:
            values = self._values.setdefault(visitor, OrderedDict())
            values[name] = value
            values.move_to_end(name)
            while len(values) > self._each:
                values.popitem(last=False)
            self._drop_unowned()
            self._make_room(name, visitor)
            self._used_at[name] = time.monotonic()
        return value

    def get(self, name: str, visitor: str = "") -> T | None:
        """Return the value of a name, the visitor's own first; None if missing or
        removed."""
        with self._lock:
            if name not in self._used_at:
                return None
            self._used_at[name] = time.monotonic()
            visitor_values = self._values.get(visitor, OrderedDict())
            every = (visitor_values, *self._values.values())
            return next(values[name] for values in every if name in values)

    def drop(self, name: str, visitor: str) -> None:
        """Remove a visitor's value, unless another visitor has it, too."""
        with self._lock:
            self._values.get(visitor, OrderedDict()).pop(name, None)
            self._drop_unowned()

    def newest(self, visitor: str) -> list[T]:
        """Return all values of a visitor, newest first."""
        with self._lock:
            return list(reversed(self._values.get(visitor, OrderedDict()).values()))

    def _make_room(self, name: str, visitor: str) -> None:
        if name in self._used_at or len(self._used_at) < self._most:
            return
        oldest = min(self._used_at, key=self._used_at.__getitem__)
        if time.monotonic() - self._used_at[oldest] < IDLE_SECONDS:
            del self._values[visitor][name]
            raise FullError(
                "This server has no room for another one now. Try again in an hour"
            )
        for values in self._values.values():
            values.pop(oldest, None)
        self._drop_unowned()

    def _drop_unowned(self) -> None:
        self._values = {
            visitor: values for visitor, values in self._values.items() if values
        }
        owned = {name for values in self._values.values() for name in values}
        for name in self._used_at.keys() - owned:
            del self._used_at[name]


class VisitorFile(NamedTuple, Generic[T]):
    """A file that a visitor has uploaded.

    Attributes
    ----------
    name : str
        Derived from its content; used in links.
    title : str
        Displayed name: the file name without characters that could be markup.
    content : object
        The content that was read.
    """

    name: str
    title: str
    content: T


class FileStore(Newest[VisitorFile[T]]):
    """Visitors' uploads of one kind.

    Parameters
    ----------
    prefix : str
        Prefix of their names.
    read : callable
        Reads a file from its bytes and name; raises DataError.
    visitor : callable
        Returns the current visitor.
    each, most : int
        As of `Newest`.
    """

    def __init__(
        self,
        prefix: str,
        read: Callable[[bytes, str], T],
        visitor: Callable[[], str],
        each: int,
        most: int,
    ) -> None:
        super().__init__(each, most)
        self._prefix, self._read, self._visitor = prefix, read, visitor
        self._warned = Newest[list[str]](each, most)

    def add(self, content: bytes, file: str) -> VisitorFile[T]:
        """Store the content of a file.

        Raises
        ------
        DataError
            If it cannot be read, or there is no space.
        """
        digest, who = blake2b(content, digest_size=4).hexdigest(), self._visitor()
        name, title = f"{self._prefix}{digest}", _MARKUP.sub("-", file)
        for one in self.newest(who):
            if one.name == name:
                return one
            if one.title == title:
                title += f" ({digest[:4]})"
        with gathered_warnings() as sentences:
            visitor_file = VisitorFile(name, title, self._read(content, file))
        try:
            self._warned.keep(name, sentences, who)
            return self.keep(name, visitor_file, who)
        except FullError as error:
            raise DataError("There are too many files", str(error)) from error

    def warnings(self, name: str) -> list[str]:
        """Return the warnings of reading a file."""
        return self._warned.get(name, self._visitor()) or []

    def names(self) -> dict[str, str]:
        """Return the titles of the visitor's files by name, newest first."""
        return {one.name: f"File: {one.title}" for one in self.newest(self._visitor())}
