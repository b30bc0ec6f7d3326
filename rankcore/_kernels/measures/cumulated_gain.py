"""Kernels of measures that weight positions: DCG, nDCG, MeanNDCG and RBP, over the
ranks of documents with a positive gain.

``sizes`` counts all documents of each query, including those of grade 0. With
``spans``, ``ranks`` are the first positions of groups of tied documents; a document at
infinity was not returned and adds nothing.
"""

import math

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.arithmetic.elementary import vlog, vlog2
from rankcore._kernels.arithmetic.vexp import vexp
from rankcore._kernels.measures.relevance import count_relevant, membership
from rankcore._kernels.ordering.line_search import BY_POSITION
from rankcore._kernels.ordering.ranks import largest, soft_step
from rankcore._kernels.ordering.ties import any_tied, positions_of, tied_value


@kernel
def discount(rank, letor):
    """Discount at a rank of at least 1, which need not be an integer."""
    if letor:
        return 1.0 if rank <= 2.0 else 1.0 / vlog2(rank)
    return 1.0 / vlog2(1.0 + rank)


@kernel
def discounts_of(ranks, letor, values):
    """Write the discounts at ``ranks`` to ``values``, both (n,) float64."""
    for i in range(len(ranks)):
        values[i] = discount(ranks[i], letor)


@kernel
def discount_table(longest, letor):
    """Discounts at integer ranks, with an unused one for rank 0."""
    table = np.zeros(longest + 1)
    for rank in range(1, longest + 1):
        table[rank] = discount(float(rank), letor)
    return table


@kernel
def discount_at(rank, discounts, letor):
    """Discount at any rank, looked up if the rank is an integer."""
    whole = int(rank)
    return discounts[whole] if whole == rank else discount(rank, letor)


@kernel
def count_grades(labels, counts):
    """Count in ``counts`` how often each grade occurs."""
    counts[:] = 0
    for label in labels:
        counts[label] += 1


@kernel
def ideal_dcg(counts, gains, depth, discounts):
    """DCG of the first ``depth`` positions of the order by descending grade."""
    total = 0.0
    rank = 1
    for grade in range(len(counts) - 1, 0, -1):
        last = min(rank + counts[grade], depth + 1)
        for position in range(rank, last):
            total += gains[grade] * discounts[position]
        rank = last
    return total


@kernel
def mean_weight(rank, span, cutoff, weights):
    """Mean weight of the positions of a group; weights are 0 beyond the cutoff."""
    if rank == math.inf:
        return 0.0
    begin, end = positions_of(rank, span, cutoff)
    return tied_value(BY_POSITION, 1.0, 1.0, span, 0.0, weights[begin + 1 : end + 1])


@kernel
def tied_gain(ranks, labels, spans, gains, cutoff, weights):
    """Gains weighted by position; tied ones have the mean weight of their positions."""
    total = 0.0
    rank, weight = 0.0, 0.0
    for i in range(len(ranks)):
        # Neighbours often belong to the same group, whose weight is reused.
        if ranks[i] != rank:
            rank, weight = ranks[i], mean_weight(ranks[i], spans[i], cutoff, weights)
        total += gains[labels[i]] * weight
    return total


@kernel
def dcg(ranks, labels, gains, cutoff, beta, discounts, letor):
    """Sum of gains, discounted at their ranks, within the (smooth) cutoff; 0: none."""
    total = 0.0
    for i in range(len(ranks)):
        member = 1.0
        if ranks[i] == math.inf:
            continue
        if cutoff > 0:
            inside = cutoff + 0.5 - ranks[i]
            if inside < 0.0 and beta == math.inf:
                continue
            member = soft_step(inside, beta)
        total += gains[labels[i]] * discount_at(ranks[i], discounts, letor) * member
    return total


