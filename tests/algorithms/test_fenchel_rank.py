"""FenchelRank against its certificate, formed pairs and another solver."""

import itertools
from functools import partial

import cvxpy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcore.algorithms.fenchel_rank import FenchelRank, SquaredHinge
from rankcore.algorithms.parts.l1_ball import L1Ball
from rankcore.data.dataset import RankingDataset
from tests.algorithms.scored import scored, trained

VARIANTS = ("plain", "away", "pairwise")


def formed_pairs(dataset):
    """K with a row x_i - x_j for each pair, and the query of each row."""
    rows, queries = [], []
    for query in map(dataset.query, range(dataset.n_queries)):
        for i, j in itertools.product(range(len(query)), repeat=2):
            if query.y[i] > query.y[j]:
                rows.append(query.X[i] - query.X[j])
                queries.append(query.index)
    return np.array(rows), np.array(queries)


def problem(seed=0, n_queries=4, n=12, d=5, levels=3):
    rng = np.random.default_rng(seed)
    X = rng.random((n_queries * n, d))
    y = rng.integers(0, levels, n_queries * n)
    y += (X[:, 0] > 0.6).astype(int)
    return RankingDataset.from_arrays(X, y, np.repeat(np.arange(n_queries), n))


train = partial(trained, FenchelRank)


def single_pairs(K):
    """A query for each row of K: the row above the origin."""
    X = np.concatenate([np.vstack([row, 0 * row]) for row in np.asarray(K)])
    n = len(K)
    return RankingDataset.from_arrays(X, np.tile([1, 0], n), np.repeat(np.arange(n), 2))


K = [(1.0, 0.0), (0.5, 1.0), (-0.5, 0.5)]


def test_worked_example_in_a_small_ball():
    records, _ = train(single_pairs(K), radius=0.5)
    assert [record.iteration for record in records] == [0, 1]
    assert records[-1].coef.tolist() == [0.0, 0.5]
    expected = (1 + (1 - 0.5) ** 2 + (1 - 0.25) ** 2) / 3
    assert records[-1].objective == pytest.approx(expected) == pytest.approx(0.604167)


def test_worked_example_in_a_large_ball():
    records, _ = train(single_pairs(K), radius=2.0)
    figures = [(record.objective, record.diagnostics["gap"]) for record in records]
    expected = [(1, 2), (1 / 3, 4 / 3), (1 / 6, 0)]
    assert np.array(figures) == pytest.approx(np.array(expected), abs=1e-14)
    assert records[-1].coef == pytest.approx([0.5, 1.5])


@pytest.mark.parametrize("scale", [0.0, 1e-3, 1.0, 30.0, 1e6])
@pytest.mark.parametrize("levels", [2, 3, 6])
@pytest.mark.parametrize("average", ["pairs", "queries"])
def test_sums_equal_those_over_formed_pairs(scale, levels, average):
    dataset = problem(1, levels=levels)
    pairs, queries = formed_pairs(dataset)
    count = np.bincount(queries)
    c = 1 / count[queries] / len(count) if average == "queries" else 1 / len(pairs)
    w, v = scale * np.random.default_rng(2).standard_normal((2, 5))
    loss = SquaredHinge(dataset, average)
    loss(dataset.X @ w, dataset.X @ v, 0.25)
    h = np.maximum(0, 1 - pairs @ (w + 0.25 * v))
    assert loss.pairs.tolist() == count.tolist()
    assert loss.value == pytest.approx((c * h**2).sum(), rel=1e-12)
    assert loss.hinges == pytest.approx((c * h).sum(), rel=1e-12)
    gradient = -2 * (c * h) @ pairs
    assert loss.forces @ dataset.X == pytest.approx(gradient, rel=1e-11, abs=1e-12)
    curvature = 2 * (c * (pairs @ v) ** 2 * (h > 0)).sum()
    assert loss.curvature == pytest.approx(curvature, rel=1e-9)
    assert loss.slope == pytest.approx(gradient @ v, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 30.0, 1e6])
@pytest.mark.parametrize("levels", [2, 4])
def test_many_pairs_are_summed_along_the_sorted_list(scale, levels):
    dataset = problem(1, n_queries=2, n=450, levels=levels)
    w, v = scale * np.random.default_rng(2).standard_normal((2, 5))
    loss = SquaredHinge(dataset)
    assert loss._sorting.all()
    assert not SquaredHinge(problem(1))._sorting.any()
    s, t = dataset.X @ w, dataset.X @ v
    loss(s, t, 0.25)
    value, forces, curvature = 0.0, np.zeros(900), 0.0
    for query in map(dataset.query, range(2)):
        x, d = (s + 0.25 * t)[query.slice], t[query.slice]
        h = np.maximum(0, 1 - x[:, None] + x) * (query.y[:, None] > query.y)
        value += (h**2).sum()
        forces[query.slice] = -2 * (h.sum(1) - h.sum(0))
        curvature += 2 * ((d[:, None] - d) ** 2 * (h > 0)).sum()
    p = loss.pairs.sum()
    assert loss.value == pytest.approx(value / p, rel=1e-12)
    error = np.abs(loss.forces - forces / p).max()
    assert error <= 1e-12 * np.abs(forces).max() / p
    assert loss.curvature == pytest.approx(curvature / p, rel=1e-9)


