"""LightGBM and XGBoost: our scores beside their own, quiet, ending with a reason."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcore import measures
from rankcore.algorithms import get_algorithm, list_algorithms
from rankcore.algorithms.parts.content_order import content_order
from rankcore.algorithms.parts.trees.forests import (
    GrowingForest,
    GrowingTotals,
    lightgbm_trees,
)
from rankcore.algorithms.xgboost import last_below, tree_of_round
from rankcore.data.dataset import RankingDataset
from rankcore.training import Stop, drive

NAMES = sorted({"LightGBM", "XGBoost"} & set(list_algorithms()))
each = pytest.mark.parametrize("name", NAMES)


def planted(n=600, queries=20, seed=0):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.random((n, 3)), rng.integers(0, 4, n), -rng.random(n) / 3])
    truth = X[:, 0] - X[:, 1] * X[:, 3] + 0.2 * rng.standard_normal(n)
    y = np.digitize(truth, [-1.0, 0.0, 0.6])
    return RankingDataset.from_arrays(X, y, np.repeat(np.arange(queries), n // queries))


def on_thresholds(X, forest):
    """Documents whose features lie on thresholds and a hair beside them."""
    rng = np.random.default_rng(1)
    X = X.copy()
    for feature in range(X.shape[1]):
        values = forest[forest[:, 2] == feature, 3]
        if len(values):
            chosen = rng.choice(values, len(X))
            hair = rng.choice([-np.inf, np.inf], len(X))
            moved = np.where(
                rng.random(len(X)) < 0.5, np.nextafter(chosen, hair), chosen
            )
            X[:, feature] = np.where(rng.random(len(X)) < 0.7, moved, X[:, feature])
    return X


def forest_of(trees):
    forest = GrowingForest()
    for tree in trees:
        forest.add(tree)
    return forest.nodes()


def ours(X, forest):
    return GrowingTotals(X)(forest)[0][:, 0]


def lightgbms_own(data, *missing):
    """A booster of LightGBM's own, and its forest."""
    import lightgbm

    settings = {"objective": "lambdarank", "num_threads": 1, "verbose": -1}
    dataset = lightgbm.Dataset(data.X, data.y, group=data.lengths)
    booster = lightgbm.train(settings, dataset, num_boost_round=30)
    trees = (t for i in range(30) for t in lightgbm_trees(booster, i, *missing))
    return booster, forest_of(trees)


def xgboosts_own(data, *missing):
    """A booster of XGBoost's own, and its forest."""
    import xgboost

    dataset = xgboost.QuantileDMatrix(data.X, data.y, qid=np.repeat(np.arange(20), 30))
    settings = {"objective": "rank:ndcg", "base_score": 0.0, "nthread": 1}
    booster = xgboost.train(settings, dataset, num_boost_round=30)
    return booster, forest_of(tree_of_round(booster, i, *missing) for i in range(30))


@pytest.mark.skipif("LightGBM" not in NAMES, reason="LightGBM is not installed")
def test_scores_are_lightgbms_own():
    data = planted()
    booster, forest = lightgbms_own(data)
    for X in (data.X, planted(seed=5).X, on_thresholds(data.X, forest)):
        expected = booster.predict(X, raw_score=True)
        assert ours(X, forest) == pytest.approx(expected, rel=1e-12, abs=1e-14)


@pytest.mark.skipif("LightGBM" not in NAMES, reason="LightGBM is not installed")
def test_training_is_lightgbms_own():
    import lightgbm

    from rankcore.algorithms import lightgbm as lightgbm_ranker

    data = planted()
    model = get_algorithm("LightGBM")(
        max_iter=15, n_leaves=8, l2=0.5, cutoff=5, learning_rate=0.1
    )
    last = list(drive(model, data, measures=()))[-1]
    settings = {
        "objective": "lambdarank",
        "lambdarank_truncation_level": 5,
        "num_leaves": 8,
        "lambda_l2": 0.5,
        "num_threads": 1,
        "verbose": -1,
    }
    first = content_order(data).scores(lightgbm_ranker._SPREAD)
    dataset = lightgbm.Dataset(data.X, data.y, group=data.lengths, init_score=first)
    booster = lightgbm.train(settings, dataset, num_boost_round=15)
    expected = booster.predict(data.X, raw_score=True)
    assert model.scores(data.X, last.coef) == pytest.approx(expected, rel=1e-12)


@pytest.mark.skipif("XGBoost" not in NAMES, reason="XGBoost is not installed")
def test_scores_are_xgboosts_own():
    import xgboost

    data = planted()
    booster, forest = xgboosts_own(data)
    for X in (data.X, planted(seed=5).X, on_thresholds(data.X, forest)):
        matrix = xgboost.DMatrix(X)
        expected = booster.predict(matrix, output_margin=True)
        assert ours(X, forest) == pytest.approx(expected, rel=2e-6, abs=2e-6)
        for number in (0, 7, 29):
            one = booster[number : number + 1].predict(matrix, output_margin=True)
            # A single leaf: the same way to it, to the last bit of single precision.
            tree = forest_of([tree_of_round(booster, number)])
            assert (ours(X, tree).astype(np.float32) == one).all()


