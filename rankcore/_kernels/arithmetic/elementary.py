r"""The logarithm, with the same bits on every processor.

The C library's `log` and NumPy's loops round differently where the processor multiplies
and adds in one step. Here, with :math:`x = 2^k m`, :math:`\sqrt{\tfrac12} \le m <
\sqrt 2` and :math:`s = \frac{m - 1}{m + 1}`,

.. math:: \ln x = k \ln 2 + 2 \left(s + \frac{s^3}{3} + \frac{s^5}{5} + \dots\right)

in straight-line code of additions, multiplications and one division, each of which
IEEE 754 defines to the last bit. The exponential is `vexp`.
"""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.arithmetic.vexp import vexp

_SQRT_HALF_BITS = np.int64(0x3FE6A09E667F3BCD)
_SMALLEST_NORMAL = 2.0**-1022
_SQRT_2_LESS_1 = np.sqrt(2.0) - 1.0
_LN2 = 0.6931471805599453
_LOG2_E = 1.0 / _LN2
# ln 2 in two parts; the first has 21 trailing zero bits, so k times it is exact.
_LN2_HIGH = float.fromhex("0x1.62e42feep-1")
_LN2_LOW = float.fromhex("0x1.a39ef35793c76p-33")
# Accurate to 2**-58 for |s| up to 3 - 2 sqrt(2): the polynomial of e_log.c in fdlibm
# (Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved. Developed at
# SunSoft. Permission to use, copy, modify, and distribute this software is freely
# granted, provided that this notice is preserved.)
_L3, _L5, _L7, _L9, _L11, _L13, _L15 = map(
    float.fromhex,
    (
        "0x1.5555555555593p-1",
        "0x1.999999997fa04p-2",
        "0x1.2492494229359p-2",
        "0x1.c71c51d8e78afp-3",
        "0x1.7466496cb03dep-3",
        "0x1.39a09d078c69fp-3",
        "0x1.2f112df3e5244p-3",
    ),
)


@kernel
def _parts(x):
    """Return the exponent k, and m - 1, of a positive normal number."""
    bits = np.float64(x).view(np.int64)
    k = (bits - _SQRT_HALF_BITS) >> 52
    return np.float64(k), np.int64(bits - (k << 52)).view(np.float64) - 1.0


@kernel
def _corrections(f):
    """Return ``half`` and ``rest``, for which ln(1 + f) = f - (half - rest)."""
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    even = w * (_L5 + w * (_L9 + w * _L13))
    odd = z * (_L3 + w * (_L7 + w * (_L11 + w * _L15)))
    half = 0.5 * f * f
    return half, s * (half + (even + odd))


@kernel
def vlog(x: float) -> float:
    """Natural logarithm of ``x``, to one unit in the last place.

    Parameters
    ----------
    x : float
        -inf at 0 and below the smallest normal number, 2.2e-308; NaN below 0.
    """
    k, f = _parts(min(max(x, _SMALLEST_NORMAL), np.inf))
    half, rest = _corrections(f)
    value = k * _LN2_HIGH - ((half - (rest + k * _LN2_LOW)) - f)
    value = value if x >= _SMALLEST_NORMAL else (-np.inf if x >= 0.0 else np.nan)
    return value if x < np.inf else x


@kernel
def vlog2(x: float) -> float:
    """Logarithm to base 2 of a normal number above 0; exact at powers of 2."""
    k, f = _parts(x)
    half, rest = _corrections(f)
    return k + (f - (half - rest)) * _LOG2_E


@kernel
def vlog1p(x: float) -> float:
    """ln(1 + x) for x above -1, to two units in the last place, also near 0."""
    y = 1.0 + x
    k, f = _parts(y)
    # The rounding error of 1 + x corrects the result to first order; it is zero above
    # 2^60.
    scale = np.int64((1023 - np.int64(min(k, 60.0))) << 52).view(np.float64)
    f += (x - (y - 1.0)) * scale
    half, rest = _corrections(f)
    value = k * _LN2_HIGH - ((half - (rest + k * _LN2_LOW)) - f)
    return value if y < np.inf else y


@kernel
def log1p_of_share(x: float) -> float:
    """ln(1 + x) for x from 0 to 1, to two units in the last place, in half the time."""
    large = x > _SQRT_2_LESS_1
    f = 0.5 * (x - 1.0) if large else x
    half, rest = _corrections(f)
    return (f - (half - rest)) + (_LN2 if large else 0.0)


@kernel
def exponentials(x, values):
    """Put e^x into ``values``, both (n,) float64."""
    for i in range(len(x)):
        values[i] = vexp(x[i])


@kernel
def logarithms(x, values):
    """Put ln x into ``values``, both (n,) float64."""
    for i in range(len(x)):
        values[i] = vlog(x[i])


@kernel
def binary_logarithms(x, values):
    """Put log2 x into ``values``, both (n,) float64."""
    for i in range(len(x)):
        values[i] = vlog2(x[i])


@kernel
def logarithms_of_one_more(x, values):
    """Put ln(1 + x) into ``values``, both (n,) float64."""
    for i in range(len(x)):
        values[i] = vlog1p(x[i])
