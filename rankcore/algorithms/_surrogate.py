"""A measure of soft positions on a data set: its values, and their derivatives."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankcore.algorithms._scales import reciprocal_or_zero, widest_ranges
from rankcore.dataset import RankingDataset

if TYPE_CHECKING:
    from rankcore.algorithms._approximation import Approximation


@dataclass(frozen=True)
class Point:
    """A model met on the way.

    Attributes
    ----------
    coef : (d,) float64
    value : float
        Mean of the surrogate over the queries.
    gradient : (d,) float64
    flat : float
        Share of the queries whose gradient has vanished.
    extras : dict of str to float
        Diagnostics of the optimiser.
    """

    coef: np.ndarray
    value: float
    gradient: np.ndarray
    flat: float
    extras: Mapping[str, float] = field(default_factory=dict)


class AtScores(NamedTuple):
    """A surrogate at given scores.

    Attributes
    ----------
    values : (q,) float64
        NaN for a query without a document of weight.
    weights : (n,) float64
        What the measure counts each document.
    positions, slopes : (n,) float64
        Soft positions, and the derivatives by them; 0 for documents without weight.
    gradient : (n,) float64
        Derivatives of the sum of the values by the scores.
    flat : int
        Queries with a value whose gradient has vanished.
    """

    values: np.ndarray
    weights: np.ndarray
    positions: np.ndarray
    slopes: np.ndarray
    gradient: np.ndarray
    flat: int


class Surrogate:
    """What a learner maximises on a data set.

    Parameters
    ----------
    learner : Approximation
    dataset : RankingDataset

    Attributes
    ----------
    dataset : RankingDataset
    X, offsets : arrays
        The data set's.
    weights : (n,) float64
        What the measure counts each document.
    queries : (m,) int64
        The queries with a document of weight.
    scores, positions, slopes, by_score : (n,) float64
        Work space, with the figures of the last visit.
    """

    def __init__(self, learner: "Approximation", dataset: RankingDataset) -> None:
        self.dataset = dataset
        self.X, self.offsets = dataset.X, dataset.offsets
        self.weights = learner.weights(dataset)
        self._weighted = np.maximum.reduceat(self.weights, self.offsets[:-1]) > 0.0
        self.queries = np.flatnonzero(self._weighted)
        self.scores, self.positions, self.slopes, self.by_score = np.zeros(
            (4, len(self.X))
        )
        self._learner = learner
        self._last: Point | None = None

    def evaluate(self, w: np.ndarray) -> Point:
        """The surrogate at coefficients ``w``.

        The last answer is kept: a minimiser has just asked at the point it settles on.
        """
        if self._last is None or not np.array_equal(w, self._last.coef):
            total, gradient, flat = self._learner.visit(self, w, self.queries)
            n = max(len(self.queries), 1)
            self._last = Point(w.copy(), total / n, gradient / n, flat / n)
        return self._last

    def differentiate(self, queries: np.ndarray) -> tuple[np.ndarray, int]:
        """From the scores of some queries to their values, positions, slopes and
        derivatives by score; also return how many queries are flat."""
        from rankcore._kernels.approximation import POSITIONS, PUSH

        self._visit(POSITIONS, self.weights, queries)
        values = self._learner.values_and_slopes(
            self.weights, self.positions, self.offsets, queries, self.slopes
        )
        return values, self._visit(PUSH, self.slopes, queries)

    def _visit(self, task: int, wanted: np.ndarray, queries: np.ndarray) -> int:
        from rankcore._kernels.approximation import visit_queries

        _, flat = visit_queries(
            task,
            self.scores,
            wanted,
            self.offsets,
            queries,
            self._learner.alpha,
            np.inf,
            1.0,
            self.positions,
            self.slopes,
            self.by_score,
        )
        return flat

    def at(self, scores: np.ndarray) -> AtScores:
        """The surrogate of given scores (n,), whatever model they come from."""
        self.scores[:] = scores
        values = np.full(len(self.offsets) - 1, np.nan)
        values[self.queries], flat = self.differentiate(self.queries)
        figures = (self.weights, self.positions, self.slopes, self.by_score)
        w, positions, slopes, gradient = (figure.copy() for figure in figures)
        return AtScores(values, w, positions, slopes, gradient, flat)

    def units(self) -> np.ndarray:
        """(d,) changes of a coefficient that move scores by at most 1.

        That is one over the feature's largest range within one of `queries`, and 0 for
        a feature that is constant within each: its coefficient never matters.
        """
        return reciprocal_or_zero(widest_ranges(self.dataset, self._weighted))
