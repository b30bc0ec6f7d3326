"""Runs compared over the same queries, with tests of their differences.

Runs of one algorithm with the same settings form one contender, whatever their seeds
and folds. A query's value is its mean over them, so a seed or a fold never counts as a
query.
"""

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rankcore.base.arrays import Floats
from rankcore.base.numbers import (
    counted,
    labelled,
    listed,
    percent,
    phrase,
    rounded,
    shortest,
    three_digits,
)
from rankcore.data.dataset import RankingDataset, effective_text, weighting_words
from rankcore.mathematics.differences import (
    FEWEST_DATA_SETS,
    FEWEST_MODELS,
    Difference,
    MeanRanks,
    differences,
    mean_ranks,
)
from rankcore.mathematics.statistics import (
    FEWEST_DIFFERING,
    SIGNIFICANT,
    detectable_effect,
    effective_number,
    few_differ,
    holm,
    mean_interval,
    mean_intervals,
    weighted_means,
)
from rankcore.measures import mean
from rankcore.studies.results import Result
from rankcore.topics.compare.comparable import comparable, same_data
from rankcore.training.selection import chosen_text, iterations_text

POWER = 0.8
MOST_POINTS = 300
NONE = "–"
_FEWEST = 2


class Band(NamedTuple):
    """A measure along training, over the runs of a contender.

    Attributes
    ----------
    x, mean, low, high : (m,) float64
        Iterations (or seconds); the mean of the runs, the smallest and the largest. A
        run that has ended keeps its last value. In the mean, a run weighs as much as
        its queries with a value, as in `Contender.value`.
    each : tuple of (x, y)
        The curve of each run.
    best : (float, float)
        The mean position of the runs' best models, and their mean value.
    """

    x: Floats
    mean: Floats
    low: Floats
    high: Floats
    each: tuple[tuple[Floats, Floats], ...]
    best: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Contender:
    """Runs of one algorithm with the same settings.

    Attributes
    ----------
    name : str
        The algorithm's title, with the settings in which it differs from others.
    runs : tuple of Result
        The runs, in their original order.
    """

    name: str
    runs: tuple[Result, ...]

    @property
    def algorithm(self) -> str:
        return self.runs[0].terms.algorithm

    @property
    def settings(self) -> Mapping[str, Any]:
        return self.runs[0].settings

    @property
    def first(self) -> Result:
        """The run with the lowest seed, whose model represents all runs."""
        return min(self.runs, key=lambda run: (run.cell.fold, run.cell.seed))

    def ranking_of(self, query: str) -> Result | None:
        """Return the run whose model ranks that query: `first`, or the fold that has
        the query; None if there is none."""
        runs = sorted(self.runs, key=lambda run: (run.cell.fold, run.cell.seed))
        return next((run for run in runs if query in run.terms.ids), None)

    def scores(self, dataset: RankingDataset) -> Floats:
        """(n,) scores of documents, each query with the model of `ranking_of`.

        Raises
        ------
        ValueError
            If no run has one of the queries.
        """
        runs = sorted(self.runs, key=lambda run: (run.cell.fold, run.cell.seed))
        ranking = {name: run for run in reversed(runs) for name in run.terms.ids}
        owners = [ranking.get(name) for name in dataset.query_ids]
        values = np.empty(dataset.n_documents)
        for run in dict.fromkeys(owners):
            if run is None:
                raise ValueError(f"{self.name} has no model that ranks all queries.")
            ranked = np.array([one is run for one in owners])
            rows = np.repeat(ranked, dataset.lengths)
            values[rows] = run.scores(dataset.subset(np.flatnonzero(ranked)))
        return values

    @property
    def ranked_by(self) -> str:
        """The title of the algorithm, or the name of a file of rankings."""
        return self.runs[0].ranked_by

    @property
    def has_model(self) -> bool:
        """Whether it has a model, rather than only rankings."""
        return self.runs[0].has_model

    @property
    def ranks(self) -> bool:
        """Whether each of its models ranks documents."""
        return all(run.ranks for run in self.runs)

    @property
    def nonzeros(self) -> float:
        """Mean number of features used; NaN without a model."""
        return float(np.mean([run.nonzeros for run in self.runs]))

    @property
    def seconds(self) -> float:
        """Mean training time of a run in seconds; NaN if nothing was trained."""
        return float(np.mean([run.seconds for run in self.runs]))

    @property
    def iterations(self) -> str:
        """The iteration of the best model, or the range of several; a dash without a
        model."""
        if not self.has_model:
            return NONE
        return iterations_text(run.iteration for run in self.runs)

    @property
    def chosen_text(self) -> str:
        """The iterations of its models, and how they were chosen."""
        if len(self.runs) == 1:
            return self.first.chosen_text
        return chosen_text(self.iterations, self.first.chosen_by)

    def per_query(self, measure: str) -> dict[str, float]:
        """Each query's mean over the runs, by its id; NaN if it has no value."""
        gathered: dict[tuple[str, ...], list[Floats]] = defaultdict(list)
        for run in self.runs:
            gathered[run.terms.ids].append(run.queries[measure])
        if len(gathered) == 1:
            ((ids, alike),) = gathered.items()
            return dict(zip(ids, np.mean(alike, axis=0).tolist(), strict=True))
        each: dict[str, list[float]] = defaultdict(list)
        for ids, several in gathered.items():
            for column in several:
                for name, value in zip(ids, column.tolist(), strict=True):
                    each[name].append(value)
        return {name: float(np.mean(values)) for name, values in each.items()}

    @cached_property
    def weights(self) -> Mapping[str, float]:
        """The weight of each query by its id; empty if all weigh the same."""
        pairs = (
            zip(run.terms.ids, run.terms.weights, strict=False) for run in self.runs
        )
        return dict(itertools.chain.from_iterable(pairs))

    def value(self, measure: str) -> float:
        """Mean of the measure over the queries that have a value."""
        values = self.per_query(measure)
        weights = np.array([self.weights[q] for q in values]) if self.weights else None
        return mean(list(values.values()), "skip", weights)

    def band(self, measure: str, over: str = "iteration") -> Band | None:
        """Return the measure along training; None if it was not recorded.

        Parameters
        ----------
        over : {"iteration", "seconds"}
        """
        curves, ends, counts = [], [], []
        for run in self.runs:
            split = "valid" if f"valid {measure}" in run.history else "train"
            y = run.history.get(f"{split} {measure}")
            valued = ~np.isnan(run.queries.get(measure, np.nan))
            count = np.sum(np.where(valued, run.terms.weights or 1.0, 0.0))
            if y is not None and len(y) and count:
                at = np.searchsorted(run.history["iteration"], run.iteration)
                curves.append((run.history[over], y))
                ends.append((run.history[over][at], y[at]))
                counts.append(count)
        if not curves:
            return None
        shares = np.array(counts, np.float64) / sum(counts)
        x = np.unique(np.concatenate([curve for curve, _ in curves]))
        if len(x) > MOST_POINTS:
            x = x[np.linspace(0, len(x) - 1, MOST_POINTS).round().astype(int)]
        values = np.array([np.interp(x, *curve) for curve in curves])
        mean = (shares[:, None] * values).sum(axis=0)
        where, best = np.array(ends, np.float64).T
        return Band(
            x,
            mean,
            values.min(axis=0),
            values.max(axis=0),
            tuple(curves),
            (float(where.mean()), float((shares * best).sum())),
        )


