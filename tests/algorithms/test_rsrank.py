"""RSRank against its worked example, the double loop and its own conditions."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given

from rankcore._kernels.losses.rsrank import close_gaps, find_windows
from rankcore.algorithms.lambda_rank import LambdaRank
from rankcore.algorithms.rsrank import PairwiseLoss, RSRank, soft_threshold
from rankcore.base.numbers import three_digits
from rankcore.data.dataset import RankingDataset
from rankcore.training import Stop, drive
from tests.algorithms.scored import (
    curvature_within,
    discounts,
    pair_weights,
    phi,
    phi_slope,
    scored,
    trained,
)


def double_loop(scores, labels, weights=None):
    """Loss and its gradient by score, pair by pair."""
    w = pair_weights(scores, labels) if weights is None else weights
    v = scores[:, None] - scores
    slopes = w * phi_slope(v)
    return (w * phi(v)).sum(), slopes.sum(1) - slopes.sum(0)


def loss_by_score(scores, labels):
    """Ours: the scores are the only feature, with coefficient 1."""
    loss = PairwiseLoss(RankingDataset.from_arrays(scores[:, None], labels))
    value, _ = loss(np.ones(1))
    return value, loss.forces


def ndcg(scores, labels):
    a = 2.0**labels - 1
    d = discounts(len(scores))
    return (a[np.argsort(-scores, kind="stable")] @ d) / (np.sort(a)[::-1] @ d)


def example():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    return RankingDataset.from_arrays(X, np.array([0, 2, 1]))


def sparse_problem(seed=0, n_queries=5, n=12, d=6):
    """Labels that follow two of the features only."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_queries * n, d))
    truth = X[:, 0] - X[:, 1] + 0.1 * rng.standard_normal(len(X))
    y = np.searchsorted(np.quantile(truth, [0.6, 0.85]), truth)
    return RankingDataset.from_arrays(X, y, np.repeat(np.arange(n_queries), n))


def train(dataset, passes, start=None, **hyperparameters):
    return trained(RSRank, dataset, passes, start, **hyperparameters)[0]


def test_worked_example():
    s, y = np.array([0.3, 0.1, 0.2]), np.array([0, 2, 1])
    third = 1 / math.log2(3)
    ideal = 3 + third
    w = pair_weights(s, y)
    assert w[1, 0] == pytest.approx(3 * (1 - 0.5) / ideal) == pytest.approx(0.413117)
    assert w[1, 2] == pytest.approx(2 * (third - 0.5) / ideal)
    assert w[2, 0] == pytest.approx((1 - third) / ideal)
    expected = w[1, 0] * 1.2**2 + w[1, 2] * 1.1**2 + w[2, 0] * 1.1**2
    slopes = {
        pair: 2 * w[pair] * phi
        for pair, phi in zip([(1, 0), (1, 2), (2, 0)], [-1.2, -1.1, -1.1], strict=True)
    }
    loss = PairwiseLoss(example())
    value, gradient = loss(np.array([0.3, 0.1]))
    assert value == pytest.approx(expected) == pytest.approx(0.805145, abs=5e-7)
    assert loss.forces == pytest.approx([
        -slopes[1, 0] - slopes[2, 0],
        slopes[1, 0] + slopes[1, 2],
        slopes[2, 0] - slopes[1, 2],
    ])  # fmt: skip
    assert loss.forces == pytest.approx([1.215103, -1.150144, -0.064960], abs=1e-6)
    assert gradient == pytest.approx([1.182623, -1.182623], abs=1e-6)


@pytest.mark.parametrize(("v", "value", "slope"), [(-1, 4, -4), (0, 1, -2), (1, 0, 0)])
@pytest.mark.parametrize("shift", [-1e-9, 0.0, 1e-9])
def test_modified_huber_loss_is_smooth_where_its_pieces_meet(v, value, slope, shift):
    y = np.array([1, 0])
    weight = 1 - 1 / math.log2(3)
    loss, forces = loss_by_score(np.array([v + shift, 0.0]), y)
    assert loss == pytest.approx(weight * value, abs=1e-8)
    assert forces == pytest.approx([weight * slope, -weight * slope], abs=1e-8)


