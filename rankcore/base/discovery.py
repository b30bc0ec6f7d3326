"""Discovery of objects: in the modules of a package, in other installed packages, and
among those registered in this process.

Other packages provide objects through entry points of the groups
``rankscope.algorithms``, ``rankscope.measures``, ``rankscope.exports``,
``rankscope.formats``, ``rankscope.judgements``, ``rankscope.rankings``,
``rankscope.lessons`` and ``rankscope.data``.
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
    """Cache a function for each argument, until the next `register`."""
    computed = functools.lru_cache(maxsize=64)(function)
    _forgetting.append(computed.cache_clear)
    return cast("Callable[P, T]", computed)


def register(group: str, name: str, value: Any) -> None:
    """Add an object to a group; it replaces an object registered with the same name."""
    _registered.setdefault(group, {})[name] = value
    forget()


def forget() -> None:
    """Clear all caches, so that the next use repeats the discovery."""
    for forget_one in _forgetting:
        forget_one()


def declared(package: str, kind: type[T], group: str) -> Iterator[type[T]]:
    """Yield the classes of a kind that the modules of a package define, then those of
    other packages.

    Parameters
    ----------
    package : str
        Its modules whose names begin with an underscore, and its subpackages, are
        skipped.
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
        For an object that is not such a class.
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
    """Return the objects that packages and this process added to a group, by name.

    Parameters
    ----------
    group : str
        Such as ``"algorithms"``, for the entry points ``rankscope.algorithms``.
    """
    return _of_packages(group) | _registered.get(group, {})


@remembered
def _of_packages(group: str) -> dict[str, Any]:
    """Load the entry points of a group; warn about those that cannot be loaded."""
    from importlib.metadata import entry_points

    entries: dict[str, Any] = {}
    for entry in entry_points(group=f"rankscope.{group}"):
        try:
            entries[entry.name] = entry.load()
        except Exception as error:  # any error of the other package
            package = entry.dist.name if entry.dist else entry.value
            warnings.warn(
                f"The package {package} adds {entry.name!r} to the {group} of "
                f"RankScope, but {entry.value} cannot be loaded ({error}). Update or "
                "remove the package.",
                stacklevel=2,
            )
    return entries
