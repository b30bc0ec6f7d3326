"""The frame of smooth measures, and the learners made by it but ApproxNDCG."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankcore.algorithms import Approximation
from rankcore.algorithms.approx_ap import ApproxAP
from rankcore.algorithms.approx_err import ApproxERR
from rankcore.algorithms.approx_ndcg import ApproxNDCG
from rankcore.algorithms.approx_precision import ApproxPrecision
from rankcore.algorithms.approx_rr import ApproxRR
from rankcore.algorithms.parts.approximation import relevance
from rankcore.algorithms.parts.content_order import content_order
from rankcore.algorithms.rank_svm import RankSVM
from rankcore.data.dataset import RankingDataset
from rankcore.measures import exact_ranks, parse, soft_ranks
from rankcore.training import Stop, drive

LEARNERS = (
    ApproxNDCG(),
    ApproxNDCG(cutoff=3, beta=2.0),
    ApproxAP(beta=2.0),
    ApproxPrecision(cutoff=3, beta=2.0),
    ApproxRR(beta=2.0),
    ApproxERR(beta=2.0),
)


def name_of(learner):
    return f"{learner.title}-{getattr(learner, 'cutoff', None)}"


every_learner = pytest.mark.parametrize("learner", LEARNERS, ids=name_of)


def with_settings(learner, **settings):
    return type(learner)(**{**learner.get_params(), **settings})


def lists(s, y, *lengths):
    """Scores, labels and lengths as a data set of one feature."""
    X = np.asarray(s, dtype=float)[:, None]
    qid = np.repeat(np.arange(len(lengths)), lengths) if lengths else None
    return RankingDataset.from_arrays(X, np.asarray(y), qid)


def at(learner, s, y, *lengths):
    data = lists(s, y, *lengths)
    return learner.surrogate(data).at(data.X[:, 0])


def sigmoid(x):
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


# The measures of soft positions, each from its formula: value, slopes, and how large
# the terms of the slopes are, which may cancel.


def naive_ap(p, y, beta, _):
    rel = [i for i in range(len(p)) if y[i] > 0]
    value, h, size = 0.0, np.zeros(len(p)), np.zeros(len(p))
    for i in rel:
        above = 1 + sum(sigmoid(beta * (p[i] - p[x])) for x in rel if x != i)
        value += above / p[i] / len(rel)
        terms = [-above / p[i] ** 2]
        for x in rel:
            if x != i:
                t = sigmoid(beta * (p[i] - p[x])) * sigmoid(beta * (p[x] - p[i]))
                terms += [beta * t / p[i], -beta * t / p[x]]
        h[i], size[i] = sum(terms) / len(rel), np.abs(terms).sum() / len(rel)
    return value, h, size


def naive_precision(p, y, beta, k):
    taus = [sigmoid(beta * (k + 0.5 - t)) for t in p]
    others = [sigmoid(-beta * (k + 0.5 - t)) for t in p]
    relevant = [label > 0 for label in y]
    value = sum(r * tau for r, tau in zip(relevant, taus, strict=True)) / k
    h = -beta / k * np.multiply(relevant, np.multiply(taus, others))
    return value, h, np.abs(h)


def naive_rr(p, y, beta, _):
    rel = np.flatnonzero(np.asarray(y) > 0)
    first = min(p[rel])
    shares = np.exp(-beta * (p[rel] - first))
    softest = first - math.log(shares.sum() / len(rel)) / beta
    h = np.zeros(len(p))
    h[rel] = -shares / shares.sum() / softest**2
    return 1 / softest, h, np.abs(h)


def naive_err(p, y, beta, _):
    stop = [(2.0**label - 1) / 2.0 ** max(y) for label in y]
    n = len(p)
    value, h, size = 0.0, np.zeros(n), np.zeros(n)
    for i in range(n):
        v = stop[i] / p[i]
        for j in range(n):
            if j != i:
                v *= 1 - stop[j] * sigmoid(beta * (p[i] - p[j]))
        value += v
        h[i] -= v / p[i]
        size[i] += v / p[i]
        for j in range(n):
            if j != i:
                above = sigmoid(beta * (p[i] - p[j]))
                slope = beta * above * sigmoid(beta * (p[j] - p[i]))
                u = stop[j] * slope / (1 - stop[j] * above)
                h[i] -= v * u
                h[j] += v * u
                size[[i, j]] += v * u
    return value, h, size


NAIVE = {
    ApproxAP: naive_ap,
    ApproxPrecision: naive_precision,
    ApproxRR: naive_rr,
    ApproxERR: naive_err,
}
by_position = pytest.mark.parametrize("kind", NAIVE, ids=lambda kind: kind.__name__)


@st.composite
def placed(draw):
    """Soft positions of a list, ties among them, and labels with a relevant one."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(1, 40))
    p = rng.uniform(1.0, n, n)
    if draw(st.booleans()):
        p = np.round(p)
    y = rng.choice(draw(st.sampled_from([[0, 1], [0, 1, 2], [1, 3], [0, 4]])), n)
    y[rng.integers(n)] = 1
    return p, y, 10.0 ** draw(st.floats(-1, 2)), draw(st.integers(1, 50))


