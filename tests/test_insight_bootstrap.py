"""The bootstrap over queries, against all resamples there are and known intervals."""

import itertools

import numpy as np
import pytest

from rankcore.insight.bootstrap import RESAMPLES, RelativeChange, relative_change


def everything(before, after, confidence=0.95):
    """The percentile interval over all q^q resamples of q queries."""
    q = len(before)
    draws = np.array(list(itertools.product(range(q), repeat=q)))
    changes = after[draws].mean(axis=1) / before[draws].mean(axis=1) - 1
    tail = (1 - confidence) / 2
    return np.quantile(changes, [tail, 1 - tail])


@pytest.mark.parametrize("confidence", [0.5, 0.9])
def test_the_interval_is_near_that_of_all_resamples(confidence):
    rng = np.random.default_rng(3)
    before = rng.uniform(0.2, 1.0, 6)
    after = before * rng.uniform(0.6, 1.2, 6)
    found = relative_change(before, after, confidence=confidence)

    assert found.change == pytest.approx(after.mean() / before.mean() - 1)
    assert (found.before, found.after) == (before.mean(), after.mean())
    assert (found.queries, found.resamples) == (6, RESAMPLES)
    expected = everything(before, after, confidence)
    spread = np.ptp(everything(before, after))
    assert [found.low, found.high] == pytest.approx(expected, abs=0.03 * spread)


def test_queries_are_drawn_in_pairs():
    """Were the models' queries drawn apart, the interval would not be a point."""
    before = np.array([0.1, 0.9, 0.4, 0.6, 0.2])
    found = relative_change(before, 0.9 * before)
    assert found[2:5] == pytest.approx([-0.1, -0.1, -0.1])


def test_equal_models_do_not_differ():
    values = [0.1, 0.9, 0.4]
    assert relative_change(values, values)[2:5] == (0.0, 0.0, 0.0)


def test_many_queries_have_the_interval_of_the_normal_distribution():
    """The standard error of a ratio of means, by the delta method."""
    rng = np.random.default_rng(5)
    before = rng.uniform(0.3, 0.9, 2000)
    after = np.clip(before * 0.97 + rng.normal(0.0, 0.1, 2000), 0.0, 1.0)
    found = relative_change(before, after, resamples=2000)
    ratio = after.mean() / before.mean()
    error = np.std(after - ratio * before) / before.mean() / np.sqrt(2000)
    expected = [ratio - 1 - 1.96 * error, ratio - 1 + 1.96 * error]
    assert [found.low, found.high] == pytest.approx(expected, abs=0.15 * error)


def test_the_same_seed_gives_the_same_interval():
    rng = np.random.default_rng(0)
    pair = rng.random((2, 9))
    assert relative_change(*pair) == relative_change(*pair)
    assert relative_change(*pair).low != relative_change(*pair, seed=1).low


def test_queries_without_a_value_are_left_out():
    found = relative_change([0.5, np.nan, 0.7, 0.9], [0.4, 0.3, np.nan, 0.8])
    assert found == relative_change([0.5, 0.9], [0.4, 0.8])
    assert found.queries == 2


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ([], [], np.nan),
        ([0.5], [0.4], 0.4 / 0.5 - 1),
        ([0.0, 0.0], [0.0, 1.0], np.nan),
        ([0.0, 1.0], [0.0, 1.0], 0.0),
    ],
)
def test_too_few_queries_have_no_interval(before, after, change):
    """One query, or resamples in which there is nothing to compare with."""
    found = relative_change(before, after)
    assert found.change == pytest.approx(change, nan_ok=True)
    assert np.isnan([found.low, found.high]).all()


@pytest.mark.parametrize("after", [[0.5], [[0.5, 0.4]], 0.5])
def test_queries_that_do_not_match_get_a_sentence(after):
    with pytest.raises(ValueError, match="one value per query"):
        relative_change([0.5, 0.6], after)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ((0.448, 0.431, -0.038, -0.061, -0.012), "−3.8 % [−6.1, −1.2]"),
        ((0.5, 0.5, -1e-9, -0.02, 0.0), "0.0 % [−2.0, 0.0]"),
        ((0.5, 0.6, 0.2, float("nan"), float("nan")), "+20.0 % [no interval]"),
        ((0.0, 0.6, *[float("nan")] * 3), "no relative change"),
    ],
)
def test_a_change_is_said_with_its_interval(change, words):
    found = RelativeChange(*change, 21, 9999, 0, 0.95)
    assert found.text.replace("\N{NO-BREAK SPACE}", " ") == words
    assert found.method == (
        "95 % interval, paired bootstrap over 21 queries, 9999 resamples, seed 0"
    )
