"""The panels of the Reduction page that look at one list."""

from functools import lru_cache

import numpy as np
import streamlit as st

from pages.ui import frame, sortable, state
from pages.ui.choice import segments
from pages.ui.reduction_list import RankedList
from pages.ui.sortable import Ranked
from pages.ui.theme import colours
from rankcore.insight import pair_losses as insight
from rankcore.insight.pair_losses import LOSSES, PairLoss
from rankcore.insight.reduction import (
    Swap,
    SwapSum,
    procedure_losses,
    sum_swaps,
    swaps_to_ideal,
)

MOST_SHOWN = 100
MOST_SWAPPED = 40
CURVES = ("loss", "slope")
# The mean hinge loss of these labels at these scores is below 1 − NDCG.
HINGE_LIST = ((0, 1, 0, 0), (-0.63, 0.51, 0.57, -0.54))


def facts(ranked: RankedList) -> None:
    """What the order loses, in NDCG and in pairs."""
    pairs = ranked.pairs
    frame.facts(
        [
            frame.Fact("NDCG", f"{1.0 - pairs.lost:.3f}", "of the whole list"),
            frame.Fact("1 − NDCG", f"{pairs.lost:.3f}", "what the order loses"),
            frame.Fact("L", f"{pairs.loss:.3f}", "never less"),
            frame.Fact(
                "Wrong pairs", str(int(pairs.wrong.sum())), f"of {len(pairs.wrong)}"
            ),
            frame.Fact(
                "RSRank’s loss",
                f"{pairs.total(LOSSES['RSRank']):.3f}",
                "never less than L",
            ),
        ]
    )


def bound(ranked: RankedList) -> None:
    """The bounds with the list's numbers filled in."""
    pairs = ranked.pairs
    total = pairs.total(LOSSES["RSRank"])
    # Three formulas rather than one, so that a narrow screen can break the line.
    st.markdown(
        rf"$1 - \mathrm{{NDCG}} = {pairs.lost:.6f}$ $\;\le\; L = {pairs.loss:.6f}$"
        rf" $\;\le\; \sum w_{{ij}}\,\phi(s_i - s_j) = {total:.6f}$"
    )


def weights(ranked: RankedList) -> None:
    """The importance weights as a matrix."""
    from rankcore.charts.reduction import weights_figure

    pairs, shown = ranked.pairs, min(len(ranked.labels), MOST_SHOWN)
    matrix = insight.weight_matrix(pairs)[:shown, :shown]
    names = _short(ranked)
    note = "what swapping two documents changes in NDCG; orange: the wrong way round"
    if shown < len(ranked.labels):
        note += f"; the first {shown} ranks"
    frame.heading("Importance weights", note)
    wrong, right = pairs.weight[pairs.wrong].sum(), pairs.weight[~pairs.wrong].sum()
    frame.figure(
        weights_figure(matrix, ranked.labels[:shown], names[:shown], colours()),
        key="red_weights",
        alt=f"The {int(pairs.wrong.sum())} pairs the wrong way round weigh {wrong:.3f} "
        f"together, the others {right:.3f}.",
        table=lambda: {
            "better": [names[pairs.ranks[i] - 1] for i in pairs.better],
            "worse": [names[pairs.ranks[i] - 1] for i in pairs.worse],
            "rank of the better": pairs.ranks[pairs.better],
            "rank of the worse": pairs.ranks[pairs.worse],
            "weight": pairs.weight,
            "wrong": pairs.wrong,
            "margin": pairs.margin,
        },
    )


def plane(ranked: RankedList) -> None:
    """1 - NDCG and L of this list among all orders of it, or of all queries."""
    if ranked.dataset is None:
        _orders(ranked)
    else:
        _queries(ranked)


def _orders(ranked: RankedList) -> None:
    from rankcore.charts.reduction import plane_figure

    found = insight.all_orders(tuple(sorted(ranked.labels)))
    many = "every order" if found.complete else f"{len(found.lost)} random orders"
    frame.heading(
        "No order loses more than L",
        f"a point for {many} of these labels; click one to have it",
    )

    def take(trace: str, point: int, x: float, y: float) -> None:
        if trace == "points":
            _reorder(found.labels[point].tolist())

    frame.figure(
        plane_figure(
            found.lost,
            found.loss,
            (ranked.pairs.lost, ranked.pairs.loss),
            ["labels " + " ".join(map(str, row)) for row in found.labels.tolist()],
            "this list",
            colours(),
        ),
        key="red_plane",
        alt=f"All {len(found.lost)} orders lie on or above the line L = 1 − NDCG; this "
        f"list is at {ranked.pairs.lost:.3f} and {ranked.pairs.loss:.3f}.",
        table=lambda: {
            "labels": [" ".join(map(str, row)) for row in found.labels.tolist()],
            "1 − NDCG": found.lost,
            "L": found.loss,
        },
        on_click=take,
    )


