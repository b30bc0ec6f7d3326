"""The algorithms, one per file, discovered in this folder, and their base classes.

To add one, add a file that holds a subclass of `Ranker`; nothing else changes. Other
packages add theirs through entry points ``rankscope.algorithms``, programs by
`rankcore.register`. A file whose name begins with an underscore holds a base class or
shared helpers.
"""

import difflib
import importlib
import importlib.util
import inspect
import pkgutil
from typing import Any

from rankcore.algorithms.parts.approximation import Approximation
from rankcore.algorithms.parts.forces import Forces
from rankcore.algorithms.parts.margins.structured import StructuredRanker
from rankcore.algorithms.parts.ranker import (
    Derived,
    FeatureUnits,
    LinearRanker,
    Provenance,
    Ranker,
)
from rankcore.algorithms.parts.trees.forest import ForestRanker
from rankcore.base.citations import references
from rankcore.base.discovery import classes_of_others, remembered
from rankcore.base.hyperparameters import parameters_section
from rankcore.base.numbers import quoted
from rankcore.training.steps import Step, Steps

__all__ = [
    "FAMILIES",
    "Approximation",
    "Derived",
    "FeatureUnits",
    "Forces",
    "ForestRanker",
    "LinearRanker",
    "Provenance",
    "Ranker",
    "Step",
    "Steps",
    "StructuredRanker",
    "by_family",
    "get_algorithm",
    "is_offered",
    "list_algorithms",
]

FAMILIES = {
    "regression": "fit the labels themselves",
    "pairwise": "compare documents two at a time",
    "listwise": "look at a query's whole list",
    "direct": "maximise the measure, or a smooth approximation of it",
    "structured": "separate the ideal order by a large margin",
    "cone": "span a cone by differences of documents",
    "boosting": "add up weak rankers or trees",
}


# The example for an algorithm whose docstring has none.
_EXAMPLE = """\
Examples
--------
>>> import numpy as np
>>> from rankcore import {name}
>>> X, y = np.array([[0.0], [0.2], [1.0]]), np.array([0, 1, 2])
>>> scores = {name}().fit(X, y, qid=None).predict(X)
>>> bool(scores[0] < scores[1] < scores[2])
True"""


@remembered
def _all_algorithms() -> dict[str, type[Ranker]]:
    """All algorithms, whether or not the packages they require are installed; those of
    other packages come last, so that the colours of the others do not change."""
    kinds: dict[str, type[Ranker]] = {}
    for name in _files():
        kinds |= _declared_in(name)
    kinds = dict(sorted(kinds.items(), key=lambda item: item[0].lower()))
    for value in classes_of_others("algorithms", Ranker):  # type: ignore[type-abstract]
        _document(value)
        kinds.setdefault(value.__name__, value)
    return kinds


def _defined() -> dict[str, type[Ranker]]:
    """Algorithms that this process has defined outside the package, registered or not;
    the newest where several have the same name."""
    kinds: dict[str, type[Ranker]] = {}
    bases: list[type[Ranker]] = [Ranker]  # type: ignore[type-abstract]
    while bases:
        for kind in bases.pop().__subclasses__():
            bases.append(kind)
            is_own = kind.__module__.partition(".")[0] != "rankcore"
            if is_own and not inspect.isabstract(kind):
                kinds[kind.__name__] = kind
    return kinds


def _files() -> list[str]:
    return [file.name for file in pkgutil.iter_modules(__path__) if not file.ispkg]


def _declared_in(file: str) -> dict[str, type[Ranker]]:
    module = importlib.import_module(f"{__name__}.{file}")
    kinds = {
        value.__name__: value
        for value in vars(module).values()
        if _is_algorithm(value, module.__name__)
    }
    for name, value in kinds.items():
        _document(value, _EXAMPLE.format(name=name))
    return kinds


def _document(algorithm: type[Ranker], example: str = "") -> None:
    """Add to the docstring the declared hyperparameters, the paper, and an example
    where it has none."""
    text = inspect.cleandoc(algorithm.__doc__ or "")
    if "Parameters\n-" not in text:
        about, head, lines = text.partition("Examples\n-")
        paper = references(getattr(algorithm, "paper", ""))
        example = head + lines or example
        parts = (about.strip(), parameters_section(algorithm), paper, example)
        algorithm.__doc__ = "\n\n".join(filter(None, parts))


@remembered
def _discovered() -> dict[str, type[Ranker]]:
    return {name: kind for name, kind in _all_algorithms().items() if is_offered(kind)}


def _is_algorithm(value: Any, module: str) -> bool:
    return (
        isinstance(value, type)
        and issubclass(value, Ranker)
        and value.__module__ == module
        and not value.__name__.startswith("_")
    )


def is_offered(algorithm: type[Ranker]) -> bool:
    """Whether the packages that the algorithm requires are installed."""
    return all(importlib.util.find_spec(package) for package in algorithm.requires)


def list_algorithms(installed: bool = True) -> list[str]:
    """Return the names of all algorithms in alphabetical order; registered ones and
    those of other packages come last.

    Parameters
    ----------
    installed : bool
        Whether to omit algorithms whose packages are not installed.
    """
    return list(_discovered() if installed else _all_algorithms())


def by_family() -> dict[str, list[str]]:
    """Return the names of all algorithms by family, in the order of `FAMILIES`.

    Families that are not in that table come last.
    """
    families: dict[str, list[str]] = {family: [] for family in FAMILIES}
    for name, algorithm in _discovered().items():
        families.setdefault(algorithm.family, []).append(name)
    return {family: names for family, names in families.items() if names}


def get_algorithm(name: str, installed: bool = True) -> type[Ranker]:
    """Return the class of the algorithm called ``name``, ignoring case; this process
    may have defined it itself.

    Parameters
    ----------
    name : str
        Such as ``"RSRank"``.
    installed : bool
        Whether the packages it requires must be installed; they need not be to read a
        model and score with it.

    Raises
    ------
    ValueError
        If there is none; the message names the closest ones.
    """
    kinds = _discovered() if installed else _all_algorithms()
    if name in kinds:
        return kinds[name]
    by_folded = {each.lower(): each for each in kinds}
    proper = by_folded.get(name.lower())
    if proper is not None:
        return kinds[proper]
    if (defined := _defined().get(name)) is not None:
        return defined
    close = difflib.get_close_matches(name.lower(), by_folded, n=3, cutoff=0.5)
    hint = ", ".join(by_folded[match] for match in close) or ", ".join(kinds)
    raise ValueError(f"There is no algorithm {quoted(name)}. Did you mean: {hint}?")


def __getattr__(name: str) -> type[Ranker]:
    """Return an algorithm by its name; if a file has that name, import only that
    file."""
    if not name.startswith("_"):
        for file in _files():
            if file.replace("_", "") == name.lower():
                kind = _declared_in(file).get(name)
                if kind is not None and is_offered(kind):
                    return kind
        if name in _discovered():
            return _discovered()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
