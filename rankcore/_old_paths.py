"""Modules by the names that they had before; these go with the next version."""

from __future__ import annotations

import importlib
import importlib.machinery
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

# Each line of the text file beside this one has a module's old and present name.
with open(f"{__file__.removesuffix('.py')}.txt", encoding="utf-8") as _lines:
    OLD = dict(line.split() for line in _lines)


def now(name: str) -> str:
    """Return the present name of a module, or of one in a package that has moved; empty
    for any other."""
    top, _, rest = name.partition(".")
    if top != "rankcore" or not rest:
        return ""
    if rest in OLD:
        return f"rankcore.{OLD[rest]}"
    package, _, module = rest.rpartition(".")
    if package not in OLD:
        return ""
    from importlib.util import find_spec

    path = f"rankcore.{OLD[package]}.{module}"
    return path if find_spec(path) else ""


class Finder:
    """Import hook that finds a module by its old name, with a warning."""

    def find_spec(
        self, fullname: str, path: Any, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the loader of an old name; None for any other name."""
        if not now(fullname):
            return None
        loader: Any = self
        return importlib.machinery.ModuleSpec(fullname, loader, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        """Leave it to Python to make a module, which `exec_module` replaces."""

    def exec_module(self, module: ModuleType) -> None:
        """Put the module of now in the place of the one of an old name; a package gives
        what it had."""
        import warnings

        old = module.__name__
        new = now(old)
        warnings.warn(
            f"{old} is {new} now; the old name goes with the next version.",
            DeprecationWarning,
            stacklevel=2,
        )
        target = importlib.import_module(new)
        if not hasattr(target, "__path__"):
            sys.modules[old] = target
            return

        def attribute(name: str) -> Any:
            if f"{old}.{name}".removeprefix("rankcore.") in OLD:
                return importlib.import_module(f"{old}.{name}")
            return getattr(target, name)

        vars(module)["__getattr__"] = attribute


def install() -> None:
    """Take old names in imports from now on."""
    finder: Any = Finder()
    sys.meta_path.insert(0, finder)
