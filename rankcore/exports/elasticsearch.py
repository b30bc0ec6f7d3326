"""A linear model of the learning-to-rank plugins of Elasticsearch and OpenSearch.

The file is the body of a ``_createmodel`` request. Its definition is JSON within a JSON
string; a feature of the set that it leaves out has weight zero, and weights are read as
32-bit numbers. See
https://elasticsearch-learning-to-rank.readthedocs.io/en/latest/training-models.html.
"""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from rankcore.exports._format import ExportFormat, safe_names, used

if TYPE_CHECKING:
    from rankcore.algorithms import LinearRanker


class Elasticsearch(ExportFormat):
    """``model/linear`` with a weight for each feature by name."""

    name: ClassVar[str] = "elasticsearch"
    title: ClassVar[str] = "Elasticsearch / OpenSearch LTR"
    use: ClassVar[str] = (
        "Send it to `POST _ltr/_featureset/SET/_createmodel`, the set having features "
        "of the same names."
    )

    def feature_names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Safe names: they stand in scripts and addresses."""
        return safe_names(names)

    def write(self, model: "LinearRanker", name: str) -> str:
        names = self.feature_names(model.provenance_.feature_names)
        weights = {names[number]: weight for number, weight in used(model)}
        linear = {"type": "model/linear", "definition": json.dumps(weights)}
        content = {"model": {"name": name, "model": linear}}
        return json.dumps(content, indent=2) + "\n"
