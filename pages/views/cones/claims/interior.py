"""The claim that a learned cone is proper, which needs an interior."""

from rankcore.base.numbers import percent
from rankcore.data.catalogue import load_dataset
from rankcore.topics.cones import claims as insight
from rankcore.topics.cones import interior_figure as charts
from rankcore.topics.cones import trained as trained_cone
from rankcore.topics.cones.sight import toy_scene
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
    """Return the verdict on whether a cone of K vectors has an interior."""
    k = values.cone_flat
    if k < FEATURES:
        return (
            f"It does not hold. Proper cones have an interior; with K = {k} < N = "
            f"{FEATURES} this one is flat. No difference in general position lies in "
            f"it, so its inequality orders no pair; the half-space of a orders them."
        )
    return (
        f"It holds. With K = {k} ≥ N = {FEATURES} the cone has an interior. It grows "
        "with K until it covers the whole space and its inequality contradicts itself."
    )


def show(values: Values) -> Shown:
    """Return the cone among differences, and the share of differences inside it."""
    k, scene = values.cone_flat, toy_scene(load_dataset("toy-3d").train, NOISE)
    counts = range(1, MOST_VECTORS + 1)
    cones = [trained_cone.train(scene, n_basis=n, random_state=0) for n in counts]
    z, view = cones[k - 1].points.z, cones[k - 1].view()
    inside = insight.interior(cones[k - 1].last)
    names, palette = scene.dataset.feature_names, values.palette
    shares = [insight.share_inside(cone.last, z) for cone in cones]
    left = Panel(
        "cone_flat_space",
        "The cone among the differences",
        "squares: inside; drag to rotate",
        charts.interior_figure(view, z, inside, names, palette),
    )
    right = Panel(
        "cone_inside",
        "Share inside for every K",
        "hollow: none",
        charts.interior_shares_figure(shares, k, palette),
    )
    after = "{:.3g}, {:.3g}".format(*inside.distances)
    facts = [
        Fact("Differences inside", percent(view.inside.mean(), 1), f"K = {k}"),
        Fact("Opening", f"{view.opening:.2f}", "1 is a half-space"),
        Fact("Distance after a move", after, f"by ε = {inside.step:g} along n"),
        Fact("Pairs ranked correctly", percent(view.right.mean(), 1), "of all pairs"),
    ]
    return Shown(facts, [Row([[left], [right]], widths=(9, 5))])


CLAIM = Claim(
    "A cone of few vectors is proper",
    "Section 3.2 calls the learned cone proper, with K of N vectors, and orders "
    "documents by its generalised inequality.",
    holds,
    [VECTORS],
    show,
)
