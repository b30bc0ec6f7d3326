"""The base class of file formats, and of files read in parts of whole queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, ClassVar, TypeVar

from rankcore.base.errors import DataError
from rankcore.data.dataset import Gain, RankingDataset
from rankcore.data.formats.parts.chunks import Chunk
from rankcore.data.formats.parts.faults import Fault
from rankcore.data.formats.parts.first_rows import FirstRows, rows_of
from rankcore.data.formats.parts.good_rows import GoodRows, of_chunk
from rankcore.data.formats.parts.source import Opened, Source

# Options that every format accepts.
ALWAYS = frozenset({"gain", "limits", "name", "skip_lines", "encoding"})

# Reads the next part; returns None if it has no row.
NextPart = Callable[[], Chunk | None]
# Reads the valid rows of the next part.
NextRows = Callable[[], GoodRows | None]
Read = TypeVar("Read", Chunk, GoodRows)
# Opens a file from its beginning.
Reopened = Callable[[], AbstractContextManager[Opened]]


class Format:
    """A file format of data; each subclass is in a separate module.

    `name` and `read` are required; the defaults of the rest suit a file that is read as
    a whole and has only its first problem reported.

    Attributes
    ----------
    name : str
        Name of such files as the subject of a sentence.
    suffixes : tuple of str
        Suffixes of file names, without .gz; "" stands for all others.
    order : int
        If several formats recognise a file, the one with the lowest number reads it.
    content : str
        Content of such a file, for messages where another one is expected; "" if it is
        not specific.
    is_text : bool
        Whether it is text with an encoding.
    has_columns : bool
        Whether its columns have names, which determine their roles.
    options : frozenset of str
        Arguments of `rankcore.data.readers.read` that it accepts besides `ALWAYS`.
    afterwards : frozenset of str
        Those `options` that are applied after reading the data.
    of_parts : frozenset of str
        Those `options` that it accepts when read in parts.
    line : int
        Bytes of the longest line, if different from `Limits`.
    function : str
        The function of `rankcore.data.readers` that reads it.
    """

    name: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]] = ()
    order: ClassVar[int] = 5
    content: ClassVar[str] = ""
    is_text: ClassVar[bool] = True
    has_columns: ClassVar[bool] = False
    options: ClassVar[frozenset[str]] = frozenset({"ignore"})
    afterwards: ClassVar[frozenset[str]] = frozenset({"ignore", "unjudged"})
    of_parts: ClassVar[frozenset[str]] = frozenset()
    line: ClassVar[int] = 0
    function: ClassVar[str] = "read"

    @property
    def is_judged(self) -> bool:
        """Whether its labels may be in a separate file."""
        return "judgements" in self.options

    def recognises(self, begin: bytes, options: Mapping[str, Any]) -> bool:
        """Return whether a file has this format, by its first bytes and its options."""
        return False

    def accepted(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options that it accepts."""
        return {k: v for k, v in options.items() if k in self.options | ALWAYS}

    def check(
        self, options: Mapping[str, Any], file: str, *, in_parts: bool = False
    ) -> None:
        """Refuse options that it does not accept.

        Raises
        ------
        DataError
        """
        possible = (self.of_parts if in_parts else self.options) | ALWAYS
        for option in dict.fromkeys(("judgements", "groups", *options)):
            if options.get(option) and option not in possible:
                raise self.refusal(option, file)

    def refusal(self, option: str, file: str) -> DataError:
        """Return the error of an option that it does not accept."""
        role = f"{self.name} has no named columns, so none can be the {option}"
        problem, remedy = {
            "judgements": (
                "Judgements are given, but this is not a feature log",
                "Give judgements only with JSON of Elasticsearch, OpenSearch or Solr",
            ),
            "groups": (
                "Sizes of queries are given, but this is not LETOR text",
                "Give them only with LETOR text",
            ),
            "missing": (
                f"{self.name} has no empty cells: omitted values count as 0",
                "Choose how to treat missing values only for CSV and Parquet",
            ),
            **dict.fromkeys(
                ("unjudged", "duplicates", "labels"),
                (
                    f"For {self.name}, {option} cannot be chosen here",
                    "Choose it for CSV and Parquet",
                ),
            ),
        }.get(option, (role, "Name columns only for CSV and Parquet"))
        return DataError(problem, remedy, file)

    def read(self, source: Source, **options: Any) -> RankingDataset:
        """Read a file.

        Parameters
        ----------
        source : path, bytes or binary file
        **options
            ``name``, ``gain``, ``limits``, ``skip_lines``, and the `options` not
            applied afterwards.

        Raises
        ------
        DataError
            With the file, line, column, problem and remedy.
        """
        raise NotImplementedError

    def first_rows(
        self, source: Opened, options: Mapping[str, Any] | None = None
    ) -> FirstRows:
        """Read the first documents, up to an invalid one.

        Parameters
        ----------
        options : mapping, optional
            Judgements read before.
        """
        try:
            return rows_of(self._whole(source, "linear", {}))
        except DataError:
            return rows_of(None)

    def _whole(
        self, source: Opened, gain: Gain, options: Mapping[str, Any]
    ) -> RankingDataset:
        """Read a source that is already open."""
        how: dict[str, Any] = {"limits": source.limits, "skip_lines": source.skip}
        return self.read(source.stream, name=source.name, gain=gain, **how, **options)

    def faults(
        self, file: Source, source: Opened, gain: Gain, options: Mapping[str, Any]
    ) -> Iterator[Fault]:
        """Yield the problem of each invalid row of a file.

        Parameters
        ----------
        file : path or bytes
        source : Opened
            The same.
        gain : {"exponential", "linear"}
        options : mapping
            As for `rankcore.data.readers.read`.

        Raises
        ------
        DataError
            For a problem after which the file is unrecognisable.
        """
        yield from ()

    def in_parts(
        self, file: Source, source: Opened, gain: Gain, options: Mapping[str, Any]
    ) -> Parts:
        """Prepare for reading a file in parts.

        Parameters
        ----------
        file : path
        source : Opened
            The open file, whose beginning may be read.
        gain : {"exponential", "linear"}
        options : mapping
            The given options of `of_parts`.
        """
        return _Whole(self._whole(source, gain, options))


