"""Learning-to-rank feature logs of Elasticsearch, OpenSearch and Solr."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from rankcore.base.arrays import Floats, aligned, owned
from rankcore.base.errors import DataError, NoLabelError, warn_of_data
from rankcore.base.spellings import american_arguments
from rankcore.data.dataset import Gain, RankingDataset
from rankcore.data.formats.parts import part_sizes, responses
from rankcore.data.formats.parts.cells import shown
from rankcore.data.formats.parts.chunks import Chunk, chunk_of
from rankcore.data.formats.parts.columns import (
    Columns,
    Header,
)
from rankcore.data.formats.parts.faults import MOST_FAULTS, Fault, without
from rankcore.data.formats.parts.first_rows import (
    FIRST_FEATURES,
    FIRST_ROWS,
    FirstRows,
)
from rankcore.data.formats.parts.format import (
    Format,
    NextPart,
    NextRows,
    Parts,
    Reopened,
    has_been_read,
)
from rankcore.data.formats.parts.good_rows import GoodRows
from rankcore.data.formats.parts.json_values import (
    NESTED,
    Value,
    is_value,
    lines,
    values,
    values_by_line,
)
from rankcore.data.formats.parts.labels import Labels
from rankcore.data.formats.parts.responses import (
    Key,
    LoggedDocument,
    Names,
    Refused,
    Responses,
    features,
)
from rankcore.data.formats.parts.rows import Rows
from rankcore.data.formats.parts.source import (
    Interrupted,
    Limits,
    Opened,
    Source,
    opened,
    source_name,
)
from rankcore.data.judgements import Judgements, form_names, read_judgements

LONGEST_RESPONSE = 16 * 2**20
LOOKED_AT = 3
LOG_BEGIN = re.compile(rb"(\xef\xbb\xbf)?\s*[\[{]")


class FeatureLog(Format):
    """Features logged by Elasticsearch, OpenSearch or Solr, as JSON."""

    name = "A feature log"
    content = "JSON"
    suffixes = (".json", ".ndjson", ".jsonl")
    order = 0
    options = frozenset({"ignore", "judgements", "header", "unjudged", "labels"})
    of_parts = frozenset({"judgements", "header", "labels", "unlabelled"})
    line = LONGEST_RESPONSE
    function = "read_feature_log"

    def recognises(self, begin: bytes, options: Mapping[str, Any]) -> bool:
        return LOG_BEGIN.match(begin) is not None

    def check(
        self, options: Mapping[str, Any], file: str, *, in_parts: bool = False
    ) -> None:
        super().check(options, file, in_parts=in_parts)
        if options.get("header") and not options.get("judgements"):
            raise self.refusal("header", file)

    def read(self, source: Source, **options: Any) -> RankingDataset:
        return read_feature_log(source, **options)

    def first_rows(
        self, source: Opened, options: Mapping[str, Any] | None = None
    ) -> FirstRows:
        judgements = (options or {}).get("judgements")
        documents: list[tuple[dict[str, Any], dict[str, float]]] = []
        with suppress(DataError, Refused, RecursionError):
            for one in islice(_documents(source, judgements), FIRST_ROWS):
                documents.append(one)
        names = list(dict.fromkeys(name for _, logged in documents for name in logged))
        absent = {"query text", "text"} - {
            k for details, _ in documents for k in details if details[k]
        }
        rows = [
            {key: value for key, value in details.items() if key not in absent}
            | {name: logged.get(name, 0.0) for name in names[:FIRST_FEATURES]}
            for details, logged in documents
        ]
        return FirstRows(rows, len(names) > FIRST_FEATURES)

    def faults(
        self, file: Source, source: Opened, gain: Gain, options: Mapping[str, Any]
    ) -> Iterator[Fault]:
        """Yield the problems of all documents; that none is judged counts only if there
        is no other problem."""
        judgements, any_found = options.get("judgements"), False
        name, limits = source.name, source.limits
        # Other JSON is not divided into lines, so no line can be left out.
        by_line = _has_lines(source)
        with opened(file, name, limits, source.skip) as opened_source:
            log = _with_long_lines(opened_source)
            reader = _Reader(name, limits, judgements, labels=options.get("labels"))
            for value in lines(log) if by_line else values(log):
                errors: Iterable[DataError] = (
                    [value]
                    if isinstance(value, DataError)
                    else reader.faults(value, gain)
                )
                for error in errors:
                    any_found = True
                    yield Fault(error, [error.line] if by_line and error.line else ())
        if not any_found and not reader.lines:
            raise no_documents(name)
        if not any_found and not any(reader.judged):
            raise unjudged(name, judgements)

    def in_parts(
        self, file: Source, source: Opened, gain: Gain, options: Mapping[str, Any]
    ) -> Parts:
        return _LogParts(source, gain, options)


@american_arguments
def read_feature_log(
    log: Source,
    judgements: Source | Judgements | None = None,
    *,
    header: Header | None = None,
    name: str | None = None,
    gain: Gain = "exponential",
    limits: Limits | None = None,
    skip_lines: Iterable[int] = (),
    labels: str | None = None,
) -> RankingDataset:
    r"""Read features that a search engine logged, and label its documents.

    The log holds responses of Elasticsearch's or OpenSearch's learning-to-rank plugin
    (``hits.hits[].fields._ltrlog[].<entry>[]`` with name and value; also those of a
    multiple search) or of Solr (``response.docs[]["[features]"]``, or the one field
    that holds such text), or documents of either, one a line (NDJSON) or as one JSON
    text. A feature that a document lacks, or that has no value, is 0; a warning gives
    the number of such values. If two entries of a document have features of the same
    name, they become ``<entry>.<name>``.

    The query of a response is the value beside its hits of ``qid``, ``query_id``,
    ``topic``, ``query`` or ``q``, also in the parameters that Solr repeats; responses
    without one are numbered from 1. A single document names its query in the same way.
    ``query_text``, or ``query`` beside another id, is the text of the query, and
    ``title`` or ``name`` of a document its text.

    Parameters
    ----------
    log : path, bytes or binary file
        Plain or compressed by gzip.
    judgements : path, bytes, binary file or dict, optional
        The labels, as input or output of `rankcore.data.readers.read_judgements`.
        Documents without one are unjudged and have the label 0; judgements of other
        documents are ignored. By default each document of the log has its ``label`` or
        ``grade``.
    header : sequence of str, optional
        The names of the columns of judgements without a header line.
    name : str, optional
        Name of the data, also in messages; by default the file name.
    gain : {"exponential", "linear"}
        The gain of nDCG the labels are meant for; ``exponential`` refuses labels
        above 31.
    limits : Limits, optional
        Largest sizes accepted; by default those for a file of this size, and 16 MB for
        a line.
    skip_lines : iterable of int
        Lines of the log to skip, from 1; the data's name includes their number.
    labels : str, optional
        The mapping of labels to grades, see `rankcore.read_table`.

    Returns
    -------
    RankingDataset
        Data whose ``judged`` flags documents with a judgement.

    Raises
    ------
    DataError
        With file, line and column of the first problem, or if no document is judged.

    Examples
    --------
    >>> log = b'''{"qid": "rambo", "hits": {"hits": [
    ...   {"_id": "7555", "fields": {"_ltrlog": [{"main": [
    ...     {"name": "title", "value": 12.3}, {"name": "body"}]}]}},
    ...   {"_id": "1370", "fields": {"_ltrlog": [{"main": [
    ...     {"name": "title", "value": 9.5}, {"name": "body", "value": 4.0}]}]}}]}}'''
    >>> data = read_feature_log(log, b"rambo 0 7555 4\n")
    >>> data.feature_names, data.X.tolist()
    (('title', 'body'), [[12.3, 0.0], [9.5, 4.0]])
    >>> data.y.tolist(), data.judged.tolist()
    ([4, 0], [True, False])
    """
    file = source_name(log, name)
    if judgements is None or isinstance(judgements, dict):
        grades = judgements
    else:
        how: dict[str, Any] = {"gain": gain, "limits": limits, "header": header}
        grades = read_judgements(judgements, labels=labels, **how)
    with opened(log, file, limits, skip_lines) as source:
        sizes = limits or replace(source.limits, line=LONGEST_RESPONSE)
        reader = _Reader(file, sizes, grades, labels=labels)
        for value in values(replace(source, limits=sizes)):
            reader.read(value)
    if not reader.lines:
        raise no_documents(file)
    reader.warn_of_numbers()
    if not any(reader.judged):
        raise unjudged(file, grades)
    dataset = reader.dataset(gain)
    reader.columns.warn_of_filled()
    return without(dataset.without_empty_texts(), source.skip)


def _documents(
    log: Opened, judgements: Judgements | None
) -> Iterator[tuple[dict[str, Any], dict[str, float]]]:
    """Yield each document's data and its features."""
    log_responses = Responses()
    for value in values(_with_long_lines(log)):
        for one in log_responses.documents(value.content):
            doc_id = responses.document_id(one.document, one.path)
            logged = {key: value for key, value, _ in features(one.document, one.path)}
            name = Names()
            name.note(logged)
            yield (
                {
                    "query": one.about.query,
                    "document": doc_id,
                    "query text": one.about.text,
                    "text": responses.title(one.document),
                    "label": _label(one, doc_id, judgements),
                },
                {name(key): value for key, value in logged.items()},
            )


