"""LETOR and SVMlight text: ``label qid:Q 1:v 2:v … # comment``, a document per line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from math import inf, isfinite
from sys import getsizeof
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcore.base.arrays import Bytes, Floats, Integers, aligned, owned
from rankcore.base.errors import (
    DataError,
    NoLabelError,
    gathered_warnings,
    warn_of_data,
)
from rankcore.data.dataset import (
    MAX_EXPONENTIAL_LABEL,
    Gain,
    RankingDataset,
    check_labels,
    default_names,
)
from rankcore.data.formats import stem
from rankcore.data.formats.parts import part_sizes
from rankcore.data.formats.parts.chunks import Chunk, chunk_of
from rankcore.data.formats.parts.faults import MOST_FAULTS, Fault, without
from rankcore.data.formats.parts.first_rows import FIRST_ROWS, FirstRows, rows_of
from rankcore.data.formats.parts.format import (
    Format,
    NextPart,
    NextRows,
    Parts,
    WiderError,
)
from rankcore.data.formats.parts.good_rows import GoodRows, no_good_rows
from rankcore.data.formats.parts.group_sizes import LETOR_LINE, query_codes, sizes_of
from rankcore.data.formats.parts.labels import (
    Numbered,
    are_fractional,
    rewriting,
)
from rankcore.data.formats.parts.pieces import Piece, pieces
from rankcore.data.formats.parts.refusals import NO_LABEL, reason, shown
from rankcore.data.formats.parts.repairs import (
    COPIES,
    Duplicates,
    groups_of_copies,
    kept_rows,
    left_out,
    note_copies,
    renumbered,
    takes_notes,
)
from rankcore.data.formats.parts.rows import warn_of_negative
from rankcore.data.formats.parts.source import (
    BYTE_ORDER_MARK,
    LESS,
    Interrupted,
    Limits,
    Opened,
    Source,
    encoding_problem,
    json_problem,
    opened,
    source_name,
    whole_lines,
)

MARK_BYTES = 4
MARK_WORDS = 3
SAMPLED_LINES = 100
LEFT_OVER = 2**16
SAMPLED_BYTES = 2**16
SPARE = 1.1
LARGEST_LABEL = 2**53
# Replaces the largest label if labels are not read.
UNREAD = -1
_NO_ROW = re.compile(rb"\s*(?:#|$)")
# Matches the query ids that `groups` files put into rows.
_QUERY = re.compile(rb"[^:#]*?(qid:\d+ | qid:\d+)")


class Letor(Format):
    """LETOR and SVMlight text."""

    name = "LETOR text"
    suffixes = (".txt", ".dat", ".letor", ".svm", "")
    order = 1
    options = frozenset({"ignore", "groups", "duplicates", "labels"})
    of_parts = frozenset({"groups", "labels", "unlabelled"})
    function = "read_letor"

    def recognises(self, begin: bytes, options: Mapping[str, Any]) -> bool:
        return bool(options.get("groups")) or LETOR_LINE.match(begin) is not None

    def read(self, source: Source, **options: Any) -> RankingDataset:
        return read_letor(source, **options)

    def first_rows(
        self, source: Opened, options: Mapping[str, Any] | None = None
    ) -> FirstRows:
        """Return the first documents, from one block or a longer line."""
        from rankcore._kernels.text.numerals import PADDING

        lines: list[bytes] = []
        with suppress(Interrupted):
            for text in islice(whole_lines(source.blocks(), PADDING), 1):
                block_lines = text[:-PADDING].tobytes().split(b"\n")
                rows = (line for line in block_lines if not _NO_ROW.match(line))
                lines = list(islice(rows, FIRST_ROWS))
        while lines:
            try:
                return rows_of(read_letor(b"\n".join(lines), name=source.name))
            except DataError as error:
                del lines[min(error.line or 1, len(lines)) - 1 :]
        return rows_of(None)

    def faults(
        self, file: Source, source: Opened, gain: Gain, options: Mapping[str, Any]
    ) -> Iterator[Fault]:
        """Yield the first problem of each line, up to one after which lines are
        unrecognisable; then the first problem of the rows as a whole."""
        faults: list[Fault] = []
        with gathered_warnings():  # warned before
            text, sizes = sizes_of(file, source, options.get("groups"))
        labels = options.get("labels")
        numbers = _numbers(labels)
        text = replace(text, change=rewriting(labels, numbered=numbers))
        most = _max_label("linear" if numbers else gain)
        parser = _Parser(text, 0, most, faults=faults, sizes=sizes)
        try:
            parser.parse()
            if parser.n_rows:
                parsed = _as_given(parser.parsed(), numbers, gain, source.name)
                _dataset(parsed, parser.feature_names, source.name)
        except DataError as error:
            faults.append(Fault(error, ()))
        yield from faults

    def in_parts(
        self, file: Source, source: Opened, gain: Gain, options: Mapping[str, Any]
    ) -> Parts:
        return _LetorParts(file, source, gain, options)


def read_letor(
    source: Source,
    *,
    name: str | None = None,
    n_features: int | None = None,
    feature_names: Iterable[str] | None = None,
    gain: Gain = "exponential",
    limits: Limits | None = None,
    skip_lines: Iterable[int] = (),
    groups: Source | None = None,
    duplicates: Duplicates | None = None,
    labels: str | None = None,
) -> RankingDataset:
    """Read LETOR text, plain or compressed by gzip.

    Rows of a query need not be adjacent, query ids need not be numbers, and absent
    features are 0. Features may have any order within a line, and are numbered from 1
    or, if there is a feature 0, from 0. The word after ``#docid =`` in a comment is the
    document's id, as is any other comment up to its first tab; other documents are
    named d1, d2, … by their position in the query. The text after the tab is the
    query's if it is the same for all its documents, otherwise the document's. A
    negative label, such as SVMlight's -1, counts as 0.

    Parameters
    ----------
    source : path, bytes or binary file
    name : str, optional
        Name of the data, also in messages; by default the file's name.
    n_features : int, optional
        Number of features, for consistent training and test data; by default the
        largest feature number.
    feature_names : iterable of str, optional
        Names of features; by default f1, f2, …, or f0, f1, … if there is a feature 0.
    gain : {"exponential", "linear"}
        The gain of nDCG the labels are meant for; ``exponential`` refuses labels
        above 31.
    limits : Limits, optional
        Largest sizes accepted; by default those for a file of this size.
    skip_lines : iterable of int
        Lines to skip, from 1; the data's name includes their number.
    groups : path, bytes or binary file, optional
        The number of rows of each query, one per line, if rows do not name their query.
        By default a file beside it with .query or .group added to its name.
    duplicates : {"merge", "highest", "median", "lowest", "drop"}, optional
        Treatment of several rows of one document, as for `read_table`.
    labels : str, optional
        The mapping of labels to grades, see `read_table`.

    Raises
    ------
    DataError
        With the file, line and column of the first problem.

    Warns
    -----
    DataWarning
        If a file beside it gives the queries, or labels were negative.
    """
    file = source_name(source, name)
    names = tuple(feature_names or ())
    with opened(source, file, limits, skip_lines) as opened_source:
        whole, sizes = sizes_of(source, opened_source, groups)
        numbers = _numbers(labels)
        whole = replace(whole, change=rewriting(labels, numbered=numbers))
        width = n_features or len(names)
        most = _max_label("linear" if numbers else gain)
        parser = _Parser(whole, width, most, sizes=sizes)
        parser.parse()
    if not parser.n_rows:
        raise _no_rows(file)
    warn_of_negative(file, parser.negative)
    parsed = _as_given(parser.parsed(), numbers, gain, file)
    parsed = _without_copies(parsed, file, duplicates)
    dataset = _dataset(parsed, names or parser.feature_names, file)
    return without(dataset.without_empty_texts(), opened_source.skip)


def feature_names(source: Opened, size: float = inf) -> tuple[str, ...]:
    """Return the names of the features of LETOR text, at least one, by number.

    In a damaged source, only features before the damage count.

    Parameters
    ----------
    size : float
        Approximate number of bytes to examine.
    """
    from rankcore._kernels.text.numerals import PADDING

    first, last, length = 1, 0, 0
    with suppress(Interrupted):
        for text in whole_lines(source.blocks(), PADDING):
            least, most = _feature_range(text, 0, len(text))
            first, last, length = min(first, least), max(last, most), length + len(text)
            if length > size:
                break
    width = max(last - first + 1, 1)
    return default_names(min(width, source.limits.features), first)


def _feature_range(text: Bytes, begin: int, lines: int) -> tuple[int, int]:
    from rankcore._kernels.text import letor

    # Without compilation, NumPy integers warn when they wrap round.
    with np.errstate(over="ignore"):
        least, most = letor.feature_range(text, begin, lines)
    return int(least), int(most)


class _LetorParts(Parts):
    """LETOR text in parts: its beginning determines the number of features, and a part
    with more raises `WiderError`."""

    def __init__(
        self, file: Source, source: Opened, gain: Gain, options: Mapping[str, Any]
    ) -> None:
        whole, sizes = sizes_of(file, source, options.get("groups"))
        labels = options.get("labels")
        self._numbers = _numbers(labels)
        self._sizes, self._unlabelled = sizes, bool(options.get("unlabelled"))
        self._change = rewriting(labels, sizes, self._numbers, self._unlabelled)
        self.features = feature_names(self._changed(whole), part_sizes.BYTES)
        self._file, self._gain = source.name, gain

    def _changed(self, source: Opened) -> Opened:
        """Return the text with query and grade in each row."""
        return replace(source, change=self._change)

    def parts(self, source: Opened, first_line: int) -> Iterator[NextPart]:
        text = self._changed(source)
        for piece in self._pieces(text, first_line):
            yield partial(self._chunk, piece, text)

    def good_rows(self, source: Opened) -> Iterator[NextRows]:
        text = self._changed(source)
        for piece in self._pieces(text, 0):
            yield partial(self._good, piece, text)
            if piece.broken is not None:
                raise piece.broken

    def _pieces(self, text: Opened, first_line: int) -> Iterator[Piece]:
        rows = min(2 * part_sizes.CELLS // len(self.features) + 1, part_sizes.ROWS)
        return pieces(text, first_line, part_sizes.BYTES // self.share, rows)

    def _chunk(self, piece: Piece, source: Opened) -> Chunk | None:
        """Parse a piece with adjacent rows of each query; None if it has no row."""
        width = len(self.features)
        parser = self._parser(source, width, piece)
        first = parser.first
        try:
            parser.parse_lines(piece.text)
            if piece.broken is not None:
                raise piece.broken
            if not parser.n_rows:
                return None
            rows = _as_given(parser.parsed(), self._numbers, self._gain, source.name)
            if rows.X.shape[1] > width or parser.first != first:
                raise WiderError
            dataset = _dataset(rows, self.features, source.name, with_texts=True)
            about = piece.end, source.name, parser.negative
            return chunk_of(dataset, rows.places[:, 0], *about)
        except DataError as error:
            placed = self._placed(error, piece)
            if placed is error:
                raise
            raise placed from error

    def _good(self, piece: Piece, source: Opened) -> GoodRows | None:
        """Parse a piece without the invalid lines."""
        rest, bad = piece, dict[int, DataError]()
        while True:
            faults: list[Fault] = []
            parser = self._parser(source, 0, rest, faults)
            first = parser.first
            try:
                parser.parse_lines(rest.text)
            except DataError as error:
                faults.append(Fault(error, ()))
            if not faults:
                break
            for fault, _ in faults:
                if fault.line is None or fault.line in bad:
                    raise fault
                bad[fault.line] = self._placed(fault, piece)
            rest = piece.without(bad)
        if not parser.n_rows:
            return no_good_rows(bad) if bad else None
        if parser.first != first:
            raise WiderError
        rows = parser.parsed()
        documents = rows.doc_ids
        if documents is not None and "\t" in "\n".join(documents):
            documents = [words.partition("\t")[0].rstrip() for words in documents]
        names, lines = parser.feature_names, rows.places[:, 0]
        about = rows.codes, rows.query_ids, documents, lines
        return GoodRows(rows.X, names, *about, bad)

    def _parser(
        self,
        source: Opened,
        width: int,
        piece: Piece,
        faults: list[Fault] | None = None,
    ) -> _Parser:
        """Return the parser of a piece."""
        most = _max_label("linear" if self._numbers else self._gain)
        most = UNREAD if self._unlabelled else most
        parser = _Parser(source, width, most, piece.line, False, faults)
        parser.first = 0 if self.features[0] == "f0" else 1
        return parser

    def _placed(self, error: DataError, piece: Piece) -> DataError:
        """Return an error with its column in the file, for rows whose queries come from
        sizes."""
        line, column = error.line, error.column
        if self._sizes is None or line is None or not isinstance(column, int):
            return error
        row = piece.text.tobytes().split(b"\n", line - piece.line)[-2]
        if (inserted := _QUERY.match(row)) and column > inserted.end(1):
            column -= len(inserted[1])
        return type(error)(error.problem, error.remedy, error.file, line, column)

    def all_features(self, source: Opened) -> tuple[str, ...]:
        return feature_names(self._changed(source))

    def refusal(self, documents: int, judged: int) -> DataError | None:
        return None if documents else _no_rows(self._file)


def _no_rows(file: str) -> DataError:
    """Return the error of a file without rows."""
    return DataError("There are no rows", "Give a file with rows", file, 1, 1)


def _max_label(gain: Gain) -> int:
    return MAX_EXPONENTIAL_LABEL if gain == "exponential" else LARGEST_LABEL


def _numbers(labels: str | None) -> Numbered | None:
    """Return the numbering of labels if they may be fractions."""
    return Numbered() if are_fractional(labels) else None


def _as_given(
    parsed: _Parsed, numbers: Numbered | None, gain: Gain, file: str
) -> _Parsed:
    """Return rows with numbers replaced by their labels."""
    if numbers is None:
        return parsed
    labels = numbers.labels(parsed.labels)
    try:
        check_labels(labels, gain)
    except DataError as error:
        line, column = (int(at) + 1 for at in parsed.places[int(labels.argmax())])
        raise DataError(error.problem, error.remedy, file, line, column) from error
    return parsed._replace(labels=labels)


def _dataset(
    parsed: _Parsed, names: tuple[str, ...], file: str, *, with_texts: bool = False
) -> RankingDataset:
    """Return data of parsed rows, ``with_texts`` even if all are empty."""
    doc_ids = parsed.doc_ids
    doc_texts = query_texts = None
    if doc_ids is not None and "\t" in "\n".join(doc_ids):
        doc_ids, doc_texts, query_texts = _split(doc_ids, parsed)
    elif with_texts:
        doc_texts, query_texts = [""] * len(parsed.X), [""] * len(parsed.query_ids)
    try:
        return RankingDataset.from_codes(
            parsed.X,
            parsed.labels,
            parsed.codes,
            parsed.query_ids,
            doc_ids=doc_ids,
            doc_texts=doc_texts,
            query_texts=query_texts,
            feature_names=names,
            name=stem(file),
        )
    except DataError as error:
        if error.line is None:
            raise DataError(error.problem, error.remedy, file) from error
        line, column = (int(number) + 1 for number in parsed.places[error.line - 1])
        raise DataError(error.problem, error.remedy, file, line, column) from error


def _without_copies(parsed: _Parsed, file: str, rule: Duplicates | None) -> _Parsed:
    """Return the rows without duplicate documents."""
    if rule is None and not takes_notes():
        return parsed
    comments = parsed.doc_ids or []
    ids = [comment.partition("\t")[0].rstrip() for comment in comments]
    labels = parsed.labels.astype(np.float64)
    copies = groups_of_copies(parsed.codes, ids, parsed.X)
    note_copies(
        "copies" if ids else "alike",
        [(group, np.unique(labels[group]).size) for group in copies],
        (file, parsed.places[:, 0] + 1),
    )
    if rule is None:
        return parsed
    stays = kept_rows(copies, labels, rule)
    if stays.all():
        return parsed
    if not stays.any():
        raise DataError("No row remains", "Leave out fewer rows", file)
    counts = Counter({COPIES: int((~stays).sum())})
    for sentence in left_out(file, counts):
        warn_of_data(sentence)
    codes, old = renumbered(parsed.codes[stays])
    return _Parsed(
        owned(parsed.X[stays]),
        owned(parsed.labels[stays]),
        codes,
        tuple(parsed.query_ids[code] for code in old),
        parsed.doc_ids and [comments[row] for row in np.flatnonzero(stays)],
        parsed.places[stays],
    )


def _split(
    comments: list[str], parsed: _Parsed
) -> tuple[list[str], list[str], list[str]]:
    """Split comments at their first tab: ids, texts of documents, texts of queries."""
    ids, _, texts = (
        list(part)
        for part in zip(*(comment.partition("\t") for comment in comments), strict=True)
    )
    ids, texts = [word.rstrip() for word in ids], [text.strip() for text in texts]
    of_query: list[set[str]] = [set() for _ in parsed.query_ids]
    for code, text in zip(parsed.codes, texts, strict=True):
        of_query[code].add(text)
    shared = [next(iter(one)) if len(one) == 1 else "" for one in of_query]
    others = [
        "" if text == shared[code] else text
        for code, text in zip(parsed.codes, texts, strict=True)
    ]
    return ids, others, shared


class _Parsed(NamedTuple):
    """Rows in file order; line and column of their document ids, from 0."""

    X: Floats
    labels: Integers
    codes: Integers
    query_ids: tuple[str, ...]
    doc_ids: list[str] | None
    places: Integers


class _Block(NamedTuple):
    """Output of the compiled parser for a block, except the features."""

    labels: Integers
    rows: Integers
    runs: Integers

    @classmethod
    def empty(cls, n: int) -> _Block:
        shapes = n, (n, 5), (n, 2)
        return cls(*(np.empty(shape, dtype=np.int64) for shape in shapes))

    def doubled(self) -> _Block:
        return _Block(*(np.concatenate((part, part)) for part in self))


class _Parser:
    """Runs the compiled parser over blocks of lines and collects its output.

    A block stays in the processor's cache, and the whole text is never in memory. If a
    row has more features than all before, the rows before are set aside until the end:
    copying them to each wider X would take quadratic time.
    """

    def __init__(
        self,
        source: Opened,
        width: int,
        max_label: int,
        first_line: int = 0,
        fixed: bool = True,
        faults: list[Fault] | None = None,
        sizes: Integers | None = None,
    ) -> None:
        self.source = source
        # Number of rows of each query, for a file whose rows do not name it.
        self.sizes = sizes
        # Collects problems of lines; without it, the first one is raised.
        self.faults = faults
        self.file = source.name
        self.limits = limits = source.limits
        self.fixed = fixed and width > 0
        # The number of the first feature, and how many arrays set aside lack the first
        # column.
        self.first, self.n_moved = 1, 0
        self.max_label = max_label
        self.X = np.empty((0, width))
        self.n_narrow = 0
        self.narrow: list[Floats] = []
        self.marks = np.empty(0, dtype=np.uint64)
        self.spans = np.empty((max(LEFT_OVER, limits.features), 4), dtype=np.int64)
        self.block = _Block.empty(0)
        self.n_rows = self.n_bytes = 0
        self.n_lines = first_line
        self.labels: list[Integers] = []
        # The first line with a negative label, from 1; 0 without one.
        self.negative = 0
        self.rows: list[Integers] = []
        self.codes: list[int] = []
        self.queries: dict[bytes, int] = {}
        self.documents: list[bytes] = []

    def parse(self) -> None:
        """Parse all blocks."""
        from rankcore._kernels.text.numerals import PADDING

        try:
            for text in whole_lines(self.source.blocks(), PADDING):
                self.parse_lines(text, self.source.size / len(text))
        except Interrupted as interruption:
            line = self.n_lines + 1
            problem, remedy = interruption.args
            raise DataError(problem, remedy, self.file, line, 1) from interruption

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the features by number."""
        return default_names(self.X.shape[1], self.first)

    def parsed(self) -> _Parsed:
        """Return the parsed rows, at least one."""
        from rankcore._kernels.text import letor

        rows = np.concatenate(self.rows)
        has_ids = any(block.strip(b"\n") for block in self.documents)
        if self.sizes is None:
            codes = np.array(self.codes, dtype=np.int64)[rows[:, letor.RUN]]
            query_ids = tuple(self._decoded(list(self.queries)))
        else:
            codes = query_codes(self.sizes, len(rows), self.file)
            query_ids = tuple(str(query + 1) for query in range(len(self.sizes)))
        return _Parsed(
            X=owned(self._assembled()),
            labels=owned(np.concatenate(self.labels)),
            codes=codes,
            query_ids=query_ids,
            doc_ids=self._decoded(self.documents) if has_ids else None,
            places=rows[:, : letor.RUN],
        )

    def parse_lines(self, text: Bytes, n_blocks: float = 1.0) -> None:
        """Parse one of about ``n_blocks`` blocks of lines."""
        from rankcore._kernels.text import letor

        begin = 0
        if self.n_lines == 0:
            beginning = text[:MARK_BYTES].tobytes()
            if other := encoding_problem(beginning) or json_problem(beginning):
                raise DataError(*other, self.file, 1, 1)
            begin = len(BYTE_ORDER_MARK) * beginning.startswith(BYTE_ORDER_MARK)
        if not len(self.block.labels):
            least, most = _feature_range(text, begin, SAMPLED_LINES)
            self.first = min(self.first, least)
            width = self.X.shape[1] or most - self.first + 1
            n_lines = _estimated_lines(text)
            self.block = _Block.empty(n_lines)
            self._reserve(int(n_lines * max(n_blocks, 1.0)), width, 0)
        line = row = run = 0
        while True:
            end = min(self.n_rows + len(self.block.labels), self.limits.rows)
            X = self.X[self.n_rows : end]
            marks = self._marks()
            with np.errstate(over="ignore"):  # the same test as in `_widest_row`
                code, position, begin, line, row, run, n_spans = letor.parse_rows(
                    *(text, marks, begin, line, row, run, self.max_label, self.first),
                    *(self.sizes is None, X, *self.block, self.spans),
                )
            self._convert(text, self.spans[:n_spans], X)
            if code == letor.DONE:
                break
            if code == letor.ROWS_FULL:
                self._make_room(row, self.n_lines + line + 1)
            elif code == letor.TOO_WIDE and not self.fixed:
                width = self._needed_width(text, begin, position)
                self._set_aside(row)
                self._reserve(len(self.X), width, row)
            elif code == letor.INDEX_ZERO and self._has_room_before(row):
                self._begin_at_zero(row)
            elif code != letor.SPANS_FULL:
                self._note(self._refusal(code, text, position, self.X.shape[1]))
                length = text[position:].tobytes().index(b"\n") + 1
                begin, line = position + length, line + 1
        labels, rows, runs = self.block
        self._keep(text, labels[:row], rows[:row], runs[:run])
        self.n_lines += line
        self.n_rows += row

    def _needed_width(self, text: Bytes, begin: int, position: int) -> int:
        """Return the width for the feature at ``position`` and the lines from ``begin``
        on."""
        from rankcore._kernels.text import letor, numerals

        index, _ = numerals.natural(text, position)
        if index - self.first >= self.limits.features:
            raise self._refusal(letor.TOO_WIDE, text, position, self.limits.features)
        _, most = _feature_range(text, begin, self.limits.rows)
        return min(max(int(index), most) - self.first + 1, self.limits.features)

    def _has_room_before(self, n_parsed: int) -> bool:
        """Return whether there is room for a column before those of X."""
        width = self.X.shape[1]
        if not self.fixed:
            return width < self.limits.features
        return not self.X[: self.n_rows + n_parsed, width - 1 :].any()

    def _begin_at_zero(self, n_parsed: int) -> None:
        """Count features from 0; the rows so far have no feature 0."""
        self._set_aside(n_parsed)
        self.n_moved = len(self.narrow)
        self.first, self.marks = 0, np.empty(0, dtype=np.uint64)
        width = self.X.shape[1] + (not self.fixed)
        self._reserve(len(self.X), width, n_parsed)

    def _make_room(self, n_parsed: int, line: int) -> None:
        """Make room for more rows than in this block and X; ``line`` has the first that
        does not fit."""
        n_rows = self.n_rows + n_parsed
        if problem := self.limits.problem(n_rows + 1, self.X.shape[1]):
            raise DataError(problem, LESS, self.file, line, 1)
        if n_parsed == len(self.block.labels):
            self.block = self.block.doubled()
        if n_rows == len(self.X):
            self._reserve(2 * n_rows, self.X.shape[1], n_parsed)

    def _reserve(self, n_rows: int, width: int, n_parsed: int) -> None:
        """Make room for about ``n_rows`` rows of ``width`` features; all rows so far
        and ``n_parsed`` rows of this block are kept."""
        width = max(min(width, self.limits.features), 1)
        n_kept = self.n_rows + n_parsed
        n_rows = max(min(n_rows, self.limits.most_rows(width)), n_kept + 1)
        line = self.n_lines + n_parsed + 1
        if problem := self.limits.problem(n_rows, width):
            raise DataError(problem, LESS, self.file, line, 1)
        X = self._room(n_rows, width, line)
        rows = slice(self.n_narrow, n_kept)
        X[rows, : self.X.shape[1]] = self.X[rows]
        self.X = X

    def _set_aside(self, n_parsed: int) -> None:
        """Set aside the rows of X, with ``n_parsed`` of this block, to widen it."""
        n_kept = self.n_rows + n_parsed
        rows = self.X[self.n_narrow : n_kept]
        # A copy, because X may have room for many more rows.
        line = self.n_lines + n_parsed + 1
        self.narrow.append(self._room(len(rows), rows.shape[1], line))
        self.narrow[-1][:] = rows
        self.n_narrow = n_kept

    def _room(self, n_rows: int, width: int, line: int) -> Floats:
        try:
            return aligned((n_rows, width))
        except MemoryError as error:
            problem = f"{n_rows} rows of {width} features do not fit into memory"
            raise DataError(problem, LESS, self.file, line, 1) from error

    def _assembled(self) -> Floats:
        """Return all rows, with those set aside at their positions."""
        end = self.n_narrow
        while self.narrow:
            rows = self.narrow.pop()
            begin = end - len(rows)
            shift = int(len(self.narrow) < self.n_moved)
            width = min(rows.shape[1], self.X.shape[1] - shift)
            self.X[begin:end, :shift] = 0.0
            self.X[begin:end, shift : shift + width] = rows[:, :width]
            self.X[begin:end, shift + width :] = 0.0
            end = begin
        return self.X[: self.n_rows]

    def _marks(self) -> NDArray[np.uint64]:
        """Return the marks of X's columns, from a reserve of more."""
        from rankcore._kernels.text import letor

        n_words, ready = MARK_WORDS * self.X.shape[1], len(self.marks)
        if n_words > ready:
            more = min(2 * ready // MARK_WORDS, self.limits.features)
            self.marks = letor.column_marks(max(self.X.shape[1], more), self.first)
        return self.marks[:n_words]

    def _convert(self, text: Bytes, spans: Integers, X: Floats) -> None:
        """Convert the numbers that the compiled parser could not."""
        for row, column, begin, end in spans.tolist():
            value = float(text[begin:end].tobytes())
            if not isfinite(value):
                problem = f"The value {shown(text, begin)!r} is too large"
                remedy = "Use numbers up to 1e308"
                self._note(self._error(problem, remedy, text, begin))
                continue
            # Adding 0 turns -0.0 into 0.0, as in the compiled parser.
            X[row, column] = value + 0.0

    def _keep(
        self, text: Bytes, labels: Integers, rows: Integers, runs: Integers
    ) -> None:
        """Store the parser's output other than features."""
        from rankcore._kernels.text import letor

        rows[:, letor.LINE] += self.n_lines
        rows[:, letor.RUN] += len(self.codes)
        n_queries = len(self.queries)
        self.codes += [
            self.queries.setdefault(query, len(self.queries))
            for query in _joined(text, runs).split(b"\n")[:-1]
        ]
        if not self.negative and (below := np.flatnonzero(labels < 0)).size:
            self.negative = int(rows[below[0], letor.LINE]) + 1
        self.labels.append(np.maximum(labels, 0))
        self.rows.append(rows[:, : letor.ID_BEGIN].copy())
        if len(rows):
            documents = _joined(text, rows[:, letor.ID_BEGIN :])[:-1]
            self.documents.append(documents)
            queries = islice(reversed(self.queries), len(self.queries) - n_queries)
            self._count(len(documents) + sum(map(len, queries)))

    def _count(self, n_bytes: int) -> None:
        """Count bytes of identifiers, first as stored in the file, then decoded."""
        self.n_bytes += n_bytes
        if self.n_bytes > self.limits.text:
            problem, remedy = self.limits.too_much_text()
            raise DataError(problem, remedy, self.file, self.n_lines + 1, 1)

    def _decoded(self, blocks: list[bytes]) -> list[str]:
        """Return words decoded from UTF-8 or, in old files, Latin-1.

        Newlines separate the words of a block.
        """
        try:
            texts = [block.decode() for block in blocks]
        except UnicodeDecodeError:
            each = (map(_decoded_word, block.split(b"\n")) for block in blocks)
            texts = ["\n".join(some) for some in each]
        words: list[str] = []
        for text in texts:
            words += text.split("\n")
        # Upper bound on the memory of the words: one header each, and all characters.
        self._count(sum(map(getsizeof, texts)) + getsizeof("") * len(words))
        return words

    def _note(self, error: DataError) -> None:
        """Raise the error of a line, or note it if all are collected."""
        if self.faults is None or len(self.faults) == MOST_FAULTS:
            raise error
        self.faults.append(Fault(error, [error.line or 0]))

    def _refusal(self, code: int, text: Bytes, position: int, width: int) -> DataError:
        last = width - 1 + self.first
        why = reason(code, text, position, last, self.max_label)
        error = self._error(*why, text, position)
        if why is NO_LABEL:
            return NoLabelError(*why, error.file, error.line, error.column)
        return error

    def _error(
        self, problem: str, remedy: str, text: Bytes, position: int
    ) -> DataError:
        before = text[:position].tobytes()
        line = self.n_lines + before.count(b"\n") + 1
        column = position - before.rfind(b"\n")
        return DataError(problem, remedy, self.file, line, column)


def _decoded_word(word: bytes) -> str:
    try:
        return word.decode()
    except UnicodeDecodeError:
        return word.decode("latin-1")


def _estimated_lines(text: Bytes) -> int:
    """Return a generous estimate of the lines in ``text`` from its beginning."""
    sample = text[:SAMPLED_BYTES].tobytes()
    return 1 + int(SPARE * sample.count(b"\n") * len(text) / len(sample))


def _joined(text: Bytes, spans: Integers) -> bytes:
    """Return sections of the text, each followed by a newline."""
    from rankcore._kernels.text.letor import join_spans

    joined = np.empty_like(text)
    return joined[: join_spans(text, spans, joined)].tobytes()
