"""Examples: what a view's study finds by default, computed beforehand.

A view that is empty before its study shows its example instead. ``make examples`` makes
them again; a test says when they differ from what the studies find now.
"""

import dataclasses
import datetime as dt
import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from pages.ui.catalogue import pages, stem
from rankcore.views import Page, Shown, Training, View, read
from rankcore.views.stored import computed, unpack

FOLDER = Path(__file__).parents[1] / "examples"


def example(page: Page, view: View, theme: str) -> Shown | None:
    """The example of a view; None where there is none."""
    found = _stored(path(page, view))
    return None if found is None else unpack(found[theme])


def announced(page: Page, view: View, work: Any) -> Any:
    """The work of a view; where an example stands before it, the promise says that."""
    found = _stored(path(page, view))
    if found is None or not work.opens_on_example:
        return work
    promise = f"**Example**, computed {_when(found)}. {found['settings']}"
    return dataclasses.replace(work, promise=promise)


def empty_at_first() -> Iterator[tuple[Page, View]]:
    """The views that show no figure before their study."""
    for page in pages().values():
        for view in page.views.values():
            values = read(view.rows({}), {})
            work = view.work_for(values)
            if work is None or isinstance(work, Training):
                continue
            if not view.show(values, None).panels():
                yield page, view


def make() -> None:
    """Compute every example and write it; files of views that are gone are removed."""
    FOLDER.mkdir(exist_ok=True)
    made = {path(page, view): computed(view) for page, view in empty_at_first()}
    for gone in set(FOLDER.glob("*.json")) - set(made):
        gone.unlink()
    for file, found in made.items():
        file.write_text(json.dumps(found, ensure_ascii=False) + "\n", "utf-8")


def path(page: Page, view: View) -> Path:
    """Where the example of a view is, or would be."""
    return FOLDER / f"{stem(page, view)}.json"


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
