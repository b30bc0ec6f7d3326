r"""Losses of structured large-margin ranking, with their most violated orders.

A loss :math:`\Delta(y)` of an order y and a feature map :math:`\phi(y)` make the slack

.. math:: \xi(w) = \max_y \Delta(y) - w^\top (\phi(y^*) - \phi(y)),

where y* is the ideal order. The order that attains the maximum is the most violated
one; `MarginLoss.separation_oracle` finds it exactly, for all queries at once.

S. Chakrabarti, R. Khanna, U. Sawant, C. Bhattacharyya, "Structured learning for
non-smooth ranking losses", KDD 2008.
"""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from rankcore.data.dataset import RankingDataset
from rankcore.measures import discounts


class BinaryQueries:
    r"""Good and bad documents of each query, by descending score.

    Parameters
    ----------
    relevant : (n,) bool
        Which documents are good.

    Attributes
    ----------
    offsets : (q + 1,) int64
    relevant : (n,) bool
    n_good, n_bad : (q,) int64
    counted : (q,) bool
        Whether a query has both kinds; if not, all its orders have the same loss.
    rows, keys : (n,) int64, (n,) float64
        Good documents first, then bad ones, each by descending score, and their scores,
        as of the last sort.
    """

    def __init__(self, dataset: RankingDataset, relevant: np.ndarray) -> None:
        self.offsets = dataset.offsets
        self.relevant = relevant
        begins = dataset.offsets[:-1]
        self.n_good = np.add.reduceat(self.relevant.astype(np.int64), begins)
        self.n_bad = dataset.lengths - self.n_good
        self.counted = (self.n_good > 0) & (self.n_bad > 0)
        n = dataset.n_documents
        self._order = np.arange(n) - np.repeat(begins, dataset.lengths)
        self.rows, self.keys = np.empty(n, dtype=np.int64), np.empty(n)
        self._sorted: np.ndarray | None = None

    def sort(self, scores: np.ndarray) -> None:
        """Sort by ``scores`` (n,), unless this array was sorted last."""
        from rankcore._kernels.structured.merging import split_by_relevance

        if scores is not self._sorted:
            split_by_relevance(
                scores,
                self.relevant,
                self.offsets,
                self.n_good,
                self._order,
                self.rows,
                self.keys,
            )
            self._sorted = scores


