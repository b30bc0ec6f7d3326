r"""Likelihoods of whole lists: the softmax of ListNet, the Plackett-Luce of ListMLE."""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.arithmetic.elementary import vlog, vlog1p
from rankcore._kernels.arithmetic.lanes import product, total
from rankcore._kernels.arithmetic.rows import add_rows, scale, score_rows
from rankcore._kernels.arithmetic.vexp import vexp
from rankcore._kernels.ordering.ranks import longest_query


@kernel
def softmax(s, result):
    """Write the softmax of ``s``; return the logarithm of its denominator.

    The largest score is subtracted first, so that no exponential overflows.
    """
    n = np.uint64(len(s))
    largest = s[0]
    for i in range(n):
        largest = s[i] if s[i] > largest else largest
    for i in range(n):
        result[i] = vexp(s[i] - largest)
    divisor = total(result, 0, len(s))
    for i in range(n):
        result[i] /= divisor
    return largest + vlog(divisor)


@kernel
def label_softmax(labels, offsets):
    """Softmax of the labels of each query, (n,) float64."""
    result, s = np.empty(len(labels)), labels.astype(np.float64)
    for q in range(len(offsets) - 1):
        softmax(s[offsets[q] : offsets[q + 1]], result[offsets[q] : offsets[q + 1]])
    return result


@kernel
def _cross_entropy(s, target, force):
    """Return the cross entropy of softmax(s) under ``target``, its gradient in
    ``force``.

    The scores are overwritten.
    """
    log_sum = softmax(s, force)
    for i in range(np.uint64(len(s))):
        s[i] = log_sum - s[i]
        force[i] -= target[i]
    return product(target, s, len(s))


@kernel
def list_net_sums(X, offsets, target, weights, w):
    """Sum over the queries of ListNet's loss of a linear model, and its gradient.

    Parameters
    ----------
    X : (n, d) float64, read-only
    offsets : (q + 1,) int64, read-only
        Query i owns rows ``offsets[i]`` to ``offsets[i + 1]``.
    target : (n,) float64
        The target distribution over each query's documents.
    weights : (q,) float64, read-only
        The factor of each query's loss.
    w : (d,) float64

    Returns
    -------
    value : float
    gradient : (d,) float64
    """
    work = np.empty((2, longest_query(offsets)))
    gradient = np.zeros(len(w))
    value = 0.0
    for q in range(len(offsets) - 1):
        lo, hi = offsets[q], offsets[q + 1]
        s, force = work[0, : hi - lo], work[1, : hi - lo]
        score_rows(X, lo, hi, w, s)
        value += weights[q] * _cross_entropy(s, target[lo:hi], force)
        scale(force, weights[q])
        add_rows(X, lo, hi, force, gradient)
    return value, gradient


@kernel
def _plackett_luce(s, order, chosen, exps, force):
    r"""Return minus the log likelihood of drawing ``order``, its gradient in ``force``.

    With :math:`L_k` the log of the sum of the exponentials from place k on, the
    probability of the draw at k is :math:`c_k = e^{s_k - L_k}`, and that of the others
    :math:`1 - c_k`. Going up, each L follows from the one below; going down, document t
    is expected to be drawn :math:`e^{s_t - L_1} + \dots + e^{s_t - L_t} = c_t R_t`,
    times, where :math:`R_t = 1 + (1 - c_{t-1}) R_{t-1}`. Every number stays between 0
    and n. ``chosen`` and ``exps`` are scratch.
    """
    n = len(s)
    value = 0.0
    below = s[order[n - 1]]
    chosen[n - 1] = 0.0
    for k in range(n - 2, -1, -1):
        ahead = s[order[k]] - below
        e = vexp(-abs(ahead))
        chosen[k], exps[k] = ahead, e
        # This is L_k - s_k = log(1 + e^(L_{k+1} - s_k)), without overflow.
        loss = vlog1p(e) + max(-ahead, 0.0)
        value += loss
        below = s[order[k]] + loss
    draws = 0.0
    for k in range(n - 1):
        ahead, e = chosen[k], exps[k]
        larger = 1.0 / (1.0 + e)
        smaller = e * larger
        this, rest = (larger, smaller) if ahead > 0.0 else (smaller, larger)
        draws += 1.0
        # This equals this * draws - 1, without cancellation.
        force[order[k]] = (draws - 1.0) * this - rest
        draws *= rest
    force[order[n - 1]] = draws
    return value


@kernel
def list_mle_sums(X, offsets, order, queries, weights, w):
    """Sum of ListMLE's loss of a linear model over some queries, and its gradient.

    Parameters
    ----------
    X, offsets, weights, w
        As in `list_net_sums`.
    order : (n,) int64
        The documents of each query from best to worst, counted within the query.
    queries : (m,) int64

    Returns
    -------
    value : float
    gradient : (d,) float64
    """
    work = np.empty((4, longest_query(offsets)))
    gradient = np.zeros(len(w))
    value = 0.0
    for q in queries:
        lo, hi = offsets[q], offsets[q + 1]
        n = hi - lo
        s, chosen, exps, force = work[0, :n], work[1, :n], work[2, :n], work[3, :n]
        score_rows(X, lo, hi, w, s)
        value += weights[q] * _plackett_luce(s, order[lo:hi], chosen, exps, force)
        scale(force, weights[q])
        add_rows(X, lo, hi, force, gradient)
    return value, gradient
