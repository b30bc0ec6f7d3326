"""Values of rankings from clicks: by hand, without bias, and "cannot say"."""

import numpy as np
import pytest

from rankcore.base.errors import DataError
from rankcore.topics.clicks.evaluation import (
    discounted,
    doubly_robust,
    inverse_propensity,
    self_normalised,
    square_root_clip,
    utilities,
)
from rankcore.topics.clicks.simulation import top_documents
from tests.topics.clicks.logs import DATA, RELEVANCE, counted, simulation

CUTOFF = 4
NEW = DATA.X[:, 29]


def test_each_estimate_is_what_one_computes_by_hand():
    log = counted((0, 1, 4, 2), (1, 2, 6, 3), (2, 2, 2, 0))
    utility, examined = np.array([1.0, 0.5, 0.0]), np.array([1.0, 0.5])
    # Two clicks of weight 1, three of weight 2, twelve sessions.
    estimate = inverse_propensity(log, utility, examined)
    assert estimate.value == pytest.approx((2 * 1.0 + 3 * 2 * 0.5) / 12)
    values = np.array([1.0] * 5 + [0.0] * 7)
    assert estimate.deviation == pytest.approx(values.std(ddof=1) / np.sqrt(12))
    assert estimate.effective == pytest.approx((2 + 6) ** 2 / (2 + 3 * 4))
    clipped = inverse_propensity(log, utility, examined, clip=0.8)
    assert clipped.value == pytest.approx((2 + 3 / 0.8 * 0.5) / 12)
    mean = self_normalised(log, utility, examined)
    assert mean.value == pytest.approx((2 * 1.0 + 6 * 0.5) / 8)
    slope, base = np.array([0.8, 0.4]), np.array([0.1, 0.05])
    predicted = np.array([0.5, 0.25, 1.0])
    rho = np.array([0.8 * 4, 0.4 * 6]) / 12
    direct = 1.0 * 0.5 + 0.5 * 0.25
    rest = [2 - 4 * (0.8 * 0.5 + 0.1), 3 - 6 * (0.4 * 0.25 + 0.05)]
    expected = direct + (rest[0] / rho[0] + 0.5 * rest[1] / rho[1]) / 12
    robust = doubly_robust(log, utility, predicted, slope, base)
    assert robust.value == pytest.approx(expected)


def test_utilities_follow_ranks_within_queries():
    log = simulation().log(10)
    values = utilities(log, NEW, discounted, 3)
    for lo, hi in zip(DATA.offsets, DATA.offsets[1:], strict=False):
        best = np.argsort(-NEW[lo:hi], kind="stable")[:3]
        np.testing.assert_allclose(values[lo:hi][best], 1 / np.log2([2, 3, 4]))
        assert values[lo:hi].sum() == pytest.approx((1 / np.log2([2, 3, 4])).sum())


def test_few_clicks_cannot_say():
    log = counted((0, 1, 40, 29), (0, 2, 5, 0))
    estimate = inverse_propensity(log, np.ones(1), np.ones(2))
    assert estimate.interval is None
    assert estimate.verdict.startswith("Cannot say: the clicks count as 29")
    more = inverse_propensity(counted((0, 1, 40, 30)), np.ones(1), np.ones(1))
    assert more.interval is not None
    assert more.verdict.startswith("The value is 0.75, 95% interval")


def estimates(seeds, sessions):
    """Of each estimator, errors over seeds, and how many intervals hold the truth.

    Users click what is irrelevant only by affine base rates that are corrected; what
    counts are the documents that the logging rankers show.
    """
    simulated = simulation(noise=0.0, cutoff=CUTOFF)
    examined = simulated.behaviour.examination(CUTOFF)
    shown = np.zeros(DATA.n_documents)
    shown[np.unique(simulation(seed=999).log(20_000).document)] = 1.0
    utility = shown * utilities(simulated.log(1), NEW, discounted, CUTOFF)
    # A share of it by how often a document is shown at all: whatever shows all.
    share = _shares()
    truth = (utility * RELEVANCE * share).sum() / DATA.n_queries
    robust_truth = (utility * RELEVANCE).sum() / DATA.n_queries
    wrong = np.full(DATA.n_documents, 0.3)
    trusting = simulation(noise=0.1, trust=0.3, cutoff=CUTOFF).behaviour
    slope, base = trusting.affine(CUTOFF)
    errors = {name: [] for name in ("IPS", "wrong predictions", "wrong rho")}
    held = dict.fromkeys(errors, 0)
    for seed in range(seeds):
        log = simulation(seed, noise=0.0, cutoff=CUTOFF).log(sessions)
        trusted = simulation(seed, noise=0.1, trust=0.3, cutoff=CUTOFF).log(sessions)
        robust = trusted, utility
        for name, one, aim in (
            ("IPS", inverse_propensity(log, utility, examined), truth),
            (
                "wrong predictions",
                doubly_robust(*robust, wrong, slope, base),
                robust_truth,
            ),
            (
                "wrong rho",
                doubly_robust(*robust, RELEVANCE, slope, base, clip=0.6),
                robust_truth,
            ),
        ):
            errors[name].append(one.value - aim)
            held[name] += one.interval[0] <= aim <= one.interval[1]
    return {name: np.array(values) for name, values in errors.items()}, held


