"""A YAML file as a tree of text, and a list of its problems.

Nothing in the file is executed: YAML's tags are ignored, so no objects are built. It
needs PyYAML, which the app installs.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

import yaml

MAX_BYTES = 65_536
_ONCE = "Keep one of the two"
# Everything that Markdown turns into a link: inline, by reference, in angle brackets, a
# bare URL, or an e-mail address.
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
    """An invalid lesson file, with all of its problems."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(*problems)
        self.problems = problems

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))


def tree(content: bytes, file: str, size: str) -> yaml.Node:
    """Read a file; ``size`` describes its limits.

    Raises
    ------
    LessonError
        If it is not YAML text.
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
        """Return a text with a limited number of characters; empty if there is none."""
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
        """Return a finite number, or None if there is none."""
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
        """Return the keys of a mapping; if none is required, any key is allowed."""
        if not isinstance(node, yaml.MappingNode):
            wanted = ", ".join(required) or "settings and their values"
            self.note(node, place, "Keys are missing", f"Write {wanted}, each with ':'")
            return None
        entries: dict[str, yaml.Node] = {}
        for key_node, child in node.value:
            # A list of nested aliases as a key could expand to an endless text.
            key = scalar(key_node)
            if key in entries:
                self.note(key_node, join(place, key), "This key occurs twice", _ONCE)
            elif required and key not in (*required, *optional):
                keys = (*required, *optional)
                remedy = meant(key, keys) or f"Use {', '.join(keys)}"
                self.note(key_node, place, f"{quote(key)} is not a key here", remedy)
            entries[key] = child
        for key in required:
            if key not in entries:
                self.note(node, place, f"{key} is missing", f"Add a line '{key}: …'")
        return entries

    def note(self, node: yaml.Node, key: str, problem: str, remedy: str) -> None:
        """Note a problem at a node."""
        line = node.start_mark.line + 1
        self.problems.append(Problem(self.file, line, key, problem, remedy))

    def wrong(
        self, nodes: Mapping[str, yaml.Node], key: str, place: str, *texts: str
    ) -> None:
        """Note a problem and its remedy at a key of a mapping."""
        self.note(nodes[key], join(place, key), *texts)


def scalar(node: yaml.Node) -> str:
    """Return the text of a single value; empty for anything else."""
    return str(node.value) if isinstance(node, yaml.ScalarNode) else ""


def meant(word: str, names: Sequence[str]) -> str:
    """Return a remedy for a misspelt word; empty if no known word is similar."""
    close = get_close_matches(word, names, n=1)
    return f"Perhaps you mean {close[0]}" if close else ""


def quote(word: str) -> str:
    """Return a word of the file, short enough for a message."""
    return f"'{word[:40]}'"


def join(*parts: str) -> str:
    """Return a place as text: its parts, separated by commas."""
    return ", ".join(part for part in parts if part)
