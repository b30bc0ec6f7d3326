r"""The most violated order of each query for the rank of its first good document.

The loss is :math:`1 - 1/r` with the first good document at rank r, and 1 where r is
beyond a cutoff. For every r the best order is explicit, and its value follows from that
for r - 1 in O(1), so all r are tried: O(n) for a sorted query of n documents.
"""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.structured.merging import prefix_sums
from rankcore._kernels.structured.merging_cutoff import count_higher


@kernel
def reciprocal(rank, cutoff):
    """1 / rank, and 0 beyond the cutoff."""
    return 1.0 / rank if rank <= cutoff else 0.0


@kernel
def rr_merges(keys, offsets, n_good, weights, cutoff, above, losses):
    """Find the most violated merges for RR with the feature map of all pairs.

    The best order with the first good document at rank r puts the r - 1 highest bad
    ones above the highest good one and merges the rest by score.

    Parameters
    ----------
    keys, offsets, n_good, weights, above, losses
        As `rankcore._kernels.structured.merging.ap_merges`.
    cutoff : int
        The largest rank that counts; a large one means no cutoff.
    """
    good_sums = np.empty(len(keys) + 1)
    for q in range(len(n_good)):
        lo, hi, m = offsets[q], offsets[q + 1], n_good[q]
        if m == 0 or m == hi - lo:
            continue
        good, bad, counts = keys[lo : lo + m], keys[lo + m : hi], above[lo : lo + m]
        prefix_sums(good, good_sums)
        best, first = 1.0 - reciprocal(1, cutoff), 1
        value, higher = best, 1
        for r in range(1, len(bad) + 1):
            x = bad[r - 1]
            while higher < m and good[higher] > x:
                higher += 1
            # The r-th bad document is forced above the good ones that outscore it.
            forced = (good_sums[higher] - good_sums[0]) - higher * x
            value -= weights[q] * forced
            value += reciprocal(r, cutoff) - reciprocal(r + 1, cutoff)
            if value > best:
                best, first = value, r + 1
        count_higher(good, bad, counts)
        counts[0] = first - 1
        for i in range(1, m):
            counts[i] = max(counts[i], first - 1)
        losses[q] = 1.0 - reciprocal(first, cutoff)


@kernel
def rr_first_only(keys, offsets, n_good, weights, cutoff, above, losses):
    """Find the most violated orders for RR and the first good document's feature map.

    The map is the sum of :math:`x_b - x_g` over the bad documents b above the first
    good one g. The best order for rank r has the lowest-scoring good document there and
    the r - 1 highest bad ones above; the rest does not matter. So the staircase is 0
    except for its last step. Parameters as `rr_merges`, with ``weights`` of 1 / nu.
    """
    for q in range(len(n_good)):
        lo, hi, m = offsets[q], offsets[q + 1], n_good[q]
        if m == 0 or m == hi - lo:
            continue
        lowest, bad = keys[lo + m - 1], keys[lo + m : hi]
        value = best = 1.0 - reciprocal(1, cutoff)
        first = 1
        for r in range(1, len(bad) + 1):
            value += weights[q] * (bad[r - 1] - lowest)
            value += reciprocal(r, cutoff) - reciprocal(r + 1, cutoff)
            if value > best:
                best, first = value, r + 1
        above[lo : lo + m] = 0
        above[lo + m - 1] = first - 1
        losses[q] = 1.0 - reciprocal(first, cutoff)
