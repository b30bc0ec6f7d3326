"""The claim that what lies in the negative of a cone projects to zero."""

import numpy as np
import streamlit as st

from pages.ui import cone_points, downloads, frame
from pages.ui.cone_claim_parts import Tables, colour, vector, vector_names, verdict
from pages.ui.theme import colours
from rankcore.charts import cone_claims as charts
from rankcore.insight import cone_claims as insight
from rankcore.insight import cone_view

SLANTED = np.array([[1.0, 0.0], [-1.0, 1.0]])
AGAINST = np.array([[-1.0, 0.0]])


def settings() -> None:
    """The vectors and the difference."""
    cone_points.fields("cone_vectors", SLANTED, vector_names(2), "Vector")
    cone_points.fields("cone_target", AGAINST, ["z"], "Difference $z$")


def show() -> Tables:
    """A cone, its negative, and where a difference projects to."""
    basis = cone_points.read("cone_vectors", SLANTED).T
    z = cone_points.read("cone_target", AGAINST)[0]
    found = insight.negative(basis, z)
    zero = bool(np.allclose(found.projection, 0.0, atol=1e-9))
    verdict(
        "Section 3.2: a difference in the negative of the cone projects to zero.",
        "That needs vectors at right or acute angles to each other. In general it is "
        "Uᵀz ≤ 0 that makes P(z) = 0; a difference may lie in −cone and still be "
        "nearer to another vector than to the origin.",
        holds=False,
    )
    st.latex(
        rf"z = {vector(z, 3)}, \quad U^\top z = {vector(found.products, 3)}, \quad "
        rf"P(z) = {vector(found.projection, 3)}"
    )
    facts = [
        frame.Fact("z in −cone", "yes" if found.in_negative else "no"),
        frame.Fact(
            "Uᵀz ≤ 0",
            "yes" if (found.products <= 1e-9).all() else "no",
            "then, and only then, P(z) = 0",
        ),
        frame.Fact("P(z) = 0", "yes" if zero else "no"),
        frame.Fact(
            "Angle of u₁ and u₂",
            f"{cone_view.angle(basis[:, 0], basis[:, 1]):.0f}°",
            "over 90° the claim fails somewhere",
        ),
    ]
    frame.facts(facts)
    points = {
        "": ["u₁", "u₂", "z", "P(z)"],
        "1": [*basis[0], z[0], found.projection[0]],
        "2": [*basis[1], z[1], found.projection[1]],
    }
    frame.heading(
        "A cone, its negative, and a projection", "drag z, u₁ or u₂; dotted: uᵀz = 0"
    )
    frame.figure(
        charts.negative_figure(basis, z, found, colour(), colours()),
        key="cone_negative",
        alt=f"z projects to {vector(found.projection, 3)}"
        + (
            ", though it lies in the negative of the cone."
            if found.in_negative and not zero
            else "."
        ),
        table=points,
        on_drag=_drag_negative,
    )
    return {"Facts": downloads.facts(facts), "Points": points}


def _drag_negative(trace: str, place: int, x: float, y: float) -> None:
    if trace == "z":
        cone_points.move("cone_target", AGAINST, 0, (x, y))
    elif trace == "u":
        cone_points.move("cone_vectors", SLANTED, place, (x, y))
