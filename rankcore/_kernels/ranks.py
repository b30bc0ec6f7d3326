"""Kernels from scores to ranks, exact and soft."""

import math

import numpy as np

from rankcore._kernels import kernel

_RUN = 8


@kernel
def sigmoid(x):
    """Logistic function 1 / (1 + exp(-x)), without overflow."""
    if x >= 0.0:
        return 1.0 / (1.0 + math.exp(-x))
    e = math.exp(x)
    return e / (1.0 + e)


@kernel
def soft_step(x, beta):
    """Sigmoid of beta x; with infinite beta the step, 1/2 at 0, that it tends to."""
    if beta == math.inf:
        if x > 0.0:
            return 1.0
        return 0.5 if x == 0.0 else 0.0
    return sigmoid(beta * x)


@kernel
def sorted_runs(keys, order, lo, hi):
    """Sort ``keys[lo:hi]`` downwards by insertion, with the ``order`` beside them."""
    for i in range(lo + 1, hi):
        key, document = keys[i], order[i]
        j = i - 1
        while j >= lo and keys[j] < key:
            keys[j + 1] = keys[j]
            order[j + 1] = order[j]
            j -= 1
        keys[j + 1] = key
        order[j + 1] = document


@kernel
def merge(keys, order, lo, mid, hi, out_keys, out_order):
    """Merge two neighbouring descending runs, the left one first among equals."""
    i, j = lo, mid
    for k in range(lo, hi):
        if j == hi or (i < mid and keys[i] >= keys[j]):
            out_keys[k], out_order[k] = keys[i], order[i]
            i += 1
        else:
            out_keys[k], out_order[k] = keys[j], order[j]
            j += 1


@kernel
def descending_order(scores):
    """Indices that sort ``scores`` downwards, equal scores in their given order."""
    n = len(scores)
    keys, order = scores.copy(), np.arange(n)
    spare_keys, spare_order = np.empty(n), np.empty(n, dtype=np.int64)
    for lo in range(0, n, _RUN):
        sorted_runs(keys, order, lo, min(lo + _RUN, n))
    width = _RUN
    while width < n:
        for lo in range(0, n, 2 * width):
            mid, hi = min(lo + width, n), min(lo + 2 * width, n)
            merge(keys, order, lo, mid, hi, spare_keys, spare_order)
        keys, spare_keys = spare_keys, keys
        order, spare_order = spare_order, order
        width *= 2
    return order


@kernel
def rank_all(scores, offsets):
    """Rank of every document within its query, 1 = highest score."""
    ranks = np.empty(len(scores))
    for q in range(len(offsets) - 1):
        begin, end = offsets[q], offsets[q + 1]
        order = descending_order(scores[begin:end])
        for place in range(end - begin):
            ranks[begin + order[place]] = place + 1.0
    return ranks


@kernel
def rank_relevant(scores, labels, offsets):
    """As `rank_all`, where only the ranks of documents with a label above 0 count."""
    return rank_all(scores, offsets)


@kernel
def soft_rank_all(scores, offsets, alpha):
    """Soft rank 1 + sum_j sigma(-alpha (s_i - s_j)) of every document, in O(n^2)."""
    ranks = np.ones(len(scores))
    for q in range(len(offsets) - 1):
        for i in range(offsets[q], offsets[q + 1]):
            for j in range(offsets[q], i):
                above = sigmoid(alpha * (scores[j] - scores[i]))
                ranks[i] += above
                ranks[j] += 1.0 - above
    return ranks
