"""Examples: what a view's study finds by default, computed beforehand.

A view that is empty before its study shows its example instead, beside the settings
that it was computed with: those that the page opens with, or those of a preset that is
shipped. Beside all others it stays empty: the figures would be of other data or
settings. Views that share a study share its examples.
``make examples`` makes them again; a test says when they differ from what the studies
find now.
"""

import dataclasses
import datetime as dt
import json
import sys
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from pages.ui.catalogue import pages, stem
from rankcore.studies import Study
from rankcore.views import (
    Changes,
    Page,
    Shown,
    Training,
    Values,
    View,
    Watched,
    Work,
    read,
)
from rankcore.views.blocks import NOTHING
from rankcore.views.stored import computed, recalled, recalled_run, unpack

FOLDER = Path(__file__).parents[1] / "examples"


class Example(NamedTuple):
    """A study whose findings ship with the app: the first of the views that share it,
    and the preset; without one, what the page opens with."""

    page: Page
    view: View
    preset: str = ""

    @property
    def raw(self) -> Changes:
        """The settings that are not at their defaults."""
        preset = self.view.scenarios()[self.preset] if self.preset else NOTHING
        return {**self.page.opens(self.view), **preset}

    @property
    def path(self) -> Path:
        """Where it is, or would be."""
        name = stem(self.page, self.view, self.preset)
        return FOLDER / f"{name}.json"

    @property
    def stored(self) -> dict[str, Any] | None:
        """The content of its file; None where there is none."""
        return _stored(self.path)

    def computed(self) -> dict[str, Any]:
        """Return what the study finds now, for JSON."""
        return computed(self.view, self.raw)

    def is_of(self, values: Values) -> bool:
        """Whether a study with these values is the same."""
        if any(values.get(key) != value for key, value in self.raw.items()):
            return False
        example = read(self.view.rows(self.raw), self.raw)
        return self.view.studied(example, self.raw) == self.view.studied(values, values)


class ExampleView(NamedTuple):
    """The state that a view opens in: a function that shows it with values, and the
    study at its end; without one, the example is a picture."""

    show: Callable[[Values], Shown]
    study: Study | Watched | None = None


def example(page: Page, view: View, values: Values) -> ExampleView | None:
    """Return the example of a view that is of these values, or None."""
    if (entry := _of(page, view, values)) is None:
        return None
    study = _recalled(page.name, entry.view.name, entry.preset)
    if study is None:
        return ExampleView(lambda now: unpack((entry.stored or {})[now.theme]))
    return ExampleView(lambda now: view.show(now, study), study)


def study(page: str, view: str) -> Any:
    """Return the study of a view's example by default; None if it is a picture."""
    return _recalled(page, view, "")


def name(page: str, view: str, subject: Any, values: Values) -> str:
    """Return the name of the example of these values, if its study has that subject."""
    example = _of(pages()[page], pages()[page].views[view], values)
    study = None if example is None else _recalled(page, view, example.preset)
    same = isinstance(study, Study) and study.subject is subject
    return example.path.stem if example is not None and same else ""


def find(page: str, view: str, name: str) -> Any:
    """Return the study of the example of that name; None if a view has none."""
    of = pages()[page].views[view]
    names = {stem(pages()[page], of, one): one for one in ("", *of.shipped)}
    return _recalled(page, view, names[name]) if name in names else None


def announced(page: Page, view: View, work: Any, values: Values) -> Any:
    """Return the work of a view; it names an example that stands before it."""
    example = _of(page, view, values)
    stored = None if example is None else example.stored
    if stored is None or (isinstance(work, Work) and work.optional):
        return work
    if isinstance(work, Training):
        return dataclasses.replace(work, example=f"Computed {_when(stored)}.")
    promise = f"**Example**, computed {_when(stored)}."
    return dataclasses.replace(work, promise=promise)


def every() -> Iterator[Example]:
    """Yield the examples of all views that show no figure before their study."""
    for page in pages().values():
        for view in page.views.values():
            values = read(view.rows({}), {})
            work = view.work_for(values)
            if isinstance(work, Training):
                yield Example(page, view)
            if not isinstance(work, Work) or _first(page, view, values) is not view:
                continue
            if not view.show(values, None).panels():
                yield from (Example(page, view, name) for name in ("", *view.shipped))


def make(names: Collection[str] = ()) -> None:
    """Compute every example, or those of these names, and write it; files of those that
    are gone are removed. Raises ValueError for a name that is of no example."""
    FOLDER.mkdir(exist_ok=True)
    files = {one.path.stem: one for one in every()}
    if unknown := set(names) - set(files):
        raise ValueError(
            f"There is no example {min(unknown)!r}, only {', '.join(sorted(files))}."
        )
    contents = {files[name].path: files[name].computed() for name in names or files}
    for gone in set(FOLDER.glob("*.json")) - {one.path for one in files.values()}:
        gone.unlink()
    for file, content in contents.items():
        text = json.dumps(content, ensure_ascii=False, allow_nan=False)
        file.write_text(text + "\n", "utf-8")


def _first(page: Page, view: View, values: Values) -> View:
    """Return the first of the views that have the same study."""
    work = view.work_for(values)
    if not isinstance(work, Work) or not work.shared:
        return view
    return next(
        other
        for other in page.views.values()
        if other.work is view.work
        or (isinstance(other.work, Work) and other.work.name == work.name)
    )


def _of(page: Page, view: View, values: Values) -> Example | None:
    """Return the stored example whose study is that of these values, of a view or of
    one that shares its study."""
    first = _first(page, view, values)
    ours = (Example(page, first, name) for name in ("", *first.shipped))
    return next((one for one in ours if one.stored and one.is_of(values)), None)


def _when(values: dict[str, Any]) -> str:
    """When an example was computed, in words."""
    if "date" not in values:
        return "beforehand"
    day = dt.date.fromisoformat(values["date"])
    return f"on {day.day} {day:%B %Y}"


@lru_cache(maxsize=64)
def _stored(file: Path) -> dict[str, Any] | None:
    return json.loads(file.read_text("utf-8")) if file.is_file() else None


@lru_cache(maxsize=64)
def _recalled(page: str, view: str, preset: str) -> Study | Watched | None:
    """Return the study of an example, at its end; None if it is a picture."""
    example = Example(pages()[page], pages()[page].views[view], preset)
    recall = recalled_run if isinstance(example.view.work, Training) else recalled
    return recall(example.view, example.raw, example.stored or {})


if __name__ == "__main__":
    make(sys.argv[1:])
