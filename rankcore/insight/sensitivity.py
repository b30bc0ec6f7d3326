"""Sensitivity: how much the result varies with what nobody chooses on purpose.

The seed, the fold, the number of training queries, and wrong labels are varied one at a
time; all else stays equal. Models are measured on validation data, whose labels are as
given.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcore import _workers
from rankcore.algorithms import Ranker
from rankcore.catalogue import Splits
from rankcore.cells import Cell, SweepRow, train_cell
from rankcore.dataset import RankingDataset
from rankcore.insight.comparison_plan import pooled_folds
from rankcore.insight.model_study import Models, each_model, measured_every
from rankcore.measures import STANDARD, Rules
from rankcore.statistics import Interval, bootstrap_interval
from rankcore.studies import Study
from rankcore.training import Stop

Floats = NDArray[np.float64]

# Shares of the training queries, and of wrong labels.
SHARES = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
NOISE = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5)
_FEWEST_QUERIES = 2


class Setup(NamedTuple):
    """The data and the seed of a run."""

    train: RankingDataset
    valid: RankingDataset
    seed: int


@dataclass(frozen=True)
class Factor:
    """Something that is varied.

    Attributes
    ----------
    name : str
        In a sentence.
    axis : str
        The title of its axis.
    levels : callable
        Its levels, rising, from the data; none: only repeats differ.
    setup : callable
        The data and seed of a run, from the plan, the level and the repeat.
    """

    name: str
    axis: str
    levels: Callable[[Splits], tuple[float, ...]]
    setup: Callable[["SensitivityPlan", float, int], Setup]


@dataclass(frozen=True, eq=False)
class SensitivityPlan:
    """The runs of one factor.

    Attributes
    ----------
    ranker : Ranker
    splits : Splits
        With validation data.
    vary : str
        A name of `FACTORS`.
    repeats : int
        Runs of each level: seeds, folds, random parts of the data.
    seed : int
    measure : str
    rules : Rules
    max_iterations : int
        Of each run.
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
        """The factor that varies."""
        return FACTORS[self.vary]

    @property
    def levels(self) -> tuple[float, ...]:
        """Of the factor; one that has none has the level 0."""
        return self.factor.levels(self.splits) or (0.0,)

    @property
    def split(self) -> str:
        """That on which models are measured."""
        return "valid"

    @property
    def runs(self) -> int:
        """How many there are."""
        return len(self.levels) * self.repeats

    def setup(self, level: float, repeat: int) -> Setup:
        """The data and the seed of a run."""
        return self.factor.setup(self, level, repeat)

    def study(self, beside: int = 0) -> Study:
        """Train the runs, all levels of a repeat after the other.

        Parameters
        ----------
        beside : int
            As of `rankcore.sweeps.sweep`.

        Returns
        -------
        Study
            Finds a `Trial` for each run; its subject is this plan.
        """
        coming = each_model(self._trials(beside), self.runs)
        return Study(coming, self.runs, "models", self)

    def _trials(self, beside: int) -> Models:
        tasks = [(level, n) for n in range(self.repeats) for level in self.levels]
        with closing(self._rows(tasks, beside)) as rows:
            for number, row in rows:
                yield Trial(*tasks[number], row), row

    def _rows(
        self, tasks: Sequence[tuple[float, int]], beside: int
    ) -> Generator[tuple[int, SweepRow]]:
        if beside:
            return _workers.shared_out(beside, _trained, tasks, (self,))
        return _workers.results(None, _trained, tasks, (self,))


class Trial(NamedTuple):
    """A run of a plan.

    Attributes
    ----------
    level : float
    repeat : int
    row : SweepRow
    """

    level: float
    repeat: int
    row: SweepRow


