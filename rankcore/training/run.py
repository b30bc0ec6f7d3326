"""The training loop.

`fit`, the command line, background jobs, sweeps and tests all use this loop. The
algorithm yields steps; the driver times and measures them, keeps the best one and
decides when to stop. The caller iterates over the `Run`, and so can pause between two
steps, take a single step, or stop.
"""

import copy
import logging
import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from rankcore import measures as _measures
from rankcore.base.cancellation import training_seconds
from rankcore.base.compiling import kernels_of
from rankcore.base.hyperparameters import Value
from rankcore.base.numbers import counted
from rankcore.compute.executors import Executor, using
from rankcore.data.dataset import RankingDataset, check_missing
from rankcore.training import changes as _changes
from rankcore.training.selection import LAST, By, chooses, select
from rankcore.training.steps import Step, Trainable

if TYPE_CHECKING:
    import pandas as pd


_LOG = logging.getLogger("rankcore")
_UNDIVIDED = (
    "%s does not divide its work into blocks: it trains in one thread, and more "
    "workers do not speed it up."
)
# The beginning of the reason why a diverged run ended.
DIVERGED = "The objective was no longer finite after"
_CONVERGED = "The algorithm has converged: no step is left to take."
_FIGURES = ("iteration", "seconds", "objective", "nonzeros", "ranks")
# Fields of a record with several values, and the prefixes of their column names.
_MEASURED = {"train": "train ", "valid": "valid ", "diagnostics": ""}
# Relative differences that the order of summation can cause.
_ROUNDING = 1e-15
# Limit on the feature values that a brief training visits, counting its data once per
# iteration; gradients over them take at most a second.
_BRIEF_VALUES = 2**28
# Scoring this many queries first usually suffices to show that a model ranks.
_FEW = 4


@dataclass(frozen=True)
class Stop:
    """Limits that end training, whichever comes first; None means no limit.

    Attributes
    ----------
    max_iterations : int
        Number of iterations.
    max_seconds : float
        Training time in seconds, without measuring.
    patience : int
        Number of records without a new best one; see `Run.best`.
    """

    max_iterations: int | None = None
    max_seconds: float | None = None
    patience: int | None = None


@dataclass(frozen=True)
class Record:
    """One measured step.

    Attributes
    ----------
    iteration : int
        Number of completed iterations; 0 is the starting point.
    seconds : float
        Training time so far; the clock stops during measuring.
    coef : (d,) float64
        The model; see `Step`.
    nonzeros : int
        Number of features in use: non-zero coefficients of a linear model.
    train, valid : dict of str to float
        Mean measures on each split, by name; empty if the split is missing.
    diagnostics : dict of str to float
        Further quantities of the algorithm.
    state : dict of str to array
        Additional arrays that describe the model; see `Step`.
    weights : (d,) float64
        Importance of each feature, see `Ranker.feature_weights`; by default the
        coefficients.
    clock : float
        Time of the record on a monotonic clock, in seconds.
    ranks : bool
        Whether the model distinguishes any two documents of a query of the validation
        data, or of the training data without it; by default, whether it uses a feature.
    """

    iteration: int
    seconds: float
    objective: float
    coef: np.ndarray
    nonzeros: int
    train: Mapping[str, float] = field(default_factory=dict)
    valid: Mapping[str, float] = field(default_factory=dict)
    diagnostics: Mapping[str, float] = field(default_factory=dict)
    state: Mapping[str, np.ndarray] = field(default_factory=dict)
    weights: np.ndarray = None  # type: ignore[assignment]  # replaced by coef
    clock: float = field(default_factory=time.monotonic)
    ranks: bool = None  # type: ignore[assignment]  # replaced by nonzeros > 0

    def __post_init__(self) -> None:
        if self.weights is None:
            object.__setattr__(self, "weights", self.coef)
        if self.ranks is None:
            object.__setattr__(self, "ranks", self.nonzeros > 0)

    def figure(self, name: str) -> float:
        """Return the value in one column of `to_row`; NaN if there is none."""
        if name in _FIGURES:
            return getattr(self, name)
        split, _, measure = name.partition(" ")
        measured = {"train": self.train, "valid": self.valid}.get(split, {})
        return measured.get(measure, self.diagnostics.get(name, math.nan))

    def to_row(self) -> dict[str, float]:
        """Return the record's values by column name, without coefficients."""
        return {name: values[0] for name, values in columns([self]).items()}

    @classmethod
    def of_row(
        cls,
        row: Mapping[str, float],
        coef: np.ndarray,
        state: Mapping[str, np.ndarray],
        weights: np.ndarray,
    ) -> "Record":
        """Return the record with these values; NaN means missing."""
        parts: dict[str, dict[str, float]] = {"train": {}, "valid": {}, "": {}}
        for name, value in row.items():
            split, _, measure = name.partition(" ")
            if name in _FIGURES or value != value:
                continue
            if split in ("train", "valid"):
                parts[split][measure] = value
            else:
                parts[""][name] = value
        return cls(
            iteration=int(row["iteration"]),
            seconds=row["seconds"],
            objective=row["objective"],
            coef=coef,
            nonzeros=int(row["nonzeros"]),
            # Records of earlier versions lack the information whether their model
            # ranks.
            ranks=bool(row.get("ranks", row["nonzeros"] > 0)),
            train=parts["train"],
            valid=parts["valid"],
            diagnostics=parts[""],
            state=state,
            weights=weights,
        )


