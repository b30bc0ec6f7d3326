"""Texts in Markdown: explanations made from declarations, and texts of files."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rankcore.algorithms import FAMILIES, by_family, get_algorithm
from rankcore.base.hyperparameters import hyperparameters
from rankcore.base.numbers import rounded
from rankcore.measures import CONVENTIONS, parse
from rankcore.topics.train.explanation import explanation


def algorithm(chosen: type, values: Mapping[str, Any]) -> str:
    """Return the objective of an algorithm, and the meaning of its symbols;
    missing hyperparameters have their default."""
    params = {name: p.default for name, p in hyperparameters(chosen).items()}
    params |= dict(values)
    rows = [
        f"- ${row.symbol}$ = **{rounded(params[name])}**, {row.title.lower()}. "
        f"{row.meaning}"
        for name, row in hyperparameters(chosen).items()
        if row.symbol and row.applies(params)
    ]
    goal = "Maximises" if chosen.maximises else "Minimises"  # type: ignore[attr-defined]
    parts = [
        f"**{chosen.title}.** {chosen.summary} {goal}:",  # type: ignore[attr-defined]
        _formula(chosen.equation),  # type: ignore[attr-defined]
        "\n".join(rows),
        f"Paper: {chosen.paper}",  # type: ignore[attr-defined]
    ]
    return "\n\n".join(filter(None, parts))


def background(chosen: type) -> str:
    """Return the text of an algorithm's docstring beyond its equation."""
    page = explanation(chosen)
    parts = [f"**{heading}**\n\n{part}" for heading, part in page.sections.items()]
    return "\n\n".join([page.about, *parts])


def measure(name: str, convention: str = "standard", empty: str = "zero") -> str:
    """Return the definition of a measure under evaluation rules, and its source."""
    parsed = parse(name)
    formula = parsed.formula(CONVENTIONS[convention])
    parts = [
        f"**{parsed.title}.** {parsed.meaning}",
        _formula(formula) if formula else "",
        parsed.letters if formula else "",
        f"Counted as: {parsed.describe(convention, empty)}.",
        f"Paper: {parsed.paper}" if parsed.paper else "",
    ]
    return "\n\n".join(filter(None, parts))


def all_algorithms() -> str:
    """Return every algorithm by family, with its summary."""
    return "\n\n".join(
        f"**{family.capitalize()}**: {FAMILIES.get(family, 'others')}\n\n"
        + "\n".join(
            f"- {cls.title}. {cls.summary}" for cls in map(get_algorithm, names)
        )
        for family, names in by_family().items()
    )


def tabs(module: str) -> dict[str, str]:
    """Return the explanations in the Markdown file beside a module, by their headings.
    The file has the same name and begins each tab with ``# Title``."""
    text = Path(module).with_suffix(".md").read_text("utf-8")
    _, *parts = re.split(r"^# (.+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[::2], map(str.strip, parts[1::2]), strict=True))


def both_tabs(module: str) -> tuple[str, str]:
    """Return the explanations beside a module that has two, as `tabs` does."""
    first, second = tabs(module).values()
    return first, second


def literal(text: str) -> str:
    """Return a file's text, with the characters special to Markdown escaped."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]()<>#+!|~$:" else c for c in text)


def _formula(latex: str) -> str:
    return f"$$\n{latex}\n$$"
