"""Kernels from scores to ranks, exact and soft."""

import math

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.arithmetic.vexp import vexp
from rankcore._kernels.ordering.sorting import descending

# Up to this many documents are ranked by counting, at 0.1 ns per pair, and more by
# sorting, at 60 to 100 ns per document.
_COUNTED = 512
_BLOCK = 8
_LANES = 16
_TINIEST = 5e-324


@kernel
def sigmoid(x):
    """Logistic function 1 / (1 + exp(-x)), without overflow."""
    if x >= 0.0:
        return 1.0 / (1.0 + vexp(-x))
    e = vexp(x)
    return e / (1.0 + e)


@kernel
def soft_step(x, beta):
    """Sigmoid of beta x; for infinite beta the step function, with 1/2 at 0."""
    if beta == math.inf:
        if x > 0.0:
            return 1.0
        return 0.5 if x == 0.0 else 0.0
    return sigmoid(beta * x)


@kernel
def longest_query(offsets):
    """Return the number of documents of the longest query."""
    longest = 0
    for q in range(len(offsets) - 1):
        longest = max(longest, offsets[q + 1] - offsets[q])
    return longest


@kernel
def largest(numbers):
    """Return the largest of some nonnegative numbers; 0 if there is none."""
    most = 0
    for number in numbers:
        most = max(most, number)
    return most


@kernel
def round_up(count, step):
    """Return ``count`` rounded up to a multiple of ``step``."""
    return (count + step - 1) // step * step


@kernel
def add_above(scores, begin, thresholds, counts):
    """Count for each threshold how many of the block of scores exceed it.

    Unrolled by hand over the block, so that the loop over thresholds vectorises.
    """
    s0, s1, s2, s3 = (
        scores[begin],
        scores[begin + 1],
        scores[begin + 2],
        scores[begin + 3],
    )
    s4, s5, s6, s7 = (
        scores[begin + 4],
        scores[begin + 5],
        scores[begin + 6],
        scores[begin + 7],
    )
    for i in range(len(counts)):
        t = thresholds[i]
        low = (int(s0 > t) + int(s1 > t)) + (int(s2 > t) + int(s3 > t))
        high = (int(s4 > t) + int(s5 > t)) + (int(s6 > t) + int(s7 > t))
        counts[i] += low + high


@kernel
def has_ties(scores, begin):
    """Whether two scores of the block are equal."""
    ties = 0
    for gap in range(1, _BLOCK):
        for k in range(_BLOCK - gap):
            ties += int(scores[begin + k] == scores[begin + k + gap])
    return ties > 0


@kernel
def equals_behind(scores, begin, document):
    """Count the block's scores after the document's that equal it."""
    equals = 0
    for i in range(document + 1, begin + _BLOCK):
        equals += int(scores[i] == scores[document])
    return equals


@kernel
def lower(numbers):
    """Replace numbers above -infinity by the next smaller floating-point numbers.

    This is np.nextafter, ten times as fast, because floating-point numbers are ordered
    like their bits.
    """
    bits = numbers.view(np.int64)
    for i in range(len(numbers)):
        if numbers[i] == 0.0:
            numbers[i] = -_TINIEST
        else:
            bits[i] += 1 if numbers[i] < 0.0 else -1


@kernel
def rank_by_counting(scores, chosen, ranks):
    """Write the ranks of the ``chosen`` documents, in ascending order, in O(m n).

    A rank counts larger scores, equal ones before, and the document: until the pass
    reaches it, its threshold is the next smaller number, so that equal scores count.
    """
    m = len(chosen)
    padded = np.empty(round_up(len(scores), _BLOCK))
    # Assigning slices, or np.full, would take much longer to compile.
    for i in range(len(scores)):
        padded[i] = scores[i]
    for i in range(len(scores), len(padded)):
        padded[i] = -np.inf
    thresholds = np.empty(round_up(m, _LANES))
    for i in range(m):
        thresholds[i] = scores[chosen[i]]
    for i in range(m, len(thresholds)):
        thresholds[i] = np.inf
    lower(thresholds[:m])
    counts = np.zeros(len(thresholds), dtype=np.int64)
    reached = 0
    for begin in range(0, len(padded), _BLOCK):
        add_above(padded, begin, thresholds, counts)
        tied = has_ties(padded, begin)
        while reached < m and chosen[reached] < begin + _BLOCK:
            document = chosen[reached]
            thresholds[reached] = padded[document]
            ranks[reached] = -equals_behind(padded, begin, document) if tied else 0.0
            reached += 1
    for i in range(m):
        ranks[i] += counts[i]


