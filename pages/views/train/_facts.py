"""The numbers above the figures."""

import math

from pages.views.train._seen import ShownRun
from rankcore.base.numbers import duration, listed
from rankcore.topics.train.pace import pace
from rankcore.training.selection import HOW
from rankcore.views import Fact

NONE_YET = "–"


def facts(seen: ShownRun) -> list[Fact]:
    record, measure = seen.record, str(seen.measure)
    limit = f"of {seen.algorithm.max_iter}"
    used = NONE_YET if record is None else str(record.nonzeros)
    off = len((seen.watched.settings or seen.values).get("without", ()))
    left = f"of {seen.splits.train.n_features}" + f", {off} switched off" * (off > 0)
    size = Fact(seen.algorithm.nonzeros_title, used, left)
    if record is None:
        return [
            Fact("Iteration", "0", limit),
            Fact(f"Training {measure}", NONE_YET),
            Fact(f"Validation {measure}", NONE_YET),
            size,
            Fact("Training time", NONE_YET),
        ]
    return [
        Fact("Iteration", str(record.iteration), _chosen(seen, limit)),
        Fact(f"Training {measure}", _three(record.train.get(measure), record.ranks)),
        Fact(
            f"Validation {measure}",
            _three(record.valid.get(measure), record.ranks),
            _best(seen),
        ),
        size,
        Fact("Training time", duration(record.seconds), _pace(seen)),
    ]


def _chosen(seen: ShownRun, limit: str) -> str:
    """How the model that is shown was chosen, and the limit."""
    how = "" if seen.active or seen.selection is None else HOW[seen.selection.by]
    return ", ".join(filter(None, (limit, how)))


def _best(seen: ShownRun) -> str:
    """Return the value and the iteration of the best model."""
    best, measure = seen.best, str(seen.measure)
    value = None if best is None else best.valid.get(measure)
    if best is None or value is None or math.isnan(value):
        return ""
    return f"best {_three(value, best.ranks)} at {best.iteration}"


def _pace(seen: ShownRun) -> str:
    """Time of an iteration, or while the run is active its speed and the time left."""
    found = pace(seen.watched.run)
    if seen.watched.state != "running":
        return found.step
    return ", ".join(filter(None, (found.speed, found.time_left)))


def _three(value: float | None, ranks: bool) -> str:
    if value is None or math.isnan(value):
        return NONE_YET
    return listed(f"{value:.3f}", ranks)
