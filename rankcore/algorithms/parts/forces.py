"""Forces: derivatives of an objective by the scores; they need no model."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from rankcore.data.dataset import RankingDataset


class Forces(NamedTuple):
    """The objective of an algorithm at given scores, without its penalty.

    Attributes
    ----------
    value : float
        The data term.
    by_score : (n,) float64
        Its derivatives by the documents' scores, with the sign of improvement: a
        positive force calls for a higher score. Order-dependent weights of pairs are
        held fixed.
    """

    value: float
    by_score: np.ndarray


def one_feature_each(dataset: RankingDataset) -> RankingDataset:
    """Return the documents with an identity matrix as features.

    The coefficients of a linear model are then the scores, so a gradient by
    coefficients is one by scores. The matrix has n² numbers.
    """
    n = dataset.n_documents
    names = tuple(f"document {number}" for number in range(1, n + 1))
    return replace(dataset, X=np.eye(n), feature_names=names)


def score_as_feature(dataset: RankingDataset, scores: np.ndarray) -> RankingDataset:
    """Return the documents with their scores (n,) as the only feature."""
    column = np.asarray(scores, dtype=np.float64)[:, None]
    return replace(dataset, X=column, feature_names=("score",))
