"""One query on the Margins page: three orders, swaps, merge, and two feature maps."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from pages.ui import frame, margin_choice
from pages.ui.margin_choice import Chosen, Model
from pages.ui.theme import colours
from rankcore.charts.margin_merges import assignment_figure, staircase_figure
from rankcore.charts.margins import (
    ROWS,
    many_swaps_figure,
    orders_figure,
    swaps_figure,
)
from rankcore.dataset import RankingDataset
from rankcore.insight import margin_merges
from rankcore.insight import margins as insight
from rankcore.insight.margins import WorstOrder

MOST_POINTS = 1500
THREE_ORDERS = ("Three orders of one query", "lines of relevant documents have colour")
ONE_KIND = (
    "All documents of this query are of one kind, so no order is better than another "
    "and nothing can be lost. Choose another query."
)

Table = dict[str, Any]


class QueryChoice(NamedTuple):
    """What the controls of one query say."""

    chosen: Chosen
    model: Model
    dataset: RankingDataset
    query: int


def query_settings() -> QueryChoice:
    """Controls of *One query*."""
    chosen = margin_choice.settings(*margin_choice.PATIENCE)
    model = margin_choice.model_picker(chosen)
    return QueryChoice(chosen, model, *margin_choice.part_and_query(chosen, model))


def show_query(what: QueryChoice) -> Table:
    """Draw one query under a model; returns its numbers."""
    chosen, model, dataset, query = what
    refusal = chosen.algorithm.unsupported_reason(dataset)
    if refusal is not None:
        st.warning(refusal, icon=":material/block:")
        return {}
    found = insight.worst_order(
        chosen.algorithm, dataset, query, model.coef, chosen.loss
    )
    every = insight.slacks(
        chosen.algorithm, dataset, model.coef, chosen.loss, predicted=False
    )
    facts(found, every)
    if not found.counted:
        st.info(ONE_KIND, icon=":material/info:")
    left, right = st.columns([6, 5], gap="medium")
    with left:
        orders(found, "orders", ROWS)
    with right:
        swaps(found)
        slack_formula(found)
    merge(chosen, dataset, query, model.coef)
    return numbers(found)


def facts(found: WorstOrder, every: insight.Slacks | None = None) -> None:
    """Loss, margin and slack; beside them the mean slack where there is one."""
    rows = [
        frame.Fact(f"Slack ξ, loss 1 − {found.loss_name}", three(found.slack)),
        frame.Fact("Δ, most violating", three(found.loss)),
        frame.Fact("wᵀδφ, its margin", three(found.margin)),
        frame.Fact("Δ, predicted", three(found.predicted_loss)),
    ]
    if every is not None and every.counted.any():
        mean = float(every.slack[every.counted].mean())
        count = int(every.counted.sum())
        rows.append(frame.Fact(f"Mean slack of {count} queries", three(mean)))
    frame.facts(rows)


def orders(
    found: WorstOrder,
    key: str,
    rows: int,
    heading: tuple[str, str] = THREE_ORDERS,
) -> None:
    """Predicted, ideal and most violating order, with lines between."""
    frame.heading(*heading)
    apart = int((found.ideal != found.worst).sum())
    frame.figure(
        orders_figure(found, rows, colours()),
        key=key,
        alt=f"The most violating order loses {three(found.loss)}, the predicted one "
        f"{three(found.predicted_loss)}; {apart} of {len(found.ideal)} places differ "
        "between the most violating and the ideal order.",
        table=lambda: order_table(found),
    )


def swaps(found: WorstOrder) -> None:
    """What each swap, or document, adds to Δ and to wᵀδφ."""
    terms = insight.largest_terms(found)
    pairs = bool(found.swaps)
    frame.heading(
        "Each swap's Δ and wᵀδφ" if pairs else "Each document's Δ and wᵀδφ",
        f"{len(found.swaps)} swaps" if pairs else "",
    )
    if not terms:
        st.caption("The most violating order is the ideal one: the margins hold.")
        return
    every = insight.swap_terms(found)[:MOST_POINTS]
    many = len(every) > len(terms)
    frame.figure(
        many_swaps_figure(every, colours()) if many else swaps_figure(terms, colours()),
        key="swaps",
        alt=f"{terms[0].name} adds most to the slack: loss {three(terms[0].loss)}, "
        f"margin {three(terms[0].margin)}.",
        table=lambda: swap_table(found),
    )


def slack_formula(found: WorstOrder) -> None:
    """The definition of the slack with this query's numbers in it."""
    slack = max(found.slack, 0.0)
    st.latex(
        r"\begin{aligned} \xi &= \max(0,\ \Delta - w^\top\delta\phi) \\ "
        rf"&= \max(0,\ {found.loss:.3f} {-found.margin:+.3f}) "
        rf"= \mathbf{{{slack:.3f}}} \\ &\ge {found.predicted_loss:.3f} "
        r"= \Delta(\hat y) \end{aligned}"
    )


