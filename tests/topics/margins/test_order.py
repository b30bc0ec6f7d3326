"""One query of structured training: worst orders, staircases, slack."""

import numpy as np
import pytest

import rankcore
from rankcore import RankingDataset
from rankcore.topics.margins.merges import assignment, staircase
from rankcore.topics.margins.order import score_range, slack_along, slacks, worst_order

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
        own = data.subset([q])
        (item,) = ranker.losses(own)
        scores = own.X @ w
        loss, forces = item.loss.separation_oracle(scores)
        found = worst_order(ranker, data, q, w)
        assert found.loss == pytest.approx(loss[0])
        assert found.margin == pytest.approx(forces @ scores)
        assert found.slack == pytest.approx(loss[0] - forces @ scores)
        if found.swaps:
            assert sum(s.loss for s in found.swaps) == pytest.approx(found.loss)
            assert sum(s.margin for s in found.swaps) == pytest.approx(found.margin)


@every_ranker
def test_the_three_orders_are_orders(ranker):
    data, w = graded(1), np.array([1.0, -0.5])
    found = worst_order(ranker, data, 0, w)
    for order in (found.current, found.worst, found.ideal):
        assert sorted(order) == list(range(10))
    assert (np.diff(found.scores[found.current]) <= 0).all()
    good = found.labels >= getattr(ranker, "relevant_from", 1)
    assert (np.diff(good[found.ideal].astype(int)) <= 0).all()
    place = np.argsort(found.worst)
    for swap in found.swaps:
        assert place[swap.bad] < place[swap.good]
        assert good[swap.good]
        assert not good[swap.bad]


@pytest.mark.parametrize("ranker", RANKERS[:6], ids=str)
def test_inverted_pairs_lie_below_the_staircase(ranker):
    data, w = graded(2), np.array([0.2, 0.1])
    found, picture = worst_order(ranker, data, 1, w), staircase(ranker, data, 1, w)
    m, n_bad = picture.values.shape
    assert (len(picture.good), len(picture.bad)) == (m, n_bad)
    below = np.arange(n_bad) < picture.above[:, None]
    assert below.sum() == len(found.swaps)
    assert picture.values[below].sum() == pytest.approx(found.slack)


def test_dorm_has_no_staircase_but_a_sentence():
    with pytest.raises(ValueError, match="assign documents to ranks"):
        staircase(rankcore.DORM(), graded(), 0, np.ones(2))


def test_a_loss_of_several_is_chosen_by_name():
    data, w = graded(), np.ones(2)
    for name in ("AUC", "AP", "NDCG", "RR"):
        assert worst_order(rankcore.SVMCombo(), data, 0, w, name).loss_name == name
    with pytest.raises(ValueError, match="there is AUC, AP, NDCG, RR"):
        worst_order(rankcore.SVMCombo(), data, 0, w, "ERR")


def test_a_query_of_one_kind_has_nothing_to_lose():
    data = RankingDataset.from_arrays(np.eye(3), np.array([1, 1, 2]))
    found = worst_order(rankcore.SVMMAP(), data, 0, np.arange(3.0))
    assert found.slack == 0
    assert found.worst.tolist() == found.current.tolist() == [2, 1, 0]
    assert staircase(rankcore.SVMMAP(), data, 0, np.ones(3)).values.shape == (3, 0)


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
        found = worst_order(ranker, data, 0, [1.0])
        assert found.slack == pytest.approx(slack, abs=1e-6)
        assert found.worst.tolist() == order


@every_ranker
def test_the_slack_bounds_the_loss_of_the_predicted_order(ranker):
    data = graded(3)
    for w in ([1.0, -0.5], [0.0, 0.0], [30.0, 80.0]):
        found = slacks(ranker, data, w)
        assert (found.slack >= found.predicted - 1e-12).all()
        assert (found.predicted >= 0.0).all()
        for q in range(2):
            own = worst_order(ranker, data, q, w)
            assert own.slack == pytest.approx(found.slack[q])
            assert own.predicted_loss == pytest.approx(found.predicted[q])


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
    found = slack_along(ranker, scores, labels, 1, -3.0, 3.0)
    assert (found.slack >= found.loss - 1e-9).all()
    assert found.scores[found.at] == scores[1]
    slopes = np.diff(found.slack) / np.diff(found.scores)
    wide = np.diff(found.scores) > 1e-3
    assert (np.diff(slopes[wide]) >= -1e-9).all()
    data = RankingDataset.from_arrays(scores[:, None], labels)
    here = worst_order(ranker, data, 0, [1.0])
    assert found.slack[found.at] == pytest.approx(here.slack)
    assert found.loss[found.at] == pytest.approx(here.predicted_loss)


def test_the_assignment_is_the_worst_order():
    data = RankingDataset.from_arrays([[0.2], [0.5], [0.1]], [2, 0, 1])
    ranker = rankcore.DORM(cutoff=3, scaling="sum")
    found = assignment(ranker, data, 0, [1.0])
    picked = found.values[found.ranks > 0, found.ranks[found.ranks > 0] - 1]
    assert picked.sum() == pytest.approx(1.340998, abs=1e-6)
    assert worst_order(ranker, data, 0, [1.0]).worst.tolist() == [1, 0, 2]
    with pytest.raises(ValueError, match="merge two lists"):
        assignment(rankcore.SVMMAP(), data, 0, [1.0])


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
