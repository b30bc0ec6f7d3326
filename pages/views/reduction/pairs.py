"""Pairs: the weight of each pair, and the bound on 1 − NDCG over all orders."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from pages.ui import shared
from pages.views.reduction import _list
from pages.views.reduction._list import RankedList
from rankcore.topics.measuring import hand_list
from rankcore.topics.reduction import pair_losses as insight
from rankcore.topics.reduction.pair_losses_figure import paper_in_words
from rankcore.topics.reduction.swaps_figure import plane_figure, weights_figure
from rankcore.views import Changes, Panel, Shown, Values, View

MOST_SHOWN = 100


def show(values: Values) -> Shown:
    """Return the weights as a matrix, L against 1 - NDCG, and the paper's formulas."""
    ranked = _list.ranked(values)
    plane = _orders if ranked.queries is None else _queries
    panels = [_weights(ranked, values), plane(ranked, values)]
    paper = paper_in_words(ranked.labels, ranked.pairs, ranked.numbers)
    return ranked.shown(panels, paper)


def _weights(ranked: RankedList, values: Values) -> Panel:
    pairs, n = ranked.pairs, min(len(ranked.labels), MOST_SHOWN)
    matrix = insight.weight_matrix(pairs)[:n, :n]
    picture = weights_figure(
        matrix, ranked.labels[:n], ranked.short[:n], values.palette
    ).described(pairs.in_words, partial(pairs.table, ranked.names))
    note = "change of NDCG by swapping two documents; orange: currently misordered"
    if n < len(ranked.labels):
        note += f"; the first {n} ranks"
    return Panel("red_weights", "Importance weights", note, picture)


def _orders(ranked: RankedList, values: Values) -> Panel:
    """Return L against 1 - NDCG for every order of the list."""
    orders = insight.all_orders(tuple(sorted(ranked.labels)))
    names = [f"labels {' '.join(map(str, row))}" for row in orders.labels.tolist()]
    many = "every order" if orders.complete else f"{len(names)} random orders"

    def take(trace: str, point: int, *at: float) -> Changes:
        if trace != "points":
            return {}
        labels = orders.labels[point].tolist()
        return {shared.RANKING.key: hand_list.reordered(values.ranking, labels)}

    note = f"one point for {many} of these labels; click a point to use it"
    return _plane(ranked, "order", note, orders, names, values, take)


def _queries(ranked: RankedList, values: Values) -> Panel:
    """Return L against 1 - NDCG for every query of the split."""
    losses = insight.query_losses(*(ranked.queries or ()))

    def take(trace: str, point: int, *at: float) -> Changes:
        return {shared.QUERY.key: point + 1} if trace == "points" else {}

    note = "one point per query of this split; click a point to select it"
    return _plane(ranked, "query", note, losses, losses.names, values, take)


def _plane(
    ranked: RankedList,
    kind: str,
    note: str,
    orders: insight.Orders | insight.QueryLosses,
    names: Sequence[str],
    values: Values,
    take: Any,
) -> Panel:
    here = (ranked.pairs.lost, ranked.pairs.loss)
    this = "this query" if kind == "query" else "this list"
    return Panel(
        "red_queries" if kind == "query" else "red_plane",
        f"No {kind} loses more than L",
        note,
        plane_figure(orders.lost, orders.loss, here, names, this, values.palette),
        on_click=take,
    )


VIEW = View(
    "Pairs",
    "The weight of each document pair.",
    _list.rows,
    show,
    presets={
        "Five documents": _list.hand("A0-B2-C1-D0-E1"),
        "Two documents: equality": _list.hand("A0-B1"),
        "As in the paper: upside down": _list.hand("A2-B1-C0"),
        "A query of web search": {
            _list.SOURCE.key: _list.QUERY,
            "data": "mslr10k-sample",
            "query": 1,
        },
    },
    explain=_list.EXPLAIN,
)
