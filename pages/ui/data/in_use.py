"""The model in use, with which a new model is compared before export."""

from collections.abc import Mapping

import numpy as np

from pages.ui.data import models
from pages.ui.serving import visitor
from rankcore.data.dataset import RankingDataset
from rankcore.studies.models import document_scores
from rankcore.topics.compare.replacing import column_scores
from rankcore.views import past

COLUMN = "column:"


def names(dataset: RankingDataset) -> dict[str, str]:
    """Return the choices for the model in use: none, a model file, a stored run, or a
    column with its scores."""
    runs: Mapping[str, str] = past.recent(visitor.owner())
    scores = dataset.doc_scores or {}
    columns = {f"{COLUMN}{name}": f"Score column: {name}" for name in scores} | {
        f"{COLUMN}{name}": f"Feature: {name}"
        for name in dataset.feature_names
        if name not in scores
    }
    best = {key: f"{name}, best model" for key, name in runs.items()}
    return {"": "None"} | models.names() | columns | best


def scores(name: str, dataset: RankingDataset) -> np.ndarray:
    """(n,) scores of the documents under the model in use. Raises ValueError if it is
    missing, or scores other features."""
    if name.startswith(COLUMN):
        return column_scores(dataset, name.removeprefix(COLUMN))
    file = models.MODELS.get(name)
    if file is not None:
        return document_scores(file[2], dataset)
    stored = past.stored(name)
    try:
        model = None if stored is None else stored.model()
    except KeyError:
        model = None
    if model is None:
        raise ValueError("This run keeps no model. Choose another one.")
    return document_scores(model, dataset)
