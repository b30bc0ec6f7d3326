"""The scene that the settings of the landscape choose, and the settings themselves."""

import dataclasses
from collections.abc import Mapping
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np

from pages.ui import shared
from pages.ui.data import datasets
from rankcore.dataset import RankingDataset
from rankcore.insight import landscape, model_curves
from rankcore.insight.model_curves import ZERO, end_model
from rankcore.insight.scenes import CurveScene, SphereScene
from rankcore.numbers import quoted
from rankcore.views import MORE, Choice, Listed, Number, Values

LINE, CIRCLE, SPHERE = "Line", "Circle", "Sphere"
# How many models or features span a shape, and how many documents are drawn at most.
SPANNED_BY = {LINE: 2, CIRCLE: 2, SPHERE: 3}
MOST_DOCUMENTS = {LINE: 800, CIRCLE: 800, SPHERE: 400}
FEATURES = ("land_first", "land_second", "land_third")
ENDS = ("land_from", "land_to")
DATA = ("data", "normalise", "land_measure", "seed")
KEYS = (*DATA, "land_shape", *ENDS, *FEATURES, "land_queries")


def scene(values: Values) -> Any:
    """A `CurveScene`, or a `SphereScene` for the sphere."""
    return _scene(values.only(*KEYS))


def names(values: Values) -> list[str]:
    """The names of the axes: features, or the models at the ends of the line."""
    if values.land_shape == LINE:
        return [_ends(values)[values[key]] for key in ENDS]
    every = datasets.of(values).train.feature_names
    return [every[j] for j in _columns(values)]


def refusal(values: Values) -> str | None:
    """Why there is nothing to draw, as a sentence."""
    train, shape = datasets.of(values).train, values.land_shape
    wanted = 1 if shape == LINE else SPANNED_BY[shape]
    if train.n_features < wanted:
        return (
            f"The {shape.lower()} needs {wanted} features and this data has "
            f"{train.n_features}. Choose other data, or the line."
        )
    data = landscape.few_queries(train, *_most(values))
    # A single query may be longer than all that are drawn at once otherwise.
    if data.n_documents > 1.5 * MOST_DOCUMENTS[shape]:
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


def queries_shown(values: Values) -> str:
    """Which queries the figures show, as a sentence."""
    data, train = scene(values).ground, datasets.of(values).train
    wanted, most = _most(values)
    limited = data.n_queries < min(wanted, train.n_queries)
    return (
        "Means over the queries with relevant documents among the first "
        f"{data.n_queries} of {train.n_queries:,} training queries "
        f"({data.n_documents} documents"
        f"{f', no more than {most} together' if limited else ''})."
    )


@cache
def learners() -> Mapping[str, Any]:
    """By measure, the algorithm that optimises its surrogate."""
    return landscape.smooth_measures(RankingDataset.from_arrays(np.eye(2), [0, 1]))


@lru_cache(maxsize=16)
def _scene(chosen: tuple[tuple[str, Any], ...]) -> CurveScene | SphereScene:
    values = Values(dict(chosen))
    train, most = datasets.of(values).train, _most(values)
    learner = learners()[values.land_measure]
    seeded = type(learner)(**{**learner.get_params(), "random_state": values.seed})
    if values.land_shape == LINE:
        source = values.data, values.normalise, values.seed
        ends = [_model(*source, values[key]) for key in ENDS]
        ground = model_curves.model_ground(train, ends, *most)
        return CurveScene(ground, values.land_measure, seeded, model_curves.LINE)
    ground = model_curves.feature_ground(train, _columns(values), *most)
    if values.land_shape == SPHERE:
        return SphereScene(ground, values.land_measure, seeded)
    return CurveScene(ground, values.land_measure, seeded, model_curves.CIRCLE)


@lru_cache(maxsize=32)
def _model(data: str, normalise: str, seed: int, name: str) -> np.ndarray:
    return end_model(name, datasets.load(data, normalise).train, seed)