class WiderError(Exception):
    """A part has unexpected features."""


class Parts:
    """A file read in parts of whole queries.

    Attributes
    ----------
    features : tuple of str
        All features, or those of the beginning of the file.
    judges : bool
        Whether documents may lack a judgement.
    share : int
        Factor by which parts are smaller than those of `part_sizes`.
    texts : bool
        Whether texts of documents and queries are read, if there are any.
    passes : bool
        Whether invalid rows are skipped, see `good_rows`.
    """

    features: tuple[str, ...]
    judges: bool = False
    share: int = 1
    texts: bool = True
    passes: bool = False

    def prepare(self, reopened: Reopened) -> None:
        """Read the file for data needed before its parts."""

    def parts(self, source: Opened, first_line: int) -> Iterator[NextPart]:
        """Yield the parts from a line on, counted from 0; several may be read at once.

        Raises
        ------
        WiderError
            Raised by a part with more features than the beginning of the file.
        """
        raise NotImplementedError

    def good_rows(self, source: Opened) -> Iterator[NextRows]:
        """Yield parts without invalid rows; several may be read at once, and they may
        divide queries.

        Problems after which rows are unrecognisable raise as usual; so does any problem
        of a format without this method.
        """
        for read in self.parts(source, 0):
            yield partial(_rows_of_part, read)

    def all_features(self, source: Opened) -> tuple[str, ...]:
        """Read the whole file to find the features."""
        return self.features

    def refusal(self, documents: int, judged: int) -> DataError | None:
        """Return the error if the total number of documents is invalid, else None."""
        return None


class _Whole(Parts):
    """A file read as a whole, as a single part."""

    def __init__(self, data: RankingDataset) -> None:
        self.features, self.judges = data.feature_names, data.judged is not None
        begins = data.rows[data.offsets[:-1]]
        self._chunk = Chunk(data, begins, data.n_documents)

    def parts(self, source: Opened, first_line: int) -> Iterator[NextPart]:
        return has_been_read(iter(() if first_line else (self._chunk,)))


def _rows_of_part(read: NextPart) -> GoodRows | None:
    chunk = read()
    return None if chunk is None else of_chunk(chunk)


def has_been_read(chunks: Iterator[Read]) -> Iterator[Callable[[], Read]]:
    """Yield parts that are already read."""
    for chunk in chunks:
        yield partial(lambda one: one, chunk)
