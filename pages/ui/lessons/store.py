"""The lessons there are: the app's own, a lecturer's folder, and uploads.

A lecturer names a folder in ``$RANKSCOPE_LESSONS`` or with ``rankscope serve
--lessons``. Uploads stay in this process, in a bounded store, under names made from
their content; a link carries the name, never the lesson.
"""

import os
import threading
from collections import OrderedDict
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

from pages.ui.lessons.files import MAX_BYTES, Lesson, LessonError, Problem, read_lesson

HERE = Path(__file__).parents[2] / "lessons"
VARIABLE = "RANKSCOPE_LESSONS"
PREFIX = "upload-"
MAX_FILES = 60
MAX_UPLOADS = 16


class LessonUploads:
    """The newest uploaded lessons of a process; older ones make room for them."""

    def __init__(self, limit: int = MAX_UPLOADS) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._lessons: OrderedDict[str, Lesson] = OrderedDict()

    def add(self, content: bytes, file: str) -> Lesson:
        """Check and keep a file.

        Raises
        ------
        LessonError
            With every problem of the file.
        """
        name = f"{PREFIX}{blake2b(content, digest_size=4).hexdigest()}"
        lesson = read_lesson(content, file, name)
        with self._lock:
            self._lessons[name] = lesson
            self._lessons.move_to_end(name)
            while len(self._lessons) > self._limit:
                self._lessons.popitem(last=False)
        return lesson

    def get(self, name: str) -> Lesson | None:
        """An uploaded lesson, or None if it is not here (any more)."""
        with self._lock:
            return self._lessons.get(name)

    def all(self) -> list[Lesson]:
        """The lessons here, newest first."""
        with self._lock:
            return [*reversed(self._lessons.values())]


# Not in Streamlit's cache, which every client may clear for all.
_UPLOADS = LessonUploads()


def uploads() -> LessonUploads:
    """This process's uploaded lessons."""
    return _UPLOADS


def files() -> dict[str, Path]:
    """The files of lessons by the names in links; a lecturer's replace the app's."""
    return {path.stem: path for folder in _folders() for path in _yaml_files(folder)}


def find(name: str) -> Lesson | None:
    """The lesson that a link names, or None if it is not here or not sound."""
    if name.startswith(PREFIX):
        return uploads().get(name)
    path = files().get(name)
    if path is None:
        return None
    try:
        return load(path)
    except LessonError:
        return None


def load(path: Path) -> Lesson:
    """Read a lesson's file, again when it has changed.

    Raises
    ------
    LessonError
        With every problem of the file.
    """
    try:
        about = path.stat()
        found = _read(path, about.st_mtime_ns, about.st_size)
    except OSError as error:
        problem = f"It cannot be read ({error.strerror})"
        remedy = "Check that it is there and that you may read it"
        raise LessonError(Problem(path.name, None, "", problem, remedy)) from error
    if isinstance(found, LessonError):
        raise found
    return found


def everything() -> tuple[list[Lesson], list[Problem]]:
    """All sound lessons, and what is wrong with the others."""
    lessons, problems = [], _missing_folder()
    for path in files().values():
        try:
            lessons.append(load(path))
        except LessonError as error:
            problems += error.problems
    return lessons + uploads().all(), problems


@lru_cache(maxsize=2 * MAX_FILES)
def _read(path: Path, changed: int, size: int) -> Lesson | LessonError:
    with path.open("rb") as stream:
        content = stream.read(MAX_BYTES + 1)
    try:
        return read_lesson(content, path.name, path.stem)
    except LessonError as error:
        return error


def _folders() -> list[Path]:
    own = os.environ.get(VARIABLE)
    return [HERE, *([Path(own)] if own else [])]


def _yaml_files(folder: Path) -> list[Path]:
    found = sorted(p for p in folder.glob("*") if p.suffix in (".yaml", ".yml"))
    return found[:MAX_FILES]


def _missing_folder() -> list[Problem]:
    return [
        Problem(
            str(folder), None, "", "There is no such folder", f"Correct ${VARIABLE}"
        )
        for folder in _folders()
        if not folder.is_dir()
    ]
