"""Swaps: the way to the ideal order by swaps of neighbours, and Lemma 1."""

from functools import lru_cache, partial

from pages.views.reduction import _list
from rankcore.topics.reduction.swaps import Swap, swaps_to_ideal
from rankcore.topics.reduction.swaps_figure import swaps_figure, swaps_in_words
from rankcore.views import Notice, Panel, Shown, Values, View

MOST_SWAPPED = 40


def show(values: Values) -> Shown:
    """Return the gain of each swap beside its weight, and what the lemma says."""
    ranked = _list.ranked(values)
    shown = ranked.labels[:MOST_SWAPPED]
    found, table = _swaps(shown), partial(ranked.pairs.table, ranked.names)
    if not found:
        ideal = f"The first {len(shown)} documents are in order: nothing to swap."
        return ranked.shown([Notice(ideal, "done")], Pairs=table)
    note = "filled: gain in NDCG; hollow: the pair’s weight in the first order"
    if len(ranked.labels) > MOST_SWAPPED:
        note += f"; of the first {MOST_SWAPPED} documents"
    picture = swaps_figure(found, ranked.short, values.palette)
    panel = Panel("red_swaps", "Swap by swap to the ideal order", note, picture)
    return ranked.shown([panel], swaps_in_words(found), Pairs=table)


@lru_cache(maxsize=32)
def _swaps(labels: tuple[int, ...]) -> list[Swap]:
    return swaps_to_ideal(range(len(labels)), labels)


VIEW = View(
    "Swaps",
    "How much each swap of neighbours gains.",
    _list.rows,
    show,
    presets={"A swap that exceeds its bound": _list.hand("A0-B1-C2")},
    explain=_list.EXPLAIN,
)
