"""Models trained by another program, which score documents but cannot be trained.

They have no objective and no settings, so they are not listed as algorithms;
`rankcore.studies.models` creates them from files.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankcore.algorithms.parts.ranker import LinearRanker, Ranker
from rankcore.algorithms.parts.trees.forest import ForestRanker
from rankcore.base.blocks import row_blocks
from rankcore.base.forest_columns import FEATURE, OUTPUT, VALUE
from rankcore.data.dataset import RankingDataset
from rankcore.training.steps import Start, Steps


@dataclass(eq=False, repr=False, kw_only=True)
class Imported(Ranker):
    """Base of the imported linear models and forests."""

    trains = False
    names_needed_only = True
    family = "imported"
    equation = ""
    paper = ""

    def unsupported_reason(self, dataset: RankingDataset) -> str | None:
        """Return the reason that such a model cannot be trained."""
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
        if a required feature is missing."""
        needed = self.provenance_.feature_names
        if not set(needed) <= set(names):
            return None
        return self._at_places(
            np.array([names.index(name) for name in needed]), len(names)
        )

    @abstractmethod
    def _at_places(self, places: np.ndarray, n_features: int) -> np.ndarray:
        """Return the parameters with each feature at a new index."""


@dataclass(eq=False, repr=False, kw_only=True)
class ImportedLinear(Imported, LinearRanker):
    """A weighted sum of features from another program."""

    title = "Imported linear model"
    summary = "A linear model trained by another program."

    def _at_places(self, places: np.ndarray, n_features: int) -> np.ndarray:
        coef = np.zeros(n_features)
        coef[places] = self.parameters_
        return coef


@dataclass(eq=False, repr=False, kw_only=True)
class ImportedSingleLinear(ImportedLinear):
    """A sum of shifted, divided and weighted features, in single precision and in the
    order of the file.

    The parameters (k, 4) hold for each term the number of its feature, from 0, the
    shift, the divisor and the weight: weight · (feature - shift) / divisor.
    """

    def scores(self, X: np.ndarray, coef: np.ndarray) -> np.ndarray:
        """Scores (n,) of documents (n, d), rounded to single precision after each
        operation.

        Raises
        ------
        DataError
            If a value is missing.
        """
        columns = coef[:, 0].astype(np.int64)
        terms = coef[:, 1:].astype(np.float32)
        totals = np.zeros(len(X), np.float32)
        with np.errstate(over="ignore", invalid="ignore"):
            for rows in row_blocks(len(X), len(coef)):
                features = np.ascontiguousarray(X[rows][:, columns].T, np.float32)
                for feature, (shift, divisor, weight) in zip(
                    features, terms, strict=True
                ):
                    totals[rows] += (feature - shift) / divisor * weight
        return self.without_missing(X, totals.astype(np.float64))

    def feature_weights(self, coef: np.ndarray, n_features: int) -> np.ndarray:
        """Return the coefficients (d,) of the features as they are."""
        weights = np.zeros(n_features)
        weights[coef[:, 0].astype(np.int64)] = coef[:, 3] / coef[:, 2]
        return weights

    def contributions(self, coef: np.ndarray, features: np.ndarray) -> np.ndarray:
        """Return the unrounded contributions (d,) of features to a score."""
        columns, shift, divisor, weight = coef.T
        columns = columns.astype(np.int64)
        parts = np.zeros(len(features))
        parts[columns] = weight * (features[columns] - shift) / divisor
        return parts

    def _at_places(self, places: np.ndarray, n_features: int) -> np.ndarray:
        return np.column_stack(
            [places[self.parameters_[:, 0].astype(np.int64)], self.parameters_[:, 1:]]
        )


@dataclass(eq=False, repr=False, kw_only=True)
class ImportedTrees(Imported, ForestRanker):
    """A sum of trees."""

    takes_missing = True
    title = "Imported trees"
    summary = "A sum of trees trained by another program."

    def _at_places(self, places: np.ndarray, n_features: int) -> np.ndarray:
        forest = self.parameters_.copy()
        feature = forest[:, FEATURE]
        new_places = places[np.maximum(feature, 0).astype(np.int64)]
        forest[:, FEATURE] = np.where(feature < 0, feature, new_places)
        return forest


@dataclass(eq=False, repr=False, kw_only=True)
class ImportedSingleTrees(ImportedTrees):
    """A sum of trees, rounded to single precision after each tree."""

    precision = np.float32


@dataclass(eq=False, repr=False, kw_only=True)
class ImportedBags(ImportedSingleTrees):
    """The mean of several sums of trees, each rounded to single precision after each
    tree; all trees of a sum have the same output."""

    def combined(self, totals: np.ndarray, outputs: np.ndarray) -> np.ndarray:
        """Return the mean (n,) of the sums (n, k), added from the first to the last."""
        return totals.cumsum(axis=1, dtype=np.float64)[:, -1] / len(outputs)

    def additive(self, coef: np.ndarray) -> np.ndarray:
        """Return the trees, with leaves divided by the number of sums."""
        forest, is_leaf = coef.copy(), coef[:, FEATURE] < 0.0
        forest[is_leaf, VALUE] /= len(np.unique(coef[:, OUTPUT]))
        return forest


IMPORTED: Mapping[str, type[Imported]] = {
    kind.__name__: kind
    for kind in (
        ImportedLinear,
        ImportedSingleLinear,
        ImportedTrees,
        ImportedSingleTrees,
        ImportedBags,
    )
}
