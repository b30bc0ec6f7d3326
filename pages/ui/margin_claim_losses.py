"""Claims about losses on the Margins page: SVMcombo's bound, and the values of Δ."""

from typing import Any

import numpy as np
import streamlit as st

from pages.ui import downloads, frame, state
from pages.ui.claims import Tables
from pages.ui.margin_claim_list import SCORES, labels, labels_picker, order
from pages.ui.theme import colours
from rankcore.charts import margin_claims as charts
from rankcore.insight import margin_claims as insight

WEIGHTS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
MOST_RANKS = 11


def bound_settings() -> dict[str, Any]:
    """The list, and the C of all losses."""
    documents = labels_picker()
    st.select_slider(
        "Weight of every loss &ensp;$C_\\ell$",
        WEIGHTS,
        state.default("margin_claim_C"),
        help="The same for 1 − AUC, 1 − AP, 1 − NDCG and 1 − RR.",
        **state.widget("margin_claim_C"),
    )
    return documents


def bound() -> Tables:
    """Both ends of SVMcombo's bound, against C."""
    C = float(state.get("margin_claim_C"))
    found = insight.combo_bound(SCORES, labels(), np.geomspace(0.05, 10.0, 93))
    here = insight.combo_bound(SCORES, labels(), [C])
    left, weighted = float(here.left[0]), float(here.weighted[0])
    holds = left >= here.claimed - 1e-12
    slacks = float(here.slacks.sum())
    facts = [
        frame.Fact("Σ C ξ", f"{left:.6f}", f"C = {C:g}, Σ ξ = {slacks:.6f}"),
        frame.Fact("Σ R", f"{here.claimed:.6f}", _says(holds)),
        frame.Fact("Σ C R", f"{weighted:.6f}", "never above Σ C ξ"),
        frame.Fact("max R", f"{here.risks.max():.6f}", "never above Σ R"),
        frame.Fact("Here it holds for", _from(here.holds_from), "always from 1"),
    ]
    frame.facts(facts)
    table = {"C": found.weights, "Σ C ξ": found.left, "Σ C R": found.weighted}
    table |= {"Σ R": np.full(len(found.weights), found.claimed)}
    frame.heading("Both ends of the bound", "where Σ C ξ is below Σ R, it fails")
    frame.figure(
        charts.bound_figure(found, C, colours()),
        key="claim_bound",
        alt=f"At C = {C:g} the weighted slacks are {left:.3f} and the risks "
        f"{here.claimed:.3f}, so the bound {'holds' if holds else 'fails'}; it holds "
        f"from C = {here.holds_from:.3f}.",
        table=table,
    )
    rows = [
        {"loss": f"1 − {name}", "slack ξ": f"{xi:.6f}", "R, predicted": f"{risk:.6f}"}
        for name, xi, risk in zip(here.names, here.slacks, here.risks, strict=True)
    ]
    st.dataframe(rows, hide_index=True, key="claim_losses")
    return {"Facts": downloads.facts(facts), "Losses": rows, "Bound": table}


def values_settings() -> dict[str, Any]:
    """The list, and the cutoff."""
    documents = labels_picker()
    k = st.slider(
        "Cutoff &ensp;$k$",
        1,
        10,
        state.default("margin_claim_k"),
        help="Beyond this rank the first relevant document counts nothing.",
        **state.widget("margin_claim_k"),
    )
    return documents | {"SVMMRR.cutoff": k}


def values() -> Tables:
    """The values of the loss by the rank of the first relevant document."""
    k = int(state.get("margin_claim_k"))
    found = insight.reciprocal_values(MOST_RANKS, k)
    slack = insight.reciprocal_slack(SCORES, labels(), k)
    facts = [
        frame.Fact(
            "Δ of an ideal order",
            f"{found.loss[0]:g}",
            f"printed {found.reciprocal[0]:g}",
        ),
        frame.Fact("Slack ξ of the four", f"{slack.slack:.6f}", order(slack.worst)),
        frame.Fact(
            "Slack, values as printed",
            f"{slack.printed_slack:.6f}",
            order(slack.printed_worst),
        ),
        frame.Fact(
            "Δ, predicted",
            f"{slack.predicted_loss:.6f}",
            f"printed {slack.printed_predicted:.6f}",
        ),
    ]
    frame.facts(facts)
    table = {
        "first relevant at": found.ranks,
        "RR, as printed": found.reciprocal,
        "Δ = 1 − RR": found.loss,
    }
    frame.heading("Values of Δ", "a loss grows as the first relevant one falls")
    frame.figure(
        charts.values_figure(found, k, colours()),
        key="claim_values",
        alt="With the first relevant document on top the loss is 0, as printed 1; "
        f"beyond rank {k} it is 1, as printed 0.",
        table=table,
    )
    return {"Facts": downloads.facts(facts), "Values": table}


def _from(least: float) -> str:
    return f"C ≥ {least:.3f}" if least > 0.0 else "every C"


def _says(holds: bool) -> str:
    return "not above Σ C ξ: it holds" if holds else "above Σ C ξ: it fails"
