"""One query under a model: facts, orders, swaps, and how its order is found."""

from typing import Any

import numpy as np

from pages.ui.data.inspecting import inspect
from pages.views.margins import _learner
from rankcore.base.numbers import counted
from rankcore.data.dataset import RankingDataset
from rankcore.plot.numbers import decimals
from rankcore.plot.palette import Palette
from rankcore.topics.margins import merges as margin_merges
from rankcore.topics.margins.merges import Assignment
from rankcore.topics.margins.merges_figure import assignment_figure, staircase_figure
from rankcore.topics.margins.models import largest_slack
from rankcore.topics.margins.order import Case, WorstOrder
from rankcore.topics.margins.order_figure import slack_formula, slack_terms_figure
from rankcore.views import Act, Block, Caption, Fact, Go, Panel, Values


def case(values: Values, dataset: RankingDataset, query: int, coef: np.ndarray) -> Case:
    """Return a query under a model, with the selected algorithm and loss."""
    loss = values.margin_loss or None
    return Case(_learner.algorithm(values), dataset, query, coef, loss)


def facts(worst: WorstOrder) -> list[Fact]:
    """Return the facts on loss, margin and slack."""
    return [
        Fact(f"Slack ξ, loss 1 − {worst.loss_name}", decimals(worst.slack)),
        Fact("Δ, most violated", decimals(worst.loss)),
        Fact("wᵀδφ, its margin", decimals(worst.margin)),
        Fact("Δ, predicted", decimals(worst.predicted_loss)),
    ]


def largest(shown: Case) -> Act:
    """Return the button that goes to the query with the largest slack."""
    return Act(
        "Find the largest slack",
        "largest_slack",
        lambda: {"query": largest_slack(*shown[:2], *shown[3:]) + 1},
        help="Shows the query whose margins are violated most.",
    )


def inspected(values: Values, **chosen: Any) -> Go:
    """Return the link to the query in the Inspector, with the algorithm's forces."""
    return inspect(values, surrogate=values.margin_learner, **chosen)


def swaps(worst: WorstOrder, palette: Palette) -> list[Block]:
    """Return the terms of each swap or document in Δ and wᵀδφ, and their sum."""
    formula = Caption(slack_formula(worst))
    if not (worst.swaps or worst.losses.any() or worst.margins.any()):
        holds = "The most violated order is the ideal one: all margins hold."
        return [Caption(holds), formula]
    title = "Δ and wᵀδφ of each " + ("swap" if worst.swaps else "document")
    note = counted(len(worst.swaps), "swaps") if worst.swaps else ""
    return [Panel("swaps", title, note, slack_terms_figure(worst, palette)), formula]


def making(shown: Case, palette: Palette) -> list[Panel]:
    """Return the construction of the most violated order: a merge or an assignment."""
    stage = margin_merges.making(shown)
    if isinstance(stage, Assignment):
        picture = assignment_figure(stage, palette)
        title = "The assignment of documents to ranks"
        note = "cell: a document's term at a rank; circles: the most violated order"
        return [Panel("assignment", title, note, picture)]
    picture = staircase_figure(stage, palette)
    note = (
        "left of the line: pairs that the most violated order inverts; each cell: "
        "change of Δ − wᵀδφ by inverting the pair"
    )
    merge = Panel("staircase", "The merge as a staircase", note, picture)
    return [merge] if stage.values.size else []
