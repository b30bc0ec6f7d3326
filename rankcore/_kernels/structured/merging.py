r"""The most violated order of each query for AUC, average precision and NDCG.

With binary relevance and :math:`\phi(y) = \frac1\nu \sum_{g,b} \pm (x_g - x_b)`, with
plus where the good document g is above the bad one b, the order that maximises loss
plus score keeps both good and bad documents in the order of their scores: it merges the
two sorted lists. A merge is a staircase, ``above[i]``, the number of bad documents
above the i-th good one, which is nondecreasing; each cell (i, j) below it adds

.. math:: v_{ij} = \tfrac2\nu (b_j - g_i) + \lambda_{ij},

where :math:`\lambda_{ij}` is the increase of the loss. If :math:`\lambda_{ij}` does not
increase with j, the number e of good documents above each bad one can be optimised
independently: the optima are nondecreasing in j, so they form a merge, which is
optimal. The value of e is the sum of :math:`v_{ij}` over i > e; its first part comes
from prefix sums and its second has a closed form, with the harmonic numbers H, the
discounts D and the ideal DCG N, up to a constant:

- average precision: :math:`-\frac1m (H_{e+j-1} + \frac{j}{e+j})`,
- NDCG: :math:`\frac1N D(e+j)`.

So each value costs O(1), and as the optima are nondecreasing, divide and conquer over j
finds all of them in O(n log n).

The documents of a query are split: good ones first, then bad ones, each by descending
score. All arrays are indexed by document, query by query, and queries without both
kinds are skipped.
"""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.ordering.sorting import sort_descending


@kernel
def split_by_relevance(scores, relevant, offsets, n_good, order, rows, keys):
    """Sort each query by descending score, good documents first.

    Parameters
    ----------
    scores : (n,) float64
    relevant : (n,) bool
    offsets : (q + 1,) int64
    n_good : (q,) int64
        Number of relevant documents of each query.
    order : (n,) int64
        For each query a permutation of 0, 1, …, ideally that of the last call; by
        descending score on exit.
    rows : (n,) int64
        The document at each place, on exit.
    keys : (n,) float64
        Its score, on exit.
    """
    longest = np.max(offsets[1:] - offsets[:-1])
    spare_keys, spare_order = np.empty(longest), np.empty(longest, dtype=np.int64)
    for q in range(len(n_good)):
        lo, hi = offsets[q], offsets[q + 1]
        documents = order[lo:hi]
        sort_descending(scores[lo:hi], documents, keys[lo:hi], spare_keys, spare_order)
        good, bad = lo, lo + n_good[q]
        for document in documents:
            row = lo + document
            if relevant[row]:
                place = good
                good += 1
            else:
                place = bad
                bad += 1
            rows[place], keys[place] = row, scores[row]


@kernel
def prefix_sums(values, sums):
    """Write the sum of the first k values to ``sums[k]``, k = 0 … len(values)."""
    sums[0] = total = 0.0
    for k in range(len(values)):
        total += values[k]
        sums[k + 1] = total


@kernel
def choose_passed(sums, bad, weight, factor, table, slope, skip, least, passed):
    """Choose the number of good documents above each bad one, by divide and conquer.

    Parameters
    ----------
    sums : (m + 1,) float64
        Prefix sums of the good documents' scores.
    bad : (n',) float64
        The bad documents' scores, descending.
    weight, factor : float
        2 / nu, and the factor of the loss.
    table, slope : (n + 1,) float64
        With j bad documents and e good ones above the next, the loss counts as
        ``factor * (table[e + j] + j * slope[e + j])``.
    skip, least : int
        The first ``skip`` bad documents are above all good ones, all others below at
        least ``least`` good ones.
    passed : (n',) int64
        The choices, on exit; the largest of equally good ones.
    """
    m, n = len(sums) - 1, len(bad)
    worths = np.empty(m + 1)
    passed[:skip] = 0
    stride = 1
    while 2 * stride <= n - skip:
        stride *= 2
    while stride > 0:
        # Choices are nondecreasing in k, so neighbours solved at coarser strides bound
        # this one.
        for k in range(skip + stride - 1, n, 2 * stride):
            low = passed[k - stride] if k - stride >= skip else least
            high = passed[k + stride] if k + stride < n else m
            at = k + 1, bad[k], sums, weight, factor, table, slope
            if high - low <= 2:
                passed[k] = _best_of_three(low, high, at)
            else:
                passed[k] = _best_between(low, high, at, worths)
        stride //= 2


