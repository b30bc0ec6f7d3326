r"""DORM's loss: NDCG of graded labels, with most violated orders by assignment.

With the feature map :math:`\phi(x, y) = \frac1\nu \sum_i x_i A(\pi_i)` for a decreasing
A, loss plus score is a sum over documents,

.. math:: 1 + \sum_i \frac1\nu s_i A(\pi_i)
    - \frac{G_i}{N_k} D(\pi_i) \mathbf 1\{\pi_i \le k\},

so the most violated order is a linear assignment of documents to ranks.
"""

import itertools
from typing import NamedTuple

import numpy as np

from rankcore.algorithms.parts.content_order import content_order
from rankcore.algorithms.parts.margins.margin_losses import MarginLoss
from rankcore.base.cancellation import cancel_point
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.elementary import exp2
from rankcore.mathematics.products import dot
from rankcore.measures import discounts

# Limits on the operations and bytes of one query's most violated order, which cannot be
# cancelled midway: 8e9 operations take 1 to 3 s.
_MOST_OPERATIONS = 8e9
_MOST_BYTES = 1e9
# Operations between two cancel points, which take some hundredths of a second.
_OPERATIONS_PER_CHUNK = 1e7


class _Labels(NamedTuple):
    r"""The labels of one query.

    Attributes
    ----------
    values, counts : (l,) int64
        The distinct labels, ascending, and the number of documents with each.
    gains, rough_gains : (l,) float64
        :math:`2^{\text{label}} - 1`, and, of the gains of the two most frequent labels,
        the closer one.
    """

    values: np.ndarray
    counts: np.ndarray
    gains: np.ndarray
    rough_gains: np.ndarray

    @classmethod
    def of(cls, y: np.ndarray) -> "_Labels":
        values, counts = np.unique(y, return_counts=True)
        gains = exp2(values) - 1.0
        commonest = gains[np.sort(np.argsort(-counts, kind="stable")[:2])]
        nearest = np.abs(gains[:, None] - commonest).argmin(axis=1)
        return cls(values, counts, gains, commonest[nearest])

    def size(self, depth: int) -> tuple[float, float]:
        """Return the operations and bytes that an order of ``depth`` ranks takes."""
        placed = np.minimum(self.counts, depth)
        better = placed[self.rough_gains == self.rough_gains.max()].sum()
        merge = (depth + 1.0) * (better + 1.0)
        others = placed[self.rough_gains != self.gains].sum()
        return merge + float(others) * depth**2, merge