def _label(
    response: LoggedDocument, document_id: str, judgements: Judgements | None
) -> float | None:
    """Return the label of a document; None if it is not judged."""
    if judgements is None:
        return responses.label(response.document, response.path)
    return judgements.get(response.about.query, {}).get(document_id)


def logged_features(log: Opened, passes: bool = False) -> tuple[str, ...]:
    """Return the names of the features of a log, in the order of occurrence.

    In a damaged log, only features before the damage count, or with ``passes``, those
    of all other lines.
    """
    keys: dict[Key, None] = {}
    name, long = Names(), _with_long_lines(log)
    with suppress(DataError, Refused, RecursionError):
        if not passes:
            for value in values(long):
                _note_features(value, keys, name)
        for _, line in values_by_line(long, LOOKED_AT, {}) if passes else ():
            with suppress(Refused, RecursionError):
                for value in line:
                    _note_features(value, keys, name)
    return tuple(dict.fromkeys(map(name, keys)))


def _note_features(value: Value, logged: dict[Key, None], name: Names) -> None:
    for document, path, _ in Responses().documents(value.content):
        keys = dict.fromkeys(key for key, *_ in features(document, path))
        name.note(keys)
        logged |= keys


class _LogParts(Parts):
    """A feature log in parts, with adjacent documents of each query; a first pass finds
    the features."""

    judges = True

    def __init__(self, source: Opened, gain: Gain, options: Mapping[str, Any]) -> None:
        self.features = logged_features(source)
        self._file, self._gain = source.name, gain
        # Without labels, labels in the log are ignored, too.
        self._unlabelled = bool(options.get("unlabelled"))
        none = Judgements() if self._unlabelled else None
        self._judgements: Judgements | None = options.get("judgements", none)
        self._labels: str | None = options.get("labels")

    def parts(self, source: Opened, first_line: int) -> Iterator[NextPart]:
        return has_been_read(self._chunks(source, first_line))

    def _reader(self, log: Opened) -> _Reader:
        about = log.name, log.limits, self._judgements, self.features
        return _Reader(*about, labels=self._labels, texts=self.texts)

    def _chunks(self, log: Opened, first_line: int) -> Iterator[Chunk]:
        reader = self._reader(log)
        line, size = 0, part_sizes.CELLS // self.share
        for value in values(_with_long_lines(log)):
            line, _ = value.place(())
            if line <= first_line:
                reader.pass_over(value)
                continue
            full = len(reader.lines) * len(self.features) >= size
            if full and line > reader.line and reader.begins_query(value):
                yield reader.chunk(self._gain, line - 1)
            reader.read(value)
        if reader.lines:
            yield reader.chunk(self._gain, line)
        reader.warn_of_numbers()
        reader.columns.warn_of_filled()

    def prepare(self, reopened: Reopened) -> None:
        if self.passes:
            with reopened() as source:
                self.features = logged_features(source, passes=True)

    def good_rows(self, source: Opened) -> Iterator[NextRows]:
        return has_been_read(self._good(source))

    def _good(self, log: Opened) -> Iterator[GoodRows]:
        """Read documents line by line; skip lines with an unreadable document."""
        reader = self._reader(log)
        errors, size = dict[int, DataError](), part_sizes.CELLS // self.share
        lines = values_by_line(_with_long_lines(log), LOOKED_AT, errors)
        for number, line in lines:
            begin, counts = len(reader.lines), copy(reader.responses)
            try:
                for value in line:
                    reader.read(value)
            except DataError as error:
                if not number:  # Lines are not parts that could be missing.
                    raise
                errors[number] = error
                reader.cut(begin)
                reader.responses = counts
            full = len(reader.lines) * len(self.features) >= size
            if full or len(errors) >= MOST_FAULTS:
                yield reader.good_rows(errors)
                errors.clear()
        if reader.lines or errors:
            yield reader.good_rows(errors)
        reader.warn_of_numbers()
        reader.columns.warn_of_filled()

    def refusal(self, documents: int, judged: int) -> DataError | None:
        if not documents:
            return no_documents(self._file)
        fine = judged or self._unlabelled
        return None if fine else unjudged(self._file, self._judgements)


