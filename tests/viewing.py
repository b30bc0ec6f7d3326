"""Views without a browser: their values and what they show."""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import numpy as np

from pages.ui.catalogue import pages, setting
from rankcore.plot.style import Picture
from rankcore.studies import Study
from rankcore.views import (
    Go,
    Page,
    Panel,
    Shown,
    Training,
    Values,
    View,
    Watched,
    flat,
    past,
    read,
)
from tests import digits

B = TypeVar("B")
# Studies that several views share, by what they were made with.
_SHARED: dict[Any, Study] = {}


def page(name: str) -> Page:
    """A page by its name in the address."""
    return pages()[name]


def view(page_name: str, view_name: str) -> View:
    """A view by the names of its page and its own."""
    return page(page_name).views[view_name]


def values(of: View, **chosen: Any) -> Values:
    """The values of a view's settings, all but these by default; ``.`` is ``__``."""
    raw = {key.replace("__", "."): value for key, value in chosen.items()}
    return read(of.rows(raw), raw)


def shown(of: View, **chosen: Any) -> Shown:
    """What a view shows, its study taken to the end if it has one."""
    result = values(of, **chosen)
    if of.work_for(result) is None:
        return of.show(result)
    return of.show(result, studied(of, result))


def at_first(of: View, found: Values) -> Shown:
    """What a view shows before a study; of a training run its first iterations."""
    work = of.work_for(found)
    if isinstance(work, Training):
        run = work.run(found)
        list(itertools.islice(run, 3))
        return of.show(found, Watched("first", "A run", "paused", {}, run))
    return of.show(found) if work is None else of.show(found, None)


def recorded(run: Any, **details: Any) -> str:
    """Take a run to its end, and return its id in the store."""
    with past.store().recording(run, **details) as recorder:
        list(run)
    return recorder.id


def refusal(of: View, found: Values) -> str | None:
    """Why a view is not shown with these settings, or does not train with them."""
    reason = of.refusal(found)
    if reason is None and isinstance(work := of.work_for(found), Training):
        return work.refuses(found)
    return reason


def studied(of: View, found: Values) -> Study:
    """The study of a view, at its end."""
    work = of.work_for(found)
    assert work is not None
    key = (work.study, tuple(of.studied(found, found).items()))
    if work.shared and key in _SHARED:
        return _SHARED[key]
    study = work.study(found)
    for _ in study:
        pass
    if work.shared:
        _SHARED[key] = study
    return study


def blocks(shown: Shown, kind: type[B]) -> list[B]:
    """The blocks of a kind that a view shows, those within others too."""
    return [block for block in flat(shown.blocks) if isinstance(block, kind)]


def texts(shown: Shown) -> list[str]:
    """What stands between the figures of a view."""
    return [block.text for block in flat(shown.blocks) if hasattr(block, "text")]


def panel(shown: Shown, key: str) -> Panel:
    """The panel of a view by its key."""
    (result,) = (panel for panel in shown.panels() if panel.key == key)
    return result


def trace(picture: Picture, name: str) -> dict[str, Any]:
    """The trace of a picture by its name."""
    return next(trace for trace in picture.data if trace.get("name") == name)


def unsound(shown: Shown) -> Iterator[str]:
    """What is wrong with what a view shows."""
    if len(shown.facts) > 5:
        yield f"{len(shown.facts)} facts"
    panels = shown.panels()
    if len({panel.key for panel in panels}) < len(panels):
        yield "two panels with one key"
    for panel in panels:
        if not panel.title:
            yield f"{panel.key} has no title"
        if not panel.picture.alt.strip().endswith("."):
            yield f"{panel.key} has no sentence for those who do not see it"
        table = panel.picture.numbers()
        if table is None or not len(table):
            yield f"{panel.key} has no table"
        if not any(finite(trace) for trace in panel.picture.data):
            yield f"{panel.key} has no finite number"
        if "nan" in panel.picture.alt.split():
            yield f"{panel.key} says nan"
    for go in blocks(shown, Go):
        rows = {key: setting(key) for key in go.settings}
        for key, row in rows.items():
            value = go.settings[key]
            if row is not None and row.parse(row.format(value)) != value:
                yield f"the link {go.label} says {row.format(value)} for {key} {value}"
    fromkeys = dict.fromkeys(digits.of_shown(shown))
    yield from digits.too_long(fromkeys)
    yield from digits.plurals(fromkeys)
    for name, table in shown.exports().items():
        if not len(table() if callable(table) else table):
            yield f"the table {name} is empty"


def finite(trace: Mapping[str, Any]) -> bool:
    """Whether a trace has a finite number to draw."""
    if any(finite(item) for item in trace.get("dimensions", ())):
        return True
    for axis in ("x", "y", "z", "theta", "values", "header"):
        result = trace.get(axis)
        if result is None:
            continue
        numbers = [n for n in np.ravel(np.asarray(result, dtype=object)) if _number(n)]
        if numbers and np.isfinite(np.array(numbers, float)).any():
            return True
    return False


def _number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)
