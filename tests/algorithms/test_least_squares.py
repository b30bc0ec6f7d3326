"""Least squares against scikit-learn's ridge regression."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from rankcore.algorithms.least_squares import LeastSquares
from rankcore.algorithms.parts.normal_equations import NormalEquations
from rankcore.data.dataset import RankingDataset
from rankcore.training import drive


def problem():
    """Data scaled to [0, 1] in every query, the queries' means far from equal."""
    rng = np.random.default_rng(0)
    X, qid = rng.random((60, 4)), np.repeat(np.arange(6), 10)
    y = np.floor(2 * X @ np.array([1.0, 0.5, -0.5, 0.0]) + qid / 2 + rng.random(60))
    return RankingDataset.from_arrays(X, (y - y.min()).astype(int), qid).normalise(
        "minmax"
    )


def fitted(dataset, **hyperparameters):
    return list(drive(LeastSquares(**hyperparameters), dataset, measures=()))


@pytest.mark.parametrize("l2", [0.0, 0.01, 1.0])
def test_it_is_ridge_regression_with_an_intercept(l2):
    dataset = problem()
    last = fitted(dataset, l2=l2)[-1]
    ridge = Ridge(alpha=60 * l2 / 2, solver="svd").fit(dataset.X, dataset.y)
    assert last.coef == pytest.approx(ridge.coef_, abs=1e-10)
    error = np.mean((ridge.predict(dataset.X) - dataset.y) ** 2)
    assert last.diagnostics["mean squared error"] == pytest.approx(error)
    assert last.objective == pytest.approx(error + l2 / 2 * ridge.coef_ @ ridge.coef_)


def test_an_intercept_a_query_is_ridge_regression_on_centred_queries():
    dataset = problem()
    X, y = dataset.X.copy(), dataset.y.astype(float)
    for query in map(dataset.query, range(6)):
        X[query.slice] -= query.X.mean(axis=0)
        y[query.slice] -= query.y.mean()
    ridge = Ridge(alpha=60 * 0.1 / 2, fit_intercept=False).fit(X, y)
    last = fitted(dataset, l2=0.1, centring="queries")[-1]
    assert last.coef == pytest.approx(ridge.coef_, abs=1e-10)
    assert not np.allclose(last.coef, fitted(dataset, l2=0.1)[-1].coef, atol=0.01)


def test_the_solution_does_not_depend_on_the_units_of_the_features():
    dataset, units = problem(), np.array([8.0, 1e-9, 1e9, 3.0])
    scaled = RankingDataset.from_arrays(
        units * dataset.X, dataset.y, np.repeat(np.arange(6), 10)
    )
    ours, theirs = fitted(dataset)[-1], fitted(scaled)[-1]
    assert theirs.coef * units == pytest.approx(ours.coef, rel=1e-9)
    assert theirs.objective == pytest.approx(ours.objective)


def test_equal_features_share_the_weight():
    dataset = problem()
    X = dataset.X[:, [0, 0, 1, 2]]
    doubled = RankingDataset.from_arrays(X, dataset.y, np.repeat(np.arange(6), 10))
    w = NormalEquations.of(doubled).minimum()
    assert w[0] == pytest.approx(w[1])
    residual = X @ w - dataset.y
    assert X.T @ (residual - residual.mean()) == pytest.approx(np.zeros(4), abs=1e-10)


def test_there_is_one_step():
    assert [record.iteration for record in fitted(problem())] == [0, 1]