@pytest.mark.parametrize("n", [1, 2, 30, 60, 400])
@pytest.mark.parametrize("grades", [2, 3, 5])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 30.0, 1e4, 1e9])
@pytest.mark.parametrize("rounded", [False, True])
def test_loss_and_gradient_equal_the_double_loop(n, grades, scale, rounded):
    rng = np.random.default_rng(n + grades)
    s, y = scale * rng.standard_normal(n), rng.integers(0, grades, n)
    s = np.round(s) if rounded else s
    value, forces = loss_by_score(s, y)
    expected, gradient = double_loop(s, y)
    assert value == pytest.approx(expected, rel=1e-12)
    error = np.abs(forces - gradient).max()
    assert error <= 1e-12 * np.abs(gradient).max()


@given(scored([0, 1, 2, 4], 80))
def test_ties_huge_scores_and_missing_grades(documents):
    s, y = documents
    value, forces = loss_by_score(s, y)
    expected, gradient = double_loop(s, y)
    scale = pair_weights(s, y).sum()
    assert abs(value - expected) <= 1e-12 * max(expected, scale)
    assert np.abs(forces - gradient).max() <= 1e-12 * max(scale, 1e-300)


def test_the_result_does_not_depend_on_the_order_of_the_step_before():
    dataset = sparse_problem(n=100)
    rng = np.random.default_rng(1)
    loss = PairwiseLoss(dataset)
    for _ in range(5):
        beta = rng.standard_normal(6)
        warm, cold = loss(beta), PairwiseLoss(dataset)(beta)
        assert warm[0] == cold[0]
        assert np.array_equal(warm[1], cold[1])


def test_gradient_by_finite_differences_at_frozen_weights():
    rng = np.random.default_rng(3)
    s, y = 0.7 * rng.standard_normal(90), rng.integers(0, 4, 90)
    _, forces = loss_by_score(s, y)
    w, h = pair_weights(s, y), 1e-6
    for i in range(0, 90, 9):
        up, down = s.copy(), s.copy()
        up[i], down[i] = s[i] + h, s[i] - h
        slope = (double_loop(up, y, w)[0] - double_loop(down, y, w)[0]) / (2 * h)
        assert forces[i] == pytest.approx(slope, rel=1e-6, abs=1e-8)


def test_gradient_sums_over_queries():
    dataset = sparse_problem()
    beta = np.linspace(-2, 2, 6)
    value, gradient = PairwiseLoss(dataset)(beta)
    parts = [double_loop(q.X @ beta, q.y) for q in map(dataset.query, range(5))]
    assert value == pytest.approx(sum(part[0] for part in parts), rel=1e-12)
    forces = np.concatenate([part[1] for part in parts])
    assert gradient == pytest.approx(forces @ dataset.X, rel=1e-11)


@pytest.mark.parametrize("labels", [(0, 1), (1, 1, 0), (0, 1, 2), (2, 0, 1, 0, 4)])
def test_loss_bounds_one_less_ndcg_for_every_order(labels):
    y = np.array(labels)
    for order in itertools.permutations(range(len(y))):
        s = np.array(order, dtype=float)
        misordered = pair_weights(s, y)[s[:, None] <= s].sum()
        value, _ = loss_by_score(s, y)
        assert 1 - ndcg(s, y) <= misordered + 1e-12
        assert misordered <= value + 1e-12


@pytest.mark.parametrize("units", [np.ones(6), np.arange(1.0, 7.0)])
def test_curvature_is_the_largest_eigenvalue_at_the_ideal_order(units):
    dataset = sparse_problem()
    curvature = PairwiseLoss(dataset).curvature(units, np.random.default_rng(0))
    assert curvature_within(curvature, dataset, pair_weights, units)


def test_shrinkage():
    beta = soft_threshold(np.array([0.3, -0.1, 0.05]), 0.1)
    assert beta == pytest.approx([0.3 - 0.1, 0.0, 0.0], abs=1e-15)
    assert np.count_nonzero(beta) == 1


