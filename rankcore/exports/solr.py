"""A linear model of Apache Solr's learning-to-rank module.

Solr reads the weights as 32-bit numbers and needs one for each feature listed; see
https://solr.apache.org/guide/solr/latest/query-guide/learning-to-rank.html.
"""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from rankcore.exports._format import ExportFormat, safe_names, used

if TYPE_CHECKING:
    from rankcore.algorithms import LinearRanker


class Solr(ExportFormat):
    """``LinearModel`` with its features by name and a weight each."""

    name: ClassVar[str] = "solr"
    title: ClassVar[str] = "Solr LTR"
    use: ClassVar[str] = (
        "Upload it with `curl -XPUT http://HOST:8983/solr/COLLECTION/schema/"
        "model-store --data-binary @FILE -H Content-type:application/json`, its "
        "features being in the feature store under the same names."
    )

    def feature_names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Safe names: Solr logs features as ``name=value,name=value``."""
        return safe_names(names)

    def write(self, model: "LinearRanker", name: str) -> str:
        names = self.feature_names(model.provenance_.feature_names)
        weights = {names[number]: weight for number, weight in used(model)}
        content = {
            "class": "org.apache.solr.ltr.model.LinearModel",
            "name": name,
            "features": [{"name": feature} for feature in weights],
            "params": {"weights": weights},
        }
        return json.dumps(content, indent=2) + "\n"
