"""Smoothed hinge losses of clicked documents against all others of their query."""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.arithmetic.rows import add_rows, score_rows
from rankcore._kernels.ordering.ranks import longest_query


@kernel
def clicked_hinge_sums(X, offsets, weights, w, width):
    """Return weighted sums of the losses of a linear model over pairs of a clicked
    document and any other of its query.

    With t = 1 - (s_i - s_j), a pair's loss is t^2 for 0 < t <= width and 2 width t -
    width^2 beyond.

    Parameters
    ----------
    X : (n, d) float64
    offsets : (q + 1,) int64
    weights : (n,) float64
        0 for documents that are not clicked.
    w : (d,) float64
    width : float

    Returns
    -------
    value : float
        Sum of the losses.
    lack : float
        Sum of max(0, t).
    slope : float
        Sum of min(max(0, t), width).
    gradient : (d,) float64
        Of ``value``.
    """
    work = np.empty((2, longest_query(offsets)))
    gradient = np.zeros(len(w))
    value = lack = slope = 0.0
    for q in range(len(offsets) - 1):
        lo, hi = offsets[q], offsets[q + 1]
        s, force = work[0, : hi - lo], work[1, : hi - lo]
        score_rows(X, lo, hi, w, s)
        force[:] = 0.0
        for i in range(hi - lo):
            weight = weights[lo + i]
            if weight == 0.0:
                continue
            squares = lacks = slopes = 0.0
            for j in range(hi - lo):
                t = 1.0 - (s[i] - s[j])
                if t > 0.0 and j != i:
                    near = min(t, width)
                    squares += near * (2.0 * t - near)
                    lacks += t
                    slopes += near
                    force[j] += 2.0 * weight * near
            force[i] -= 2.0 * weight * slopes
            value += weight * squares
            lack += weight * lacks
            slope += weight * slopes
        add_rows(X, lo, hi, force, gradient)
    return value, lack, slope, gradient
