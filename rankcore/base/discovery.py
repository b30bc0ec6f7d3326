"""Objects declared in the modules of a package, found by looking."""

import importlib
import pkgutil
from collections.abc import Iterator
from typing import TypeVar

T = TypeVar("T")


def declared(package: str, kind: type[T]) -> Iterator[type[T]]:
    """Yield the classes of a kind that the modules of a package define.

    Parameters
    ----------
    package : str
        Its modules whose names begin with an underscore, and its packages, are passed
        over.
    kind : type
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
