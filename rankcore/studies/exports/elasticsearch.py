"""A model of the learning-to-rank plugins of Elasticsearch and OpenSearch.

The file is the body of a ``_createmodel`` request. Its definition is JSON within a JSON
string. In a linear model, omitted features of the set have weight zero. Weights are
read as 32-bit numbers and added as such, in the order of the set, or of the definition
if the file has no set. Trees have the form of XGBoost's JSON: a document goes to
``yes`` if its feature, a 32-bit number, is less than the condition. See
https://elasticsearch-learning-to-rank.readthedocs.io/en/latest/training-models.html.

For a missing feature, some versions of the plugins use 0, some go to ``no`` and some to
``missing``. A file cannot specify which, so models trained on missing values are
refused.
"""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rankcore.studies.exports import ranklib, xgboost
from rankcore.studies.exports._file import JsonPart, ModelFile
from rankcore.studies.exports._format import (
    MOST_LEVELS,
    ExportFormat,
    safe_names,
    terms,
)
from rankcore.studies.exports._reading import (
    single_linear_model,
    single_span,
    tree_model,
)
from rankcore.studies.exports._trees import first_right, levels, nested, single

if TYPE_CHECKING:
    from rankcore.algorithms import LinearRanker, Ranker
    from rankcore.algorithms.parts.trees.forests import Tree


class Elasticsearch(ExportFormat):
    """``model/linear`` with a weight for each feature by name, or
    ``model/xgboost+json``."""

    name = "elasticsearch"
    title = "Elasticsearch / OpenSearch LTR"
    use = (
        "Send it to `POST _ltr/_featureset/SET/_createmodel`, the set having features "
        "of the same names. With `query_weight` 0 the model alone scores the first "
        "`window_size` documents; all others score 0, which is above a negative score "
        "of the model, so let the window hold all results that you show."
    )
    holds_trees = True
    most_levels = MOST_LEVELS

    def recognises(self, file: ModelFile) -> bool:
        return file.json is not None and _model(file.json) is not None

    def read(self, file: ModelFile) -> "Ranker":
        assert file.json is not None
        stored = file.json.get("_source") or file.json
        inner = stored.at("model", "model")
        kind, definition = inner.at("type"), inner.at("definition")
        scales = _scales(inner.get("feature_normalizers"))
        if kind.text == "model/ranklib":
            return _ranklib(definition, stored, scales)
        if isinstance(definition.plain, str):
            definition = _parsed(definition)
        if kind.text == "model/linear":
            weights = {name: one.number for name, one in definition.items()}
            if listed := _set_features(stored):
                if others := [name for name in weights if name not in listed]:
                    problem = "the feature set lacks this feature"
                    raise definition.at(others[0]).fault(problem)
                weights = {name: weights[name] for name in listed if name in weights}
            return single_linear_model(weights, scales, definition.file)
        _refuse_scales(inner, scales)
        if kind.text == "model/xgboost+json+raw":
            return xgboost.model_of(definition)
        if kind.text != "model/xgboost+json":
            raise kind.refusal("the type of the model is unknown")
        names, trees = xgboost.dumped(definition.get("splits") or definition)
        return tree_model(names, trees, file, single=True)

    def feature_names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Safe names, for scripts and URLs."""
        return safe_names(names)

    def write_linear(self, model: "LinearRanker", name: str) -> str:
        names = self.feature_names(model.provenance_.feature_names)
        weights = {names[number]: weight for number, weight in terms(model)}
        return _body(name, "model/linear", json.dumps(weights))

    def write_trees(self, trees: "Sequence[Tree]", model: "Ranker", name: str) -> str:
        names = self.feature_names(model.provenance_.feature_names)
        definition = [_rooted(tree, names) for tree in trees]
        return _body(name, "model/xgboost+json", json.dumps(definition))

    def commands(self, name: str, file: str) -> str:
        search = {
            "query": {"match": {"FIELD": "WORDS"}},
            "rescore": {
                "window_size": 100,
                "query": {
                    "query_weight": 0,
                    "rescore_query": {
                        "sltr": {"params": {"keywords": "WORDS"}, "model": name}
                    },
                },
            },
        }
        return (
            "curl -XPOST http://localhost:9200/_ltr/_featureset/SET/_createmodel "
            f"-H Content-Type:application/json -d @{file}\n"
            "curl http://localhost:9200/INDEX/_search -H Content-Type:application/json "
            f"-d '{json.dumps(search)}'\n"
        )


def _body(name: str, kind: str, definition: str) -> str:
    content = {
        "model": {"name": name, "model": {"type": kind, "definition": definition}}
    }
    return json.dumps(content, indent=2) + "\n"


def _rooted(tree: "Tree", names: Sequence[str]) -> dict[str, Any]:
    """Return a tree in XGBoost's form. A missing value goes where 0 goes."""
    depth = levels(tree)

    def leaf(node: int) -> dict[str, Any]:
        return {"nodeid": node, "leaf": single(tree.value[node]), "depth": depth[node]}

    def split(node: int, branch: Any, right: Any) -> dict[str, Any]:
        condition = first_right(tree.threshold[node])
        return {
            "nodeid": node,
            "depth": depth[node],
            "split": names[int(tree.feature[node])],
            "split_condition": single(condition),
            "yes": branch["nodeid"],
            "no": right["nodeid"],
            "missing": (branch if condition > 0 else right)["nodeid"],
            "children": [branch, right],
        }

    return nested(tree, leaf, split)


def _model(content: JsonPart) -> JsonPart | None:
    """Return the model in the body of a request, or in a response that contains it."""
    stored = content.get("_source") or content
    inner = stored.get("model", "model")
    return None if inner is None or inner.get("definition") is None else inner


def _parsed(definition: JsonPart) -> JsonPart:
    """Return a definition parsed from JSON in a text."""
    file = definition.file
    inner = ModelFile(definition.text, f"{file.name}, {definition.place}")
    if inner.json is None:
        raise definition.fault("this is not JSON, or too deeply nested")
    return inner.json


def _scales(normalizers: JsonPart | None) -> dict[str, tuple[float, float]]:
    """Return the shift and the divisor of each feature."""
    scales: dict[str, tuple[float, float]] = {}
    for name, one in normalizers.items() if normalizers is not None else ():
        if (standard := one.get("standard")) is not None:
            scale = standard.at("mean").number, standard.at("standard_deviation").number
        else:
            limits = one.at("min_max")
            shift, most = (limits.at(side).number for side in ("minimum", "maximum"))
            scale = shift, single_span(shift, most)
        if not scale[1]:
            raise one.fault("the normalizer divides by 0")
        scales[name] = scale
    return scales


def _refuse_scales(inner: JsonPart, scales: dict[str, tuple[float, float]]) -> None:
    if scales:
        raise inner.at("feature_normalizers").refusal("features are normalised")


def _set_features(stored: JsonPart) -> list[str]:
    """Return the features of the model's set, in its order; none if the file has no
    set."""
    features = stored.get("model", "feature_set", "features")
    return [] if features is None else [one.at("name").text for one in features.each()]


def _ranklib(
    definition: JsonPart, stored: JsonPart, scales: dict[str, tuple[float, float]]
) -> "Ranker":
    """Return a model of RankLib, whose features are numbered as in the set."""
    _refuse_scales(stored.at("model", "model"), scales)
    names = dict(enumerate(_set_features(stored), start=1))
    place = f"{definition.file.name}, {definition.place}"
    file = ModelFile(definition.text, place)
    if not ranklib.RankLib().recognises(file):
        raise definition.fault("the first line names no model of RankLib")
    return ranklib.model_of(file, names)
