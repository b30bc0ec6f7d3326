"""Statistics over queries, against SciPy, published examples and brute force."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rankcore import statistics
from rankcore.statistics import (
    bootstrap_interval,
    holm,
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
    found = randomisation_test(a, b)
    beyond = np.abs(outcomes) >= abs((b - a).mean()) - 1e-12
    assert found.p_value == np.mean(beyond)
    assert (found.exact, found.sign_flips, found.queries) == (True, 16, 4)


@pytest.mark.parametrize("queries", [2, 5, 12])
def test_few_queries_have_scipys_exact_p_value(queries):
    differences = np.random.default_rng(queries).normal(0.4, 1.0, queries)
    found = randomisation_test(np.zeros(queries), differences)
    assert found.exact
    assert found.p_value == scipys(differences, n_resamples=np.inf)


def test_more_queries_have_nearly_the_exact_p_value_and_the_same_by_the_same_seed():
    differences = np.random.default_rng(2).normal(0.4, 1.0, 14)
    found = randomisation_test(np.zeros(14), differences)
    exact = scipys(differences, n_resamples=np.inf)
    error = np.sqrt(exact * (1 - exact) / found.sign_flips)
    assert (found.exact, found.sign_flips) == (False, 10_000)
    assert found.p_value == pytest.approx(exact, abs=4 * error)
    assert found == randomisation_test(np.zeros(14), differences)
    assert found.p_value != randomisation_test(0 * differences, differences, seed=1)[1]


def test_a_sampled_p_value_is_never_zero():
    found = randomisation_test(np.zeros(60), np.linspace(1.0, 2.0, 60))
    assert found.p_value == 1 / 10_001


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
    found = randomisation_test(values, values)
    assert (found.difference, found.p_value, found.constant) == (0.0, 1.0, True)
    assert found.text == f"The two models have equal values in all {queries} queries."


def test_a_difference_of_every_query_is_said():
    found = randomisation_test([0.1, 0.2, 0.3, 0.7], [0.2, 0.3, 0.4, 0.8])
    assert found.constant
    assert found.p_value == 2 / 2**4
    assert found.text == "The means differ by 0.1, in every query, p = 0.125."
    assert found.method == (
        "paired two-sided randomisation test over 4 queries, all 16 sign flips"
    )


def test_queries_without_a_value_are_left_out():
    nan = np.nan
    found = randomisation_test([0.1, nan, 0.3, 0.4], [0.3, 0.2, nan, 0.4])
    assert found == randomisation_test([0.1, 0.4], [0.3, 0.4])


def test_an_interval_is_scipys():
    values = np.random.default_rng(0).random(30)
    found = bootstrap_interval(values, level=0.9, resamples=500, seed=3)
    expected = stats.bootstrap(
        (values,),
        np.mean,
        method="percentile",
        n_resamples=500,
        confidence_level=0.9,
        rng=3,
    ).confidence_interval
    assert (found.low, found.high) == (expected.low, expected.high)
    assert found.estimate == values.mean()


@given(VALUES.filter(lambda values: len(values) > 1))
@settings(max_examples=25)
def test_an_interval_lies_within_the_values_and_moves_with_them(values):
    found = bootstrap_interval(values, resamples=200)
    assert min(values) <= found.low <= found.high <= max(values)
    moved = bootstrap_interval(np.array(values) + 4.0, resamples=200)
    assert moved[1:3] == pytest.approx((found.low + 4.0, found.high + 4.0))


def test_equal_values_have_a_point_and_a_sentence():
    found = bootstrap_interval([0.25] * 5)
    assert found[:3] == (0.25, 0.25, 0.25)
    assert found.constant
    assert found.text == "All 5 queries have the same value, so it is a point."


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
    found = np.zeros(len(p_values), bool)
    for done, i in enumerate(np.argsort(p_values)):
        if p_values[i] > level / (len(p_values) - done):
            break
        found[i] = True
    return found


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
    found = minimal_detectable_difference(sample)
    repeated = rng.normal(found.difference, found.deviation, (20_000, 20))
    share = np.mean(stats.ttest_1samp(repeated, 0.0, axis=1).pvalue <= 0.05)
    assert share == pytest.approx(0.8, abs=0.01)


@given(
    st.integers(3, 60), st.sampled_from([0.5, 0.8, 0.95]), st.sampled_from([0.01, 0.1])
)
@settings(max_examples=25)
def test_power_and_queries_are_inverse_to_each_other(queries, power, level):
    differences = np.random.default_rng(queries).normal(size=queries)
    found = minimal_detectable_difference(differences, power=power, level=level)
    details = {"power": power, "level": level}
    needed = queries_needed(differences, found.difference * (1 + 1e-9), **details)
    assert needed == queries
    assert queries_needed(differences, found.difference / 2, **details) > queries


@pytest.mark.parametrize("queries", [2, 3, 5000])
def test_power_is_found_for_any_number_of_queries(queries):
    values = np.random.default_rng(0).random(queries)
    found = minimal_detectable_difference(values)
    assert 0.0 < found.difference < np.inf


def test_equal_differences_detect_anything():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = minimal_detectable_difference([0.1] * 7)
        needed = queries_needed([0.1] * 7, 0.001)
    assert (found.difference, found.deviation, found.constant) == (0.0, 0.0, True)
    assert found.text.startswith("All 7 queries have the same difference")
    assert needed == 2


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: randomisation_test([0.1], [0.1, 0.2]), "one value per query"),
        (lambda: randomisation_test([np.nan], [0.1]), "0 queries have a value"),
        (lambda: bootstrap_interval([0.1]), "at least 2 are needed"),
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
    monkeypatch.setattr(statistics, "_AT_ONCE", 4_000)
    assert randomisation_test(0 * differences, differences) == whole
