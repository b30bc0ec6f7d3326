"""Missing values: LightGBM and XGBoost learn their ways, all others refuse them."""

import json
import pickle

import numpy as np
import pytest

from rankcore import load_model
from rankcore.algorithms import get_algorithm, list_algorithms
from rankcore.algorithms.parts.trees.forests import (
    takes_missing,
)
from rankcore.base.errors import DataError
from rankcore.base.forest_columns import FEATURE, THRESHOLD, VALUE
from rankcore.data.dataset import RankingDataset
from rankcore.studies.exports import export, get_format, list_formats
from rankcore.studies.models import document_scores, save_model
from rankcore.topics.inspect.why import why
from rankcore.training import Stop, drive
from tests.algorithms.test_lambda_mart import lightgbms_own, ours, xgboosts_own

NAMES = sorted({"LightGBM", "XGBoost"} & set(list_algorithms()))
each = pytest.mark.parametrize("name", NAMES)
others = pytest.mark.parametrize("name", sorted(set(list_algorithms()) - set(NAMES)))


def planted(seed=0, shares=(0.2, 0.0, 0.5, 0.05, 0.0), n=600, queries=20):
    """Of each feature, a share is missing, of the first where labels are high."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.random((n, 3)), rng.integers(0, 4, n), -rng.random(n)])
    truth = X[:, 0] - X[:, 1] * X[:, 2] + 0.2 * rng.standard_normal(n)
    y = np.digitize(truth, np.quantile(truth, [0.4, 0.7, 0.9]))
    for j, share in enumerate(shares):
        X[rng.random(n) < share * (1 + (y > 1) * (j == 0)), j] = np.nan
    query = np.repeat(np.arange(queries), n // queries)
    return RankingDataset.from_arrays(X, y, query, missing="keep")


def with_more_missing(X):
    """Also where the planted data has all values, and where it has none."""
    rng = np.random.default_rng(9)
    return np.where(rng.random(X.shape) < 0.3, np.nan, X)


def test_trees_of_lightgbm_may_divide_by_what_is_missing_alone():
    """Their threshold is infinite there, and the forest's is not."""
    pytest.importorskip("lightgbm")
    data = planted().normalise("minmax")
    run = drive(get_algorithm("LightGBM")(), data, stop=Stop(max_iterations=60))
    *_, last = run
    assert last.iteration == 60
    assert run.best.coef[:, THRESHOLD].max() == np.finfo(np.float64).max


def ways(forest):
    return set(forest[forest[:, FEATURE] >= 0, VALUE].tolist())


@pytest.mark.skipif("LightGBM" not in NAMES, reason="LightGBM is not installed")
def test_scores_are_lightgbms_own():
    data = planted()
    booster, forest = lightgbms_own(data, True)
    assert ways(forest) == {-1.0, 1.0}
    for X in (data.X, planted(5).X, with_more_missing(planted(6).X)):
        expected = booster.predict(X, raw_score=True)
        assert ours(X, forest) == pytest.approx(expected, rel=1e-12, abs=1e-14)


@pytest.mark.skipif("XGBoost" not in NAMES, reason="XGBoost is not installed")
def test_scores_are_xgboosts_own():
    import xgboost

    data = planted()
    booster, forest = xgboosts_own(data, True)
    assert ways(forest) == {-1.0, 1.0}
    for X in (data.X, planted(5).X, with_more_missing(planted(6).X)):
        expected = booster.predict(xgboost.DMatrix(X), output_margin=True)
        assert ours(X, forest) == pytest.approx(expected, rel=2e-6, abs=2e-6)


