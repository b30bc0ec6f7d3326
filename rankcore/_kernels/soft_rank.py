r"""Expected NDCG when scores are normally distributed, and its gradient.

A document i meets the others independently: j ranks above it with probability
:math:`p_{ij} = \Phi\big((s_j - s_i) / \sigma \sqrt 2\big)`. Its rank, counted from 0,
is the number of those that do, and what counts is the expected discount,
:math:`E_i = E[D(\text{rank}_i)]`. Two ways lead there:

- **exactly**, by adding the others one at a time to the distribution of the rank, and
  back again for the derivatives: O(n k) a document, where the discount ends at k;
- as an **exponential sum**: with :math:`D(r) = \sum_m c_m z_m^r`, the expectation is
  :math:`\sum_m c_m \prod_j (1 - p_{ij} + p_{ij} z_m)`, and the derivatives are products
  without one factor: O(n M) a document, M about 30 for twelve digits.

Only documents with gain are visited. Those further than :math:`13 \sigma` above one
shift its rank, those as far below do nothing, to 19 digits.
"""

import functools
import math

import numpy as np
from numpy.polynomial.chebyshev import cheb2poly, chebinterpolate
from scipy.special import erfcx

from rankcore._kernels import kernel
from rankcore._kernels.ranks import longest_query
from rankcore._kernels.rows import add_rows, score_rows
from rankcore._kernels.vexp import vexp

# Beyond this many 2 sigma, a normal distribution has less than 1e-19 left.
_REACH = 6.5
_SLOWEST, _FASTEST = 0.3, 6.0
_FIT_ERROR = 2e-13
_FEWEST_TERMS, _MOST_TERMS = 16, 48
_FITTED = 1000
# erfc(x) e^(x^2) (1 + 2 x) is a smooth function of (x - K) / (x + K) for x >= 0, and
# this polynomial to 4e-15.
_K = 3.75


def _smooth_factor(t):
    x = _K * (1.0 + t) / (1.0 - t)
    return (1.0 + 2.0 * x) * erfcx(x)


(
    _A0, _A1, _A2, _A3, _A4, _A5, _A6, _A7, _A8, _A9, _A10,
    _A11, _A12, _A13, _A14, _A15, _A16, _A17, _A18, _A19, _A20,
) = map(float, cheb2poly(chebinterpolate(_smooth_factor, 20)))  # fmt: skip


