"""Folding-in: the optimal weights of a pair's difference over the vectors of a cone.

For vectors with Gram matrix G = U'U and a difference z with b = U'z,

    min ||z - U w||^2 = ||z||^2 - 2 b'w + w'G w,   w >= 0,   low <= sum(w) <= high,

which never needs z itself: b follows from the projections U'x of the documents, one
product per document instead of one per pair.

`fold_exactly` is an active-set method in the manner of Lawson and Hanson. It solves for
the vectors in use without the sign constraint, drops the first one that would become
negative, and adds the one of the lowest slope, until no slope is below that of the
vectors in use. The next pair starts with the vectors of the last one, whose triangular
factor is still valid, so most pairs cost a few substitutions.

A vector of lower slope is independent of those in use, so their Gram matrix can be
factorised for any number of vectors. With a limit on the sum, this holds for lifted
vectors, which have one additional, equal component: for a fixed sum, adding the same
lift to every product changes the distance by a constant. The lifted factor also serves
a free sum, whose optimum follows from the response of the weights to a slope.

The gradient methods of Tran and Pham are alternatives.
"""

import math

import numpy as np

from rankcore._kernels import borrowing_kernel, kernel
from rankcore._kernels.arithmetic.vexp import vexp

_EXACT, _EG, _EG_APPROX = 0, 1, 2
_ORDER, _STATUS = 0, 1
_FREE, _IN_USE, _ASIDE = 0, 1, 2
_NOBODY = -1
_DEPENDENT = 1e-13
_MOST_STEPS = 100


@kernel
def _into_range(w, low, high):
    """Scale weights to a sum within range; use equal weights if all are 0."""
    total = 0.0
    for k in range(len(w)):
        total += w[k]
    for k in range(len(w)):
        if total <= 0.0:
            w[k] = low / len(w)
        elif total < low or total > high:
            w[k] = w[k] / total * (low if total < low else high)


@kernel
def _slopes(gram, b, w, g):
    """Write half the gradient, G w - b, to ``g``."""
    for k in range(len(b)):
        total = -b[k]
        for i in range(len(b)):
            total += gram[k, i] * w[i]
        g[k] = total


@borrowing_kernel
def measure_vectors(gram, low, high, lengths):
    """Write the lengths of the lifted vectors to ``lengths``; return the lift.

    The lift is added to the products of all vectors if the sum of weights is limited:
    it is the largest squared length. It is 0 if the sum is free.
    """
    lift = 0.0
    if low > 0.0 or high < math.inf:
        for k in range(len(gram)):
            lift = max(lift, gram[k, k])
        if lift == 0.0:
            lift = 1.0
    for k in range(len(gram)):
        lengths[k] = math.sqrt(gram[k, k] + lift)
    return lift


@borrowing_kernel
def _factorise(gram, lift, chosen, size, ready, factor):
    """Extend the triangular factor from ``ready`` to ``size`` vectors in use; return
    whether the last one is independent of the others.

    The diagonal holds inverses.
    """
    independent = True
    for i in range(ready, size):
        for j in range(i + 1):
            total = gram[chosen[i], chosen[j]] + lift
            for c in range(j):
                total -= factor[i, c] * factor[j, c]
            if j < i:
                factor[i, j] = total * factor[j, j]
            else:
                least = _DEPENDENT * (gram[chosen[i], chosen[i]] + lift)
                independent = total > least
                factor[i, i] = 1.0 / math.sqrt(total if independent else least)
    return independent


@borrowing_kernel
def _respond(factor, size, lift, r):
    """Compute the response ``r`` of the optimal weights in use to a slope."""
    if lift == 0.0:
        return
    for i in range(size):
        # Forward and back substitution with the triangular factor L: L L' r = 1.
        r[i] = 1.0
        for c in range(i):
            r[i] -= factor[i, c] * r[c]
        r[i] *= factor[i, i]
    for i in range(size - 1, -1, -1):
        for c in range(i + 1, size):
            r[i] -= factor[c, i] * r[c]
        r[i] *= factor[i, i]


@borrowing_kernel
def begin_folding(gram, lift, low, w, use, count, factor, scratch):
    """Start with new vectors: all weights 0, or the least sum on the first vector."""
    for k in range(len(w)):
        w[k] = 0.0
        use[_STATUS, k] = _FREE
    count[0] = 0
    if low > 0.0:
        w[0], count[0] = low, 1
        use[_ORDER, 0], use[_STATUS, 0] = 0, _IN_USE
        _factorise(gram, lift, use[_ORDER], 1, 0, factor)
        _respond(factor, 1, lift, scratch[1])