@by_position
@settings(max_examples=30, deadline=None)
@given(placed())
def test_value_and_slopes_equal_the_formulas(kind, example):
    p, y, beta, k = example
    learner = kind(beta=beta)
    if kind is ApproxPrecision:
        learner.cutoff = k
    data = lists(p, y)
    weights, slopes = learner.document_weights(data), np.zeros(len(p))
    value = learner.values_and_slopes(
        weights, p, data.offsets, np.array([0]), slopes
    )  # fmt: skip
    expected, h, size = NAIVE[kind](p, y, beta, k)
    assert value == pytest.approx([expected], rel=1e-12, abs=1e-200)
    assert (np.abs(slopes - h) <= 1e-12 * size.max() + 1e-200).all()
    assert not slopes[np.asarray(y) == 0].any()


@by_position
@pytest.mark.parametrize("alpha", [0.3, 10.0, 300.0])
def test_the_gradient_equals_the_double_loop(kind, alpha):
    rng = np.random.default_rng(5)
    n = 50
    s, y = rng.normal(size=n), rng.integers(0, 3, n)
    s[::7] = s[0]
    learner = kind(alpha=alpha, beta=1.0)
    above = np.array([[sigmoid(alpha * (b - a)) for b in s] for a in s])
    p = 0.5 + above.sum(axis=1)
    value, h, size = NAIVE[kind](p, y, 1.0, 10)
    weights = alpha * above * above.T
    np.fill_diagonal(weights, 0.0)
    gradient = weights @ h - weights.sum(axis=1) * h
    sizes = weights @ size + weights.sum(axis=1) * size
    result = at(learner, s, y)
    assert result.values == pytest.approx([value], rel=1e-12)
    assert (np.abs(result.gradient - gradient) <= 1e-12 * sizes.max()).all()


@pytest.mark.parametrize(
    ("learner", "value", "gradient"),
    [
        (ApproxNDCG(), 0.619718, [-0.204603, 0.186314, 0.018289]),
        (ApproxAP(), 0.632998, [-0.398869, 0.201726, 0.197143]),
        (
            ApproxPrecision(alpha=10.0, cutoff=1, beta=10.0),
            0.006708,
            [-0.130864, -0.130261, 0.261126],
        ),
        (ApproxNDCG(cutoff=1), 0.001416, [-0.028415, -0.028082, 0.056497]),
    ],
    ids=["NDCG", "AP", "P@1", "NDCG@1"],
)
def test_worked_examples(learner, value, gradient):
    result = at(learner, [0.3, 0.1, 0.2], [0, 2, 1])
    assert result.values == pytest.approx([value], abs=5e-7)
    assert result.gradient == pytest.approx(gradient, abs=5e-7)


def test_worked_examples_of_rr_and_err():
    p2, p3 = 1 + sigmoid(2) + sigmoid(1), 2.0
    result = at(ApproxRR(beta=10.0), [0.3, 0.1, 0.2], [0, 2, 1])
    softest = -math.log((math.exp(-10 * p2) + math.exp(-10 * p3)) / 2) / 10
    assert result.values == pytest.approx([1 / softest])
    above = sigmoid(10 * (p2 - p3))
    expected = 3 / 4 / p2 * (1 - above / 4) + 1 / 4 / p3 * (1 - 3 / 4 * (1 - above))
    result = at(ApproxERR(alpha=10.0, beta=10.0), [0.3, 0.1, 0.2], [0, 2, 1])
    assert result.values == pytest.approx([expected])


