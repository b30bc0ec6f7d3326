"""Approximation: how far a smooth surrogate is from the measure it stands for."""

from collections.abc import Mapping
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui import (
    approximation_claims,
    approximation_panels,
    approximation_training,
    downloads,
    explain,
    frame,
    landscape_panels,
    state,
    views,
)
from pages.ui.views import View

EQUATIONS = r"""
A position is a count of documents above: a step for each. Replaced by logistics of
sharpness α it is smooth in the scores, and so is any measure of positions, once its own
steps are replaced by logistics of sharpness β:

$$\hat\pi_i = 1 + \sum_{j \ne i} \sigma\big(\alpha (s_j - s_i)\big), \qquad
\mathbf 1\{\pi_i \le k\} \approx \sigma\big(\beta (k + \tfrac12 - \hat\pi_i)\big)$$

T. Qin, T.-Y. Liu, H. Li: *A general approximation framework for direct optimization of
information retrieval measures*. Information Retrieval 13:375-397, 2010.
"""

READING = """
- **Scores and positions**: filled circles are true positions, open ones approximated.
  The green arrow is the gradient: where the surrogate pushes the score, its length the
  root of the force. A small ring is a force that has vanished.
- **The cutoff**: a document half way down the logistic counts half.
- **Every measure**: surrogate and measure on the left, forces on each document right.
- **Error against α**: a dot is the error on this list, the thin line what a theorem
  says it is at most.
- **Along training**: a run for each α and for each β, all from one start, and how far
  the surrogate it climbs is from the measure after each pass.

**Try.** Raise α from 10 to 300 on Table 1: the open circles click into place, and the
arrows die. Drag x₅ onto x₁ and find the α at which positions are right again.
"""

TABLE_1 = state.default("approx_list")


def on_list(
    text: str, alpha: float, beta: float, cutoff: int, measure: str
) -> dict[str, Any]:
    """The settings that show a list."""
    return {
        "approx_view": "One list",
        "approx_list": text,
        "approx_alpha": alpha,
        "approx_beta": beta,
        "approx_k": cutoff,
        "approx_measure": measure,
    }


def claim(name: str) -> dict[str, Any]:
    """The settings that check a claim of the paper."""
    return {"approx_view": "What is true", "approx_claim": name}


def _long_list() -> str:
    labels = [2 if i % 9 == 4 else 1 if i % 5 == 2 else 0 for i in range(40)]
    return ", ".join(f"{1 - i / 40:.10g}:{label}" for i, label in enumerate(labels))


def _even_list() -> str:
    return ", ".join(f"{round(1 - i / 9, 4):.10g}:{int(i == 9)}" for i in range(10))


PRESETS = {
    "Table 1": on_list(TABLE_1, 10.0, 10.0, 2, "AP"),
    "Table 1 at α = 100": on_list(approximation_claims.TABLE_1, 100.0, 100.0, 2, "AP"),
    "Nearly tied scores": on_list(
        "1:0, 0.99:2, 0.98:1, 0.5:0, 0.49:1, 0:0", 30.0, 10.0, 2, "nDCG"
    ),
    "A long list": on_list(_long_list(), 100.0, 10.0, 10, "nDCG"),
    "Ties break the formula": claim("Ties"),
    "Not < but ≤": claim("Strict inequality"),
    "Centre of the cutoff": claim("Centre of the cutoff") | {"approx_beta": 10.0},
    "Too sharp to learn": on_list(_even_list(), 300.0, 10.0, 3, "nDCG"),
}


def _approximation() -> None:
    st.markdown(EQUATIONS)
    approximation_panels.equations()


PARTS: Mapping[str, explain.Part] = {
    "The approximation": _approximation,
    "The theorems": approximation_panels.theorems,
    "How to read this": READING,
}


VIEWS: Mapping[str, View] = {
    "One list": View(
        approximation_panels.settings,
        approximation_panels.show,
        lambda choice: downloads.menu(
            {"Approximation": lambda: approximation_panels.rows(choice)}
        ),
    ),
    "Along training": View(
        approximation_training.settings,
        approximation_training.show,
        lambda choice: downloads.menu({"Errors": approximation_training.rows}),
    ),
    "Landscape": View(
        landscape_panels.settings, landscape_panels.show, landscape_panels.export
    ),
    "What is true": View(approximation_claims.settings, approximation_claims.show),
}
# Scenarios and explanations of the views that have their own.
VIEW_PRESETS = {
    "Along training": approximation_training.PRESETS,
    "Landscape": landscape_panels.PRESETS,
}
VIEW_PARTS = {"Landscape": landscape_panels.PARTS}


def presets() -> frame.Presets:
    """The scenarios of the chosen view."""
    return VIEW_PRESETS.get(str(state.get("approx_view")), PRESETS)


def body(actions: DeltaGenerator) -> None:
    """Controls, figures and export of the chosen view."""
    views.show("approx_view", VIEWS, lambda n, _: VIEW_PARTS.get(n, PARTS), actions)


frame.run(
    "Approximation",
    "How far is the smooth surrogate from the measure it stands for?",
    body,
    presets,
)
