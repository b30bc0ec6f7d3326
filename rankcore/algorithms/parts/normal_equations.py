"""Least squares from sums over the documents, query by query.

This avoids the copy of the features that a factorisation would take.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np

from rankcore.algorithms.parts.scales import feature_ranges, reciprocal_or_zero
from rankcore.base.blocks import blocks
from rankcore.compute.executors import place
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.products import combination, dot, times_vector
from rankcore.mathematics.small_matrices import solution, symmetric

_NEGLIGIBLE = 1e-12


class _NormalBlock(NamedTuple):
    """The documents of a block."""

    X: np.ndarray
    y: np.ndarray
    offsets: np.ndarray
    weights: np.ndarray | None

    def totals(self) -> tuple[np.ndarray]:
        """Return the sum (d,) of the features, times the weights of their queries."""
        if self.weights is None:
            return (self.X.sum(axis=0, dtype=np.float64),)
        each = np.repeat(self.weights, np.diff(self.offsets))
        return ((self.X * each[:, None]).sum(axis=0),)

    def products(
        self, mean: np.ndarray, middle: float, within_queries: bool
    ) -> tuple[np.ndarray, np.ndarray, float]:
        """Products of centred features (d, d), of features and labels (d,), and of
        labels; centred at the given mean, or within each query."""
        from rankcore._kernels.arithmetic.small_matrices import add_products

        d = self.X.shape[1]
        gram, moment, spread = np.zeros((d, d)), np.zeros(d), 0.0
        for q, (begin, end) in enumerate(pairwise(self.offsets.tolist())):
            X, y = self.X[begin:end], self.y[begin:end]
            if within_queries:
                mean, middle = X.mean(axis=0, dtype=np.float64), y.mean()
            centred, target = X - mean, y - middle
            if self.weights is not None:
                root = np.sqrt(self.weights[q])
                centred, target = root * centred, root * target
            add_products(centred, centred, gram)
            moment += combination(target, centred)
            spread += dot(target, target)
        return symmetric(gram), moment, spread


@dataclass(frozen=True)
class NormalEquations:
    """Sufficient statistics of the squared error of centred scores and labels.

    Attributes
    ----------
    gram : (d, d) float64
        Products of centred features; 0 for features that are constant within every
        query, which cannot rank.
    moment : (d,) float64
        Products of centred features and labels.
    spread : float
        Sum of squared centred labels.
    n : float
        Number of documents, or the sum of the weights of their queries.
    """

    gram: np.ndarray
    moment: np.ndarray
    spread: float
    n: float

    @classmethod
    def of(cls, dataset: RankingDataset, within_queries: bool = False) -> Self:
        """Sum over ``dataset``, centred over all documents or within each query."""
        weights = dataset.weights if dataset.is_weighted else None
        parts = place(
            [
                _NormalBlock(
                    dataset.X[block.rows],
                    dataset.y[block.rows],
                    block.offsets,
                    None if weights is None else weights[block.queries],
                )
                for block in blocks(dataset.offsets, dataset.n_features)
            ]
        )
        (totals,) = parts.sum("totals")
        n, middle = float(dataset.n_documents), dataset.y.mean()
        if weights is not None:
            each = np.repeat(weights, dataset.lengths)
            n = float(each.sum())
            middle = dot(each, dataset.y.astype(np.float64)) / n
        mean = totals / n
        gram, moment, spread = parts.sum("products", mean, middle, within_queries)
        varies = feature_ranges(dataset) > 0.0
        gram, moment = gram * np.outer(varies, varies), moment * varies
        return cls(gram, moment, spread, n)

    def minimum(self, penalty: np.ndarray | float = 0.0) -> np.ndarray:
        """Minimiser of the squared error plus ``penalty`` times squared coefficients.

        If there are several minima, the shortest in units of the features' spread.
        """
        matrix = self.gram + np.diag(np.broadcast_to(penalty, len(self.moment)))
        spread = np.sqrt(matrix.diagonal())
        units = reciprocal_or_zero(spread)
        scaled = units[:, None] * matrix * units
        return units * solution(scaled, units * self.moment, _NEGLIGIBLE)

    def mean_squared_error(self, w: np.ndarray) -> float:
        """Mean squared error at coefficients ``w`` (d,)."""
        doubled = 2.0 * dot(self.moment, w)
        error = self.spread + dot(w, times_vector(self.gram, w)) - doubled
        return max(error, 0.0) / self.n
