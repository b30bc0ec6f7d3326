r"""Soft positions, and the derivatives of measures of them.

.. math:: \hat\pi_i = 1 + \sum_{j \ne i} \sigma(\alpha (s_j - s_i)), \qquad
    \frac{\partial F}{\partial s_i} = \alpha \sum_{j \ne i}
    \sigma_{ij} (1 - \sigma_{ij}) \Big(\frac{\partial F}{\partial \hat\pi_j}
    - \frac{\partial F}{\partial \hat\pi_i}\Big).

A measure of positions needs two tasks of :func:`visit_queries`: first the positions,
then the product that propagates its slopes :math:`\partial F / \partial \hat\pi` to the
scores. NDCG is a sum over documents, and each slope depends only on the document's own
position, so one visit of a document's row computes both.

Four observations make this fast, with errors no larger than rounding:

- a document without gain has slope zero: only the rows of the others are visited;
- :math:`\sigma(\alpha (s_j - s_i)) = 1 / (1 + c_i E_j)` with
  :math:`E_j = e^{\alpha (c - s_j)}` and :math:`c_i = 1 / E_i`, so a query costs one
  exponential per document, and a row only divisions;
- a long or widely spread list is sorted; a row then visits only its window
  :math:`\alpha |s_i - s_j| < 45`, beyond which a sigmoid is 0 or 1 to 19 digits, and
  the anchor :math:`c` moves down with the rows, which prevents overflow;
- if almost no gradient results, because no two documents share a window, the query is
  visited again with a window of 600, so that even a tiny gradient is exact.
"""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.arithmetic.elementary import vlog
from rankcore._kernels.arithmetic.lanes import total, totals
from rankcore._kernels.arithmetic.rows import add_rows, score_rows
from rankcore._kernels.arithmetic.vexp import vexp
from rankcore._kernels.ordering.sorting import sort_descending

# Tasks of a visit: PUSH propagates given slopes to the gradient, BOTH computes
# positions as well, NDCG also computes the slopes.
POSITIONS, PUSH, NDCG, BOTH = 0, 1, 2, 3

# Differences of scaled scores. Documents within _ONE_ANCHOR share an anchor at the
# middle; otherwise no exponent exceeds _WIDE_WINDOW + _ANCHOR_STEP, and e^709 is
# finite.
_ONE_ANCHOR = 1000.0
_ANCHOR_STEP = 100.0
_WINDOW = 45.0
_WIDE_WINDOW = 600.0
# Below this gradient, per document and unit of slope, pairs outside the window may
# contribute more than 1e-12 of it: the limit is 1e12 e^-45.
_DOUBTFUL = 2.9e-8
# Sorting pays off from about this many skipped row elements per document.
_WORTH_SORTING = 26.0
# A query is flat when no derivative by a scaled score exceeds this.
FLAT = 1e-4
LARGE = 1e300
# e^-NOTHING is replaced by 0, because arithmetic with subnormal numbers is slow.
NOTHING = 460.0
_LN2 = 0.6931471805599453


@kernel
def ndcg_term(position, cutoff, beta):
    r"""Return the discount :math:`D(\hat\pi) \tau` at a soft position, and its slope.

    :math:`D(t) = 1 / \log_2(1 + t)`, :math:`\tau = \sigma(\beta (k + 1/2 - \hat\pi))`;
    an infinite cutoff means :math:`\tau = 1`.
    """
    log = vlog(1.0 + position)
    discount = _LN2 / log
    slope = -discount / ((1.0 + position) * log)
    if cutoff == np.inf:
        return discount, slope
    beyond = beta * (position - cutoff - 0.5)
    if beyond > NOTHING:
        return 0.0, 0.0
    e = vexp(beyond)
    tau = 1.0 / (1.0 + e)
    weight = discount * tau
    return weight, slope * tau - beta * weight * (e * tau)