def no_documents(file: str) -> DataError:
    """Return the error of a log without documents."""
    problem = "There are no documents with logged features"
    remedy = "Give a log with the hits of at least one query"
    return DataError(problem, remedy, file, 1, 1)


def unjudged(file: str, judgements: Judgements | None) -> DataError:
    """Return the error of a log no document of which is judged."""
    if judgements is None:
        problem = "No document of the log has a label"
        remedy = f"Give the judgements in a file (--judgements): {form_names()}"
        return NoLabelError(problem, remedy, file)
    query, documents = next(iter(judgements.items()))
    return DataError(
        "No document of the log is judged",
        "Use the same ids for queries and documents in both files (a response without "
        'a "qid" has its number in the file as id, from 1); the first judgement '
        f"is of document {shown(next(iter(documents)))!r} for query {shown(query)!r}",
        file,
    )


def _with_long_lines(log: Opened) -> Opened:
    return replace(log, limits=replace(log.limits, line=LONGEST_RESPONSE))


def _has_lines(log: Opened) -> bool:
    """Return whether one of the first lines of a log is valid JSON."""
    try:
        block = bytes(next(log.blocks(), b""))
    except Interrupted:
        return False
    first = block.decode("utf-8", "replace").split("\n")[:LOOKED_AT]
    if first[0].lstrip().startswith(("{", "[")) and not is_value(first[0]):
        return False
    return any(line.lstrip().startswith("{") and is_value(line) for line in first)


