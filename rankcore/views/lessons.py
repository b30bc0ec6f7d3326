"""Lessons as files: read, checked line by line, and never half-loaded.

A lesson is a YAML file with a title, a summary and steps. Nothing in it is executed:
the file is read as a tree of text and every value is checked against what the app
declares. One doubt refuses the whole file, with a sentence for each problem. It needs
PyYAML, which the app installs.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, NamedTuple

import yaml

MAX_BYTES = 65_536
STEPS = (2, 12)
# The most characters that a text may have, so that a step fits on a projected slide.
LENGTHS = {"title": 80, "summary": 240, "text": 420, "question": 220, "answer": 420}

_SENTENCE_END = re.compile(r"[.?!…](?=[\s)”\"*]|$)")
_FORMULA = re.compile(r"\$[^$]*\$")
# All that Markdown turns into a link: inline, by reference, in angle brackets, a bare
# URL, or an electronic mail address.
_LINK = re.compile(
    r"\]\(|\]:|://|www\.|<[a-z][a-z0-9+.-]*:|[\w.+-]+@[\w-]+(\.[\w-]+)+", re.I
)


@dataclass(frozen=True)
class Step:
    """One step: a page with settings, two sentences, a question and its answer."""

    page: str
    settings: Mapping[str, Any]
    text: str
    question: str
    answer: str


@dataclass(frozen=True)
class Lesson:
    """A guided lesson; ``name`` is what links call it."""

    name: str
    title: str
    summary: str
    steps: tuple[Step, ...]


class Declarations(NamedTuple):
    """What lessons can name.

    Attributes
    ----------
    pages : sequence of str
        Those that a step can be shown on.
    others : sequence of str
        Those that no step can be shown on.
    settings : sequence of str
        Keys to suggest in place of a wrong one.
    reader : callable
        ``reader(key, text)`` is the setting's key and value as they are called now,
        and what reads the value: that raises a ValueError for nonsense, and is None
        where there is no such setting.
    """

    pages: Sequence[str]
    others: Sequence[str]
    settings: Sequence[str]
    reader: Callable[[str, str], tuple[str, str, Callable[[str], Any] | None]]


@dataclass(frozen=True)
class Problem:
    """What is wrong in a lesson's file, where, and what to do about it."""

    file: str
    line: int | None
    key: str
    problem: str
    remedy: str

    def __str__(self) -> str:
        line = "" if self.line is None else f"line {self.line}"
        place = ", ".join(part for part in (self.file, line, self.key) if part)
        return f"{place}: {self.problem}. {self.remedy}."


class LessonError(ValueError):
    """A file that is no lesson, with every problem that was found in it."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(*problems)
        self.problems = problems

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))


def sentences(text: str) -> int:
    """How many sentences a text has; formulas and decimal points end none."""
    return len(_SENTENCE_END.findall(_FORMULA.sub("x", text).strip()))


def read_lesson(content: bytes, file: str, name: str, declared: Declarations) -> Lesson:
    """Read a lesson and check everything in it.

    Parameters
    ----------
    content : bytes
        The YAML text.
    file : str
        What to call it in messages.
    name : str
        What links are to call it.
    declared : Declarations

    Raises
    ------
    LessonError
        With every problem: file, line, key, and what to do.
    """
    tree = _tree(content, file)
    checks = _Checks(file, declared)
    lesson = checks.lesson(tree, name)
    if checks.problems or lesson is None:
        raise LessonError(*checks.problems)
    return lesson


def _tree(content: bytes, file: str) -> yaml.Node:
    """The file as a tree of text; YAML's tags stay unread, so nothing is built."""
    line: int | None = None
    size = f"A lesson has {STEPS[0]} to {STEPS[1]} steps in {MAX_BYTES:,} bytes"
    if len(content) > MAX_BYTES:
        raise LessonError(Problem(file, None, "", "It is too large", size))
    try:
        tree = yaml.compose(content.decode("utf-8-sig"), Loader=yaml.SafeLoader)
    except UnicodeDecodeError:
        problem, remedy = "It is not text in UTF-8", "Save it as UTF-8 text"
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = None if mark is None else mark.line + 1
        said = getattr(error, "problem", None) or "a character that YAML does not know"
        problem = f"It cannot be read as YAML ({said})"
        remedy = "Check colons and indentation, and put text that holds ': ' in quotes"
    except RecursionError:
        problem, remedy = "It is nested too deeply", "Follow the form of the template"
    else:
        if tree is not None:
            return tree
        problem, remedy = "The file is empty", size
    raise LessonError(Problem(file, line, "", problem, remedy))


