"""Least squares from sums over the documents, a query at a time.

That saves the copy of the features that a factorisation of them would take.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from rankcore.dataset import RankingDataset
from rankcore.mathematics.scales import feature_ranges, reciprocal_or_zero

_NEGLIGIBLE = 1e-12


@dataclass(frozen=True)
class NormalEquations:
    """Sufficient statistics of the squared error of centred scores and labels.

    Attributes
    ----------
    gram : (d, d) float64
        Products of centred features; 0 for those that are constant within every query,
        which rank nothing.
    moment : (d,) float64
        Products of centred features and labels.
    spread : float
        Sum of squared centred labels.
    n : int
        Documents.
    """

    gram: np.ndarray
    moment: np.ndarray
    spread: float
    n: int

    @classmethod
    def of(cls, dataset: RankingDataset, within_queries: bool = False) -> Self:
        """Sum over ``dataset``, centred over all documents or within each query."""
        mean, middle = dataset.X.mean(axis=0), dataset.y.mean()
        gram = np.zeros((dataset.n_features, dataset.n_features))
        moment, spread = np.zeros(dataset.n_features), 0.0
        for query in map(dataset.query, range(dataset.n_queries)):
            if within_queries:
                mean, middle = query.X.mean(axis=0), query.y.mean()
            centred, target = query.X - mean, query.y - middle
            gram += centred.T @ centred
            moment += target @ centred
            spread += float(target @ target)
        varies = feature_ranges(dataset) > 0.0
        gram, moment = gram * np.outer(varies, varies), moment * varies
        return cls(gram, moment, spread, dataset.n_documents)

    def minimum(self, penalty: np.ndarray | float = 0.0) -> np.ndarray:
        """Coefficients of the least squared error plus ``penalty`` times their squares.

        The shortest in units of the features' spread, if there are many.
        """
        matrix = self.gram + np.diag(np.broadcast_to(penalty, len(self.moment)))
        spread = np.sqrt(matrix.diagonal())
        units = reciprocal_or_zero(spread)
        scaled = units[:, None] * matrix * units
        solution, *_ = np.linalg.lstsq(scaled, units * self.moment, rcond=_NEGLIGIBLE)
        return units * solution

    def mean_squared_error(self, w: np.ndarray) -> float:
        """Mean squared error at coefficients ``w`` (d,)."""
        error = self.spread + float(w @ (self.gram @ w) - 2.0 * (self.moment @ w))
        return max(error, 0.0) / self.n
