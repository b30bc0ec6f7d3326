"""One query's ranking and its ideal order, and a model's worst queries."""

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcore.base.arrays import Floats, Integers
from rankcore.base.numbers import label_text
from rankcore.data.dataset import Query, RankingDataset
from rankcore.measures import Measure, by_query, exact_ranks, parse
from rankcore.training import Run
from rankcore.training.selection import select


class Order(NamedTuple):
    """The documents of a query in an order.

    Attributes
    ----------
    rows : (m,) int64
        The documents from the top down, by their places in the query.
    value : float
        The measure; NaN if undefined, as without relevant documents.
    """

    rows: Integers
    value: float

    @property
    def places(self) -> Integers:
        """(m,) place of each document in the order, 0 = top."""
        places = np.empty_like(self.rows)
        places[self.rows] = np.arange(len(self.rows))
        return places


def order_by(
    scores: ArrayLike, labels: ArrayLike, measure: Measure, convention: str = "standard"
) -> Order:
    """Rank one query's documents and measure the order.

    Parameters
    ----------
    scores : (m,) float64
        Higher is better; ties keep the order of the documents, and are evaluated as in
        `rankcore.measures.evaluate`.
    labels : (m,) int64
    convention : str
        As in `rankcore.measures.evaluate`.
    """
    one = np.array([0, len(np.asarray(labels))])
    ranks, values = _measured(scores, labels, one, measure, convention)
    return Order(np.argsort(ranks, kind="stable"), float(values[0]))


def ideal_order(
    order: Order,
    labels: Integers,
    measure: Measure,
    convention: str = "standard",
) -> Order:
    """Return the order of a query by descending label; equal labels keep ``order``."""
    rows = order.rows[np.argsort(-labels[order.rows], kind="stable")]
    scores = -Order(rows, np.nan).places
    return order_by(scores, labels, measure, convention)


def _measured(
    scores: ArrayLike,
    labels: ArrayLike,
    offsets: Integers,
    measure: Measure,
    convention: str,
) -> tuple[Floats, Floats]:
    """Return the documents' ranks (n,), and the queries' values (q,) of the measure."""
    ranks = exact_ranks(scores, offsets)
    judged = _Judged(np.asarray(labels), offsets)
    values = by_query(judged, scores, measure, convention, "skip")
    return ranks, values[str(measure)]


class _Judged(NamedTuple):
    """Labels and queries, in the form of `rankcore.measures.by_query`."""

    y: NDArray[Any]
    offsets: Integers


class QueryRanking(NamedTuple):
    """The documents of a query in the order of a model, best first.

    Attributes
    ----------
    documents : tuple of m str
        Displayed names.
    labels, scores : (m,) int64, (m,) float64
    ideal : (m,) int64
        Position of each document in the ideal order, 0 = top. Documents with equal
        labels keep the model's order, so only differences that matter move.
    value : float
        The measure; NaN if undefined, as without relevant documents.
    forces : (m,) float64, optional
        Minus the derivative of the algorithm's objective with respect to each score: a
        positive force raises the score.
    """

    documents: tuple[str, ...]
    labels: Integers
    scores: Floats
    ideal: Integers
    value: float
    forces: Floats | None = None

    def first_labels(self, count: int) -> str:
        """Return the labels of the first documents as text."""
        return ", ".join(map(label_text, self.labels[:count].tolist()))


def query_ranking(
    query: Query,
    scores: ArrayLike,
    measure: Measure,
    convention: str = "standard",
    forces: Floats | None = None,
) -> QueryRanking:
    """Rank one query's documents by score and by label, with the rules of `order_by`.

    Parameters
    ----------
    query, scores, measure, convention
        As in `order_by`.
    forces : (m,) float64, optional
        Forces on the documents, in the query's order.
    """
    order = order_by(scores, query.y, measure, convention)
    ideal = ideal_order(order, query.y, measure, convention)
    names = query.doc_names
    return QueryRanking(
        documents=tuple(names[row] for row in order.rows),
        labels=query.y[order.rows],
        scores=np.asarray(scores, dtype=np.float64)[order.rows],
        ideal=ideal.places[order.rows],
        value=order.value,
        forces=None if forces is None else forces[order.rows],
    )