class _Reader:
    """Documents read so far, with sparse features as rows of position and value.

    Features known in advance come first.
    """

    def __init__(
        self,
        file: str,
        limits: Limits,
        judgements: Judgements | None,
        names: Sequence[str] = (),
        *,
        labels: str | None = None,
        texts: bool = True,
    ) -> None:
        self.file, self.limits = file, limits
        self.judgements = judgements
        self.query_texts = getattr(judgements, "query_texts", {})
        self.columns = columns = Columns(file)
        columns.query, columns.document, columns.label = "query", "document", "label"
        columns.text = columns.query_text = "text" if texts else None
        columns.labels = Labels(labels) if labels else None
        columns.features = list(names)
        columns.line_of = lambda row: self.lines[row]
        # Columns of features, in order of occurrence or as given by the caller.
        self.places: dict[Key, int] = {}
        self.names, self.name = list(names), Names(names)
        self.responses = Responses()
        self.line = 1
        # Labels of judgements are already grades.
        self.grades = columns.labels if judgements is None else None
        self._begin()

    def _begin(self) -> None:
        """Reset to no documents."""
        self.lines = array("q")
        self.last = ""
        self.rows = Rows(self.columns, self.limits)
        self.ends = array("q", [0])
        self.numbers, self.values = array("i"), array("d")
        self.labels, self.judged = array("d"), array("b")
        # Query and document of checked documents.
        self.checked = set[tuple[int, str]]()

    def read(self, value: Value) -> None:
        """Read the documents of a value."""
        self.line, _ = value.place(())
        try:
            for document in self.responses.documents(value.content):
                self._add(document)
        except Refused as refused:
            place = value.place(refused.path)
            error = DataError(refused.problem, refused.remedy, self.file, *place)
            raise error from refused
        except RecursionError as error:
            raise DataError(*NESTED, self.file, *value.place(())) from error

    def faults(self, value: Value, gain: Gain) -> Iterator[DataError]:
        """Read the valid documents of a value; yield the problems of the others."""
        self.line, _ = value.place(())
        documents = self.responses.documents(value.content)
        while True:
            try:
                document = next(documents, None)
                if document is None:
                    return
                self._add(document)
                self._check_last(gain)
            except Refused as refused:
                place = value.place(refused.path)
                yield DataError(refused.problem, refused.remedy, self.file, *place)
            except DataError as error:
                yield error
            except RecursionError:
                yield DataError(*NESTED, self.file, *value.place(()))
                return

    def _check_last(self, gain: Gain) -> None:
        """Refuse the last document if its label is invalid or its id occurred
        before."""
        at = len(self.rows) - 1
        self.rows.grades(np.array([self.labels[at]]), gain, at)
        self.rows.check_new(at, self.checked)

    def warn_of_numbers(self) -> None:
        """Warn of responses without a query name."""
        if n := self.responses.n_unnamed:
            which = "One response names" if n == 1 else f"{n:,} responses name"
            warn_of_data(
                f"{self.file}: {which} no query; the id of each is its number among "
                'the responses of the file, from 1. Write "qid" beside its hits to '
                "name its query.",
                3,
            )

    def pass_over(self, value: Value) -> None:
        """Count the responses of a value that was read before."""
        for _ in self.responses.documents(value.content):
            pass

    def begins_query(self, value: Value) -> bool:
        """Return whether a value's first document begins another query."""
        with suppress(Refused, RecursionError):
            for document in copy(self.responses).documents(value.content):
                return document.about.query != self.last
        # Reading it raises the error.
        return False

    def chunk(self, gain: Gain, end: int) -> Chunk:
        """Return and reset the documents so far; ``end`` is the line after them."""
        dataset, lines = self.dataset(gain), np.array(self.lines) - 1
        self._begin()
        return chunk_of(dataset, lines, end, self.file)

    def cut(self, n: int) -> None:
        """Discard the documents from number ``n`` on."""
        self.rows.cut(n)
        for documents in (self.lines, self.labels, self.judged):
            del documents[n:]
        del self.ends[n + 1 :]
        del self.numbers[self.ends[-1] :], self.values[self.ends[-1] :]

    def good_rows(self, errors: dict[int, DataError]) -> GoodRows:
        """Return and reset the documents so far, with the errors of lines."""
        lines = np.array(self.lines, dtype=np.int64) - 1
        rows = self.rows.good_rows(self._features(), lines, dict(errors))
        self._begin()
        return rows

    def dataset(self, gain: Gain) -> RankingDataset:
        """Return the data set of the documents so far."""
        X = self._features()
        dataset = self.rows.dataset(X, np.frombuffer(self.labels)[:, None], gain)
        judged = np.frombuffer(self.judged, dtype=np.bool_)
        return replace(dataset, judged=owned(judged[dataset.rows]))

    def _features(self) -> Floats:
        """Return the features (n, d) of the documents so far."""
        if not self.columns.features:
            raise DataError(
                "The documents have no features", responses.FEATURES, self.file, 1, 1
            )
        names = self.names or list(dict.fromkeys(map(self.name, self.places)))
        places = {name: place for place, name in enumerate(names)}
        X = aligned((len(self.rows), len(names)))
        X[...] = 0.0
        columns = np.array([places[self.name(key)] for key in self.places], dtype=int)
        self.columns.features = names
        numbers, logged = np.frombuffer(self.numbers, "i"), np.frombuffer(self.values)
        for row, (begin, end) in enumerate(zip(self.ends, self.ends[1:], strict=False)):
            X[row, columns[numbers[begin:end]]] = logged[begin:end]
        absent = len(X) - np.bincount(columns[numbers], minlength=len(names))
        self.columns.n_values += X.size
        counts = dict(zip(names, absent.tolist(), strict=True))
        self.columns.n_missing += Counter(counts)
        return X

    def _add(self, response: LoggedDocument) -> None:
        document, path, (query, text) = response
        text = text or self.query_texts.get(query, "")
        document_id = responses.document_id(document, path)
        row: dict[Key, float] = {}
        for key, value, place in features(document, path):
            if key in row:
                problem = f"The feature {shown(key[0])!r} occurs twice in a document"
                raise Refused(problem, "Log each feature once", place)
            row[key] = value
        self.name.note(row)
        self.lines.append(self.line)
        try:
            self._check_room(row)
            label = _label(response, document_id, self.judgements)
            if self.grades and label is not None:
                label = float(self.grades(label))
            texts = (responses.title(document), text) if self.columns.text else ()
            self.rows.add(query, document_id, *texts)
        except (DataError, Refused):
            self.lines.pop()
            raise
        self.numbers.extend(map(self.places.__getitem__, row))
        self.values.extend(row.values())
        self.ends.append(len(self.values))
        self.labels.append(0.0 if label is None else label)
        self.judged.append(label is not None)
        self.last = query

    def _check_room(self, row: Mapping[Key, float]) -> None:
        if not row.keys() <= self.places.keys():
            for key in row:
                if key not in self.places:
                    self.places[key] = len(self.places)
                    if not self.names:
                        self.columns.features.append(key[0])
                    self.rows.check_width(len(self.places))
        self.rows.check_shape(len(self.lines))
