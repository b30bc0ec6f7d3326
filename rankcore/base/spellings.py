"""American alternatives to the British spellings of names in Python and of command
options."""

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
    """Return a name in American spelling, by the table."""
    return "_".join(AMERICAN.get(word, word) for word in name.split("_"))


def british(name: str, names: Collection[str]) -> str:
    """Return the name in ``names`` of which ``name`` is the American spelling, else
    ``name``."""
    spelt = "_".join(_BRITISH.get(word, word) for word in name.split("_"))
    return spelt if name not in names and spelt in names else name


def british_option(name: str) -> str:
    """Return the name of an option, without leading hyphens, in British spelling."""
    return "-".join(_BRITISH.get(word, word) for word in name.split("-"))


def american_arguments(function: _Function, names: Collection[str] = ()) -> _Function:
    """Return a function that also accepts its arguments in American spelling.

    Parameters
    ----------
    function : callable
    names : collection of str
        Names of its arguments, by default from its signature.

    Raises
    ------
    TypeError
        When called with an argument in both spellings.
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
    """Give a class American spellings of its attributes and arguments; apply it above
    `dataclass`."""
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
