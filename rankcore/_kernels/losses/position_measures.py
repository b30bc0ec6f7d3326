r"""Measures of soft positions, each with its derivative by every position.

All have one form: from the weights and soft positions of a data set they compute the
value for each of some queries, and write :math:`\partial F / \partial \hat\pi` for the
documents with weight. The slopes of other documents are not modified, and stay 0.

Parameters of all
-----------------
weights, positions : (n,) float64
    Weight and soft position of each document.
offsets : (q + 1,) int64, read-only
queries : (m,) int64
    The queries to visit.
beta : float
    Sharpness of comparisons between positions.
slopes : (n,) float64
    Output.

Returns of all
--------------
(m,) float64
    The measure in each query visited.
"""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.arithmetic.elementary import vlog
from rankcore._kernels.arithmetic.lanes import factors_product, total
from rankcore._kernels.arithmetic.vexp import vexp
from rankcore._kernels.losses.approximation import (
    BOTH,
    LARGE,
    NOTHING,
    longest_visited,
    ndcg_term,
    visit_queries,
)

# Approximately e^-NOTHING.
NEGLIGIBLE = 1e-200
# Close to the smallest normal number, below which products are slow.
_LEAST_TERM = 1e-300


@kernel
def discounted_gain(weights, positions, offsets, queries, cutoff, beta, slopes):
    r"""NDCG: :math:`\sum_i w_i D(\hat\pi_i) \tau_i`, cut off at a (finite) cutoff."""
    values = np.zeros(len(queries))
    for k in range(len(queries)):
        q = queries[k]
        for i in range(offsets[q], offsets[q + 1]):
            if weights[i] != 0.0:
                discount, slope = ndcg_term(positions[i], cutoff, beta)
                values[k] += weights[i] * discount
                slopes[i] = weights[i] * slope
    return values


@kernel
def precision(weights, positions, offsets, queries, cutoff, beta, slopes):
    r"""P@k: :math:`\sum_i w_i \tau_i`, with weights :math:`r_i / k`.

    :math:`\tau_i = \sigma(\beta (k + \tfrac12 - \hat\pi_i))`, whose slope is
    :math:`-\beta \tau_i (1 - \tau_i)`.
    """
    values = np.zeros(len(queries))
    for k in range(len(queries)):
        q = queries[k]
        for i in range(offsets[q], offsets[q + 1]):
            if weights[i] != 0.0:
                beyond = beta * (positions[i] - cutoff - 0.5)
                e = vexp(min(beyond, NOTHING))
                tau = 1.0 / (1.0 + e) if beyond < NOTHING else 0.0
                values[k] += weights[i] * tau
                slopes[i] = -beta * weights[i] * tau * (e * tau)
    return values


@kernel
def gather(weights, offsets, queries, places, starts):
    """Write the places of the documents with weight, and the start of each query's."""
    m = 0
    for k in range(len(queries)):
        q = queries[k]
        for i in range(offsets[q], offsets[q + 1]):
            # Without a branch, which would be unpredictable.
            places[m] = i
            m += weights[i] != 0.0
        starts[k + 1] = m


def average_precision(weights, positions, offsets, queries, beta, slopes):
    r"""AP: :math:`\sum_i w_i A_i / \hat\pi_i`, with weights :math:`r_i / m`.

    The number of relevant documents down to the i-th,
    :math:`A_i = 1 + \sum_{x \ne i} \sigma(\beta (\hat\pi_i - \hat\pi_x))`, is its soft
    position among them, with :math:`-\hat\pi` as scores and :math:`\beta` as sharpness.
    So the functions from scores to soft positions and back apply here too, with
    :math:`\partial F / \partial A_i = w_i / \hat\pi_i`.
    """
    every = np.arange(len(queries))
    starts = np.zeros(len(queries) + 1, dtype=np.int64)
    places = np.empty(len(weights), dtype=np.int64)
    gather(weights, offsets, queries, places, starts)
    places = places[: starts[-1]]
    starts.flags.writeable = False
    p = positions[places]
    pull = weights[places] / p
    above, by_minus_p = np.zeros((2, len(p)))
    visit_queries(
        BOTH, -p, pull, starts, every, beta, np.inf, 1.0, above, pull, by_minus_p
    )
    terms = pull * above
    slopes[places] = -terms / p - by_minus_p
    return np.bincount(np.repeat(every, np.diff(starts)), terms, len(every))


