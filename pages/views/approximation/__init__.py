"""Approximation: how far a smooth surrogate is from the measure it approximates."""

from rankcore.views import VERSUS, Page

PAGE = Page(
    __name__,
    "Approximation",
    "How far is a smooth surrogate from the measure it approximates?",
    key="approx_view",
    order=("one_list", "training", "landscape", "claims"),
    presets={
        "Ties break the formula": {"approx_view": VERSUS, "approx_claim": "Ties"},
        "Erratum: the bound holds with ≤": {
            "approx_view": VERSUS,
            "approx_claim": "Strict inequality",
        },
        "Centre of the cutoff": {
            "approx_view": VERSUS,
            "approx_claim": "Centre of the cutoff",
            "approx_beta": 10.0,
        },
    },
    presets_by_view=True,
)
