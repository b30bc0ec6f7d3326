"""Exports: each format, read as its program reads it, scores as the model does."""

import csv
import io
import json
import re
import sys
from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from rankcore import RankingDataset, export, load_dataset, load_model
from rankcore.algorithms import get_algorithm
from rankcore.studies.exports import expected_scores, get_format, list_formats
from rankcore.studies.exports._format import safe_names
from rankcore.studies.models import read_model

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
    fitted = get_algorithm("RSRank")(max_iter=2).fit(frame, np.arange(40) % 3, qid=None)
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
    """As LinearModel.setWeights and validate: a weight for each feature listed; or as
    RegressionTreeNode.setThreshold and score in single precision."""
    content = json.loads(text)
    kind = content["class"].removeprefix("org.apache.solr.ltr.model.")
    if kind == "MultipleAdditiveTreesModel":
        names = safe_names(NAMES)
        assert {feature["name"] for feature in content["features"]} <= set(names)

        def score(node, x):
            if "feature" not in node:
                return np.float32(node["value"])
            threshold = np.float32(node["threshold"]) + np.float32(1e-6)
            value = np.float32(x[names.index(node["feature"])])
            return score(node["left" if value <= threshold else "right"], x)

        trees = content["params"]["trees"]
        return summed(
            lambda x: [np.float32(t["weight"]) * score(t["root"], x) for t in trees], X
        )
    assert kind == "LinearModel"
    weights = content["params"]["weights"]
    features = [feature["name"] for feature in content["features"]]
    assert features
    assert set(features) == set(weights)
    return by_name(weights, X)


def scores_of_elasticsearch(text, X, tmp_path):
    """As LinearRankerParser: one flat object in a string; unknown names fail. Or as
    XGBoostJsonParser and NaiveAdditiveDecisionTree.Split.eval."""
    model = json.loads(text)["model"]
    assert set(model) == {"name", "model"}
    if model["model"]["type"] == "model/xgboost+json":
        names = safe_names(NAMES)

        def score(node, x):
            if "leaf" in node:
                return np.float32(node["leaf"])
            left, right = node["children"]
            assert (left["nodeid"], right["nodeid"]) == (node["yes"], node["no"])
            assert left["depth"] == right["depth"] == node["depth"] + 1
            condition = np.float32(node["split_condition"])
            # A value that was not logged is 0 in training.
            assert node["missing"] == node["yes" if condition > 0 else "no"]
            value = np.float32(x[names.index(node["split"])])
            return score(left if condition > value else right, x)

        trees = json.loads(model["model"]["definition"])
        assert all(tree["depth"] == 0 for tree in trees)
        return summed(lambda x: [score(tree, x) for tree in trees], X)
    assert model["model"]["type"] == "model/linear"
    return by_name(json.loads(model["model"]["definition"]), X)


def summed(score, X):
    """Sums of single numbers, exact so as to compare them."""
    return np.array([sum(map(float, score(x))) for x in X])


def by_name(weights, X):
    columns = dict(zip(safe_names(NAMES), X.T, strict=True))
    return sum(weight * columns[name] for name, weight in weights.items())


def scores_of_ranklib(text, X, tmp_path):
    """As RankerFactory.loadRankerFromFile and CoorAscent.loadFromString, or as
    ModelLineProducer, Ensemble and Split.eval."""
    lines = text.encode("ascii").decode().splitlines()
    if lines[0] == "## LambdaMART":
        values = [line for line in lines if not line.startswith("#")]
        assert values == [line.strip() for line in values]

        def score(node, x):
            if node[0].tag == "output":
                return np.float32(node[0].text)
            feature, threshold, left, right = node
            assert (left.get("pos"), right.get("pos")) == ("left", "right")
            value = np.float32(x[int(feature.text) - 1])
            return score(left if value <= np.float32(threshold.text) else right, x)

        trees = ET.fromstring("".join(values))
        return summed(
            lambda x: [np.float32(t.get("weight")) * score(t[0], x) for t in trees], X
        )
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


