r"""An exponential that compilers can vectorise.

``math.exp`` inside a compiled loop is one library call per element. Here instead

.. math:: e^x = 2^n e^r, \qquad n = \lfloor x / \ln 2 \rceil,\quad r = x - n \ln 2,

with :math:`|r| \le \tfrac12 \ln 2`: a polynomial of degree 11 and an addition to the
exponent bits, in straight-line code of additions and multiplications, which IEEE 754
defines to the last bit.
"""

import math

import numpy as np

from rankcore._kernels import kernel

# Adding 3 * 2**51 to a small number leaves its nearest integer in the low bits.
_ROUNDER = 3.0 * 2.0**51
_LN2 = 0.6931471805599453
_LOG2_E = 1.0 / _LN2
# ln 2 in two parts; the first has 21 trailing zero bits, so n times it is exact.
_LN2_HIGH = float.fromhex("0x1.62e42feep-1")
_LN2_LOW = float.fromhex("0x1.a39ef35793c76p-33")
# For x between these limits the result is a normal number.
_LOWEST = -1022.0 * _LN2
_HIGHEST = math.nextafter(1024.0 * _LN2, 0.0)
# Minimax polynomial, of relative error 6e-18, among those that begin 1 + r + r^2/2 +
# r^3/6. It has two terms fewer than the Taylor polynomial. Even and odd powers are
# evaluated separately, without fused multiply-add, which not every processor has.
_C4, _C5, _C6, _C7, _C8, _C9, _C10, _C11 = map(
    float.fromhex,
    (
        "0x1.55555555536d2p-5",
        "0x1.1111111119457p-7",
        "0x1.6c16c17b685a2p-10",
        "0x1.a01a015aaa80bp-13",
        "0x1.a019af127a479p-16",
        "0x1.71dee8c2a7a85p-19",
        "0x1.289bf185426adp-22",
        "0x1.ada7ac97f40a0p-26",
    ),
)
_SIXTH = 1.0 / 6.0


@kernel
def vexp(x: float) -> float:
    """Exponential of ``x``, to one unit in the last place.

    Parameters
    ----------
    x : float
        Any number except NaN. Results below the smallest normal number, 2.2e-308, are
        0; results above the largest are infinite.
    """
    inside = min(max(x, _LOWEST), _HIGHEST)
    rounded = inside * _LOG2_E + _ROUNDER
    n = rounded - _ROUNDER
    r = (inside - n * _LN2_HIGH) - n * _LN2_LOW
    z = r * r
    even = _C4 + z * (_C6 + z * (_C8 + z * _C10))
    odd = _C5 + z * (_C7 + z * (_C9 + z * _C11))
    p = 1.0 + (r + z * (0.5 + r * (_SIXTH + r * (even + r * odd))))
    exponent = np.float64(rounded).view(np.int64) << 52
    power = np.int64(np.float64(p).view(np.int64) + exponent).view(np.float64)
    result = power if x >= _LOWEST else 0.0
    return result if x <= _HIGHEST else np.inf
