"""Models in ONNX format, for runtimes of other languages."""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from rankcore.algorithms import Ranker
    from rankcore.algorithms.parts.trees.forests import Tree

OPSET = 17
# The first version of the operators for trees with double-precision thresholds.
OPSET_OF_TREES = 3


def to_onnx(model: "Ranker") -> bytes:
    """Return a fitted model as the content of an ONNX file.

    The input ``X`` is (n, d) float64, with the features in the order of training and
    scaled as in training; the output ``score`` is (n,) float64. Trees compare in double
    precision; ONNX sums them in single precision. The constant added by normalizers of
    an imported model is omitted, because it does not change the order.

    Parameters
    ----------
    model : Ranker
        Fitted model, linear or of trees, without missing values.

    Raises
    ------
    ImportError
        If the package onnx is not installed.
    ValueError
        If the model is not fitted, of another kind, or uses missing values.
    """
    try:
        from onnx import TensorProto, helper
    except ImportError as error:
        raise ImportError(
            "To write an ONNX model, install the package onnx: pip install onnx."
        ) from error
    from rankcore.algorithms import LinearRanker
    from rankcore.studies.models import fitted

    names = fitted(model).feature_names
    make = _linear if isinstance(model, LinearRanker) else _forest
    nodes, constants = make(model, helper)
    double = TensorProto.DOUBLE
    graph = helper.make_graph(
        nodes,
        type(model).__name__,
        [helper.make_tensor_value_info("X", double, [None, len(names)])],
        [helper.make_tensor_value_info("score", double, [None])],
        constants,
    )
    onnx_model = helper.make_model(
        graph,
        opset_imports=[
            helper.make_opsetid("", OPSET),
            helper.make_opsetid("ai.onnx.ml", OPSET_OF_TREES),
        ],
        # Runtimes of recent years can read it.
        ir_version=8,
        producer_name="RankScope",
    )
    helper.set_model_props(onnx_model, {"features": "\n".join(names)})
    content: bytes = onnx_model.SerializeToString()
    return content


def _linear(model: Any, helper: Any) -> tuple[list[Any], list[Any]]:
    from onnx import numpy_helper

    weights = numpy_helper.from_array(np.asarray(model.coef_, np.float64), "weights")
    return [helper.make_node("MatMul", ["X", "weights"], ["score"])], [weights]


def _forest(model: Any, helper: Any) -> tuple[list[Any], list[Any]]:
    """Return the nodes of a sum of trees, and the dropped axis."""
    from onnx import TensorProto, numpy_helper

    from rankcore.algorithms.parts.trees.forests import learnt_missing, trees_of
    from rankcore.base.forest_columns import FEATURE

    forest = model.additive(model.parameters_)
    if (forest[:, FEATURE] >= 0.0).any() and learnt_missing(forest):
        raise ValueError(
            "This model was trained on missing values, which an ONNX file would treat "
            "differently. Train it on data with missing values filled in."
        )
    parts = [
        _columns(number, tree) for number, (_, tree) in enumerate(trees_of(forest))
    ]
    joined: dict[str, list[Any]] = {
        name: [one for part in parts for one in part[name]] for name in _NAMES
    }
    tensors = {
        f"{name}_as_tensor": numpy_helper.from_array(
            np.array(joined.pop(name), np.float64), name
        )
        for name in ("nodes_values", "target_weights")
    }
    trees = helper.make_node(
        "TreeEnsembleRegressor",
        ["X"],
        ["sums"],
        domain="ai.onnx.ml",
        n_targets=1,
        **joined,
        **tensors,
    )
    axis = numpy_helper.from_array(np.array([1]), "axis")
    flat = helper.make_node("Squeeze", ["sums", "axis"], ["singles"])
    double = helper.make_node("Cast", ["singles"], ["score"], to=TensorProto.DOUBLE)
    return [trees, flat, double], [axis]


_NAMES = (
    "nodes_treeids", "nodes_nodeids", "nodes_featureids", "nodes_modes",
    "nodes_values", "nodes_truenodeids", "nodes_falsenodeids", "target_treeids",
    "target_nodeids", "target_ids", "target_weights",
)  # fmt: skip


def _columns(number: int, tree: "Tree") -> dict[str, list[Any]]:
    """Return the attributes of one tree."""
    nodes = list(range(len(tree.feature)))
    leaves = [node for node in nodes if tree.feature[node] < 0]
    return {
        "nodes_treeids": [number] * len(nodes),
        "nodes_nodeids": nodes,
        "nodes_featureids": [max(int(one), 0) for one in tree.feature],
        "nodes_modes": ["LEAF" if one < 0 else "BRANCH_LEQ" for one in tree.feature],
        "nodes_values": tree.threshold.tolist(),
        "nodes_truenodeids": tree.left.astype(int).tolist(),
        "nodes_falsenodeids": tree.right.astype(int).tolist(),
        "target_treeids": [number] * len(leaves),
        "target_nodeids": leaves,
        "target_ids": [0] * len(leaves),
        "target_weights": [float(tree.value[node]) for node in leaves],
    }