MODELS = [name for name in list_formats() if get_format(name).holds_model]
TREES = [name for name in MODELS if get_format(name).holds_trees and name != "json"]


def test_every_format_has_a_reader_here():
    assert set(MODELS) == set(READERS)
    assert set(list_formats()) - set(MODELS) == {
        "elasticsearch-features",
        "solr-features",
    }


@pytest.mark.parametrize("name", MODELS)
def test_what_is_read_back_scores_as_the_model(name, model, documents, tmp_path):
    text = export(model, name)

    assert READERS[name](text, documents, tmp_path) == pytest.approx(
        documents @ model.coef_, rel=1e-14
    )


def scores_here(text, X):
    """As the file is read here: by safe names, or by numbers as RankLib has them."""
    model = read_model(text.encode(), "a file")
    columns = dict(zip(safe_names(NAMES), X.T, strict=True))
    columns |= {f"f{number}": x for number, x in enumerate(X.T, start=1)}
    ascii_names = [name.encode("ascii", "backslashreplace").decode() for name in NAMES]
    columns |= dict(zip(ascii_names, X.T, strict=True))
    names = model.provenance_.feature_names
    return model.predict(np.column_stack([columns[name] for name in names]))


OTHERS = ["solr", "elasticsearch", "ranklib"]


@pytest.mark.parametrize("name", OTHERS)
def test_an_export_is_a_model_again(name, model, documents, tmp_path):
    text = export(model, name)
    read = READERS[name](text, documents, tmp_path)
    if name == "ranklib":
        assert scores_here(text, documents) == pytest.approx(read, rel=1e-13)
        return
    # The search engines add in single precision.
    terms = np.abs(documents * model.coef_).sum(axis=1)
    assert (np.abs(scores_here(text, documents) - read) <= 1e-6 * terms).all()


def added(score, X):
    """Sums rounded to single numbers after each tree."""
    return np.array([sum(score(x), np.float32(0.0)) for x in X], np.float64)


@pytest.mark.parametrize("name", OTHERS)
def test_an_export_of_trees_is_a_model_again(name, forest, tmp_path, monkeypatch):
    """At thresholds, and at the single numbers beside them: to the last bit."""
    model, X = forest
    text = export(model, name)
    scores = scores_here(text, X)

    monkeypatch.setattr(sys.modules[__name__], "summed", added)
    assert scores.tolist() == READERS[name](text, X, tmp_path).tolist()
    again = read_model(text.encode(), "a file")
    assert export(again, name, "same") == export(
        read_model(export(again, name).encode(), "a file"), name, "same"
    )


def documents_of(text):
    """Rows of an expected-scores table: features by position in NAMES, and scores."""
    rows = list(csv.DictReader(io.StringIO(text)))
    heads = [head for head in rows[0] if head not in {"query", "document", "score"}]
    X = np.zeros((len(rows), len(NAMES)))
    for head in heads:
        place = NAMES.index(head) if head in NAMES else safe_names(NAMES).index(head)
        X[:, place] = [float(row[head]) for row in rows]
    return X, np.array([float(row["score"]) for row in rows])


@pytest.mark.parametrize("name", MODELS)
def test_ten_documents_come_with_the_scores_to_expect(name, model, documents, tmp_path):
    data = RankingDataset.from_arrays(
        documents, np.arange(40) % 3, np.arange(40) // 8, feature_names=list(NAMES)
    )
    X, scores = documents_of(expected_scores(model, get_format(name), data))
    read = READERS[name](export(model, name), X, tmp_path)
    every = documents @ model.coef_

    assert len(scores) == 10
    assert read == pytest.approx(scores, rel=1e-14)
    # From the highest to the lowest of all.
    assert scores[[0, -1]] == pytest.approx([every.max(), every.min()], rel=1e-14)
    assert (np.diff(scores) < 0).all()


