"""Pairs of clicked and unclicked documents, by hand, and where their weights help."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from rankcore import DataError, LambdaRank, measures
from rankcore.topics.clicks.learning import click_data, click_weights
from rankcore.topics.clicks.pairs import ClickPairLoss, ClickPairs, learn_pairs
from rankcore.topics.clicks.settings import GAINING
from tests.topics.clicks.logs import DATA, counted, simulation


@pytest.fixture(scope="module")
def log():
    return simulation().log(800)


def by_hand(log):
    """Numbers of pairs by documents and positions."""
    pairs = Counter()
    lists = [np.flatnonzero(log.session == s) for s in range(log.n_sessions)]
    for rows in lists:
        for i in rows[log.clicked[rows]]:
            for j in rows[~log.clicked[rows]]:
                pairs[
                    log.document[i], log.document[j], log.position[i], log.position[j]
                ] += 1
    return pairs


def test_pairs_and_biases_are_those_that_one_counts(log):
    pairs, expected = ClickPairs.of(log), by_hand(log)
    keys = zip(pairs.better, pairs.worse, pairs.above + 1, pairs.below + 1, strict=True)
    assert dict(zip(keys, pairs.counts, strict=True)) == expected
    model = learn_pairs(DATA, log, rounds=0)
    assert (model.clicked == 1.0).all()
    assert (model.unclicked == 1.0).all()
    for rounds in (1, 2):
        scores, sums = DATA.X @ model.coef, np.zeros((2, 4))
        for (i, j, k, other), count in expected.items():
            lost = count * np.log1p(np.exp(scores[j] - scores[i]))
            sums[0, k - 1] += lost / model.unclicked[other - 1]
            sums[1, other - 1] += lost / model.clicked[k - 1]
        model = learn_pairs(DATA, log, rounds=rounds, power=0.4)
        ratios = sums / sums[:, :1]
        np.testing.assert_allclose(model.clicked, ratios[0] ** 0.4, rtol=1e-9)
        np.testing.assert_allclose(model.unclicked, ratios[1] ** 0.4, rtol=1e-9)
    assert model.clicked[3] < model.clicked[1] < 1.0
    biases = model.clicked[pairs.above] * model.unclicked[pairs.below]
    _, slope = ClickPairLoss(DATA.X, pairs, pairs.counts / biases)(model.coef)
    # The features have the range 1.
    np.testing.assert_allclose(slope + 0.001 * model.coef, 0.0, atol=2e-6)


def test_the_loss_is_the_weighted_mean_and_has_this_gradient(log):
    pairs = ClickPairs.of(log)
    rng = np.random.default_rng(4)
    weights, w = rng.uniform(0.5, 2.0, len(pairs.counts)), rng.normal(size=45)
    loss = ClickPairLoss(DATA.X, pairs, weights)
    value, gradient = loss(w)
    scores = DATA.X @ w
    each = np.log1p(np.exp(scores[pairs.worse] - scores[pairs.better]))
    assert value == pytest.approx((weights * each).sum() / weights.sum())
    for j in (0, 3, 44):
        step = 1e-6 * (np.arange(45) == j)
        slope = (loss(w + step)[0] - loss(w - step)[0]) / 2e-6
        assert slope == pytest.approx(gradient[j], rel=1e-5)


def test_a_position_without_pairs_has_no_bias_and_a_log_without_any_is_refused():
    data = DATA.subset([0])
    few = counted((0, 1, 4, 2), (1, 3, 4, 0))
    with pytest.raises(DataError, match="clicked and one that was not"):
        learn_pairs(data, few)
    session = np.repeat(np.arange(3), 2)
    log = replace(
        few, session=session, document=np.tile([0, 1], 3),
        position=np.tile([1, 3], 3), clicked=np.tile([True, False], 3),
    )  # fmt: skip
    model = learn_pairs(data, log, rounds=2)
    assert model.clicked.tolist() == [1.0, 1.0, 1.0]
    assert model.unclicked.tolist() == [1.0, 1.0, 1.0]


def qualities(seed, models, sessions=20_000):
    """Test nDCG@10 where three rankers log clicks."""
    train, _, test = GAINING.parts()
    engine = replace(
        GAINING.simulation(train, seed),
        rankers=tuple(train.X[:, j] for j in (3, 17, 29)),
    )
    log = engine.log(sessions)
    return [
        measures.means(test, scores, "nDCG@10")["nDCG@10"]
        for scores in (model(train, test, log) for model in models)
    ]


def heuristic(rounds):
    return lambda train, test, log: (
        test.X @ learn_pairs(train, log, rounds=rounds, power=1.0).coef
    )


@pytest.mark.soak
def test_biases_help_where_documents_move():
    result = np.array([qualities(s, [heuristic(0), heuristic(5)]) for s in range(10)])
    gains = result[:, 1] - result[:, 0]
    assert gains.mean() - 1.96 * gains.std(ddof=1) / np.sqrt(10) > 0.02


def boosted(with_positions):
    """LightGBM on sessions, with its own position bias."""

    def scores(train, test, log):
        import lightgbm

        data = lightgbm.Dataset(
            train.X[log.document],
            log.clicked.astype(np.float64),
            group=np.bincount(log.session),
            position=log.position if with_positions else None,
        )
        settings = {
            "objective": "lambdarank", "num_leaves": 7, "learning_rate": 0.05,
            "verbose": -1, "num_threads": 1, "deterministic": True, "seed": 1,
        }  # fmt: skip
        return lightgbm.train(settings, data, 100).predict(test.X)

    return scores


def weighted(train, test, log):
    """LambdaRank with the true propensities."""
    learner = LambdaRank(max_iter=50)
    weights = click_weights(log, GAINING.behaviour.examination(GAINING.cutoff))
    return test.X @ learner.fit_dataset(click_data(learner, train, weights)).coef_


@pytest.mark.soak
def test_lightgbm_with_its_position_bias_lies_between_naive_and_weighted_learning():
    pytest.importorskip("lightgbm", minversion="4.1")
    models = [boosted(False), boosted(True), weighted]
    each = [qualities(seed, models, 3000) for seed in range(3)]
    naive, corrected, linear = np.mean(each, axis=0)
    assert naive + 0.03 < corrected < linear
