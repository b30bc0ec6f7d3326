"""ConeRank: folding-in against oracles, its objective, its direction and its start."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from rankcore.algorithms.cone_rank import ConeRank
from rankcore.algorithms.parts.cones import (
    Differences,
    Folding,
    fold_in,
    project_to_norm_ball,
    scoring_direction,
)
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.products import times_vector
from rankcore.studies.exports import export, list_formats
from rankcore.studies.models import load_model, save_model
from rankcore.topics.cones.cone import fold, votes
from rankcore.training import Stop, drive
from tests.soaking import soak


def problem(seed=0, queries=6, size=9, d=4):
    """Grades that follow a plane through the features, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(queries * size, d)) * np.arange(1, d + 1)
    truth = X @ np.linspace(1.0, -1.0, d) + rng.normal(size=len(X))
    y = np.digitize(truth, np.quantile(truth, [0.5, 0.8]))
    return RankingDataset.from_arrays(X, y, np.repeat(np.arange(queries), size))


def pairs(dataset, alpha=1.0, rho=None, standardise=True):
    """Every query's differences and their weights, formed one by one."""
    rho = np.sqrt(dataset.n_features) if rho is None else rho
    scale = dataset.X.std(axis=0) if standardise else np.ones(dataset.n_features)
    for query in map(dataset.query, range(dataset.n_queries)):
        X = query.X / scale
        values = [
            (rho * z / (alpha + np.linalg.norm(z)), query.y[i] - query.y[j])
            for i in range(len(X))
            for j in range(len(X))
            if query.y[i] > query.y[j]
            for z in [X[i] - X[j]]
        ]
        if values:
            yield np.array([z for z, _ in values]), np.array([p for _, p in values])


def distance_squared(basis, z, w):
    return ((z - basis @ w) ** 2).sum()


def test_normalised_difference_of_the_reference():
    X = np.array([[3.0, 4.0], [0.0, 0.0]])
    dataset = RankingDataset.from_arrays(X, [1, 0])
    differences = Differences(dataset, standardise=False, rho=2.0)
    z = differences.sample(1, np.random.default_rng(0))[0]
    assert z == pytest.approx([2 * 3 / (1 + 5), 2 * 4 / (1 + 5)])
    assert np.linalg.norm(z) == pytest.approx(5 / 3)


def test_the_loss_depends_on_the_limits_of_the_sum():
    identity = np.eye(2)
    assert fold(identity, [2, 0], 1, 1).distances[0] == pytest.approx(1.0)
    assert fold(identity, [2, 0], 1, 2).distances[0] == pytest.approx(0.0)
    near = fold(identity, [0.25, 0.25], 1, 2).distances[0]
    assert near**2 == pytest.approx(0.125)


def test_clipping_and_rescaling_is_biased_and_exponentiated_gradient_is_not():
    basis, z = np.diag([2.0, 1.0]), np.array([1.0, 0.2])
    exact = fold(basis, z, 1, 1).weights[0]
    assert exact == pytest.approx([0.56, 0.44])
    assert distance_squared(basis, z, exact) == pytest.approx(0.072)
    for rate in (0.1, 0.01):
        for rule in ("eg", "eg_approx"):
            w = fold(basis, z, 1, 1, rule, 100_000, 2 * rate).weights[0]
            assert distance_squared(basis, z, w) == pytest.approx(0.072, abs=1e-6)
        w = fold(basis, z, 1, 1, "sg", 100_000, 2 * rate).weights[0]
        assert w == pytest.approx([0.576073, 0.423927], abs=1e-6)
        assert distance_squared(basis, z, w) == pytest.approx(0.073292, abs=1e-6)


@pytest.mark.parametrize("rule", ["eg", "eg_approx", "sg"])
@pytest.mark.parametrize("rate", [0.0, 0.01, 1.0, 100.0])
def test_gradient_rules_keep_weights_feasible_at_any_rate(rule, rate):
    rng = np.random.default_rng(3)
    basis, Z = rng.normal(size=(5, 4)), rng.normal(size=(20, 5))
    weights = fold(basis, Z, 1, 1, rule, 2000, rate).weights
    assert np.isfinite(weights).all()
    assert weights.min() >= 0
    assert weights.sum(axis=1) == pytest.approx(1.0)


