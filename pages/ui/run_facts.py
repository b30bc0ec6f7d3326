"""The strip of facts above a run."""

import math

from pages.ui.frame import Fact
from pages.ui.run_view import RunView
from rankcore.training import Record

NONE_YET = "–"


def facts(view: RunView) -> list[Fact]:
    """How far, how good, how sparse, how long."""
    record, measure = view.record, str(view.measure)
    limit = f"of at most {view.algorithm.max_iter}"
    if record is None:
        return [
            Fact("Iteration", "0", limit),
            Fact(f"Training {measure}", NONE_YET),
            Fact(f"Validation {measure}", NONE_YET),
            _size(view),
            Fact("Training time", NONE_YET),
        ]
    valid = _three(record.valid.get(measure))
    return [
        Fact("Iteration", str(record.iteration), limit),
        Fact(f"Training {measure}", _three(record.train.get(measure))),
        Fact(f"Validation {measure}", valid, _best_note(view.best, measure)),
        _size(view),
        Fact("Training time", _seconds(record.seconds), _pace(view, record)),
    ]


def _size(view: RunView) -> Fact:
    """How many features the model uses."""
    used = NONE_YET if view.record is None else str(view.record.nonzeros)
    features = f"of {view.splits.train.n_features}"
    return Fact(view.algorithm.nonzeros_title, used, features)


def _three(value: float | None) -> str:
    return NONE_YET if value is None or math.isnan(value) else f"{value:.3f}"


def _best_note(best: Record | None, measure: str) -> str:
    if best is None or measure not in best.valid:
        return ""
    return f"best {best.valid[measure]:.3f} at {best.iteration}"


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds < 100 else f"{seconds:.0f} s"


def _pace(view: RunView, record: Record) -> str:
    """Time a step, or while it runs the time to go."""
    if view.job is None or not record.iteration:
        return ""
    step = record.seconds / record.iteration
    if view.state != "running":
        return f"{1000 * step:.3g} ms a step" if step < 1 else f"{step:.3g} s a step"
    speed = view.job.speed
    left = max(step, 1 / speed if speed else 0.0)
    left *= view.algorithm.max_iter - record.iteration
    return f"at most {left:.0f} s to go"
