"""Models as files: whole or not there, read back equal, refused with a sentence."""

import json
import tempfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcore.algorithms import get_algorithm, list_algorithms
from rankcore.base.errors import DataError
from rankcore.base.hyperparameters import hyperparameters
from rankcore.studies.models import load_model, model_to_json, save_model
from tests.odd_texts import numbers, outcome, texts

NAME = list_algorithms()[0]


@pytest.fixture(scope="module")
def fitted():
    X = np.array([[0.0, 1.0], [1.0, 0.5], [0.5, 0.0], [1.0, 1.0]])
    return get_algorithm(NAME)(max_iter=2).fit(X, [0, 1, 0, 2], qid=None)


@pytest.fixture(scope="module")
def model_json(fitted):
    return model_to_json(fitted)


def test_the_file_says_where_the_model_comes_from(fitted, tmp_path):
    save_model(fitted, tmp_path / "model.json")
    content = json.loads((tmp_path / "model.json").read_text())
    assert content["algorithm"] == NAME
    assert content["hyperparameters"]["max_iter"] == 2
    assert content["coefficients"] == fitted.coef_.tolist()
    assert content["feature_names"] == list(fitted.provenance_.feature_names)
    assert len(content["data"]["fingerprint"]) >= 16
    assert set(content["versions"]) >= {"rankcore", "numpy", "numba"}
    assert load_model(tmp_path / "model.json").provenance_ == fitted.provenance_


def test_nothing_is_left_when_writing_fails(fitted, tmp_path):
    with pytest.raises(OSError, match="there is no folder"):
        save_model(fitted, tmp_path / "nowhere" / "model.json")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="this is a folder"):
        save_model(fitted, tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_an_unfitted_model_is_not_written(tmp_path):
    with pytest.raises(ValueError, match="Only a fitted linear "):
        save_model(get_algorithm(NAME)(), tmp_path / "model.json")


def changed(**changes):
    def change(content):
        content.update(changes)
        return json.dumps(content)

    return change


def without(key):
    def change(content):
        del content[key]
        return json.dumps(content)

    return change


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda content: "", "The file is empty"),
        (lambda content: "[]", "object"),
        (lambda content: json.dumps(content)[:-20], "JSON"),
        (changed(format="other"), "format"),
        (changed(version=4), "version"),
        (without("coefficients"), "coefficients: Field required"),
        (changed(coefficients=[1.0]), "1 coefficients for 2 features"),
        (changed(coefficients=[1.0, "2"]), "coefficients.1"),
        (lambda content: changed(coefficients=[1.0, 2.0])(content).replace(
            "2.0", "NaN"), "finite"),
        (changed(feature_names=[], coefficients=[]), "feature_names"),
        (changed(algorithm="Rsrnk"), "algorithm 'Rsrnk' is unknown"),
        (changed(algorithm="Rsrnk"), "Import the module that defines its class"),
        (changed(hyperparameters={"nonsense": 1}), "no hyperparameter 'nonsense'"),
        (changed(hyperparameters={"max_iter": 0}), "max_iter must be"),
        (changed(normalisation="median"), "normalisation"),
        (changed(iteration=-5), "iteration"),
        (changed(iteration=10**400), "iteration"),
        (changed(convention="letor5"), "no convention 'letor5'"),
        (changed(empty="none"), "no rule 'none'"),
        (changed(measures={"nDCG@10": 0.5}), "measures: 'nDCG@10' does not begin"),
        (changed(measures={"valid nDGC@10": 0.5}), "no measure 'nDGC'"),
        (changed(hyperparameters={"max_iter": 10**400}), "max_iter must be"),
        (changed(hyperparameters={"max_iter": True}), "max_iter must be"),
        (changed(hyperparameters={"9" * 400: 1}), "no hyperparameter '999"),
    ],
)  # fmt: skip
def test_what_is_not_a_model_is_refused(fitted, tmp_path, change, complaint):
    path = tmp_path / "model.json"
    path.write_text(change(json.loads(model_to_json(fitted))))
    with pytest.raises(DataError) as caught:
        load_model(path)
    assert complaint in str(caught.value)
    assert caught.value.file == str(path)
    assert caught.value.remedy


FIELDS = (
    "iteration",
    "convention",
    "empty",
    "measures",
    "normalisation",
    "algorithm",
    "hyperparameters",
    "feature_names",
    "coefficients",
    "data",
    "version",
)
PLAIN = st.one_of(st.none(), st.booleans(), numbers, texts.map(lambda text: text[:400]))
VALUES = st.one_of(
    PLAIN, st.lists(PLAIN, max_size=3), st.dictionaries(texts, PLAIN, max_size=3)
)


@given(field=st.sampled_from(FIELDS), value=VALUES)
def test_a_model_with_any_value_is_read_or_refused(model_json, field, value):
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(changed(**{field: value})(json.loads(model_json)))
        file.flush()
        model, sentence = outcome(load_model, file.name)
    if sentence is None:
        assert model.provenance_.iteration >= 0
        assert model.predict(np.eye(2)).shape == (2,)
    else:
        assert (
            "This is not a RankScope model" in sentence
            or "The model's algorithm" in sentence
        )
        assert len(sentence) < 600


@given(name=st.sampled_from(sorted(hyperparameters(get_algorithm(NAME)))), value=VALUES)
def test_a_model_with_any_hyperparameter_is_read_or_refused(model_json, name, value):
    content = json.loads(model_json)
    content["hyperparameters"][name] = value
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(json.dumps(content))
        file.flush()
        model, sentence = outcome(load_model, file.name)
    declared = hyperparameters(get_algorithm(NAME))[name]
    if sentence is None:
        assert declared.check(getattr(model, name)) == value
    else:
        assert f"{name} must be {declared.range_text}, not " in sentence


def test_a_file_without_end_is_not_read_whole(device):
    with pytest.raises(DataError, match="larger than 33554432 bytes") as caught:
        load_model(device("zero"))
    assert caught.value.file == str(device("zero"))


def test_bytes_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "model.json"
    path.write_bytes(b"\xff\xfe\x00binary")
    with pytest.raises(DataError):
        load_model(path)
