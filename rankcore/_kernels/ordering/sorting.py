"""Sorting scores in descending order, starting from the order of the previous step.

Between two steps of a learner few documents change places. A merge sort that starts
from the old permutation and skips ranges already in order then costs little more than
reading the scores once. Without such an order, the scores are first distributed to as
many buckets of equal width as there are documents; if they are spread evenly enough,
only the buckets remain to be sorted, and the whole takes linear time.
"""

import numpy as np

from rankcore._kernels import kernel

_SHORT_RUN, _LONG_RUN = 8, 16
# Buckets pay off from this many documents, and up to this many comparisons per
# document.
_WORTH_BUCKETS, _CROWDED = 48, 16


@kernel
def comes_before(key_a, document_a, key_b, document_b):
    """Whether a ranks above b: by key, and by input order among equal keys."""
    return (key_a > key_b) | ((key_a == key_b) & (document_a < document_b))


@kernel
def _insertion_sort(keys, order, lo, hi):
    """Sort a range by `comes_before`; fast if it is short or nearly sorted."""
    for i in range(lo + 1, hi):
        key, document = keys[i], order[i]
        j = i - 1
        while j >= lo and comes_before(key, document, keys[j], order[j]):
            keys[j + 1], order[j + 1] = keys[j], order[j]
            j -= 1
        keys[j + 1], order[j + 1] = key, document


@kernel
def _counting_sort(keys, order, lo, hi, spare_keys, spare_order):
    """Sort as `_insertion_sort` does, by counting predecessors: without mispredicted
    branches it is faster where the order is far from sorted."""
    n = hi - lo
    for i in range(n):
        spare_keys[i], spare_order[i] = keys[lo + i], order[lo + i]
    for i in range(n):
        key, document = spare_keys[i], spare_order[i]
        place = lo
        for j in range(n):
            place += comes_before(spare_keys[j], spare_order[j], key, document)
        keys[place], order[place] = key, document


@kernel
def _merge(keys, order, lo, mid, hi, spare_keys, spare_order):
    """Merge the sorted ``[lo, mid)`` and ``[mid, hi)``, only where they overlap."""
    while lo < mid and comes_before(keys[lo], order[lo], keys[mid], order[mid]):
        lo += 1
    if lo == mid:
        return
    while comes_before(keys[mid - 1], order[mid - 1], keys[hi - 1], order[hi - 1]):
        hi -= 1
    left = mid - lo
    for i in range(left):
        spare_keys[i], spare_order[i] = keys[lo + i], order[lo + i]
    i, j, k = 0, mid, lo
    while i < left and j < hi:
        a, document_a = spare_keys[i], spare_order[i]
        b, document_b = keys[j], order[j]
        first = comes_before(a, document_a, b, document_b)
        keys[k] = a if first else b
        order[k] = document_a if first else document_b
        i += first
        j += not first
        k += 1
    for rest in range(i, left):
        keys[k + rest - i], order[k + rest - i] = spare_keys[rest], spare_order[rest]


@kernel
def _fill_buckets(scores, order, keys, starts):
    """Whether buckets pay off; if so, only documents within a bucket are unsorted."""
    n = len(scores)
    low = high = scores[0]
    numbers = True
    for score in scores:
        low, high = min(low, score), max(high, score)
        numbers = numbers and score == score
    width = high - low
    if not (numbers and 0.0 < width < np.inf and (n - 1) / width < np.inf):
        return False
    scale = (n - 1) / width
    starts[:n] = 0
    for score in scores:
        starts[int((high - score) * scale)] += 1
    begin = comparisons = 0
    for bucket in range(n):
        size = starts[bucket]
        starts[bucket] = begin
        begin += size
        comparisons += size * size
    if comparisons > _CROWDED * n:
        return False
    for i in range(n):
        bucket = int((high - scores[i]) * scale)
        place = starts[bucket]
        order[place], keys[place] = i, scores[i]
        starts[bucket] = place + 1
    return True


@kernel
def sort_descending(scores, order, keys, spare_keys, spare_order):
    """Sort the permutation ``order`` in place by descending score, ties by input order.

    Parameters
    ----------
    scores : (n,) float64
    order : (n,) int64
        Any permutation of 0 … n - 1 on entry, ideally almost sorted; sorted on exit.
    keys : (n,) float64
        Scores in sorted order, on exit.
    spare_keys : (n,) float64
    spare_order : (n,) int64
        Scratch.
    """
    n = len(scores)
    rises = 0
    above = np.inf
    for place in range(n):
        key = scores[order[place]]
        rises += key > above
        keys[place] = above = key
    unsorted = rises > n // 4
    run = _LONG_RUN if unsorted else _SHORT_RUN
    if unsorted and n >= _WORTH_BUCKETS:
        if _fill_buckets(scores, order, keys, spare_order):
            unsorted, run = False, n
    for lo in range(0, n, run):
        hi = min(lo + run, n)
        if unsorted:
            _counting_sort(keys, order, lo, hi, spare_keys, spare_order)
        else:
            _insertion_sort(keys, order, lo, hi)
    width = run
    while width < n:
        for lo in range(0, n - width, 2 * width):
            hi = min(lo + 2 * width, n)
            _merge(keys, order, lo, lo + width, hi, spare_keys, spare_order)
        width *= 2


@kernel
def descending(scores):
    """Return the places (n,) of scores (n,) from the largest to the smallest, ties by
    input order, and the scores in that order."""
    n = len(scores)
    # With a copy, the sort is compiled for only one type of array.
    values, keys, spare = np.empty(n), np.empty(n), np.empty(n)
    order, spare_order = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for i in range(n):
        values[i], order[i] = scores[i], i
    sort_descending(values, order, keys, spare, spare_order)
    return order, keys


@kernel
def sorted_upwards(numbers):
    """Return a sorted copy of some numbers; NumPy's sort takes longer to compile."""
    negative = np.empty(len(numbers))
    for i in range(len(numbers)):
        negative[i] = -numbers[i]
    _, keys = descending(negative)
    for i in range(len(keys)):
        keys[i] = -keys[i]
    return keys
