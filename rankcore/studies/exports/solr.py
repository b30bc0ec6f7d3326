"""A model of Apache Solr's learning-to-rank module.

Solr reads weights and thresholds as 32-bit numbers and needs each feature listed. From
version 9.2 on (SOLR-16596), a node defines where a document with the feature NaN goes,
which is the value of missing features with that default; earlier versions refuse such a
model. See https://solr.apache.org/guide/solr/latest/query-guide/learning-to-rank.html.
"""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rankcore.studies.exports._file import JsonPart, ModelFile
from rankcore.studies.exports._format import (
    MOST_LEVELS,
    ExportFormat,
    keeps_missing,
    safe_names,
    terms,
)
from rankcore.studies.exports._reading import (
    Split,
    at_most,
    grown,
    single_linear_model,
    single_span,
    tree_model,
)
from rankcore.studies.exports._reading import single as read_single
from rankcore.studies.exports._trees import compared, last_left, nested, single

if TYPE_CHECKING:
    import numpy as np

    from rankcore.algorithms import LinearRanker, Ranker
    from rankcore.algorithms.parts.trees.forests import Tree

# Amount that Solr adds to each threshold when reading it.
_SLACK = 1e-6
_CLASS = "org.apache.solr.ltr.model."
_LINEAR, _TREES = "LinearModel", "MultipleAdditiveTreesModel"
_WAYS = {"left": -1.0, "right": 1.0}
# Normalizers by class: names of the shift, and of the limit or the deviation.
_NORMALIZERS = {
    "StandardNormalizer": ("avg", "std"),
    "MinMaxNormalizer": ("min", "max"),
}
_URL = "http://localhost:8983/solr/COLLECTION"


class Solr(ExportFormat):
    """``LinearModel`` or ``MultipleAdditiveTreesModel`` with named features."""

    name = "solr"
    title = "Solr LTR"
    use = (
        "Upload it to the collection's model store, its features being in the feature "
        "store under the same names."
    )
    holds_trees = True
    holds_missing = True
    most_levels = MOST_LEVELS

    def recognises(self, file: ModelFile) -> bool:
        kind = None if file.json is None else file.json.get("class")
        return kind is not None and f"{kind.plain}".startswith(_CLASS)

    def read(self, file: ModelFile) -> "Ranker":
        assert file.json is not None
        kind = file.json.at("class")
        scales = _scales(file.json.at("features"))
        if kind.text == f"{_CLASS}{_LINEAR}":
            return _linear(file.json.at("params", "weights"), scales)
        if kind.text != f"{_CLASS}{_TREES}":
            raise kind.refusal(f"the model is neither {_LINEAR} nor {_TREES}")
        if any(scale != (0.0, 1.0) for scale in scales.values()):
            raise file.json.at("features").refusal("features of trees are normalised")
        return _forest(file.json.at("params"), list(scales))

    def feature_names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Safe names, because Solr logs features as ``name=value,name=value``."""
        return safe_names(names)

    def write_linear(self, model: "LinearRanker", name: str) -> str:
        names = self.feature_names(model.provenance_.feature_names)
        weights = {names[number]: weight for number, weight in terms(model)}
        return _file(_LINEAR, name, list(weights), {"weights": weights}, indent=2)

    def write_trees(self, trees: "Sequence[Tree]", model: "Ranker", name: str) -> str:
        names = self.feature_names(model.provenance_.feature_names)
        features = [names[number] for number in compared(trees)] or [names[0]]
        rooted = [{"weight": "1", "root": _rooted(tree, names)} for tree in trees]
        nulls = {"isNullSameAsZero": False} if keeps_missing(model) else {}
        return _file(_TREES, name, features, {**nulls, "trees": rooted}, indent=None)

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
        "class": f"{_CLASS}{kind}",
        "name": name,
        "features": [{"name": feature} for feature in features],
        "params": params,
    }
    return json.dumps(content, indent=indent) + "\n"


def _rooted(tree: "Tree", names: Sequence[str]) -> dict[str, Any]:
    """Return a tree for Solr: numbers as strings, left if at most the threshold."""
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
    """Return a single-precision number that becomes the threshold when Solr reads it.

    Below 1e-5, Solr's sums have steps of up to 1e-12: the result is then the next sum
    above, or below if a negative threshold would become 0.
    """
    import numpy as np

    slack = np.float32(_SLACK)
    down, up = np.float32(-np.inf), np.float32(np.inf)
    bound = threshold - slack
    while bound + slack < threshold:
        bound = np.nextafter(bound, up)
    while bound + slack > threshold:
        lower = np.nextafter(bound, down)
        if lower + slack < threshold:
            crosses = threshold < 0 <= bound + slack
            return lower if crosses else bound
        bound = lower
    return bound


def _scales(features: JsonPart) -> dict[str, tuple[float, float]]:
    """Return the shift and the divisor of each feature."""
    scales: dict[str, tuple[float, float]] = {}
    for feature in features.each():
        name, scale = feature.at("name").text, (0.0, 1.0)
        if name in scales:
            raise feature.at("name").fault("the feature is listed twice")
        norm = feature.get("norm")
        kind = "" if norm is None else norm.at("class").text.rpartition(".")[2]
        if norm is not None and kind in _NORMALIZERS:
            shift, other = (norm.at("params", one).number for one in _NORMALIZERS[kind])
            is_standard = kind == "StandardNormalizer"
            scale = shift, other if is_standard else single_span(shift, other)
        elif kind not in ("", "IdentityNormalizer"):
            raise feature.at("norm").refusal("the normalizer is unknown")
        if not scale[1]:
            raise feature.at("norm").fault("the normalizer divides by 0")
        if kind == "StandardNormalizer" and scale[1] < 0.0:
            raise feature.at("norm").fault("the deviation is negative")
        scales[name] = scale
    return scales


def _linear(weights: JsonPart, scales: dict[str, tuple[float, float]]) -> "Ranker":
    linear = {name: weight.number for name, weight in weights.items()}
    for name in scales:
        weights.at(name)
    linear = {name: linear[name] for name in scales}
    return single_linear_model(linear, scales, weights.file)


def _forest(params: JsonPart, names: list[str]) -> "Ranker":
    import numpy as np

    nulls = params.get("isNullSameAsZero")
    keeps = nulls is not None and f"{nulls.plain}".lower() == "false"
    places = {name: number for number, name in enumerate(names)}

    def look(node: JsonPart) -> float | Split:
        if (value := node.get("value")) is not None:
            return read_single(value)
        feature = node.at("feature")
        if feature.text not in places:
            raise feature.fault("the model does not list this feature")
        way = node.at("missing") if keeps else None
        if way is not None and way.text not in _WAYS:
            raise way.fault("this is neither left nor right")
        threshold = np.float32(read_single(node.at("threshold")))
        return Split(
            places[feature.text],
            at_most(float(threshold + np.float32(_SLACK))),
            node.at("left"),
            node.at("right"),
            0.0 if way is None else _WAYS[way.text],
        )

    trees = [
        grown(tree.at("root"), look, read_single(tree.at("weight")))
        for tree in params.at("trees").each()
    ]
    return tree_model(names, trees, params.file, single=True)
