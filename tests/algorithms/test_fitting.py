"""What `fit`, `predict` and `score` take beside arrays, and whom they tell."""

import logging
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from rankcore import (
    SVMNDCG,
    RankBoost,
    RankingDataset,
    RankSVM,
    RSRank,
    load_dataset,
)
from rankcore.training.reduction import PairwiseReduction

TRAIN, VALID, TEST = load_dataset("toy-2d")


@pytest.fixture(scope="module")
def model():
    return RSRank(max_iter=8).fit_dataset(TRAIN, VALID)


def same(one, other):
    return one.coef_.tolist() == other.coef_.tolist()


def test_a_data_set_stands_for_its_arrays(model):
    alone = RSRank(max_iter=8).fit(TRAIN)
    assert same(alone, RSRank(max_iter=8).fit(TRAIN.X, TRAIN.y, TRAIN.qid))
    assert model.predict(TEST).tolist() == model.predict(TEST.X).tolist()
    assert model.score(TEST) == model.score(TEST.X, TEST.y, TEST.qid)
    turned = TEST.with_features(TEST.feature_names[::-1])
    assert model.predict(turned).tolist() == model.predict(TEST).tolist()
    other = RankingDataset.from_arrays(TEST.X, TEST.y, feature_names=["a", "b"])
    with pytest.raises(ValueError, match="does not have the features of the model"):
        model.predict(other)
    with pytest.raises(ValueError, match="give it alone"):
        RSRank().fit(TRAIN, TRAIN.y)


def test_a_reduction_scores_a_data_set():
    model = PairwiseReduction().fit(TRAIN.X, TRAIN.y, TRAIN.qid)
    assert model.score(TEST) == model.score(TEST.X, TEST.y, TEST.qid)


def test_sizes_of_queries_stand_for_their_names():
    result = RSRank(max_iter=4).fit(TRAIN.X, TRAIN.y, group=TRAIN.lengths)
    assert same(result, RSRank(max_iter=4).fit(TRAIN.X, TRAIN.y, TRAIN.qid))
    with pytest.raises(ValueError, match=r"add up to 3, but there are \d+ rows"):
        RSRank().fit(TRAIN.X, TRAIN.y, group=[1, 2])
    for wrong in ([0, len(TRAIN.y)], [0.5], 3):
        with pytest.raises(ValueError, match="whole numbers from 1 upwards"):
            RSRank().fit(TRAIN.X, TRAIN.y, group=wrong)
    with pytest.raises(ValueError, match="not as both"):
        RSRank().fit(TRAIN.X, TRAIN.y, TRAIN.qid, group=TRAIN.lengths)


@pytest.mark.parametrize(
    "given",
    [
        {"eval_set": VALID},
        {"eval_set": (VALID.X, VALID.y), "eval_qid": VALID.qid},
        {"eval_set": [(VALID.X, VALID.y)], "eval_qid": [VALID.qid]},
    ],
    ids=["data", "arrays", "list"],
)
def test_validation_data_choose_the_iteration(given, model):
    fitted = RSRank(max_iter=8).fit(TRAIN, **given)
    assert same(fitted, model)
    assert fitted.provenance_.measures == model.provenance_.measures
    assert fitted.provenance_.chosen_by == "validation"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"eval_set": (VALID.X, VALID.y)}, "as eval_qid"),
        ({"eval_set": [VALID, VALID]}, "so give one"),
    ],
)
def test_validation_data_that_cannot_be_used(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        RSRank().fit(TRAIN, **given)


def test_callbacks_see_each_iteration_and_end_training():
    seen = []

    def third(record):
        seen.append(record.iteration)
        return record.iteration == 3

    fitted = RSRank(max_iter=8).fit(TRAIN, callbacks=[third])
    assert seen == [0, 1, 2, 3]
    assert fitted.n_iter_ == 3


def test_lines_are_printed_and_the_end_is_logged(capsys, caplog):
    with caplog.at_level(logging.DEBUG, "rankcore"):
        RSRank(max_iter=4).fit(TRAIN, eval_set=VALID, verbose=2)
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        f"{RSRank.title} {iteration}" for iteration in (0, 2, 4)
    ]
    assert "valid nDCG@10 0." in lines[-1]
    assert "Reached the limit of 4 iterations." in caplog.text
    assert [line for line in lines if line not in caplog.messages] == []


def test_importances_are_those_of_the_features_in_use(model):
    spread = model.importances(np.ones(2), TRAIN)
    assert model.feature_importances_ == pytest.approx(abs(model.coef_) * spread)
    forest = RankBoost(max_iter=3).fit(TRAIN)
    gains = forest.feature_weights(forest.parameters_, 2)
    assert forest.feature_importances_.tolist() == gains.tolist()


def test_a_method_that_has_not_converged_says_so():
    with pytest.warns(ConvergenceWarning, match="in 1 iteration,.*Raise max_iter"):
        SVMNDCG(max_iter=1).fit(TRAIN, eval_set=VALID)
    with pytest.warns(ConvergenceWarning, match=r"Raise max_iter, or .* eval_set"):
        RankSVM(max_iter=1).fit(TRAIN)


def test_who_converged_or_is_chosen_by_validation_is_not_warned_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RankSVM(max_iter=200).fit(TRAIN)
        RankSVM(max_iter=1).fit(TRAIN, eval_set=VALID)
        RSRank(max_iter=1).fit(TRAIN)