class MarginLoss(ABC):
    """A loss of orders with the feature map of its margin.

    Attributes
    ----------
    name : str
        Its name in diagnostics, such as ``"AP"``.
    counted : (q,) bool
        Whether the loss of a query can differ from 0.
    """

    name: ClassVar[str]
    counted: np.ndarray

    @abstractmethod
    def separation_oracle(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Find the order of each query that maximises loss minus margin.

        Parameters
        ----------
        scores : (n,) float64
            Not modified.

        Returns
        -------
        losses : (q,) float64
            The loss of that order.
        forces : (n,) float64
            Coefficients of the documents in phi(ideal order) - phi(that order),
            averaged over all such orders where documents of one kind have equal scores.
        """

    @abstractmethod
    def most_violated(self, scores: np.ndarray, q: int) -> np.ndarray:
        """(m,) int64 documents of query ``q`` in its most violated order, numbered
        within the query."""

    @abstractmethod
    def predicted_losses(self, scores: np.ndarray) -> np.ndarray:
        """(q,) float64 losses of the orders by descending score; equal scores keep the
        order of the documents."""


class MergeLoss(MarginLoss):
    r"""A loss of good and bad documents, whose most violated order is a merge.

    Good documents stay sorted by descending score, and so do bad ones; the order is
    determined by ``above[i]``, the number of bad documents above good document i.

    Parameters
    ----------
    per_pair : bool
        Whether the feature map is a mean over the pairs of a query
        (:math:`\nu = n^+ n^-`), as in Joachims (2005) and Yue et al. (2007), or a sum
        (:math:`\nu = 1`).
    """

    def __init__(self, queries: BinaryQueries, per_pair: bool) -> None:
        self.queries = queries
        self.counted = queries.counted
        nu = self.pairs() if per_pair else np.ones(len(queries.n_good))
        self.weights = self.side / np.maximum(nu, 1.0)
        self.above = np.zeros(len(queries.rows), dtype=np.int64)
        self.longest = int(np.diff(queries.offsets).max())

    side = 2.0

    def pairs(self) -> np.ndarray:
        """(q,) float64 number of pairs of documents in the feature map."""
        return (self.queries.n_good * self.queries.n_bad).astype(np.float64)

    @abstractmethod
    def solve(self, losses: np.ndarray) -> None:
        """Find the most violated merges of the sorted `queries`: write them to
        ``above`` (n,) and their losses to ``losses`` (q,)."""

    def separation_oracle(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        from rankcore._kernels.structured.merging import pair_forces, share_among_ties

        queries = self.queries
        queries.sort(scores)
        losses, forces = np.zeros(len(queries.n_good)), np.zeros(len(scores))
        self.solve(losses)
        pair_forces(
            queries.rows,
            queries.offsets,
            queries.n_good,
            self.above,
            self.weights,
            forces,
        )
        share_among_ties(
            queries.rows, queries.keys, queries.offsets, queries.n_good, forces
        )
        return losses, forces

    def most_violated(self, scores: np.ndarray, q: int) -> np.ndarray:
        self.separation_oracle(scores)
        lo, hi = self.queries.offsets[q : q + 2]
        m, rows = int(self.queries.n_good[q]), self.queries.rows[lo:hi] - lo
        above = self.above[lo : lo + m] if self.counted[q] else 0
        return self.merged(rows[:m], rows[m:], above)

    def predicted_losses(self, scores: np.ndarray) -> np.ndarray:
        losses = np.zeros(len(self.counted))
        offsets, relevant = self.queries.offsets, self.queries.relevant
        for q in np.flatnonzero(self.counted).tolist():
            rows = slice(offsets[q], offsets[q + 1])
            good = relevant[rows][np.argsort(-scores[rows], kind="stable")]
            losses[q] = self.of_merge(np.cumsum(~good)[good], int((~good).sum()))
        return losses

    def of_merge(self, above: np.ndarray, n_bad: int) -> float:
        """Return the loss of a merge with ``above`` (m,) bad documents above each good
        one."""
        costs = self.costs(len(above), n_bad)
        return float(costs[np.arange(len(above)), above].sum())

    def merged(
        self, good: np.ndarray, bad: np.ndarray, above: np.ndarray | int
    ) -> np.ndarray:
        """Merge good (m,) and bad documents with ``above`` (m,) bad ones above each."""
        order = np.empty(len(good) + len(bad), dtype=np.int64)
        is_good = np.zeros(len(order), dtype=bool)
        is_good[np.arange(len(good)) + above] = True
        order[is_good], order[~is_good] = good, bad
        return order

    @abstractmethod
    def costs(self, m: int, n_bad: int) -> np.ndarray:
        """(m, n_bad + 1) float64 contributions of each good document to the loss, by
        the number of bad documents above it; 0 for none.

        The loss of a merge is the sum over its good documents.
        """

    @property
    def merge(self) -> tuple[np.ndarray, ...]:
        """The arguments that all merging kernels share."""
        queries = self.queries
        return queries.keys, queries.offsets, queries.n_good, self.weights


class AUCLoss(MergeLoss):
    """1 - AUC, the share of pairs in the wrong order."""

    name = "AUC"

    def costs(self, m: int, n_bad: int) -> np.ndarray:
        return np.tile(np.arange(n_bad + 1) / (m * n_bad), (m, 1))

    def solve(self, losses: np.ndarray) -> None:
        from rankcore._kernels.structured.merging import auc_merges

        auc_merges(*self.merge, self.above, losses)


class APLoss(MergeLoss):
    """1 - average precision."""

    name = "AP"

    def __init__(self, queries: BinaryQueries, per_pair: bool) -> None:
        super().__init__(queries, per_pair)
        ranks = np.maximum(np.arange(self.longest + 1), 1)
        self._slope = -1.0 / ranks
        self._table = np.append(0.0, np.cumsum(self._slope[1:]) + 1.0 / ranks[1:])

    def costs(self, m: int, n_bad: int) -> np.ndarray:
        place = np.arange(1, m + 1)[:, None]
        return (1.0 - place / (place + np.arange(n_bad + 1))) / m

    def solve(self, losses: np.ndarray) -> None:
        from rankcore._kernels.structured.merging import ap_merges

        ap_merges(*self.merge, self._table, self._slope, self.above, losses)


class NDCGLoss(MergeLoss):
    """1 - NDCG of binary labels, with or without a cutoff.

    Parameters
    ----------
    queries, per_pair
        As `MergeLoss`.
    letor : bool
        Whether to use the discount of the LETOR scripts: ranks 1 and 2 alike, then 1 /
        log2(rank).
    """

    name = "NDCG"

    def __init__(
        self, queries: BinaryQueries, per_pair: bool, cutoff: int | None, letor: bool
    ) -> None:
        super().__init__(queries, per_pair)
        self._cutoff = cutoff
        ranks = np.arange(1, max(self.longest, 3) + 1)
        self._discounts = np.append(0.0, discounts(ranks, letor))

    def costs(self, m: int, n_bad: int) -> np.ndarray:
        table = self._discounts[: m + n_bad + 1].copy()
        if self._cutoff is not None:
            table[self._cutoff + 1 :] = 0.0
        ranks = np.arange(1, m + 1)[:, None] + np.arange(n_bad + 1)
        won = table[ranks] / table[1 : m + 1].sum()
        return won[:, :1] - won

    def solve(self, losses: np.ndarray) -> None:
        from rankcore._kernels.structured.merging import ndcg_merges
        from rankcore._kernels.structured.merging_cutoff import ndcg_cutoff_merges

        if self._cutoff is None or self._cutoff >= self.longest:
            ndcg_merges(*self.merge, self._discounts, self.above, losses)
        else:
            ndcg_cutoff_merges(
                *self.merge, self._discounts, self._cutoff, self.above, losses
            )


class RRLoss(MergeLoss):
    """1 - reciprocal rank of the first good document, 1 beyond a cutoff.

    Parameters
    ----------
    queries, per_pair
        As `MergeLoss`.
    """

    name = "RR"
    _deciding = 0

    def __init__(
        self, queries: BinaryQueries, per_pair: bool, cutoff: int | None
    ) -> None:
        super().__init__(queries, per_pair)
        self._cutoff = self.longest if cutoff is None else cutoff

    def costs(self, m: int, n_bad: int) -> np.ndarray:
        ranks = np.arange(1, n_bad + 2)
        costs = np.zeros((m, n_bad + 1))
        costs[self._deciding] = 1.0 - np.where(ranks <= self._cutoff, 1.0 / ranks, 0.0)
        return costs

    def of_merge(self, above: np.ndarray, n_bad: int) -> float:
        return float(self.costs(len(above), n_bad)[self._deciding, above[0]])

    def solve(self, losses: np.ndarray) -> None:
        from rankcore._kernels.structured.merging_first import rr_merges

        rr_merges(*self.merge, self._cutoff, self.above, losses)


class FirstOnlyRRLoss(RRLoss):
    """`RRLoss` with a feature map of the first good document only.

    The map is the sum of :math:`x_b - x_g` over the bad documents above it, divided by
    the number of bad documents in the query if ``per_pair``.
    """

    side = 1.0
    _deciding = -1

    def most_violated(self, scores: np.ndarray, q: int) -> np.ndarray:
        """Return the bad documents above, then the lowest good one, then the others by
        score."""
        self.separation_oracle(scores)
        lo, hi = self.queries.offsets[q : q + 2]
        places, m = self.queries.rows[lo:hi] - lo, int(self.queries.n_good[q])
        by_score = np.argsort(-scores[lo:hi], kind="stable")
        if not self.counted[q]:
            return by_score
        first = np.append(places[m : m + self.above[lo + m - 1]], places[m - 1])
        return np.append(first, by_score[~np.isin(by_score, first)])

    def pairs(self) -> np.ndarray:
        return self.queries.n_bad.astype(np.float64)

    def solve(self, losses: np.ndarray) -> None:
        from rankcore._kernels.structured.merging_first import rr_first_only

        rr_first_only(*self.merge, self._cutoff, self.above, losses)
