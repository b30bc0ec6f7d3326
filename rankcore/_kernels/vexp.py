r"""An exponential that compilers can vectorise.

``math.exp`` inside a compiled loop is one library call per element. Here instead

.. math:: e^x = 2^n e^r, \qquad n = \lfloor x / \ln 2 \rceil,\quad r = x - n \ln 2,

with :math:`|r| \le \tfrac12 \ln 2`: a Taylor polynomial of degree 13 (remainder below
:math:`10^{-17}`) and an addition to the exponent bits, in straight-line code.
"""

import math

import numpy as np

from rankcore._kernels import kernel

# Adding 3 * 2**51 to a small number leaves its nearest integer in the low bits.
_ROUNDER = 3.0 * 2.0**51
_LOG2_E = 1.0 / math.log(2.0)
# ln 2 in two parts; the first has 21 trailing zero bits, so n times it is exact.
_LN2_HIGH = float.fromhex("0x1.62e42feep-1")
_LN2_LOW = float.fromhex("0x1.a39ef35793c76p-33")
# Between these the result is a normal number.
_LOWEST = -1022.0 * math.log(2.0)
_HIGHEST = math.nextafter(1024.0 * math.log(2.0), 0.0)
_C2, _C3, _C4, _C5, _C6, _C7, _C8, _C9, _C10, _C11, _C12, _C13 = (
    1.0 / math.factorial(k) for k in range(2, 14)
)


# Only "contract": under "reassoc" the compiler would fold (t + c) - c into t.
@kernel(fastmath={"contract"})
def vexp(x: float) -> float:
    """Exponential of ``x``, to one unit in the last place.

    Parameters
    ----------
    x : float
        Any number but NaN. Results below the smallest normal number, 2.2e-308, are 0;
        results above the largest are infinite.
    """
    inside = min(max(x, _LOWEST), _HIGHEST)
    rounded = inside * _LOG2_E + _ROUNDER
    n = rounded - _ROUNDER
    r = (inside - n * _LN2_HIGH) - n * _LN2_LOW
    p = _C12 + r * _C13
    p = _C11 + r * p
    p = _C10 + r * p
    p = _C9 + r * p
    p = _C8 + r * p
    p = _C7 + r * p
    p = _C6 + r * p
    p = _C5 + r * p
    p = _C4 + r * p
    p = _C3 + r * p
    p = _C2 + r * p
    p = 1.0 + (r + r * r * p)
    exponent = np.float64(rounded).view(np.int64) << 52
    power = np.int64(np.float64(p).view(np.int64) + exponent).view(np.float64)
    result = power if x >= _LOWEST else 0.0
    return result if x <= _HIGHEST else np.inf
