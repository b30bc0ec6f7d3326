"""A measure of soft positions on a data set: its values and their derivatives."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from rankcore.algorithms.parts.scales import reciprocal_or_zero, widest_ranges
from rankcore.base.blocks import blocks
from rankcore.compute.executors import place
from rankcore.data.dataset import RankingDataset


@dataclass(frozen=True)
class Point:
    """A model that the optimiser evaluated.

    Attributes
    ----------
    coef : (d,) float64
    value : float
        Mean of the surrogate over the queries.
    gradient : (d,) float64
    vanished_share : float
        Share of the queries whose gradient has vanished, from 0 to 1.
    extras : dict of str to float
        Diagnostics of the optimiser.
    """

    coef: np.ndarray
    value: float
    gradient: np.ndarray
    vanished_share: float
    extras: Mapping[str, float] = field(default_factory=dict)


class AtScores(NamedTuple):
    """A surrogate at given scores.

    Attributes
    ----------
    values : (q,) float64
        Values, multiplied by the weights of the queries; NaN for a query whose
        documents all have weight 0.
    weights : (n,) float64
        The documents' weights in the measure.
    positions, slopes : (n,) float64
        Soft positions, and derivatives by positions; 0 for documents without weight.
    gradient : (n,) float64
        Derivatives of the sum of the values by the scores.
    n_vanished : int
        Number of queries that have a value but a vanished gradient.
    """

    values: np.ndarray
    weights: np.ndarray
    positions: np.ndarray
    slopes: np.ndarray
    gradient: np.ndarray
    n_vanished: int


class Learner(Protocol):
    """The attributes of an `Approximation` that its surrogate reads."""

    alpha: float

    def document_weights(self, dataset: RankingDataset) -> np.ndarray: ...

    def values_and_slopes(
        self,
        weights: np.ndarray,
        positions: np.ndarray,
        offsets: np.ndarray,
        queries: np.ndarray,
        slopes: np.ndarray,
    ) -> np.ndarray: ...

    def value_and_gradient(
        self, surrogate: Any, w: np.ndarray, queries: np.ndarray
    ) -> tuple[float, np.ndarray, int]: ...


class SoftMeasure:
    """A measure of the soft positions of some documents.

    Parameters
    ----------
    learner : Approximation
    X, offsets : arrays
        The documents, query after query.
    weights : (n,) float64
        Their weights in the measure.
    work : (4, n) float64
    importance : (q,) float64, optional
        The weight of each query in sums, by default 1; also an attribute.

    Attributes
    ----------
    queries : (m,) int64
        The queries that have a document of weight above 0.
    scores, positions, slopes, by_score : (n,) float64
        Work space that holds the results of the last evaluation.
    """

    def __init__(
        self,
        learner: Learner,
        X: np.ndarray,
        offsets: np.ndarray,
        weights: np.ndarray,
        work: np.ndarray,
        importance: np.ndarray | None = None,
    ) -> None:
        self.importance = importance
        self.X, self.offsets, self.weights = X, offsets, weights
        self._weighted = np.maximum.reduceat(weights, offsets[:-1]) > 0.0
        self.queries = np.flatnonzero(self._weighted)
        self.scores, self.positions, self.slopes, self.by_score = work
        self._learner = learner

    def sums(self, w: np.ndarray) -> tuple[float, np.ndarray, int]:
        """Return the sum of the values over `queries` at coefficients ``w`` (d,), its
        gradient (d,), and the number of them whose gradient has vanished."""
        return self._learner.value_and_gradient(self, w, self.queries)

    def differentiate(self, queries: np.ndarray) -> tuple[np.ndarray, int]:
        """Evaluate some queries at `scores`.

        Sets `positions`, `slopes` and `by_score`.

        Returns
        -------
        values : (m,) float64
            Times the weights of the queries.
        n_vanished : int
            Number of these queries whose gradient has vanished.
        """
        from rankcore._kernels.losses.approximation import POSITIONS, PUSH

        self._run_kernel(POSITIONS, self.weights, queries)
        values = self._learner.values_and_slopes(
            self.weights, self.positions, self.offsets, queries, self.slopes
        )
        vanished = self._run_kernel(PUSH, self.slopes, queries)
        if self.importance is not None:
            values = values * self.importance[queries]
            for query in queries:
                rows = slice(self.offsets[query], self.offsets[query + 1])
                self.by_score[rows] *= self.importance[query]
        return values, vanished

    def _run_kernel(self, task: int, weights: np.ndarray, queries: np.ndarray) -> int:
        from rankcore._kernels.losses.approximation import visit_queries

        _, vanished = visit_queries(
            task,
            self.scores,
            weights,
            self.offsets,
            queries,
            self._learner.alpha,
            np.inf,
            1.0,
            self.positions,
            self.slopes,
            self.by_score,
        )
        return vanished


class Surrogate(SoftMeasure):
    """The objective that a learner maximises on a data set.

    Parameters
    ----------
    learner : Approximation

    Attributes
    ----------
    whole : float
        Sum of the weights of `queries`; 1 where there are none.
    """

    def __init__(self, learner: Learner, dataset: RankingDataset) -> None:
        self.dataset = dataset
        X, offsets = dataset.X, dataset.offsets
        weights, work = learner.document_weights(dataset), np.zeros((4, len(X)))
        importance = dataset.weights if dataset.is_weighted else None
        super().__init__(learner, X, offsets, weights, work, importance)
        self.whole = float(dataset.weights[self.queries].sum()) or 1.0
        self._parts = place(
            [
                SoftMeasure(
                    learner,
                    X[block.rows],
                    block.offsets,
                    weights[block.rows],
                    work[:, block.rows],
                    None if importance is None else importance[block.queries],
                )
                for block in blocks(offsets, dataset.n_features)
            ]
        )
        self._last: Point | None = None

    def evaluate(self, w: np.ndarray) -> Point:
        """Return the surrogate at coefficients ``w``.

        The last result is cached, because a minimiser ends at the point that it has
        evaluated last.
        """
        if self._last is None or not np.array_equal(w, self._last.coef):
            total, gradient, vanished = self._parts.sum("sums", w)
            n, whole = max(len(self.queries), 1), self.whole
            share = vanished / n
            self._last = Point(w.copy(), total / whole, gradient / whole, share)
        return self._last

    def at(self, scores: np.ndarray) -> AtScores:
        """Evaluate the surrogate at given scores (n,), which need no model."""
        self.scores[:] = scores
        values = np.full(len(self.offsets) - 1, np.nan)
        values[self.queries], vanished = self.differentiate(self.queries)
        figures = (self.weights, self.positions, self.slopes, self.by_score)
        w, positions, slopes, gradient = (figure.copy() for figure in figures)
        return AtScores(values, w, positions, slopes, gradient, vanished)

    def coefficient_scales(self) -> np.ndarray:
        """(d,) the change of each coefficient that changes scores by at most 1.

        It is the reciprocal of the feature's largest range within one of `queries`, and
        0 for a feature that is constant within each of them.
        """
        return reciprocal_or_zero(widest_ranges(self.dataset, self._weighted))
