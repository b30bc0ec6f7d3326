"""Landscapes: a measure and its surrogate over a line, a circle or a sphere of models.

A scene holds some queries with the scores of two or three models as features (its
*ground*, see `rankcore.topics.approximation.landscape.ground`), a measure and the
algorithm that optimises its surrogate. The exact measure does not depend on the
sharpness, so each number is computed once.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankcore.algorithms.parts.scoring import linear_scores
from rankcore.base.arrays import Floats
from rankcore.base.numbers import rounded
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.products import dot
from rankcore.measures import parse
from rankcore.studies import Study
from rankcore.topics.approximation import (
    directions,
    end_points,
    landscape,
    model_curves,
)
from rankcore.topics.approximation.directions import Sphere
from rankcore.topics.approximation.end_points import EndPoint, RestartSubject
from rankcore.topics.approximation.landscape import EQUAL, Profile
from rankcore.topics.approximation.model_curves import ModelCurve, SmoothCurve
from rankcore.topics.inspect.ranking import QueryRanking, query_ranking

if TYPE_CHECKING:
    from rankcore.algorithms import Approximation


MERIDIANS = 90
LINE, CIRCLE, SPHERE = "Line", "Circle", "Sphere"


class Shape(NamedTuple):
    """The shape of a family of models drawn together.

    Attributes
    ----------
    features : int
        Number of features that the data must have.
    documents : int
        Maximum number of documents drawn.
    """

    features: int
    documents: int


SHAPES: Mapping[str, Shape] = {
    LINE: Shape(1, 800),
    CIRCLE: Shape(2, 800),
    SPHERE: Shape(3, 400),
}


@cache
def learners() -> Mapping[str, "Approximation"]:
    """Return, by measure, the algorithm that optimises its surrogate."""
    return landscape.smooth_measures(RankingDataset.from_arrays(np.eye(2), [0, 1]))


def drawn_queries(dataset: RankingDataset, shape: str, queries: int) -> RankingDataset:
    """Return the first queries of a data set, which are drawn.

    Parameters
    ----------
    shape : str
        One of `SHAPES`.
    queries : int
        Number of queries; fewer are drawn if they have too many documents together.
    """
    return dataset.first_queries(queries, SHAPES[shape].documents)


def unsupported_reason(dataset: RankingDataset, shape: str, queries: int) -> str | None:
    """Return the reason why nothing can be drawn, as a sentence; parameters as of
    `drawn_queries`."""
    if dataset.has_missing:
        return dataset.incomplete_reason
    wanted, most = SHAPES[shape]
    if dataset.n_features < wanted:
        return (
            f"The {shape.lower()} needs {wanted} features and this data has "
            f"{dataset.n_features}. Choose other data, or the line."
        )
    data = drawn_queries(dataset, shape, queries)
    # A single query may be longer than the limit for several.
    if data.n_documents > 1.5 * most:
        return (
            f"The first query alone has {data.n_documents:,} documents, too many to "
            "compare every pair of them. Choose data with shorter lists."
        )
    if not (data.y > 0).any():
        return (
            "None of these queries has a relevant document, so all models are equally "
            "good. Increase the number of queries, or choose other data."
        )
    return None


def queries_drawn_text(dataset: RankingDataset, shape: str, queries: int) -> str:
    """Return a sentence on the drawn queries; parameters as of `drawn_queries`."""
    data = drawn_queries(dataset, shape, queries)
    limited = data.n_queries < min(queries, dataset.n_queries)
    most = f", no more than {SHAPES[shape].documents} together" if limited else ""
    return (
        "Means over the queries with relevant documents among the first "
        f"{data.n_queries} of {dataset.n_queries:,} training queries "
        f"({data.n_documents} documents{most})."
    )


def scene(
    dataset: RankingDataset,
    shape: str,
    spanned_by: Any,
    measure: str,
    queries: int,
    seed: int = 0,
) -> "CurveScene | SphereScene":
    """Return the models of a shape with a measure.

    Parameters
    ----------
    shape : str
        One of `SHAPES`.
    spanned_by : (2, d) float64 or sequence of int
        The coefficients of the models at a line's ends; otherwise columns.
    measure : str
        A measure of the `learners`.
    queries : int
        As in `drawn_queries`.
    seed : int
        Seed of the learner's restarts.
    """
    of = learners()[measure]
    learner = type(of)(**of.get_params() | {"random_state": seed})
    most = queries, SHAPES[shape].documents
    if shape == LINE:
        ground = model_curves.model_ground(dataset, spanned_by, *most)
        return CurveScene(ground, measure, learner, model_curves.LINE)
    ground = model_curves.feature_ground(dataset, spanned_by, *most)
    if shape == SPHERE:
        return SphereScene(ground, measure, learner)
    return CurveScene(ground, measure, learner, model_curves.CIRCLE)


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
        Optimises the measure's surrogate; its ``alpha`` is ignored.
    """

    ground: RankingDataset
    measure: str
    learner: "Approximation"

    def learner_at(self, alpha: float) -> "Approximation":
        """Return the algorithm with this sharpness."""
        return type(self.learner)(**{**self.learner.get_params(), "alpha": alpha})

    def restarts(self, study: Study | None, alpha: float) -> list[EndPoint]:
        """Return the end points of restarts on this scene, at the sharpness nearest to
        ``alpha``.

        Empty if the study has another measure, other models or other queries.
        """
        subject = None if study is None else study.subject
        # The study of Table 5 has another subject: it covers all features and queries.
        if study is None or type(subject) is not RestartSubject:
            return []
        same = subject.dataset.fingerprint == self.ground.fingerprint
        if not same or subject.measure != self.measure:
            return []
        return end_points.at_nearest(list(study.found), alpha)


