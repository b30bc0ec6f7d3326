"""Base of the formats that list the features of a model for a search engine."""

import json
from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rankcore.studies.exports._format import (
    ExportFormat,
    keeps_missing,
    safe_names,
    used_features,
)

if TYPE_CHECKING:
    from rankcore.algorithms import Ranker


class FeatureSet(ExportFormat):
    """The features that a model needs, each the value of the field with its name."""

    use = (
        "Each feature is the value of the field of its name: replace the definitions "
        "of those that are computed otherwise, such as BM25, then upload it before "
        "the model."
    )
    holds_trees = True
    holds_model = False

    def feature_names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Safe names, as in the model."""
        return safe_names(names)

    def check(self, model: "Ranker", scaled_input: bool = False) -> None:
        """Check that the model is fitted; definitions do not depend on the scaling of
        features."""
        super().check(model, scaled_input=True)

    def write(self, model: "Ranker", name: str) -> str:
        fields = model.provenance_.feature_names
        names = self.feature_names(fields)
        features = [
            self.feature(names[number], fields[number], keeps_missing(model))
            for number in used_features(model) or range(1)
        ]
        return json.dumps(self.content(features), indent=2) + "\n"

    @abstractmethod
    def feature(self, name: str, field: str, missing: bool) -> dict[str, Any]:
        """Return a feature that is the value of a field; ``missing`` says whether the
        model distinguishes a missing field from the value 0."""

    @abstractmethod
    def content(self, features: list[dict[str, Any]]) -> Any:
        """Return the content of the file."""
