"""Rankings of a search engine or any other ranker, and the forms of runs.

To add a form, add a module with a subclass of `RankingForm`; modules are discovered.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from sys import getsizeof
from typing import ClassVar, NamedTuple, overload

import numpy as np

from rankcore.base.arrays import Bytes, Floats, Integers, owned
from rankcore.base.discovery import remembered
from rankcore.base.errors import DataError
from rankcore.base.numbers import phrase
from rankcore.data._forms import FileForm, declared_forms
from rankcore.data.dataset import Query, RankingDataset
from rankcore.data.formats import of_begin, stem
from rankcore.data.formats.parts.cells import shown
from rankcore.data.formats.parts.source import Limits, Opened, Source, opened
from rankcore.data.judgements import first_line


class DocumentNames(Sequence[bytes]):
    """Names of documents in UTF-8, in one buffer.

    Parameters
    ----------
    text : (bytes,) uint8
        Names, followed by the padding that compiled parsers need.
    spans : (n, 2) int64
        Begin and end of each name.
    """

    def __init__(self, text: Bytes, spans: Integers) -> None:
        self.text, self.spans = text, spans

    @classmethod
    def of(cls, names: Iterable[str]) -> DocumentNames:
        """Return names in one buffer, with padding."""
        from rankcore._kernels.text.numerals import PADDING

        encoded = [name.encode() for name in names]
        ends = np.cumsum([0, *map(len, encoded)])
        text = np.frombuffer(b"".join(encoded) + b"\n" * PADDING, np.uint8)
        return cls(text, owned(np.stack([ends[:-1], ends[1:]], axis=1)))

    def __len__(self) -> int:
        return len(self.spans)

    @overload
    def __getitem__(self, at: int) -> bytes: ...
    @overload
    def __getitem__(self, at: slice) -> DocumentNames: ...
    def __getitem__(self, at: int | slice) -> bytes | DocumentNames:
        if isinstance(at, slice):
            return DocumentNames(self.text, self.spans[at])
        begin, end = self.spans[at]
        return self.text[begin:end].tobytes()

    def taken(self, places: Integers) -> DocumentNames:
        """Return the names at some positions."""
        return DocumentNames(self.text, owned(self.spans[places]))


@dataclass(frozen=True, eq=False)
class Rankings:
    """The documents that a ranker returned for each query, and their scores.

    Attributes
    ----------
    name : str
        Name of the run.
    query_ids : tuple of q str
    offsets : (q + 1,) int64
        Start of each query's documents; each query has at least one.
    documents : DocumentNames
        Names of the n documents, distinct within a query.
    scores : (n,) float64
        Finite; higher is better.
    """

    name: str
    query_ids: tuple[str, ...]
    offsets: Integers
    documents: DocumentNames
    scores: Floats

    @cached_property
    def doc_ids(self) -> tuple[str, ...]:
        """Return the names of the n documents."""
        return tuple(name.decode() for name in self.documents)

    def of_queries(self, names: Sequence[str]) -> Rankings:
        """Return the rankings of some queries, in this order; queries without documents
        of the ranker are empty."""
        places = {name: place for place, name in enumerate(self.query_ids)}
        begins = self.offsets.tolist()
        spans = [
            (begins[places[name]], begins[places[name] + 1])
            if name in places
            else (0, 0)
            for name in names
        ]
        starts, ends = np.array(spans, dtype=np.int64).reshape(-1, 2).T
        offsets = np.append(0, np.cumsum(ends - starts))
        shift = np.repeat(starts - offsets[:-1], ends - starts)
        rows = np.arange(offsets[-1]) + shift
        documents, scores = self.documents, self.scores
        if not np.array_equal(rows, np.arange(len(scores))):
            documents, scores = documents.taken(rows), scores[rows]
        return Rankings(self.name, tuple(names), offsets, documents, scores)

    def rows_of(self, names: Iterable[str], offsets: Integers) -> Integers:
        """Return the (m,) row of each of m documents, -1 if not returned; documents of
        each query, in the order of ``query_ids``, begin at ``offsets``."""
        from rankcore._kernels.text.trec_run import find_rows

        words = DocumentNames.of(names)
        # Without compilation, NumPy integers warn when hashes wrap round.
        with np.errstate(over="ignore"):
            rows: Integers = find_rows(
                *(self.documents.text, self.documents.spans, self.offsets),
                *(words.text, words.spans, offsets),
            )
        return rows

    def scores_of(self, documents: RankingDataset | Query) -> Floats:
        """Return the (m,) scores of documents; unreturned ones are below the others, or
        0 for a query without any."""
        if isinstance(documents, Query):
            ids: Sequence[str] = [documents.id]
            offsets = np.array([0, len(documents)])
        else:
            ids, offsets = documents.query_ids, documents.offsets
        rankings = self.of_queries(ids)
        rows = rankings.rows_of(documents.doc_ids, offsets)
        scores = np.zeros(len(rows))
        for begin, end in pairwise(offsets.tolist()):
            returned = rows[begin:end] >= 0
            if returned.any():
                values = rankings.scores[rows[begin:end]]
                lowest = float(values[returned].min())
                below = max(lowest - max(1.0, abs(lowest)), -np.finfo(np.float64).max)
                scores[begin:end] = np.where(returned, values, below)
        return scores


class ReturnedRows(NamedTuple):
    """Rows of a run, in the order of the file.

    Attributes
    ----------
    queries : list of str
        Names of the queries.
    codes : (n,) int64
        Query number of each row.
    scores : (n,) float64
    lines : (n,) int64
        Line of each row, from 1.
    """

    queries: list[str]
    codes: Integers
    documents: DocumentNames
    scores: Floats
    lines: Integers


class ReturnedDocument(NamedTuple):
    """A row of a run.

    Attributes
    ----------
    line : int
        From 1.
    """

    query: str
    document: str
    score: float
    line: int


class QueryNumbers(dict[str, int]):
    """Numbers of queries, assigned in the order of first look-up.

    Attributes
    ----------
    size : int
        Bytes of the names in memory.
    """

    size = 0

    def __missing__(self, query: str) -> int:
        self.size += getsizeof(query)
        self[query] = number = len(self)
        return number


class RankingForm(FileForm):
    """A form of runs.

    Attributes
    ----------
    document : str or int
        Column of documents, in messages.
    """

    document: ClassVar[str | int] = "document"

    def rows(self, source: Opened) -> Iterable[ReturnedDocument]:
        """Yield the rows.

        Raises
        ------
        DataError
            With the line and column of the first problem.
        """
        raise NotImplementedError

    def read(self, source: Opened) -> ReturnedRows:
        """Read all rows; errors are those of `rows`."""
        from rankcore._kernels.text.numerals import PADDING

        numbers = QueryNumbers()
        codes, lines, scores = array("q"), array("q"), array("d")
        text, ends = bytearray(), array("q", [0])
        most_rows, most_text = source.limits.rows, source.limits.text
        for query, document, score, line in self.rows(source):
            codes.append(numbers[query])
            text += document.encode()
            ends.append(len(text))
            scores.append(score)
            lines.append(line)
            size = len(text) + numbers.size
            if size > most_text or len(codes) > most_rows:
                source.check_room(len(codes), size, line)
        text += b"\n" * PADDING
        places = np.frombuffer(ends, np.int64)
        spans = np.stack([places[:-1], places[1:]], axis=1)
        return ReturnedRows(
            list(numbers),
            np.frombuffer(codes, np.int64),
            DocumentNames(owned(np.frombuffer(text, np.uint8)), owned(spans)),
            np.frombuffer(scores, np.float64),
            np.frombuffer(lines, np.int64),
        )


@remembered
def forms() -> tuple[RankingForm, ...]:
    """Return all forms, in the order in which they are tried."""
    return declared_forms(__name__, RankingForm, "rankings")


def form_names() -> str:
    """Return the names of all forms, as a remedy."""
    return phrase((form.name for form in forms()), "or")


def read_rankings(
    source: Source, *, name: str | None = None, limits: Limits | None = None
) -> Rankings:
    r"""Read a run: the rankings of a search engine or any other ranker.

    Parameters
    ----------
    source : path, bytes or binary file
        Plain or compressed by gzip. A TREC run has lines of ``query Q0 document rank
        score tag``; Q0, rank and tag are ignored, as in trec_eval, and lines that begin
        with ``#`` are comments. CSV, also separated by semicolons, tabs or bars, names
        the columns of query, document and score in its header, or of rank (1 is best)
        instead of score. JSON is ``{query: {document: score}}``, or objects with query,
        document and score, one per line or in an array.
    name, limits
        As for `rankcore.data.judgements.read_judgements`, with the same errors.

    Returns
    -------
    Rankings
        Queries, and documents of each, in the order of the file.

    Examples
    --------
    >>> run = read_rankings(b"mug Q0 A 1 9.5 bm25\nmug Q0 B 2 7.0 bm25\n")
    >>> run.query_ids, run.doc_ids, run.scores.tolist()
    (('mug',), ('A', 'B'), [9.5, 7.0])
    """
    with opened(source, name, limits) as opened_source:
        file = opened_source.name
        begin, whole = opened_source.peek()
        line = first_line(begin)
        form = next((one for one in forms() if one.recognises(line)), None)
        if form is None or of_begin(begin).content == "Parquet":
            problem = "The format of these rankings is unknown"
            raise DataError(problem, f"Give {form_names()}", file, 1, 1)
        rows = form.read(whole)
    if not len(rows.codes):
        problem, remedy = "There are no rows", f"Give {form_names()}"
        raise DataError(problem, remedy, file, 1, 1)
    return _by_query(rows, form, file)


def _by_query(rows: ReturnedRows, form: RankingForm, file: str) -> Rankings:
    """Group the rows by query; refuse a document that occurs twice in a query."""
    from rankcore._kernels.text.trec_run import find_copy

    queries, codes, documents, scores, lines = rows
    if (codes[1:] < codes[:-1]).any():
        order = np.argsort(codes, kind="stable")
        codes, scores, lines = codes[order], scores[order], lines[order]
        documents = documents.taken(order)
    offsets = np.searchsorted(codes, np.arange(len(queries) + 1))
    # Without compilation, NumPy integers warn when hashes wrap round.
    with np.errstate(over="ignore"):
        row, other = find_copy(documents.text, documents.spans, offsets)
    if row >= 0:
        query, document = queries[codes[row]], documents[row].decode()
        where = f"in line {lines[other]} and here"
        if lines[other] == lines[row]:
            where = "in this line twice"
        raise DataError(
            f"Document {shown(document)!r} of query {shown(query)!r} is {where}",
            "Keep one of the two rows",
            file,
            int(lines[row]),
            form.document,
        )
    return Rankings(stem(file), tuple(queries), offsets, documents, owned(scores))