@pytest.mark.parametrize(("shrinkage", "steps"), [("paper", 1), ("langford", 3)])
def test_every_third_step_shrinks(shrinkage, steps):
    eta, g = 0.01, 2.0
    records = train(
        sparse_problem(),
        6,
        g=g,
        truncation_interval=3,
        learning_rate=eta,
        shrinkage=shrinkage,
    )
    loss = PairwiseLoss(sparse_problem())
    for before, after in itertools.pairwise(records):
        moved = before.coef - eta * loss(before.coef)[1]
        due = after.iteration % 3 == 0
        expected = soft_threshold(moved, eta * g * steps) if due else moved
        assert after.coef == pytest.approx(expected, abs=1e-15)


def test_both_rules_agree_when_every_step_shrinks():
    paper = train(sparse_problem(), 20, g=1.0, shrinkage="paper")[-1]
    langford = train(sparse_problem(), 20, g=1.0, shrinkage="langford")[-1]
    assert np.array_equal(paper.coef, langford.coef)


@pytest.mark.soak
def test_the_papers_rule_acts_like_a_penalty_divided_by_the_interval():
    """The two rules settle beside K = 1 with g / K and with g."""

    def settled(g, interval, shrinkage):
        return train(
            sparse_problem(),
            3000,
            g=g,
            truncation_interval=interval,
            shrinkage=shrinkage,
            learning_rate=0.002,
        )[-1].coef

    g = 4.0
    paper, langford = settled(g, 5, "paper"), settled(g, 5, "langford")
    divided, plain = settled(g / 5, 1, "paper"), settled(g, 1, "paper")
    assert np.abs(paper - divided).max() < 0.05 * np.abs(plain - divided).max()
    assert np.abs(langford - plain).max() < 0.05 * np.abs(plain - divided).max()


def test_a_settled_model_meets_the_conditions_of_a_minimum():
    g = 3.0
    dataset = sparse_problem()
    last = train(dataset, 4000, g=g)[-1]
    _, gradient = PairwiseLoss(dataset)(last.coef)
    zero = last.coef == 0
    assert 0 < zero.sum() < 6
    assert np.all(np.abs(gradient[zero]) <= g)
    assert gradient[~zero] == pytest.approx(-g * np.sign(last.coef[~zero]), abs=0.02)


def test_zero_is_kept_exactly_while_no_slope_exceeds_the_penalty():
    dataset = sparse_problem()
    _, at_zero = PairwiseLoss(dataset)(np.zeros(6))
    steepest = np.abs(at_zero).max()
    stays = train(dataset, 5, g=1.01 * steepest, init="zeros")[-1]
    leaves = train(dataset, 1, g=0.99 * steepest, init="zeros")[-1]
    assert stays.nonzeros == 0
    assert leaves.nonzeros == 1


def test_more_penalty_leaves_fewer_features():
    nonzeros = [
        train(sparse_problem(), 800, g=g)[-1].nonzeros for g in (0.0, 1.0, 5.0, 50.0)
    ]
    assert nonzeros[0] == 6
    assert nonzeros == sorted(nonzeros, reverse=True)
    assert nonzeros[-1] == 0


def test_objective_is_the_loss_plus_the_penalty():
    for record in train(sparse_problem(), 3, g=2.0):
        value, _ = PairwiseLoss(sparse_problem())(record.coef)
        assert record.objective == value + 2.0 * np.abs(record.coef).sum()


def test_training_learns_with_nothing_changed():
    model = RSRank(max_iter=200).fit_dataset(sparse_problem())
    assert np.argmax(model.coef_) == 0
    assert np.argmin(model.coef_) == 1


def test_auto_does_not_depend_on_the_units_of_the_features():
    dataset = sparse_problem()
    units = np.array([8.0, 1e-6, 1e6, 1.0, 1e10, 3.0])
    scaled = RankingDataset.from_arrays(
        units * dataset.X + 10 * units, dataset.y, np.repeat(np.arange(5), 12)
    )
    ours, theirs = train(dataset, 30), train(scaled, 30)
    assert theirs[-1].coef * units == pytest.approx(ours[-1].coef, rel=1e-6)


