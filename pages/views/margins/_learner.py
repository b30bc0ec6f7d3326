"""Algorithm and loss, the settings shared by most views of the Margins page."""

import dataclasses
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pages.ui import shared, texts
from rankcore.algorithms import StructuredRanker
from rankcore.base.hyperparameters import hyperparameters
from rankcore.data.dataset import RankingDataset
from rankcore.topics.margins import rounds as margin_rounds
from rankcore.views import MORE, Listed, Setting, Values, declared

LEARNERS = margin_rounds.structured_algorithms()
# Interactive training has its own limits on iterations and precision.
PATIENCE = ("max_iter", "epsilon")
EXPLAIN = texts.tabs(__file__)
DATA = (shared.DATA, shared.NORMALISE)
SPLIT = dataclasses.replace(shared.PART, group=MORE)
# Column widths: the view's main figure, and the figures beside it.
WIDTHS = (9, 5)
LEARNER = Listed(
    "margin_learner",
    "SVMMAP",
    "Algorithm",
    names={name: cls.title for name, cls in LEARNERS.items()},
)


def name_of(values: Values) -> str:
    """Return the algorithm's name; a view may offer a subset."""
    return str(values.get("margin_maps_learner", values.margin_learner))


@lru_cache(maxsize=16)
def loss_names(learner: str) -> tuple[str, ...]:
    """Return the names of an algorithm's losses."""
    two = RankingDataset.from_arrays([[1.0], [0.0]], [1, 0])
    return tuple(item.loss.name for item in LEARNERS[learner]().losses(two))


def _all_losses() -> list[str]:
    """Return all loss names that a link may contain; building them compiles kernels."""
    return ["", *dict.fromkeys(each for name in LEARNERS for each in loss_names(name))]


LOSS = Listed(
    "margin_loss",
    "",
    "Loss",
    names=lambda values: {name: f"1 − {name}" for name in loss_names(name_of(values))},
    every=_all_losses,
    shown_when=lambda values: len(loss_names(name_of(values))) > 1,
    studied=False,
)


def learner_of(raw: Mapping[str, Any]) -> type[StructuredRanker]:
    """Return the algorithm that raw values select."""
    return LEARNERS[LEARNER.fitted(raw.get(LEARNER.key), Values({}))]


def tuned(
    learner: type[StructuredRanker], without: tuple[str, ...] = ()
) -> list[Setting]:
    """Return the hyperparameters of an algorithm as settings, except some; a single C
    is shown openly."""
    weights = margin_rounds.slack_weights(learner())
    rows: list[Setting] = []
    for name in hyperparameters(learner):
        group = MORE
        if name in weights:
            group = "Weights C" if len(weights) > 1 else ""
        if name not in ("random_state", *without):
            rows += declared(learner, name, group=group)
    return rows


def algorithm(values: Values) -> StructuredRanker:
    """Return the algorithm with its hyperparameters, or defaults without a setting."""
    learner = LEARNERS[name_of(values)]
    return learner(**values.of(learner))


def explain(values: Values) -> dict[str, str]:
    """Return the tabs on objective, reading, sources and the view's algorithm."""
    if "margin_learner" not in values:
        return EXPLAIN
    return EXPLAIN | {"The algorithm": texts.background(LEARNERS[name_of(values)])}
