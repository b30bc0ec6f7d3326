"""Kernels of measures that distinguish judged from unjudged documents.

All documents are listed, unjudged ones with labels below 0. With ``spans``, ``ranks``
are the first positions of groups of tied documents; a document at infinity was not
returned. Values are NaN where a measure is undefined, and a cutoff of 0 means none.
"""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.measures.relevance import count_relevant, relevant_within
from rankcore._kernels.ordering.ranks import soft_step


@kernel
def mean_capped(first, several, most):
    """Mean of min(n, ``most``) for n = ``first``, ..., ``first + several``, all equally
    likely."""
    total = 0.0
    for extra in range(several + 1):
        total += min(first + extra, most)
    return total / (several + 1.0)


@kernel
def irrelevant_above(i, ranks, labels, spans, rel, most, beta):
    """Count the judged irrelevant documents above the i-th one, up to ``most``.

    If it ties with t of these, 0 to t of them are above it, with equal frequency over
    all orders of the tied documents.
    """
    tied = len(spans) > 0 and spans[i] > 1
    above, beside = 0.0, 0
    for j in range(len(ranks)):
        if labels[j] < 0 or labels[j] >= rel:
            continue
        if ranks[j] == ranks[i] and tied:
            beside += 1
        else:
            above += soft_step(ranks[i] - ranks[j], beta)
    return mean_capped(above, beside, most)


@kernel
def bpref_kernel(ranks, labels, offsets, sizes, spans, rel, beta):
    """Return bpref of each query, as trec_eval computes it."""
    values = np.full(len(sizes), np.nan)
    for q in range(len(sizes)):
        begin, end = offsets[q], offsets[q + 1]
        places, grades, span = ranks[begin:end], labels[begin:end], spans[begin:end]
        m = count_relevant(grades, rel)
        if m == 0:
            continue
        n = count_relevant(grades, 0) - m
        most = float(min(m, n))
        total = 0.0
        for i in range(len(places)):
            if grades[i] >= rel and places[i] < np.inf:
                total += 1.0
                if n > 0:
                    above = irrelevant_above(
                        i, places, grades, span, rel, float(m), beta
                    )
                    total -= above / most
        values[q] = total / m
    return values


@kernel
def judged_kernel(ranks, labels, offsets, sizes, spans, cutoff, beta):
    """Share of judged documents among the documents returned within the cutoff."""
    values = np.full(len(sizes), np.nan)
    for q in range(len(sizes)):
        begin, end = offsets[q], offsets[q + 1]
        places, grades, span = ranks[begin:end], labels[begin:end], spans[begin:end]
        returned = 0
        for rank in places:
            returned += rank < np.inf
        depth = min(cutoff, returned) if cutoff > 0 else returned
        if depth > 0:
            values[q] = relevant_within(places, grades, span, 0, depth, beta) / depth
    return values
