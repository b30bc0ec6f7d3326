"""Worst orders of structured losses against every order there is."""

import itertools
import math
from functools import cache

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from rankcore._kernels.structured.merging_cutoff import cutoff_merge
from rankcore.algorithms.dorm import DORM
from rankcore.algorithms.parts.margins import assignment_loss
from rankcore.algorithms.parts.margins.assignment_loss import AssignmentLoss
from rankcore.algorithms.parts.margins.margin_losses import (
    APLoss,
    AUCLoss,
    BinaryQueries,
    FirstOnlyRRLoss,
    NDCGLoss,
    RRLoss,
)
from rankcore.algorithms.svm_map import SVMMAP
from rankcore.base.cancellation import cancel_points
from rankcore.data.dataset import RankingDataset
from rankcore.training import Stop, drive
from tests.soaking import soak


def standard(rank):
    return 1 / math.log2(1 + rank)


def letor(rank):
    return 1.0 if rank <= 2 else 1 / math.log2(rank)


def auc_loss(good):
    inverted = sum(b > a for a, b in itertools.combinations(good, 2))
    return inverted / (sum(good) * (len(good) - sum(good)))


def ap_loss(good):
    ranks = [rank for rank, g in enumerate(good, 1) if g]
    return 1 - sum(i / rank for i, rank in enumerate(ranks, 1)) / len(ranks)


def ndcg_loss(good, cutoff, discount):
    ranks = [rank for rank, g in enumerate(good, 1) if g]
    ideal = sum(discount(i) for i in range(1, min(len(ranks), cutoff) + 1))
    return 1 - sum(discount(r) for r in ranks if r <= cutoff) / ideal


def rr_loss(good, cutoff):
    first = list(good).index(True) + 1
    return 1 - (1 / first if first <= cutoff else 0)


def pair_map(scores, good, nu):
    """w . phi_po of documents in this order."""
    total = 0.0
    for (s, g), (t, h) in itertools.combinations(zip(scores, good, strict=True), 2):
        total += (s - t) * (g != h)
    return total / nu


def first_map(scores, good, nu):
    """w . phi_mrr of documents in this order."""
    first = list(good).index(True)
    return sum(s - scores[first] for s in scores[:first]) / nu


def binary_queries(scores, good, qid=None):
    data = RankingDataset.from_arrays(
        np.asarray(scores)[:, None], np.asarray(good, dtype=int), qid
    )
    return BinaryQueries(data, data.y >= 1)


def value(loss, scores):
    """Loss minus margin at the order found."""
    losses, forces = loss.separation_oracle(np.asarray(scores, dtype=float))
    return losses.sum() - forces @ scores


@cache
def highest_maps(scores, good, feature_map):
    """The largest feature map over all orders, by the ranks of relevant documents."""
    settings = {}
    for order in itertools.permutations(zip(scores, good, strict=True)):
        mapped, places = zip(*order, strict=True)
        settings[places] = max(
            settings.get(places, -np.inf), feature_map(mapped, places, 1)
        )
    return settings


def by_brute_force(scores, good, delta, feature_map, nu):
    ideal = np.argsort(~np.asarray(good), kind="stable")
    every = highest_maps(tuple(scores), tuple(good), feature_map)
    best = max(delta(places) + highest / nu for places, highest in every.items())
    ideal_map = feature_map(np.asarray(scores)[ideal], np.asarray(good)[ideal], nu)
    return best - ideal_map


CUTOFFS = (None, 1, 2, 3, 5)


def kinds():
    """Name → (loss class and its arguments, loss of an order, feature map)."""
    yield "AUC", AUCLoss, (), auc_loss, pair_map
    yield "AP", APLoss, (), ap_loss, pair_map
    for k, d in itertools.product(CUTOFFS, (standard, letor)):
        depth = math.inf if k is None else k

        def delta(good, k=depth, d=d):
            return ndcg_loss(good, min(k, len(good)), d)

        yield f"NDCG@{k} {d.__name__}", NDCGLoss, (k, d is letor), delta, pair_map
    for k in CUTOFFS:
        depth = math.inf if k is None else k

        def delta(good, k=depth):
            return rr_loss(good, k)

        yield f"RR@{k}", RRLoss, (k,), delta, pair_map
        yield f"RR@{k} first", FirstOnlyRRLoss, (k,), delta, first_map


