"""Kernel of the expected reciprocal rank, over the ranks of documents of label > 0.

Values are NaN where a query has none, and a cutoff of 0 means no cutoff. With
``spans``, ``ranks`` are the first positions of groups of tied documents; a document at
infinity was not returned and adds nothing.
"""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.measures.relevance import membership
from rankcore._kernels.ordering.ranks import soft_step
from rankcore._kernels.ordering.ties import any_tied, positions_of


@kernel
def stopping_chances(stops):
    """Probability that a reader stops at the first, the second … document, averaged
    over all orders of the documents.

    Each new document is equally likely at each place: documents from that place on move
    down by one, and are reached if the new one does not stop the reader.
    """
    m = len(stops)
    at, reached = np.zeros(m + 1), np.zeros(m + 2)
    reached[0] = 1.0
    for rank in range(m):
        stop = stops[rank]
        for place in range(rank, -1, -1):
            behind, before = rank - place, place
            from_before = at[place - 1] * before * (1.0 - stop) if place > 0 else 0.0
            added = at[place] * behind + from_before + stop * reached[place]
            at[place] = added / (rank + 1.0)
        for place in range(rank + 1, 0, -1):
            passed = place * (1.0 - stop) * reached[place - 1]
            left = (rank + 1.0 - place) * reached[place]
            reached[place] = (passed + left) / (rank + 1.0)
    return at[:m]


@kernel
def tied_chance(at, rank, span, cutoff):
    """Return the expected 1 / rank at which a reader who reaches a group stops in it.

    Its m documents that can stop a reader, with probabilities ``at`` in order, are
    uniformly distributed over the positions; ``chances`` has the probability of each
    number of these seen so far.
    """
    m = len(at)
    begin, end = positions_of(rank, span, cutoff)
    chances = np.zeros(m + 1)
    chances[0] = 1.0
    value = 0.0
    for place in range(begin, end):
        left = span - (place - begin)
        stopped = 0.0
        for count in range(min(m, place - begin + 1), -1, -1):
            # Sampling without replacement: m - count of the remaining positions hold
            # such a document.
            chance = chances[count] * (m - count) / left
            if count < m:
                stopped += chance * at[count]
                chances[count + 1] += chance
            chances[count] -= chance
        value += stopped / (place + 1.0)
    return value


@kernel
def tied_expected_rank(ranks, labels, spans, stops, cutoff):
    """ERR of a query that has groups, averaged over the orders of their documents."""
    value = 0.0
    for i in range(len(ranks)):
        if ranks[i] == np.inf:
            continue
        reach, members, earlier = 1.0, 0, 0
        for j in range(len(ranks)):
            if ranks[j] < ranks[i]:
                reach *= 1.0 - stops[labels[j]]
            elif ranks[j] == ranks[i]:
                members += 1
                earlier += j < i
        if earlier > 0:
            continue
        chances = np.empty(members)
        held = 0
        for j in range(len(ranks)):
            if ranks[j] == ranks[i]:
                chances[held] = stops[labels[j]]
                held += 1
        at = stopping_chances(chances)
        value += reach * tied_chance(at, ranks[i], spans[i], cutoff)
    return value


@kernel
def expected_rank_kernel(ranks, labels, offsets, sizes, spans, stops, cutoff, beta):
    """ERR of each query; labels, at least 1, index the probabilities of stopping."""
    values = np.full(len(sizes), np.nan)
    for q in range(len(sizes)):
        begin, end = offsets[q], offsets[q + 1]
        if begin < end:
            values[q] = 0.0
        if any_tied(spans[begin:end]):
            values[q] = tied_expected_rank(
                ranks[begin:end], labels[begin:end], spans[begin:end], stops, cutoff
            )
            continue
        for i in range(begin, end):
            reach = membership(ranks[i], cutoff, beta)
            for j in range(begin, end):
                if reach == 0.0:
                    break
                if j != i:
                    above = soft_step(ranks[i] - ranks[j], beta)
                    reach *= 1.0 - stops[labels[j]] * above
            values[q] += stops[labels[i]] / ranks[i] * reach
    return values
