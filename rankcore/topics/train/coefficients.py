"""Importance of features in a model, in an order that is stable during training."""

from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from rankcore.algorithms import LinearRanker, Ranker
from rankcore.base.arrays import Floats
from rankcore.data.dataset import RankingDataset
from rankcore.plot.numbers import minus
from rankcore.training import History

SAMPLES = 100
IMPORTANCE, COEFFICIENT = "importance", "coefficient"
TITLE = "Importance of features"


class Weighing(NamedTuple):
    """The quantity to draw for the features of a model, with its names.

    Features are in the order of their importance, `Ranker.importances`, for either
    quantity.

    Attributes
    ----------
    train : RankingDataset
        The training data.
    by : {"importance", "coefficient"}
        The quantity drawn for a linear model.
    """

    ranker: Ranker
    train: RankingDataset
    by: str = IMPORTANCE

    @property
    def linear(self) -> bool:
        """Whether features have coefficients."""
        return isinstance(self.ranker, LinearRanker)

    @property
    def by_importance(self) -> bool:
        """Whether importances of coefficients are drawn."""
        return self.linear and self.by == IMPORTANCE

    @property
    def title(self) -> str:
        """The name of the quantity, as a heading."""
        return TITLE if self.by_importance else self.ranker.weights_title

    @property
    def name(self) -> str:
        """The name of the quantity, on an axis."""
        return IMPORTANCE if self.by_importance else self.weight

    @property
    def weight(self) -> str:
        """The name of a weight in a table."""
        return COEFFICIENT if self.linear else self.ranker.weights_title.lower()

    @property
    def unit(self) -> str:
        """The unit of the quantity, and the order of features, in words."""
        if self.by_importance:
            return "coefficient × spread within queries, in units of the score"
        if not self.linear:
            return "largest first"
        return f"per unit of a feature {scale(self.train)}, most important first"

    def importances(self, weights: Floats) -> Floats:
        """Return importances, from `Ranker.feature_weights` (…, d)."""
        return self.ranker.importances(weights, self.train)

    def drawn(self, weights: Floats) -> Floats:
        """Return the quantity to draw, from such weights (…, d)."""
        return self.importances(weights) if self.by == IMPORTANCE else weights

    def labels(self, names: Sequence[str], weights: Floats) -> list[str]:
        """Return hover names of features, with coefficients if not drawn."""
        if not self.by_importance:
            return list(map(escape, names))
        return [
            f"{escape(name)}<br>coefficient {minus(f'{weight:.3g}')}"
            for name, weight in zip(names, weights.tolist(), strict=True)
        ]

    def columns(self, weights: Floats, importances: Floats) -> dict[str, Floats]:
        """Return the columns of a table."""
        by_title = {IMPORTANCE: importances} if self.linear else {}
        return by_title | {self.weight: weights}


def scale(dataset: RankingDataset) -> str:
    """Return the scaling of a data set's features, in words."""
    if dataset.normalisation == "zscore":
        return "standardised within each query"
    low, high = dataset.limits
    if dataset.normalisation == "minmax" or (low.min() >= 0.0 and high.max() <= 1.0):
        return "scaled to 0 to 1"
    return "as given, each on its own scale"


class Coefficients(NamedTuple):
    """Weights of features, ordered by their largest importance so far.

    Attributes
    ----------
    names : tuple of m str
        Features that have or had a nonzero weight; the others are left out.
    weights : (m,) float64
        Their coefficients, or their counterparts in a nonlinear model (see
        `Ranker.feature_weights`); 0 for removed features.
    importances : (m,) float64
    unused : int
        Number of features whose weight has always been zero.
    """

    names: tuple[str, ...]
    weights: Floats
    importances: Floats
    unused: int
    weighing: Weighing

    @property
    def values(self) -> Floats:
        """(m,) values to draw."""
        return self.importances if self.weighing.by == IMPORTANCE else self.weights

    @property
    def columns(self) -> dict[str, Any]:
        """The columns of a table."""
        columns = self.weighing.columns(self.weights, self.importances)
        return {"feature": self.names, **columns}

    @property
    def note(self) -> str:
        """The order of the features, and the number of zeros, in words."""
        if not self.names:
            return f"all {self.unused} are zero at the start"
        zero = int((self.values == 0).sum())
        counts = [
            f"{zero} removed (hollow)" * (zero > 0),
            f"{self.unused} never used" * (self.unused > 0),
        ]
        return "; ".join(filter(None, [self.weighing.unit, *counts]))


def coefficients(history: History, position: int, weighing: Weighing) -> Coefficients:
    """Return the weights of features after one record of a run.

    The order is that of the largest importance so far, so a coefficient that becomes
    zero keeps its place. It is computed from at most 100 earlier records.

    Parameters
    ----------
    position : int
        Position of the record, from 0.
    """
    names = weighing.train.feature_names
    if not len(history):
        empty = np.empty(0, dtype=np.float64)
        return Coefficients((), empty, empty, len(names), weighing)
    samples = np.unique(np.linspace(0, position, SAMPLES).astype(np.int64))
    weights = np.array([history[i].weights for i in samples])
    importances = weighing.importances(weights)
    sizes = np.abs(importances).max(axis=0)
    features = np.flatnonzero(weights.any(axis=0))
    order = features[np.argsort(-sizes[features], kind="stable")]
    return Coefficients(
        names=tuple(names[i] for i in order),
        weights=weights[-1, order],
        importances=importances[-1, order],
        unused=len(names) - len(features),
        weighing=weighing,
    )