def _queries(ranked: RankedList) -> None:
    from rankcore.charts.reduction import plane_figure

    found = insight.query_losses(ranked.dataset, ranked.scores)
    held = int((found.lost <= found.loss + 1e-9).sum())
    frame.heading(
        "No query loses more than L",
        "a point for each query of this part; click one to look at it",
    )

    def take(trace: str, point: int, x: float, y: float) -> None:
        if trace == "points":
            state.apply({"query": point + 1})

    frame.figure(
        plane_figure(
            found.lost,
            found.loss,
            (ranked.pairs.lost, ranked.pairs.loss),
            [f"query {name}" for name in found.query_ids],
            "this query",
            colours(),
        ),
        key="red_queries",
        alt=f"{held} of {len(found.lost)} queries lie on or above the line "
        "L = 1 − NDCG.",
        table=lambda: {
            "query": list(found.query_ids),
            "1 − NDCG": found.lost,
            "L": found.loss,
        },
        on_click=take,
    )


def as_printed(ranked: RankedList) -> None:
    """What the list loses when two formulas are read to the letter."""
    found = insight.readings(
        ranked.labels, insight.from_the_top(ranked.pairs), ranked.numbers
    )
    pairs = ranked.pairs
    fails = " That is less than 1 − NDCG." if found.literal < pairs.lost - 1e-9 else ""
    st.markdown(
        "**As printed.** Equation (4) sums over $i < j$ only, half of the pairs: "
        f"{found.literal:.6f} in place of {pairs.loss:.6f}.{fails} The weight below "
        "equation (12) has no absolute value and is negative for pairs in the right "
        f"order: RSRank’s loss would be {_minus(found.signed)} in place of "
        f"{pairs.total(LOSSES['RSRank']):.6f}."
    )
    if not len(pairs.margin):
        return
    upside_down, meant = procedure_losses(ranked.labels)
    st.markdown(
        r"**Procedure 1** teaches the classifier $\mathbf 1\{y_i > y_j\}$, where "
        "$c(x_i, x_j) = 1$ is to mean that $x_j$ is preferred. Learned without error, "
        f"that puts the list upside down: 1 − NDCG = {upside_down:.6f}. With "
        rf"$\mathbf 1\{{y_j > y_i\}}$ it is {meant:.6f}."
    )


def loss_picker() -> tuple[PairLoss, bool]:
    """Choose a loss, and whether to see its slope."""
    name = st.selectbox(
        "Loss &ensp;$\\phi$",
        list(LOSSES),
        help="The pairs of the list are drawn on its curve. RSRank’s is the modified "
        "Huber loss; the logistic loss is to base 2, so that it is 1 at 0.",
        **state.widget("red_phi"),
    )
    curve = segments(
        "Draw",
        "red_curve",
        CURVES,
    )
    st.latex(rf"\phi(v) = {LOSSES[name].formula}")
    return LOSSES[name], curve == CURVES[1]


def curves(ranked: RankedList, loss: PairLoss, slopes: bool) -> None:
    """The losses over the margin, with the list's pairs on one of them."""
    from rankcore.charts.pair_losses import curves_figure

    pairs = ranked.pairs
    what = "Slopes" if slopes else "Losses"
    frame.heading(
        f"{what} of a pair",
        f"dots: this list’s pairs on the curve of {loss.title}, larger = heavier",
    )
    v = np.linspace(-2.5, 2.5, 21)
    frame.figure(
        curves_figure(pairs, loss, slopes, colours()),
        key="red_curves",
        alt=_pairs_on(pairs, loss, slopes),
        table=lambda: {
            "margin": v,
            **{
                name: (each.slope if slopes else each.value)(v)
                for name, each in LOSSES.items()
            },
        },
    )


def _pairs_on(pairs: insight.ListPairs, loss: PairLoss, slopes: bool) -> str:
    """Where a list's pairs lie on the curve of a loss, as a sentence."""
    if not len(pairs.margin):
        return "All labels are equal, so there is no pair on the curves."
    heaviest = int(np.argmax(pairs.weight))
    margin = pairs.margin[heaviest]
    height = float((loss.slope if slopes else loss.value)(np.array([margin]))[0])
    return (
        f"{int((pairs.margin <= 0).sum())} of {len(pairs.margin)} pairs have no "
        f"positive margin; the heaviest pair is at the margin {_minus(margin, 2)}, "
        f"where the {loss.title} loss has the {'slope' if slopes else 'value'} "
        f"{_minus(height, 2)}."
    )


