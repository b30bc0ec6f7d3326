"""Single features against measures taken one by one."""

import numpy as np
import pytest

from rankcore import measures
from rankcore.algorithms.single_feature import SingleFeature
from rankcore.base.hyperparameters import hyperparameters
from rankcore.data.dataset import RankingDataset
from rankcore.training import drive


def problem(names=("length", "BM25", "spam", "query")):
    rng = np.random.default_rng(0)
    X, qid = rng.random((60, 4)), np.repeat(np.arange(6), 10)
    y = np.floor(3 * X[:, 1]).astype(int)
    X[:, 2] = -y + 0.1 * rng.random(60)
    X[:, 3] = qid
    return RankingDataset.from_arrays(X, y, qid, feature_names=names)


def fitted(**hyperparameters):
    run = drive(SingleFeature(**hyperparameters), problem())
    return list(run), run


def attained(column, sign):
    dataset = problem()
    return measures.means(dataset, sign * dataset.X[:, column], ("AP",))["AP"]


@pytest.mark.parametrize("feature", ["BM25", 2])
def test_by_name_and_by_number(feature):
    records, run = fitted(feature=feature)
    assert records[-1].coef.tolist() == [0, 1, 0, 0]
    assert records[-1].objective == pytest.approx(attained(1, 1), rel=1e-12)
    assert run.reason == "Documents with more of feature BM25 come first."


def test_the_sign_is_chosen_on_the_training_data():
    records, run = fitted(feature="spam")
    assert records[-1].coef.tolist() == [0, 0, -1, 0]
    assert attained(2, -1) > attained(2, 1)
    assert "less of feature spam" in run.reason


@pytest.mark.parametrize("measure", ["AP", "nDCG@10"])
def test_the_best_has_the_largest_measure_of_all_features_and_signs(measure):
    dataset = problem()
    values = {
        (column, sign): measures.means(dataset, sign * dataset.X[:, column], (measure,))
        for column in range(3)
        for sign in (1, -1)
    }
    records, _ = fitted(criterion=measure)
    best = max(values.values(), key=lambda value: value[measure])[measure]
    assert records[-1].objective == pytest.approx(best, rel=1e-12)
    (column,) = np.flatnonzero(records[-1].coef)
    assert values[column, records[-1].coef[column]][measure] == best


def test_it_is_one_step_and_passes_over_features_that_vary_between_queries_only():
    records, _ = fitted()
    assert [record.iteration for record in records] == [0, 1]
    assert records[-1].diagnostics["feature"] in (1, 2, 3)


def test_features_that_never_vary_leave_the_start():
    dataset = RankingDataset.from_arrays(np.ones((4, 2)), np.array([0, 1, 2, 0]))
    run = drive(SingleFeature(), dataset, start=np.array([1.0, 2.0]))
    assert [record.coef.tolist() for record in run] == [[1.0, 2.0]]
    assert "No feature varies" in run.reason


@pytest.mark.parametrize(
    ("feature", "sentence"),
    [("BM26", "no feature called 'BM26'"), (5, "no feature 5: the data has 4")],
)
def test_a_feature_that_is_not_there_is_refused_with_a_sentence(feature, sentence):
    with pytest.raises(ValueError, match=sentence):
        SingleFeature(feature=feature).fit_dataset(problem())


def test_names_and_numbers_are_read_as_such():
    declared = hyperparameters(SingleFeature)["feature"]
    assert [declared.parse(text) for text in ("best", "12", "BM25 of title")] == [
        "best",
        12,
        "BM25 of title",
    ]
    assert declared.parse(declared.format("BM25 of title")) == "BM25 of title"
    with pytest.raises(ValueError, match="or 'best' or a name"):
        declared.check(0)
