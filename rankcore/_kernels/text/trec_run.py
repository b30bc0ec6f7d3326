"""A byte parser for TREC runs, ``query Q0 document rank score tag``, one document a
line, and hash tables of names, such as those of the documents of each query.

The text must end with ``PADDING`` newlines.
"""

import numpy as np

from rankcore._kernels import borrowing_kernel, kernel
from rankcore._kernels.ordering.ranks import longest_query
from rankcore._kernels.text.letor import same_bytes
from rankcore._kernels.text.numerals import (
    NEWLINE,
    PADDING,
    SPACE,
    TAB,
    U1,
    U8,
    decimal,
    word_at,
)

DONE, FAULTY, FULL = range(3)
RETURN, HASH = (ord(c) for c in "\r#")
# Number of words of a line before the tag.
WORDS = 5
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@borrowing_kernel
def _is_blank(c):
    """Whether a byte separates words."""
    return c == SPACE or c == TAB


@borrowing_kernel
def _ends_line(text, i):
    """Whether a line ends here, possibly with a carriage return and a newline."""
    return text[i] == NEWLINE or (text[i] == RETURN and text[i + 1] == NEWLINE)


@borrowing_kernel
def _skip_blanks(text, i):
    """Return the position of the next byte that is not a blank."""
    while _is_blank(text[i]):
        i += 1
    return i


@borrowing_kernel
def _skip_word(text, i):
    """Return the position of the next blank or control character."""
    while text[i] > SPACE:
        i += 1
    return i


@borrowing_kernel
def _skip_line(text, i):
    """Return the position of the next newline, or of a lone carriage return."""
    while text[i] != NEWLINE and not (text[i] == RETURN and text[i + 1] != NEWLINE):
        i += 1
    return i


@borrowing_kernel
def _take_name(text, begin, end, rows, row, names):
    """Append the document name of a row to the names of earlier rows."""
    size = rows[row - 1, 1] if row else 0
    rows[row, 0] = size
    for k in range(begin, end):
        names[size] = text[k]
        size += 1
    rows[row, 1] = size


@borrowing_kernel
def parse_run(text, start, line, row, run, rows, scores, runs, names, spans):
    """Parse lines from byte ``start`` on, until the end or an error.

    Parameters
    ----------
    text, start, line, row, run
        As in `rankcore._kernels.text.letor.parse_rows`.
    rows : (n, 4) int64
        Receives for each row begin and end of its document in ``names``, its line, from
        0, and the place of its query in ``runs``.
    scores : (n,) float64
        Receives the scores.
    runs : (n, 2) int64
        Receives begin and end of the query of each run of rows.
    names : (bytes,) uint8
        Receives the names of documents, one after the other.
    spans : (m, 3) int64
        Receives row, begin and end of scores that need exact conversion.

    Returns
    -------
    code, start, line, row, run, n_spans : int
        The reason for stopping, the beginning of the line it concerns, and the counts
        completed before that line.
    """
    n_spans = 0
    i = start
    while i < len(text) - PADDING:
        start = i
        i = _skip_blanks(text, i)
        if text[i] == HASH or _ends_line(text, i):
            i = _skip_line(text, i)
            if text[i] != NEWLINE:
                return FAULTY, start, line, row, run, n_spans
            i += 1
            line += 1
            continue
        if row == len(scores) or n_spans == len(spans):
            return FULL, start, line, row, run, n_spans
        query = i
        query_end = _skip_word(text, i)
        i = _skip_word(text, _skip_blanks(text, query_end))
        document = _skip_blanks(text, i)
        document_end = _skip_word(text, document)
        i = _skip_word(text, _skip_blanks(text, document_end))
        begin = _skip_blanks(text, i)
        score, end, exact = decimal(text, begin)
        if end < 0 or not _is_blank(text[end]) or begin == i:
            return FAULTY, start, line, row, run, n_spans
        tag = _skip_blanks(text, end)
        i = _skip_word(text, tag)
        if i == tag or not (_is_blank(text[i]) or _ends_line(text, i)):
            return FAULTY, start, line, row, run, n_spans
        i = _skip_line(text, i)
        if text[i] != NEWLINE:
            return FAULTY, start, line, row, run, n_spans
        if not exact:
            spans[n_spans, 0], spans[n_spans, 1], spans[n_spans, 2] = row, begin, end
            n_spans += 1
        if run == 0 or not same_bytes(
            text, query, query_end, text, runs[run - 1, 0], runs[run - 1, 1]
        ):
            runs[run, 0], runs[run, 1] = query, query_end
            run += 1
        _take_name(text, document, document_end, rows, row, names)
        rows[row, 2], rows[row, 3] = line, run - 1
        scores[row] = score
        i += 1
        line += 1
        row += 1
    return DONE, i, line, row, run, n_spans


