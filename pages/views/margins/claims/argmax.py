"""Documents that choose their ranks one by one, beside the best order."""

from collections.abc import Mapping
from typing import Any

from pages.views.margins.claims import _list as four
from rankcore.algorithms.svm_ndcg import SVMNDCG
from rankcore.charts.margin_claims import choices_figure
from rankcore.insight.margin_claims import Integers, own_choices
from rankcore.views import Fact, Panel, Radio, Shown, Table, Values

SHORT = ((0.0, -0.1, 0.1, 0.1), (1, 0, 1, 1))
LONG = ((0.3, 0.25, 0.0, -0.05, -0.1), (1, 0, 0, 0, 0))
# What chooses alone → learner, scores, labels, whether relevant documents choose.
CHOOSING: Mapping[str, tuple[Any, ...]] = {
    "Relevant, whole list": (SVMNDCG(), *SHORT, True),
    "Irrelevant, whole list": (SVMNDCG(), *LONG, False),
    "Irrelevant, LETOR’s discount": (SVMNDCG(discount="letor"), *LONG, False),
    "Irrelevant, cutoff k = 3": (SVMNDCG(cutoff=3), *LONG, False),
}
ALONE = Radio(
    "margin_claim_alone",
    next(iter(CHOOSING)),
    "Documents that choose alone",
    names=tuple(CHOOSING),
)


def show(values: Values) -> Shown:
    """Their choices beside the best order, and those in every other list."""
    every = {name: own_choices(*case) for name, case in CHOOSING.items()}
    found = every[values.margin_claim_alone]
    other = "irrelevant" if found.relevant else "relevant"
    picture = choices_figure(found, values.palette)
    rows = [
        {
            "who chooses alone": name,
            "alone": _counts(own.chosen),
            "an order": "yes" if own.is_order else "no",
            "best": _counts(own.best),
            "lost": f"{own.lost:.4f}",
        }
        for name, own in every.items()
    ]
    note = (
        "left of the line: inverted in the best order; diamonds: if each chooses alone"
    )
    return Shown(
        [
            Fact(
                "Chosen alone", _counts(found.chosen), f"{other} documents above each"
            ),
            Fact("Is that an order?", "yes" if found.is_order else "no"),
            Fact("Made an order", _counts(found.repaired)),
            Fact("Best order", _counts(found.best)),
            Fact("Lost to the best", f"{found.lost:.4f}", "of Δ − wᵀδφ"),
        ],
        [
            Panel("claim_alone", "Change by inverting each pair", note, picture),
            Table("claim_choices", "Choices", "of every list", rows),
        ],
    )


def scene(values: Values) -> dict[str, Any]:
    """The list by hand, with the same NDCG."""
    learner, scores, labels, _ = CHOOSING[values.margin_claim_alone]
    names = ("discount", "cutoff", "scaling")
    own = {name: getattr(learner, name) for name in names}
    return four.by_hand(values, "SVMNDCG", scores, labels, **own)


def _counts(counts: Integers) -> str:
    return ", ".join(map(str, counts.tolist()))


CLAIM = four.claim(
    "A simple argmax for NDCG",
    r"A simple routine finds the most violated order of $\Delta_\mathrm{ndcg}$ and "
    r"$\phi_\mathrm{po}$ in $O(n \log n)$, with a cutoff $k$ and any discount that "
    "falls with rank.",
    "**It holds for some discounts only.** Irrelevant documents may choose their "
    "places one by one if the discount is convex and the whole list counts. A cutoff "
    "is a jump, and LETOR's discount is flat at first: choices may then cross, and a "
    "dynamic programme is needed. Relevant documents may not choose alone even with a "
    "convex discount.",
    [ALONE],
    show,
    scene,
)
