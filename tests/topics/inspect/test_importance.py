"""Importance of features in the Inspector: which ones, and how they are drawn."""

import numpy as np
import pytest

from rankcore.algorithms import get_algorithm
from rankcore.data.dataset import RankingDataset
from rankcore.measures import STANDARD
from rankcore.studies.importance import permuted
from rankcore.studies.models import read_model
from rankcore.topics.inspect.importance import (
    MOST_FEATURES,
    FeatureLoss,
    importance_study,
    importance_text,
    leading,
)
from rankcore.topics.inspect.importance_figure import importance_figure


@pytest.fixture(scope="module")
def data():
    """The first feature is the label, the second nearly the first, others noise."""
    rng = np.random.default_rng(4)
    labels = rng.integers(0, 3, 60)
    X = np.column_stack([labels, labels, rng.normal(size=(60, 18))]).astype(float)
    X[:, 1] += 0.1 * rng.normal(size=60)
    return RankingDataset.from_arrays(X, labels, np.repeat(np.arange(10), 6))


@pytest.fixture(scope="module")
def model(data):
    fitted = get_algorithm("LeastSquares")().fit_dataset(data)
    fitted.parameters_ = np.array([2.0, 0.5, *np.zeros(17), 0.01])
    return fitted


def ended(*args):
    study = importance_study(*args)
    assert list(study) == []
    assert study.done == study.total
    return study


def test_losses_are_those_of_the_command_of_the_leading_features(data, model):
    models = {"Mine": (model, model.parameters_)}
    study = ended(models, data, data, "permutation", "nDCG@10", STANDARD)
    (rows,) = permuted([model], data)
    losses = {one.feature: one[2:] for one in rows}

    assert leading(models, data) == [0, 1, 19]
    assert [one.feature for one in study.found] == ["f1", "f2", "f20"]
    for one in study.found:
        assert one[2:] == losses[one.feature]


def test_trees_without_gains_lead_by_their_splits(data):
    """RankLib's file has none."""
    side = '<split pos="{}"><output> {} </output></split>'
    leaves = side.format("left", 0.5) + side.format("right", 1.5)
    trees = "".join(
        f'<tree id="{number}" weight="1"><split><feature> {feature} </feature>'
        f"<threshold> 0.5 </threshold>{leaves}</split></tree>"
        for number, feature in enumerate([20, 3, 20], start=1)
    )
    text = f"## LambdaMART\n<ensemble>{trees}</ensemble>\n"
    trees_model = read_model(text.encode(), "trees.txt")
    coef = trees_model.on_features(data.feature_names)

    assert leading({"Trees": (trees_model, coef)}, data) == [19, 2]


def test_models_have_the_same_features_and_those_that_count_in_none_are_left_out(
    data, model
):
    second = np.zeros(20)
    second[3:] = 1.0
    models = {"First": (model, model.parameters_), "Second": (model, second)}
    assert len(leading(models, data)) == MOST_FEATURES
    assert leading({"None": (model, np.zeros(20))}, data) == [0]


def test_correlated_features_are_hollow_and_named(data, model):
    models = {"A <b>": (model, model.parameters_)}
    study = ended(models, data, data, "permutation", "nDCG@10", STANDARD)
    picture = importance_figure(study.found, study.subject)
    (trace,) = picture.data

    hollow = [symbol.endswith("-open") for symbol in trace["marker"]["symbol"]]
    assert hollow == [True, True, False]
    assert trace["name"] == "A &lt;b&gt;"
    assert trace["error_x"]["array"] + trace["x"] == pytest.approx(
        [one.high for one in study.found]
    )
    assert picture.numbers()["correlated with"] == ["f2", "f1", ""]
    assert "loses most without f1" in picture.alt
    assert "Of 3 features, 2 are correlated" in picture.alt
    assert picture.figure().layout.margin.l < 50
    result = importance_text(study.found, study.subject)
    assert "stand in for each other: f1 and f2 (r 0.9" in result


def test_a_study_by_training_again_is_drawn_while_it_runs(data):
    few = data.with_features(["f1", "f2"])
    model = get_algorithm("LeastSquares")().fit_dataset(few)
    models = {"Mine": (model, model.parameters_)}
    study = ended(models, few, few, "refit", "nDCG@10", STANDARD)

    assert "trained again without" in importance_text(study.found, study.subject)
    picture = importance_figure(study.found[:1], study.subject)
    assert picture.numbers()["feature"] == [study.found[0].feature]
    assert isinstance(study.found[0], FeatureLoss)
