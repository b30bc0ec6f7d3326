"""The inspected model, from any source."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rankcore.algorithms import Ranker
from rankcore.data.dataset import RankingDataset


class NoModelError(ValueError):
    """The model is missing or incompatible with the data; ``str(error)`` says which.

    Attributes
    ----------
    remedy : dict
        Settings with which there is a model; empty if unknown.
    """

    def __init__(self, sentence: str, remedy: Mapping[str, Any]) -> None:
        super().__init__(sentence)
        self.remedy = remedy


@dataclass(frozen=True)
class InspectedModel:
    """A model to inspect.

    Attributes
    ----------
    key : hashable
        Equal only for equal coefficients.
    title, note : str
        Its name, and its source.
    algorithm : Ranker
        With its hyperparameters.
    coef : array
        See `rankcore.algorithms.Step`.
    normalisation : str or None
        Scaling of the features that it was trained with.
    data : dict
        The settings of its training data, if known.
    """

    key: Hashable
    title: str = field(compare=False)
    note: str = field(compare=False)
    algorithm: Ranker = field(compare=False)
    coef: np.ndarray = field(compare=False)
    feature_names: tuple[str, ...] = field(compare=False)
    normalisation: str | None = field(compare=False)
    data: Mapping[str, Any] = field(compare=False, default_factory=dict)

    def scores(self, X: np.ndarray) -> np.ndarray:
        """(n,) scores of documents."""
        return self.algorithm.scores(X, self.coef)

    def fits(self, dataset: RankingDataset, values: Mapping[str, Any]) -> bool:
        """Whether it can score the documents of a data set. Features with other names
        may be the same ones, unless some are removed."""
        if self.feature_names == dataset.feature_names:
            return True
        off = values.get("without") or self.data.get("without")
        return not off and len(self.feature_names) == dataset.n_features