@every_learner
@pytest.mark.parametrize("alpha", [1.0, 8.0])
def test_the_gradient_is_that_of_the_value(learner, alpha):
    rng = np.random.default_rng(1)
    s, y = rng.normal(size=9), rng.integers(0, 3, 9)
    y[:2] = 0, 2
    learner = with_settings(learner, alpha=alpha)
    gradient = at(learner, s, y).gradient
    for i, step in enumerate(1e-5 * np.eye(9)):
        up, down = (at(learner, s + d, y).values[0] for d in (step, -step))
        assert gradient[i] == pytest.approx((up - down) / 2e-5, rel=1e-6, abs=1e-9)


@every_learner
def test_invariants(learner):
    rng = np.random.default_rng(2)
    s, y = rng.normal(size=80), rng.integers(0, 3, 80)
    lengths = 30, 1, 49
    plain = at(with_settings(learner, alpha=20.0), s, y, *lengths)
    sums = np.add.reduceat(plain.gradient, [0, 30, 31])
    np.testing.assert_allclose(sums, 0.0, atol=1e-13)
    shifted = s + np.repeat([5.0, -3.0, 100.0], lengths)
    values = at(with_settings(learner, alpha=20.0), shifted, y, *lengths).values
    np.testing.assert_allclose(values, plain.values, rtol=1e-9)
    scaled = at(with_settings(learner, alpha=1.0), 20.0 * s, y, *lengths)
    np.testing.assert_allclose(scaled.values, plain.values, rtol=1e-12)
    np.testing.assert_allclose(20.0 * scaled.gradient, plain.gradient, atol=1e-11)
    weighted = plain.weights > 0.0
    assert (plain.positions[weighted] >= 1.0).all()
    assert not plain.slopes[~weighted].any()


@pytest.mark.parametrize(
    "learner",
    [
        ApproxNDCG(),
        ApproxNDCG(cutoff=5, beta=3.0),
        ApproxAP(beta=3.0),
        ApproxPrecision(cutoff=4, beta=3.0),
        ApproxERR(beta=3.0),
    ],
    ids=name_of,
)
def test_it_is_the_measure_of_soft_ranks(learner):
    rng = np.random.default_rng(4)
    s, y = rng.normal(size=50), rng.integers(0, 4, 50)
    data = lists(s, y, 7, 43)
    measure = parse(learner.measure(data))
    ranks = soft_ranks(s, data.offsets, learner.alpha)
    values = measure(ranks, y, data.offsets, beta=3.0)
    np.testing.assert_allclose(at(learner, s, y, 7, 43).values, values, rtol=1e-12)


@every_learner
def test_it_tends_to_the_measure(learner):
    rng = np.random.default_rng(3)
    s, y = rng.permutation(40.0 * np.arange(12)), rng.integers(0, 3, 12)
    sharp = with_settings(learner, alpha=100.0, beta=1e6)
    data = lists(s, y)
    measure = parse(sharp.measure(data))
    exact = measure(exact_ranks(s, data.offsets), y, data.offsets)
    assert at(sharp, s, y).values == pytest.approx(exact, rel=1e-5)


@every_learner
def test_the_only_relevant_document_is_better_placed_higher(learner):
    s, y = [0.0, 0.4, 0.1, 0.3], [0, 2, 0, 0]
    assert at(with_settings(learner, alpha=5.0), s, y).gradient[1] > 0.0


@every_learner
@pytest.mark.parametrize("y", [[0, 0, 0], [1, 1, 1], [0, 2, 0]])
@pytest.mark.parametrize("s", [[0.0, 0.0, 0.0], [1e9, -1e9, 0.0], [1e-9, 0.0, 0.0]])
def test_edge_cases_are_finite(learner, y, s):
    result = at(with_settings(learner, alpha=1000.0, beta=100.0), s, y)
    assert np.isfinite(result.gradient).all()
    assert np.isnan(result.values).tolist() == [not any(y)]


