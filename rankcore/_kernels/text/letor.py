"""A byte parser for LETOR text, ``label qid:Q 1:v 2:v … # comment``, one row a line.

The text must end with ``PADDING`` newlines. Numbers that float64 arithmetic cannot
convert exactly are returned as spans of bytes for the caller to convert.
"""

import numpy as np

from rankcore._kernels import borrowing_kernel
from rankcore._kernels.text.numerals import (
    MAX_NATURAL,
    NEWLINE,
    NINE,
    PADDING,
    SPACE,
    U0,
    U1,
    U2,
    U3,
    U8,
    ZERO,
    decimal,
    natural,
    plain_decimal,
    put_word,
    row_end,
    skip_printable,
    word_at,
)

DONE = 0
TOO_WIDE = 1
SPANS_FULL = 2
BAD_LABEL = 3
HIGH_LABEL = 4
NO_QUERY = 5
EMPTY_QUERY = 6
BAD_TOKEN = 7
INDEX_ZERO = 8
INDEX_TWICE = 9
BAD_VALUE = 10
NOT_TEXT = 11
ROWS_FULL = 12

LINE, COLUMN, RUN, ID_BEGIN, ID_END = range(5)

TAB, RETURN, HASH, COLON, EQUALS, DELETE = (ord(c) for c in "\t\r#:=\x7f")

QUERY_MARK = np.frombuffer(b"qid:", dtype=np.uint8)
DOCUMENT_MARK = np.frombuffer(b"docid", dtype=np.uint8)


@borrowing_kernel
def parse_rows(
    text,
    marks,
    start,
    line,
    row,
    run,
    max_label,
    first,
    has_queries,
    X,
    labels,
    rows,
    runs,
    spans,
):
    """Parse lines from byte ``start`` on, until the end or an error.

    Parameters
    ----------
    text : (bytes,) uint8
        Whole lines, and ``PADDING`` newlines.
    start : int
        Where a line begins.
    line, row, run : int
        Numbers of lines, rows, and runs of rows of one query, before ``start``.
    max_label : int
        Largest permitted label; if it is negative, labels are not read and may be
        missing.
    first : int
        The number of the first feature, 1 or 0.
    has_queries : bool
        Whether rows name their query; if not, all rows are one run without a name.
    X : (n, d) float64
        Receives the features, 0 where they are absent.
    labels : (n,) int64
        Receives the labels, including negative ones; this and the arrays below may have
        more rows than X.
    rows : (n, 5) int64
        Receives for each row its line and the column of its document id, both from 0,
        its run, and begin and end of its document id (equal if there is none).
    runs : (n, 2) int64
        Receives begin and end of each run's query id.
    spans : (m, 4) int64, m >= d
        Receives row, column, begin and end of numbers that need exact conversion.

    Returns
    -------
    code, position, begin, line, row, run, n_spans : int
        The reason for stopping, the byte it concerns, the beginning of that byte's
        line, and the counts completed before that line.
    """
    i = start
    n_spans = 0
    while i < len(text) - PADDING:
        start = i
        i = _skip_blanks(text, i)
        if _ends_row(text, i):
            i, _, _ = _comment(text, i)
            if i < 0:
                return NOT_TEXT, -i - 1, start, line, row, run, n_spans
            line += 1
            continue
        if row == len(X):
            return ROWS_FULL, i, start, line, row, run, n_spans

        label, i, code = _label(text, i, max_label)
        if code != DONE:
            return code, i, start, line, row, run, n_spans

        query = i
        if has_queries:
            token = _skip_blanks(text, i)
            if not _matches(text, token, QUERY_MARK):
                return NO_QUERY, token, start, line, row, run, n_spans
            query = token + len(QUERY_MARK)
            i = _skip_word(text, query)
            if i == query:
                return EMPTY_QUERY, token, start, line, row, run, n_spans
        new_run = run
        if run == 0 or not same_bytes(
            text, query, i, text, runs[run - 1, 0], runs[run - 1, 1]
        ):
            runs[run, 0] = query
            runs[run, 1] = i
            new_run = run + 1

        code, i, pending = _features(text, marks, i, row, first, X[row], spans, n_spans)
        if code != DONE:
            return code, i, start, line, row, run, n_spans
        i, rows[row, ID_BEGIN], rows[row, ID_END] = _comment(text, i)
        if i < 0:
            return NOT_TEXT, -i - 1, start, line, row, run, n_spans
        labels[row] = label
        rows[row, LINE] = line
        rows[row, COLUMN] = rows[row, ID_BEGIN] - start
        rows[row, RUN] = new_run - 1
        line, row, run, n_spans = line + 1, row + 1, new_run, pending
    return DONE, i, i, line, row, run, n_spans


