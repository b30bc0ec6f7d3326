"""Approximation: how far a smooth surrogate is from the measure it approximates."""

from rankcore.views import VERSUS, Changes, Page


def _claim(name: str, **also: float) -> Changes:
    return {"approx_view": VERSUS, "approx_claim": name, **also}


PAGE = Page(
    __name__,
    "Approximation",
    "How far is a smooth surrogate from the measure it approximates?",
    key="approx_view",
    order=("one_list", "training", "landscape", "claims"),
    presets={
        "Ties break the formula": _claim("Ties"),
        "Erratum: the bound holds with ≤": _claim("Strict inequality"),
        "Centre of the cutoff": _claim("Centre of the cutoff", approx_beta=10.0),
    },
    presets_by_view=True,
)
