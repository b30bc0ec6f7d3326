"""Values that no estimator can use: every one says where they are, and alike."""

import numpy as np
import pandas as pd
import pytest

import rankcore
from rankcore.data.dataset import DataError, RankingDataset
from rankcore.training.reduction import PairwiseReduction

ESTIMATORS = [
    *map(rankcore.get_algorithm, rankcore.list_algorithms()),
    PairwiseReduction,
]
NOT_FINITE = {np.nan: "NaN", np.inf: "inf", -np.inf: "-inf"}
every_estimator = pytest.mark.parametrize(
    "estimator", ESTIMATORS, ids=lambda estimator: estimator.__name__
)


def documents():
    """Rows whose queries are not contiguous, so that grouping moves them."""
    rng = np.random.default_rng(0)
    return rng.uniform(size=(12, 3)), np.tile([0, 1, 2], 4), np.tile([1, 2], 6)


def with_value(array, value, *place):
    broken = np.array(array, dtype=float)
    broken[place] = value
    return broken


@every_estimator
@pytest.mark.parametrize("value", NOT_FINITE, ids=NOT_FINITE.values())
def test_a_value_that_is_not_finite_is_named_with_its_place(estimator, value):
    X, y, qid = documents()
    broken, shown = with_value(X, value, 4, 1), NOT_FINITE[value]
    feature = f"The feature value {shown} is not a finite number"
    label = f"The label {shown} is not a number from 0 upwards"
    frame = pd.DataFrame(broken, columns=["a", "b", "c"])
    model = estimator(**({} if estimator is PairwiseReduction else {"max_iter": 1}))
    cases = [
        (lambda: model.fit(broken, y, qid=qid), 2, feature),
        (lambda: model.fit(frame, y, qid=qid), "b", feature),
        (lambda: model.fit(X, with_value(y, value, 4), qid=qid), None, label),
        (lambda: RankingDataset.from_arrays(broken, y, qid), 2, feature),
        (lambda: RankingDataset.from_arrays(frame, y, qid), "b", feature),
        (lambda: model.fit(X, y, qid=qid).predict(broken), 2, feature),
        (lambda: model.fit(X, y, qid=qid).score(broken, y, qid=qid), 2, feature),
    ]
    if value != value and estimator.takes_missing:
        cases = cases[2:5]
    for act, column, problem in cases:
        with pytest.raises(DataError) as caught:
            act()
        error = caught.value
        assert (error.line, error.column, error.problem) == (5, column, problem)
        assert isinstance(error, ValueError)
