"""Grouping of documents by label."""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.ordering.ranks import longest_query


@kernel
def group_by_level(level, starts, members):
    """Sort positions by level; level c has the range ``starts[c:c + 2]``.

    Parameters
    ----------
    level : (n,) int64
        Level of each document, from 0.
    starts : (L + 1,) int64
    members : (n,) int64
        On exit the positions; positions of one level keep their order.
    """
    starts[:] = 0
    for c in level:
        starts[c + 1] += 1
    for c in range(1, len(starts)):
        starts[c] += starts[c - 1]
    for k in range(len(level)):
        members[starts[level[k]]] = k
        starts[level[k]] += 1
    for c in range(len(starts) - 1, 0, -1):
        starts[c] = starts[c - 1]
    starts[0] = 0


@kernel
def _find(labels, label):
    """Index of ``label`` in the ascending ``labels``, or its insertion point."""
    c = 0
    while c < len(labels) and labels[c] < label:
        c += 1
    return c


@kernel
def group_by_label(y, offsets):
    """Return the documents of each query by ascending label.

    Parameters
    ----------
    y : (n,) int64, read-only
    offsets : (q + 1,) int64, read-only

    Returns
    -------
    order, starts, first, n_pairs
        As in `rankcore.algorithms.parts.levels.Levels`; documents of one label keep
        their order.
    """
    n, longest = len(y), longest_query(offsets)
    order, starts = np.empty(n, dtype=np.int64), np.empty(n + 1, dtype=np.int64)
    first = np.empty(len(offsets), dtype=np.int64)
    labels, places = np.empty(longest, np.int64), np.empty(longest, np.int64)
    n_groups = n_pairs = 0
    for q in range(len(offsets) - 1):
        lo, hi, n_labels = offsets[q], offsets[q + 1], 0
        for i in range(lo, hi):
            c = _find(labels[:n_labels], y[i])
            if c == n_labels or labels[c] != y[i]:
                for later in range(n_labels, c, -1):
                    labels[later], places[later] = labels[later - 1], places[later - 1]
                labels[c], places[c] = y[i], 0
                n_labels += 1
            places[c] += 1
        first[q], place = n_groups, lo
        for c in range(n_labels):
            size, starts[n_groups + c] = places[c], place
            n_pairs += size * (place - lo)
            places[c] = place
            place += size
        n_groups += n_labels
        for i in range(lo, hi):
            c = _find(labels[:n_labels], y[i])
            order[places[c]] = i - lo
            places[c] += 1
    first[-1], starts[n_groups] = n_groups, n
    return order, starts[: n_groups + 1].copy(), first, n_pairs