def column_marks(width, first):
    """Return for each column the bytes of `` index:``, their mask and their number.

    Parameters
    ----------
    width : int
    first : int
        The number of the first feature.

    Returns
    -------
    (3 * width,) uint64
    """
    texts = [b" %d:" % index for index in range(first, first + width)]
    words = [int.from_bytes(text, "little") for text in texts]
    masks = [256 ** len(text) - 1 for text in texts]
    return np.array([words, masks, [len(t) for t in texts]], dtype=np.uint64).T.ravel()


@borrowing_kernel
def feature_range(text, start, max_lines):
    """Return the least and the largest feature number of lines.

    Without features, the least is `MAX_NATURAL` and the largest 0.
    """
    least, most = MAX_NATURAL, 0
    i = start
    for _ in range(max_lines):
        if i >= len(text) - PADDING:
            break
        while text[i] != NEWLINE and text[i] != HASH:
            c = text[i]
            i += 1
            if (c == SPACE or c == TAB) and ZERO <= text[i] <= NINE:
                index, i = natural(text, i)
                if text[i] == COLON:
                    least, most = min(least, index), max(most, index)
        while text[i] != NEWLINE:
            i = row_end(text, i + 1)
        i += 1
    return least, most


@borrowing_kernel
def join_spans(text, spans, out):
    """Copy ranges of ``text``, each followed by a newline; return the bytes copied.

    Ranges neither overlap nor touch, so ``out`` needs no more room than the text.
    """
    end = U0
    for r in range(len(spans)):
        i, stop = np.uint64(spans[r, 0]), np.uint64(spans[r, 1])
        begin, end = end, end + (stop - i)
        for at in range(begin, end, U8):
            put_word(out, at, word_at(text, i))
            i += U8
        out[end] = NEWLINE
        end += U1
    return end


@borrowing_kernel(forceinline=True)
def _features(text, marks, i, row, first, x, spans, n_spans):
    """Parse ``index:value`` pairs into ``x`` up to the comment or the line's end.

    Returns the code, the position reached (the beginning of a faulty token) and the
    number of spans.
    """
    begin_of_features, n_before = i, n_spans
    filled = 0
    while True:
        filled, i = _dense_features(text, marks, i, filled, x)
        token = _skip_blanks(text, i)
        index, i = natural(text, token)
        if i == token:
            break
        if text[i] != COLON:
            return BAD_TOKEN, token, n_spans
        column = index - first
        if column < filled:
            return _features_in_any_order(
                text, begin_of_features, row, first, x, spans, n_before
            )
        if column >= len(x):
            return TOO_WIDE, token, n_spans
        code, value, i, n_spans = _value(text, i + 1, row, column, spans, n_spans)
        if code != DONE:
            return code, token, n_spans
        x[filled:column] = 0.0
        x[column] = value
        filled = column + 1
    if not _ends_row(text, token):
        return BAD_TOKEN, token, n_spans
    x[filled:] = 0.0
    return DONE, token, n_spans


@borrowing_kernel
def _features_in_any_order(text, i, row, first, x, spans, n_spans):
    """Parse pairs as `_features` does, with feature numbers in any order."""
    x[:] = np.nan  # marks absent features; no value equals it
    while True:
        token = _skip_blanks(text, i)
        index, i = natural(text, token)
        if i == token:
            break
        if text[i] != COLON:
            return BAD_TOKEN, token, n_spans
        column = index - first
        if column < 0:
            return INDEX_ZERO, token, n_spans
        if column >= len(x):
            return TOO_WIDE, token, n_spans
        if not np.isnan(x[column]):
            return INDEX_TWICE, token, n_spans
        code, value, i, n_spans = _value(text, i + 1, row, column, spans, n_spans)
        if code != DONE:
            return code, token, n_spans
        x[column] = value
    if not _ends_row(text, token):
        return BAD_TOKEN, token, n_spans
    for column in range(len(x)):
        if np.isnan(x[column]):
            x[column] = 0.0
    return DONE, token, n_spans


