r"""The most violated order of each query for DORM where documents have two labels only.

To maximise

.. math:: \sum_i s_i A(\pi_i) - \frac{G_i}{N} D(\pi_i)

over orders, with A and D not rising, is a linear assignment problem in general. With
two gains G it merges the documents of each, by falling score, and dynamic programming
over merges finds the best one: the state (i, j) has placed i of the better and j of the
worse documents. Beyond the last rank at which A or D count, nothing is left to choose.
That is O(min(k, n+) k) for ranks 1 … k, O(n+ n-) for the whole list.
"""

import numpy as np

from rankcore._kernels import kernel


@kernel
def best_places(good, bad, weights, discounts, gains, best, took):
    """Dynamic programming over the ranks that count.

    Parameters
    ----------
    good, bad : (m,), (n',) float64
        Scores, falling.
    weights, discounts : (depth,) float64
        A, and D over the ideal DCG, from rank 1.
    gains : tuple of 2 float
        Of good and of bad documents.
    best : (m + 1,) float64
        ``best[i]``, on exit, with i good documents in the first ``depth`` ranks.
    took : (depth + 1, m + 1) bool
        Whether a state is reached by a good document, on exit.
    """
    m, n_bad = len(good), len(bad)
    best[:] = -np.inf
    best[0] = 0.0
    for t in range(1, len(weights) + 1):
        a, d = weights[t - 1], discounts[t - 1]
        for i in range(min(m, t), -1, -1):
            with_good = with_bad = -np.inf
            if i > 0:
                with_good = best[i - 1] + a * good[i - 1] - gains[0] * d
            if 0 < t - i <= n_bad:
                with_bad = best[i] + a * bad[t - i - 1] - gains[1] * d
            took[t, i] = with_good >= with_bad
            best[i] = max(with_good, with_bad)


@kernel
def two_label_orders(
    rows, keys, offsets, n_good, depths, weights, discounts, gains, ranks
):
    """Worst orders of the queries with good and bad documents.

    Parameters
    ----------
    rows, keys, offsets, n_good
        As `rankcore._kernels.merging.split_by_relevance` leaves them.
    depths : (q,) int64
        Ranks that count in each query.
    weights, discounts : (n,) float64
        A, and D over the ideal DCG, of each query from rank 1.
    gains : (n,) float64
        Gains of the documents.
    ranks : (n,) int64
        Ranks of the documents, on exit; as it was, 0, beyond the ranks that count.
    """
    for q in range(len(n_good)):
        lo, hi, m = offsets[q], offsets[q + 1], n_good[q]
        if m == 0 or m == hi - lo:
            continue
        depth = depths[q]
        best = np.empty(m + 1)
        took = np.empty((depth + 1, m + 1), dtype=np.bool_)
        best_places(
            keys[lo : lo + m],
            keys[lo + m : hi],
            weights[lo : lo + depth],
            discounts[lo : lo + depth],
            (gains[rows[lo]], gains[rows[lo + m]]),
            best,
            took,
        )
        i = np.argmax(best)
        for t in range(depth, 0, -1):
            if took[t, i]:
                i -= 1
                ranks[rows[lo + i]] = t
            else:
                ranks[rows[lo + m + t - 1 - i]] = t
