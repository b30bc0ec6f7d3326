"""One query under the run: its ranking, the worst queries, explanations of ranks."""

from dataclasses import replace
from typing import Any

from pages.ui import shared
from pages.ui.data.inspecting import SHIPPED_RUN, inspect
from pages.views.train import _why
from pages.views.train._look import CHOSEN, LISTED, ShownRun
from rankcore import views
from rankcore.topics.datasets.description import parts
from rankcore.topics.inspect import inspection
from rankcore.topics.inspect.ranking import (
    QueryValue,
    order_text,
    query_ranking,
    worst_queries,
)

ROWS = 10


def ranking(look: ShownRun) -> list[views.Block]:
    """Return one query's ranking under the run beside the ideal order."""
    dataset, number = look.query
    query = dataset.query(number)
    scores = look.scores(query.X)
    forces = inspection.forces(look.in_force, query, scores)
    order = query_ranking(query, scores, look.measure, look.convention, forces)
    splits = {part: shared.SPLITS[part] for part in parts(look.splits)}
    queries = {"limits": None, "names": lambda values: dataset.query_names}
    labels = order.first_labels(ROWS)
    return [
        views.Row(
            [
                [views.Ask([_query_row(look, shared.PART, look.split, names=splits)])],
                [
                    views.Act(
                        "Worst query",
                        "weakest",
                        lambda: _chosen(look, "query", _worst(look)[0].position + 1),
                        "Shows the query with the lowest value.",
                    )
                ],
            ],
            widths=(2, 1),
        ),
        views.Row(
            [
                [views.Ask([_query_row(look, shared.QUERY, number + 1, **queries)])],
                [views.Popover("All queries", "worst_list", lambda: [_table(look)])],
            ],
            widths=(2, 1),
            key="which_query",
        ),
        views.Tiles(
            "ranking",
            query.title,
            "model → ideal; click to explain"
            + ", triangles: forces" * (forces is not None),
            order,
            ROWS,
            f"Labels of the documents in the order of the model: {labels}.",
            on_click=lambda document, order: {_why.DOCUMENT.key: document},
        ),
        views.Caption(order_text(order, look.measure, ROWS, look.worst_of)),
        _inspect(look),
    ]


def _chosen(look: ShownRun, key: str, value: Any) -> views.Changes:
    """Return the settings that show a chosen query in the list."""
    # The same number is a different query in another split.
    worst = {"query": look.worst_in(value, look.record) + 1} if key == "part" else {}
    return {"part": look.split, LISTED.key: CHOSEN, key: value, **worst}


def _query_row(
    look: ShownRun, row: views.Setting, value: Any, **options: Any
) -> views.Setting:
    """Return a query setting with its current value."""
    return replace(
        row.beside().silent(),
        shown=value,
        writes=lambda values, chosen: _chosen(look, row.key, chosen),
        **options,
    )


def reason(look: ShownRun) -> list[views.Block]:
    """Return the explanation of the clicked document's rank."""
    if look.record is None or not look.values[_why.DOCUMENT.key]:
        return []
    dataset, number = look.query
    coef = look.history[look.steady].coef
    return _why.blocks(look.values, look.algorithm, coef, dataset, number)


def _worst(look: ShownRun) -> list[QueryValue]:
    data = look.query[0]
    return worst_queries(data, look.scores(data.X), look.measure, look.convention)


def _table(look: ShownRun) -> views.Table:
    rows = _worst(look)
    return views.Table(
        "worst_queries",
        "Queries, worst first",
        "choose a row to see its ranking",
        [row.row(str(look.measure)) for row in rows],
        {str(look.measure): "%.3f"},
        on_choose=lambda row: _chosen(look, "query", rows[row].position + 1),
    )


def _inspect(look: ShownRun) -> views.Go:
    """Return the link to this query and run in the Inspector."""
    values, settings = look.values, dict(look.watched.settings or {})
    settings["part"] = look.split
    _, number = look.query
    if look.record is None:
        return inspect(values, query=number + 1)
    run = look.watched.id or SHIPPED_RUN
    last = look.active or look.position == len(look.history) - 1
    at = "last" if last else str(look.history[look.steady].iteration)
    return inspect(values | settings, query=number + 1, run=run, at=at)
