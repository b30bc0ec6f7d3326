"""Kernels of nDCG and MeanNDCG, over ranks."""

import math

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.ranks import soft_step


@kernel
def discount(rank, letor):
    """Discount at a rank from 1 upwards, which need not be whole."""
    if letor:
        return 1.0 if rank <= 2.0 else 1.0 / math.log2(rank)
    return 1.0 / math.log2(1.0 + rank)


@kernel
def discount_table(longest, letor):
    """Discounts at the whole ranks, beginning with an unused one for rank 0."""
    table = np.zeros(longest + 1)
    for rank in range(1, longest + 1):
        table[rank] = discount(float(rank), letor)
    return table


@kernel
def longest_query(offsets):
    """Number of documents of the longest query."""
    longest = 0
    for q in range(len(offsets) - 1):
        longest = max(longest, offsets[q + 1] - offsets[q])
    return longest


@kernel
def count_grades(labels, counts):
    """Count in ``counts`` how often each grade occurs."""
    counts[:] = 0
    for label in labels:
        counts[label] += 1


@kernel
def ideal_dcg(counts, gains, depth, discounts):
    """DCG of the first ``depth`` positions when grades fall from the top."""
    total = 0.0
    rank = 1
    for grade in range(len(counts) - 1, 0, -1):
        last = min(rank + counts[grade], depth + 1)
        for position in range(rank, last):
            total += gains[grade] * discounts[position]
        rank = last
    return total


@kernel
def dcg(ranks, labels, gains, cutoff, beta, discounts, letor):
    """Gains, discounted at their ranks, within the (smooth) cutoff; 0 = no cutoff."""
    total = 0.0
    for i in range(len(ranks)):
        if labels[i] == 0:
            continue
        member = 1.0
        if cutoff > 0:
            member = soft_step(cutoff + 0.5 - ranks[i], beta)
            if member == 0.0:
                continue
        whole = int(ranks[i])
        if whole == ranks[i]:
            total += gains[labels[i]] * discounts[whole] * member
        else:
            total += gains[labels[i]] * discount(ranks[i], letor) * member
    return total


@kernel
def ndcg_kernel(ranks, labels, offsets, gains, cutoff, beta, letor, short_defined):
    """nDCG of each query; labels index ``gains``, and grade 0 gains nothing."""
    values = np.full(len(offsets) - 1, np.nan)
    discounts = discount_table(longest_query(offsets), letor)
    counts = np.zeros(len(gains), dtype=np.int64)
    for q in range(len(values)):
        begin, end = offsets[q], offsets[q + 1]
        n = end - begin
        count_grades(labels[begin:end], counts)
        if counts[0] == n:
            continue
        if n < cutoff and not short_defined:
            values[q] = 0.0
            continue
        depth = min(cutoff, n) if cutoff > 0 else n
        ideal = ideal_dcg(counts, gains, depth, discounts)
        reached = dcg(
            ranks[begin:end], labels[begin:end], gains, cutoff, beta, discounts, letor
        )
        values[q] = reached / ideal
    return values


@kernel
def inverse_ideals(counts, gains, discounts, inverse):
    """Fill ``inverse[k]`` with 1 / N_k, k from 1 to the number of documents."""
    total, k = 0.0, 1
    for grade in range(len(counts) - 1, -1, -1):
        for _ in range(counts[grade]):
            total += gains[grade] * discounts[k]
            inverse[k] = 1.0 / total
            k += 1


@kernel
def weight_from(rank, inverse, suffix, beta):
    """Sum over k of 1 / N_k times membership of the first k positions."""
    if beta == math.inf:
        at = math.floor(rank - 0.5)
        half = 0.5 * inverse[at] if at >= 1 and at == rank - 0.5 else 0.0
        return suffix[at + 1] + half
    total = 0.0
    for k in range(1, len(inverse)):
        total += inverse[k] * soft_step(k + 0.5 - rank, beta)
    return total


@kernel
def mean_ndcg_kernel(ranks, labels, offsets, gains, beta, letor):
    """Mean of nDCG@k over all k of each query, the sums over k and i exchanged."""
    values = np.full(len(offsets) - 1, np.nan)
    discounts = discount_table(longest_query(offsets), letor)
    counts = np.zeros(len(gains), dtype=np.int64)
    for q in range(len(values)):
        begin, end = offsets[q], offsets[q + 1]
        n = end - begin
        count_grades(labels[begin:end], counts)
        if counts[0] == n:
            continue
        inverse = np.zeros(n + 1)
        inverse_ideals(counts, gains, discounts, inverse)
        suffix = np.zeros(n + 2)
        for k in range(n, 0, -1):
            suffix[k] = suffix[k + 1] + inverse[k]
        total = 0.0
        for i in range(begin, end):
            if labels[i] > 0:
                weight = weight_from(ranks[i], inverse, suffix, beta)
                total += gains[labels[i]] * discount(ranks[i], letor) * weight
        values[q] = total / n
    return values
