"""Interleaving by brute force, and whom simulated users prefer."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

from rankcore.base.draws import standard_normal
from rankcore.data.planted import planted, planted_truth
from rankcore.mathematics.statistics import queries_needed
from rankcore.measures import by_query
from rankcore.topics.clicks.interleaving import (
    outcome,
    preference,
    probabilistic,
    sessions_needed,
    simulated_outcomes,
    team_draft,
)
from rankcore.topics.clicks.simulation import ClickBehaviour, relevant

FIRST, SECOND = np.array([0, 1, 2, 3]), np.array([2, 0, 3, 1])
N = 1500


def test_a_draft_lets_both_add_their_best_document_in_each_round():
    rng = np.random.default_rng(1)
    drafts = Counter(
        tuple(
            zip(*map(np.ndarray.tolist, team_draft(FIRST, SECOND, 4, rng)), strict=True)
        )
        for _ in range(N)
    )
    # Either begins in each of two rounds: four drafts, equally likely.
    a, b = True, False
    assert set(drafts) == {
        ((0, a), (2, b), (1, a), (3, b)),
        ((0, a), (2, b), (3, b), (1, a)),
        ((2, b), (0, a), (1, a), (3, b)),
        ((2, b), (0, a), (3, b), (1, a)),
    }
    np.testing.assert_allclose(np.array([*drafts.values()]) / N, 0.25, atol=0.05)


def test_probabilistic_lists_have_the_chances_and_shares_of_brute_force():
    rng = np.random.default_rng(2)
    soft = np.array([1, 1 / 8, 1 / 27, 1 / 64])
    one = dict(zip(FIRST.tolist(), soft / soft.sum(), strict=True))
    other = dict(zip(SECOND.tolist(), soft / soft.sum(), strict=True))
    lists = Counter()
    for _ in range(N):
        merged, shares = probabilistic(FIRST, SECOND, 2, rng)
        a, b = merged.tolist()
        lists[a, b] += 1
        rest = one[b] / (1 - one[a]), other[b] / (1 - other[a])
        expected = [one[a] / (one[a] + other[a]), rest[0] / sum(rest)]
        np.testing.assert_allclose(shares, expected)
    for (a, b), count in lists.items():
        second = one[b] / (1 - one[a]) + other[b] / (1 - other[a])
        chance = (one[a] + other[a]) / 2 * second / 2
        assert abs(count / N - chance) <= 4.5 * np.sqrt(chance * (1 - chance) / N)


@pytest.mark.parametrize(
    "shares", [[], [0.9], [0.9, 0.4], [0.9, 0.4, 0.2, 0.5], [1.0, 1.0, 0.0], [1.0, 0.0]]
)
def test_an_outcome_is_the_mean_over_all_ways_to_add_what_was_clicked(shares):
    expected = 0.0
    for ways in product((0, 1), repeat=len(shares)):
        chance = np.prod(
            [s if way else 1 - s for way, s in zip(ways, shares, strict=True)]
        )
        expected += chance * np.sign(2 * sum(ways) - len(ways))
    assert outcome(np.array(shares)) == pytest.approx(expected)


@pytest.mark.parametrize("merge", [team_draft, probabilistic])
def test_users_prefer_the_better_ranking_and_neither_of_two_equal_ones(merge):
    relevance = np.array([0.9, 0.6, 0.1, 0.1])

    def outcomes(first, second, seed):
        rng = np.random.default_rng(seed)
        for _ in range(600):
            merged, shares = merge(first, second, 4, rng)
            clicked = rng.random(4) < relevance[merged] / np.arange(1, 5)
            yield outcome(shares[clicked])

    better = preference(np.array([*outcomes(FIRST, SECOND, 3)]))
    assert 0.0 < better.low < better.value < better.high
    equal = preference(np.array([*outcomes(FIRST, FIRST, 5)]))
    assert equal.low <= 0.0 <= equal.high


def rankers(data, level):
    """Scores by the true weights, and by weights with noise."""
    truth = planted_truth()
    noise = standard_normal(np.random.default_rng(1), len(truth))
    return data.X @ truth, data.X @ (truth + level * noise)


def streams(data, level, sessions, merge):
    return simulated_outcomes(
        data,
        relevant(data, 2),
        rankers(data, level),
        ClickBehaviour(severity=1.0, noise=0.1),
        sessions,
        merge=merge,
    )


@pytest.mark.parametrize("merge", [team_draft, probabilistic])
def test_simulated_sessions_prefer_the_better_ranker(merge):
    data = planted(n_queries=10, mean_length=15)
    outcomes = streams(data, 1.0, 150, merge)
    assert preference(outcomes).low > 0.0
    assert 2 <= sessions_needed(outcomes) <= 150
    assert sessions_needed(outcomes, power=0.95) > sessions_needed(outcomes)
    with pytest.raises(ValueError, match="other than 0"):
        sessions_needed(np.array([1.0, -1.0]))


@pytest.mark.parametrize("merge", [team_draft, probabilistic])
def test_rankings_of_other_documents_or_too_few_are_refused(merge):
    rng, one = np.random.default_rng(0), np.arange(3)
    with pytest.raises(ValueError, match="have 3 documents, and the length is 4"):
        merge(one, one, 4, rng)
    with pytest.raises(ValueError, match="must hold the same documents"):
        merge(one, one + 1, 2, rng)


def test_one_session_gives_no_interval():
    with pytest.raises(ValueError, match="two sessions or more, not 1"):
        preference(np.ones(1))


@pytest.mark.soak
@pytest.mark.parametrize("merge", [team_draft, probabilistic])
def test_as_many_sessions_as_needed_find_the_better_ranker_in_80_percent(merge):
    data = planted()
    outcomes = streams(data, 0.25, 30_000, merge)
    needed = sessions_needed(outcomes)
    blocks = outcomes[: len(outcomes) // needed * needed].reshape(-1, needed)
    result = np.mean([preference(block).low > 0.0 for block in blocks])
    assert 0.7 <= result <= 0.9
    # A paired test of nDCG needs fewer queries, but queries that are judged.
    values = [by_query(data, s, "nDCG@10")["nDCG@10"] for s in rankers(data, 0.25)]
    differences = values[0] - values[1]
    assert queries_needed(differences, differences.mean()) < needed
