"""The runs of sweeps and searches: one for each combination of values, fold and seed.

A run depends on its cell alone, so that the results are the same, to the bit, whatever
executes them and in whatever order. Test data is not looked at.
"""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

import numpy as np

from rankcore import measures as _measures
from rankcore.algorithms import Ranker
from rankcore.base.cancellation import cancel_point, exit_of
from rankcore.base.hyperparameters import Value
from rankcore.base.numbers import plain
from rankcore.data.catalogue import Splits
from rankcore.data.dataset import RankingDataset
from rankcore.data.samples import Sample
from rankcore.training import Record, Run, Stop, drive, every

PRUNED = "Ended early: below the median of other models after as many iterations."


class Cell(NamedTuple):
    """What tells one run of a sweep from the others.

    Attributes
    ----------
    settings : tuple of (str, value)
        The hyperparameters swept over, in their order, with the run's values.
    fold : str
        Empty where there are no folds.
    seed : int
        The run's ``random_state``.
    most : int or None
        Iterations at most, where they are fewer than those of all.
    sample : Sample or None
        The training data, where they are not the fold's own.
    """

    settings: tuple[tuple[str, Value], ...]
    fold: str
    seed: int
    most: int | None = None
    sample: Sample | None = None

    def data(self, train: RankingDataset) -> RankingDataset:
        """Return the training data, from those of the fold."""
        return train if self.sample is None else self.sample.of(train)

    def limits(self, stop: Stop | None) -> Stop | None:
        """Return the limits of the run, from those of all."""
        if self.most is None:
            return stop
        return replace(stop or Stop(), max_iterations=self.most)

    def to_json(self) -> dict[str, Any]:
        """Return the cell as JSON has it; `from_json` reads it."""
        own = self._asdict()
        if self.sample is not None:
            own["sample"] = self.sample._asdict()
        return {name: value for name, value in own.items() if value is not None}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> "Cell":
        """Return the cell that `to_json` has written."""
        settings = tuple((name, value) for name, value in record["settings"])
        sample = Sample(**record["sample"]) if "sample" in record else None
        return cls(settings, record["fold"], record["seed"], record.get("most"), sample)


class Bar(NamedTuple):
    """What a run must have reached on the way, else it ends early.

    Attributes
    ----------
    measure : str
        With its split, such as ``"valid nDCG@10"``.
    steps : tuple of int
        Iterations.
    values : tuple of float
        The highest value so far must be no lower.
    """

    measure: str
    steps: tuple[int, ...]
    values: tuple[float, ...]

    def ends(self, records: Sequence[Record]) -> bool:
        """Whether a run with these records is below it; the starting point does not
        count."""
        step = records[-1].iteration
        if step == 0 or step not in self.steps:
            return False
        reached = [r.figure(self.measure) for r in records if r.iteration > 0]
        return max(reached) < self.values[self.steps.index(step)]


