"""Folding-in: the best weights of a pair's difference over the vectors of a cone.

For vectors with Gram matrix G = U'U and a difference z with b = U'z,

    min ||z - U w||^2 = ||z||^2 - 2 b'w + w'G w,   w >= 0,   low <= sum(w) <= high,

which never needs z itself: b follows from the projections U'x of the documents, one
product a document instead of one a pair.

`fold_exactly` is an active-set method. It solves for the vectors in use as if weights
could be negative, drops the first that would be, and takes in the one that gains most,
until none gains. The next pair begins with the vectors of the last one, whose
triangular factor is still known, so most pairs cost a few substitutions. Where vectors
in use depend on each other, weight is moved between the two that gain most instead
(sequential minimal optimisation). The gradient methods of Tran and Pham are beside it.
"""

import math

import numpy as np

from rankcore._kernels import kernel

_EXACT, _EG, _EG_APPROX = 0, 1, 2
_MOST_MOVES = 10_000
_NOBODY = -1
_SIZE, _READY = 0, 1
_DEPENDENT = 1e-11


@kernel
def _into_range(w, low, high):
    """Scale weights so that their sum is within range; equal ones if none is left."""
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
    """Half the gradient, G w - b, in ``g``."""
    for k in range(len(b)):
        total = -b[k]
        for i in range(len(b)):
            total += gram[k, i] * w[i]
        g[k] = total


@kernel
def _best_giver(gram, g, w, taker, lowest, may_grow):
    """Who should give weight to ``taker``, by the gain of an unlimited move.

    `_NOBODY` gives where the sum may grow, at no slope and no curvature of its own.
    """
    best, giver, most = 0.0, _NOBODY, 0.0
    own = 0.0 if taker == _NOBODY else gram[taker, taker]
    if may_grow and lowest < 0.0:
        giver, most, best = _NOBODY, -lowest, lowest * lowest / own
    for k in range(len(g)):
        ahead = g[k] - lowest
        if w[k] > 0.0 and ahead > 0.0:
            shared = 0.0 if taker == _NOBODY else gram[taker, k]
            bend = own + gram[k, k] - 2.0 * shared
            gain = ahead * ahead / bend if bend > 0.0 else math.inf
            most = max(most, ahead)
            if gain > best:
                giver, best = k, gain
    return giver, most


@kernel
def fold_by_moves(gram, b, low, high, tolerance, w, g):
    """As `fold_exactly`, by moving weight between two vectors at a time."""
    n = len(b)
    total = 0.0
    for k in range(n):
        total += w[k]
    _slopes(gram, b, w, g)
    for _ in range(_MOST_MOVES):
        taker, lowest = _NOBODY, 0.0 if total > low else math.inf
        for k in range(n):
            if g[k] < lowest:
                taker, lowest = k, g[k]
        giver, ahead = _best_giver(gram, g, w, taker, lowest, total < high)
        if ahead <= tolerance:
            return
        move = ahead
        if giver == _NOBODY:
            move = min(-lowest / gram[taker, taker], high - total)
            total = high if move == high - total else total + move
        else:
            ahead = g[giver] - lowest
            shared = 0.0 if taker == _NOBODY else gram[taker, giver]
            own = 0.0 if taker == _NOBODY else gram[taker, taker]
            bend = own + gram[giver, giver] - 2.0 * shared
            move = min(ahead / bend, w[giver]) if bend > 0.0 else w[giver]
            if taker == _NOBODY:
                move = min(move, total - low)
                total = low if move == total - low else total - move
            w[giver] = 0.0 if move == w[giver] else w[giver] - move
            for k in range(n):
                g[k] -= move * gram[giver, k]
        if taker != _NOBODY:
            w[taker] += move
            for k in range(n):
                g[k] += move * gram[taker, k]


@kernel
def _factorise(gram, chosen, size, ready, factor):
    """Extend the triangular factor from ``ready`` to ``size`` vectors in use; returns
    how many it covers, fewer if the next one depends on them.

    The diagonal holds inverses.
    """
    for i in range(ready, size):
        for j in range(i + 1):
            total = gram[chosen[i], chosen[j]]
            for c in range(j):
                total -= factor[i, c] * factor[j, c]
            if j < i:
                factor[i, j] = total * factor[j, j]
            elif total <= _DEPENDENT * gram[chosen[i], chosen[i]]:
                return i
            else:
                factor[i, i] = 1.0 / math.sqrt(total)
    return size


@kernel
def _solve(factor, chosen, size, b, low, high, p, r):
    """Best weights of the vectors in use, of any sign, in ``p``; returns the common
    slope of the distance where the limits of the sum push."""
    for i in range(size):
        first, second = b[chosen[i]], 1.0
        for c in range(i):
            first -= factor[i, c] * p[c]
            second -= factor[i, c] * r[c]
        p[i], r[i] = first * factor[i, i], second * factor[i, i]
    total, response = 0.0, 0.0
    for i in range(size - 1, -1, -1):
        for c in range(i + 1, size):
            p[i] -= factor[c, i] * p[c]
            r[i] -= factor[c, i] * r[c]
        p[i] *= factor[i, i]
        r[i] *= factor[i, i]
        total += p[i]
        response += r[i]
    wanted = min(max(total, low), high)
    if wanted == total:
        return 0.0
    push = (total - wanted) / response
    for i in range(size):
        p[i] -= push * r[i]
    return push


