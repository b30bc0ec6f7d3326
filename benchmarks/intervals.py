"""Coverage and width of intervals of means over queries.

Query values are drawn from those of trained models on real data sets: the measure of
each query, and its difference between two models; synthetic populations are in
``tests/measures/test_coverage.py``. OHSUMED and MQ2008 must be where RankScope finds
LETOR downloads. For each number of queries, a line shows the coverage at nominal 95%
and the mean width of

- ours, over all draws, with the share of draws for which it has no caution;
- the percentile, BCa and studentised bootstrap (999 resamples) and Student's t;
- N. Gaffke's exact bound (2005) for values from 0 to 1, or differences from -1 to 1.

Mean coverage and width over the 16 real populations of each kind:

============  =======  ==========  ==========  ==========  ===========  ==========
values        queries  ours        percentile  BCa         studentised  t
============  =======  ==========  ==========  ==========  ===========  ==========
of a measure       10  .956 .360   .891 .346   .921 .359   .963 .568    .923 .428
of a measure       30  .956 .215   .938 .213   .952 .216   .968 .247    .948 .228
of a measure      100  .952 .119   .945 .119   .950 .119   .956 .122    .948 .121
differences        10  .912 .231   .799 .193   .773 .212   .848 .480    .908 .243
differences        30  .941 .142   .905 .128   .886 .131   .908 .214    .932 .137
differences       100  .951 .076   .939 .072   .935 .073   .939 .075    .945 .074
============  =======  ==========  ==========  ==========  ===========  ==========

The exact bound has coverages of .988, .980, .968 and widths of .444, .247, .129 for
values of a measure; for differences it is 2.8, 1.9 and 1.4 times as wide as ours.

``python benchmarks/intervals.py`` prints the table; an argument sets the number of
draws (1000, for which the standard error is .007 at .95).
"""

import sys
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy import special, stats

from rankcore import RankingDataset, get_algorithm, load_dataset, measures
from rankcore.algorithms import Ranker
from rankcore.data.catalogue import folds_of
from rankcore.mathematics.statistics import difference_interval, mean_interval

QUERIES = (10, 30, 100)
DRAWS = 1000
RESAMPLES = 999
SETS = ("mslr10k-sample", "planted", "ohsumed/Fold1", "mq2008/Fold1")
MEASURES = ("nDCG@10", "AP", "RR", "nDCG@1")
MODELS = ("LeastSquares", "AdaRank")
TAILS = (0.025, 0.975)


class Population(NamedTuple):
    """Values of queries, and whether they are differences of two models."""

    name: str
    values: np.ndarray
    differs: bool


class Row(NamedTuple):
    """One line of the table.

    Attributes
    ----------
    population : Population
    queries : int
    found : dict of str to (float, float)
        Coverage and mean width by method.
    trusted : float
        The share of draws for which ours has no caution.
    """

    population: Population
    queries: int
    summaries: dict[str, tuple[float, float]]
    trusted: float

    def __str__(self) -> str:
        cells = (f"{name} {c:.3f} {w:.3f}" for name, (c, w) in self.summaries.items())
        line = f"{self.population.name:38} {self.queries:4}   " + "   ".join(cells)
        return f"{line} ({self.trusted:.0%})"


def rows(draws: int = DRAWS) -> Iterator[Row]:
    for queries in QUERIES:
        for population in real():
            yield row(population, queries, draws)


def real() -> Iterator[Population]:
    """Yield populations of two models on test data, and of their differences."""
    for name in SETS:
        try:
            train, _, test = load_dataset(name)
        except ValueError:
            continue
        tests = [load_dataset(fold).test for fold in folds_of(name)] or [test]
        queries = np.repeat(np.arange(train.n_queries), train.lengths)
        models = [
            get_algorithm(model)().fit(train.X, train.y, qid=queries)
            for model in MODELS
        ]
        for measure in MEASURES:
            both = [
                np.concatenate([_values(data, model, measure) for data in tests])
                for model in models
            ]
            complete = ~np.isnan(both).any(axis=0)
            first, second = (values[complete] for values in both)
            title = f"{name.partition('/')[0]} {measure}"
            for values, differs in ((first, False), (first - second, True)):
                yield Population(f"{title}{', differences' * differs}", values, differs)