# One long body with unsigned ranges: a call with arrays costs more than a short row,
# and with a signed range the compiler checks for negative indices and does not
# vectorise.
@kernel
def _visit_rows(
    task, window, anchor_step, anchor, alpha, cutoff, beta,
    s, gains, positions, slopes, gradient, exps, row, sigmas,
):  # fmt: skip
    """Perform one task for every document with gain; return the value, for NDCG.

    Scores are in descending order, or ``window`` and ``anchor_step`` are infinite. The
    derivatives by scaled scores are added to the gradient.
    """
    n = len(s)
    low = filled = 0
    high = n if window == np.inf else 0
    value = 0.0
    for i in range(n):
        if gains[i] == 0.0:
            continue
        while alpha * (s[low] - s[i]) >= window:
            low += 1
        while high < n and alpha * (s[i] - s[high]) < window:
            high += 1
        if alpha * (anchor - s[i]) > anchor_step:
            anchor = s[i]
            filled = low
        for j in range(np.uint64(filled), np.uint64(high)):
            exps[j] = vexp(alpha * (anchor - s[j]))
        filled = high
        c = 1.0 / exps[i]
        # Each task has its own loop, because storing unneeded results takes a tenth of
        # the time.
        if task == POSITIONS:
            for j in range(np.uint64(low), np.uint64(high)):
                e = c * exps[j]
                sigmas[j] = 1.0 / (1.0 + (e if e < LARGE else LARGE))
            sigmas[i] = 0.0
            positions[i] = 1.0 + low + total(sigmas, low, high)
            continue
        if task == PUSH:
            slope, base = slopes[i], gradient[i]
            for j in range(np.uint64(low), np.uint64(high)):
                e = c * exps[j]
                e = e if e < LARGE else LARGE
                sigma = 1.0 / (1.0 + e)
                row[j] = (e * sigma) * sigma
                gradient[j] += slope * row[j]
            row[i] = 0.0
            gradient[i] = base - slope * total(row, low, high)
            continue
        for j in range(np.uint64(low), np.uint64(high)):
            e = c * exps[j]
            e = e if e < LARGE else LARGE
            sigma = 1.0 / (1.0 + e)
            sigmas[j] = sigma
            row[j] = (e * sigma) * sigma
        sigmas[i] = row[i] = 0.0
        others, pull = totals(sigmas, row, low, high)
        positions[i] = 1.0 + low + others
        if task == NDCG:
            discount, slope = ndcg_term(positions[i], cutoff, beta)
            value += gains[i] * discount
            slopes[i] = gains[i] * slope
        slope = slopes[i]
        if slope == 0.0:
            continue
        for j in range(np.uint64(low), np.uint64(high)):
            gradient[j] += slope * row[j]
        gradient[i] -= slope * pull
    return value


@kernel
def _largest(values):
    """Return the largest absolute value; 0 for an empty array."""
    largest = 0.0
    for value in values:
        largest = max(largest, abs(value))
    return largest


@kernel
def _is_flat(derivatives):
    """Whether all derivatives are smaller than `FLAT` in size."""
    for value in derivatives:
        if abs(value) >= FLAT:
            return False
    return True


@kernel
def _extremes(values):
    """Return the minimum and the maximum, in two interleaved chains to hide latency."""
    n = len(values)
    half = n // 2
    least, greatest = values[n - 1], values[n - 1]
    low, high = least, greatest
    for i in range(half):
        least, greatest = min(least, values[i]), max(greatest, values[i])
        low, high = min(low, values[half + i]), max(high, values[half + i])
    return min(least, low), max(greatest, high)


@kernel
def _sorted_rows(
    task, alpha, cutoff, beta, s, gains, positions, slopes, gradient, work, order
):
    """Visit the rows from the best document downwards, each within its window."""
    n = len(s)
    exps, row, t, g = work[0, :n], work[1, :n], work[2, :n], work[3, :n]
    p, h, d, sigmas = work[4, :n], work[5, :n], work[6, :n], work[7, :n]
    for i in range(n):
        order[0, i] = i
    sort_descending(s, order[0, :n], t, exps, order[1, :n])
    for k in range(n):
        i = order[0, k]
        g[k], p[k], h[k], d[k] = gains[i], 0.0, slopes[i], 0.0
    value = _visit_rows(
        task, _WINDOW, _ANCHOR_STEP, np.inf, alpha, cutoff, beta,
        t, g, p, h, d, exps, row, sigmas,
    )  # fmt: skip
    if task != POSITIONS and _largest(d) < n * _DOUBTFUL * _largest(h):
        d[:] = 0.0
        _visit_rows(
            PUSH, _WIDE_WINDOW, _ANCHOR_STEP, np.inf, alpha, cutoff, beta,
            t, g, p, h, d, exps, row, sigmas,
        )  # fmt: skip
    for k in range(n):
        i = order[0, k]
        if task != PUSH:
            positions[i] = p[k]
        slopes[i], gradient[i] = h[k], d[k]
    return value


@kernel
def _visit_query(
    task, alpha, cutoff, beta, s, gains, positions, slopes, gradient, work, order
):
    """Perform a task for one query by the faster method; overwrite the gradient."""
    n = len(s)
    rows = 0
    for i in range(n):
        rows += gains[i] != 0.0
    gradient[:] = 0.0
    if task == NDCG:
        slopes[:] = 0.0
    if rows == 0:
        return 0.0
    lowest, highest = _extremes(s)
    spread = alpha * (highest - lowest)
    if (
        spread > _ONE_ANCHOR
        or rows * (spread - 4.0 * _WINDOW) > _WORTH_SORTING * spread
    ):
        return _sorted_rows(
            task,
            alpha,
            cutoff,
            beta,
            s,
            gains,
            positions,
            slopes,
            gradient,
            work,
            order,
        )
    return _visit_rows(
        task, np.inf, np.inf, 0.5 * lowest + 0.5 * highest, alpha, cutoff, beta,
        s, gains, positions, slopes, gradient, work[0], work[1], work[2],
    )  # fmt: skip


