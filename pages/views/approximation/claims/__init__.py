"""Claims of Qin, Liu and Li on smooth positions and measures, each with its check."""

from pages.views.approximation import _surrogate
from rankcore.views import claims_view

VIEW = claims_view(
    __name__,
    key="approx_claim",
    question="What holds of four claims of Qin, Liu and Li (2010).",
    order=("ties", "inequality", "centre", "long_lists"),
    explain=_surrogate.EXPLAIN,
)