@kernel
def rank_by_sorting(scores, chosen, ranks):
    """Write the ranks of the ``chosen`` documents, in O(n log n)."""
    order, _ = descending(scores)
    places = np.empty(len(scores))
    for place in range(len(scores)):
        places[order[place]] = place + 1.0
    for i in range(len(chosen)):
        ranks[i] = places[chosen[i]]


@kernel
def is_counted(scores, begin, places, m):
    """Whether to rank the m documents at some places of a query by counting, not
    sorting.

    Counting has no threshold below -infinity.
    """
    counting = m <= _COUNTED
    for i in range(m):
        counting = counting and scores[begin + places[i]] > -np.inf
    return counting


@kernel
def rank_chosen(scores, chosen, ranks):
    """Write the ranks of the ``chosen`` documents by the faster method."""
    if is_counted(scores, 0, chosen, len(chosen)):
        rank_by_counting(scores, chosen, ranks)
    else:
        rank_by_sorting(scores, chosen, ranks)


@kernel
def rank_all(scores, offsets):
    """Rank of every document within its query, 1 = highest score."""
    ranks = np.empty(len(scores))
    everyone = np.arange(longest_query(offsets))
    for q in range(len(offsets) - 1):
        begin, end = offsets[q], offsets[q + 1]
        rank_chosen(scores[begin:end], everyone[: end - begin], ranks[begin:end])
    return ranks


@kernel
def find_relevant(labels, places):
    """Write the indices of the labels above 0 to ``places``; return their number.

    Without branches: each index is written, and kept if the next place advances.
    """
    m = 0
    for i in range(len(labels)):
        places[m] = i
        m += int(labels[i] > 0)
    return m


@kernel
def rank_relevant(scores, labels, offsets):
    """Ranks and labels of the documents with a label above 0, and their offsets."""
    ranks, grades = np.empty(len(scores)), np.empty(len(scores), dtype=np.int64)
    starts = np.zeros(len(offsets), dtype=np.int64)
    relevant = np.empty(longest_query(offsets) + 1, dtype=np.int64)
    for q in range(len(offsets) - 1):
        begin, end, at = offsets[q], offsets[q + 1], starts[q]
        m = find_relevant(labels[begin:end], relevant)
        rank_chosen(scores[begin:end], relevant[:m], ranks[at : at + m])
        for i in range(m):
            grades[at + i] = labels[begin + relevant[i]]
        starts[q + 1] = at + m
    return ranks[: starts[-1]], grades[: starts[-1]], starts


@kernel
def keep_relevant(ranks, labels, offsets, spans):
    """Return the results of `rank_relevant` for known ranks, with or without spans."""
    places, grades = np.empty(len(ranks)), np.empty(len(ranks), dtype=np.int64)
    tied = np.empty(len(spans), dtype=np.int64)
    starts = np.zeros(len(offsets), dtype=np.int64)
    m = 0
    for q in range(len(offsets) - 1):
        for i in range(offsets[q], offsets[q + 1]):
            if labels[i] > 0:
                places[m], grades[m] = ranks[i], labels[i]
                if len(spans) > 0:
                    tied[m] = spans[i]
                m += 1
        starts[q + 1] = m
    return places[:m], grades[:m], starts, tied[:m]


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
