"""A hand-sized query on the Margins page: drag a score and see the slack move."""

from typing import NamedTuple

import numpy as np
import streamlit as st

from pages.ui import (
    choice,
    frame,
    margin_choice,
    margin_panels,
    score_list,
    score_state,
    state,
)
from pages.ui.margin_panels import Table
from pages.ui.score_list import ScoreList
from pages.ui.theme import colours
from rankcore.algorithms import StructuredRanker
from rankcore.charts.margin_hand import scores_figure, slack_figure
from rankcore.charts.margin_merges import staircase_figure
from rankcore.dataset import RankingDataset
from rankcore.insight import margin_merges
from rankcore.insight import margins as insight
from rankcore.insight.margin_models import training_only

LIST = "margin_list"
MOST_SHOWN = 12
STEP = 0.05


class HandChoice(NamedTuple):
    """What the controls of a hand-sized query say."""

    algorithm: StructuredRanker
    loss: str
    documents: ScoreList
    document: int


def hand_settings() -> HandChoice:
    """Controls of *By hand*."""
    from pages.ui import controls

    learner = margin_choice.learner_picker()
    place = st.container()
    documents = score_state.current(LIST)
    document = _document_picker(documents)
    _typing(documents)
    values = controls.hyperparameters(learner, *training_only(learner))
    algorithm = learner(**values)
    with place:
        loss = margin_choice.loss_picker(algorithm, _dataset(documents))
    return HandChoice(algorithm, loss, documents, document)


def show_hand(what: HandChoice) -> Table:
    """Draw the list and its slack; returns its numbers."""
    algorithm, loss, documents, document = what
    data = _dataset(documents)
    found = insight.worst_order(algorithm, data, 0, [1.0], loss)
    margin_panels.facts(found)
    left, right = st.columns([6, 5], gap="medium")
    with left:
        _scores(documents, document)
        _slack(what)
    with right:
        margin_panels.orders(found, "orders", MOST_SHOWN)
        margin_panels.slack_formula(found)
        margin_panels.swaps(found)
    _staircase(what, data)
    return margin_panels.order_table(found)


def _dataset(documents: ScoreList) -> RankingDataset:
    return RankingDataset.from_arrays(
        documents.scores[:, None], documents.labels, doc_ids=documents.names
    )


def _document_picker(documents: ScoreList) -> int:
    """Choose the document that the slider moves; its score and its label."""
    names = documents.names
    labels = {
        str(i + 1): f"{name}, label {documents.labels[i]}"
        for i, name in enumerate(names)
    }
    position = int(choice.select("Document", "margin_document", labels)) - 1
    low, high = insight.score_range(documents.scores)
    st.session_state["margin_score"] = float(documents.scores[position])
    st.slider(
        f"Score of {names[position]}",
        low,
        high,
        step=0.01,
        key="margin_score",
        help="The same as dragging the document in the figure.",
        on_change=lambda: score_state.move(
            LIST, position, st.session_state["margin_score"]
        ),
    )
    st.session_state["margin_label"] = int(documents.labels[position])
    st.slider(
        f"Label of {names[position]}",
        0,
        score_list.HIGHEST,
        key="margin_label",
        help="0 is irrelevant; learners of two kinds only ask whether it counts.",
        on_change=lambda: score_state.relabel(
            LIST, position, st.session_state["margin_label"]
        ),
    )
    return position


def _typing(documents: ScoreList) -> None:
    st.session_state["margin_text"] = score_list.write(documents)
    st.text_area(
        "Scores and labels",
        key="margin_text",
        height=80,
        on_change=_typed,
        help=score_list.RULE,
    )


def _typed() -> None:
    text = st.session_state["margin_text"]
    if score_list.read(text) is None:
        st.toast(score_list.RULE, icon=":material/info:", duration="long")
    else:
        state.put(LIST, text)


def _scores(documents: ScoreList, chosen: int) -> None:
    def drag(trace: str, point: int, x: float, y: float) -> None:
        score_state.move(LIST, point, x)
        state.put("margin_document", str(point + 1))

    frame.heading("Scores", "drag a document; bluer: more relevant")
    order = np.argsort(-documents.scores, kind="stable")
    frame.figure(
        scores_figure(
            documents.scores,
            documents.labels.tolist(),
            documents.names,
            chosen,
            insight.score_range(documents.scores),
            colours(),
        ),
        key="hand_scores",
        alt="From the highest score down: "
        + ", ".join(
            f"{documents.names[i]} with label {documents.labels[i]}" for i in order
        )
        + ".",
        table={
            "document": documents.names,
            "score": documents.scores,
            "label": documents.labels,
        },
        on_drag=drag,
    )


def _slack(what: HandChoice) -> None:
    algorithm, loss, documents, document = what
    low, high = insight.score_range(documents.scores)
    curve = insight.slack_along(
        algorithm, documents.scores, documents.labels, document, low, high, loss
    )
    name = documents.names[document]

    def drag(trace: str, point: int, x: float, y: float) -> None:
        score_state.move(LIST, document, x)

    frame.heading(
        f"Slack while the score of {name} moves",
        "convex, and never below the loss it stands for",
    )
    least = int(np.argmin(curve.slack))
    frame.figure(
        slack_figure(curve, name, colours()),
        key="hand_slack",
        alt=f"The slack is {curve.slack[curve.at]:.3f} now and least, "
        f"{curve.slack[least]:.3f}, at score {curve.scores[least]:.2f}; the loss of "
        f"the predicted order is {curve.loss[curve.at]:.3f}.",
        table=lambda: {
            "score": curve.scores,
            "slack": curve.slack,
            "loss of the predicted order": curve.loss,
        },
        on_drag=drag,
    )


def _staircase(what: HandChoice, data: RankingDataset) -> None:
    try:
        stairs = margin_merges.staircase(what.algorithm, data, 0, [1.0], what.loss)
    except ValueError as error:
        frame.heading("The merge as a staircase")
        st.caption(str(error))
        return
    if not stairs.values.size:
        return
    frame.heading("The merge as a staircase", "left of the line: inverted")
    frame.figure(
        staircase_figure(stairs, colours()),
        key="staircase",
        alt=f"{int(stairs.above.sum())} of {stairs.values.size} pairs are inverted.",
        table=lambda: margin_panels.staircase_table(stairs),
    )
