"""What linear models make of features about which the training data say nothing."""

import numpy as np
import pytest

from rankcore.algorithms import LinearRanker
from rankcore.base.hyperparameters import hyperparameters
from rankcore.data.dataset import RankingDataset
from rankcore.training import Stop, drive
from tests.algorithms.scored import every

every_linear_algorithm = every(LinearRanker)
QUERIES, SIZE = 12, 9
EVERYWHERE, PER_QUERY, UNGRADED_ONLY = 1, 3, 4


def data(ungraded_varies=False):
    """Five features: one is constant, one constant within each query, and the last one
    constant within each query but those of equal labels, if it varies there."""
    rng = np.random.default_rng(0)
    query = np.repeat(np.arange(QUERIES), SIZE)
    X = rng.uniform(size=(QUERIES * SIZE, 5))
    X[:, EVERYWHERE] = 0.3
    X[:, PER_QUERY] = rng.uniform(-5.0, 5.0, QUERIES)[query]
    truth = 3.0 * X[:, 0] - 2.0 * X[:, 2] + rng.normal(scale=0.3, size=len(X))
    y = np.digitize(truth, np.quantile(truth, [0.5, 0.8]))
    y[query >= QUERIES - 2] = 0
    varies = (query >= QUERIES - 2) & ungraded_varies
    X[:, UNGRADED_ONLY] = np.where(varies, X[:, UNGRADED_ONLY], 0.1)
    return RankingDataset.from_arrays(X, y, query)


def records(algorithm, dataset, passes=3, **details):
    return list(drive(algorithm, dataset, stop=Stop(max_iterations=passes), **details))


@every_linear_algorithm
def test_a_feature_that_changes_no_order_has_coefficient_zero(algorithm):
    dataset = data()
    choices = [
        {name: choice}
        for name, parameter in hyperparameters(algorithm).items()
        for choice in parameter.choices or ()
    ]
    for settings in [{}, *choices]:
        model = algorithm(**settings)
        if model.unsupported_reason(dataset):
            continue
        for record in records(model, dataset):
            idle = record.coef[[EVERYWHERE, PER_QUERY, UNGRADED_ONLY]]
            np.testing.assert_array_equal(idle, 0.0, err_msg=str(settings))
            assert record.nonzeros <= 2


@every_linear_algorithm
def test_chance_decides_no_coefficient_that_nothing_is_learnt_about(algorithm):
    dataset = data(ungraded_varies=True)
    values = [
        records(algorithm(random_state=seed), dataset)[-1].coef[UNGRADED_ONLY]
        for seed in (0, 1)
    ]
    assert values[0] == pytest.approx(values[1], abs=1e-12)


@every_linear_algorithm
def test_a_given_start_is_kept_until_something_is_learnt(algorithm):
    start = np.array([0.2, -0.1, 0.1, 0.15, 0.05])
    first, *_, last = records(algorithm(), data(), start=start)
    np.testing.assert_allclose(first.coef, start, rtol=1e-15)
    assert last.iteration > 0
    np.testing.assert_array_equal(last.coef[[EVERYWHERE, PER_QUERY, UNGRADED_ONLY]], 0)
    graded = data()
    equal = RankingDataset.from_arrays(graded.X, np.zeros_like(graded.y))
    (result,) = records(algorithm(), equal, start=start)
    np.testing.assert_allclose(result.coef, start, rtol=1e-15)
