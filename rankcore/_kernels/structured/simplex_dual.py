r"""The dual of a structured SVM over a working set of constraints.

.. math::

    \max_{\alpha \ge 0} \sum_i \alpha_i \Delta_i
    - \tfrac14 \Big\| \sum_i \alpha_i p_i \Big\|^2
    \quad\text{with}\quad \sum_{i \in b} \alpha_i \le C_b
    \text{ for each block } b, \qquad w = \tfrac12 \sum_i \alpha_i p_i,

by sequential minimal optimisation: the slope of the objective by :math:`\alpha_i` is
:math:`\Delta_i - w^\top p_i`, and weight moves from a constraint of low slope to the
one of the highest slope in its block. The remainder of :math:`C_b` counts as a
constraint with p = 0 and slope 0. The duality gap of a block,
:math:`\sum_i \alpha_i (\text{highest slope} - \text{slope}_i)`, decides when to stop.

This alone stops at an arbitrary point with a small gap, and would need thousands of
sweeps to reach a solution that does not depend on the last digits of its input:
therefore, from time to time, a Newton step of `dual_faces` moves to the maximum over
the constraints in use.
"""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.arithmetic.lanes import row_product, rows_product
from rankcore._kernels.structured.dual_faces import ascend_face

_TINY = 1e-300
# Sweeps between Newton steps; fewer where there are few blocks to sweep.
_SWEEPS_PER_STEP, _FEWEST_SWEEPS = 10, 2


@kernel(forceinline=True)
def fill_slopes(planes, losses, w, slopes):
    """Write the slopes losses - planes @ w to ``slopes``."""
    for i in range(len(losses)):
        slopes[i] = losses[i] - row_product(planes, i, w)


@kernel
def block_grams(planes, starts):
    """Return ``planes @ planes.T / 2`` of each block, flat; parameters as `ascend`."""
    size = 0
    for b in range(len(starts) - 1):
        size += (starts[b + 1] - starts[b]) ** 2
    grams = np.empty(size)
    begin = 0
    for b in range(len(starts) - 1):
        lo, n = starts[b], starts[b + 1] - starts[b]
        gram = grams[begin : begin + n * n].reshape((n, n))
        begin += n * n
        for i in range(n):
            for k in range(i + 1):
                total = rows_product(planes, lo + i, planes, lo + k)
                gram[i, k] = gram[k, i] = 0.5 * total
    return grams


@kernel(forceinline=True)
def block_gap(slopes, alpha, bound):
    """Return an upper bound on the block's remaining increase of the dual."""
    top = 0.0
    for i in range(len(slopes)):
        top = max(top, slopes[i])
    gap = bound * top
    for i in range(len(slopes)):
        gap -= alpha[i] * slopes[i]
    return gap


@kernel(forceinline=True)
def gain_of_move(difference, curvature, limit):
    """Return the optimal amount to move between two constraints, and its gain."""
    amount = min(limit, difference / max(curvature, _TINY))
    return amount, amount * (difference - 0.5 * amount * curvature)


@kernel(forceinline=True)
def best_move(gram, slopes, alpha, slack):
    """Return origin, destination and amount of the best move; -1 is the slack."""
    n = len(alpha)
    to, top = -1, 0.0
    for i in range(n):
        if slopes[i] > top:
            to, top = i, slopes[i]
    # Like second-order working-set selection: the destination has the highest slope,
    # the origin maximises the gain of the move.
    origin, amount, best = -2, 0.0, 0.0
    if to >= 0 and slack > 0.0:
        amount, best = gain_of_move(top, gram[to * n + to], slack)
        origin = -1
    for i in range(n):
        if alpha[i] > 0.0 and slopes[i] < top:
            curvature = gram[i * n + i]
            if to >= 0:
                curvature += gram[to * n + to] - 2.0 * gram[to * n + i]
            move, gain = gain_of_move(top - slopes[i], curvature, alpha[i])
            if gain > best:
                origin, amount, best = i, move, gain
    return origin, to, amount


@kernel(forceinline=True)
def ascend_block(gram, slopes, alpha, bound, tolerance, max_moves):
    """Maximise over one block; ``alpha`` and ``slopes`` are modified.

    ``gram`` is half the matrix of inner products of its planes, flattened: creating a
    two-dimensional array takes longer than solving a small block.
    """
    n, slack = len(alpha), max(bound - np.sum(alpha), 0.0)
    for _ in range(max_moves):
        if block_gap(slopes, alpha, bound) <= tolerance:
            return
        origin, to, amount = best_move(gram, slopes, alpha, slack)
        if amount <= 0.0:
            return
        if origin >= 0:
            alpha[origin] = max(alpha[origin] - amount, 0.0)
            for i in range(n):
                slopes[i] += amount * gram[origin * n + i]
        else:
            slack = max(slack - amount, 0.0)
        if to >= 0:
            alpha[to] += amount
            for i in range(n):
                slopes[i] -= amount * gram[to * n + i]
        else:
            slack += amount


@kernel
def ascend(
    planes,
    losses,
    starts,
    bounds,
    grams,
    alpha,
    w,
    tolerance,
    max_sweeps,
    max_work=np.inf,
):
    """Raise the dual, block by block, until the gap is at most ``tolerance``.

    Parameters
    ----------
    planes : (k, d) float64
        p, by block.
    losses : (k,) float64
    starts : (B + 1,) int64
        Where each block begins.
    bounds : (B,) float64
        C of each block.
    grams : (sum of squared block sizes,) float64
        As returned by `block_grams`.
    alpha : (k,) float64
        Any feasible multipliers on entry; better ones on exit.
    w : (d,) float64
        ``alpha @ planes / 2``, on entry and exit.
    tolerance : float
    max_sweeps : int
    max_work : float
        Number of multiplications after which no further sweep begins.

    Returns
    -------
    float
        Approximate number of multiplications in sweeps and Newton steps.
    """
    slopes, before = np.empty(len(losses)), np.empty(len(losses))
    d, work = len(w), 0.0
    sweeps_per_step = min(_SWEEPS_PER_STEP, _FEWEST_SWEEPS + len(bounds))
    for sweep in range(1, max_sweeps + 1):
        gap, begin = 0.0, 0
        for b in range(len(bounds)):
            lo, hi = starts[b], starts[b + 1]
            n = hi - lo
            gram = grams[begin : begin + n * n]
            begin += n * n
            slope, weights = slopes[lo:hi], alpha[lo:hi]
            fill_slopes(planes[lo:hi], losses[lo:hi], w, slope)
            left = block_gap(slope, weights, bounds[b])
            gap += left
            enough = max(0.5 * tolerance / len(bounds), 0.1 * left)
            if left <= enough:
                continue
            for i in range(n):
                before[i] = weights[i]
            ascend_block(gram, slope, weights, bounds[b], enough, 100 * n + 1000)
            for i in range(n):
                change = 0.5 * (weights[i] - before[i])
                if change != 0.0:
                    for j in range(d):
                        w[j] += change * planes[lo + i, j]
        work += len(losses) * d
        if gap <= tolerance or work >= max_work:
            return work
        if sweep % sweeps_per_step == 0:
            work += ascend_face(planes, losses, starts, bounds, alpha, w)
    return work
