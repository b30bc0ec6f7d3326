"""A model of Apache Solr's learning-to-rank module.

Solr reads weights and thresholds as 32-bit numbers and needs each feature listed. From
version 9.2 on (SOLR-16596), a node says where a document goes whose feature is NaN, as
features of that default value are if the document has none; earlier versions refuse
such a model. See
https://solr.apache.org/guide/solr/latest/query-guide/learning-to-rank.html.
"""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from rankcore.studies.exports._format import (
    ExportFormat,
    keeps_missing,
    safe_names,
    used,
)
from rankcore.studies.exports._trees import compared, last_left, nested, single

if TYPE_CHECKING:
    import numpy as np

    from rankcore.algorithms import LinearRanker, Ranker
    from rankcore.algorithms.parts.forests import Tree

# What Solr adds to each threshold as it reads it.
_SLACK = 1e-6
_URL = "http://localhost:8983/solr/COLLECTION"


class Solr(ExportFormat):
    """``LinearModel`` or ``MultipleAdditiveTreesModel`` with the features by name."""

    name: ClassVar[str] = "solr"
    title: ClassVar[str] = "Solr LTR"
    use: ClassVar[str] = (
        "Upload it to the collection's model store, its features being in the feature "
        "store under the same names."
    )
    holds_trees: ClassVar[bool] = True
    holds_missing: ClassVar[bool] = True

    def feature_names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Safe names: Solr logs features as ``name=value,name=value``."""
        return safe_names(names)

    def write_linear(self, model: "LinearRanker", name: str) -> str:
        names = self.feature_names(model.provenance_.feature_names)
        weights = {names[number]: weight for number, weight in used(model)}
        return _file("LinearModel", name, list(weights), {"weights": weights}, indent=2)

    def write_trees(self, trees: "Sequence[Tree]", model: "Ranker", name: str) -> str:
        names = self.feature_names(model.provenance_.feature_names)
        features = [names[number] for number in compared(trees)] or [names[0]]
        rooted = [{"weight": "1", "root": _rooted(tree, names)} for tree in trees]
        kind = "MultipleAdditiveTreesModel"
        nulls = {"isNullSameAsZero": False} if keeps_missing(model) else {}
        return _file(kind, name, features, {**nulls, "trees": rooted}, indent=None)

    def commands(self, name: str, file: str) -> str:
        return (
            f"curl -XPUT {_URL}/schema/model-store -H Content-type:application/json "
            f"--data-binary @{file}\n"
            f"curl -G {_URL}/query --data-urlencode q=WORDS --data-urlencode "
            f"'rq={{!ltr model={name} reRankDocs=100}}' --data-urlencode "
            "'fl=id,score,[features]'\n"
        )


def _file(
    kind: str,
    name: str,
    features: Sequence[str],
    params: dict[str, Any],
    indent: int | None,
) -> str:
    content = {
        "class": f"org.apache.solr.ltr.model.{kind}",
        "name": name,
        "features": [{"name": feature} for feature in features],
        "params": params,
    }
    return json.dumps(content, indent=indent) + "\n"


def _rooted(tree: "Tree", names: Sequence[str]) -> dict[str, Any]:
    """Return a tree as Solr reads it: numbers as strings, left where at most the
    threshold."""
    missing = {-1.0: {"missing": "left"}, 1.0: {"missing": "right"}}
    return nested(
        tree,
        lambda node: {"value": str(single(tree.value[node]))},
        lambda node, left, right: {
            "feature": names[int(tree.feature[node])],
            "threshold": str(single(_before_slack(last_left(tree.threshold[node])))),
            **missing.get(float(tree.value[node]), {}),
            "left": left,
            "right": right,
        },
    )


def _before_slack(threshold: "np.float32") -> "np.float32":
    """Return a single number that is the threshold once Solr has read it.

    Between numbers below 1e-5, Solr's sums have steps of up to 1e-12: then it becomes
    the next sum above, or below where a negative threshold would become 0.
    """
    import numpy as np

    slack = np.float32(_SLACK)
    down, up = np.float32(-np.inf), np.float32(np.inf)
    found = threshold - slack
    while found + slack < threshold:
        found = np.nextafter(found, up)
    while found + slack > threshold:
        lower = np.nextafter(found, down)
        if lower + slack < threshold:
            crosses = threshold < 0 <= found + slack
            return lower if crosses else found
        found = lower
    return found
