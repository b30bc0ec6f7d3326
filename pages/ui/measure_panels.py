"""The panels of the Measures page: each a figure, its finding and its table."""

from collections.abc import Sequence

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui import choice, downloads, frame, sortable, state
from pages.ui.theme import colours
from rankcore.insight import measure_terms as insight
from rankcore.measures import Measure

SHARPNESS = (0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0)


def cutoff_picker() -> int:
    """Choose k of the measures that need one."""
    return st.slider(
        "Cutoff &ensp;$k$",
        1,
        sortable.MOST,
        state.default("cutoff"),
        help="nDCG and P count the first k positions.",
        **state.widget("cutoff"),
    )


def count_picker() -> None:
    """Choose how many documents the list has."""
    documents = sortable.read(str(state.get("ranking"))) or []
    st.session_state["documents"] = len(documents) or 5
    st.number_input(
        "Documents",
        2,
        sortable.MOST,
        key="documents",
        on_change=lambda: sortable.resize("ranking", st.session_state["documents"]),
    )


def tie_picker() -> int:
    """Choose how many documents at the top have the same score."""
    return st.slider(
        "Equal scores, from the top down",
        1,
        insight.MOST_TIED,
        state.default("tied_to"),
        help="As many documents at the top share one score; 1 means no tie.",
        **state.widget("tied_to"),
    )


def alpha_picker() -> float:
    """Choose the sharpness of the smooth ranks."""
    return st.select_slider(
        "Sharpness &ensp;$\\alpha$",
        SHARPNESS,
        state.default("alpha"),
        help="Of the smooth ranks in the last figure, for scores one apart.",
        **state.widget("alpha"),
    )


def place() -> DeltaGenerator:
    """A place above the columns."""
    return st.container()


def columns() -> tuple[DeltaGenerator, DeltaGenerator]:
    """Places for figures and, to their right, for the list; on a narrow screen the list
    comes first."""
    left, right = st.container(key="beside").columns([9, 4], gap="medium")
    return left, right


def measures(cutoff: int) -> Sequence[Measure]:
    """The measures that are shown: the cutoff counts where it is usual."""
    return insight.measures_with_terms(cutoff)


def facts(labels: Sequence[int], cutoff: int, convention: str) -> None:
    """The value of every measure."""
    frame.facts(
        [
            frame.Fact(
                str(measure), _three(insight.measure_of(labels, measure, convention))
            )
            for measure in measures(cutoff)
        ]
    )


def measure_picker(cutoff: int) -> Measure:
    """Choose the measure whose terms are shown."""
    offered = {measure.name: measure for measure in measures(cutoff)}
    name = choice.segments(
        "Measure",
        "taken_apart",
        offered,
        label_visibility="collapsed",
    )
    return offered[name]


def terms(
    labels: Sequence[int], names: Sequence[str], measure: Measure, convention: str
) -> None:
    """What each position adds, as bars, as a formula and as a table."""
    from rankcore.charts.measures import terms_figure

    found = insight.measure_terms(labels, measure, convention)
    frame.heading(
        f"Terms of {measure}", "what each position adds; bluer: more relevant"
    )
    largest = int(np.argmax(found.terms))
    frame.figure(
        terms_figure(found, labels, names, colours()),
        key="terms",
        alt=f"{measure} is {_three(found.value)}; rank {largest + 1} adds most, "
        f"{found.terms[largest]:.3f}.",
        table={
            "rank": np.arange(1, len(labels) + 1),
            "document": names,
            "label": labels,
            **found.factors,
            "adds": found.terms,
        },
    )
    st.latex(found.filled)


def every_term(
    labels: Sequence[int], names: Sequence[str], cutoff: int, convention: str
) -> None:
    """What each position adds to every measure, and the sums."""
    frame.heading("Every term", "what each position adds to each measure")
    found = {
        str(measure): insight.measure_terms(labels, measure, convention)
        for measure in measures(cutoff)
    }
    st.dataframe(
        {
            "the list": [
                *(
                    f"{rank}. {name} · {label}"
                    for rank, (name, label) in enumerate(
                        zip(names, labels, strict=True), start=1
                    )
                ),
                "sum",
            ],
            **{
                measure: [*map(_three, own.terms), _three(own.value)]
                for measure, own in found.items()
            },
        },
        hide_index=True,
        key="every_term",
    )


def other_rules(labels: Sequence[int], cutoff: int, tied: int, convention: str) -> None:
    """Every measure under all conventions, and under rules for ties in one of them."""
    last = min(tied, len(labels))
    ties = (
        f"the first {last} tied, under {convention}"
        if last > 1
        else "set equal scores to see ties differ"
    )
    frame.heading("Conventions and ties", ties)
    rows = [
        {"measure": str(measure)}
        | {
            rule: _three(value)
            for rule, value in insight.by_rule(
                labels, last, measure, convention
            ).items()
        }
        for measure in measures(cutoff)
    ]
    st.dataframe(rows, hide_index=True, key="rules")


def moving_score(
    labels: Sequence[int],
    names: Sequence[str],
    measure: Measure,
    convention: str,
    alpha: float,
) -> None:
    """The measure while one document's score moves, exact and smooth."""
    from rankcore.charts.measures import score_figure

    with st.container(horizontal=True, vertical_alignment="center"):
        frame.heading(f"{measure} while one score moves", "scores are one apart")
        name = choice.select(
            "Document",
            "mover",
            {name: name for name in names},
            label_visibility="collapsed",
            width=90,
        )
    sharpness = sorted({1.0, alpha})
    curve = insight.along_score(
        labels, names.index(name), measure, convention, sharpness
    )
    low, high = np.nan_to_num(curve.steps).min(), np.nan_to_num(curve.steps).max()
    frame.figure(
        score_figure(curve, colours()),
        key="moving",
        alt=f"As the score of {name} rises, {measure} goes in {len(curve.steps)} steps "
        f"between {low:.3f} and {high:.3f}; with α = {alpha:g} the smooth one is at "
        f"most {curve.error(alpha):.3f} away.",
        table={
            "score": curve.scores,
            "exact": curve.exact,
            **{f"α = {a:g}": values for a, values in curve.smooth.items()},
        },
    )


def export(
    labels: Sequence[int], names: Sequence[str], cutoff: int, convention: str
) -> None:
    """What can be taken away: the terms of every measure."""
    downloads.menu(
        {
            "Every term": lambda: [
                {
                    "measure": str(measure),
                    "rank": rank,
                    "document": name,
                    "label": label,
                    "adds": term,
                }
                for measure in measures(cutoff)
                for rank, (name, label, term) in enumerate(
                    zip(
                        names,
                        labels,
                        insight.measure_terms(labels, measure, convention).terms,
                        strict=True,
                    ),
                    start=1,
                )
            ]
        }
    )


def _three(value: float) -> str:
    return "undefined" if np.isnan(value) else f"{value:.3f}"
