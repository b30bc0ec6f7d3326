"""A measure over the sphere of directions of three features: a globe and two maps."""

from typing import Any

import numpy as np

from pages.views.approximation import _scene
from pages.views.approximation._restarts import drawn
from pages.views.approximation._scene import SPHERE
from rankcore.charts.scenes import (
    MAP,
    MOST_CIRCLES,
    scene_globe_figure,
    scene_map_figure,
)
from rankcore.insight.directions import most_cells
from rankcore.insight.scenes import SphereScene
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
    circles = len(scene.circles)
    with_circles = (
        "Thin lines are the great circles on which two scores are equal; they bound "
        "the cells of equal rankings."
        if circles <= MOST_CIRCLES
        else f"The {circles:,} great circles on which two scores are equal are too "
        "many to draw."
    )
    marked: dict[str, Any] = {"points": drawn(values, study), "palette": values.palette}
    coloured = None if values.land_colour == "exact" else alpha
    globe = Panel(
        "globe",
        "All directions of three features",
        "drag to rotate; each patch has the value in its middle",
        scene_globe_figure(scene, names, coloured, **marked),
    )
    equal = "equal areas are equal shares of all directions"
    exact = scene_map_figure(scene, names, **marked)
    surrogate = scene_map_figure(scene, names, alpha, **marked)
    maps = [
        Panel("exact_map", "Exact", equal, exact),
        Panel("smooth_map", f"Surrogate, α = {alpha:g}", equal, surrogate),
    ]
    text = (
        f"{with_circles} Colours are exact in the middle of each patch; cells smaller "
        "than a patch are not visible."
    )
    return Shown(
        _facts(scene, alpha),
        [Caption(text), Row([[Ask([COLOUR]), globe], maps], widths=(6, 5))],
        {"Directions": lambda: scene.table(MAP)},
    )


def _facts(scene: SphereScene, alpha: float) -> list[Fact]:
    ball, circles = scene.sphere, len(scene.circles)
    off = np.abs(scene.surrogate(alpha, MAP) - scene.exact(MAP)).mean()
    share = f"on {100 * ball.share_of_best:.2g} % of all directions"
    mean = f"{ball.mean:.3f}"
    return [
        Fact(f"Best {scene.measure}", f"{ball.best:.3f}", share),
        Fact("Average over all directions", mean, "exact along each meridian"),
        Fact("Error of the surrogate", f"{off:.3f}", f"on average, at α = {alpha:g}"),
        Fact("Great circles", f"{circles:,}", "where two scores are equal"),
        Fact("Cells, at most", f"{most_cells(circles):,}", "bounded by these circles"),
    ]
