"""Hyperparameters that change during training.

A change is made after an iteration and takes effect in the next one. Hyperparameters
that can change are declared with ``while_running``; `rankcore.training.Run` makes the
changes. Their text form, in links and on the command line, is
``40:learning_rate=0.01;80:g=5``.
"""

import copy
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from rankcore.base.hyperparameters import Hyperparameter, Value, hyperparameters
from rankcore.base.numbers import quoted, read_number
from rankcore.training.steps import Trainable

if TYPE_CHECKING:
    from rankcore.data.dataset import RankingDataset

# Iteration after which they change → new values of hyperparameters by name.
Planned = Mapping[int, Mapping[str, Value]]


class Change(NamedTuple):
    """A hyperparameter that has changed.

    Attributes
    ----------
    iteration : int
        The last iteration with the old value; 0 is the starting point.
    old, new : value
    """

    iteration: int
    name: str
    old: Value
    new: Value


def changeable(algorithm: Any) -> dict[str, Hyperparameter]:
    """Return the hyperparameters of an algorithm that can change during training, by
    name.

    For a class, all that are declared so; for an instance, those that matter for its
    other values.
    """
    declared = hyperparameters(algorithm)
    rows = {name: row for name, row in declared.items() if row.while_running}
    if isinstance(algorithm, type):
        return rows
    settings = {name: getattr(algorithm, name) for name in declared}
    return {name: row for name, row in rows.items() if row.applies(settings)}


def declaration(algorithm: Any, name: str) -> Hyperparameter:
    """Return one of `changeable` by its name.

    Raises
    ------
    ValueError
        If it is not among them; the message names those that can change.
    """
    possible = changeable(algorithm)
    if name in possible:
        return possible[name]
    title = getattr(algorithm, "__name__", type(algorithm).__name__)
    exists = name in hyperparameters(algorithm)
    wrong = f"cannot change its {name}" if exists else f"has no {quoted(name)}"
    can = (
        f"it can change {', '.join(possible)}" if possible else "it can change nothing"
    )
    raise ValueError(
        f"{title} {wrong} while it runs with these settings; {can}. Start a new run to "
        "change anything else."
    )


def checked(
    algorithm: Trainable, changes: Planned, dataset: "RankingDataset | None" = None
) -> dict[int, dict[str, Value]]:
    """Planned changes in order, each checked against the values in force at its time.

    Raises
    ------
    ValueError
        As in `declaration`; for a value that is not permitted, or with which the
        algorithm cannot train on ``dataset``; for an iteration that is not a
        nonnegative integer.
    """
    for iteration in changes:
        whole = isinstance(iteration, int) and not isinstance(iteration, bool)
        if not whole or iteration < 0:
            raise ValueError(
                "A change follows an iteration, a whole number of at least 0, not "
                f"{quoted(iteration)}."
            )
    by_iteration: dict[int, dict[str, Value]] = {}
    state = copy.copy(algorithm)
    for iteration in sorted(changes):
        by_iteration[iteration] = {}
        for name, value in changes[iteration].items():
            new = declaration(state, name).check(value)
            by_iteration[iteration][name] = new
            setattr(state, name, new)
        if dataset is not None:
            state.check(dataset)
    return by_iteration


def last(changes: Planned) -> dict[str, Value]:
    """Return the values of hyperparameters after all changes, by name."""
    return {name: v for at in sorted(changes) for name, v in changes[at].items()}


def parse(algorithm: type[Any], text: str) -> dict[int, dict[str, Value]]:
    """Read changes from a link or the command line; the inverse of `texts`.

    Hyphens in names count as underscores.

    Raises
    ------
    ValueError
        For a malformed text, a name that cannot change, or an invalid value.
    """
    changes: dict[int, dict[str, Value]] = {}
    for part in filter(None, (part.strip() for part in text.split(";"))):
        place, colon, assignment = part.partition(":")
        name, equals, value = assignment.partition("=")
        name = name.strip().replace("-", "_")
        try:
            iteration = read_number(place, whole=True)
        except ValueError:
            iteration = -1
        if not (colon and equals) or iteration < 0:
            raise ValueError(
                "A change is iteration, name and new value, written as "
                f"40:learning_rate=0.01, not as {quoted(part)}."
            )
        new = declaration(algorithm, name).parse(value)
        changes.setdefault(int(iteration), {})[name] = new
    return changes


def texts(algorithm: Any, changes: Planned) -> list[str]:
    """Each change as text, in order; `parse` reads them back, joined by ``;``."""
    declared = hyperparameters(algorithm)
    return [
        f"{iteration}:{name}={declared[name].format(value)}"
        for iteration in sorted(changes)
        for name, value in changes[iteration].items()
    ]


def planned(history: Iterable[Change]) -> dict[int, dict[str, Value]]:
    """Return the plan that repeats these changes."""
    changes: dict[int, dict[str, Value]] = {}
    for change in history:
        changes.setdefault(change.iteration, {})[change.name] = change.new
    return changes
