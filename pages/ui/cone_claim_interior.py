"""The claim that a learned cone is proper, which needs an inside."""

import streamlit as st

from pages.ui import cone_training, downloads, frame, state
from pages.ui.cone_claim_parts import Tables, colour, verdict
from pages.ui.cone_training import Wanted
from pages.ui.theme import colours
from rankcore.charts import cone_interior as charts
from rankcore.insight import cone_claims as insight
from rankcore.insight import cone_view

MOST_VECTORS = 6
NOISE = 0.05
FLAT = (
    "a point of it, moved a little to either side, has left it. No difference in "
    "general position is in the cone, so the inequality orders no pair; it is the "
    "half-space of a that ranks."
)
PROPER = (
    "it has an inside, which grows with K until the cone is everything and its "
    "inequality contradicts itself."
)


def settings() -> None:
    """The number of vectors."""
    st.slider(
        "Vectors &ensp;$K$",
        1,
        MOST_VECTORS,
        state.default("cone_flat"),
        help="The space has N = 3 features.",
        **state.widget("cone_flat"),
    )


def show() -> Tables:
    """The cone among differences, and the share of these inside it."""
    k = int(state.get("cone_flat"))
    wanted = Wanted(cone_training.TOYS["3-D"], noise=NOISE)
    cones = [
        cone_training.trained(wanted, (("n_basis", n),))
        for n in range(1, MOST_VECTORS + 1)
    ]
    z, view = cones[k - 1].points.z, cones[k - 1].view()
    found = insight.interior(cones[k - 1].last)
    n = z.shape[1]
    verdict(
        "Section 3.2 calls the learned cone proper, with K of N vectors, and orders "
        "documents by its generalised inequality.",
        f"A proper cone has an inside. One of K < N vectors is flat: here N = {n}, and "
        f"with K = {k} {FLAT if k < n else PROPER}",
        holds=k >= n,
    )
    facts = _facts(view, found, k)
    frame.facts(facts)
    names = cone_training.scene(wanted).dataset.feature_names
    differences = {
        f"z: {name}": column for name, column in zip(names, z.T, strict=True)
    } | {"inside": view.inside}
    shares = [insight.share_inside(cone.last, z) for cone in cones]
    every = {"K": list(range(1, len(shares) + 1)), "inside": shares}
    left, right = st.columns([3, 2], gap="medium")
    with left:
        frame.heading(
            "The cone among the differences", "squares: inside; drag to orbit"
        )
        frame.figure(
            charts.interior_figure(view, z, found, names, colour(), colours()),
            key="cone_flat_space",
            alt=f"The cone of {k} vectors in {n} dimensions holds "
            f"{view.inside.mean():.0%} of the differences.",
            table=differences,
        )
    with right:
        frame.heading("Inside, for every K", "hollow: none at all")
        frame.figure(
            charts.interior_shares_figure(shares, k, colour(), colours()),
            key="cone_inside",
            alt=f"Below K = {n} no difference is inside; at K = {MOST_VECTORS} "
            f"{shares[-1]:.0%} are.",
            table=every,
        )
    return {
        "Facts": downloads.facts(facts),
        "Differences": differences,
        "Every K": every,
    }


def _facts(view: cone_view.View, found: insight.Interior, k: int) -> list[frame.Fact]:
    there, back = found.distances
    return [
        frame.Fact("Differences inside", f"{view.inside.mean():.1%}", f"K = {k}"),
        frame.Fact("Opening", f"{view.opening:.2f}", "1 is a half-space"),
        frame.Fact(
            "Distance after a move",
            f"{there:.3g} and {back:.3g}",
            f"moved by ε = {found.step:g} along n",
        ),
        frame.Fact(
            "Pairs that a puts in order", f"{view.right.mean():.1%}", "all count"
        ),
    ]
