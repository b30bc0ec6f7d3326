"""Models whose margins are shown: fitted for the view, or taken from Train."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from pages.ui.data import datasets
from pages.views.margins import _learner
from rankcore.algorithms import LinearRanker, StructuredRanker
from rankcore.data.dataset import RankingDataset
from rankcore.topics.margins import models as margin_models
from rankcore.topics.margins.models import LinearModel
from rankcore.training import Run
from rankcore.views import MORE, Listed, Number, Values


def fit(values: Values, other: StructuredRanker | None = None) -> LinearModel:
    """Return briefly trained coefficients; zero if the algorithm refuses the data."""
    algorithm = other or _learner.algorithm(values)
    parameters = tuple(sorted(algorithm.get_params().items()))
    return _fitted(values.data, values.normalise, type(algorithm).__name__, parameters)


@lru_cache(maxsize=64)
def _fitted(
    data: str, normalise: str, learner: str, parameters: tuple[tuple[str, Any], ...]
) -> LinearModel:
    algorithm = _learner.LEARNERS[learner](**dict(parameters))
    return margin_models.quick_model(algorithm, datasets.load(data, normalise).train)


def _train(values: Values) -> LinearModel | None:
    run = values.work("train/Run")
    linear = isinstance(run, Run) and isinstance(run.algorithm, LinearRanker)
    if not linear or not len(run.history):
        return None
    records, number = run.history.records, values.margin_round
    record = run.best if number < 0 else records[min(number, len(records) - 1)]
    note = f"{run.algorithm.title}, iteration {record.iteration}."
    return LinearModel(record.coef, note)


@lru_cache(maxsize=8)
def _plain(
    make: Callable[[RankingDataset], LinearModel], data: str, normalise: str
) -> LinearModel:
    return make(datasets.load(data, normalise).train)


def _of(
    make: Callable[[RankingDataset], LinearModel],
) -> Callable[[Values], LinearModel]:
    return lambda values: _plain(make, values.data, values.normalise)


# Label, function that returns the model, and remedy if there is none.
MODELS: Mapping[str, tuple[str, Callable[[Values], LinearModel | None], str]] = {
    "fit": ("Fitted with these settings", fit, ""),
    "train": ("The last run of Train", _train, "Train a linear model there first"),
    "least_squares": ("Least squares", _of(margin_models.least_squares), ""),
    "zero": ("No model, w = 0", _of(margin_models.zero), ""),
}
MODEL = Listed(
    "margin_model",
    "fit",
    "Model",
    names={name: label for name, (label, _, _) in MODELS.items()},
    group=MORE,
)
ROUND = Number(
    "margin_round",
    -1,
    "Record of the last run of Train",
    meaning="Counted from 0 in training order; −1: the best record.",
    low=-1,
    whole=True,
    box=True,
    group=MORE,
    shown_when=lambda values: values.margin_model == "train",
)


def model(values: Values) -> LinearModel | None:
    """Return the selected model; None if there is none for these data."""
    fitted = MODELS[values.margin_model][1](values)
    fits = fitted and len(fitted.coef) == datasets.of(values).train.n_features
    return fitted if fits else None


def missing(values: Values) -> str | None:
    """Return the reason why there is no model of the selected kind, as a sentence."""
    label, _, remedy = MODELS[values.margin_model]
    if model(values) is not None:
        return None
    return f"{label}: there is no model for these data yet. {remedy}, on these data."
