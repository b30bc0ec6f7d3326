"""RankSVM against its worked numbers, the double loop, its bound and scikit-learn."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import check_grad
from sklearn.svm import LinearSVC

from rankcore.algorithms.rank_svm import HingeLoss, RankSVM
from rankcore.data.dataset import RankingDataset
from rankcore.training import Stop, drive
from tests.algorithms.scored import scored


def double_loop(scores, labels, width):
    """The loss, the hinge, the slopes and the derivatives of the loss by the scores,
    summed over pairs."""
    better = labels[:, None] > labels
    t = np.where(better, np.maximum(1 - (scores[:, None] - scores), 0.0), 0.0)
    near = np.minimum(t, width)
    loss, force = (near * (2 * t - near)).sum(), 2 * (near.sum(0) - near.sum(1))
    if width < np.inf:
        loss, force = loss / (2 * width), force / (2 * width)
    return loss, t.sum(), near.sum() / width, force


def sums(scores, labels, width=np.inf):
    """Ours: each document has a feature of its own, so coefficients are scores."""
    loss = HingeLoss(RankingDataset.from_arrays(np.eye(len(scores)), labels), width)
    value, force = loss(scores)
    pairs = max((labels[:, None] > labels).sum(), 1)
    return tuple(pairs * v for v in (value, loss.hinge, loss.multipliers, force))


def problem(seed=0, n_queries=6, n=10, d=4, grades=3):
    """Data scaled to [0, 1] in every query."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_queries * n, d))
    truth = X @ np.linspace(-1, 1, d) + 0.3 * rng.standard_normal(len(X))
    y = np.searchsorted(np.quantile(truth, np.linspace(0, 1, grades + 1)[1:-1]), truth)
    qid = np.repeat(np.arange(n_queries), n)
    return RankingDataset.from_arrays(X, y, qid).normalise("minmax")


def differences(dataset):
    """x_i - x_j of every pair, one row each."""
    rows = [
        query.X[i] - query.X[j]
        for query in map(dataset.query, range(dataset.n_queries))
        for i, j in itertools.permutations(range(len(query)), 2)
        if query.y[i] > query.y[j]
    ]
    return np.array(rows)


def mean_squared(z, l2):
    """The objective on differences ``z``."""
    return lambda w: l2 / 2 * w @ w + (np.maximum(1 - z @ w, 0) ** 2).mean()


def fitted(dataset, **hyperparameters):
    run = drive(RankSVM(max_iter=5000, **hyperparameters), dataset, measures=())
    return list(run), run


def test_worked_example():
    s, y = np.array([0.3, 0.1, 0.2]), np.array([0, 2, 1])
    lacks = np.array([1 + 0.2, 1 + 0.1, 1 + 0.1])
    value, hinge, _, _ = sums(s, y)
    assert hinge == pytest.approx(lacks.sum()) == pytest.approx(3.4)
    assert value / 3 == pytest.approx((lacks**2).mean()) == pytest.approx(1.2866666667)


@pytest.mark.parametrize("n", [2, 30, 300])
@pytest.mark.parametrize("grades", [2, 5])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3, 1e9])
@pytest.mark.parametrize("width", [np.inf, 1.0, 0.01])
def test_sums_equal_the_double_loop(n, grades, scale, width):
    rng = np.random.default_rng(n + grades)
    s, y = scale * rng.standard_normal(n), rng.integers(0, grades, n)
    *result, force = sums(s, y, width)
    *expected, forces = double_loop(s, y, width)
    assert result == pytest.approx(expected, rel=1e-12)
    assert np.abs(force - forces).max() <= 1e-12 * np.abs(forces).max()


@given(scored([0, 1, 4], 12), st.sampled_from([np.inf, 0.5]))
def test_ties_huge_scores_and_missing_grades(documents, width):
    """The documents many times over, so that they are sorted."""
    s, y = (np.repeat(document, 30) for document in documents)
    *result, force = sums(s, y, width)
    *expected, forces = double_loop(s, y, width)
    assert result == pytest.approx(expected, rel=1e-12)
    assert np.abs(force - forces).max() <= 1e-12 * np.abs(forces).max(initial=1e-300)


