"""Models that another program has trained: they score documents and do not train.

They have no objective and no settings of their own, so they are not among the
algorithms; `rankcore.studies.models` makes them from files.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankcore.algorithms.parts.ranker import LinearRanker, Ranker
from rankcore.algorithms.parts.trees.forest import ForestRanker
from rankcore.base.forest_columns import FEATURE
from rankcore.data.dataset import RankingDataset
from rankcore.training.steps import Start, Steps


@dataclass(eq=False, repr=False, kw_only=True)
class Imported(Ranker):
    """Base of both kinds."""

    trains: ClassVar[bool] = False
    names_needed_only: ClassVar[bool] = True
    family: ClassVar[str] = "imported"
    equation: ClassVar[str] = ""
    paper: ClassVar[str] = ""

    def unsupported_reason(self, dataset: RankingDataset) -> str | None:
        """Return that such a model does not train."""
        return (
            f"{self.title}: another program trained this model, and its file does not "
            "say how. Name an algorithm to train a new one."
        )

    def steps(
        self, dataset: RankingDataset, rng: np.random.Generator, start: Start = None
    ) -> Steps:
        raise ValueError(self.unsupported_reason(dataset))
        yield

    def on_features(self, names: Sequence[str]) -> np.ndarray | None:
        """Return the parameters for documents with these features, in this order; None
        where one that the model needs is not among them."""
        needed = self.provenance_.feature_names
        if not set(needed) <= set(names):
            return None
        return self._moved(np.array([names.index(name) for name in needed]), len(names))

    @abstractmethod
    def _moved(self, places: np.ndarray, n_features: int) -> np.ndarray:
        """Return the parameters with each feature at a new place."""


@dataclass(eq=False, repr=False, kw_only=True)
class ImportedLinear(Imported, LinearRanker):
    """A weighted sum of features."""

    title: ClassVar[str] = "Imported linear model"
    summary: ClassVar[str] = "A linear model that another program has trained."

    def _moved(self, places: np.ndarray, n_features: int) -> np.ndarray:
        coef = np.zeros(n_features)
        coef[places] = self.parameters_
        return coef


@dataclass(eq=False, repr=False, kw_only=True)
class ImportedTrees(Imported, ForestRanker):
    """A sum of trees."""

    takes_missing: ClassVar[bool] = True
    title: ClassVar[str] = "Imported trees"
    summary: ClassVar[str] = "A sum of trees that another program has trained."

    def _moved(self, places: np.ndarray, n_features: int) -> np.ndarray:
        forest = self.parameters_.copy()
        feature = forest[:, FEATURE]
        moved = places[np.maximum(feature, 0).astype(np.int64)]
        forest[:, FEATURE] = np.where(feature < 0, feature, moved)
        return forest


@dataclass(eq=False, repr=False, kw_only=True)
class ImportedSingleTrees(ImportedTrees):
    """A sum of trees that is rounded to single precision after each of them."""

    precision: ClassVar[type[np.floating]] = np.float32


IMPORTED: Mapping[str, type[Imported]] = {
    kind.__name__: kind for kind in (ImportedLinear, ImportedTrees, ImportedSingleTrees)
}