def columns(records: Sequence[Record]) -> dict[str, list[float]]:
    """Return the values of records by column name; NaN where a record lacks one.

    One list per column: a dict per record would take several times as long.
    """
    if not records:
        return {}
    table = {name: [getattr(r, name) for r in records] for name in _FIGURES}
    for kind, prefix in _MEASURED.items():
        dicts = [getattr(record, kind) for record in records]
        for name in dict.fromkeys(chain.from_iterable(dicts)):
            table[prefix + name] = [figures.get(name, math.nan) for figures in dicts]
    return table


class History:
    """The records of a run in order; append-only and so safe to read from any thread
    during training.

    Attributes
    ----------
    records : list of Record
    changes : list of Change
        Changes of hyperparameters.
    """

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.changes: list[_changes.Change] = []

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, index: int) -> Record:
        return self.records[index]

    def __repr__(self) -> str:
        last = f", the last of iteration {self[-1].iteration}" if self.records else ""
        return f"<History of {counted(len(self), 'records')}{last}>"

    def column(self, name: str) -> np.ndarray:
        """Return one column of `to_frame` as floats; NaN for missing values."""
        figures = [record.figure(name) for record in list(self.records)]
        return np.array(figures, dtype=np.float64)

    def to_frame(self) -> "pd.DataFrame":
        """Return a table with one row per record; the last columns are the changed
        hyperparameters, with their values in each iteration.

        For a model that ranks nothing, measures are means over all orders, and the
        column ``ranks`` is False.
        """
        import pandas as pd

        return self.annotated(pd.DataFrame(columns(list(self.records))))

    def annotated(self, table: "pd.DataFrame") -> "pd.DataFrame":
        """Return a table of records with columns for the changed hyperparameters
        added."""
        for name in dict.fromkeys(change.name for change in self.changes):
            table[name] = [self.in_force(name, at) for at in table["iteration"]]
        return table

    def in_force(self, name: str, iteration: int) -> Any:
        """Return the value of a changed hyperparameter in an iteration."""
        changes = [change for change in self.changes if change.name == name]
        past = [change.new for change in changes if change.iteration < iteration]
        return past[-1] if past else changes[0].old