class QueryValue(NamedTuple):
    """The value of a model's ranking of one query.

    Attributes
    ----------
    position : int
        Position of the query in the data, from 0.
    query, name : str
        Its identifier, and its displayed name.
    value : float
        The measure; NaN if undefined.
    documents, relevant : int
        Number of its documents, and of those with a label above 0.
    """

    position: int
    query: str
    name: str
    value: float
    documents: int
    relevant: int

    def row(self, measure: str) -> dict[str, object]:
        """Return a row of a table, the value under the name of the measure."""
        return {
            "query": self.name,
            measure: self.value,
            "documents": self.documents,
            "relevant": self.relevant,
        }


def order_text(
    order: "QueryRanking", measure: Measure, rows: int, worst_of: str
) -> str:
    """Return sentences on a query's ranking, of which some rows are drawn.

    ``worst_of`` is the split whose worst query it is, such as ``validation``, or empty.
    """
    if math.isnan(order.value):
        return f"{measure} is undefined: this query has no relevant document."
    begin = f"The worst {worst_of} query. " if worst_of else ""
    hidden = len(order.documents) - rows
    end = f" {hidden} more documents are further down." if hidden > 0 else ""
    return (
        f"{begin}{measure} of this query: {order.value:.3f}. Steep lines near the top "
        f"are the most costly mistakes.{end}"
    )


@lru_cache(maxsize=8)
def worst_position(
    run: Run, queries: RankingDataset, iteration: int, measure: str, convention: str
) -> int:
    """Return the position of the query with the lowest value under a run's model."""
    coef = select(run, iteration, nearest=True).record.coef
    scores = run.algorithm.scores(queries.X, coef)
    return worst_queries(queries, scores, parse(measure), convention)[0].position


def worst_queries(
    dataset: RankingDataset,
    scores: ArrayLike,
    measure: Measure,
    convention: str = "standard",
) -> list[QueryValue]:
    """Return every query with its value of a measure, the lowest first.

    Ties keep the order of the data; queries with an undefined measure come last. The
    documents (n,) of all queries are ranked as by `order_by`.

    Returns
    -------
    list of q QueryValue
    """
    arrays = dataset.y, dataset.offsets
    _, values = _measured(scores, *arrays, measure, convention)
    relevant = np.add.reduceat(dataset.y > 0, dataset.offsets[:-1], dtype=np.int64)
    return [
        QueryValue(
            position=int(i),
            query=dataset.query_ids[i],
            name=dataset.query_names[i],
            value=float(values[i]),
            documents=int(dataset.lengths[i]),
            relevant=int(relevant[i]),
        )
        for i in np.argsort(values, kind="stable")
    ]


def rank_correlation(order: Order, other: Order) -> float:
    """Return the similarity of two orders of a query, as in `rank_correlations`."""
    squares = np.sum((order.places - other.places) ** 2)
    return float(_spearman(squares, np.float64(len(order.rows))))


def rank_correlations(
    dataset: RankingDataset, scores: ArrayLike, others: ArrayLike
) -> Floats:
    """Similarity of two models' orders by query: Spearman's rank correlation.

    Parameters
    ----------
    scores, others : (n,) float64
        Scores of both models; ties keep the order of the documents.

    Returns
    -------
    (q,) float64
        From -1, the reverse order, to 1, the same; 1 for a single document.
    """
    first, second = (exact_ranks(s, dataset.offsets) for s in (scores, others))
    squares = np.add.reduceat((first - second) ** 2, dataset.offsets[:-1])
    return _spearman(squares, dataset.lengths.astype(np.float64))


def _spearman(squares: Any, m: Any) -> Any:
    """Return the correlation from the sum of squared differences of m ranks."""
    return 1.0 - 6.0 * squares / np.maximum(m * (m**2 - 1.0), 1.0)


def labels_in_order(
    dataset: RankingDataset, query: int, feature: str | None = None
) -> Integers:
    """(m,) labels of a query's documents, in the order of the data or of a feature.

    Parameters
    ----------
    query : int
        Its position, from 0.
    feature : str, optional
        Its name; the highest values come first, equal ones as in the data.

    Raises
    ------
    ValueError
        If there is no such feature.
    """
    rows = dataset.query(query)
    if feature is None:
        return rows.y
    values = rows.X[:, list(dataset.feature_names).index(feature)]
    return rows.y[np.argsort(-values, kind="stable")]
