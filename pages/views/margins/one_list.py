"""One list, by hand or from a query: its orders, slack and most violated order."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from pages.ui import shared
from pages.views.margins import _case, _learner, _models
from rankcore import views
from rankcore.base.numbers import counted
from rankcore.data.dataset import RankingDataset
from rankcore.plot.numbers import decimals
from rankcore.topics.margins import order as insight
from rankcore.topics.margins.cloud import clouds, orders_title
from rankcore.topics.margins.hand_figure import hand_figure, slack_figure
from rankcore.topics.margins.models import training_only
from rankcore.topics.margins.order_figure import MAIN_HEIGHT, orders_figure
from rankcore.views import MORE, Block, Panel, Row, Shown, Values
from rankcore.views.score_settings import score_settings

ONE_KIND = (
    "All documents of this query are equally relevant, so no order is better than "
    "another and there is no loss. Choose another query."
)
BY_HAND, QUERY = "by hand", "a query of the data"
SOURCE = views.Choice("margin_source", QUERY, "List", names=(BY_HAND, QUERY))
WORKED = "0.5:0, 0.2:1, 0.1:0, -0.3:1"
FOUR = {
    SOURCE.key: BY_HAND, "margin_learner": "SVMMAP", "margin_list": WORKED,
    "margin_document": "4",
}  # fmt: skip
LIST = score_settings("margin_", WORKED, document="4", reach=insight.score_range)
MOVES = [LIST.document.beside(), LIST.score.beside()]


def settings(raw: Mapping[str, Any]) -> list[views.Setting]:
    """Return the settings of algorithm and list: by hand, or data, model and query."""
    learner, loss = _learner.learner_of(raw), replace(_learner.LOSS, group=MORE)
    rows: list[views.Setting] = [SOURCE, _learner.LEARNER, loss]
    if raw.get(SOURCE.key) == BY_HAND:
        rows += [LIST.text, *MOVES, replace(LIST.label, group=MORE)]
        return rows + _learner.tuned(learner, training_only(learner))
    rows += [*_learner.DATA, *_learner.tuned(learner, _learner.PATIENCE)]
    rows += [_models.MODEL, _models.ROUND, _learner.SPLIT]
    return [*rows, shared.QUERY.beside()]


def refuses(values: Values) -> str | None:
    """Return the reason why no order of a query can be shown."""
    if values.margin_source == BY_HAND:
        return None
    chosen = _learner.algorithm(values)
    return chosen.unsupported_reason(shared.split(values)) or _models.missing(values)


def show(values: Values) -> Shown:
    """Return the list, its orders and slack, and the most violated order."""
    return _by_hand(values) if values.margin_source == BY_HAND else _query(values)


def _by_hand(values: Values) -> Shown:
    documents, moving = LIST.documents(values), LIST.place(values)
    (scores, labels), names = documents, documents.names
    data = RankingDataset.from_arrays(scores[:, None], labels, doc_ids=names)
    case = _case.case(values, data, 0, np.ones(1))
    worst, points = insight.worst_order(case), clouds(case)
    curve = insight.slack_along(case.algorithm, *documents, moving, loss=case.loss)

    def drag(trace: str, point: int, x: float, y: float) -> views.Changes:
        if trace != "documents":
            return LIST.moved(values, moving, x)
        return {**LIST.moved(values, point, x), LIST.document.key: str(point + 1)}

    palette, name = values.palette, names[moving]
    hand = hand_figure(documents, moving, points, palette)
    slack = slack_figure(curve, name, palette)
    orders = orders_figure({"": worst}, palette=palette)
    moves = f"Slack while the score of {name} moves"
    right: list[Block] = [
        Panel("slack", moves, "convex, nowhere below the loss", slack, drag),
        views.Ask(MOVES),
        Panel("orders", "Three orders", "coloured: relevant", orders),
    ]
    lower = _case.swaps(worst, palette), _case.making(case, palette)
    left = Panel("hand", orders_title(points), "drag a document", hand, drag)
    return Shown(
        _case.facts(worst),
        [Row([[left], right], _learner.WIDTHS), Row(lower)],
        {"Scores": {"document": names, "score": scores, "label": labels}},
    )


def _query(values: Values) -> Shown:
    model = _models.model(values)
    assert model is not None
    palette = values.palette
    case = _case.case(values, shared.split(values), values["query"] - 1, model.coef)
    worst = insight.worst_order(case)
    every = insight.slacks(*case[:2], *case[3:], predicted=False)
    facts = _case.facts(worst)
    if (n := every.counted.sum()) > 0:
        mean = f"Mean slack of {counted(n, 'queries')}"
        facts.append(views.Fact(mean, decimals(every.mean)))
    picture = orders_figure({"": worst}, palette=palette, height=MAIN_HEIGHT)
    orders = Panel("orders", "Three orders of one query", "coloured: relevant", picture)
    rows: list[views.Block] = [
        views.Ask([shared.QUERY]), _case.largest(case), views.Caption(model.note),
    ]  # fmt: skip
    return Shown(
        facts,
        [
            *([] if worst.counted else [views.Notice(ONE_KIND)]),
            Row([[orders], [*_case.swaps(worst, palette), *rows]], _learner.WIDTHS),
            *_case.making(case, palette),
            _case.inspected(values),
        ],
    )


VIEW = views.View(
    "One list",
    "Which order of a list violates its margin most, and why.",
    settings,
    show,
    refuses=refuses,
    presets={
        "Four documents": FOUR,
        **{
            title: {
                SOURCE.key: QUERY,
                "margin_learner": learner,
                "margin_model": model,
                "data": data,
            }
            for title, learner, model, data in (
                ("Web search", "SVMMAP", "fit", "mslr10k-sample"),
                ("No model yet", "SVMNDCG", "zero", "toy-2d"),
                ("Graded labels", "DORM", "fit", "toy-2d"),
            )
        },
    },
    explain=_learner.explain,
)