@pytest.mark.skipif("XGBoost" not in NAMES, reason="XGBoost is not installed")
def test_limits_from_a_sample_send_training_documents_the_way_scoring_does(monkeypatch):
    import xgboost as package

    from rankcore.algorithms import xgboost as ours_of
    from rankcore.algorithms.parts.trees import boosting

    data = planted()
    monkeypatch.setattr(boosting, "_SAMPLE", 100)
    dataset = ours_of.binned(data, np.random.default_rng(0))
    first, _ = dataset.get_quantile_cut()
    assert np.diff(first).max() <= 101
    settings = {"objective": "rank:ndcg", "base_score": 0.0, "nthread": 1}
    booster = package.train(settings, dataset, num_boost_round=30)
    forest = forest_of([tree_of_round(booster, i) for i in range(30)])
    expected = booster.predict(dataset, output_margin=True)
    assert ours(data.X, forest) == pytest.approx(expected, rel=2e-6, abs=2e-6)


@given(
    st.floats(-(2.0**127), 2.0**127, width=32, allow_subnormal=False),
    st.integers(-3, 3),
    st.sampled_from([-1.0, 0.0, 1.0]),
    st.floats(-2.0, 2.0),
)
def test_a_threshold_between_single_numbers_decides_as_rounding_does(
    condition, steps, direction, share
):
    c = np.float32(condition)
    x = float(c) + share * float(np.spacing(c))
    for _ in range(abs(steps)):
        x = np.nextafter(x, np.sign(steps) * np.inf)
    edge = float(last_below(np.array([c]))[0])
    for value in (x, edge, np.nextafter(edge, direction * np.inf)):
        assert (np.float32(value) < c) == (value <= edge)


@each
def test_nothing_is_printed(name, capfd):
    list(drive(get_algorithm(name)(), planted(), stop=Stop(max_iterations=3)))
    assert capfd.readouterr() == ("", "")


@each
def test_the_objective_is_the_training_measure_at_the_truncation_level(name):
    data = planted()
    y = np.where(np.repeat(np.arange(20), 30) == 3, 0, data.y)
    data = RankingDataset.from_arrays(data.X, y, np.repeat(np.arange(20), 30))
    model = get_algorithm(name)(cutoff=7)
    for record in drive(model, data, stop=Stop(max_iterations=4)):
        scores = model.scores(data.X, record.coef)
        expected = measures.means(data, scores, "nDCG@7", empty="skip")["nDCG@7"]
        assert record.objective == pytest.approx(expected, rel=1e-12)
        assert record.diagnostics["trees"] == record.iteration


@each
def test_it_ends_with_a_reason_when_no_split_is_permitted(name):
    limit = {"LightGBM": {"min_documents": 500}, "XGBoost": {"min_child_weight": 1e9}}
    run = drive(get_algorithm(name)(**limit[name]), planted(n=120))
    assert [record.iteration for record in run] == [0]
    assert "After 0 trees no split improves anything" in run.reason


@each
def test_labels_with_gaps_and_up_to_the_limit_are_learnt(name):
    data = planted()
    labels = np.array([0, 3, 9, 31])[data.y]
    data = RankingDataset.from_arrays(data.X, labels, np.repeat(np.arange(20), 30))
    records = list(drive(get_algorithm(name)(), data, stop=Stop(max_iterations=20)))
    assert records[-1].objective > records[0].objective + 0.1


@each
def test_what_it_cannot_take_is_refused_with_a_sentence(name):
    model = get_algorithm(name)()
    large = RankingDataset.from_arrays([[0.0], [1.0]], [0, 32])
    assert "32 is above 31" in model.unsupported_reason(large)


@pytest.mark.skipif("LightGBM" not in NAMES, reason="LightGBM is not installed")
def test_lightgbm_refuses_queries_beyond_its_limit():
    long = RankingDataset.from_arrays(np.zeros((10_001, 1)), np.zeros(10_001, int))
    refusal = get_algorithm("LightGBM")().unsupported_reason(long)
    assert "at most 10000 documents in a query, but one has 10001" in refusal


@pytest.mark.skipif("XGBoost" not in NAMES, reason="XGBoost is not installed")
def test_xgboost_refuses_features_beyond_single_precision():
    huge = RankingDataset.from_arrays([[0.0], [-1e39]], [0, 1])
    assert "single precision" in get_algorithm("XGBoost")().unsupported_reason(huge)
