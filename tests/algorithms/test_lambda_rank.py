"""LambdaRank against its worked example and the double loop."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcore._kernels.arithmetic.elementary import log1p_of_share
from rankcore.algorithms.lambda_rank import LambdaRank
from rankcore.algorithms.parts.delta_weights import WeightedLogisticLoss
from rankcore.algorithms.rsrank import PairwiseLoss
from rankcore.data.dataset import RankingDataset
from tests.algorithms.scored import pair_weights, problem, trained


def double_loop(scores, labels):
    """Loss and its gradient by score, pair by pair."""
    w = pair_weights(scores, labels)
    v = scores[:, None] - scores
    slopes = -w * np.exp(-np.logaddexp(0, v))
    return (w * np.logaddexp(0, -v)).sum(), slopes.sum(1) - slopes.sum(0)


def loss_by_score(scores, labels):
    loss = WeightedLogisticLoss(RankingDataset.from_arrays(scores[:, None], labels))
    value, _ = loss(np.ones(1))
    return value, loss.forces


def train(dataset, passes, **hyperparameters):
    return trained(LambdaRank, dataset, passes, **hyperparameters)[0]


def test_worked_example():
    s, y = np.array([0.3, 0.1, 0.2]), np.array([0, 2, 1])
    third = 1 / math.log2(3)
    w10, w12, w20 = 3 * (1 - 0.5), 2 * (third - 0.5), 1 - third
    p10, p12, p20 = (1 / (1 + math.exp(-v)) for v in (-0.2, -0.1, -0.1))
    up = [
        -w10 * (1 - p10) - w20 * (1 - p20),
        w10 * (1 - p10) + w12 * (1 - p12),
        w20 * (1 - p20) - w12 * (1 - p12),
    ]
    _, forces = loss_by_score(s, y)
    assert -forces == pytest.approx(np.array(up) / (3 + third))
    assert -forces == pytest.approx([-0.280508, 0.265007, 0.015501], abs=5e-7)


@pytest.mark.parametrize("n", [1, 2, 30, 150])
@pytest.mark.parametrize("grades", [2, 3, 5])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 30.0, 1e5])
def test_loss_and_forces_equal_the_double_loop(n, grades, scale):
    rng = np.random.default_rng(n + grades)
    s, y = scale * rng.standard_normal(n), rng.integers(0, grades, n)
    value, forces = loss_by_score(s, y)
    expected, gradient = double_loop(s, y)
    assert value == pytest.approx(expected, rel=1e-12)
    assert np.abs(forces - gradient).max() <= 1e-12 * max(np.abs(gradient).max(), 1e-9)


@given(
    st.lists(
        st.tuples(
            st.one_of(st.integers(-3, 3).map(float), st.floats(-1e9, 1e9, width=32)),
            st.sampled_from([0, 1, 2, 4]),
        ),
        min_size=1,
        max_size=40,
    )
)
def test_forces_sum_to_zero_and_are_those_of_the_pairs(documents):
    s = np.array([score for score, _ in documents])
    y = np.array([label for _, label in documents])
    value, forces = loss_by_score(s, y)
    expected, gradient = double_loop(s, y)
    scale = pair_weights(s, y).sum()
    assert abs(forces.sum()) <= 1e-12 * max(scale, 1e-300)
    assert np.abs(forces - gradient).max() <= 1e-12 * max(scale, 1e-300)
    assert abs(value - expected) <= 1e-12 * max(expected, scale)


def test_gradient_sums_over_queries():
    dataset = problem([0.0, 0.4])
    w = np.array([2.0, -1.0, 0.5, 0.0])
    value, gradient = WeightedLogisticLoss(dataset)(w)
    parts = [double_loop(q.X @ w, q.y) for q in map(dataset.query, range(5))]
    assert value == pytest.approx(sum(part[0] for part in parts), rel=1e-12)
    forces = np.concatenate([part[1] for part in parts])
    assert gradient == pytest.approx(forces @ dataset.X, rel=1e-11)


@given(st.floats(0, 1))
def test_logarithm(x):
    assert log1p_of_share(x) == pytest.approx(math.log1p(x), rel=1e-15, abs=0)


def test_its_steps_are_longer_than_those_of_rsrank_by_the_curvature_of_a_pair():
    """The second derivative of the logistic loss is at most 1/4, of RSRank's 2."""
    ones = np.ones(4)
    ours = WeightedLogisticLoss(problem([0.0, 0.4])).curvature(
        ones, np.random.default_rng(0)
    )
    theirs = PairwiseLoss(problem([0.0, 0.4])).curvature(ones, np.random.default_rng(0))
    assert ours == pytest.approx(theirs * 0.25 / 2)


def test_a_step_follows_the_forces():
    first, second = train(problem([0.0, 0.4]), 1, learning_rate=0.01)
    _, gradient = WeightedLogisticLoss(problem([0.0, 0.4]))(first.coef)
    assert second.coef == pytest.approx(first.coef - 0.01 * gradient, rel=1e-12)
    assert second.objective == second.diagnostics["loss"]


def test_training_learns_with_nothing_changed():
    last = train(problem([0.0, 0.4]), 200)[-1]
    assert np.argmax(last.coef) == 0
    assert np.argmin(last.coef) == 1


def test_labels_too_large_for_the_gain_are_refused_with_a_sentence():
    dataset = RankingDataset.from_arrays(np.ones((2, 1)), np.array([0, 32]))
    with pytest.raises(ValueError, match=r"gain .* of LambdaRank"):
        LambdaRank().fit_dataset(dataset)
