"""One list on the Approximation page: its settings, figures and bounds."""

from typing import NamedTuple

import numpy as np
import streamlit as st

from pages.ui import (
    approximation_query,
    controls,
    frame,
    score_list,
    score_state,
    state,
)
from pages.ui.choice import segments
from pages.ui.score_list import ScoreList
from pages.ui.theme import colours
from rankcore.charts.approximation import list_figure, values_figure
from rankcore.charts.approximation_errors import sweep_figure, truncation_figure
from rankcore.hyperparameters import hyperparameters
from rankcore.insight import approximate_list as insight
from rankcore.insight.approximation import PositionErrors, position_errors

ALPHAS = np.geomspace(0.5, 500.0, 49)
MOST_CUTOFF = 10
PREPARING = "Loading the surrogates; the very first time they are compiled, too"


class Choice(NamedTuple):
    """What the settings of the list say.

    Attributes
    ----------
    documents : ScoreList
    alpha, beta : float
    cutoff : int
    measure : int
        Its place among the surrogates.
    """

    documents: ScoreList
    alpha: float
    beta: float
    cutoff: int
    measure: int


def settings() -> Choice:
    """Draw the list's controls."""
    alpha, beta, cutoff = sharpness()
    measure = measure_picker()
    documents = _list()
    return Choice(documents, alpha, beta, cutoff, measure)


def sharpness() -> tuple[float, float, int]:
    """Choose α, β and k."""
    from rankcore.algorithms.approx_ap import ApproxAP

    declared = hyperparameters(ApproxAP)
    alpha = controls.hyperparameter(declared["alpha"], "approx_alpha")
    beta = controls.hyperparameter(declared["beta"], "approx_beta")
    cutoff = st.slider(
        "Cutoff &ensp;$k$",
        1,
        MOST_CUTOFF,
        state.default("approx_k"),
        help="Where the list is cut for nDCG@k and P@k.",
        **state.widget("approx_k"),
    )
    return alpha, beta, cutoff


def measure_picker() -> int:
    """Choose a measure that has a surrogate; its place among them."""
    names = insight.surrogate_names()
    chosen = segments(
        "Measure",
        "approx_measure",
        names,
    )
    return names.index(chosen)


def show(choice: Choice) -> None:
    """Draw everything about the list."""
    scores, labels = choice.documents
    with st.spinner(PREPARING):
        dataset = insight.one_list(scores, labels)
        positions = position_errors(dataset, scores, choice.alpha)
        values = insight.list_values(
            scores, labels, choice.alpha, choice.beta, choice.cutoff
        )
        learner = insight.surrogates(choice.alpha, choice.beta, choice.cutoff)
        swept = insight.sweep(learner[choice.measure], scores, labels, ALPHAS)
    value = values[choice.measure]
    _facts(value, positions, swept)
    left, right = st.columns([7, 4], gap="medium")
    with left:
        _positions(choice, positions, value, float(swept.largest.max()))
        _values(choice, values)
    with right:
        _truncation(choice, positions)
        _bounds(choice)
    _sweep(choice, value, swept)


def rows(choice: Choice) -> list[dict[str, object]]:
    """Every measure of the list, a row each, for tables and files."""
    found = insight.list_values(
        *choice.documents, choice.alpha, choice.beta, choice.cutoff
    )
    return [
        {
            "measure": value.name,
            "exact": value.exact,
            "approximated": value.smooth,
            "error": value.error,
            "bound": value.bound,
            **{
                f"force on {name}": float(force)
                for name, force in zip(choice.documents.names, value.force, strict=True)
            },
        }
        for value in found
    ]


def _list() -> ScoreList:
    documents = score_state.current("approx_list")
    st.session_state["approx_text"] = score_list.write(documents)
    st.text_area(
        "Scores and labels",
        key="approx_text",
        height=96,
        on_change=_typed,
        help=f"{score_list.RULE} Scores can also be dragged in the figure, and a click "
        "on a document gives it the next label.",
    )
    with st.popover(
        "Change one document", key="approx_change", on_change="rerun", type="tertiary"
    ) as popover:
        if popover.open:
            _one_document(documents)
    approximation_query.picker()
    return documents


