"""The run that the settings call for, and the command that repeats it."""

import shlex
from collections.abc import Mapping
from typing import Any

from pages.ui import shared
from pages.ui.data import datasets
from rankcore.algorithms import Ranker, get_algorithm
from rankcore.hyperparameters import hyperparameters
from rankcore.training import Run, Stop, drive
from rankcore.views import Values

OPTIONS = (shared.NORMALISE, *shared.EVALUATION)


def algorithm(values: Values) -> Ranker:
    """The algorithm with its hyperparameters and seed, not fitted."""
    cls = get_algorithm(values.algorithm)
    return cls(**values.of(cls), random_state=values.seed)


def run(values: Values) -> Run:
    """A new run, not begun."""
    splits, chosen = datasets.of(values), algorithm(values)
    return drive(
        chosen,
        splits.train,
        splits.valid,
        stop=Stop(max_iterations=chosen.max_iter),
        measures=(values.measure,),
        rules=shared.rules(values),
    )


def refusal(values: Values) -> str | None:
    """Why the algorithm cannot train on the data, as a sentence."""
    return algorithm(values).unsupported_reason(datasets.of(values).train)


def caution(values: Values) -> str | None:
    """What will make the model worse than it need be, as sentences."""
    return algorithm(values).caution(datasets.of(values).train)


def command(values: Values) -> str:
    """The command that trains the same in a terminal."""
    chosen = algorithm(values)
    words = ["rankscope", "train", values.data, values.algorithm]
    for name, declared in hyperparameters(chosen).items():
        value = getattr(chosen, name)
        if value != declared.default and name != "random_state":
            words += [f"--{name.replace('_', '-')}", declared.format(value)]
    for row in OPTIONS:
        if values[row.key] != row.default:
            words += [f"--{row.key}", str(values[row.key])]
    return shlex.join([*words, "--seed", str(values.seed)])


def stem(settings: Mapping[str, Any]) -> str:
    """The name of a file with the model of a run."""
    return f"{settings['algorithm']}-{settings['data']}".replace("/", "-")


def difference(
    title: str,
    settings: Mapping[str, Any] | None,
    other: Mapping[str, Any] | None,
) -> str:
    """The settings in which a run differs from another, in a few words."""
    if settings is None or other is None or settings["algorithm"] != other["algorithm"]:
        return title
    differing = [
        f"{key.rpartition('.')[2].replace('_', ' ')} = {_short(value)}"
        for key, value in settings.items()
        if other.get(key) != value
    ]
    return ", ".join(differing[:2]) or title


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
