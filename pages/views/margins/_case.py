"""One query under a model: facts, orders, swaps, and how the order is made."""

from typing import NamedTuple

import numpy as np

from rankcore.algorithms import StructuredRanker
from rankcore.charts.margin_merges import assignment_figure, staircase_figure
from rankcore.charts.margins import orders_figure, slack_terms_figure, three
from rankcore.charts.palette import Palette
from rankcore.dataset import RankingDataset
from rankcore.insight import margin_merges
from rankcore.insight import margins as insight
from rankcore.insight.margins import Slacks, WorstOrder
from rankcore.views import Block, Caption, Fact, Panel, Values, Words


class Case(NamedTuple):
    """What `rankcore.insight.margins.worst_order` takes."""

    algorithm: StructuredRanker
    dataset: RankingDataset
    query: int
    coef: np.ndarray
    loss: str | None


def facts(found: WorstOrder, every: Slacks | None = None) -> list[Fact]:
    """Loss, margin and slack, and the mean slack over several queries."""
    rows = [
        Fact(f"Slack ξ, loss 1 − {found.loss_name}", three(found.slack)),
        Fact("Δ, most violated", three(found.loss)),
        Fact("wᵀδφ, its margin", three(found.margin)),
        Fact("Δ, predicted", three(found.predicted_loss)),
    ]
    if every is not None and every.counted.any():
        mean = float(every.slack[every.counted].mean())
        rows.append(Fact(f"Mean slack of {every.counted.sum()} queries", three(mean)))
    return rows


def orders(
    found: WorstOrder,
    rows: int,
    palette: Palette,
    key: str = "orders",
    title: str = "Three orders of one query",
    note: str = "coloured lines: relevant documents",
) -> Panel:
    """Predicted, ideal and most violated order, with lines between them."""
    return Panel(key, title, note, orders_figure(found, rows, palette))


def swaps(found: WorstOrder, palette: Palette) -> list[Block]:
    """The terms of each swap, or document, in Δ and wᵀδφ; their sum below."""
    slack = max(found.slack, 0.0)
    formula = Words(
        r"$$\begin{aligned} \xi &= \max(0,\ \Delta - w^\top\delta\phi) \\ "
        rf"&= \max(0,\ {found.loss:.3f} {-found.margin:+.3f}) "
        rf"= \mathbf{{{slack:.3f}}} \\ &\ge {found.predicted_loss:.3f} "
        r"= \Delta(\hat y) \end{aligned}$$"
    )
    if not insight.largest_terms(found):
        holds = "The most violated order is the ideal one: all margins hold."
        return [Caption(holds), formula]
    title = "Δ and wᵀδφ of each " + ("swap" if found.swaps else "document")
    note = f"{len(found.swaps)} swaps" if found.swaps else ""
    return [Panel("swaps", title, note, slack_terms_figure(found, palette)), formula]


def making(case: Case, palette: Palette) -> list[Panel]:
    """How the most violated order is made: a merge, or an assignment to ranks."""
    try:
        stairs = margin_merges.staircase(*case)
    except ValueError:
        picture = assignment_figure(margin_merges.assignment(*case), palette)
        title = "The assignment of documents to ranks"
        note = "each cell: what a document adds there; circles: the most violated order"
        return [Panel("assignment", title, note, picture)]
    if not stairs.values.size:
        return []
    note = (
        "left of the line: pairs that the most violated order inverts; each cell: "
        "change of Δ − wᵀδφ by inverting the pair"
    )
    picture = staircase_figure(stairs, palette)
    return [Panel("staircase", "The merge as a staircase", note, picture)]


def chosen_loss(values: Values) -> str | None:
    """The loss that is chosen; None where the learner has one only."""
    return values.margin_loss or None
