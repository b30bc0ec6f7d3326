"""A measure along a line or round a circle of models: ring, steps and one query."""

from typing import Any

from pages.ui.data.inspecting import inspect
from pages.views.approximation import _scene
from rankcore import views
from rankcore.base.numbers import counted, rounded
from rankcore.studies import Study
from rankcore.topics.approximation import model_curves
from rankcore.topics.approximation import scenes_figure as charts
from rankcore.topics.approximation.scenes import CIRCLE, LINE, CurveScene

COMPARED = (1.0, 10.0, 100.0)
DOCUMENTS = 12
PLATEAU = 1e-6
# Height of the steps below the ring, in pixels.
LOW = 290


def _place(
    shape: str, key: str, default: float, label: str, step: float
) -> views.Number:
    curve = model_curves.LINE if shape == LINE else model_curves.CIRCLE
    return views.Number(
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

UNROLLED = views.Number(
    "land_unrolled", 0, "Unrolled", meaning="From the ring, 0, to a strip above the "
    "curve, 10.", low=0, high=10, whole=True, inline=True, studied=False,
    shown_when=lambda values: values.land_shape == CIRCLE,
)  # fmt: skip


def line(values: views.Values, study: Study | None) -> views.Shown:
    """Return the measure along the line, and the ranking of one query."""
    first, second = _scene.names(values)
    steps, lost = _steps(values, study, f"From {first} to {second}")
    left: list[views.Block] = [steps, views.Ask([PLACES[LINE]]), lost]
    return views.Shown(
        _facts(values), [views.Row([left, _query(values)], widths=(9, 4))]
    )


def circle(values: views.Values, study: Study | None) -> views.Shown:
    """Return the measure in all directions, and the ranking of one query."""
    title, rows = "All directions from 0° to 360°", [PLACES[CIRCLE], UNROLLED]
    steps = _steps(values, study, title, height=LOW)
    ring, crossings = _ring(values, study)
    left = [ring, views.Ask(rows), *steps, crossings]
    return views.Shown(
        _facts(values), [views.Row([left, _query(values)], widths=(9, 4))]
    )


def _facts(values: views.Values) -> list[views.Fact]:
    alpha, at = values.approx_alpha, values[PLACES[values.land_shape].key]
    scene: CurveScene = _scene.scene(values)
    profile, surrogate = scene.profile, scene.surrogate(alpha)
    slope = scene.slope(alpha, at)
    here = f"surrogate, α = {rounded(alpha)}: {float(surrogate.at(at)):.3f}"
    steep = "none: a plateau" if abs(slope) < PLATEAU else scene.curve.unit
    share = f"on {100 * profile.share_of_best:.2g}% of {scene.curve.whole}"
    peaks = f"surrogate: {counted(surrogate.peaks, 'peaks')}, α = {rounded(alpha)}"
    return [
        views.Fact(f"Exact {scene.measure} here", f"{float(profile.at(at)):.3f}", here),
        views.Fact("Slope of the surrogate", f"{slope:.2g}".replace("-", "−"), steep),
        views.Fact(f"Best {scene.measure}", f"{profile.best:.3f}", share),
        views.Fact(f"Average over {scene.curve.whole}", f"{profile.mean:.3f}", "exact"),
        views.Fact("Steps", f"{len(profile.values):,}", peaks),
    ]


def _ring(values: views.Values, study: Study | None) -> list[views.Block]:
    scene: CurveScene = _scene.scene(values)
    picture = charts.scene_ring_figure(
        scene,
        values.approx_alpha,
        at=values.land_angle,
        points=scene.restarts(study, values.approx_alpha),
        unrolled=values.land_unrolled / 10.0,
        palette=values.palette,
    )
    title, note = "All directions of two features", charts.ring_note(scene)
    return [
        views.Panel("ring", title, note, picture),
        views.Caption(scene.crossings_text()),
    ]


def _steps(
    values: views.Values, study: Study | None, title: str, **details: Any
) -> tuple[views.Panel, views.Caption]:
    place, alpha = PLACES[values.land_shape], values.approx_alpha
    scene: CurveScene = _scene.scene(values)
    picture = charts.scene_steps_figure(
        scene,
        alpha,
        COMPARED,
        at=values[place.key],
        points=scene.restarts(study, alpha),
        palette=values.palette,
        **details,
    )

    def dragged(trace: str, point: int, x: float, y: float) -> views.Changes:
        return {place.key: scene.curve.nearest(x)}

    note, axis = charts.steps_note(scene), scene.curve.axis
    panel = views.Panel("landscape", title, note, picture, dragged, zoom=axis)
    return panel, views.Caption(scene.loss_text(alpha))


def _query(values: views.Values) -> list[views.Block]:
    """Return the ranking of one query by the selected model."""
    scene: CurveScene = _scene.scene(values)
    number, at = values["query"] - 1, values[PLACES[values.land_shape].key]
    ranking, title = scene.ranking(number, at), scene.ground.query(number).title
    labels = ranking.first_labels(DOCUMENTS)
    alt = f"Labels in the order of the selected model: {labels}."
    note, text = "selected model → ideal", scene.ranking_text(ranking, DOCUMENTS)
    tiles = views.Tiles("land_ranking", title, note, ranking, DOCUMENTS, alt)
    link = inspect(values, part="train", query=number + 1)
    return [tiles, views.Ask([_scene.QUERY]), views.Caption(text), link]