@kernel
def _approach(w, chosen, size, p):
    """Go towards the weights ``p`` until the first becomes zero; returns its place and
    whether it was zero from the start."""
    step, blocking = 1.0, _NOBODY
    for i in range(size):
        if p[i] < 0.0:
            ratio = w[chosen[i]] / (w[chosen[i]] - p[i])
            if ratio < step:
                step, blocking = ratio, i
    for i in range(size):
        k = chosen[i]
        w[k] = max(w[k] + step * (p[i] - w[k]), 0.0)
    return blocking, step == 0.0


@kernel
def _drop(chosen, size, place, w):
    w[chosen[place]] = 0.0
    for i in range(place, size - 1):
        chosen[i] = chosen[i + 1]


@kernel
def _lowest_outside(gram, b, chosen, size, w, g):
    """Slopes in ``g``, and the vector not in use with the lowest."""
    for k in range(len(b)):
        total = -b[k]
        for i in range(size):
            total += gram[k, chosen[i]] * w[chosen[i]]
        g[k] = total
    best = _NOBODY
    for k in range(len(b)):
        outside = w[k] == 0.0
        for i in range(size):
            outside &= chosen[i] != k
        if outside and (best == _NOBODY or g[k] < g[best]):
            best = k
    return best


@kernel
def begin_folding(w, counts, chosen):
    """Note the vectors in use for new vectors, of which no factor is known."""
    size = 0
    for k in range(len(w)):
        if w[k] > 0.0:
            chosen[size] = k
            size += 1
    counts[_SIZE], counts[_READY] = size, 0


@kernel
def fold_exactly(gram, b, low, high, tolerance, w, g, chosen, counts, factor, scratch):
    """Weights that fit best.

    Parameters
    ----------
    gram : (K, K) float64
    b : (K,) float64
        Products of the vectors with the difference.
    low, high : float
        Limits of the sum of weights; ``high`` may be infinite.
    tolerance : float
        Largest difference of slopes that counts as none, as a share of the largest
        product. The squared distance is at most that much above the best one.
    w : (K,) float64
        Weights to start from, within the limits; the answer on exit.
    g : (K,) float64
        Half the gradient at the answer, on exit.
    chosen : (K,) int64
    counts : (2,) int64
    factor : (K, K) float64
        What is known from the last pair: see `begin_folding`.
    scratch : (2, K) float64
    """
    p, r = scratch
    size, ready = counts[_SIZE], counts[_READY]
    newest, largest = _NOBODY, 0.0
    for k in range(len(b)):
        largest = max(largest, abs(b[k]))
    limit = tolerance * largest
    for _ in range(4 * len(b) + 20):
        ready = _factorise(gram, chosen, size, ready, factor)
        if ready < size:
            break
        push = _solve(factor, chosen, size, b, low, high, p, r)
        blocking, stuck = _approach(w, chosen, size, p)
        if blocking != _NOBODY:
            stuck &= chosen[blocking] == newest
            _drop(chosen, size, blocking, w)
            size -= 1
            ready = min(ready, blocking)
            if not stuck:
                continue
        taker = _lowest_outside(gram, b, chosen, size, w, g)
        if stuck or taker == _NOBODY or g[taker] >= -push - limit:
            counts[_SIZE], counts[_READY] = size, ready
            return
        chosen[size] = newest = taker
        size += 1
    fold_by_moves(gram, b, low, high, limit, w, g)
    begin_folding(w, counts, chosen)


@kernel
def _descend(rule, gram, b, low, high, rate, w, g, before):
    """One step of a gradient method; ``rate`` includes the factor 2 of the gradient."""
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
            w[k] *= math.exp(-rate * (g[k] - lowest)) if w[k] > 0.0 else 0.0
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
    """Weights after some steps of a gradient method, fewer if they stop moving.

    The parameters are those of `fold_exactly`; ``rule`` is 1 for exponentiated
    gradient, 2 for its approximation and 3 for clipping and rescaling, and ``before``
    is scratch.
    """
    _slopes(gram, b, w, g)
    for _ in range(steps):
        _descend(rule, gram, b, low, high, rate, w, g, before)
        moved = 0.0
        for k in range(len(w)):
            moved = max(moved, abs(w[k] - before[k]))
        if moved <= tolerance:
            return


@kernel
def gradient_rate(gram, rule):
    """The step length, for half the gradient, that never increases the distance."""
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

    ``rate`` 0 takes the longest safe step; the other parameters are those of
    `fold_exactly` and `fold_by_steps`.
    """
    m, n = products.shape
    weights, w, scratch = np.empty((m, n)), np.empty(n), np.empty((4, n))
    g, before = scratch[0], scratch[1]
    chosen, counts = np.empty(n, dtype=np.int64), np.zeros(2, dtype=np.int64)
    factor = np.empty((n, n))
    first = max(low, min(1.0, high)) / n
    if rate == 0.0:
        rate = gradient_rate(gram, rule)
    w[:] = first
    begin_folding(w, counts, chosen)
    for i in range(m):
        b = products[i]
        if rule == _EXACT:
            fold_exactly(
                gram, b, low, high, tolerance, w, g, chosen, counts, factor, scratch[2:]
            )  # fmt: skip
        else:
            w[:] = first
            fold_by_steps(
                rule, gram, b, low, high, rate, steps, tolerance, w, g, before
            )  # fmt: skip
        weights[i] = w
    return weights
