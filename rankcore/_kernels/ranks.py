"""Kernels from scores to ranks, exact and soft."""

import math

import numpy as np

from rankcore._kernels import kernel


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
def ascending_order(keys):
    """Indices that sort ``keys`` upwards, equal keys in their given order."""
    return np.argsort(keys, kind="mergesort")


@kernel
def rank_all(scores, offsets):
    """Rank of every document within its query, 1 = highest score."""
    ranks = np.empty(len(scores))
    for q in range(len(offsets) - 1):
        begin, end = offsets[q], offsets[q + 1]
        order = ascending_order(-scores[begin:end])
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
