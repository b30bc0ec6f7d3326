"""One query's ranking beside its ideal one, and where a model loses most."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcore.dataset import Query, RankingDataset
from rankcore.measures import Measure, exact_ranks


class QueryRanking(NamedTuple):
    """The documents of a query in the order of a model, best first.

    Attributes
    ----------
    documents : tuple of m str
    labels, scores : (m,) int64, (m,) float64
    ideal : (m,) int64
        Position of each document in the ideal order, 0 = top. Documents with equal
        labels keep the model's order, so only differences that matter move.
    value : float
        The measure; NaN where it is undefined, as without relevant documents.
    """

    documents: tuple[str, ...]
    labels: NDArray[np.int64]
    scores: NDArray[np.float64]
    ideal: NDArray[np.int64]
    value: float


def query_ranking(
    query: Query, scores: ArrayLike, measure: Measure, convention: str = "standard"
) -> QueryRanking:
    """Rank one query's documents by score and by label.

    Parameters
    ----------
    query : Query
    scores : (m,) float64
        Higher is better; ties keep the order of the documents.
    measure : Measure
    convention : str
        As in `rankcore.measures.evaluate`.

    Returns
    -------
    QueryRanking
    """
    values = np.asarray(scores, dtype=np.float64)
    offsets = np.array([0, len(query)])
    ranks = exact_ranks(values, offsets)
    order = np.argsort(ranks)
    labels = query.y[order]
    ideal = np.empty(len(query), dtype=np.int64)
    ideal[np.argsort(-labels, kind="stable")] = np.arange(len(query))
    return QueryRanking(
        documents=tuple(query.doc_ids[row] for row in order),
        labels=labels,
        scores=values[order],
        ideal=ideal,
        value=float(measure(ranks, query.y, offsets, convention)[0]),
    )


class QueryValue(NamedTuple):
    """How well a model ranks one query.

    Attributes
    ----------
    position : int
        Of the query in the data, from 0.
    query : str
        Its identifier.
    value : float
        The measure; NaN where it is undefined.
    documents, relevant : int
        Number of its documents, and of those with a label above 0.
    """

    position: int
    query: str
    value: float
    documents: int
    relevant: int

    def row(self, measure: str) -> dict[str, object]:
        """A row of a table, the value under the name of the measure."""
        return {
            "query": self.query,
            measure: self.value,
            "documents": self.documents,
            "relevant": self.relevant,
        }


def worst_queries(
    dataset: RankingDataset,
    scores: ArrayLike,
    measure: Measure,
    convention: str = "standard",
) -> list[QueryValue]:
    """Every query with its value of a measure, the lowest first.

    Equal ones are in the order of the data; those for which the measure is undefined
    come last.

    Parameters
    ----------
    dataset : RankingDataset
    scores : (n,) float64
        Higher is better; ties keep the order of the documents.
    measure : Measure
    convention : str
        As in `rankcore.measures.evaluate`.

    Returns
    -------
    list of q QueryValue
    """
    ranks = exact_ranks(scores, dataset.offsets)
    values = measure(ranks, dataset.y, dataset.offsets, convention)
    relevant = np.add.reduceat(dataset.y > 0, dataset.offsets[:-1], dtype=np.int64)
    return [
        QueryValue(
            position=int(i),
            query=dataset.query_ids[i],
            value=float(values[i]),
            documents=int(dataset.lengths[i]),
            relevant=int(relevant[i]),
        )
        for i in np.argsort(values, kind="stable")
    ]


def labels_in_order(
    dataset: RankingDataset, query: int, feature: str | None = None
) -> NDArray[np.int64]:
    """(m,) labels of a query's documents, in the order of the data or of a feature.

    Parameters
    ----------
    dataset : RankingDataset
    query : int
        Its position, from 0.
    feature : str, optional
        Its name; the highest values come first, equal ones as in the data.

    Raises
    ------
    ValueError
        If there is no such feature.
    """
    own = dataset.query(query)
    if feature is None:
        return own.y
    values = own.X[:, list(dataset.feature_names).index(feature)]
    return own.y[np.argsort(-values, kind="stable")]
