"""A measure along a line or round a circle of models: ring, steps and one query."""

import math
from collections.abc import Mapping

from pages.views.approximation import _scene
from rankcore.charts.landscape import MOST_STEPS
from rankcore.charts.ring import MOST_SECTORS
from rankcore.charts.scenes import scene_ring_figure, scene_steps_figure
from rankcore.insight import model_curves
from rankcore.insight.scenes import CIRCLE, LINE, CurveScene
from rankcore.studies import Study
from rankcore.views import (
    Ask,
    Block,
    Caption,
    Fact,
    Number,
    Panel,
    Row,
    Shown,
    Tiles,
    Values,
)

COMPARED = (1.0, 10.0, 100.0)
DOCUMENTS = 12
PLATEAU = 1e-6
# Of the steps where they stand below the ring.
LOW = 290


def _place(shape: str, key: str, default: float, label: str, step: float) -> Number:
    curve = model_curves.LINE if shape == LINE else model_curves.CIRCLE
    return Number(
        key,
        default,
        label,
        meaning="Or drag the open circle in the figure.",
        low=curve.low,
        high=curve.high,
        step=step,
        inline=True,
        studied=False,
        shown_when=lambda values: values.land_shape == shape,
    )


PLACES = {
    LINE: _place(LINE, "line_position", 0.5, "Selected position t", 0.01),
    CIRCLE: _place(CIRCLE, "land_angle", 30.0, "Selected direction, in degrees", 0.5),
}


def line(values: Values, study: Study | None) -> Shown:
    """The measure along the line, and the ranking of one query."""
    first, second = _scene.names(values)
    steps, lost = _steps(values, study, f"From {first} to {second}")
    asked = Ask([PLACES[LINE]])
    return Shown(_facts(values), [_beside([steps, asked, lost], values)])


def circle(values: Values, study: Study | None) -> Shown:
    """The measure in all directions, and the ranking of one query."""
    first, second = _scene.names(values)
    ticks = {0.0: first, 90.0: second, 180.0: f"−{first}", 270.0: f"−{second}"}
    steps, lost = _steps(values, study, "All directions from 0° to 360°", ticks, LOW)
    around = _beside(_ring(values, study), values)
    return Shown(_facts(values), [around, Ask([PLACES[CIRCLE]]), steps, lost])


def _beside(wide: list[Block], values: Values) -> Row:
    return Row([wide, _query(values)], widths=(9, 4))


def _facts(values: Values) -> list[Fact]:
    alpha, at = values.approx_alpha, values[PLACES[values.land_shape].key]
    scene: CurveScene = _scene.scene(values)
    profile, own, slope = scene.profile, scene.surrogate(alpha), scene.slope(alpha, at)
    here = f"surrogate, α = {alpha:g}: {float(own.at(at)):.3f}"
    steep = "none: a plateau" if abs(slope) < PLATEAU else scene.curve.unit
    share = f"on {100 * profile.share_of_best:.2g} % of {scene.curve.whole}"
    peaks = f"peaks at α = {alpha:g}: {own.peaks}"
    return [
        Fact(f"Exact {scene.measure} here", f"{float(profile.at(at)):.3f}", here),
        Fact("Slope of the surrogate", f"{slope:.2g}".replace("-", "−"), steep),
        Fact(f"Best {scene.measure}", f"{profile.best:.3f}", share),
        Fact(f"Average over {scene.curve.whole}", f"{profile.mean:.3f}", "exact"),
        Fact("Steps", f"{len(profile.values):,}", peaks),
    ]


def _ring(values: Values, study: Study | None) -> list[Block]:
    scene: CurveScene = _scene.scene(values)
    alpha, steps = values.approx_alpha, len(scene.profile.values)
    picture = scene_ring_figure(
        scene,
        alpha,
        _scene.names(values),
        at=values.land_angle,
        points=scene.restarts(study, alpha),
        palette=values.palette,
    )
    note = (
        "each sector has the colour of its exact value"
        if steps <= MOST_SECTORS
        else f"{MOST_SECTORS} sectors, each in the colour of its exact mean"
    )
    changes = (
        f"At {scene.n_crossings:,} angles two documents of one query with different "
        f"labels have equal scores. {scene.measure} changes at {steps - 1:,} of them "
        "and nowhere else. The opposite direction reverses every ranking."
    )
    panel = Panel("ring", "All directions of two features", note, picture)
    return [panel, Caption(changes)]


def _steps(
    values: Values,
    study: Study | None,
    title: str,
    ticks: Mapping[float, str] | None = None,
    height: int = 390,
) -> tuple[Panel, Caption]:
    place, alpha = PLACES[values.land_shape], values.approx_alpha
    scene: CurveScene = _scene.scene(values)
    picture = scene_steps_figure(
        scene,
        alpha,
        COMPARED,
        x=scene.curve.axis,
        at=values[place.key],
        points=scene.restarts(study, alpha),
        ticks=ticks,
        height=height,
        palette=values.palette,
    )
    steps = len(scene.profile.values)
    exact = (
        "black: exact"
        if steps <= MOST_STEPS
        else f"black: the highest and lowest of {steps:,} exact steps"
    )
    note = f"{exact}; blue: surrogates; drag the open circle"

    def dragged(trace: str, point: int, x: float, y: float) -> Mapping[str, float]:
        return {place.key: scene.curve.nearest(x)}

    panel = Panel("landscape", title, note, picture, dragged, zoom=scene.curve.axis)
    return panel, Caption(scene.loss_text(alpha))


def _query(values: Values) -> list[Block]:
    """The ranking of one query by the selected model."""
    scene, number = _scene.scene(values), values["query"] - 1
    found = scene.ranking(number, values[PLACES[values.land_shape].key])
    title = f"Query {scene.ground.query_ids[number]}"
    labels = ", ".join(str(label) for label in found.labels[:DOCUMENTS])
    alt = f"Labels in the order of the selected model: {labels}."
    hidden = len(found.documents) - DOCUMENTS
    said = (
        f"{scene.measure} is undefined: this query has no relevant document."
        if math.isnan(found.value)
        else f"{scene.measure} of this query: {found.value:.3f}. Documents change "
        "places only where two scores are equal."
        + (f" {hidden} more documents follow." if hidden > 0 else "")
    )
    tiles = Tiles(
        "land_ranking", title, "selected model → ideal", found, DOCUMENTS, alt
    )
    return [tiles, Ask([_scene.QUERY]), Caption(said)]
