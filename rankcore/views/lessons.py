"""Lessons as files: read, checked line by line, and never partly loaded.

A lesson is a YAML file with a title, a summary and steps. Nothing in it is executed:
the file is read as a tree of text and every value is checked against the app's
declarations. A single problem rejects the whole file, with a message for each problem.
It needs PyYAML, which the app installs.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import yaml

from rankcore.views._tree import (
    MAX_BYTES,
    Checks,
    LessonError,
    Problem,
    join,
    meant,
    quote,
    scalar,
    tree,
)
from rankcore.views.steps import (
    LEVELS,
    Amount,
    Choices,
    FigureArrow,
    Guess,
    InSight,
    Lesson,
    LessonStep,
)

__all__ = [
    "LENGTHS",
    "LEVELS",
    "MAX_BYTES",
    "Declarations",
    "Lesson",
    "LessonError",
    "LessonStep",
    "Problem",
    "read_lesson",
    "sentences",
]

STEPS = (1, 12)
CHOICES = (2, 5)
# Maximum number of characters of a text, so that a step fits on a projected slide.
LENGTHS = {
    "title": 80,
    "summary": 240,
    "text": 420,
    "question": 220,
    "answer": 420,
    "notes": 1200,
    "paper": 420,
    "learnt": 160,
}
CHOICE_LENGTH = 80
UNIT_LENGTH = 40
# Guesses on a scale whose ends are no whole numbers, if the lesson does not say.
GUESSES = 100
MOST_FIGURES = 9
POINTED_WORDS = 8
# Parts of a page that a step may show in addition to figures and controls.
OTHERS = ("facts", "words")

_TEXTS = ("text", "question", "answer")
_FURTHER = (
    "settings",
    "press",
    "guess",
    "then",
    "show",
    "notes",
    "paper",
    "learnt",
    "point",
)
_SENTENCE_END = re.compile(r"[.?!…](?=[\s)”\"*]|$)")
_FORMULA = re.compile(r"\$[^$]*\$")
_FIGURE = re.compile(r"figure (\d+)")
_LIST = "Write 'steps:' and below it a list, each step beginning with '- page:'"
_SIZE = f"A lesson has {STEPS[0]} to {STEPS[1]} steps in {MAX_BYTES:,} bytes"
_LINKED = (
    "Take the name from the link of a page on which you have set it, such as alpha or "
    "RSRank.g"
)


class ReadSetting(NamedTuple):
    """A setting under its present name.

    Attributes
    ----------
    name, text : str
        Its key, and its value as a text.
    parse : callable, or None
        Reads the value; it raises a ValueError for an invalid one. None if there is no
        such setting.
    """

    name: str
    text: str
    parse: Callable[[str], Any] | None


class Declarations(NamedTuple):
    """The names that lessons may use.

    Attributes
    ----------
    pages : sequence of str
        Those that a step can be shown on.
    others : sequence of str
        Those that no step can be shown on.
    settings : sequence of str
        Keys to suggest in place of a wrong one.
    reader : callable
        ``reader(key, text, step)`` returns the present settings that stand for one
        setting of a step: one, or several, of which the first replaces it.
    page_now : callable
        ``page_now(page, settings)`` returns the page that now has the view of a step,
        from its settings as texts.
    """

    pages: Sequence[str]
    others: Sequence[str]
    settings: Sequence[str]
    reader: Callable[[str, str, Mapping[str, str]], Sequence[ReadSetting]]
    page_now: Callable[[str, Mapping[str, str]], str]


def sentences(text: str) -> int:
    """Return the number of sentences of a text; formulas and decimal points end
    none."""
    return len(_SENTENCE_END.findall(_FORMULA.sub("x", text).strip()))


def read_lesson(content: bytes, file: str, name: str, declared: Declarations) -> Lesson:
    """Read a lesson and check everything in it.

    Parameters
    ----------
    content : bytes
        The YAML text.
    file : str
        Name of the file in messages.
    name : str
        Name of the lesson in links.

    Raises
    ------
    LessonError
        With every problem: file, line, key, and remedy.
    """
    checks = _Lessons(file, declared)
    lesson = checks.lesson(tree(content, file, _SIZE), name)
    if checks.problems or lesson is None:
        raise LessonError(*sorted(checks.problems, key=lambda one: one.line or 0))
    return lesson


class _Lessons(Checks):
    """Makes a lesson from a tree and notes every problem."""

    def __init__(self, file: str, declared: Declarations) -> None:
        super().__init__(file)
        self.declared = declared

    def lesson(self, node: yaml.Node, name: str) -> Lesson | None:
        entries = self.mapping(node, "", ("title", "summary", "steps"), ("level",))
        if entries is None:
            return None
        title, summary = self.texts(entries, ("title", "summary")).values()
        steps = self.steps(entries.get("steps"), node)
        return Lesson(name, title, summary, steps, self.level(entries))

    def level(self, lesson: Mapping[str, yaml.Node]) -> str:
        if "level" not in lesson:
            return ""
        level = scalar(lesson["level"])
        if level not in LEVELS:
            problem = f"There is no level {quote(level)}"
            remedy = meant(level, LEVELS) or f"Write one of {', '.join(LEVELS)}"
            self.wrong(lesson, "level", "", problem, remedy)
        return level

    def steps(
        self, node: yaml.Node | None, parent: yaml.Node
    ) -> tuple[LessonStep, ...]:
        least, most = STEPS
        if not isinstance(node, yaml.SequenceNode):
            self.note(node or parent, "steps", "The steps are missing", _LIST)
            return ()
        count = len(node.value)
        if not least <= count <= most:
            problem = f"It has {count} step{'s' if count != 1 else ''}"
            self.note(node, "steps", problem, f"Write {least} to {most}")
        numbered = enumerate(node.value, start=1)
        return tuple(self.step(child, f"step {number}") for number, child in numbered)

    def step(self, node: yaml.Node, place: str) -> LessonStep:
        entries = self.mapping(node, place, ("page", *_TEXTS), _FURTHER) or {}
        page = self.page(entries.get("page"), place, entries.get("settings"))
        texts = self.texts(entries, (*_TEXTS, "notes", "paper", "learnt"), place)
        question = texts["question"]
        if question and not _is_sentence(question, "?"):
            remedy = "Write one sentence that ends with a question mark"
            self.wrong(entries, "question", place, "This is not one question", remedy)
        learnt = texts["learnt"]
        if learnt and ("\n" in learnt or not _is_sentence(learnt, ".", "!")):
            problem = "This is not one sentence without line breaks"
            remedy = "Write one that ends with a full stop, below 'learnt: >-'"
            self.wrong(entries, "learnt", place, problem, remedy)
        return LessonStep(
            page,
            self.settings(entries, "settings", place),
            guess=self.guess(entries.get("guess"), join(place, "guess")),
            then=self.settings(entries, "then", place),
            press=self.press(entries, place),
            in_sight=self.in_sight(entries.get("show"), join(place, "show")),
            point=self.point(entries.get("point"), join(place, "point")),
            **texts,
        )

    def texts(
        self, nodes: Mapping[str, yaml.Node], keys: Sequence[str], place: str = ""
    ) -> dict[str, str]:
        return {
            key: self.text(nodes.get(key), join(place, key), LENGTHS[key])
            for key in keys
        }

    def page(
        self, node: yaml.Node | None, place: str, settings: yaml.Node | None
    ) -> str:
        if node is None:
            return ""
        pairs = settings.value if isinstance(settings, yaml.MappingNode) else []
        texts = {scalar(key): scalar(value) for key, value in pairs}
        page, pages = scalar(node), self.declared.pages
        if page not in pages:
            problem = (
                f"No step can be shown on {quote(page)}"
                if page in self.declared.others
                else f"There is no page {quote(page)}"
            )
            remedy = meant(page, pages) or f"Write one of {', '.join(pages)}"
            self.note(node, join(place, "page"), problem, remedy)
        return self.declared.page_now(page, texts)

    def press(self, step: Mapping[str, yaml.Node], place: str) -> bool:
        answer = scalar(step["press"]) if "press" in step else "false"
        if answer not in ("true", "false"):
            problem = f"{quote(answer)} is neither true nor false"
            self.wrong(step, "press", place, problem, "Write true, or leave it out")
        return answer == "true"

    def settings(
        self, step: Mapping[str, yaml.Node], key: str, place: str
    ) -> dict[str, Any]:
        if key not in step:
            return {}
        place = join(place, key)
        entries = self.mapping(step[key], place, ()) or {}
        texts = {name: scalar(child) for name, child in entries.items()}
        return {
            name: value
            for key, child in entries.items()
            for name, value in self.setting(key, child, place, texts).items()
        }

    def setting(
        self, key: str, node: yaml.Node, place: str, step: Mapping[str, str]
    ) -> dict[str, Any]:
        place = join(place, key)
        if not isinstance(node, yaml.ScalarNode):
            self.note(
                node, place, "This is not a single value", "Write a number or a word"
            )
            return {}
        values = {}
        for name, text, parse in self.declared.reader(key, node.value, step):
            if parse is None:
                self.no_setting(node, place, key)
                continue
            try:
                values[name] = parse(text)
            except ValueError as error:
                problem = str(error).rstrip(".")
                remedy = "Set it on its page and copy it from there"
                self.note(node, place, problem, remedy)
        return values

    def no_setting(self, node: yaml.Node, place: str, key: str) -> None:
        remedy = meant(key, self.declared.settings) or _LINKED
        self.note(node, place, "There is no such setting", remedy)

    def in_sight(self, node: yaml.Node | None, place: str) -> InSight:
        figures, controls, others = [], [], set()
        for member in self.sequence(node, place):
            word = scalar(member).strip()
            figure = _FIGURE.fullmatch(word)
            if figure is not None:
                figures.append(int(figure[1]))
                if not 1 <= figures[-1] <= MOST_FIGURES:
                    remedy = f"Count from the top, from 1 to {MOST_FIGURES}"
                    self.note(member, place, f"There is no {word}", remedy)
            elif word in OTHERS:
                others.add(word)
            else:
                name, _, parse = self.declared.reader(word, "", {})[0]
                if parse is None:
                    self.no_sight(member, place, word)
                controls.append(name)
        further = {word: word in others for word in OTHERS}
        return InSight(tuple(figures) or (1,), controls=tuple(controls), **further)

    def point(self, node: yaml.Node | None, place: str) -> FigureArrow | None:
        if node is None:
            return None
        parts = [scalar(member).strip() for member in self.sequence(node, place)]
        if len(parts) != 2 or not all(parts):
            remedy = (
                "Write the name of a mark and a few words: [best, best on validation]"
            )
            self.note(node, place, "This does not point at a mark", remedy)
            return None
        mark, words = parts
        if len(words.split()) > POINTED_WORDS:
            problem = f"The arrow has {len(words.split())} words"
            self.note(node, place, problem, f"Write at most {POINTED_WORDS}")
        return FigureArrow(mark, words)

    def no_sight(self, node: yaml.Node, place: str, word: str) -> None:
        remedy = meant(word, self.declared.settings) or (
            "Write 'figure 1' or another number, 'facts', 'words', or a setting's name"
        )
        self.note(node, place, f"{quote(word)} cannot be shown", remedy)

    def guess(self, node: yaml.Node | None, place: str) -> Guess | None:
        if node is None:
            return None
        keys = _keys(node)
        if "choices" in keys:
            return self.choices(node, place)
        if "from" in keys:
            return self.amount(node, place)
        problem = "There is nothing to guess"
        remedy = "Write choices and answer, or from, to and answer"
        self.note(node, place, problem, remedy)
        return None

    def choices(self, node: yaml.Node, place: str) -> Choices:
        entries = self.mapping(node, place, ("choices", "answer")) or {}
        least, most = CHOICES
        listed = self.sequence(entries["choices"], join(place, "choices"))
        choices = [self.text(n, join(place, "choices"), CHOICE_LENGTH) for n in listed]
        if listed and not least <= len(set(choices)) == len(choices) <= most:
            problem = f"These are not {least} to {most} different choices"
            self.wrong(entries, "choices", place, problem, "Add, remove or change some")
        answer = self.text(entries.get("answer"), join(place, "answer"), CHOICE_LENGTH)
        if choices and answer and answer not in choices:
            problem = f"{quote(answer)} is not one of the choices"
            remedy = meant(answer, choices) or "Copy the correct one"
            self.wrong(entries, "answer", place, problem, remedy)
        return Choices(tuple(choices), answer)

    def amount(self, node: yaml.Node, place: str) -> Amount | None:
        required = ("from", "to", "answer")
        entries = self.mapping(node, place, required, ("step", "unit")) or {}
        numbers = {
            key: self.number(entries.get(key), join(place, key))
            for key in (*required, "step")
        }
        unit = self.text(entries.get("unit"), join(place, "unit"), UNIT_LENGTH)
        low, high, answer, step = numbers.values()
        if low is None or high is None or answer is None:
            return None
        if low >= high:
            problem = f"{high:g} is not above {low:g}"
            self.wrong(entries, "to", place, problem, "Write the lower end at 'from'")
        elif not low <= answer <= high:
            problem = f"{answer:g} is not between {low:g} and {high:g}"
            remedy = "Widen the scale, so that the answer lies on it"
            self.wrong(entries, "answer", place, problem, remedy)
        elif step is None:
            whole = all(number.is_integer() for number in (low, high, answer))
            step = 1 if whole else (high - low) / GUESSES
        elif not 0 < step <= high - low:
            problem = f"{step:g} is no step from {low:g} to {high:g}"
            self.wrong(entries, "step", place, problem, "Write a smaller one, above 0")
        return Amount(low, high, answer, step or 1, unit)


def _is_sentence(text: str, *ends: str) -> bool:
    """Whether a text is one sentence with one of these ends."""
    return sentences(text) == 1 and text.endswith(ends)


def _keys(node: yaml.Node) -> set[str]:
    if not isinstance(node, yaml.MappingNode):
        return set()
    return {scalar(key) for key, _ in node.value}
