"""The numbers above the figures."""

from pages.views.train._look import ShownRun
from rankcore.base.numbers import duration
from rankcore.topics.train.pace import pace
from rankcore.topics.train.value_text import NONE_YET, in_three_digits
from rankcore.training.selection import HOW
from rankcore.views import Fact


def facts(look: ShownRun) -> list[Fact]:
    record, measure = look.record, str(look.measure)
    off = len((look.watched.settings or look.values).get("without", ()))
    left = f"of {look.splits.train.n_features}" + f", {off} switched off" * (off > 0)
    iteration, count, seconds = "0", NONE_YET, NONE_YET
    if record is not None:
        iteration, count = str(record.iteration), str(record.nonzeros)
        seconds = duration(record.seconds)
    return [
        Fact("Iteration", iteration, _chosen(look)),
        Fact(f"Training {measure}", in_three_digits(record, "train", measure)),
        Fact(
            f"Validation {measure}",
            in_three_digits(record, "valid", measure),
            _best(look),
        ),
        Fact(look.algorithm.nonzeros_title, count, left),
        Fact("Training time", seconds, _pace(look)),
    ]


def _chosen(look: ShownRun) -> str:
    """Return the limit and how the model was selected; for an active run, its speed."""
    how = "" if look.active or look.selection is None else HOW[look.selection.by]
    if look.watched.state == "running" and look.record is not None:
        how = pace(look.watched.run).speed
    return ", ".join(filter(None, (f"of {look.algorithm.max_iter}", how)))


def _best(look: ShownRun) -> str:
    """Return the value and the iteration of the best model."""
    best, value = look.best, in_three_digits(look.best, "valid", str(look.measure))
    return (
        "" if best is None or value == NONE_YET else f"best {value} at {best.iteration}"
    )


def _pace(look: ShownRun) -> str:
    """Return the time per iteration, or the time left while the run is active."""
    if look.record is None:
        return ""
    speed = pace(look.watched.run)
    return speed.time_left if look.watched.state == "running" else speed.step
