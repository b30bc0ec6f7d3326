"""The reduction to pairs: as a learner, and what it promises and does not."""

import itertools
import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.tree import DecisionTreeClassifier

from rankcore import RankingDataset
from rankcore.algorithms.rsrank import PairwiseLoss
from rankcore.measures import exact_ranks
from rankcore.topics.reduction import regrets
from rankcore.topics.reduction import swaps as reduction
from rankcore.training.reduction import PairwiseReduction, train_pairs

CYCLE = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
D1_D2 = 1 - 1 / math.log2(3)
D2_D3 = 1 / math.log2(3) - 1 / 2


def problem(seed=0, n_queries=6, n=10):
    rng = np.random.default_rng(seed)
    X = rng.random((n_queries * n, 3))
    y = np.digitize(X[:, 0] - X[:, 1] + 0.05 * rng.standard_normal(len(X)), [0, 0.4])
    return X, y, np.repeat(np.arange(n_queries), n)


# 1-3: what holds


@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("levels", [2, 3, 5])
def test_the_loss_bounds_one_less_ndcg_for_all_orders(n, levels):
    rng = np.random.default_rng(n + levels)
    for labels in rng.integers(0, levels, (6, n)):
        for order in itertools.permutations(range(n)):
            ranks = reduction.ranks_of(order)
            lost = 1 - reduction.ndcg(ranks, labels)
            loss = reduction.pairwise_loss(ranks, labels)
            dataset = RankingDataset.from_arrays(-0.3 * ranks[:, None], labels)
            surrogate, _ = PairwiseLoss(dataset)(np.ones(1))
            assert lost <= loss + 1e-12
            assert loss <= surrogate + 1e-12


def test_the_loss_bounds_one_less_ndcg_for_six_documents():
    labels = np.array([0, 3, 1, 0, 2, 1])
    for order in itertools.permutations(range(6)):
        ranks = reduction.ranks_of(order)
        lost = 1 - reduction.ndcg(ranks, labels)
        assert lost <= reduction.pairwise_loss(ranks, labels) + 1e-12


def test_two_documents_attain_the_bound():
    ranks = reduction.ranks_of((1, 0))
    assert 1 - reduction.ndcg(ranks, (1, 0)) == pytest.approx(D1_D2)
    assert reduction.pairwise_loss(ranks, (1, 0)) == pytest.approx(D1_D2)
    assert pytest.approx(0.369070, abs=5e-7) == D1_D2


# 4: the regrets


def test_the_regret_in_ndcg_can_exceed_that_in_pairs():
    result = regrets.regrets(((0, 0, 1), (1, 1, 0)), regrets.mixed(0.6))
    best, at = int(result.ndcg.argmax()), result.find("132")
    assert result.candidates[best].key == "312"
    assert result.ndcg[best] == pytest.approx(0.877370, abs=2e-6)
    assert result.ndcg[at] == pytest.approx(0.746446, abs=5e-7)
    assert result.ndcg_regret[at] == pytest.approx(0.130924, abs=5e-7)
    assert result.loss[at] == pytest.approx(0.253554, abs=5e-7)
    assert result.loss_regret[at] == pytest.approx(0.253554 - 0.213147, abs=1e-6)
    assert result.loss_regret[at] == pytest.approx(0.040407, abs=5e-7)
    assert result.refutes[at]


def test_an_order_can_be_best_in_pairs_and_bad_in_ndcg():
    result = regrets.regrets(((0, 0, 1), (1, 1, 0)), regrets.mixed(0.55))
    at = result.find("132")
    assert result.loss_regret[at] == 0.0
    assert result.loss[at] == pytest.approx(0.239114, abs=5e-7)
    assert result.ndcg_regret[at] == pytest.approx(0.101156, abs=5e-7)
    assert result.candidates[int(result.ndcg.argmax())].key[0] == "3"


# 5-7: the lemma, cycles, half of the pairs


def test_a_swap_can_gain_more_than_its_weight():
    swaps = reduction.swaps_to_ideal((0, 1, 2), (0, 1, 2))
    assert swaps[2].gained_discount == pytest.approx(D1_D2)
    assert swaps[2].weight_discount == pytest.approx(D2_D3)
    assert pytest.approx(0.130930, abs=5e-7) == D2_D3
    gained = sum(swap.ndcg_gain for swap in swaps)
    assert gained == pytest.approx(0.413117, abs=5e-7)
    weights = sum(swap.weight for swap in swaps)
    assert weights == pytest.approx(0.586883, abs=5e-7)


def test_thirteen_of_eighty_one_swaps_violate_the_lemma():
    swaps = [
        swap
        for n in (3, 4)
        for order in itertools.permutations(range(n))
        for swap in reduction.swaps_to_ideal(order, range(n))
    ]
    wrong = [swap for swap in swaps if swap.ndcg_gain > swap.weight + 1e-12]
    assert len(swaps) == 81
    assert len(wrong) == 13


