"""Examples: what a view's study finds by default, computed beforehand.

A view that is empty before its study shows its example instead: with the settings of a
preset that is shipped, that of the preset. ``make examples`` makes them again; a test
says when they differ from what the studies find now.
"""

import dataclasses
import datetime as dt
import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from pages.ui.catalogue import pages, stem
from rankcore.views import Changes, Page, Shown, Training, Values, View, read
from rankcore.views.blocks import NOTHING
from rankcore.views.stored import computed, unpack

FOLDER = Path(__file__).parents[1] / "examples"


class Example(NamedTuple):
    """A study whose findings ship with the app.

    Attributes
    ----------
    page : Page
    view : View
    preset : str
        Its name; empty: the defaults.
    """

    page: Page
    view: View
    preset: str = ""

    @property
    def raw(self) -> Changes:
        """The settings that are not at their defaults."""
        return self.view.scenarios()[self.preset] if self.preset else NOTHING

    @property
    def path(self) -> Path:
        """Where it is, or would be."""
        name = stem(self.page, self.view, self.preset)
        return FOLDER / f"{name}.json"

    def computed(self) -> dict[str, Any]:
        """What the study finds now, for JSON."""
        return computed(self.view, self.raw)

    def is_of(self, values: Values) -> bool:
        """Whether a study with these values is the same."""
        if any(values.get(key) != value for key, value in self.raw.items()):
            return False
        own = read(self.view.rows(self.raw), self.raw)
        return self.view.studied(own, self.raw) == self.view.studied(values, values)


def example(
    page: Page, view: View, theme: str, values: Values | None = None
) -> Shown | None:
    """The example of a view beside these values; None where there is none."""
    found = _stored(_beside(page, view, values).path)
    return None if found is None else unpack(found[theme])


def announced(page: Page, view: View, work: Any, values: Values | None = None) -> Any:
    """The work of a view; where an example stands before it, the promise says that."""
    found = _stored(_beside(page, view, values).path)
    if found is None or work.optional:
        return work
    promise = f"**Example**, computed {_when(found)}. {found['settings']}"
    return dataclasses.replace(work, promise=promise)


def every() -> Iterator[Example]:
    """The examples of all views that show no figure before their study."""
    for page in pages().values():
        for view in page.views.values():
            values = read(view.rows({}), {})
            work = view.work_for(values)
            if work is None or isinstance(work, Training):
                continue
            if not view.show(values, None).panels():
                yield from (Example(page, view, name) for name in ("", *view.shipped))


def make() -> None:
    """Compute every example and write it; files of those that are gone are removed."""
    FOLDER.mkdir(exist_ok=True)
    made = {own.path: own.computed() for own in every()}
    for gone in set(FOLDER.glob("*.json")) - set(made):
        gone.unlink()
    for file, found in made.items():
        file.write_text(json.dumps(found, ensure_ascii=False) + "\n", "utf-8")


def _beside(page: Page, view: View, values: Values | None) -> Example:
    """The example with these values; by default that of the view's defaults."""
    shipped = [Example(page, view, name) for name in view.shipped]
    same = (own for own in shipped if values is not None and own.is_of(values))
    return next(same, Example(page, view))


def _when(found: dict[str, Any]) -> str:
    """When an example was computed, in words."""
    if "date" not in found:
        return "beforehand"
    day = dt.date.fromisoformat(found["date"])
    return f"on {day.day} {day:%B %Y}"


@lru_cache(maxsize=64)
def _stored(file: Path) -> dict[str, Any] | None:
    return json.loads(file.read_text("utf-8")) if file.is_file() else None


if __name__ == "__main__":
    make()
