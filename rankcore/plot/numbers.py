"""Numbers as text, in the form of figures, tables and sentences."""

import math

from rankcore.base.numbers import rounded

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def minus(text: str) -> str:
    """Replace the hyphens of formatted numbers by minus signs.

    Examples
    --------
    >>> minus("-0.5")
    '−0.5'
    """
    return text.replace("-", "−")


def decimals(value: float, digits: int = 3) -> str:
    """Format a number with ``digits`` decimals and a true minus sign; from 1 on, with
    at most three digits.

    Examples
    --------
    >>> decimals(-1 / 3), decimals(-0.0001), decimals(12.345), decimals(float("nan"))
    ('−0.333', '0.000', '12.3', 'undefined')
    """
    if math.isnan(value):
        return "undefined"
    text = f"{value:z.{digits}f}"
    whole = text.lstrip("-").partition(".")[0]
    if whole == "0" or abs(value) == 1.0:
        return minus(text)
    return minus(f"{value:z.{min(digits, max(3 - len(whole), 0))}f}")


def significant(value: float) -> str:
    """Format a number with three significant digits and a true minus sign.

    Rounding errors, with absolute values below 10⁻¹², become 0.

    Examples
    --------
    >>> significant(0.369070246), significant(-2.5), significant(3e-17)
    ('0.369', '−2.5', '0')
    """
    return minus(rounded(float(value if abs(value) >= 1e-12 else 0.0)))


def subscript(number: int) -> str:
    """Write a whole number, 0 or more, in subscript digits.

    Examples
    --------
    >>> subscript(12)
    '₁₂'
    """
    return str(number).translate(_SUBSCRIPTS)
