"""The leader of a race on validation queries, and the significance of its lead.

Models were chosen on the same queries, so their values are slightly too high; test
queries are not used.
"""

import itertools
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from rankcore.base.arrays import Floats
from rankcore.base.numbers import counted, phrase
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
from rankcore.studies.cells import measured_result
from rankcore.studies.results import Cell, Result
from rankcore.topics.train.race import Race

POWER = 0.8
# Values that differ by less are equal up to rounding.
_SAME = 1e-12
_FEWEST = 2


class RacePair(NamedTuple):
    """Two runs compared, query by query.

    Attributes
    ----------
    better, other : str
        Names, in the order of their means.
    difference : float
        Difference of the means, at least 0.
    low, high : float
        Its 95% interval over queries.
    p_value : float
        p-value of a paired two-sided randomisation test.
    adjusted : float
        The p-value after Holm's correction over all pairs.
    queries_needed : int or None
        Total number of queries that would show a true difference of this size with
        probability 0.8, at the level 0.05 divided among all pairs; None if the
        difference is 0 or it exceeds 10⁹.
    undecided : str
        Why no test can decide, as a sentence; empty if one can.
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
        """Whether the difference is significant at level 0.05."""
        return self.adjusted <= SIGNIFICANT


class Verdict(NamedTuple):
    """A comparison of the runs of a race.

    Attributes
    ----------
    standings : dict of str to Result
        The best model of each run with a record, by name, best first.
    pairs : tuple of RacePair
        All pairs, in the order of the standings.
    queries : int
        Validation queries with a value.
    detectable : float or None
        The smallest true difference of the first two that this number of queries would
        show with probability 0.8.
    conditions : str
        Measure, cutoff, convention, data, split, number of queries and seeds.
    """

    standings: Mapping[str, Result]
    pairs: tuple[RacePair, ...]
    queries: int
    detectable: float | None
    conditions: str

    @property
    def leaders(self) -> tuple[str, ...]:
        """The runs with the largest mean; several if means are equal."""
        values = {name: _value(one) for name, one in self.standings.items()}
        most = max(values.values(), default=0.0)
        return tuple(name for name, value in values.items() if _same(value, most))

    @property
    def sentence(self) -> str:
        """The leader, the significance of its lead, and the queries needed."""
        if not self.standings:
            return (
                "There are no validation queries to compare models on, so no run leads."
            )
        leaders, n = phrase(self.leaders), self.queries
        value = f"{_value(next(iter(self.standings.values()))):.3f}"
        if len(self.standings) == 1:
            return f"{leaders} has {value} on validation; no other run has started."
        if len(self.leaders) == len(self.standings):
            return f"{leaders} are equal on validation, with {value} each; none leads."
        if len(self.leaders) > 1:
            return f"{leaders} share the lead on validation, with {value} each."
        if not self.pairs:
            return f"{leaders} leads with {value} on one query, which proves nothing."
        return self._about_the_lead(self.pairs[0], n)

    def renamed(self, names: Mapping[str, str]) -> "Verdict":
        """Return the verdict with other names of runs; ``names`` has all of them."""
        return self._replace(
            standings={names[name]: one for name, one in self.standings.items()},
            pairs=tuple(
                pair._replace(better=names[pair.better], other=names[pair.other])
                for pair in self.pairs
            ),
        )

    def rows(self) -> list[dict[str, object]]:
        """Return one row per pair, for a table."""
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
            more = "no feasible number of judged queries would be enough"
        elif pair.queries_needed > n:
            more = f"a decision needs about {_two_digits(pair.queries_needed - n)} more"
        else:
            more = f"they would show {self.detectable:.2g} in 80% of cases"
        return f"{lead}: not significant with {n} validation queries ({p}); {more}."


def verdict(race: Race) -> Verdict:
    """Compare the best models of a race so far, on validation queries.

    Parameters
    ----------
    race : Race
        Each run's best model was chosen by its own rule, see
        `rankcore.training.Run.best`; the race's first measure compares them.
    """
    standings = _standings(race)
    values = {n: next(iter(one.queries.values())) for n, one in standings.items()}
    queries = int(sum(~np.isnan(next(iter(values.values()), np.zeros(0)))))
    conditions = _conditions(race, queries)
    if queries < _FEWEST or len(values) < 2:
        return Verdict(standings, (), queries, None, conditions)
    valid = race.data.valid
    assert valid is not None
    weights = valid.query_weights if valid.weighting else None
    pairs = _pairs(values, weights)
    first, second, *_ = values.values()
    detectable = minimal_detectable_difference(
        _differences(first, second, weights),
        power=POWER,
        level=SIGNIFICANT / len(pairs),
    )
    return Verdict(standings, pairs, queries, detectable.difference, conditions)


def _standings(race: Race) -> dict[str, Result]:
    results = {
        name: measured_result(Cell((), "", 0), run)
        for name, run in race.begun.items()
        if run.valid is not None and run.measures and run.best.ranks
    }
    names = [name for name in results if not np.isnan(_value(results[name]))]
    names.sort(key=lambda name: -_value(results[name]))
    return {name: results[name] for name in names}


def _value(result: Result) -> float:
    """Return the race's measure on validation queries, as used for choosing."""
    return next(iter(result.valid.values()))


def _pairs(
    values: Mapping[str, Floats], weights: Floats | None
) -> tuple[RacePair, ...]:
    compared = list(itertools.combinations(values, 2))
    tests = [
        randomisation_test(values[b], values[a], weights=weights) for a, b in compared
    ]
    adjusted = holm([test.p_value for test in tests])
    level = SIGNIFICANT / len(compared)
    pairs = []
    for (a, b), test, p in zip(compared, tests, adjusted, strict=True):
        interval = difference_interval(values[a], values[b], weights=weights)
        differences = _differences(values[a], values[b], weights)
        pairs.append(
            RacePair(
                better=a,
                other=b,
                difference=test.difference,
                low=interval.low,
                high=interval.high,
                p_value=test.p_value,
                adjusted=float(p),
                queries_needed=_needed(differences, test.difference, level),
                undecided=few_differ(test.differing, test.queries),
            )
        )
    return tuple(pairs)


def _differences(first: Floats, second: Floats, weights: Floats | None) -> Floats:
    """Return the differences of queries with a value; weighted ones are replaced by
    values of equal weight with the same mean and uncertainty."""
    counted = ~(np.isnan(first) | np.isnan(second))
    each, _ = rounded_differences(first[counted], second[counted])
    weights = None if weights is None else weights[counted]
    return equally_weighted(each, query_shares(weights, len(each)))


def _needed(differences: Floats, difference: float, level: float) -> int | None:
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
    return f"{measure}; {split}; seed{'s' * (len(seeds) > 1)} {phrase(seeds)}."


def _same(one: float, other: float) -> bool:
    return abs(one - other) <= _SAME


def _two_digits(count: int) -> int:
    """Return a number of queries, rounded to the precision of an estimate."""
    return round(count, 2 - len(str(count)))
