"""The runs of sweeps and searches: one for each combination of values, fold and seed.

A run depends on its cell alone, so that the results are the same, to the bit, whatever
executes them and in whatever order. Test data is not looked at.
"""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rankcore import measures as _measures
from rankcore.algorithms import Ranker
from rankcore.base.cancellation import cancel_point, exit_of
from rankcore.data.catalogue import Splits
from rankcore.studies.earlier import Status
from rankcore.studies.results import PRUNED, Cell, Result
from rankcore.training import Record, Run, Stop, drive, every


class Bar(NamedTuple):
    """The values that a run must reach on the way, else it is pruned.

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


def train_cell(
    model: Ranker,
    folds: Mapping[str, Splits],
    measures: tuple[str, ...],
    rules: _measures.Rules,
    stop: Stop | None,
    measured_every: int,
    cell: Cell,
    bar: Bar | None = None,
) -> Result:
    """Train the run of a cell; what goes wrong is in the result.

    Parameters
    ----------
    model, folds, measures, rules, stop, measured_every
        As of `sweep`.
    bar : Bar, optional
        Below it, the run ends early.
    """
    pruned = False
    settings = {**model.get_params(), **dict(cell.settings), "random_state": cell.seed}
    train, valid, _ = folds[cell.fold]
    train = cell.data(train)
    try:
        ranker = type(model)(**settings)
        schedule = every(measured_every)
        run = drive(
            ranker, train, valid,
            stop=cell.limits(stop), measures=measures, rules=rules, schedule=schedule,
        )  # fmt: skip
        with closing(run):
            for _ in run:
                cancel_point()
                if bar is not None and bar.ends(run.history.records):
                    pruned = True
                    break
    except ValueError as error:
        return Result(cell, "failed", str(error))
    except Exception as error:
        if (end := exit_of(error)) is not None:
            raise end from error
        kind = type(error).__name__
        reason = f"The run ended with an internal error ({kind}): {error}"
        return Result(cell, "failed", reason)
    result = measured_result(cell, run)
    if not pruned:
        return result
    status: Status = "diverged" if run.diverged else "pruned"
    return replace(result, status=status, reason=PRUNED)


def measured_result(cell: Cell, run: Run) -> Result:
    """Return what a run with a record has come to so far, with the measures of each
    query and its history."""
    best = run.best
    split = run.train if run.valid is None else run.valid
    scores = run.algorithm.scores(split.X, best.coef)
    measured = _measures.evaluate(split, scores, run.measures, *run.rules)
    return result_of(
        cell,
        run,
        problem=run.algorithm_after(run.history[-1]).problem(run.history[-1]) or "",
        train=dict(best.train),
        valid=dict(best.valid),
        queries={str(name): column.to_numpy() for name, column in measured.items()},
        history=_history(run),
    )


def result_of(
    cell: Cell, run: Run, record: Record | None = None, **others: Any
) -> Result:
    """Return the result of a run with its best model, or that of a record; ``others``
    are fields of a `Result` that neither tells."""
    last, record = run.history[-1], record or run.best
    return Result(
        cell,
        "diverged" if run.diverged else "finished",
        run.reason or "",
        iterations=last.iteration,
        iteration=record.iteration,
        seconds=last.seconds,
        objective=record.objective,
        nonzeros=record.nonzeros,
        coef=record.coef,
        ranks=record.ranks,
        **others,
    )


def _history(run: Run) -> dict[str, np.ndarray]:
    """As in `Result`."""
    first = run.history[0]
    names = [f"train {name}" for name in first.train]
    names += [f"valid {name}" for name in first.valid]
    return {name: run.history.column(name) for name in ("iteration", "seconds", *names)}
