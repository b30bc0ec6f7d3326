"""By hand: the score of a document moves, and the orders of the list with it."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from pages.views.margins import _case, _learner
from rankcore.data.dataset import RankingDataset
from rankcore.topics.margins import order as insight
from rankcore.topics.margins.cloud import clouds, orders_title
from rankcore.topics.margins.hand_figure import hand_figure, slack_figure
from rankcore.topics.margins.models import training_only
from rankcore.topics.margins.order_figure import orders_figure
from rankcore.views import MORE, Changes, Panel, Row, Setting, Shown, Values, View
from rankcore.views.score_settings import score_settings

WORKED = "0.5:0, 0.2:1, 0.1:0, -0.3:1"
FOUR = {"margin_list": WORKED, "margin_document": "4"}
LIST = score_settings("margin_", WORKED, document="4", reach=insight.score_range)


def settings(raw: Mapping[str, Any]) -> list[Setting]:
    """Learner, list, and the document that moves."""
    learner = _learner.learner_of(raw)
    return [
        _learner.LEARNER,
        dataclasses.replace(_learner.LOSS, group=MORE),
        *LIST[:-1],
        dataclasses.replace(LIST.label, group=MORE),
        *_learner.tuned(learner, training_only(learner)),
    ]


def show(values: Values) -> Shown:
    """Return the list and its orders, its slack, and how its worst order is made."""
    documents, moving = LIST.documents(values), LIST.place(values)
    (scores, labels), names = documents, documents.names
    data = RankingDataset.from_arrays(scores[:, None], labels, doc_ids=names)
    case = _case.case(values, data, 0, np.ones(1))
    worst, points = insight.worst_order(*case), clouds(*case)
    curve = insight.slack_along(case.algorithm, *documents, moving, loss=case.loss)

    def drag(trace: str, point: int, x: float, y: float) -> Changes:
        if trace != "documents":
            return LIST.moved(values, moving, x)
        return {**LIST.moved(values, point, x), "margin_document": str(point + 1)}

    palette, name = values.palette, names[moving]
    hand = hand_figure(documents, moving, points, palette)
    slack = slack_figure(curve, name, palette)
    orders = orders_figure({"": worst}, palette=palette)
    moves = f"Slack while the score of {name} moves"
    left = [Panel("hand", orders_title(points), "drag a document", hand, drag)]
    right = [
        Panel("slack", moves, "convex, nowhere below the loss", slack, drag),
        Panel("orders", "Three orders", "coloured: relevant", orders),
    ]
    made = _case.swaps(worst, palette), _case.making(case, palette)
    return Shown(
        _case.facts(worst),
        [Row([left, right], _learner.WIDTHS), Row(made)],
        {"Scores": {"document": names, "score": scores, "label": labels}},
    )


VIEW = View(
    "By hand",
    "Which order asks most of a list, and how far its scores are from that.",
    settings,
    show,
    presets={"Four documents": {"margin_learner": "SVMMAP"} | FOUR},
    explain=_learner.explain,
)
