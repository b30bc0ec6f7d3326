"""Centre of the cutoff: where the logistic in place of a cutoff has its centre."""

import numpy as np

from pages.views.approximation._surrogate import BETA
from pages.views.approximation.one_list import on_list
from rankcore.charts.approximation_errors import centre_figure
from rankcore.insight.approximation_claims import centre_errors
from rankcore.views import Claim, Fact, Panel, Shown, Values

LIST = "0.62:0, 0.6:1, 0.58:1, 0.1:0"
HALF = 50


def show(values: Values) -> Shown:
    """The worst error for each centre, over whole and over all positions."""
    beta = values.approx_beta
    found = centre_errors(beta, np.linspace(0.0, 1.0, 2 * HALF + 1))
    soft, sharp = (centre_errors(b, [0.5]).whole[0] for b in (1.0, 10.0))
    whole, real = found.whole[HALF], found.real
    note = f"β = {beta:g}; rings: the smallest worst error"
    picture = centre_figure(*found, values.palette)
    return Shown(
        [
            Fact("Whole positions, γ = ½", f"{whole:.6f}", f"β = {beta:g}"),
            Fact("Any position, γ = ½", f"{real[HALF]:.6f}", "σ(β / 2)"),
            Fact("Any position, γ = 0", f"{real[0]:.1f}", "for every β"),
            Fact("Whole, γ = ½, β = 1", f"{soft:.6f}"),
            Fact("Whole, γ = ½, β = 10", f"{sharp:.6f}"),
        ],
        [Panel("claim_centre", "Worst error against γ", note, picture)],
    )


CLAIM = Claim(
    "Centre of the cutoff",
    "A logistic with its centre at k + γ replaces the step at k, and the worst error "
    "is smallest for γ* = ½ (equations 16 and 17):\n\n"
    r"$$\gamma^* = \arg\min_\gamma \max_{\hat\pi} \Big| \mathbf 1\{\hat\pi \le k\} "
    r"- \sigma\big(\beta (k + \gamma - \hat\pi)\big) \Big| = \tfrac12.$$",
    "This holds for *whole* positions, where k and k + 1 are worst. Approximated "
    "positions are real numbers: just above k the step is 0 and the logistic σ(β γ). "
    "Then the best centre is γ = 0, with a worst error of one half for every β. At "
    "γ = ½ the worst error is σ(β / 2), which grows with β.",
    (BETA,),
    show,
    {"approx_view": "One list", **on_list(LIST, 30.0, 10.0, 2, "P@k")},
    "Show it on the list",
)
