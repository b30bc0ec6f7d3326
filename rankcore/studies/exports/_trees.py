"""Trees for programs with single precision.

NumPy is imported on use, because the command line's help lists the formats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from rankcore.algorithms import Ranker
    from rankcore.algorithms.parts.trees.forests import Tree

_LARGEST = float.fromhex("0x1.fffffep+127")


def additive_trees(model: Ranker) -> list[Tree]:
    """Return the trees of a fitted model whose sum gives the model's order.

    Raises
    ------
    ValueError
        If no sum of trees gives it.
    """
    from rankcore.algorithms import ForestRanker, LinearRanker
    from rankcore.algorithms.parts.trees.forests import trees_of

    if isinstance(model, LinearRanker):
        return []
    if not isinstance(model, ForestRanker):
        kind = type(model).__name__
        raise ValueError(f"{kind} is neither linear nor made of trees.")  # noqa: TRY004
    return [tree for _, tree in trees_of(model.additive(model.parameters_))]


def compared(trees: Iterable[Tree]) -> list[int]:
    """Return the numbers (from 0) of the features that trees compare."""
    return sorted({int(f) for tree in trees for f in tree.feature if f >= 0})


def nested(
    tree: Tree, leaf: Callable[[int], Any], split: Callable[[int, Any, Any], Any]
) -> Any:
    """Return a tree folded from leaves to root, at any depth.

    Parameters
    ----------
    leaf : callable
        Takes the number of a leaf.
    split : callable
        Takes the number of another node, and the results of its left and right child.
    """
    nodes: dict[int, Any] = {}
    # Children come after their parent.
    for node in reversed(range(len(tree.feature))):
        if tree.feature[node] < 0:
            nodes[node] = leaf(node)
        else:
            sides = nodes.pop(int(tree.left[node])), nodes.pop(int(tree.right[node]))
            nodes[node] = split(node, *sides)
    return nodes[0]


def levels(tree: Tree) -> list[int]:
    """Return the number of nodes above each node."""
    depth = [0] * len(tree.feature)
    nodes = zip(
        tree.feature.tolist(), tree.left.tolist(), tree.right.tolist(), strict=True
    )
    for node, (feature, left, right) in enumerate(nodes):
        if feature >= 0:
            depth[int(left)] = depth[int(right)] = depth[node] + 1
    return depth


def single(value: float | np.float32) -> float:
    """Return the shortest number that single precision rounds like ``value``."""
    import numpy as np

    return float(str(np.float32(np.clip(value, -_LARGEST, _LARGEST))))


def last_left(threshold: float) -> np.float32:
    """Return the largest single-precision number that is at most a threshold."""
    import numpy as np

    near = np.float32(np.clip(threshold, -_LARGEST, _LARGEST))
    # As doubles: NumPy compares a float32 with a Python number in single precision.
    if float(near) <= float(threshold):
        return near
    return np.nextafter(near, np.float32(-np.inf))


def first_right(threshold: float) -> np.float32:
    """Return the smallest single-precision number above a threshold."""
    import numpy as np

    above = np.nextafter(last_left(threshold), np.float32(np.inf))
    return np.minimum(above, np.float32(_LARGEST))
