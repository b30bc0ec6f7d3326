"""RankBoost: weights without pairs, thresholds by brute force, its falling loss."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcore.algorithms.rankboost import (
    RankBoost,
    Thresholds,
    WeightedPairs,
    weight_of,
)
from rankcore.data.dataset import RankingDataset
from rankcore.training import Stop, drive


def weighted(scores, labels, qid=None):
    data = RankingDataset.from_arrays(np.zeros((len(labels), 1)), labels, qid)
    pairs = WeightedPairs(data)
    pairs.scores[:] = scores
    return pairs, pairs.weigh()


def double_loop(scores, labels):
    D = np.where(
        labels[:, None] > labels, np.exp(scores[None, :] - scores[:, None]), 0.0
    )
    return D, D.sum(), D.sum(axis=1) - D.sum(axis=0)


def test_worked_loss():
    s, y = np.array([0.3, 0.1, 0.2]), np.array([0, 2, 1])
    expected = math.exp(0.3 - 0.1) + math.exp(0.2 - 0.1) + math.exp(0.3 - 0.2)
    pairs, loss = weighted(s, y)
    assert pairs.count == 3
    assert loss == pytest.approx(expected, rel=1e-15)
    assert loss == pytest.approx(3.431745, abs=5e-7)
    assert pairs.potentials.sum() == pytest.approx(0.0, abs=1e-15)


@given(
    st.lists(
        st.tuples(st.floats(-40, 40), st.sampled_from([0, 1, 2, 5])),
        min_size=1,
        max_size=60,
    )
)
def test_weights_equal_the_double_loop(documents):
    s = np.array([score for score, _ in documents])
    y = np.array([label for _, label in documents])
    _, expected, potentials = double_loop(s, y)
    pairs, loss = weighted(s, y)
    scale = max(expected, 1e-300)
    assert abs(loss - expected) <= 1e-12 * scale
    assert np.abs(pairs.potentials - potentials).max() <= 1e-12 * scale
    assert pairs.widest == np.ptp(s)


def test_queries_add_up_wherever_their_scores_lie():
    rng = np.random.default_rng(0)
    s, y, qid = rng.normal(size=40), rng.integers(0, 3, 40), np.repeat([1, 2], 20)
    s[20:] += 1e4  # a constant within a query changes no pair
    _, loss = weighted(s, y, qid)
    parts = [double_loop(s[qid == q], y[qid == q])[1] for q in (1, 2)]
    assert loss == pytest.approx(sum(parts), rel=1e-11)


@pytest.mark.parametrize("rho", [-0.9, -0.1, 0.0, 0.3, 0.999])
def test_the_weight_minimises_the_bound_on_the_normaliser(rho):
    def bound(alpha):
        return (1 + rho) / 2 * math.exp(-alpha) + (1 - rho) / 2 * math.exp(alpha)

    best = weight_of(rho)
    assert bound(best) == pytest.approx(math.sqrt(1 - rho**2))
    assert bound(best) <= min(bound(best - 1e-3), bound(best + 1e-3))


def test_a_perfect_threshold_has_a_finite_weight():
    assert weight_of(1.0) == -weight_of(-1.0) == pytest.approx(0.5 * math.log(2e6))


@pytest.mark.parametrize("most", [1, 3, 10, 255])
def test_documents_know_how_many_thresholds_they_exceed(most):
    rng = np.random.default_rng(most)
    X = np.column_stack([
        rng.random(600), rng.integers(0, 5, 600), np.ones(600), rng.random(600) > 0.99
    ])  # fmt: skip
    thresholds = Thresholds(X, most)
    for feature, values in enumerate(thresholds.values):
        assert len(values) <= min(most, len(np.unique(X[:, feature])) - 1)
        assert (np.diff(values) > 0).all()
        expected = (X[:, feature, None] > values).sum(axis=1)
        np.testing.assert_array_equal(thresholds.bins[feature], expected)
    assert len(thresholds.values[2]) == 0
    assert len(thresholds.values[3]) == 1


def test_neighbouring_numbers_and_far_ones_can_be_parted():
    low = 1.0
    high = np.nextafter(low, 2.0)
    for a, b in ((low, high), (-1.7e308, 1.7e308)):
        (values,) = Thresholds(np.array([[a], [b]]), 5).values
        assert a <= values[0] < b


def by_brute_force(X, potentials):
    """The largest sum of potentials beyond any threshold, of either sign."""
    cuts = [
        potentials[X[:, f] > value].sum()
        for f in range(X.shape[1])
        for value in np.unique(X[:, f])[:-1]
    ]
    return max(map(abs, cuts))


@pytest.mark.parametrize("n", [2, 7, 50, 101])
def test_the_best_threshold_by_brute_force(n):
    rng = np.random.default_rng(n)
    X, potentials = np.round(rng.random((n, 4)), 1), rng.normal(size=n)
    potentials -= potentials.mean()
    thresholds = Thresholds(X, 255)
    feature, number, correlation = thresholds.best(potentials)
    assert abs(correlation) == pytest.approx(by_brute_force(X, potentials))
    beyond = X[:, feature] > thresholds.values[feature][number]
    assert potentials[beyond].sum() == pytest.approx(correlation)
    scores = np.zeros(n)
    thresholds.add(scores, feature, number, 2.5)
    np.testing.assert_array_equal(scores, 2.5 * beyond)


def planted(noise=0.3):
    rng = np.random.default_rng(0)
    X = rng.random((120, 4))
    truth = X[:, 0] - X[:, 1] + noise * rng.standard_normal(120)
    y = np.digitize(truth, [0.0, 0.5])
    return RankingDataset.from_arrays(X, y, np.arange(120) % 6)


def run(dataset, passes, **settings):
    training = drive(
        RankBoost(**settings), dataset, stop=Stop(max_iterations=passes), measures=()
    )
    return list(training), training.reason


def test_rounds_are_those_of_a_plain_implementation_on_pairs():
    """Freund et al.'s algorithm with all pairs and all thresholds written out."""
    dataset = planted()
    scores = np.zeros(120)
    parts = [dataset.query(q) for q in range(6)]
    D = [np.where(p.y[:, None] > p.y, 1.0, 0.0) for p in parts]
    total = sum(d.sum() for d in D)
    D = [d / total for d in D]
    for record in run(dataset, 12, n_thresholds=255)[0][1:]:
        potentials = np.concatenate([d.sum(1) - d.sum(0) for d in D])
        rho = record.diagnostics["rho"]
        assert abs(rho) == pytest.approx(by_brute_force(dataset.X, potentials))
        root = record.coef[-3]
        h = dataset.X[:, int(root[2])] > root[3]
        assert potentials[h].sum() == pytest.approx(rho)
        alpha = 0.5 * math.log((1 + rho) / (1 - rho))
        scores += alpha * h
        split = np.split(h * 1.0, dataset.offsets[1:-1])
        D = [
            d * np.exp(-alpha * (v[:, None] - v)) for d, v in zip(D, split, strict=True)
        ]
        Z = sum(d.sum() for d in D)
        assert record.diagnostics["normaliser"] == pytest.approx(Z)
        D = [d / Z for d in D]
        ours = RankBoost().scores(dataset.X, record.coef)
        assert ours == pytest.approx(scores, rel=1e-12)


