"""Forests: sums of decision trees as one array, which
`rankcore._kernels.models.forest` reads.

An algorithm that adds a few trees in each step uses a `GrowingForest`, whose steps are
prefixes of one buffer: no step copies earlier trees or changes later.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankcore.base.arrays import FILL_IN, missing_of, missing_text, read_only
from rankcore.base.errors import DataError
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
# Bits of LightGBM's decision types.
_DEFAULT_LEFT, _NAN = 2, 8
_TREE_COLUMNS = (FEATURE, THRESHOLD, LEFT, RIGHT, VALUE, GAIN)


class Tree(NamedTuple):
    """The nodes of one tree, the root first, as arrays of equal length.

    Attributes
    ----------
    feature : (m,) int
        Feature compared, -1 in a leaf.
    threshold : (m,) float64
        A document goes left when its feature is at most this; 0 in a leaf.
    left, right : (m,) int
        Indices of the children, which follow the parent; 0 in a leaf.
    value : (m,) float64
        Contribution of a leaf to the score; elsewhere -1 if a missing value goes to the
        left, 1 if it goes to the right, ±1/2 if another program sends it there without
        having learnt it, and 0 if the training data had none.
    gain : (m,) float64
        Gain of the split by the criterion of the trainer; 0 in a leaf.
    """

    feature: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    right: np.ndarray
    value: np.ndarray
    gain: np.ndarray

    def child(self, node: int, x: float) -> int:
        """Return the child of a node for a document whose feature is ``x``."""
        right = self.value[node] > 0 if np.isnan(x) else x > self.threshold[node]
        return int((self.right if right else self.left)[node])


def leaf(value: float) -> Tree:
    """Return a tree that adds a constant to every score."""
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
        self._end = 0
        self._trees = 0

    def add(self, tree: Tree, output: int = 0) -> None:
        """Append a tree that adds to ``output``."""
        begin, end = self._end, self._end + len(tree.feature)
        if end > len(self._nodes):
            # Earlier steps keep the old buffer, of which they are views.
            larger = np.empty((max(2 * len(self._nodes), end), COLUMNS))
            larger[:begin] = self._nodes[:begin]
            self._nodes = larger
        rows = self._nodes[begin:end]
        rows[:, TREE], rows[:, OUTPUT] = self._trees, output
        for column, values in zip(_TREE_COLUMNS, tree, strict=True):
            rows[:, column] = values
        self._end = end
        self._trees += 1

    def nodes(self) -> np.ndarray:
        """Return the forest so far (m, 8), a read-only view that later trees do not
        change."""
        return read_only(self._nodes[: self._end], np.float64)


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


def takes_missing(forest: np.ndarray) -> bool:
    """Whether every split defines the branch of a missing value."""
    return bool((forest[forest[:, FEATURE] >= 0.0, VALUE] != 0.0).all())


def learnt_missing(forest: np.ndarray) -> bool:
    """Whether every split has learnt the branch of missing values in training."""
    return bool((np.abs(forest[forest[:, FEATURE] >= 0.0, VALUE]) == 1.0).all())


def check_tree(tree: Tree, n_features: int) -> None:
    """Check that every document passes from the root to exactly one leaf.

    Raises
    ------
    ValueError
        With the number of the invalid node.
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

    Each call evaluates only new trees; a forest that does not extend the last one is
    evaluated from the start.

    Parameters
    ----------
    X : (n, d) float64
    precision : type
        The type of each addition: float64, or float32 for trees of float32.
    """

    def __init__(
        self, X: np.ndarray, precision: type[np.floating] = np.float64
    ) -> None:
        self._X = read_only(X, np.float64)
        self._precision = precision
        self._forest = np.empty((0, COLUMNS))
        self._outputs = np.empty(0)
        self._totals = np.empty((len(X), 0), precision)
        self._has_missing: bool | None = None

    def __call__(self, forest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the sums (n, k), valid until the next call, and the outputs (k,).

        Raises
        ------
        DataError
            If values are missing, and the forest was trained without missing ones.
        """
        outputs = np.unique(forest[:, OUTPUT])
        done = len(self._forest)
        if not (
            np.array_equal(outputs, self._outputs)
            and np.array_equal(forest[:done], self._forest)
        ):
            done, self._outputs = 0, outputs
            self._totals = np.zeros((len(self._X), len(outputs)), self._precision)
        self._check_missing(forest[done:])
        _add(self._X, forest[done:], outputs, self._totals)
        self._forest = forest
        return self._totals, outputs

    def _check_missing(self, forest: np.ndarray) -> None:
        if takes_missing(forest):
            return
        if self._has_missing is None:
            self._has_missing = bool(missing_of(self._X).any())
        if self._has_missing:
            problem = f"{missing_text(self._X)}, and the model was trained without any"
            raise DataError(problem, FILL_IN)


def _add(
    X: np.ndarray, forest: np.ndarray, outputs: np.ndarray, totals: np.ndarray
) -> None:
    """Add the values of the trees of ``forest`` to the totals by output."""
    needed = int(forest[:, FEATURE].max(initial=-1)) + 1
    if needed > X.shape[1]:
        raise ValueError(
            f"The trees compare feature {needed}, but the documents have "
            f"{X.shape[1]} features."
        )
    roots = roots_of(forest)
    columns = np.searchsorted(outputs, forest[roots, OUTPUT])
    from rankcore._kernels.models.forest import add_trees

    add_trees(X, read_only(forest, np.float64), roots, columns, totals)


def lightgbm_trees(
    booster: "lightgbm.Booster", iteration: int, missing: bool = False
) -> list[Tree]:
    """Return the trees that a LightGBM booster grew in one round, counted from 0.

    ``missing`` says whether its data had missing values.
    """
    text = booster.model_to_string(num_iteration=1, start_iteration=iteration)
    blocks = text.split("\nTree=")[1:]
    return [_lightgbm_tree(block.split("\n\n", 1)[0], missing) for block in blocks]


def _lightgbm_tree(block: str, missing: bool) -> Tree:
    lines = (line.partition("=") for line in block.splitlines())
    texts = {key: value for key, _, value in lines}

    def column(name: str) -> np.ndarray:
        return np.array(texts[name].split(), dtype=np.float64)

    return lightgbm_tree(column, missing)


def lightgbm_tree(column: Callable[[str], np.ndarray], missing: bool) -> Tree:
    """Return a tree of LightGBM, which writes leaf k as child -k - 1.

    Parameters
    ----------
    column : callable
        Maps the name of a line of the tree to its numbers.
    missing : bool
        Whether the data had missing values.
    """
    values = column("leaf_value")
    if len(values) == 1:
        return leaf(float(values[0]))
    splits, none = len(values) - 1, np.zeros(len(values))

    def child(name: str) -> np.ndarray:
        """Return the indices of children, with leaves after splits."""
        places = column(name)
        return np.append(np.where(places < 0, splits - 1 - places, places), none)

    # The threshold is infinite where only missing values go to the right.
    threshold = np.minimum(column("threshold"), np.finfo(np.float64).max)
    ways = np.zeros(splits)
    if missing:
        decision = column("decision_type").astype(np.int64)
        # LightGBM replaces a missing value by 0 if the feature had none in training.
        is_left = np.where(decision & _NAN, decision & _DEFAULT_LEFT, threshold >= 0.0)
        ways = np.where(is_left, -1.0, 1.0)
    return Tree(
        feature=np.append(column("split_feature"), none - 1),
        threshold=np.append(threshold, none),
        left=child("left_child"),
        right=child("right_child"),
        value=np.append(ways, values),
        gain=np.append(column("split_gain"), none),
    )
