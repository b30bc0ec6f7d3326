import inspect
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankcore._kernels.losses.approximation import (
    PUSH,
    ndcg_pass,
    ndcg_term,
    soft_positions,
    visit_queries,
)
from rankcore.algorithms.approx_ndcg import ApproxNDCG
from rankcore.algorithms.parts import approximation
from rankcore.algorithms.parts.normalised_gains import normalised_gains
from rankcore.base.hyperparameters import hyperparameters
from rankcore.data.catalogue import load_dataset
from rankcore.data.dataset import RankingDataset
from rankcore.measures import exact_ranks
from rankcore.training import drive
from tests.algorithms.test_approximation import planted, run_of

WHOLE_LIST = math.inf


def one_query(n):
    return np.array([0, n])


def read_only(array):
    array.flags.writeable = False
    return array


def surrogate(s, y, alpha, cutoff=None, beta=1.0, offsets=None):
    """Value and gradient of the kernel, with a feature a document: its score."""
    offsets = read_only(one_query(len(s)) if offsets is None else offsets.copy())
    gains = normalised_gains(np.asarray(y), offsets, cutoff)
    k = WHOLE_LIST if cutoff is None else float(cutoff)
    X, queries = read_only(np.eye(len(s))), np.arange(len(offsets) - 1)
    scores = np.array(s, float)
    return ndcg_pass(X, gains, offsets, queries, scores, alpha, k, beta, 0.0)[:2]


def sigmoid(x):
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def naive(s, y, alpha, cutoff=None, beta=1.0):
    """The formulas of one query, written out as double loops."""
    n = len(s)
    gains = [2.0**label - 1 for label in y]
    best = sorted(gains, reverse=True)[:cutoff]
    ideal = sum(g / math.log2(1 + rank) for rank, g in enumerate(best, start=1))
    if ideal == 0:
        return 0.0, np.zeros(n)
    above = [[sigmoid(alpha * (s[j] - s[i])) for j in range(n)] for i in range(n)]
    below = [[sigmoid(alpha * (s[i] - s[j])) for j in range(n)] for i in range(n)]
    value, h = 0.0, []
    for i in range(n):
        t = 1 + sum(above[i][j] for j in range(n) if j != i)
        discount = 1 / math.log2(1 + t)
        slope = -math.log(2) / ((1 + t) * math.log(1 + t) ** 2)
        tau, tau_slope = 1.0, 0.0
        if cutoff is not None:
            x = beta * (cutoff + 0.5 - t)
            tau, tau_slope = sigmoid(x), -beta * sigmoid(x) * sigmoid(-x)
        value += gains[i] / ideal * discount * tau
        h.append(gains[i] / ideal * (slope * tau + discount * tau_slope))
    terms = [
        [alpha * above[i][j] * below[i][j] * (h[j] - h[i]) for j in range(n)]
        for i in range(n)
    ]
    return value, np.sum(terms, axis=1), sizes(above, below, h)


def sizes(above, below, h):
    """How large the terms of a gradient are that may cancel each other."""
    slopes = np.array(above) * np.array(below)
    return slopes @ np.abs(h) + slopes.sum(axis=1) * np.abs(h)


def assert_agree(found, expected):
    """Up to rounding, of terms that may cancel where their sizes are given."""
    value, gradient, *terms = expected
    assert found[0] == pytest.approx(value, rel=1e-12, abs=1e-200)
    scale = max(np.abs(part).max() for part in (gradient, *terms))
    assert np.abs(found[1] - gradient).max() <= 1e-12 * scale + 1e-200


# The worked example of three documents.
S, Y = np.array([0.3, 0.1, 0.2]), np.array([0, 2, 1])


def test_worked_example_positions():
    expected = [1 + sigmoid(-1) + sigmoid(-2), 1 + sigmoid(2) + sigmoid(1), 2]
    positions = soft_positions(S, np.ones(3), one_query(3), 10.0)
    np.testing.assert_allclose(positions, expected, rtol=1e-14)
    np.testing.assert_allclose(positions, [1.388144, 2.611856, 2.0], atol=5e-7)


def test_worked_example_ndcg():
    value, gradient = surrogate(S, Y, alpha=10.0)
    assert value == pytest.approx(0.619718, abs=5e-7)
    np.testing.assert_allclose(gradient, [-0.204603, 0.186314, 0.018289], atol=5e-7)


