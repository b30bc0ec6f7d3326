"""The curves of a training run, with few enough points to draw ten times a second."""

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankcore.base.arrays import Floats, Integers
from rankcore.base.hyperparameters import hyperparameters
from rankcore.base.numbers import counted
from rankcore.training import History, Record
from rankcore.training.changes import Change

MOST_POINTS = 500


# The horizontal axis of a run's curves, or the pace of a race; a column of records.
Axis = Literal["iteration", "seconds"]


class Curve(NamedTuple):
    """One quantity over the iterations of a run.

    Attributes
    ----------
    name : str
        ``"training"``, ``"validation"`` or ``"objective"``.
    x, y : (m,) float64
        Iterations (or seconds of training), and the value after each; m <= 500.
    """

    name: str
    x: Floats
    y: Floats


class Tick(NamedTuple):
    """A hyperparameter that changed while the run was under way.

    Attributes
    ----------
    x, y : float
        Position on the last of the measured curves: the last iteration (or second) with
        the old value, and the measure after it.
    name, old, new : str
        The hyperparameter and its values.
    """

    x: float
    y: float
    name: str
    old: str
    new: str

    @property
    def text(self) -> str:
        """As in "g 0.1 → 0.01"."""
        return f"{self.name} {self.old} → {self.new}"


class RunCurves(NamedTuple):
    """The curves of a run over its iterations or its training time.

    Attributes
    ----------
    measure : str
        Name of the measure of the first curves.
    measured : tuple of Curve
        The measure on training and, if there are any, validation queries.
    best : (float, float) or None
        The iteration (or second) of the best record, and its measure on validation
        (otherwise training) queries.
    ticks : tuple of Tick
        Hyperparameters that changed.
    over : {"iteration", "seconds"}
        The horizontal axis of the curves.
    """

    measure: str
    measured: tuple[Curve, ...]
    objective: Curve
    best: tuple[float, float] | None
    ticks: tuple[Tick, ...] = ()
    over: Axis = "iteration"


def downsample_minmax(y: ArrayLike, most: int = MOST_POINTS) -> Integers:
    """Choose points of a curve that preserve its appearance.

    These are the first and the last point, and the smallest and the largest value of
    equally long stretches between them.

    Parameters
    ----------
    y : (n,) array
        Values in drawing order; NaN is a gap.
    most : int
        Maximum number of points, at least 4.

    Returns
    -------
    (m,) int64
        Rising indices, m <= ``most``.
    """
    values = np.asarray(y, dtype=np.float64)
    n = len(values)
    if n <= most:
        return np.arange(n)
    inside = values[1:-1]
    width = math.ceil(len(inside) / ((most - 2) // 2))
    padding = (0, -len(inside) % width)
    rows = np.pad(inside, padding, constant_values=math.nan).reshape(-1, width)
    begins = 1 + width * np.arange(len(rows))
    lowest = begins + np.where(np.isnan(rows), np.inf, rows).argmin(axis=1)
    highest = begins + np.where(np.isnan(rows), -np.inf, rows).argmax(axis=1)
    return np.unique(np.concatenate(([0], lowest, highest, [n - 1])))


def run_curves(
    history: History,
    measure: str,
    best: Record | None = None,
    over: Axis = "iteration",
    algorithm: Any = None,
) -> RunCurves:
    """Return the curves of a run so far.

    Parameters
    ----------
    history : History
        History of the run, which may still be training.
    measure : str
        A measure that the run has recorded, such as ``"nDCG@10"``; there are no curves
        of other measures.
    best : Record, optional
        The best record so far, marked in the picture.
    over : {"iteration", "seconds"}
        The horizontal axis: iterations, or seconds of training.
    algorithm : Ranker, optional
        Provides the symbols of hyperparameters that changed.
    """
    records = history.records[:]
    x = np.array([record.figure(over) for record in records], dtype=np.float64)
    splits = {
        "training": [record.train.get(measure, math.nan) for record in records],
        "validation": [record.valid.get(measure, math.nan) for record in records],
    }
    measured = tuple(
        _curve(name, x, values)
        for name, values in splits.items()
        if len(values) and not np.isnan(values).all()
    )
    objective = _curve("objective", x, [record.objective for record in records])
    ticks: tuple[Tick, ...] = ()
    if measured:
        passed = np.array([record.iteration for record in records])
        at = [np.searchsorted(passed, c.iteration) for c in history.changes]
        values = splits[measured[-1].name]
        declared = {} if algorithm is None else hyperparameters(algorithm)

        def title_of(name: str) -> str:
            return declared[name].brief if name in declared else name.replace("_", " ")

        ticks = tuple(
            Tick(x[i], values[i], title_of(change.name), *_from_to(change))
            for i, change in zip(at, history.changes, strict=False)
            if i < len(records)
        )
    mark = _mark(best, measure, over)
    return RunCurves(measure, measured, objective, mark, ticks, over)


def together(ticks: Sequence[Tick], near: float) -> list[Tick]:
    """Return ticks, last first, merging those closer than ``near`` to a later tick of
    the same hyperparameter, which takes over their first old value."""
    groups: list[Tick] = []
    last: dict[str, int] = {}
    for tick in reversed(ticks):
        at = last.get(tick.name)
        if at is not None and groups[at].x - tick.x < near:
            groups[at] = groups[at]._replace(old=tick.old)
        else:
            last[tick.name] = len(groups)
            groups.append(tick)
    return groups


def finding(curves: RunCurves, state: str) -> str:
    """Return a sentence that describes the curves, as a text alternative."""
    if not curves.measured or not len(curves.objective.x):
        return f"Training has not begun; {curves.measure} will be drawn here."
    values = " and ".join(
        f"{curve.y[-1]:.3f} on {curve.name} queries" for curve in curves.measured
    )
    last = float(curves.objective.x[-1])
    sentence = f"After {_count(last, curves.over)} {curves.measure} is {values}"
    if curves.best is not None and len(curves.measured) > 1:
        where, value = curves.best
        place = (
            f"iteration {where:g}" if curves.over == "iteration" else f"{where:.3g} s"
        )
        sentence += f"; the best on validation is {value:.3f} at {place}"
    for tick in curves.ticks:
        sentence += f"; {tick.text} after {tick.x:g}"
    return f"{sentence} ({state})."


def _count(x: float, over: Axis) -> str:
    return counted(x, "iterations") if over == "iteration" else f"{x:.3g} s of training"


def _from_to(change: Change) -> list[str]:
    return [
        f"{value:g}" if isinstance(value, float) else str(value)
        for value in (change.old, change.new)
    ]


def _curve(name: str, x: Floats, values: Sequence[float]) -> Curve:
    y = np.array(values, dtype=np.float64)
    points = downsample_minmax(y)
    return Curve(name, x[points], y[points])


def _mark(best: Record | None, measure: str, over: Axis) -> tuple[float, float] | None:
    if best is None:
        return None
    value = best.valid.get(measure, best.train.get(measure))
    return None if value is None else (best.figure(over), value)
