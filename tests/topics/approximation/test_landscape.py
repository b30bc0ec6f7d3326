"""Landscapes: exact along lines, circles and meridians, and where restarts end."""

import math
import statistics
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankcore import RankingDataset, load_dataset, measures
from rankcore.algorithms.approx_ap import ApproxAP
from rankcore.algorithms.approx_ndcg import ApproxNDCG
from rankcore.topics.approximation import directions, end_points, landscape
from rankcore.topics.approximation.landscape import Profile

MEASURES = ("nDCG", "nDCG@2", "AP", "RR", "P@3")


def random_data(seed, features=2, queries=3, longest=6):
    """A few queries of uneven length, some with a value twice."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, longest + 1, queries)
    X = rng.integers(-4, 5, (lengths.sum(), features)) / 4.0
    y = rng.integers(0, 3, lengths.sum())
    y[0] = 1
    return RankingDataset.from_arrays(X, y, np.repeat(np.arange(queries), lengths))


def measured(data, model, name):
    """The mean of a measure at a model, by the ordinary way."""
    return measures.means(data, data.X @ model, name, empty="skip", ties="input")[name]


seeds = st.integers(0, 10_000)


@settings(deadline=None, max_examples=60)
@given(seeds, st.sampled_from(MEASURES))
def test_between_all_critical_angles_the_circle_is_the_measure(seed, name):
    """Brute force: no measure changes but where two scores of a query cross."""
    data = random_data(seed)
    critical = set()
    for low, high in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        for a in data.X[low:high]:
            for b in data.X[low:high]:
                if (a != b).any():
                    gap = a - b
                    critical.add(round(math.degrees(math.atan2(gap[0], -gap[1])), 9))
    ends = np.unique(np.concatenate([[0.0, 360.0], np.mod(sorted(critical), 360.0)]))
    middles = (ends[:-1] + ends[1:])[np.diff(ends) > 1e-6] / 2.0
    cells = directions.circle(data, name)

    expected = [measured(data, w, name) for w in directions.on_circle(middles)]
    np.testing.assert_allclose(cells.at(middles), expected, atol=1e-12)
    assert len(cells.values) <= len(ends) - 1


@settings(deadline=None, max_examples=40)
@given(seeds, st.sampled_from(MEASURES))
def test_each_cell_of_the_circle_is_the_measure_in_its_middle(seed, name):
    data = random_data(seed)
    cells = directions.circle(data, name)
    middles = (cells.edges[:-1] + cells.edges[1:]) / 2.0

    expected = [measured(data, w, name) for w in directions.on_circle(middles)]
    np.testing.assert_allclose(cells.values, expected, atol=1e-12)
    assert (cells.edges[0], cells.edges[-1]) == (0.0, 360.0)
    assert (np.diff(cells.edges) > 0).all()
    assert (np.diff(cells.values) != 0).all()


def test_the_circle_of_one_pair_changes_where_the_pair_crosses():
    data = RankingDataset.from_arrays([[1.0, 0.0], [0.0, 1.0]], [1, 0])
    cells = directions.circle(data, "RR")

    # The first document is ahead where cos is above sin: from -135 to 45 degrees.
    np.testing.assert_allclose(cells.edges, [0, 45, 225, 360])
    assert cells.values.tolist() == [1.0, 0.5, 1.0]
    np.testing.assert_allclose(directions.crossings(data), [45, 225])
    assert cells.mean == pytest.approx((1.0 + 0.5) / 2)
    assert cells.best == 1.0
    assert cells.share_of_best == pytest.approx(1 / 2)


def test_documents_that_never_differ_give_one_cell():
    data = RankingDataset.from_arrays(np.ones((3, 2)), [0, 1, 2])
    cells = directions.circle(data, "RR")

    assert cells.edges.tolist() == [0.0, 360.0]
    assert cells.values.tolist() == [1 / 2]
    assert len(directions.crossings(data)) == 0


def test_the_circle_is_told_how_many_features():
    with pytest.raises(
        ValueError, match="Directions need 2 features, and the data has"
    ):
        directions.circle(random_data(0, features=3), "nDCG")
    with pytest.raises(ValueError, match="choose 3 of them"):
        directions.sphere(random_data(0), "nDCG")


@settings(deadline=None, max_examples=30)
@given(seeds, st.sampled_from(MEASURES))
def test_the_sphere_is_the_measure_in_every_direction(seed, name):
    data = random_data(seed, features=3)
    ball = directions.sphere(data, name, meridians=7)
    # Away from where scores can cross: latitudes that no quarter-step feature meets.
    up = np.array([-1.3, -0.71, -0.137, 0.2939, 0.9171, 1.41])
    values = ball.values(up)

    for r, latitude in enumerate(up):
        for p, longitude in enumerate(ball.longitudes):
            model = directions.on_sphere(longitude, latitude)
            if np.abs(directions._differences(data) @ model).min(initial=1.0) > 1e-9:
                expected = measured(data, model, name)
                assert values[r, p] == pytest.approx(expected, abs=1e-12)


def test_the_mean_of_the_sphere_is_that_of_points_of_equal_area():
    data = random_data(5, features=3, queries=4)
    ball = directions.sphere(data, "nDCG", meridians=90)
    bands = 400
    up = np.arcsin((np.arange(bands) + 0.5) * 2 / bands - 1)
    grid = ball.values(up)

    assert ball.mean == pytest.approx(grid.mean(), abs=1e-3)
    assert ball.best == pytest.approx(grid.max())
    share = (grid > ball.best - 1e-9).mean()
    assert ball.share_of_best == pytest.approx(share, abs=2e-3)


def test_half_a_sphere_has_each_order_of_two_documents():
    data = RankingDataset.from_arrays([[0, 0, 1.0], [0, 0, 0.0]], [1, 0])
    ball = directions.sphere(data, "RR", meridians=4)

    assert ball.mean == pytest.approx((1.0 + 0.5) / 2)
    assert ball.share_of_best == pytest.approx(1 / 2)


@settings(deadline=None, max_examples=30)
@given(seeds)
def test_great_circles_are_where_scores_of_different_labels_are_equal(seed):
    data = random_data(seed, features=3)
    normals = directions.great_circles(data)
    gaps = directions._differences(data)

    lengths = np.sqrt((gaps**2).sum(axis=1))
    aligned = np.abs(gaps @ normals.T) / lengths[:, None]
    if len(gaps):
        assert (aligned.max(axis=1) > 1 - 1e-9).all()
        assert (aligned.max(axis=0) > 1 - 1e-9).all()
    assert len(np.unique(np.round(normals, 6) + 0.0, axis=0)) == len(normals)


def test_circles_cut_a_sphere_into_at_most_so_many_cells():
    assert [directions.most_cells(n) for n in range(5)] == [1, 2, 4, 8, 14]


@settings(deadline=None, max_examples=40)
@given(seeds, st.sampled_from(MEASURES))
def test_each_step_of_a_line_is_the_measure_in_its_middle(seed, name):
    data = random_data(seed)
    first, last = np.random.default_rng(seed).normal(size=(2, 2))
    line = landscape.line_profile(data, first, last, name)
    middles = (line.edges[:-1] + line.edges[1:]) / 2.0

    expected = [measured(data, (1 - t) * first + t * last, name) for t in middles]
    np.testing.assert_allclose(line.values, expected, atol=1e-12)
    assert (line.edges[0], line.edges[-1]) == (-0.25, 1.25)


def test_steps_that_rounding_left_are_no_steps():
    starts = np.array([0.0, 1.0, 1.0 + 1e-12, 2.0, 3.0])
    joined = landscape.joined(starts, np.array([0.1, 0.9, 0.2, 0.2, 0.3]), 4.0)

    assert joined.edges.tolist() == [0.0, 1.0, 3.0, 4.0]
    assert joined.values.tolist() == [0.1, 0.2, 0.3]


def test_a_profile_knows_its_mean_and_its_best():
    profile = Profile(np.array([0.0, 1.0, 4.0]), np.array([0.5, 1.0]))

    assert profile.mean == (1 * 0.5 + 3 * 1.0) / 4
    assert profile.share_of_best == 3 / 4
    assert profile.at([0.0, 0.99, 1.0, 4.0]).tolist() == [0.5, 0.5, 1.0, 1.0]


@pytest.mark.parametrize("learner", [ApproxNDCG(alpha=7.0), ApproxAP(alpha=2.0)])
def test_smooth_measures_at_many_models_are_those_of_the_learner(learner):

    data = random_data(11, queries=5)
    models = np.random.default_rng(0).normal(size=(30, 2))
    surrogate = learner.surrogate(data)

    expected = [surrogate.evaluate(w).value for w in models]
    result = landscape.smooth_at(learner, data, models)
    np.testing.assert_allclose(result, expected, rtol=1e-12)


def test_smooth_measures_in_blocks_are_the_same(monkeypatch):
    data, learner = random_data(3), ApproxNDCG(alpha=5.0)
    models = directions.on_circle(np.arange(0.0, 360.0, 7.0))
    whole = landscape.smooth_at(learner, data, models)
    monkeypatch.setattr(landscape, "_BLOCK", 2 * data.n_documents)

    np.testing.assert_array_equal(landscape.smooth_at(learner, data, models), whole)


def test_a_sharp_smooth_measure_is_the_measure_away_from_its_steps():
    data = random_data(2)
    cells = directions.circle(data, "nDCG")
    widest = np.argmax(np.diff(cells.edges))
    middle = (cells.edges[widest] + cells.edges[widest + 1]) / 2
    models = directions.on_circle([middle])
    apart = np.abs(directions._differences(data) @ models[0]).min()
    learner = ApproxNDCG(alpha=40.0 / apart)

    result = landscape.smooth_at(learner, data, models)
    untied = np.unique(data.X @ models[0]).size == data.n_documents
    assert not untied or result[0] == pytest.approx(cells.values[widest], abs=1e-9)


def test_every_smooth_measure_can_be_followed_exactly():
    data = random_data(1)
    result = landscape.smooth_measures(data)

    assert {"nDCG", "nDCG@5", "AP", "RR", "P@5"} <= set(result)
    assert not any(name.startswith("ERR") for name in result)
    for name, learner in result.items():
        assert learner.measure(data) == name


def test_peaks_are_counted_once_each():
    assert landscape.peaks([0, 1, 1, 0, 2, 0]) == 2
    assert landscape.peaks([3, 1, 2]) == 2
    assert landscape.peaks([3, 1, 2], closed=True) == 1
    assert landscape.peaks(np.ones(5)) == 0
    angles = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    assert landscape.peaks(np.sin(5 * angles), closed=True) == 5


def test_sharper_curves_have_more_peaks():
    data = load_dataset("toy-2d").train
    ground = landscape.ground(data, np.eye(2), data.feature_names)
    models = directions.on_circle(np.arange(0, 360, 0.5))
    values = [
        landscape.peaks(
            landscape.smooth_at(ApproxNDCG(alpha=alpha), ground, models), closed=True
        )
        for alpha in (1.0, 100.0, 300.0)
    ]

    assert values[0] == 1
    assert values == sorted(values)
    assert values[-1] > 10


def test_the_ground_has_scores_that_spread_by_one():
    data = random_data(4, features=4)
    ground = landscape.ground(data, [[2.0, 0, 0, -1.0], [0, 0, 0, 0]], ["a", "b"])
    spreads = [np.ptp(ground.query(i).X[:, 0]) for i in range(ground.n_queries)]

    assert max(spreads) == pytest.approx(1.0)
    assert not ground.X[:, 1].any()
    assert ground.feature_names == ("a", "b")


def test_the_strongest_features_come_first():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 6))
    y = np.clip(np.round(1.5 + 2 * X[:, 4] + X[:, 2]), 0, 4).astype(int)
    X[:, 3] = X[:, 4] + 1e-3 * rng.normal(size=60)
    data = RankingDataset.from_arrays(X, y)
    order = landscape.strongest_features(data)

    assert set(order[:2]) <= {2, 3, 4}
    assert 2 in order[:2]
    assert sorted(order) == list(range(6))
    assert landscape.strongest_features(random_data(0)) == [0, 1]


def study(alphas=(1.0, 300.0), count=8):
    data = load_dataset("toy-2d").train
    ground = landscape.ground(data, np.eye(2), data.feature_names)
    return ground, end_points.restart_study(
        ApproxNDCG(random_state=0, restart_passes=60), ground, alphas, count
    )


def test_a_study_takes_one_restart_a_step():
    ground, run = study()
    steps = list(run)

    assert len(steps) == len(run.found) == run.total == 16
    assert run.reason == "All 16 restarts have ended."
    for point in run.found:
        assert point.exact == pytest.approx(measured(ground, point.coef, "nDCG"))
        smooth = ApproxNDCG(alpha=point.alpha)
        value = landscape.smooth_at(smooth, ground, point.coef[None])[0]
        assert point.objective == pytest.approx(value)
        assert np.abs(point.start).max() <= 1.0
    # The same starts at every sharpness.
    first, last = run.found[::2], run.found[1::2]
    assert [p.start.tolist() for p in first] == [p.start.tolist() for p in last]


def test_a_study_that_is_closed_takes_no_further_restart():
    _, run = study()
    next(run)
    run.close()

    assert len(run.found) == 1
    assert next(run, None) is None


def test_large_sharpness_needs_more_restarts():
    _, run = study(count=12)
    list(run)
    smooth, sharp = end_points.outcomes(run.found)

    assert (smooth.alpha, sharp.alpha) == (1.0, 300.0)
    assert sharp.distinct > smooth.distinct
    assert sharp.stayed > smooth.stayed
    assert sharp.expected[0] < smooth.expected[0]
    gain = sharp.expected[-1] - sharp.expected[0]
    assert gain > smooth.expected[-1] - smooth.expected[0]
    assert sharp.expected[-1] == pytest.approx(sharp.best)
    assert (np.diff(sharp.expected) > 0).any()


@pytest.mark.parametrize(("alpha", "nearest"), [(1.0, 1.0), (15.0, 1.0), (20.0, 300.0)])
def test_the_nearest_sharpness_is_nearest_in_ratio(alpha, nearest):
    """Between 1 and 300 the middle is the root of 300, about 17.3."""
    _, run = study(count=1)
    list(run)

    assert end_points.nearest_sharpness(run.found, alpha) == nearest


def test_directions_within_a_degree_are_one():
    models = directions.on_circle([0.0, 0.4, 10.0, 359.7, 180.0]) * [
        [1],
        [9],
        [2],
        [1],
        [3],
    ]

    assert end_points.distinct_directions(models) == 3
    assert end_points.distinct_directions(np.zeros((2, 2))) == 2


def test_the_best_of_k_is_worth_and_varies_as_over_all_draws():
    judged, worth = [0.3, 0.1, 0.9, 0.5], [10.0, 20.0, 30.0, 50.0]
    means = end_points.expected_best(judged, worth)
    deviations = end_points.deviation_of_best(judged, worth)
    for k in range(1, 5):
        best = [
            worth[max(draw, key=lambda i: judged[i])]
            for draw in combinations(range(4), k)
        ]
        assert means[k - 1] == pytest.approx(np.mean(best))
        assert deviations[k - 1] == pytest.approx(statistics.pstdev(best))
    assert deviations[-1] == 0.0


def test_one_start_is_worth_its_mean_and_varies_by_its_deviation():
    _, run = study(count=5)
    list(run)
    for outcome in end_points.outcomes(run.found):
        values = [p.exact for p in run.found if p.alpha == outcome.alpha]
        assert len(values) == outcome.restarts == 5
        assert outcome.mean == pytest.approx(statistics.mean(values))
        assert outcome.expected[0] == pytest.approx(outcome.mean)
        assert outcome.deviation == pytest.approx(statistics.stdev(values))
        assert outcome.varies[0] == pytest.approx(statistics.pstdev(values))
    single = end_points.outcomes(run.found[:1])[0]
    assert math.isnan(single.deviation)


def test_a_study_tells_how_much_training_is_left():
    _, run = study(count=2)
    assert end_points.seconds_left(run.found, run.total) is None
    next(run)
    left = end_points.seconds_left(run.found, run.total)
    assert left == pytest.approx(3 * run.found[0].seconds)
    assert run.doing == f"about {left:.0f} s left"
    list(run)
    assert end_points.seconds_left(run.found, run.total) == 0.0
    assert run.doing == ""


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (None, ""),
        (0.0, ""),
        (7.4, "about 7 s left"),
        (89.0, "about 89 s left"),
        (150.0, "about 2 min left"),
    ],
)
def test_the_time_left_is_said_in_seconds_or_minutes(seconds, said):
    assert end_points.time_left(seconds) == said


# Best between 2 and 3 and, round a circle of 10, from 9 over the end to 1.
TWO_TOPS = Profile(
    np.array([0.0, 1.0, 2.0, 3.0, 9.0, 10.0]), np.array([1.0, 0.5, 1.0, 0.25, 1.0])
)


@pytest.mark.parametrize(
    ("top", "closed", "exact", "apart", "worth"),
    [
        (2.5, True, 2.5, 0.0, 1.0),
        (4.0, True, 2.5, 1.0, 0.25),
        (1.25, True, 0.0, 0.25, 0.5),
        (8.0, True, 0.0, 1.0, 0.25),
        (9.5, True, 0.0, 0.0, 1.0),
        (1.25, False, 0.5, 0.25, 0.5),
        (8.0, False, 9.5, 1.0, 0.25),
        (6.0, False, 2.5, 3.0, 0.25),
    ],
)
def test_the_best_of_the_smooth_is_seen_from_the_nearest_best_step(
    top, closed, exact, apart, worth
):
    grid = np.linspace(0.0, 10.0, 41)
    smooth = -np.abs(grid - top)
    optima = landscape.optima(TWO_TOPS, grid, smooth, closed)

    assert (optima.smooth, optima.smooth_value) == (top, 0.0)
    assert (optima.exact, optima.apart) == (exact, apart)
    assert (optima.best, optima.worth) == (1.0, worth)


def test_what_the_smooth_optimum_is_worth_is_the_measure_there():
    data = random_data(11, queries=5)
    profile = directions.circle(data, "nDCG")
    grid = np.arange(0.25, 360.0, 0.5)
    smooth = landscape.smooth_at(
        ApproxNDCG(alpha=3.0), data, directions.on_circle(grid)
    )
    optima = landscape.optima(profile, grid, smooth, closed=True)

    model = directions.on_circle(optima.smooth)
    assert optima.worth == pytest.approx(measured(data, model, "nDCG"))
    assert optima.smooth_value == smooth.max()
    model = directions.on_circle(optima.exact)
    assert optima.best == pytest.approx(measured(data, model, "nDCG"))
