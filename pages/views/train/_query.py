"""One query under the run: its ranking, the worst queries, why a document is low."""

from dataclasses import replace
from typing import Any

from pages.ui import shared
from pages.ui.data.inspecting import SHIPPED_RUN, inspect
from pages.views.train import _why
from pages.views.train._seen import CHOSEN, LISTED, ShownRun
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


def ranking(seen: ShownRun) -> list[views.Block]:
    """One query's ranking under the run, its ideal order beside it."""
    dataset, number = seen.query
    query = dataset.query(number)
    scores = seen.scores(query.X)
    forces = inspection.forces(seen.in_force, query, scores)
    order = query_ranking(query, scores, seen.measure, seen.convention, forces)
    splits = {part: shared.SPLITS[part] for part in parts(seen.splits)}
    queries = {"limits": None, "names": lambda values: dataset.query_names}
    labels = order.first_labels(ROWS)
    return [
        views.Row(
            [
                [views.Ask([_asked(seen, shared.PART, seen.split, names=splits)])],
                [
                    views.Act(
                        "Worst query",
                        "weakest",
                        lambda: _chosen(seen, "query", _worst(seen)[0].position + 1),
                        "The query with the lowest value.",
                    )
                ],
            ],
            widths=(2, 1),
        ),
        views.Row(
            [
                [views.Ask([_asked(seen, shared.QUERY, number + 1, **queries)])],
                [views.Popover("All queries", "worst_list", lambda: [_table(seen)])],
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
        views.Caption(order_text(order, seen.measure, ROWS, seen.worst_of)),
        _inspect(seen),
    ]


def _chosen(seen: ShownRun, key: str, value: Any) -> views.Changes:
    """Return the settings with which the list is that of a chosen query."""
    # A number of one split names another query of the next.
    worst = {"query": seen.worst_in(value, seen.record) + 1} if key == "part" else {}
    return {"part": seen.split, LISTED.key: CHOSEN, key: value, **worst}


def _asked(
    seen: ShownRun, row: views.Setting, value: Any, **options: Any
) -> views.Setting:
    """Return a setting of the query with what is shown."""
    return replace(
        row.beside().silent(),
        shown=value,
        writes=lambda values, chosen: _chosen(seen, row.key, chosen),
        **options,
    )


def reason(seen: ShownRun) -> list[views.Block]:
    """Why the document that was clicked is where it is."""
    if seen.record is None or not seen.values[_why.DOCUMENT.key]:
        return []
    dataset, number = seen.query
    coef = seen.history[seen.steady].coef
    return _why.blocks(seen.values, seen.algorithm, coef, dataset, number)


def _worst(seen: ShownRun) -> list[QueryValue]:
    data = seen.query[0]
    return worst_queries(data, seen.scores(data.X), seen.measure, seen.convention)


def _table(seen: ShownRun) -> views.Table:
    rows = _worst(seen)
    return views.Table(
        "worst_queries",
        "Queries, worst first",
        "choose a row to see its ranking",
        [row.row(str(seen.measure)) for row in rows],
        {str(seen.measure): "%.3f"},
        on_choose=lambda row: _chosen(seen, "query", rows[row].position + 1),
    )


def _inspect(seen: ShownRun) -> views.Go:
    """Return the link to this query and run in the Inspector."""
    values, settings = seen.values, dict(seen.watched.settings or {})
    settings["part"] = seen.split
    _, number = seen.query
    if seen.record is None:
        return inspect(values, query=number + 1)
    run = seen.watched.id or SHIPPED_RUN
    last = seen.active or seen.position == len(seen.history) - 1
    at = "last" if last else str(seen.history[seen.steady].iteration)
    return inspect(values | settings, query=number + 1, run=run, at=at)
