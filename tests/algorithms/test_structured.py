"""Structured rankers against their own certificates and a generic solver."""

import itertools

import cvxpy
import numpy as np
import pytest

import rankcore
from rankcore import measures
from rankcore.algorithms import StructuredRanker
from rankcore.base.hyperparameters import hyperparameters
from rankcore.data.dataset import RankingDataset
from rankcore.training import Stop, drive
from tests.algorithms.scored import every

every_ranker = every(StructuredRanker)
SINGLE = ("SVMAUC", "SVMMAP", "SVMNDCG", "SVMMRR")
MEASURE = {"SVMAUC": "AUC", "SVMMAP": "AP", "SVMNDCG": "nDCG", "SVMMRR": "RR"}


def noisy(seed=0, queries=8, size=10, features=3, levels=2):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(queries * size, features))
    truth = X @ [2.0, -1.0, 0.5][:features] + rng.normal(scale=0.5, size=len(X))
    edges = np.quantile(truth, np.linspace(0.6, 1, levels)[:-1])
    y = np.searchsorted(edges, truth)
    return RankingDataset.from_arrays(X, y, np.repeat(np.arange(queries), size))


def units(data):
    ranges = np.max([np.ptp(data.query(q).X, axis=0) for q in range(data.n_queries)], 0)
    return 1 / ranges


def strong(algorithm):
    """A large C for each loss, so that there is much to gain over the zero model."""
    return {name: 20.0 for name in hyperparameters(algorithm) if name.startswith("C")}


def train(algorithm, data, start=None, **settings):
    run = drive(algorithm(**settings), data, stop=Stop(2000), measures=(), start=start)
    return list(run), run.reason


@every_ranker
@pytest.mark.parametrize("slacks", ["one", "per_query"])
def test_bounds_close_in_on_the_minimum(algorithm, slacks):
    data = noisy(levels=3)
    weights = strong(algorithm)
    history, reason = train(algorithm, data, slacks=slacks, epsilon=1e-4, **weights)
    assert "within" in reason
    duals = [record.diagnostics["dual"] for record in history]
    assert duals[0] == 0.0
    scale = history[0].objective
    assert all(b >= a - 1e-12 * scale for a, b in itertools.pairwise(duals))
    last = history[-1]
    total = sum(weights.values())
    assert last.objective - duals[-1] <= 1e-4 * total
    assert last.objective == min(record.objective for record in history)
    assert last.objective < 0.95 * scale
    for name in ("constraints", "violation", "primal", "dual", "gap", "norm of w"):
        assert np.isfinite(last.diagnostics[name])


@every_ranker
def test_validation_does_not_choose_among_rounds(algorithm):
    data, valid = noisy(levels=3), noisy(seed=9, levels=3)
    run = drive(algorithm(**strong(algorithm)), data, valid)
    history = list(run)
    assert run.best.objective == history[-1].objective
    assert np.array_equal(run.best.coef, history[-1].coef)


@every_ranker
def test_one_slack_and_one_a_query_have_the_same_minimum(algorithm):
    data = noisy(levels=3)
    ends = [
        train(algorithm, data, slacks=slacks, epsilon=1e-6, **strong(algorithm))[0][-1]
        for slacks in ("one", "per_query")
    ]
    assert ends[0].objective == pytest.approx(ends[1].objective, rel=1e-5)
    assert ends[0].coef == pytest.approx(ends[1].coef, abs=0.02)


@every_ranker
def test_the_start_does_not_matter_in_the_end(algorithm):
    data = noisy(levels=3)
    settings = {"epsilon": 1e-6, **strong(algorithm)}
    far, _ = train(algorithm, data, np.array([3.0, -20.0, 1.0]), **settings)
    near, _ = train(algorithm, data, **settings)
    assert far[0].coef.tolist() == [3.0, -20.0, 1.0]
    assert far[-1].objective == pytest.approx(near[-1].objective, rel=1e-5)


@pytest.mark.parametrize("name", SINGLE)
def test_slack_bounds_the_loss_of_the_predicted_order(name):
    data = noisy(seed=3)
    ranker = rankcore.get_algorithm(name)(C=50.0)
    (item,) = ranker.losses(data)
    history, _ = train(type(ranker), data, C=50.0)
    for record in history:
        scores = data.X @ record.coef
        losses, forces = item.loss.separation_oracle(scores)
        pulls = forces * scores
        slack = losses - np.add.reduceat(pulls, data.offsets[:-1])
        table = measures.evaluate(data, scores, [MEASURE[name]])
        predicted = 1 - table[MEASURE[name]].to_numpy()
        assert (slack >= predicted - 1e-12).all()
    assert slack.mean() < 1


