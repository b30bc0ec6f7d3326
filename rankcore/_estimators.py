"""Checks of the input of `fit` and `predict`: shapes by scikit-learn, values here.

scikit-learn knows an estimator's conventions, such as the number and the names of its
features; `RankingDataset` names the row and the column of a value it cannot use.
"""

from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.utils.validation import column_or_1d, validate_data

from rankcore._arrays import Floats, as_features
from rankcore.dataset import RankingDataset


def training_data(estimator: Any, X: Any, y: Any, qid: Any = None) -> RankingDataset:
    """The documents that an estimator is fitted to, in any order.

    Raises
    ------
    ValueError
        For shapes and types that do not fit, with scikit-learn's sentence.
    DataError
        For values that are not finite, labels or identifiers, with their place.
    """
    with config_context(assume_finite=True):
        X, y = validate_data(
            estimator, X, y, dtype=np.float64, order="C", y_numeric=True
        )
        y = column_or_1d(y)
    names = getattr(estimator, "feature_names_in_", None)
    return RankingDataset.from_arrays(
        X, y, qid, feature_names=None if names is None else tuple(names)
    )


def documents(estimator: Any, X: Any) -> Floats:
    """The features (n, d) of documents for a fitted estimator to score.

    Raises
    ------
    ValueError, DataError
        As `training_data`.
    """
    with config_context(assume_finite=True):
        X = validate_data(estimator, X, dtype=np.float64, order="C", reset=False)
    return as_features(X, getattr(estimator, "feature_names_in_", None))
