"""Documents that choose their ranks independently, compared with the best order."""

from collections.abc import Mapping
from typing import Any

from pages.views.margins.claims import _list as four
from rankcore.algorithms.svm_ndcg import SVMNDCG
from rankcore.base.numbers import three_digits
from rankcore.topics.margins.claims import own_choices
from rankcore.topics.margins.claims_figure import choices_figure, choices_table, counts
from rankcore.views import Fact, Panel, Radio, Shown, Table, Values

SHORT = ((0.0, -0.1, 0.1, 0.1), (1, 0, 1, 1))
LONG = ((0.3, 0.25, 0.0, -0.05, -0.1), (1, 0, 0, 0, 0))
# Which documents choose → algorithm, scores, labels, whether they are relevant.
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
    """Return independent choices beside the best order, also over many lists."""
    every = {name: own_choices(*case) for name, case in CHOOSING.items()}
    argmax = every[values.margin_claim_alone]
    other = "irrelevant" if argmax.relevant else "relevant"
    picture = choices_figure(argmax, values.palette)
    note = "left of the line: the best order inverts; diamonds: each alone inverts"
    return Shown(
        [
            Fact("Chosen alone", counts(argmax.chosen), f"{other} above each"),
            Fact("Is that an order?", "yes" if argmax.is_order else "no"),
            Fact("Made an order", counts(argmax.repaired)),
            Fact("Best order", counts(argmax.best)),
            Fact("Lost to the best", three_digits(argmax.lost), "of Δ − wᵀδφ"),
        ],
        [
            Panel("claim_alone", "Change by inverting each pair", note, picture),
            Table("claim_choices", "Choices", "of every list", choices_table(every)),
        ],
    )


def scene(values: Values) -> dict[str, Any]:
    """Return the list by hand, with the same NDCG."""
    learner, scores, labels, _ = CHOOSING[values.margin_claim_alone]
    terms = {name: getattr(learner, name) for name in ("discount", "cutoff", "scaling")}
    return four.by_hand(values, "SVMNDCG", scores, labels, **terms)


CLAIM = four.claim(__file__, [ALONE], show, scene)
