"""Relative changes over queries, against drawn weights and known intervals."""

import numpy as np
import pytest

from rankcore.topics.sparsity.changes import RelativeChange, relative_change


@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_the_interval_is_that_of_drawn_weights(confidence):
    """Half a query at either end differs as much as any does, from the mean before."""
    rng = np.random.default_rng(3)
    before = rng.uniform(0.2, 1.0, 8)
    after = before * rng.uniform(0.6, 1.2, 8)
    change = relative_change(before, after, confidence)
    assert change.change == pytest.approx(after.mean() / before.mean() - 1)
    assert (change.before, change.after) == (before.mean(), after.mean())
    assert (change.queries, change.differing) == (8, 8)

    weights = rng.dirichlet([*np.ones(8), 0.5, 0.5], 200_000)
    largest, mean = np.abs(after - before).max(), before.mean()
    bases = weights @ [*before, mean, mean]
    changes = weights @ [*(after - before), -largest, largest] / bases
    low, high = np.quantile(changes, [(1 - confidence) / 2, (1 + confidence) / 2])
    assert change[3:5] == pytest.approx((low, high), abs=0.03 * (high - low))


def test_queries_count_in_pairs():
    """Were the queries of the two not the same, the change could be twice as large."""
    before = np.linspace(0.1, 0.9, 40)
    change = relative_change(before, 0.9 * before)
    assert change.change == pytest.approx(-0.1)
    assert -0.12 < change.low < change.change < change.high < -0.08


def test_no_change_is_below_nothing_left():
    change = relative_change([0.0, 0.0, 1.0], [0.0, 0.0, 0.0])
    assert (change.change, change.low) == (-1.0, -1.0)


def test_equal_models_do_not_differ():
    values = [0.1, 0.9, 0.4]
    assert relative_change(values, values)[2:5] == (0.0, 0.0, 0.0)


def test_many_queries_have_the_interval_of_the_normal_distribution():
    """The standard error of a ratio of means, by the delta method."""
    rng = np.random.default_rng(5)
    before = rng.uniform(0.3, 0.9, 2000)
    after = np.clip(before * 0.97 + rng.normal(0.0, 0.1, 2000), 0.0, 1.0)
    change = relative_change(before, after)
    ratio = after.mean() / before.mean()
    error = np.std(after - ratio * before) / before.mean() / np.sqrt(2000)
    expected = [ratio - 1 - 1.96 * error, ratio - 1 + 1.96 * error]
    assert [change.low, change.high] == pytest.approx(expected, abs=0.15 * error)


def test_queries_without_a_value_are_left_out():
    change = relative_change([0.5, np.nan, 0.7, 0.9], [0.4, 0.3, np.nan, 0.8])
    assert change == relative_change([0.5, 0.9], [0.4, 0.8])
    assert change.queries == 2


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ([], [], np.nan),
        ([0.5], [0.4], 0.4 / 0.5 - 1),
        ([0.0, 0.0], [0.0, 1.0], np.nan),
    ],
)
def test_too_few_queries_have_no_interval(before, after, change):
    """One query, or nothing to compare with."""
    result = relative_change(before, after)
    assert result.change == pytest.approx(change, nan_ok=True)
    assert np.isnan([result.low, result.high]).all()


@pytest.mark.parametrize("after", [[0.5], [[0.5, 0.4]], 0.5])
def test_queries_that_do_not_match_get_a_sentence(after):
    with pytest.raises(ValueError, match="one value per query"):
        relative_change([0.5, 0.6], after)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ((0.448, 0.431, -0.038, -0.061, -0.012), "−3.8% [−6.1, −1.2]"),
        ((0.5, 0.5, -1e-9, -0.02, 0.0), "0.0% [−2.0, 0.0]"),
        ((0.5, 0.6, 0.2, float("nan"), float("nan")), "+20.0% [no interval]"),
        ((0.0, 0.6, *[float("nan")] * 3), "no relative change"),
    ],
)
def test_a_change_is_said_with_its_interval(change, words):
    result = RelativeChange(*change, 21, 3, 0.95)
    assert result.text.replace("\N{NO-BREAK SPACE}", " ") == words
    assert result.method == "95% interval of paired differences over 21 queries"
    assert result.caution == "Only 3 of 21 queries differ: no test can decide."