def _shares(cutoff=CUTOFF):
    """How likely each document is to be shown in a session of its query."""
    one = simulation()
    share = np.zeros(DATA.n_documents)
    for scores in one.rankers:
        top = top_documents(DATA, scores, cutoff)
        share[top[top >= 0]] += 1.0 / len(one.rankers)
    return share


def test_estimates_are_near_the_truth_in_a_sample():
    errors, held = estimates(10, 3000)
    for name, values in errors.items():
        assert abs(values.mean()) <= 3.5 * values.std(ddof=1) / np.sqrt(10), name
        assert held[name] >= 7, name


@pytest.mark.soak
def test_estimates_have_no_bias_and_intervals_hold_in_95_percent():
    errors, held = estimates(200, 5000)
    for name, values in errors.items():
        assert abs(values.mean()) <= 2.0 * values.std(ddof=1) / np.sqrt(200), name
        assert 183 <= held[name] <= 197, (name, held)


def test_effective_clicks_are_finite_for_any_propensity():
    log = counted((0, 1, 5, 5))
    estimate = inverse_propensity(log, np.ones(1), np.array([1e-200]))
    assert estimate.effective == pytest.approx(5.0)
    assert estimate.interval is None


@pytest.mark.parametrize("examined", [0.0, -0.5, np.nan, np.inf])
def test_examination_of_a_clicked_position_is_a_number_above_0(examined):
    log = counted((0, 1, 40, 30), (0, 2, 9, 3))
    with pytest.raises(DataError, match="Position 2 has clicks, and its examination"):
        inverse_propensity(log, np.ones(1), np.array([1.0, examined]))
    unclicked = counted((0, 1, 40, 30), (0, 2, 9, 0))
    estimate = inverse_propensity(unclicked, np.ones(1), np.array([1.0, examined]))
    assert estimate.value == 30 / 49


def test_clicks_that_tell_nothing_of_relevance_correct_nothing():
    log, zero = counted((0, 1, 40, 30)), np.zeros(1)
    estimate = doubly_robust(log, np.ones(1), np.array([0.5]), zero, zero)
    assert (estimate.value, estimate.effective) == (0.5, 0.0)


def errors_by_sessions(seeds, all_sessions):
    """Errors (sessions, seeds) of estimators with a bias, where propensities fall to
    .01."""
    cutoff = 10
    users = {"cutoff": cutoff, "severity": 2.0, "noise": 0.0}
    examined = simulation(**users).behaviour.examination(cutoff)
    share = _shares(cutoff)
    utility = utilities(simulation().log(1), NEW, discounted, cutoff)
    seen = RELEVANCE * share
    whole = (utility * seen).sum() / DATA.n_queries
    mean = (utility * seen).sum() / seen.sum()
    errors = {name: [] for name in ("clipped", "square root", "self-normalised")}
    for sessions in all_sessions:
        rows = {name: [] for name in errors}
        for seed in range(seeds):
            log = simulation(seed, **users).log(sessions)
            one = log, utility, examined
            clip = square_root_clip(log)
            rows["clipped"].append(inverse_propensity(*one, clip=0.1).value - whole)
            rows["square root"].append(
                inverse_propensity(*one, clip=clip).value - whole
            )
            rows["self-normalised"].append(self_normalised(*one).value - mean)
        for name, row in rows.items():
            errors[name].append(row)
    return {name: np.array(rows) for name, rows in errors.items()}


def test_the_largest_weight_is_the_root_of_the_clicks():
    log = counted((0, 1, 40, 25), (0, 2, 9, 0))
    assert square_root_clip(log) == pytest.approx(1 / 5)
    assert square_root_clip(counted((0, 1, 3, 0))) == 1.0


@pytest.mark.soak
def test_bias_and_deviation_of_clipped_and_self_normalised_estimates_fall():
    for name, errors in errors_by_sessions(200, (30, 300, 3000, 30_000)).items():
        deviation = errors.std(axis=1, ddof=1)
        bias, chance = np.abs(errors.mean(axis=1)), 2.0 * deviation / np.sqrt(200)
        assert (np.diff(deviation) < 0.0).all(), name
        if name == "clipped":
            # A clip that stays where it is leaves its bias.
            assert bias[-1] > 5.0 * chance[-1]
        else:
            assert bias[-1] < 0.2 * bias[0], name
