"""One query of structured training: worst orders, staircases, slack."""

import numpy as np
import pytest

import rankcore
from rankcore import RankingDataset
from rankcore.topics.margins.merges import assignment, staircase
from rankcore.topics.margins.order import (
    Case,
    score_range,
    slack_along,
    slacks,
    worst_order,
)

RANKERS = [
    rankcore.SVMAUC(),
    rankcore.SVMMAP(relevant_from=2),
    rankcore.SVMNDCG(),
    rankcore.SVMNDCG(cutoff=3, discount="letor"),
    rankcore.SVMMRR(),
    rankcore.SVMMRR(feature_map="first", cutoff=2, scaling="sum"),
    rankcore.DORM(cutoff=3),
    rankcore.DORM(decay="root"),
]
every_ranker = pytest.mark.parametrize("ranker", RANKERS, ids=str)


def graded(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 2)) * 0.3
    y = rng.integers(3, size=20)
    y[[0, 10]], y[[1, 11]] = 2, 0
    return RankingDataset.from_arrays(X, y, np.repeat([1, 2], 10))


@every_ranker
def test_terms_add_up_to_slack_and_bound_the_loss(ranker):
    data, w = graded(), np.array([1.0, -0.5])
    for q in range(2):
        subset = data.subset([q])
        (item,) = ranker.losses(subset)
        scores = subset.X @ w
        loss, forces = item.loss.separation_oracle(scores)
        order = worst_order(Case(ranker, data, q, w))
        assert order.loss == pytest.approx(loss[0])
        assert order.margin == pytest.approx(forces @ scores)
        assert order.slack == pytest.approx(loss[0] - forces @ scores)
        if order.swaps:
            assert sum(s.loss for s in order.swaps) == pytest.approx(order.loss)
            assert sum(s.margin for s in order.swaps) == pytest.approx(order.margin)


@every_ranker
def test_the_three_orders_are_orders(ranker):
    data, w = graded(1), np.array([1.0, -0.5])
    ordering = worst_order(Case(ranker, data, 0, w))
    for order in (ordering.current, ordering.worst, ordering.ideal):
        assert sorted(order) == list(range(10))
    assert (np.diff(ordering.scores[ordering.current]) <= 0).all()
    good = ordering.labels >= getattr(ranker, "relevant_from", 1)
    assert (np.diff(good[ordering.ideal].astype(int)) <= 0).all()
    place = np.argsort(ordering.worst)
    for swap in ordering.swaps:
        assert place[swap.bad] < place[swap.good]
        assert good[swap.good]
        assert not good[swap.bad]


@pytest.mark.parametrize("ranker", RANKERS[:6], ids=str)
def test_inverted_pairs_lie_below_the_staircase(ranker):
    data, w = graded(2), np.array([0.2, 0.1])
    result, picture = (
        worst_order(Case(ranker, data, 1, w)),
        staircase(Case(ranker, data, 1, w)),
    )
    m, n_bad = picture.values.shape
    assert (len(picture.good), len(picture.bad)) == (m, n_bad)
    below = np.arange(n_bad) < picture.above[:, None]
    assert below.sum() == len(result.swaps)
    assert picture.values[below].sum() == pytest.approx(result.slack)


def test_dorm_has_no_staircase_but_a_sentence():
    with pytest.raises(ValueError, match="assign documents to ranks"):
        staircase(Case(rankcore.DORM(), graded(), 0, np.ones(2)))


def test_a_loss_of_several_is_chosen_by_name():
    data, w = graded(), np.ones(2)
    for name in ("AUC", "AP", "NDCG", "RR"):
        assert (
            worst_order(Case(rankcore.SVMCombo(), data, 0, w, name)).loss_name == name
        )
    with pytest.raises(ValueError, match="there is AUC, AP, NDCG, RR"):
        worst_order(Case(rankcore.SVMCombo(), data, 0, w, "ERR"))


def test_a_query_of_one_kind_has_nothing_to_lose():
    data = RankingDataset.from_arrays(np.eye(3), np.array([1, 1, 2]))
    order = worst_order(Case(rankcore.SVMMAP(), data, 0, np.arange(3.0)))
    assert order.slack == 0
    assert order.worst.tolist() == order.current.tolist() == [2, 1, 0]
    assert staircase(Case(rankcore.SVMMAP(), data, 0, np.ones(3))).values.shape == (
        3,
        0,
    )


