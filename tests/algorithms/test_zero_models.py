"""A structured learner that ends at the zero model says so, however it ends."""

import warnings

import numpy as np
import pytest

from rankcore import DORM, SVMMAP, SVMMRR, SVMNDCG, SVMCombo
from rankcore.algorithms import StructuredRanker
from rankcore.data.dataset import RankingDataset
from rankcore.training import Stop, drive
from tests.algorithms.scored import every

SAID = "The best model is the zero model"


def long_lists(length=150):
    """Lists with more irrelevant documents on top of any order than the cutoff has."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(4 * length, 3))
    truth = X @ np.array([1.0, -1.0, 0.0]) + rng.normal(scale=0.5, size=len(X))
    y = (truth > np.quantile(truth, 0.7)).astype(int)
    return RankingDataset.from_arrays(X, y, np.repeat(np.arange(4), length))


def unteachable():
    return RankingDataset.from_arrays(np.ones((6, 2)), np.array([0, 1, 0, 2, 0, 1]))


def ended(model, dataset, start=None, **limits):
    run = drive(model, dataset, measures=(), stop=Stop(**limits), start=start)
    list(run)
    return run


@pytest.mark.parametrize(
    "model",
    [
        SVMNDCG(cutoff=10),
        SVMNDCG(cutoff=10, C=1000.0),
        SVMMRR(cutoff=10),
        SVMMRR(feature_map="first", cutoff=10),
        DORM(cutoff=10),
    ],
    ids=repr,
)
def test_a_short_cutoff_on_long_lists_ends_at_zero_and_says_so(model):
    run = ended(model, long_lists(), max_iterations=100)
    assert not run.best.coef.any()
    assert SAID in run.reason
    assert "No cutoff" in run.reason
    with pytest.warns(UserWarning, match=f"{model.title}: {SAID}"):
        model.fit_dataset(long_lists())


@pytest.mark.parametrize("model", [SVMNDCG(), SVMMAP(), SVMCombo(cutoff=10)], ids=repr)
def test_others_train_on_long_lists_and_say_nothing_of_zero(model):
    run = ended(model, long_lists(), max_iterations=100)
    assert run.best.coef.any()
    assert "zero model" not in run.reason
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        type(model)(**model.get_params()).fit_dataset(long_lists())


@every(StructuredRanker)
def test_every_end_at_the_zero_model_says_so(algorithm):
    limits = [{"max_iterations": 0}, {"max_seconds": 0.0}, {"patience": 1}, {}]
    ends = [ended(algorithm(), unteachable(), **limit) for limit in limits]
    weights = [name for name in algorithm().get_params() if name.startswith("C")]
    assert weights
    unweighted = algorithm(**dict.fromkeys(weights, 0.0))
    ends.append(ended(unweighted, long_lists(20)))
    for run in ends:
        assert not run.best.coef.any()
        assert run.reason.count(SAID) == 1
        assert "a larger C or a smaller epsilon may help" in run.reason


@pytest.mark.parametrize("model", [SVMNDCG(cutoff=10), DORM(cutoff=10)], ids=repr)
def test_a_start_no_better_than_zero_is_not_kept(model):
    run = ended(model, long_lists(), start=np.array([0.1, 0.2, -0.1]))
    assert not run.best.coef.any()
    assert SAID in run.reason


def test_where_nothing_can_be_learnt_the_reason_is_that():
    equal = RankingDataset.from_arrays(np.eye(3), np.zeros(3, dtype=int))
    assert "nothing to learn" in ended(SVMMAP(), equal).reason
    assert SAID not in ended(SVMMAP(), equal).reason
