"""Exports: each format, read as its program reads it, scores as the model does."""

import csv
import io
import json

import numpy as np
import pytest

from rankcore import RankingDataset, export, load_dataset, load_model
from rankcore.algorithms import get_algorithm
from rankcore.exports import get_format, list_formats
from rankcore.exports._format import safe_names

NAMES = ("BM25 of title", 'a "quoted", odd = name', "日本", "idf", "idf ")


@pytest.fixture(scope="module")
def documents():
    rng = np.random.default_rng(3)
    return rng.normal(size=(40, len(NAMES)))


@pytest.fixture
def model(documents):
    """A linear model with a coefficient of zero among the others."""
    import pandas as pd

    frame = pd.DataFrame(documents, columns=list(NAMES))
    fitted = get_algorithm("RSRank")(max_iter=2).fit(frame, np.arange(40) % 3)
    fitted.parameters_ = np.array([0.1, -2.5e-7, 0.0, 1 / 3, -1234.5])
    return fitted


def scores_of_json(text, X, tmp_path):
    path = tmp_path / "model.json"
    path.write_text(text, "utf-8")
    return X @ load_model(path).coef_


def scores_of_csv(text, X, tmp_path):
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["feature"] for row in rows] == list(NAMES)
    return X @ np.array([float(row["coefficient"]) for row in rows])


def scores_of_solr(text, X, tmp_path):
    """As LinearModel.setWeights and validate: a weight for each feature listed."""
    content = json.loads(text)
    assert content["class"] == "org.apache.solr.ltr.model.LinearModel"
    weights = content["params"]["weights"]
    features = [feature["name"] for feature in content["features"]]
    assert features
    assert set(features) == set(weights)
    return by_name(weights, X)


def scores_of_elasticsearch(text, X, tmp_path):
    """As LinearRankerParser: one flat object in a string; unknown names fail."""
    model = json.loads(text)["model"]
    assert set(model) == {"name", "model"}
    assert model["model"]["type"] == "model/linear"
    return by_name(json.loads(model["model"]["definition"]), X)


def by_name(weights, X):
    columns = dict(zip(safe_names(NAMES), X.T, strict=True))
    return sum(weight * columns[name] for name, weight in weights.items())


def scores_of_ranklib(text, X, tmp_path):
    """As RankerFactory.loadRankerFromFile and CoorAscent.loadFromString."""
    lines = text.encode("ascii").decode().splitlines()
    assert lines[0].replace("## ", "").strip().upper() == "COORDINATE ASCENT"
    content = next(s for s in map(str.strip, lines) if s and not s.startswith("##"))
    assert "#" not in content
    pairs = [pair.split(":") for pair in content.split(" ")]
    return sum(float(weight) * X[:, int(number) - 1] for number, weight in pairs)


READERS = {
    "json": scores_of_json,
    "csv": scores_of_csv,
    "solr": scores_of_solr,
    "elasticsearch": scores_of_elasticsearch,
    "ranklib": scores_of_ranklib,
}


def test_every_format_has_a_reader_here():
    assert set(list_formats()) == set(READERS)


@pytest.mark.parametrize("name", list_formats())
def test_what_is_read_back_scores_as_the_model(name, model, documents, tmp_path):
    text = export(model, name)

    assert READERS[name](text, documents, tmp_path) == pytest.approx(
        documents @ model.coef_, rel=1e-14
    )


@pytest.mark.parametrize("name", list_formats())
def test_a_model_of_zeros_is_written_too(name, model, documents, tmp_path):
    model.parameters_ = np.zeros(len(NAMES))

    assert not READERS[name](export(model, name), documents, tmp_path).any()


@pytest.mark.parametrize("name", ["solr", "elasticsearch", "ranklib"])
def test_features_with_coefficient_zero_are_left_out(name, model):
    number, feature = "3:", "feature_3"
    text = export(model, name)

    assert number not in text
    assert feature not in text


@pytest.mark.parametrize("name", list_formats())
def test_scaling_within_a_query_is_kept_or_refused(name, model, documents, tmp_path):
    train = load_dataset("planted").train.normalise("minmax")
    scaled = get_algorithm("RSRank")(max_iter=1).fit_dataset(train)
    if get_format(name).holds_scaling:
        assert "minmax" in export(scaled, name)
        return
    with pytest.raises(ValueError, match="cannot be folded into fixed coefficients"):
        export(scaled, name)
    assert export(scaled, name, scaled_input=True)


def test_scaling_cannot_be_folded_in():
    """Scaled, both queries tie their first two documents. With raw coefficients (1, c)
    the first query ties for c = 2 only and the second one for c = 1/2 only."""
    queries = [
        np.array([[2.0, 0], [0, 1], [0, 0]]),
        np.array([[1.0, 0], [0, 2], [0, 0]]),
    ]
    data = RankingDataset.from_arrays(np.vstack(queries), [1] * 6, [1] * 3 + [2] * 3)
    scaled = data.normalise("minmax").X.sum(axis=1)

    assert scaled.tolist() == [1, 1, 0, 1, 1, 0]
    ties = [{c for c in (0.25, 0.5, 1, 2, 4) if X[0] @ [1, c] == X[1] @ [1, c]}
            for X in queries]  # fmt: skip
    assert ties == [{2}, {0.5}]


def test_names_are_made_safe_and_stay_distinct():
    safe = safe_names(["a b", "a_b", "a  b", "", "x.y-z", "a_b_3"])

    assert safe == ("a_b", "a_b_2", "a_b_3", "feature_4", "x.y-z", "a_b_3_6")


@pytest.mark.parametrize("name", list_formats())
def test_an_unfitted_model_is_refused(name):
    with pytest.raises(ValueError, match="Only a fitted"):
        export(get_algorithm("RSRank")(), name)


def test_an_unknown_format_gets_a_near_one(model):
    with pytest.raises(ValueError, match="Did you mean solr"):
        export(model, "sollr")


def test_solr_names_the_model(model):
    assert json.loads(export(model, "solr", "mine"))["name"] == "mine"