def test_worked_example_ndcg_at_1():
    value, gradient = surrogate(S, Y, alpha=10.0, cutoff=1, beta=10.0)
    assert value == pytest.approx(0.001416, abs=5e-7)
    np.testing.assert_allclose(gradient, [-0.028415, -0.028082, 0.056497], atol=5e-7)


def test_table_1_of_the_paper():
    s = np.array([4.20074, 3.12378, 4.40918, 1.55258, 4.13330])
    positions = soft_positions(s, np.ones(5), one_query(5), 100.0)
    printed = [2.0011765393, 4.0, 1.0000000009, 5.0, 2.9988234599]
    np.testing.assert_allclose(positions, printed, atol=5e-10)
    error = np.abs(positions - exact_ranks(s, one_query(5)))
    assert error.max() == pytest.approx(0.0011765, abs=5e-8)
    nearest = 4.20074 - 4.13330
    assert error.max() <= 4 / (math.exp(100 * nearest) + 1)


@st.composite
def queries(draw):
    """A list with ties, of any spread, and how it is smoothed."""
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    n = draw(st.integers(1, 60))
    spread = 10.0 ** draw(st.floats(-6, 4))
    s = spread * rng.normal(size=n)
    if draw(st.booleans()):
        s = spread * np.round(s / spread)
    y = rng.choice(draw(st.sampled_from([[0, 1], [0, 1, 2], [0, 3], [1, 2], [0]])), n)
    alpha = 10.0 ** draw(st.floats(-1, 3))
    cutoff = draw(st.none() | st.integers(1, 70))
    return s, y, alpha, cutoff, 10.0 ** draw(st.floats(-1, 2))


@settings(max_examples=60, deadline=None)
@given(queries())
def test_it_equals_the_double_loop(query):
    assert_agree(surrogate(*query), naive(*query))


def vectorised(s, y, alpha):
    """The double loop as arrays, for lists too long for loops."""
    x = alpha * (s[None, :] - s[:, None])
    small = np.exp(-np.abs(x))
    above = np.where(x >= 0, 1.0, small) / (1.0 + small)
    weights = small / (1.0 + small) ** 2
    np.fill_diagonal(above, 0.0)
    np.fill_diagonal(weights, 0.0)
    t = 1.0 + above.sum(axis=1)
    gains = normalised_gains(y, one_query(len(s)), None)
    h = -gains * math.log(2) / ((1 + t) * np.log(1 + t) ** 2)
    value = gains @ (1 / np.log2(1 + t))
    return value, alpha * (weights @ h - h * weights.sum(axis=1))


@pytest.mark.parametrize("relevant", [0.01, 0.4, 1.0])
@pytest.mark.parametrize("alpha", [0.1, 10.0, 100.0, 1000.0])
@pytest.mark.parametrize("spread", [1e-3, 0.1, 1.0, 30.0])
def test_long_lists_take_windows_and_stay_exact(relevant, alpha, spread):
    rng = np.random.default_rng(0)
    s = spread * rng.normal(size=400)
    s[::7] = s[0]
    y = (rng.random(400) < relevant) * rng.integers(1, 3, 400)
    assert_agree(surrogate(s, y, alpha), vectorised(s, y, alpha))


def test_a_tiny_gradient_from_beyond_the_window_is_found():
    s = np.arange(200.0)[::-1] * 0.5
    y = np.arange(200) % 3
    expected = vectorised(s, y, 100.0)
    assert 0.0 < np.abs(expected[1]).max() < 1e-17
    assert_agree(surrogate(s, y, 100.0), expected)


@pytest.mark.parametrize("alpha", [0.1, 100.0, 1000.0])
def test_huge_scores_do_not_overflow(alpha):
    rng = np.random.default_rng(0)
    s = 1e8 * rng.uniform(-1, 1, 300)
    y = rng.integers(0, 3, 300)
    value, gradient = surrogate(s, y, alpha)
    assert value == pytest.approx(vectorised(s, y, alpha)[0], rel=1e-12)
    assert np.isfinite(gradient).all()


def test_the_gradient_is_that_of_the_value():
    rng = np.random.default_rng(1)
    s, y = rng.normal(size=9), rng.integers(0, 3, 9)
    for cutoff in (None, 3):
        _, gradient = surrogate(s, y, 5.0, cutoff, beta=2.0)
        for i, step in enumerate(1e-5 * np.eye(9)):
            up, down = (surrogate(s + d, y, 5.0, cutoff, 2.0)[0] for d in (step, -step))
            assert gradient[i] == pytest.approx((up - down) / 2e-5, rel=1e-6, abs=1e-9)


