"""Documents of equal scores: detection, and means of measures over their orders.

F. McSherry and M. Najork, *Computing information retrieval performance measures
efficiently in the presence of tied scores*, ECIR 2008. Documents of a query with equal
scores form a group, which has a first position and a span, its size.
"""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.ordering.line_search import BY_COUNT, BY_POSITION
from rankcore._kernels.ordering.ranks import (
    add_above,
    find_relevant,
    is_counted,
    longest_query,
    lower,
    round_up,
)
from rankcore._kernels.ordering.sorting import descending

# Up to this many documents, counting equal scores is faster than hashing.
_FEW = 16
# As in `rankcore._kernels.ordering.ranks`.
_BLOCK, _LANES = 8, 16
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


@kernel
def tied_value(form, total, good, size, above, discounts):
    """Contribution of tied documents to a measure, averaged over their orders.

    ``total`` is their gain, ``good`` of the ``size`` documents are relevant, ``above``
    is the number of relevant ones above; ``discounts`` end at the cutoff.
    """
    value = 0.0
    if form == BY_POSITION:
        for discount in discounts:
            value += discount
        return value * total / size
    if form == BY_COUNT:
        # On average k (good - 1) / (size - 1) other relevant ones precede one at place
        # k.
        share = (good - 1.0) / (size - 1.0) if size > 1 else 0.0
        for k in range(len(discounts)):
            value += (above + 1.0 + k * share) * discounts[k]
        return value * total / size
    if above > 0.0:
        return 0.0
    missing = 1.0
    for k in range(len(discounts)):
        first = missing * good / (size - k)
        value += first * discounts[k]
        missing -= first
        if good >= size - k:
            break
    return value * total / good


@kernel
def any_tied(spans):
    """Whether any document ties with another, by the spans of a query, if any."""
    for span in spans:
        if span > 1:
            return True
    return False


@kernel
def positions_of(rank, span, cutoff):
    """Begin and end, from 0, of the positions of a group within the cutoff."""
    begin = int(rank) - 1
    end = begin + span
    if cutoff > 0:
        end = max(begin, min(end, cutoff))
    return begin, end


@kernel
def table_of(offsets):
    """Return a hash table for `any_equal`, and the shift of its hashes."""
    longest = longest_query(offsets)
    size, shift = 8, np.uint64(61)
    while size < 4 * longest:
        size, shift = 2 * size, shift - np.uint64(1)
    return np.full(size, -1, dtype=np.int32), shift


@kernel
def any_equal(scores, begin, end, table, shift):
    """Whether two scores of a query are equal, by hashing them.

    The table holds rows of the scores; entries of earlier queries count as free.
    """
    bits = scores.view(np.uint64)
    for row in range(begin, end):
        # Zeros of either sign are equal but differ in bits, so both hash as 0.
        word = bits[row] if scores[row] != 0.0 else np.uint64(0)
        place = np.int64((word * _FACTOR) >> shift)
        other = table[place]
        while other >= begin:
            if scores[other] == scores[row]:
                return True
            place = (place + 1) & (len(table) - 1)
            other = table[place]
        table[place] = row
    return False


@kernel
def groups_by_sorting(scores, chosen, ranks, spans):
    """Write first positions and spans of the ``chosen`` documents, in O(n log n)."""
    n = len(scores)
    order, keys = descending(scores)
    firsts, sizes = np.empty(n), np.empty(n, dtype=np.int64)
    begin = 0
    while begin < n:
        end = begin + 1
        while end < n and keys[end] == keys[begin]:
            end += 1
        for place in range(begin, end):
            firsts[order[place]], sizes[order[place]] = begin + 1.0, end - begin
        begin = end
    for i in range(len(chosen)):
        ranks[i], spans[i] = firsts[chosen[i]], sizes[chosen[i]]


@kernel(forceinline=True)
def count_above(scores, begin, end, thresholds, counts, rest):
    """Count the scores of a query above each threshold; ``rest`` is scratch."""
    whole = begin + (end - begin) // _BLOCK * _BLOCK
    for at in range(begin, whole, _BLOCK):
        add_above(scores, at, thresholds, counts)
    if whole < end:
        for i in range(_BLOCK):
            rest[i] = scores[whole + i] if whole + i < end else -np.inf
        add_above(rest, 0, thresholds, counts)


@kernel(forceinline=True)
def groups_by_counting(scores, begin, end, m, places, table, shift, spare):
    """Find first positions and spans of m documents of a query.

    Scores above a document's tell the first position, and those that equal it the span.

    Parameters
    ----------
    scores : (n,) float64
    begin, end : int
        The rows of the query.
    m : int
        Number of requested documents.
    places : (k,) int64
        The first m are their places in the query.
    table, shift
        As returned by `table_of`.
    spare : tuple of (k,) float64, (k,) int64, (k,) int64, (8,) float64
        Scratch; k is a multiple of the lanes. The two in the middle receive the
        documents above each, and those that are not below it.

    Returns
    -------
    bool
        Whether one of them is tied; if not, the last counts are not computed.
    """
    width = round_up(m, _LANES)
    thresholds, above, upto = spare[0][:width], spare[1][:width], spare[2][:width]
    for i in range(m):
        thresholds[i], above[i], upto[i] = scores[begin + places[i]], 0, 0
    for i in range(m, width):
        thresholds[i], above[i], upto[i] = np.inf, 0, 0
    count_above(scores, begin, end, thresholds, above, spare[3])
    if m > _FEW and not any_equal(scores, begin, end, table, shift):
        return False
    lower(thresholds[:m])
    count_above(scores, begin, end, thresholds, upto, spare[3])
    for i in range(m):
        if upto[i] - above[i] > 1:
            return True
    return False


@kernel
def group_documents(scores, labels, offsets, every):
    """First positions, labels and spans of the documents with a label above 0, or of
    ``every`` one, and their offsets. There are no spans where none is tied.
    """
    ranks, grades = np.empty(len(scores)), np.empty(len(scores), dtype=np.int64)
    spans = np.empty(len(scores), dtype=np.int64)
    starts = np.zeros(len(offsets), dtype=np.int64)
    longest = longest_query(offsets)
    places = np.empty(longest + 1, dtype=np.int64)
    size = round_up(longest, _LANES)
    above = np.empty(size, dtype=np.int64)
    upto = np.empty(size, dtype=np.int64)
    spare = np.empty(size), above, upto, np.empty(_BLOCK)
    table, shift = table_of(offsets)
    tied = False
    for q in range(len(offsets) - 1):
        begin, end, at = offsets[q], offsets[q + 1], starts[q]
        if every:
            m = end - begin
            for i in range(m):
                places[i] = i
        else:
            m = find_relevant(labels[begin:end], places)
        if is_counted(scores, begin, places, m):
            several = groups_by_counting(
                scores, begin, end, m, places, table, shift, spare
            )
            for i in range(m):
                ranks[at + i] = above[i] + 1.0
                spans[at + i] = upto[i] - above[i] if several else 1
        else:
            chosen, span = places[:m], spans[at : at + m]
            groups_by_sorting(scores[begin:end], chosen, ranks[at : at + m], span)
            several = any_tied(span)
        tied |= several
        for i in range(m):
            grades[at + i] = labels[begin + places[i]]
        starts[q + 1] = at + m
    last = starts[-1]
    return ranks[:last], grades[:last], starts, spans[: last if tied else 0]
