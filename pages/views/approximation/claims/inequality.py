"""Strict inequality: whether a position's error is below its bound or may equal it."""

import numpy as np

from pages.ui import texts
from pages.views.approximation.one_list import on_list
from rankcore.base.numbers import three_digits
from rankcore.topics.approximation.approximate_list import alphas
from rankcore.topics.approximation.claims import equal_errors
from rankcore.topics.approximation.errors_figure import sweep_figure
from rankcore.views import Claim, Fact, Panel, Shown, Values

ALPHA = 10.0


def show(values: Values) -> Shown:
    """Return error and bound for lists of two and of three documents."""
    every = alphas()
    swept, bounds = equal_errors([0.3, 0.1], [1.0, 0.8, 0.8], every, ALPHA)
    at = int(np.argmin(np.abs(every - ALPHA)))
    error, bound = bounds.error[0], bounds.bound[0]
    picture = sweep_figure(swept, ALPHA, measured=False, palette=values.palette)
    picture = picture.described(
        "With two documents, every error of a position is equal to its bound."
    )
    two = f"scores 0.3 and 0.1, α = {every[at]:.3g}"
    three = f"scores 1, 0.8, 0.8, α = {ALPHA:g}"
    note = "dots: error of a position; line: its bound"
    return Shown(
        [
            Fact("Error, two documents", three_digits(swept.position_error[at]), two),
            Fact("Its bound", three_digits(swept.position_bound[at]), "the same"),
            Fact("Error, three documents", three_digits(error), three),
            Fact("Its bound", three_digits(bound), "the same"),
            Fact("Error over bound", f"{error / bound:.3f}"),
        ],
        [Panel("claim_equality", "Two documents", note, picture)],
    )


CLAIM = Claim(
    "Strict inequality",
    *texts.both_tabs(__file__),
    (),
    show,
    {"approx_view": "One list", **on_list("0.3:1, 0.1:0", ALPHA, 10.0, 1, "AP")},
    "Show it on the list",
)
