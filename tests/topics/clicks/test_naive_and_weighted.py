"""Weighted learning comes near full information where naive learning does not, and
there is a setting in which it loses."""

import numpy as np
import pytest

from rankcore import LambdaRank, ListNet, RSRank
from rankcore.algorithms.approx_ndcg import ApproxNDCG
from rankcore.topics.clicks.learning import click_data
from rankcore.topics.clicks.settings import GAINING, LOSING, TRUSTING

LEARNERS = {
    "ListNet": [ListNet(l2=l2) for l2 in (0.01, 0.001, 0.0001)],
    "RSRank": [RSRank(g=g, max_iter=100) for g in (0.0, 1.0)],
    "LambdaRank": [LambdaRank(max_iter=steps) for steps in (30, 100)],
    "ApproxNDCG": [
        ApproxNDCG(alpha=alpha, init="zeros", max_iter=100) for alpha in (5.0, 20.0)
    ],
}


def models(name):
    """The learning of `ClickSetting.shares` by a learner with several settings."""
    return lambda train, weights, n_clicks: [
        learner.fit_dataset(click_data(learner, train, weights)).coef_
        for learner in LEARNERS[name]
    ]


def means(setting, *arguments):
    """Means over 20 seeds by ways to weigh clicks, and reaches of their intervals."""
    shares = setting.shares(20, *arguments)
    reach = 1.96 * shares.std(axis=0, ddof=1) / np.sqrt(20)
    return shares.mean(axis=0), reach


def test_weighted_learning_is_better_in_a_sample():
    naive, weighted = GAINING.shares(1)[0]
    assert naive < 0.93
    assert weighted > 0.97


@pytest.mark.soak
def test_weighted_learning_reaches_97_percent_and_naive_stays_below_93():
    (naive, weighted), reach = means(GAINING)
    assert naive + reach[0] < 0.93
    assert weighted - reach[1] > 0.97


def test_weighted_learning_loses_in_a_sample():
    naive, weighted = LOSING.shares(1)[0]
    assert weighted < naive < 0.6


@pytest.mark.soak
def test_weighted_learning_loses_where_few_bad_documents_are_shown():
    (naive, weighted), reach = means(LOSING)
    assert weighted + reach[1] < naive - reach[0]


@pytest.mark.parametrize("name", ["ListNet", "ApproxNDCG"])
def test_other_learners_gain_in_a_sample(name):
    naive, weighted = GAINING.shares(1, models(name))[0]
    assert naive < 0.93
    assert weighted > 0.97


@pytest.mark.soak
@pytest.mark.parametrize("name", LEARNERS)
def test_other_learners_reach_97_percent_and_naive_ones_stay_below_93(name):
    (naive, weighted), reach = means(GAINING, models(name))
    assert naive + reach[0] < 0.93
    assert weighted - reach[1] > 0.97


@pytest.mark.soak
@pytest.mark.parametrize("name", [None, *LEARNERS])
def test_the_affine_correction_reaches_94_percent_where_trust_misleads(name):
    learning = None if name is None else models(name)
    (weighted, affine), reach = means(TRUSTING, learning, ("propensity", "affine"))
    assert weighted + reach[0] < 0.86
    assert affine - reach[1] > 0.94
