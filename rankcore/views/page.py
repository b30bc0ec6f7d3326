"""Pages, with views found by searching a folder."""

import dataclasses
import importlib
import pkgutil
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from rankcore.views.blocks import NOTHING, Changes
from rankcore.views.kinds import Choice
from rankcore.views.settings import Setting, Values
from rankcore.views.view import View


@dataclass(frozen=True)
class Page:
    """A page with views.

    Attributes
    ----------
    package : str
        The package of its views, such as ``pages.views.cones``.
    key : str
        Key of the setting that names the view; by default ``<name>_view``.
    order : sequence of str
        Names of its views' files in the order of their buttons; others follow.
    presets : dict
        Settings by title; offered after those of the views.
    presets_by_view : bool
        Whether the presets of a view are offered only with that view, because all
        presets would not fit in a row.
    opening : dict
        Settings that replace the defaults if neither the link nor the visitor has
        chosen anything but a view; links of the page name them.
    exports : bool
        Whether its figures can be exported and its settings reset.
    """

    package: str
    title: str
    question: str
    key: str = ""
    order: Sequence[str] = ()
    presets: Mapping[str, Changes] = dataclasses.field(default_factory=dict)
    presets_by_view: bool = False
    opening: Changes = dataclasses.field(default_factory=dict)
    exports: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", self.key or f"{self.name}_view")

    @property
    def name(self) -> str:
        """Its name in URLs."""
        return self.package.rpartition(".")[2]

    @property
    def views(self) -> Mapping[str, View]:
        """Its views by name, in order."""
        return _views(self.package, tuple(self.order))

    def opens(self, view: View) -> Changes:
        """Return the settings in `opening` that a view has."""
        keys = {row.key for row in view.rows({})}
        return {key: value for key, value in self.opening.items() if key in keys}

    @property
    def choice(self) -> Choice | None:
        """The setting that names the view; None if there is only one."""
        names = tuple(self.views)
        if len(names) < 2:
            return None
        first, *_ = names
        return Choice(self.key, first, "View", names=names, bare=True, studied=False)

    def view(self, raw: Mapping[str, Any]) -> View:
        """Return the selected view."""
        views = self.views
        return views.get(str(raw.get(self.key)), next(iter(views.values())))

    def rows(self, raw: Mapping[str, Any]) -> list[Setting]:
        """Return the setting that names the view, and the settings of the selected
        view."""
        choice = [] if self.choice is None else [self.choice]
        return [*choice, *self.view(raw).rows(raw)]

    def told_from_none(self, link: dict[str, str], values: Values) -> dict[str, str]:
        """Return the settings for a link, distinct from a link that names at most a
        view: if all others have their defaults, it names those of `opening`."""
        if not self.opens_with_its_own(link):
            return link
        return link | {
            row.key: row.format(values[row.key])
            for row in self.rows(values)
            if row.key in self.opening
        }

    def opens_with_its_own(self, link: Collection[str]) -> bool:
        """Whether the page opens with the settings of `opening`, as a link with these
        keys names only a view."""
        return set(link) <= {self.key}

    def scenarios(self, raw: Mapping[str, Any] = NOTHING) -> dict[str, Changes]:
        """Return the presets offered beside these raw values, with the view they belong
        to."""
        merged: dict[str, Changes] = {}
        for name, view in self.views.items():
            if self.presets_by_view and view is not self.view(raw):
                continue
            for title, changes in view.scenarios(raw).items():
                merged[title] = {self.key: name, **changes} if self.choice else changes
        return merged | dict(self.presets)


@lru_cache(maxsize=64)
def _views(package: str, order: tuple[str, ...]) -> dict[str, View]:
    return {view.name: view for view in modules(package, "VIEW", order)}


def modules(package: str, name: str, order: Sequence[str] = ()) -> list[Any]:
    """Return the values of ``name`` in the modules of a package.

    Parameters
    ----------
    name : str
        Name of a constant; modules without it are left out.
    order : sequence of str
        Names of modules that come first; others follow by name.
    """
    where = importlib.import_module(package).__path__
    files = {info.name for info in pkgutil.iter_modules(where)}
    unknown = set(order) - files
    if unknown:
        raise ImportError(f"There is no {', '.join(sorted(unknown))} in {package}")
    names = [*order, *sorted(files - set(order))]
    every = [importlib.import_module(f"{package}.{module}") for module in names]
    return [getattr(module, name) for module in every if hasattr(module, name)]
