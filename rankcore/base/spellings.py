"""American spellings of the names in the Python interface, and of the options of
commands, beside the British ones."""

import functools
import inspect
from collections.abc import Callable, Collection
from operator import attrgetter
from typing import Any, TypeVar

# British word in a name → American one.
AMERICAN = {
    "behaviour": "behavior",
    "colour": "color",
    "judgements": "judgments",
    "normalisation": "normalization",
    "normalise": "normalize",
    "optimiser": "optimizer",
    "randomisation": "randomization",
    "standardise": "standardize",
    "standardised": "standardized",
}
_BRITISH = {there: here for here, there in AMERICAN.items()}

_Class = TypeVar("_Class", bound=type)
_Function = TypeVar("_Function", bound=Callable[..., Any])


def american(name: str) -> str:
    """Return a name with the words of the table in American spelling."""
    return "_".join(AMERICAN.get(word, word) for word in name.split("_"))


def british(name: str, names: Collection[str]) -> str:
    """Return the one of some names that another may be in American spelling, or that
    other name as it is."""
    spelt = "_".join(_BRITISH.get(word, word) for word in name.split("_"))
    return spelt if name not in names and spelt in names else name


def british_option(name: str) -> str:
    """Return the name of an option, without its hyphens in front, with the words of the
    table in British spelling."""
    return "-".join(_BRITISH.get(word, word) for word in name.split("-"))


def american_arguments(function: _Function, names: Collection[str] = ()) -> _Function:
    """Return a function that takes its arguments in American spelling too.

    Parameters
    ----------
    function : callable
    names : collection of str
        Of its arguments, by default those of its signature.

    Raises
    ------
    TypeError
        When it is called with an argument in both spellings.
    """
    names = names or inspect.signature(function).parameters

    @functools.wraps(function)
    def called(*args: Any, **arguments: Any) -> Any:
        spelt = {british(name, names): value for name, value in arguments.items()}
        if len(spelt) < len(arguments):
            twice = [name for name in arguments if british(name, names) != name]
            raise TypeError(f"{', '.join(twice)} is given in two spellings; give one.")
        return function(*args, **spelt)

    return called  # type: ignore[return-value]


def american_names(class_: _Class) -> _Class:
    """Give a class its attributes, and its fields as arguments, in American spelling
    too; stands above `dataclass`."""
    fields = getattr(class_, "__dataclass_fields__", {})
    for name in {*dir(class_), *fields}:
        if (alias := american(name)) != name:
            member = getattr(class_, name, None)
            same = member if callable(member) else property(attrgetter(name))
            setattr(class_, alias, same)
    if any(american(name) != name for name in fields):
        for method in {"__init__", "set_params"} & set(dir(class_)):
            wrapped = american_arguments(getattr(class_, method), fields)
            setattr(class_, method, wrapped)
    return class_
