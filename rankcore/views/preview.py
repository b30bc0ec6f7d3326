"""The content of a page after a change, before the change has reached the page."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rankcore.views.blocks import Ask, Changes, Panel, Shown, flat
from rankcore.views.page import Page
from rankcore.views.settings import Setting, Values, read
from rankcore.views.view import View


class Now(NamedTuple):
    """The present state of a page: the selected view, its settings, their values, and
    all choices."""

    view: View
    rows: list[Setting]
    values: Values
    raw: Mapping[str, Any]

    @property
    def studied(self) -> dict[str, Any]:
        """The settings for a study or run in the page's present state."""
        return self.view.studied(self.values, self.raw)

    def opens_with(self, changes: Changes) -> bool:
        """Return whether exactly these settings would open the page in this state."""
        opened = read(self.rows, changes, work=self.values.work)
        rows = [row for row in self.rows if not (row.computed or row.lasting)]
        return all(self.values[row.key] == opened[row.key] for row in rows)


def asked_for(shown: Shown) -> list[Setting]:
    """Return the settings with controls beside figures, with choices that the figures
    provide, such as the models of a study."""
    asks = [block for block in flat(shown.blocks) if isinstance(block, Ask)]
    return [row for block in asks for row in block.settings]


@dataclass(eq=False)
class PagePreview:
    """The content of a page after changes, in any thread.

    Attributes
    ----------
    now : Now
        The present state of the page; its work can be looked up in any thread.
    shown : Shown
        The content of the page.
    show : callable
        Returns the content for other values.
    changes : dict
        The changes since then, by `dragged` and `slid`.
    """

    page: Page
    now: Now
    shown: Shown
    show: Callable[[Values], Shown]
    changes: dict[str, Any] = field(default_factory=dict)

    def dragged(self, figure: str, *point: Any) -> None:
        """Apply the changes of a dragged point.

        Parameters
        ----------
        figure : str
            The key of its panel.
        *point
            The arguments of `Panel.on_drag`.

        Raises
        ------
        LookupError
            If there is no such panel.
        TypeError
            If its points lead to another page.
        """
        for block in flat(self.shown.blocks):
            if isinstance(block, Panel) and block.key == figure and block.on_drag:
                changes: Any = block.on_drag(*point)
                self._change(changes(self.now.values) if callable(changes) else changes)
                return
        raise LookupError(f"No point of {figure!r} can be dragged")

    def slid(self, name: str, at: float) -> None:
        """Apply the change of a slider.

        Parameters
        ----------
        name : str
            Its key, with hyphens in place of characters that a class name cannot have.
        at : float
            The number of the stop, from 0, or the value.

        Raises
        ------
        LookupError, ValueError
            If there is no such setting or stop, or no such value.
        """
        values = self.now.values
        for row in (*asked_for(self.shown), *self.now.rows):
            if re.sub(r"[^\w-]", "-", row.key, flags=re.ASCII) == name:
                stops = list(row.stop_labels(values))
                if stops and not 0 <= at < len(stops):
                    raise LookupError(f"{name!r} has {len(stops)} stops")
                value = row.check(stops[int(at)] if stops else at)
                self._change(
                    row.writes(values, value) if row.writes else {row.key: value}
                )
                return
        raise LookupError(f"No setting is called {name!r}")

    def content(self) -> tuple[Values, Shown] | None:
        """Return the values after the changes, and the content for them; None if the
        page would show another view, another study, or nothing.

        Raises
        ------
        rankcore.base.errors.DataError
            If the data cannot be read.
        """
        before, raw = self.now, {**self.now.raw, **self.changes}
        rows, values = list(self.page.rows(raw)), before.values
        values = read(rows, raw, values.theme, values.work)
        after = Now(before.view, rows, values, raw)
        view = after.view
        if self.page.view(raw) is not view or view.refusal(values) is not None:
            return None
        if view.work_for(values) is not None and after.studied != before.studied:
            return None
        return values, self.show(values)

    def _change(self, changes: Changes) -> None:
        if not isinstance(changes, Mapping):
            raise TypeError("It leads to another page")
        self.changes |= changes
