"""Claims of the slides on structured losses, each beside its check."""

from pages.views.margins import _learner
from rankcore.views import claims_view

VIEW = claims_view(
    __name__,
    key="margin_claim",
    question="Claims of the slides on structured losses, checked on a small list.",
    order=("bound", "pair_form", "reciprocal", "merging", "argmax"),
    presets={
        "A bound that needs C ≥ 1": {
            "margin_claim": "SVMcombo bounds every loss",
            "margin_claim_labels": "0, 1, 0, 1",
            "margin_claim_C": 0.1,
        }
    },
    explain=_learner.explain,
)
