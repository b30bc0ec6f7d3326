"""What the landscape shows, kept from one redraw to the next.

The exact part does not depend on the sharpness: it is computed once for a choice of
data, features and measure, and so is each smooth curve for each sharpness.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from pages.ui import datasets
from rankcore.charts.sphere import map_latitudes, patch_latitudes
from rankcore.dataset import RankingDataset
from rankcore.insight import directions, landscape
from rankcore.insight.directions import Sphere
from rankcore.insight.landscape import Profile
from rankcore.training import Stop, drive, limited

if TYPE_CHECKING:
    from rankcore.algorithms import Approximation

Floats = NDArray[np.float64]

LINE, CIRCLE, SPHERE = "Line", "Circle", "Sphere"
LOW, HIGH = -0.25, 1.25
ZERO = "zero"
# Both ends of a line are trained while the page waits: under two seconds together.
TRAINING = Stop(max_iterations=200)
TRAINING_SECONDS = 0.95
# As many documents as can be drawn at once without a wait.
MOST_DOCUMENTS = {LINE: 800, CIRCLE: 800, SPHERE: 400}
MERIDIANS = 90
BANDS = 45


class Scene(NamedTuple):
    """What is looked at: small values that name it.

    Attributes
    ----------
    data, normalise : str
    shape : {"Line", "Circle", "Sphere"}
    axes : tuple of str
        Numbers of features, or for a line the names of the algorithms that train the
        models at its ends.
    queries : int
        How many are wanted.
    measure : str
    seed : int
    """

    data: str
    normalise: str
    shape: str
    axes: tuple[str, ...]
    queries: int
    measure: str
    seed: int


class Choice(NamedTuple):
    """What the settings of the landscape say.

    Attributes
    ----------
    scene : Scene
    alpha : float
    names : tuple of str
        What the axes are called: features, or the models at the ends of the line.
    """

    scene: Scene
    alpha: float
    names: tuple[str, ...]


@st.cache_resource(max_entries=32, show_spinner=False)
def strongest(data: str, normalise: str) -> tuple[int, ...]:
    """All features of the training data, those that tell most about labels first."""
    return tuple(landscape.strongest_features(datasets.load(data, normalise).train))


@st.cache_resource(max_entries=32, show_spinner=False)
def learners(data: str, normalise: str) -> Mapping[str, "Approximation"]:
    """By measure the learner that smooths it."""
    train = datasets.load(data, normalise).train
    return landscape.smooth_measures(landscape.few_queries(train, 6))


@st.cache_resource(max_entries=16, show_spinner=False)
def linear_algorithms(data: str) -> dict[str, str]:
    """Titles of the algorithms whose models are points of a line, and of the zero."""
    from rankcore.algorithms import LinearRanker, get_algorithm, list_algorithms

    refused = datasets.refusals(data)
    found = {name: get_algorithm(name) for name in list_algorithms()}
    return {ZERO: "The zero model"} | {
        name: cls.title
        for name, cls in found.items()
        if issubclass(cls, LinearRanker) and name not in refused
    }


@st.cache_resource(max_entries=32, show_spinner="Training a model …")
def model(data: str, normalise: str, name: str, seed: int) -> Floats:
    """Coefficients of a model, trained for less than a second."""
    from rankcore.algorithms import get_algorithm

    train = datasets.load(data, normalise).train
    if name == ZERO:
        return np.zeros(train.n_features)
    run = drive(
        get_algorithm(name)(random_state=seed), train, stop=TRAINING, measures=()
    )
    for _ in limited(run, TRAINING_SECONDS):
        pass
    return run.best.coef


@st.cache_resource(max_entries=16, show_spinner=False)
def ground(scene: Scene) -> RankingDataset:
    """The queries looked at, in the two or three coordinates of the scene."""
    train = datasets.load(scene.data, scene.normalise).train
    few = landscape.few_queries(train, scene.queries, MOST_DOCUMENTS[scene.shape])
    if scene.shape == LINE:
        models = [
            model(scene.data, scene.normalise, name, scene.seed) for name in scene.axes
        ]
        return landscape.ground(few, models, ("start", "end"))
    chosen = [int(axis) for axis in scene.axes]
    names = [train.feature_names[j] for j in chosen]
    return landscape.ground(few, np.eye(train.n_features)[chosen], names)


@st.cache_resource(max_entries=16, show_spinner=False)
def profile(scene: Scene) -> Profile:
    """The measure on the line or round the circle, exactly."""
    data = ground(scene)
    if scene.shape == LINE:
        return landscape.line_profile(data, *np.eye(2), scene.measure, LOW, HIGH)
    return directions.circle(data, scene.measure)


@st.cache_resource(max_entries=8, show_spinner="Following every meridian …")
def sphere(scene: Scene) -> Sphere:
    """The measure over the sphere, exactly along each meridian."""
    return directions.sphere(ground(scene), scene.measure, MERIDIANS)


@st.cache_resource(max_entries=16, show_spinner=False)
def circles(scene: Scene) -> Floats:
    """The great circles on which scores cross."""
    return directions.great_circles(ground(scene))


@st.cache_resource(max_entries=16, show_spinner=False)
def crossings(scene: Scene) -> int:
    """At how many angles scores of different labels are equal."""
    return len(directions.crossings(ground(scene)))


@st.cache_resource(max_entries=64, show_spinner=False)
def smooth(scene: Scene, alpha: float) -> Floats:
    """The smooth measure over the `grid` of the line or circle."""
    models = models_at(scene, grid(scene.shape))
    return landscape.smooth_at(learner(scene, alpha), ground(scene), models)


@st.cache_resource(max_entries=32, show_spinner=False)
def smooth_sphere(scene: Scene, alpha: float, equal_area: bool) -> Floats:
    """(bands, meridians) of the smooth measure, for the map or for the globe."""
    up = map_latitudes(BANDS) if equal_area else patch_latitudes(BANDS)
    models = directions.on_sphere(sphere(scene).longitudes, up[:, None])
    values = landscape.smooth_at(
        learner(scene, alpha), ground(scene), models.reshape(-1, 3)
    )
    return values.reshape(BANDS, MERIDIANS)


def learner(scene: Scene, alpha: float) -> "Approximation":
    """What smooths the measure of a scene, at a sharpness."""
    from sklearn.base import clone

    found = learners(scene.data, scene.normalise)[scene.measure]
    return clone(found).set_params(alpha=alpha, random_state=scene.seed)


def grid(shape: str) -> Floats:
    """Where smooth curves are drawn: every half degree, or 721 places on the line."""
    low, high = (LOW, HIGH) if shape == LINE else (0.0, 360.0)
    return np.linspace(low, high, 721)


def models_at(scene: Scene, places: Floats | float) -> Floats:
    """(…, 2) models at places of the line or at angles of the circle."""
    if scene.shape == LINE:
        t = np.asarray(places, dtype=np.float64)
        return np.stack([1.0 - t, t], axis=-1)
    return directions.on_circle(places)


def places_of(scene: Scene, models: Floats) -> Floats:
    """(m,) where models are on the line or circle; NaN for one that points away from
    the line."""
    first, second = models.T
    if scene.shape == CIRCLE:
        return np.degrees(np.arctan2(second, first)) % 360.0
    total = first + second
    return np.divide(second, total, out=np.full(len(models), np.nan), where=total > 0.0)


def nearest_place(shape: str, x: float) -> float:
    """The place nearest to x that the slider can stand at."""
    if shape == LINE:
        return round(min(max(x, LOW), HIGH), 2)
    return round(2.0 * min(max(x, 0.0), 360.0)) / 2.0


def slope(scene: Scene, alpha: float, place: float) -> float:
    """How fast the smooth measure changes along the line or circle, per unit of its
    axis."""
    surrogate = learner(scene, alpha).surrogate(ground(scene))
    at = surrogate.evaluate(models_at(scene, place))
    if scene.shape == LINE:
        along = np.array([-1.0, 1.0])
    else:
        along = directions.on_circle(place + 90.0) * (np.pi / 180.0)
    return float(at.gradient @ along)


def percent(share: float) -> str:
    """A share with two digits."""
    return f"{100 * share:.2g} %"