def test_the_fixed_points_of_exponentiated_gradient_are_optimal():
    rng = np.random.default_rng(4)
    basis, Z = rng.normal(size=(5, 4)), rng.normal(size=(20, 5))
    exact = fold(basis, Z, 1, 1).distances
    longest = fold(basis, Z, 1, 1, "eg", 50_000).distances
    assert longest**2 == pytest.approx(exact**2, abs=1e-6)
    biased = fold(basis, Z, 1, 1, "sg", 50_000).distances
    assert (biased**2 - exact**2).max() > 0.01


@pytest.mark.parametrize("rule", ["exact", "eg", "sg"])
def test_a_pass_equals_the_loop_over_pairs(rule):
    dataset = problem()
    basis = np.random.default_rng(5).normal(size=(3, 4))
    folding = Folding(rule, 1.0, 1.5, 0.0, 20)
    folded = fold_in(Differences(dataset), basis, folding)
    risk = energy = 0.0
    moment, second = np.zeros((3, 4)), np.zeros((3, 3))
    queries = list(pairs(dataset))
    for Z, phi in queries:
        w = fold(basis.T, Z, 1.0, 1.5, rule, 20).weights
        risk += phi @ ((Z - w @ basis) ** 2).sum(axis=1) / len(Z)
        energy += phi @ (Z**2).sum(axis=1) / len(Z)
        moment += (w * phi[:, None]).T @ Z / len(Z)
        second += (w * phi[:, None]).T @ w / len(Z)
    n = len(queries)
    assert folded.risk == pytest.approx(risk / n, rel=1e-11)
    assert folded.energy == pytest.approx(energy / n, rel=1e-12)
    np.testing.assert_allclose(folded.moment, moment / n, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(folded.second, second / n, rtol=1e-10, atol=1e-12)


def history(dataset, passes=30, **hyperparameters):
    run = drive(ConeRank(**hyperparameters), dataset, stop=Stop(max_iterations=passes))
    return list(run)


@pytest.mark.parametrize("update", ["columns", "gradient"])
@pytest.mark.parametrize("limits", [(1.0, 1.0), (0.0, None)])
def test_the_objective_never_rises_with_exact_folding_in(update, limits):
    low, high = limits
    records = history(
        problem(), n_basis=3, basis_update=update, lambda_low=low, lambda_high=high
    )
    objectives = [record.objective for record in records]
    assert len(objectives) > 5
    assert objectives[-1] < 0.9 * objectives[0]
    assert (np.diff(objectives) <= 1e-12 * objectives[0]).all()


@pytest.mark.parametrize("limits", [(1.0, 1.0), (0.0, None), (0.5, 3.0)])
@pytest.mark.parametrize(("d", "n_basis"), [(4, 5), soak(4, 6), soak(5, 7), (5, 10)])
def test_the_objective_never_rises_with_more_vectors_than_features(d, n_basis, limits):
    low, high = limits
    for seed in range(4):
        dataset = problem(seed, d=d)
        records = history(
            dataset,
            n_basis=n_basis,
            lambda_low=low,
            lambda_high=high,
            tolerance=0.0,
            random_state=seed,
        )
        energy = np.mean(
            [phi @ (Z**2).sum(axis=1) / len(Z) for Z, phi in pairs(dataset)]
        )
        rises = np.diff([record.objective for record in records])
        assert rises.max(initial=0.0) <= 1e-12 * energy


@pytest.mark.parametrize("update", ["columns", "gradient", "stochastic"])
def test_no_vector_is_longer_than_the_cap(update):
    records = history(
        problem(), n_basis=3, basis_update=update, norm_cap=0.8, learning_rate=0.3
    )
    for record in records:
        lengths = np.linalg.norm(record.state["basis"], axis=0)
        assert lengths.max() <= 0.8 * (1 + 1e-12)
    assert max(r.diagnostics["norm violations"] for r in records) > 0


def test_one_vector_is_the_weighted_mean_difference():
    dataset = problem()
    record = history(dataset)[-1]
    means = [phi @ Z / len(Z) for Z, phi in pairs(dataset)]
    weights = [phi.mean() for _, phi in pairs(dataset)]
    u = np.mean(means, axis=0) / np.mean(weights)
    assert record.state["basis"][:, 0] == pytest.approx(u)
    assert record.coef == pytest.approx(u / (u @ u) / dataset.X.std(axis=0))
    assert record.iteration <= 2


def test_the_paper_s_step_is_a_step_along_the_gradient():
    dataset = problem()
    model = ConeRank(n_basis=2, basis_update="gradient", learning_rate=0.01)
    steps = model.steps(dataset, np.random.default_rng(0))
    before, after = (next(steps).state["basis"] for _ in range(2))
    differences = Differences(dataset)

    def risk(basis, weights):
        """The objective with all weights held fixed."""
        total = 0.0
        for (Z, phi), w in zip(pairs(dataset), weights, strict=True):
            total += phi @ ((Z - w @ basis.T) ** 2).sum(axis=1) / len(Z)
        return total / len(differences.queries)

    weights = [fold(before, Z, 1, 1).weights for Z, _ in pairs(dataset)]
    gradient = np.zeros_like(before)
    for index in np.ndindex(*before.shape):
        shift = np.zeros_like(before)
        shift[index] = 1e-6
        rise = risk(before + shift, weights) - risk(before - shift, weights)
        gradient[index] = rise / 2e-6
    assert after == pytest.approx(before - 0.01 * gradient, abs=1e-7)


def test_the_direction_of_the_reference():
    basis = np.array([[1.0, 1.0], [0.0, 1.0]])
    assert scoring_direction(basis) == pytest.approx([1.0, 0.0])
    u = np.array([[3.0], [4.0]])
    assert scoring_direction(u) == pytest.approx(u[:, 0] / 25)


@pytest.mark.parametrize("n_basis", [1, 3])
def test_a_start_lives_on_in_the_vectors(n_basis):
    dataset = problem()
    start = np.array([0.5, -2.0, 0.125, 1.0])
    model = ConeRank(n_basis=n_basis)
    first = next(model.steps(dataset, np.random.default_rng(0), start))
    np.testing.assert_array_equal(first.coef, start)
    voted = scoring_direction(first.state["basis"]) * first.state["scale"]
    cosine = voted @ start / np.linalg.norm(voted) / np.linalg.norm(start)
    assert cosine == pytest.approx(1.0)


def test_raw_features_give_the_ranking_of_scaled_ones():
    dataset = problem()
    units = np.array([1e-6, 1.0, 1e6, 1e3])
    raw = RankingDataset.from_arrays(
        dataset.X * units, dataset.y, np.repeat(np.arange(6), 9)
    )
    one, other = history(dataset)[-1], history(raw)[-1]
    assert other.objective == pytest.approx(one.objective)
    assert dataset.X @ one.coef == pytest.approx(raw.X @ other.coef)


def test_a_trained_cone_shows_its_vectors_and_a_read_one_says_why_not():
    dataset = problem()
    model = ConeRank(n_basis=2).fit_dataset(dataset)
    assert model.basis_.shape == (4, 2)
    direction = scoring_direction(model.basis_) * model.state_["scale"]
    assert model.coef_ == pytest.approx(direction)
    with pytest.raises(AttributeError, match="Train it again"):
        ConeRank().basis_  # noqa: B018


def test_capping_leaves_short_vectors_alone():
    basis, cut = project_to_norm_ball(np.array([[3.0, 4.0], [0.0, 1.0]]), 2.0)
    assert basis == pytest.approx(np.array([[1.2, 1.6], [0.0, 1.0]]))
    assert cut == 1


def test_more_pairs_than_can_be_folded_in_are_refused():
    """One query of two halves has a hundred million pairs."""
    data = RankingDataset.from_arrays(np.zeros((20_000, 1)), np.repeat([0, 1], 10_000))
    assert ConeRank(n_basis=5).unsupported_reason(data) is None
    refusal = ConeRank(n_basis=6).unsupported_reason(data)
    assert "100,000,000 pairs over 6 vectors" in refusal
    assert "The longest query has 20,000 documents" in refusal
    with pytest.raises(ValueError, match="100,000,000 pairs"):
        ConeRank(n_basis=6).fit_dataset(data)


def test_a_query_of_twenty_thousand_documents_is_learnt_from():
    """With ten relevant documents it has 199,900 pairs."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20_000, 3)), np.zeros(20_000, dtype=int)
    y[:10] = 1
    X[:10, 0] += 3.0
    model = ConeRank(init="pairs").fit(X, y, qid=None)
    assert np.abs(model.coef_).argmax() == 0


@pytest.fixture
def voting():
    """A cone of three vectors that predicts by votes, and what it was trained on."""
    dataset = problem()
    return ConeRank(n_basis=3, predict_by="votes").fit_dataset(dataset), dataset


def order(scores):
    return np.argsort(-scores, kind="stable").tolist()


def test_predicted_votes_are_those_of_all_pairs(voting):
    model, dataset = voting
    for query in map(dataset.query, range(dataset.n_queries)):
        by_pairs = votes(model.basis_, query.X * model.state_["scale"])
        assert model.predict(query.X).tolist() == by_pairs.tolist()


@pytest.mark.parametrize("levels", [2, 5, 1000])
def test_votes_order_as_the_linear_form_does_ties_included(voting, levels):
    model, _ = voting
    rng = np.random.default_rng(levels)
    X = np.rint(rng.normal(size=(60, 4)) * levels)
    X = X[rng.integers(len(X), size=90)]
    linear, counted = times_vector(X, model.coef_), model.predict(X)
    assert order(counted) == order(linear)
    for one in range(len(X)):
        assert ((counted == counted[one]) == (linear == linear[one])).all()
    # Within a query the order does not depend on what else is scored.
    assert order(model.predict(X[:20])) == order(counted[:20])


def test_a_model_that_votes_ranks_as_before_and_is_kept_and_exported(voting, tmp_path):
    model, dataset = voting
    linear = ConeRank(n_basis=3).fit_dataset(dataset)
    np.testing.assert_array_equal(model.coef_, linear.coef_)
    assert list(model.history_[-1].train) == list(linear.history_[-1].train)
    qid = np.repeat(np.arange(6), 9)
    assert model.score(dataset.X, dataset.y, qid) == pytest.approx(
        linear.score(dataset.X, dataset.y, qid)
    )
    save_model(model, tmp_path / "model.json")
    read = load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(read.predict(dataset.X), model.predict(dataset.X))
    for name in set(list_formats()) - {"json"}:
        assert export(model, name) == export(linear, name)


@pytest.mark.soak
@pytest.mark.filterwarnings("ignore::rankcore.base.errors.MissingQueryWarning")
@parametrize_with_checks(
    [ConeRank(predict_by="votes", max_iter=4)],
    expected_failed_checks=lambda _: {
        "check_methods_subset_invariance": "votes are counted against the documents "
        "that are scored together",
        "check_sample_weight_equivalence_on_dense_data": "it takes no weights",
        "check_sample_weights_not_overwritten": "it takes no weights",
        "check_sample_weights_list": "it takes no weights",
    },
)
def test_scikit_learn_checks_of_votes(estimator, check):
    check(estimator)


def test_automatic_lengths_are_those_of_the_differences():
    dataset = RankingDataset.from_arrays(np.eye(9), np.arange(9) % 3)
    derived = ConeRank().derived_values(dataset)
    rho = ConeRank().differences(dataset).rho

    assert derived["rho"].automatic == rho == 3.0
    assert derived["norm_cap"].automatic == 2 * rho
    assert ConeRank(rho=5.0).derived_values(dataset)["norm_cap"].automatic == 10.0