@kernel(forceinline=True)
def _worth(e, at):
    """Return the value of placing e good documents above bad document j."""
    j, x, sums, weight, factor, table, slope = at
    # Unsigned indices avoid a check for negative ones.
    i, rank = np.uint64(e), np.uint64(e + j)
    return weight * (sums[i] - e * x) + factor * (table[rank] + j * slope[rank])


@kernel(forceinline=True)
def _best_of_three(low, high, at):
    """Return the choice among at most three neighbours, without a branch, which half of
    the calls would mispredict."""
    middle = (low + high) // 2
    first, second, third = _worth(low, at), _worth(middle, at), _worth(high, at)
    choice = low + (second >= first) * (middle - low)
    return choice + (third >= max(first, second)) * (high - choice)


@kernel(forceinline=True)
def _best_between(low, high, at, worths):
    """Return the choice from a range; ``worths`` is scratch, one number per choice."""
    best = -np.inf
    for e in range(low, high + 1):
        worth = worths[np.uint64(e)] = _worth(e, at)
        best = max(best, worth)
    while worths[np.uint64(high)] < best:
        high -= 1
    return high


@kernel
def merge_value(sums, bad, weight, factor, discounts, passed):
    """Return the increase of NDCG loss plus score of a merge over the ideal order.

    Parameters as `choose_passed`.
    """
    m = len(sums) - 1
    total = 0.0
    for k in range(len(bad)):
        e = passed[k]
        total += weight * ((m - e) * bad[k] - (sums[m] - sums[e]))
        total += factor * (discounts[e + k + 1] - discounts[m + k + 1])
    return total


@kernel
def fill_staircase(passed, above):
    """Write the bad documents above each good one, from the good ones above bad
    ones."""
    m = len(above)
    above[:] = 0
    for j in range(len(passed)):
        if passed[j] < m:
            above[np.uint64(passed[j])] = j + 1
    for i in range(1, m):
        above[i] = max(above[i], above[i - 1])


@kernel
def precision_loss(above):
    """Return 1 - AP of a merge."""
    m = len(above)
    total = 0.0
    for i in range(m):
        total += (i + 1.0) / (i + 1 + above[i])
    return 1.0 - total / m


@kernel
def gain_loss(above, discounts, cutoff, ideal):
    """Return 1 - NDCG of a merge, at a cutoff."""
    total = 0.0
    for i in range(len(above)):
        rank = i + 1 + above[i]
        if rank <= cutoff:
            total += discounts[rank]
    return 1.0 - total / ideal


@kernel
def ap_merges(keys, offsets, n_good, weights, table, slope, above, losses):
    """Find the most violated merges for average precision.

    Parameters
    ----------
    keys : (n,) float64
        Scores as `split_by_relevance` leaves them.
    offsets : (q + 1,) int64
    n_good : (q,) int64
    weights : (q,) float64
        2 / nu.
    table, slope : (longest + 1,) float64
        Negative harmonic numbers, with that of t - 1 at ``table[t]``, and -1 / t.
    above : (n,) int64
        The staircases, on exit, at the places of the good documents.
    losses : (q,) float64
        1 - AP of the merges, on exit.
    """
    passed = np.empty(len(keys), dtype=np.int64)
    sums = np.empty(len(keys) + 1)
    for q in range(len(n_good)):
        lo, hi, m = offsets[q], offsets[q + 1], n_good[q]
        if m == 0 or m == hi - lo:
            continue
        good, bad, higher = keys[lo : lo + m], keys[lo + m : hi], passed[lo + m : hi]
        prefix_sums(good, sums)
        choose_passed(
            sums[: m + 1], bad, weights[q], 1.0 / m, table, slope, 0, 0, higher
        )
        fill_staircase(higher, above[lo : lo + m])
        losses[q] = precision_loss(above[lo : lo + m])


