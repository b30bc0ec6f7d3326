"""Statistics over queries, against SciPy, published examples and brute force."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rankcore.mathematics import statistics
from rankcore.mathematics.statistics import (
    difference_interval,
    holm,
    mean_interval,
    mean_intervals,
    minimal_detectable_difference,
    queries_needed,
    randomisation_test,
)

VALUES = st.lists(st.integers(-20, 20), min_size=1, max_size=8)


def scipys(differences, **details):
    """SciPy's permutation test of the magnitude of the mean."""
    return stats.permutation_test(
        (differences,),
        lambda values, axis: np.abs(values.mean(axis)),
        permutation_type="samples",
        alternative="greater",
        **details,
    ).pvalue


def test_every_sign_is_flipped_as_the_method_is_described():
    """Smucker et al. 2007, section 2: the share of the 2^q outcomes of exchanging both
    systems' values that are at least as far apart as the observed ones."""
    a, b = np.array([0.3, 0.5, 0.1, 0.9]), np.array([0.4, 0.4, 0.6, 0.95])
    outcomes = [
        np.where(exchanged, a - b, b - a).mean()
        for exchanged in itertools.product([False, True], repeat=4)
    ]
    test = randomisation_test(a, b)
    beyond = np.abs(outcomes) >= abs((b - a).mean()) - 1e-12
    assert test.p_value == np.mean(beyond)
    assert (test.exact, test.sign_flips, test.queries) == (True, 16, 4)


@pytest.mark.parametrize("queries", [2, 5, 12])
def test_few_queries_have_scipys_exact_p_value(queries):
    differences = np.random.default_rng(queries).normal(0.4, 1.0, queries)
    test = randomisation_test(np.zeros(queries), differences)
    assert test.exact
    assert test.p_value == scipys(differences, n_resamples=np.inf)


def test_more_queries_have_nearly_the_exact_p_value_and_the_same_by_the_same_seed():
    differences = np.random.default_rng(2).normal(0.4, 1.0, 14)
    test = randomisation_test(np.zeros(14), differences)
    exact = scipys(differences, n_resamples=np.inf)
    error = np.sqrt(exact * (1 - exact) / test.sign_flips)
    assert (test.exact, test.sign_flips) == (False, 10_000)
    assert test.p_value == pytest.approx(exact, abs=4 * error)
    assert test == randomisation_test(np.zeros(14), differences)
    assert test.p_value != randomisation_test(0 * differences, differences, seed=1)[1]


def test_a_sampled_p_value_is_never_zero():
    test = randomisation_test(np.zeros(60), np.linspace(1.0, 2.0, 60))
    assert test.p_value == 1 / 10_001


@given(VALUES, st.integers(-3, 3), st.sampled_from([0.1, 1.0, 7.0]))
@settings(max_examples=50)
def test_a_p_value_does_not_depend_on_direction_order_or_unit(values, shift, unit):
    a, b = np.full(len(values), float(shift)), np.array(values, float)
    p = randomisation_test(a, b).p_value
    assert 0.0 < p <= 1.0
    assert randomisation_test(b, a).p_value == p
    assert randomisation_test(unit * a[::-1], unit * b[::-1]).p_value == p


@pytest.mark.parametrize("queries", [1, 3, 30])
def test_models_of_equal_values_are_said_to_be_equal(queries):
    values = np.linspace(0.1, 0.9, queries)
    test = randomisation_test(values, values)
    assert (test.difference, test.p_value, test.constant) == (0.0, 1.0, True)
    assert test.text == f"The two models have equal values in all {queries} queries."


def test_a_difference_of_every_query_is_said():
    test = randomisation_test([0.1, 0.2, 0.3, 0.7], [0.2, 0.3, 0.4, 0.8])
    assert test.constant
    assert test.p_value == 2 / 2**4
    assert test.text == (
        "The means differ by 0.1, in every query, p = 0.125. 4 queries are too few: no "
        "test can decide."
    )
    assert test.method == (
        "paired two-sided randomisation test over 4 queries, all 16 sign flips"
    )


def test_queries_without_a_value_are_left_out():
    nan = np.nan
    test = randomisation_test([0.1, nan, 0.3, 0.4], [0.3, 0.2, nan, 0.4])
    assert test == randomisation_test([0.1, 0.4], [0.3, 0.4])


@pytest.mark.parametrize(("ones", "queries"), [(0, 10), (1, 10), (3, 10), (2, 100)])
def test_values_of_0_and_1_have_jeffreys_interval(ones, queries):
    """Brown, Cai, DasGupta 2001, with 0 as the lower end where nothing is 1."""
    interval = mean_interval(np.arange(queries) < ones)
    low, high = stats.beta(ones + 0.5, queries - ones + 0.5).ppf([0.025, 0.975])
    assert interval.low == pytest.approx(low if ones else 0.0, rel=0.01, abs=1e-12)
    assert interval.high == pytest.approx(high, rel=0.015)