@pytest.mark.parametrize("width", [np.inf, 0.3])
def test_gradient_by_finite_differences(width):
    loss = HingeLoss(problem(n=40), width)
    w = np.array([1.0, -0.5, 0.25, 2.0])
    error = check_grad(lambda w: loss(w)[0], lambda w: loss(w)[1], w)
    assert error < 1e-6


def test_the_mean_is_over_all_pairs_of_all_queries():
    dataset = problem()
    w = np.array([1.0, -0.5, 0.25, 2.0])
    lacks = np.maximum(1 - differences(dataset) @ w, 0.0)
    value, _ = HingeLoss(dataset)(w)
    assert value == pytest.approx((lacks**2).mean(), rel=1e-12)


@pytest.mark.parametrize("l2", [1.0, 0.1, 0.001])
@pytest.mark.parametrize("loss_function", ["squared_hinge", "hinge"])
def test_the_minimum_is_that_of_scikit_learn_on_all_pairs(l2, loss_function):
    dataset = problem()
    z = differences(dataset)
    svc = LinearSVC(
        C=1 / (l2 * len(z)),
        loss=loss_function,
        fit_intercept=False,
        dual=loss_function == "hinge",
        tol=1e-10,
        max_iter=1_000_000,
        random_state=0,
    )
    signs = np.resize([1, -1], len(z))
    theirs = svc.fit(signs[:, None] * z, signs).coef_[0]
    power = 2 if loss_function == "squared_hinge" else 1

    def objective(w):
        return l2 / 2 * w @ w + (np.maximum(1 - z @ w, 0) ** power).mean()

    records, _ = fitted(dataset, l2=l2, loss_function=loss_function, gap_tolerance=1e-7)
    ours = records[-1]
    assert ours.objective == pytest.approx(objective(ours.coef), rel=1e-12)
    assert ours.objective == pytest.approx(objective(theirs), abs=1e-6)


@pytest.mark.parametrize(
    ("loss_function", "words"), [("squared_hinge", "of its"), ("hinge", "duality gap")]
)
def test_the_gap_bounds_how_far_the_minimum_is(loss_function, words):
    dataset = problem(seed=1)
    best, _ = fitted(dataset, loss_function=loss_function, gap_tolerance=1e-9)
    records, run = fitted(dataset, loss_function=loss_function)
    for record in records:
        distance = record.objective - best[-1].objective
        assert distance <= record.diagnostics["gap"] + 1e-9
    assert records[-1].diagnostics["gap"] < 1e-5
    assert words in run.reason


def test_penalty_and_path_do_not_depend_on_the_units_of_the_features():
    dataset = problem()
    units = np.array([8.0, 1e-6, 1e6, 3.0])
    scaled = RankingDataset.from_arrays(
        units * dataset.X, dataset.y, np.repeat(np.arange(6), 10)
    )
    ours, _ = fitted(dataset)
    theirs, _ = fitted(scaled)
    assert [record.objective for record in theirs] == pytest.approx(
        [record.objective for record in ours], rel=1e-9
    )
    assert theirs[-1].coef * units == pytest.approx(ours[-1].coef, rel=1e-4)


def test_a_feature_constant_within_each_query_loses_its_coefficient():
    dataset = problem()
    X = dataset.X.copy()
    X[:, 3] = np.repeat(np.arange(6), 10)
    constant = RankingDataset.from_arrays(X, dataset.y, np.repeat(np.arange(6), 10))
    start = np.array([0.0, 0.0, 0.0, 7.0])
    records = list(drive(RankSVM(), constant, start=start))
    assert [records[0].coef[3], records[-1].coef[3]] == [7.0, 0.0]
    assert records[-1].coef[:3].all()


