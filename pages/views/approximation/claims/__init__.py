"""Claims of Qin, Liu and Li on smooth positions and measures, each with its check."""

from pages.ui.claim import claims_view
from pages.views.approximation import _surrogate

VIEW = claims_view(
    __name__,
    key="approx_claim",
    question="What holds of four claims of Qin, Liu and Li (2010).",
    order=("ties", "inequality", "centre", "long_lists"),
    presets={
        "Ties break the formula": {"approx_claim": "Ties"},
        "Erratum: the bound holds with ≤": {"approx_claim": "Strict inequality"},
        "Centre of the cutoff": {
            "approx_claim": "Centre of the cutoff",
            "approx_beta": 10.0,
        },
    },
    explain=_surrogate.EXPLAIN,
)