def _most(values: Values) -> tuple[int, int]:
    """How many queries and documents are drawn at most."""
    return values.land_queries, MOST_DOCUMENTS[values.land_shape]


@lru_cache(maxsize=32)
def _strongest(data: str, normalise: str) -> tuple[int, ...]:
    """All features, those first that explain the labels best."""
    return tuple(landscape.strongest_features(datasets.load(data, normalise).train))


def _left(place: int, values: Values) -> list[int]:
    """The features that are left for a place among the axes, the strongest first."""
    if datasets.readable(values) is None:
        return []
    left = list(_strongest(values.data, values.normalise))
    for key in FEATURES[:place]:
        if left:
            left.remove(int(values[key] or left[0]))
    return left


def _columns(values: Values) -> list[int]:
    """The features that are the axes: those chosen, else the strongest that is left."""
    places = range(SPANNED_BY[values.land_shape])
    return [int(values[FEATURES[n]] or _left(n, values)[0]) for n in places]


def _features(place: int, values: Values) -> Mapping[str, str]:
    """The features to choose from; the strongest one is the default, without a name."""
    left = _left(place, values)
    every = datasets.of(values).train.feature_names if left else ()
    return {str(j) if n else "": every[j] for n, j in enumerate(left)}


def _is_axis(place: int, values: Values) -> bool:
    spans = values.land_shape != LINE and place < SPANNED_BY[values.land_shape]
    return spans and bool(_left(place, values))


def _ends(values: Values) -> Mapping[str, str]:
    """The models that can be the ends of a line, by name."""
    refused = datasets.refusals(values.data)
    found = model_curves.linear_algorithms()
    return {ZERO: "The zero model"} | {
        name: cls.title for name, cls in found.items() if name not in refused
    }


@dataclasses.dataclass(frozen=True)
class Feature(Listed):
    """A feature by its number, counted from 0; empty: the strongest that is left."""

    def check(self, value: Any) -> Any:
        if value == "" or str(value).isdecimal():
            return str(value)
        raise ValueError(
            f"{self.key} must be the number of a feature, not {quoted(str(value))}"
        )


def _queries(values: Values) -> tuple[int, int]:
    """The numbers of the queries that are drawn."""
    found = datasets.readable(values)
    if found is None:
        return (1, 1)
    return (1, landscape.few_queries(found.train, *_most(values)).n_queries)


SHAPE = Choice(
    "land_shape",
    CIRCLE,
    "Models",
    meaning="All models between two models, all directions of two features, or all "
    "directions of three features.",
    names=tuple(SPANNED_BY),
)
AXES = [
    *(
        Listed(
            key,
            default,
            label,
            meaning="The best model of a training run of less than a second.",
            names=_ends,
            every=lambda: (ZERO, *model_curves.linear_algorithms()),
            shown_when=lambda values: values.land_shape == LINE,
        )
        for key, default, label in (
            ("land_from", "LeastSquares", "From, at t = 0"),
            ("land_to", "RSRank", "To, at t = 1"),
        )
    ),
    *(
        Feature(
            key,
            "",
            f"{ordinal} feature",
            meaning="The features that explain the labels best come first.",
            names=partial(_features, place),
            shown_when=partial(_is_axis, place),
        )
        for place, (key, ordinal) in enumerate(
            zip(FEATURES, ("First", "Second", "Third"), strict=True)
        )
    ),
]
MEASURE = Listed(
    "land_measure",
    "nDCG",
    "Measure",
    meaning="Measures that have a surrogate and can be computed exactly along a line.",
    names=lambda values: list(learners()),
    every=lambda: list(learners()),
    group=MORE,
)
QUERIES = Number(
    "land_queries",
    6,
    "Queries",
    meaning="The first queries of the training data; fewer where lists are long.",
    low=1,
    high=20,
    whole=True,
    group=MORE,
)
# One of the queries that are drawn, rather than of a split.
QUERY = dataclasses.replace(shared.QUERY.beside(), limits=_queries)
