r"""Expected NDCG when scores are normally distributed, and its gradient.

Document i meets each other one independently: j ranks above it with probability
:math:`p_{ij} = \Phi\big((s_j - s_i) / \sigma \sqrt 2\big)`. Its rank, counted from 0,
is the number of documents above it, and the loss needs its expected discount,
:math:`E_i = E[D(\text{rank}_i)]`. There are two methods:

- **exactly**, by adding the others one at a time to the distribution of the rank, and
  backwards for the derivatives: O(n k) per document, where the discount ends at k;
- as an **exponential sum**: with :math:`D(r) = \sum_m c_m z_m^r`, the expectation is
  :math:`\sum_m c_m \prod_j (1 - p_{ij} + p_{ij} z_m)`, and the derivatives are products
  without one factor: O(n M) per document, with M about 30 for twelve digits.

Only documents with gain are visited. Documents more than :math:`13 \sigma` above one
add 1 to its rank, those as far below add nothing, to 19 digits.
"""

import math

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.arithmetic.lanes import (
    blend_products,
    product,
    row_product,
    total,
)
from rankcore._kernels.arithmetic.rows import add_rows, score_rows
from rankcore._kernels.arithmetic.vexp import vexp
from rankcore._kernels.ordering.ranks import longest_query

# Beyond this many 2 sigma, a normal distribution has less than 1e-19 left.
_REACH = 6.5
# For 0 <= x <= 6.5, erfc(x) e^(x^2) (1 + 2 x) is a smooth function of 1 / (x + 3.75),
# and of u = A - B / (x + 3.75), between -1 and 1, this polynomial to 1.4e-15.
_K = 3.75
_A, _B = float.fromhex("0x1.137726ee4ddcap+1"), float.fromhex("0x1.7a3fb47f68fedp+3")
(
    _A0, _A1, _A2, _A3, _A4, _A5, _A6, _A7, _A8,
    _A9, _A10, _A11, _A12, _A13, _A14, _A15, _A16, _A17,
) = map(
    float.fromhex,
    (
        "0x1.48533e5d83d9ap+0", "-0x1.9323e3ee9fe1ep-5", "-0x1.8a7421e7f52ebp-4",
        "0x1.d01744617a093p-4", "-0x1.2f5d1b843b9bfp-4", "0x1.1651051b6021fp-5",
        "-0x1.71a1d69ec33dbp-7", "0x1.4efe4dc2b6275p-9", "-0x1.3510c5cb817adp-12",
        "-0x1.bec42c1cca180p-16", "0x1.01086c10127e0p-16", "-0x1.0b49711cee073p-20",
        "-0x1.1b1dbca4ec686p-21", "0x1.601d3edccbae1p-24", "0x1.49fe91d264bf7p-26",
        "-0x1.25c48d56d4f51p-28", "-0x1.86f4c03e14c9bp-31", "0x1.735e9a9e7635cp-33",
    ),
)  # fmt: skip


# One long body: a function that is not inlined would stop vectorisation.
@kernel
def _chances(score, s, scale, above, below, slope):
    """Write the probabilities of ranking above and below ``score``, and the slope."""
    per_root_pi = scale / math.sqrt(math.pi)
    for j in range(np.uint64(len(s))):
        difference = (s[j] - score) * scale
        x = abs(difference)
        u = _A - _B / (x + _K)
        f = _A16 + u * _A17
        f = _A15 + u * f
        f = _A14 + u * f
        f = _A13 + u * f
        f = _A12 + u * f
        f = _A11 + u * f
        f = _A10 + u * f
        f = _A9 + u * f
        f = _A8 + u * f
        f = _A7 + u * f
        f = _A6 + u * f
        f = _A5 + u * f
        f = _A4 + u * f
        f = _A3 + u * f
        f = _A2 + u * f
        f = _A1 + u * f
        f = _A0 + u * f
        e = vexp(-x * x)
        tail = 0.5 * e * f / (1.0 + 2.0 * x)
        above[j] = tail if difference < 0.0 else 1.0 - tail
        below[j] = 1.0 - tail if difference < 0.0 else tail
        slope[j] = e * per_root_pi