@kernel
def ndcg_merges(keys, offsets, n_good, weights, discounts, above, losses):
    """Find the most violated merges for NDCG without cutoff; parameters as `ap_merges`.

    The discounts (``discounts[t]`` at rank t) need to be convex only from rank 2, as
    those of the LETOR scripts: the first rank is tried with a good and with a bad
    document, after which all choices are independent.
    """
    level = np.zeros(len(discounts))
    passed = np.empty((2, len(keys)), dtype=np.int64)
    sums = np.empty(len(keys) + 1)
    for q in range(len(n_good)):
        lo, hi, m = offsets[q], offsets[q + 1], n_good[q]
        if m == 0 or m == hi - lo:
            continue
        bad, best = keys[lo + m : hi], passed[0, lo + m : hi]
        prefix_sums(keys[lo : lo + m], sums)
        ideal = np.sum(discounts[1 : m + 1])
        terms = sums[: m + 1], bad, weights[q], 1.0 / ideal, discounts, level
        if discounts[1] - discounts[2] >= discounts[2] - discounts[3]:
            choose_passed(*terms, 0, 0, best)
        else:
            other = passed[1, lo + m : hi]
            choose_passed(*terms, 0, 1, best)
            choose_passed(*terms, 1, 0, other)
            if merge_value(*terms[:5], other) > merge_value(*terms[:5], best):
                best = other
        fill_staircase(best, above[lo : lo + m])
        losses[q] = gain_loss(above[lo : lo + m], discounts, hi - lo, ideal)


@kernel
def auc_merges(keys, offsets, n_good, weights, above, losses):
    """Find the most violated merges for AUC by pairs; parameters as `ap_merges`."""
    for q in range(len(n_good)):
        lo, hi, m = offsets[q], offsets[q + 1], n_good[q]
        if m == 0 or m == hi - lo:
            continue
        n_bad = hi - lo - m
        # A pair is inverted where its loss 1 / (m n_bad) exceeds its margin, 2 / nu (g
        # - b).
        margin = 1.0 / (weights[q] * m * n_bad)
        j, swapped = 0, 0
        for i in range(m):
            while j < n_bad and keys[lo + m + j] + margin > keys[lo + i]:
                j += 1
            above[lo + i] = j
            swapped += j
        losses[q] = swapped / (m * n_bad)


@kernel
def pair_forces(rows, offsets, n_good, above, weights, forces):
    """Coefficients of the documents in phi(ideal order) - phi(merge).

    Parameters
    ----------
    rows, offsets, n_good
        As `split_by_relevance` leaves them.
    above : (n,) int64
        A staircase for each query, at the places of the good documents.
    weights : (q,) float64
        Weight of a misordered pair, 2 / nu.
    forces : (n,) float64
        The coefficients, on exit; unchanged for queries without both kinds.
    """
    for q in range(len(n_good)):
        lo, hi, m = offsets[q], offsets[q + 1], n_good[q]
        if m == 0 or m == hi - lo:
            continue
        i = 0
        for j in range(1, hi - lo - m + 1):
            while i < m and above[lo + i] < j:
                i += 1
            forces[rows[lo + m + j - 1]] = -weights[q] * (m - i)
        for i in range(m):
            forces[rows[lo + i]] = weights[q] * above[lo + i]


@kernel
def share_among_ties(rows, keys, offsets, n_good, forces):
    """Average the forces of good, and of bad, documents of equal scores in a query.

    Their order does not affect loss plus score, so the mean over their orders is also a
    maximiser, and the order of the rows has no influence. Parameters as
    `split_by_relevance` leaves them; ``forces`` (n,) are modified.
    """
    for q in range(len(n_good)):
        lo, hi = offsets[q], offsets[q + 1]
        good = lo + n_good[q]
        begin = lo
        for k in range(lo + 1, hi + 1):
            if k < hi and k != good and keys[k] == keys[begin]:
                continue
            if k - begin > 1:
                total = 0.0
                for i in range(begin, k):
                    total += forces[rows[i]]
                for i in range(begin, k):
                    forces[rows[i]] = total / (k - begin)
            begin = k