@dataclass
class _Checks:
    """Goes through a tree and notes every problem."""

    file: str
    declared: Declarations
    problems: list[Problem] = field(default_factory=list)

    def lesson(self, tree: yaml.Node, name: str) -> Lesson | None:
        found = self.mapping(tree, "", ("title", "summary", "steps"))
        if found is None:
            return None
        title = self.text(found, "title", tree)
        summary = self.text(found, "summary", tree)
        steps = self.steps(found.get("steps"), tree)
        return Lesson(name, title, summary, steps)

    def steps(self, node: yaml.Node | None, parent: yaml.Node) -> tuple[Step, ...]:
        least, most = STEPS
        if not isinstance(node, yaml.SequenceNode):
            self.note(node or parent, "steps", "The steps are missing", _LIST)
            return ()
        count = len(node.value)
        if not least <= count <= most:
            problem = f"It has {count} step{'s' if count != 1 else ''}"
            self.note(node, "steps", problem, f"Write {least} to {most}")
            return ()
        numbered = enumerate(node.value, start=1)
        return tuple(self.step(child, f"step {number}") for number, child in numbered)

    def step(self, node: yaml.Node, place: str) -> Step:
        keys = ("page", "text", "question", "answer")
        found = self.mapping(node, place, keys, optional=("settings",)) or {}
        page = self.page(found.get("page"), place)
        settings = self.settings(found.get("settings"), place)
        texts = {key: self.text(found, key, node, place) for key in keys[1:]}
        question = texts["question"]
        if question and (sentences(question) != 1 or not question.endswith("?")):
            problem = "This is not one question"
            remedy = "Write one sentence that ends with a question mark"
            self.note(found["question"], _join(place, "question"), problem, remedy)
        return Step(page, settings, **texts)

    def page(self, node: yaml.Node | None, place: str) -> str:
        if node is None:
            return ""
        page = str(node.value) if isinstance(node, yaml.ScalarNode) else ""
        pages = self.declared.pages
        if page not in pages:
            problem = (
                f"No step can be shown on {_quote(page)}"
                if page in self.declared.others
                else f"There is no page {_quote(page)}"
            )
            remedy = _meant(page, pages) or f"Write one of {', '.join(pages)}"
            self.note(node, _join(place, "page"), problem, remedy)
        return page

    def settings(self, node: yaml.Node | None, place: str) -> dict[str, Any]:
        if node is None:
            return {}
        place = _join(place, "settings")
        found = self.mapping(node, place, ()) or {}
        return dict(self.setting(key, child, place) for key, child in found.items())

    def setting(self, key: str, node: yaml.Node, place: str) -> tuple[str, Any]:
        place = _join(place, key)
        if not isinstance(node, yaml.ScalarNode):
            self.note(node, place, "This is not one value", "Write a number or a word")
            return key, None
        name, text, parse = self.declared.reader(key, node.value)
        if parse is None:
            remedy = _meant(key, self.declared.settings) or (
                "Take the name from the link of a page on which you have set it, such "
                "as alpha or RSRank.g"
            )
            self.note(node, place, "There is no such setting", remedy)
            return key, None
        try:
            return name, parse(text)
        except ValueError as error:
            problem = str(error).rstrip(".")
            self.note(node, place, problem, "Set it on its page and copy it from there")
            return name, None

    def text(
        self,
        found: Mapping[str, yaml.Node],
        key: str,
        parent: yaml.Node,
        place: str = "",
    ) -> str:
        node = found.get(key)
        if node is None:
            return ""
        place = _join(place, key)
        text = node.value.strip() if isinstance(node, yaml.ScalarNode) else ""
        if not text:
            self.note(node, place, "There is no text", "Write a sentence")
        elif len(text) > LENGTHS[key]:
            problem = f"This has {len(text)} characters"
            self.note(node, place, problem, f"Write at most {LENGTHS[key]}")
        elif "![" in text:
            problem = "Pictures are not shown in lessons"
            self.note(node, place, problem, "Leave the picture out")
        elif link := _LINK.search(text):
            problem = f"Lessons have no links, and {_quote(link[0])} makes one"
            self.note(node, place, problem, "Name the source in words")
        return text

    def mapping(
        self,
        node: yaml.Node,
        place: str,
        required: tuple[str, ...],
        optional: tuple[str, ...] = (),
    ) -> dict[str, yaml.Node] | None:
        """The keys of a mapping; where none is required, any key may come."""
        if not isinstance(node, yaml.MappingNode):
            wanted = ", ".join(required) or "settings and their values"
            self.note(node, place, "Keys are missing", f"Write {wanted}, each with ':'")
            return None
        found: dict[str, yaml.Node] = {}
        for key_node, child in node.value:
            key = str(key_node.value)
            if key in found:
                self.note(key_node, _join(place, key), "This is here twice", _ONCE)
            elif required and key not in (*required, *optional):
                known = (*required, *optional)
                remedy = _meant(key, known) or f"Use {', '.join(known)}"
                self.note(key_node, place, f"{_quote(key)} means nothing here", remedy)
            found[key] = child
        for key in required:
            if key not in found:
                self.note(node, place, f"{key} is missing", f"Add a line '{key}: …'")
        return found

    def note(self, node: yaml.Node, key: str, problem: str, remedy: str) -> None:
        line = node.start_mark.line + 1
        self.problems.append(Problem(self.file, line, key, problem, remedy))


_LIST = "Write 'steps:' and below it a list, each step beginning with '- page:'"
_ONCE = "Keep one of the two"


def _meant(word: str, known: Sequence[str]) -> str:
    close = get_close_matches(word, known, n=1)
    return f"Perhaps you mean {close[0]}" if close else ""


def _quote(word: str) -> str:
    """A word of the file, short enough for a message."""
    return f"'{word[:40]}'"


def _join(*parts: str) -> str:
    return ", ".join(part for part in parts if part)
