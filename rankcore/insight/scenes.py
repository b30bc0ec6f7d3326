"""Landscapes: a measure and its surrogate over a line, a circle or a sphere of models.

A scene holds some queries seen from two or three models (its *ground*, see
`rankcore.insight.landscape.ground`), a measure and the algorithm that optimises its
surrogate. The exact measure does not depend on the sharpness: each number is computed
once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcore.dataset import RankingDataset
from rankcore.insight import directions, model_curves
from rankcore.insight.directions import Sphere
from rankcore.insight.landscape import Profile
from rankcore.insight.model_curves import ModelCurve, SmoothCurve
from rankcore.insight.ranking import QueryRanking, query_ranking
from rankcore.measures import parse

if TYPE_CHECKING:
    from rankcore.algorithms import Approximation

Floats = NDArray[np.float64]

MERIDIANS = 90


@dataclass(frozen=True, eq=False)
class Scene:
    """A measure and its surrogate on a ground.

    Attributes
    ----------
    ground : RankingDataset
        With two features for a curve, with three for the sphere.
    measure : str
        nDCG, AP, RR, P or WTA, with or without a cutoff.
    learner : Approximation
        Its surrogate stands for the measure; its ``alpha`` does not count.
    """

    ground: RankingDataset
    measure: str
    learner: "Approximation"

    def learner_at(self, alpha: float) -> "Approximation":
        """The algorithm with this sharpness."""
        return type(self.learner)(**{**self.learner.get_params(), "alpha": alpha})


@dataclass(frozen=True, eq=False)
class CurveScene(Scene):
    """The models of a line or a circle.

    Attributes
    ----------
    curve : ModelCurve
    """

    curve: ModelCurve

    @cached_property
    def profile(self) -> Profile:
        """The exact measure."""
        return self.curve.profile(self.ground, self.measure)

    @cached_property
    def n_crossings(self) -> int:
        """At how many angles documents with different labels have equal scores."""
        return len(directions.crossings(self.ground))

    def surrogate(self, alpha: float) -> SmoothCurve:
        """The surrogate at a sharpness, beside the exact measure."""
        return _surrogate(self, alpha)

    def slope(self, alpha: float, place: float) -> float:
        """The derivative of the surrogate; see `model_curves.slope`."""
        return model_curves.slope(
            self.curve, self.learner_at(alpha), self.ground, place
        )

    def ranking(self, query: int, place: float) -> QueryRanking:
        """One query, counted from 0, ranked by the model at a place of the curve."""
        found = self.ground.query(query)
        scores = found.X @ self.curve.models(place)
        return query_ranking(found, scores, parse(self.measure))

    def table(self, alphas: Sequence[float] = ()) -> dict[str, Floats]:
        """The steps of the measure, and surrogates in the middle of each."""
        return {
            "from": self.profile.edges[:-1],
            "to": self.profile.edges[1:],
            self.measure: self.profile.values,
            **{
                f"α = {alpha:g}, in the middle": self.surrogate(alpha).within_steps(
                    self.profile
                )
                for alpha in alphas
            },
        }


@dataclass(frozen=True, eq=False)
class SphereScene(Scene):
    """The directions of three features."""

    @cached_property
    def sphere(self) -> Sphere:
        """The exact measure along each of 90 meridians."""
        return directions.sphere(self.ground, self.measure, MERIDIANS)

    @cached_property
    def circles(self) -> Floats:
        """(m, 3) normals of the great circles on which two scores are equal."""
        return directions.great_circles(self.ground)

    def exact(self, latitudes: ArrayLike) -> Floats:
        """(r, 90) the exact measure at latitudes (r,) in radians."""
        return self.sphere.values(latitudes)

    def surrogate(self, alpha: float, latitudes: ArrayLike) -> Floats:
        """(r, 90) the surrogate at latitudes (r,) in radians."""
        return _surrogate_sphere(self, alpha, tuple(np.asarray(latitudes).tolist()))

    def table(self, latitudes: ArrayLike) -> dict[str, Floats]:
        """The exact measure in each direction, latitude by latitude."""
        across, up = np.meshgrid(self.sphere.longitudes, np.asarray(latitudes))
        return {
            "longitude": across.ravel(),
            "latitude": up.ravel(),
            self.measure: self.exact(latitudes).ravel(),
        }


@lru_cache(maxsize=64)
def _surrogate(scene: CurveScene, alpha: float) -> SmoothCurve:
    learner = scene.learner_at(alpha)
    values = model_curves.smooth_along(scene.curve, learner, scene.ground)
    return model_curves.beside_exact(scene.curve, scene.profile, values)


@lru_cache(maxsize=32)
def _surrogate_sphere(
    scene: SphereScene, alpha: float, latitudes: tuple[float, ...]
) -> Floats:
    learner, across = scene.learner_at(alpha), scene.sphere.longitudes
    return directions.smooth_sphere(learner, scene.ground, across, latitudes)
