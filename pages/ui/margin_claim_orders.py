"""Claims about orders on the Margins page: the pair form, merges, and own choices."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from pages.ui import downloads, frame, state
from pages.ui.claims import Tables
from pages.ui.margin_claim_list import (
    NAMES,
    SCORES,
    by_hand,
    labels,
    order,
)
from pages.ui.theme import colours
from rankcore.algorithms import StructuredRanker
from rankcore.algorithms.svm_ndcg import SVMNDCG
from rankcore.charts import margin_claims as charts
from rankcore.insight import margin_claims as insight


def pairs() -> Tables:
    """Both forms of φ_po for every order of the four documents."""
    found = insight.pair_forms(SCORES, labels())
    relevant = sum(labels())
    mean = found.ideal / (relevant * (len(SCORES) - relevant))
    half = (found.ideal - found.signed) / 2.0
    apart = float(np.abs(found.inverted - half).max())
    facts = [
        frame.Fact("Definition predicts", order(found.predicted), "by falling score"),
        frame.Fact(
            "Second form predicts",
            order(found.predicted_by_inverted),
            "by rising score",
        ),
        frame.Fact(
            "wᵀφ of the ideal order",
            _minus(found.ideal),
            f"mean over pairs {_minus(mean)}",
        ),
        frame.Fact(
            "From second form to ½ (φ* − φ)", f"{apart:.6f}", "at most, over 24 orders"
        ),
    ]
    frame.facts(facts)
    table = {
        "order": [order(each) for each in found.orders],
        "definition": found.signed,
        "second form": found.inverted,
        "½ (ideal − definition)": half,
    }
    frame.heading(
        "Both forms for all 24 orders", "rings: the order that each form prefers"
    )
    frame.figure(
        charts.forms_figure(found, NAMES, colours()),
        key="claim_forms",
        alt="The second form falls as the definition rises: it prefers the order "
        f"{order(found.predicted_by_inverted)}, the definition "
        f"{order(found.predicted)}.",
        table=table,
    )
    return {"Facts": downloads.facts(facts), "Orders": table}


def merge() -> Tables:
    """What the scheme of merging misses with φ_mrr."""
    found = insight.first_map_values(SCORES, labels())
    facts = [
        frame.Fact(
            "Most, lowest first", f"{max(found.lowest):.6f}", order(found.order)
        ),
        frame.Fact("Most of a merge", f"{max(found.merged):.6f}", order(found.merge)),
        frame.Fact("The merge misses", f"{found.lost:.6f}", "of the slack"),
    ]
    frame.facts(facts)
    table = {
        "first relevant at": found.ranks,
        "lowest first": found.lowest,
        "merge by score": found.merged,
    }
    frame.heading("Δ + wᵀφ_mrr by the first rank", "rings: the most of either")
    frame.figure(
        charts.first_map_figure(found, colours()),
        key="claim_merge",
        alt=f"With the lowest relevant document first {max(found.lowest):.3f} is "
        f"reached, by a merge {max(found.merged):.3f}.",
        table=table,
    )
    return {"Facts": downloads.facts(facts), "Values": table}


class Choosing(NamedTuple):
    """Who chooses a place alone, in which list, and with which NDCG."""

    learner: StructuredRanker
    scores: tuple[float, ...]
    labels: tuple[int, ...]
    relevant: bool


SHORT = ((0.0, -0.1, 0.1, 0.1), (1, 0, 1, 1))
LONG = ((0.3, 0.25, 0.0, -0.05, -0.1), (1, 0, 0, 0, 0))
CHOOSING: Mapping[str, Choosing] = {
    "Relevant, whole list": Choosing(SVMNDCG(), *SHORT, relevant=True),
    "Irrelevant, whole list": Choosing(SVMNDCG(), *LONG, relevant=False),
    "Irrelevant, LETOR’s discount": Choosing(
        SVMNDCG(discount="letor"), *LONG, relevant=False
    ),
    "Irrelevant, cutoff k = 3": Choosing(SVMNDCG(cutoff=3), *LONG, relevant=False),
}


def alone_settings() -> dict[str, Any]:
    """Who chooses alone; settings that show that list by hand."""
    case = CHOOSING[
        st.radio(
            "Who chooses alone", list(CHOOSING), **state.widget("margin_claim_alone")
        )
    ]
    learner = type(case.learner)
    return by_hand(case.scores, case.labels) | {
        state.hyperparameter_key(learner, name): getattr(case.learner, name)
        for name in ("discount", "cutoff", "scaling")
    }


def alone() -> Tables:
    """Documents that choose their places alone, beside the best order."""
    every = {
        name: insight.own_choices(case.learner, case.scores, case.labels, case.relevant)
        for name, case in CHOOSING.items()
    }
    name = str(state.get("margin_claim_alone"))
    case, found = CHOOSING[name], every[name]
    other = "irrelevant" if case.relevant else "relevant"
    facts = [
        frame.Fact(
            "Chosen alone", _counts(found.chosen), f"{other} documents above each"
        ),
        frame.Fact("Is that an order?", "yes" if found.is_order else "no"),
        frame.Fact("Made an order", _counts(found.repaired)),
        frame.Fact("Best order", _counts(found.best)),
        frame.Fact("Lost to the best", f"{found.lost:.4f}", "of Δ − wᵀδφ"),
    ]
    frame.facts(facts)
    stairs = found.stairs
    frame.heading(
        "What inverting each pair adds",
        "left of the line: what the best order inverts; diamonds: what each would "
        "invert alone",
    )
    frame.figure(
        charts.choices_figure(found, colours()),
        key="claim_alone",
        alt=f"Alone they choose {_counts(found.chosen)}, the best order has "
        f"{_counts(found.best)}; {found.lost:.4f} is lost.",
        table={
            "relevant": stairs.good,
            **{bad: stairs.values[:, j] for j, bad in enumerate(stairs.bad)},
        },
    )
    rows = [
        {
            "who chooses alone": each,
            "alone": _counts(own.chosen),
            "an order": "yes" if own.is_order else "no",
            "best": _counts(own.best),
            "lost": f"{own.lost:.4f}",
        }
        for each, own in every.items()
    ]
    st.dataframe(rows, hide_index=True, key="claim_choices")
    return {"Facts": downloads.facts(facts), "Choices": rows}


def _minus(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def _counts(counts: insight.Integers) -> str:
    return ", ".join(map(str, counts.tolist()))
