"""One query: three orders, swaps, and how the most violated order is made."""

from collections.abc import Mapping
from typing import Any

from pages.ui import shared
from pages.views.margins import _case, _learner, _models
from rankcore import views
from rankcore.base.numbers import counted
from rankcore.plot.numbers import decimals
from rankcore.topics.margins import order as insight
from rankcore.topics.margins.order_figure import MAIN_HEIGHT, orders_figure

ONE_KIND = (
    "All documents of this query are equally relevant, so no order is better than "
    "another and there is no loss. Choose another query."
)


def settings(raw: Mapping[str, Any]) -> list[views.Setting]:
    """Return data, learner, model and query."""
    return [
        *_learner.DATA,
        _learner.LEARNER,
        _learner.LOSS,
        *_learner.tuned(_learner.learner_of(raw), _learner.PATIENCE),
        _learner.ROUND.beside(),
        _models.MODEL,
        _learner.SPLIT,
        shared.QUERY,
    ]


def refuses(values: views.Values) -> str | None:
    """Why no order can be shown."""
    chosen = _learner.algorithm(values)
    return chosen.unsupported_reason(shared.split(values)) or _models.missing(values)


def show(values: views.Values) -> views.Shown:
    """Return the orders of one query under a model."""
    model = _models.model(values)
    assert model is not None
    palette = values.palette
    case = _case.case(values, shared.split(values), values["query"] - 1, model.coef)
    found = insight.worst_order(*case)
    every = insight.slacks(*case[:2], *case[3:], predicted=False)
    facts = _case.facts(found)
    if (n := every.counted.sum()) > 0:
        facts.append(
            views.Fact(f"Mean slack of {counted(n, 'queries')}", decimals(every.mean))
        )
    picture = orders_figure({"": found}, palette=palette, height=MAIN_HEIGHT)
    orders = views.Panel(
        "orders", "Three orders of one query", "coloured: relevant", picture
    )
    return views.Shown(
        facts,
        [
            *([] if found.counted else [views.Notice(ONE_KIND)]),
            views.Row([[orders], _case.swaps(found, palette)], _learner.WIDTHS),
            views.Row(
                [[views.Caption(model.note)], [_case.largest(case)]], _learner.WIDTHS
            ),
            *_case.making(case, palette),
            _case.inspected(values),
        ],
    )


VIEW = views.View(
    "One query",
    "Which order of one query violates its margin most, and why.",
    settings,
    show,
    refuses=refuses,
    presets={
        title: {"margin_learner": learner, "margin_model": model, "data": data}
        for title, learner, model, data in (
            ("Web search", "SVMMAP", "fit", "mslr10k-sample"),
            ("No model yet", "SVMNDCG", "zero", "toy-2d"),
            ("Graded labels", "DORM", "fit", "toy-2d"),
        )
    },
    explain=_learner.explain,
)