class Run(Iterator[Record]):
    """A training run; iterating over it performs the steps.

    Attributes
    ----------
    algorithm : Ranker
        The algorithm with its initial hyperparameters.
    train, valid : RankingDataset
    measures : tuple of Measure
    rules : Rules
        The evaluation rules.
    start : (d,) float64 or None
        The given starting coefficients.
    history : History
    best : Record
        The best record so far: by the first measure on validation data if given
        (excluding the starting point), else by the objective since the last change of a
        hyperparameter, which may have changed the objective. A model that ranks nothing
        is the best only if no later one ranks anything or, for algorithms that are not
        `anytime`, if its objective is better.
    modelled : frozenset of int or None
        The iterations whose records have their own model; None: all. In a run from a
        store, other records have the model of the nearest earlier one.
    diverged : bool
        Whether it ended because its objective or its model became non-finite.
    limited : bool
        Whether a limit on iterations or time ended it.
    reason : str or None
        Why training ended, as a sentence; None until it has.
    """

    def __init__(
        self,
        algorithm: Trainable,
        train: RankingDataset,
        valid: RankingDataset | None,
        stop: Stop,
        measures: "Sequence[_measures.Measure]",
        rules: "_measures.Rules",
        schedule: Callable[[int], bool],
        rng: np.random.Generator,
        start: np.ndarray | None,
        changes: _changes.Planned,
        executor: Executor | None = None,
    ) -> None:
        self.algorithm: Any = algorithm
        self._executor = executor
        self.train = train
        self.valid = valid
        self.start = start
        self.measures = tuple(measures)
        self.rules = rules
        self.history = History()
        self.modelled: frozenset[int] | None = None
        self.diverged = False
        self.limited = False
        self._reason: str | None = None
        self._stop = stop
        self._schedule = schedule
        self._planned = _changes.checked(algorithm, changes, train)
        self._lock = threading.Lock()
        # A copy receives the changes.
        able = _changes.changeable(type(algorithm))
        self._trained = copy.copy(algorithm) if able else algorithm
        self._rng = rng
        # Sums over blocks are always float64; other methods compute in the type of the
        # features.
        self._train_data = train if algorithm.splits else train.stored("float64")
        self._steps = self._trained.training_steps(self._train_data, rng, start)
        self._last: Step | None = None
        self._under_way = 0
        self._began_at = 0
        self._seconds = 0.0
        self._best: Record | None = None
        self._best_at = 0
        self._best_value = -math.inf
        self._unrecorded: Step | None = None
        self._at_hand: dict[int, np.ndarray] = {}
        self._few: RankingDataset | None = None
        self._score_train = algorithm.scorer(train.X)
        self._score_valid = None if valid is None else algorithm.scorer(valid.X)

    @property
    def done(self) -> int:
        """The number of records so far."""
        return len(self.history)

    @property
    def max_iterations(self) -> int | None:
        """The limit on iterations, or None."""
        return self._stop.max_iterations

    @property
    def max_seconds(self) -> float | None:
        """The limit on training time in seconds, or None."""
        return self._stop.max_seconds

    @property
    def reason(self) -> str | None:
        if self._reason is None or self._best is None:
            return self._reason
        note = self.algorithm.ending_note(self.best)
        return self._reason if note is None else f"{self._reason} {note}"

    @property
    def best(self) -> Record:
        if self._best is None:
            raise ValueError("The run has no record yet: take at least one step.")
        return self._best

    def __repr__(self) -> str:
        title = f"Run of {self.algorithm.title}"
        if self._best is None:
            return f"<{title}: iterate to train>"
        done = counted(self.history[-1].iteration, "iterations")
        rest = "; iterate to go on" if self._reason is None else f". {self._reason}"
        return f"<{title}: {done}, the best is {self._best.iteration}{rest}>"

    def __next__(self) -> Record:
        with kernels_of(type(self.algorithm).__name__), using(self._executor):
            return self._next()

    def _next(self) -> Record:
        while self._reason is None:
            step = self._advance()
            if step is not None:
                self._reason = self._limit_reached(step)
                self.limited = self._reason is not None
                if self._reason is not None or self._schedule(step.iteration):
                    return self._record(step)
            self._unrecorded = step or self._unrecorded
        self.close()
        if self._unrecorded is not None:
            return self._record(self._unrecorded)
        raise StopIteration

    def recall(
        self,
        records: Sequence[Record],
        best: int | None,
        reason: str | None,
        features: frozenset[int] | None = None,
    ) -> None:
        """Adopt the records of an earlier execution of this run, and end it.

        Parameters
        ----------
        best : int or None
            The index of the best record.
        reason : str or None
            Why it ended; None if it was stopped.
        features : frozenset of int or None
            As the attribute.
        """
        self.close()
        self.modelled = features
        self.history.records.extend(records)
        self._best = None if best is None else records[best]
        self._reason = reason

    def has(self, record: Record) -> bool:
        """Whether a record has the model of its own iteration; see ``modelled``."""
        return self.modelled is None or record.iteration in self.modelled

    def close(self) -> None:
        """End the run: the algorithm cleans up, and no further step is taken."""
        self._steps.close()

    @property
    def changes(self) -> _changes.Planned:
        """All changes of hyperparameters, past and planned, as ``changes`` of
        `drive`."""
        with self._lock:
            past = _changes.planned(self.history.changes)
            return dict(sorted((self._planned | past).items()))

    def change(self, **values: Value) -> int:
        """Change hyperparameters from the next iteration on; thread-safe.

        Returns
        -------
        int
            The current iteration, or the last one if none is under way.

        Raises
        ------
        ValueError
            For a hyperparameter that cannot change during training, or an invalid
            value; the message says what is permitted.
        """
        with self._lock:
            at = self._under_way
            plan = self._planned | {at: self._planned.get(at, {}) | values}
            to_come = {k: v for k, v in plan.items() if k >= at}
            self._planned |= _changes.checked(self._trained, to_come, self.train)
            return at

    def algorithm_after(self, record: Record) -> Any:
        """Return the algorithm with the hyperparameters in force after a record."""
        algorithm = copy.copy(self.algorithm)
        for change in self.history.changes:
            if change.iteration <= record.iteration:
                setattr(algorithm, change.name, change.new)
        return algorithm

    def scores(self, record: Record) -> np.ndarray:
        """Return scores under the model of a record, of the validation data if given,
        else of the training data; those of the best and the last record are cached.

        Returns
        -------
        (n,) float64
        """
        scores = self._at_hand.get(id(record))
        if scores is None:
            data = self.train if self.valid is None else self.valid
            scores = self.algorithm.scores(data.X, record.coef)
        return scores

    def _make_changes(self) -> None:
        """Make the changes that are due, and mark the next step as under way."""
        with self._lock:
            last = self._last
            if last is None:
                return
            self._under_way = last.iteration + 1
            changes = []
            for name, new in self._planned.pop(last.iteration, {}).items():
                old = getattr(self._trained, name)
                if new != old:
                    setattr(self._trained, name, new)
                    changes.append(_changes.Change(last.iteration, name, old, new))
            self.history.changes += changes
        if not changes:
            return
        if self.chosen_by == "objective":
            self._best_value = -math.inf
        if self._trained.resumes:
            self._steps.close()
            self._steps = self._trained.training_steps(
                self._train_data, self._rng, last.coef
            )
            self._began_at = last.iteration
            next(self._steps)

    def _advance(self) -> Step | None:
        """Take one step and add its time; return None, and set the reason, when the
        algorithm has ended or diverged."""
        began = training_seconds()
        try:
            self._make_changes()
            step = next(self._steps)
        except StopIteration as end:
            self._reason = end.value or _CONVERGED
            return None
        finally:
            self._seconds += training_seconds() - began
        if self._began_at:
            step = replace(step, iteration=self._began_at + step.iteration)
        self._last = step
        if not (math.isfinite(step.objective) and np.isfinite(step.coef).all()):
            self.diverged = True
            self._reason = (
                f"{DIVERGED} {counted(step.iteration, 'iterations')}; the best model "
                "before is kept. Try a smaller learning rate."
            )
            return None
        return step

    def _limit_reached(self, step: Step) -> str | None:
        stop = self._stop
        if stop.max_iterations is not None and step.iteration >= stop.max_iterations:
            return f"Reached the limit of {counted(stop.max_iterations, 'iterations')}."
        if stop.max_seconds is not None and self._seconds >= stop.max_seconds:
            seconds = counted(stop.max_seconds, "seconds")
            return f"Reached the limit of {seconds} of training."
        return None

    def _record(self, step: Step) -> Record:
        self._unrecorded = None
        weights = self.algorithm.feature_weights(step.coef, self.train.n_features)
        on_train = self._scores(self._score_train, step.coef)
        on_valid = self._scores(self._score_valid, step.coef)
        record = Record(
            iteration=step.iteration,
            seconds=self._seconds,
            objective=step.objective,
            coef=step.coef,
            nonzeros=int(np.count_nonzero(weights)),
            train=self._measure(self.train, on_train, self.measures),
            valid=self._measure(self.valid, on_valid, self.measures),
            diagnostics=step.diagnostics,
            state=step.state,
            weights=weights,
            ranks=self._ranks(on_train if self.valid is None else on_valid, step.coef),
        )
        last = len(self.history)
        improves = self._improves(record)
        # Set before appending: other threads read the best as soon as there is a
        # record.
        if improves:
            self._best, self._best_at = record, last
        scores = on_train if self.valid is None else on_valid
        if scores is not None:
            best = {k: v for k, v in self._at_hand.items() if k == id(self._best)}
            self._at_hand = best | {id(record): scores}
        self.history.records.append(record)
        if not improves and last - self._best_at == self._stop.patience:
            what = "The objective" if self.valid is None else "Validation"
            self._reason = (
                f"{what} stopped improving at iteration {self.best.iteration}."
            )
        if self._reason is not None:
            self.close()
        return record

    def _scores(
        self, score: Callable[[np.ndarray], np.ndarray] | None, coef: np.ndarray
    ) -> np.ndarray | None:
        return score(coef) if score is not None and self.measures else None

    def _measure(
        self,
        dataset: RankingDataset | None,
        scores: np.ndarray | None,
        measures: "Sequence[_measures.Measure]",
    ) -> dict[str, float]:
        if dataset is None or scores is None:
            return {}
        return _measures.means(dataset, scores, measures, *self.rules)

    def _ranks(self, scores: np.ndarray | None, coef: np.ndarray) -> bool:
        """Whether a model ranks anything, by scores of the validation data if given,
        else of the training data."""
        data = self.train if self.valid is None else self.valid
        if scores is None:
            few = self._few or data.subset(range(min(data.n_queries, _FEW)))
            self._few = few
            if not _measures.ranks_nothing(
                self.algorithm.scores(few.X, coef), few.offsets
            ):
                return True
            scores = self.algorithm.scores(data.X, coef)
        return not _measures.ranks_nothing(scores, data.offsets)

    @property
    def chosen_by(self) -> By:
        """The criterion that chooses `best`: ``"validation"`` or ``"objective"``."""
        measured = self.valid is not None and bool(self.measures)
        return chooses(self.algorithm, measured)

    def _improves(self, record: Record) -> bool:
        """Return whether a record is better than the best one, and store its value."""
        first = self._best_value == -math.inf
        # On validation data any later model replaces the starting point.
        start = self._best is None or self._best.iteration == 0
        if self.chosen_by == "validation":
            value = next(iter(record.valid.values()))
            better = first or start or _exceeds(value, self._best_value)
        else:
            value = record.objective * (1.0 if self.algorithm.maximises else -1.0)
            better = first or _exceeds(value, self._best_value)
        if self._best is not None and record.iteration > 0:
            # The objective decides for algorithms whose iterates are not valid models,
            # except in ties.
            worse = not self.algorithm.anytime and _exceeds(self._best_value, value)
            if record.ranks and not (self._best.ranks or worse):
                better = True
            elif self._best.ranks and not (record.ranks or start):
                better = better and not self.algorithm.anytime
        if better:
            self._best_value = value
        return better


