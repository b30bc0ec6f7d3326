"""Runs of sweeps and searches: one per combination of values, fold and seed.

A run depends only on its cell, so results are identical to the bit for any executor and
order. Test data is not used.
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
    """Intermediate values that a run must reach to avoid being pruned.

    Attributes
    ----------
    measure : str
        Measure with its split, such as ``"valid nDCG@10"``.
    steps : tuple of int
        Iterations of the checks.
    values : tuple of float
        Minimum of the highest value so far at each step.
    """

    measure: str
    steps: tuple[int, ...]
    values: tuple[float, ...]

    def ends(self, records: Sequence[Record]) -> bool:
        """Return whether a run with these records is below the bar; the starting point
        is ignored."""
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
    """Return the result of training the run of a cell; errors are part of the result.

    Parameters
    ----------
    model, folds, measures, rules, stop, measured_every
        As for `sweep`.
    bar : Bar, optional
        The run ends early if it is below this bar.
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
    """Return the result so far of a run with a record, including measures of each query
    and history."""
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
    """Return the result of a run with its best model, or the model of a record;
    ``others`` are the remaining fields of `Result`."""
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
    """Return the history as in `Result`."""
    first = run.history[0]
    names = [f"train {name}" for name in first.train]
    names += [f"valid {name}" for name in first.valid]
    return {name: run.history.column(name) for name in ("iteration", "seconds", *names)}