@kernel
def hash_of(text, begin, end):
    """Return a hash of a range of text, eight bytes at a time."""
    value = np.uint64(end - begin)
    i, stop = np.uint64(begin), np.uint64(end)
    while i + U8 <= stop:
        value = (value ^ word_at(text, i)) * _FACTOR
        value ^= value >> _HALF
        i += U8
    if i < stop:
        value = (value ^ (word_at(text, i) & ~(_ALL << (U8 * (stop - i))))) * _FACTOR
        value ^= value >> _HALF
    return value


@kernel
def _table(offsets, room):
    """Return an empty hash table with this room per name of the longest list, and the
    shift from hashes to places in it."""
    size, shift = 8, np.uint64(61)
    while size < room * longest_query(offsets):
        size, shift = 2 * size, shift - U1
    return np.full(size, -1, dtype=np.int64), shift


@kernel
def find_rows(text, spans, offsets, words, word_spans, word_offsets):
    """Find the document of each name that is looked up in a query.

    Parameters
    ----------
    text : (bytes,) uint8
    spans : (n, 2) int64
        Begin and end of each document's name.
    offsets : (q + 1,) int64
        Where the documents of each query begin.
    words, word_spans, word_offsets
        The same for the m names that are looked up.

    Returns
    -------
    (m,) int64
        Document of each name, the last one of several; -1 if there is none.
    """
    rows = np.full(len(word_spans), -1, dtype=np.int64)
    # Entries of earlier queries count as free.
    table, shift = _table(word_offsets, 4)
    for q in range(len(offsets) - 1):
        first, last = word_offsets[q], word_offsets[q + 1]
        for j in range(first, last):
            begin, end = word_spans[j, 0], word_spans[j, 1]
            place = np.int64((hash_of(words, begin, end) * _FACTOR) >> shift)
            while table[place] >= first:
                place = (place + 1) & (len(table) - 1)
            table[place] = j
        for row in range(offsets[q], offsets[q + 1]):
            begin, end = spans[row, 0], spans[row, 1]
            place = np.int64((hash_of(text, begin, end) * _FACTOR) >> shift)
            while table[place] >= first:
                j = table[place]
                if same_bytes(
                    text, begin, end, words, word_spans[j, 0], word_spans[j, 1]
                ):
                    rows[j] = row
                    break
                place = (place + 1) & (len(table) - 1)
    return rows


@kernel
def find_copy(text, spans, offsets):
    """Return the first document with the same name as an earlier one of its query, and
    that earlier one; -1 for both if no name is repeated."""
    table, shift = _table(offsets, 2)
    for q in range(len(offsets) - 1):
        first = offsets[q]
        for row in range(first, offsets[q + 1]):
            begin, end = spans[row, 0], spans[row, 1]
            place = np.int64((hash_of(text, begin, end) * _FACTOR) >> shift)
            while table[place] >= first:
                other = table[place]
                if same_bytes(text, begin, end, text, spans[other, 0], spans[other, 1]):
                    return row, other
                place = (place + 1) & (len(table) - 1)
            table[place] = row
    return -1, -1


@kernel
def number_names(text, ends, within):
    """Return numbers of names, by first appearance; names of different groups differ.

    Parameters
    ----------
    text : (bytes,) uint8
        The names, one after the other, and ``PADDING`` newlines.
    ends : (n + 1,) int64
        Where each name begins, and where the last one ends.
    within : (n,) int64
        Group of each name.

    Returns
    -------
    numbers : (n,) int64
    firsts : (m,) int64
        First occurrence of each distinct name.
    """
    n = len(within)
    numbers, firsts = np.empty(n, dtype=np.int64), np.empty(8, dtype=np.int64)
    size, shift, count = 16, np.uint64(60), 0
    table = np.full(size, -1, dtype=np.int32)
    for row in range(n):
        if count == len(firsts):
            firsts = np.concatenate((firsts, np.empty(count, dtype=np.int64)))
            size, shift = 2 * size, shift - U1
            table = np.full(size, -1, dtype=np.int32)
            for number in range(count):
                place = _place_of(text, ends, within, firsts[number], shift)
                while table[place] >= 0:
                    place = (place + 1) & (size - 1)
                table[place] = number
        place = _place_of(text, ends, within, row, shift)
        while table[place] >= 0:
            first = firsts[table[place]]
            if within[first] == within[row] and same_bytes(
                text, ends[row], ends[row + 1], text, ends[first], ends[first + 1]
            ):
                break
            place = (place + 1) & (size - 1)
        if table[place] < 0:
            table[place], firsts[count] = count, row
            count += 1
        numbers[row] = table[place]
    return numbers, firsts[:count].copy()


@kernel
def _place_of(text, ends, within, row, shift):
    """Return the first place in a hash table to probe for a name of a group."""
    value = hash_of(text, ends[row], ends[row + 1]) ^ np.uint64(within[row])
    return np.int64((value * _FACTOR) >> shift)
