"""Pictures of landscapes and restarts, each with its text alternative and table."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rankcore.base.arrays import Floats
from rankcore.base.numbers import counted, rounded
from rankcore.plot.palette import LIGHT, Palette
from rankcore.plot.style import Picture
from rankcore.topics.approximation.end_points import (
    EndPoint,
    nearest_sharpness,
    outcomes,
)
from rankcore.topics.approximation.end_points_figure import buying_figure, spread_figure
from rankcore.topics.approximation.landscape_figure import (
    HEIGHT,
    MOST_STEPS,
    MarkedProfile,
    Marks,
    profile_figure,
)
from rankcore.topics.approximation.model_curves import ModelCurve
from rankcore.topics.approximation.ring_figure import MOST_SECTORS, ring_figure
from rankcore.topics.approximation.scenes import CurveScene, SphereScene
from rankcore.topics.approximation.sphere_figure import (
    MarkedSphere,
    globe_figure,
    map_figure,
    map_latitudes,
    patch_latitudes,
)
from rankcore.topics.approximation.unrolled_figure import unrolled_figure

BANDS = 45
MAP, GLOBE = map_latitudes(BANDS), patch_latitudes(BANDS)
# More great circles than this hide the cells between them.
MOST_CIRCLES = 150


def scene_ring_figure(
    scene: CurveScene,
    alpha: float,
    *,
    at: float | None = None,
    points: Sequence[EndPoint] = (),
    unrolled: float = 0.0,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw a measure round the circle of directions of two features.

    Parameters
    ----------
    scene : CurveScene
        The scene of a circle.
    alpha : float
        Sharpness of the surrogate whose maximum is marked.
    at : float, optional
        The selected direction in degrees.
    points : sequence of EndPoint
        Restarts to mark.
    unrolled : float
        Degree of unrolling, 0 to 1; 1 is a strip above `scene_steps_figure`.
    """
    profile, names = scene.profile, scene.ground.feature_names
    marked = _marked(scene, alpha, at, points)
    if unrolled > 0.0:
        picture = unrolled_figure(marked, names, unrolled, palette)
    else:
        picture = ring_figure(marked, names, palette)
    return picture.described(
        f"Along the circle, {scene.measure} has "
        f"{counted(len(profile.values), 'steps')} between "
        f"{profile.values.min():.3f} and {profile.best:.3f}; "
        f"{100 * profile.share_of_best:.2g}% of all directions have the best value.",
        scene.table,
    )


