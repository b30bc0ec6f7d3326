"""Kernels of measures of binary relevance, over ranks.

The listed documents have labels above 0, and ``sizes`` counts all documents of each
query. With ``spans``, ``ranks`` are the first positions of groups of tied documents; a
document at infinity was not returned and adds nothing. ``rel`` is the smallest relevant
grade. Values are NaN where a measure is undefined, and a cutoff of 0 means no cutoff.
"""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.ordering.line_search import BY_COUNT, FIRST_ONLY
from rankcore._kernels.ordering.ranks import soft_step
from rankcore._kernels.ordering.sorting import sorted_upwards
from rankcore._kernels.ordering.ties import any_tied, positions_of, tied_value


@kernel
def count_relevant(labels, rel):
    """Return the number of labels of at least ``rel``."""
    count = 0
    for label in labels:
        count += label >= rel
    return count


@kernel
def membership(rank, cutoff, beta):
    """Smooth membership of the first ``cutoff`` positions."""
    return soft_step(cutoff + 0.5 - rank, beta) if cutoff > 0 else 1.0


@kernel
def inverses(begin, end):
    """1 / rank at positions ``begin`` to ``end``, which count from 0."""
    values = np.empty(end - begin)
    for place in range(begin, end):
        values[place - begin] = 1.0 / (place + 1.0)
    return values


@kernel
def relevant_within(ranks, labels, spans, rel, cutoff, beta):
    """Count the relevant documents of one query within the (smooth) cutoff."""
    total = 0.0
    for i in range(len(ranks)):
        if labels[i] < rel:
            continue
        if len(spans) > 0 and spans[i] > 1:
            first, last = positions_of(ranks[i], spans[i], cutoff)
            total += (last - first) / spans[i]
        else:
            total += membership(ranks[i], cutoff, beta)
    return total


@kernel
def precision_kernel(
    ranks, labels, offsets, sizes, spans, rel, cutoff, beta, short_defined
):
    """P@k of each query: relevant documents within the first k positions, over k."""
    values = np.full(len(sizes), np.nan)
    for q in range(len(values)):
        begin, end = offsets[q], offsets[q + 1]
        if count_relevant(labels[begin:end], rel) == 0:
            continue
        values[q] = 0.0
        if sizes[q] < cutoff and not short_defined:
            continue
        places, grades, span = ranks[begin:end], labels[begin:end], spans[begin:end]
        values[q] = relevant_within(places, grades, span, rel, cutoff, beta) / cutoff
    return values


@kernel
def recall_kernel(ranks, labels, offsets, sizes, spans, rel, cutoff, beta):
    """R@k of each query: the share of its relevant documents within the cutoff."""
    values = np.full(len(sizes), np.nan)
    for q in range(len(values)):
        begin, end = offsets[q], offsets[q + 1]
        m = count_relevant(labels[begin:end], rel)
        if m > 0:
            places, grades, span = ranks[begin:end], labels[begin:end], spans[begin:end]
            values[q] = relevant_within(places, grades, span, rel, cutoff, beta) / m
    return values


@kernel
def first_relevant_kernel(
    ranks, labels, offsets, sizes, spans, rel, cutoff, beta, inverse
):
    """Find the first relevant document of each query within the cutoff: 1 / rank if
    ``inverse``, otherwise whether there is one."""
    values = np.full(len(sizes), np.nan)
    for q in range(len(values)):
        begin, end = offsets[q], offsets[q + 1]
        m, first = 0, np.inf
        for i in range(begin, end):
            if labels[i] >= rel:
                m += 1
                first = min(first, ranks[i])
        if m == 0:
            continue
        if first == np.inf:
            values[q] = 0.0
        elif any_tied(spans[begin:end]):
            good, span = 0.0, 1
            for i in range(begin, end):
                if labels[i] >= rel and ranks[i] == first:
                    good, span = good + 1.0, spans[i]
            weights = inverses(*positions_of(first, span, cutoff))
            if not inverse:
                weights[:] = 1.0
            values[q] = tied_value(FIRST_ONLY, good, good, span, 0.0, weights)
        else:
            values[q] = membership(first, cutoff, beta) / (first if inverse else 1.0)
    return values


