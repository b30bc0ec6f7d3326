"""RSRank for AP and RR: every weight is the change of the measure by a swap."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given

from rankcore import measures
from rankcore.algorithms.parts.delta_weights import BinaryLoss
from rankcore.algorithms.rsrank import RSRank
from rankcore.data.dataset import RankingDataset
from rankcore.training import Stop, drive
from tests.algorithms.scored import curvature_within, phi, phi_slope, problem, scored

KINDS = ("AP", "RR")
every_kind = pytest.mark.parametrize("kind", KINDS)


def value_of(kind, order, labels):
    offsets = np.array([0, len(labels)])
    ranks = np.empty(len(labels))
    ranks[order] = np.arange(1.0, len(labels) + 1)
    return measures.parse(kind)(ranks, labels, offsets)[0]


def swap_weights(kind, scores, labels):
    """(n, n) change of the measure by each swap, the measure computed afresh."""
    order = np.lexsort((labels, -scores))
    place = np.argsort(order)
    weights = np.zeros((len(scores), len(scores)))
    before = value_of(kind, order, labels)
    for i in np.flatnonzero(labels > 0):
        for j in np.flatnonzero(labels == 0):
            swapped = order.copy()
            swapped[[place[i], place[j]]] = j, i
            weights[i, j] = abs(value_of(kind, swapped, labels) - before)
    return weights


def double_loop(kind, scores, labels):
    w = swap_weights(kind, scores, labels)
    v = scores[:, None] - scores
    slopes = w * phi_slope(v)
    return (w * phi(v)).sum(), slopes.sum(1) - slopes.sum(0), w.sum()


def loss_by_score(kind, scores, labels):
    loss = BinaryLoss(RankingDataset.from_arrays(scores[:, None], labels), kind)
    value, _ = loss(np.ones(1))
    return value, loss.forces


def test_weights_of_a_short_list():
    """In the order (irrelevant, relevant, relevant): AP is (1/2 + 2/3) / 2, RR 1/2."""
    s, y = np.array([3.0, 2.0, 1.0]), np.array([0, 1, 1])
    ap = (1 / 2 + 2 / 3) / 2
    first, second = (1 + 2 / 3) / 2 - ap, (1 + 1) / 2 - ap
    assert loss_by_score("AP", s, y)[0] == pytest.approx(4 * (first + 2 * second))
    assert loss_by_score("RR", s, y)[0] == pytest.approx(4 * 0.5 * (1 + 2))


@every_kind
@pytest.mark.parametrize("n", [2, 9, 60])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 30.0, 1e6])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_loss_and_gradient_equal_the_double_loop(kind, n, scale, share):
    rng = np.random.default_rng(n)
    s, y = scale * rng.standard_normal(n), (rng.random(n) < share).astype(int)
    y[:2] = 0, 2
    value, forces = loss_by_score(kind, s, y)
    expected, gradient, total = double_loop(kind, s, y)
    assert abs(value - expected) <= 1e-12 * max(expected, total)
    assert np.abs(forces - gradient).max() <= 1e-12 * total


@every_kind
@given(documents=scored([0, 1], 25, largest=1e9))
def test_ties_and_huge_scores(kind, documents):
    s, y = documents
    value, forces = loss_by_score(kind, s, y)
    expected, gradient, total = double_loop(kind, s, y)
    # The linear parts are sums of forces times scores.
    size = max(expected, total, 1e-3 * total * np.ptp(s), 1e-300)
    assert abs(value - expected) <= 1e-12 * size
    assert np.abs(forces - gradient).max() <= 1e-12 * max(total, 1e-300)
    assert abs(forces.sum()) <= 1e-11 * max(total, 1e-300)


@every_kind
def test_gradient_sums_over_queries(kind):
    dataset = problem([0.3, 0.6])
    w = np.array([2.0, -1.0, 0.5, 0.0])
    value, gradient = BinaryLoss(dataset, kind)(w)
    parts = [double_loop(kind, q.X @ w, q.y) for q in map(dataset.query, range(5))]
    assert value == pytest.approx(sum(part[0] for part in parts), rel=1e-12)
    forces = np.concatenate([part[1] for part in parts])
    assert gradient == pytest.approx(forces @ dataset.X, rel=1e-11)


@every_kind
def test_curvature_is_the_largest_eigenvalue_at_the_ideal_order(kind):
    dataset, units = problem([0.3, 0.6]), np.ones(4)
    curvature = BinaryLoss(dataset, kind).curvature(units, np.random.default_rng(0))
    assert curvature_within(curvature, dataset, partial(swap_weights, kind), units)


@every_kind
def test_training_raises_its_measure(kind):
    dataset = problem([0.3, 0.6])
    run = drive(
        RSRank(importance=kind),
        dataset,
        stop=Stop(max_iterations=300),
        measures=(kind,),
        start=np.array([-0.01, 0.01, 0.0, 0.0]),
    )
    values = [record.train[kind] for record in run]
    assert values[-1] > values[0] + 0.2
    assert values[-1] > 0.9


@every_kind
def test_without_a_relevant_and_an_irrelevant_document_the_start_is_kept(kind):
    """Labels 1 and 2 are a pair to nDCG, but equally relevant to AP and RR."""
    dataset = RankingDataset.from_arrays(np.eye(2), np.array([1, 2]))
    run = drive(RSRank(importance=kind), dataset)
    assert len(list(run)) == 1
    assert "both relevant and irrelevant" in run.reason


@every_kind
def test_large_labels_are_no_obstacle(kind):
    dataset = RankingDataset.from_arrays(np.eye(2), np.array([0, 40]))
    assert RSRank(importance=kind, max_iter=3).fit_dataset(dataset).coef_[1] > 0