@borrowing_kernel(forceinline=True)
def _value(text, begin, row, column, spans, n_spans):
    """Parse the number of a feature; one that needs exact conversion is 0 and noted.

    Returns the code, the number, the position after it and the number of spans.
    """
    value, i, exact = decimal(text, begin)
    if i < 0 or not _ends_word(text, i):
        return BAD_VALUE, value, i, n_spans
    if not exact:
        if n_spans == len(spans):
            return SPANS_FULL, value, i, n_spans
        spans[n_spans, 0], spans[n_spans, 1] = row, column
        spans[n_spans, 2], spans[n_spans, 3] = begin, i
        n_spans += 1
    return DONE, value, i, n_spans


@borrowing_kernel(forceinline=True)
def _dense_features(text, marks, i, previous, x):
    """Parse plain numbers whose feature indices follow without a gap.

    Marks such as `` 17:`` are compared whole. Stops before the first feature of another
    form, and returns the last index and the position.
    """
    position = np.uint64(i)
    column, width = np.uint64(previous), np.uint64(len(marks) // 3)
    while column < width:
        mark = U3 * column
        if word_at(text, position) & marks[mark + U1] != marks[mark]:
            break
        begin = position + marks[mark + U2]
        value, length = plain_decimal(text, begin)
        if length == 0:
            break
        x[column] = value
        column += U1
        position = begin + length
    return np.int64(column), np.int64(position)


@borrowing_kernel
def _skip_blanks(text, i):
    """Return the position of the next byte that is not a blank."""
    while text[i] == SPACE or text[i] == TAB:
        i += 1
    return i


@borrowing_kernel
def _skip_word(text, i):
    """Return the position of the blank, comment or line end after a word."""
    while text[i] > SPACE and text[i] != HASH and text[i] != DELETE:
        i += 1
    return i


@borrowing_kernel
def _ends_word(text, i):
    """Whether a word may end before this byte."""
    c = text[i]
    return c == SPACE or c == NEWLINE or c == TAB or c == RETURN or c == HASH


@borrowing_kernel
def _ends_row(text, i):
    """Whether a row ends here, at a line end or a comment."""
    c = text[i]
    return c == NEWLINE or c == HASH or (c == RETURN and text[i + 1] == NEWLINE)


@borrowing_kernel(forceinline=True)
def _matches(text, i, mark):
    """Whether the text continues with the bytes of ``mark``."""
    for k in range(len(mark)):
        if text[i + k] != mark[k]:
            return False
    return True


@borrowing_kernel(forceinline=True)
def same_bytes(text, begin, end, other, other_begin, other_end):
    """Whether ranges of two texts contain the same bytes."""
    if end - begin != other_end - other_begin:
        return False
    for k in range(end - begin):
        if text[begin + k] != other[other_begin + k]:
            return False
    return True


@borrowing_kernel(forceinline=True)
def _label(text, i, max_label):
    """Read a whole number such as 2, -1 or 2.0; return it, the position and a code.

    If ``max_label`` is negative, skip any word that is not a query or a feature.
    """
    if max_label < 0:
        end = _skip_word(text, i)
        for k in range(i, end):
            if text[k] == COLON:
                return 0, i, DONE
        return 0, end, DONE
    value, end, exact = decimal(text, i)
    if end < 0 or not exact or not _ends_word(text, end):
        return 0, i, BAD_LABEL
    label = np.int64(value)
    if label != value:
        return 0, i, BAD_LABEL
    return (label, end, DONE) if label <= max_label else (label, i, HIGH_LABEL)


@borrowing_kernel(forceinline=True)
def _comment(text, i):
    """Skip the end of a row; return the next line's offset and the document id's span.

    The id is the word after ``docid =`` if the comment begins so, else the whole
    comment without surrounding blanks. At a control character the offset is minus its
    position, minus 1.
    """
    while text[i] == RETURN or text[i] == HASH:
        i += 1
    begin = _skip_blanks(text, i)
    i = skip_printable(text, begin)
    end = i
    while end > begin and (text[end - 1] == SPACE or text[end - 1] == TAB):
        end -= 1
    if text[i] == RETURN:
        i += 1
    if text[i] != NEWLINE:
        return -i - 1, 0, 0
    if _matches(text, begin, DOCUMENT_MARK):
        j = _skip_blanks(text, begin + len(DOCUMENT_MARK))
        if text[j] == EQUALS:
            begin = _skip_blanks(text, j + 1)
            end = begin
            while text[end] > SPACE:
                end += 1
    return i + 1, begin, end