def test_queries_without_pairs_change_nothing():
    dataset = problem()
    qid = np.r_[np.repeat(np.arange(6), 10), 7, 7]
    more = RankingDataset.from_arrays(
        np.vstack([dataset.X, np.ones((2, 4)) * [[0.0], [1.0]]]),
        np.r_[dataset.y, 1, 1],
        qid,
    )
    assert np.array_equal(fitted(more)[0][-1].coef, fitted(dataset)[0][-1].coef)


@pytest.mark.parametrize("loss_function", ["squared_hinge", "hinge"])
def test_without_pairs_the_start_is_kept_and_it_says_so(loss_function):
    dataset = RankingDataset.from_arrays(np.eye(2), np.array([1, 1]))
    run = drive(
        RankSVM(loss_function=loss_function), dataset, start=np.array([0.5, -1.0])
    )
    assert [record.coef.tolist() for record in run] == [[0.5, -1.0]]
    assert "No query has two different labels" in run.reason


def test_starting_at_the_minimum_ends_at_once():
    dataset = problem()
    minimum = fitted(dataset)[0][-1].coef
    run = drive(RankSVM(), dataset, stop=Stop(max_iterations=50), start=minimum)
    assert list(run)[-1].iteration <= 1


@pytest.mark.parametrize("scale", [0.3, 10.0])
def test_second_derivatives_are_the_sum_over_pairs_that_lack_margin(scale):
    dataset = problem(n=40, grades=4)
    w = scale * np.array([1.0, -0.5, 0.25, 2.0])
    z = differences(dataset)
    lacking = z[z @ w < 1]
    expected = 2 * lacking.T @ lacking / len(z)
    assert HingeLoss(dataset).hessian(w) == pytest.approx(expected, rel=1e-12)


def test_a_loss_of_some_queries_is_that_of_their_documents_alone():
    dataset = problem()
    some = np.array([False, True, True, False, False, True])
    w = np.array([1.0, -0.5, 0.25, 2.0])
    value, gradient = HingeLoss(dataset, queries=some)(w)
    expected, slopes = HingeLoss(dataset.subset(some))(w)
    assert value == expected
    assert np.array_equal(gradient, slopes)


@pytest.mark.parametrize("l2", [1.0, 0.01, 1e-5])
def test_plenty_of_data_is_sampled_first_and_the_minimum_is_the_same(l2):
    dataset = problem(n_queries=40)
    z = differences(dataset)
    svc = LinearSVC(C=1 / (l2 * len(z)), fit_intercept=False, dual=False, tol=1e-10)
    signs = np.resize([1, -1], len(z))
    theirs = svc.fit(signs[:, None] * z, signs).coef_[0]
    records, run = fitted(dataset, l2=l2)
    best = mean_squared(z, l2)(theirs)
    leap, last = records[1], records[-1]
    assert leap.objective - best < 0.2 * (records[0].objective - best)
    assert leap.objective - best > 1e-9
    assert last.objective == pytest.approx(best, rel=1e-9)
    assert len(records) < 12
    assert "No component" in run.reason


def test_a_misleading_sample_does_not_lead_astray():
    """Every second query, so all of the sample, has its labels upside down."""
    dataset = problem(n_queries=14, n=30)
    y = dataset.y.copy()
    odd = np.repeat(np.arange(14) % 2 == 0, 30)
    y[odd] = 2 - y[odd]
    qid = np.repeat(np.arange(14), 30)
    turned = RankingDataset.from_arrays(dataset.X, y, qid)
    z = differences(turned)
    records, _ = fitted(turned, l2=0.01)
    objectives = [record.objective for record in records]
    assert objectives == sorted(objectives, reverse=True)
    gradient = records[-1].diagnostics["gradient norm"]
    assert gradient < 1e-5
    value = mean_squared(z, 0.01)(records[-1].coef)
    assert records[-1].objective == pytest.approx(value, rel=1e-12)
