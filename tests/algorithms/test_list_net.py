"""ListNet against its worked numbers and the definition."""

import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.special import log_softmax, softmax

from rankcore.algorithms.list_net import ListNet, TopOneLoss
from rankcore.data.dataset import RankingDataset
from rankcore.training import drive


def by_definition(scores, labels):
    target = softmax(labels.astype(float))
    return -target @ log_softmax(scores), softmax(scores) - target


def sums(scores, labels):
    """Ours: each document has a feature of its own, so coefficients are scores."""
    return TopOneLoss(RankingDataset.from_arrays(np.eye(len(scores)), labels))(scores)


def problem():
    rng = np.random.default_rng(0)
    X = rng.random((40, 4))
    y, qid = rng.integers(0, 3, 40), np.repeat(np.arange(5), 8)
    y[:8] = 1
    return RankingDataset.from_arrays(X, y, qid)


def test_worked_example():
    value, force = sums(np.array([0.3, 0.1, 0.2]), np.array([0, 2, 1]))
    target = np.exp([0, 2, 1]) / np.exp([0, 2, 1]).sum()
    total = np.log(np.exp([0.3, 0.1, 0.2]).sum())
    assert value == pytest.approx(target @ (total - np.array([0.3, 0.1, 0.2])))
    assert value == pytest.approx(1.159464, abs=5e-7)
    assert force == pytest.approx([0.277135, -0.364631, 0.087497], abs=1e-6)


@pytest.mark.parametrize("n", [1, 2, 7, 300])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 300.0, 1e9])
def test_it_equals_the_definition(n, scale):
    rng = np.random.default_rng(n)
    s, y = scale * rng.standard_normal(n), rng.integers(0, 5, n)
    value, force = sums(s, y)
    expected, forces = by_definition(s, y)
    assert value == pytest.approx(expected, rel=1e-12, abs=1e-15)
    assert np.abs(force - forces).max() <= 1e-14


def test_large_labels_do_not_overflow():
    value, force = sums(np.zeros(2), np.array([0, 5000]))
    assert value == pytest.approx(np.log(2))
    assert force == pytest.approx([0.5, -0.5])


def test_gradient_by_finite_differences():
    loss = TopOneLoss(problem())
    w = np.array([1.0, -0.5, 0.25, 2.0])
    assert check_grad(lambda w: loss(w)[0], lambda w: loss(w)[1], w) < 1e-6


def test_the_mean_is_over_all_queries():
    dataset, w = problem(), np.array([1.0, -0.5, 0.25, 2.0])
    queries = map(dataset.query, range(dataset.n_queries))
    expected = np.mean([by_definition(q.X @ w, q.y)[0] for q in queries])
    assert TopOneLoss(dataset)(w)[0] == pytest.approx(expected, rel=1e-12)


def test_the_model_found_is_a_minimum():
    dataset = problem()
    last = list(drive(ListNet(l2=0.01), dataset, measures=()))[-1]
    value, gradient = TopOneLoss(dataset)(last.coef)
    ranges = np.max([np.ptp(dataset.query(q).X, axis=0) for q in range(5)], axis=0)
    scaled = ranges * last.coef
    assert last.objective == pytest.approx(value + 0.005 * scaled @ scaled, rel=1e-12)
    assert gradient + 0.01 * ranges * scaled == pytest.approx(np.zeros(4), abs=1e-6)
