"""Coordinate ascent and its line search against brute force."""

import numpy as np
import pytest

from rankcore import measures
from rankcore.algorithms.coordinate_ascent import CoordinateAscent
from rankcore.algorithms.parts.line_search import LineSearch
from rankcore.data.dataset import RankingDataset
from rankcore.topics.approximation.landscape import along_line
from rankcore.training import Stop, drive

MEASURES = ["nDCG@3", "nDCG@10", "nDCG", "AP", "AP@4", "RR", "RR@2", "P@5", "WTA"]
INSIDE = 0.4379
"""Where in an interval brute force measures: ties may hide at its middle."""


def problem(seed=0, n=50, queries=4, d=2, rounded=False, grades=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X = np.round(2 * X) if rounded else X
    y = rng.integers(0, grades, n)
    return RankingDataset.from_arrays(X, y, np.sort(rng.integers(0, queries, n)))


def points_inside(times):
    """A point in each interval, and whether it is wide enough for rounding to hit."""
    ends = np.concatenate(([times[0] - 1], times, [times[-1] + 1]))
    wide = np.diff(ends) > 1e-9 * (1 + np.abs(ends[1:]))
    return ends[:-1] + INSIDE * np.diff(ends), wide


def brute_force(dataset, s, v, t, measure, **rules):
    scores = s + t * v
    return measures.means(dataset, scores, measure, ties="input", **rules)[measure]


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("rounded", [False, True])
@pytest.mark.parametrize("convention", ["standard", "letor3"])
def test_every_interval_has_the_value_that_brute_force_gives(
    measure, rounded, convention
):
    dataset = problem(rounded=rounded)
    s, v = dataset.X.T.copy()
    steps = LineSearch(dataset, measure, measures.Rules(convention)).along(s, v)
    assert (np.diff(steps.times) > 0).all()
    for t, wide, value in zip(*points_inside(steps.times), steps.values, strict=True):
        if wide:
            expected = brute_force(dataset, s, v, t, measure, convention=convention)
            assert value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("measure", ["nDCG@3", "AP", "RR"])
def test_nothing_changes_but_at_the_breakpoints(measure):
    """Between two crossings of any scores the value is that of the step function."""
    dataset = problem(n=24, queries=2)
    s, v = dataset.X.T.copy()
    steps = LineSearch(dataset, measure).along(s, v)
    crossings = []
    for query in map(dataset.query, range(dataset.n_queries)):
        a, b = s[query.slice], v[query.slice]
        i, k = np.triu_indices(len(a), 1)
        crossings.extend((a[k] - a[i]) / (b[i] - b[k]))
    points, wide = points_inside(np.sort(crossings))
    for t in points[wide]:
        expected = brute_force(dataset, s, v, t, measure)
        assert steps.at(t) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("empty", ["zero", "one", "skip"])
def test_queries_without_relevant_documents_count_as_the_rule_says(empty):
    X = np.random.default_rng(1).normal(size=(9, 2))
    y = np.array([0, 1, 2, 0, 0, 0, 1, 1, 1])
    dataset = RankingDataset.from_arrays(X, y, np.repeat([1, 2, 3], 3))
    s, v = dataset.X.T.copy()
    steps = LineSearch(dataset, "nDCG@2", measures.Rules(empty=empty)).along(s, v)
    for t, wide, value in zip(*points_inside(steps.times), steps.values, strict=True):
        expected = brute_force(dataset, s, v, t, "nDCG@2", empty=empty)
        assert not wide or value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("measure", ["nDCG@3", "nDCG@10", "AP", "RR@2"])
@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_the_best_point_is_the_middle_of_the_best_interval(measure, scale):
    dataset = problem(seed=2)
    s, v = dataset.X.T.copy()
    v *= scale
    search = LineSearch(dataset, measure)
    value, t = search.best(s, v)
    steps = search.along(s, v)
    assert value == pytest.approx(steps.values.max(), abs=1e-12)
    assert brute_force(dataset, s, v, t, measure) == pytest.approx(value, abs=1e-12)
    best = np.flatnonzero(steps.values > steps.values.max() - 1e-12)
    inner = [i for i in best if 0 < i < len(steps.times)]
    if inner == best.tolist():
        widths = np.diff(steps.times)[[i - 1 for i in inner]]
        i = inner[int(widths.argmax())]
        assert t == pytest.approx((steps.times[i - 1] + steps.times[i]) / 2)


@pytest.mark.parametrize("measure", ["AP", "nDCG", "nDCG@3"])
@pytest.mark.parametrize("power", [600, 1000])
def test_scores_whose_squares_overflow_cross_at_the_same_times(measure, power):
    dataset = problem()
    s, v = dataset.X.T.copy()
    result = LineSearch(dataset, measure).along(s, v)
    steps = LineSearch(dataset, measure).along(s * 2.0**power, v * 2.0**power)
    np.testing.assert_array_equal(steps.times, result.times)
    np.testing.assert_allclose(steps.values, result.values, rtol=1e-12)


def test_windows_do_not_change_the_answer():
    dataset = problem(seed=3, n=80)
    s, v = dataset.X.T.copy()
    whole, cut = (LineSearch(dataset, "AP") for _ in range(2))
    whole._capacity, cut._capacity = 10**6, 5
    assert cut.best(s, v) == pytest.approx(whole.best(s, v))
    one, other = cut.along(s, v), whole.along(s, v)
    np.testing.assert_array_equal(one.times, other.times)
    np.testing.assert_allclose(one.values, other.values, atol=1e-14)


@pytest.mark.parametrize("measure", ["nDCG@3", "AP"])
def test_parallel_and_tied_scores_never_cross(measure):
    dataset = problem(seed=4)
    s, v = dataset.X.T.copy()
    search = LineSearch(dataset, measure)
    level = search.along(s, np.ones_like(v))
    assert len(level.times) == 0
    assert level.values[0] == pytest.approx(brute_force(dataset, s, v, 0.0, measure))
    assert search.best(s, np.zeros_like(v)) == (pytest.approx(level.values[0]), 0.0)
    twice = RankingDataset.from_arrays(
        np.repeat(dataset.X, 2, axis=0), np.arange(100) % 3
    )
    s, v = twice.X.T.copy()
    steps = LineSearch(twice, measure).along(s, v)
    points, wide = points_inside(steps.times)
    for t, value in zip(points[wide], steps.values[wide], strict=True):
        expected = brute_force(twice, s, v, t, measure)
        assert value == pytest.approx(expected, abs=1e-12)


def test_a_line_between_two_models():
    dataset = problem(seed=5, d=4)
    first, last = np.random.default_rng(6).normal(size=(2, 4))
    steps = along_line(dataset, first, last, "nDCG@3")
    for t in (0.0, 0.3, 1.0):
        scores = dataset.X @ ((1 - t) * first + t * last)
        expected = measures.means(dataset, scores, "nDCG@3")["nDCG@3"]
        assert steps.at(t) == pytest.approx(expected, abs=1e-12)
    with pytest.raises(ValueError, match="4 finite coefficients"):
        along_line(dataset, first[:3], last)
    with pytest.raises(ValueError, match="cannot be computed along a line"):
        along_line(dataset, first, last, "AUC")


def history(dataset, passes=40, start=None, **hyperparameters):
    run = drive(
        CoordinateAscent(**hyperparameters),
        dataset,
        stop=Stop(max_iterations=passes),
        measures=(hyperparameters.get("criterion", "nDCG@10"),),
        start=start,
    )
    return list(run), run


@pytest.mark.parametrize("measure", ["nDCG@1", "nDCG@10", "AP", "RR@10", "P@10"])
def test_the_objective_is_the_measure_and_never_falls(measure):
    records, run = history(
        problem(n=120, queries=6, d=4), criterion=measure, tolerance=0.0
    )
    objectives = [record.objective for record in records]
    assert (np.diff(objectives) >= -1e-12).all()
    assert objectives[-1] > objectives[0]
    for record in records:
        assert record.objective == pytest.approx(record.train[measure])
    assert "gained less" in run.reason


def test_the_end_is_best_along_every_coordinate():
    dataset = problem(n=120, queries=6, d=4)
    records, _ = history(dataset, tolerance=0.0)
    w, value = records[-1].coef, records[-1].objective
    search = LineSearch(dataset, "nDCG@10")
    for j in range(4):
        best, _ = search.best(dataset.X @ w, dataset.X[:, j].copy())
        assert best <= value + 1e-9


def test_sizes_sum_to_one_after_every_pass():
    records, _ = history(problem(n=60, d=3))
    for record in records:
        assert np.abs(record.coef).sum() == pytest.approx(1.0)


def test_restarts_end_with_the_best_of_them():
    records, _ = history(problem(n=120, queries=6, d=5), n_restarts=4)
    restarts = [record.diagnostics["restart"] for record in records]
    assert set(restarts) == {1.0, 2.0, 3.0, 4.0}
    assert records[-1].objective == max(record.objective for record in records)


def test_units_do_not_matter():
    dataset = problem(n=120, queries=6, d=3)
    units = np.array([1e-6, 1.0, 1e6])
    scaled = RankingDataset.from_arrays(
        dataset.X * units,
        dataset.y,
        np.repeat(np.arange(dataset.n_queries), dataset.lengths),
    )
    one, other = history(dataset)[0][-1], history(scaled)[0][-1]
    assert other.objective == pytest.approx(one.objective)
