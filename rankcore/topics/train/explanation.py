"""The explanation of an algorithm, from its module's docstring, as Markdown."""

import inspect
import re
import textwrap
from typing import NamedTuple

_ROLE = re.compile(r":math:`([^`]+)`", re.DOTALL)
_OTHER_ROLE = re.compile(r":\w+:`~?([^`]+)`")
_LITERAL = re.compile(r"``(.+?)``", re.DOTALL)
_LINK = re.compile(r"`([^`<]+?)\s*<([^>]+)>`_+")
_MATH = re.compile(r"^\.\. math::[ ]*(.*)\n((?:[ \t]+.*\n|\n)*)", re.MULTILINE)
_HEADING = re.compile(r"^(\S.*)\n-{3,}\n", re.MULTILINE)


class Explanation(NamedTuple):
    """The parts of a module's docstring.

    Attributes
    ----------
    title : str
        Its first line.
    about : str
        The text before the first heading, in Markdown with LaTeX.
    sections : dict of str to str
        Heading → text, in order.
    """

    title: str
    about: str
    sections: dict[str, str]


def explanation(algorithm: type) -> Explanation:
    """Read the docstring of an algorithm's module."""
    module = inspect.getmodule(algorithm)
    text = (inspect.getdoc(module) if module else None) or ""
    title, _, body = text.partition("\n")
    about, *rest = _HEADING.split(f"{body.strip()}\n")
    sections = zip(rest[::2], rest[1::2], strict=True)
    return Explanation(
        title=title,
        about=markdown(about),
        sections={heading.strip(): markdown(part) for heading, part in sections},
    )


def markdown(text: str) -> str:
    """Turn the reStructuredText of a docstring into Markdown with LaTeX.

    Examples
    --------
    >>> markdown("The gain :math:`2^y` of ``labels``, see `RSRank`.")
    'The gain $2^y$ of `labels`, see `RSRank`.'
    """
    text = _MATH.sub(_display, f"{text.strip()}\n")
    text = _ROLE.sub(lambda match: f"${' '.join(match[1].split())}$", text)
    text = _OTHER_ROLE.sub(r"`\1`", text)
    text = _LITERAL.sub(r"`\1`", text)
    return _LINK.sub(r"[\1](\2)", text).strip()


def _display(match: re.Match[str]) -> str:
    lines = textwrap.dedent(match[2]).strip()
    formula = "\n".join(line for line in (match[1], *lines.split("\n")) if line.strip())
    return f"$$\n{formula}\n$$\n\n"