@dataclass(frozen=True, eq=False)
class CurveScene(Scene):
    """The models of a line or a circle."""

    curve: ModelCurve

    @cached_property
    def profile(self) -> Profile:
        """The exact measure."""
        return self.curve.profile(self.ground, self.measure)

    @cached_property
    def n_crossings(self) -> int:
        """Number of angles with equal scores of documents of different labels."""
        return len(directions.crossings(self.ground))

    def surrogate(self, alpha: float) -> SmoothCurve:
        """Return the surrogate at a sharpness, compared with the exact measure."""
        return _surrogate(self, alpha)

    def slope(self, alpha: float, place: float) -> float:
        """Return the derivative of the surrogate per unit of t on a line, per degree on
        a circle."""
        surrogate = self.learner_at(alpha).surrogate(self.ground)
        gradient = surrogate.evaluate(self.curve.models(place)).gradient
        return dot(gradient, self.curve.tangent(place))

    def loss_text(self, alpha: float) -> str:
        """Return the loss from maximising the surrogate instead of the measure."""
        tops = self.surrogate(alpha).optima
        at = self.curve.at.format(tops.smooth).replace("-", "−")
        text = (
            f"▼ best exact {self.measure}: {tops.best:.3f}. ◆ the surrogate at "
            f"α = {rounded(alpha)} is largest at {at}, "
        )
        if tops.best - tops.worth < EQUAL:
            return f"{text}within the best step: nothing is lost."
        # The difference of the two rounded numbers.
        loss = round(tops.best, 3) - round(tops.worth, 3)
        lost = f"a loss of {loss:.3f}" if loss else "a loss of less than 0.001"
        return (
            f"{text}{self.curve.apart.format(tops.apart)} from the nearest best step. "
            f"There the exact {self.measure} (◇) is {tops.worth:.3f}, {lost}."
        )

    def crossings_text(self) -> str:
        """Return sentences on the angles at which the measure changes."""
        return (
            f"At {self.n_crossings:,} angles two documents of one query with different "
            f"labels have equal scores. {self.measure} changes at "
            f"{len(self.profile.values) - 1:,} of them and nowhere else. The opposite "
            "direction reverses every ranking."
        )

    def ranking_text(self, ranking: QueryRanking, rows: int) -> str:
        """Return sentences on the measure of a query, and on its documents beyond those
        drawn."""
        if math.isnan(ranking.value):
            return f"{self.measure} is undefined: this query has no relevant document."
        hidden = len(ranking.documents) - rows
        return (
            f"{self.measure} of this query: {ranking.value:.3f}. Documents change "
            "places only where two scores are equal."
            + (f" {hidden} more documents follow." if hidden > 0 else "")
        )

    def ranking(self, query: int, place: float) -> QueryRanking:
        """Return a query, counted from 0, ranked by a model of the curve."""
        rows = self.ground.query(query)
        scores = linear_scores(rows.X, self.curve.models(place))
        return query_ranking(rows, scores, parse(self.measure))

    def table(self, alphas: Sequence[float] = ()) -> dict[str, Floats]:
        """Return the steps of the measure, and the surrogates at the middle of each."""
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

    def error(self, alpha: float, latitudes: ArrayLike) -> float:
        """Return the mean absolute error of the surrogate at latitudes (r,) in
        radians."""
        off = self.surrogate(alpha, latitudes) - self.exact(latitudes)
        return float(np.abs(off).mean())

    def exact(self, latitudes: ArrayLike) -> Floats:
        """(r, 90) the exact measure at latitudes (r,) in radians."""
        return self.sphere.values(latitudes)

    def surrogate(self, alpha: float, latitudes: ArrayLike) -> Floats:
        """(r, 90) the surrogate at latitudes (r,) in radians."""
        return _surrogate_sphere(self, alpha, tuple(np.asarray(latitudes).tolist()))

    def table(self, latitudes: ArrayLike) -> dict[str, Floats]:
        """Return the exact measure in each direction, latitude by latitude."""
        across, up = np.meshgrid(self.sphere.longitudes, np.asarray(latitudes))
        return {
            "longitude": across.ravel(),
            "latitude": up.ravel(),
            self.measure: self.exact(latitudes).ravel(),
        }


@lru_cache(maxsize=64)
def _surrogate(scene: CurveScene, alpha: float) -> SmoothCurve:
    curve, learner = scene.curve, scene.learner_at(alpha)
    models = curve.models(curve.grid())
    values = landscape.smooth_at(learner, scene.ground, models)
    return model_curves.beside_exact(curve, scene.profile, values)


@lru_cache(maxsize=32)
def _surrogate_sphere(
    scene: SphereScene, alpha: float, latitudes: tuple[float, ...]
) -> Floats:
    up = np.array(latitudes)[:, None]
    models = directions.on_sphere(scene.sphere.longitudes, up).reshape(-1, 3)
    values = landscape.smooth_at(scene.learner_at(alpha), scene.ground, models)
    return values.reshape(len(latitudes), -1)