def merge(chosen: Chosen, dataset: RankingDataset, query: int, coef: Any) -> None:
    """The staircase of the merge, or where there is none, the assignment."""
    arguments = (chosen.algorithm, dataset, query, coef, chosen.loss)
    try:
        stairs = margin_merges.staircase(*arguments)
    except ValueError:
        _assignment(margin_merges.assignment(*arguments))
        return
    if not stairs.values.size:
        return
    inverted = int(stairs.above.sum())
    frame.heading(
        "The merge as a staircase",
        "left of the line: pairs that the most violating order inverts; each cell is "
        "what inverting it adds to Δ − wᵀδφ",
    )
    frame.figure(
        staircase_figure(stairs, colours()),
        key="staircase",
        alt=f"The most violating order inverts {inverted} of {stairs.values.size} "
        "pairs of a relevant and an irrelevant document.",
        table=lambda: staircase_table(stairs),
    )


def _assignment(table: margin_merges.Assignment) -> None:
    frame.heading(
        "The assignment of documents to ranks",
        "each cell is what a document adds there; circles: the most violating order",
    )
    frame.figure(
        assignment_figure(table, colours()),
        key="assignment",
        alt=_assigned(table),
        table=lambda: {
            "document": table.documents,
            "label": table.labels,
            "score": table.scores,
            "rank": table.ranks,
        },
    )


def _assigned(table: margin_merges.Assignment) -> str:
    """Who has the ranks that count in the most violating order, as a sentence."""
    placed = np.flatnonzero(table.ranks)
    top = placed[np.argmin(table.ranks[placed])]
    highest = int(table.labels.max())
    best = int((table.labels[placed] == highest).sum())
    return (
        f"Rank 1 goes to {table.documents[top]}, label {table.labels[top]} and number "
        f"{top + 1} by score; {best} of the {len(placed)} ranks that count go to "
        f"documents of the highest label, {highest}."
    )


def numbers(found: WorstOrder) -> Table:
    """The three orders as a table, for taking away."""
    return order_table(found)


def order_table(found: WorstOrder) -> Table:
    """Rank, and the document and label there in each order."""

    def column(order: np.ndarray) -> list[str]:
        return [f"{found.documents[i]} · {found.labels[i]}" for i in order]

    return {
        "rank": list(range(1, len(found.current) + 1)),
        "predicted": column(found.current),
        "score": found.scores[found.current].tolist(),
        "ideal": column(found.ideal),
        "most violating": column(found.worst),
    }


def swap_table(found: WorstOrder) -> Table:
    """Every swap with what it adds, or every document where there are no swaps."""
    if not found.swaps:
        return {
            "document": list(found.documents),
            "label": found.labels,
            "adds to Δ": found.losses,
            "adds to wᵀδφ": found.margins,
        }
    return {
        "irrelevant, above": [found.documents[swap.bad] for swap in found.swaps],
        "relevant": [found.documents[swap.good] for swap in found.swaps],
        "adds to Δ": [swap.loss for swap in found.swaps],
        "adds to wᵀδφ": [swap.margin for swap in found.swaps],
    }


def staircase_table(stairs: margin_merges.Staircase) -> Table:
    """One row a relevant document, one column an irrelevant one."""
    return {
        "relevant": list(stairs.good),
        "irrelevant above": stairs.above,
        **{
            f"{j + 1}. {name}": stairs.values[:, j]
            for j, name in enumerate(stairs.bad[:20])
        },
    }


def three(value: float) -> str:
    """Three digits after the point, with a true minus sign."""
    return f"{value + 0.0:.3f}".replace("-", "−")


Show = Callable[[Any], Table]