def _typed() -> None:
    text = st.session_state["approx_text"]
    found = score_list.read(text)
    if found is None:
        st.toast(score_list.RULE, icon=":material/info:", duration="long")
    else:
        state.put("approx_list", score_list.write(found))


def _one_document(documents: ScoreList) -> None:
    name = st.selectbox("Document", documents.names, key="approx_document")
    place = documents.names.index(name) if name in documents.names else 0
    spread = float(np.ptp(documents.scores)) or 1.0
    st.session_state["approx_score"] = float(documents.scores[place])
    st.session_state["approx_label"] = int(documents.labels[place])
    st.number_input(
        "Score",
        -score_list.LARGEST,
        score_list.LARGEST,
        step=spread / 50.0,
        format="%.4f",
        key="approx_score",
        on_change=lambda: score_state.move(
            "approx_list", place, st.session_state["approx_score"]
        ),
    )
    st.number_input(
        "Label",
        0,
        score_list.HIGHEST,
        key="approx_label",
        on_change=lambda: score_state.relabel(
            "approx_list", place, st.session_state["approx_label"]
        ),
    )


def _facts(
    value: insight.ListValue, positions: PositionErrors, swept: insight.Sweep
) -> None:
    best = int(np.argmax(swept.largest))
    frame.facts(
        [
            frame.Fact(f"{value.name}, exact", three(value.exact)),
            frame.Fact(f"{value.name}, approximated", three(value.smooth)),
            frame.Fact("Error", _error(value.error), _bound_note(value.bound)),
            frame.Fact(
                "Largest position error ε",
                _error(float(positions.error.max())),
                f"bound {small(float(positions.bound.max()))}",
            ),
            frame.Fact(
                "Largest force",
                "vanished" if value.flat else small(value.largest),
                f"at best {small(float(swept.largest[best]))}, α = "
                f"{swept.alphas[best]:.2g}",
            ),
        ]
    )


def _positions(
    choice: Choice,
    positions: PositionErrors,
    value: insight.ListValue,
    strongest: float,
) -> None:
    scores, labels = choice.documents
    frame.heading(
        "Scores and positions",
        "drag a score, click a document for its next label; arrow: where the gradient "
        "pushes it, ring: vanished; positions: filled true, open approximated",
    )
    worst = int(np.argmax(positions.error))
    gone = int(value.vanished(choice.alpha).sum())
    frame.figure(
        list_figure(
            scores, labels, positions, value, choice.alpha, strongest, colours()
        ),
        key="approx_positions",
        alt=f"The position of {choice.documents.names[worst]} is off most, by "
        f"{positions.error[worst]:.3g}; the force of {value.name} has vanished on "
        f"{gone} of {len(scores)} documents.",
        table=lambda: {
            "document": choice.documents.names,
            "label": labels,
            "score": scores,
            "position": positions.exact,
            "approximated": positions.soft,
            "error": positions.error,
            "bound": positions.bound,
            "force": value.force,
        },
        on_drag=_dragged,
        on_click=_clicked,
    )


def _dragged(trace: str, point: int, x: float, y: float) -> None:
    if trace == "scores":
        score_state.move("approx_list", point, x)


def _clicked(trace: str, point: int, x: float, y: float) -> None:
    documents = score_state.current("approx_list")
    if trace == "documents" and point < len(documents.labels):
        score_state.relabel("approx_list", point, int(documents.labels[point]) + 1)


def _truncation(choice: Choice, positions: PositionErrors) -> None:
    found = insight.truncation(positions, choice.cutoff, choice.beta)
    off = float(np.abs(found.kept - found.counted).max())
    frame.heading(
        f"The cutoff at k = {choice.cutoff}", "the step, its logistic, the documents"
    )
    frame.figure(
        truncation_figure(
            found, positions, choice.documents.labels, choice.cutoff, colours()
        ),
        key="approx_truncation",
        alt=f"The logistic counts one document by {off:.3f} more or less than the step "
        f"at {choice.cutoff} does.",
        table=lambda: {
            "document": choice.documents.names,
            "position": positions.exact,
            "counts": found.counted,
            "approximated position": positions.soft,
            "counts approximately": found.kept,
        },
    )


