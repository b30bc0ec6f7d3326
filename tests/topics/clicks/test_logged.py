"""A click log of one's own: examination, and the value of two orders."""

from dataclasses import replace

import numpy as np
import pytest

from rankcore.topics.clicks.logged import ORDERS, facts, logged_clicks
from tests.topics.clicks.logs import RANKERS, counted, simulation

SWAPPED = simulation(swaps=True, noise=0.0).log(4_000)


def test_examination_and_values_follow_from_a_log_with_swaps():
    clicks = logged_clicks(SWAPPED)
    assert clicks.source == "estimated by swaps with the top"
    true = 1.0 / np.arange(1.0, 5.0)
    assert ((clicks.estimate.low <= true) & (true <= clicks.estimate.high)).sum() >= 3
    assert set(clicks.values) == {
        (order, name)
        for order in ORDERS
        for name in ("inverse propensity", "self-normalised")
    }
    logged, clicked = (clicks.values[order, "inverse propensity"] for order in ORDERS)
    assert clicked.interval[0] > logged.interval[1]
    assert facts(clicks)[0][:2] == ("Sessions", "4,000")
    assert clicks.rows()[0]["verdict"] == logged.verdict


def test_propensities_of_the_log_go_before_estimates():
    position = SWAPPED.position
    clicks = logged_clicks(replace(SWAPPED, propensity=1.0 / position))
    estimated = logged_clicks(SWAPPED)
    assert clicks.source == "given in the log"
    assert clicks.estimate is not None
    both = [one.values[ORDERS[0], "inverse propensity"] for one in (clicks, estimated)]
    assert both[0].value != both[1].value
    assert both[0].value == pytest.approx(both[1].value, rel=0.1)


def test_what_cannot_be_estimated_is_said():
    one_place = logged_clicks(simulation(rankers=RANKERS[:1]).log(200))
    assert one_place.problem.startswith("No clicked documents link position")
    assert (one_place.values, one_place.source, one_place.estimate) == ({}, "", None)
    silent = logged_clicks(counted((0, 1, 6, 0), (1, 2, 6, 0)))
    assert silent.problem == "The log has no clicks. Log more sessions."
    assert silent.rates.tolist() == [0.0, 0.0]


def test_few_clicks_say_nothing():
    cells = (0, 1, 20, 9), (0, 2, 20, 4), (1, 1, 20, 2), (1, 2, 20, 1)
    few = logged_clicks(counted(*cells))
    assert [row["verdict"][:10] for row in few.rows()] == 4 * ["Cannot say"]
    assert facts(few)[2][1] == "cannot say"
