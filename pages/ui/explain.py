"""The Explain panel: equation, source, how to read the figure, a thing to try."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from rankcore.hyperparameters import hyperparameters

Part = str | Callable[[], None]


def panel(parts: Mapping[str, Part]) -> None:
    """Draw the panel, closed until somebody opens it.

    Parameters
    ----------
    parts : dict
        The name of each part → its text in Markdown, or a function that draws it.
    """
    with st.expander(
        "Explain", icon=":material/school:", key="explain", on_change="rerun"
    ) as expander:
        if not expander.open:
            return
        for tab, part in zip(st.tabs(list(parts)), parts.values(), strict=True):
            with tab:
                st.markdown(part) if isinstance(part, str) else part()


def algorithm(chosen: type, values: Mapping[str, Any]) -> None:
    """What an algorithm optimises, with the meaning of its symbols as they are set."""
    goal = "Maximises" if chosen.maximises else "Minimises"
    st.markdown(f"**{chosen.title}.** {chosen.summary} {goal}:")
    st.latex(chosen.equation)
    rows = [
        f"- ${declared.symbol}$ = **{declared.short(values[name])}**, "
        f"{declared.title.lower()}. {declared.meaning}"
        for name, declared in hyperparameters(chosen).items()
        if declared.symbol and name in values and declared.applies(values)
    ]
    st.markdown("\n".join(rows))
    st.caption(f"Paper: {chosen.paper}")


def background(chosen: type) -> None:
    """What the docstring of an algorithm tells beyond its equation."""
    from rankcore.insight.explanation import explanation

    found = explanation(chosen)
    st.markdown(found.about)
    for heading, part in found.sections.items():
        st.markdown(f"**{heading}**\n\n{part}")


def measure(name: str, convention: str = "standard", empty: str = "zero") -> None:
    """The definition of a measure in a convention, and where it is from."""
    from rankcore.measures import CONVENTIONS, parse

    parsed = parse(name)
    st.markdown(f"**{parsed.title}.** {parsed.meaning}")
    formula = parsed.formula(CONVENTIONS[convention])
    if formula:
        st.latex(formula)
        st.markdown(parsed.letters)
    st.caption(f"Counted as: {parsed.describe(convention, empty)}.")
    if parsed.paper:
        st.caption(f"Paper: {parsed.paper}")


def all_algorithms() -> None:
    """Every algorithm by family, with what it does."""
    from rankcore.algorithms import FAMILIES, by_family, get_algorithm

    for family, names in by_family().items():
        st.markdown(
            f"**{family.capitalize()}**: {FAMILIES.get(family, 'others')}\n\n"
            + "\n".join(
                f"- {cls.title}. {cls.summary}" for cls in map(get_algorithm, names)
            )
        )
