"""Pairwise losses whose weights are the change of a measure when a pair swaps."""

import functools
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankcore.algorithms.parts.content_order import content_order
from rankcore.algorithms.parts.normalised_gains import relative_weights
from rankcore.algorithms.parts.ranker import NOTHING_TO_LEARN
from rankcore.algorithms.parts.scales import extremes, widest_ranges
from rankcore.base.blocks import blocks
from rankcore.base.cancellation import cancel_point
from rankcore.base.draws import standard_normal
from rankcore.compute.executors import Placed, place
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.elementary import exp2
from rankcore.mathematics.products import norm
from rankcore.measures import discounts

_POWER_STEPS = 12
# With more blocks than this, the power iteration starts on a sample of the blocks; only
# its last steps use all of them.
_SAMPLED_BLOCKS, _LAST_STEPS = 8, 2


@dataclass(frozen=True)
class _DeltaBlock(ABC):
    """The queries of a block; all arrays except ``X`` are indexed by place.

    Attributes
    ----------
    X : (N, d) float64
        The features of all documents.
    offsets : (q + 1,) int64
    rows : (n,) int64
        The row in ``X`` of the document at each place.
    ideal : (n,) int64
        An ideal order of each query's documents, counted within the query.
    order : (n,) int64
        The order at the last evaluated coefficients.
    forces : (n,) float64
        The derivatives by score at these coefficients.
    """

    X: np.ndarray
    offsets: np.ndarray
    rows: np.ndarray
    ideal: np.ndarray
    order: np.ndarray
    forces: np.ndarray

    @abstractmethod
    def sums(self, beta: np.ndarray) -> tuple[float, np.ndarray]:
        """Loss at ``beta`` (d,) and its gradient (d,) for weights held fixed."""

    @abstractmethod
    def curvature_times(self, v: np.ndarray) -> tuple[np.ndarray]:
        """Product with ``v`` (d,) of RSRank's Hessian at the weights of the ideal
        order."""

    def last_forces(self) -> np.ndarray:
        return self.forces