@kernel
def relevant_ranks(ranks, labels, n, rel):
    """Return the ranks, in ascending order, of the returned relevant documents of a
    query.

    Exact ranks are distinct integers, so a table indexed by rank sorts them.
    """
    places = np.empty(len(ranks) + 1)
    seats = np.zeros(n + 1, dtype=np.bool_)
    m, clash = 0, False
    for i in range(len(ranks)):
        if labels[i] >= rel and ranks[i] < np.inf:
            places[m] = ranks[i]
            m += 1
            seat = int(ranks[i])
            clash |= (seat != ranks[i]) | seats[seat]
            seats[seat] = True
    if clash:
        return sorted_upwards(places[:m])
    m = 0
    for seat in range(1, n + 1):
        places[m] = seat
        m += int(seats[seat])
    return places[:m]


@kernel
def relevant_above(places, j, beta):
    """Smooth number of relevant documents above the one at ``places[j]``, plus 1."""
    above = 1.0
    for x in range(len(places)):
        if x != j:
            above += soft_step(places[j] - places[x], beta)
    return above


@kernel
def tied_precision(ranks, labels, spans, n, rel, cutoff):
    """Sum of precision at the relevant documents of a query with tied groups."""
    places = relevant_ranks(ranks, labels, n, rel)
    size_at = np.ones(n + 1, dtype=np.int64)
    for i in range(len(ranks)):
        if ranks[i] < np.inf:
            size_at[int(ranks[i])] = spans[i]
    total, above = 0.0, 0
    while above < len(places):
        rank, end = places[above], above
        while end < len(places) and places[end] == rank:
            end += 1
        good, size = float(end - above), size_at[int(rank)]
        weights = inverses(*positions_of(rank, size, cutoff))
        total += tied_value(BY_COUNT, good, good, size, float(above), weights)
        above = end
    return total


@kernel
def average_precision_kernel(ranks, labels, offsets, sizes, spans, rel, cutoff, beta):
    """Mean of precision at the relevant documents; those beyond the cutoff add 0.

    With the step function, each of t documents tied at a place would have (t + 1) / 2
    of them at or above it. Here they have 1 … t, which gives the same sum, because all
    are divided by the same rank.
    """
    values = np.full(len(sizes), np.nan)
    for q in range(len(sizes)):
        begin, end = offsets[q], offsets[q + 1]
        order, grades, n = ranks[begin:end], labels[begin:end], sizes[q]
        m = count_relevant(grades, rel)
        if m == 0:
            continue
        if any_tied(spans[begin:end]):
            span = spans[begin:end]
            values[q] = tied_precision(order, grades, span, n, rel, cutoff) / m
            continue
        places = relevant_ranks(order, grades, n, rel)
        total = 0.0
        for j in range(len(places)):
            above = j + 1.0 if beta == np.inf else relevant_above(places, j, beta)
            member = membership(places[j], cutoff, beta) if cutoff > 0 else 1.0
            total += above / places[j] * member
        values[q] = total / m
    return values


@kernel
def auc_kernel(ranks, labels, offsets, sizes, spans, rel):
    """Share of correctly ordered (relevant, irrelevant) pairs, from the rank sum; tied
    documents have their mean rank."""
    values = np.full(len(sizes), np.nan)
    for q in range(len(values)):
        m, rank_sum = 0, 0.0
        for i in range(offsets[q], offsets[q + 1]):
            if labels[i] >= rel:
                m += 1
                rank_sum += ranks[i]
                if len(spans) > 0:
                    rank_sum += 0.5 * (spans[i] - 1)
        pairs = m * (sizes[q] - m)
        if pairs > 0:
            values[q] = 1.0 - (rank_sum - m * (m + 1) / 2) / pairs
    return values
