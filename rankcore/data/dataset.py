"""Ranking data: documents with features and relevance grades, grouped by query."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcore.base.arrays import (
    FILL_IN,
    Floats,
    Integers,
    Missing,
    Storage,
    aligned,
    as_document_weights,
    as_features,
    as_labels,
    as_scores,
    as_strings,
    as_weights,
    derived_ids,
    first_appearance,
    frozen,
    missing_of,
    missing_text,
    numbered,
    owned,
    read_only,
    rows_at,
)
from rankcore.base.blocks import blocks
from rankcore.base.errors import DataError
from rankcore.base.numbers import counted, quoted, shortlist, three_digits
from rankcore.base.spellings import american_names
from rankcore.data._checks import (
    check_distinct,
    check_documents,
    check_judged,
    check_offsets,
    check_rows,
)
from rankcore.data._scaling import Scaling, scaled

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")
Normalisation = Literal["minmax", "zscore", "standard"]
# Name of unscaled features in settings and records of runs.
AS_GIVEN = "as given"
Gain = Literal["exponential", "linear"]

MAX_EXPONENTIAL_LABEL = 31
LONGEST_QUERY_TEXT = 60
# Splits for training, validation and testing.
FEWEST_FOLDS = 3
# Names of the splits in files, folders and columns.
SPLIT_WORDS = {
    "train": ("train", "trainingset", "training"),
    "valid": ("vali", "valid", "validation", "validationset", "dev"),
    "test": ("test", "testset"),
}


def feature_differences(lacking: Sequence[str], others: Sequence[str]) -> str:
    """Return a phrase with the features that data lacks and those that only it has."""
    parts = [f"it lacks {shortlist(lacking)}"] if lacking else []
    parts += [f"only it has {shortlist(others)}"] if others else []
    return " and ".join(parts)


def first_difference(names: Sequence[str], others: Sequence[str]) -> str:
    """Return a phrase with the first feature name that differs from the model's; empty
    if none does."""
    pairs = enumerate(zip(names, others, strict=False), 1)
    return next(
        (
            f"feature {at} is {quoted(name)} in the data and {quoted(other)} in the "
            "model"
            for at, (name, other) in pairs
            if name != other
        ),
        "",
    )


def set_name(name: str) -> str:
    """Return the name of a data set from the name of one of its splits.

    Examples
    --------
    >>> set_name("planted train"), set_name("shop")
    ('planted', 'shop')
    """
    first, _, split = name.rpartition(" ")
    return first if split in SPLIT_WORDS else name


def query_name(query_id: str, text: str | None = None) -> str:
    """Return the display name of a query.

    Parameters
    ----------
    text : str, optional
        Its text; a long one is shortened.

    Examples
    --------
    >>> query_name("31"), query_name("31", "cheap flights")
    ('query 31', 'query 31 “cheap flights”')
    """
    if not text:
        return f"query {query_id}"
    return f"query {query_id} “{short_text(text)}”"


def short_text(text: str) -> str:
    """Return the text of a query or document, shortened if it is long."""
    if len(text) <= LONGEST_QUERY_TEXT:
        return text
    return f"{text[: LONGEST_QUERY_TEXT - 1].rstrip()}…"


def document_names(
    doc_ids: Sequence[str], texts: Sequence[str] | None = None
) -> tuple[str, ...]:
    """Return the display names of a query's documents.

    Parameters
    ----------
    doc_ids : sequence of m str
        Distinct.
    texts : sequence of m str, optional
        A text of each document, such as its title; long ones are shortened.

    Returns
    -------
    tuple of m str
        Distinct names: the text, with the id added if several documents share it, or
        the id if there is no text.

    Examples
    --------
    >>> document_names(["A-1", "A-2", "A-3", "A-4"], ["Blue mug", "Cup", "Cup", ""])
    ('Blue mug', 'Cup (A-2)', 'Cup (A-3)', 'A-4')
    """
    if texts is None:
        return tuple(doc_ids)
    texts = [short_text(text) for text in texts]
    count = Counter(texts)
    names = tuple(
        doc_id if not text else text if count[text] == 1 else f"{text} ({doc_id})"
        for doc_id, text in zip(doc_ids, texts, strict=True)
    )
    return names if len(set(names)) == len(names) else tuple(doc_ids)


@dataclass(frozen=True)
class Query:
    """The documents of one query, as read-only views into the dataset.

    Attributes
    ----------
    index : int
        Position of the query in the dataset.
    id : str
        The query's identifier in the data.
    slice : slice
        The query's rows in the dataset's arrays.
    X : (m, d) float64
        Features.
    y : (m,) int64 or float64
        Relevance labels, 0 = irrelevant.
    doc_ids : tuple of m str
        Identifiers of the documents.
    text : str or None
        The text of the query, if the data has one.
    doc_texts : tuple of m str, or None
        A text of each document, such as its title, if the data has them.
    """

    index: int
    id: str
    slice: slice
    X: Floats
    y: Integers
    doc_ids: tuple[str, ...]
    text: str | None = None
    doc_texts: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return len(self.y)

    @property
    def name(self) -> str:
        """Its display name, see `query_name`."""
        return query_name(self.id, self.text)

    @property
    def title(self) -> str:
        """Its name as a heading, such as ``Query 31``."""
        return f"Q{self.name[1:]}"

    @property
    def doc_names(self) -> tuple[str, ...]:
        """The m display names of its documents, see `document_names`."""
        return document_names(self.doc_ids, self.doc_texts)


# Scaled copies in use, so that all users of the same scaling share one copy.
_SCALED: WeakKeyDictionary[
    RankingDataset, WeakValueDictionary[Normalisation, RankingDataset]
] = WeakKeyDictionary()


@american_names
@dataclass(frozen=True, eq=False, repr=False)
class RankingDataset:
    """Immutable ranking data; the documents of one query are contiguous.

    All arrays are read-only and C-contiguous. Use :meth:`from_arrays` for rows in any
    order; the constructor takes them already grouped by query.

    Parameters
    ----------
    X : (n, d) float64 or float32
        Features, finite except missing ones; float32 if given in that type.
    y : (n,) int64 or float64
        Relevance labels, 0 = irrelevant; floating point if any is a fraction.
    offsets : (q + 1,) int64
        Query ``i`` owns rows ``offsets[i]`` to ``offsets[i + 1]``; none is empty.
    query_ids : tuple of q str
        Distinct identifiers of the queries.
    doc_ids : tuple of n str
        Identifiers of the documents, distinct within a query.
    feature_names : tuple of d str
        Distinct names of the features.
    name : str
        Name of the data in tables and charts.
    rows : (n,) int64, optional
        Row of each document in the original order; default 0, 1, …, n - 1.
    normalisation : {"minmax", "zscore", "standard"}, optional
        Scaling of the features within each query, if any; with ``standard`` they are
        unscaled, and linear models learn from `standardised`.
    doc_texts : tuple of n str, optional
        A text of each document, such as its title.
    query_texts : tuple of q str, optional
        The text of each query. Texts are not part of the fingerprint.
    judged : (n,) bool, optional
        Which documents have a judgement; the others have the label 0. By default all
        are judged. Not part of the fingerprint either.
    query_groups : dict of str to tuple of q str, optional
        Groupings of queries, such as ``segment``: a group for each query, such as
        ``head`` or ``tail``. Not part of the fingerprint.
    doc_scores : dict of str to (n,) float64, optional
        Scores of production models, to compare a new model with; higher is better. They
        are neither features nor part of the fingerprint.
    missing : {"keep"}, optional
        Whether missing features may be NaN; only algorithms with `Ranker.takes_missing`
        train on such data.
    query_weights : (q,) float64, optional
        Weight of each query in means and losses, above 0; by default 1. Weights are
        importances: weight 2 is not a second observation. Weights other than 1 are part
        of the fingerprint.
    weights_name : str
        Name of the query weights, such as their column. Not part of the fingerprint.
    document_weights : (n,) float64, optional
        Factor of each document's gain in losses with gains, at least 0; by default 1.
        Measures ignore them. Weights other than 1 are part of the fingerprint.

    Raises
    ------
    DataError
        If the parts are inconsistent.
    """

    X: Floats
    y: Integers
    offsets: Integers
    query_ids: tuple[str, ...]
    doc_ids: tuple[str, ...]
    feature_names: tuple[str, ...]
    name: str = ""
    rows: Integers = None  # type: ignore[assignment]  # replaced by 0, 1, …, n - 1
    normalisation: Normalisation | None = None
    doc_texts: tuple[str, ...] | None = None
    query_texts: tuple[str, ...] | None = None
    judged: NDArray[np.bool_] | None = None
    query_groups: Mapping[str, tuple[str, ...]] | None = None
    doc_scores: Mapping[str, Floats] | None = None
    missing: Missing | None = None
    query_weights: Floats | None = None
    document_weights: Floats | None = None
    weights_name: str = ""

    def __post_init__(self) -> None:
        is_single = getattr(self.X, "dtype", None) == np.float32
        dtype = np.float32 if is_single else np.float64
        X = as_features(self.X, dtype=dtype, missing=self.missing)
        y = as_labels(self.y, len(X))
        offsets = np.asarray(self.offsets, dtype=np.int64)
        check_offsets(offsets, len(X))
        rows = self.rows if self.rows is not None else np.arange(len(X))
        rows = np.asarray(rows, dtype=np.int64)
        check_rows(rows, len(X))
        query_ids = as_strings(self.query_ids, len(offsets) - 1, "query id")
        doc_ids = as_strings(self.doc_ids, len(X), "document id")
        names = as_strings(self.feature_names, X.shape[1], "feature name")
        check_distinct(query_ids, "query id")
        check_distinct(names, "feature name")
        check_documents(doc_ids, offsets, query_ids, rows)
        self._hold(X=X, y=y, offsets=offsets, rows=rows)
        self._hold(query_ids=query_ids, doc_ids=doc_ids, feature_names=names)
        if self.doc_texts is not None:
            texts = as_strings(self.doc_texts, len(X), "document text")
            self._hold(doc_texts=texts)
        if self.query_texts is not None:
            texts = as_strings(self.query_texts, len(query_ids), "query text")
            self._hold(query_texts=texts)
        if self.judged is not None:
            judged = np.asarray(self.judged, dtype=np.bool_)
            check_judged(judged, y)
            self._hold(judged=judged)
        if self.query_groups is not None:
            groups = {
                name: as_strings(words, len(query_ids), name)
                for name, words in self.query_groups.items()
            }
            self._hold(query_groups=groups)
        if self.doc_scores is not None:
            scores = {
                name: frozen(as_scores(values, len(X), name))
                for name, values in self.doc_scores.items()
            }
            self._hold(doc_scores=scores)
        if self.query_weights is not None:
            self._hold(query_weights=as_weights(self.query_weights, query_ids))
        if self.document_weights is not None:
            weights = as_document_weights(self.document_weights, offsets)
            self._hold(document_weights=weights)

    def _hold(self, **parts: Any) -> None:
        """Set attributes to consistent parts, and lock arrays."""
        for key, value in parts.items():
            held = frozen(value) if isinstance(value, np.ndarray) else value
            object.__setattr__(self, key, held)

    @classmethod
    def from_arrays(
        cls,
        X: ArrayLike,
        y: ArrayLike,
        qid: ArrayLike | None = None,
        *,
        doc_ids: Iterable[str] | None = None,
        doc_texts: Iterable[str] | None = None,
        query_texts: Iterable[str] | None = None,
        feature_names: Iterable[str] | None = None,
        name: str = "",
        dtype: Storage = "float64",
        copy: bool = True,
        missing: Missing | None = None,
    ) -> RankingDataset:
        """Group rows, given in any order, by query.

        Queries are in the order of their first row, and the rows of a query keep their
        order.

        Parameters
        ----------
        X : (n, d) array
            Features; a DataFrame also gives the feature names.
        y : (n,) array
            Relevance labels of at least 0 (irrelevant); fractions require algorithms
            and measures with graded gains.
        qid : (n,) array of numbers or strings, optional
            The query of each row; by default all rows belong to one query.
        doc_ids : n str, optional
            Document ids; by default d1, d2, … within each query.
        doc_texts : n str, optional
            A text of each document, such as its title.
        query_texts : q str, optional
            The text of each query, in the order of the queries' first rows.
        feature_names : d str, optional
            Names of the features; by default f1, f2, ….
        name : str
            Name of the data.
        dtype : {"float64", "float32"}
            Type of stored features. float32 takes half the memory and less time; values
            are rounded to 7 digits, while sums are still float64.
        copy : bool
            Whether writable features are copied. False uses them directly if they have
            that type and their rows are grouped by query; they must not be modified
            afterwards. A read-only memory map is never copied then.
        missing : {"keep"}, optional
            Keep NaN as missing values; by default they are refused.

        Raises
        ------
        ValueError
            If ``dtype`` is unknown.
        DataError
            If shapes differ or values are not finite numbers, labels or identifiers.
        """
        if dtype not in ("float64", "float32"):
            raise ValueError(
                f"Features cannot be stored as {dtype!r}; use 'float64' or 'float32'."
            )
        if feature_names is None:
            feature_names = getattr(X, "columns", None)
        if feature_names is not None:
            feature_names = tuple(feature_names)
        features = as_features(X, feature_names, dtype, missing)
        if not copy:
            features = read_only(features, features.dtype)
        labels = as_labels(y, len(features))
        if qid is None:
            qid = np.ones(len(features), dtype=np.int64)
        codes, query_ids = first_appearance(qid, len(features))
        if feature_names is None:
            feature_names = default_names(features.shape[1])
        documents = None
        if doc_ids is not None:
            documents = as_strings(doc_ids, len(features), "document id")
        if doc_texts is not None:
            doc_texts = as_strings(doc_texts, len(features), "document text")
        if query_texts is not None:
            query_texts = as_strings(query_texts, len(query_ids), "query text")
        return cls.from_codes(
            features,
            labels,
            codes,
            query_ids,
            doc_ids=documents,
            feature_names=feature_names,
            doc_texts=doc_texts,
            query_texts=query_texts,
            name=name,
            copy=copy,
            missing=missing,
        )

    @classmethod
    def from_codes(
        cls,
        X: Floats,
        y: Integers,
        codes: Integers,
        query_ids: tuple[str, ...],
        *,
        doc_ids: Sequence[str] | None,
        doc_texts: Sequence[str] | None = None,
        query_texts: Sequence[str] | None = None,
        query_groups: Mapping[str, tuple[str, ...]] | None = None,
        doc_scores: Mapping[str, Floats] | None = None,
        feature_names: tuple[str, ...],
        name: str = "",
        copy: bool = True,
        missing: Missing | None = None,
    ) -> RankingDataset:
        """Group valid rows whose queries are numbered by first appearance.

        Features and scores must be finite, labels grades and query ids distinct: only
        document ids and feature names are checked. An empty document id becomes d1, d2,
        … by the document's position in the query.
        """
        rows = np.argsort(codes, kind="stable")
        grouped = bool((np.diff(codes) >= 0).all())
        lengths = np.bincount(codes)
        if doc_texts is not None:
            doc_texts = _in_order(doc_texts, rows, grouped)
        names = as_strings(feature_names, X.shape[1], "feature name")
        check_distinct(names, "feature name")
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        dataset = object.__new__(cls)
        if doc_ids is not None:
            documents = _in_order(doc_ids, rows, grouped)
            if "" in documents:
                pairs = zip(documents, derived_ids(lengths), strict=True)
                documents = tuple(doc_id or derived for doc_id, derived in pairs)
            check_documents(documents, offsets, query_ids, rows)
            dataset._hold(doc_ids=documents)
        if not grouped:
            X = rows_at(X, rows)
        object.__setattr__(dataset, "X", frozen(X) if copy else X)
        dataset._hold(
            y=y if grouped else owned(y[rows]),
            offsets=owned(offsets),
            query_ids=query_ids,
            feature_names=names,
            name=name,
            rows=owned(rows),
            normalisation=None,
            doc_texts=doc_texts,
            query_texts=None if query_texts is None else tuple(query_texts),
            judged=None,
            query_groups=query_groups,
            doc_scores=_at(doc_scores, rows),
            missing=missing,
            query_weights=None,
            document_weights=None,
            weights_name="",
        )
        return dataset

    def stored_at(
        self,
        reload: tuple[Callable[..., RankingDataset], tuple[Any, ...]],
        load_ids: Callable[[], tuple[str, ...]] | None,
        normalisation: Normalisation | None,
        judged: NDArray[np.bool_] | None = None,
    ) -> RankingDataset:
        """Return the same data with a way to reload it from files.

        Parameters
        ----------
        reload : function and its arguments
            Reload the data: other processes receive them instead of the data.
        load_ids : callable, optional
            Returns the document ids on first use; by default d1, d2, ….
        normalisation : {"minmax", "zscore", "standard"}, optional
            Scaling of the features.
        judged : (n,) bool, optional
            Flags of judged documents; by default all.
        """
        return self._with(
            normalisation=normalisation,
            judged=judged,
            _reload=reload,
            _load_ids=load_ids,
        )

    def __getattr__(self, name: str) -> Any:
        """Return the document ids, which are loaded or made on first use."""
        if name != "doc_ids" or "offsets" not in self.__dict__:
            raise AttributeError(f"A RankingDataset has no attribute {name!r}")
        ids = self._given_ids
        self._hold(doc_ids=derived_ids(self.lengths) if ids is None else ids)
        return self.doc_ids

    @property
    def _given_ids(self) -> tuple[str, ...] | None:
        """The document ids if loaded or given; None for d1, d2, …."""
        load = self.__dict__.get("_load_ids")
        if "doc_ids" not in self.__dict__ and load is not None:
            self._hold(doc_ids=load())
        return self.__dict__.get("doc_ids")

    def _with(self, **parts: Any) -> RankingDataset:
        """Return the same data with other consistent parts."""
        dataset = object.__new__(type(self))
        names = [*(field.name for field in fields(self)), "_load_ids"]
        held = {name: self.__dict__.get(name) for name in names}
        if held["doc_ids"] is None:
            del held["doc_ids"]
        for key, value in (held | parts).items():
            object.__setattr__(dataset, key, value)
        return dataset

    def sharing(self, equal: RankingDataset) -> RankingDataset:
        """Return this data with the equal features of other data, so that memory holds
        them once."""
        return self._with(X=equal.X)

    def part(self, queries: slice) -> RankingDataset:
        """Return consecutive queries, as views into the arrays of this data set."""
        lengths = self.lengths[queries]
        begin = int(self.offsets[queries.start])
        rows = slice(begin, begin + int(lengths.sum()))
        parts = self._at_rows(rows) | self._at_queries(queries)
        parts["offsets"] = owned(np.concatenate(([0], np.cumsum(lengths))))
        return self._with(**parts)

    def _at_rows(self, rows: slice | Integers) -> dict[str, Any]:
        """Return the values per document for some documents; views for a slice."""
        names = "y", "rows", "doc_texts", "judged", "document_weights", "doc_scores"
        parts = {name: _at(getattr(self, name), rows) for name in names}
        parts["X"] = self.X[rows] if isinstance(rows, slice) else rows_at(self.X, rows)
        if (doc_ids := self._given_ids) is not None:
            parts["doc_ids"] = _at(doc_ids, rows)
        return parts

    def _at_queries(self, queries: slice | Integers) -> dict[str, Any]:
        """Return the values per query for some queries; views for a slice."""
        names = "query_ids", "query_texts", "query_groups", "query_weights"
        return {name: _at(getattr(self, name), queries) for name in names}

    @property
    def n_queries(self) -> int:
        """Number of queries, q."""
        return len(self.query_ids)

    @property
    def n_documents(self) -> int:
        """Number of documents over all queries, n."""
        return len(self.y)

    @property
    def n_features(self) -> int:
        """Number of features, d."""
        return self.X.shape[1]

    @property
    def lengths(self) -> Integers:
        """Number of documents of each query, (q,)."""
        return np.diff(self.offsets)

    @property
    def n_judged(self) -> int:
        """Number of documents that have a judgement."""
        return self.n_documents if self.judged is None else int(self.judged.sum())

    @property
    def has_fractions(self) -> bool:
        """Whether any label is a fraction."""
        return self.y.dtype.kind == "f"

    @property
    def grades(self) -> Integers:
        """The labels as (n,) int64 codes in ascending order, 0 for the label 0; the
        labels themselves if all are whole."""
        return self.numbered_labels[0]

    @cached_property
    def numbered_labels(self) -> tuple[Integers, Floats | None]:
        """The `grades`, and the labels (m,) that they number, ascending from 0; None if
        all labels are whole."""
        grades, labels = numbered(self.y)
        return frozen(grades), labels

    @cached_property
    def weights(self) -> Floats:
        """Weight of each query, (q,) float64; 1 without given weights."""
        weights = self.query_weights
        return frozen(np.ones(self.n_queries)) if weights is None else weights

    @cached_property
    def is_weighted(self) -> bool:
        """Whether any query has a weight other than 1."""
        return self.query_weights is not None and bool((self.weights != 1.0).any())

    @cached_property
    def has_document_weights(self) -> bool:
        """Whether any document has a weight other than 1."""
        weights = self.document_weights
        return weights is not None and bool((weights != 1.0).any())

    @property
    def weighting(self) -> str:
        """The phrase for its weights, such as ``weighted by traffic``; empty if all are
        equal."""
        if not self.is_weighted or not np.ptp(self.weights):
            return ""
        return weighting_words(self.weights_name)

    @property
    def weighted_text(self) -> str:
        """The phrase of `weighting` with the effective number of queries."""
        if not self.weighting:
            return ""
        return f"{self.weighting}, {effective_text(self.effective_queries)}"

    @property
    def effective_queries(self) -> float:
        """The effective number of queries, (Σw)²/Σw²; all of them if weights are
        equal."""
        share = self.weights / self.weights.max()
        return float(share.sum() ** 2 / (share**2).sum())

    def with_query_weights(
        self, weights: ArrayLike | Mapping[str, float], name: str = ""
    ) -> RankingDataset:
        """Return the same data with other weights of the queries.

        Parameters
        ----------
        weights : (q,) array, or dict of str to float
            Weights above 0, in the order of `query_ids` or by query id; a dict may
            contain other queries, too.
        name : str
            Name of the weights in figures.

        Raises
        ------
        DataError
            If a query's weight is missing, not above 0, or not finite.

        Examples
        --------
        >>> data = RankingDataset.from_arrays(np.eye(3), [1, 0, 1], ["a", "a", "b"])
        >>> data.with_query_weights({"a": 2.0, "b": 0.5}).weights.tolist()
        [2.0, 0.5]
        """
        if isinstance(weights, Mapping):
            lacking = [query for query in self.query_ids if query not in weights]
            if lacking:
                raise DataError(
                    f"Queries have no weight: {shortlist(lacking)}",
                    "Give every query a weight",
                    self.name or None,
                )
            weights = [weights[query] for query in self.query_ids]
        checked = as_weights(weights, self.query_ids)
        return self._weighted(query_weights=checked, weights_name=name)

    def with_document_weights(
        self, weights: ArrayLike | Mapping[tuple[str, str], float]
    ) -> RankingDataset:
        """Return the same data with other weights of the documents.

        A document of weight v has v times the gain of its label, such as 2^y - 1 in
        NDCG and e^y in ListNet. Algorithms without gains do not train on such data.

        Parameters
        ----------
        weights : (n,) array, or dict of (str, str) to float
            Weights in the order of the data, or by query id and document id; at least
            0, and not all 0 within a query. A dict may contain other documents, too.

        Raises
        ------
        DataError
            If a document has no weight, or weights are invalid.

        Examples
        --------
        >>> data = RankingDataset.from_arrays(np.eye(3), [1, 0, 1], ["a", "a", "b"])
        >>> data.with_document_weights([3.0, 1.0, 0.5]).subset([1]).document_weights
        array([0.5])
        """
        if isinstance(weights, Mapping):
            queries = np.repeat(np.array(self.query_ids, object), self.lengths)
            keys = [*zip(queries.tolist(), self.doc_ids, strict=True)]
            lacking = [f"{key[1]} of {key[0]}" for key in keys if key not in weights]
            if lacking:
                raise DataError(
                    f"Documents have no weight: {shortlist(lacking)}",
                    "Give every document a weight",
                    self.name or None,
                )
            weights = [weights[key] for key in keys]
        document_weights = as_document_weights(weights, self.offsets)
        return self._weighted(document_weights=document_weights)

    def _weighted(self, **weights: Any) -> RankingDataset:
        """Return the same data with other weights or another name of them, also after
        reloading."""
        parts: dict[str, Any] = {**weights}
        if (reload := self.__dict__.get("_reload")) is not None:
            parts["_reload"] = (_reloaded, (*reload, weights))
        return self._with(**parts)

    def weighted_by(self, column: str) -> RankingDataset:
        """Return the same data with the weights of queries that a column holds.

        Parameters
        ----------
        column : str
            One of `query_groups`, whose values are numbers above 0; the result has it
            as weights only.

        Raises
        ------
        DataError
            If the column does not exist, or a value is not such a number.
        """
        words, groups = self._without_column(
            self.query_groups, column, "weight of each query", "group of queries"
        )
        weighted = self.with_query_weights(words, column)
        return weighted._with(
            query_groups=groups or None, _reload=weighted.__dict__.get("_reload")
        )

    def document_weighted_by(self, column: str) -> RankingDataset:
        """Return the same data with the weights of documents that a column holds.

        Parameters
        ----------
        column : str
            One of `doc_scores`; the result has it as weights only.

        Raises
        ------
        DataError
            If the column does not exist, or a value is below 0.
        """
        weights, scores = self._without_column(
            self.doc_scores, column, "weight of each document", "score"
        )
        weighted = self.with_document_weights(weights)
        return weighted._with(
            doc_scores=scores or None, _reload=weighted.__dict__.get("_reload")
        )

    @cached_property
    def query_names(self) -> tuple[str, ...]:
        """The q display names of the queries, see `query_name`."""
        texts = self.query_texts or (None,) * self.n_queries
        return tuple(map(query_name, self.query_ids, texts))

    @cached_property
    def limits(self) -> tuple[Floats, Floats]:
        """The smallest and the largest value (d,) of each feature; 0 if all are
        missing."""
        if not self.has_missing:
            return frozen(self.X.min(axis=0)), frozen(self.X.max(axis=0))
        low, high = np.fmin.reduce(self.X), np.fmax.reduce(self.X)
        return frozen(np.nan_to_num(low)), frozen(np.nan_to_num(high))

    @cached_property
    def has_missing(self) -> bool:
        """Whether any feature value is missing."""
        return self.missing is not None and bool(missing_of(self.X).any())

    @property
    def incomplete_reason(self) -> str | None:
        """Why computations on complete data are impossible, as a sentence, or None."""
        return f"{self.missing_text}. {FILL_IN}." if self.has_missing else None

    @property
    def missing_text(self) -> str:
        """The number of missing values and the first such feature, as a phrase, or
        empty."""
        return missing_text(self.X, self.feature_names) if self.has_missing else ""

    @cached_property
    def fingerprint(self) -> str:
        """Digest of the content, 32 hexadecimal digits.

        Content excludes the data's name, the texts of documents and queries, the judged
        flags, the groups of queries, the scores of production models, the order of rows
        of different queries, and weights that are all 1.
        """
        digest = hashlib.blake2b(digest_size=16)
        digest.update(np.array(self.X.shape, dtype="<i8").tobytes())
        if self.normalisation == "standard":
            # Otherwise models learn the features directly.
            digest.update(b"standard")
        for block in blocks(self.offsets, self.n_features):
            values = self.X[block.rows].astype("<f8", copy=False)
            if self.has_missing:
                values = np.where(np.isnan(values), np.nan, values)
            digest.update(values.data)
        kind = "<f8" if self.has_fractions else "<i8"
        digest.update(self.y.astype(kind, copy=False).data)
        digest.update(self.offsets.astype("<i8", copy=False).data)
        for strings in (self.query_ids, self.doc_ids, self.feature_names):
            sizes = np.array([len(string) for string in strings], dtype="<i8")
            digest.update(sizes.tobytes())
            digest.update("".join(strings).encode("utf-8", "surrogatepass"))
        if self.is_weighted:
            digest.update(b"weights")
            digest.update(self.weights.astype("<f8", copy=False).data)
        if self.has_document_weights:
            digest.update(b"document weights")
            digest.update(np.asarray(self.document_weights, "<f8").data)
        return digest.hexdigest()

    @cached_property
    def qid(self) -> NDArray[np.object_]:
        """The identifier (n,) of each document's query, as `Ranker.fit` takes it."""
        ids = np.repeat(np.array(self.query_ids, dtype=object), self.lengths)
        ids.flags.writeable = False
        return ids

    def __len__(self) -> int:
        """Return the number of queries."""
        return self.n_queries

    def __getitem__(self, index: int) -> Query:
        """Return the documents of a query, as `query`."""
        return self.query(index)

    def __iter__(self) -> Iterator[Query]:
        """Yield the documents of each query in turn."""
        return map(self.query, range(self.n_queries))

    def query(self, index: int) -> Query:
        """Return the documents of query ``index``, counted from 0 (or from the end)."""
        i = range(self.n_queries)[index]
        part = slice(int(self.offsets[i]), int(self.offsets[i + 1]))
        return Query(
            index=i,
            id=self.query_ids[i],
            slice=part,
            X=self.X[part],
            y=self.y[part],
            doc_ids=self.doc_ids[part],
            text=None if self.query_texts is None else self.query_texts[i],
            doc_texts=None if self.doc_texts is None else self.doc_texts[part],
        )

    def original_order(self, values: ArrayLike) -> NDArray[Any]:
        """Return one value per document in the original order.

        Parameters
        ----------
        values : (n, …) array
            Values such as scores, in the order of :attr:`X`.

        Returns
        -------
        (n, …) array
        """
        return np.asarray(values)[np.argsort(self.rows, kind="stable")]

    def subset(self, query_index: ArrayLike) -> RankingDataset:
        """Return the queries at ``query_index`` (numbers or a mask), in that order."""
        wanted = np.asarray(query_index)
        index = np.arange(self.n_queries)[wanted].ravel() if wanted.size else wanted
        if len(index) == 0:
            raise DataError(
                "The subset contains no queries", "Choose at least one query"
            )
        check_distinct(_at(self.query_ids, index), "query id")
        lengths = self.lengths[index]
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        shift = np.repeat(self.offsets[index] - offsets[:-1], lengths)
        documents = np.arange(offsets[-1]) + shift
        parts = self._at_rows(documents) | self._at_queries(index)
        return self._with(**parts, offsets=owned(offsets))

    def first_queries(self, queries: int, documents: int) -> RankingDataset:
        """Return the first queries, at most ``queries`` with at most ``documents``
        documents in total, but at least one."""
        fitting = int(np.searchsorted(self.offsets[1:], documents, side="right"))
        count = max(1, min(queries, fitting, self.n_queries))
        return self.subset(np.arange(count))

    def documents(self, wanted: NDArray[np.bool_]) -> RankingDataset:
        """Return the documents selected by ``wanted``, (n,) bool, and their queries.

        Raises
        ------
        DataError
            If no document is selected.
        """
        if wanted.all():
            return self
        if not wanted.any():
            raise DataError(
                "The subset has no document", "Choose at least one document"
            )
        at = np.flatnonzero(wanted)
        lengths = np.add.reduceat(wanted.astype(np.int64), self.offsets[:-1])
        queries = np.flatnonzero(lengths)
        whole = self if len(queries) == self.n_queries else self.subset(queries)
        offsets = owned(np.concatenate(([0], np.cumsum(lengths[queries]))))
        # Default ids, such as d3, keep the numbers of their original places.
        parts = self._at_rows(at) | {"doc_ids": _at(self.doc_ids, at)}
        return whole._with(**parts, offsets=offsets)

    def stored(self, dtype: Storage) -> RankingDataset:
        """Return the data with features of another type, or the data itself if they
        have that type.

        Parameters
        ----------
        dtype : {"float64", "float32"}
            See `from_arrays`.
        """
        if self.X.dtype == dtype:
            return self
        X = aligned(self.X.shape, dtype)
        X[...] = as_features(self.X, self.feature_names, dtype, self.missing)
        return self._with(X=owned(X))

    def filled(self) -> RankingDataset:
        """Return the data with missing values replaced by the median of their feature,
        or by 0 if all are missing."""
        if not self.has_missing:
            return self
        X = aligned(self.X.shape, self.X.dtype)
        X[...] = self.X
        for column in X.T[missing_of(self.X) > 0]:
            gaps = np.isnan(column)
            column[gaps] = 0.0 if gaps.all() else np.median(column[~gaps])
        return self._with(X=owned(X), missing=None)

    def with_features(self, names: Sequence[str]) -> RankingDataset:
        """Return the data with these features in this order; absent ones are 0."""
        if self.feature_names == tuple(names):
            return self
        place = {name: j for j, name in enumerate(self.feature_names)}
        X = aligned((self.n_documents, len(names)), self.X.dtype)
        for j, name in enumerate(names):
            X[:, j] = self.X[:, place[name]] if name in place else 0.0
        return self._with(X=owned(X), feature_names=tuple(names))

    def without_empty_texts(self) -> RankingDataset:
        """Return the data without texts of documents, or of queries, if all are
        empty."""
        return self._with(
            doc_texts=self.doc_texts if any(self.doc_texts or ()) else None,
            query_texts=self.query_texts if any(self.query_texts or ()) else None,
        )

    def split(
        self,
        fractions: Sequence[float] = (0.6, 0.2, 0.2),
        seed: int | np.random.Generator = 0,
    ) -> tuple[RankingDataset, ...]:
        """Split the queries at random, for instance into train, valid and test.

        Parameters
        ----------
        fractions : sequence of float
            Share of the queries in each part, with sum 1. Every part gets at least one
            query.
        seed : int or numpy.random.Generator
            Seed; the same number gives the same parts.

        Returns
        -------
        tuple of RankingDataset
            One part per fraction, each with its queries in this dataset's order.

        Raises
        ------
        ValueError
            If the fractions are not positive or do not sum to 1.
        DataError
            If there are fewer queries than parts.
        """
        sizes = _part_sizes(np.asarray(fractions, dtype=np.float64), self.n_queries)
        order = np.random.default_rng(seed).permutation(self.n_queries)
        parts = np.split(order, np.cumsum(sizes)[:-1])
        return tuple(self.subset(np.sort(part)) for part in parts)

    def fold(
        self, number: int, folds: int = 5, seed: int = 0
    ) -> tuple[RankingDataset, RankingDataset, RankingDataset]:
        """Assign the queries at random to folds, and return the splits of one fold.

        Parameters
        ----------
        number : int
            The test fold, from 1; the next one is for validation, all others are for
            training. Over all numbers, each query is tested once.
        folds : int
            Number of folds, at least 3.
        seed : int
            The same number gives the same folds.

        Returns
        -------
        tuple of RankingDataset
            Training, validation and test queries, each in this dataset's order.

        Raises
        ------
        ValueError
            If the fold does not exist.
        DataError
            If there are fewer queries than folds.
        """
        if folds < FEWEST_FOLDS or not 1 <= number <= folds:
            raise ValueError(
                f"There is no fold {number} of {folds}; use at least {FEWEST_FOLDS} "
                "folds, and a number from 1 to their number."
            )
        parts = self.split([1 / folds] * folds, seed)
        test, valid = parts[number - 1], parts[number % folds]
        others = {*test.query_ids, *valid.query_ids}
        rest = [query not in others for query in self.query_ids]
        return self.subset(np.array(rest)), valid, test

    def _without_column(
        self, columns: Mapping[str, T] | None, column: str, role: str, kind: str
    ) -> tuple[T, dict[str, T]]:
        """Return a column and the other ones; the role and the kind are for the error
        message about a missing column."""
        others = dict(columns or {})
        if column not in others:
            raise DataError(
                f"There is no column {column!r} with the {role}",
                f"Name it as a {kind} when the table is read",
                self.name or None,
            )
        return others.pop(column), others

    def split_by(
        self, column: str
    ) -> tuple[RankingDataset, RankingDataset | None, RankingDataset | None]:
        """Split the queries by a column of the data.

        Parameters
        ----------
        column : str
            One of `query_groups`; its values are train, valid and test, or other names
            of split files, such as ``vali``, in any case.

        Returns
        -------
        tuple of RankingDataset
            Training, validation and test queries; None if the column has none.

        Raises
        ------
        DataError
            If the column does not exist, a value is unknown, or no query is for
            training.
        """
        words, groups = self._without_column(
            self.query_groups, column, "split of each query", "group of queries"
        )
        splits_by_word = {
            word: split for split, synonyms in SPLIT_WORDS.items() for word in synonyms
        }
        splits = [splits_by_word.get(word.strip().lower()) for word in words]
        if None in splits:
            at = splits.index(None)
            raise DataError(
                f"The query {self.query_ids[at]!r} has the split {words[at]!r:.40}",
                "Write train, valid or test",
                self.name or None,
                column=column,
            )
        if "train" not in splits:
            raise DataError(
                "No query is for training",
                "Write train for some queries",
                self.name or None,
                column=column,
            )
        whole = self._with(query_groups=groups or None)
        train, valid, test = (
            whole.subset(at) if len(at) else None
            for at in (np.flatnonzero([f == s for f in splits]) for s in SPLIT_WORDS)
        )
        assert train is not None
        return train, valid, test

    def normalise(self, kind: Normalisation | None = "minmax") -> RankingDataset:
        """Scale each feature within each query, as LETOR's QueryLevelNorm does.

        Parameters
        ----------
        kind : {"minmax", "zscore", "standard"} or None
            ``minmax`` maps a query's smallest value to 0 and its largest to 1,
            ``zscore`` gives mean 0 and (population) standard deviation 1. A feature
            that is constant within a query becomes 0, and missing values stay missing.
            ``standard`` does not change the features; a linear model trained on the
            data learns from `standardised` ones, and its coefficients are converted to
            unscaled features. ``None`` changes nothing.

        Raises
        ------
        DataError
            For ``standard``, if the features are scaled within each query.
        """
        if kind is None or kind == self.normalisation:
            return self
        if kind not in get_args(Normalisation):
            kinds = ", ".join(map(repr, get_args(Normalisation)))
            raise ValueError(
                f"There is no normalisation {kind!r}; use one of {kinds}, or None."
            )
        if kind == "standard" and self.normalisation is not None:
            raise DataError(
                f"The features are already scaled by {self.normalisation} within each "
                "query",
                "Do not scale them again",
                self.name or None,
            )
        copies = _SCALED.setdefault(self, WeakValueDictionary())
        copy = copies.get(kind)
        if copy is None:
            raw = kind == "standard"
            X = self.X if raw else owned(scaled(self.X, self.offsets, kind))
            copy = copies.setdefault(kind, self._with(X=X, normalisation=kind))
        return copy

    @cached_property
    def scaling(self) -> Scaling | None:
        """The mean and deviation for standardising features for linear models, over
        documents with the weights of their queries; None without standardisation."""
        if self.normalisation != "standard":
            return None
        each = np.repeat(self.weights, self.lengths) if self.is_weighted else None
        return Scaling.of(self.X, each)

    @cached_property
    def standardised(self) -> RankingDataset:
        """The data as linear models learn it: each feature standardised to mean 0 and
        deviation 1 if the normalisation is ``standard``, otherwise unchanged."""
        return self.scaled_by(self.scaling)

    def scaled_by(self, scaling: Scaling | None) -> RankingDataset:
        """Return the data with features scaled by the `scaling` of other data; the data
        itself if that is None."""
        if scaling is None:
            return self
        return self._with(X=owned(scaling.applied(self.X)), normalisation=None)

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with query, document, label and one column per feature.

        Columns of texts (``query_text``, ``document_text``), groups and weights of
        queries (``query_weight``, for `weighted_by`), weights of documents and scores
        of production models, if any, come before the label.

        The index holds the original row numbers, so that ``sort_index`` restores the
        original order. :func:`rankcore.read_table` reads the frame back.
        """
        import pandas as pd

        leading = {
            "query": np.repeat(np.array(self.query_ids, dtype=object), self.lengths),
            "document": np.array(self.doc_ids, dtype=object),
        }
        query_words = {"query_text": self.query_texts, **(self.query_groups or {})}
        for column, words in query_words.items():
            if words is not None:
                each = np.array(words, dtype=object)
                leading[column] = np.repeat(each, self.lengths)
        if self.query_weights is not None:
            leading["query_weight"] = np.repeat(self.query_weights, self.lengths)
        if self.doc_texts is not None:
            leading["document_text"] = np.array(self.doc_texts, dtype=object)
        if self.document_weights is not None:
            leading["document_weight"] = self.document_weights
        leading |= self.doc_scores or {}
        leading["label"] = self.y
        names = [f"{n} (feature)" if n in leading else n for n in self.feature_names]
        index = pd.Index(self.rows, name="row")
        features = pd.DataFrame(self.X, columns=names, index=index)
        return pd.concat([pd.DataFrame(leading, index=index), features], axis=1)

    def check_whole(self, what: str) -> None:
        """Raise DataError if a label is a fraction; ``what`` begins the reason, such as
        "judgements of trec_eval have"."""
        if self.has_fractions:
            raise DataError(
                f"Some labels are fractions, and {what} whole ones",
                "Round the labels, or map them to grades (labels='0.3,0.6', on "
                "the command line --labels)",
                self.name or None,
            )

    def check_gain(self) -> None:
        """Raise DataError if a grade is too large for the exponential gain of nDCG."""
        row = int(self.rows[np.argmax(self.y)])
        check_labels(self.y, line=row + 1)

    def __reduce__(self) -> tuple[Any, ...]:
        """Unpickle through the constructor, because pickled arrays come back writable;
        data stored in files are loaded from there."""
        reload = self.__dict__.get("_reload")
        if reload is not None:
            return reload
        return type(self), tuple(getattr(self, field.name) for field in fields(self))

    def __repr__(self) -> str:
        title = f"{self.name!r}: " if self.name else ""
        place = "" if self.normalisation == "standard" else " per query"
        scaled = f", {self.normalisation}{place}" if self.normalisation else ""
        return (
            f"<RankingDataset {title}{counted(self.n_queries, 'queries')}, "
            f"{counted(self.n_documents, 'documents')}, "
            f"{counted(self.n_features, 'features')}, "
            f"labels {self.y.min()}-{self.y.max()}{scaled}>"
        )


def scaling_words(normalisation: str) -> str:
    """Return a phrase for the scaling of features, such as ``scaled by minmax``."""
    is_standard = normalisation == "standard"
    return "standardised" if is_standard else f"scaled by {normalisation}"


def weighting_words(name: str) -> str:
    """Return a phrase for query weights, such as ``weighted by traffic``."""
    return f"weighted by {name}" if name else "weighted"


def effective_text(number: float) -> str:
    """Return a phrase with an effective number of queries."""
    return f"effective number {three_digits(number)}"


def default_names(n_features: int, first: int = 1) -> tuple[str, ...]:
    """Return the names f1, f2, …, after the numbers in a LETOR file."""
    return tuple(f"f{number}" for number in range(first, first + n_features))


def large_label(labels: Integers | Floats) -> str | None:
    """Return the problem of a label too large for the exponential gain, or None.

    Floating-point sums of 2^y - 1 are meaningless for grades above 31.
    """
    largest = labels.max(initial=0)
    if largest <= MAX_EXPONENTIAL_LABEL:
        return None
    return (
        f"The label {largest} is above {MAX_EXPONENTIAL_LABEL}, too large for the "
        "exponential gain 2^label - 1"
    )


def check_labels(
    labels: Integers | Floats, gain: Gain = "exponential", line: int | None = None
) -> None:
    """Raise DataError if a grade is too large for the gain of nDCG.

    Parameters
    ----------
    labels : (n,) int64 or float64
        Relevance labels.
    gain : {"exponential", "linear"}
        ``exponential`` is 2^y - 1, see `large_label`; ``linear`` is y and has no limit.
    line : int, optional
        The row of the largest label in the original data, counted from 1.
    """
    problem = large_label(labels) if gain == "exponential" else None
    if problem is not None:
        raise DataError(
            problem,
            "Use fewer grades, such as 0 to 4, or choose the linear gain",
            line=line,
        )


def _reloaded(
    reload: Callable[..., RankingDataset],
    arguments: tuple[Any, ...],
    weights: Mapping[str, Any],
) -> RankingDataset:
    """Reload data from its files, with weights of its queries or documents."""
    return reload(*arguments)._weighted(**weights)


def _at(values: Any, at: slice | Integers) -> Any:
    """Return some values of each column of a mapping; None for None."""
    if values is None:
        return None
    if isinstance(values, Mapping):
        return {name: _at(column, at) for name, column in values.items()}
    if isinstance(at, slice):
        return values[at]
    if isinstance(values, tuple):
        return tuple(values[place] for place in at)
    return owned(values[at])


def _in_order(strings: Sequence[str], rows: Integers, ordered: bool) -> tuple[str, ...]:
    """Return the strings of rows, which may already be ``ordered``."""
    return tuple(strings) if ordered else tuple(strings[row] for row in rows.tolist())


def _part_sizes(fractions: Floats, n_queries: int) -> Integers:
    """Return the queries per part by largest remainder, at least one each."""
    if not (fractions > 0).all() or abs(fractions.sum() - 1) > 1e-9:
        raise ValueError("The fractions of a split must be positive and sum to 1.")
    if n_queries < len(fractions):
        raise DataError(
            f"{counted(n_queries, 'queries')} cannot be split into "
            f"{counted(len(fractions), 'parts')}",
            "Use data with more queries, or fewer parts",
        )
    exact = fractions * n_queries
    sizes = np.maximum(np.floor(exact).astype(np.int64), 1)
    while sizes.sum() < n_queries:
        sizes[np.argmax(exact - sizes)] += 1
    while sizes.sum() > n_queries:
        sizes[np.argmax(np.where(sizes > 1, sizes - exact, -np.inf))] -= 1
    return sizes


def check_missing(train: RankingDataset, **others: RankingDataset | None) -> None:
    """Check that a model trained on this data can handle missing values of other data.

    Parameters
    ----------
    train : RankingDataset
        The training data.
    **others
        Other data by name, such as ``validation``.

    Raises
    ------
    ValueError
        If other data have missing values, but the training data have none.
    """
    for name, dataset in others.items():
        if dataset is not None and dataset.has_missing and not train.has_missing:
            raise ValueError(
                f"In the {name} data {dataset.missing_text}, but none in the training "
                "data, so the model cannot learn to handle them. Fill in missing "
                "values when reading the data."
            )