class DeltaWeightedLoss(ABC):
    """A loss over the pairs of a data set, weighted by the change of a measure.

    The weight of a pair is the absolute change when its two documents swap places in
    the current order.

    Attributes
    ----------
    rows : (n,) int64
        The rows of the documents in the order of `content_order`, which sums and ties
        follow.
    order : (n,) int64
        The documents of each query by descending score at the last evaluation, counted
        within the query in the order of ``rows``; the next sort starts from it.
    """

    nothing_to_learn = NOTHING_TO_LEARN
    # Largest second derivative of the loss of a pair, relative to RSRank's.
    stiffness = 1.0

    def __init__(self, dataset: RankingDataset) -> None:
        self._dataset = dataset
        self._queries, self.rows, self._offsets = content_order(dataset)
        self._y, lengths = dataset.y[self.rows], np.diff(self._offsets)
        begins = np.repeat(self._offsets[:-1], lengths)
        query = np.repeat(np.arange(dataset.n_queries), lengths)
        best = np.lexsort((-self._worth(), query))
        self.order = np.arange(dataset.n_documents) - begins
        forces = np.zeros(dataset.n_documents)
        gains = self._columns(best, np.arange(dataset.n_documents) - begins)
        columns = self.rows, best - begins, self.order, forces, *gains
        parts = [
            self._part(
                dataset.X, block.offsets, *(each[block.rows] for each in columns)
            )
            for block in blocks(self._offsets, dataset.n_features)
        ]
        self._parts = place(parts)
        spacing = len(parts) // _SAMPLED_BLOCKS
        self._sample = place(parts[::spacing]) if spacing > 1 else None

    def _worth(self) -> np.ndarray:
        """Return the sort keys (n,) of the ideal order of each query, by place."""
        return self._y

    @abstractmethod
    def _columns(self, best: np.ndarray, place: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return the additional arrays (n,) of a block, by place; ``best`` has the
        places from the highest label of each query to its lowest, ``place`` counts them
        within each query."""

    @abstractmethod
    def _part(self, *arrays: Any) -> _DeltaBlock:
        """Return the loss of a block with these attributes, those of `_columns`
        last."""

    @property
    def forces(self) -> np.ndarray:
        """(n,) float64 derivatives of the loss by the documents' scores at the last
        evaluation, in the order of the data."""
        by_place = np.concatenate(self._parts.call("last_forces"))
        forces = np.empty_like(by_place)
        forces[self.rows] = by_place
        return forces

    def __call__(self, beta: np.ndarray) -> tuple[float, np.ndarray]:
        """Loss at ``beta`` (d,) and its gradient (d,) for weights held fixed."""
        loss, gradient = self._parts.sum("sums", beta)
        return loss, gradient

    @property
    @abstractmethod
    def graded(self) -> np.ndarray:
        """(q,) whether the query has pairs that count."""

    @functools.cached_property
    def ranges(self) -> np.ndarray:
        """(d,) widest range of each feature within a query that has pairs, 0 if none.

        A feature of range 0 has no influence on the loss.
        """
        return widest_ranges(self._dataset, self.graded)

    def curvature(self, units: np.ndarray, rng: np.random.Generator) -> float:
        """Largest eigenvalue of the Hessian at the weights of the ideal order.

        NDCG's weights are largest near a good order, so this bounds the curvature
        during training from any start. It is computed by power iteration.

        Parameters
        ----------
        units : (d,) float64
            Factors by which the features are multiplied.
        """
        v = standard_normal(rng, len(units))
        length = norm(v)
        for parts in self._power_steps():
            cancel_point()
            (product,) = parts.sum("curvature_times", units * (v / length))
            v = units * product
            length = norm(v)
            if length == 0.0:
                break
        return self.stiffness * length

    def _power_steps(self) -> list[Placed]:
        """Return the blocks over which each step of the power iteration sums the
        Hessian."""
        if self._sample is None:
            return _POWER_STEPS * [self._parts]
        return _POWER_STEPS * [self._sample] + _LAST_STEPS * [self._parts]


@dataclass(frozen=True)
class _Pairwise(_DeltaBlock):
    gains: np.ndarray
    levels: np.ndarray
    discounts: np.ndarray

    def sums(self, beta: np.ndarray) -> tuple[float, np.ndarray]:
        from rankcore._kernels.losses.rsrank import loss_and_gradient

        return loss_and_gradient(*self._arrays, beta, self.order, self.forces)

    def curvature_times(self, v: np.ndarray) -> tuple[np.ndarray]:
        from rankcore._kernels.losses.rsrank import curvature_times

        return (curvature_times(*self._arrays, self.ideal, v),)

    @property
    def _arrays(self) -> tuple[np.ndarray, ...]:
        documents = self.X, self.rows, self.gains, self.levels
        return *documents, self.offsets, self.discounts


class _Logistic(_Pairwise):
    def sums(self, beta: np.ndarray) -> tuple[float, np.ndarray]:
        from rankcore._kernels.losses.logistic_deltas import logistic_loss_and_gradient

        return logistic_loss_and_gradient(*self._arrays, beta, self.order, self.forces)


class PairwiseLoss(DeltaWeightedLoss):
    """The modified Huber loss with NDCG's weights; a document of weight v has v times
    the gain, and pairs are those of different gains."""

    def __init__(self, dataset: RankingDataset) -> None:
        self._importance = relative_weights(dataset)
        super().__init__(dataset)

    def _worth(self) -> np.ndarray:
        if self._importance is None:
            return self._y
        return (exp2(self._y) - 1.0) * self._importance[self.rows]

    def _columns(self, best: np.ndarray, place: np.ndarray) -> tuple[np.ndarray, ...]:
        lengths, begins = np.diff(self._offsets), self._offsets[:-1]
        self._discounts = discounts(np.arange(1, lengths.max() + 1))
        gains = exp2(self._y) - 1.0
        if self._importance is not None:
            gains = self._worth()
        ideal = np.add.reduceat(gains[best] * self._discounts[place], begins)
        gains /= np.repeat(np.where(ideal > 0.0, ideal, 1.0), lengths)
        # The weight of a pair is linear in the gains, so weights multiply them.
        gains *= np.repeat(self._dataset.weights[self._queries], lengths)
        if self._importance is not None:
            return gains, _levels(gains, self._offsets)
        # This is several times as fast as the inverse of `numpy.unique`.
        levels = np.searchsorted(np.unique(self._y), self._y)
        return gains, levels

    def _part(self, *arrays: Any) -> _DeltaBlock:
        return _Pairwise(*(*arrays, self._discounts))

    @functools.cached_property
    def graded(self) -> np.ndarray:
        worth: np.ndarray = self._dataset.y
        if self._importance is not None:
            worth = (exp2(worth) - 1.0) * self._importance
        low, high = extremes(worth, self._dataset.offsets)
        return low < high


def _levels(gains: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Return the index (n,) of each gain among the sorted gains of its query."""
    query = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    order = np.lexsort((gains, query))
    rises = np.diff(gains[order], prepend=-1.0) != 0.0
    rises[offsets[:-1]] = False
    counts = np.cumsum(rises)
    levels = np.empty(len(gains), np.int64)
    levels[order] = counts - np.repeat(counts[offsets[:-1]], np.diff(offsets))
    return levels


class WeightedLogisticLoss(PairwiseLoss):
    """LambdaRank's loss: logistic, with NDCG's weights."""

    stiffness = 1.0 / 8.0

    def _part(self, *arrays: Any) -> _DeltaBlock:
        return _Logistic(*(*arrays, self._discounts))


@dataclass(frozen=True)
class _Binary(_DeltaBlock):
    relevant: np.ndarray
    reciprocal: bool

    def sums(self, beta: np.ndarray) -> tuple[float, np.ndarray]:
        from rankcore._kernels.losses.binary_deltas import binary_loss_and_gradient

        return binary_loss_and_gradient(*self._arrays, beta, self.order, self.forces)

    def curvature_times(self, v: np.ndarray) -> tuple[np.ndarray]:
        from rankcore._kernels.losses.binary_deltas import binary_curvature_times

        return (binary_curvature_times(*self._arrays, self.ideal, v),)

    @property
    def _arrays(self) -> tuple[Any, ...]:
        return self.X, self.rows, self.relevant, self.offsets, self.reciprocal


class BinaryLoss(DeltaWeightedLoss):
    """The modified Huber loss with the weights of AP or RR.

    Parameters
    ----------
    measure : {"AP", "RR"}
        A document is relevant if its label is at least 1.
    """

    nothing_to_learn = (
        "No query has both relevant and irrelevant documents, so there is nothing to "
        "learn; the starting model is kept."
    )

    def __init__(self, dataset: RankingDataset, measure: str) -> None:
        self._reciprocal = measure == "RR"
        super().__init__(dataset)

    def _columns(self, best: np.ndarray, place: np.ndarray) -> tuple[np.ndarray, ...]:
        return (self._y > 0,)

    def _part(self, *arrays: Any) -> _DeltaBlock:
        return _Binary(*(*arrays, self._reciprocal))

    @functools.cached_property
    def graded(self) -> np.ndarray:
        low, high = extremes(self._dataset.y > 0, self._dataset.offsets)
        return low < high
