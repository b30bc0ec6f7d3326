"""The settings of the landscape, and the scene that they select."""

import dataclasses
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from pages.ui import shared
from pages.ui.data import datasets
from rankcore.topics.approximation import landscape, model_curves, scenes
from rankcore.topics.approximation.scenes import CIRCLE, LINE, SHAPES
from rankcore.views import MORE, Choice, Listed, Number, Values

FEATURES = ("land_first", "land_second", "land_third")
ENDS = ("land_from", "land_to")
DATA = ("data", "normalise", "land_measure", "seed")
KEYS = (*DATA, "land_shape", *ENDS, *FEATURES, "land_queries")


def scene(values: Values) -> Any:
    """Return a `CurveScene`, or a `SphereScene` for the sphere."""
    return _scene(values.only(*KEYS))


@lru_cache(maxsize=16)
def _scene(chosen: tuple[tuple[str, Any], ...]) -> Any:
    values = Values(dict(chosen))
    source = values.data, values.normalise, values.seed
    line, ends = values.land_shape == LINE, (values[key] for key in ENDS)
    spanned_by = [_model(*source, end) for end in ends] if line else _columns(values)
    train, shape, queries = _sample(values)
    of = values.land_measure
    return scenes.scene(train, shape, spanned_by, of, queries, values.seed)


def names(values: Values) -> list[str]:
    """Return the names of the axes: features, or the models at the ends of the line."""
    if values.land_shape == LINE:
        return [_ends(values)[values[key]] for key in ENDS]
    every = datasets.of(values).train.feature_names
    return [every[j] for j in _columns(values)]


def refusal(values: Values) -> str | None:
    """Return the reason why nothing can be drawn, as a sentence."""
    return scenes.unsupported_reason(*_sample(values))


def queries_shown(values: Values) -> str:
    """Return the queries that the figures show, as a sentence."""
    return scenes.queries_drawn_text(*_sample(values))


def _sample(values: Values) -> tuple[Any, str, int]:
    return datasets.of(values).train, values.land_shape, values.land_queries


@lru_cache(maxsize=32)
def _model(data: str, normalise: str, seed: int, name: str) -> np.ndarray:
    return model_curves.end_model(name, datasets.load(data, normalise).train, seed)


@lru_cache(maxsize=32)
def _strongest(data: str, normalise: str) -> tuple[int, ...]:
    """Return all features, those that explain the labels best first."""
    return tuple(landscape.strongest_features(datasets.load(data, normalise).train))


def _left(place: int, values: Values) -> list[int]:
    """Return the features available for an axis, the strongest first."""
    if datasets.readable(values) is None:
        return []
    left = list(_strongest(values.data, values.normalise))
    for key in FEATURES[:place]:
        if left:
            left.remove(int(values[key] or left[0]))
    return left


def _columns(values: Values) -> list[int]:
    """Return the features of the axes: selected ones, else the strongest others."""
    axes = FEATURES[: SHAPES[values.land_shape].features]
    return [int(values[key] or _left(n, values)[0]) for n, key in enumerate(axes)]


def _features(place: int, values: Values) -> Mapping[str, str]:
    """Return the available features; the strongest is the unnamed default."""
    left = _left(place, values)
    every = datasets.of(values).train.feature_names if left else ()
    return {str(j) if n else "": every[j] for n, j in enumerate(left)}


def _is_axis(place: int, values: Values) -> bool:
    spans = values.land_shape != LINE and place < SHAPES[values.land_shape].features
    return spans and bool(_left(place, values))


def _ends(values: Values) -> Mapping[str, str]:
    """Return the models that can be the ends of a line, by name."""
    refused = datasets.refusals(values)
    algorithms = model_curves.linear_algorithms()
    return {model_curves.ZERO: "The zero model"} | {
        name: cls.title for name, cls in algorithms.items() if name not in refused
    }


def _queries(values: Values) -> tuple[int, int]:
    """Return the numbers of the queries that are drawn."""
    if datasets.readable(values) is None:
        return 1, 1
    return 1, scenes.drawn_queries(*_sample(values)).n_queries


def _query_names(values: Values) -> Sequence[str]:
    """Return the names of the queries that are drawn."""
    if datasets.readable(values) is None:
        return shared.NO_QUERY
    return scenes.drawn_queries(*_sample(values)).query_names


AXES = [
    *(
        Listed(
            key,
            default,
            label,
            meaning="The best model of a short training run.",
            names=_ends,
            every=lambda: (model_curves.ZERO, *model_curves.linear_algorithms()),
            group="Ends of the line",
            shown_when=lambda values: values.land_shape == LINE,
        )
        for key, default, label in (
            (ENDS[0], "LeastSquares", "From, at t = 0"),
            (ENDS[1], "RSRank", "To, at t = 1"),
        )
    ),
    *(
        shared.FeatureNumber(
            FEATURES[place],
            "",
            f"{ordinal} feature",
            meaning="The features that explain the labels best come first.",
            names=partial(_features, place),
            group="Features",
            shown_when=partial(_is_axis, place),
        )
        for place, ordinal in enumerate(("First", "Second", "Third"))
    ),
]
SHAPE = Choice(
    "land_shape",
    CIRCLE,
    "Models",
    meaning="All models between two models, all directions of two features, or all "
    "directions of three features.",
    names=tuple(SHAPES),
)
MEASURE = Listed(
    "land_measure",
    "nDCG",
    "Measure",
    meaning="Measures with a surrogate and an exact value along a line.",
    names=lambda values: list(scenes.learners()),
    every=lambda: list(scenes.learners()),
    group=MORE,
)
QUERIES = Number(
    "land_queries",
    6,
    "Queries",
    meaning="The first queries of the training data; fewer if lists are long.",
    low=1,
    high=20,
    whole=True,
    group=MORE,
)
# A choice among the drawn queries instead of a whole split.
QUERY = dataclasses.replace(shared.QUERY.beside(), limits=_queries, names=_query_names)
