"""Who leads a race on validation queries, and whether by more than noise.

Models were chosen on the same queries, so their values there are a little too high;
test queries take no part.
"""

import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcore import measures
from rankcore.base.numbers import counted
from rankcore.mathematics.statistics import (
    SIGNIFICANT,
    difference_interval,
    equally_weighted,
    few_differ,
    holm,
    minimal_detectable_difference,
    queries_needed,
    query_shares,
    randomisation_test,
    rounded_differences,
)
from rankcore.topics.train.race import Race, Racer

POWER = 0.8
# Values that differ by less are equal but for rounding.
_SAME = 1e-12
_FEWEST = 2


class BestOfRun(NamedTuple):
    """A run's best model.

    Attributes
    ----------
    name : str
    value : float
        Mean of the measure over validation queries, as models are chosen.
    iteration : int
    seconds : float
        Of training until then.
    per_query : (q,) float64
        The measure of each query; NaN where it is left out.
    weights : (q,) float64, optional
        How much each query counts; by default all count alike.
    """

    name: str
    value: float
    iteration: int
    seconds: float
    per_query: NDArray[np.float64]
    weights: NDArray[np.float64] | None = None


class RacePair(NamedTuple):
    """Two runs compared, query by query.

    Attributes
    ----------
    better, other : str
        In the order of their means.
    difference : float
        Of the means, 0 or more.
    low, high : float
        Its 95 % interval over queries.
    p_value : float
        Of a paired two-sided randomisation test.
    adjusted : float
        The same after Holm, over all pairs.
    queries_needed : int or None
        How many queries in all would show a true difference of this size with
        probability 0.8, at the level 0.05 divided among all pairs; None if it is 0 or
        that would take more than 10⁹.
    undecided : str
        Why no test can decide, as a sentence; empty where one can.
    """

    better: str
    other: str
    difference: float
    low: float
    high: float
    p_value: float
    adjusted: float
    queries_needed: int | None
    undecided: str

    @property
    def significant(self) -> bool:
        """Whether the difference is more than noise at the level 0.05."""
        return self.adjusted <= SIGNIFICANT


class Verdict(NamedTuple):
    """How the runs of a race compare.

    Attributes
    ----------
    standings : tuple of BestOfRun
        Best first; runs without a record have none.
    pairs : tuple of RacePair
        All of them, in the order of the standings.
    queries : int
        Validation queries with a value.
    detectable : float or None
        The least true difference of the first two that so many queries would show
        with probability 0.8.
    conditions : str
        Measure, cutoff, convention, data, split, number of queries and seeds.
    """

    standings: tuple[BestOfRun, ...]
    pairs: tuple[RacePair, ...]
    queries: int
    detectable: float | None
    conditions: str

    @property
    def leaders(self) -> tuple[str, ...]:
        """Who has the largest mean; several where it is equal."""
        most = self.standings[0].value if self.standings else 0.0
        return tuple(one.name for one in self.standings if _same(one.value, most))

    @property
    def sentence(self) -> str:
        """Who leads, whether by more than noise, and how many queries it would take."""
        if not self.standings:
            return (
                "There are no validation queries to compare models on, so no run leads."
            )
        leaders, n = _listed(self.leaders), self.queries
        value = f"{self.standings[0].value:.3f}"
        if len(self.standings) == 1:
            return f"{leaders} has {value} on validation; no other model has begun."
        if len(self.leaders) == len(self.standings):
            return f"{leaders} are equal on validation, with {value} each; none leads."
        if len(self.leaders) > 1:
            return f"{leaders} share the lead on validation, with {value} each."
        if not self.pairs:
            return f"{leaders} leads with {value} on one query, which proves nothing."
        return self._about_the_lead(self.pairs[0], n)

    def renamed(self, names: Mapping[str, str]) -> "Verdict":
        """Return the same of runs that are called otherwise; ``names`` has all of
        them."""
        return self._replace(
            standings=tuple(
                one._replace(name=names[one.name]) for one in self.standings
            ),
            pairs=tuple(
                pair._replace(better=names[pair.better], other=names[pair.other])
                for pair in self.pairs
            ),
        )

    def rows(self) -> list[dict[str, object]]:
        """Return a row a pair, for a table."""
        return [
            {
                "pair": f"{pair.better} − {pair.other}",
                "difference": pair.difference,
                "from": pair.low,
                "to": pair.high,
                "p": pair.adjusted,
                "queries needed": pair.queries_needed,
            }
            for pair in self.pairs
        ]

    def _about_the_lead(self, pair: RacePair, n: int) -> str:
        lead = f"{pair.better} leads {pair.other} by {pair.difference:.3g}"
        p = f"p = {pair.adjusted:.2g}"
        if len(self.pairs) > 1:
            p += f" after Holm over {len(self.pairs)} pairs"
        if pair.undecided:
            return f"{lead} on {n} validation queries. {pair.undecided}"
        if pair.significant:
            return f"{lead}: significant on {n} validation queries ({p})."
        if pair.queries_needed is None:
            more = "no number of queries that one could judge would be enough"
        elif pair.queries_needed > n:
            more = f"a decision needs about {_two_digits(pair.queries_needed - n)} more"
        else:
            more = f"they would show {self.detectable:.2g} in 80 % of cases"
        return f"{lead}: not significant with {n} validation queries ({p}); {more}."


