"""Pairs: the weight of each pair, and the bound on 1 − NDCG over all orders."""

from collections.abc import Iterator

import numpy as np

from pages.ui import shared
from pages.views.reduction import _list
from pages.views.reduction._explain import EXPLAIN
from pages.views.reduction._list import RankedList
from rankcore.charts.reduction import plane_figure, weights_figure
from rankcore.insight import hand_list
from rankcore.insight import pair_losses as insight
from rankcore.insight.reduction import procedure_losses
from rankcore.views import Changes, Panel, Shown, Values, View, Words

MOST_SHOWN = 100


def show(values: Values) -> Shown:
    """The weights as a matrix, L against 1 − NDCG, and the paper's formulas."""
    ranked = _list.ranked(values)
    words = map(Words, _as_in_the_paper(ranked))
    plane = _orders if ranked.queries is None else _queries
    return ranked.shown([_weights(ranked, values), plane(ranked, values), *words])


def _weights(ranked: RankedList, values: Values) -> Panel:
    pairs, n = ranked.pairs, min(len(ranked.labels), MOST_SHOWN)
    wrong, right = pairs.weight[pairs.wrong].sum(), pairs.weight[~pairs.wrong].sum()
    matrix = insight.weight_matrix(pairs)[:n, :n]
    picture = weights_figure(
        matrix, ranked.labels[:n], ranked.short[:n], values.palette
    ).described(
        f"The {int(pairs.wrong.sum())} misordered pairs weigh {wrong:.3f} together, "
        f"the others {right:.3f}.",
        lambda: pairs.table(ranked.names),
    )
    note = "what swapping two documents changes in NDCG; orange: currently misordered"
    if n < len(ranked.labels):
        note += f"; the first {n} ranks"
    return Panel("red_weights", "Importance weights", note, picture)


def _orders(ranked: RankedList, values: Values) -> Panel:
    """L against 1 - NDCG for every order of the list."""
    found = insight.all_orders(tuple(sorted(ranked.labels)))
    names = [f"labels {' '.join(map(str, row))}" for row in found.labels.tolist()]
    many = "every order" if found.complete else f"{len(names)} random orders"

    def take(trace: str, point: int, *at: float) -> Changes:
        if trace != "points":
            return {}
        labels = found.labels[point].tolist()
        return {shared.RANKING.key: hand_list.reordered(values.ranking, labels)}

    here = (ranked.pairs.lost, ranked.pairs.loss)
    return Panel(
        "red_plane",
        "No order loses more than L",
        f"a point for {many} of these labels; click one to use it",
        plane_figure(found.lost, found.loss, here, names, "this list", values.palette),
        on_click=take,
    )


def _queries(ranked: RankedList, values: Values) -> Panel:
    """L against 1 - NDCG for every query of the split."""
    found = insight.query_losses(*(ranked.queries or ()))
    names = [f"query {name}" for name in found.query_ids]

    def take(trace: str, point: int, *at: float) -> Changes:
        return {shared.QUERY.key: point + 1} if trace == "points" else {}

    here = (ranked.pairs.lost, ranked.pairs.loss)
    return Panel(
        "red_queries",
        "No query loses more than L",
        "a point for each query of this split; click one to select it",
        plane_figure(found.lost, found.loss, here, names, "this query", values.palette),
        on_click=take,
    )


def _as_in_the_paper(ranked: RankedList) -> Iterator[str]:
    """What the list loses when the paper's formulas are taken literally."""
    pairs = ranked.pairs
    found = insight.readings(ranked.labels, insight.from_the_top(pairs), ranked.numbers)
    signed = f"{found.signed + 0.0:.6f}".replace("-", "−")
    fails = " That is less than 1 − NDCG." if found.literal < pairs.lost - 1e-9 else ""
    yield (
        "**As in the paper.** Equation (4) sums over $i < j$ only, half of the pairs: "
        f"{found.literal:.6f} instead of {pairs.loss:.6f}.{fails} The weight below "
        "equation (12) has no absolute value and is negative for pairs in the right "
        f"order: RSRank’s loss would be {signed} instead of "
        f"{pairs.total(insight.LOSSES['RSRank']):.6f}."
    )
    if len(pairs.margin):
        upside_down, meant = procedure_losses(np.array(ranked.labels))
        yield (
            r"**Procedure 1** trains the classifier on $\mathbf 1\{y_i > y_j\}$, where "
            "$c(x_i, x_j) = 1$ means that $x_j$ is preferred. Learned without error, "
            f"that puts the list upside down: 1 − NDCG = {upside_down:.6f}. With "
            rf"$\mathbf 1\{{y_j > y_i\}}$ it is {meant:.6f}."
        )


VIEW = View(
    "Pairs",
    "How much each pair of documents weighs.",
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
    explain=EXPLAIN,
)
