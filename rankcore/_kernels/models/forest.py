"""Scores of decision trees.

A forest is one (m, 8) float64 array with a row per node, so that every model is an
array, a smaller forest is a prefix of a larger one, and a node is one cache line. The
columns:

========= ==============================================================================
TREE      number of the tree; the nodes of a tree are contiguous, its root first
OUTPUT    the sum the tree adds to: 0, or the label of the class it speaks for
FEATURE   feature that is compared, -1 in a leaf
THRESHOLD a document goes left when its feature is at most this
LEFT      place of the left child among the nodes of the tree, beyond the own place
RIGHT     the same for the right child
VALUE     what a leaf adds to the score; elsewhere, where a document goes whose feature
          is missing: to the left by -1, to the right by 1, by ±1/2 where another
          program sends it there without having learnt it, and 0 in a model that was
          trained without missing values, which scores none
GAIN      gain of the split by the trainer's own criterion, 0 in a leaf
========= ==============================================================================
"""

import numpy as np

from rankcore._kernels import kernel
from rankcore.base.forest_columns import (
    FEATURE,
    LEFT,
    RIGHT,
    THRESHOLD,
    VALUE,
)

# This many documents pass through a tree together, and through all trees before the
# next block, so that their features stay in the cache.
_BLOCK = 128


@kernel
def _unfold(forest, roots, feature, threshold, child, right, depths):
    """Lay out the nodes for steps down the tree without branches.

    ``child[2 m]`` and ``child[2 m + 1]`` are the rows of the left and right child of
    row m; the children of a leaf are itself. ``right[m]`` says whether a missing value
    goes to the right; the function returns whether any does. ``depths`` are the steps
    from each root to its deepest leaf.
    """
    any_right = False
    levels = np.zeros(len(forest), dtype=np.int64)
    for t in range(len(roots)):
        root = roots[t]
        end = roots[t + 1] if t + 1 < len(roots) else len(forest)
        depths[t] = 0
        for m in range(root, end):
            if forest[m, FEATURE] < 0.0:
                feature[m], threshold[m], right[m] = 0, np.inf, False
                child[2 * m] = child[2 * m + 1] = m
                depths[t] = max(depths[t], levels[m])
                continue
            feature[m], threshold[m] = int(forest[m, FEATURE]), forest[m, THRESHOLD]
            right[m] = forest[m, VALUE] > 0.0
            any_right |= right[m]
            low, high = root + int(forest[m, LEFT]), root + int(forest[m, RIGHT])
            child[2 * m], child[2 * m + 1] = low, high
            levels[low] = levels[high] = levels[m] + 1
    return any_right


@kernel
def add_trees(X, forest, roots, outputs, totals):
    """Add each tree's value for each document to ``totals``, in the order of trees.

    All documents of a block take one step down a tree, then the next step: steps of
    different documents are independent, and there are no branches to mispredict.

    Parameters
    ----------
    X : (n, d) float64, read-only
        NaN where a value is missing.
    forest : (m, 8) float64, read-only
    roots : (t,) int64
        The row of each tree's root.
    outputs : (t,) int64
        The column of ``totals`` to which each tree adds.
    totals : (n, k) float64
    """
    n, m = len(X), len(forest)
    feature, child = np.empty(m, dtype=np.int64), np.empty(2 * m, dtype=np.int64)
    threshold, depths = np.empty(m), np.empty(len(roots), dtype=np.int64)
    right = np.empty(m, dtype=np.bool_)
    any_right = _unfold(forest, roots, feature, threshold, child, right, depths)
    at = np.empty(_BLOCK, dtype=np.int64)
    for begin in range(0, n, _BLOCK):
        size = min(_BLOCK, n - begin)
        for t in range(len(roots)):
            at[:] = roots[t]
            for _ in range(depths[t]):
                if any_right:
                    for i in range(size):
                        k = at[i]
                        x = X[begin + i, feature[k]]
                        beyond = x > threshold[k] or (x != x and right[k])
                        at[i] = child[2 * k + int(beyond)]
                    continue
                for i in range(size):
                    k = at[i]
                    at[i] = child[2 * k + int(X[begin + i, feature[k]] > threshold[k])]
            for i in range(size):
                totals[begin + i, outputs[t]] += forest[at[i], VALUE]
