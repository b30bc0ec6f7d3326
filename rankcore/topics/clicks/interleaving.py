r"""Interleaving: users' preference between two rankers, from clicks on a merged list.

Team draft (F. Radlinski, M. Kurup, T. Joachims, "How does clickthrough data reflect
retrieval quality?", CIKM 2008): in each round the two rankers, in random order, add
their best document that is not in the list yet, and a click counts for the ranker that
added the document.

Probabilistic interleaving (K. Hofmann, S. Whiteson, M. de Rijke, "A probabilistic
method for inferring preferences from clicks", CIKM 2011): at each position either
ranker, with probability 1/2, adds a document drawn from the remaining ones with
probability proportional to :math:`r^{-3}`, r the document's rank. The outcome of a
session is marginalised: its mean over all ways in which the rankers may have added the
documents that were clicked, given the list.

How many sessions find the better ranker, beside the judged queries that a paired test
of NDCG needs, is what O. Chapelle, T. Joachims, F. Radlinski, Y. Yue, "Large-scale
validation and analysis of interleaved search evaluation", TOIS 30(1), 2012, compare.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from rankcore.base.arrays import Floats, Integers
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.statistics import queries_needed
from rankcore.topics.clicks.examination import NORMAL_95
from rankcore.topics.clicks.simulation import ClickBehaviour

Merge = Callable[
    [Integers, Integers, int, np.random.Generator], tuple[Integers, np.ndarray]
]

_FEWEST_SESSIONS = 2


class Preference(NamedTuple):
    """Users' preference for the first ranker.

    Attributes
    ----------
    value : float
        Mean over sessions of their `outcome`, from -1 to 1.
    low, high : float
        Ends of the 95% interval.
    """

    value: float
    low: float
    high: float


def team_draft(
    first: Integers, second: Integers, length: int, rng: np.random.Generator
) -> tuple[Integers, np.ndarray]:
    """Merge two rankings of the same documents.

    Parameters
    ----------
    first, second : (m,) int64
        Documents from the first rank down.
    length : int
        At most m.

    Returns
    -------
    documents : (length,) int64
    by_first : (length,) bool
        Whether the first ranker added each.
    """
    _check_rankings(first, second, length)
    rankings = second.tolist(), first.tolist()
    merged: list[int] = []
    teams: list[bool] = []
    while len(merged) < length:
        begins = bool(rng.integers(2))
        for team in (begins, not begins)[: length - len(merged)]:
            merged.append(next(d for d in rankings[team] if d not in merged))
            teams.append(team)
    return np.array(merged), np.array(teams)


def probabilistic(
    first: Integers, second: Integers, length: int, rng: np.random.Generator
) -> tuple[Integers, Floats]:
    """Merge two rankings of the same documents; parameters as `team_draft`.

    Returns
    -------
    documents : (length,) int64
    shares : (length,) float64
        Probability that the first ranker added each, given the list.
    """
    _check_rankings(first, second, length)
    documents = np.sort(first)
    chances = np.empty((2, len(documents)))
    for row, ranking in enumerate((second, first)):
        chances[row, np.searchsorted(documents, ranking)] = _softmax(len(ranking))
    merged, shares = np.empty(length, np.int64), np.empty(length)
    for at in range(length):
        left = chances / chances.sum(axis=1, keepdims=True)
        ends = np.cumsum(left[rng.integers(2)])
        place = int(np.searchsorted(ends, rng.random() * ends[-1], side="right"))
        merged[at] = documents[place]
        shares[at] = left[1, place] / left[:, place].sum()
        chances[:, place] = 0.0
    return merged, shares


def outcome(shares: Floats) -> float:
    """Return the probability that the first ranker added more of a session's clicked
    documents, minus the probability that the second did.

    Parameters
    ----------
    shares : (c,) float64
        Shares of the clicked documents, as from `probabilistic`; after `team_draft`
        each is 0 or 1, so the outcome is -1, 0 or 1.
    """
    chances = np.ones(1)
    for share in np.asarray(shares, np.float64):
        more = np.append(0.0, chances * share)
        chances = np.append(chances * (1.0 - share), 0.0) + more
    ahead = 2 * np.arange(len(chances)) - (len(chances) - 1)
    return float(chances[ahead > 0].sum() - chances[ahead < 0].sum())


def preference(outcomes: Floats) -> Preference:
    """Return the preference by the outcomes (s,) of sessions, two or more."""
    if len(outcomes) < _FEWEST_SESSIONS:
        raise ValueError(
            f"An interval needs two sessions or more, not {len(outcomes)}."
        )
    value = float(outcomes.mean())
    reach = NORMAL_95 * float(outcomes.std()) / np.sqrt(len(outcomes) - 1)
    return Preference(value, float(value - reach), float(value + reach))


def simulated_outcomes(
    dataset: RankingDataset,
    relevance: Floats,
    scores: tuple[Floats, Floats],
    behaviour: ClickBehaviour,
    sessions: int,
    *,
    length: int = 10,
    merge: Merge = team_draft,
    seed: int = 0,
) -> Floats:
    """Return the outcomes (sessions,) of two rankers with simulated users.

    Parameters
    ----------
    relevance : (n,) float64
        Probability that each document is relevant.
    scores : pair of (n,) float64
        Scores of the first and the second ranker.
    sessions : int
        Number of sessions, each with a random query.
    length : int
        Number of documents shown.
    merge : callable
        `team_draft` or `probabilistic`.
    """
    rng = np.random.default_rng(seed)
    rankings = [
        [lo + np.argsort(-each[lo:hi], kind="stable") for each in scores]
        for lo, hi in pairwise(dataset.offsets)
    ]
    outcomes = np.empty(sessions)
    for at, query in enumerate(rng.integers(dataset.n_queries, size=sessions)):
        first, second = rankings[query]
        shown, shares = merge(first, second, min(length, len(first)), rng)
        uniform = rng.random((1, len(shown)))
        clicked = behaviour.clicks(relevance[shown][None], uniform)[0]
        outcomes[at] = outcome(shares[clicked])
    return outcomes


def sessions_needed(
    outcomes: Floats, *, power: float = 0.8, level: float = 0.05
) -> int:
    """Return the number of sessions needed to identify the better ranker.

    Parameters
    ----------
    outcomes : (s,) float64
        Outcomes of enough sessions to estimate their mean and spread.
    power : float
        Probability that a two-sided t-test finds a preference.
    level : float
        Probability that it finds one if there is none.

    Raises
    ------
    ValueError
        If no ranker is preferred, and as
        `rankcore.mathematics.statistics.queries_needed`.
    """
    return queries_needed(outcomes, float(outcomes.mean()), power=power, level=level)


def _check_rankings(first: Integers, second: Integers, length: int) -> None:
    """Raise ValueError for rankings of different documents, or longer lists."""
    if not np.array_equal(np.sort(first), np.sort(second)):
        raise ValueError("Both rankings must hold the same documents.")
    if not 0 <= length <= len(first):
        raise ValueError(
            f"The rankings have {len(first)} documents, and the length is {length}."
        )


def _softmax(m: int) -> Floats:
    """Return the probabilities of documents by rank."""
    ranks = np.arange(1.0, m + 1.0)
    weights = 1.0 / (ranks * ranks * ranks)
    return weights / weights.sum()