def scene_steps_figure(
    scene: CurveScene,
    alpha: float,
    compared: Sequence[float] = (),
    *,
    at: float | None = None,
    points: Sequence[EndPoint] = (),
    height: int = HEIGHT,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw the exact steps of a measure along a curve, and surrogates over it.

    Parameters
    ----------
    alpha : float
        Sharpness of the highlighted surrogate.
    compared : sequence of float
        Other sharpnesses.
    at, points
        As in `scene_ring_figure`.
    height : int
        In pixels.
    """
    profile, surrogate = scene.profile, scene.surrogate(alpha)
    alphas = sorted({*compared, alpha})
    first, second = scene.ground.feature_names
    ticks = {0.0: first, 90.0: second, 180.0: f"−{first}", 270.0: f"−{second}"}
    return profile_figure(
        _marked(scene, alpha, at, points),
        surrogate.grid,
        {each: scene.surrogate(each).values for each in alphas},
        alpha,
        scene.curve.axis,
        ticks if scene.curve.closed else None,
        height,
        palette,
    ).described(
        f"{scene.measure} has {counted(len(profile.values), 'steps')} between "
        f"{profile.values.min():.3f} and {profile.best:.3f}. At α = {rounded(alpha)} "
        f"the surrogate has {surrogate.peaks} peaks and differs by "
        f"{surrogate.error:.3f} on average.",
        lambda: scene.table(alphas),
    )


def ring_note(scene: CurveScene) -> str:
    """Return the note on the colours of `scene_ring_figure`."""
    if len(scene.profile.values) <= MOST_SECTORS:
        return "the colour of a sector is its exact value"
    return f"{MOST_SECTORS} sectors, each in the colour of its exact mean"


def steps_note(scene: CurveScene) -> str:
    """Return the note on the lines of `scene_steps_figure`."""
    steps, exact = len(scene.profile.values), "steps: exact"
    if steps > MOST_STEPS:
        exact = f"steps: the highest and lowest of {steps:,} exact ones"
    return f"{exact}, blue: surrogates; drag the open circle"


def sphere_note(scene: SphereScene) -> str:
    """Return the note on lines and colours of the globe and the maps."""
    lines = (
        "Thin lines are the great circles on which two scores are equal; they bound "
        "the cells of equal rankings."
        if len(scene.circles) <= MOST_CIRCLES
        else f"The {len(scene.circles):,} great circles on which two scores are equal "
        "are too many to draw."
    )
    return (
        f"{lines} Colours are exact in the middle of each patch; cells smaller than a "
        "patch are not visible."
    )


class SphereFigures(NamedTuple):
    """Pictures of a measure over the directions of three features.

    Attributes
    ----------
    points : sequence of EndPoint
        Restarts to mark.
    """

    scene: SphereScene
    points: Sequence[EndPoint] = ()
    palette: Palette = LIGHT

    def globe(self, alpha: float | None = None) -> Picture:
        """Return the globe, of the surrogate with this sharpness or of the exact
        measure."""
        values, marked = self._values(alpha, GLOBE), self._marked(circles=True)
        return globe_figure(values, marked, self.palette).described(
            f"Over all directions of {', '.join(marked.names)} the {_kind(alpha)} "
            f"{marked.measure} lies between {values.min():.3f} and "
            f"{values.max():.3f}.",
            lambda: _meridians(values),
        )

    def map(self, alpha: float | None = None) -> Picture:
        """Return an equal-area map of it; only the exact one has great circles."""
        values, marked = self._values(alpha, MAP), self._marked(circles=alpha is None)
        best = int(values.max(axis=0).argmax())
        return map_figure(values, marked, self.palette).described(
            f"The highest {_kind(alpha)} {marked.measure} on the map is "
            f"{values.max():.3f}, at longitude {best * 360 // values.shape[1]}°.",
            lambda: _meridians(values),
        )

    def _values(self, alpha: float | None, latitudes: Floats) -> Floats:
        if alpha is None:
            return self.scene.exact(latitudes)
        return self.scene.surrogate(alpha, latitudes)

    def _marked(self, circles: bool) -> MarkedSphere:
        """Return the colour scale, the end points and, unless there are too many, the
        great circles."""
        scene, exact = self.scene, self.scene.exact(MAP)
        few = len(scene.circles) <= MOST_CIRCLES
        return MarkedSphere(
            scene.ground.feature_names,
            scene.measure,
            (float(exact.min()), float(exact.max())),
            scene.circles if circles and few else np.empty((0, 3)),
            np.array([point.coef for point in self.points]),
        )


def restart_values_figure(
    points: Sequence[EndPoint], measure: str, palette: Palette = LIGHT
) -> Picture:
    """Draw the measure of each restart by its sharpness; see `spread_figure`."""
    ends = outcomes(points)
    widest = max(ends, key=lambda outcome: outcome.highest - outcome.lowest)
    return spread_figure(points, ends, measure, palette).described(
        f"At α = {rounded(widest.alpha)} restarts end between {widest.lowest:.3f} and "
        f"{widest.highest:.3f}, in {widest.distinct} different directions of "
        f"{widest.restarts}.",
        lambda: {
            "α": [point.alpha for point in points],
            "seed": [point.cell.seed for point in points],
            "surrogate": [point.objective for point in points],
            measure: [point.exact for point in points],
            "iterations": [point.iterations for point in points],
            "share of queries without gradient": [point.flat for point in points],
        },
    )


def restart_gain_figure(
    points: Sequence[EndPoint], measure: str, alpha: float, palette: Palette = LIGHT
) -> Picture:
    """Draw the expected measure of more restarts; see `buying_figure`.

    Parameters
    ----------
    alpha : float
        The nearest sharpness is highlighted.
    """
    ends = outcomes(points)
    gains = {each.alpha: float(each.expected[-1] - each.expected[0]) for each in ends}
    most = max(gains, key=lambda alpha: gains[alpha])
    fewest = min(outcome.restarts for outcome in ends)
    chosen = nearest_sharpness(points, alpha)
    return buying_figure(ends, measure, chosen, palette).described(
        f"Restarts gain most at α = {rounded(most)}: {gains[most]:.3f} of {measure}.",
        lambda: {
            "restarts": np.arange(1, fewest + 1),
            **{f"α = {rounded(each.alpha)}": each.expected[:fewest] for each in ends},
        },
    )


def _marked(
    scene: CurveScene, alpha: float, at: float | None, points: Sequence[EndPoint]
) -> MarkedProfile:
    marks, tops = _marks(scene.curve, points), scene.surrogate(alpha).optima
    return MarkedProfile(scene.profile, scene.measure, at, marks, tops)


def _marks(curve: ModelCurve, points: Sequence[EndPoint]) -> Marks | None:
    """Return starts and ends of restarts on a curve, without those beyond it."""
    if not points:
        return None
    starts = curve.places([point.start for point in points])
    ends = curve.places([point.coef for point in points])
    values = np.array([point.exact for point in points])
    visible = (ends >= curve.low) & (ends <= curve.high)
    return Marks(starts[visible], ends[visible], values[visible])


def _kind(alpha: float | None) -> str:
    return "exact" if alpha is None else "surrogate"


def _meridians(values: Floats) -> dict[str, Floats]:
    """Every tenth meridian, from the south pole up."""
    count = values.shape[1]
    return {f"{360 * i // count}°": values[:, i] for i in range(0, count, 10)}
