"""Simulated users against brute force on lists of four."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from rankcore import RankingDataset
from rankcore.topics.clicks.simulation import (
    ClickBehaviour,
    ClickSimulation,
    relevant,
    top_documents,
)
from tests.topics.clicks.logs import RELEVANCE, simulation

LABELS = np.array([0, 2, 0, 1])
SCORES = np.array([4.0, 3.0, 2.0, 1.0])
N = 20_000
BEHAVIOURS = {
    "position": ClickBehaviour(severity=0.5, noise=0.2),
    "examined as a whole": ClickBehaviour(severity=0.0, noise=0.3, certainty=0.9),
    "trust": ClickBehaviour(severity=1.5, noise=0.1, trust=0.6, certainty=0.8),
    "cascade": ClickBehaviour("cascade", noise=0.25, trust=0.1, certainty=0.7),
}


def four(labels=LABELS, queries=1):
    n = len(labels) * queries
    query = np.repeat(np.arange(queries), len(labels))
    return RankingDataset.from_arrays(np.zeros((n, 1)), np.tile(labels, queries), query)


def probability(behaviour, pattern, relevance):
    """Of a pattern of clicks, by going down the list."""
    chance, leaves = 1.0, False
    for k, (clicked, gamma) in enumerate(zip(pattern, relevance, strict=True), 1):
        noise = behaviour.noise + behaviour.trust / k
        click = behaviour.certainty * gamma + noise * (1.0 - gamma)
        if behaviour.model == "cascade":
            click = 0.0 if leaves else click
            leaves |= bool(clicked)
        else:
            click *= k**-behaviour.severity
        chance *= click if clicked else 1.0 - click
    return chance


@pytest.mark.parametrize("behaviour", BEHAVIOURS.values(), ids=BEHAVIOURS)
def test_patterns_of_clicks_are_as_frequent_as_by_brute_force(behaviour):
    data = four()
    log = ClickSimulation(data, relevant(data), (SCORES,), behaviour, 4, seed=3).log(N)
    drawn = log.clicked.reshape(N, 4)
    total = 0.0
    for pattern in product((0, 1), repeat=4):
        expected = probability(behaviour, pattern, relevant(data))
        total += expected
        share = np.mean((drawn == pattern).all(axis=1))
        assert abs(share - expected) <= 4.5 * np.sqrt(expected * (1 - expected) / N)
    assert total == pytest.approx(1.0)


def test_a_longer_log_begins_with_the_shorter_one():
    data = four(queries=3)
    simulation = ClickSimulation(data, relevant(data), (np.tile(SCORES, 3),), cutoff=3)
    long, short = simulation.log(5000), simulation.log(4100)
    for name in ("session", "document", "position", "clicked"):
        np.testing.assert_array_equal(
            getattr(long.first(4100), name), getattr(short, name)
        )
    assert len(long.session) == 5000 * 3


def test_swaps_exchange_the_top_with_every_position_alike():
    data = four()
    simulation = ClickSimulation(data, relevant(data), (SCORES,), cutoff=4, swaps=True)
    shown = simulation.log(N).document.reshape(N, 4)
    orders, counts = np.unique(shown, axis=0, return_counts=True)
    assert orders.tolist() == [
        [0, 1, 2, 3], [1, 0, 2, 3], [2, 1, 0, 3], [3, 1, 2, 0],
    ]  # fmt: skip
    np.testing.assert_allclose(counts / N, 0.25, atol=0.015)


def test_short_lists_are_shown_as_they_are():
    data = RankingDataset.from_arrays(
        np.zeros((5, 1)), [0, 1, 0, 1, 0], [1, 1, 2, 2, 2]
    )
    scores = np.array([1.0, 2.0, 5.0, 6.0, 5.0])
    assert top_documents(data, scores, 3).tolist() == [[1, 0, -1], [3, 2, 4]]
    log = ClickSimulation(data, relevant(data), (scores,), cutoff=3, swaps=True).log(99)
    assert set(log.document.tolist()) == {0, 1, 2, 3, 4}
    assert log.position[np.isin(log.document, [0, 1])].max() == 2


def test_irrelevant_documents_are_not_clicked_more_than_relevant_ones():
    with pytest.raises(ValueError, match="The sum of noise and trust must be"):
        ClickBehaviour(noise=0.5, trust=0.6)


@pytest.mark.parametrize(
    "behaviour",
    [
        {"noise": -0.1, "trust": 0.2},
        {"noise": 0.9, "trust": -0.5, "certainty": 0.5},
        {"severity": -1.0},
        {"severity": np.inf},
        {"model": "random"},
    ],
)
def test_behaviour_that_is_none_is_refused(behaviour):
    with pytest.raises(ValueError, match=r"finite number from 0|position or"):
        ClickBehaviour(**behaviour)


def test_a_log_without_sessions_is_refused():
    with pytest.raises(ValueError, match="at least one session"):
        simulation().log(0)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"cutoff": 0}, "at least 1, not 0"),
        ({"rankers": ()}, "there are none"),
        ({"rankers": (RELEVANCE[:3],)}, "of all .* documents, not of 3"),
        ({"relevance": RELEVANCE[:3]}, "of all .* documents, not of 3"),
        ({"relevance": 2.0 * RELEVANCE}, "probabilities, from 0 to 1"),
        ({"relevance": np.nan * RELEVANCE}, "probabilities, from 0 to 1"),
    ],
)
def test_what_cannot_be_simulated_is_refused(changes, sentence):
    with pytest.raises(ValueError, match=sentence):
        replace(simulation(), **changes)
