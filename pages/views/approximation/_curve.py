"""A measure along a line or round a circle of models: ring, steps and one query."""

import math
from collections.abc import Mapping
from typing import NamedTuple

from pages.views.approximation import _scene
from pages.views.approximation._restarts import drawn
from pages.views.approximation._scene import CIRCLE, LINE
from rankcore.charts.landscape import MOST_STEPS
from rankcore.charts.ring import MOST_SECTORS
from rankcore.charts.scenes import scene_ring_figure, scene_steps_figure
from rankcore.insight import model_curves
from rankcore.insight.landscape import EQUAL
from rankcore.insight.model_curves import ModelCurve
from rankcore.insight.scenes import CurveScene
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


def _place(key: str, default: float, label: str, shape: str, step: float) -> Number:
    curve: ModelCurve = {LINE: model_curves.LINE, CIRCLE: model_curves.CIRCLE}[shape]
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


class _Called(NamedTuple):
    """What a curve, its places and distances on it are called."""

    place: Number
    whole: str
    axis: str
    unit: str
    at: str
    distance: str


CALLED = {
    LINE: _Called(
        _place("line_position", 0.5, "Selected position t", LINE, 0.01),
        "the line",
        "t",
        "per unit of t",
        "t = {:.2f}",
        "{:.3f} in t",
    ),
    CIRCLE: _Called(
        _place("land_angle", 30.0, "Selected direction, in degrees", CIRCLE, 0.5),
        "all directions",
        "direction",
        "per degree",
        "{:.1f}°",
        "{:.1f}°",
    ),
}


def line(values: Values, study: Study | None) -> Shown:
    """The measure along the line, and the ranking of one query."""
    first, second = _scene.names(values)
    steps = _steps(values, study, f"From {first} to {second}", {})
    return _shown(values, steps, [])


def circle(values: Values, study: Study | None) -> Shown:
    """The measure in all directions, and the ranking of one query."""
    first, second = _scene.names(values)
    ticks = {0.0: first, 90.0: second, 180.0: f"−{first}", 270.0: f"−{second}"}
    steps = _steps(values, study, "All directions from 0° to 360°", ticks)
    return _shown(values, _ring(values, study), steps)


def _shown(values: Values, wide: list[Block], below: list[Block]) -> Shown:
    place = CALLED[values.land_shape].place
    beside = Row([wide, _query(values)], widths=(9, 4))
    return Shown(_facts(values), [Ask([place]), beside, *below])


def _facts(values: Values) -> list[Fact]:
    called, alpha = CALLED[values.land_shape], values.approx_alpha
    scene: CurveScene = _scene.scene(values)
    profile, own, at = scene.profile, scene.surrogate(alpha), values[called.place.key]
    slope = scene.slope(alpha, at)
    here = f"surrogate, α = {alpha:g}: {float(own.at(at)):.3f}"
    steep = "none: a plateau" if abs(slope) < PLATEAU else called.unit
    share = f"on {100 * profile.share_of_best:.2g} % of {called.whole}"
    peaks = f"peaks at α = {alpha:g}: {own.peaks}"
    return [
        Fact(f"Exact {scene.measure} here", f"{float(profile.at(at)):.3f}", here),
        Fact("Slope of the surrogate", f"{slope:.2g}".replace("-", "−"), steep),
        Fact(f"Best {scene.measure}", f"{profile.best:.3f}", share),
        Fact(f"Average over {called.whole}", f"{profile.mean:.3f}", "exact"),
        Fact("Steps", f"{len(profile.values):,}", peaks),
    ]


def _ring(values: Values, study: Study | None) -> list[Block]:
    scene: CurveScene = _scene.scene(values)
    picture = scene_ring_figure(
        scene,
        values.approx_alpha,
        _scene.names(values),
        at=values.land_angle,
        points=drawn(values, study),
        palette=values.palette,
    )
    steps = len(scene.profile.values)
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
    values: Values, study: Study | None, title: str, ticks: Mapping[float, str]
) -> list[Block]:
    called, scene = CALLED[values.land_shape], _scene.scene(values)
    picture = scene_steps_figure(
        scene,
        values.approx_alpha,
        COMPARED,
        x=called.axis,
        at=values[called.place.key],
        points=drawn(values, study),
        ticks=ticks,
        palette=values.palette,
    )
    steps = len(scene.profile.values)
    exact = (
        "black: exact"
        if steps <= MOST_STEPS
        else f"black: the highest and lowest of {steps:,} exact steps"
    )
    note = f"{exact}; coloured: surrogates; drag the open circle"

    def dragged(trace: str, point: int, x: float, y: float) -> Mapping[str, float]:
        return {called.place.key: scene.curve.nearest(x)}

    panel = Panel("landscape", title, note, picture, dragged, zoom=called.axis)
    return [panel, Caption(_loss(values, scene))]


def _loss(values: Values, scene: CurveScene) -> str:
    """How much is lost by maximising the surrogate instead of the measure."""
    called, alpha = CALLED[values.land_shape], values.approx_alpha
    tops = scene.surrogate(alpha).optima
    at = called.at.format(tops.smooth).replace("-", "−")
    found = (
        f"▼ best exact {scene.measure}: {tops.best:.3f}. ◆ the surrogate at "
        f"α = {alpha:g} is largest at {at}, "
    )
    if tops.loss < EQUAL:
        return f"{found}within the best step: nothing is lost."
    # The difference of the two numbers as they are shown.
    loss = round(tops.best, 3) - round(tops.worth, 3)
    lost = f"a loss of {loss:.3f}" if loss else "a loss of less than 0.001"
    return (
        f"{found}{called.distance.format(tops.apart)} from the nearest best step. "
        f"There the exact {scene.measure} (◇) is {tops.worth:.3f}, {lost}."
    )


def _query(values: Values) -> list[Block]:
    """The ranking of one query by the selected model."""
    scene: CurveScene = _scene.scene(values)
    number = values["query"] - 1
    found = scene.ranking(number, values[CALLED[values.land_shape].place.key])
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
    note = "selected model → ideal"
    tiles = Tiles("land_ranking", title, note, found, DOCUMENTS, alt)
    return [Ask([_scene.QUERY]), tiles, Caption(said)]
