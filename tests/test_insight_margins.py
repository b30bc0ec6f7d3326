"""Numbers about structured training: health, mismatch, worst orders, staircases."""

import numpy as np
import pytest

import rankcore
from rankcore import RankingDataset
from rankcore.insight.margins import (
    mismatch,
    optimisation_health,
    staircase,
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
        own = data.subset([q])
        (item,) = ranker.losses(own)
        scores = own.X @ w
        loss, forces = item.loss.worst(scores)
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
    assert (np.diff(picture.good_scores) <= 0).all()
    assert (np.diff(picture.bad_scores) <= 0).all()
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


def test_health_beside_no_model_at_all(small):
    health = optimisation_health(rankcore.SVMMAP(C=10.0), small, (0.0, 0.1, 1.0, 10.0))
    assert health.C.tolist() == [0.0, 1.0, 10.0, 100.0]
    assert health.useless[2] == pytest.approx(10 * health.useless[1])
    assert (health.objective <= health.useless).all()
    assert (np.diff(health.norm) > 0).all()
    assert (np.diff(health.gain) > 0).all()
    assert health.gain[0] == 0.0
    both = optimisation_health(rankcore.SVMCombo(), small, (1.0,))
    assert both.C.tolist() == [30.0]


def test_the_matrix_holds_each_model_by_each_measure(small):
    models = {
        name: rankcore.get_algorithm(name)().fit_dataset(small)
        for name in ("SVMMAP", "SVMAUC")
    }
    table = mismatch(models, small, ("AP", "AUC", "RR@10"))
    assert table.trained == ("SVMMAP", "SVMAUC")
    assert table.tested == ("AP", "AUC", "RR@10")
    from rankcore import measures

    scores = small.X @ models["SVMAUC"].coef_
    assert table.values[1, 0] == measures.means(small, scores, ["AP"])["AP"]
    assert (table.values[table.best, range(3)] == table.values.max(axis=0)).all()