def test_auto_gives_normalised_features_one_step_length():
    dataset = sparse_problem().normalise("minmax")
    loss, rng = PairwiseLoss(dataset), np.random.default_rng(0)
    lengths = RSRank().step_lengths(loss, rng)
    assert lengths == pytest.approx(np.full(6, lengths[0]), rel=1e-15)


@pytest.mark.parametrize("algorithm", [RSRank, LambdaRank])
@pytest.mark.parametrize("init", ["random", "zeros", "least_squares"])
def test_the_value_of_auto_is_known_before_training(algorithm, init):
    dataset = sparse_problem()
    chosen = algorithm(init=init, random_state=3)
    (derived,) = chosen.derived_values(dataset).values()
    first = next(drive(chosen, dataset, measures=()))
    assert derived.automatic == first.diagnostics["step length"]
    fixed = algorithm(init=init, random_state=3, learning_rate=0.5)
    assert fixed.derived_values(dataset)["learning_rate"] == derived


def test_steps_are_stable_up_to_two_over_the_curvature():
    """Two queries contradict each other, so that the best coefficient is 0."""
    dataset = RankingDataset.from_arrays(
        [[0.1], [0], [0.1], [0]], [1, 0, 0, 1], [1, 1, 2, 2]
    )
    limit = RSRank().derived_values(dataset)["learning_rate"].stable
    # Each has one pair of weight 1 - 1 / log2(3) and a loss (1 ± 0.1 b)^2.
    assert limit == pytest.approx(2 / (2 * 2 * (1 - 1 / math.log2(3)) * 0.1**2))

    def last(share):
        return abs(0.1 * train(dataset, 80, learning_rate=share * limit)[-1].coef[0])

    assert last(0.9) < 1e-6
    assert last(1.1) > 0.1


def test_values_of_auto_by_the_ranges_of_features_are_told_from_one_for_all():
    """One feature has ten times the range of the other."""
    X = np.array([[1.0, 0.0], [0.0, 10.0]])

    def derived(X):
        dataset = RankingDataset.from_arrays(X, [1, 0], [1, 1])
        return RSRank().derived_values(dataset)["learning_rate"]

    equal, raw = derived(np.minimum(X, 1.0)), derived(X)
    assert raw.least == pytest.approx(raw.automatic / 100)
    assert raw.least < raw.stable < raw.automatic
    assert raw.text == (
        f"auto = {three_digits(raw.least)} to {three_digits(raw.automatic)}, by each "
        "feature’s range; one value for all is unstable above "
        f"{three_digits(raw.stable)}"
    )
    assert equal.text == (
        f"auto = {three_digits(equal.automatic)}, unstable above "
        f"{three_digits(equal.stable)}"
    )


def test_without_pairs_no_learning_rate_is_known():
    nothing = RankingDataset.from_arrays([[1.0, 2.0], [3.0, 4.0]], [2, 2])
    assert RSRank().derived_values(nothing) == {}


def test_auto_settles():
    objectives = np.array([record.objective for record in train(sparse_problem(), 300)])
    assert objectives.max() < 1.5 * objectives[0]
    assert np.ptp(objectives[-50:]) < 0.01 * objectives[0]


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[1.0, 2.0]], [1]),
        ([[1.0, 2.0], [3.0, 4.0]], [2, 2]),
        ([[1.0, 2.0], [3.0, 4.0]], [0, 0]),
    ],
    ids=["single document", "equal labels", "no relevant"],
)
def test_without_pairs_the_start_is_kept_and_it_says_so(X, y):
    dataset = RankingDataset.from_arrays(np.array(X), np.array(y))
    run = drive(RSRank(g=3.0), dataset, start=np.array([0.5, -1.0]))
    records = list(run)
    assert [record.iteration for record in records] == [0]
    assert records[0].coef.tolist() == [0.5, -1.0]
    assert records[0].diagnostics["queries with pairs"] == 0
    assert records[0].diagnostics["loss"] == 0
    assert "No query has two different labels" in run.reason


def test_constant_features_get_no_coefficient_of_their_own():
    dataset = sparse_problem()
    X = dataset.X.copy()
    X[:, 3] = 7.0
    constant = RankingDataset.from_arrays(X, dataset.y, np.repeat(np.arange(5), 12))
    records = train(constant, 50)
    assert records[-1].coef[3] == pytest.approx(records[0].coef[3], abs=1e-12)


