r"""Newton steps on a face of the feasible multipliers of `simplex_dual`.

Moving weight between two constraints at a time soon determines which multipliers are 0,
but converges slowly in the others. Here the positive multipliers, and the remaining
slack of blocks, move together: in each block one of them gives what the others take, so
directions are the differences R of their planes from its plane, and the maximum solves

.. math:: \tfrac12 R^\top R\, x = \text{differences of the slopes}.

If the step leaves the feasible set, it ends at the boundary, and the next step is on
the smaller face.
"""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.arithmetic.rows import score_all
from rankcore._kernels.arithmetic.small_matrices import (
    add_products,
    factorise,
    substitute,
)

_MOST_STEPS = 20
# Fractions of a block's bound below which its slack, or a multiplier, counts as 0.
_NO_SLACK, _NO_WEIGHT = 1e-12, 1e-14
# Relative addition to the diagonal: where directions are dependent, the system stays
# solvable, and the step is long and ends at the boundary.
_RIDGE = 1e-10
_DEPENDENT = 1e-12


@kernel
def slack_left(alpha, lo, hi, bound):
    """Return the slack of a block: its bound minus its multipliers lo … hi - 1."""
    slack = bound
    for i in range(lo, hi):
        slack -= alpha[i]
    return slack


@kernel
def face_directions(starts, bounds, alpha, takers, givers):
    """List the directions on the face of ``alpha``; return their number.

    Parameters
    ----------
    starts, bounds, alpha
        As in `simplex_dual.ascend`.
    takers, givers : (k,) int64
        The constraint that each direction raises and the one that it lowers, -1 for the
        slack, on exit.
    """
    m = 0
    for b in range(len(bounds)):
        lo, hi = starts[b], starts[b + 1]
        giver, most = -1, 0.0
        if slack_left(alpha, lo, hi, bounds[b]) <= _NO_SLACK * bounds[b]:
            for i in range(lo, hi):
                if alpha[i] > most:
                    giver, most = i, alpha[i]
        for i in range(lo, hi):
            if alpha[i] > 0.0 and i != giver:
                takers[m], givers[m] = i, giver
                m += 1
    return m


@kernel
def newton_step(planes, slopes, takers, givers):
    """Return the step (m,) along each direction to the maximum on the face."""
    m, d = len(takers), planes.shape[1]
    differences, x = np.empty((d, m)), np.empty(m)
    for c in range(m):
        taker, giver = takers[c], givers[c]
        x[c] = slopes[taker]
        for j in range(d):
            differences[j, c] = planes[taker, j]
        if giver >= 0:
            x[c] -= slopes[giver]
            for j in range(d):
                differences[j, c] -= planes[giver, j]
    system = np.zeros((m, m))
    add_products(differences, differences, system)
    for c in range(m):
        for e in range(c, m):
            system[c, e] *= 0.5
        system[c, c] *= 1.0 + _RIDGE
    substitute(system, factorise(system, _DEPENDENT), x)
    return x


@kernel
def spread_step(starts, bounds, alpha, takers, givers, x, changes, limits):
    """Write the step to ``changes`` (k,) of the multipliers, and to ``limits`` (B,) the
    feasible fraction of the step, at most 1, in each block."""
    changes[:], limits[:] = 0.0, 1.0
    for c in range(len(x)):
        changes[takers[c]] = x[c]
        if givers[c] >= 0:
            changes[givers[c]] -= x[c]
    for b in range(len(bounds)):
        lo, hi = starts[b], starts[b + 1]
        risen, limit = 0.0, 1.0
        for i in range(lo, hi):
            risen += changes[i]
            if alpha[i] + limit * changes[i] < 0.0:
                limit = -alpha[i] / changes[i]
        slack = max(slack_left(alpha, lo, hi, bounds[b]), 0.0)
        if slack > _NO_SLACK * bounds[b] and slack - limit * risen < 0.0:
            limit = slack / risen
        limits[b] = limit


@kernel
def gains_by_blocks(planes, slopes, starts, changes, limits):
    """Whether the dual still rises at the end of each block's longest feasible step."""
    d = planes.shape[1]
    slope, move = 0.0, np.zeros(d)
    for b in range(len(limits)):
        for i in range(starts[b], starts[b + 1]):
            change = limits[b] * changes[i]
            if change != 0.0:
                slope += change * slopes[i]
                for j in range(d):
                    move[j] += change * planes[i, j]
    curvature = 0.0
    for j in range(d):
        curvature += 0.5 * move[j] * move[j]
    # Along the move the dual is t * slope - t^2 / 2 * curvature, which rises up to t =
    # 1.
    return slope >= curvature


@kernel
def set_coefficients(planes, alpha, w):
    """Write ``alpha @ planes / 2`` to ``w`` (d,)."""
    w[:] = 0.0
    for i in range(len(alpha)):
        if alpha[i] > 0.0:
            half = 0.5 * alpha[i]
            for j in range(len(w)):
                w[j] += half * planes[i, j]


@kernel
def ascend_face(planes, losses, starts, bounds, alpha, w):
    """Move to the maximum on the face of ``alpha``, or on a subface.

    Parameters as in `simplex_dual.ascend`; ``alpha`` and ``w`` are modified. Returns
    the approximate number of multiplications.
    """
    k, n_blocks, work = len(alpha), len(bounds), 0.0
    takers, givers = np.empty(k, dtype=np.int64), np.empty(k, dtype=np.int64)
    changes, limits = np.empty(k), np.empty(n_blocks)
    for _ in range(_MOST_STEPS):
        m = face_directions(starts, bounds, alpha, takers, givers)
        if m == 0:
            return work
        slopes = losses - score_all(planes, w)
        x = newton_step(planes, slopes, takers[:m], givers[:m])
        work += m * m * (0.5 * len(w) + m / 6.0)
        spread_step(starts, bounds, alpha, takers[:m], givers[:m], x, changes, limits)
        share = limits.min()
        apart = gains_by_blocks(planes, slopes, starts, changes, limits)
        for b in range(n_blocks):
            length = limits[b] if apart else share
            for i in range(starts[b], starts[b + 1]):
                weight = alpha[i] + length * changes[i]
                alpha[i] = weight if weight > _NO_WEIGHT * bounds[b] else 0.0
        set_coefficients(planes, alpha, w)
        if share == 1.0:
            return work
    return work
