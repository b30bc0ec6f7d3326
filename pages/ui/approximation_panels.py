"""One list on the Approximation page: its settings, figures and bounds."""

from typing import NamedTuple

import streamlit as st

from pages.ui import controls, frame, score_list, state
from pages.ui.score_list import ScoreList
from rankcore.hyperparameters import hyperparameters
from rankcore.insight import approximate_list as insight
from rankcore.insight.approximation import PositionErrors, position_errors


class Choice(NamedTuple):
    """What the settings of the list say."""

    documents: ScoreList
    alpha: float
    beta: float
    cutoff: int
    measure: int


def settings() -> Choice:
    """Draw the list's controls."""
    from rankcore.algorithms.approx_ap import ApproxAP

    declared = hyperparameters(ApproxAP)
    alpha = controls.hyperparameter(declared["alpha"], "approx_alpha")
    beta = controls.hyperparameter(declared["beta"], "approx_beta")
    cutoff = st.slider(
        "Cutoff &ensp;$k$",
        1,
        10,
        state.default("approx_k"),
        help="Where the list is cut for nDCG@k and P@k.",
        **state.widget("approx_k"),
    )
    names = insight.surrogate_names()
    measure = st.segmented_control(
        "Measure",
        names,
        default=state.default("approx_measure"),
        required=True,
        **state.widget("approx_measure"),
    )
    return Choice(_list(), alpha, beta, cutoff, names.index(measure))


def show(choice: Choice) -> None:
    """Draw everything about the list."""
    scores, labels = choice.documents
    dataset = insight.one_list(scores, labels)
    positions = position_errors(dataset, scores, choice.alpha)
    values = insight.list_values(
        scores, labels, choice.alpha, choice.beta, choice.cutoff
    )
    _facts(values[choice.measure], positions)
    _bounds(choice)


def _list() -> ScoreList:
    documents = score_list.current("approx_list")
    st.session_state["approx_text"] = score_list.write(documents)
    st.text_area(
        "Scores and labels",
        key="approx_text",
        height=96,
        on_change=_typed,
        help=score_list.RULE,
    )
    return documents


def _typed() -> None:
    text = st.session_state["approx_text"]
    if score_list.read(text) is None:
        st.toast(score_list.RULE, icon=":material/info:", duration="long")
    else:
        state.put("approx_list", text)


def _facts(value: insight.ListValue, positions: PositionErrors) -> None:
    frame.facts(
        [
            frame.Fact(f"{value.name}, exact", f"{value.exact:.3f}"),
            frame.Fact(f"{value.name}, approximated", f"{value.smooth:.3f}"),
            frame.Fact("Error", f"{value.error:.3g}", f"bound {value.bound:.3g}"),
            frame.Fact("Largest position error ε", f"{positions.error.max():.3g}"),
            frame.Fact("Largest force", f"{value.largest:.3g}"),
        ]
    )


def _bounds(choice: Choice) -> None:
    frame.heading("With this list's numbers", "what the paper proves, and its check")
    for bound in insight.bounds(*choice.documents, choice.alpha, choice.beta):
        st.caption(bound.name)
        st.latex(bound.filled)