@pytest.mark.parametrize("decay", ["linear", "root"])
@pytest.mark.parametrize("cutoff", [None, 3])
def test_slack_of_the_assignment_bounds_graded_loss(cutoff, decay):
    data = noisy(seed=3, levels=3)
    (item,) = rankcore.DORM(cutoff=cutoff, decay=decay).losses(data)
    for w in ([0.0, 0.0, 0.0], [2.0, -1.0, 0.5], [-1.0, 1.0, 0.0]):
        scores = data.X @ w
        losses, forces = item.loss.separation_oracle(scores)
        slack = losses - np.add.reduceat(forces * scores, data.offsets[:-1])
        name = "nDCG" if cutoff is None else f"nDCG@{cutoff}"
        predicted = 1 - measures.evaluate(data, scores, [name])[name].to_numpy()
        assert (slack >= predicted - 1e-12).all()


def test_the_first_document_map_bounds_its_loss_too():
    data = noisy(seed=4)
    ranker = rankcore.SVMMRR(feature_map="first", cutoff=3)
    (item,) = ranker.losses(data)
    scores = data.X @ [1.0, -1.0, 0.2]
    losses, forces = item.loss.separation_oracle(scores)
    slack = losses - np.add.reduceat(forces * scores, data.offsets[:-1])
    predicted = 1 - measures.evaluate(data, scores, ["RR@3"])["RR@3"].to_numpy()
    assert (slack >= predicted - 1e-12).all()


@pytest.mark.parametrize("name", SINGLE)
def test_combo_of_one_loss_is_the_single_learner(name):
    data = noisy(seed=1)
    weights = dict.fromkeys(("C_auc", "C_map", "C_ndcg", "C_mrr"), 0.0)
    weights["C_" + name.removeprefix("SVM").lower()] = 7.0
    combo, _ = train(rankcore.SVMCombo, data, **weights)
    single, _ = train(rankcore.get_algorithm(name), data, C=7.0)
    assert len(combo) == len(single)
    np.testing.assert_array_equal(combo[-1].coef, single[-1].coef)


def test_without_any_weight_the_model_is_zero():
    data = noisy()
    history, _ = train(rankcore.SVMMAP, data, np.ones(3), C=0.0)
    assert not history[-1].coef.any()
    nothing = {"C_auc": 0.0, "C_map": 0.0, "C_ndcg": 0.0, "C_mrr": 0.0}
    history, _ = train(rankcore.SVMCombo, data, np.ones(3), **nothing)
    assert not history[-1].coef.any()


def test_a_minimum_at_zero_is_found():
    data = RankingDataset.from_arrays(np.ones((4, 2)), np.array([0, 1, 0, 2]))
    history, reason = train(rankcore.SVMMAP, data)
    assert not history[-1].coef.any()
    assert "duality gap" in reason


def test_skipped_queries_matter_through_their_number_only():
    """One query in two without a relevant document: C counts half."""
    data = noisy(queries=6)
    X = np.concatenate([data.X, data.X])
    y = np.concatenate([data.y, np.zeros_like(data.y)])
    qid = np.repeat(np.arange(12), 10)
    doubled = RankingDataset.from_arrays(X, y, qid)
    result, _ = train(rankcore.SVMMAP, doubled, C=20.0, epsilon=1e-7)
    theirs, _ = train(rankcore.SVMMAP, data, C=10.0, epsilon=1e-7)
    assert result[-1].objective == pytest.approx(theirs[-1].objective, rel=1e-6)
    assert result[-1].coef == pytest.approx(theirs[-1].coef, abs=0.01)


def test_no_two_kinds_of_documents_give_the_start_and_a_sentence():
    data = RankingDataset.from_arrays(np.eye(3), np.array([1, 2, 1]))
    history, reason = train(rankcore.SVMNDCG, data, np.ones(3))
    assert len(history) == 1
    assert history[0].coef.tolist() == [1.0, 1.0, 1.0]
    assert "both kinds" in reason
    history, reason = train(rankcore.SVMNDCG, data, relevant_from=2)
    assert "within" in reason


def all_orders(good):
    """Every order of good and bad documents, as lists of rows."""
    return itertools.permutations(range(len(good)))