def test_the_cutoff_is_wrong_by_half_a_step_at_whole_positions():
    for beta in (1.0, 10.0):
        learner = ApproxPrecision(cutoff=2, beta=beta)
        result = at(with_settings(learner, alpha=1e3), [3, 2, 1, 0], [0, 1, 0, 0])
        assert 1 - 2 * result.values[0] == pytest.approx(sigmoid(-beta / 2))


def planted(queries=20, size=15, features=4, seed=0, levels=3):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(queries * size, features))
    truth = X @ np.linspace(2.0, -1.0, features) + rng.normal(scale=0.2, size=len(X))
    y = np.digitize(truth, np.quantile(truth, np.linspace(0, 1, levels + 1)[1:-1]))
    return RankingDataset.from_arrays(X, y, np.repeat(np.arange(queries), size))


def run_of(algorithm, data, passes=60, **details):
    return list(drive(algorithm, data, stop=Stop(max_iterations=passes), **details))


@every_learner
def test_a_pass_is_the_chain_rule(learner):
    data, w = planted(), np.array([1.0, -0.5, 0.25, 2.0])
    surrogate = learner.surrogate(data)
    point = surrogate.evaluate(w)
    result = surrogate.at(data.X @ w)
    assert point.value == pytest.approx(np.nanmean(result.values))
    gradient = result.gradient @ data.X / np.isfinite(result.values).sum()
    np.testing.assert_allclose(point.gradient, gradient, rtol=1e-10)


@every_learner
def test_a_stochastic_pass_moves_after_each_query(learner):
    data = planted(queries=6)
    learner = with_settings(
        learner, optimiser="stochastic", alpha=3.0, learning_rate=0.05
    )
    first, second = run_of(learner, data, passes=1)
    rng = np.random.default_rng(learner.random_state)
    rng.uniform(-1.0, 1.0, data.n_features)
    w = first.coef.copy()
    for i in rng.permutation(content_order(data).queries):
        q = data.subset([i])
        w = w + 0.05 * learner.surrogate(q).at(q.X @ w).gradient @ q.X
    np.testing.assert_allclose(second.coef, w, rtol=1e-9)


@dataclass(eq=False, repr=False, kw_only=True)
class ApproxMeanPosition(Approximation):
    """Places the relevant documents as high as possible on average."""

    def measure(self, dataset):
        return "AP"

    def document_weights(self, dataset):
        return relevance(dataset)

    def values_and_slopes(self, weights, positions, offsets, queries, slopes):
        slopes[:] = -weights
        return -np.add.reduceat(weights * positions, offsets[:-1])[queries]


def test_a_measure_becomes_a_learner_by_its_value_and_slopes():
    data = planted()
    history = run_of(ApproxMeanPosition(), data)
    objectives = [record.objective for record in history]
    assert (np.diff(objectives) >= 0.0).all()
    assert history[-1].train["nDCG@10"] > 0.9 > history[0].train["nDCG@10"]


def test_all_zero_labels_are_nothing_to_learn_from():
    run = drive(ApproxAP(), RankingDataset.from_arrays(np.eye(3), np.zeros(3, int)))
    assert len(list(run)) == 1
    assert "nothing to learn" in run.reason


def test_the_first_start_can_be_the_model_of_ranksvm():
    data = planted()
    first = run_of(ApproxAP(init="ranksvm", init_scale=0.5), data, passes=1)[0].coef
    theirs = RankSVM(max_iter=100).fit_dataset(data).coef_
    ranges = np.max([np.ptp(data.query(i).X, axis=0) for i in range(20)], axis=0)
    np.testing.assert_allclose(first / first[0], theirs / theirs[0], rtol=1e-9)
    assert np.abs(first * ranges).max() == pytest.approx(0.5)


@pytest.mark.parametrize("preset", ApproxAP.presets)
def test_presets_can_be_trained(preset):
    settings = {**ApproxAP.presets[preset], "max_iter": 3}
    ApproxAP(**settings).fit_dataset(planted(queries=4))


