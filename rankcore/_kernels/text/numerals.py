"""Decimal numbers in text, to the nearest float64.

The text must end with ``PADDING`` newlines: they end every scan, so loops need no
length check, and eight bytes can be read anywhere before them.

A number is exact when its digits form an integer up to 2^53 and its decimal exponent
lies within ±22, because one correctly rounded division or product of two exact doubles
then gives it (Clinger, How to read floating point numbers accurately, 1990). The usual
short forms are read eight bytes at a time; unsigned 64-bit positions avoid the check
for negative indices.
"""

import numpy as np

from rankcore._kernels import borrowing_kernel

PADDING = 24

TAB, NEWLINE, SPACE, PLUS, MINUS, DOT, ZERO, NINE = (ord(c) for c in "\t\n +-.09")
LETTER_E, LOWER_CASE = ord("e"), 32

MAX_DIGITS = 18
MAX_MANTISSA = 2**53
MAX_NATURAL = 10**9
MAX_EXPONENT = 10**6
MAX_POWER = 22
POWERS = np.array([float(10**power) for power in range(MAX_POWER + 1)])

U0, U1, U2, U3, U4, U5, U6, U7, U8 = (np.uint64(n) for n in range(9))
U10, U100, U10000 = np.uint64(10), np.uint64(100), np.uint64(10000)
U16, U24, U32, U40, U48, U56, U64 = (np.uint64(n) for n in range(16, 65, 8))
U_SPACE, U_MINUS, U_DOT, U_ZERO = (np.uint64(ord(c)) for c in " -.0")
NINE_MILLION = np.uint64(9_000_000)

ALL_ONES = np.uint64(0xFFFFFFFFFFFFFFFF)
FIRST_BYTE = np.uint64(0xFF)
HIGH_BITS = np.uint64(0x8080808080808080)
ALL_ONE = np.uint64(0x0101010101010101)
NEWLINES = np.uint64(0x0A0A0A0A0A0A0A0A)
HASHES = np.uint64(0x2323232323232323)
BYTE_NUMBERS = np.uint64(0x0001020304050607)
ALL_BLANKS = np.uint64(0x2020202020202020)
ABOVE_BLANK = np.uint64(0x2121212121212121)
ALL_ZEROS = np.uint64(0x3030303030303030)
TO_HIGH_BIT = np.uint64(0x7676767676767676)
UNIT_FORM = np.uint64(0x3030303030302E30)
UNIT_TO_HIGH_BIT = np.uint64(0x7676767676767F76)
NIBBLES = np.uint64(0x0F0F0F0F0F0F0F0F)
PAIRS = np.uint64(0x00FF00FF00FF00FF)
FOURS = np.uint64(0x0000FFFF0000FFFF)
EIGHT = np.uint64(0x00000000FFFFFFFF)


@borrowing_kernel
def natural(text, i):
    """Read digits; return the number, at most MAX_NATURAL, and the position after."""
    value = 0
    while ZERO <= text[i] <= NINE:
        value = min(value * 10 + (np.int64(text[i]) - ZERO), MAX_NATURAL)
        i += 1
    return value, i


@borrowing_kernel
def decimal(text, i):
    """Read a number such as -3, +.5, 2. or 1.5e-7.

    Returns
    -------
    value : float
    end : int
        The position after it, -1 if there is no number.
    exact : bool
        If not, the value is 0 and the caller must convert the bytes.
    """
    negative = text[i] == MINUS
    if negative or text[i] == PLUS:
        i += 1
    begin = i
    mantissa, i = _append_digits(text, i, 0)
    n_digits = i - begin
    power = 0
    if text[i] == DOT:
        begin = i + 1
        mantissa, i = _append_digits(text, begin, mantissa)
        power = begin - i
        n_digits -= power
    if n_digits == 0:
        return 0.0, -1, True
    if text[i] | LOWER_CASE == LETTER_E:
        exponent, i = _exponent(text, i + 1)
        if i < 0:
            return 0.0, -1, True
        power += exponent
    if n_digits > MAX_DIGITS or mantissa > MAX_MANTISSA:
        return 0.0, i, False
    if abs(power) > MAX_POWER:
        return 0.0, i, mantissa == 0
    if power < 0:
        value = mantissa / POWERS[-power]
    else:
        value = mantissa * POWERS[power]
    # Zero carries no sign, so that -0.0 and an absent feature are the same bits.
    return (-value if negative and mantissa else value), i, True


@borrowing_kernel
def _append_digits(text, i, mantissa):
    """Append the digits from here on to a mantissa; return it and their end."""
    while ZERO <= text[i] <= NINE:
        mantissa = mantissa * 10 + (np.int64(text[i]) - ZERO)
        i += 1
    return mantissa, i


@borrowing_kernel
def _exponent(text, i):
    """Read an exponent with its sign; the position is -1 if it has no digit."""
    negative = text[i] == MINUS
    if negative or text[i] == PLUS:
        i += 1
    begin = i
    value = 0
    while ZERO <= text[i] <= NINE:
        value = min(value * 10 + (np.int64(text[i]) - ZERO), MAX_EXPONENT)
        i += 1
    if i == begin:
        return 0, -1
    return (-value if negative else value), i