def ap_loss(good):
    ranks = np.flatnonzero(good) + 1
    return 1 - np.mean(np.arange(1, len(ranks) + 1) / ranks)


def ndcg_loss(good):
    d = 1 / np.log2(2 + np.arange(len(good)))
    return 1 - d[np.flatnonzero(good)].sum() / d[: int(np.sum(good))].sum()


def rr_loss(good):
    return 1 - 1 / (np.flatnonzero(good)[0] + 1)


def auc_loss(good):
    good = np.asarray(good)
    inverted = sum((~good[:i]).sum() for i in np.flatnonzero(good))
    return inverted / (good.sum() * (~good).sum())


def constraints(query, delta):
    """(planes, losses) of one query, over every order, by the definition."""
    X, good = query.X, query.y > 0
    pairs = good.sum() * (~good).sum()

    def phi(order):
        total = np.zeros(X.shape[1])
        for upper, lower in itertools.combinations(order, 2):
            total += (X[upper] - X[lower]) * (good[upper] != good[lower])
        return total / pairs

    ideal = phi(np.argsort(~good, kind="stable"))
    values = [(ideal - phi(o), delta(good[list(o)])) for o in all_orders(good)]
    planes, losses = zip(*values, strict=True)
    return np.array(planes), np.array(losses)


def by_cvxpy(data, weighted):
    """The minimum and its coefficients with all constraints written out."""
    w = cvxpy.Variable(data.n_features)
    objective, rules = cvxpy.sum_squares(cvxpy.multiply(w, 1 / units(data))), []
    for delta, C in weighted:
        for q in range(data.n_queries):
            xi = cvxpy.Variable(nonneg=True)
            planes, losses = constraints(data.query(q), delta)
            rules.append(planes @ w >= losses - xi)
            objective += C / data.n_queries * xi
    value = cvxpy.Problem(cvxpy.Minimize(objective), rules).solve("CLARABEL")
    return value, w.value


@pytest.mark.parametrize("C", [1.0, 1000.0])
@pytest.mark.parametrize(
    ("name", "settings", "deltas"),
    [
        ("SVMAUC", ("C",), (auc_loss,)),
        ("SVMMAP", ("C",), (ap_loss,)),
        ("SVMNDCG", ("C",), (ndcg_loss,)),
        ("SVMMRR", ("C",), (rr_loss,)),
        (
            "SVMCombo",
            ("C_auc", "C_map", "C_ndcg", "C_mrr"),
            (auc_loss, ap_loss, ndcg_loss, rr_loss),
        ),
    ],
)
@pytest.mark.parametrize("slacks", ["one", "per_query"])
def test_a_generic_solver_finds_the_same_minimum(name, settings, deltas, C, slacks):
    data = noisy(seed=2, queries=4, size=5, features=2)
    value, w = by_cvxpy(data, [(delta, C) for delta in deltas])
    weights = dict.fromkeys(settings, C)
    history, _ = train(
        rankcore.get_algorithm(name), data, slacks=slacks, epsilon=1e-7, **weights
    )
    assert history[-1].objective == pytest.approx(value, rel=1e-5)
    assert history[-1].coef == pytest.approx(w, rel=0.01, abs=0.01)


def test_separable_data_needs_no_slack_at_large_weights():
    X = np.array([[0.0], [0.5], [1.0], [0.2], [0.9]])
    y = np.array([0, 0, 1, 0, 1])
    data = RankingDataset.from_arrays(X, y, np.array([1, 1, 1, 2, 2]))
    history, _ = train(rankcore.SVMAUC, data, C=1000.0, epsilon=1e-8)
    # The closest pair is 0.5 of the range apart and one of two: margin 2/2 w 0.5 >= 1/2
    assert history[-1].coef[0] == pytest.approx(1.0, rel=1e-3)


@every_ranker
def test_scales_of_features_do_not_matter(algorithm):
    data = noisy(levels=3)
    scales = np.array([1e-3, 1.0, 1e6])
    scaled = RankingDataset.from_arrays(
        data.X * scales, data.y, np.repeat(np.arange(8), 10)
    )
    settings = {"epsilon": 1e-6, **strong(algorithm)}
    result, _ = train(algorithm, scaled, **settings)
    plain, _ = train(algorithm, data, **settings)
    assert result[-1].objective == pytest.approx(plain[-1].objective, rel=1e-5)
    assert result[-1].coef * scales == pytest.approx(plain[-1].coef, rel=0.02, abs=0.02)