def test_the_loss_falls_by_the_normaliser_in_every_round():
    records, _ = run(planted(), 80)
    assert records[0].objective == 1.0
    for before, after in itertools.pairwise(records):
        normaliser, rho = after.diagnostics["normaliser"], after.diagnostics["rho"]
        assert normaliser < 1.0
        assert normaliser <= math.sqrt(1 - rho**2) * (1 + 1e-12)
        assert after.objective == pytest.approx(before.objective * normaliser)


def test_the_objective_is_the_loss_of_the_scores():
    dataset = planted()
    last = run(dataset, 25)[0][-1]
    scores = RankBoost().scores(dataset.X, last.coef)
    parts = [double_loop(scores[q.slice], q.y) for q in map(dataset.query, range(6))]
    pairs = sum(np.count_nonzero(part[0]) for part in parts)
    mean = sum(part[1] for part in parts) / pairs
    assert last.objective == pytest.approx(mean, rel=1e-10)


def test_pairs_that_one_threshold_orders_are_learnt_and_left():
    dataset = RankingDataset.from_arrays([[0.1], [0.4], [0.6], [0.9]], [0, 0, 1, 1])
    records, reason = run(dataset, 100)
    assert reason == "All pairs are in order by a wide margin."
    assert len(records) < 10
    assert records[-1].coef[0, 3] == pytest.approx(0.5)


def test_features_that_say_nothing_are_not_used():
    dataset = RankingDataset.from_arrays([[0.0], [0.0], [1.0], [1.0]], [0, 1, 0, 1])
    records, reason = run(dataset, 100)
    assert len(records) == 1
    assert reason == "No threshold orders the weighted pairs better than chance."


def test_few_thresholds_are_respected():
    records, _ = run(planted(), 60, n_thresholds=1)
    forest = records[-1].coef
    used = {(row[2], row[3]) for row in forest[forest[:, 2] >= 0]}
    assert len(used) <= 4