def test_a_cycle_has_no_loss_and_any_order():
    certain = ((2, 1, 0), (2, 1, 0))
    result = regrets.regrets(certain, regrets.mixed(1.0), classifiers=True)
    assert reduction.positions(CYCLE).tolist() == [2, 2, 2]
    assert reduction.tournament_loss(CYCLE, certain[0]) == 0.0
    assert result.loss[6:].tolist() == result.loss_regret[6:].tolist() == [0.0, 0.0]
    assert result.ndcg_regret[6:] == pytest.approx([0.413117] * 2, abs=5e-7)
    assert regrets.losses(certain).respects[6:].all()


def test_an_order_is_a_classifier_without_cycles():
    for order in itertools.permutations(range(3)):
        ranks = reduction.ranks_of(order)
        beaten = reduction.beaten_by(ranks)
        assert reduction.positions(beaten).tolist() == ranks.tolist()
        for labels in ((0, 2, 1), (1, 0, 0)):
            loss = reduction.pairwise_loss(ranks, labels)
            assert reduction.tournament_loss(beaten, labels) == loss


def test_half_of_the_pairs_miss_a_swapped_top():
    ranks = reduction.ranks_of((0, 1))
    assert reduction.pairwise_loss(ranks, (0, 1), all_pairs=False) == 0.0
    assert reduction.pairwise_loss(ranks, (0, 1)) == pytest.approx(D1_D2)


# NDCG-Train and NDCG-Test


def test_pairs_carry_the_preference_and_the_weight_of_their_swap():
    X, y, qid = problem()
    y[qid == 2] = 1
    dataset = RankingDataset.from_arrays(X, y, qid)
    ranks = np.concatenate([np.random.default_rng(0).permutation(10) + 1] * 6)
    parts = list(train_pairs(dataset, ranks))
    assert len(parts) == 5
    for part in parts:
        query = part.first[0] // 10
        rows = slice(10 * query, 10 * query + 10)
        weights = reduction.pair_weights(ranks[rows], y[rows])
        i, j = part.first - 10 * query, part.second - 10 * query
        assert part.weight == pytest.approx(weights[i, j], rel=1e-12)
        assert part.target.tolist() == (y[part.second] > y[part.first]).tolist()
        both = set(zip(i.tolist(), j.tolist(), strict=True))
        expected = itertools.permutations(range(10), 2)
        assert both == {(a, b) for a, b in expected if y[rows][a] != y[rows][b]}


@pytest.mark.parametrize("pair_features", ["difference", "both"])
@pytest.mark.parametrize(
    "classifier",
    [
        None,
        LogisticRegression(C=100.0),
        DecisionTreeClassifier(max_depth=6, random_state=0),
    ],
)
def test_any_classifier_of_pairs_ranks(classifier, pair_features):
    X, y, qid = problem()
    model = PairwiseReduction(classifier, n_rounds=2, pair_features=pair_features)
    model.fit(X, y, qid)
    assert len(model.losses_) == 2
    assert model.score(X, y, qid) > 0.95
    wins = model.predict(X, qid)
    beaten = model.tournament(X[qid == 3])
    assert wins[qid == 3] == pytest.approx(beaten.sum(axis=0))
    assert np.all(beaten + beaten.T == 1 - np.eye(10))


def test_a_classifier_can_be_given_a_query_at_a_time():
    X, y, qid = problem()
    seen = []

    class Noting(SGDClassifier):
        def partial_fit(self, X, y, classes=None, sample_weight=None):
            seen.append(len(y))
            return super().partial_fit(X, y, classes, sample_weight)

    model = PairwiseReduction(
        Noting(loss="log_loss", random_state=0), n_rounds=2, stream=True
    )
    model.fit(X, y, qid)
    pairs = [2 * int((v[:, None] > v).sum()) for v in np.split(y, 6)]
    assert seen == 2 * pairs
    assert model.score(X, y, qid) > 0.9


def test_rows_may_come_in_any_order():
    X, y, qid = problem()
    order = np.random.default_rng(0).permutation(len(y))
    model = PairwiseReduction().fit(X, y, qid)
    assert model.predict(X[order], qid[order]).tolist() == (
        model.predict(X, qid)[order].tolist()
    )


def test_the_loss_of_a_round_is_that_of_the_pairs_it_gets_wrong():
    X, y, qid = problem(1)
    model = PairwiseReduction(n_rounds=1, random_state=4).fit(X, y, qid)
    dataset = RankingDataset.from_arrays(X, y, qid)
    scores = np.random.default_rng(4).standard_normal(len(y))
    total = 0.0
    for query in map(dataset.query, range(6)):
        ranks = exact_ranks(scores[query.slice], [0, 10])
        weights = reduction.pair_weights(ranks, query.y)
        wrong = model.tournament(query.X) * (query.y[:, None] > query.y)
        total += (weights * wrong).sum()
    assert model.losses_[0] == pytest.approx(total / 6)


def test_data_without_pairs_is_refused_with_a_sentence():
    with pytest.raises(ValueError, match="two different labels"):
        PairwiseReduction().fit(np.eye(3), np.ones(3, dtype=int), qid=None)
    with pytest.raises(ValueError, match="pair_features"):
        PairwiseReduction(pair_features="x").fit(np.eye(2), np.array([0, 1]), qid=None)
