"""One query: three orders, swaps, and how the most violated order is made."""

from collections.abc import Mapping
from typing import Any

from pages.ui import shared
from pages.views.margins import _case, _learner, _models
from pages.views.margins._case import Case
from pages.views.margins._explain import explain
from rankcore.charts.margins import ROWS
from rankcore.insight import margins as insight
from rankcore.insight.margin_models import largest_slack
from rankcore.views import Act, Caption, Notice, Row, Setting, Shown, Values, View

ONE_KIND = (
    "All documents of this query are equally relevant, so no order is better than "
    "another and there is no loss. Choose another query."
)
PRESETS = {
    "A merge on web search": {
        "margin_learner": "SVMMAP",
        "margin_model": "fit",
        "data": "mslr10k-sample",
    },
    "No model yet": {
        "margin_learner": "SVMNDCG",
        "margin_model": "zero",
        "data": "toy-2d",
    },
    "Graded labels, by assignment": {
        "margin_learner": "DORM",
        "margin_model": "fit",
        "data": "toy-2d",
    },
}


def settings(raw: Mapping[str, Any]) -> list[Setting]:
    """Data, learner, model and query."""
    learner = _learner.learner_of(raw)
    return [
        *_learner.DATA,
        _learner.LEARNER,
        _learner.LOSS,
        *_learner.tuned(learner, _learner.PATIENCE),
        _learner.ROUND.beside(),
        _models.MODEL,
        shared.PART,
        shared.QUERY,
    ]


def refuses(values: Values) -> str | None:
    """Why no order can be shown."""
    chosen = _learner.algorithm(values)
    return chosen.unsupported_reason(shared.split(values)) or _models.missing(values)


def largest(case: Case) -> Act:
    """The button that goes to the query with the largest slack."""
    return Act(
        "Find the largest slack",
        "largest_slack",
        lambda: {"query": largest_slack(*case[:2], *case[3:]) + 1},
        help="Show the query that is furthest from its margins.",
    )


def show(values: Values) -> Shown:
    """The orders of one query under a model."""
    model = _models.model(values)
    assert model is not None
    loss, palette = _case.chosen_loss(values), values.palette
    chosen, dataset = _learner.algorithm(values), shared.split(values)
    case = Case(chosen, dataset, values["query"] - 1, model.coef, loss)
    found = insight.worst_order(*case)
    every = insight.slacks(chosen, dataset, model.coef, loss, predicted=False)
    left = [_case.orders(found, ROWS, palette)]
    return Shown(
        _case.facts(found, every),
        [
            Row([[Caption(model.note)], [largest(case)]], widths=(3, 1)),
            *([] if found.counted else [Notice(ONE_KIND)]),
            Row([left, _case.swaps(found, palette)], widths=(6, 5)),
            *_case.making(case, palette),
        ],
    )


VIEW = View(
    "One query",
    "Which order of one query violates its margin most, and why.",
    settings,
    show,
    refuses=refuses,
    presets=PRESETS,
    explain=explain,
)
