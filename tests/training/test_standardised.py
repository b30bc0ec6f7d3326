"""Linear models learn standardised features, and are models of the features as they
are."""

import itertools

import numpy as np
import pytest

from rankcore import RankingDataset, load_dataset
from rankcore.algorithms import LinearRanker, get_algorithm, list_algorithms
from rankcore.algorithms.parts.trees.forest import ForestRanker
from rankcore.base.errors import DataError
from rankcore.data._scaling import Scaling
from rankcore.data.readers import Splits
from rankcore.data.readers.converting import convert
from rankcore.studies.exports import export
from rankcore.studies.models import document_scores, load_model, save_model
from rankcore.training import Stop, drive

ALGORITHMS = {name: get_algorithm(name) for name in list_algorithms()}
LINEAR = sorted(n for n, own in ALGORITHMS.items() if issubclass(own, LinearRanker))
FORESTS = sorted(n for n, own in ALGORITHMS.items() if issubclass(own, ForestRanker))


def shop(seed=0, queries=20):
    """Data with features of very different sizes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(10 * queries, 4))
    y = np.clip(np.round(1.0 + X[:, 0] + 0.5 * X[:, 1]), 0, 3).astype(int)
    X = X * [1e4, 1.0, 1e-3, 1.0] + [5e6, -3.0, 0.0, 7.0]
    X[:, 3] = 7.0
    return RankingDataset.from_arrays(X, y, np.arange(len(X)) // 10, name="shop")


def fitted(name, data, max_iter=8):
    return ALGORITHMS[name](max_iter=max_iter, random_state=0).fit_dataset(data)


def test_the_scaling_is_that_of_numpy():
    X = shop().X
    scaling = Scaling.of(X)
    np.testing.assert_allclose(scaling.mean, X.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(scaling.deviation[:3], X[:, :3].std(axis=0), rtol=1e-12)
    assert scaling.deviation[3] == 1.0
    unit = scaling.applied(X)
    exact = (X - scaling.mean) / scaling.deviation
    np.testing.assert_allclose(unit, exact, rtol=0.0, atol=2.0**-25 + 1e-12)
    assert (unit * 2.0**24 == np.round(unit * 2.0**24)).all()
    assert (unit[:, 3] == 0.0).all()


def test_rows_of_twice_the_weight_count_twice():
    X = shop().X
    twice = np.arange(len(X)) % 3 == 0
    weighted = Scaling.of(X, 1.0 + twice)
    plain = Scaling.of(np.concatenate([X, X[twice]]))
    np.testing.assert_allclose(weighted.mean, plain.mean, rtol=1e-12)
    np.testing.assert_allclose(weighted.deviation, plain.deviation, rtol=1e-12)


@pytest.mark.parametrize("size", [5e-324, 1e-300, 1.0, 1e150, 1.7e308])
def test_the_scaling_is_finite_whatever_the_magnitude(size):
    X = np.array([[-1.0], [0.5], [1.0], [1.0]]) * size
    unit = Scaling.of(X).applied(X)
    assert np.isfinite(unit).all()
    if size > 1e-300:
        np.testing.assert_allclose(unit.std(axis=0), 1.0, rtol=2.0**-24)


def test_single_precision_stays_single():
    data = shop().stored("float32").normalise("standard")
    assert data.standardised.X.dtype == np.float32


@pytest.mark.parametrize("name", LINEAR)
def test_a_linear_model_is_one_of_the_features_as_they_are(name):
    """It is the model of standardised features, in other units."""
    data = shop()
    scaling = Scaling.of(data.X)
    reference = fitted(name, data.normalise("standard").standardised)
    model = fitted(name, data.normalise("standard"))
    assert model.provenance_.normalisation == "standard"
    np.testing.assert_allclose(
        model.coef_ * scaling.deviation, reference.coef_, rtol=1e-12, atol=1e-300
    )
    unit = reference.predict((data.X - scaling.mean) / scaling.deviation)
    offset = float(scaling.mean @ model.coef_)
    size = float(np.abs(scaling.mean * model.coef_).sum())
    np.testing.assert_allclose(
        model.predict(data.X) - offset, unit, rtol=1e-9, atol=1e-12 * (1.0 + size)
    )


@pytest.mark.parametrize("name", LINEAR)
def test_the_unit_of_a_feature_changes_no_standardised_model(name):
    """Approximations are trained until they amplify what differs in a last bit."""
    length = 60 if name.startswith("Approx") else 8
    for item in (shop(), load_dataset("toy-3d").train):
        factors = np.where(np.arange(item.n_features) == 0, 1000.0, 1.0)
        queries = np.repeat(item.query_ids, item.lengths)
        other = RankingDataset.from_arrays(item.X * factors, item.y, queries)
        data = [entry.normalise("standard") for entry in (item, other)]
        first, second = (entry.standardised.X for entry in data)
        np.testing.assert_array_equal(first, second)
        unit = [
            fitted(name, entry, max_iter=length).coef_ * entry.scaling.deviation
            for entry in data
        ]
        np.testing.assert_allclose(unit[0], unit[1], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", FORESTS)
def test_trees_learn_the_features_as_they_are(name):
    data = shop()
    raw, model = fitted(name, data), fitted(name, data.normalise("standard"))
    np.testing.assert_array_equal(raw.parameters_, model.parameters_)


def test_validation_and_warm_starts_are_of_the_features_as_they_are():
    splits = Splits(shop(), shop(seed=1), shop(seed=2)).normalise("standard")
    algorithm = ALGORITHMS["ListNet"]()
    run = drive(algorithm, *splits[:2], stop=Stop(max_iterations=4))
    list(run)
    again = drive(algorithm, splits.train, start=run.best.coef)
    first = next(again)
    assert first.iteration == 0
    np.testing.assert_allclose(first.coef, run.best.coef, rtol=1e-12)
    result = splits.valid.X @ run.best.coef
    np.testing.assert_allclose(run.scores(run.best), result, rtol=1e-12)


def test_folds_standardise_by_their_own_training_rows():
    data = shop().normalise("standard")
    half = data.subset(range(10))
    assert half.normalisation == "standard"
    np.testing.assert_array_equal(half.scaling.mean, Scaling.of(half.X).mean)
    few = data.with_features(data.feature_names[:2])
    np.testing.assert_array_equal(few.scaling.deviation, data.scaling.deviation[:2])


@pytest.mark.parametrize("kind", ["minmax", "zscore"])
def test_features_scaled_by_query_are_not_standardised(kind):
    with pytest.raises(DataError, match=f"scaled by {kind} within each query"):
        shop().normalise(kind).normalise("standard")
    assert shop().normalise("standard").normalise(kind).normalisation == kind


def test_data_with_another_scaling_are_other_data():
    data = shop()
    kinds = (None, "minmax", "zscore", "standard")
    prints = {data.normalise(kind).fingerprint for kind in kinds}
    assert len(prints) == 4
    same = data.normalise("standard")
    assert same.normalise("standard") is same
    assert same.X is data.X


def test_a_model_file_and_every_export_hold_it(tmp_path):
    data = shop()
    model = fitted("RSRank", data.normalise("standard"))
    save_model(model, tmp_path / "model.json")
    read = load_model(tmp_path / "model.json")
    assert read.provenance_.normalisation == "standard"
    scores = document_scores(read, data)
    np.testing.assert_array_equal(scores, model.predict(data.X))
    np.testing.assert_array_equal(
        scores, document_scores(read, data.normalise("standard"))
    )
    raw = fitted("RSRank", data)
    raw.parameters_ = model.parameters_
    for name in ("solr", "elasticsearch", "ranklib", "csv"):
        assert export(model, name) == export(raw, name)


def test_data_are_converted_as_they_are(tmp_path):
    path = tmp_path / "train.txt"
    path.write_text("1 qid:1 1:2\n0 qid:1 1:3\n")
    with pytest.raises(DataError, match="standardised when a model is trained"):
        convert(path, tmp_path / "folder", normalisation="standard")


def test_features_of_other_sizes_need_no_caution():
    algorithm = ALGORITHMS["FenchelRank"]()
    assert "Standardise the features" in algorithm.caution(shop())
    assert algorithm.caution(shop().normalise("standard")) is None
    planted = load_dataset("planted").train
    assert algorithm.caution(planted) is None


def test_what_data_make_of_hyperparameters_is_of_the_features_that_are_learnt():
    algorithm, data = ALGORITHMS["LambdaRank"](), shop().normalise("standard")
    values = algorithm.derived_values(data)
    assert values == algorithm.derived_values(data.standardised)
    assert values != algorithm.derived_values(shop())


def test_every_algorithm_is_linear_or_a_forest():
    assert sorted(itertools.chain(LINEAR, FORESTS)) == sorted(ALGORITHMS)
