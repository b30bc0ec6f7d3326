"""Feature logs of Elasticsearch, OpenSearch and Solr with their learning to rank."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from rankcore._arrays import aligned, owned
from rankcore.dataset import Gain, RankingDataset
from rankcore.errors import DataError
from rankcore.readers import _responses
from rankcore.readers._columns import Columns, shown
from rankcore.readers._json import NESTED, Value, values
from rankcore.readers._responses import Found, Refused, Responses
from rankcore.readers._rows import Rows
from rankcore.readers._source import Limits, Source, opened, source_name
from rankcore.readers.judgements import Judgements, read_judgements

LONGEST_RESPONSE = 16 * 2**20


def read_feature_log(
    log: Source,
    judgements: Source | Judgements | None = None,
    *,
    name: str | None = None,
    gain: Gain = "exponential",
    limits: Limits | None = None,
) -> RankingDataset:
    r"""Read features that a search engine logged, and judge its documents.

    The log holds responses of Elasticsearch's or OpenSearch's learning-to-rank plugin
    (``hits.hits[].fields._ltrlog[].<entry>[]`` with name and value; also those of a
    multiple search) or of Solr (``response.docs[]["[features]"]``), or documents of
    either, one a line (NDJSON) or as one JSON text. A feature that a document lacks,
    or that has no value, is 0.

    The query of a response is what stands beside its hits as ``qid``, ``query_id``,
    ``topic``, ``query`` or ``q``, or in the parameters that Solr repeats; responses
    without are numbered from 1. A document by itself names its query in the same way.
    ``query_text``, or ``query`` beside another id, holds the words of the query, and
    ``title`` or ``name`` of the document its text.

    Parameters
    ----------
    log : path, bytes or binary file
        Plain or compressed by gzip.
    judgements : path, bytes, binary file or dict, optional
        The labels: CSV or TREC qrels, or what `rankcore.readers.read_judgements` made
        of them. Documents without are unjudged and have the label 0; judgements of
        other documents are not used. By default each document of the log holds its
        ``label`` or ``grade``.
    name : str, optional
        Name of the data, also in messages; by default the file's name.
    gain : {"exponential", "linear"}
        The gain of nDCG the labels are meant for; ``exponential`` refuses labels
        above 31.
    limits : Limits, optional
        Largest sizes accepted; by default those for a file of this size, and 16 MB for
        a line.

    Returns
    -------
    RankingDataset
        Its ``judged`` tells which documents have a judgement.

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
        given = judgements
    else:
        given = read_judgements(judgements, gain=gain, limits=limits)
    with opened(log, file, limits) as source:
        sizes = limits or replace(source.limits, line=LONGEST_RESPONSE)
        reader = _Reader(file, sizes, given)
        for value in values(replace(source, limits=sizes)):
            reader.read(value)
    return reader.dataset(gain)


class _Reader:
    """Documents so far: features as rows of place and value, as few have all."""

    def __init__(
        self, file: str, limits: Limits, judgements: Judgements | None
    ) -> None:
        self.file = file
        self.judgements = judgements
        self.columns = columns = Columns({}, None, (), file)
        columns.query, columns.document, columns.label = "query", "document", "label"
        columns.text = columns.query_text = "text"
        columns.features = []
        self.line = 1
        self.lines = array("q")
        columns.line_of = lambda row: self.lines[row]
        self.rows = Rows(columns, limits)
        self.places: dict[str, int] = {}
        self.responses = Responses()
        self.ends = array("q", [0])
        self.numbers, self.values = array("i"), array("d")
        self.labels, self.judged = array("d"), array("b")

    def read(self, value: Value) -> None:
        """Read the documents of a value."""
        self.line, _ = value.place(())
        try:
            for found in self.responses.documents(value.content):
                self._add(found)
        except Refused as refused:
            place = value.place(refused.path)
            error = DataError(refused.problem, refused.remedy, self.file, *place)
            raise error from refused
        except RecursionError as error:
            raise DataError(*NESTED, self.file, *value.place(())) from error

    def dataset(self, gain: Gain) -> RankingDataset:
        """The data set of all documents."""
        if len(self.rows) == 0:
            problem = "There are no documents with logged features"
            remedy = "Give a log with the hits of at least one query"
            raise DataError(problem, remedy, self.file, 1, 1)
        if not any(self.judged):
            raise DataError(*_unjudged(self.judgements), self.file)
        if not self.columns.features:
            raise DataError(
                "The documents have no features", _responses.FEATURES, self.file, 1, 1
            )
        X = aligned((len(self.rows), len(self.places)))
        X[...] = 0.0
        numbers, logged = np.frombuffer(self.numbers, "i"), np.frombuffer(self.values)
        for row, (begin, end) in enumerate(zip(self.ends, self.ends[1:], strict=False)):
            X[row, numbers[begin:end]] = logged[begin:end]
        dataset = self.rows.dataset(X, np.frombuffer(self.labels), gain)
        judged = np.frombuffer(self.judged, dtype=np.bool_)
        return replace(
            dataset,
            judged=owned(judged[dataset.rows]),
            doc_texts=dataset.doc_texts if any(self.rows.texts) else None,
            query_texts=dataset.query_texts if any(self.rows.query_texts) else None,
        )

    def _add(self, found: Found) -> None:
        document, path, (query, text) = found
        document_id = _responses.document_id(document, path)
        row: dict[str, float] = {}
        for feature, value, place in _responses.features(document, path):
            if feature in row:
                problem = f"The feature {shown(feature)!r} occurs twice in a document"
                raise Refused(problem, "Log each feature once", place)
            row[feature] = value
        self.lines.append(self.line)
        self._check_room(row)
        self.numbers.extend(self.places[feature] for feature in row)
        self.values.extend(row.values())
        self.ends.append(len(self.values))
        if self.judgements is None:
            label = _responses.label(document, path)
        else:
            label = self.judgements.get(query, {}).get(document_id)
        self.labels.append(0.0 if label is None else label)
        self.judged.append(label is not None)
        self.rows.add(query, document_id, _responses.title(document), text)

    def _check_room(self, row: Mapping[str, float]) -> None:
        for feature in row:
            if feature not in self.places:
                self.places[feature] = len(self.places)
                self.columns.features.append(feature)
                self.rows.check_width(len(self.places))
        self.rows.check_shape(len(self.lines))


def _unjudged(judgements: Judgements | None) -> tuple[str, str]:
    if judgements is None:
        return (
            "No document of the log has a label",
            "Give the judgements in a file, CSV or TREC qrels (--judgements)",
        )
    query, documents = next(iter(judgements.items()))
    remedy = (
        "Use the same ids for queries and documents in both files; the first judgement "
        f"is of document {shown(next(iter(documents)))!r} for query {shown(query)!r}"
    )
    return "No document of the log is judged", remedy