class Pair(NamedTuple):
    """Two contenders compared.

    Attributes
    ----------
    first, second : int
        Their places in the comparison; the first has the higher mean, except that a
        baseline is always second.
    adjusted : float
        The p-value of the randomisation test after Holm, over all pairs.
    detectable : float
        The smallest true difference that this number of queries would show with
        probability 0.8, at level 0.05 divided among all pairs.
    """

    first: int
    second: int
    difference: Difference
    adjusted: float
    detectable: float

    @property
    def significant(self) -> bool:
        """Whether the difference is significant at level 0.05."""
        return self.adjusted <= SIGNIFICANT

    @property
    def undecided(self) -> str:
        """Why no test can decide, as a sentence; empty if one can."""
        return few_differ(self.difference.differing, self.difference.queries)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Contenders compared by one measure on their common queries.

    Attributes
    ----------
    contenders : tuple of k Contender
        The contenders, highest mean first; those that rank nothing come last.
    ids : tuple of q str
        Ids of the queries with a value for all contenders.
    values : (k, q) float64
        Means over seeds and folds.
    intervals : (k, 2) float64
        Intervals of the means over the queries; NaN for fewer than two queries.
    pairs : tuple of Pair
        All pairs, or all against the baseline; empty for fewer than two queries.
    left_out : int
        Number of queries of the first contender that are not compared.
    weights : (q,) float64, optional
        Weight of each query in means; by default all weigh the same.
    weighted_by : str
        Name of the weights.
    """

    measure: str
    contenders: tuple[Contender, ...]
    ids: tuple[str, ...]
    values: Floats
    intervals: Floats
    pairs: tuple[Pair, ...]
    left_out: int
    weights: Floats | None = None
    weighted_by: str = ""

    @property
    def names(self) -> list[str]:
        return [one.name for one in self.contenders]

    @property
    def means(self) -> Floats:
        """(k,) mean over the queries; NaN without queries."""
        if not self.ids:
            return np.full(len(self.contenders), np.nan)
        return weighted_means(self.values, self.weights)

    @property
    def effective(self) -> float | None:
        """The effective number of queries, (Σw)²/Σw²; None if all weigh the same."""
        return effective_number(self.weights)

    @property
    def weighting(self) -> str:
        """The name of the weights, with the effective number; empty if all weigh the
        same."""
        if self.effective is None:
            return ""
        words = weighting_words(self.weighted_by)
        return f"{words}, {effective_text(self.effective)}"

    @property
    def ties(self) -> list[bool]:
        """Whether each contender is the best, or not significantly different."""
        behind = {pair.second for pair in self.pairs if pair.first == 0}
        worse = {p.second for p in self.pairs if p.first == 0 and p.significant}
        return [
            k == 0 or (k in behind and k not in worse)
            for k in range(len(self.contenders))
        ]

    @property
    def caution(self) -> str:
        """Why the interval of the best mean is unreliable; empty if it is reliable."""
        if len(self.ids) < _FEWEST:
            return ""
        return mean_interval(self.values[0], weights=self.weights).caution

    def place(self, name: str, default: int) -> int:
        """Return the place of the contender with that name, otherwise the default."""
        names = self.names
        return names.index(name) if name in names else default

    @property
    def sentences(self) -> list[str]:
        """Sentences on the significant differences, and on the detectable ones."""
        if len(self.contenders) < _FEWEST:
            return ["Add a second model to compare."]
        if not self.pairs:
            few = f"{len(self.ids)} queries have a value under all models"
            return [f"{few}: too few for a comparison."]
        return [
            self._findings(), *self._corrected(), *self.undecided, self._power(),
            *self._weighted(),
        ]  # fmt: skip

    def _findings(self) -> str:
        worse: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for place in range(len(self.contenders)):
            beaten = tuple(sorted(self._loses_to(place)))
            if beaten:
                worse[beaten].append(place)
        if not worse:
            return f"No difference is significant (Holm-adjusted p > {SIGNIFICANT:g})."
        sentences = []
        for others, models in itertools.islice(worse.items(), 3):
            many = "are each" if len(others) > 1 else "is"
            sentences.append(
                f"{phrase([self.names[i] for i in others])} {many} better than "
                f"{phrase([self.names[i] for i in models])}."
            )
        return " ".join(sentences)

    def _weighted(self) -> list[str]:
        """Return a sentence on the weights of the queries, if there are any."""
        if self.effective is None:
            return []
        words, number = weighting_words(self.weighted_by), three_digits(self.effective)
        sentence = (
            f"Means and differences are {words}: {counted(len(self.ids), 'queries')} "
            f"count as {number} of equal weight, their effective number."
        )
        return [sentence]

    def _loses_to(self, place: int) -> set[int]:
        winners = set()
        for pair in self.pairs:
            if pair.significant:
                better, other = pair.first, pair.second
                if pair.difference.mean < 0.0:
                    better, other = other, better
                if other == place:
                    winners.add(better)
        return winners

    def _corrected(self) -> list[str]:
        """Return a note on a pair that correction makes insignificant."""
        near = [
            pair
            for pair in self.pairs
            if not pair.significant and pair.difference.p_value <= SIGNIFICANT
        ]
        if not near:
            return []
        pair = min(near, key=lambda one: one.difference.p_value)
        names = f"{self.names[pair.first]} against {self.names[pair.second]}"
        alone = f"p = {pair.difference.p_value:.2g} alone"
        after = f"{pair.adjusted:.2g} after correcting for {len(self.pairs)} tests"
        return [f"{names}: {alone}, {after}."]

    @property
    def undecided(self) -> list[str]:
        """The pairs that differ in too few queries for a test to decide."""
        each = [
            (f"{self.names[p.first]} against {self.names[p.second]}", p.undecided)
            for p in self.pairs
            if p.undecided
        ]
        if len(each) == 1 or len(self.pairs) == 1:
            return [f"{names}: {why}" for names, why in each]
        if not each:
            return []
        few = f"fewer than {FEWEST_DIFFERING} of {len(self.ids)} queries"
        pairs = f"{len(each)} of {len(self.pairs)} pairs"
        return [f"{pairs} differ in {few}: no test can decide them."]

    def _power(self) -> str:
        """Return a sentence on the smallest detectable differences; pairs that are
        equal in every query are ignored."""
        sizes = sorted(pair.detectable for pair in self.pairs if pair.detectable > 0.0)
        if not sizes:
            return (
                "The models are equal on every query, so the smallest detectable "
                "difference cannot be estimated."
            )
        span = " to ".join(dict.fromkeys(f"{end:.2g}" for end in (sizes[0], sizes[-1])))
        by = "" if len(sizes) == 1 else f", depending on the pair (of {len(sizes)}),"
        return (
            f"With {len(self.ids)} queries, only differences above {span}{by} would be "
            f"detected with {percent(POWER)} power."
        )


def contenders(runs: Iterable[Result]) -> tuple[Contender, ...]:
    """Return runs grouped by their settings, in the order of their first runs."""
    by_recipe: dict[tuple[Any, ...], list[Result]] = defaultdict(list)
    for run in runs:
        recipe = run.terms.algorithm, tuple(sorted(run.cell.settings)), run.terms.course
        by_recipe[recipe].append(run)
    groups = list(by_recipe.values())
    names = [_name(group[0], groups) for group in groups]
    # Settings with the same three digits are written in full.
    doubles = {name for name, times in Counter(names).items() if times > 1}
    return tuple(
        Contender(_name(group[0], groups, name in doubles), tuple(group))
        for name, group in zip(names, groups, strict=True)
    )


def _name(run: Result, groups: Sequence[Sequence[Result]], full: bool = False) -> str:
    """Return the algorithm's title and the settings that differ between its groups."""
    algorithm = run.terms.algorithm
    rivals = [group[0] for group in groups if group[0].terms.algorithm == algorithm]
    parts = differing_settings([one.settings for one in rivals])
    declared = run.declared
    write = shortest if full else rounded
    differing = [
        f"{row.brief} = {write(run.settings.get(row.name, row.default))}"
        for row in map(declared.__getitem__, parts)
    ]
    course = differing_settings([one.terms.course._asdict() for one in rivals])
    differing += filter(None, (getattr(run.terms.course, name) for name in course))
    return ", ".join([run.ranked_by, *differing])