def test_vanished_gradients_are_diagnosed():
    run = drive(ApproxRR(**ApproxRR.presets["α too sharp"]), planted())
    list(run)
    assert "the surrogate is flat here" in run.reason


# Annealing


def annealed(data, passes=150, **settings):
    learner = ApproxAP(optimiser="annealing", **settings)
    return run_of(learner, data, passes, measures=())


@pytest.mark.parametrize(("gap", "settled"), [(1.0, 1.0), (0.1, 10.0), (0.01, 100.0)])
def test_the_remedy_is_the_least_change_of_alpha_that_brings_the_gradient_back(
    gap, settled
):
    """Scores that are a gap apart have the slope α exp(-α gap), at most."""
    data = lists(gap * np.tile(np.arange(4.0), 5), np.tile([2, 0, 1, 0], 5), *[4] * 5)

    def first(alpha):
        return next(drive(ApproxNDCG(alpha=alpha), data, start=np.ones(1), measures=()))

    learner = ApproxNDCG(alpha=10_000.0)
    assert first(10_000.0).diagnostics["flat queries"] == 1.0
    assert "Try a smaller α" in learner.problem(first(10_000.0))
    assert learner.remedy(first(10_000.0), data) == {"alpha": settled}
    assert learner.problem(first(10 * settled))
    assert learner.problem(first(settled)) is None
    assert learner.remedy(first(settled), data) == {}


def test_where_no_alpha_helps_the_remedy_is_a_smaller_start():
    data = lists([0.0, 1.0, 2.0, 3.0], [0, 1, 0, 1])
    learner = ApproxNDCG(alpha=1000.0, init_scale=10.0)
    first = next(drive(learner, data, start=np.array([1e6]), measures=()))
    assert learner.remedy(first, data) == {"init_scale": 1.0}


def test_where_only_the_cutoff_is_too_sharp_the_remedy_is_a_smaller_beta():
    """All documents are far below the cutoff, so their positions make no difference."""
    data = lists(np.zeros(9), [1, *[0] * 8])
    learner = ApproxPrecision(cutoff=1, beta=1000.0)
    first = next(drive(learner, data, start=np.zeros(1), measures=()))
    assert "Try a smaller α, a smaller β or smaller start" in learner.problem(first)
    assert learner.remedy(first, data) == {"beta": 1.0}


def test_annealing_shows_the_best_of_what_it_tries():
    history = annealed(planted())
    objectives = np.array([record.objective for record in history])
    tried = np.array([record.diagnostics["tried"] for record in history[1:]])
    assert len(history) == 151
    assert tried[0] == objectives[0]
    np.testing.assert_array_equal(
        objectives[1:], np.maximum.accumulate(tried).clip(min=objectives[0])
    )
    assert (np.diff(tried) < 0.0).any()
    assert objectives[-1] > run_of(ApproxAP(), planted())[-1].objective - 0.005


def test_annealing_repeats_itself_for_a_seed():
    first, again = (annealed(planted(), 30, random_state=3) for _ in range(2))
    other = annealed(planted(), 30, random_state=4)
    tried = [[r.diagnostics["tried"] for r in h[1:]] for h in (first, again, other)]
    assert tried[0] == tried[1] != tried[2]


def test_annealing_widens_its_box_for_a_start():
    start = np.array([1e4, 0.0, 0.0, -5.0])
    first = run_of(ApproxAP(optimiser="annealing"), planted(), 3, start=start)[0]
    np.testing.assert_array_equal(first.coef, start)


def test_annealing_leaves_constant_features_alone():
    data = planted()
    X = np.column_stack([data.X, np.full(len(data.y), 7.0)])
    wider = RankingDataset.from_arrays(X, data.y, np.repeat(np.arange(20), 15))
    start = np.array([0.0, 0.0, 0.0, 0.0, 3.0])
    first, *_, last = run_of(ApproxAP(optimiser="annealing"), wider, 40, start=start)
    assert [first.coef[-1], last.coef[-1]] == [3.0, 0.0]
    constant = RankingDataset.from_arrays(np.ones((4, 2)), np.array([0, 1, 2, 0]))
    assert len(annealed(constant)) == 1
