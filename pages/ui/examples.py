"""Examples: the default results of a view's study, computed beforehand.

A view that is empty before its study shows its example instead, for the settings that
it was computed with: those that the page opens with, or a preset's. With other settings
it stays empty, as the example would not match them. Views that share a study share its
examples. ``make examples`` makes them again; a test reports examples that differ from
the current results.
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
    """A study whose findings ship with the app: the first view that shares it, and the
    preset, if it is not of the settings that the page opens with."""

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
        """The path of its file, which may not exist."""
        name = stem(self.page, self.view, self.preset)
        return FOLDER / f"{name}.json"

    @property
    def stored(self) -> dict[str, Any] | None:
        """The content of its file; None if there is no file."""
        return _stored(self.path)

    def computed(self) -> dict[str, Any]:
        """Return the current findings of the study, for JSON."""
        return computed(self.view, self.raw)

    def is_of(self, values: Values) -> bool:
        """Whether a study with these values is the example's study."""
        if any(values.get(key) != value for key, value in self.raw.items()):
            return False
        example = read(self.view.rows(self.raw), self.raw)
        return self.view.studied(example, self.raw) == self.view.studied(values, values)


class ExampleView(NamedTuple):
    """The state in which a view opens: a function that shows it with values, and the
    finished study; without a study, the example is a picture."""

    show: Callable[[Values], Shown]
    study: Study | Watched | None = None


def example(page: Page, view: View, values: Values) -> ExampleView | None:
    """Return a view's example for these values, or None."""
    if (entry := _of(page, view, values)) is None:
        return None
    study = _recalled(page.name, entry.view.name, entry.preset)
    if study is None:
        return ExampleView(lambda now: unpack((entry.stored or {})[now.theme]))
    return ExampleView(lambda now: view.show(now, study), study)


def study(page: str, view: str) -> Any:
    """Return the study of a view's default example; None if that is a picture."""
    return _recalled(page, view, "")


def name(page: str, view: str, subject: Any, values: Values) -> str:
    """Return the name of the values' example, if its study has that subject."""
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
    """Return a view's work, with a note if the view shows an example before it."""
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
    """Compute and write every example, or those of these names; remove files of former
    examples. Raises ValueError for an unknown name."""
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
    """Return the first of the views that share a study."""
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
    """Return the stored example of the study with these values, of a view or of one
    that shares its study."""
    first = _first(page, view, values)
    ours = (Example(page, first, name) for name in ("", *first.shipped))
    return next((one for one in ours if one.stored and one.is_of(values)), None)


def _when(values: dict[str, Any]) -> str:
    """Return the date of an example, in words."""
    if "date" not in values:
        return "beforehand"
    day = dt.date.fromisoformat(values["date"])
    return f"on {day.day} {day:%B %Y}"


@lru_cache(maxsize=64)
def _stored(file: Path) -> dict[str, Any] | None:
    return json.loads(file.read_text("utf-8")) if file.is_file() else None


@lru_cache(maxsize=64)
def _recalled(page: str, view: str, preset: str) -> Study | Watched | None:
    """Return the finished study of an example; None if it is a picture."""
    example = Example(pages()[page], pages()[page].views[view], preset)
    recall = recalled_run if isinstance(example.view.work, Training) else recalled
    return recall(example.view, example.raw, example.stored or {})


if __name__ == "__main__":
    make(sys.argv[1:])
