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
from rankcore.insight import directions, landscape, model_curves
from rankcore.insight.directions import Sphere
from rankcore.insight.landscape import Profile
from rankcore.insight.model_curves import ModelCurve
from rankcore.training import train_briefly

if TYPE_CHECKING:
    from rankcore.algorithms import Approximation

Floats = NDArray[np.float64]

LINE, CIRCLE, SPHERE = "Line", "Circle", "Sphere"
CURVES: Mapping[str, ModelCurve] = {
    LINE: model_curves.LINE,
    CIRCLE: model_curves.CIRCLE,
}
ZERO = "zero"
# Both ends of a line are trained while the page waits: under two seconds together.
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
    refused = datasets.refusals(data)
    return {ZERO: "The zero model"} | {
        name: cls.title
        for name, cls in model_curves.linear_algorithms().items()
        if name not in refused
    }


@st.cache_resource(max_entries=32, show_spinner="Training a model …")
def model(data: str, normalise: str, name: str, seed: int) -> Floats:
    """Coefficients of a model, trained for less than a second."""
    from rankcore.algorithms import get_algorithm

    train = datasets.load(data, normalise).train
    if name == ZERO:
        return np.zeros(train.n_features)
    algorithm = get_algorithm(name)(random_state=seed)
    run = train_briefly(algorithm, train, max_iterations=200, seconds=TRAINING_SECONDS)
    return run.best.coef


@st.cache_resource(max_entries=16, show_spinner=False)
def ground(scene: Scene) -> RankingDataset:
    """The queries looked at, in the two or three coordinates of the scene."""
    train = datasets.load(scene.data, scene.normalise).train
    most = scene.queries, MOST_DOCUMENTS[scene.shape]
    if scene.shape != LINE:
        return model_curves.feature_ground(train, list(map(int, scene.axes)), *most)
    models = [
        model(scene.data, scene.normalise, name, scene.seed) for name in scene.axes
    ]
    return model_curves.model_ground(train, models, *most)


@st.cache_resource(max_entries=16, show_spinner=False)
def profile(scene: Scene) -> Profile:
    """The measure on the line or round the circle, exactly."""
    return CURVES[scene.shape].profile(ground(scene), scene.measure)


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
    """The smooth measure over the grid of the line or circle."""
    curve = CURVES[scene.shape]
    return model_curves.smooth_along(curve, learner(scene, alpha), ground(scene))


@st.cache_resource(max_entries=32, show_spinner=False)
def smooth_sphere(scene: Scene, alpha: float, equal_area: bool) -> Floats:
    """(bands, meridians) of the smooth measure, for the map or for the globe."""
    up = map_latitudes(BANDS) if equal_area else patch_latitudes(BANDS)
    return directions.smooth_sphere(
        learner(scene, alpha), ground(scene), sphere(scene).longitudes, up
    )


def learner(scene: Scene, alpha: float) -> "Approximation":
    """What smooths the measure of a scene, at a sharpness."""
    from sklearn.base import clone

    found = learners(scene.data, scene.normalise)[scene.measure]
    return clone(found).set_params(alpha=alpha, random_state=scene.seed)


def percent(share: float) -> str:
    """A share with two digits."""
    return f"{100 * share:.2g} %"
