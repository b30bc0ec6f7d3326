"""Wins, ties and losses of one model against another, query by query."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankcore.base.arrays import Floats
from rankcore.data.dataset import query_name
from rankcore.mathematics.elementary import exp2
from rankcore.measures import discounts
from rankcore.topics.inspect.ranking import QueryRanking

# Largest difference that counts as rounding.
_ROUNDING = 1e-12


class Wins(NamedTuple):
    """Two models compared on each query, the largest difference first.

    Attributes
    ----------
    ids, names : tuple of q str
        Ids and displayed names of the queries.
    first, second : (q,) float64
        The measure of each query under the two models.
    tolerance : float
        Differences up to this count as ties.
    weights : (q,) float64, optional
        How much each query counts in means; by default all count alike.
    """

    ids: tuple[str, ...]
    names: tuple[str, ...]
    first: Floats
    second: Floats
    tolerance: float
    weights: Floats | None = None

    @property
    def differences(self) -> Floats:
        """(q,) the first minus the second; 0 for differences by rounding alone."""
        gaps = self.first - self.second
        return np.where(np.abs(gaps) <= _ROUNDING, 0.0, gaps)

    @property
    def wins(self) -> int:
        """Number of queries on which the first is better by more than the tolerance."""
        return int((self.differences > self.tolerance).sum())

    @property
    def losses(self) -> int:
        """Queries on which the second is better."""
        return int((self.differences < -self.tolerance).sum())

    @property
    def ties(self) -> int:
        """Number of the other queries."""
        return len(self.ids) - self.wins - self.losses

    @property
    def weight_shares(self) -> tuple[float, float] | None:
        """The shares of wins and losses in the weight of all queries; None if all weigh
        the same."""
        if self.weights is None:
            return None
        each, shares = self.differences, self.weights / self.weights.sum()
        lost = float(shares[each < -self.tolerance].sum())
        return float(shares[each > self.tolerance].sum()), lost

    def rows(self, first: str = "first", second: str = "second") -> dict[str, Any]:
        """Columns for a table."""
        outcome = np.where(
            self.differences > self.tolerance,
            f"{first} better",
            np.where(self.differences < -self.tolerance, f"{second} better", "tied"),
        )
        weights = {} if self.weights is None else {"weight": self.weights}
        return {
            "query": list(self.names),
            **weights,
            first: self.first,
            second: self.second,
            "difference": self.differences,
            "outcome": outcome.tolist(),
        }


def wins(
    ids: Sequence[str],
    first: ArrayLike,
    second: ArrayLike,
    tolerance: float = 0.0,
    names: Mapping[str, str] | None = None,
    weights: Floats | None = None,
) -> Wins:
    """Compare two models on each query.

    Parameters
    ----------
    ids : sequence of q str
    first, second : (q,) float64
        A measure of each query under either model.
    tolerance : float
        0 or more.
    names : dict, optional
        Displayed names by id, see `rankcore.data.dataset.query_name`.
    weights : (q,) float64, optional
        How much each query counts in means.

    Examples
    --------
    >>> found = wins("abc", [0.5, 0.7, 0.2], [0.5, 0.2, 0.3], 0.1)
    >>> found.ids, found.wins, found.ties, found.losses
    (('b', 'a', 'c'), 1, 2, 0)
    """
    one, other = np.asarray(first, np.float64), np.asarray(second, np.float64)
    order = np.argsort(other - one, kind="stable")
    sorted_ids = tuple(ids[i] for i in order)
    called = tuple((names or {}).get(name) or query_name(name) for name in sorted_ids)
    each = None if weights is None else weights[order]
    return Wins(sorted_ids, called, one[order], other[order], tolerance, each)


class DocumentMove(NamedTuple):
    """A document that two models rank differently.

    Attributes
    ----------
    label : float
        An int if all labels are whole.
    first, second : int
        Its ranks under the two models, 1 = top.
    """

    document: str
    label: float
    first: int
    second: int

    def row(self, first: str, second: str) -> dict[str, str | float]:
        """Return it as a row of a table, given the names of the models."""
        return {
            "document": self.document,
            "label": self.label,
            first: self.first,
            second: self.second,
        }


def moved_documents(
    first: QueryRanking, second: QueryRanking, most: int = 5
) -> list[DocumentMove]:
    """Return moved documents, those with the most important moves first.

    The importance of a move is the gain 2^label − 1 times the difference of NDCG's
    discounts at both ranks.

    Parameters
    ----------
    first, second : QueryRanking
        Rankings of the same documents.
    """
    places = {name: place for place, name in enumerate(second.documents, start=1)}
    moves = [
        DocumentMove(name, label, place, places[name])
        for place, (name, label) in enumerate(
            zip(first.documents, first.labels.tolist(), strict=True), start=1
        )
        if places[name] != place
    ]
    moves.sort(key=_weight, reverse=True)
    return moves[:most]


def ideal_order(ranking: QueryRanking) -> QueryRanking:
    """Return the ideal order of a ranking's documents, without scores."""
    order = np.argsort(ranking.ideal, kind="stable")
    m = len(order)
    return ranking._replace(
        documents=tuple(ranking.documents[i] for i in order),
        labels=ranking.labels[order],
        scores=np.full(m, np.nan),
        ideal=np.arange(m),
        value=1.0,
    )


def _weight(move: DocumentMove) -> float:
    at_first, at_second = discounts([move.first, move.second])
    return float((exp2(move.label) - 1.0) * abs(at_first - at_second))
