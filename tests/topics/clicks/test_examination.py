"""Examination of positions: exact where clicks are, covered by intervals, refused."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from rankcore import DataError, RankingDataset
from rankcore.data.planted import planted_truth
from rankcore.mathematics.elementary import logistic
from rankcore.topics.clicks.examination import by_all_pairs, by_regression, by_swaps
from tests.topics.clicks.logs import DATA, RANKERS, counted, simulation

# Clicks are examination (1, 1/2, 1/4) times relevance (4/5, 2/5) times impressions.
CELLS = (
    (0, 1, 100, 80), (0, 2, 50, 20), (0, 3, 40, 8),
    (1, 1, 10, 4), (1, 2, 20, 4), (1, 3, 100, 10),
)  # fmt: skip
EXACT = counted(*CELLS)
HUNDREDFOLD = counted(*((d, k, 100 * n, 100 * c) for d, k, n, c in CELLS))
# The same, but no document is at positions 1 and 3.
CHAIN = counted((0, 1, 100, 80), (0, 2, 50, 20), (1, 2, 20, 4), (1, 3, 100, 10))
TRUTH = [1.0, 0.5, 0.25]


@pytest.mark.parametrize("estimate", [by_swaps, by_all_pairs])
def test_exact_clicks_give_exact_examination(estimate):
    result = estimate(EXACT)
    np.testing.assert_allclose(result.values, TRUTH, rtol=1e-9)
    assert result.low[0] == result.high[0] == 1.0
    assert (result.low <= result.values).all()
    assert (result.high >= result.values).all()


def test_all_pairs_needs_a_chain_of_pairs_and_swaps_a_pair_with_the_top():
    np.testing.assert_allclose(by_all_pairs(CHAIN).values, TRUTH, rtol=1e-9)
    with pytest.raises(DataError, match="link position 3 to position 1"):
        by_swaps(CHAIN)


def test_swaps_have_the_variance_of_greenland_and_robins():
    log = counted((0, 1, 10, 6), (0, 2, 10, 3), (1, 1, 20, 5), (1, 2, 5, 1))
    top, base = 3 * 10 / 20 + 1 * 20 / 25, 6 * 10 / 20 + 5 * 5 / 25
    spread = (9 * 10 * 10 - 6 * 3 * 20) / 20**2 + (6 * 20 * 5 - 5 * 1 * 25) / 25**2
    reach = 1.959963984540054 * np.sqrt(spread / (top * base))
    swaps = by_swaps(log)
    assert swaps.values[1] == pytest.approx(top / base)
    assert swaps.high[1] == pytest.approx(top / base * np.exp(reach))


def test_regression_gives_the_examination_of_exact_clicks():
    data = RankingDataset.from_arrays(np.eye(2), [0, 1], [1, 1])
    regression = by_regression(EXACT, data, 600, ridge=1e-6, relevance="features")
    np.testing.assert_allclose(regression.values, TRUTH, rtol=0.01)
    regression = by_regression(HUNDREDFOLD, data)
    np.testing.assert_allclose(regression.values, TRUTH, rtol=0.01)
    assert (regression.low[1:] < TRUTH[1:]).all()
    assert (regression.high[1:] > TRUTH[1:]).all()


@pytest.mark.parametrize("estimate", [by_swaps, by_all_pairs])
@pytest.mark.parametrize(
    ("log", "sentence"),
    [
        (counted((0, 1, 5, 5), (0, 2, 3, 3)), "The log holds only clicked documents"),
        (counted((0, 1, 5, 0), (0, 2, 3, 0)), "The log has no clicks"),
        (counted((0, 1, 5, 2), (1, 2, 3, 1)), "link position 2 to position 1"),
    ],
)
def test_a_log_that_lacks_what_an_estimate_needs_is_refused(estimate, log, sentence):
    with pytest.raises(DataError, match=sentence):
        estimate(log)


def test_regression_needs_the_features_of_the_documents():
    with pytest.raises(DataError, match="The log has 2 documents, and the data"):
        by_regression(EXACT, DATA)


ESTIMATES = {
    "swaps": (partial(simulation, rankers=RANKERS[:1], swaps=True), by_swaps),
    "all pairs": (simulation, by_all_pairs),
    "regression": (simulation, partial(by_regression, dataset=DATA)),
}


def covered(name, seeds, sessions):
    """How many intervals of each position from 2 on hold the truth."""
    simulated, estimate = ESTIMATES[name]
    truth = simulated().behaviour.examination(4)
    estimates = [estimate(simulated(seed).log(sessions)) for seed in range(seeds)]
    inside = [(e.low <= truth) & (truth <= e.high) for e in estimates]
    return np.sum(inside, axis=0)[1:]


@pytest.mark.parametrize("name", ESTIMATES)
def test_intervals_hold_the_truth_in_a_sample(name):
    assert (covered(name, 10, 3000) >= 8).all()


@pytest.mark.soak
@pytest.mark.parametrize("name", ESTIMATES)
def test_intervals_hold_the_truth_in_95_percent(name):
    counts = covered(name, 200, 6000)
    assert (counts >= 183).all()
    assert (counts <= 197).all()


def errors(seeds, sessions, relevance="documents"):
    """Bias and variance of the regression at positions 2 to 4, a row for each number of
    sessions, where relevance follows labels."""
    truth, rows = simulation().behaviour.examination(4), []
    for n in sessions:
        estimates = [
            by_regression(simulation(seed).log(n), DATA, relevance=relevance).values
            for seed in range(seeds)
        ]
        error = np.array(estimates)[:, 1:] - truth[1:]
        rows.append((error.mean(axis=0), error.var(axis=0, ddof=1)))
    return np.array(rows).transpose(1, 0, 2)


def test_variance_of_relevance_by_documents_falls_in_a_sample():
    bias, variance = errors(10, (300, 5_000))
    assert (np.abs(bias[1]) < 0.015).all()
    assert (variance[1] < 0.2 * variance[0]).all()


def test_the_bias_is_not_known_where_hardly_any_document_is_clicked():
    data = RankingDataset.from_arrays(np.eye(2), [0, 1], [1, 1])
    log = counted((0, 1, 99, 1), (0, 2, 99, 0), (1, 1, 99, 0), (1, 2, 99, 1))
    estimate = by_regression(log, data, draws=10)
    assert np.isfinite(estimate.values).all()
    assert estimate.low[1] == 0.0
    assert estimate.high[1] == np.inf


@pytest.mark.soak
def test_bias_and_variance_of_relevance_by_documents_fall_with_clicks():
    bias, variance = errors(200, (300, 1_000, 5_000, 25_000))
    assert (np.diff(np.abs(bias).sum(axis=1)) < 0.0).all()
    assert (np.diff(variance, axis=0) < 0.0).all()
    assert np.abs(bias[-1]).max() < 0.005


@pytest.mark.soak
def test_relevance_by_features_keeps_a_bias_where_relevance_follows_labels():
    bias, variance = errors(40, (1_000, 25_000), "features")
    assert np.abs(bias[:, 1]).min() > 0.02
    assert (variance[1] < variance[0]).all()


def test_relevance_by_documents_needs_those_at_several_positions():
    data = RankingDataset.from_arrays(np.eye(2), [0, 1], [1, 1])
    with pytest.raises(DataError, match="link position 3 to position 1"):
        by_regression(
            counted((0, 1, 9, 4), (0, 2, 9, 3), (1, 3, 9, 2)), data, iterations=1
        )
    # No click at position 1 says nothing of the others.
    log = counted((0, 1, 9, 4), (0, 2, 9, 3), (1, 1, 9, 0), (1, 2, 9, 0))
    alone = by_regression(log.first(18), data, iterations=50).values
    np.testing.assert_array_equal(by_regression(log, data, iterations=50).values, alone)


def test_a_position_without_clicks_tells_nothing():
    data = RankingDataset.from_arrays(np.eye(2), [0, 1], [1, 1])
    log = counted((0, 1, 9, 0), (0, 2, 9, 3), (1, 1, 9, 0), (1, 2, 9, 4))
    for relevance in ("documents", "features"):
        with pytest.raises(DataError, match="Position 1 has no clicks"):
            by_regression(log, data, iterations=1, relevance=relevance)


def test_examination_of_a_single_position_is_1():
    data = RankingDataset.from_arrays(np.eye(2), [0, 1], [1, 1])
    log = counted((0, 1, 9, 4), (1, 1, 9, 2))
    for relevance in ("documents", "features"):
        estimate = by_regression(log, data, relevance=relevance)
        assert np.array(estimate.rows).tolist() == [[1.0], [1.0], [1.0]]


def test_few_draws_are_refused():
    with pytest.raises(ValueError, match="draws must be at least 10, but it is 9"):
        by_regression(simulation().log(300), DATA, draws=9)


def test_a_position_that_no_session_shows_is_refused():
    log = counted((0, 1, 9, 4), (0, 3, 9, 2), (1, 1, 9, 2), (1, 3, 9, 1))
    data = RankingDataset.from_arrays(np.eye(2), [0, 1], [1, 1])
    with pytest.raises(DataError, match="No session shows position 2"):
        by_regression(log, data, iterations=1)


@pytest.mark.soak
def test_the_regression_has_no_bias_where_relevance_is_logistic():
    relevance = logistic(4.0 * (DATA.X @ planted_truth()) - 5.5)
    errors = {
        sessions: np.array([
            by_regression(
                replace(simulation(seed, noise=0.0), relevance=relevance).log(sessions),
                DATA,
                relevance="features",
            ).values[1:]
            for seed in range(100)
        ])
        - simulation().behaviour.examination(4)[1:]
        for sessions in (300, 3000, 30_000)
    }  # fmt: skip
    biases = [np.abs(each.mean(axis=0)).sum() for each in errors.values()]
    deviations = [each.std(axis=0).sum() for each in errors.values()]
    assert (np.diff(biases) < 0.0).all()
    assert (np.diff(deviations) < 0.0).all()
