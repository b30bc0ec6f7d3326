"""A YAML file as a tree of text, and a list of what is wrong in it.

Nothing in the file is executed: YAML's tags stay unread, so that nothing is built. It
needs PyYAML, which the app installs.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

import yaml

MAX_BYTES = 65_536
_ONCE = "Keep one of the two"
# All that Markdown turns into a link: inline, by reference, in angle brackets, a bare
# URL, or an electronic mail address.
LINK = re.compile(
    r"\]\(|\]:|://|www\.|<[a-z][a-z0-9+.-]*:|[\w.+-]+@[\w-]+(\.[\w-]+)+", re.I
)


@dataclass(frozen=True)
class Problem:
    """A problem in a lesson's file: its place, and the remedy."""

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


def tree(content: bytes, file: str, size: str) -> yaml.Node:
    """Read a file; ``size`` says what it may hold.

    Raises
    ------
    LessonError
        If it is no YAML text.
    """
    line: int | None = None
    if len(content) > MAX_BYTES:
        raise LessonError(Problem(file, None, "", "It is too large", size))
    try:
        root = yaml.compose(content.decode("utf-8-sig"), Loader=yaml.SafeLoader)
    except UnicodeDecodeError:
        problem, remedy = "It is not text in UTF-8", "Save it as UTF-8 text"
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = None if mark is None else mark.line + 1
        reason = (
            getattr(error, "problem", None) or "a character that YAML does not know"
        )
        problem = f"It cannot be read as YAML ({reason})"
        remedy = "Check colons and indentation, and put text that holds ': ' in quotes"
    except RecursionError:
        problem, remedy = "It is nested too deeply", "Follow the form of the template"
    else:
        if root is not None:
            return root
        problem, remedy = "The file is empty", size
    raise LessonError(Problem(file, line, "", problem, remedy))


@dataclass
class Checks:
    """Goes through a tree and notes every problem."""

    file: str
    problems: list[Problem] = field(default_factory=list)

    def text(self, node: yaml.Node | None, place: str, most: int) -> str:
        """Return a text of at most so many characters; empty where there is none."""
        if node is None:
            return ""
        text = scalar(node).strip()
        if not text:
            self.note(node, place, "There is no text", "Write a sentence")
        elif len(text) > most:
            problem = f"This has {len(text)} characters"
            self.note(node, place, problem, f"Write at most {most}")
        elif "![" in text:
            problem = "Pictures are not shown in lessons"
            self.note(node, place, problem, "Leave the picture out")
        elif link := LINK.search(text):
            problem = f"Lessons have no links, and {quote(link[0])} makes one"
            self.note(node, place, problem, "Name the source in words")
        return text

    def number(self, node: yaml.Node | None, place: str) -> float | None:
        """Return a finite number, or None where there is none."""
        if node is None:
            return None
        try:
            value = float(scalar(node))
        except ValueError:
            value = float("nan")
        if abs(value) < 1e12:
            return value
        problem = f"{quote(scalar(node))} is not a number"
        self.note(node, place, problem, "Write one, such as 0.5")
        return None

    def sequence(self, node: yaml.Node | None, place: str) -> list[yaml.Node]:
        """Return the members of a list."""
        if node is None:
            return []
        if isinstance(node, yaml.SequenceNode):
            return list(node.value)
        remedy = "Write it in brackets, with commas between the members"
        self.note(node, place, "This is not a list", remedy)
        return []

    def mapping(
        self,
        node: yaml.Node,
        place: str,
        required: tuple[str, ...],
        optional: tuple[str, ...] = (),
    ) -> dict[str, yaml.Node] | None:
        """Return the keys of a mapping; where none is required, any key may come."""
        if not isinstance(node, yaml.MappingNode):
            wanted = ", ".join(required) or "settings and their values"
            self.note(node, place, "Keys are missing", f"Write {wanted}, each with ':'")
            return None
        entries: dict[str, yaml.Node] = {}
        for key_node, child in node.value:
            # A list as a key, of aliases of aliases, would have a text without end.
            key = scalar(key_node)
            if key in entries:
                self.note(key_node, join(place, key), "This is here twice", _ONCE)
            elif required and key not in (*required, *optional):
                keys = (*required, *optional)
                remedy = meant(key, keys) or f"Use {', '.join(keys)}"
                self.note(key_node, place, f"{quote(key)} means nothing here", remedy)
            entries[key] = child
        for key in required:
            if key not in entries:
                self.note(node, place, f"{key} is missing", f"Add a line '{key}: …'")
        return entries

    def note(self, node: yaml.Node, key: str, problem: str, remedy: str) -> None:
        """Note a problem where a node stands."""
        line = node.start_mark.line + 1
        self.problems.append(Problem(self.file, line, key, problem, remedy))

    def wrong(
        self, nodes: Mapping[str, yaml.Node], key: str, place: str, *texts: str
    ) -> None:
        """Note a problem and its remedy at a key of a mapping."""
        self.note(nodes[key], join(place, key), *texts)


def scalar(node: yaml.Node) -> str:
    """Return the text of a single value; empty where it is something else."""
    return str(node.value) if isinstance(node, yaml.ScalarNode) else ""


def meant(word: str, names: Sequence[str]) -> str:
    """Return a remedy for a word that is nearly a known one; empty where none is
    near."""
    close = get_close_matches(word, names, n=1)
    return f"Perhaps you mean {close[0]}" if close else ""


def quote(word: str) -> str:
    """Return a word of the file, short enough for a message."""
    return f"'{word[:40]}'"


def join(*parts: str) -> str:
    """Where something stands: parts with commas between them."""
    return ", ".join(part for part in parts if part)
