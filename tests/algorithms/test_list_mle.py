"""ListMLE against its worked numbers, the definition and a sum over permutations."""

import itertools

import numpy as np
import pytest
from scipy.optimize import check_grad

from rankcore.algorithms.list_mle import ListMLE, PlackettLuceLoss
from rankcore.data.dataset import RankingDataset
from rankcore.training import drive


def by_definition(scores, labels):
    order = np.argsort(-labels, kind="stable")
    tails = np.array(
        [np.logaddexp.reduce(scores[order[k:]]) for k in range(len(scores))]
    )
    force = np.empty(len(scores))
    for t, document in enumerate(order):
        force[document] = np.exp(scores[document] - tails[: t + 1]).sum() - 1
    return (tails - scores[order]).sum(), force


def sums(scores, labels):
    """Ours: each document has a feature of its own, so coefficients are scores."""
    dataset = RankingDataset.from_arrays(np.eye(len(scores)), labels)
    return PlackettLuceLoss(dataset)(scores)


def problem(seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, 40)
    y[:8] = 1
    return RankingDataset.from_arrays(rng.random((40, 4)), y, np.repeat(range(5), 8))


def test_worked_example():
    e = np.exp([0.1, 0.2, 0.3])
    chances = [e[0] / e.sum(), e[1] / e[1:].sum(), 1.0]
    value, force = sums(np.array([0.3, 0.1, 0.2]), np.array([0, 2, 1]))
    assert value == pytest.approx(-np.log(chances).sum())
    assert value == pytest.approx(1.946340, abs=1e-6)
    assert force == pytest.approx([0.892145, -0.699390, -0.192754], abs=1e-6)


@pytest.mark.parametrize("n", [2, 7, 300])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 30.0])
def test_it_equals_the_definition(n, scale):
    rng = np.random.default_rng(n)
    s, y = scale * rng.standard_normal(n), rng.integers(0, 3, n)
    y[0] = 5
    value, force = sums(s, y)
    expected, forces = by_definition(s, y)
    assert value == pytest.approx(expected, rel=1e-12)
    assert np.abs(force - forces).max() <= 1e-12 * max(np.abs(forces).max(), 1.0)


@pytest.mark.parametrize("scale", [1e3, 1e9])
def test_huge_scores_neither_overflow_nor_lose_the_gradient(scale):
    y = np.array([2, 1, 0])
    value, force = sums(scale * np.array([0.0, 1.0, 2.0]), y)
    assert value == pytest.approx(2 * scale + scale)
    assert force == pytest.approx([-1.0, -1.0, 2.0])
    value, force = sums(scale * np.array([2.0, 1.0, 0.0]), y)
    assert value == 0.0
    assert force.tolist() == [0.0, 0.0, 0.0]


def test_the_chances_of_all_orders_sum_to_one():
    s = np.array([0.5, -1.0, 2.0, 0.0])
    losses = [sums(s, np.array(y))[0] for y in itertools.permutations(range(4))]
    assert np.exp(-np.array(losses)).sum() == pytest.approx(1.0)


def test_gradient_by_finite_differences():
    loss = PlackettLuceLoss(problem())
    w = np.array([1.0, -0.5, 0.25, 2.0])
    assert check_grad(lambda w: loss(w)[0], lambda w: loss(w)[1], w) < 1e-5


def test_the_mean_is_over_queries_with_two_labels():
    dataset, w = problem(), np.array([1.0, -0.5, 0.25, 2.0])
    queries = map(dataset.query, range(1, 5))
    expected = np.mean([by_definition(q.X @ w, q.y)[0] for q in queries])
    assert PlackettLuceLoss(dataset)(w)[0] == pytest.approx(expected, rel=1e-12)


def test_ties_follow_the_input_or_the_seed():
    dataset = problem()
    coefs = {
        (ties, seed): list(
            drive(ListMLE(ties=ties, random_state=seed), dataset, measures=())
        )[-1].coef
        for ties in ("input", "random")
        for seed in (0, 1)
    }
    assert np.array_equal(coefs["input", 0], coefs["input", 1])
    assert not np.allclose(coefs["random", 0], coefs["random", 1])
    breaker = np.arange(40)[::-1]
    backwards = RankingDataset.from_arrays(
        dataset.X[::-1], dataset.y[::-1], np.repeat(range(5), 8)[::-1]
    )
    w = np.ones(4)
    turned = PlackettLuceLoss(dataset, breaker)(w)[0]
    assert turned == pytest.approx(PlackettLuceLoss(backwards)(w)[0], rel=1e-12)
