"""FenchelRank in the plane: its steps on the ball, its certificate, its pictures."""

import numpy as np
import pytest

from rankcore.data.catalogue import load_dataset
from rankcore.plot.palette import DARK, LIGHT
from rankcore.topics.sparsity.ball import (
    FEATURES,
    GAP_TOLERANCE,
    MEASURE,
    MOST_STEPS,
    ball_run,
)
from rankcore.topics.sparsity.ball_figure import ball_figure, progress_figure
from tests.viewing import trace

FIRST = "text match, popularity"
COLOUR = "#0072b2"


@pytest.fixture(params=[(name, r) for name in FEATURES for r in (1.0, 5.0)])
def run(request):
    return ball_run(*request.param)


def squared_hinge(data, columns, w):
    """The loss once more, pair by pair."""
    margins = [
        (data.X[i, columns] - data.X[j, columns]) @ w
        for query in map(data.query, range(data.n_queries))
        for i in range(query.slice.start, query.slice.stop)
        for j in range(query.slice.start, query.slice.stop)
        if data.y[i] > data.y[j]
    ]
    return np.mean(np.maximum(0.0, 1.0 - np.array(margins)) ** 2)


def test_the_iterates_stay_in_the_ball_and_the_loss_never_rises(run):
    assert np.abs(run.points).sum(axis=1).max() <= run.radius * (1 + 1e-12)
    assert (np.diff(run.primal) < 0.0).all()
    assert len(run.points) <= MOST_STEPS + 1
    assert run.gaps[-1] <= GAP_TOLERANCE or run.last == MOST_STEPS


def test_each_step_goes_towards_the_corner_that_the_gradient_prefers(run):
    for at, (w, target) in enumerate(zip(run.points, run.targets, strict=False)):
        assert sorted(np.abs(target)) == [0.0, run.radius]
        corners = run.radius * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])
        assert run.descents[at] @ target == max(corners @ run.descents[at])
        stepped = w + run.lengths[at + 1] * (target - w)
        np.testing.assert_allclose(run.points[at + 1], stepped, atol=1e-12)


def test_the_gap_is_the_primal_less_the_dual_and_bounds_the_minimum(run):
    np.testing.assert_allclose(run.gaps, run.primal - run.dual, atol=1e-12)
    inside = np.abs(run.axis)[:, None] + np.abs(run.axis) <= run.radius
    assert run.bound.max() <= run.loss[inside].min() + 1e-12
    assert (np.diff(run.bound) >= 0.0).all()


def test_the_minimum_and_the_last_point_are_those_of_the_grid():
    for name, radius, variant in (
        (FIRST, 1.0, "plain"), (FIRST, 3.0, "plain"), (FIRST, 5.0, "pairwise"),
    ):  # fmt: skip
        run = ball_run(name, radius, variant)
        # Rounding may put a grid point of an edge outside.
        reach = np.abs(run.axis)[:, None] + np.abs(run.axis) - radius
        inside = np.where(reach <= 1e-9, run.loss, np.inf)
        row, column = np.unravel_index(inside.argmin(), inside.shape)
        best, step = run.axis[[column, row]], run.axis[1] - run.axis[0]
        assert np.abs(run.points[-1] - best).max() <= step
        assert np.abs(run.minimum - best).max() <= step


def test_the_grid_is_the_loss_of_the_two_features():
    for name, (source, columns) in FEATURES.items():
        run, train = ball_run(name, 1.0), load_dataset(source).train
        assert run.names == tuple(train.feature_names[j] for j in columns)
        for row, column in ((0, 48), (10, 20)):
            w = run.axis[[column, row]]
            expected = squared_hinge(train, list(columns), w)
            assert run.loss[row, column] == pytest.approx(expected, rel=1e-12)


def test_a_small_ball_has_its_minimum_at_a_corner_and_one_step_finds_it():
    run = ball_run(FIRST, 1.0)
    assert run.minimum.tolist() == [1.0, 0.0]
    assert run.points.tolist() == [[0.0, 0.0], [1.0, 0.0]]
    assert run.caption(0).startswith("Of the four corners, text match = 1 lies")
    assert run.caption(1).startswith("After 1 step: The duality gap is within")


def test_pairwise_steps_end_where_plain_ones_zigzag():
    plain, pairwise = (ball_run(FIRST, 5.0, v) for v in ("plain", "pairwise"))
    assert plain.last == MOST_STEPS
    assert plain.gaps[-1] > GAP_TOLERANCE
    assert pairwise.last < 10
    assert pairwise.gaps[-1] <= GAP_TOLERANCE
    corners = [plain.corner(target) for target in plain.targets[:4]]
    assert corners == ["text match = 5", "popularity = 5"] * 2
    assert pairwise.corner(pairwise.targets[1]) == ""
    assert "that helps least" in pairwise.caption(1)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("at", [0, 4, MOST_STEPS])
def test_the_picture_shows_the_steps_so_far_and_the_next_one(at, palette):
    run = ball_run(FIRST, 5.0)
    picture = ball_figure(run, at, COLOUR, palette)
    picture.figure()
    steps = trace(picture, "steps")
    assert np.column_stack([steps["x"], steps["y"]]).tolist() == (
        run.points[: at + 1].tolist()
    )
    names = [one.get("name") for one in picture.data]
    assert ("next step" in names) == (at < run.last)
    assert ("best" in names) == (run.best <= at)
    texts = [note["text"] for note in picture.layout["annotations"]]
    assert "<b>min</b>" in texts
    if at < run.last:
        target = trace(picture, "target")
        assert [*target["x"], *target["y"]] == run.targets[at].tolist()
        assert f"<b>{run.corner(run.targets[at])}</b>" in texts
    assert f"after {at} steps" in picture.alt


def test_the_band_lies_between_the_loss_and_the_best_bound_so_far():
    run = ball_run(FIRST, 5.0)
    picture = progress_figure(run, 3, COLOUR)
    picture.figure()
    band = trace(picture, "band")["y"]
    np.testing.assert_allclose(band[: len(run.points)], run.primal, rtol=1e-6)
    np.testing.assert_allclose(band[len(run.points) :][::-1], run.bound, rtol=1e-6)
    assert trace(picture, "gap")["y"] == [run.dual[3], run.primal[3]]
    low, high = picture.layout["yaxis"]["range"]
    assert low <= run.primal.min() <= run.primal.max() <= high
    assert trace(picture, "best")["x"] == [run.best]
    assert run.validation[run.best] == run.validation.max()
    table = picture.numbers()
    assert table["gap"] is run.gaps
    assert table[f"validation {MEASURE}"] is run.validation