def test_features_that_vary_only_where_there_are_no_pairs_leave_the_start():
    X = np.array([[0.1], [0.1], [0.1], [0.0], [5.0]])
    y, qid = np.array([0, 1, 2, 1, 1]), np.array([1, 1, 1, 2, 2])
    first, *_, last = train(RankingDataset.from_arrays(X, y, qid), 5)
    assert np.array_equal(first.coef, last.coef)


def test_features_all_constant_leave_the_start():
    dataset = RankingDataset.from_arrays(np.ones((4, 2)), np.array([0, 1, 2, 0]))
    first, *_, last = train(dataset, 5)
    assert np.array_equal(first.coef, last.coef)


def test_labels_need_not_be_contiguous():
    dataset = sparse_problem()
    gapped = RankingDataset.from_arrays(
        dataset.X, 2 * (dataset.y > 0), np.repeat(np.arange(5), 12)
    )
    assert RSRank(max_iter=100).fit_dataset(gapped).coef_[0] > 0


def test_labels_too_large_for_the_gain_are_refused_with_a_sentence():
    dataset = RankingDataset.from_arrays(np.ones((2, 1)), np.array([0, 32]))
    with pytest.raises(ValueError, match="32 is above 31"):
        RSRank().fit_dataset(dataset)


def test_starts():
    dataset = sparse_problem()
    X, y = dataset.X - dataset.X.mean(0), dataset.y - dataset.y.mean()
    at_random = train(dataset, 0)[0].coef
    assert 0 < np.abs(at_random).max() < 0.1
    assert not train(dataset, 0, init="zeros")[0].coef.any()
    fitted = train(dataset, 0, init="least_squares")[0].coef
    assert X.T @ (X @ fitted - y) == pytest.approx(np.zeros(6), abs=1e-12)
    given_start = np.arange(6.0)
    assert np.array_equal(train(dataset, 0, given_start)[0].coef, given_start)


def test_starting_at_zero_is_not_silent(caplog):
    train(sparse_problem(), 1, init="zeros")
    assert "All scores tie" in caplog.text


def test_the_given_start_is_copied():
    start = np.ones(6)
    train(sparse_problem(), 3, start)
    assert np.array_equal(start, np.ones(6))


def test_same_seed_same_model():
    first, again = (train(sparse_problem(), 30, random_state=5) for _ in range(2))
    other = train(sparse_problem(), 30, random_state=6)
    assert all(
        np.array_equal(a.coef, b.coef) for a, b in zip(first, again, strict=True)
    )
    assert not np.array_equal(first[0].coef, other[0].coef)


def test_stopping_midway_leaves_a_usable_model():
    dataset = sparse_problem()
    algorithm = RSRank(max_iter=10_000)
    run = drive(algorithm, dataset)
    for _ in range(20):
        next(run)
    run.close()
    model = algorithm.load_run(run)
    assert model.coef_.shape == (6,)
    assert np.isfinite(model.predict(dataset.X)).all()


@pytest.mark.parametrize("name", RSRank.presets)
def test_presets_are_valid_settings(name):
    train(sparse_problem(), 2, **RSRank.presets[name])


@pytest.mark.parametrize("odd", [np.inf, -np.inf, np.nan])
def test_windows_stay_within_the_list_whatever_the_scores_are(odd):
    s = -np.sort([-9.0, -8.5, -odd, -odd, -3.0, -2.5, -odd])
    n = len(s)
    t, (above, below) = np.zeros(n + 1), np.full((2, 3 * n), -1)
    t[n] = -np.inf
    close_gaps(s, t)
    assert np.isfinite(t[:n]).all()
    assert (np.diff(t) < 0.0).all()
    find_windows(t, above, below)
    assert (above[n + 1 :] == -1).all()
    assert (below[n + 1 :] == -1).all()


def test_a_run_with_steps_that_overflow_says_so(small):
    with np.errstate(over="ignore"):
        run = drive(RSRank(learning_rate=1e308), small, stop=Stop(max_iterations=3))
        history = list(run)
    assert len(history) == 1
    assert "no longer finite" in run.reason
