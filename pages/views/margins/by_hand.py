"""By hand: the score of a document moves, and the slack follows."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pages.ui import score_list
from pages.ui.score_list import ScoreList
from pages.ui.setting import Listed, Number, Setting, Text, Values
from pages.ui.view import Panel, Row, Shown, View
from pages.views.margins import _case, _learner
from pages.views.margins._case import Case
from pages.views.margins._explain import explain
from rankcore.charts.margin_hand import scores_figure, slack_figure
from rankcore.dataset import RankingDataset
from rankcore.insight import margins as insight
from rankcore.insight.margin_models import training_only

WORKED = "0.5:0, 0.2:1, 0.1:0, -0.3:1"
MOST_SHOWN = 12


def listed(values: Values) -> ScoreList:
    """The list."""
    found = score_list.read(values.margin_list)
    assert found is not None
    return found


def place(values: Values) -> int:
    """The position of the document that moves."""
    return int(values.margin_document) - 1


def _named(values: Values) -> dict[str, str]:
    documents = listed(values)
    every = zip(documents.names, documents.labels, strict=True)
    return {str(i): f"{name}, label {y}" for i, (name, y) in enumerate(every, 1)}


def _moved(values: Values, document: int, score: float) -> dict[str, str]:
    return {"margin_list": score_list.moved(values.margin_list, document, score)}


LIST = Text(
    "margin_list",
    WORKED,
    "Scores and labels",
    meaning=score_list.RULE,
    read=score_list.read,
    rule=score_list.RULE,
    long=True,
)
DOCUMENT = Listed(
    "margin_document",
    "4",
    "Document",
    names=_named,
    every=[str(i) for i in range(1, score_list.MOST + 1)],
)
SCORE = Number(
    "margin_score",
    0.0,
    "Score",
    meaning="The same as dragging the document in the figure.",
    step=0.01,
    limits=lambda values: insight.score_range(listed(values).scores),
    computed=lambda values: float(listed(values).scores[place(values)]),
    writes=lambda values, score: _moved(values, place(values), score),
)
LABEL = Number(
    "margin_label",
    0,
    "Label",
    meaning="0 is irrelevant. Learners for two kinds of documents only compare it with "
    "the least relevant label.",
    low=0,
    high=score_list.HIGHEST,
    whole=True,
    computed=lambda values: int(listed(values).labels[place(values)]),
    writes=lambda values, label: {
        "margin_list": score_list.relabelled(values.margin_list, place(values), label)
    },
)


def settings(raw: Mapping[str, Any]) -> list[Setting]:
    """Learner, list, and the document that moves."""
    learner = _learner.learner_of(raw)
    return [
        _learner.LEARNER,
        _learner.LOSS,
        LIST,
        DOCUMENT,
        SCORE,
        LABEL,
        *_learner.tuned(learner, training_only(learner)),
    ]


def show(values: Values) -> Shown:
    """The list, its slack, and its orders."""
    documents = listed(values)
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
    def drag(trace: str, point: int, x: float, y: float) -> dict[str, str]:
        return _moved(values, point, x) | {"margin_document": str(point + 1)}

    picture = scores_figure(
        documents.scores,
        documents.labels.tolist(),
        documents.names,
        place(values),
        insight.score_range(documents.scores),
        values.palette,
    )
    note = "drag a document; bluer: more relevant"
    return Panel("hand_scores", "Scores", note, picture, drag)


def _slack(values: Values, documents: ScoreList, case: Case) -> Panel:
    def drag(trace: str, point: int, x: float, y: float) -> dict[str, str]:
        return _moved(values, moving, x)

    moving, (scores, labels) = place(values), documents
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
