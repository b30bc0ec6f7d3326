"""The discount of NDCG as a sum of exponentials."""

import functools
from typing import Any

import numpy as np

from rankcore.mathematics.elementary import Floats, exp, log, log2
from rankcore.mathematics.products import combination, dot, norm, times_vector

_SLOWEST, _FASTEST = 0.3, 6.0
_FIT_ERROR = 2e-13
_FEWEST_TERMS, _MOST_TERMS = 16, 48
_FITTED = 1000
_LEAST_LENGTH = 1e-16


@functools.lru_cache(maxsize=256)
def discount_terms(longest: int) -> tuple[Floats, Floats]:
    r"""Rates and weights of :math:`1 / \log_2(2 + r) = \sum_m c_m e^{-\rho_m r}`.

    Least squares at r = 0, 1, … with rates equally spaced on a log scale, and the
    smallest multiple of four terms that is exact to 2e-13.

    Parameters
    ----------
    longest : int
        The number of ranks that matter.

    Returns
    -------
    rates, weights : (m,) float64
    """
    some = _spaced(1.0, longest, min(longest, _FITTED)).round() - 1.0
    r = np.union1d(some, np.arange(min(longest, _FITTED // 2)))
    discounts = 1.0 / log2(2.0 + r)
    for n_terms in range(_FEWEST_TERMS, _MOST_TERMS + 1, 4):
        rates = _spaced(_SLOWEST / longest, _FASTEST, n_terms)
        powers = exp(-rates * r[:, None])
        weights = _least_squares(powers, discounts)
        if np.abs(times_vector(powers, weights) - discounts).max() <= _FIT_ERROR:
            break
    return rates, weights


def _spaced(first: float, last: float, n: int) -> Floats:
    """``n`` numbers from ``first`` to ``last``, equally spaced on a log scale."""
    return exp(np.linspace(log(first), log(last), n))


def _least_squares(A: Floats, b: Floats) -> Any:
    """Return the x that minimises ``|A x - b|``, by Householder reflections with
    pivoting.

    Columns that vanish up to rounding get weight 0. LAPACK's result would depend on the
    processor.
    """
    A, b = A.copy(), b.copy()
    order, rank = np.arange(A.shape[1]), 0
    for k in range(min(A.shape)):
        squares = np.sum(A[k:, k:] ** 2, axis=0)
        longest = int(np.argmax(squares))
        if k == 0:
            least = squares[longest] * _LEAST_LENGTH**2
        if squares[longest] <= least:
            break
        here = [k, k + longest]
        A[:, here], order[here] = A[:, here[::-1]], order[here[::-1]]
        normal = A[k:, k].copy()
        normal[0] += np.copysign(norm(normal), normal[0])
        normal /= norm(normal)
        A[k:, k:] -= 2.0 * np.outer(normal, combination(normal, A[k:, k:]))
        b[k:] -= 2.0 * dot(normal, b[k:]) * normal
        rank = k + 1
    x = np.zeros(len(order))
    for k in range(rank - 1, -1, -1):
        later = slice(k + 1, rank)
        x[order[k]] = (b[k] - dot(A[k, later], x[order[later]])) / A[k, k]
    return x
