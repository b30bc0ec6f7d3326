"""Extensions that a program adds to RankScope while it runs."""

import inspect
from collections.abc import Callable
from types import ModuleType
from typing import TypeVar, overload

from rankcore import measures
from rankcore.algorithms import Ranker
from rankcore.base import discovery
from rankcore.data.formats import Format
from rankcore.data.judgements import Form
from rankcore.data.rankings import RankingForm
from rankcore.data.readers import Splits
from rankcore.studies.exports import ExportFormat

KINDS = {
    Ranker: "algorithms",
    measures.Measure: "measures",
    ExportFormat: "exports",
    Format: "formats",
    Form: "judgements",
    RankingForm: "rankings",
}

C = TypeVar("C", bound=type)
M = TypeVar("M", bound=ModuleType)
Maker = TypeVar("Maker", bound=Callable[[], Splits])


@overload
def register(extension: C) -> C: ...
@overload
def register(extension: Maker) -> Maker: ...
@overload
def register(extension: M) -> M: ...
def register(extension: object) -> object:
    """Add an algorithm, a measure, a format, a data set or lessons for the lifetime of
    this process.

    Lists, names, options and controls then include it. Installed packages add theirs by
    entry points, without a call.

    Parameters
    ----------
    extension : type, function or module
        A subclass of `Ranker`, `Measure`, `ExportFormat`, `Format`, or a form of
        judgements or rankings; a function without arguments that returns the `Splits`
        of a data set, which is named after the function, with hyphens; or a package
        whose folder contains YAML files of lessons.

    Returns
    -------
    type, function or module
        The extension, so that `register` serves as a decorator.

    Raises
    ------
    TypeError
        If it is not one of these, or lacks a method.
    """
    if inspect.isfunction(extension):
        discovery.register("data", extension.__name__.replace("_", "-"), extension)
        return extension
    if isinstance(extension, ModuleType) and hasattr(extension, "__path__"):
        discovery.register("lessons", extension.__name__, extension)
        return extension
    group = _group(extension)
    lacking = sorted(getattr(extension, "__abstractmethods__", ()))
    if lacking:
        raise TypeError(
            f"{getattr(extension, '__name__', extension)} has no method "
            f"{lacking[0]!r}, so it cannot be used. Write it, and register the class."
        )
    discovery.register(group, extension.__name__, extension)  # type: ignore[attr-defined]
    return extension


def _group(extension: object) -> str:
    """Return the extension group of a class."""
    if isinstance(extension, type):
        for kind, group in KINDS.items():
            if issubclass(extension, kind):
                return group
    names = ", ".join(kind.__name__ for kind in KINDS)
    raise TypeError(
        f"{extension!r} cannot be registered. Register a subclass of {names}, a "
        "function that returns the Splits of a data set, or a package of lessons."
    )
