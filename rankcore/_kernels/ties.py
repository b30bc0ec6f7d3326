"""Documents of equal scores: finding them, and means of measures over their orders.

F. McSherry and M. Najork, *Computing information retrieval performance measures
efficiently in the presence of tied scores*, ECIR 2008. The documents of a query that
have one score are a group: it has a first position, and a span, the number of them.
"""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.line_search import BY_COUNT, BY_POSITION
from rankcore._kernels.ranks import (
    add_above,
    find_relevant,
    is_counted,
    longest_query,
    lower,
    padded_scores,
    padded_thresholds,
)
from rankcore._kernels.sorting import sort_descending

# Up to as many documents, counting equal scores is faster than looking for them.
_FEW = 16
_BLOCK = 8
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


@kernel
def tied_value(form, total, good, size, seen, discounts):
    """Contribution of tied documents to a measure, averaged over their orders.

    ``total`` is their gain, ``good`` of the ``size`` are relevant, ``seen`` relevant
    ones are above; ``discounts`` are those of their positions, up to the cutoff.
    """
    value = 0.0
    if form == BY_POSITION:
        for discount in discounts:
            value += discount
        return value * total / size
    if form == BY_COUNT:
        # A relevant document at place k of them has its share of the others before it.
        share = (good - 1.0) / (size - 1.0) if size > 1 else 0.0
        for k in range(len(discounts)):
            value += (seen + 1.0 + k * share) * discounts[k]
        return value * total / size
    if seen > 0.0:
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
    """Whether a document is in a group with others, by the spans of a query, if any."""
    for span in spans:
        if span > 1:
            return True
    return False


@kernel
def positions_of(rank, span, cutoff):
    """Begin and end, from 0, of the positions of a group that are within the cutoff."""
    begin = int(rank) - 1
    end = begin + span
    if cutoff > 0:
        end = max(begin, min(end, cutoff))
    return begin, end


@kernel
def table_of(offsets):
    """A table for `any_equal`, and the shift of its hashes."""
    longest = longest_query(offsets)
    size, shift = 8, np.uint64(61)
    while size < 4 * longest:
        size, shift = 2 * size, shift - np.uint64(1)
    return np.full(size, -1, dtype=np.int32), shift


@kernel
def any_equal(scores, begin, end, table, shift):
    """Whether two scores of a query are equal, by hashing them.

    The table holds rows of the scores; those of earlier queries count as free places.
    """
    bits = scores.view(np.uint64)
    for row in range(begin, end):
        # Zeros of either sign are equal.
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
    """As `groups_by_counting`, in O(n log n), with documents of one query only."""
    n = len(scores)
    own, firsts, keys = np.empty(n), np.empty(n), np.empty(n)
    order, sizes = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for i in range(n):
        own[i], order[i] = scores[i], i
    sort_descending(own, order, keys, firsts, sizes)
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
    return any_tied(spans)


@kernel
def groups_by_counting(scores, begin, end, chosen, ranks, spans, table, shift):
    """Write first positions and spans of the ``chosen`` documents of a query.

    It returns whether one of them is tied. Scores above a document's tell the first
    position, and those that equal it the span.
    """
    m = len(chosen)
    padded = padded_scores(scores[begin:end])
    thresholds = padded_thresholds(scores[begin:end], chosen)
    above = np.zeros(len(thresholds), dtype=np.int64)
    for at in range(0, len(padded), _BLOCK):
        add_above(padded, at, thresholds, above)
    for i in range(m):
        ranks[i], spans[i] = above[i] + 1.0, 1
    if m > _FEW and not any_equal(scores, begin, end, table, shift):
        return False
    lower(thresholds[:m])
    upto = np.zeros(len(thresholds), dtype=np.int64)
    for at in range(0, len(padded), _BLOCK):
        add_above(padded, at, thresholds, upto)
    for i in range(m):
        spans[i] = upto[i] - above[i]
    return any_tied(spans)


@kernel
def group_documents(scores, labels, offsets, every):
    """First positions, labels and spans of the documents with a label above 0, or of
    ``every`` one, and their offsets. There are no spans where none is tied.
    """
    ranks, grades = np.empty(len(scores)), np.empty(len(scores), dtype=np.int64)
    spans = np.empty(len(scores), dtype=np.int64)
    starts = np.zeros(len(offsets), dtype=np.int64)
    found = np.empty(longest_query(offsets) + 1, dtype=np.int64)
    table, shift = table_of(offsets)
    tied = False
    for q in range(len(offsets) - 1):
        begin, end, at = offsets[q], offsets[q + 1], starts[q]
        if every:
            m = end - begin
            for i in range(m):
                found[i] = i
        else:
            m = find_relevant(labels[begin:end], found)
        chosen, own, span = found[:m], ranks[at : at + m], spans[at : at + m]
        if is_counted(scores[begin:end], chosen):
            tied |= groups_by_counting(
                scores, begin, end, chosen, own, span, table, shift
            )
        else:
            tied |= groups_by_sorting(scores[begin:end], chosen, own, span)
        for i in range(m):
            grades[at + i] = labels[begin + chosen[i]]
        starts[q + 1] = at + m
    last = starts[-1]
    return ranks[:last], grades[:last], starts, spans[: last if tied else 0]
