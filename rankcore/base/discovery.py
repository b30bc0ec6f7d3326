"""Objects that are found by looking: in the modules of a package, in other packages
that are installed, and among those registered in this process.

Another package offers objects by entry points of the groups ``rankscope.algorithms``,
``rankscope.measures``, ``rankscope.exports``, ``rankscope.formats``,
``rankscope.judgements``, ``rankscope.rankings``, ``rankscope.lessons`` and
``rankscope.data``.
"""

import functools
import importlib
import pkgutil
import warnings
from collections.abc import Callable, Iterator
from typing import Any, ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")

_registered: dict[str, dict[str, Any]] = {}
_forgetting: list[Callable[[], None]] = []


def remembered(function: Callable[P, T]) -> Callable[P, T]:
    """Compute a function once for each argument, and again after `register`."""
    computed = functools.lru_cache(maxsize=64)(function)
    _forgetting.append(computed.cache_clear)
    return cast("Callable[P, T]", computed)


def register(group: str, name: str, value: Any) -> None:
    """Add an object to a group; one that was registered by that name is replaced."""
    _registered.setdefault(group, {})[name] = value
    forget()


def forget() -> None:
    """Look for everything anew on its next use."""
    for forget_one in _forgetting:
        forget_one()


def declared(package: str, kind: type[T], group: str) -> Iterator[type[T]]:
    """Yield the classes of a kind that the modules of a package define, and those of
    others.

    Parameters
    ----------
    package : str
        Its modules whose names begin with an underscore, and its packages, are passed
        over.
    kind : type
    group : str
        As for `of_others`.
    """
    path = importlib.import_module(package).__path__
    for info in pkgutil.iter_modules(path):
        if info.ispkg or info.name.startswith("_"):
            continue
        module = importlib.import_module(f"{package}.{info.name}")
        for value in vars(module).values():
            is_kind = isinstance(value, type) and issubclass(value, kind)
            if is_kind and value.__module__ == module.__name__:
                yield value
    yield from classes_of_others(group, kind)


def classes_of_others(group: str, kind: type[T]) -> Iterator[type[T]]:
    """Yield the classes of a kind in a group of `of_others`.

    Warns
    -----
    UserWarning
        For an object that is no such class.
    """
    for name, value in of_others(group).items():
        if isinstance(value, type) and issubclass(value, kind):
            yield value
        else:
            warnings.warn(
                f"{name!r} of the entry points rankscope.{group} is not a subclass of "
                f"{kind.__name__}, so it is left out.",
                stacklevel=2,
            )


def of_others(group: str) -> dict[str, Any]:
    """Return the objects that other packages and this process add to a group, by name.

    Parameters
    ----------
    group : str
        Such as ``"algorithms"``, for the entry points ``rankscope.algorithms``.
    """
    return _of_packages(group) | _registered.get(group, {})


@remembered
def _of_packages(group: str) -> dict[str, Any]:
    """Load the entry points of a group; warn of one that cannot be loaded."""
    from importlib.metadata import entry_points

    entries: dict[str, Any] = {}
    for entry in entry_points(group=f"rankscope.{group}"):
        try:
            entries[entry.name] = entry.load()
        except Exception as error:  # whatever the other package does wrong
            package = entry.dist.name if entry.dist else entry.value
            warnings.warn(
                f"The package {package} adds {entry.name!r} to the {group} of "
                f"RankScope, but {entry.value} cannot be loaded ({error}). Update or "
                "remove the package.",
                stacklevel=2,
            )
    return entries
