"""The record of a file format, and files that are read in parts of whole queries."""

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

# Options that every format takes.
ALWAYS = frozenset({"gain", "limits", "name", "skip_lines", "encoding"})

# Reads the next part; None if it has no row.
NextPart = Callable[[], Chunk | None]
# Reads those rows of the next part that can be read.
NextRows = Callable[[], GoodRows | None]
Read = TypeVar("Read", Chunk, GoodRows)
# Opens a file from its beginning.
Reopened = Callable[[], AbstractContextManager[Opened]]


class Format:
    """A kind of file that data are read from: a subclass in a file of its own.

    `name` and `read` are needed; the rest has defaults, for a file that is read as a
    whole and whose problems after the first are not looked for.

    Attributes
    ----------
    name : str
        The subject of sentences about such files.
    suffixes : tuple of str
        How the names of files end, without .gz; "" stands for all other names.
    order : int
        Of formats that recognise a file, the one of the lowest number reads it.
    content : str
        What such a file holds, where something else is expected; "" if others may hold
        it as well.
    is_text : bool
        Whether it has an encoding.
    has_columns : bool
        Whether its columns have names, which tell what they are.
    options : frozenset of str
        Arguments of `rankcore.data.readers.read` that it takes beside `ALWAYS`.
    afterwards : frozenset of str
        Those of them that are applied to the data when they have been read.
    of_parts : frozenset of str
        Those of them that it takes where it is read in parts.
    line : int
        Bytes of the longest line, if not those of `Limits`.
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
        """Whether its labels may be in a file beside it."""
        return "judgements" in self.options

    def recognises(self, begin: bytes, options: Mapping[str, Any]) -> bool:
        """Whether a file that begins so, and is read with such options, is of it."""
        return False

    def accepted(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return those of some options that it takes."""
        return {k: v for k, v in options.items() if k in self.options | ALWAYS}

    def check(
        self, options: Mapping[str, Any], file: str, *, in_parts: bool = False
    ) -> None:
        """Refuse options that are given although it does not take them.

        Raises
        ------
        DataError
        """
        possible = (self.of_parts if in_parts else self.options) | ALWAYS
        for option in dict.fromkeys(("judgements", "groups", *options)):
            if options.get(option) and option not in possible:
                raise self.refusal(option, file)

    def refusal(self, option: str, file: str) -> DataError:
        """Return the error of an option that it does not take."""
        role = f"{self.name} has no columns with names, so none can be the {option}"
        problem, remedy = {
            "judgements": (
                "Judgements are given, but this is no feature log",
                "Give judgements with JSON of Elasticsearch, OpenSearch or Solr only",
            ),
            "groups": (
                "Sizes of queries are given, but this is no LETOR text",
                "Give them with LETOR text only",
            ),
            "missing": (
                f"{self.name} has no empty cells: what it leaves out counts as 0",
                "Say what missing values count as for CSV and Parquet only",
            ),
            **dict.fromkeys(
                ("unjudged", "duplicates", "labels"),
                (
                    f"Of {self.name}, {option} cannot be chosen here",
                    "Choose it for CSV and Parquet",
                ),
            ),
        }.get(option, (role, "Name columns of CSV and Parquet only"))
        return DataError(problem, remedy, file)

    def read(self, source: Source, **options: Any) -> RankingDataset:
        """Read a file.

        Parameters
        ----------
        source : path, bytes or binary file
        **options
            ``name``, ``gain``, ``limits``, ``skip_lines``, and those of `options` that
            are not applied afterwards.

        Raises
        ------
        DataError
            With file, line, column, problem and remedy.
        """
        raise NotImplementedError

    def first_rows(
        self, source: Opened, options: Mapping[str, Any] | None = None
    ) -> FirstRows:
        """Read the first documents, up to one that cannot be read.

        Parameters
        ----------
        options : mapping, optional
            Judgements that have been read.
        """
        try:
            return rows_of(self._whole(source, "linear", {}))
        except DataError:
            return rows_of(None)

    def _whole(
        self, source: Opened, gain: Gain, options: Mapping[str, Any]
    ) -> RankingDataset:
        """Read a source that is open."""
        how: dict[str, Any] = {"limits": source.limits, "skip_lines": source.skip}
        return self.read(source.stream, name=source.name, gain=gain, **how, **options)

    def faults(
        self, file: Source, source: Opened, gain: Gain, options: Mapping[str, Any]
    ) -> Iterator[Fault]:
        """Find the problem of each row of a file that cannot be read.

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
            Of a problem after which nothing more can be told.
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
            The same, whose beginning may be read.
        gain : {"exponential", "linear"}
        options : mapping
            Those of `of_parts` that are given.
        """
        return _Whole(self._whole(source, gain, options))


class WiderError(Exception):
    """A part has features that were not expected."""


class Parts:
    """A file that is read in parts of whole queries.

    Attributes
    ----------
    features : tuple of str
        All of them, or those of the beginning.
    judges : bool
        Whether documents may lack a judgement.
    share : int
        By what factor parts are smaller than those of `part_sizes`.
    texts : bool
        Whether texts of documents and queries are read, where there are any.
    passes : bool
        Whether rows that cannot be read are passed over, see `good_rows`.
    """

    features: tuple[str, ...]
    judges: bool = False
    share: int = 1
    texts: bool = True
    passes: bool = False

    def prepare(self, reopened: Reopened) -> None:
        """Read the file for what has to be known before."""

    def parts(self, source: Opened, first_line: int) -> Iterator[NextPart]:
        """Yield the parts from a line on, counted from 0; several may be read at once.

        Raises
        ------
        WiderError
            By a part, if there are more features than those of the beginning.
        """
        raise NotImplementedError

    def good_rows(self, source: Opened) -> Iterator[NextRows]:
        """Yield parts without the rows that cannot be read; several may be read at
        once, and their ends need not be those of queries.

        Problems after which rows cannot be recognised raise as usual; so does any
        problem where a format lacks this method.
        """
        for read in self.parts(source, 0):
            yield partial(_rows_of_part, read)

    def all_features(self, source: Opened) -> tuple[str, ...]:
        """Read all of the file to find the features."""
        return self.features

    def refusal(self, documents: int, judged: int) -> DataError | None:
        """Return why so many documents in all are no data set; None if they are."""
        return None


class _Whole(Parts):
    """A file that has been read as a whole, as one part."""

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
    """Yield parts that are read by the time they are asked for."""
    for chunk in chunks:
        yield partial(lambda one: one, chunk)
