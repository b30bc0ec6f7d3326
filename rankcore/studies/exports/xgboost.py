"""XGBoost's JSON models from `Booster.save_model` or `dump_model`; read-only.

A document goes left if its feature, in single precision, is less than the condition.
Files of `save_model` contain the initial constant of scores, ``base_score``, in the
units of predictions; dumps do not. Scores are XGBoost's margins, before any
transformation of the objective. If no split sends missing values to the left, training
had none, as with ``hist``: such a model scores them like XGBoost, and is exported as a
model without missing values. See
https://xgboost.readthedocs.io/en/stable/tutorials/saving_model.html.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rankcore.base.errors import DataError, warn_of_data
from rankcore.studies.exports._file import JsonPart, ModelFile, number_of
from rankcore.studies.exports._format import ExportFormat
from rankcore.studies.exports._reading import (
    Split,
    below,
    counted_from_0,
    grown,
    numbered,
    rounded,
    settled,
    single,
    tree_model,
)

if TYPE_CHECKING:
    from rankcore.algorithms import Ranker
    from rankcore.algorithms.parts.trees.forests import Tree

_WRITE = "Write the model with `booster.save_model('model.json')`"
_MOST_FEATURES = 1_000_000
_LOGISTIC = ("binary:logistic", "reg:logistic")
_EXPONENTIAL = (
    *("count:poisson", "reg:gamma", "reg:tweedie", "survival:cox", "survival:aft"),
)
_COLUMNS = (
    *("left_children", "right_children", "split_indices", "split_conditions"),
    *("default_left", "loss_changes"),
)


class XGBoostJson(ExportFormat):
    """``learner`` with arrays per tree, or the list of nested trees of a dump."""

    name = "xgboost"
    title = "XGBoost"
    use = "Write it with `booster.save_model('model.json')`."
    writes = False

    def recognises(self, file: ModelFile) -> bool:
        if file.json is None:
            return file.first.startswith("booster[0]")
        return file.json.get("learner") is not None or is_dump(file.json)

    def read(self, file: ModelFile) -> "Ranker":
        if file.json is None:
            raise DataError("This is a dump as text", _WRITE, file.name)
        if is_dump(file.json):
            warn_of_data(
                f"{file.name}: a dump of XGBoost has neither the initial constant of "
                f"scores nor the tree weights of DART. {_WRITE}.",
                3,
            )
        return model_of(file.json)


def is_dump(value: JsonPart) -> bool:
    """Return whether a value is a list of trees in XGBoost's dump form."""
    trees = value.plain if isinstance(value.plain, list) else []
    return any(isinstance(tree, dict) and "nodeid" in tree for tree in trees[:1])


def model_of(value: JsonPart) -> "Ranker":
    """Return the model in a complete JSON of XGBoost; a dump's f0 becomes f1."""
    if value.get("learner") is None:
        listed, trees = dumped(value)
        _warn_of_ways(trees, value)
        return tree_model(counted_from_0(listed, "f"), trees, value.file, single=True)
    learner = value.at("learner")
    features = [name.text for name in learner.at("feature_names").each()]
    count = learner.at("learner_model_param", "num_feature").whole(_MOST_FEATURES)
    names = tuple(features) or numbered(range(1, count + 1))
    trees = settled([_tree(tree, len(names)) for tree in _weighted(learner)])
    _warn_of_ways(trees, value)
    _warn_of_rounds(learner, len(trees))
    return tree_model(names, trees, value.file, _constant(learner), single=True)


def _warn_of_ways(trees: "Sequence[Tree]", value: JsonPart) -> None:
    """Warn if trees have learnt directions for missing values."""
    if any((abs(tree.value[tree.feature >= 0]) == 1.0).any() for tree in trees):
        warn_of_data(
            f"{value.file.name}: the trees were trained on missing values. Features "
            "omitted in LETOR text are missing for XGBoost, but 0 here: score a "
            "table with empty cells instead.",
            4,
        )


def _warn_of_rounds(learner: JsonPart, n_trees: int) -> None:
    """Warn if training continued after the best round recorded in the model."""
    best = learner.get("attributes", "best_iteration")
    booster = learner.get("gradient_booster", "gbtree") or learner.at(
        "gradient_booster"
    )
    a_round = booster.get("model", "gbtree_model_param", "num_parallel_tree")
    if best is None or a_round is None:
        return
    rounds = n_trees // max(int(a_round.number), 1)
    if (count := int(best.number) + 1) < rounds:
        warn_of_data(
            f"{learner.file.name}: all {rounds} rounds are used, as in "
            "`Booster.predict`; `XGBRanker.predict` stops at the best one, number "
            f"{count}. `booster[:{count}].save_model('model.json')` writes only those.",
            4,
        )


