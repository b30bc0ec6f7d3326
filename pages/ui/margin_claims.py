"""What the slides on structured losses claim and what is true, an example a claim."""

from collections.abc import Mapping

import streamlit as st

from pages.ui import claims, state
from pages.ui import margin_claim_losses as losses
from pages.ui import margin_claim_orders as orders
from pages.ui.claims import Claim, Tables
from pages.ui.margin_claim_list import labels_picker


def settings() -> Claim:
    """Choose the claim, and what it is about."""
    claim = CLAIMS[st.radio("Claim", list(CLAIMS), **state.widget("margin_claim"))]
    scene = {"margin_view": "By hand"} | dict(claim.scene) | dict(claim.settings())
    st.caption(
        "S. Chakrabarti, R. Khanna, U. Sawant, C. Bhattacharyya: Structured learning "
        "for non-smooth ranking losses. KDD 2008, slides."
    )
    return claim._replace(scene=scene)


def show(claim: Claim) -> Tables:
    """Draw the chosen claim beside its check; returns its numbers."""
    return claims.show(claim, "margin_scene", "Show it by hand")


CLAIMS: Mapping[str, Claim] = {
    "SVMcombo bounds every loss": Claim(
        "The weighted slacks of SVMcombo bound the sum of the losses of the predicted "
        "orders, whatever the weights:\n\n"
        r"$$\sum_\ell \frac{C_\ell}{|Q|} \sum_q \xi_q^\ell \ge \sum_\ell "
        r"R(w, \Delta_\ell) \ge R(w, \max_\ell \Delta_\ell).$$",
        r"**It need not hold for small $C_\ell$.** A slack bounds its own loss, so the "
        r"left side is at least $\sum_\ell C_\ell R(w, \Delta_\ell)$. Where every "
        r"$C_\ell \ge 1$, that is at least the sum without the weights. The second "
        "step always holds.",
        losses.bound,
        {"margin_learner": "SVMCombo", "margin_loss": "AP"},
        losses.bound_settings,
    ),
    "The second form of φ_po": Claim(
        "The feature map of pairs can also be written as a sum over the inverted pairs "
        "only:\n\n"
        r"$$\phi_\mathrm{po}(x, y) = \sum_{g,b} y_{gb} (x_g - x_b),$$"
        "\n\n"
        r"$$\sum_g \sum_{b \succ g} (x_g - x_b).$$",
        "**It does not hold: the sign is the other one.** The second sum is "
        r"$\frac12 \big(\phi_\mathrm{po}(y^*) - \phi_\mathrm{po}(y)\big)$, half of "
        r"what an order is short of the ideal one. Where $w^\top \phi$ is to be "
        "largest, it puts the list upside down. As a map the "
        r"terms must be $x_b - x_g$, as in $\phi_\mathrm{mrr}$.",
        orders.pairs,
        {"margin_learner": "SVMMAP", "SVMMAP.scaling": "sum"},
        labels_picker,
    ),
    "The values of Δ_mrr": Claim(
        r"$1, \frac12, \frac13, \dots, \frac1k, 0$ are the only possible values of "
        r"$\Delta_\mathrm{mrr}$; the argmax tries each and takes the largest sum of "
        r"$\Delta$ and $w^\top \phi$.",
        r"**It does not hold: these are the values of MRR.** The loss is 1 less that: "
        r"$0, \frac12, \frac23, \dots, 1 - \frac1k, 1$, as another slide has it. With "
        "the printed values an ideal order would lose 1, and training would push the "
        "first relevant document down.",
        losses.values,
        {
            "margin_learner": "SVMMRR",
            "SVMMRR.feature_map": "pairs",
            "SVMMRR.scaling": "mean",
        },
        losses.values_settings,
    ),
    "Merging by score finds the worst order": Claim(
        "Where a loss does not change when two relevant, or two irrelevant, documents "
        "change places, an order that violates its margin most can be formed by "
        "merging both kinds by falling score.",
        r"**It holds for $\phi_\mathrm{po}$, not for $\phi_\mathrm{mrr}$.** That map "
        "looks at the first relevant document only, so the most violating order has "
        "the one of the *lowest* score first. No merge by falling score has it there, "
        "unless it is the only one. The slides' own routine for this map takes it.",
        orders.merge,
        {
            "margin_learner": "SVMMRR",
            "SVMMRR.feature_map": "first",
            "SVMMRR.scaling": "sum",
            "SVMMRR.cutoff": None,
        },
        labels_picker,
    ),
    "A simple argmax for NDCG": Claim(
        r"A simple routine finds the most violating order of $\Delta_\mathrm{ndcg}$ "
        r"and $\phi_\mathrm{po}$ in $O(n \log n)$, with a cutoff $k$ and any discount "
        "that falls with rank.",
        "**It holds for some discounts only.** Irrelevant documents may choose their "
        "places one by one where the discount is convex and the whole list counts. A "
        "cutoff is a jump, and LETOR's discount is flat at first: choices may then "
        "cross, and a dynamic programme is needed. Relevant documents may not choose "
        "alone even with a convex discount.",
        orders.alone,
        {"margin_learner": "SVMNDCG"},
        orders.alone_settings,
    ),
}