def test_invariants():
    rng = np.random.default_rng(2)
    s, y = rng.normal(size=80), rng.integers(0, 3, 80)
    offsets = np.array([0, 30, 31, 80])
    value, gradient = surrogate(s, y, 20.0, offsets=offsets)
    sums = np.add.reduceat(gradient, offsets[:-1])
    np.testing.assert_allclose(sums, 0.0, atol=1e-13)
    shifted = s + np.repeat([5.0, -3.0, 100.0], np.diff(offsets))
    assert surrogate(shifted, y, 20.0, offsets=offsets)[0] == pytest.approx(value)
    scaled, by_scaled = surrogate(20.0 * s, y, 1.0, offsets=offsets)
    assert scaled == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(20.0 * by_scaled, gradient, rtol=1e-9, atol=1e-12)
    positions = soft_positions(s, np.ones(80), offsets, 20.0)
    sizes = np.diff(offsets)
    np.testing.assert_allclose(
        np.add.reduceat(positions, offsets[:-1]), sizes * (sizes + 1) / 2
    )


def test_tied_documents_share_their_middle_position():
    positions = soft_positions([1.0, 1.0, 0.0], np.ones(3), one_query(3), 1000.0)
    np.testing.assert_allclose(positions, [1.5, 1.5, 3.0])


def test_the_two_halves_give_what_ndcg_takes_in_one():
    rng = np.random.default_rng(5)
    s, y, offsets = rng.normal(size=90), rng.integers(0, 3, 90), np.array([0, 20, 90])
    gains = normalised_gains(y, offsets, 4)
    positions = soft_positions(s, gains, offsets, 8.0)
    assert ((positions > 0) == (y > 0)).all()
    terms = [ndcg_term(t, 4.0, 2.0) for t in np.maximum(positions, 1.0)]
    discounts, slopes = gains * np.transpose(terms)
    value, gradient = surrogate(s, y, 8.0, 4, 2.0, offsets)
    assert discounts.sum() == pytest.approx(value)
    outcome, result = slopes.copy(), np.zeros(90)
    visit_queries(
        PUSH, s, outcome.copy(), read_only(offsets), np.arange(2), 8.0, WHOLE_LIST, 1.0,
        positions, outcome, result,
    )  # fmt: skip
    np.testing.assert_allclose(result, gradient, atol=1e-14)


def test_a_stochastic_restart_ends_when_it_hardly_moves():
    still = ApproxNDCG(optimiser="stochastic", tolerance=1e6)
    assert [r.iteration for r in run_of(still, planted())] == [0, 1]
    moving = ApproxNDCG(optimiser="stochastic", tolerance=0.0, restart_passes=7)
    assert run_of(moving, planted())[-1].iteration == 7


def test_lbfgs_climbs_to_its_gradient_tolerance():
    data = planted()
    algorithm = ApproxNDCG(alpha=1.0, gradient_tolerance=1e-6, restart_passes=1000)
    history = run_of(algorithm, data, passes=1000)
    objectives = [record.objective for record in history]
    assert (np.diff(objectives) >= 0.0).all()
    # The features range over less than 1, hence the gradient by w is smaller yet.
    assert history[-1].diagnostics["gradient norm"] <= 1e-6 * math.sqrt(4)


def test_a_random_start_suits_the_scale_of_the_features():
    data = planted()
    raw = RankingDataset.from_arrays(
        np.column_stack([data.X * [1e6, 1e-3, 1.0, 1e9], np.full(len(data.y), 7.0)]),
        data.y,
        np.repeat(data.query_ids, 15),
    )
    first, *_, last = run_of(ApproxNDCG(), raw)
    assert first.diagnostics["flat queries"] == 0.0
    assert first.coef[-1] == last.coef[-1] == 0.0
    assert last.objective == pytest.approx(
        run_of(ApproxNDCG(), data)[-1].objective, 0.02
    )