@dataclass(frozen=True, eq=False)
class SweepRow:
    """The run of one cell.

    Attributes
    ----------
    cell : Cell
    failed : bool
        Whether training was not possible, or ended with an error.
    reason : str
        Why training ended, or what was wrong, as a sentence.
    diverged : bool
        Whether it ended because the model was no longer finite.
    problem : str
        What the algorithm says kept its last iteration from getting on; empty: nothing.
    pruned : bool
        Whether it ended early because it was below a `Bar`.
    iterations : int
        Iterations done.
    iteration : int
        The one after which the best model was taken, see `rankcore.training.Run.best`.
    seconds : float
        Training time without measuring.
    objective : float
        Of the best model; NaN if the run failed.
    nonzeros : int
        Features that the best model uses.
    train, valid : dict of str to float
        Mean measures of the best model on either split.
    queries : dict of str to (q,) float64
        Its measures for each query: of the validation data, else of the training data.
    coef : (d,) float64
        The best model.
    history : dict of str to (r,) float64
        Of each record: ``"iteration"``, ``"seconds"``, and the mean measures as
        ``"train nDCG@10"`` and ``"valid nDCG@10"``.
    ranks : bool
        Whether the best model orders any two documents of a query.
    """

    cell: Cell
    failed: bool
    reason: str
    diverged: bool = False
    problem: str = ""
    pruned: bool = False
    iterations: int = 0
    iteration: int = 0
    seconds: float = 0.0
    objective: float = np.nan
    nonzeros: int = 0
    train: Mapping[str, float] = field(default_factory=dict)
    valid: Mapping[str, float] = field(default_factory=dict)
    queries: Mapping[str, np.ndarray] = field(default_factory=dict)
    coef: np.ndarray = field(default_factory=lambda: np.empty(0))
    history: Mapping[str, np.ndarray] = field(default_factory=dict)
    ranks: bool = True

    def to_row(self) -> dict[str, Any]:
        """Return the row's figures by column name; those of each query and of each
        record are left out."""
        figures = ("iterations", "iteration", "seconds", "objective", "nonzeros")
        return {
            **dict(self.cell.settings),
            "fold": self.cell.fold,
            "seed": self.cell.seed,
            **({} if self.cell.sample is None else self.cell.sample.to_row()),
            **{f"train {name}": value for name, value in self.train.items()},
            **{f"valid {name}": value for name, value in self.valid.items()},
            **{name: getattr(self, name) for name in figures},
            "ranks": self.ranks,
            "failed": self.failed,
            "diverged": self.diverged,
            "problem": self.problem,
            "reason": self.reason,
        }

    def to_json(self) -> dict[str, Any]:
        """Return the row as JSON has it, to the bit; what is not finite becomes
        None."""
        own = {one.name: plain(getattr(self, one.name), 17) for one in fields(self)}
        return own | {"cell": self.cell.to_json()}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> "SweepRow":
        """Return the row that `to_json` has written."""
        # Rows of before do not say whether they rank.
        record = {"ranks": record["failed"] or record["nonzeros"] > 0, **record}
        figures = {one.name: record[one.name] for one in fields(cls)}
        figures["objective"] = _number(record["objective"])
        for split in ("train", "valid"):
            figures[split] = {n: _number(value) for n, value in record[split].items()}
        for name in ("queries", "history"):
            figures[name] = {
                n: np.array(v, np.float64) for n, v in record[name].items()
            }
        figures["coef"] = np.array(record["coef"], np.float64)
        return cls(**figures | {"cell": Cell.from_json(record["cell"])})

    def record(self) -> Record:
        """Return the best model as a record, such as for the progress of a study."""
        return Record(
            self.iteration, self.seconds, self.objective, self.coef, self.nonzeros,
            self.train, self.valid, ranks=self.ranks,
        )  # fmt: skip


def _number(value: float | None) -> float:
    return np.nan if value is None else value


def train_cell(
    model: Ranker,
    folds: Mapping[str, Splits],
    measures: tuple[str, ...],
    rules: _measures.Rules,
    stop: Stop | None,
    measured_every: int,
    cell: Cell,
    bar: Bar | None = None,
) -> SweepRow:
    """Train the run of a cell; what goes wrong is in the row.

    Parameters
    ----------
    model, folds, measures, rules, stop, measured_every
        As of `sweep`.
    cell : Cell
    bar : Bar, optional
        Below it, the run ends early.
    """
    pruned = False
    settings = {**model.get_params(), **dict(cell.settings), "random_state": cell.seed}
    train, valid, _ = folds[cell.fold]
    train = cell.data(train)
    try:
        own = type(model)(**settings)
        schedule = every(measured_every)
        run = drive(
            own, train, valid,
            stop=cell.limits(stop), measures=measures, rules=rules, schedule=schedule,
        )  # fmt: skip
        with closing(run):
            for _ in run:
                cancel_point()
                if bar is not None and bar.ends(run.history.records):
                    pruned = True
                    break
    except ValueError as error:
        return SweepRow(cell, failed=True, reason=str(error))
    except Exception as error:
        if (end := exit_of(error)) is not None:
            raise end from error
        kind = type(error).__name__
        reason = f"The run ended with an internal error ({kind}): {error}"
        return SweepRow(cell, failed=True, reason=reason)
    best, last = run.best, run.history[-1]
    split = train if valid is None else valid
    scores = own.scores(split.X, best.coef)
    measured = _measures.evaluate(split, scores, measures, *rules)
    return SweepRow(
        cell,
        failed=False,
        reason=PRUNED if pruned else run.reason or "",
        diverged=run.diverged,
        pruned=pruned,
        problem=run.algorithm_after(last).problem(last) or "",
        iterations=last.iteration,
        iteration=best.iteration,
        seconds=last.seconds,
        objective=best.objective,
        nonzeros=best.nonzeros,
        train=dict(best.train),
        valid=dict(best.valid),
        queries={str(name): column.to_numpy() for name, column in measured.items()},
        coef=best.coef,
        history=_history(run),
        ranks=best.ranks,
    )


def _history(run: Run) -> dict[str, np.ndarray]:
    """As in `SweepRow`."""
    first = run.history[0]
    names = [f"train {name}" for name in first.train]
    names += [f"valid {name}" for name in first.valid]
    return {name: run.history.column(name) for name in ("iteration", "seconds", *names)}