def _depths(
    dataset: RankingDataset, cutoff: int | None, decay: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of ranks of each query (q,) on which the loss depends, and on
    which the loss or the feature map depends."""
    lengths = dataset.lengths
    inside = lengths if cutoff is None else np.minimum(lengths, cutoff)
    return inside, inside if decay == "linear" else lengths


def too_long(dataset: RankingDataset, cutoff: int | None, decay: str) -> str | None:
    """Why most violated orders exceed the limits on time or memory, or None."""
    depths = _depths(dataset, cutoff, decay)[1]
    for q, depth in enumerate(depths.tolist()):
        labels = _Labels.of(dataset.query(q).y)
        operations, size = labels.size(depth)
        if operations > _MOST_OPERATIONS or size > _MOST_BYTES:
            return (
                f"DORM ranks the {dataset.lengths[q]:,} documents of one query, of "
                f"{len(labels.values)} different labels, by an assignment to {depth:,} "
                f"ranks, which takes up to {operations:.0e} operations and "
                f"{size / 1e9:.1f} GB each time; at most {_MOST_OPERATIONS:.0e} and "
                f"{_MOST_BYTES / 1e9:g} GB are allowed. Set a cutoff with the linear "
                "decay, such as 10, keep at most 2,000 documents a query, or choose "
                "another algorithm, such as ApproxNDCG."
            )
    return None


class AssignmentLoss(MarginLoss):
    r"""1 - NDCG@k with DORM's feature map.

    Documents of equal labels have many ideal orders; the margin is measured from the
    mean of their feature maps, so that the order of the input does not matter. The
    slack still bounds the loss of the predicted order, which scores no lower than any
    ideal order.

    Parameters
    ----------
    letor : bool
        Whether to use the discount of the LETOR scripts.
    decay : {"linear", "root"}
        A: :math:`\max(k + 1 - r, 0)`, with k the length of the list where there is no
        cutoff, or :math:`(r + 1)^{-1/4}`.
    mean : bool
        Whether :math:`\nu` is the sum of A over the ranks of a query, or 1.

    Attributes
    ----------
    weights : (n,) float64
        :math:`A / \nu` for each query from rank 1.
    ideal : (n,) float64
        Each document's mean of these weights over the ideal orders.
    lost : (n,) float64
        Each document's contribution to the loss of the latest most violated orders.
    """

    name = "NDCG"

    def __init__(
        self,
        dataset: RankingDataset,
        cutoff: int | None,
        letor: bool,
        decay: str,
        mean: bool,
    ) -> None:
        self._offsets, self._begins = dataset.offsets, dataset.offsets[:-1]
        # Neither rounding nor ties between orders may depend on the order of the rows.
        self._rows = content_order(dataset).by_query
        lengths, n = dataset.lengths, dataset.n_documents
        inside, self._depths = _depths(dataset, cutoff, decay)
        self.weights, self._discounts, self._gains = np.zeros((3, n))
        self.ideal, self._ideal_gain, self.lost = np.zeros((3, n))
        self._order = np.arange(n) - np.repeat(self._begins, lengths)
        self._groups = np.zeros(n, dtype=np.int64)
        self._operations = np.zeros(dataset.n_queries)
        table = discounts(np.arange(1, lengths.max() + 1), letor)
        every = []
        for q in range(dataset.n_queries):
            rows = dataset.query(q).slice
            y = dataset.y[rows]
            labels = _Labels.of(y)
            every.append(labels)
            if len(labels.values) == 1:
                continue
            self._operations[q] = labels.size(int(self._depths[q]))[0]
            k = int(inside[q])
            self.weights[rows] = _decreasing(decay, len(y), cutoff or len(y))
            if mean:
                self.weights[rows] /= self.weights[rows].sum()
            self._gains[rows] = exp2(y) - 1.0
            ranked = np.sort(self._gains[rows])[::-1]
            self._discounts[rows][:k] = table[:k] / dot(ranked[:k], table[:k])
            self.ideal[rows] = _mean_over_ties(y, self.weights[rows])
            self._ideal_gain[rows] = self._gains[rows] * _mean_over_ties(
                y, self._discounts[rows]
            )
            self._groups[rows] = np.searchsorted(
                labels.values, dataset.y[self._rows[rows]]
            )
        self.counted = self._operations > 0.0
        self._levels = np.cumsum([0, *(len(labels.values) for labels in every)])
        self._label_begins, self._label_gains, self._rough_gains = (
            np.concatenate(parts)
            for parts in zip(
                *(
                    (
                        np.cumsum(labels.counts) - labels.counts,
                        labels.gains,
                        labels.rough_gains,
                    )
                    for labels in every
                ),
                strict=True,
            )
        )

    def separation_oracle(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        ranks = self.ranks(scores)
        placed = np.flatnonzero(ranks)
        place = np.repeat(self._begins, np.diff(self._offsets))[placed]
        place += ranks[placed] - 1
        lost, forces = self._ideal_gain.copy(), self.ideal.copy()
        lost[placed] -= self._gains[placed] * self._discounts[place]
        forces[placed] -= self.weights[place]
        self.lost = lost
        self._share_among_ties(scores, forces)
        return np.add.reduceat(lost[self._rows], self._begins), forces

    def _share_among_ties(self, scores: np.ndarray, forces: np.ndarray) -> None:
        """Average the forces of documents with the same query, label and score, whose
        order does not affect loss plus score."""
        query = np.repeat(np.arange(len(self._begins)), np.diff(self._offsets))
        order = np.lexsort((forces, self._gains, scores, query))
        keys = np.stack((query, scores, self._gains))[:, order]
        first = np.append(True, (keys[:, 1:] != keys[:, :-1]).any(axis=0))
        group = np.cumsum(first) - 1
        means = np.bincount(group, forces[order]) / np.bincount(group)
        forces[order] = means[group]

    def most_violated(self, scores: np.ndarray, q: int) -> np.ndarray:
        lo, hi = self._offsets[q : q + 2]
        ranks = self.ranks(scores)[lo:hi]
        last = np.where(ranks > 0, ranks, len(ranks) + 1)
        return np.lexsort((-scores[lo:hi], last))

    def predicted_losses(self, scores: np.ndarray) -> np.ndarray:
        order = np.concatenate(
            [
                lo + np.argsort(-scores[lo:hi], kind="stable")
                for lo, hi in itertools.pairwise(self._offsets)
            ]
        )
        lost = self._ideal_gain - self._gains[order] * self._discounts
        return np.add.reduceat(lost, self._begins)

    def ranks(self, scores: np.ndarray) -> np.ndarray:
        """(n,) int64 ranks in the most violated orders; 0 for ranks without weight."""
        from rankcore._kernels.structured.assignment import most_violated_orders

        ranks = np.zeros(len(scores), dtype=np.int64)
        full = np.cumsum(self._operations) // _OPERATIONS_PER_CHUNK
        cuts = (np.flatnonzero(np.diff(full)) + 1).tolist()
        for begin, end in itertools.pairwise([0, *cuts, len(self._depths)]):
            cancel_point()
            most_violated_orders(
                scores,
                self._rows,
                self._offsets[begin : end + 1],
                self._order,
                self._groups,
                self._levels[begin : end + 1],
                self._label_begins,
                self._label_gains,
                self._rough_gains,
                self._depths[begin:end],
                self.weights,
                self._discounts,
                ranks,
            )
        return ranks

    def values(self, scores: np.ndarray, q: int) -> np.ndarray:
        """(m, depth) contributions of each document of query ``q``, at each rank that
        counts, to the sum that the most violated order maximises."""
        lo, hi = self._offsets[q], self._offsets[q + 1]
        counting = slice(lo, lo + self._depths[q])
        value = np.outer(scores[lo:hi], self.weights[counting])
        return value - np.outer(self._gains[lo:hi], self._discounts[counting])


def _decreasing(decay: str, n: int, cutoff: int) -> np.ndarray:
    """(n,) values of A from rank 1."""
    ranks = np.arange(1.0, n + 1.0)
    if decay == "linear":
        return np.maximum(cutoff + 1.0 - ranks, 0.0)
    return 1.0 / np.sqrt(np.sqrt(ranks + 1.0))


def _mean_over_ties(labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(n,) mean rank weights of the documents over all ideal orders."""
    level = np.unique(-labels, return_inverse=True)[1]
    ranked = np.sort(level)
    means = np.bincount(ranked, weights) / np.bincount(ranked)
    return means[level]