@pytest.mark.parametrize("optimiser", ["lbfgs", "stochastic"])
def test_the_last_step_is_the_best_restart(optimiser):
    algorithm = ApproxNDCG(
        optimiser=optimiser, alpha=100.0, init="uniform", n_restarts=5, restart_passes=6
    )
    history = run_of(algorithm, planted(), passes=200)
    restarts = [record.diagnostics["restart"] for record in history[:-1]]
    assert sorted(restarts) == restarts
    assert set(restarts) == {1.0, 2.0, 3.0, 4.0, 5.0}
    ends = [
        record
        for record, after in zip(history[:-1], [*restarts[1:], 0.0], strict=True)
        if record.diagnostics["restart"] != after
    ]
    best = max(ends, key=lambda record: record.objective)
    assert history[-1].objective == best.objective
    np.testing.assert_array_equal(history[-1].coef, best.coef)
    assert [record.iteration for record in history] == list(range(len(history)))


def test_the_first_restart_begins_where_it_is_told():
    data = planted()
    start = np.array([3.0, 0.0, -1.0, 0.5])
    history = run_of(ApproxNDCG(n_restarts=2, restart_passes=2), data, start=start)
    np.testing.assert_array_equal(history[0].coef, start)
    second = next(r for r in history if r.diagnostics["restart"] == 2.0)
    assert not np.array_equal(second.coef, start)
    zeros = run_of(ApproxNDCG(init="zeros"), data, passes=1)
    np.testing.assert_array_equal(zeros[0].coef, np.zeros(4))


def test_sharpness_and_scale_do_not_change_the_path_of_lbfgs():
    data = planted()
    plain = run_of(ApproxNDCG(alpha=1.0, init="zeros"), data, passes=15)
    scaled = RankingDataset.from_arrays(
        data.X * [1e6, 1e-3, 1.0, 1e9], data.y, np.repeat(data.query_ids, 15)
    )
    for alpha, other in ((1000.0, data), (1.0, scaled)):
        history = run_of(ApproxNDCG(alpha=alpha, init="zeros"), other, passes=15)
        assert [r.objective for r in history[:8]] == pytest.approx(
            [r.objective for r in plain[:8]], rel=1e-6
        )


def test_from_zeros_alpha_changes_only_the_scale_of_the_coefficients():
    data, ends = planted(), []
    for alpha in (4.0, 8.0, 64.0):
        run = drive(ApproxNDCG(alpha=alpha, init="zeros"), data)
        ends.append((list(run)[-1], alpha, run.reason))
    (first, alpha, _), *others = ends
    for last, other, reason in others:
        # Powers of two, so that nothing is rounded.
        assert last.objective == first.objective
        np.testing.assert_array_equal(other * last.coef, alpha * first.coef)
        assert "ends at the same αw for every α" in reason
        assert "Try a smaller α" not in reason
    # What matters is α times the start.
    half = run_of(ApproxNDCG(alpha=8.0, init_scale=0.5), data)[-1]
    assert half.objective == run_of(ApproxNDCG(alpha=4.0), data)[-1].objective


def test_a_smaller_gradient_tolerance_climbs_on_from_zeros():
    data = load_dataset("planted").train
    ends = {
        tolerance: run_of(
            ApproxNDCG(init="zeros", gradient_tolerance=tolerance), data, 100
        )[-1].objective
        for tolerance in (1e-5, 1e-6)
    }
    documentation = inspect.getdoc(approximation)
    assert f"{ends[1e-5]:.5f} with the default, {ends[1e-6]:.5f}" in " ".join(
        documentation.split()
    )
    for name in ("alpha", "gradient_tolerance"):
        meaning = hyperparameters(ApproxNDCG())[name].meaning
        assert "from zeros" in meaning or "climbs further" in meaning


def test_vanished_gradients_are_diagnosed():
    sharp = ApproxNDCG(**ApproxNDCG.presets["α too sharp"])
    run = drive(sharp, planted())
    records = list(run)
    assert records[0].diagnostics["flat queries"] > 0.5
    assert "the surrogate is flat here" in run.reason
    assert run_of(ApproxNDCG(), planted(), passes=1)[0].diagnostics["flat queries"] == 0


def test_queries_without_relevant_documents_do_not_count():
    data = planted()
    rng = np.random.default_rng(0)
    more = RankingDataset.from_arrays(
        np.vstack([data.X, rng.random((9, 4))]),
        np.append(data.y, np.zeros(9, int)),
        np.append(np.repeat(np.arange(20), 15), np.full(9, 99)),
    )
    without = run_of(ApproxNDCG(), data, passes=5)
    assert [r.objective for r in run_of(ApproxNDCG(), more, passes=5)] == pytest.approx(
        [r.objective for r in without]
    )
