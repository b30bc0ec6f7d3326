"""One-parameter families of linear models, and measures along them.

A `Line` leads from one model to another; a `Circle` holds every direction of two
features. On both the exact measure is a `Profile` of steps, and a smooth measure is a
curve over it. Both work on a *ground*: data with the scores of two models as its
features (see `rankcore.topics.approximation.landscape.ground`).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankcore.base.arrays import Floats
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.angles import arctan2
from rankcore.topics.approximation import directions, landscape
from rankcore.topics.approximation.landscape import Optima, Profile
from rankcore.training import train_briefly

if TYPE_CHECKING:
    from rankcore.algorithms import LinearRanker


# Number of places of smooth curves: every half degree of the circle.
N_PLACES = 721
# Name of the zero model among the algorithms.
ZERO = "zero"


@dataclass(frozen=True)
class ModelCurve(ABC):
    """Linear models of two features with one parameter, called their place.

    Attributes
    ----------
    low, high : float
        The places to evaluate.
    closed : bool
        Whether the models at ``high`` are those at ``low``.
    whole, axis, unit : str
        Names of the curve, of its places and of the unit of its slope.
    at, apart : str
        Formats of a place, and of the distance between two places.
    """

    low: float
    high: float
    closed: bool

    whole: ClassVar[str]
    axis: ClassVar[str]
    unit: ClassVar[str]
    at: ClassVar[str]
    apart: ClassVar[str]

    def grid(self) -> Floats:
        """(721,) places at which smooth curves are drawn, evenly spread."""
        return np.linspace(self.low, self.high, N_PLACES)

    @abstractmethod
    def models(self, places: ArrayLike) -> Floats:
        """(…, 2) models at places (…)."""

    @abstractmethod
    def places(self, models: ArrayLike) -> Floats:
        """(m,) places of models (m, 2) or of their multiples; NaN if there is none."""

    @abstractmethod
    def tangent(self, place: float) -> Floats:
        """(2,) derivative of the model by its place."""

    @abstractmethod
    def nearest(self, place: float) -> float:
        """Return the place on the slider that is nearest to a number."""

    @abstractmethod
    def profile(self, ground: RankingDataset, measure: str) -> Profile:
        """Return the exact measure along the curve, over queries with relevant
        documents.

        Parameters
        ----------
        ground : RankingDataset
            With two features.
        measure : str
            nDCG, AP, RR, P or WTA, with or without a cutoff.
        """


@dataclass(frozen=True)
class Line(ModelCurve):
    """The models (1 - t, t): the first feature of the ground at t = 0, the second at t
    = 1, with t between them and up to a quarter beyond."""

    low: float = -0.25
    high: float = 1.25
    closed: bool = False

    whole, axis, unit = "the line", "t", "per unit of t"
    at, apart = "t = {:.2f}", "{:.3f} in t"

    def models(self, places: ArrayLike) -> Floats:
        t = np.asarray(places, dtype=np.float64)
        return np.stack([1.0 - t, t], axis=-1)

    def places(self, models: ArrayLike) -> Floats:
        first, second = np.asarray(models, dtype=np.float64).T
        total = first + second
        # A model pointing away from the line has no positive multiple on it.
        nowhere = np.full(len(total), np.nan)
        return np.divide(second, total, out=nowhere, where=total > 0.0)

    def tangent(self, place: float) -> Floats:
        return np.array([-1.0, 1.0])

    def nearest(self, place: float) -> float:
        return round(min(max(place, self.low), self.high), 2)

    def profile(self, ground: RankingDataset, measure: str) -> Profile:
        start, end = np.eye(2)
        return landscape.line_profile(ground, start, end, measure, self.low, self.high)


@dataclass(frozen=True)
class Circle(ModelCurve):
    """The models of length one by their angle in degrees: 0 is the first feature of the
    ground, 90 the second."""

    low: float = 0.0
    high: float = 360.0
    closed: bool = True

    whole, axis, unit = "all directions", "direction", "per degree"
    at, apart = "{:.1f}°", "{:.1f}°"

    def models(self, places: ArrayLike) -> Floats:
        return directions.on_circle(places)

    def places(self, models: ArrayLike) -> Floats:
        first, second = np.asarray(models, dtype=np.float64).T
        return np.degrees(arctan2(second, first)) % 360.0

    def tangent(self, place: float) -> Floats:
        return directions.on_circle(place + 90.0) * (np.pi / 180.0)

    def nearest(self, place: float) -> float:
        return round(2.0 * min(max(place, self.low), self.high)) / 2.0

    def profile(self, ground: RankingDataset, measure: str) -> Profile:
        return directions.circle(ground, measure)


LINE, CIRCLE = Line(), Circle()


class SmoothCurve(NamedTuple):
    """A smooth measure compared with the exact one along a curve of models.

    Attributes
    ----------
    grid, values : (p,) float64
        Places, and the smooth measure there.
    peaks : int
        Number of local maxima; a flat top counts once.
    error : float
        Mean absolute difference from the exact measure over the grid.
    optima : Optima
        The maxima of both measures.
    """

    grid: Floats
    values: Floats
    peaks: int
    error: float
    optima: Optima

    def at(self, place: ArrayLike) -> Floats:
        """Values at places of the curve, by linear interpolation."""
        return np.interp(np.asarray(place, np.float64), self.grid, self.values)

    def within_steps(self, profile: Profile) -> Floats:
        """(m,) values in the middle of each step of a profile."""
        return self.at((profile.edges[:-1] + profile.edges[1:]) / 2.0)


def beside_exact(curve: ModelCurve, profile: Profile, values: Floats) -> SmoothCurve:
    """Compare a smooth measure with the exact one.

    Parameters
    ----------
    profile : Profile
        The exact measure, from ``curve.profile``.
    values : (721,) float64
        The smooth one over the curve's grid.
    """
    grid = curve.grid()
    return SmoothCurve(
        grid,
        values,
        landscape.peaks(values, curve.closed),
        float(np.abs(values - profile.at(grid)).mean()),
        landscape.optima(profile, grid, values, curve.closed),
    )


def feature_ground(
    dataset: RankingDataset, features: Sequence[int], queries: int, documents: int
) -> RankingDataset:
    """Return the first queries of a data set, with a few of its features.

    Parameters
    ----------
    features : sequence of k int
        Columns.
    queries : int
        Number of queries.
    documents : int
        Maximum number of documents, unless the first query alone has more.

    Returns
    -------
    RankingDataset
        With k features, scaled as by `landscape.ground`.
    """
    few = dataset.first_queries(queries, documents)
    chosen = [int(j) for j in features]
    names = [dataset.feature_names[j] for j in chosen]
    return landscape.ground(few, np.eye(dataset.n_features)[chosen], names)


def model_ground(
    dataset: RankingDataset, models: ArrayLike, queries: int, documents: int
) -> RankingDataset:
    """Return the first queries, with the scores of the models at a line's ends as
    features.

    Parameters
    ----------
    models : (2, d) float64
        Coefficients.
    queries, documents : int
        As in `feature_ground`.

    Returns
    -------
    RankingDataset
        With the features ``start`` and ``end``, scaled.
    """
    few = dataset.first_queries(queries, documents)
    return landscape.ground(few, models, ("start", "end"))


def linear_algorithms() -> "dict[str, type[LinearRanker]]":
    """Return the algorithms whose models can be the ends of a line, by name."""
    from rankcore.algorithms import LinearRanker, get_algorithm, list_algorithms

    algorithms = {name: get_algorithm(name) for name in list_algorithms()}
    return {
        name: cls for name, cls in algorithms.items() if issubclass(cls, LinearRanker)
    }


def end_model(name: str, dataset: RankingDataset, seed: int = 0) -> Floats:
    """(d,) coefficients of a model for an end of a line.

    Parameters
    ----------
    name : str
        One of the `linear_algorithms`, trained briefly, or `ZERO`.
    """
    if name == ZERO:
        return np.zeros(dataset.n_features)
    algorithm = linear_algorithms()[name](random_state=seed)
    return train_briefly(algorithm, dataset, max_iterations=200).best.coef