def differing_settings(settings: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names of the settings whose values differ."""
    names = dict.fromkeys(name for one in settings for name in one)
    return [n for n in names if len({one.get(n) for one in settings}) > 1]


def short_names(contenders: Sequence[Contender]) -> dict[str, str]:
    """Return short names of contenders for pictures, by name: the algorithm's title
    alone if no other contender has that algorithm."""
    counts = Counter(one.algorithm for one in contenders)
    return {
        one.name: one.ranked_by if counts[one.algorithm] == 1 else one.name
        for one in contenders
    }


def best_of_each(
    contenders: Sequence[Contender], measure: str
) -> tuple[Contender, ...]:
    """Return the contender of each algorithm with the highest mean; of equal ones the
    first.

    One that ranks nothing is chosen only if all of its algorithm rank nothing.
    The choice uses their own queries, which favours algorithms with many settings if
    the same queries compare them.
    """
    best: dict[str, Contender] = {}
    for one in contenders:
        held = best.get(one.algorithm)
        if held is None or (held.ranks, held.value(measure)) < (
            one.ranks,
            one.value(measure),
        ):
            best[one.algorithm] = one
    return tuple(best.values())


def compare(
    contenders: Sequence[Contender], measure: str, baseline: str | None = None
) -> Comparison:
    """Compare contenders on their common queries.

    Parameters
    ----------
    contenders : sequence of Contender
        At least one, with runs on one data set.
    measure : str
        A measure that all runs have.
    baseline : str, optional
        Name of the contender to compare all others with; by default all pairs are
        compared. Fewer tests lose less power to the correction.

    Raises
    ------
    ValueError
        If a run lacks the measure.
    """
    for one in contenders:
        if any(measure not in run.queries for run in one.runs):
            raise ValueError(
                f"{one.name} was not measured by {measure}; choose another measure."
            )
    each = [one.per_query(measure) for one in contenders]
    every = list(each[0]) if each else []
    shared = [q for q in every if not any(np.isnan(of.get(q, np.nan)) for of in each)]
    values = np.array([[of[q] for q in shared] for of in each]).reshape(
        len(each), len(shared)
    )
    weights = _weights(contenders, shared)
    means = weighted_means(values, weights) if shared else np.zeros(len(each))
    # A model that ranks nothing comes last, whatever its value.
    order = np.lexsort((-means, np.array([not one.ranks for one in contenders])))
    ranked = tuple(contenders[i] for i in order)
    values = values[order]
    enough = len(shared) >= _FEWEST
    ends = np.full((len(each), 2), np.nan)
    return Comparison(
        measure=measure,
        contenders=ranked,
        ids=tuple(shared),
        values=values,
        intervals=mean_intervals(values, weights=weights) if enough else ends,
        pairs=_pairs(ranked, values, weights, baseline) if enough else (),
        left_out=len(every) - len(shared),
        weights=weights,
        weighted_by=contenders[0].first.terms.weighted_by if each else "",
    )


def _weights(contenders: Sequence[Contender], queries: Sequence[str]) -> Floats | None:
    """Return the weights of queries; None if all weigh the same."""
    of = contenders[0].weights if contenders else {}
    weights = np.array([of.get(name, 1.0) for name in queries])
    return weights if len(weights) and np.ptp(weights) else None


def measure_rows(comparisons: Sequence[Comparison]) -> list[dict[str, Any]]:
    """Return each contender with its means and their intervals, and marks on ties with
    the best.

    Parameters
    ----------
    comparisons : sequence of Comparison
        Comparisons of the same contenders, one per measure; the first is sorted.
    """
    rows: list[dict[str, Any]] = [{"model": name} for name in comparisons[0].names]
    for one in comparisons:
        for row in rows:
            at = one.names.index(row["model"])
            low, high = one.intervals[at]
            tie = (" best" if at == 0 else " tied") if one.ties[at] else ""
            ranks = one.contenders[at].ranks
            value = listed(f"{one.means[at]:.3f}", ranks)
            if ranks and np.isfinite(low):
                value += f" [{low:.3f}, {high:.3f}]{tie}"
            row[one.measure] = value
    return rows


def setting_rows(
    contenders: Sequence[Contender],
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return each contender with its differing settings and its cost, and the titles of
    the settings that are equal; see `settings_that_differ`."""
    differing, equal = settings_that_differ(contenders)
    rows = [
        {
            "model": one.name,
            **differing[one.name],
            "features kept": one.nonzeros,
            "best iteration": one.iterations,
            "seconds": one.seconds,
            "runs": len(one.runs),
        }
        for one in contenders
    ]
    return rows, equal


def over_data_sets(
    runs: Iterable[Result], measure: str
) -> tuple[list[str], list[str], Floats]:
    """Return the best contender of each algorithm on each data set, of comparable runs.

    Returns
    -------
    data, algorithms : list of str
        Names of n data sets, and of the k algorithms with a value on all of them.
    values : (n, k) float64
        Means over the queries.
    """
    measured = [run for run in runs if measure in run.queries]
    each = {
        data: {
            one.algorithm: one.value(measure)
            for one in best_of_each(
                contenders(comparable(these, measure).runs), measure
            )
            if one.ranks
        }
        for data, these in same_data(measured).items()
    }
    every = dict.fromkeys(name for row in each.values() for name in row)
    names = [
        n
        for n in every
        if all(not np.isnan(row.get(n, np.nan)) for row in each.values())
    ]
    values = [[row[name] for name in names] for row in each.values()]
    return list(each), names, np.array(values).reshape(len(each), len(names))


def ranks_over_data_sets(
    runs: Iterable[Result], measure: str
) -> tuple[list[str], list[str], MeanRanks | str]:
    """Return the mean ranks of algorithms, or a sentence that says why there are none.

    Returns
    -------
    data, algorithms : list of str
        As in `over_data_sets`.
    ranks : MeanRanks or str
    """
    data, algorithms, values = over_data_sets(runs, measure)
    if len(data) < FEWEST_DATA_SETS or len(algorithms) < FEWEST_MODELS:
        few = f"{FEWEST_DATA_SETS} data sets and {FEWEST_MODELS} algorithms"
        now = f"{counted(len(data), 'data sets')} and {len(algorithms)} algorithms"
        reason = f"Mean ranks need at least {few}; this study has {now}."
        return data, algorithms, reason
    return data, algorithms, mean_ranks(values)


def _pairs(
    ranked: Sequence[Contender],
    values: Floats,
    weights: Floats | None,
    baseline: str | None,
) -> tuple[Pair, ...]:
    names = [one.name for one in ranked]
    if baseline in names:
        against = names.index(str(baseline))
        chosen = [(k, against) for k in range(len(names)) if k != against]
    else:
        chosen = list(itertools.combinations(range(len(names)), 2))
    if not chosen:
        return ()
    tests = differences(values, chosen, weights=weights)
    adjusted = holm([one.p_value for one in tests])
    effect = detectable_effect(values.shape[1], POWER, SIGNIFICANT / len(chosen))
    return tuple(
        Pair(*pair, one, float(p), effect * one.deviation)
        for pair, one, p in zip(chosen, tests, adjusted, strict=True)
    )


def _data(one: Contender) -> str:
    """Return the data of the runs, by name and content."""
    each = {(run.cell.fold or run.terms.data, run.terms.content) for run in one.runs}
    return ", ".join(
        sorted(
            f"{name} ({', '.join(part[:6] for part in content if part)})"
            for name, content in each
        )
    )


# Conditions besides the settings that models may share → a contender's value; empty if
# it is the default.
_TERMS: Mapping[str, Callable[[Contender], str]] = {
    "Data and split": _data,
    "Evaluation rules": lambda one: ", ".join(one.first.terms.rules),
    "Choice of the best iteration": lambda one: one.first.terms.course.chosen,
    "Limit": lambda one: one.first.terms.course.limit,
    "Changes": lambda one: one.first.terms.course.changes,
    "Start": lambda one: one.first.terms.course.start,
    "End": lambda one: one.first.terms.course.ended,
}


def settings_that_differ(
    contenders: Sequence[Contender],
) -> tuple[dict[str, dict[str, str]], list[str]]:
    """Return the settings of several models whose values differ.

    Returns
    -------
    differing : dict of str to dict
        By contender's name: the title of a setting → its value as text; a dash if there
        is no model, or no such setting.
    equal : list of str
        Titles of what is equal for all: data, rules and training conditions first, then
        settings that several models have with the same value.
    """
    models = [one for one in contenders if one.has_model]
    declared = {one.name: one.first.declared for one in models}
    differing: dict[str, dict[str, str]] = {one.name: {} for one in contenders}
    equal = []
    for title, of in _TERMS.items():
        values = [of(one) for one in models]
        if len(set(values)) == 1:
            equal += [title] if values[0] else []
            continue
        for one, value in zip(models, values, strict=True):
            differing[one.name][title] = value or NONE
    names = dict.fromkeys(name for one in models for name in one.settings)
    settings = {
        one.name: {
            # A default that is elsewhere left out is written beside other values.
            **{
                n: declared[one.name][n].default
                for n in names
                if n in declared[one.name]
            },
            **one.settings,
        }
        for one in models
    }
    for name in names:
        having = [one for one in models if name in settings[one.name]]
        values = [settings[one.name][name] for one in having]
        title = declared[having[0].name][name].title
        if len(having) > 1 and len(set(values)) == 1:
            equal.append(title)
        elif len(having) > 1 or len(models) == 1:
            texts = labelled([*dict.fromkeys(values)])
            for one in models:
                declares = name in declared[one.name]
                value = texts[settings[one.name][name]] if declares else NONE
                differing[one.name][title] = value
    titles = dict.fromkeys(title for titles in differing.values() for title in titles)
    for one in contenders:
        if not one.has_model:
            differing[one.name] = dict.fromkeys(titles, NONE)
    return differing, equal
