"""A measure over the sphere of directions of three features: a globe and two maps."""

from typing import Any

from pages.views.approximation import _scene
from rankcore.charts import scenes as charts
from rankcore.insight.directions import most_cells
from rankcore.insight.scenes import SPHERE, SphereScene
from rankcore.studies import Study
from rankcore.views import Ask, Caption, Choice, Fact, Panel, Row, Shown, Values

COLOUR = Choice(
    "land_colour",
    "exact",
    "Colour of the globe",
    names={"exact": "exact", "smooth": "surrogate"},
    inline=True,
    bare=True,
    studied=False,
    shown_when=lambda values: values.land_shape == SPHERE,
)


def show(values: Values, study: Study | None) -> Shown:
    """The globe, and two maps of equal area."""
    scene: SphereScene = _scene.scene(values)
    names, alpha = _scene.names(values), values.approx_alpha
    points, circles = scene.restarts(study, alpha), len(scene.circles)
    marked: dict[str, Any] = {"points": points, "palette": values.palette}
    with_circles = (
        "Thin lines are the great circles on which two scores are equal; they bound "
        "the cells of equal rankings."
        if circles <= charts.MOST_CIRCLES
        else f"The {circles:,} great circles on which two scores are equal are too "
        "many to draw."
    )
    coloured = None if values.land_colour == "exact" else alpha
    globe = Panel(
        "globe",
        "All directions of three features",
        "drag to rotate; each patch has the value in its middle",
        charts.scene_globe_figure(scene, names, coloured, **marked),
    )
    maps = [
        Panel(key, title, "equal areas are equal shares of all directions", picture)
        for key, title, picture in (
            ("exact_map", "Exact", charts.scene_map_figure(scene, names, **marked)),
            (
                "smooth_map",
                f"Surrogate, α = {alpha:g}",
                charts.scene_map_figure(scene, names, alpha, **marked),
            ),
        )
    ]
    text = (
        f"{with_circles} Colours are exact in the middle of each patch; cells smaller "
        "than a patch are not visible."
    )
    return Shown(
        _facts(scene, alpha),
        [Row([[globe, Ask([COLOUR])], maps], widths=(5, 3)), Caption(text)],
        {"Directions": lambda: scene.table(charts.MAP)},
    )


def _facts(scene: SphereScene, alpha: float) -> list[Fact]:
    ball, circles = scene.sphere, len(scene.circles)
    off = f"{scene.error(alpha, charts.MAP):.3f}"
    share = f"on {100 * ball.share_of_best:.2g} % of all directions"
    mean = f"{ball.mean:.3f}"
    return [
        Fact(f"Best {scene.measure}", f"{ball.best:.3f}", share),
        Fact("Average over all directions", mean, "exact along each meridian"),
        Fact("Error of the surrogate", off, f"on average, at α = {alpha:g}"),
        Fact("Great circles", f"{circles:,}", "where two scores are equal"),
        Fact("Cells, at most", f"{most_cells(circles):,}", "bounded by these circles"),
    ]