@borrowing_kernel(forceinline=True)
def plain_decimal(text, at):
    """Read a number of up to 8 digits, with or without a point, before a blank.

    Parameters
    ----------
    text : (bytes,) uint8
    at : uint64
        Where the number begins.

    Returns
    -------
    value : float
    length : uint64
        Bytes in the number, 0 if it has another form.
    """
    word = word_at(text, at)
    digit = (word & FIRST_BYTE) - U_ZERO
    if _has_unit_form(word) and text[at + U8] == SPACE:
        mantissa = _eight_digits(word ^ UNIT_FORM) - digit * NINE_MILLION
        return np.float64(mantissa) / POWERS[6], U8
    if (word >> U8) & FIRST_BYTE == U_SPACE and digit < U10:
        return np.float64(digit), U1
    # The next number's position depends only on the length, so that the processor reads
    # the next number while it computes this one.
    length = _blank_distance(word, word_at(text, at + U8))
    negative = np.uint64(word & FIRST_BYTE == U_MINUS)
    word >>= U8 * negative
    n_whole = _first_marked(_mark_others(word))
    has_point = np.uint64((word >> (U8 * n_whole)) & FIRST_BYTE == U_DOT)
    rest = word_at(text, at + negative + n_whole + U1)
    n_fraction = _first_marked(_mark_others(rest)) * has_point
    n_digits = n_whole + n_fraction
    if negative + has_point + n_digits != length or n_whole == U0 or n_digits > U8:
        return 0.0, U0
    digits = (word & ~(ALL_ONES << (U8 * n_whole))) | (rest << (U8 * n_whole))
    mantissa = _eight_digits((digits << (U64 - U8 * n_digits)) & NIBBLES)
    value = np.float64(mantissa) / POWERS[n_fraction]
    return (-value if negative and mantissa else value), length


@borrowing_kernel
def word_at(text, i):
    """Read eight bytes, the first as the lowest; compiled to a single load."""
    return (
        np.uint64(text[i])
        | np.uint64(text[i + U1]) << U8
        | np.uint64(text[i + U2]) << U16
        | np.uint64(text[i + U3]) << U24
        | np.uint64(text[i + U4]) << U32
        | np.uint64(text[i + U5]) << U40
        | np.uint64(text[i + U6]) << U48
        | np.uint64(text[i + U7]) << U56
    )


@borrowing_kernel
def put_word(out, i, word):
    """Write eight bytes, the lowest first; compiled to a single store."""
    out[i] = np.uint8(word & FIRST_BYTE)
    out[i + U1] = np.uint8(word >> U8 & FIRST_BYTE)
    out[i + U2] = np.uint8(word >> U16 & FIRST_BYTE)
    out[i + U3] = np.uint8(word >> U24 & FIRST_BYTE)
    out[i + U4] = np.uint8(word >> U32 & FIRST_BYTE)
    out[i + U5] = np.uint8(word >> U40 & FIRST_BYTE)
    out[i + U6] = np.uint8(word >> U48 & FIRST_BYTE)
    out[i + U7] = np.uint8(word >> U56)


@borrowing_kernel
def skip_printable(text, i):
    """Return the position of the next control character other than a tab."""
    position = np.uint64(i)
    while True:
        word = word_at(text, position)
        controls = (word - ALL_BLANKS) & ~word & HIGH_BITS
        if controls == U0:
            position += U8
            continue
        position += _first_marked(controls)
        if text[position] != TAB:
            return np.int64(position)
        position += U1


@borrowing_kernel
def row_end(text, i):
    """Return the position of the next newline or hash sign."""
    position = np.uint64(i)
    while True:
        word = word_at(text, position)
        # The subtraction borrows into the high bit of bytes that are zero.
        newlines, hashes = word ^ NEWLINES, word ^ HASHES
        ends = (newlines - ALL_ONE) & ~newlines | (hashes - ALL_ONE) & ~hashes
        ends &= HIGH_BITS
        if ends != U0:
            return np.int64(position + _first_marked(ends))
        position += U8


@borrowing_kernel
def _has_unit_form(word):
    """Whether eight bytes have the form d.dddddd."""
    x = word ^ UNIT_FORM
    return ((x + UNIT_TO_HIGH_BIT) | x) & HIGH_BITS == U0


@borrowing_kernel
def _blank_distance(word, next_word):
    """Count the bytes before the first blank or line end, 0 if all 16 precede it."""
    ends = (word - ABOVE_BLANK) & ~word & HIGH_BITS
    next_ends = (next_word - ABOVE_BLANK) & ~next_word & HIGH_BITS
    here = ends != U0
    base = U0 if here or next_ends == U0 else U8
    return base + _first_marked(ends if here else next_ends)


@borrowing_kernel
def _mark_others(word):
    """Set the high bit of bytes that are not digits, exactly up to the first such."""
    x = word ^ ALL_ZEROS
    return ((x + TO_HIGH_BIT) | x) & HIGH_BITS


@borrowing_kernel
def _first_marked(high_bits):
    """Return the number of the first byte whose high bit is set, 0 if there is none."""
    lowest = high_bits & (~high_bits + U1)
    return ((lowest >> U7) * BYTE_NUMBERS) >> U56


@borrowing_kernel
def _eight_digits(d):
    """Convert eight bytes from 0 to 9, the first the most significant, to a number."""
    d = (d * U10 + (d >> U8)) & PAIRS
    d = (d * U100 + (d >> U16)) & FOURS
    return (d * U10000 + (d >> U32)) & EIGHT