@pytest.mark.parametrize("name", MODELS)
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
    if not get_format(name).holds_model:
        assert export(scaled, name) == export(scaled, name, scaled_input=True)
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


FORESTS = {
    "RankBoost": {"max_iter": 20},
    "LightGBM": {"max_iter": 8, "min_documents": 2},
    "XGBoost": {"max_iter": 8, "min_child_weight": 0.0},
    "McRank": {"max_iter": 5, "n_leaves": 4, "min_documents": 2},
}


@pytest.fixture(scope="module", params=FORESTS)
def forest(request, documents):
    """A fitted forest on two labels, and documents as search engines have them, those
    at its thresholds and just beside them among them."""
    import pandas as pd

    package = {"LightGBM": "lightgbm", "XGBoost": "xgboost"}.get(request.param)
    if package:
        pytest.importorskip(package)
    X = documents.astype(np.float32)
    X[:, 3] = np.round(X[:, 3])
    frame = pd.DataFrame(X.astype(float), columns=list(NAMES))
    labels = (X[:, 0] + X[:, 3] * X[:, 4] > 0).astype(int)
    algorithm = get_algorithm(request.param)(**FORESTS[request.param])
    model = algorithm.fit(frame, labels, qid=np.repeat(np.arange(4), 10))
    rows = [X]
    for feature, threshold in model.parameters_[:, [2, 3]]:
        if feature >= 0:
            near = np.float32(threshold)
            around = [np.nextafter(near, side) for side in (-np.inf, np.inf)]
            # Closer to 0, Solr's sums have steps of up to 1e-12.
            values = [near, *around] if abs(near) > 1e-4 else [-1e-9, 0.0, 1e-9]
            for value in values:
                row = X[:1].copy()
                row[0, int(feature)] = value
                rows.append(row)
    return model, np.vstack(rows).astype(np.float64)


@pytest.mark.parametrize("name", TREES)
def test_trees_that_are_read_back_score_as_the_model(name, forest, tmp_path):
    model, X = forest
    read = READERS[name](export(model, name), X, tmp_path)
    scores = model.scores(X, model.parameters_)

    if type(model).__name__ == "McRank":  # the same order, on another scale
        odds = np.log(scores / (1 - scores))
        assert read == pytest.approx(odds, abs=1e-5)
    else:
        assert read == pytest.approx(scores, rel=1e-6, abs=1e-6)
    assert (np.argsort(read, kind="stable") == np.argsort(scores, kind="stable")).mean(
    ) > 0.9  # fmt: skip


@pytest.mark.parametrize("name", TREES)
def test_trees_give_their_documents_the_scores_to_expect(name, forest, tmp_path):
    model, X = forest
    data = RankingDataset.from_arrays(
        X, np.zeros(len(X), int), feature_names=list(NAMES)
    )
    rows, scores = documents_of(expected_scores(model, get_format(name), data))
    read = READERS[name](export(model, name), rows, tmp_path)

    if name == "json" and type(model).__name__ == "McRank":
        assert scores == pytest.approx(model.scores(rows, model.parameters_))
    else:
        assert read == pytest.approx(scores, rel=1e-6, abs=1e-5)


@pytest.mark.parametrize("name", TREES)
def test_a_forest_without_splits_is_written_too(name, forest, tmp_path):
    model, X = forest
    empty = get_algorithm("RankBoost")()
    empty.parameters_ = np.empty((0, 8))
    empty.provenance_ = model.provenance_

    assert not READERS[name](export(empty, name), X[:3], tmp_path).any()


@pytest.mark.parametrize("name", TREES)
def test_more_than_two_labels_of_mcrank_are_no_sum_of_trees(name, documents):
    model = get_algorithm("McRank")(max_iter=2).fit(
        documents, np.arange(40) % 3, qid=None
    )

    with pytest.raises(ValueError, match="expected gain, not a sum of trees"):
        export(model, name)


