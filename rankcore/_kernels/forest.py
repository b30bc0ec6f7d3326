"""Scores of decision trees.

A forest is one (m, 8) float64 array, a row a node, so that a model is an array whatever
made it, a smaller forest is a prefix of a larger one, and a node is one cache line. The
columns:

========= ==============================================================================
TREE      number of the tree; the nodes of a tree are contiguous, its root first
OUTPUT    the sum the tree adds to: 0, or the label of the class it speaks for
FEATURE   feature that is compared, -1 in a leaf
THRESHOLD a document goes left when its feature is at most this
LEFT      place of the left child among the nodes of the tree, beyond the own place
RIGHT     the same for the right child
VALUE     what a leaf adds to the score
GAIN      what the split was worth to whoever made it, 0 in a leaf
========= ==============================================================================
"""

from rankcore._kernels import kernel

TREE, OUTPUT, FEATURE, THRESHOLD, LEFT, RIGHT, VALUE, GAIN = range(8)
COLUMNS = 8

# So many documents pass through all trees before the next ones: their features stay in
# the cache meanwhile.
_BLOCK = 128


@kernel
def leaf_of(X, i, forest, root):
    """The row of the leaf that document i reaches in the tree at ``root``."""
    node = root
    feature = int(forest[node, FEATURE])
    while feature >= 0:
        left = X[i, feature] <= forest[node, THRESHOLD]
        node = root + int(forest[node, LEFT] if left else forest[node, RIGHT])
        feature = int(forest[node, FEATURE])
    return node


@kernel
def add_trees(X, forest, roots, outputs, totals):
    """Add to ``totals`` what each tree says of each document, in the order of trees.

    Parameters
    ----------
    X : (n, d) float64, read-only
    forest : (m, 8) float64, read-only
    roots : (t,) int64
        The row of each tree's root.
    outputs : (t,) int64
        The column of ``totals`` each tree adds to.
    totals : (n, k) float64
    """
    n = len(X)
    for begin in range(0, n, _BLOCK):
        end = min(begin + _BLOCK, n)
        for t in range(len(roots)):
            root, output = roots[t], outputs[t]
            for i in range(begin, end):
                totals[i, output] += forest[leaf_of(X, i, forest, root), VALUE]