def _weighted(learner: JsonPart) -> "list[tuple[JsonPart, float]]":
    """Return the trees with their weights."""
    booster = learner.at("gradient_booster")
    kind = booster.at("name")
    for name in ("num_class", "num_target"):
        number = learner.get("learner_model_param", name)
        if number is not None and number.number > 1:
            raise number.refusal("the model has several scores per document")
    if kind.plain == "gbtree":
        return [(tree, 1.0) for tree in booster.at("model", "trees").each()]
    if kind.plain == "dart":
        trees = booster.at("gbtree", "model", "trees").each()
        weights = booster.at("weight_drop").each()
        if len(weights) != len(trees):
            problem = f"there are {len(weights)} weights for {len(trees)} trees"
            raise booster.at("weight_drop").fault(problem)
        return [(t, single(w)) for t, w in zip(trees, weights, strict=True)]
    raise kind.refusal("the booster is neither gbtree nor dart")


def _constant(learner: JsonPart) -> float:
    """Return the initial margin of scores, rounded after each operation."""
    import numpy as np

    from rankcore.mathematics.elementary import log

    base = learner.at("learner_model_param", "base_score")
    number = number_of(base.text.strip("[]"))
    if number is None or (score := rounded(number)) is None:
        raise base.fault("this is not a number")
    objective = learner.at("objective", "name").text
    if objective in _LOGISTIC and 0.0 < score < 1.0:
        one = np.float32(1.0)
        return -float(np.float32(log(float(one / np.float32(score) - one))))
    if objective in _EXPONENTIAL and score > 0.0:
        return float(np.float32(log(score)))
    return score


def _tree(weighted: tuple[JsonPart, float], n_features: int) -> "Tree":
    tree, weight = weighted
    columns = {name: tree.at(name).each() for name in _COLUMNS}
    nodes = len(columns["left_children"])
    for name, column in columns.items():
        if len(column) != nodes or not nodes:
            problem = f"there are {len(column)} nodes, and {nodes} left children"
            raise tree.at(name).fault(problem)
    kinds = tree.get("split_type")
    if kinds is not None and any(kind.plain for kind in kinds.each()):
        raise kinds.refusal("the tree splits by categories, not by numbers")
    reached: set[int] = set()

    def look(node: int) -> float | Split:
        def child(name: str) -> int:
            return columns[name][node].whole(nodes)

        if node in reached:
            raise tree.fault(f"two parents lead to node {node}")
        reached.add(node)
        if columns["left_children"][node].number < 0:
            return single(columns["split_conditions"][node])
        return Split(
            columns["split_indices"][node].whole(n_features),
            below(single(columns["split_conditions"][node])),
            child("left_children"),
            child("right_children"),
            -1.0 if columns["default_left"][node].truth else 1.0,
            columns["loss_changes"][node].number,
        )

    return grown(0, look, weight)


def dumped(value: JsonPart) -> "tuple[list[str], list[Tree]]":
    """Return the names of features and the trees of a dump."""
    names: dict[str, int] = {}

    def look(node: JsonPart) -> float | Split:
        if (leaf := node.get("leaf")) is not None:
            return single(leaf)
        condition, children = node.at("split_condition"), node.at("children").each()
        if isinstance(condition.plain, list):
            raise condition.refusal("the tree splits by categories, not by numbers")
        by_id = {child.at("nodeid").plain: child for child in children}
        if len(by_id) != 2:
            raise node.at("children").fault("these are not two nodes")
        ways = {}
        for way in ("yes", "no"):
            if node.at(way).plain not in by_id:
                raise node.at(way).fault("no child has this number")
            ways[way] = by_id[node.at(way).plain]
        if ways["yes"] is ways["no"]:
            raise node.fault("both branches lead to the same child")
        missing, gain = node.get("missing"), node.get("gain")
        by_default = missing is not None and missing.plain == node.at("yes").plain
        return Split(
            names.setdefault(node.at("split").text, len(names)),
            below(single(condition)),
            ways["yes"],
            ways["no"],
            -1.0 if by_default else 1.0,
            0.0 if gain is None else gain.number,
        )

    trees = [grown(tree, look) for tree in value.each()]
    return list(names) or ["f0"], settled(trees)