def test_ordinal_labels_of_mcrank_keep_their_order(documents, tmp_path):
    X = documents.astype(np.float32).astype(np.float64)
    labels = (X[:, 0] > 0).astype(int)
    model = get_algorithm("McRank")(max_iter=3, classes="ordinal").fit(
        X, labels, qid=None
    )
    model.provenance_ = replace(model.provenance_, feature_names=NAMES)
    scores = model.scores(X, model.parameters_)

    read = READERS["solr"](export(model, "solr"), X, tmp_path)
    assert read == pytest.approx(np.log(scores / (1 - scores)), abs=1e-5)


def test_a_table_of_coefficients_holds_no_trees(forest):
    with pytest.raises(ValueError, match="Only a fitted linear "):
        export(forest[0], "csv")


def test_trees_on_scaled_features_are_refused(documents):
    train = load_dataset("planted").train.normalise("minmax")
    model = get_algorithm("RankBoost")(max_iter=1).fit_dataset(train)
    for name in TREES:
        with pytest.raises(ValueError, match="fixed coefficients or thresholds"):
            export(model, name)
        assert export(model, name, scaled_input=True)


@pytest.mark.parametrize("threshold", [0.0, 1e-6, 0.1, 3.7, 1e-30, 40.1, 1e38])
def test_a_threshold_survives_solrs_slack(threshold):
    from rankcore.studies.exports._trees import last_left
    from rankcore.studies.exports.solr import _before_slack

    exact = last_left(threshold)
    read = _before_slack(exact) + np.float32(1e-6)
    # Between numbers below 1e-6, Solr's sum has steps of 1e-13.
    assert exact <= read <= (exact + np.float32(2e-13) if threshold < 1e-5 else exact)
    assert float(exact) <= threshold < float(np.nextafter(exact, np.float32(np.inf)))


def test_zero_stays_right_of_a_threshold_just_below_it():
    from rankcore.studies.exports.solr import _before_slack

    assert -2e-13 < _before_slack(np.float32(-1e-35)) + np.float32(1e-6) < 0


def test_feature_sets_list_what_the_model_needs(model, forest):
    fields = [NAMES[0], NAMES[1], NAMES[3], NAMES[4]]
    names = [safe_names(NAMES)[NAMES.index(field)] for field in fields]

    solr = json.loads(export(model, "solr-features"))
    assert [feature["name"] for feature in solr] == names
    assert [feature["params"]["field"] for feature in solr] == fields
    assert {f["class"] for f in solr} == {
        "org.apache.solr.ltr.feature.FieldValueFeature"
    }
    plugin = json.loads(export(model, "elasticsearch-features"))
    listed = plugin["featureset"]["features"]
    assert [feature["name"] for feature in listed] == names
    factors = [one["template"]["function_score"]["functions"][0] for one in listed]
    assert [f["field_value_factor"]["field"] for f in factors] == fields

    trees, _ = forest
    in_model = {f["name"] for f in json.loads(export(trees, "solr"))["features"]}
    assert in_model == {f["name"] for f in json.loads(export(trees, "solr-features"))}


def test_a_search_of_elasticsearch_scores_by_the_model_alone():
    """Its default weights would add the first score to the model's."""
    commands = get_format("elasticsearch").commands("my-model", "file.json")
    search = json.loads(re.findall(r"-d '(.*)'", commands)[-1])
    rescored = search["rescore"]["query"]
    assert rescored["query_weight"] == 0
    assert rescored["rescore_query"]["sltr"]["model"] == "my-model"


@pytest.mark.parametrize("name", sorted(set(list_formats()) - {"json", "csv"}))
def test_commands_name_the_file_and_the_model(name):
    commands = get_format(name).commands("my-model", "out/file.json")

    assert "out/file.json" in commands
    assert name == "ranklib" or commands.startswith("curl ")
    if name in ("solr", "elasticsearch"):
        assert "my-model" in commands
