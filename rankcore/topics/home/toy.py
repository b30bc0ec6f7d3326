"""A ranking small enough to understand: eight documents, two features, one weight.

Between two weights at which documents swap, the ranking does not change, so nDCG is a
staircase in the weight and has no gradient to follow. This is plain Python, because the
home page draws it before large packages are loaded.
"""

from dataclasses import dataclass
from itertools import combinations, pairwise

# 1 / log2(1 + rank): the C library's logarithm depends on the processor.
DISCOUNTS = (1.0, 0.6309297535714574, 0.5, 0.43067655807339306, 0.38685280723454163)
CUTOFF = len(DISCOUNTS)


@dataclass(frozen=True)
class ToyDocument:
    """A document with two features in [0, 1] and a relevance label of 0 to 2."""

    name: str
    match: float
    clicks: float
    label: int

    def score(self, weight: float) -> float:
        """Its score, with ``weight`` for clicks and the rest for the match."""
        return (1 - weight) * self.match + weight * self.clicks


@dataclass(frozen=True)
class Stair:
    """One stair: every weight from ``start`` to ``end`` gives the same ``order``.

    Attributes
    ----------
    start, end : float
        Weights, 0 to 1.
    order : tuple of int
        Documents from the first rank down.
    ndcg : float
        nDCG@5 of that order, 0 to 1, higher is better.
    """

    start: float
    end: float
    order: tuple[int, ...]
    ndcg: float

    def row(self) -> dict[str, str]:
        """Return it as a row of a table."""
        return {
            "Weight of clicks from": f"{self.start:.3f}",
            "to": f"{self.end:.3f}",
            "Order": " ".join(DOCUMENTS[i].name for i in self.order),
            f"nDCG@{CUTOFF}": f"{self.ndcg:.3f}",
        }


DOCUMENTS = (
    ToyDocument("A", 0.30, 0.98, 2),
    ToyDocument("B", 0.95, 0.10, 0),
    ToyDocument("C", 0.62, 0.66, 2),
    ToyDocument("D", 0.88, 0.25, 1),
    ToyDocument("E", 0.20, 0.84, 0),
    ToyDocument("F", 0.74, 0.48, 1),
    ToyDocument("G", 0.50, 0.38, 0),
    ToyDocument("H", 0.12, 0.70, 0),
)


def staircase(documents: tuple[ToyDocument, ...] = DOCUMENTS) -> list[Stair]:
    """Return nDCG@5 for every weight from 0 to 1, stair by stair."""
    swaps = {
        weight
        for one, other in combinations(documents, 2)
        if (weight := _swap(one, other)) is not None
    }
    ends = [0.0, *sorted(swaps), 1.0]
    return [
        Stair(start, end, order, ndcg(documents, order))
        for start, end in pairwise(ends)
        for order in [_order(documents, (start + end) / 2)]
    ]


def ideal_order(documents: tuple[ToyDocument, ...] = DOCUMENTS) -> tuple[int, ...]:
    """Return the most relevant documents first; ties keep the input order."""
    return tuple(sorted(range(len(documents)), key=lambda i: -documents[i].label))


def ndcg(documents: tuple[ToyDocument, ...], order: tuple[int, ...]) -> float:
    """nDCG@5 of an order of documents (gain 2^y - 1, discount 1 / log2(1 + rank))."""
    return _dcg(documents, order) / _dcg(documents, ideal_order(documents))


def _dcg(documents: tuple[ToyDocument, ...], order: tuple[int, ...]) -> float:
    return sum(
        ((1 << documents[i].label) - 1) * discount
        for i, discount in zip(order, DISCOUNTS, strict=False)
    )


def _order(documents: tuple[ToyDocument, ...], weight: float) -> tuple[int, ...]:
    positions = range(len(documents))
    return tuple(sorted(positions, key=lambda i: -documents[i].score(weight)))


def _swap(one: ToyDocument, other: ToyDocument) -> float | None:
    """Return the weight strictly between 0 and 1 at which two documents score alike."""
    lead = one.match - other.match
    lost = lead - (one.clicks - other.clicks)
    if lost == 0 or not 0 < lead / lost < 1:
        return None
    return lead / lost
