"""Losses: the curves of pairwise losses, and their sums over the list."""

from functools import partial

from pages.views.reduction import _list
from rankcore.topics.reduction import pair_losses as insight
from rankcore.topics.reduction import pair_losses_figure as charts
from rankcore.topics.reduction.pair_losses import LOSSES
from rankcore.views import MORE, Choice, Listed, Panel, Shown, Table, Values, View

LOSS = Listed(
    "red_phi",
    "RSRank",
    "Loss",
    r"\phi",
    "Loss on whose curve the pairs are drawn. RSRank uses the modified Huber loss; the "
    "logistic loss has base 2, so that it is 1 at 0.",
    names=tuple(LOSSES),
    note=lambda values: rf"$\phi(v) = {LOSSES[values.red_phi].formula}$",
)
CURVE = Choice("red_curve", "loss", "Draw", names=("loss", "slope"), group=MORE)


def show(values: Values) -> Shown:
    """Return curves with the list's pairs, all sums, and the unweighted hinge loss."""
    ranked = _list.ranked(values)
    pairs, slopes = ranked.pairs, values.red_curve == "slope"
    loss, totals = LOSSES[values.red_phi], insight.totals(pairs)
    figures = [
        Panel(
            "red_curves",
            f"{'Slopes' if slopes else 'Losses'} of a pair",
            f"dots: this list’s pairs on the curve of {loss.title}, larger = heavier",
            charts.curves_figure(pairs, loss, slopes, values.palette),
        ),
        Panel(
            "red_totals",
            "Loss of the list",
            "each sum is at least L, and L is at least 1 − NDCG",
            charts.totals_figure(pairs.lost, totals, values.palette),
        ),
    ]
    columns, caption = charts.hinge_table(pairs)
    note = "every pair counts the same"
    table = Table("red_hinge", "Unweighted hinge loss", note, columns)
    pair_table = partial(pairs.table, ranked.names)
    return ranked.shown([*figures, table], [caption], Pairs=pair_table)


VIEW = View(
    "Losses",
    "The value of each pairwise loss on this list.",
    partial(_list.rows, settings=(LOSS, CURVE)),
    show,
    explain=_list.EXPLAIN,
)
