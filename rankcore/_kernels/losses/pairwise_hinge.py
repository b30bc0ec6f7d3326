r"""Sums of squared or smoothed hinge losses over all pairs of a query.

For each pair of documents with :math:`y_i > y_j`, let :math:`t = 1 - (s_i - s_j)` be
the shortfall of the margin. The loss is

.. math:: \psi(t) = 0 \;\; (t \le 0), \qquad t^2 \;\; (0 < t \le \omega), \qquad
    2 \omega t - \omega^2 \;\; (t > \omega),

the squared hinge for :math:`\omega = \infty`; divided by :math:`2 \omega` it tends to
the hinge :math:`\max(0, t)` as :math:`\omega \to 0`.

No array of pairs is formed. The documents of one label are sorted among themselves.
Going down the better label, more and more documents of the worse one come within the
margin, and each :math:`t` grows by the decrease of the score. So the sums of
:math:`1, t, t^2` are updated by adding positive numbers: nothing cancels, however large
the scores. This takes O(L n log n) for n documents of L labels; visiting all pairs is
faster where there are few.
"""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.arithmetic.lanes import product, total
from rankcore._kernels.arithmetic.rows import add_rows, scale, score_rows
from rankcore._kernels.ordering.ranks import longest_query
from rankcore._kernels.ordering.sorting import sort_descending

# Measured: sorting costs as much per document as this many pairs.
_PAIRS_PER_DOCUMENT = 60


@kernel(forceinline=True)
def _squared_pairs(s, starts, force, lacks):
    """Return the sums of `_pairs` for squared hinges, two better documents at a
    time."""
    value = slope = 0.0
    base = starts[0]
    for level in range(1, len(starts) - 1):
        worse = np.uint64(starts[level] - base)
        end = starts[level + 1] - base
        for i in range(starts[level] - base, end - 1, 2):
            one, other = s[i], s[i + 1]
            for j in range(worse):
                x = s[j]
                t = 1.0 - (one - x)
                u = 1.0 - (other - x)
                t = t if t > 0.0 else 0.0
                u = u if u > 0.0 else 0.0
                lacks[0, j], lacks[1, j] = t, u
                force[j] += 2.0 * (t + u)
            for k in range(2):
                value += product(lacks[k], lacks[k], worse)
                pull = total(lacks[k], 0, worse)
                force[i + k] -= 2.0 * pull
                slope += pull
        if (end - starts[level] + base) % 2 == 1:
            i = end - 1
            score = s[i]
            for j in range(worse):
                t = 1.0 - (score - s[j])
                t = t if t > 0.0 else 0.0
                lacks[0, j] = t
                force[j] += 2.0 * t
            value += product(lacks[0], lacks[0], worse)
            pull = total(lacks[0], 0, worse)
            force[i] -= 2.0 * pull
            slope += pull
    return value, slope, slope


@kernel
def _pairs(s, starts, width, force, slopes, heights):
    """Return sums over all pairs; ``s`` is by ascending label from ``starts[0]``.

    A pair's loss is slope * (2 max(0, t) - slope), with the slope min(max(0, t),
    width); ``slopes`` and ``heights`` are scratch for the two factors.
    """
    value = lack = slope = 0.0
    base = starts[0]
    for level in range(1, len(starts) - 1):
        worse = np.uint64(starts[level] - base)
        for i in range(starts[level] - base, starts[level + 1] - base):
            score = s[i]
            for j in range(worse):
                t = 1.0 - (score - s[j])
                t = t if t > 0.0 else 0.0
                near = t if t < width else width
                slopes[j], heights[j] = near, 2.0 * t - near
                force[j] += 2.0 * near
            value += product(slopes, heights, worse)
            pull = total(slopes, 0, worse)
            lack += 0.5 * (pull + total(heights, 0, worse))
            force[i] -= 2.0 * pull
            slope += pull
    return value, lack, slope


@kernel
def _one_side(score, others, side, width, force):
    """Add the forces of ``others`` on one label's documents; return sums over pairs.

    Both arrays are descending. Side 1 visits the better label's documents downwards,
    side -1 the worse label's upwards, which is the same for negated scores. A fall f of
    the score turns t^2 into t^2 + f (2 t + f).
    """
    n, m = len(score), len(others)
    near_count = near_sum = near_squares = far_count = far_sum = 0.0
    value = lack = slope = 0.0
    count = left = 0
    before = side * score[0 if side > 0.0 else n - 1]
    for step in range(n):
        k = step if side > 0.0 else n - 1 - step
        signed = side * score[k]
        fall = before - signed
        far_sum += fall * far_count
        while left < count:
            x = side * others[left if side > 0.0 else m - 1 - left]
            t = 1.0 - (signed - x)
            if t <= width:
                break
            # The sums still hold the shortfall before the fall.
            near = 1.0 - (before - x)
            near_count -= 1.0
            near_sum -= near
            near_squares -= near * near
            far_count += 1.0
            far_sum += t
            left += 1
        if near_count == 0.0:
            near_sum = near_squares = 0.0
        near_squares += fall * (2.0 * near_sum + fall * near_count)
        near_sum += fall * near_count
        before = signed
        while count < m:
            t = 1.0 - (signed - side * others[count if side > 0.0 else m - 1 - count])
            if t <= 0.0:
                break
            count += 1
            if t > width:
                far_count += 1.0
                far_sum += t
                left = count
            else:
                near_count += 1.0
                near_sum += t
                near_squares += t * t
        pull = near_sum
        value += near_squares
        lack += near_sum + far_sum
        if far_count > 0.0:
            pull += width * far_count
            value += width * (2.0 * far_sum - width * far_count)
        slope += pull
        force[k] -= 2.0 * side * pull
    return value, lack, slope