def drawn(values, low, high, level=0.95):
    """The Bayesian bootstrap with half a query at either end, by drawing weights."""
    shapes = [*np.ones(len(values)), 0.5, 0.5]
    weights = np.random.default_rng(0).dirichlet(shapes, 200_000)
    means = weights @ [*values, low, high]
    return np.quantile(means, [(1 - level) / 2, (1 + level) / 2])


@pytest.mark.parametrize(("queries", "level"), [(3, 0.9), (10, 0.95), (40, 0.5)])
def test_an_interval_is_that_of_drawn_weights(queries, level):
    rng = np.random.default_rng(queries)
    values, other = rng.random((2, queries)) ** 2
    low, high = drawn(values, 0.0, 1.0, level)
    interval = mean_interval(values, level)
    assert interval[1:3] == pytest.approx((low, high), abs=0.01 * (high - low))
    assert interval.estimate == values.mean()
    largest = np.abs(values - other).max()
    low, high = drawn(values - other, -largest, largest, level)
    interval = difference_interval(values, other, level)
    assert interval[1:3] == pytest.approx((low, high), abs=0.01 * (high - low))


def test_many_queries_have_the_interval_of_the_normal_distribution():
    values = np.random.default_rng(0).random(5000)
    half = 1.96 * values.std() / np.sqrt(5000)
    expected = values.mean() - half, values.mean() + half
    assert mean_interval(values)[1:3] == pytest.approx(expected, abs=0.01 * half)


SHARES = VALUES.filter(lambda values: len(values) > 1).map(
    lambda values: np.abs(np.array(values)) / 20
)


@given(SHARES)
@settings(max_examples=25)
def test_an_interval_lies_between_0_and_1_around_the_mean(values):
    interval = mean_interval(values)
    assert 0.0 <= interval.low <= values.mean() <= interval.high <= 1.0
    turned = mean_interval(1.0 - values)
    assert turned[1:3] == pytest.approx(
        (1.0 - interval.high, 1.0 - interval.low), abs=1e-8
    )


@given(SHARES, st.sampled_from([1e-6, 0.3, 7.0]))
@settings(max_examples=25)
def test_an_interval_of_differences_has_their_unit_and_direction(values, unit):
    pair = values, values[::-1] ** 2
    interval = difference_interval(*pair)
    # The mean of equal numbers may differ from them in the last digit.
    largest = np.abs(pair[0] - pair[1]).max() * (1.0 + 1e-15)
    assert -largest <= interval.low <= interval.estimate <= interval.high <= largest
    other = difference_interval(unit * pair[1], unit * pair[0])
    expected = -unit * interval.high, -unit * interval.low
    assert other[1:3] == pytest.approx(expected, abs=1e-7 * unit)


def test_intervals_of_many_models_are_those_of_each():
    values = np.random.default_rng(1).random((3, 20))
    for result, ends in zip(values, mean_intervals(values), strict=True):
        assert tuple(ends) == mean_interval(result)[1:3]


def test_values_beyond_the_scale_extend_it():
    """Means of folds weigh queries by their fold's share, which can exceed 1."""
    interval = mean_interval([0.2, 1.25, 0.9, 0.4])
    assert interval.high < 1.25
    assert interval[1:3] == pytest.approx(
        drawn([0.2, 1.25, 0.9, 0.4], 0, 1.25), abs=0.01
    )


@pytest.mark.parametrize(
    ("values", "caution"),
    [
        ([0.0] * 8 + [0.5, 1.0], "10 queries, 2 of them other than 0: too few"),
        ([0.25] * 10, "10 queries, none of them other than 0.25: too few"),
        ([0.1, 0.2, 0.3], "3 queries are too few"),
        ([0.0] * 30 + [0.1] * 6, ""),
        (np.linspace(0, 1, 7), ""),
    ],
)
def test_few_unlike_values_get_a_caution(values, caution):
    interval = mean_interval(values)
    assert interval.caution == (caution and f"{caution} to trust the interval.")
    assert interval.text.endswith(interval.caution or "].")


@pytest.mark.parametrize(
    ("differing", "queries", "sentence"),
    [
        (3, 10, "Only 3 of 10 queries differ: no test can decide."),
        (5, 5, "5 queries are too few: no test can decide."),
        (6, 10, ""),
        (0, 10, ""),
    ],
)
def test_no_test_decides_where_few_queries_differ(differing, queries, sentence):
    a = np.linspace(0.1, 0.4, queries)
    b = a + 0.1 * (np.arange(queries) < differing)
    test = randomisation_test(a, b)
    assert test.differing == differing
    assert test.p_value == 2 / 2**differing or differing == 0
    assert (test.p_value > 0.05) == (differing < 6)
    assert test.text.endswith(sentence or ".")
    assert difference_interval(b, a).others == differing


