"""Approximation: how far a smooth surrogate is from the measure it stands for."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

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
)

EQUATIONS = r"""
A position is a count of documents above: a step for each. Replaced by logistics of
sharpness α it is smooth in the scores, and so is any measure of positions, once its own
steps are replaced by logistics of sharpness β:

$$\hat\pi_i = 1 + \sum_{j \ne i} \sigma\big(\alpha (s_j - s_i)\big), \qquad
\mathbf 1\{\pi_i \le k\} \approx \sigma\big(\beta (k + \tfrac12 - \hat\pi_i)\big)$$

$$\widehat{\mathrm{NDCG}} = \frac1N \sum_i \frac{2^{y_i} - 1}{\log_2 (1 + \hat\pi_i)},
\qquad \widehat{\mathrm{AP}} = \frac1m \sum_{i: r_i = 1} \frac1{\hat\pi_i} \Big(1 +
\sum_{j \ne i} r_j\, \sigma\big(\beta (\hat\pi_i - \hat\pi_j)\big)\Big)$$

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
    "Ties break the formula": {
        "approx_view": "What is true",
        "approx_claim": "Ties",
    },
    "Too sharp to learn": on_list(_even_list(), 300.0, 10.0, 3, "nDCG"),
}


PARTS: Mapping[str, explain.Part] = {
    "The approximation": EQUATIONS,
    "The theorems": approximation_panels.theorems,
    "How to read this": READING,
}


class View(NamedTuple):
    """One way to look: its settings, and what it draws with their values.

    Attributes
    ----------
    settings, show, export : callable
        Draw controls and return their values; draw the figures, and the export, of
        these. Without an export of its own, the tables that ``show`` returns are taken
        away.
    presets, parts : dict
        The scenarios above it, and the parts of its explanation.
    """

    settings: Callable[[], Any]
    show: Callable[[Any], Mapping[str, Any] | None]
    export: Callable[[Any], None] | None = None
    presets: Mapping[str, Mapping[str, Any]] = PRESETS
    parts: Mapping[str, explain.Part] = PARTS


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
        approximation_training.PRESETS,
    ),
    "Landscape": View(
        landscape_panels.settings,
        landscape_panels.show,
        landscape_panels.export,
        landscape_panels.PRESETS,
        landscape_panels.PARTS,
    ),
    "What is true": View(approximation_claims.settings, approximation_claims.show),
}


def presets() -> frame.Presets:
    """The scenarios of the chosen view."""
    return VIEWS.get(str(state.get("approx_view")), VIEWS["One list"]).presets


def body(actions: DeltaGenerator) -> None:
    """Controls, figures and export of the chosen view."""
    name = st.segmented_control(
        "View",
        list(VIEWS),
        default=state.default("approx_view"),
        required=True,
        label_visibility="collapsed",
        **state.widget("approx_view"),
    )
    view = VIEWS[name]
    controls, picture = frame.split()
    with controls:
        values = view.settings()
    with picture:
        shown = view.show(values)
        explain.panel(view.parts)
    with actions:
        if view.export is not None:
            view.export(values)
        else:
            downloads.menu({name: lambda t=t: t for name, t in shown.items()})


frame.run(
    "Approximation",
    "How far is the smooth surrogate from the measure it stands for?",
    body,
    presets,
)
