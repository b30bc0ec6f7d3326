"""All lessons: the app's own, other packages', a lecturer's, and uploads.

A lecturer names a folder in ``$RANKSCOPE_LESSONS`` or with ``rankscope serve
--lessons``. Uploads stay in this process, in a bounded store, under names made from
their content; a link carries the name, never the lesson.
"""

import json
import os
import re
from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

from pages.ui.catalogue import known_settings, setting
from pages.ui.serving import visitor
from rankcore.algorithms import by_family, get_algorithm, list_algorithms
from rankcore.base.discovery import of_others
from rankcore.base.hyperparameters import hyperparameters
from rankcore.data.uploads import FullError, Newest
from rankcore.views.lesson_schema import lesson_schema
from rankcore.views.lessons import (
    LEVELS,
    MAX_BYTES,
    Declarations,
    Lesson,
    LessonError,
    Problem,
    ReadSetting,
    read_lesson,
)
from rankcore.views.old_names import page_now, renamed

PAGES = tuple(sorted(path.stem for path in Path(__file__).parents[2].glob("*.py")))
LESSONS_PAGE = "lessons"
# The Lessons page draws no bar, so a step there could not be left.
STEP_PAGES = tuple(page for page in PAGES if page != LESSONS_PAGE)
HERE = Path(__file__).parents[2] / "lessons"
VARIABLE = "RANKSCOPE_LESSONS"
PREFIX = "upload-"
MAX_FILES = 60
# Uploaded lessons by name.
UPLOADS = Newest[Lesson](each=16, most=256)


def read(content: bytes, file: str, name: str) -> Lesson:
    """Read a lesson, checked against the pages and settings of this app; raises
    LessonError with every problem of the file."""
    declared = Declarations(
        STEP_PAGES, (LESSONS_PAGE,), known_settings(), _reader, page_now
    )
    return read_lesson(content, file, name, declared)


def schema() -> str:
    """Return the JSON Schema of lessons, with the settings of this app."""
    tuned = {name: hyperparameters(get_algorithm(name)) for name in list_algorithms()}
    keys = [*known_settings(), *(f"{one}.{row}" for one in tuned for row in tuned[one])]
    rows = {key: row for key in keys if (row := setting(key)) is not None}
    meanings = {
        key: ". ".join(filter(None, (row.label, row.meaning)))
        for key, row in rows.items()
        if not row.computed
    }
    return json.dumps(lesson_schema(STEP_PAGES, meanings), indent=1) + "\n"


def upload(content: bytes, file: str) -> Lesson:
    """Check and store a visitor's file; raises LessonError as `read` does, or if there
    is no room."""
    name = f"{PREFIX}{blake2b(content, digest_size=8).hexdigest()}"
    try:
        return UPLOADS.keep(name, read(content, file, name), visitor.current())
    except FullError as error:
        problem = Problem(file, None, "", "There are too many files", str(error))
        raise LessonError(problem) from error


def files() -> dict[str, Path]:
    """Return the lesson files by names in links; a lecturer's replace the app's."""
    return {path.stem: path for folder in _folders() for path in _yaml_files(folder)}


def find(name: str) -> Lesson | None:
    """Return the lesson that a link names, or None if it is missing or invalid."""
    if name.startswith(PREFIX):
        return UPLOADS.get(name, visitor.current())
    path = files().get(name)
    if path is None:
        return None
    try:
        return load(path)
    except LessonError:
        return None


def load(path: Path) -> Lesson:
    """Read a lesson's file, again when it has changed; raises as `read` does."""
    try:
        about = path.stat()
        outcome = _read(path, about.st_mtime_ns, about.st_size)
    except OSError as error:
        problem = f"It cannot be read ({error.strerror})"
        remedy = "Check that it is there and that you may read it"
        raise LessonError(Problem(path.name, None, "", problem, remedy)) from error
    if isinstance(outcome, LessonError):
        raise outcome
    return outcome


def everything() -> tuple[list[Lesson], list[Problem]]:
    """Return valid lessons, with this visitor's uploads, and others' faults."""
    lessons, problems = [], _missing_folder()
    for path in files().values():
        try:
            lessons.append(load(path))
        except LessonError as error:
            problems += error.problems
    return lessons + UPLOADS.newest(visitor.current()), problems


def shelves() -> tuple[dict[str, list[Lesson]], list[Problem]]:
    """Return all valid lessons by level, in the recommended order; those without a
    level come last."""
    lessons, problems = everything()
    shelves = {
        level: [lesson for lesson in lessons if lesson.level == level]
        for level in (*LEVELS, "")
    }
    return {level: shelf for level, shelf in shelves.items() if shelf}, problems


def following(lesson: Lesson) -> Lesson | None:
    """Return the recommended next lesson; None after the last one."""
    path = [one for shelf in shelves()[0].values() for one in shelf]
    names = [one.name for one in path]
    place = names.index(lesson.name) + 1 if lesson.name in names else 0
    return path[place] if place < len(path) else None


def fitting(algorithm: str) -> Lesson | None:
    """Return the lesson with most steps about an algorithm, otherwise about its family.

    A step is about the algorithms in its settings. If no lesson is about either, return
    the first lesson; None if there is no lesson.
    """
    family = {
        name for names in by_family().values() if algorithm in names for name in names
    }

    def steps(lesson: Lesson, names: set[str]) -> int:
        return sum(
            not names.isdisjoint(map(str, step.settings.values()))
            for step in lesson.steps
        )

    return max(
        everything()[0],
        key=lambda lesson: (steps(lesson, {algorithm}), steps(lesson, family)),
        default=None,
    )


@lru_cache(maxsize=2 * MAX_FILES)
def _read(path: Path, changed: int, size: int) -> Lesson | LessonError:
    with path.open("rb") as stream:
        content = stream.read(MAX_BYTES + 1)
    try:
        return read(content, path.name, path.stem)
    except LessonError as error:
        return error


def _folders() -> list[Path]:
    folders = filter(None, [os.environ.get(VARIABLE)])
    others = (package.__path__[0] for package in of_others("lessons").values())
    return [HERE, *map(Path, (*others, *folders))]


def _yaml_files(folder: Path) -> list[Path]:
    paths = [path for path in folder.glob("*") if path.suffix in (".yaml", ".yml")]
    return sorted(paths, key=_numbered)[:MAX_FILES]


def _numbered(path: Path) -> list[int | str]:
    """Return a sort key by the numbers in file names, 9 before 10."""
    parts = re.split(r"(\d+)", path.name)
    return [int(part) if part.isdigit() else part for part in parts]


def _missing_folder() -> list[Problem]:
    gone = [str(folder) for folder in _folders() if not folder.is_dir()]
    problem = ("There is no such folder", f"Correct ${VARIABLE}")
    return [Problem(folder, None, "", *problem) for folder in gone]


def _reader(key: str, text: str, step: Mapping[str, str]) -> list[ReadSetting]:
    names = renamed({key: text}, step)
    now = [(name, text, setting(name)) for name, text in names.items()]
    return [
        ReadSetting(name, text, None if row is None or row.computed else row.parse)
        for name, text, row in now
    ]