@borrowing_kernel(forceinline=True)
def _solve(factor, chosen, size, b, low, high, lift, w, p, r):
    """Write the optimal weights, of any sign, of the vectors in use to ``p``; return
    their common slope, which is 0 unless a limit on the sum is active."""
    for i in range(size):
        # Without constraints, L L' p = b.
        total = b[chosen[i]]
        for c in range(i):
            total -= factor[i, c] * p[c]
        p[i] = total * factor[i, i]
    for i in range(size - 1, -1, -1):
        total = p[i]
        for c in range(i + 1, size):
            total -= factor[c, i] * p[c]
        p[i] = total * factor[i, i]
    if lift == 0.0 or size == 0:
        return 0.0
    product, response, present = 0.0, 0.0, 0.0
    for i in range(size):
        product += p[i]
        response += r[i]
        present += w[chosen[i]]
    # Weights of sum s have the slope (s * spare - product) / response. Where the
    # vectors are dependent without the lift, every sum fits equally well.
    spare = 1.0 - lift * response
    wanted = min(max(product / spare if spare > _DEPENDENT else present, low), high)
    pull = (wanted - product) / response
    for i in range(size):
        p[i] += pull * r[i]
    return pull - lift * wanted


@borrowing_kernel(forceinline=True)
def _approach(w, chosen, size, p):
    """Move to the weights ``p``, or towards them until the first becomes zero; return
    its place, or that there is none."""
    step, blocking = 1.0, _NOBODY
    for i in range(size):
        if p[i] < 0.0:
            ratio = w[chosen[i]] / (w[chosen[i]] - p[i])
            if ratio < step or blocking == _NOBODY:
                step, blocking = ratio, i
    for i in range(size):
        k = chosen[i]
        w[k] = p[i] if blocking == _NOBODY else max(w[k] + step * (p[i] - w[k]), 0.0)
    return blocking


@borrowing_kernel
def _drop(use, size, place, w):
    """Remove the vector at a place from the vectors in use and set its weight to 0."""
    order, status = use[_ORDER], use[_STATUS]
    w[order[place]] = 0.0
    status[order[place]] = _FREE
    for i in range(place, size - 1):
        order[i] = order[i + 1]


@borrowing_kernel(forceinline=True)
def _fill_slopes(gram, b, chosen, size, w, g):
    """Write half the gradient to ``g``, summing over the vectors in use only."""
    for k in range(len(b)):
        total = -b[k]
        for i in range(size):
            total += gram[k, chosen[i]] * w[chosen[i]]
        g[k] = total


@borrowing_kernel(forceinline=True)
def _lowest_free(g, level, noise, lengths, status):
    """Return the free vector with a slope furthest below that of the vectors in use, by
    more than the rounding noise for its length."""
    best, lowest = _NOBODY, 0.0
    for k in range(len(g)):
        below = g[k] - level + noise * lengths[k]
        if below < lowest and status[k] == _FREE:
            best, lowest = k, below
    return best


@borrowing_kernel
def _enter(
    taker, gram, lengths, lift, b, low, high, level, noise,
    w, g, use, size, factor, scratch,
):  # fmt: skip
    """Add ``taker`` to the vectors in use, or the next admissible one; return whether
    there is one, and the new level. The target weights are in ``scratch``.

    A vector that depends on those in use, or that would get no weight, was chosen
    because of rounding and is set aside.
    """
    p, r = scratch[0], scratch[1]
    chosen, status = use[_ORDER], use[_STATUS]
    new_level = level
    while taker != _NOBODY:
        chosen[size], status[taker] = taker, _ASIDE
        if _factorise(gram, lift, chosen, size + 1, size, factor):
            _respond(factor, size + 1, lift, r)
            new_level = _solve(factor, chosen, size + 1, b, low, high, lift, w, p, r)
            if p[size] > 0.0:
                break
            _respond(factor, size, lift, r)
        taker = _lowest_free(g, level, noise, lengths, status)
    for k in range(len(b)):
        if status[k] == _ASIDE:
            status[k] = _FREE
    if taker == _NOBODY:
        return False, level
    status[taker] = _IN_USE
    return True, new_level