@kernel
def longest_visited(offsets, queries):
    """Return number of documents of the longest of some queries."""
    longest = 0
    for q in queries:
        longest = max(longest, offsets[q + 1] - offsets[q])
    return longest


@kernel
def visit_queries(
    task, s, gains, offsets, queries, alpha, cutoff, beta, positions, slopes, gradient
):
    """Perform a task for some queries.

    Parameters
    ----------
    task : int
        POSITIONS, PUSH, NDCG or BOTH.
    s : (n,) float64
        Scores.
    gains : (n,) float64
        Nonzero for the documents whose rows are visited; for NDCG, their gains.
    offsets : (q + 1,) int64, read-only
    queries : (m,) int64
        The queries to visit.
    alpha, cutoff, beta : float
        As in `ndcg_pass`.
    positions, slopes : (n,) float64
        Soft positions of the visited documents, and derivatives by these; input or
        output, depending on the task. Input slopes are 0 for all other documents, whose
        output is 0 or unchanged.
    gradient : (n,) float64
        Output: the derivatives by score.

    Returns
    -------
    value : float
        Sum of the smooth NDCG, if the task is NDCG.
    flat : int
        Number of queries whose derivatives by scaled scores are all below 1e-4.
    """
    work = np.empty((8, longest_visited(offsets, queries)))
    order = np.empty((2, work.shape[1]), dtype=np.int64)
    value, flat = 0.0, 0
    for q in queries:
        a, b = offsets[q], offsets[q + 1]
        value += _visit_query(
            task, alpha, cutoff, beta, s[a:b], gains[a:b], positions[a:b], slopes[a:b],
            gradient[a:b], work, order,
        )  # fmt: skip
        flat += _is_flat(gradient[a:b])
        for i in range(a, b):
            gradient[i] *= alpha
    return value, flat


def soft_positions(scores, wanted, offsets, alpha):
    r"""Soft positions of some of the documents.

    Parameters
    ----------
    scores : (n,) float64
    wanted : (n,) float64
        Nonzero where the position is requested; other documents cost nothing.
    offsets : (q + 1,) int64
        Query i owns documents ``offsets[i]`` to ``offsets[i + 1]``.
    alpha : float
        Sharpness, above 0.

    Returns
    -------
    (n,) float64
        :math:`\hat\pi`, from 1 to the length of the query; 0 where not requested.
    """
    positions, spare = np.zeros(len(scores)), np.zeros((2, len(scores)))
    visit_queries(
        POSITIONS, *_typed(scores, wanted, offsets), alpha, np.inf, 1.0,
        positions, *spare,
    )  # fmt: skip
    return positions


def _typed(scores, gains, offsets):
    """Visit all queries by the only compiled signature, with read-only offsets."""
    starts = np.ascontiguousarray(offsets, dtype=np.int64).view()
    starts.flags.writeable = False
    queries = np.arange(len(starts) - 1)
    return np.array(scores, np.float64), np.array(gains, np.float64), starts, queries


@kernel
def ndcg_pass(X, gains, offsets, queries, coef, alpha, cutoff, beta, rate):
    r"""One pass over the queries: smooth NDCG of a linear model, and its gradient.

    Parameters
    ----------
    X : (n, d) float64, read-only
    gains : (n,) float64
        :math:`(2^y - 1) / N_k`, see `rankcore.algorithms.parts.normalised_gains`.
    offsets : (q + 1,) int64, read-only
    queries : (m,) int64
        The queries to visit, in this order.
    coef : (d,) float64
        Updated in place if ``rate`` is not 0.
    alpha, cutoff, beta : float
        Sharpness of the positions; k, or infinity for the whole list; sharpness of the
        cutoff.
    rate : float
        0 to sum gradients at fixed coefficients; otherwise the coefficients move by
        rate times the gradient after each query, and the returned gradient is zero.

    Returns
    -------
    value : float
        Sum over the queries, each evaluated at the coefficients when it was visited.
    gradient : (d,) float64
    flat : int
        Number of queries whose derivatives by scaled scores are all below 1e-4.
    """
    work = np.empty((12, longest_visited(offsets, queries)))
    order = np.empty((2, work.shape[1]), dtype=np.int64)
    gradient = np.zeros(len(coef))
    value, flat = 0.0, 0
    for q in queries:
        a, b = offsets[q], offsets[q + 1]
        n = b - a
        s, by_score = work[8, :n], work[9, :n]
        score_rows(X, a, b, coef, s)
        value += _visit_query(
            NDCG, alpha, cutoff, beta, s, gains[a:b], work[10, :n], work[11, :n],
            by_score, work, order,
        )  # fmt: skip
        flat += _is_flat(by_score)
        for i in range(n):
            by_score[i] *= alpha
        add_rows(X, a, b, by_score, gradient)
        if rate != 0.0:
            for j in range(len(coef)):
                coef[j] += rate * gradient[j]
                gradient[j] = 0.0
    return value, gradient, flat