KINDS = list(kinds())
every_loss = pytest.mark.parametrize(
    ("kind", "details", "delta", "feature_map"),
    [kind[1:] for kind in KINDS],
    ids=[kind[0] for kind in KINDS],
)


def small_queries(seed, largest):
    """Scores with and without ties, and which documents are good; both kinds."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, largest + 1))
    good = rng.random(n) < rng.choice([0.3, 0.5, 0.7])
    good[rng.permutation(n)[:2]] = True, False
    grid = rng.choice([0.0, 0.1, -0.1, 0.3], size=n)
    spread = rng.normal(size=n) * rng.choice([0.03, 0.3, 1.0])
    return [np.zeros(n), grid, spread][seed % 3], good


def normaliser(feature_map, good, per_pair):
    n_good, n_bad = int(sum(good)), int(len(good) - sum(good))
    terms = n_bad if feature_map is first_map else n_good * n_bad
    return terms if per_pair else 1


@every_loss
@pytest.mark.parametrize("per_pair", [True, False], ids=["mean", "sum"])
def test_no_order_is_worse_than_the_one_found(
    kind, details, delta, feature_map, per_pair
):
    for seed in range(30):
        scores, good = small_queries(seed, largest=5)
        loss = kind(binary_queries(scores, good), per_pair, *details)
        nu = normaliser(feature_map, good, per_pair)
        expected = by_brute_force(scores, good, delta, feature_map, nu)
        assert value(loss, scores) == pytest.approx(expected, abs=1e-12)


@every_loss
@pytest.mark.parametrize("size", [6, soak(7)])
def test_no_order_of_many_documents_is_worse(kind, details, delta, feature_map, size):
    scores, good = small_queries(11, largest=7)
    scores, good = np.resize(scores, size), np.resize(good, size)
    loss = kind(binary_queries(scores, good), True, *details)
    nu = normaliser(feature_map, good, per_pair=True)
    expected = by_brute_force(scores, good, delta, feature_map, nu)
    assert value(loss, scores) == pytest.approx(expected, abs=1e-12)


def every_merge(m, n_bad):
    """All staircases: bad documents above each of m good ones."""
    return itertools.combinations_with_replacement(range(n_bad + 1), m)


@pytest.mark.parametrize("seed", range(25))
def test_larger_queries_against_all_merges(seed):
    rng = np.random.default_rng(seed)
    m, n_bad = rng.integers(1, 5, size=2)
    scores = rng.normal(size=m + n_bad) * rng.choice([0.05, 0.5])
    good = np.arange(m + n_bad) < m
    g, b = -np.sort(-scores[:m]), -np.sort(-scores[m:])
    nu = m * n_bad
    for _, kind, details, delta, feature_map in KINDS:
        if feature_map is first_map:
            continue
        best = -np.inf
        for above in every_merge(m, n_bad):
            order = np.zeros(m + n_bad, dtype=bool)
            order[[i + a for i, a in enumerate(above)]] = True
            inverted = sum(b[:a].sum() - a * x for x, a in zip(g, above, strict=True))
            best = max(best, delta(order.tolist()) + 2 / nu * inverted)
        loss = kind(binary_queries(scores, good), True, *details)
        assert value(loss, scores) == pytest.approx(best, abs=1e-12)


REFERENCE = (0.5, 0.2, 0.1, -0.3)
REFERENCE_GOOD = (False, True, False, True)


@pytest.mark.parametrize(
    ("kind", "details", "highest"),
    [
        (AUCLoss, (), 1.35),
        (APLoss, (), 14 / 15),
        (NDCGLoss, (None, False), 0.779358),
        (NDCGLoss, (None, True), 0.784535),
        (NDCGLoss, (2, False), 1.35),
        (RRLoss, (None,), 61 / 60),
    ],
)
def test_worked_example_with_means_of_pairs(kind, details, highest):
    """w . phi(y*) is -0.35: the pairs differ by -0.3, 0.1, -0.8 and -0.4."""
    loss = kind(binary_queries(REFERENCE, REFERENCE_GOOD), True, *details)
    ideal = (-0.3 + 0.1 - 0.8 - 0.4) / 4
    assert ideal == pytest.approx(-0.35)
    assert value(loss, REFERENCE) + ideal == pytest.approx(highest, abs=5e-7)


@pytest.mark.parametrize(
    ("kind", "details", "highest", "ideal"),
    [
        (APLoss, (), 2.1, -1.4),
        (AUCLoss, (), 2.4, -1.4),
        (NDCGLoss, (None, False), 1.949079, -1.4),
        (FirstOnlyRRLoss, (None,), 28 / 15, 0.0),
    ],
)
def test_worked_example_with_sums(kind, details, highest, ideal):
    loss = kind(binary_queries(REFERENCE, REFERENCE_GOOD), False, *details)
    assert value(loss, REFERENCE) + ideal == pytest.approx(highest, abs=5e-7)


def test_good_documents_that_choose_on_their_own_would_not_be_a_merge():
    """Good scores 0, 0.1, 0.1, one bad: alone, only the first wants it above."""
    scores, good = np.array([0.0, -0.1, 0.1, 0.1]), np.array([1, 0, 1, 1], dtype=bool)
    g, bad, nu = [0.1, 0.1, 0.0], -0.1, 3
    ideal = sum(standard(i) for i in (1, 2, 3))
    alone = [
        2 / nu * (bad - x) + (standard(i) - standard(i + 1)) / ideal > 0
        for i, x in enumerate(g, 1)
    ]
    assert alone == [True, False, False]
    loss = NDCGLoss(binary_queries(scores, good), True, None, False)
    loss.separation_oracle(scores)
    assert loss.above[:3].tolist() == sorted(loss.above[:3])
    expected = by_brute_force(
        scores, good, lambda y: ndcg_loss(y, 4, standard), pair_map, nu
    )
    assert value(loss, scores) == pytest.approx(expected, abs=1e-12)
    repaired = 2 / nu * sum(bad - x for x in g) + 1
    repaired -= sum(standard(i) for i in (2, 3, 4)) / ideal
    assert expected - repaired == pytest.approx(0.0662, abs=5e-5)


@pytest.mark.parametrize("is_letor", [False, True], ids=["standard", "letor"])
def test_dynamic_programme_and_free_choice_agree_without_a_cutoff(is_letor):
    rng = np.random.default_rng(3)
    for m, n_bad in [(1, 30), (12, 9), (40, 60), (3, 1)]:
        scores = rng.normal(size=m + n_bad) * 0.2
        queries = binary_queries(scores, np.arange(m + n_bad) < m)
        loss = NDCGLoss(queries, True, None, is_letor)
        discount = letor if is_letor else standard
        table = np.array([0.0, *map(discount, range(1, m + n_bad + 2))])
        result = value(loss, scores)
        above = np.zeros(m, dtype=np.int64)
        good, bad = queries.keys[:m], queries.keys[m:]
        cutoff_merge(
            good, bad, 2 / (m * n_bad), table, table[1 : m + 1].sum(), m + n_bad, above
        )
        sums = np.append(0.0, np.cumsum(bad))
        gain = table[np.arange(1, m + 1) + above].sum() / table[1 : m + 1].sum()
        margin = 2 / (m * n_bad) * (sums[above] - above * good).sum()
        assert 1 - gain + margin == pytest.approx(result, abs=1e-12)


@every_loss
def test_queries_do_not_see_each_other(kind, details, delta, feature_map):
    del delta, feature_map
    rng = np.random.default_rng(5)
    qid = np.repeat([1, 2, 3, 4], [6, 1, 9, 4])
    good = rng.random(20) < 0.4
    good[:2], good[16:] = (True, False), True
    scores = rng.normal(size=20)
    losses, forces = kind(
        binary_queries(scores, good, qid), True, *details
    ).separation_oracle(scores)
    assert losses[1] == losses[3] == 0
    assert not forces[qid == 2].any()
    assert not forces[qid == 4].any()
    for q in (0, 2):
        rows = qid == q + 1
        result = kind(binary_queries(scores[rows], good[rows]), True, *details)
        alone, pulls = result.separation_oracle(scores[rows])
        assert losses[q] == alone[0]
        np.testing.assert_array_equal(forces[rows], pulls)


@every_loss
def test_old_orders_do_not_matter(kind, details, delta, feature_map):
    """Sorting starts from the last order; the answer depends on the scores only."""
    del delta, feature_map
    rng = np.random.default_rng(7)
    good = rng.random(30) < 0.5
    first, second = rng.normal(size=(2, 30)).round(1)
    used = kind(binary_queries(first, good), True, *details)
    used.separation_oracle(first)
    fresh = kind(binary_queries(first, good), True, *details)
    for result, theirs in zip(
        used.separation_oracle(second), fresh.separation_oracle(second), strict=True
    ):
        np.testing.assert_array_equal(result, theirs)


def test_the_threshold_says_who_is_good():
    data = RankingDataset.from_arrays(np.arange(4.0)[:, None], np.array([0, 1, 2, 3]))
    (item,) = SVMMAP(relevant_from=2).losses(data)
    assert item.loss.queries.n_good.tolist() == [2]
    (item,) = SVMMAP(relevant_from=4).losses(data)
    assert not item.loss.counted.any()


def graded(scores, labels):
    return RankingDataset.from_arrays(np.asarray(scores)[:, None], np.asarray(labels))


def decreasing(decay, n, cutoff):
    r = np.arange(1, n + 1)
    return np.maximum(cutoff + 1 - r, 0) if decay == "linear" else (r + 1) ** -0.25


@pytest.mark.parametrize("decay", ["linear", "root"])
@pytest.mark.parametrize("cutoff", CUTOFFS)
@pytest.mark.parametrize("is_letor", [False, True], ids=["standard", "letor"])
@pytest.mark.parametrize("levels", [2, 3])
def test_no_order_is_worse_than_the_assignment(decay, cutoff, is_letor, levels):
    discount = letor if is_letor else standard
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n = 6 if seed == 0 else int(rng.integers(2, 6))
        labels = rng.integers(levels, size=n) + (seed % 2)
        labels[:2] = seed % 2, levels - 1 + seed % 2
        scores = [np.zeros(n), rng.choice([0, 0.2, -0.1], n), rng.normal(size=n)][
            seed % 3
        ]
        depth = min(n, n if cutoff is None else cutoff)
        a = decreasing(decay, n, n if cutoff is None else cutoff)
        d = np.array([discount(t) if t <= depth else 0.0 for t in range(1, n + 1)])
        gains = 2.0**labels - 1
        gains /= np.sort(gains)[::-1] @ d
        orders = np.array(list(itertools.permutations(range(n))))
        maps = scores[orders] @ a
        best = (1 - gains[orders] @ d + maps).max()
        ideal = maps[(np.diff(labels[orders]) <= 0).all(axis=1)].mean()
        loss = AssignmentLoss(graded(scores, labels), cutoff, is_letor, decay, False)
        assert value(loss, scores) == pytest.approx(best - ideal, abs=1e-12)


@pytest.mark.parametrize("scores_of", ["continuous", "tied"])
def test_orders_are_as_bad_as_those_of_a_general_assignment(scores_of):
    # Few scores and steps tie orders, and then a path may cross itself.
    rng = np.random.default_rng(3)
    for _ in range(400):
        n = int(rng.integers(3, 50))
        labels = rng.integers(rng.integers(2, 9), size=n)
        labels[:2] = 0, 1
        scores = rng.normal(size=n) * rng.choice([0.001, 0.1, 10.0])
        if scores_of == "tied":
            scores = rng.integers(3, size=n) * rng.choice([0.0, 0.125, 0.25])
        cutoff = rng.choice([None, 1, 5, 20])
        decay = rng.choice(["linear", "root"])
        loss = AssignmentLoss(graded(scores, labels), cutoff, False, decay, False)
        if scores_of == "tied":
            loss.weights = np.round(4 * loss.weights / loss.weights.max()) / 4
            loss._discounts = np.round(8 * loss._discounts) / 8
        ranks = loss.ranks(scores)
        values = loss.values(scores, 0)
        depth = values.shape[1]
        placed = np.flatnonzero(ranks)
        assert sorted(ranks[placed]) == list(range(1, depth + 1))
        best = values[linear_sum_assignment(values, maximize=True)].sum()
        assert values[placed, ranks[placed] - 1].sum() == pytest.approx(
            best, rel=1e-12, abs=1e-12
        )


def test_among_tied_orders_documents_of_one_label_stay_as_they_are():
    """Orders of equal scores tie; here the shortest path of the last document of label
    2 takes the rank of the first one, which moves below it."""
    scores, labels = np.full(4, 3.0), np.array([2, 3, 2, 0])
    data = RankingDataset.from_arrays(np.arange(4.0)[:, None], labels)
    loss = AssignmentLoss(data, None, False, "root", False)
    first, _, second, _ = loss.ranks(scores)
    assert (first, second) == (2, 3)


def test_scores_that_are_not_numbers_end_the_search():
    data = graded(np.zeros(6), [0, 0, 1, 1, 2, 3])
    loss = AssignmentLoss(data, None, False, "linear", True)
    for broken in (np.nan, np.inf, -np.inf):
        loss.ranks(np.array([0.0, broken, 1.0, broken, broken, 2.0]))


def test_worked_example_of_the_assignment():
    scores, labels = np.array([0.2, 0.5, 0.1]), np.array([2, 0, 1])
    loss = AssignmentLoss(graded(scores, labels), 3, False, "linear", False)
    assert loss.ranks(scores).tolist() == [2, 1, 3]
    assert loss.weights.tolist() == [3.0, 2.0, 1.0]
    ideal = 3 + 1 / math.log2(3)
    won = 3 / math.log2(3) + 1 / 2
    assignment = 3 * 0.5 + 2 * 0.2 + 0.1 - won / ideal
    assert assignment == pytest.approx(1.340998, abs=5e-7)
    margin_of_ideal = 3 * 0.2 + 2 * 0.1 + 0.5
    assert value(loss, scores) == pytest.approx(1 + assignment - margin_of_ideal)


def test_means_divide_by_the_sum_of_rank_weights():
    scores, labels = np.array([0.2, 0.5, 0.1]), np.array([2, 0, 1])
    loss = AssignmentLoss(graded(scores, labels), None, False, "linear", True)
    assert loss.weights == pytest.approx(np.array([3, 2, 1]) / 6)


def test_many_queries_are_assigned_one_by_one():
    rng = np.random.default_rng(2)
    lengths = [5, 1, 8, 12, 4]
    qid = np.repeat(np.arange(5), lengths)
    labels = rng.integers(3, size=30)
    labels[14:26] = rng.integers(2, size=12)
    labels[26:] = 1
    scores = rng.normal(size=30)
    data = RankingDataset.from_arrays(scores[:, None], labels, qid)
    losses, forces = AssignmentLoss(data, 4, False, "linear", True).separation_oracle(
        scores
    )
    for q in range(5):
        result = qid == q
        alone = AssignmentLoss(
            graded(scores[result], labels[result]), 4, False, "linear", True
        )
        loss, force = alone.separation_oracle(scores[result])
        assert losses[q] == pytest.approx(loss[0], abs=1e-15)
        np.testing.assert_allclose(forces[result], force, atol=1e-15)
    assert losses[1] == losses[4] == 0


def one_query(n, levels):
    return RankingDataset.from_arrays(
        np.cos(np.arange(n, dtype=float))[:, None], np.arange(n) % levels
    )


@pytest.mark.parametrize(
    ("settings", "most", "levels"),
    [
        # The third label: n / 3 documents to n ranks, n^3 / 3 operations, at most 8e9.
        ({}, 2_884, 3),
        ({"cutoff": 10, "decay": "root"}, 2_884, 3),
        # Merging two halves: (n + 1) (n / 2 + 1) bytes, at most 1e9.
        ({}, 44_718, 2),
    ],
)
def test_queries_too_long_for_linear_assignment_are_refused(settings, most, levels):
    model = DORM(**settings)
    assert model.unsupported_reason(one_query(most, levels)) is None
    refusal = model.unsupported_reason(one_query(most + 2, levels))
    assert f"the {most + 2:,} documents of one query" in refusal
    assert "Set a cutoff" in refusal


@pytest.mark.parametrize(("levels", "settings"), [(3, {"cutoff": 100}), soak(2, {})])
def test_twenty_thousand_documents_are_learnt_from(levels, settings):
    data = one_query(20_000, levels)
    model = DORM(**settings)
    assert model.unsupported_reason(data) is None
    run = drive(model, data, stop=Stop(max_iterations=1))
    assert list(run)[-1].iteration == 1


def test_merging_in_parts_makes_the_whole(monkeypatch):
    rng = np.random.default_rng(5)
    data = RankingDataset.from_arrays(
        rng.normal(size=(60, 2)), rng.integers(0, 2, 60), np.repeat(np.arange(10), 6)
    )
    scores = rng.normal(size=60)
    loss = AssignmentLoss(data, None, False, "linear", True)
    whole, places = loss.ranks(scores), []
    monkeypatch.setattr(assignment_loss, "_OPERATIONS_PER_CHUNK", 20)
    with cancel_points(lambda: places.append(None)):
        np.testing.assert_array_equal(loss.ranks(scores), whole)
    assert len(places) > 3