@functools.cache
def discount_terms(longest):
    r"""Rates and weights of :math:`1 / \log_2(2 + r) = \sum_m c_m e^{-\rho_m r}`.

    Least squares at r = 0, 1, … on rates spread evenly on a log scale, with as few
    terms, in fours, as are exact to 2e-13.

    Parameters
    ----------
    longest : int
        The number of ranks that matter.

    Returns
    -------
    rates, weights : (m,) float64
    """
    from scipy.linalg import lstsq

    some = np.geomspace(1.0, longest, min(longest, _FITTED)).round() - 1.0
    r = np.union1d(some, np.arange(min(longest, _FITTED // 2)))
    discounts = 1.0 / np.log2(2.0 + r)
    for n_terms in range(_FEWEST_TERMS, _MOST_TERMS + 1, 4):
        rates = np.geomspace(_SLOWEST / longest, _FASTEST, n_terms)
        powers = np.exp(-rates * r[:, None])
        weights = lstsq(powers, discounts, cond=1e-16)[0]
        if np.abs(powers @ weights - discounts).max() <= _FIT_ERROR:
            break
    return rates, weights


# One long body: a function that is not inlined would stop vectorisation.
@kernel(fastmath={"contract"})
def _chances(own, s, scale, above, below, slope):
    """Chances to rank above and below ``own``, and their derivative by the score."""
    per_root_pi = scale / math.sqrt(math.pi)
    for j in range(np.uint64(len(s))):
        difference = (s[j] - own) * scale
        x = abs(difference)
        t = (x - _K) / (x + _K)
        f = _A19 + t * _A20
        f = _A18 + t * f
        f = _A17 + t * f
        f = _A16 + t * f
        f = _A15 + t * f
        f = _A14 + t * f
        f = _A13 + t * f
        f = _A12 + t * f
        f = _A11 + t * f
        f = _A10 + t * f
        f = _A9 + t * f
        f = _A8 + t * f
        f = _A7 + t * f
        f = _A6 + t * f
        f = _A5 + t * f
        f = _A4 + t * f
        f = _A3 + t * f
        f = _A2 + t * f
        f = _A1 + t * f
        f = _A0 + t * f
        e = vexp(-x * x)
        tail = 0.5 * e * f / (1.0 + 2.0 * x)
        above[j] = tail if difference < 0.0 else 1.0 - tail
        below[j] = 1.0 - tail if difference < 0.0 else tail
        slope[j] = e * per_root_pi


@kernel(fastmath={"contract", "reassoc"})
def _by_exponentials(above, below, ahead, rates, z, weights, pull):
    """Expected discount, and its derivative by each chance in ``pull``.

    No factor is below z, so each product without one of its factors is a quotient. Two
    terms at a time share a division.
    """
    n = np.uint64(len(above))
    value = 0.0
    pull[:] = 0.0
    for m in range(0, len(z), 2):
        za, zb = z[m], z[m + 1]
        a = weights[m] * vexp(-rates[m] * ahead)
        b = weights[m + 1] * vexp(-rates[m + 1] * ahead)
        for j in range(n):
            p, rest = above[j], below[j]
            a *= rest + p * za
            b *= rest + p * zb
        value += a + b
        a *= za - 1.0
        b *= zb - 1.0
        for j in range(n):
            p, rest = above[j], below[j]
            fa, fb = rest + p * za, rest + p * zb
            pull[j] += (a * fb + b * fa) / (fa * fb)
    return value


@kernel(fastmath={"contract", "reassoc"})
def _by_distribution(above, below, discounts, chances, onward, pull):
    """As `_by_exponentials`, by the distribution of the rank.

    ``discounts`` begin at the best rank possible and end with zeros.
    """
    n, cells = len(above), len(discounts) - 1
    chances[0, :cells] = 0.0
    chances[0, 0] = 1.0
    for j in range(n):
        p, rest = above[j], below[j]
        chances[j + 1, 0] = rest * chances[j, 0]
        for r in range(np.uint64(1), np.uint64(cells)):
            chances[j + 1, r] = rest * chances[j, r] + p * chances[j, r - np.uint64(1)]
    value = 0.0
    for r in range(np.uint64(cells)):
        value += chances[n, r] * discounts[r]
        onward[r] = discounts[r]
    onward[cells] = 0.0
    for j in range(n - 1, -1, -1):
        p, rest = above[j], below[j]
        total = 0.0
        for r in range(np.uint64(cells)):
            total += chances[j, r] * (onward[r + np.uint64(1)] - onward[r])
            onward[r] = rest * onward[r] + p * onward[r + np.uint64(1)]
        pull[j] = total
    return value


@kernel
def _gather(i, s, reach, near, near_s):
    """The others within reach of document i; returns those and how many are ahead."""
    count = ahead = 0
    for j in range(len(s)):
        difference = s[j] - s[i]
        if j == i or difference < -reach:
            continue
        if difference > reach:
            ahead += 1
            continue
        near[count], near_s[count] = j, s[j]
        count += 1
    return count, ahead


@kernel
def _query(s, gains, scale, discounts, exact, terms, work, near, chances, force):
    """Sum of gain times expected discount, and its gradient in ``force``."""
    n = len(s)
    rates, z, weights = terms[0], terms[1], terms[2]
    value = 0.0
    force[:] = 0.0
    for i in range(n):
        if gains[i] == 0.0:
            continue
        count, ahead = _gather(i, s, _REACH / scale, near, work[0])
        if discounts[ahead] == 0.0:
            continue
        above, below, slope = work[1, :count], work[2, :count], work[3, :count]
        pull = work[4, :count]
        _chances(s[i], work[0, :count], scale, above, below, slope)
        if exact:
            cells = 1
            while cells <= count and discounts[ahead + cells] > 0.0:
                cells += 1
            expected = _by_distribution(
                above, below, discounts[ahead : ahead + cells + 1], chances, work[5],
                pull,
            )  # fmt: skip
        else:
            expected = _by_exponentials(above, below, ahead, rates, z, weights, pull)
        value += gains[i] * expected
        total = 0.0
        for k in range(count):
            change = gains[i] * pull[k] * slope[k]
            force[near[k]] += change
            total += change
        force[i] -= total
    return value


@kernel
def _pass(X, gains, offsets, w, scale, discounts, exact, terms):
    longest = longest_query(offsets)
    work = np.empty((8, longest + 2))
    kept = 0
    while discounts[kept] > 0.0:
        kept += 1
    chances = np.empty((longest + 1, kept)) if exact else np.empty((0, 0))
    near = np.empty(longest, dtype=np.int64)
    gradient = np.zeros(len(w))
    value = 0.0
    for q in range(len(offsets) - 1):
        lo, hi = offsets[q], offsets[q + 1]
        s, force = work[6, : hi - lo], work[7, : hi - lo]
        score_rows(X, lo, hi, w, s)
        value += _query(
            s, gains[lo:hi], scale, discounts, exact, terms, work, near,
            chances, force,
        )  # fmt: skip
        add_rows(X, lo, hi, force, gradient)
    return value, gradient


def soft_ndcg_pass(X, gains, offsets, w, sigma, cutoff=None, exact=False):
    """Sum of SoftNDCG of a linear model over the queries, and its gradient.

    Parameters
    ----------
    X : (n, d) float64, read-only
    gains : (n,) float64
        See `rankcore._kernels.approximation.normalised_gains`.
    offsets : (q + 1,) int64, read-only
        Query i owns rows ``offsets[i]`` to ``offsets[i + 1]``.
    w : (d,) float64
    sigma : float
        Standard deviation of the scores.
    cutoff : int or None
        Ranks from here on count nothing; takes the exact way.
    exact : bool
        Whether to go by the distribution of the rank.

    Returns
    -------
    value : float
    gradient : (d,) float64
    """
    longest = int(np.diff(offsets).max())
    discounts = np.zeros(longest + 2)
    ranks = np.arange(min(longest, cutoff or longest))
    discounts[: len(ranks)] = 1.0 / np.log2(2.0 + ranks)
    rates, weights = discount_terms(longest)
    terms = np.stack([rates, np.exp(-rates), weights])
    return _pass(
        X, gains, offsets, w, 0.5 / sigma, discounts, exact or cutoff is not None,
        terms,
    )  # fmt: skip
