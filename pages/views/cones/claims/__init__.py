"""Paper versus experiment: four claims of the ConeRank paper."""

from pages.views.cones import _cone
from rankcore.views import claims_view

VIEW = claims_view(
    __name__,
    "cone_claim",
    "Which claims of the ConeRank paper hold.",
    order=("votes", "folding", "interior", "negative"),
    presets={
        "Why clipping is not a projection": {
            "cone_claim": "Clipping is a projection",
            "cone_vectors": "",
            "cone_target": "",
        }
    },
    explain=_cone.explain,
    afresh=("cone_vectors", "cone_target"),
)
