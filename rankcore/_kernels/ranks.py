"""Kernels from scores to ranks, exact and soft."""

import math

import numpy as np

from rankcore._kernels import kernel

_COUNTED = 128

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
def add_above(score, thresholds, counts):
    """Add 1 to the counts whose threshold ``score`` exceeds; this loop vectorises."""
    for i in range(len(counts)):
        counts[i] += 1.0 if score > thresholds[i] else 0.0


@kernel
def rank_by_counting(scores, chosen, ranks):
    """Write the ranks of the ``chosen`` documents, given upwards, in O(m n).

    A document's rank is the number of scores above its own, equal ones before it and
    its own counting too: until the pass reaches it, its threshold is a hair lower.
    """
    thresholds = np.empty(len(chosen))
    for i in range(len(chosen)):
        thresholds[i] = np.nextafter(scores[chosen[i]], -np.inf)
    counts = np.zeros(len(chosen))
    begin = 0
    for i in range(len(chosen)):
        for j in range(begin, chosen[i] + 1):
            add_above(scores[j], thresholds, counts)
        begin = chosen[i] + 1
        thresholds[i] = scores[chosen[i]]
    for j in range(begin, len(scores)):
        add_above(scores[j], thresholds, counts)
    for i in range(len(chosen)):
        ranks[chosen[i]] = counts[i]


@kernel
def rank_by_sorting(scores, ranks):
    """Write the ranks of all documents, in O(n log n)."""
    order = ascending_order(-scores)
    for place in range(len(order)):
        ranks[order[place]] = place + 1.0


@kernel
def rank_chosen(scores, chosen, ranks):
    """Write at least the ranks of the ``chosen`` documents of one query.

    Counting costs about half a nanosecond per pair, sorting 60 to 100 per document, so
    counting pays for few documents. It has no threshold below -infinity.
    """
    counting = len(chosen) <= _COUNTED
    for i in chosen:
        counting = counting and scores[i] > -np.inf
    if counting:
        rank_by_counting(scores, chosen, ranks)
    else:
        rank_by_sorting(scores, ranks)


@kernel
def rank_all(scores, offsets):
    """Rank of every document within its query, 1 = highest score."""
    ranks = np.empty(len(scores))
    for q in range(len(offsets) - 1):
        begin, end = offsets[q], offsets[q + 1]
        rank_chosen(scores[begin:end], np.arange(end - begin), ranks[begin:end])
    return ranks


@kernel
def rank_relevant(scores, labels, offsets):
    """As `rank_all`, but NaN may stand for the ranks of documents with label 0."""
    ranks = np.full(len(scores), np.nan)
    for q in range(len(offsets) - 1):
        begin, end = offsets[q], offsets[q + 1]
        relevant = np.flatnonzero(labels[begin:end])
        rank_chosen(scores[begin:end], relevant, ranks[begin:end])
    return ranks


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