def test_holms_method_takes_the_smallest_by_the_number_of_tests():
    """By hand: 4 x 0.005, 3 x 0.01, 2 x 0.03, and no less than that for 0.04; so at
    level 0.05 the first and the last are rejected."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.01, 0.02, 0.03, 0.04, 0.05]) == pytest.approx(
        [0.05, 0.08, 0.09, 0.09, 0.09]
    )
    assert holm([]).tolist() == []


def rejected_in_steps(p_values, level):
    """Holm 1979: go from the smallest on, and stop at the first that is kept."""
    zeros = np.zeros(len(p_values), bool)
    for done, i in enumerate(np.argsort(p_values)):
        if p_values[i] > level / (len(p_values) - done):
            break
        zeros[i] = True
    return zeros


@given(
    st.lists(st.floats(0.0, 1.0), min_size=1, max_size=9), st.sampled_from([0.05, 0.2])
)
def test_adjusted_p_values_reject_what_holms_steps_reject(p_values, level):
    adjusted = holm(p_values)
    near = np.abs(adjusted - level) < 1e-12
    steps = rejected_in_steps(p_values, level)
    assert ((adjusted <= level) == steps)[~near].all()
    assert (adjusted >= p_values).all()
    assert (adjusted <= np.minimum(1.0, len(p_values) * np.array(p_values))).all()


@pytest.mark.parametrize(("effect", "queries"), [(0.2, 199), (0.5, 34), (0.8, 15)])
def test_small_medium_and_large_effects_take_the_tabulated_number(effect, queries):
    """Cohen's effects, power 0.8 at 0.05: G*Power and R's pwr.t.test(type="paired")."""
    differences = np.array([-1.0, 1.0, 0.0, 0.0])
    deviation = differences.std(ddof=1)
    assert queries_needed(differences, effect * deviation) == queries
    assert queries_needed(differences, -effect * deviation) == queries


def test_the_least_difference_is_detected_with_the_wanted_power():
    """By simulation: of t-tests of 20 queries with that mean, four fifths find it."""
    rng = np.random.default_rng(1)
    sample = rng.normal(0.0, 0.3, 20)
    difference = minimal_detectable_difference(sample)
    repeated = rng.normal(difference.difference, difference.deviation, (20_000, 20))
    share = np.mean(stats.ttest_1samp(repeated, 0.0, axis=1).pvalue <= 0.05)
    assert share == pytest.approx(0.8, abs=0.01)


@given(
    st.integers(3, 60), st.sampled_from([0.5, 0.8, 0.95]), st.sampled_from([0.01, 0.1])
)
@settings(max_examples=25)
def test_power_and_queries_are_inverse_to_each_other(queries, power, level):
    differences = np.random.default_rng(queries).normal(size=queries)
    difference = minimal_detectable_difference(differences, power=power, level=level)
    details = {"power": power, "level": level}
    needed = queries_needed(differences, difference.difference * (1 + 1e-9), **details)
    assert needed == queries
    assert queries_needed(differences, difference.difference / 2, **details) > queries


@pytest.mark.parametrize("queries", [2, 3, 5000])
def test_power_is_found_for_any_number_of_queries(queries):
    values = np.random.default_rng(0).random(queries)
    difference = minimal_detectable_difference(values)
    assert 0.0 < difference.difference < np.inf


def test_equal_differences_detect_anything():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        difference = minimal_detectable_difference([0.1] * 7)
        needed = queries_needed([0.1] * 7, 0.001)
    assert (difference.difference, difference.deviation, difference.constant) == (
        0.0,
        0.0,
        True,
    )
    assert difference.text.startswith("All 7 queries have the same difference")
    assert needed == 2


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: randomisation_test([0.1], [0.1, 0.2]), "one value per query"),
        (lambda: randomisation_test([np.nan], [0.1]), "0 queries have a value"),
        (lambda: difference_interval([0.5], [0.1]), "1 query has a value, and at"),
        (lambda: mean_interval([0.1]), "at least 2 are needed"),
        (lambda: difference_interval([0.1], [0.2]), "at least 2 are needed"),
        (lambda: holm([0.1, 1.2]), "from 0 to 1"),
        (lambda: minimal_detectable_difference([0.1]), "at least 2"),
        (lambda: minimal_detectable_difference([0, 1], power=0.01), "power is larger"),
        (lambda: queries_needed([0, 1], 0.0), "other than 0"),
        (lambda: queries_needed([0, 1], 1e-9), "more than 10⁹ queries"),
    ],
)
def test_what_cannot_be_computed_gets_a_sentence(ask, sentence):
    with pytest.raises(ValueError, match=sentence):
        ask()


def test_many_queries_are_sampled_in_batches(monkeypatch):
    differences = np.random.default_rng(0).normal(0.2, 1.0, 40)
    whole = randomisation_test(0 * differences, differences)
    monkeypatch.setattr(statistics, "AT_ONCE", 4_000)
    assert randomisation_test(0 * differences, differences) == whole
