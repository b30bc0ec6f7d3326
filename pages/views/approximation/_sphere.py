"""A measure over the sphere of directions of three features: a globe and two maps."""

from pages.views.approximation import _scene
from rankcore import views
from rankcore.base.numbers import rounded
from rankcore.studies import Study
from rankcore.topics.approximation import scenes_figure as charts
from rankcore.topics.approximation.directions import most_cells
from rankcore.topics.approximation.scenes import SPHERE, SphereScene

COLOUR = views.Choice(
    "land_colour",
    "exact",
    "Colour of the globe",
    names={"exact": "exact", "smooth": "surrogate"},
    inline=True,
    bare=True,
    studied=False,
    shown_when=lambda values: values.land_shape == SPHERE,
)


def show(values: views.Values, study: Study | None) -> views.Shown:
    """Return the globe and two equal-area maps."""
    scene: SphereScene = _scene.scene(values)
    alpha = values.approx_alpha
    points = scene.restarts(study, alpha)
    figures = charts.SphereFigures(scene, points, values.palette)
    globe = figures.globe(None if values.land_colour == "exact" else alpha)
    exact, smooth = figures.map(), figures.map(alpha)
    title, note = "All directions of three features", "drag to rotate"
    equal, surrogate = "equal areas: equal shares", f"Surrogate, α = {rounded(alpha)}"
    left: list[views.Block] = [
        views.Panel("globe", title, note, globe),
        views.Ask([COLOUR]),
    ]
    right: list[views.Block] = [
        views.Panel("exact_map", "Exact", equal, exact),
        views.Panel("smooth_map", surrogate, equal, smooth),
    ]
    return views.Shown(
        _facts(scene, alpha),
        [
            views.Row([left, right], widths=(5, 3)),
            views.Caption(charts.sphere_note(scene)),
        ],
        {"Directions": lambda: scene.table(charts.MAP)},
    )


def _facts(scene: SphereScene, alpha: float) -> list[views.Fact]:
    ball, circles = scene.sphere, len(scene.circles)
    off = f"{scene.error(alpha, charts.MAP):.3f}"
    share = f"on {100 * ball.share_of_best:.2g}% of all directions"
    mean = f"{ball.mean:.3f}"
    return [
        views.Fact(f"Best {scene.measure}", f"{ball.best:.3f}", share),
        views.Fact("Average over all directions", mean, "exact along each meridian"),
        views.Fact(
            "Error of the surrogate", off, f"on average, at α = {rounded(alpha)}"
        ),
        views.Fact("Great circles", f"{circles:,}", "where two scores are equal"),
        views.Fact(
            "Cells, at most", f"{most_cells(circles):,}", "bounded by these circles"
        ),
    ]