def totals(ranked: RankedList) -> None:
    """What every loss makes of the list."""
    from rankcore.charts.pair_losses import totals_figure

    pairs = ranked.pairs
    found = insight.totals(pairs)
    frame.heading("What the list loses", "each sum is at least L, and L at least this")
    frame.figure(
        totals_figure(pairs.lost, found, colours()),
        key="red_totals",
        alt="; ".join(f"{name} {value:.3f}" for name, value in found.items())
        + f"; 1 − NDCG {pairs.lost:.3f}.",
        table={"1 − NDCG": [pairs.lost], **{k: [v] for k, v in found.items()}},
    )


def hinge(ranked: RankedList) -> None:
    """The hinge loss without weights, of this list and of one where its mean fails."""
    own, known = ranked.pairs, insight.list_pairs(*HINGE_LIST)
    rows = [
        {
            "list": name,
            "1 − NDCG": f"{pairs.lost:.6f}",
            "sum": f"{plain.total:.6f}",
            "mean": f"{plain.mean:.6f}",
        }
        for name, pairs in (("this list", own), ("four documents", known))
        for plain in (insight.plain_hinge(pairs),)
    ]
    frame.heading("The hinge without weights", "every pair counts the same")
    st.dataframe(rows, hide_index=True, key="red_hinge")
    mean = insight.plain_hinge(known).mean
    st.markdown(
        "**What holds** is that the *sum* over pairs bounds 1 − NDCG: one wrong pair "
        "alone costs at least 1. **What does not hold** is the same of the *mean*: "
        "with labels 0, 1, 0, 0 at scores −0.63, 0.51, 0.57, −0.54 it is "
        f"{mean:.6f} < {known.lost:.6f}. The hinge loss is quoted as a bound by Lai "
        "et al. (2013), whose pairs FenchelRank averages."
    )


def swaps(ranked: RankedList) -> None:
    """The way to the ideal order by swaps of neighbours."""
    from rankcore.charts.reduction import swaps_figure

    shown = ranked.labels[:MOST_SWAPPED]
    found = _swaps(shown)
    names = _short(ranked)
    more = len(ranked.labels) > MOST_SWAPPED
    frame.heading(
        "Swap by swap to the ideal order",
        "filled: gain in NDCG; hollow: the pair’s weight in the first order"
        + (f"; of the first {MOST_SWAPPED} documents" if more else ""),
    )
    if not found:
        which = f"first {MOST_SWAPPED} documents are" if more else "order is"
        st.info(f"The {which} ideal: there is nothing to swap.", icon=":material/done:")
        return
    total = sum_swaps(found)
    frame.figure(
        swaps_figure(found, names, colours()),
        key="red_swaps",
        alt=f"In {len(total.broken)} of {len(found)} swaps the gain exceeds the "
        f"weight; {_sums(total)}.",
        table=lambda: {
            "swap": [
                f"{names[swap.risen[0]]} over {names[swap.risen[1]]}" for swap in found
            ],
            "gain in NDCG": [swap.ndcg_gain for swap in found],
            "weight": [swap.weight for swap in found],
            "difference of discounts gained": [swap.gained_discount for swap in found],
            "that the weight has": [swap.weight_discount for swap in found],
        },
    )
    _lemma(found, total)


@lru_cache(maxsize=32)
def _swaps(labels: tuple[int, ...]) -> list[Swap]:
    return swaps_to_ideal(range(len(labels)), labels)


def _lemma(found: list[Swap], total: SwapSum) -> None:
    """What the first lemma says of these swaps."""
    if total.worst is not None:
        worst = found[total.worst]
        st.markdown(
            f"**What does not hold.** Lemma 1 has every swap gain less than its "
            f"weight. In {len(total.broken)} of these {len(found)} it gains more: swap "
            f"{total.worst + 1} moves discounts by "
            f"{worst.gained_discount:.6f}, while the pair was weighed with "
            f"{worst.weight_discount:.6f}."
        )
    else:
        st.markdown("Here no swap gains more than its weight.")
    st.markdown(f"**What holds** is the sum over all swaps: {_sums(total)}.")


def _sums(total: SwapSum) -> str:
    return f"1 − NDCG = {total.gained:.6f} ≤ L = {total.weight:.6f}"


def _reorder(labels: list[int]) -> None:
    """Put the documents in an order with these labels, alike ones as they were."""
    documents = sortable.read(str(state.get("ranking"))) or []
    found: list[Ranked] = []
    for label in labels:
        own = next((d for d in documents if d.label == label), None)
        if own is None:
            return
        documents.remove(own)
        found.append(own)
    state.put("ranking", sortable.write(found))


def _short(ranked: RankedList) -> list[str]:
    """Names that fit beside a matrix; a query's documents go by their numbers."""
    if ranked.by_hand:
        return list(ranked.names)
    return [f"d{number + 1}" for number in ranked.numbers]


def _minus(value: float, digits: int = 6) -> str:
    return f"{value + 0.0:.{digits}f}".replace("-", "−")