@kernel
def dcg_kernel(
    ranks,
    labels,
    offsets,
    sizes,
    spans,
    gains,
    cutoff,
    beta,
    letor,
    short_defined,
    normalised,
):
    """Return DCG of each query, or nDCG if ``normalised``; labels, at least 1, index
    ``gains``."""
    values = np.full(len(sizes), np.nan)
    discounts = discount_table(largest(sizes), letor)
    counts = np.zeros(len(gains), dtype=np.int64)
    for q in range(len(sizes)):
        begin, end, n = offsets[q], offsets[q + 1], sizes[q]
        if begin == end:
            continue
        values[q] = 0.0
        if n < cutoff and not short_defined:
            continue
        depth = min(cutoff, n) if cutoff > 0 else n
        count_grades(labels[begin:end], counts)
        places, grades = ranks[begin:end], labels[begin:end]
        if any_tied(spans[begin:end]):
            gain = tied_gain(places, grades, spans[begin:end], gains, cutoff, discounts)
        else:
            gain = dcg(places, grades, gains, cutoff, beta, discounts, letor)
        values[q] = gain
        if normalised:
            values[q] /= ideal_dcg(counts, gains, depth, discounts)
    return values


@kernel
def rank_biased_kernel(
    ranks, labels, offsets, sizes, spans, rel, persistence, cutoff, beta
):
    """RBP of each query: (1 - p) p^(rank - 1), over the relevant documents within the
    cutoff."""
    values = np.full(len(sizes), np.nan)
    weights = np.zeros(largest(sizes) + 1)
    weight = 1.0 - persistence
    for rank in range(1, len(weights)):
        weights[rank] = weight
        weight *= persistence
    rate = vlog(persistence)
    for q in range(len(sizes)):
        begin, end = offsets[q], offsets[q + 1]
        if count_relevant(labels[begin:end], rel) == 0:
            continue
        total = 0.0
        for i in range(begin, end):
            rank = ranks[i]
            if labels[i] < rel or rank == math.inf:
                continue
            if len(spans) > 0 and spans[i] > 1:
                total += mean_weight(rank, spans[i], cutoff, weights)
            elif int(rank) == rank:
                total += weights[int(rank)] * membership(rank, cutoff, beta)
            else:
                smooth = (1.0 - persistence) * vexp((rank - 1.0) * rate)
                total += smooth * membership(rank, cutoff, beta)
        values[q] = total
    return values


@kernel
def inverse_ideals(counts, gains, discounts, n):
    """Array with 1 / N_k at index k, for k from 1 to the number n of documents."""
    inverse = np.zeros(n + 1)
    total, k = 0.0, 1
    for grade in range(len(counts) - 1, 0, -1):
        for _ in range(counts[grade]):
            total += gains[grade] * discounts[k]
            inverse[k] = 1.0 / total
            k += 1
    inverse[k:] = 1.0 / total
    return inverse


@kernel
def tails(terms):
    """Array with the sum of ``terms[k:]`` at index k, and a final 0."""
    sums = np.zeros(len(terms) + 1)
    for k in range(len(terms) - 1, -1, -1):
        sums[k] = sums[k + 1] + terms[k]
    return sums


@kernel
def weight_from(rank, inverse, sums, beta):
    """Sum over k of 1 / N_k times membership of the first k positions."""
    if beta == math.inf:
        # A document counts for every k above rank - 1/2, and by half at equality.
        below = math.floor(rank - 0.5)
        tied = below >= 1 and below == rank - 0.5
        return sums[below + 1] + (0.5 * inverse[below] if tied else 0.0)
    total = 0.0
    for k in range(1, len(inverse)):
        total += inverse[k] * soft_step(k + 0.5 - rank, beta)
    return total


@kernel
def mean_ndcg_kernel(ranks, labels, offsets, sizes, spans, gains, beta, letor):
    """Mean of nDCG@k over all k, by exchanging the sums over k and documents."""
    values = np.full(len(sizes), np.nan)
    discounts = discount_table(largest(sizes), letor)
    counts = np.zeros(len(gains), dtype=np.int64)
    for q in range(len(sizes)):
        begin, end, n = offsets[q], offsets[q + 1], sizes[q]
        if begin == end:
            continue
        count_grades(labels[begin:end], counts)
        inverse = inverse_ideals(counts, gains, discounts, n)
        sums = tails(inverse)
        total = 0.0
        if any_tied(spans[begin:end]):
            weights = sums[: n + 1] * discounts[: n + 1]
            places, grades = ranks[begin:end], labels[begin:end]
            total = tied_gain(places, grades, spans[begin:end], gains, 0, weights)
        else:
            for i in range(begin, end):
                weight = weight_from(ranks[i], inverse, sums, beta)
                discounted = gains[labels[i]] * discount_at(ranks[i], discounts, letor)
                total += discounted * weight
        values[q] = total / n
    return values