class Spread(NamedTuple):
    """A figure at each level, over its repeats.

    Attributes
    ----------
    levels : (k,) float64
        Those with a run that did not fail, rising.
    mean, low, high : (k,) float64
        The mean, the smallest and the largest.
    """

    levels: Floats
    mean: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """The runs of a plan as far as they are known.

    Attributes
    ----------
    plan : SensitivityPlan
    trials : tuple of Trial
        Those that did not fail, by repeat and level.
    failed : tuple of Trial
    """

    plan: SensitivityPlan
    trials: tuple[Trial, ...]
    failed: tuple[Trial, ...]

    def figures(self, name: str) -> Floats:
        """(n,) a figure of each run: ``"train"`` or ``"valid"``, the measure on that
        split; ``"kept"``, the features in use."""
        if name == "kept":
            return np.array([one.row.nonzeros for one in self.trials], np.float64)
        measure = self.plan.measure
        return np.array([getattr(one.row, name)[measure] for one in self.trials])

    def spread(self, name: str) -> Spread:
        """A figure at each level."""
        each, at = self.figures(name), np.array([one.level for one in self.trials])
        levels = np.unique(at)
        own = [each[at == level] for level in levels]
        return Spread(
            levels,
            np.array([values.mean() for values in own]),
            np.array([values.min() for values in own]),
            np.array([values.max() for values in own]),
        )

    @property
    def deviation(self) -> float:
        """Standard deviation of the measure over the repeats, the mean of its square
        over the levels; NaN of fewer than two repeats."""
        each, at = self.figures("valid"), np.array([one.level for one in self.trials])
        own = [each[at == level] for level in np.unique(at)]
        able = [values.var(ddof=1) for values in own if len(values) > 1]
        return float(np.sqrt(np.mean(able))) if able else float("nan")

    @cached_property
    def over_queries(self) -> Interval | None:
        """The interval of the measure over validation queries, for the first run of the
        last level; None where there are fewer than two queries."""
        last = max(one.level for one in self.trials)
        first = next(one for one in self.trials if one.level == last)
        values = first.row.queries[self.plan.measure]
        values = values[np.isfinite(values)]
        return bootstrap_interval(values) if len(values) >= _FEWEST_QUERIES else None


def found_sensitivity(plan: SensitivityPlan, trials: Sequence[Trial]) -> Sensitivity:
    """Gather the runs that have ended, in any order."""
    ordered = sorted(trials, key=lambda one: (one.repeat, one.level))
    return Sensitivity(
        plan,
        tuple(one for one in ordered if not one.row.failed),
        tuple(one for one in ordered if one.row.failed),
    )


def with_noise(data: RankingDataset, share: float, seed: Any) -> RankingDataset:
    """Data of which a share of the labels, drawn at random, are shuffled among each
    other.

    The labels as a whole stay the same, as do documents without a judgement. With the
    same seed, a larger share has all the documents of a smaller one.

    Parameters
    ----------
    data : RankingDataset
    share : float
        From 0 to 1.
    seed : int or sequence of int
    """
    rng = np.random.default_rng(seed)
    drawn = rng.random(data.n_documents) < share
    at = np.flatnonzero(drawn if data.judged is None else drawn & data.judged)
    y = data.y.copy()
    y[at] = y[rng.permutation(at)]
    return replace(data, y=y)


def part_of(data: RankingDataset, queries: int, seed: Any) -> RankingDataset:
    """So many queries of data, drawn at random; with the same seed, more queries have
    all of fewer ones."""
    drawn = np.random.default_rng(seed).permutation(data.n_queries)[:queries]
    return data.subset(np.sort(drawn))


def _valid(plan: SensitivityPlan) -> RankingDataset:
    assert plan.splits.valid is not None
    return plan.splits.valid


def _seeds(plan: SensitivityPlan, level: float, repeat: int) -> Setup:
    return Setup(plan.splits.train, _valid(plan), plan.seed + repeat)


def _folds(plan: SensitivityPlan, level: float, repeat: int) -> Setup:
    train, valid, _ = pooled_folds(plan.splits, plan.repeats)[str(repeat + 1)]
    assert valid is not None
    return Setup(train, valid, plan.seed)


def _queries(plan: SensitivityPlan, level: float, repeat: int) -> Setup:
    part = part_of(plan.splits.train, int(level), (plan.seed, repeat))
    return Setup(part, _valid(plan), plan.seed)


def _noise(plan: SensitivityPlan, level: float, repeat: int) -> Setup:
    noisy = with_noise(plan.splits.train, level, (plan.seed, repeat))
    return Setup(noisy, _valid(plan), plan.seed)


def _counts(splits: Splits) -> tuple[float, ...]:
    """Numbers of training queries."""
    total = splits.train.n_queries
    return tuple(sorted({float(max(round(share * total), 1)) for share in SHARES}))


FACTORS: Mapping[str, Factor] = {
    "seeds": Factor("the seed", "seed", lambda splits: (), _seeds),
    "folds": Factor("the fold", "fold", lambda splits: (), _folds),
    "queries": Factor(
        "the number of training queries", "training queries", _counts, _queries
    ),
    "noise": Factor(
        "the share of shuffled training labels",
        "shuffled training labels",
        lambda splits: NOISE,
        _noise,
    ),
}


def _trained(plan: SensitivityPlan, level: float, repeat: int) -> SweepRow:
    """Train a run; what goes wrong is in its row."""
    train, valid, seed = plan.setup(level, repeat)
    return train_cell(
        plan.ranker,
        {"": Splits(train, valid, None)},
        (plan.measure,),
        plan.rules,
        Stop(max_iterations=plan.max_iterations),
        measured_every(plan.max_iterations),
        Cell((), "", seed),
    )