def _exceeds(new: float, old: float) -> bool:
    return new > old + _ROUNDING * abs(old)


def every(count: int) -> Callable[[int], bool]:
    """Return a schedule that measures every ``count``-th iteration and the last one."""
    return lambda iteration: iteration % count == 0


def drive(
    algorithm: Trainable,
    train: RankingDataset,
    valid: RankingDataset | None = None,
    *,
    stop: Stop | None = None,
    measures: Sequence[str] = ("nDCG@10",),
    rules: _measures.Rules = _measures.STANDARD,
    schedule: Callable[[int], bool] | None = None,
    rng: np.random.Generator | None = None,
    start: np.ndarray | None = None,
    changes: _changes.Planned | None = None,
    executor: Executor | None = None,
) -> Run:
    """Start a run; iterate over it to train.

    Parameters
    ----------
    algorithm : Ranker
        The current values of its hyperparameters apply.
    train : RankingDataset
        Training data, also measured at each record.
    valid : RankingDataset, optional
        Validation data, measured at each record to choose the best iterate.
    stop : Stop, optional
        By default the algorithm's own ``max_iter``.
    measures : sequence of str
        Names such as ``"nDCG@10"``; the first one chooses the best iterate.
    rules : Rules
        Evaluation rules: the convention, and the value of queries without relevant
        documents.
    schedule : callable, optional
        Maps an iteration to whether it is measured and recorded; by default all are.
        The last one is always recorded.
    rng : numpy.random.Generator, optional
        By default seeded with the algorithm's ``random_state``.
    start : (d,) float64, optional
        Coefficients to start from.
    changes : dict of int to dict, optional
        New values of hyperparameters after an iteration: with ``{40: {"learning_rate":
        0.01}}``, iteration 41 is the first with the new value.
    executor : Executor, optional
        Computes the sums over the training data, see `rankcore.compute.executors`. The
        run is the same to the last bit. For an algorithm that does not split, it has no
        effect except a log message.

    Returns
    -------
    Run
        Iterating yields its records; no training happens before.

    Raises
    ------
    ValueError
        For invalid hyperparameters, changes, measures, rules or data.
    """
    algorithm.check(train)
    if valid is not None and valid.n_features != train.n_features:
        raise ValueError(
            f"The validation data has {counted(valid.n_features, 'features')}, the "
            f"training data {train.n_features}; read both with the same number of "
            "features."
        )
    check_missing(train, validation=valid)
    rng = np.random.default_rng(algorithm.random_state) if rng is None else rng
    if executor is not None and executor.workers > 1 and not algorithm.splits:
        _LOG.warning(_UNDIVIDED, algorithm.title)
    return Run(
        algorithm,
        train,
        valid,
        stop or Stop(max_iterations=algorithm.max_iter),
        [_measures.parse(name) for name in measures],
        rules.checked(),
        schedule or every(1),
        rng,
        start,
        changes or {},
        executor,
    )


def warm_start(
    run: Run, algorithm: Trainable, train: RankingDataset, at: str = LAST
) -> np.ndarray | None:
    """Return the coefficients (d,) of a model of a run; None if there are none yet, or
    the algorithm cannot start from them on these data.

    ``at`` is as in `rankcore.training.selection.select`, or the nearest earlier.
    """
    able = algorithm.warm_starts and run.algorithm.warm_starts
    if not able or train.feature_names != run.train.feature_names:
        return None
    return select(run, at, nearest=True).record.coef if len(run.history) else None


def train_briefly(
    algorithm: Trainable, train: RankingDataset, *, max_iterations: int
) -> Run:
    """Train without measuring, for a user who waits: at most about a second, with the
    same number of iterations on every machine.

    Parameters
    ----------
    algorithm : Ranker
    max_iterations : int
        There are fewer for large data, and where ``algorithm.iteration_cost`` is high.

    Returns
    -------
    Run
        The completed run, with at least one step: see its ``best`` and ``history``.
    """
    most = _BRIEF_VALUES // (train.X.size * algorithm.iteration_cost)
    stop = Stop(max_iterations=max(1, min(max_iterations, most)))
    run = drive(algorithm, train, stop=stop, measures=())
    for _ in run:
        pass
    return run
