"""The claim that a difference in the negative cone projects to zero."""

import numpy as np

from pages.views.cones._cone import moves
from pages.views.cones.claims._points import difference, vector, vectors
from rankcore.topics.cones import claims as insight
from rankcore.topics.cones import claims_figure as charts
from rankcore.topics.cones import sight as cone_view
from rankcore.views import Claim, Fact, Panel, Shown, Values, Words

VECTORS = vectors(((1.0, 0.0), (-1.0, 1.0)))
TARGET = difference((-1.0, 0.0))


def show(values: Values) -> Shown:
    """Return a cone, its negative, and the projection of a difference."""
    z, basis = TARGET.points(values)[0], VECTORS.points(values).T
    product = insight.negative(basis, z)
    panel = Panel(
        "cone_negative",
        "A cone, its negative, and a projection",
        "drag z, u₁ or u₂; dotted: uᵀz = 0",
        charts.negative_figure(basis, z, product, values.palette),
        on_drag=moves(values, z=TARGET, u=VECTORS),
    )
    formula = (
        rf"z = {vector(z)}, \quad U^\top z = {vector(product.products)}, \quad "
        rf"P(z) = {vector(product.projection)}"
    )
    zero = np.allclose(product.projection, 0.0, atol=1e-9)
    angle = f"{cone_view.angle(*basis.T):.0f}°"
    facts = [
        Fact("z in −cone", _yes(product.in_negative)),
        Fact("Uᵀz ≤ 0", _yes((product.products <= 1e-9).all()), "same as P(z) = 0"),
        Fact("P(z) = 0", _yes(zero)),
        Fact("Angle of u₁ and u₂", angle, "above 90° it fails"),
    ]
    return Shown(facts, [panel, Words(f"$$\n{formula}\n$$")])


def _yes(true: object) -> str:
    return "yes" if true else "no"


CLAIM = Claim(
    "The negative projects to zero",
    "Section 3.2: a difference in the negative of the cone projects to zero.",
    "It holds only for vectors at right or acute angles. P(z) = 0 exactly where "
    "Uᵀz ≤ 0; elsewhere in −cone, some vector of the cone is closer than the origin.",
    [VECTORS, TARGET],
    show,
)
