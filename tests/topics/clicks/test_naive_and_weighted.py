"""Weighted learning comes near full information where naive learning does not, and
there is a setting in which it loses."""

import numpy as np
import pytest

from rankcore.topics.clicks.settings import GAINING, LOSING


def means(setting):
    """Means of naive and weighted learning over 20 seeds, and reaches of intervals."""
    shares = setting.shares(20)
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
    naive, weighted = LOSING.shares(1, penalties=(0.1,))[0]
    assert weighted < naive < 0.6


@pytest.mark.soak
def test_weighted_learning_loses_where_few_bad_documents_are_shown():
    (naive, weighted), reach = means(LOSING)
    assert weighted + reach[1] < naive - reach[0]
