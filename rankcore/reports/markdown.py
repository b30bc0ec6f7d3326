"""Markdown with formulas, converted to HTML without scripts and fonts.

Formulas become MathML, which browsers render. HTML in a text is shown as source, and
only links to other web pages stay links.
"""

import re
from functools import cache
from html import escape
from typing import Any

# Extensions of Streamlit's Markdown: icons, and coloured words.
_ICON = re.compile(r":material/\w+:\s?")
_COLOURED = re.compile(r":[a-z]+\[((?:[^\[\]]|\[[^\]]*\])*)\]")


def html_of(text: str) -> str:
    """Return Markdown text, with formulas between dollar signs, as HTML."""
    plain = _COLOURED.sub(r"\1", _ICON.sub("", text))
    return str(_parser().render(plain))


def mathml(latex: str, block: bool = False) -> str:
    """Return a LaTeX formula as MathML, or unchanged if it cannot be converted."""
    from latex2mathml.converter import convert

    for unknown, symbol in _UNKNOWN.items():
        latex = re.sub(unknown, symbol, latex)
    try:
        return str(convert(latex, display="block" if block else "inline"))
    except Exception:
        return f"<code>{escape(latex)}</code>"


# LaTeX unsupported by the converter → a supported equivalent.
_UNKNOWN = {r"\{aligned\}": "{align*}", r"\\arg(?![a-z])": r"\\operatorname{arg}"}


@cache
def _parser() -> Any:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table"])
    parser.use(
        dollarmath_plugin,
        allow_labels=False,
        renderer=lambda latex, options: mathml(latex, bool(options["display_mode"])),
    )
    # Every reader's browser would fetch a picture from an address in a note.
    parser.add_render_rule("image", _as_text)
    # Headings of a text are below those of the page.
    parser.core.ruler.push("lower", _lower)
    return parser


def _as_text(renderer: Any, tokens: Any, at: int, *details: Any) -> str:
    """Return the Markdown of an image instead of the image."""
    image = tokens[at]
    return escape(f"![{image.content}]({image.attrs['src']})")


def _lower(state: Any) -> None:
    for token in state.tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 3, 6)}"
