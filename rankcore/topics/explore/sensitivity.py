"""Sensitivity: how much the result varies with factors that are not chosen.

The seed, the fold, the number of training queries and label noise are varied one at a
time; all else stays fixed. Models are measured on validation data with its original
labels.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcore.algorithms import Ranker
from rankcore.data.catalogue import Splits
from rankcore.data.samples import KINDS, Sample
from rankcore.mathematics.statistics import Interval, mean_interval
from rankcore.measures import STANDARD, Rules
from rankcore.studies import Study
from rankcore.studies.results import Cell, Result
from rankcore.studies.sweeps import sweep
from rankcore.topics.explore.model_study import ModelPlan, Models, each_model
from rankcore.training.selection import BEST

Floats = NDArray[np.float64]

# Shares of the training queries, and of shuffled labels.
SHARES = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
NOISE = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5)
_FEWEST_QUERIES = 2


@dataclass(frozen=True)
class Factor:
    """A factor that is varied.

    Attributes
    ----------
    name : str
        The factor's name within a sentence.
    axis : str
        The title of the factor's axis.
    levels : callable
        Returns the levels for a data set, ascending; empty if only repeats differ.
    cell : callable
        Returns the fold, seed and sample of a run from the plan, the level and the
        repeat.
    """

    name: str
    axis: str
    levels: Callable[[Splits], tuple[float, ...]]
    cell: Callable[["SensitivityPlan", float, int], Cell]


@dataclass(frozen=True, eq=False)
class SensitivityPlan(ModelPlan):
    """Plan of the runs over the levels of one factor.

    Attributes
    ----------
    vary : str
        A key of `FACTORS`.
    repeats : int
        Runs per level: seeds, folds or random samples of the data.
    ranker, splits, measure, rules, max_iterations
        As in `rankcore.topics.explore.model_study.ModelPlan`; validation data is
        required.
    """

    ranker: Ranker
    splits: Splits
    vary: str = "queries"
    repeats: int = 5
    seed: int = 0
    measure: str = "nDCG@10"
    rules: Rules = STANDARD
    max_iterations: int = 100

    @property
    def factor(self) -> Factor:
        """The varied factor."""
        return FACTORS[self.vary]

    @property
    def levels(self) -> tuple[float, ...]:
        """The levels of the factor; only level 0 for a factor without levels."""
        return self.factor.levels(self.splits) or (0.0,)

    @property
    def folds(self) -> int:  # type: ignore[override]
        """Number of folds."""
        return self.repeats if self.vary == "folds" else 1

    @cached_property
    def places(self) -> Mapping[Cell, tuple[float, int]]:
        """The level and the repeat of each run, in the order of training."""
        return {
            self.factor.cell(self, level, repeat): (level, repeat)
            for repeat in range(self.repeats)
            for level in self.levels
        }

    @property
    def runs(self) -> int:
        """Number of runs."""
        return len(self.levels) * self.repeats

    def study(
        self, processes: int = 1, store: Any = None, sweep_rows: Sequence[Result] = ()
    ) -> Study:
        """Train the runs, one repeat at all levels after another; see
        `ModelPlan.study`."""
        models = self._models(processes, store, sweep_rows)
        coming = each_model(models, self.runs, n_before=len(sweep_rows))
        return Study(coming, self.runs, "models", self)

    def _models(
        self, processes: int, store: Any, sweep_rows: Sequence[Result]
    ) -> Models:
        rows = sweep(
            self.ranker, self.data, cells=list(self.places),
            measures=(self.measure,), rules=self.rules, stop=self.stop,
            measured_every=self.measured_every, processes=processes, store=store,
            title=f"{self.ranker.title}, sensitivity to {self.factor.name}",
            rows=sweep_rows,
        )  # fmt: skip
        with closing(rows):
            for row in rows:
                yield row, row


class Spread(NamedTuple):
    """A quantity at each level, summarised over the repeats.

    Attributes
    ----------
    levels : (k,) float64
        Levels with a successful run, ascending.
    mean, low, high : (k,) float64
        Mean, smallest and largest value.
    """

    levels: Floats
    mean: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """The completed runs of a plan.

    Attributes
    ----------
    results : tuple of Result
        Successful runs, by repeat and level.
    """

    plan: SensitivityPlan
    results: tuple[Result, ...]
    failed: tuple[Result, ...]

    @cached_property
    def levels(self) -> Floats:
        """(n,) level of each run."""
        return np.array([self.plan.places[one.cell][0] for one in self.results])

    def figures(self, name: str) -> Floats:
        """Return an (n,) quantity of each run: for ``"train"`` or ``"valid"`` the
        measure on that split, for ``"kept"`` the number of features in use."""
        if name == "kept":
            return np.array([one.nonzeros for one in self.results], np.float64)
        column = f"{name} {self.plan.measure}"
        return np.array([one.value(column) for one in self.results])

    def spread(self, name: str) -> Spread:
        """Return a quantity at each level; for its names see `figures`."""
        each, levels = self.figures(name), np.unique(self.levels)
        groups = [each[self.levels == level] for level in levels]
        return Spread(
            levels,
            np.array([values.mean() for values in groups]),
            np.array([values.min() for values in groups]),
            np.array([values.max() for values in groups]),
        )

    @property
    def deviation(self) -> float:
        """Standard deviation of the measure over the repeats, pooled over the levels;
        NaN with fewer than two repeats."""
        each, at = self.figures("valid"), self.levels
        groups = [each[at == level] for level in np.unique(at)]
        able = [values.var(ddof=1) for values in groups if len(values) > 1]
        return float(np.sqrt(np.mean(able))) if able else float("nan")

    @property
    def plain(self) -> Result | None:
        """The run with the plan's seed on the unchanged training data; None if it
        failed or is still to come, or over folds, whose runs have different data."""
        train, usual = self.plan.splits.train, ("", self.plan.seed)
        rows = (
            one
            for one in self.results
            for cell in [one.cell]
            if (cell.fold, cell.seed) == usual
            and not (cell.sample and cell.sample.changes(train))
        )
        return next(rows, None)

    @property
    def plain_model(self) -> tuple[str, str]:
        """The iteration of `plain`, as for `rankcore.training.selection.select`, and a
        sentence about it; without `plain`, the best iteration."""
        if (row := self.plain) is None:
            return BEST, "The link opens a run on all data, not one of these models."
        at, model = self.plan.chosen(row)
        return at, (
            f"The link opens the model of seed {self.plan.seed} and all training data: "
            f"{model}."
        )

    @property
    def sentence(self) -> str:
        """Sentence that compares the spread with the uncertainty over queries."""
        deviation, interval = self.deviation, self.over_queries
        if self.plan.vary == "seeds" and deviation == 0.0:
            return "Every seed gives the same model: training is not random."
        if interval is None or math.isnan(deviation):
            return f"Only {self.plan.factor.name} differs between these models."
        wide = deviation > (interval.high - interval.low) / 2.0
        return (
            f"The spread over repeats is {'wider' if wide else 'narrower'} than the "
            f"{100 * interval.level:g}% bootstrap interval of one model over "
            f"validation queries. {interval.caution}"
        ).rstrip()

    @cached_property
    def over_queries(self) -> Interval | None:
        """The interval of the measure over validation queries, for the first run of the
        last level; None with fewer than two queries."""
        first = self.results[int(self.levels.argmax())]
        values = first.queries[self.plan.measure]
        valued = np.isfinite(values)
        if valued.sum() < _FEWEST_QUERIES:
            return None
        weights = self.plan.query_weights(first.cell.fold, valued=valued)
        return mean_interval(values[valued], weights=weights)


def found_sensitivity(plan: SensitivityPlan, results: Sequence[Result]) -> Sensitivity:
    """Return the sensitivity from completed runs, in any order."""
    order = list(plan.places)
    ordered = sorted(results, key=lambda one: order.index(one.cell))
    return Sensitivity(
        plan,
        tuple(one for one in ordered if not one.failed),
        tuple(one for one in ordered if one.failed),
    )


def _seeds(plan: SensitivityPlan, level: float, repeat: int) -> Cell:
    return Cell((), "", plan.seed + repeat)


def _folds(plan: SensitivityPlan, level: float, repeat: int) -> Cell:
    return Cell((), str(repeat + 1), plan.seed)


def _sampled(kind: str) -> Callable[[SensitivityPlan, float, int], Cell]:
    def cell(plan: SensitivityPlan, level: float, repeat: int) -> Cell:
        return Cell((), "", plan.seed, None, Sample(kind, level, plan.seed, repeat))

    return cell


def _counts(splits: Splits) -> tuple[float, ...]:
    """Return the numbers of training queries to try."""
    total = splits.train.n_queries
    return tuple(sorted({float(max(round(share * total), 1)) for share in SHARES}))


FACTORS: Mapping[str, Factor] = {
    "seeds": Factor("the seed", "seed", lambda splits: (), _seeds),
    "folds": Factor(
        "the fold",
        "fold",
        lambda splits: (),
        _folds,
    ),
    "queries": Factor(
        "the number of training queries",
        KINDS["queries"].column,
        _counts,
        _sampled("queries"),
    ),
    "noise": Factor(
        "the share of shuffled training labels",
        KINDS["noise"].column,
        lambda splits: NOISE,
        _sampled("noise"),
    ),
}
