"""Names of compared training runs, from the settings that differ."""

from collections.abc import Mapping
from typing import Any

from rankcore.algorithms import get_algorithm
from rankcore.base.hyperparameters import hyperparameters
from rankcore.training import changes


def difference(
    title: str, settings: Mapping[str, Any] | None, other: Mapping[str, Any] | None
) -> str:
    """Return the settings in which a run differs from another, in words, followed by
    those that changed during training: ``g → 0.07``."""
    if settings is None:
        return title
    changed = _changed(settings)
    if other is None or settings["algorithm"] != other["algorithm"]:
        return ", ".join([title, *changed])
    differing = [
        f"{_brief(key)} = {_short(value)}"
        for key, value in settings.items()
        if key != "changes" and other.get(key) != value
    ]
    same = changed == _changed(other)
    return ", ".join([*(differing or [title]), *([] if same else changed)])


def _changed(settings: Mapping[str, Any]) -> list[str]:
    name, text = settings["algorithm"], settings.get("changes", "")
    values = changes.last(changes.parse(get_algorithm(name), text)) if text else {}
    return [f"{_brief(f'{name}.{n}')} → {_short(v)}" for n, v in values.items()]


def _brief(key: str) -> str:
    """Return the key of a setting in a few characters."""
    name, _, setting = key.rpartition(".")
    if not name:
        return setting.replace("_", " ")
    return hyperparameters(get_algorithm(name))[setting].brief


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
