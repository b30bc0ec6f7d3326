"""Names of training runs beside each other, after the settings that differ."""

from collections.abc import Mapping
from typing import Any

from rankcore.algorithms import get_algorithm
from rankcore.hyperparameters import hyperparameters


def difference(
    title: str,
    settings: Mapping[str, Any] | None,
    other: Mapping[str, Any] | None,
) -> str:
    """The settings in which a run differs from another, in words."""
    if settings is None or other is None or settings["algorithm"] != other["algorithm"]:
        return title
    differing = [
        f"{_brief(key)} = {_short(value)}"
        for key, value in settings.items()
        if other.get(key) != value
    ]
    return ", ".join(differing) or title


def _brief(key: str) -> str:
    """The key of a setting in a few characters."""
    name, _, own = key.rpartition(".")
    if not name:
        return own.replace("_", " ")
    return hyperparameters(get_algorithm(name))[own].brief


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