def test_the_worked_values_of_four_documents():
    scores = np.array([0.5, 0.2, 0.1, -0.3])
    data = RankingDataset.from_arrays(scores[:, None], [0, 1, 0, 1])
    expected = {
        rankcore.SVMAUC(): (1.7, [0, 2, 1, 3]),
        rankcore.SVMMAP(): (1.283333, [0, 2, 1, 3]),
        rankcore.SVMNDCG(): (1.129358, [0, 2, 1, 3]),
        rankcore.SVMNDCG(discount="letor"): (1.134535, [0, 2, 1, 3]),
        rankcore.SVMNDCG(cutoff=2): (1.7, [0, 2, 1, 3]),
        rankcore.SVMMRR(): (1.366667, [0, 2, 1, 3]),
        rankcore.SVMMRR(feature_map="first", scaling="sum"): (1.866667, [0, 2, 3, 1]),
    }
    for ranker, (slack, order) in expected.items():
        ordering = worst_order(Case(ranker, data, 0, [1.0]))
        assert ordering.slack == pytest.approx(slack, abs=1e-6)
        assert ordering.worst.tolist() == order


@every_ranker
def test_the_slack_bounds_the_loss_of_the_predicted_order(ranker):
    data = graded(3)
    for w in ([1.0, -0.5], [0.0, 0.0], [30.0, 80.0]):
        result = slacks(ranker, data, w)
        assert (result.slack >= result.predicted - 1e-12).all()
        assert (result.predicted >= 0.0).all()
        for q in range(2):
            order = worst_order(Case(ranker, data, q, w))
            assert order.slack == pytest.approx(result.slack[q])
            assert order.predicted_loss == pytest.approx(result.predicted[q])


@pytest.mark.parametrize(
    ("ranker", "measure"),
    [
        (rankcore.SVMAUC(), "AUC"),
        (rankcore.SVMMAP(), "AP"),
        (rankcore.SVMNDCG(cutoff=3), "nDCG@3"),
        (rankcore.SVMMRR(cutoff=2), "RR@2"),
        (rankcore.SVMMRR(feature_map="first"), "RR"),
        (rankcore.DORM(cutoff=3), "nDCG@3"),
    ],
    ids=str,
)
def test_the_predicted_loss_is_one_less_the_measure(ranker, measure):
    from rankcore import measures

    data, w = graded(4), np.array([0.4, 1.0])
    if not isinstance(ranker, rankcore.DORM):
        data = RankingDataset.from_arrays(
            data.X, np.minimum(data.y, 1), np.repeat([1, 2], 10)
        )
    values = measures.evaluate(data, data.X @ w, [measure])[measure].to_numpy()
    assert slacks(ranker, data, w).predicted == pytest.approx(1.0 - values)


@every_ranker
def test_slack_along_a_score_is_convex_and_above_the_steps(ranker):
    rng = np.random.default_rng(5)
    scores, labels = rng.normal(size=6), np.array([0, 2, 0, 1, 2, 0])
    result = slack_along(ranker, scores, labels, 1, -3.0, 3.0)
    assert (result.slack >= result.loss - 1e-9).all()
    assert result.scores[result.at] == scores[1]
    slopes = np.diff(result.slack) / np.diff(result.scores)
    wide = np.diff(result.scores) > 1e-3
    assert (np.diff(slopes[wide]) >= -1e-9).all()
    data = RankingDataset.from_arrays(scores[:, None], labels)
    here = worst_order(Case(ranker, data, 0, [1.0]))
    assert result.slack[result.at] == pytest.approx(here.slack)
    assert result.loss[result.at] == pytest.approx(here.predicted_loss)


def test_the_assignment_is_the_worst_order():
    data = RankingDataset.from_arrays([[0.2], [0.5], [0.1]], [2, 0, 1])
    ranker = rankcore.DORM(cutoff=3, scaling="sum")
    result = assignment(Case(ranker, data, 0, [1.0]))
    picked = result.values[result.ranks > 0, result.ranks[result.ranks > 0] - 1]
    assert picked.sum() == pytest.approx(1.340998, abs=1e-6)
    assert worst_order(Case(ranker, data, 0, [1.0])).worst.tolist() == [1, 0, 2]
    with pytest.raises(ValueError, match="merge two lists"):
        assignment(Case(rankcore.SVMMAP(), data, 0, [1.0]))


@pytest.mark.parametrize(
    ("scores", "reach"),
    [
        ([0.2], (-1.0, 1.0)),
        ([0.99, -3.0], (-4.0, 2.0)),
        ([1.9, 0.1], (-1.0, 2.0)),
        ([-7.2], (-8.0, 1.0)),
    ],
)
def test_the_range_of_scores_is_whole_and_holds_zero(scores, reach):
    assert score_range(scores) == reach
