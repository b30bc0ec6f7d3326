"""The numbers above the figures."""

from pages.views.train._seen import ShownRun
from rankcore.base.numbers import duration
from rankcore.topics.train.pace import pace
from rankcore.topics.train.value_text import NONE_YET, in_three_digits
from rankcore.training.selection import HOW
from rankcore.views import Fact


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
        Fact(f"Training {measure}", in_three_digits(record, "train", measure)),
        Fact(
            f"Validation {measure}",
            in_three_digits(record, "valid", measure),
            _best(seen),
        ),
        Fact(seen.algorithm.nonzeros_title, used, left),
        Fact("Training time", seconds, _pace(seen)),
    ]


def _chosen(seen: ShownRun) -> str:
    """Return the limit and how the model was chosen; of a moving run, its speed."""
    how = "" if seen.active or seen.selection is None else HOW[seen.selection.by]
    if seen.watched.state == "running" and seen.record is not None:
        how = pace(seen.watched.run).speed
    return ", ".join(filter(None, (f"of {seen.algorithm.max_iter}", how)))


def _best(seen: ShownRun) -> str:
    """Return the value and the iteration of the best model."""
    best, value = seen.best, in_three_digits(seen.best, "valid", str(seen.measure))
    return (
        "" if best is None or value == NONE_YET else f"best {value} at {best.iteration}"
    )


def _pace(seen: ShownRun) -> str:
    """Time of an iteration, or while the run moves the time left."""
    if seen.record is None:
        return ""
    speed = pace(seen.watched.run)
    return speed.time_left if seen.watched.state == "running" else speed.step