def _values(choice: Choice, values: list[insight.ListValue]) -> None:
    frame.heading(
        "Every measure beside its surrogate",
        "filled exact, open approximated; triangle: force, ring: vanished force",
    )
    errors = [0.0 if np.isnan(value.error) else value.error for value in values]
    worst = values[int(np.argmax(errors))]
    frame.figure(
        values_figure(
            values, choice.measure, choice.alpha, choice.documents.labels, colours()
        ),
        key="approx_values",
        alt=f"The surrogate of {worst.name} is off most: {three(worst.smooth)} where "
        f"{worst.name} is {three(worst.exact)}.",
        table=lambda: rows(choice),
    )


def _bounds(choice: Choice) -> None:
    frame.heading("With this list's numbers", "Qin, Liu and Li 2010, with ≤ for <")
    bounds = insight.bounds(*choice.documents, choice.alpha, choice.beta)
    st.markdown(
        "\n\n".join(
            f":small[{bound.name}: {_verdict(bound)}]\n\n$$\n{bound.filled}\n$$"
            for bound in bounds
        )
    )


def equations() -> None:
    """What each learner that smooths a measure maximises, and who says so."""
    for learner in dict.fromkeys(map(type, insight.surrogates(1.0, 1.0, 1))):
        st.markdown(f"**{learner.title}.** {learner.summary}")
        st.latex(learner.equation)
        st.caption(learner.paper)
    st.caption(
        "r is 1 for a document with a label above 0, m the number of these, N the best "
        "DCG of the first k. NDCG without a cutoff lacks the last factor. The page "
        "draws what is summed over the queries q, of one list."
    )


def theorems() -> None:
    """The bounds as the paper prints them."""
    for bound in insight.bounds([2.0, 1.0], [1, 0], 1.0, 1.0):
        st.markdown(f"**{bound.name}**")
        st.latex(insight.THEOREMS[bound.name])
    st.caption(
        "δ is the distance to the nearest other score, ε the largest error of a "
        "position, m the number of relevant documents. Theorem 2 needs ε < ½; the "
        "factor 2 in its second sum is not needed. The sign is to be read as ≤."
    )


def _verdict(bound: insight.Bound) -> str:
    if bound.holds is None:
        return "nothing to check"
    if not bound.holds:
        return "does not hold here"
    if bound.equal:
        return "holds with equality, to rounding"
    if max(bound.error, bound.bound) < insight.ROUNDING:
        return "both sides are below rounding, too small to compare"
    if bound.error < insight.ROUNDING:
        return "holds; the error is below rounding"
    share = 100.0 * bound.error / bound.bound
    return f"holds; the error is {small(share)} % of the bound"


def _sweep(choice: Choice, value: insight.ListValue, swept: insight.Sweep) -> None:
    bounded = not np.isnan(value.bound)
    frame.heading(
        "Error against α",
        "dots: measured on this list; thin lines: the bounds of Theorem 1 and of "
        f"{value.name}"
        if bounded
        else f"dots: measured; thin line: Theorem 1. No theorem bounds {value.name}",
    )
    frame.figure(
        sweep_figure(swept, choice.alpha, palette=colours()),
        key="approx_sweep",
        alt=f"The error of {value.name} falls from {small(float(swept.error[0]))} at "
        f"α = {ALPHAS[0]:g} to {small(float(swept.error[-1]))} at α = {ALPHAS[-1]:g}.",
        table=lambda: {
            "α": swept.alphas,
            f"error of {value.name}": swept.error,
            "its bound": swept.bound,
            "error of a position": swept.position_error,
            "its bound by Theorem 1": swept.position_bound,
            "largest force": swept.largest,
        },
    )


def three(value: float) -> str:
    """Three decimals, or that there is no value."""
    return "undefined" if np.isnan(value) else f"{value:.3f}"


def small(value: float) -> str:
    """Three significant digits, with a power of ten where that is shorter."""
    if np.isnan(value):
        return "undefined"
    if value == 0.0 or 1e-3 <= abs(value) < 1e4:
        return f"{value:.3g}"
    digits, _, power = f"{value:.1e}".partition("e")
    raised = str(int(power)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{digits} · 10{raised}"


def _error(value: float) -> str:
    return "below rounding" if value < insight.ROUNDING else small(value)


def _bound_note(bound: float) -> str:
    if np.isnan(bound):
        return "no theorem bounds it"
    return "no bound for ε ≥ ½" if np.isinf(bound) else f"bound {small(bound)}"
