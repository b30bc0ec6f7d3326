"""Learner and loss, which most views of the Margins page have."""

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
# Training that a person waits for has limits of its own on iterations and precision.
PATIENCE = ("max_iter", "epsilon")
EXPLAIN = texts.tabs(__file__)
DATA = (shared.DATA, shared.NORMALISE)
SPLIT = dataclasses.replace(shared.PART, group=MORE)
# Column widths: the view's main figure, and those beside it.
WIDTHS = (9, 5)
LEARNER = Listed(
    "margin_learner",
    "SVMMAP",
    "Algorithm",
    names={name: cls.title for name, cls in LEARNERS.items()},
)


def name_of(values: Values) -> str:
    """Return the learner's name; a view may offer only some."""
    return str(values.get("margin_maps_learner", values.margin_learner))


@lru_cache(maxsize=16)
def loss_names(learner: str) -> tuple[str, ...]:
    """Return the names of a learner's losses."""
    two = RankingDataset.from_arrays([[1.0], [0.0]], [1, 0])
    return tuple(item.loss.name for item in LEARNERS[learner]().losses(two))


def _all_losses() -> list[str]:
    """All names of losses that a link may hold; building them compiles kernels."""
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
    """Return the learner that raw values choose."""
    return LEARNERS[LEARNER.fitted(raw.get(LEARNER.key), Values({}))]


def tuned(
    learner: type[StructuredRanker], without: tuple[str, ...] = ()
) -> list[Setting]:
    """Return the hyperparameters of a learner as settings, but for some; its C in sight
    if it has only one."""
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
    """Return the learner with its hyperparameters, at defaults without a setting."""
    learner = LEARNERS[name_of(values)]
    return learner(**values.of(learner))


def explain(values: Values) -> dict[str, str]:
    """Objective, reading and sources, and the learner of the view."""
    if "margin_learner" not in values:
        return EXPLAIN
    return EXPLAIN | {"The algorithm": texts.background(LEARNERS[name_of(values)])}
