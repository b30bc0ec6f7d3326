"""Forests: sums of decision trees as one array, which `rankcore._kernels.forest` reads.

An algorithm that adds a few trees in each step keeps a `GrowingForest`, whose steps are
prefixes of one buffer: no step copies the trees before it, and no step ever changes.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankcore.base.arrays import read_only
from rankcore.base.forest_columns import (
    COLUMNS,
    FEATURE,
    GAIN,
    LEFT,
    OUTPUT,
    RIGHT,
    THRESHOLD,
    TREE,
    VALUE,
)

if TYPE_CHECKING:
    import lightgbm

_FIRST_CAPACITY = 256
_TREE_COLUMNS = (FEATURE, THRESHOLD, LEFT, RIGHT, VALUE, GAIN)


class Tree(NamedTuple):
    """The nodes of one tree, the root first; arrays of one length.

    Attributes
    ----------
    feature : (m,) int
        Feature compared, -1 in a leaf.
    threshold : (m,) float64
        A document goes left when its feature is at most this; 0 in a leaf.
    left, right : (m,) int
        Places of the children among these nodes, beyond the parent's; 0 in a leaf.
    value : (m,) float64
        Contribution of a leaf to the score; 0 elsewhere.
    gain : (m,) float64
        Gain of the split by the trainer's own criterion; 0 in a leaf.
    """

    feature: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    right: np.ndarray
    value: np.ndarray
    gain: np.ndarray


def leaf(value: float) -> Tree:
    """Return a tree that adds the same to every score."""
    none = np.zeros(1)
    return Tree(np.array([-1]), none, none, none, np.array([value]), none)


def stump(
    feature: int, threshold: float, below: float, above: float, gain: float
) -> Tree:
    """Return a tree of one comparison: ``below`` where the feature is at most the
    threshold, ``above`` where it exceeds it."""
    return Tree(
        feature=np.array([feature, -1, -1]),
        threshold=np.array([threshold, 0.0, 0.0]),
        left=np.array([1, 0, 0]),
        right=np.array([2, 0, 0]),
        value=np.array([0.0, below, above]),
        gain=np.array([gain, 0.0, 0.0]),
    )


class GrowingForest:
    """A forest to which trees are added."""

    def __init__(self) -> None:
        self._nodes = np.empty((_FIRST_CAPACITY, COLUMNS))
        self._used = 0
        self._trees = 0

    def add(self, tree: Tree, output: int = 0) -> None:
        """Append a tree that adds to ``output``."""
        begin, end = self._used, self._used + len(tree.feature)
        if end > len(self._nodes):
            # Steps already given keep the old buffer: they are views of it.
            larger = np.empty((max(2 * len(self._nodes), end), COLUMNS))
            larger[:begin] = self._nodes[:begin]
            self._nodes = larger
        rows = self._nodes[begin:end]
        rows[:, TREE], rows[:, OUTPUT] = self._trees, output
        for column, values in zip(_TREE_COLUMNS, tree, strict=True):
            rows[:, column] = values
        self._used = end
        self._trees += 1

    def nodes(self) -> np.ndarray:
        """Return the forest so far (m, 8), a read-only view that later trees leave
        alone."""
        return read_only(self._nodes[: self._used], np.float64)


def roots_of(forest: np.ndarray) -> np.ndarray:
    """(t,) rows at which trees begin."""
    tree = forest[:, TREE]
    return np.flatnonzero(np.append(True, tree[1:] != tree[:-1]))[: len(tree)]


def trees_of(forest: np.ndarray) -> list[tuple[int, Tree]]:
    """Return the output and the nodes of each tree of a forest."""
    parts = np.split(forest, roots_of(forest)[1:]) if len(forest) else []
    return [
        (int(part[0, OUTPUT]), Tree(*(part[:, column] for column in _TREE_COLUMNS)))
        for part in parts
    ]


def check_tree(tree: Tree, n_features: int) -> None:
    """Check that every document passes from the root to exactly one leaf.

    Raises
    ------
    ValueError
        With the number of the node that is wrong.
    """
    m = len(tree.feature)
    if m == 0 or any(len(column) != m for column in tree):
        raise ValueError("its columns are empty or differ in length")
    parents = np.zeros(m, dtype=np.int64)
    for node, (feature, left, right) in enumerate(
        zip(tree.feature, tree.left, tree.right, strict=True)
    ):
        if not -1 <= feature < n_features:
            raise ValueError(
                f"node {node} compares feature {feature}, but there are {n_features}, "
                "counted from 0"
            )
        for child in (left, right) if feature >= 0 else ():
            if not node < child < m:
                raise ValueError(
                    f"node {node} has the child {child}, which is not one of the nodes "
                    f"after it, up to {m - 1}"
                )
            parents[int(child)] += 1
    if (parents[1:] != 1).any():
        node = 1 + int(np.argmax(parents[1:] != 1))
        raise ValueError(f"node {node} has {parents[node]} parents instead of 1")


class GrowingTotals:
    """Sums of the trees of a growing forest, for the same documents.

    Only trees that are new since the last call are evaluated; a forest that does not
    begin with the last one is evaluated from the start.

    Parameters
    ----------
    X : (n, d) float64
    """

    def __init__(self, X: np.ndarray) -> None:
        self._X = read_only(X, np.float64)
        self._forest = np.empty((0, COLUMNS))
        self._outputs = np.empty(0)
        self._totals = np.empty((len(X), 0))

    def __call__(self, forest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the sums (n, k), valid until the next call, and the outputs (k,)."""
        outputs = np.unique(forest[:, OUTPUT])
        known = len(self._forest)
        if not (
            np.array_equal(outputs, self._outputs)
            and np.array_equal(forest[:known], self._forest)
        ):
            known, self._outputs = 0, outputs
            self._totals = np.zeros((len(self._X), len(outputs)))
        _add(self._X, forest[known:], outputs, self._totals)
        self._forest = forest
        return self._totals, outputs