def verdict(race: Race) -> Verdict:
    """Compare the best models of a race so far, on validation queries.

    Parameters
    ----------
    race : Race
        Each run's best model was chosen by its own rule, see
        `rankcore.training.Run.best`; the race's first measure compares them.

    Returns
    -------
    Verdict
    """
    standings = sorted(_standings(race), key=lambda one: -one.value)
    counted = ~np.isnan(standings[0].per_query) if standings else np.zeros(0, bool)
    queries = int(counted.sum())
    conditions = _conditions(race, queries)
    compared = list(itertools.combinations(standings, 2))
    if queries < _FEWEST or not compared:
        return Verdict(tuple(standings), (), queries, None, conditions)
    pairs = _pairs(compared)
    first, second = standings[:2]
    detectable = minimal_detectable_difference(
        _differences(first, second),
        power=POWER,
        level=SIGNIFICANT / len(pairs),
    )
    return Verdict(tuple(standings), pairs, queries, detectable.difference, conditions)


def _standings(race: Race) -> list[BestOfRun]:
    return [
        standing
        for standing in (_standing(racer) for racer in race.racers)
        if standing is not None
    ]


def _standing(racer: Racer) -> BestOfRun | None:
    run = racer.run
    if run is None or run.valid is None or not run.measures or not len(run.history):
        return None
    best = run.best
    if not best.ranks:
        return None
    scores = run.algorithm.scores(run.valid.X, best.coef)
    table = measures.evaluate(run.valid, scores, run.measures[0], *run.rules)
    values = table[str(run.measures[0])].to_numpy(np.float64)
    weights = run.valid.query_weights
    mean = measures.mean(values, "skip", weights)
    if np.isnan(mean):
        return None
    own = racer.name, mean, best.iteration, best.seconds, values
    return BestOfRun(*own, weights if run.valid.weighting else None)


def _pairs(compared: Sequence[tuple[BestOfRun, BestOfRun]]) -> tuple[RacePair, ...]:
    weights = compared[0][0].weights
    tests = [
        randomisation_test(b.per_query, a.per_query, weights=weights)
        for a, b in compared
    ]
    adjusted = holm([test.p_value for test in tests])
    level = SIGNIFICANT / len(compared)
    found = []
    for (a, b), test, p in zip(compared, tests, adjusted, strict=True):
        interval = difference_interval(a.per_query, b.per_query, weights=weights)
        found.append(
            RacePair(
                better=a.name,
                other=b.name,
                difference=test.difference,
                low=interval.low,
                high=interval.high,
                p_value=test.p_value,
                adjusted=float(p),
                queries_needed=_needed(_differences(a, b), test.difference, level),
                undecided=few_differ(test.differing, test.queries),
            )
        )
    return tuple(found)


def _differences(first: BestOfRun, second: BestOfRun) -> NDArray[np.float64]:
    """Return the differences of queries with a value; where these have weights, values
    of equal weight whose mean is as uncertain as theirs."""
    counted = ~(np.isnan(first.per_query) | np.isnan(second.per_query))
    each, _ = rounded_differences(first.per_query[counted], second.per_query[counted])
    weights = None if first.weights is None else first.weights[counted]
    return equally_weighted(each, query_shares(weights, len(each)))


def _needed(
    differences: NDArray[np.float64], difference: float, level: float
) -> int | None:
    """As in `RacePair`."""
    if _same(difference, 0.0):
        return None
    try:
        return queries_needed(differences, difference, power=POWER, level=level)
    except ValueError:
        # More than 10⁹.
        return None


def _conditions(race: Race, queries: int) -> str:
    run = race.run
    if run is None or not run.measures:
        return ""
    split = "no validation data"
    if run.valid is not None:
        split = f"{run.valid.name or 'validation data'}, {counted(queries, 'queries')}"
        split += f" {run.valid.weighted_text}" if run.valid.weighting else ""
    runs = [racer.run for racer in race.racers if racer.run is not None]
    seeds = list(dict.fromkeys(str(one.algorithm.random_state) for one in runs))
    measure = run.measures[0].describe(*run.rules)
    return f"{measure}; {split}; seed{'s' * (len(seeds) > 1)} {_listed(seeds)}."


def _same(one: float, other: float) -> bool:
    return abs(one - other) <= _SAME


def _two_digits(count: int) -> int:
    """Return a number of queries as precise as an estimate can be."""
    return round(count, 2 - len(str(count)))


def _listed(words: Sequence[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last
