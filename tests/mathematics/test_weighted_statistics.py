"""Weights of queries are importances: they move means, and add no evidence."""

from itertools import product

import numpy as np
import pytest

from rankcore.mathematics.statistics import (
    difference_interval,
    mean_interval,
    randomisation_test,
)

RNG = np.random.default_rng(3)
A, B = RNG.uniform(size=(2, 9))
W = np.array([3.0, 1.0, 0.5, 2.0, 1.0, 1.0, 0.25, 1.0, 2.0])


@pytest.mark.parametrize("weight", [1.0, 2.0, 1e300])
def test_equal_weights_change_no_bit(weight):
    equal = np.full(9, weight)
    for plain, weighted in (
        (randomisation_test(A, B), randomisation_test(A, B, weights=equal)),
        (mean_interval(A), mean_interval(A, weights=equal)),
        (difference_interval(A, B), difference_interval(A, B, weights=equal)),
    ):
        assert weighted == plain._replace(effective=9.0)


def test_the_p_value_counts_the_flips_of_the_weighted_mean():
    each = W * (B - A)
    sums = [abs(np.dot(signs, each)) for signs in product((1.0, -1.0), repeat=9)]
    observed = abs(each.sum())
    expected = np.mean(np.array(sums) >= observed - 1e-12)
    test = randomisation_test(A, B, weights=W)
    assert test.p_value == expected
    assert test.difference == pytest.approx(np.average(B - A, weights=W))
    assert test.effective == pytest.approx(W.sum() ** 2 / (W**2).sum())
    assert test.text.endswith("Effective number of queries 6.5.")


def test_intervals_are_those_of_the_bootstrap_of_the_weighted_mean():
    draws = RNG.exponential(size=(40_000, 11)) * np.append(W / W.mean(), [1.0, 1.0])
    draws[:, 9:] = RNG.gamma(0.5, size=(40_000, 2))
    means = draws @ np.append(A, [0.0, 1.0]) / draws.sum(axis=1)
    interval = mean_interval(A, weights=W)
    assert (interval.low, interval.high) == pytest.approx(
        np.quantile(means, [0.025, 0.975]), abs=0.01
    )
    assert interval.estimate == pytest.approx(np.average(A, weights=W))
    plain = mean_interval(A)
    assert interval.high - interval.low > plain.high - plain.low
    # One query with nearly all the weight: no better known than one.
    alone = mean_interval(A, weights=np.append(1e6, np.ones(8)))
    assert alone.effective == pytest.approx(1.0, abs=1e-4)
    assert alone.high - alone.low > 0.5 * (plain.high - plain.low)


def test_a_query_without_a_value_takes_its_weight_along():
    a = np.append(A, np.nan)
    interval = mean_interval(a, weights=np.append(W, 100.0))
    assert interval == mean_interval(A, weights=W)


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf])
def test_weights_are_above_0(bad):
    with pytest.raises(ValueError, match="finite numbers above 0"):
        mean_interval(A, weights=np.append(bad, W[1:]))