@given(scored([0, 1, 3, 4], 40, largest=1e9))
def test_ties_huge_scores_and_missing_grades(documents):
    s, y = documents
    h = np.where(y[:, None] > y, np.maximum(0, 1 - s[:, None] + s), 0.0)
    count = max((y[:, None] > y).sum(), 1)
    loss = SquaredHinge(RankingDataset.from_arrays(s[:, None], y))
    loss(s)
    forces = -2 * (h.sum(1) - h.sum(0)) / count
    assert loss.value == pytest.approx((h**2).sum() / count, rel=1e-12)
    assert np.abs(loss.forces - forces).max() <= 1e-12 * max(h.sum() / count, 1e-300)


def test_the_line_search_finds_the_minimum_of_each_line():
    """Against a bisection of the derivative over formed pairs."""
    dataset = problem(3)
    pairs, _ = formed_pairs(dataset)
    rng = np.random.default_rng(0)
    for scale in (0.1, 1.0, 10.0, 1000.0):
        w = scale * rng.standard_normal(5)
        direction = -w + 3 * rng.standard_normal(5)
        u, d = pairs @ w, pairs @ direction
        low, high = 0.0, 5.0
        for _ in range(200):
            middle = 0.5 * (low + high)
            rises = -(np.maximum(0, 1 - u - middle * d) @ d) > 0
            low, high = (low, middle) if rises else (middle, high)
        loss = SquaredHinge(dataset)
        eta = loss.search(dataset.X @ w, dataset.X @ direction, 5.0)
        assert eta == pytest.approx(low, rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("radius", [0.3, 2.0, 40.0])
@pytest.mark.parametrize("variant", VARIANTS)
def test_certificate(seed, radius, variant):
    dataset = problem(seed)
    pairs, _ = formed_pairs(dataset)
    p = len(pairs)
    records, _ = train(dataset, 60, radius=radius, variant=variant, gap_tolerance=1e-7)
    for record in records:
        u = pairs @ record.coef
        a = 2 / p * np.maximum(0, 1 - u)
        steepest = radius * np.abs(a @ pairs).max()
        primal = (np.maximum(0, 1 - u) ** 2).mean()
        dual = a.sum() - p / 4 * (a**2).sum() - steepest
        diagnostics = record.diagnostics
        assert (
            record.objective
            == diagnostics["primal"]
            == pytest.approx(primal, abs=1e-12)
        )
        assert diagnostics["dual"] == pytest.approx(dual, abs=1e-11)
        assert diagnostics["gap"] == pytest.approx(primal - dual, abs=1e-11)
        assert diagnostics["gap"] == pytest.approx(steepest - a @ u, abs=1e-11)
        assert diagnostics["l1 norm"] <= radius * (1 + 1e-12)
        if variant == "plain":
            assert record.nonzeros <= record.iteration
    objectives = [record.objective for record in records]
    best_gaps = [record.diagnostics["best gap"] for record in records]
    assert np.all(np.diff(objectives) < 0)
    assert np.all(np.diff(best_gaps) <= 0)
    smallest = objectives[-1] - best_gaps[-1]
    for record in records:
        assert record.objective - record.diagnostics["gap"] <= objectives[-1] + 1e-12
        bound = 16 * radius**2 / (record.iteration + 2)
        assert variant != "plain" or objectives[-1] >= smallest
        assert record.objective - objectives[-1] <= bound


@pytest.mark.parametrize("radius", [0.5, 3.0, 100.0])
@pytest.mark.parametrize("variant", VARIANTS)
def test_agreement_with_a_generic_solver(radius, variant):
    dataset = problem(5)
    pairs, _ = formed_pairs(dataset)
    w = cvxpy.Variable(5)
    loss = cvxpy.sum_squares(cvxpy.pos(1 - pairs @ w)) / len(pairs)
    reference = cvxpy.Problem(cvxpy.Minimize(loss), [cvxpy.norm1(w) <= radius])
    smallest = reference.solve(solver=cvxpy.CLARABEL)
    records, _ = train(dataset, radius=radius, variant=variant, gap_tolerance=1e-6)
    last = records[-1]
    assert last.objective >= smallest - 1e-7
    assert last.objective - smallest <= last.diagnostics["best gap"] + 1e-7
    if variant != "plain":
        assert last.diagnostics["gap"] <= 1e-6
        assert last.coef == pytest.approx(w.value, abs=5e-3 * radius)


def test_harmonic_steps_keep_the_rate_but_not_the_order():
    dataset = problem(1)
    best = train(dataset, radius=2.0, variant="pairwise", gap_tolerance=1e-9)[0][-1]
    records, _ = train(
        dataset, 200, radius=2.0, line_search="harmonic", gap_tolerance=0.0
    )
    for record in records:
        bound = 16 * 2.0**2 / (record.iteration + 2)
        assert record.objective - best.objective <= bound
    assert records[1].diagnostics["step length"] == 2 / 2
    assert records[3].diagnostics["step length"] == 2 / 4


def test_other_steps_converge_faster_in_a_large_ball():
    """Plain steps zigzag between corners when the optimum is inside a face."""
    dataset = problem(2, n_queries=8)
    passes = {
        variant: len(
            train(dataset, 1000, radius=3.0, variant=variant, gap_tolerance=1e-5)[0]
        )
        for variant in VARIANTS
    }
    assert passes["pairwise"] < passes["plain"]
    assert passes["away"] < passes["plain"]


def test_training_ends_within_the_tolerance_and_says_so():
    records, reason = train(problem(), radius=1.0, gap_tolerance=0.01)
    assert records[-1].diagnostics["gap"] <= 0.01 < records[-2].diagnostics["gap"]
    assert "duality gap" in reason


def test_training_ends_where_rounding_leaves_nothing_to_gain():
    records, reason = train(
        problem(), radius=2.0, variant="pairwise", gap_tolerance=0.0
    )
    assert len(records) < 2000
    assert abs(records[-1].diagnostics["gap"]) < 1e-7
    assert "floating point" in reason or "duality gap" in reason


def test_a_start_inside_the_ball_is_kept_and_one_outside_projected(caplog):
    inside = np.array([0.5, 0.0, -0.25, 0.0, 0.0])
    records, _ = train(problem(), 3, inside, radius=1.0)
    assert records[0].coef.tolist() == inside.tolist()
    assert not caplog.text
    outside = np.array([1.5, 0.5, 0.0, 0.0, 0.0])
    records, _ = train(problem(), 3, outside, radius=1.0)
    assert records[0].coef == pytest.approx([1.0, 0.0, 0.0, 0.0, 0.0])
    assert outside[0] == 1.5
    assert "nearest point of the ball" in caplog.text


def test_a_warm_start_needs_fewer_steps():
    dataset = problem(4, n_queries=8)
    small = train(dataset, radius=2.0, variant="pairwise", gap_tolerance=1e-6)[0][-1]
    cold, _ = train(dataset, radius=2.2, variant="pairwise", gap_tolerance=1e-6)
    warm, _ = train(
        dataset, start=small.coef, radius=2.2, variant="pairwise", gap_tolerance=1e-6
    )
    assert len(warm) < len(cold)
    assert warm[-1].objective == pytest.approx(cold[-1].objective, abs=1e-6)


@given(st.lists(st.floats(-5, 5, width=32), min_size=1, max_size=6))
def test_projection_meets_the_conditions_of_the_nearest_point(values):
    w = np.array(values, dtype=float)
    ball = L1Ball(1.5, np.ones(len(w)))
    v = ball.projected(w)
    assert ball.norm(v) <= 1.5 * (1 + 1e-12)
    # The residual is in the normal cone of the ball at v.
    residual = w - v
    assert residual @ v >= 1.5 * np.abs(residual).max() - 1e-9


def test_units_of_the_ranges_ignore_the_scale_of_features():
    dataset = problem(2)
    scales = np.array([1.0, 1e6, 1e-3, 10.0, 1e9])
    raw = RankingDataset.from_arrays(
        dataset.X * scales + 5 * scales, dataset.y, np.repeat(np.arange(4), 12)
    )
    ours, _ = train(dataset, 30, units="ranges")
    theirs, _ = train(raw, 30, units="ranges")
    assert theirs[-1].coef * scales == pytest.approx(ours[-1].coef, rel=1e-4, abs=1e-6)
    assert theirs[-1].diagnostics["l1 norm"] <= 1.0 + 1e-12


@pytest.mark.parametrize(
    ("X", "y"),
    [([[1.0, 2.0]], [1]), ([[1.0, 2.0], [3.0, 4.0]], [2, 2])],
    ids=["single document", "equal labels"],
)
def test_without_pairs_zero_is_kept_and_it_says_so(X, y):
    dataset = RankingDataset.from_arrays(np.array(X), np.array(y))
    records, reason = train(dataset)
    assert [record.coef.tolist() for record in records] == [[0.0, 0.0]]
    assert "nothing to learn" in reason


def test_a_radius_of_zero_is_refused():
    with pytest.raises(ValueError, match="radius must be a number"):
        FenchelRank(radius=0.0).fit_dataset(problem())


@pytest.mark.parametrize("name", FenchelRank.presets)
def test_presets_are_valid_settings(name):
    train(problem(), 2, **FenchelRank.presets[name])