@borrowing_kernel
def fold_exactly(
    gram, lengths, lift, b, low, high, tolerance, w, g, use, count, factor, scratch
):
    """Compute the optimal weights.

    Parameters
    ----------
    gram : (K, K) float64
    lengths : (K,) float64
    lift : float
        See `measure_vectors`.
    b : (K,) float64
        Products of the vectors with the difference.
    low, high : float
        Limits of the sum of weights; ``high`` may be infinite.
    tolerance : float
        Largest difference of slopes that counts as 0, relative to the vector's length
        times that of the difference and of the vectors in use.
    w : (K,) float64
        Start, within the limits; the solution on exit.
    g : (K,) float64
        Half the gradient at the solution, on exit.
    use : (2, K) int64
    count : (1,) int64
    factor : (K, K) float64
    scratch : (2, K) float64
        State of the last pair: see `begin_folding`.
    """
    p, r = scratch[0], scratch[1]
    chosen, status = use[_ORDER], use[_STATUS]
    size, reach = count[0], 0.0
    for k in range(len(b)):
        if lengths[k] > 0.0:
            reach = max(reach, abs(b[k]) / lengths[k])
    level = _solve(factor, chosen, size, b, low, high, lift, w, p, r)
    for _ in range(_MOST_STEPS * len(b)):
        blocking = _approach(w, chosen, size, p)
        if blocking != _NOBODY:
            _drop(use, size, blocking, w)
            size -= 1
            _factorise(gram, lift, chosen, size, blocking, factor)
            _respond(factor, size, lift, r)
            level = _solve(factor, chosen, size, b, low, high, lift, w, p, r)
            continue
        _fill_slopes(gram, b, chosen, size, w, g)
        total = reach
        for i in range(size):
            total += w[chosen[i]] * lengths[chosen[i]]
        noise = tolerance * total
        taker = _lowest_free(g, level, noise, lengths, status)
        if taker == _NOBODY:
            break
        entered, level = _enter(
            taker, gram, lengths, lift, b, low, high, level, noise,
            w, g, use, size, factor, scratch,
        )  # fmt: skip
        if not entered:
            break
        size += 1
    count[0] = size


@kernel
def _descend(rule, gram, b, low, high, rate, w, g, before):
    """Take one step of a gradient method; ``rate`` includes the gradient's factor 2."""
    n = len(b)
    lowest, mean, total, left = math.inf, 0.0, 0.0, 0.0
    for k in range(n):
        before[k] = w[k]
        mean += g[k] * w[k]
        total += w[k]
        if w[k] > 0.0:
            lowest = min(lowest, g[k])
    for k in range(n):
        if rule == _EG:
            w[k] *= vexp(-rate * (g[k] - lowest)) if w[k] > 0.0 else 0.0
        elif rule == _EG_APPROX:
            w[k] = max(w[k] * (1.0 - rate * (g[k] - mean / total)), 0.0)
        else:
            w[k] = max(w[k] - rate * g[k], 0.0)
        left += w[k]
    if left <= 0.0:
        for k in range(n):
            w[k] = before[k]
    _into_range(w, low, high)
    _slopes(gram, b, w, g)


@kernel
def fold_by_steps(rule, gram, b, low, high, rate, steps, tolerance, w, g, before):
    """Take some steps of a gradient method, fewer if the weights stop moving.

    The parameters are those of `fold_exactly`; ``rule`` is 1 for exponentiated
    gradient, 2 for its approximation and 3 for clipping and rescaling, and ``before``
    is scratch.
    """
    _slopes(gram, b, w, g)
    for _ in range(steps):
        _descend(rule, gram, b, low, high, rate, w, g, before)
        change = 0.0
        for k in range(len(w)):
            change = max(change, abs(w[k] - before[k]))
        if change <= tolerance:
            return


@kernel
def gradient_rate(gram, rule):
    """Return the longest step, for half the gradient, that never increases the
    distance."""
    largest = 0.0
    for k in range(len(gram)):
        if rule == _EG or rule == _EG_APPROX:
            largest = max(largest, gram[k, k])
        else:
            total = 0.0
            for i in range(len(gram)):
                total += abs(gram[k, i])
            largest = max(largest, total)
    return 1.0 / largest if largest > 0.0 else 0.0


@kernel
def fold_all(gram, products, rule, low, high, rate, steps, tolerance):
    """Weights (m, K) of many differences with products (m, K), one after the other.

    A ``rate`` of 0 takes the longest safe step; the other parameters are those of
    `fold_exactly` and `fold_by_steps`.
    """
    m, n = products.shape
    weights, w, scratch = np.empty((m, n)), np.empty(n), np.empty((5, n))
    g, before, lengths = scratch[0], scratch[1], scratch[2]
    use, count = np.empty((2, n), dtype=np.int64), np.empty(1, dtype=np.int64)
    factor = np.empty((n, n))
    first = max(low, min(1.0, high)) / n
    if rate == 0.0:
        rate = gradient_rate(gram, rule)
    lift = measure_vectors(gram, low, high, lengths)
    begin_folding(gram, lift, low, w, use, count, factor, scratch[3:])
    for i in range(m):
        b = products[i]
        if rule == _EXACT:
            fold_exactly(
                gram, lengths, lift, b, low, high, tolerance,
                w, g, use, count, factor, scratch[3:],
            )  # fmt: skip
        else:
            w[:] = first
            fold_by_steps(
                rule, gram, b, low, high, rate, steps, tolerance, w, g, before
            )  # fmt: skip
        # Assigning an array to a row would take two seconds more to compile.
        for k in range(n):
            weights[i, k] = w[k]
    return weights
