"""RankBoost's pair weights without pairs, and its search for a threshold.

The weight of a pair, e^(s_j - s_i) for y_i > y_j, is a product of one factor per
document. The total weight of a document's pairs then follows from one sum over the
worse and one over the better documents of its query.
"""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.arithmetic.vexp import vexp


@kernel
def _middle(scores):
    """Return the midpoint and the difference of the largest and the smallest score."""
    low, high = np.inf, -np.inf
    for s in scores:
        low, high = min(low, s), max(high, s)
    return 0.5 * (low + high), high - low


@kernel
def _factors(scores, middle, factor):
    """e^(s - middle) of every score."""
    for i in range(len(scores)):
        factor[i] = vexp(scores[i] - middle)


@kernel
def pair_potentials(scores, members, labels, offsets, potentials):
    """Sum of the weights of all pairs, and its derivatives by the scores.

    Parameters
    ----------
    scores : (n,) float64
    members : (n,) int64
        The documents, query by query, by ascending label in each.
    labels : (n,) int64, read-only
    offsets : (q + 1,) int64, read-only
    potentials : (n,) float64
        On exit the weight of the pairs in which a document is the better one, minus
        that of the pairs in which it is the worse one.

    Returns
    -------
    loss : float
        Sum of e^(s_j - s_i) over all pairs with y_i > y_j.
    widest : float
        Largest difference of two scores in a query; beyond 1400 factors overflow.
    """
    n_longest = 0
    for q in range(len(offsets) - 1):
        n_longest = max(n_longest, offsets[q + 1] - offsets[q])
    factor = np.empty(n_longest)
    loss, widest = 0.0, 0.0
    for q in range(len(offsets) - 1):
        begin, end = offsets[q], offsets[q + 1]
        middle, width = _middle(scores[begin:end])
        widest = max(widest, width)
        _factors(scores[begin:end], middle, factor)
        worse, pending, last = 0.0, 0.0, -1
        for k in range(begin, end):
            i = members[k]
            if labels[i] != last:
                worse, pending, last = worse + pending, 0.0, labels[i]
            factor_i = factor[i - begin]
            potentials[i] = worse / factor_i
            loss += worse / factor_i
            pending += factor_i
        better, pending, last = 0.0, 0.0, -1
        for k in range(end - 1, begin - 1, -1):
            i = members[k]
            if labels[i] != last:
                better, pending, last = better + pending, 0.0, labels[i]
            factor_i = factor[i - begin]
            potentials[i] -= better * factor_i
            pending += 1.0 / factor_i
    return loss, widest


@kernel
def best_threshold(bins, potentials, n_bins):
    """Return the threshold feature that orders the weighted pairs best, or worst.

    Parameters
    ----------
    bins : (d, n) uint8
        Number of a feature's thresholds that each document exceeds.
    potentials : (n,) float64
    n_bins : (d,) int64
        Thresholds of each feature, plus 1.

    Returns
    -------
    feature, threshold : int
        The first of equally good thresholds; -1 where no feature has one.
    correlation : float
        Sum of the potentials beyond that threshold, of either sign.
    """
    even, odd = np.empty(256), np.empty(256)
    feature, threshold, correlation = -1, -1, 0.0
    n = bins.shape[1]
    for j in range(len(bins)):
        if n_bins[j] < 2:
            continue
        # Two alternating tables, so that no addition waits for the previous one.
        even[:], odd[:] = 0.0, 0.0
        for i in range(0, n - 1, 2):
            even[bins[j, i]] += potentials[i]
            odd[bins[j, i + 1]] += potentials[i + 1]
        if n % 2 == 1:
            even[bins[j, n - 1]] += potentials[n - 1]
        beyond = 0.0
        for b in range(n_bins[j] - 1, 0, -1):
            beyond += even[b] + odd[b]
            if abs(beyond) > abs(correlation):
                feature, threshold, correlation = j, b - 1, beyond
    return feature, threshold, correlation


@kernel
def add_beyond(scores, bins, threshold, weight):
    """Add ``weight`` to the scores of documents beyond a threshold of one feature."""
    for i in range(len(scores)):
        if bins[i] > threshold:
            scores[i] += weight
