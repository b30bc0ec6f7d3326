"""Losses: the curves of pair losses, and what each makes of the list."""

from functools import partial

from pages.views.reduction import _list
from pages.views.reduction._explain import EXPLAIN
from rankcore.charts.pair_losses import curves_figure, totals_figure
from rankcore.insight import pair_losses as insight
from rankcore.insight.pair_losses import LOSSES, ListPairs
from rankcore.views import Choice, Listed, Panel, Shown, Table, Values, View, Words

# The mean hinge loss of these labels at these scores is below 1 − NDCG.
HINGE_LIST = ((0, 1, 0, 0), (-0.63, 0.51, 0.57, -0.54))

LOSS = Listed(
    "red_phi",
    "RSRank",
    "Loss",
    r"\phi",
    "The pairs of the list are drawn on its curve. RSRank’s is the modified Huber "
    "loss; the logistic loss is to base 2, so that it is 1 at 0.",
    names=tuple(LOSSES),
    note=lambda values: rf"$\phi(v) = {LOSSES[values.red_phi].formula}$",
)
CURVE = Choice("red_curve", "loss", "Draw", names=("loss", "slope"))


def show(values: Values) -> Shown:
    """The curves with the list's pairs, all sums, and the hinge loss unweighted."""
    ranked = _list.ranked(values)
    pairs, slopes = ranked.pairs, values.red_curve == "slope"
    loss, totals = LOSSES[values.red_phi], insight.totals(pairs)
    figures = [
        Panel(
            "red_curves",
            f"{'Slopes' if slopes else 'Losses'} of a pair",
            f"dots: this list’s pairs on the curve of {loss.title}, larger = heavier",
            curves_figure(pairs, loss, slopes, values.palette),
        ),
        Panel(
            "red_totals",
            "What the list loses",
            "each sum is at least L, and L is at least 1 − NDCG",
            totals_figure(pairs.lost, totals, values.palette),
        ),
    ]
    return ranked.shown(
        [*figures, *_hinge(pairs)], Pairs=lambda: pairs.table(ranked.names)
    )


def _hinge(own: ListPairs) -> tuple[Table, Words]:
    """The hinge loss of this list, and of one whose mean is below 1 − NDCG."""
    known = insight.list_pairs(*HINGE_LIST)
    lists = {"this list": own, "four documents": known}
    hinge = {name: insight.plain_hinge(pairs) for name, pairs in lists.items()}
    columns = {
        "list": list(lists),
        "1 − NDCG": [f"{pairs.lost:.6f}" for pairs in lists.values()],
        "sum": [f"{each.total:.6f}" for each in hinge.values()],
        "mean": [f"{each.mean:.6f}" for each in hinge.values()],
    }
    note, mean = "every pair counts the same", hinge["four documents"].mean
    said = (
        "**True:** the *sum* over pairs bounds 1 − NDCG, since one misordered pair "
        "alone costs at least 1. **False:** the same of the *mean*. With labels 0, 1, "
        f"0, 0 at scores −0.63, 0.51, 0.57, −0.54 it is {mean:.6f} < {known.lost:.6f}. "
        "Lai et al. (2013), whose pairs FenchelRank averages, quote the hinge loss as "
        "a bound."
    )
    return Table("red_hinge", "Unweighted hinge loss", note, columns), Words(said)


VIEW = View(
    "Losses",
    "What each loss of a pair makes of the list.",
    partial(_list.rows, own=(LOSS, CURVE)),
    show,
    explain=EXPLAIN,
)