@kernel
def reciprocal_rank(weights, positions, offsets, queries, beta, slopes):
    r"""RR: :math:`1 / \mu`, with weights :math:`r_i / m`.

    The soft minimum :math:`\mu = -\frac{1}{\beta} \ln \sum_i w_i e^{-\beta \hat\pi_i}`
    has the slopes :math:`a_i = w_i e^{-\beta (\hat\pi_i - \mu)}`, which sum to 1, so
    those of the measure are :math:`-a_i / \mu^2`.
    """
    values = np.zeros(len(queries))
    for k in range(len(queries)):
        a, b = offsets[queries[k]], offsets[queries[k] + 1]
        first, mass = np.inf, 0.0
        for i in range(a, b):
            if weights[i] != 0.0:
                first = min(first, positions[i])
        for i in range(a, b):
            if weights[i] != 0.0:
                behind = beta * (positions[i] - first)
                slopes[i] = weights[i] * vexp(-behind) if behind < NOTHING else 0.0
                mass += slopes[i]
        values[k] = 1.0 / (first - vlog(mass) / beta)
        for i in range(a, b):
            if weights[i] != 0.0:
                slopes[i] *= -values[k] * values[k] / mass
    return values


@kernel
def cascade(weights, positions, offsets, queries, beta, slopes):
    r"""ERR: :math:`\sum_i R_i / \hat\pi_i \prod_{j \ne i} (1 - R_j T_{ji})`.

    A reader goes down the list and stops at a document with probability :math:`R_i`,
    its weight, at most 1; :math:`T_{ji} = \sigma(\beta (\hat\pi_i - \hat\pi_j))` is a
    smooth indicator of j above i. With :math:`v_i` the i-th term and

    .. math:: u_{ji} = -\frac{\partial}{\partial \hat\pi_i} \ln (1 - R_j T_{ji})
        = \frac{\beta R_j T_{ji} (1 - T_{ji})}{1 - R_j T_{ji}}

    the slopes are :math:`-v_i / \hat\pi_i - v_i \sum_j u_{ji} + \sum_j v_j u_{ij}`.
    In terms of :math:`e = e^{\beta (\hat\pi_j - \hat\pi_i)}` nothing cancels, even for
    :math:`R_j = 1`: :math:`T = 1 / (1 + e)`, :math:`1 - RT = (1 - R + e) / (1 + e)`.
    """
    n = longest_visited(offsets, queries)
    work, places = np.empty((6, n)), np.empty(n, dtype=np.int64)
    starts = np.zeros(2, dtype=np.int64)
    p, stop, go = work[0], work[1], work[2]
    h, passed, u = work[3], work[4], work[5]
    values = np.zeros(len(queries))
    for k in range(len(queries)):
        gather(weights, offsets, queries[k : k + 1], places, starts)
        m = starts[1]
        for j in range(m):
            p[j], stop[j] = positions[places[j]], weights[places[j]]
            go[j], h[j] = 1.0 - stop[j], 0.0
        for i in range(m):
            for j in range(np.uint64(0), np.uint64(m)):
                e = vexp(beta * (p[j] - p[i]))
                e = e if e < LARGE else LARGE
                e = e if e > 1.0 / LARGE else 1.0 / LARGE
                t = 1.0 / (1.0 + e)
                passed[j] = (go[j] + e) * t
                u[j] = beta * stop[j] * (e * t) / (go[j] + e)
            passed[i], u[i] = 1.0, 0.0
            v = stop[i] * factors_product(passed, 0, m) / p[i]
            if v < NEGLIGIBLE:
                continue
            values[k] += v
            h[i] -= v / p[i] + v * total(u, 0, m)
            # Products below this limit would be subnormal, and so slow; they do not
            # change the sum.
            least = _LEAST_TERM / v
            for j in range(np.uint64(0), np.uint64(m)):
                h[j] += v * (u[j] if u[j] > least else 0.0)
        for j in range(m):
            slopes[places[j]] = h[j]
    return values
