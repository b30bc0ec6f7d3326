"""Margins: what a structured SVM asks of a list, and what it gets."""

from collections.abc import Callable, Mapping
from typing import Any

from streamlit.delta_generator import DeltaGenerator

from pages.ui import (
    downloads,
    explain,
    frame,
    margin_claims,
    margin_hand,
    margin_health,
    margin_maps,
    margin_matrix,
    margin_panels,
    margin_plain,
    margin_rounds,
    state,
    views,
)
from pages.ui.views import View
from rankcore.insight.margin_rounds import structured_algorithms

EQUATION = r"""
Each query has one slack, the amount by which its margins fail:

$$\min_{w,\,\xi \ge 0} w^\top w + \sum_\ell \frac{C_\ell}{|Q|} \sum_q \xi_q^\ell
\quad\text{with}\quad
w^\top \big(\phi(x_q, y^*_q) - \phi(x_q, y)\big) \ge \Delta_\ell(y) - \xi_q^\ell
\;\text{ for every order } y.$$

There are $n!$ orders, but only the worst one counts:
$\xi_q = \max_y\, \Delta(y) - w^\top \delta\phi(y)$. It is found exactly. For AUC,
average precision, NDCG and the reciprocal rank it merges the relevant and the
irrelevant documents, each by falling score; for graded labels it assigns documents to
ranks. The predicted order $\hat y$ is among all orders, and the model prefers no order
to it, so $\xi_q \ge \Delta(\hat y)$: the slack bounds the loss that counts.

With $\phi_\mathrm{po}$ the feature map compares every relevant document with every
irrelevant one; $\phi_\mathrm{mrr}$ looks only at the first relevant document and the
irrelevant ones above it. The paper's general scheme of merging by score does not cover
$\phi_\mathrm{mrr}$: its worst order has the *lowest* relevant document first.
"""
SOURCE = """
S. Chakrabarti, R. Khanna, U. Sawant, C. Bhattacharyya, *Structured learning for
non-smooth ranking losses*, KDD 2008.

Before it: Y. Yue, T. Finley, F. Radlinski, T. Joachims, *A support vector method for
optimizing average precision*, SIGIR 2007; Q. V. Le, A. Smola, *Direct optimization of
ranking measures*, arXiv:0704.3359, 2007; T. Joachims, T. Finley, C.-N. Yu,
*Cutting-plane training of structural SVMs*, Machine Learning 77, 2009.
"""
READING = """
- **Three orders**: what the model predicts, what the labels ask for, and the order that
  violates its margin most. Relevant documents that the last one pushes far down are
  what the model is still blamed for.
- **Swaps**: every pair that order inverts costs a part of Δ; what the model's margin
  says against the inversion is taken away. What is left, in the hollow marks, adds up
  to the slack.
- **Staircase**: pairs left of the line are inverted. Cells there are worth inverting in
  sum, if not each on its own.
- **Rounds**: the objective falls towards the minimum, the lower bound rises to it. The
  planes are what the bound is made of: whatever the coefficients, the objective is no
  lower than a plane. Training ends when the bound meets what is reached.
- **Health**: with small C no model pays for itself and the objective is that of w = 0;
  as C grows, the share that training takes away and ‖w‖ grow.
- **Trained on × tested on**: behind ± stands the spread over queries or, of data in
  folds, over these. If every learner won by its own measure, the framed cells would be
  the bold ones.
- **What is true**: claims of the slides, each beside a small list on which it can be
  checked. Not every one holds as printed.

**Try.** In *By hand*, drag the lower relevant document up until the slack is 0: how far
above the others must it be? Then choose SVMmrr, and see which swaps no longer matter.
"""
HAND = "0.5:0, 0.2:1, 0.1:0, -0.3:1"
PRESETS = {
    "Four documents": {
        "margin_view": "By hand",
        "margin_learner": "SVMMAP",
        "margin_list": HAND,
        "margin_document": "4",
    },
    "A merge on web search": {
        "margin_view": "One query",
        "margin_learner": "SVMMAP",
        "margin_model": "fit",
        "data": "mslr10k-sample",
    },
    "No model yet": {
        "margin_view": "One query",
        "margin_learner": "SVMNDCG",
        "margin_model": "zero",
        "data": "toy-2d",
    },
    "Graded labels, by assignment": {
        "margin_view": "One query",
        "margin_learner": "DORM",
        "margin_model": "fit",
        "data": "toy-2d",
    },
    "Cutting planes": {
        "margin_view": "Rounds",
        "margin_learner": "SVMMAP",
        "data": "planted",
    },
    "How large C may be": {
        "margin_view": "C and health",
        "margin_learner": "SVMMAP",
        "data": "toy-2d",
    },
    "Does each win its own measure?": {
        "margin_view": "Trained on × tested on",
        "data": "toy-2d",
    },
    "φ_po against φ_mrr": {
        "margin_view": "Two feature maps",
        "margin_learner": "SVMMRR",
        "SVMMRR.C": 20.0,
        "data": "toy-2d",
    },
    "A bound that needs C ≥ 1": {
        "margin_view": "What is true",
        "margin_claim": "SVMcombo bounds every loss",
        "margin_claim_labels": "0, 1, 0, 1",
        "margin_claim_C": 0.1,
    },
}


# A view's controls, and what draws it and returns its table.
PANELS: Mapping[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "One query": (margin_panels.query_settings, margin_panels.show_query),
    "By hand": (margin_hand.hand_settings, margin_hand.show_hand),
    "Rounds": (margin_rounds.rounds_settings, margin_rounds.show_rounds),
    "C and health": (margin_health.health_settings, margin_health.show_health),
    "Trained on × tested on": (
        margin_matrix.matrix_settings,
        margin_matrix.show_matrix,
    ),
    "Two feature maps": (margin_maps.maps_settings, margin_maps.show_maps),
}
VIEWS = {
    name: View(settings, lambda values, name=name, show=show: {name: show(values)})
    for name, (settings, show) in PANELS.items()
} | {"What is true": View(margin_claims.settings, margin_claims.show)}


def presets() -> frame.Presets:
    """The scenarios, which need a learner."""
    return PRESETS if structured_algorithms() else {}


def body(actions: DeltaGenerator) -> None:
    """Controls, figures and export of the chosen view."""
    if not structured_algorithms():
        table = margin_plain.show()
        with actions:
            downloads.menu({"Argmax": lambda: table})
        return
    views.show("margin_view", VIEWS, lambda name, values: PARTS, actions)


def _learner() -> None:
    found = structured_algorithms()
    chosen = found.get(str(state.get("margin_learner")))
    if chosen is not None:
        explain.background(chosen)


PARTS: views.Parts = {
    "What it optimises": EQUATION,
    "The learner": _learner,
    "How to read this": READING,
    "Sources": SOURCE,
}
frame.run(
    "Margins",
    "What does a structured SVM ask of a list, and what does it get?",
    body,
    presets,
)
