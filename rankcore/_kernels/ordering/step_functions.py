"""Sums of step functions: changes in order of time, and the best interval."""

import math

import numpy as np

from rankcore._kernels import kernel

_PER_BUCKET = 4
_SAMPLE = 101
_NARROW, _WIDER = 1e-10, 1e-9
_EQUAL = 1e-12
VALUE, TIME, BEST, MIDDLE, WIDTH = 0, 1, 2, 3, 4


@kernel
def with_room(times, changes, count, more):
    """Return arrays with the first ``count`` times and changes, and more room."""
    if count + more <= len(times):
        return times, changes
    size = max(count + more, 2 * len(times))
    longer_times, longer_changes = np.empty(size), np.empty(size)
    for i in range(count):
        longer_times[i], longer_changes[i] = times[i], changes[i]
    return longer_times, longer_changes


@kernel
def squeezed(time, unit):
    """Map a time from minus to plus infinity monotonically to a number from 0 to 1."""
    return 0.5 + 0.5 * time / (unit + abs(time))


@kernel
def _shell_sort(times, order, lo, hi):
    """Sort the indices ``order[lo:hi]`` by time, in place."""
    gap = 1
    while 9 * gap < hi - lo:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(lo + gap, hi):
            which = order[i]
            time = times[which]
            j = i - gap
            while j >= lo and times[order[j]] > time:
                order[j + gap] = order[j]
                j -= gap
            order[j + gap] = which
        gap //= 3


@kernel
def _typical(times):
    """Return the median absolute value of a sample of the times, or 1 if that is 0."""
    n = len(times)
    some, order = np.empty(min(n, _SAMPLE)), np.arange(min(n, _SAMPLE))
    for i in range(len(some)):
        some[i] = abs(times[i * n // len(some)])
    _shell_sort(some, order, 0, len(some))
    middle = some[order[len(some) // 2]]
    return middle if middle > 0.0 else 1.0


@kernel
def time_order(times):
    """Return indices that sort the times, into small buckets and then within these.

    The map to buckets scales with the typical time, so it works for any unit of time.
    """
    n = len(times)
    buckets = n // _PER_BUCKET + 1
    order, bucket = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    starts = np.zeros(buckets + 1, dtype=np.int64)
    if n == 0:
        return order
    unit = _typical(times)
    for i in range(n):
        b = min(int(buckets * squeezed(times[i], unit)), buckets - 1)
        bucket[i] = b
        starts[b + 1] += 1
    for b in range(buckets):
        starts[b + 1] += starts[b]
    for i in range(n):
        order[starts[bucket[i]]] = i
        starts[bucket[i]] += 1
    lo = 0
    for b in range(buckets):
        hi = starts[b]
        _shell_sort(times, order, lo, hi)
        lo = hi
    return order


@kernel
def joined(times, changes):
    """Return changes in order of time, with the sum of those at the same time."""
    order = time_order(times)
    distinct, sums = np.empty(len(times)), np.empty(len(times))
    last = -1
    for i in order:
        if last >= 0 and times[i] == distinct[last]:
            sums[last] += changes[i]
        else:
            last += 1
            distinct[last], sums[last] = times[i], changes[i]
    return distinct[: last + 1], sums[: last + 1]


@kernel
def begin_search(start, carry):
    """Begin a search for the best interval of a function with this first value."""
    carry[VALUE], carry[TIME] = start, -math.inf
    carry[BEST], carry[MIDDLE], carry[WIDTH] = -math.inf, 0.0, 0.0


@kernel
def _consider(before, right, carry):
    """Adopt an interval of the present value if it is better, or as good and wider.

    Intervals too narrow to hit in floating point are ignored.
    """
    value, width = carry[VALUE], right - before
    if width <= _NARROW * max(abs(before), abs(right)):
        return
    better = value > carry[BEST] + _EQUAL
    wider = width > carry[WIDTH] * (1.0 + _WIDER)
    if better or (value > carry[BEST] - _EQUAL and wider):
        carry[BEST] = value if better else max(value, carry[BEST])
        carry[MIDDLE], carry[WIDTH] = before + 0.5 * width, width


@kernel
def search_on(times, changes, carry):
    """Continue a search over the next changes, in order of time.

    The width of the interval before the first change is the distance of that from 0.
    """
    for i in range(len(times)):
        left, right = carry[TIME], times[i]
        if left == -math.inf:
            left = right - (abs(right) or 1.0)
        _consider(left, right, carry)
        carry[VALUE] += changes[i]
        carry[TIME] = right


@kernel
def end_search(carry):
    """Consider the last interval, as wide as its beginning's distance from 0."""
    left = carry[TIME]
    if left == -math.inf:
        carry[BEST] = carry[VALUE]
    else:
        _consider(left, left + (abs(left) or 1.0), carry)


@kernel
def search(start, times, changes, carry):
    """Write the best interval of a whole function to ``carry``."""
    begin_search(start, carry)
    search_on(times, changes, carry)
    end_search(carry)
