"""The numbers above the figures."""

import math

from pages.views.train._seen import ShownRun
from rankcore.base.numbers import duration, listed
from rankcore.topics.train.pace import pace
from rankcore.training import Record
from rankcore.training.selection import HOW
from rankcore.views import Fact

NONE_YET = "–"


def facts(seen: ShownRun) -> list[Fact]:
    record, measure = seen.record, str(seen.measure)
    off = len((seen.watched.settings or seen.values).get("without", ()))
    left = f"of {seen.splits.train.n_features}" + f", {off} switched off" * (off > 0)
    iteration, used, seconds = "0", NONE_YET, NONE_YET
    if record is not None:
        iteration, used = str(record.iteration), str(record.nonzeros)
        seconds = duration(record.seconds)
    return [
        Fact("Iteration", iteration, _chosen(seen)),
        Fact(f"Training {measure}", _three(record, "train", measure)),
        Fact(f"Validation {measure}", _three(record, "valid", measure), _best(seen)),
        Fact(seen.algorithm.nonzeros_title, used, left),
        Fact("Training time", seconds, _pace(seen)),
    ]


def _chosen(seen: ShownRun) -> str:
    """How the model that is shown was chosen, or the speed of the run, and the
    limit."""
    how = ""
    if seen.selection is not None:
        moves = seen.watched.state == "running"
        how = pace(seen.watched.run).speed if moves else HOW[seen.selection.by]
    return ", ".join(filter(None, (f"of {seen.algorithm.max_iter}", how)))


def _best(seen: ShownRun) -> str:
    """Return the value and the iteration of the best model."""
    best, value = seen.best, _three(seen.best, "valid", str(seen.measure))
    return (
        "" if best is None or value == NONE_YET else f"best {value} at {best.iteration}"
    )


def _pace(seen: ShownRun) -> str:
    """Time of an iteration, or while the run moves the time left."""
    if seen.record is None:
        return ""
    found = pace(seen.watched.run)
    return found.time_left if seen.watched.state == "running" else found.step


def _three(record: Record | None, split: str, measure: str) -> str:
    """Return the measure of a record in three digits."""
    value = None if record is None else getattr(record, split).get(measure)
    if record is None or value is None or math.isnan(value):
        return NONE_YET
    return listed(f"{value:.3f}", record.ranks)
