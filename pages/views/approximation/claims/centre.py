"""Centre of the cutoff: the best centre of the logistic that replaces a cutoff."""

import numpy as np

from pages.ui import texts
from pages.views.approximation._surrogate import BETA
from pages.views.approximation.one_list import on_list
from rankcore.base.numbers import three_digits
from rankcore.topics.approximation.claims import centre_errors
from rankcore.topics.approximation.errors_figure import centre_figure
from rankcore.views import Claim, Fact, Panel, Shown, Values

LIST = "0.62:0, 0.6:1, 0.58:1, 0.1:0"
HALF = 50


def show(values: Values) -> Shown:
    """Return the largest error for each centre, over integer and real positions."""
    beta = values.approx_beta
    errors = centre_errors(beta, np.linspace(0.0, 1.0, 2 * HALF + 1))
    soft, sharp = (centre_errors(b, [0.5]).whole[0] for b in (1.0, 10.0))
    whole, real = errors.whole[HALF], errors.real
    note = f"β = {beta:g}; rings: the smallest worst error"
    picture = centre_figure(*errors, values.palette)
    return Shown(
        [
            Fact("Whole positions, γ = ½", three_digits(whole), f"β = {beta:g}"),
            Fact("Any position, γ = ½", three_digits(real[HALF]), "σ(β / 2)"),
            Fact("Any position, γ = 0", f"{real[0]:.1f}", "for every β"),
            Fact("Whole, γ = ½, β = 1", three_digits(soft)),
            Fact("Whole, γ = ½, β = 10", three_digits(sharp)),
        ],
        [Panel("claim_centre", "Worst error against γ", note, picture)],
    )


CLAIM = Claim(
    "Centre of the cutoff",
    *texts.both_tabs(__file__),
    (BETA.plain(),),
    show,
    {"approx_view": "One list", **on_list(LIST, 30.0, 10.0, 2, "P@k")},
    "Show it on the list",
)
