"""L-BFGS, its line search and annealing, beside SciPy's and by their own conditions."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize, rosen, rosen_der

from rankcore.base.cancellation import cancel_points
from rankcore.mathematics.annealing import _SPREAD, _VISITING, anneal
from rankcore.mathematics.lbfgs import minimise, trials
from rankcore.mathematics.more_thuente import steps


def valley(x):
    return float(rosen(x)), rosen_der(x)


def quartic(x):
    return float(np.sum(x**4)), 4.0 * x**3


@pytest.mark.parametrize("corrections", [3, 10])
def test_the_iterates_are_those_of_scipy_until_rounding_parts_them(corrections):
    expected, start = [], np.array([-1.2, 1.0, -0.5, 0.8])
    minimize(
        valley, start, jac=True, method="L-BFGS-B",
        callback=lambda x: expected.append(x.copy()),
        options={"gtol": 1e-8, "ftol": 0.0, "maxcor": corrections, "maxiter": 10**9},
    )  # fmt: skip
    iterates = list(minimise(valley, start, 1e-8, corrections))
    assert len(iterates) == len(expected) > 30
    np.testing.assert_allclose(iterates, expected, rtol=1e-6)
    assert np.abs(rosen_der(iterates[-1])).max() <= 1e-8


def test_it_ends_after_the_iterations_asked_for():
    whole = list(minimise(valley, np.zeros(4), 1e-8))
    first = list(minimise(valley, np.zeros(4), 1e-8, max_iterations=5))
    np.testing.assert_array_equal(first, whole[:5])


def test_at_a_minimum_it_has_nothing_to_do():
    assert list(minimise(valley, np.ones(4), 1e-8)) == []


def test_only_iterates_are_shown_of_all_that_is_tried():
    tried = list(trials(valley, np.zeros(4), 1e-8))
    iterates = list(minimise(valley, np.zeros(4), 1e-8))
    assert len(tried) > len(iterates) + 1
    np.testing.assert_array_equal([t.x for t in tried if t.taken][1:], iterates)


def test_each_evaluation_begins_with_a_cancel_point():
    evaluations = []

    def counted(x):
        evaluations.append(x)
        return valley(x)

    def callback():
        if len(evaluations) == 7:
            raise KeyboardInterrupt

    with cancel_points(callback), pytest.raises(KeyboardInterrupt):
        list(minimise(counted, np.zeros(4), 1e-8))
    assert len(evaluations) == 7


def test_an_error_in_the_objective_comes_through():
    def broken(x):
        raise ArithmeticError("no value here")

    with pytest.raises(ArithmeticError, match="no value here"):
        list(minimise(broken, np.ones(2), 1e-8))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_it_stops_at_the_best_where_the_objective_is_not_finite(bad):
    def cliff(x):
        value, gradient = quartic(x)
        return (bad if x[0] < 0.2 else value), gradient

    iterates = list(minimise(cliff, np.ones(3), 1e-8))
    assert iterates
    assert iterates[-1][0] >= 0.2
    assert list(minimise(cliff, np.zeros(3) - 1.0, 1e-8)) == []


def test_it_ends_where_the_gradient_points_the_wrong_way():
    def wrong(x):
        value, gradient = quartic(x)
        return value, -gradient

    tried = list(trials(wrong, np.ones(2), 1e-8))
    assert [trial.taken for trial in tried[:1]] == [True]
    assert min(trial.value for trial in tried) == tried[0].value
    assert len(tried) <= 21


def test_after_a_failed_search_it_forgets_and_goes_downhill():
    def kinked(x):
        return float(np.abs(x).sum() + 0.5 * np.sum(x * x)), np.where(
            x < 0, x - 1, x + 1
        )

    tried = list(trials(kinked, np.array([0.8, -1.4, -2.8, -2.9]), 1e-6))
    taken = "".join("+" if trial.taken else "-" for trial in tried)
    fails = taken.index(20 * "-")
    assert len(tried) > fails + 20
    last, after = tried[fails - 1], tried[fails + 20]
    np.testing.assert_allclose(after.x - last.x, -last.gradient)
    assert tried[-1].value < 1e-12


def test_in_a_box_it_ends_where_scipy_does():
    low, high = np.full(8, -1.5), np.full(8, 0.7)
    low[3], high[4] = 0.2, -0.1
    start = np.clip(np.linspace(-1.0, 1.0, 8), low, high)
    tried = list(trials(valley, start, 1e-8, box=(low, high)))
    assert all((low <= t.x).all() and (t.x <= high).all() for t in tried)
    (*_, last) = (t for t in tried if t.taken)
    other = minimize(
        valley, start, jac=True, method="L-BFGS-B",
        bounds=list(zip(low, high, strict=True)), options={"gtol": 1e-8, "ftol": 0.0},
    )  # fmt: skip
    np.testing.assert_allclose(last.x, other.x, atol=1e-6)
    bound = (last.x == low) & (last.gradient > 0) | (last.x == high) & (
        last.gradient < 0
    )
    assert bound.any()
    assert np.abs(last.gradient[~bound]).max() <= 1e-6


WAVE = 39.0 * math.pi / 2.0


def kink(t):
    """1 - t to the left of 1 and t - 1 to the right, rounded off."""
    if abs(t - 1.0) >= 0.01:
        return abs(t - 1.0), math.copysign(1.0, t - 1.0)
    return 50.0 * (t - 1.0) ** 2 + 0.005, 100.0 * (t - 1.0)


# The first three functions of the paper's section 5, and their slopes.
LINES = {
    "one minimum": lambda t: (-t / (t**2 + 2), (t**2 - 2) / (t**2 + 2) ** 2),
    "a steep fall": lambda t: (
        (t + 0.004) ** 5 - 2 * (t + 0.004) ** 4,
        5 * (t + 0.004) ** 4 - 8 * (t + 0.004) ** 3,
    ),
    "a wave": lambda t: (
        kink(t)[0] + 0.99 / WAVE * math.sin(WAVE * t),
        kink(t)[1] + 0.99 * math.cos(WAVE * t),
    ),
}


@pytest.mark.parametrize("first", [1e-3, 1e-1, 1e1, 1e3])
@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_the_line_search_ends_where_both_conditions_hold(line, first):
    value, slope = line(0.0)
    search = steps(value, slope, first, 1e10)
    tried = [next(search)]
    try:
        while len(tried) < 20:
            tried.append(search.send(line(tried[-1])))
    except StopIteration:
        pass
    end, end_slope = line(tried[-1])
    assert tried[0] == first
    assert len(tried) < 20
    assert end <= value + 1e-3 * tried[-1] * slope
    # A short interval ends with its best step.
    assert abs(end_slope) <= 0.9 * abs(slope) or end == min(line(t)[0] for t in tried)


def test_a_line_that_falls_for_ever_is_followed_to_the_longest_step():
    search = steps(0.0, -1.0, 1.0, 50.0)
    tried = [next(search)]
    while tried[-1] < 50.0:
        tried.append(search.send((-tried[-1], -1.0)))
    with pytest.raises(StopIteration):
        search.send((-50.0, -1.0))
    np.testing.assert_array_equal(tried, [1.0, 5.0, 21.0, 50.0])


def test_the_spread_of_jumps_is_that_of_the_visiting_distribution():
    # Tsallis and Stariolo's equations for one component, at a temperature of 1.
    q = _VISITING
    factor = math.sqrt(math.pi) * (q - 1.0) ** (4.0 - q)
    factor /= 2.0 ** ((2.0 - q) / (q - 1.0)) * (3.0 - q)
    spread = (factor / math.gamma(1.0 / (q - 1.0) - 0.5)) ** ((q - 1.0) / (3.0 - q))
    assert pytest.approx(spread, rel=1e-12) == _SPREAD


def waves(x):
    """Many minima in a bowl, between 0 and 1; the least is at 0.3."""
    x = x - 0.3
    value = np.mean(x * x + 1.0 - np.cos(2.0 * np.pi * x)) / 30.0
    return value, (2.0 * x + 2.0 * np.pi * np.sin(2.0 * np.pi * x)) / (30.0 * len(x))


def annealed(seed, n=4000):
    rng = np.random.default_rng(seed)
    result = anneal(waves, np.full(3, 2.3), np.array([5.0, 4.0, 3.0]), rng, 50)
    return [next(result) for _ in range(n)]


def test_annealing_leaves_minima_for_better_ones():
    ends = [min(t.value for t in annealed(seed)) for seed in range(2)]
    climb = [t.value for t in trials(waves, np.full(3, 2.3), 1e-8)]
    assert max(ends) < 1e-8 < min(climb)


def test_annealing_stays_in_its_box_and_begins_at_the_start():
    tried = np.array([t.x for t in annealed(0)])
    assert (np.abs(tried) <= [5.0, 4.0, 3.0]).all()
    np.testing.assert_array_equal(tried[0], np.full(3, 2.3))
    assert np.abs(tried).max(axis=0) == pytest.approx([5.0, 4.0, 3.0], rel=0.01)


def test_annealing_repeats_itself_for_a_seed():
    first, again, other = ([t.value for t in annealed(seed, 200)] for seed in (1, 1, 2))
    assert first == again != other