def _add(
    X: np.ndarray, forest: np.ndarray, outputs: np.ndarray, totals: np.ndarray
) -> None:
    """Add the trees of ``forest`` at the documents to the totals by output."""
    needed = int(forest[:, FEATURE].max(initial=-1)) + 1
    if needed > X.shape[1]:
        raise ValueError(
            f"The trees compare feature {needed}, but the documents have "
            f"{X.shape[1]} features."
        )
    roots = roots_of(forest)
    columns = np.searchsorted(outputs, forest[roots, OUTPUT])
    from rankcore._kernels.forest import add_trees

    add_trees(X, read_only(forest, np.float64), roots, columns, totals)


def lightgbm_trees(booster: "lightgbm.Booster", iteration: int) -> list[Tree]:
    """Read the trees that a LightGBM booster grew in one round, counted from 0."""
    text = booster.model_to_string(num_iteration=1, start_iteration=iteration)
    blocks = text.split("\nTree=")[1:]
    return [_lightgbm_tree(block.split("\n\n", 1)[0]) for block in blocks]


def _lightgbm_tree(block: str) -> Tree:
    """Read ``key=value`` lines, in which a child that is leaf k is written -k - 1."""
    lines = (line.partition("=") for line in block.splitlines())
    texts = {key: value for key, _, value in lines}

    def column(name: str) -> np.ndarray:
        return np.array(texts[name].split(), dtype=np.float64)

    values = column("leaf_value")
    if len(values) == 1:
        return leaf(float(values[0]))
    splits, none = len(values) - 1, np.zeros(len(values))

    def child(name: str) -> np.ndarray:
        places = column(name)
        return np.append(np.where(places < 0, splits - 1 - places, places), none)

    return Tree(
        feature=np.append(column("split_feature"), none - 1),
        threshold=np.append(column("threshold"), none),
        left=child("left_child"),
        right=child("right_child"),
        value=np.append(np.zeros(splits), values),
        gain=np.append(column("split_gain"), none),
    )
