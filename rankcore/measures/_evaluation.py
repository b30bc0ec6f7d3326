"""From scores to tables and means: documents are ranked once for all measures."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from rankcore.base.arrays import read_only
from rankcore.measures._measure import (
    Floats,
    Integers,
    Lists,
    Measure,
    checked,
    numbered_levels,
    of_levels,
)
from rankcore.measures._naming import parse
from rankcore.measures._ranking import last_names_first, worst_first
from rankcore.measures._rules import Rules, tie_rule

if TYPE_CHECKING:
    import pandas as pd

    from rankcore.data.dataset import RankingDataset


# The label of a document without a judgement, in lists of all documents.
UNJUDGED = -1


class Unreturned(NamedTuple):
    """Judged documents that a ranker did not return.

    Attributes
    ----------
    labels : (m,) int64
        Their labels, as those of returned documents.
    offsets : (q + 1,) int64
        Where the documents of each query begin.
    """

    labels: Integers
    offsets: Integers


class Graded(Protocol):
    """Anything with grades and query offsets, such as a `RankingDataset`.

    Optional attributes are ``judged``, (n,) bool, whether a document has a judgement,
    and ``unreturned``, an `Unreturned`, the judged documents that were not returned.
    """

    @property
    def y(self) -> Integers: ...

    @property
    def offsets(self) -> Integers: ...


def evaluate(
    dataset: "RankingDataset | ArrayLike",
    scores: ArrayLike,
    measures: str | Measure | Sequence[str | Measure] = ("nDCG@10",),
    convention: str = "standard",
    empty: str = "zero",
    ties: str | None = None,
    *,
    qid: ArrayLike | None = None,
) -> "pd.DataFrame":
    """Measure the rankings that scores give.

    Parameters
    ----------
    dataset : RankingDataset or (n,) array of int
        A data set, or the labels of the documents, in any order.
    scores : (n,) float64
        A score per document in the order of ``dataset.X``, or of the labels; higher is
        better.
    measures : str, Measure or sequence of them
        Names such as ``"nDCG@10"``, ``"AP"``, ``"RR@10"``, ``"P@5"``, ``"AUC"``.
    convention : {"standard", "letor3", "letor4"}
    empty : {"zero", "skip", "one"}
        Value of queries without relevant documents; ``skip`` gives NaN, which
        pandas leaves out of means.
    ties : {"mean", "input", "worst", "trec"}, optional
        Treatment of equal scores: the mean over all orders of tied documents, the order
        of the data, the worst order (by ascending label), or the order of trec_eval,
        which reads scores in single precision and orders equal ones by descending
        document id. The default is ``"mean"``, and ``"input"`` in the LETOR
        conventions, whose scripts keep the order of the file; there, a model that ties
        all documents of data sorted by label seems perfect.
    qid : (n,) array, optional
        The query of each document, for labels; by default all are of one query.

    Returns
    -------
    pandas.DataFrame
        A row per query, indexed by query id, and a column per measure.

    Raises
    ------
    ValueError
        For unknown measures, conventions, rules or ties, or scores that do not fit.

    Examples
    --------
    >>> import numpy as np
    >>> from rankcore import RankingDataset
    >>> data = RankingDataset.from_arrays(np.eye(3), [0, 2, 1])
    >>> float(evaluate(data, [3.0, 2.0, 1.0], "RR").loc["1", "RR"])
    0.5
    >>> labels, scores = [0, 1, 1, 0], [3.0, 2.0, 1.0, 0.0]
    >>> evaluate(labels, scores, "RR", qid=[7, 7, 8, 8])["RR"].tolist()
    [0.5, 1.0]
    """
    import pandas as pd

    graded, scores = _with_queries(dataset, scores, qid)
    columns = by_query(graded, scores, measures, convention, empty, ties)
    index = pd.Index(graded.query_ids, name="query", dtype=object)
    return pd.DataFrame(columns, index=index)


def by_query(
    dataset: Graded,
    scores: ArrayLike,
    measures: str | Measure | Sequence[str | Measure] = ("nDCG@10",),
    convention: str = "standard",
    empty: str = "zero",
    ties: str | None = None,
) -> dict[str, Floats]:
    """Return the columns (q,) of `evaluate` by name, without the table.

    Parameters and errors are those of `evaluate`; ``dataset`` may be anything with
    grades ``y`` and query ``offsets``.
    """
    fill = Rules(convention, empty).undefined.value
    return {
        str(measure): np.where(np.isnan(values), fill, values)
        for measure, values in _measured(dataset, scores, measures, convention, ties)
    }


def means(
    dataset: "Graded | ArrayLike",
    scores: ArrayLike,
    measures: str | Measure | Sequence[str | Measure] = ("nDCG@10",),
    convention: str = "standard",
    empty: str = "zero",
    ties: str | None = None,
    *,
    qid: ArrayLike | None = None,
) -> dict[str, float]:
    """Mean over queries of each measure, by name.

    Parameters and errors are those of `evaluate`; ``dataset`` may be anything with
    grades ``y`` and query ``offsets``. Where its queries have weights w, the mean of
    values m is Σwm / Σw.
    """
    graded, scores = _with_queries(dataset, scores, qid)
    weights = getattr(graded, "query_weights", None)
    return {
        str(measure): mean(values, empty, weights)
        for measure, values in _measured(graded, scores, measures, convention, ties)
    }


def _with_queries(
    data: Any, scores: ArrayLike, qid: ArrayLike | None
) -> "tuple[RankingDataset, ArrayLike]":
    """Return data with queries, and scores in the order of its documents."""
    if hasattr(data, "offsets"):
        if qid is not None:
            raise ValueError("The data set has its own queries; leave qid out.")
        return data, scores
    labels, values = np.asarray(data), np.asarray(scores)
    if labels.ndim != 1 or labels.shape != values.shape:
        raise ValueError(
            f"There are labels of shape {labels.shape} and scores of shape "
            f"{values.shape}; give one score for each label."
        )
    from rankcore.data.dataset import RankingDataset

    graded = RankingDataset.from_arrays(np.zeros((len(labels), 1)), labels, qid)
    return graded, values[graded.rows]


def mean(
    values: ArrayLike, empty: str = "zero", weights: Floats | None = None
) -> float:
    """Mean of values per query, with NaN replaced according to the rule ``empty``.

    Parameters
    ----------
    values : (q,) float64
    empty : {"zero", "skip", "one"}
    weights : (q,) float64, optional
        Positive weights of the queries; by default 1.

    Returns
    -------
    float
        NaN if no query is left.
    """
    fill = Rules(empty=empty).undefined.value
    numbers = np.asarray(values, dtype=np.float64)
    undefined = np.isnan(numbers)
    if undefined.any():
        if math.isnan(fill):
            numbers = numbers[~undefined]
            weights = None if weights is None else weights[~undefined]
        else:
            numbers = np.where(undefined, fill, numbers)
    if not numbers.size:
        return math.nan
    if weights is None:
        return float(numbers.sum() / numbers.size)
    shares = weights / weights.max()
    return float((shares * numbers).sum() / shares.sum())


def _measured(
    dataset: Graded,
    scores: ArrayLike,
    measures: str | Measure | Sequence[str | Measure],
    convention: str,
    ties: str | None,
) -> Iterator[tuple[Measure, Floats]]:
    """Rank the documents once and compute the values of each measure per query."""
    definition, rule = Rules(convention).definition, tie_rule(convention, ties)
    names = [measures] if isinstance(measures, str | Measure) else measures
    parsed = [parse(name) for name in names]
    whole = any(measure.reads_irrelevant for measure in parsed)
    cached = getattr(dataset, "numbered_labels", None)
    labels, levels = cached or numbered_levels(dataset.y)
    keys, labels, offsets = checked(scores, labels, dataset.offsets, "scores")
    judged = getattr(dataset, "judged", None)
    if whole and judged is not None:
        labels = read_only(np.where(judged, labels, UNJUDGED), np.int64)
    if rule in ("worst", "trec"):
        if rule == "trec":
            with np.errstate(over="ignore"):
                keys = keys.astype(np.float32)
            rows = last_names_first(_names(dataset), keys, offsets)
        else:
            rows = worst_first(labels, offsets)
        keys = read_only(keys[rows], np.float64)
        labels = read_only(labels[rows], np.int64)
    lists = _ranked(keys, labels, offsets, whole, rule == "mean")
    if (others := getattr(dataset, "unreturned", None)) is not None:
        lists = _with_unreturned(lists, others, whole)
    lists = of_levels(lists, levels)
    relevant = lists.relevant() if whole else lists
    for measure in parsed:
        measure.check_levels(levels)
        listed = lists if measure.reads_irrelevant else relevant
        yield measure, measure.values(listed, definition, math.inf)


def _with_unreturned(lists: Lists, others: Unreturned, whole: bool) -> Lists:
    """Add documents without a rank to lists of all documents, or of relevant ones."""
    queries = np.arange(len(lists.sizes))
    each = np.diff(others.offsets)
    chosen = np.full(len(others.labels), True) if whole else others.labels > 0
    query = np.concatenate(
        [np.repeat(queries, np.diff(lists.offsets)), np.repeat(queries, each)[chosen]]
    )
    order = np.argsort(query, kind="stable")
    labels = np.concatenate([lists.labels, others.labels[chosen]])[order]
    ranks = np.concatenate([lists.ranks, np.full(chosen.sum(), np.inf)])[order]
    spans = lists.spans
    if len(spans):
        spans = np.concatenate([spans, np.ones(chosen.sum(), np.int64)])[order]
    offsets = np.append(0, np.cumsum(np.bincount(query, minlength=len(queries))))
    return Lists(ranks, labels, offsets, lists.sizes + each, spans)


def _names(dataset: Graded) -> Sequence[Any]:
    names: Sequence[Any] | None = getattr(dataset, "doc_ids", None)
    if names is None:
        raise ValueError(
            "trec_eval orders equal scores by document id, but these data have no ids; "
            "give a RankingDataset, or another rule for ties."
        )
    return names


def _ranked(
    keys: Floats, labels: Integers, offsets: Integers, whole: bool, by_mean: bool
) -> Lists:
    from rankcore._kernels.ordering.ranks import rank_all, rank_relevant

    sizes = np.diff(offsets)
    if by_mean:
        from rankcore._kernels.ordering.ties import group_documents

        ranks, labels, offsets, spans = group_documents(keys, labels, offsets, whole)
        return Lists(ranks, labels, offsets, sizes, spans)
    if whole:
        ranks = read_only(rank_all(keys, offsets), np.float64)
        return Lists(ranks, labels, offsets, sizes)
    ranks, labels, offsets = rank_relevant(keys, labels, offsets)
    return Lists(ranks, labels, offsets, sizes)
