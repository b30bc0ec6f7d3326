"""Swaps: the way to the ideal order by swaps of neighbours, and Lemma 1."""

from functools import lru_cache

from pages.views.reduction import _list
from pages.views.reduction._explain import EXPLAIN
from pages.views.reduction._list import RankedList
from rankcore.charts.reduction import swaps_figure
from rankcore.insight.reduction import Swap, SwapSum, sum_swaps, swaps_to_ideal
from rankcore.views import Block, Notice, Panel, Shown, Values, View, Words

MOST_SWAPPED = 40


def show(values: Values) -> Shown:
    """The gain of each swap beside its weight, and what the lemma says of them."""
    ranked = _list.ranked(values)
    shown = ranked.labels[:MOST_SWAPPED]
    ideal = f"The first {len(shown)} documents are in the ideal order: nothing to swap."
    found = _swaps(shown)
    figures = _figures(ranked, found, values) if found else [Notice(ideal, "done")]
    return ranked.shown(figures, Pairs=lambda: ranked.pairs.table(ranked.names))


@lru_cache(maxsize=32)
def _swaps(labels: tuple[int, ...]) -> list[Swap]:
    return swaps_to_ideal(range(len(labels)), labels)


def _figures(ranked: RankedList, found: list[Swap], values: Values) -> list[Block]:
    total, picture = sum_swaps(found), swaps_figure(found, ranked.short, values.palette)
    sums = f"1 − NDCG = {total.gained:.6f} ≤ L = {total.weight:.6f}"
    note = "filled: gain in NDCG; hollow: the pair’s weight in the first order"
    if len(ranked.labels) > MOST_SWAPPED:
        note += f"; of the first {MOST_SWAPPED} documents"
    return [
        Panel("red_swaps", "Swap by swap to the ideal order", note, picture),
        Words(_lemma(found, total)),
        Words(f"**True:** the sum over all swaps is bounded: {sums}."),
    ]


def _lemma(found: list[Swap], total: SwapSum) -> str:
    if total.worst is None:
        return "Here no swap gains more than its weight."
    worst = found[total.worst]
    return (
        "**False:** by Lemma 1 every swap gains less than its weight. In "
        f"{len(total.broken)} of these {len(found)} it gains more: swap "
        f"{total.worst + 1} moves discounts by {worst.gained_discount:.6f}, while the "
        f"weight of the pair has {worst.weight_discount:.6f}."
    )


VIEW = View(
    "Swaps",
    "How much each swap of neighbours gains.",
    _list.rows,
    show,
    presets={"A swap that exceeds its bound": _list.hand("A0-B1-C2")},
    explain=EXPLAIN,
)