@kernel
def _sort_levels(s, order, starts, keys, spare, places):
    """Sort the documents of each label, and their scores, by descending score."""
    base = starts[0]
    for level in range(len(starts) - 1):
        a, b = starts[level] - base, starts[level + 1] - base
        n = b - a
        place, spare_place = places[0, :n], places[1, :n]
        for k in range(n):
            place[k] = k
        sort_descending(s[a:b], place, keys[:n], spare[:n], spare_place)
        for k in range(n):
            spare_place[k] = order[a + place[k]]
        for k in range(n):
            order[a + k], s[a + k] = spare_place[k], keys[k]


@kernel(forceinline=True)
def _query(s, order, starts, width, force, spares, places):
    """Return sums over the pairs of one query; forces follow ``order`` on exit."""
    n_levels, base = len(starts) - 1, starts[0]
    pairs = 0
    for level in range(1, n_levels):
        pairs += (starts[level + 1] - starts[level]) * (starts[level] - base)
    force[:] = 0.0
    if pairs <= _PAIRS_PER_DOCUMENT * len(s):
        if width == np.inf:
            return _squared_pairs(s, starts, force, spares)
        return _pairs(s, starts, width, force, spares[0], spares[1])
    _sort_levels(s, order, starts, spares[0], spares[1], places)
    value = lack = slope = 0.0
    for better in range(1, n_levels):
        c, d = starts[better] - base, starts[better + 1] - base
        for worse in range(better):
            a, b = starts[worse] - base, starts[worse + 1] - base
            sums = _one_side(s[c:d], s[a:b], 1.0, width, force[c:d])
            _one_side(s[a:b], s[c:d], -1.0, width, force[a:b])
            value, lack, slope = value + sums[0], lack + sums[1], slope + sums[2]
    return value, lack, slope


@kernel
def _pull(X, s, order, lo, score, others, side, within, pulls):
    """Add the differences to ``others`` for the documents of one label.

    Both are ranges of places in ``s`` and ``order``, with descending scores; sides as
    in `_one_side`. ``within`` is scratch.
    """
    (a, b), (c, d) = score, others
    within[:] = 0.0
    count = 0
    for step in range(b - a):
        k = a + step if side > 0.0 else b - 1 - step
        row = lo + order[k]
        while count < d - c:
            j = c + count if side > 0.0 else d - 1 - count
            if 1.0 - side * (s[k] - s[j]) <= 0.0:
                break
            other = lo + order[j]
            for f in range(len(within)):
                within[f] += X[other, f]
            count += 1
        for f in range(len(within)):
            pulls[row, f] += count * X[row, f] - within[f]


@kernel
def hinge_pulls(X, offsets, order, starts, first, weights, w):
    """Sum each document's differences to all documents with which it has a loss.

    Parameters are those of `hinge_sums`. With P the result, the second derivatives of
    the sum of squared hinges are 2 X' P, where they exist.

    Returns
    -------
    (n, d) float64
    """
    longest = longest_query(offsets)
    work, places = np.empty((4, longest)), np.empty((2, longest), dtype=np.int64)
    pulls, within = np.zeros(X.shape), np.empty(X.shape[1])
    for q in range(len(offsets) - 1):
        lo, hi = offsets[q], offsets[q + 1]
        n = hi - lo
        levels = starts[first[q] : first[q + 1] + 1]
        members, scores, s = order[lo:hi], work[0, :n], work[1, :n]
        score_rows(X, lo, hi, w, scores)
        for k in range(n):
            s[k] = scores[members[k]]
        _sort_levels(s, members, levels, work[2], work[3], places)
        for better in range(1, len(levels) - 1):
            for worse in range(better):
                a, b = levels[better] - lo, levels[better + 1] - lo
                c, d = levels[worse] - lo, levels[worse + 1] - lo
                _pull(X, s, members, lo, (a, b), (c, d), 1.0, within, pulls)
                _pull(X, s, members, lo, (c, d), (a, b), -1.0, within, pulls)
        if weights[q] != 1.0:
            for row in range(lo, hi):
                scale(pulls[row], weights[q])
    return pulls


@kernel
def hinge_sums(X, offsets, order, starts, first, weights, w, width):
    """Return sums of the losses of a linear model over all pairs of all queries.

    Parameters
    ----------
    X, offsets, order, starts, first, weights, w
        As in `rankcore._kernels.losses.pairwise_logistic.logistic_sums`; documents of
        one label may be reordered.
    width : float
        The width omega of the squared part, or infinity.

    Returns
    -------
    value : float
        Sum of the losses psi.
    lack : float
        Sum of max(0, t), the hinge losses.
    slope : float
        Sum of min(max(0, t), width), half of the derivatives of psi.
    gradient : (d,) float64
        Of ``value``.
    """
    longest = longest_query(offsets)
    work, places = np.empty((5, longest)), np.empty((2, longest), dtype=np.int64)
    gradient = np.zeros(len(w))
    value = lack = slope = 0.0
    for q in range(len(offsets) - 1):
        if first[q + 1] - first[q] < 2:
            continue
        lo, hi = offsets[q], offsets[q + 1]
        n = hi - lo
        scores, s, force = work[0, :n], work[1, :n], work[2, :n]
        members = order[lo:hi]
        score_rows(X, lo, hi, w, scores)
        for k in range(n):
            s[k] = scores[members[k]]
        sums = _query(
            s,
            members,
            starts[first[q] : first[q + 1] + 1],
            width,
            force,
            work[3:],
            places,
        )
        value += weights[q] * sums[0]
        lack += weights[q] * sums[1]
        slope += weights[q] * sums[2]
        scale(force, weights[q])
        for k in range(n):
            scores[members[k]] = force[k]
        add_rows(X, lo, hi, scores, gradient)
    return value, lack, slope, gradient
