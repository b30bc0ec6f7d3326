r"""The most violated order of each query for NDCG at a cutoff.

The discount drops to 0 after rank k, so the loss of a good document from one more bad
one above is not monotone, and bad documents cannot be placed independently as in
`rankcore._kernels.structured.merging`. Dynamic programming over merges fills the first
k ranks: the state (i, j) has placed i good and j bad documents. The next good one then
adds

.. math:: \tfrac2\nu (b_1 + \dots + b_j - j g_{i+1}) - \tfrac1N D(i + j + 1)

to the value of the ideal order, a bad one nothing. After rank k only scores count, and
the rest is merged by score; its value comes from prefix sums. This takes O(n log n +
k^2) for a query of n documents, and is valid for any discounts.
"""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.structured.merging import gain_loss, prefix_sums


@kernel
def count_higher(good, bad, higher):
    """Count the bad documents that score higher than each good one."""
    j = 0
    for i in range(len(good)):
        while j < len(bad) and bad[j] > good[i]:
            j += 1
        higher[i] = j


@kernel
def by_score_values(good, higher, bad_sums, weight, values):
    """Write the value of good documents from each on, with the rest merged by score."""
    m = len(good)
    values[m] = 0.0
    for i in range(m - 1, -1, -1):
        j = higher[i]
        values[i] = values[i + 1] + weight * (bad_sums[j] - j * good[i])


@kernel
def best_first_ranks(good, bad_sums, weight, discounts, ideal, depth, best, took):
    """Fill the first ``depth`` ranks by dynamic programming.

    ``best[i]`` is the value of the best merge with i good documents in these ranks, and
    ``took[t, i]`` whether its last document is good, for each depth t up to ``depth``.
    """
    m, n_bad = len(good), len(bad_sums) - 1
    best[:] = -np.inf
    best[0] = 0.0
    for t in range(1, depth + 1):
        for i in range(min(m, t), max(0, t - n_bad) - 1, -1):
            with_bad = best[i] if i < t else -np.inf
            with_good = -np.inf
            if i > 0:
                j = t - i
                gain = weight * (bad_sums[j] - j * good[i - 1]) - discounts[t] / ideal
                with_good = best[i - 1] + gain
            took[t, i] = with_good >= with_bad
            best[i] = max(with_good, with_bad)
        for i in range(max(0, t - n_bad)):
            best[i] = -np.inf


@kernel
def best_split(best, depth, good_sums, bad_sums, higher, by_score, weight):
    """Return the number of good documents in the first ranks of the best order."""
    m, n_bad = len(higher), len(bad_sums) - 1
    top, choice = -np.inf, 0
    for i in range(max(0, depth - n_bad), min(m, depth) + 1):
        j = depth - i
        # All bad ones that outscore good documents i to free are above these already.
        free = max(i, np.searchsorted(higher, j, side="right"))
        value = best[i] + by_score[free]
        value += weight * (
            (free - i) * bad_sums[j] - j * (good_sums[free] - good_sums[i])
        )
        if value >= top:
            top, choice = value, i
    return choice


@kernel
def cutoff_merge(good, bad, weight, discounts, ideal, cutoff, above):
    """Write the most violated merge for NDCG at a cutoff of one query to ``above``."""
    m, n_bad = len(good), len(bad)
    depth = min(cutoff, m + n_bad)
    good_sums, bad_sums = np.empty(m + 1), np.empty(n_bad + 1)
    prefix_sums(good, good_sums)
    prefix_sums(bad, bad_sums)
    higher, by_score = np.empty(m, dtype=np.int64), np.empty(m + 1)
    count_higher(good, bad, higher)
    by_score_values(good, higher, bad_sums, weight, by_score)
    best = np.empty(m + 1)
    took = np.zeros((depth + 1, min(m, depth) + 1), dtype=np.bool_)
    best_first_ranks(good, bad_sums, weight, discounts, ideal, depth, best, took)
    i = best_split(best, depth, good_sums, bad_sums, higher, by_score, weight)
    j = depth - i
    for rest in range(i, m):
        above[rest] = max(j, higher[rest])
    for t in range(depth, 0, -1):
        if took[t, i]:
            i -= 1
            above[i] = t - 1 - i


@kernel
def ndcg_cutoff_merges(
    keys, offsets, n_good, weights, discounts, cutoff, above, losses
):
    """Find the most violated merges for NDCG@k.

    Parameters
    ----------
    keys, offsets, n_good, weights, above, losses
        As `rankcore._kernels.structured.merging.ap_merges`.
    discounts : (longest + 1,) float64
        ``discounts[t]`` at rank t.
    cutoff : int
        k, at least 1.
    """
    for q in range(len(n_good)):
        lo, hi, m = offsets[q], offsets[q + 1], n_good[q]
        if m == 0 or m == hi - lo:
            continue
        ideal = np.sum(discounts[1 : min(m, cutoff) + 1])
        passed = above[lo : lo + m]
        cutoff_merge(
            keys[lo : lo + m], keys[lo + m : hi], weights[q], discounts, ideal, cutoff,
            passed,
        )  # fmt: skip
        losses[q] = gain_loss(passed, discounts, cutoff, ideal)
