"""By hand: the score of a document moves, and the slack follows."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pages.views.margins import _case, _learner
from pages.views.margins._case import Case
from pages.views.margins._explain import explain
from rankcore.charts.margin_hand import scores_figure, slack_figure
from rankcore.dataset import RankingDataset
from rankcore.insight import margins as insight
from rankcore.insight.margin_models import training_only
from rankcore.insight.score_list import ScoreList
from rankcore.views import Changes, Panel, Row, Setting, Shown, Values, View
from rankcore.views.score_settings import score_settings

WORKED = "0.5:0, 0.2:1, 0.1:0, -0.3:1"
MOST_SHOWN = 12


LIST = score_settings("margin_", WORKED, document="4", reach=insight.score_range)


def settings(raw: Mapping[str, Any]) -> list[Setting]:
    """Learner, list, and the document that moves."""
    learner = _learner.learner_of(raw)
    return [
        _learner.LEARNER,
        _learner.LOSS,
        *LIST,
        *_learner.tuned(learner, training_only(learner)),
    ]


def show(values: Values) -> Shown:
    """The list, its slack, and its orders."""
    documents = LIST.documents(values)
    data = RankingDataset.from_arrays(
        documents.scores[:, None], documents.labels, doc_ids=documents.names
    )
    chosen = _learner.algorithm(values)
    case = Case(chosen, data, 0, np.ones(1), _case.chosen_loss(values))
    found = insight.worst_order(*case)
    palette = values.palette
    left = [_scores(values, documents), _slack(values, documents, case)]
    right = [_case.orders(found, MOST_SHOWN, palette), *_case.swaps(found, palette)]
    return Shown(
        _case.facts(found),
        [Row([left, right], widths=(6, 5)), *_case.making(case, palette)],
    )


def _scores(values: Values, documents: ScoreList) -> Panel:
    def drag(trace: str, point: int, x: float, y: float) -> Changes:
        return {**LIST.moved(values, point, x), "margin_document": str(point + 1)}

    picture = scores_figure(
        documents.scores,
        documents.labels.tolist(),
        documents.names,
        LIST.place(values),
        insight.score_range(documents.scores),
        values.palette,
    )
    note = "drag a document; bluer: more relevant"
    return Panel("hand_scores", "Scores", note, picture, drag)


def _slack(values: Values, documents: ScoreList, case: Case) -> Panel:
    def drag(trace: str, point: int, x: float, y: float) -> Changes:
        return LIST.moved(values, moving, x)

    moving, (scores, labels) = LIST.place(values), documents
    ends = insight.score_range(scores)
    curve = insight.slack_along(
        case.algorithm, scores, labels, moving, *ends, case.loss
    )
    name = documents.names[moving]
    picture = slack_figure(curve, name, values.palette)
    title = f"Slack while the score of {name} moves"
    note = "convex, and nowhere below the loss that it bounds"
    return Panel("hand_slack", title, note, picture, drag)


VIEW = View(
    "By hand",
    "How the slack changes while the score of one document moves.",
    settings,
    show,
    presets={
        "Four documents": {
            "margin_learner": "SVMMAP",
            "margin_list": WORKED,
            "margin_document": "4",
        }
    },
    explain=explain,
)