@kernel
def _by_exponentials(above, below, ahead, rates, z, weights, pull):
    """Return the expected discount, its derivative by each probability in ``pull``.

    No factor is below z, so each product without one factor is a safe quotient. Four
    terms at a time share one division.
    """
    n = np.uint64(len(above))
    value = 0.0
    pull[:] = 0.0
    for m in range(0, len(z), 4):
        za, zb, zc, zd = z[m], z[m + 1], z[m + 2], z[m + 3]
        a, b, c, d = blend_products(above, below, (za, zb, zc, zd))
        a *= weights[m] * vexp(-rates[m] * ahead)
        b *= weights[m + 1] * vexp(-rates[m + 1] * ahead)
        c *= weights[m + 2] * vexp(-rates[m + 2] * ahead)
        d *= weights[m + 3] * vexp(-rates[m + 3] * ahead)
        value += (a + b) + (c + d)
        a, b, c, d = a * (za - 1.0), b * (zb - 1.0), c * (zc - 1.0), d * (zd - 1.0)
        for j in range(n):
            p, rest = above[j], below[j]
            fa, fb = rest + p * za, rest + p * zb
            fc, fd = rest + p * zc, rest + p * zd
            ab, cd = fa * fb, fc * fd
            pull[j] += ((a * fb + b * fa) * cd + (c * fd + d * fc) * ab) / (ab * cd)
    return value


@kernel
def _by_distribution(above, below, discounts, chances, onward, steps, pull):
    """Compute the results of `_by_exponentials` from the distribution of the rank.

    ``discounts`` begin at the best possible rank and end with zeros; ``steps`` is
    scratch.
    """
    n, cells = len(above), len(discounts) - 1
    chances[0, :cells] = 0.0
    chances[0, 0] = 1.0
    for j in range(n):
        p, rest = above[j], below[j]
        chances[j + 1, 0] = rest * chances[j, 0]
        for r in range(np.uint64(1), np.uint64(cells)):
            chances[j + 1, r] = rest * chances[j, r] + p * chances[j, r - np.uint64(1)]
    # Backward pass: onward[r] is the expected discount given rank r before documents j,
    # j + 1, …
    onward[:cells] = discounts[:cells]
    onward[cells] = 0.0
    value, steps = product(chances[n], discounts, cells), steps[:cells]
    for j in range(n - 1, -1, -1):
        p, rest = above[j], below[j]
        for r in range(np.uint64(cells)):
            steps[r] = onward[r + np.uint64(1)] - onward[r]
            onward[r] = rest * onward[r] + p * onward[r + np.uint64(1)]
        pull[j] = row_product(chances, j, steps)
    return value


@kernel
def _gather(i, s, reach, near, near_s):
    """Write the documents within reach of document i; return their number and the
    number of documents ahead of these."""
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
    """Return the sum of gain times expected discount, its gradient in ``force``."""
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
                work[6], pull,
            )  # fmt: skip
        else:
            expected = _by_exponentials(above, below, ahead, rates, z, weights, pull)
        value += gains[i] * expected
        for k in range(count):
            pull[k] *= gains[i] * slope[k]
            force[near[k]] += pull[k]
        force[i] -= total(pull, 0, count)
    return value


@kernel
def soft_ndcg_pass(X, gains, offsets, w, scale, discounts, exact, terms):
    """Sum of SoftNDCG of a linear model over the queries, and its gradient.

    Parameters
    ----------
    X, offsets, w
        As in `rankcore._kernels.losses.listwise.list_net_sums`.
    gains : (n,) float64
        See `rankcore.algorithms.parts.normalised_gains`.
    scale : float
        Half the reciprocal of the standard deviation of the scores.
    discounts : (longest + 2,) float64
        By rank from 0; 0 from the cutoff on.
    exact : bool
        Whether to use the distribution of the rank.
    terms : (3, m) float64
        Rates, bases and weights of the discount as a sum of exponentials.

    Returns
    -------
    value : float
    gradient : (d,) float64
    """
    longest = longest_query(offsets)
    work = np.empty((9, longest + 2))
    count = 0
    while discounts[count] > 0.0:
        count += 1
    chances = np.empty((longest + 1, count)) if exact else np.empty((0, 0))
    near = np.empty(longest, dtype=np.int64)
    gradient = np.zeros(len(w))
    value = 0.0
    for q in range(len(offsets) - 1):
        lo, hi = offsets[q], offsets[q + 1]
        s, force = work[7, : hi - lo], work[8, : hi - lo]
        score_rows(X, lo, hi, w, s)
        value += _query(
            s, gains[lo:hi], scale, discounts, exact, terms, work, near,
            chances, force,
        )  # fmt: skip
        add_rows(X, lo, hi, force, gradient)
    return value, gradient
