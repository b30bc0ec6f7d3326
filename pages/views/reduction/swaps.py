"""Swaps: the path to the ideal order by swaps of neighbours, and Lemma 1."""

from functools import partial

from pages.ui.data import datasets
from pages.views.reduction import _list
from rankcore.topics.reduction.swaps import swaps_of_list
from rankcore.topics.reduction.swaps_figure import swaps_figure, swaps_in_words
from rankcore.views import Ask, Notice, Number, Panel, Shown, Values, View

MOST = 40


def _count(values: Values) -> int:
    if values.red_source == _list.QUERY and datasets.readable(values) is None:
        return 0
    return len(swaps_of_list(_list.ranked(values).labels[:MOST]))


MEANING = "Number of swaps of neighbours; the last one is marked."
NOW = Number("red_swap", 1, "Swap", meaning=MEANING, low=0, whole=True, inline=True,
             limits=lambda values: (0, _count(values)))  # fmt: skip


def show(values: Values) -> Shown:
    """Return the animation of the swaps, and Lemma 1's verdict on them."""
    ranked = _list.ranked(values)
    labels, names = ranked.labels[:MOST], ranked.short[:MOST]
    swaps, table = swaps_of_list(labels), partial(ranked.pairs.table, ranked.names)
    if not swaps:
        ideal = f"The first {len(labels)} documents are in order: nothing to swap."
        return ranked.shown([Notice(ideal, "done")], Pairs=table)
    note = "orange: the swap gains more than the weight of its pair at the start"
    if len(ranked.labels) > MOST:
        note += f"; of the first {MOST} documents"
    film = swaps_figure(swaps, labels, names, values.red_swap, values.palette)
    panel = Panel("red_swaps", "Swap by swap to the ideal order", note, film)
    return ranked.shown([panel, Ask([NOW])], swaps_in_words(swaps), Pairs=table)


VIEW = View(
    "Swaps",
    "The gain of each swap of neighbours.",
    partial(_list.rows, settings=[NOW]),
    show,
    presets={"A swap that exceeds its bound": _list.hand("A0-B1-C2") | {NOW.key: 3}},
    explain=_list.EXPLAIN,
    plays=NOW.key,
)
