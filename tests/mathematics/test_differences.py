"""Many models two by two, against SciPy, against one pair alone, and as published."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import friedmanchisquare, ttest_rel

from rankcore.mathematics.differences import (
    against,
    differences,
    mean_ranks,
    selection_optimism,
)
from rankcore.mathematics.statistics import (
    EXACT_UP_TO,
    difference_interval,
    holm,
    randomisation_test,
)

RNG = np.random.default_rng(5)
VALUES = np.clip(0.5 + 0.2 * RNG.normal(size=(4, 42)), 0.0, 1.0)
VALUES[1] += 0.08
PAIRS = [(0, 1), (2, 3), (3, 1)]

# Table 6 of Demšar 2006: accuracies of four variants of C4.5 on 14 data sets.
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        # Both are printed as 0.975, and ranked 2 and 3.
        [0.972, 0.981, 0.97501, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)


@pytest.mark.parametrize("queries", [EXACT_UP_TO - 1, 42])
def test_each_pair_has_the_p_values_of_the_pair_alone(queries):
    values = VALUES[:, :queries]
    for (one, other), result in zip(PAIRS, differences(values, PAIRS), strict=True):
        alone = randomisation_test(values[other], values[one])
        assert result.p_value == alone.p_value
        assert result.mean == pytest.approx(alone.difference)
        assert result.t_p_value == pytest.approx(
            ttest_rel(values[one], values[other]).pvalue
        )
        assert result.queries == queries


def test_intervals_are_those_of_the_pair_alone():
    for (one, other), result in zip(PAIRS, differences(VALUES, PAIRS), strict=True):
        alone = difference_interval(VALUES[one], VALUES[other])
        assert (result.low, result.high) == (alone.low, alone.high)
        assert result.differing == alone.others


def test_the_effect_is_the_mean_in_standard_deviations():
    (result,) = differences([[1.0, 2.0, 6.0], [0.0, 0.0, 0.0]], [(0, 1)])
    assert result.effect == pytest.approx(3.0 / np.sqrt((4 + 1 + 9) / 2))
    assert result.deviation == pytest.approx(np.sqrt(7.0))


@given(st.lists(st.floats(0, 1), min_size=2, max_size=20), st.floats(0, 1))
def test_a_pair_turned_round_has_the_opposite_difference(values, shift):
    rows = [values, [shift] * len(values)]
    one, other = differences(rows, [(0, 1), (1, 0)])
    assert one.mean == -other.mean
    assert one.p_value == other.p_value
    assert one.low <= one.mean + 1e-9
    assert one.high >= one.mean - 1e-9


def test_equal_models_have_a_point_and_equal_differences_an_infinite_effect():
    same, apart = differences([[0.5, 0.7], [0.5, 0.7], [0.25, 0.45]], [(0, 1), (0, 2)])
    assert same[:5] == (0.0, 0.0, 0.0, 1.0, 1.0)
    assert same.effect == 0.0
    assert apart.low < apart.mean
    assert apart.high == pytest.approx(apart.mean)
    assert apart.effect == np.inf
    assert apart.t_p_value == 0.0


# What the order of a sum can add to values of about 1.
NOISE = 1e-16 * RNG.integers(-2, 3, VALUES.shape[1])


def test_models_equal_but_for_rounding_are_equal():
    values = np.array([VALUES[0], VALUES[0] + NOISE])
    assert np.ptp(values[0] - values[1]) > 0.0
    (result,) = differences(values, [(0, 1)])
    assert result[:7] == (0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0)
    alone = randomisation_test(values[0], values[1])
    assert alone.p_value == 1.0
    assert alone.text == "The two models have equal values in all 42 queries."


def test_differences_equal_but_for_rounding_do_not_deviate():
    values = np.array([VALUES[0] + 1e-9 + NOISE, VALUES[0]])
    (result,) = differences(values, [(0, 1)])
    assert 0.0 < result.low < result.mean == pytest.approx(result.high)
    assert (result.effect, result.deviation, result.t_p_value) == (np.inf, 0.0, 0.0)
    assert randomisation_test(values[1], values[0]).constant


def test_rounding_in_some_queries_changes_nothing():
    changed = np.where(np.arange(42) < 5, VALUES[1], VALUES[0])
    (exact,) = differences([VALUES[0], changed], [(0, 1)])
    (result,) = differences([VALUES[0] + NOISE, changed], [(0, 1)])
    assert result == pytest.approx(exact, abs=1e-12)
    assert result.low <= result.mean <= result.high


@pytest.mark.parametrize(
    ("values", "word"),
    [([[1.0], [2.0]], "2 queries"), ([[1.0, np.nan], [1.0, 2.0]], "no value")],
)
def test_what_cannot_be_compared_gets_a_sentence(values, word):
    with pytest.raises(ValueError, match=word):
        differences(values, [(0, 1)])


def test_each_is_tested_against_one_and_adjusted():
    result = against(VALUES, 1)
    alone = [randomisation_test(VALUES[k], VALUES[1]).p_value for k in (0, 2, 3)]
    assert result[[0, 2, 3]].tolist() == holm(alone).tolist()
    assert result[1] == 1.0


def test_optimism_is_that_of_all_draws_of_queries():
    values = np.array(
        [[0.1, 0.9, 0.5, 0.4], [0.6, 0.2, 0.7, 0.5], [0.3, 0.3, 0.9, 0.2]]
    )
    above = []
    for drawn in itertools.product(range(4), repeat=4):
        means = values[:, drawn].mean(axis=1)
        best = int(means.argmax())
        above.append(means[best] - values[best].mean())
    error = np.std(above) / np.sqrt(20_000)
    optimism = selection_optimism(values, resamples=20_000)
    assert optimism == pytest.approx(np.mean(above), abs=4 * error)
    assert selection_optimism(values, resamples=9, seed=1) != optimism


def test_many_models_make_the_best_value_too_high():
    """Of equal models; the truth is the mean of the largest mean, less theirs."""
    rng = np.random.default_rng(0)
    truth, result = [], []
    for _ in range(40):
        values = rng.normal(0.5, 0.2, (40, 10))
        truth.append(values.mean(axis=1).max() - 0.5)
        result.append(selection_optimism(values, resamples=200))
    # What the models' means differ by takes some of it away: 1 / √2 where all is noise.
    assert np.mean(truth) / 2 < np.mean(result) < np.mean(truth)


def test_mean_ranks_are_those_of_demsars_example():
    ranks = mean_ranks(DEMSAR)
    np.testing.assert_allclose(ranks.ranks, [3.143, 2.000, 2.893, 1.964], atol=5e-4)
    uncorrected = 12 * 14 / (4 * 5) * ((ranks.ranks**2).sum() - 4 * 25 / 4)
    assert uncorrected == pytest.approx(9.28, abs=0.01)
    assert ranks.chi_square == friedmanchisquare(*DEMSAR.T).statistic
    assert ranks.critical_difference == pytest.approx(1.25, abs=0.005)
    assert ranks.p_value < 0.05


def test_groups_are_the_bars_of_demsars_figure():
    # C4.5 against C4.5+m+cf: 3.143 − 1.964 = 1.179, less than 1.25; at the level 0.10
    # the critical difference is 1.12, and two pairs differ.
    assert mean_ranks(DEMSAR).groups == ((3, 1, 2, 0),)
    at_ten = mean_ranks(DEMSAR, 0.10)
    assert at_ten.critical_difference == pytest.approx(1.12, abs=0.005)
    assert at_ten.groups == ((3, 1, 2), (2, 0))


@pytest.mark.parametrize(
    ("models", "q"),
    [(3, 2.343), (4, 2.569), (5, 2.728), (6, 2.850), (7, 2.949), (8, 3.031),
     (9, 3.102), (10, 3.164)],
)  # fmt: skip
def test_critical_values_are_those_of_demsars_table_5(models, q):
    ranks = mean_ranks(np.random.default_rng(0).random((6, models)))
    scale = np.sqrt(models * (models + 1) / (6 * 6))
    assert ranks.critical_difference / scale == pytest.approx(q, abs=1.1e-3)


def test_models_that_are_alike_everywhere_are_one_group():
    ranks = mean_ranks(np.ones((5, 3)))
    assert ranks.groups == ((0, 1, 2),)
    assert ranks.p_value == 1.0


@pytest.mark.parametrize(
    ("shape", "word"), [((4, 3), "5 data sets"), ((5, 2), "3 models")]
)
def test_few_data_sets_or_models_have_no_mean_ranks(shape, word):
    with pytest.raises(ValueError, match=word):
        mean_ranks(np.ones(shape))
