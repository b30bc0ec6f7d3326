"""RankNet against its worked number, the double loop and logistic regression."""

import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from rankcore.algorithms.rank_net import LogisticLoss, RankNet
from rankcore.data.dataset import RankingDataset
from rankcore.training import drive


def double_loop(scores, labels):
    """Sum of the losses over pairs, and its derivatives by the scores."""
    better = labels[:, None] > labels
    v = scores[:, None] - scores
    slopes = np.where(better, expit(-v), 0.0)
    return np.logaddexp(0, -v)[better].sum(), slopes.sum(0) - slopes.sum(1)


def sums(scores, labels):
    """Ours: each document has a feature of its own, so coefficients are scores."""
    loss = LogisticLoss(RankingDataset.from_arrays(np.eye(len(scores)), labels))
    value, force = loss(scores)
    pairs = (labels[:, None] > labels).sum()
    return pairs * value, pairs * force


def problem(n_queries=6, n=10, d=4):
    rng = np.random.default_rng(0)
    X = rng.random((n_queries * n, d))
    truth = X @ np.linspace(-1, 1, d) + 0.3 * rng.standard_normal(len(X))
    y = np.searchsorted(np.quantile(truth, [0.5, 0.8]), truth)
    dataset = RankingDataset.from_arrays(X, y, np.repeat(np.arange(n_queries), n))
    return dataset.normalise("minmax")


def test_worked_example():
    s, y = np.array([0.3, 0.1, 0.2]), np.array([0, 2, 1])
    value, force = sums(s, y)
    margins = np.array([0.1 - 0.3, 0.1 - 0.2, 0.2 - 0.3])
    assert value == pytest.approx(np.log1p(np.exp(-margins)).sum())
    assert value == pytest.approx(2.286932, abs=5e-7)
    pulls = 1 - expit(margins)
    assert force == pytest.approx(
        [pulls[0] + pulls[2], -pulls[0] - pulls[1], pulls[1] - pulls[2]]
    )


@pytest.mark.parametrize("n", [2, 7, 60, 500])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 30.0, 150.0, 1e4, 1e9])
def test_sums_equal_the_double_loop(n, scale):
    rng = np.random.default_rng(n)
    s, y = scale * rng.standard_normal(n), rng.integers(0, 4, n)
    y[:2], s[:2] = [0, 3], [scale, -scale]
    value, force = sums(s, y)
    expected, forces = double_loop(s, y)
    assert value == pytest.approx(expected, rel=1e-12)
    assert np.abs(force - forces).max() <= 1e-12 * np.abs(forces).max()


@pytest.mark.parametrize("distance", [0.1, 3.0, 10.0, 20.0])
def test_lists_in_good_order_lose_no_digits(distance):
    s, y = distance * np.arange(40.0), np.repeat([0, 1], 20)
    value, force = sums(s, y)
    expected, forces = double_loop(s, y)
    assert value == pytest.approx(expected, rel=1e-12)
    assert np.abs(force - forces).max() <= 1e-12 * np.abs(forces).max()


def test_gradient_by_finite_differences():
    loss = LogisticLoss(problem())
    w = np.array([1.0, -0.5, 0.25, 2.0])
    assert check_grad(lambda w: loss(w)[0], lambda w: loss(w)[1], w) < 1e-6


@pytest.mark.parametrize("l2", [1.0, 0.01])
def test_the_minimum_is_that_of_logistic_regression_on_all_pairs(l2):
    dataset = problem()
    rows = []
    for query in map(dataset.query, range(dataset.n_queries)):
        i, j = np.nonzero(query.y[:, None] > query.y)
        rows.append(query.X[i] - query.X[j])
    z = np.concatenate(rows)
    signs = np.resize([1, -1], len(z))
    peer = LogisticRegression(C=1 / (l2 * len(z)), fit_intercept=False, tol=1e-10)
    theirs = peer.fit(signs[:, None] * z, signs).coef_[0]
    ours = list(drive(RankNet(l2=l2), dataset, measures=()))[-1]
    assert ours.coef == pytest.approx(theirs, abs=1e-4)
    expected = np.logaddexp(0, -z @ ours.coef).mean() + l2 / 2 * ours.coef @ ours.coef
    assert ours.objective == pytest.approx(expected, rel=1e-12)
