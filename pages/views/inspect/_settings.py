"""The settings of the Inspector."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pages.ui import shared
from pages.ui.away.origins import ORIGINS
from pages.ui.data import datasets, models
from pages.views.inspect import _models
from rankcore.topics.inspect import edits, inspection
from rankcore.topics.inspect.importance import PERMUTATION, REFIT
from rankcore.views import MORE, Choice, Listed, Number, Text, Values, past

IDEAL, FILE, FEATURE_PREFIX = "ideal", "file", "feature:"
WORST, DIFFERENT = "worst", "different"


@dataclass(frozen=True)
class ModelSetting(Listed):
    """A run, a file, or an algorithm as an example; a missing one stays selected, so
    that an error names it."""

    def labels(self, values: Values) -> dict[str, str]:
        """Return the titles, including that of another visitor's run in a link."""
        titles, key = super().labels(values), str(values.get(self.key) or "")
        name = None if key in titles else past.title_of(key)
        return titles if name is None else titles | {key: name}

    def examples(self, values: Values) -> tuple[str, ...]:
        return ("", "LeastSquares", "no-such-run")


@dataclass(frozen=True)
class OrderSetting(ModelSetting):
    """A model, or an order without a model."""

    def examples(self, values: Values) -> tuple[str, ...]:
        return ("LeastSquares", "", FILE, IDEAL, f"{FEATURE_PREFIX}no such")


def _orders(values: Values) -> dict[str, str]:
    """Return the second orders on offer."""
    examples = _models.names(values)
    splits = datasets.readable(values)
    names = () if splits is None else splits.train.feature_names
    features = {f"{FEATURE_PREFIX}{name}": f"Feature: {name}" for name in names}
    orders = {IDEAL: "The ideal order alone", FILE: "The order of the file"}
    return orders | examples | models.RANKINGS.names() | features


def _chosen(values: Values, run: Any) -> Mapping[str, Any]:
    """Return the settings with a model and its training data."""
    return {"run": run, shared.AT.key: "", **_models.data_of(run, values)}


def _at(row: Listed, of: str) -> Listed:
    """Return the iteration setting of the run that the setting ``of`` names."""
    return replace(
        row,
        names=lambda values: _models.iterations(values[of], values) or {"": "best"},
        group=MORE,
        shown_when=lambda values: bool(_models.iterations(values[of], values)),
    )


RUN = ModelSetting(
    "run",
    "",
    "Model",
    meaning="A stored run, the run on the Train page, a model file, or an example. "
    "Type to search, or enter the id of a run.",
    names=_models.names,
    reads=lambda text: text.strip(),
    writes=_chosen,
)
ITERATION = _at(shared.AT, "run")
BESIDE = OrderSetting(
    "beside",
    "LeastSquares",
    "Second order",
    meaning="Another model, rankings uploaded on Data, a feature, or the file’s order.",
    names=_orders,
    reads=lambda text: text.strip(),
)
BESIDE_ITERATION = _at(
    replace(shared.AT, key="beside_at", label="Iteration of the second order"),
    "beside",
)
SURROGATE = Listed(
    "surrogate",
    "",
    "Forces of",
    meaning="The algorithm whose surrogate gives the forces; its objective must have "
    "derivatives by the scores. The model's own keeps the model's hyperparameters.",
    names=lambda values: (
        {"": "the model’s own"}
        | {name: cls.title for name, cls in inspection.surrogates().items()}
    ),
    inline=True,
)
ROWS = Number(
    "inspect_rows",
    16,
    "Documents shown",
    meaning="Number of documents from the top of each order.",
    low=5,
    high=40,
    whole=True,
    group=MORE,
)
IMPORTANCE = Choice(
    "importance_by",
    PERMUTATION,
    "Importance by",
    meaning="Permute a feature within queries, identically for all models, or retrain "
    "linear models without it.",
    names={PERMUTATION: "permutation", REFIT: "retraining"},
    group=MORE,
)
DOCUMENT = Text(
    "inspect_document", "", "Document", fault=shared.no_document, inline=True
)
EDITS = Text("edits", "", "Changes of documents", fault=edits.fault, inline=True)
FEATURE = Listed("inspect_feature", "", "Feature", inline=True)
SORTED = Choice(
    "queries_by",
    WORST,
    "Sorted by",
    names={WORST: "Worst first", DIFFERENT: "Largest rank difference first"},
    inline=True,
    bare=True,
)
SEARCH = Text(
    "find", "", "Search queries", meaning="Words in a query, or its name.", inline=True
)
PART = shared.PART.beside()
QUERY = shared.QUERY.beside()
# Settings that figures over all queries do not depend on.
OF_QUERY = (ROWS, QUERY, SURROGATE, DOCUMENT, EDITS, FEATURE, SORTED, SEARCH, ORIGINS)
# All except the changed document, on whose values the others depend.
FIRST = (
    shared.DATA,
    RUN,
    BESIDE,
    shared.MEASURE,
    ITERATION,
    BESIDE_ITERATION,
    shared.NORMALISE,
    shared.WITHOUT,
    shared.SEED,
    shared.CONVENTION,
    IMPORTANCE,
    PART,
    *OF_QUERY,
)