def _values(test: RankingDataset, model: Ranker, measure: str) -> np.ndarray:
    scores = model.predict(test.X)
    return measures.by_query(test, scores, measure)[measure]


def row(population: Population, queries: int, draws: int, seed: int = 0) -> Row:
    """Return the coverage and width of each method."""
    rng = np.random.default_rng(seed)
    ends: dict[str, list[tuple[float, float]]] = {}
    for _ in range(draws):
        values = rng.choice(population.values, queries)
        for name, interval in _intervals(values, population.differs, rng):
            ends.setdefault(name, []).append(interval)
    trusted = ends.setdefault("trusted", [])
    mean = float(population.values.mean())
    summaries = {n: _summary(np.array(e), mean) for n, e in ends.items() if e}
    return Row(population, queries, summaries, len(trusted) / draws)


def _summary(ends: np.ndarray, mean: float) -> tuple[float, float]:
    low, high = ends.T
    held = (low <= mean + 1e-12) & (mean <= high + 1e-12)
    return float(held.mean()), float((high - low).mean())


def _intervals(
    values: np.ndarray, differs: bool, rng: np.random.Generator
) -> Iterator[tuple[str, tuple[float, float]]]:
    """Yield each method's name and ends."""
    zeros = np.zeros_like(values)
    interval = difference_interval(values, zeros) if differs else mean_interval(values)
    yield "ours", (interval.low, interval.high)
    queries, mean = len(values), float(values.mean())
    drawn = values[rng.integers(0, queries, (RESAMPLES, queries))]
    means = drawn.mean(axis=1)
    low, high = np.quantile(means, TAILS)
    yield "percentile", (low, high)
    yield "BCa", _bca(values, means)
    error = values.std(ddof=1) / np.sqrt(queries)
    errors = drawn.std(axis=1, ddof=1) / np.sqrt(queries)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.nan_to_num((means - mean) / errors, nan=0.0)
    low, high = np.quantile(np.clip(ratios, -1e9, 1e9), TAILS)
    least = -1.0 if differs else 0.0
    yield "studentised", (max(mean - high * error, least), min(mean - low * error, 1.0))
    half = stats.t.ppf(TAILS[1], queries - 1) * error
    yield "t", (mean - half, mean + half)
    weights = rng.exponential(size=(RESAMPLES, queries + 1))
    sums, total = weights[:, 1:] @ values, weights.sum(axis=1)
    yield (
        "exact",
        (
            float(np.quantile((sums + least * weights[:, 0]) / total, TAILS[0])),
            float(np.quantile((sums + weights[:, 0]) / total, TAILS[1])),
        ),
    )
    if not interval.caution:
        yield "trusted", (interval.low, interval.high)


def _bca(values: np.ndarray, means: np.ndarray) -> tuple[float, float]:
    mean, centred = values.mean(), values - values.mean()
    if np.ptp(values) == 0.0:
        return mean, mean
    below, above = (means < mean - 1e-12).mean(), (means <= mean + 1e-12).mean()
    share = np.clip((below + above) / 2.0, 1.0 / RESAMPLES, 1.0 - 1.0 / RESAMPLES)
    moved = special.ndtri(share) + special.ndtri(TAILS)
    acceleration = (centred**3).sum() / (6.0 * (centred**2).sum() ** 1.5)
    shares = special.ndtr(special.ndtri(share) + moved / (1.0 - acceleration * moved))
    low, high = np.quantile(means, shares)
    return low, high


if __name__ == "__main__":
    for one in rows(int(sys.argv[1]) if len(sys.argv) > 1 else DRAWS):
        print(one, flush=True)
