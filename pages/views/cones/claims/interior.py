"""The claim that a learned cone is proper, which needs an interior."""

from pages.views.cones import _cone
from rankcore.catalogue import load_dataset
from rankcore.charts import cone_interior as charts
from rankcore.insight import cone_claims as insight
from rankcore.insight.cone_view import View
from rankcore.views import Claim, Fact, Number, Panel, Row, Shown, Values

MOST_VECTORS = 6
FEATURES = 3
NOISE = 0.05
VECTORS = Number(
    "cone_flat",
    2,
    "Vectors",
    "K",
    f"The space has N = {FEATURES} features.",
    low=1,
    high=MOST_VECTORS,
    whole=True,
)


def holds(values: Values) -> str:
    """Whether a cone of K vectors has an interior."""
    k = values.cone_flat
    found = f"A proper cone has an interior. Here N = {FEATURES} and K = {k}: "
    if k < FEATURES:
        return (
            f"It does not hold. {found}the cone is flat, and a point of it, moved "
            "slightly to either side, leaves it. No difference in general position is "
            "in the cone, so the inequality orders no pair; the half-space of a ranks."
        )
    return (
        f"It holds. {found}the cone has an interior. It grows with K until the cone "
        "covers the whole space and its inequality contradicts itself."
    )


def show(values: Values) -> Shown:
    """The cone among differences, and the share of these inside it."""
    k = values.cone_flat
    scene = _cone.toy(load_dataset("toy-3d").train, NOISE)
    counts = range(1, MOST_VECTORS + 1)
    cones = [_cone.train(scene, n_basis=n, random_state=0) for n in counts]
    z, view = cones[k - 1].points.z, cones[k - 1].view()
    found = insight.interior(cones[k - 1].last)
    names, colour = scene.dataset.feature_names, values.style("ConeRank")[0]
    shares = [insight.share_inside(cone.last, z) for cone in cones]
    left = Panel(
        "cone_flat_space",
        "The cone among the differences",
        "squares: inside; drag to rotate",
        charts.interior_figure(view, z, found, names, colour, values.palette),
    )
    right = Panel(
        "cone_inside",
        "Share inside for every K",
        "hollow: none",
        charts.interior_shares_figure(shares, k, colour, values.palette),
    )
    return Shown(_facts(view, found, k), [Row([[left], [right]], widths=(3, 2))])


def _facts(view: View, found: insight.Interior, k: int) -> list[Fact]:
    distances = "{:.3g} and {:.3g}".format(*found.distances)
    step = f"moved by ε = {found.step:g} along n"
    return [
        Fact("Differences inside", f"{view.inside.mean():.1%}", f"K = {k}"),
        Fact("Opening", f"{view.opening:.2f}", "1 is a half-space"),
        Fact("Distance after a move", distances, step),
        Fact("Pairs ranked correctly", f"{view.right.mean():.1%}", "all pairs count"),
    ]


CLAIM = Claim(
    "A cone of few vectors is proper",
    "Section 3.2 calls the learned cone proper, with K of N vectors, and orders "
    "documents by its generalised inequality.",
    holds,
    [VECTORS],
    show,
)
