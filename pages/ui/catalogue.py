"""Every page, and every setting of their views, by name."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from rankcore.base.hyperparameters import hyperparameters
from rankcore.views import Page, Setting, Values, View, Work, declared, modules, read


@cache
def pages() -> Mapping[str, Page]:
    """Every page with views, by name."""
    return {page.name: page for page in modules("pages.views", "PAGE")}


@cache
def names() -> frozenset[str]:
    """Return the names of all pages; loads none of them."""
    folder = str(Path(__file__).parents[1] / "views")
    return frozenset(module.name for module in iter_modules([folder]))


@cache
def _rows() -> Mapping[str, Setting]:
    """Every setting that a view has by default, by key."""
    rows: dict[str, Setting] = {}
    for page in pages().values():
        if page.choice is not None:
            rows[page.key] = page.choice
        for view in page.views.values():
            rows = {row.key: row for row in view.every_row()} | rows
    return rows


def known_settings() -> Sequence[str]:
    """Return the keys of all settings but hyperparameters."""
    return [key for key in _rows() if "." not in key]


def setting(key: str) -> Setting | None:
    """Return the setting of a key, such as ``seed`` or ``RSRank.g``, or None.

    Hyperparameters need no row in a view: their declarations make one.
    """
    from rankcore.algorithms import get_algorithm, list_algorithms

    if key in _rows():
        return _rows()[key]
    algorithm, _, name = key.partition(".")
    if algorithm not in list_algorithms() or name == "random_state":
        return None
    cls = get_algorithm(algorithm)
    return declared(cls, name)[0] if name in hyperparameters(cls) else None


def stem(page: Page, view: View, preset: str = "") -> str:
    """Return the stem of file names for a view or its preset: ``sparsity-one-path``."""
    name = f"{page.name} {view.name} {preset}".lower()
    return re.sub(r"\W+", "-", name, flags=re.ASCII).strip("-")


def place(page: Page, raw: Mapping[str, Any]) -> str:
    """Return the selected view of a page, as one name."""
    return place_of(page, page.view(raw), read(page.rows(raw), raw))


def place_of(page: Page, view: View, values: Values) -> str:
    """Return a view of a page, as one name: ``sparsity/One path``; if it has several
    works, the selected one follows. A shared work's name contains no view."""
    work = view.work_for(values)
    shared = isinstance(work, Work) and work.shared
    names = [page.name] if shared else [page.name, view.name]
    if work is not None and work.name:
        names.append(work.name)
    return "/".join(names)