@each
def test_what_a_missing_value_says_is_learnt(name):
    """A value is missing from exactly the relevant documents."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    X = np.where(y > 0, np.nan, rng.random(400))[:, None]
    for sign in (1.0, -1.0):
        model = get_algorithm(name)(max_iter=3).fit(
            sign * X, y, qid=np.arange(400) // 20
        )
        scores = model.predict(sign * X)
        assert scores[y > 0].min() > scores[y == 0].max()


@each
def test_the_order_of_rows_decides_no_model(name):
    data, rng = planted(), np.random.default_rng(0)
    order = rng.permutation(data.n_documents)
    query = np.repeat(np.arange(20), 30)
    first, second = (
        get_algorithm(name)(max_iter=8).fit(data.X[rows], data.y[rows], qid=query[rows])
        for rows in (np.arange(600), order)
    )
    expected = first.predict(data.X)
    assert second.predict(data.X) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@others
def test_other_algorithms_say_where_values_are_missing(name):
    data = planted(shares=(0, 0, 0.5, 0.1, 0))
    count = int(np.isnan(data.X).sum())
    first = int(np.isnan(data.X[:, 2]).sum())
    sentence = (
        f"{count} of 3,000 values are missing, the first in feature f3 ({first}), and "
        f"{get_algorithm(name).title} takes none. Fill missing values in"
    )
    with pytest.raises(ValueError, match="takes none") as caught:
        get_algorithm(name)(max_iter=1).fit_dataset(data)
    assert str(caught.value).startswith(sentence)
    finite = RankingDataset.from_arrays(np.nan_to_num(data.X), data.y, missing="keep")
    assert not finite.has_missing
    model = get_algorithm(name)(max_iter=1).fit_dataset(finite)
    with pytest.raises(DataError, match="values are missing, the first in feature 3"):
        model.scores(data.X, model.parameters_)


@each
def test_a_model_of_complete_data_refuses_missing_values(name, tmp_path):
    data = planted()
    finite = RankingDataset.from_arrays(
        np.nan_to_num(data.X), data.y, np.arange(600) // 30
    )
    model = get_algorithm(name)(max_iter=3).fit_dataset(finite)
    assert ways(model.parameters_) == {0.0}
    save_model(model, tmp_path / "model.json")
    for item in (model, load_model(tmp_path / "model.json")):
        with pytest.raises(DataError, match="the model was trained without any"):
            item.predict(data.X)
        with pytest.raises(DataError, match="the model was trained without any"):
            document_scores(item, data)
    with pytest.raises(ValueError, match="In the validation data "):
        drive(get_algorithm(name)(), finite, data)


@each
def test_a_model_of_missing_values_is_kept_with_their_ways(name, tmp_path):
    train, valid = planted(), planted(3)
    model = get_algorithm(name)(max_iter=6).fit_dataset(train, valid)
    save_model(model, tmp_path / "model.json")
    for read in (
        load_model(tmp_path / "model.json"),
        pickle.loads(pickle.dumps(model)),
    ):
        assert takes_missing(read.parameters_)
        np.testing.assert_array_equal(read.predict(valid.X), model.predict(valid.X))
    assert document_scores(model, valid) == pytest.approx(model.predict(valid.X))


@each
def test_training_is_the_same_from_what_another_process_gets(name):
    data = planted()
    copy = pickle.loads(pickle.dumps(data))
    assert copy.has_missing
    assert copy.fingerprint == data.fingerprint
    runs = [
        drive(get_algorithm(name)(), item, stop=Stop(max_iterations=4))
        for item in (data, copy)
    ]
    first, second = (list(run)[-1].coef for run in runs)
    np.testing.assert_array_equal(first, second)


@each
def test_contributions_sum_to_the_difference_of_scores(name):
    data = planted()
    model = get_algorithm(name)(max_iter=6).fit_dataset(data)
    seen = 0
    for query in range(5):
        for place in range(1, 6):
            reason = why(model, model.parameters_, data, query, place)
            gap = reason.lower_score - reason.upper_score
            assert reason.contributions.sum() == pytest.approx(gap, abs=1e-9)
            changed = [change.feature for change in reason.changes]
            seen += np.isnan(reason.lower_values).sum()
            assert not np.isnan(reason.lower_values[changed]).any()
    assert seen


def solr_scores(text, names, X):
    """As RegressionTree.scoreNodeWithNullSupport."""
    params = json.loads(text)["params"]
    assert params["isNullSameAsZero"] is False

    def score(node, x):
        if "feature" not in node:
            return float(node["value"])
        value = np.float32(x[names.index(node["feature"])])
        threshold = np.float32(node["threshold"]) + np.float32(1e-6)
        if np.isnan(value):
            return score(node[node["missing"]], x)
        return score(node["left" if value <= threshold else "right"], x)

    return np.array([sum(score(t["root"], x) for t in params["trees"]) for x in X])


@each
def test_solr_scores_as_the_model_and_other_programs_are_not_given_it(name):
    train = planted().stored("float32").stored("float64")
    model = get_algorithm(name)(max_iter=6).fit_dataset(train)
    X = with_more_missing(train.X[:100])
    read = solr_scores(export(model, "solr"), train.feature_names, X)
    assert read == pytest.approx(model.predict(X), rel=1e-6, abs=1e-6)
    features = json.loads(export(model, "solr-features"))
    assert {item["params"]["defaultValue"] for item in features} == {"NaN"}
    for item in set(list_formats()) - {"solr", "solr-features", "json", "csv"}:
        title = get_format(item).title
        with pytest.raises(ValueError, match=f"{title} has no reliable place"):
            export(model, item)
