"""Exact folding-in: its certificate, and oracles that find the best fit otherwise."""

from itertools import combinations

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import nnls

from rankcore.topics.cones.cone import fold

FREE = (0.0, np.inf)
LIMITS = [(1.0, 1.0), (0.0, 1.0), (1.0, 2.0), (0.5, 3.0), (1.0, np.inf)]


def plain(rng, d, k):
    return rng.normal(size=(d, k))


def repeated(rng, d, k):
    """Vectors that are equal, opposite, multiples of one another, or zero."""
    return plain(rng, d, k)[:, rng.integers(0, k, k)] * rng.choice([1, 2, -1, 0], k)


def flat(rng, d, k):
    """Vectors within a plane."""
    r = rng.integers(1, d + 1)
    return rng.normal(size=(d, r)) @ rng.normal(size=(r, k))


def on_a_grid(rng, d, k):
    """Vectors of small integers, of which many sums are equal."""
    return rng.integers(-1, 2, size=(d, k)).astype(float)


def uneven(rng, d, k):
    """Vectors from a thousandth to a thousand."""
    return plain(rng, d, k) * 10.0 ** rng.uniform(-3, 3, k)


def acute(rng, d, k):
    return np.abs(plain(rng, d, k))


KINDS = [plain, plain, repeated, flat, on_a_grid, uneven, acute]


def cases(count, seed=0):
    """Random bases with one to three differences, and limits: half the time none."""
    rng = np.random.default_rng(seed)
    for i in range(count):
        d, k = int(rng.integers(1, 11)), int(rng.integers(1, 21))
        basis = KINDS[i % len(KINDS)](rng, d, k)
        Z = rng.normal(size=(rng.integers(1, 4), d)) * 10.0 ** rng.uniform(-2, 2)
        if i % 4 == 0:
            used = rng.random((len(Z), k)) * (rng.random((len(Z), k)) < 0.4)
            Z = used @ basis.T
        yield basis, Z, FREE if i % 2 else LIMITS[rng.integers(len(LIMITS))]


def optimality(basis, Z, W, low, high):
    """How far weights (m, K) are from the Karush-Kuhn-Tucker conditions: primal, dual
    and complementarity (m,), 0 where they hold.

    The slope of vector k is half the derivative of the squared distance. Weights are
    optimal if and only if all slopes are at least some t, those of weights above 0
    equal to it, and t is 0 unless the sum of weights is at a limit: at most 0 at
    ``high``, at least 0 at ``low``. All is in units of the reach: the length of z, and
    with a limit the sum of weights times the length of the longest vector.
    """
    total, g = W.sum(axis=1), (W @ basis.T - Z) @ basis
    lengths, reach = np.linalg.norm(basis, axis=0), np.linalg.norm(Z, axis=1)
    if low > 0.0 or high < np.inf:
        lengths[:] = lengths.max()
        reach = reach + np.abs(W) @ lengths
    t = _ratio((W * g).sum(axis=1), total)
    t = np.clip(t, -np.inf if high < np.inf else 0.0, np.inf if low > 0.0 else 0.0)
    above = g - t[:, None]
    outside = np.maximum(np.maximum(low - total, total - high), -W.min(axis=1))
    below = _ratio(np.maximum(-above, 0.0), np.outer(reach, lengths)).max(axis=1)
    room = np.where(t < 0.0, high - total, total - low)
    slack = (W * np.abs(above)).sum(axis=1)
    slack += np.abs(t * np.where(t == 0.0, 0.0, room))
    return (
        _ratio(np.maximum(outside, 0.0), np.maximum(np.abs(total), low)),
        below,
        _ratio(slack, reach**2),
    )


def _ratio(numbers, wholes):
    """Each number's share of its whole; of nothing, the number itself."""
    return numbers / np.where(wholes > 0.0, wholes, 1.0)


def check_certificate(count, seed):
    for basis, Z, limits in cases(count, seed):
        weights = fold(basis, Z, *limits).weights
        for residual in optimality(basis, Z, weights, *limits):
            assert residual.max() <= 1e-8, (basis, Z, limits)


def check_distances(count, seed):
    for basis, Z, _ in cases(count, seed):
        for z, result in zip(Z, fold(basis, Z).distances, strict=True):
            # SciPy's own distance may be wrong where vectors depend on each other.
            theirs = nnls(basis, z, maxiter=1000)[0]
            best = ((z - basis @ theirs) ** 2).sum()
            assert result**2 <= best + 1e-10 * (z @ z), (basis, z)


def test_the_certificate_holds_on_random_cases():
    check_certificate(700, seed=0)


def test_distances_without_limits_are_those_of_scipy():
    check_distances(400, seed=1)


@pytest.mark.soak
def test_the_certificate_holds_on_ten_thousand_random_cases():
    check_certificate(10_000, seed=2)


@pytest.mark.soak
def test_distances_without_limits_are_those_of_scipy_on_ten_thousand_cases():
    check_distances(10_000, seed=3)


def test_three_vectors_of_the_plane_reach_a_point_between_them():
    basis = [[0.6939, -0.5053, -0.4214], [-1.4955, -0.049, 0.936]]
    assert fold(basis, [1.0767, 0.637]).distances[0] <= 1e-9


@pytest.mark.parametrize("limits", [FREE, *LIMITS])
def test_many_vectors_are_folded_in(limits):
    rng = np.random.default_rng(0)
    basis, Z = rng.normal(size=(12, 200)), rng.normal(size=(20, 12))
    for residual in optimality(basis, Z, fold(basis, Z, *limits).weights, *limits):
        assert residual.max() <= 1e-9


def best_by_supports(basis, z, low, high):
    """The least squared distance: the least over all sets of vectors in use, their sum
    free or at either limit, of the best weights of any sign that turn out permitted."""
    n = basis.shape[1]
    best = z @ z if low == 0.0 else np.inf
    for size in range(1, n + 1):
        for support in map(list, combinations(range(n), size)):
            U = basis[:, support]
            for total in (None, low, high):
                if total == np.inf:
                    continue
                w = _of_sum(U, z, total)
                if w.min() >= -1e-12 and low - 1e-9 <= w.sum() <= high + 1e-9:
                    best = min(best, ((z - U @ w) ** 2).sum())
    return best


def _of_sum(U, z, total):
    """Weights of any sign, and of a given sum, that fit best."""
    if total is None:
        return np.linalg.lstsq(U, z, rcond=None)[0]
    moves = U[:, 1:] - U[:, :1]
    rest = np.linalg.lstsq(moves, z - total * U[:, 0], rcond=None)[0]
    return np.append(total - rest.sum(), rest)


@pytest.mark.parametrize("limits", [FREE, *LIMITS])
@pytest.mark.parametrize("kind", [plain, repeated, on_a_grid])
def test_no_set_of_vectors_fits_better(kind, limits):
    rng = np.random.default_rng(4)
    for _ in range(4):
        basis, Z = kind(rng, int(rng.integers(1, 4)), 5), None
        Z = 2.0 * rng.normal(size=(2, len(basis)))
        for z, result in zip(Z, fold(basis, Z, *limits).distances, strict=True):
            assert result**2 == pytest.approx(
                best_by_supports(basis, z, *limits), abs=1e-9
            )


@pytest.mark.parametrize("limits", [FREE, *LIMITS])
@pytest.mark.parametrize("shape", [(5, 4), (3, 8)])
def test_a_generic_solver_finds_no_better_fit(shape, limits):
    low, high = limits
    rng = np.random.default_rng(1)
    basis, Z = rng.normal(size=shape), rng.normal(size=(3, shape[0]))
    for z, result in zip(Z, fold(basis, Z, low, high).distances, strict=True):
        w = cp.Variable(shape[1], nonneg=True)
        constraints = [cp.sum(w) >= low]
        constraints += [cp.sum(w) <= high] if high < np.inf else []
        best = cp.Problem(cp.Minimize(cp.sum_squares(z - basis @ w)), constraints)
        best.solve(solver="CLARABEL")
        assert result**2 == pytest.approx(best.value, abs=1e-6)


def test_the_certificate_tells_what_is_wrong():
    """For z = (2, 1), whose slopes are w - z; with a limit the reach is the length of z
    plus the sum of weights."""
    basis, z = np.eye(2), np.array([[2.0, 1.0]])

    def found(w, low=0.0, high=np.inf):
        weights = np.array([w], dtype=float)
        return [float(one[0]) for one in optimality(basis, z, weights, low, high)]

    length = np.sqrt(5.0)
    assert found([2, 1]) == [0, 0, 0]
    assert found([2, 0]) == pytest.approx([0, 1 / length, 0])
    assert found([2, 3]) == pytest.approx([0, 0, 2 * 3 / length**2])
    assert found([3, -1])[0] == pytest.approx(1 / 2)
    assert found([2, 1], 0, 2)[0] == pytest.approx(1 / 3)
    assert found([2, 1], 4, 5)[0] == pytest.approx(1 / 4)
    # Both slopes are -1/2 at the limit 2, and may not be where the limit is 3.
    assert found([1.5, 0.5], 1, 2) == pytest.approx([0, 0, 0])
    assert found([1.5, 0.5], 0, 3)[2] == pytest.approx(0.5 / (length + 2) ** 2)
    assert found([1.5, 0.5])[1] == pytest.approx(0.5 / length)
    # With both at 1, that of the second is above the mean slope, -1/2, by as much as
    # that of the first is below.
    assert found([1, 1], 2, 2)[1:] == pytest.approx(
        [0.5 / (length + 2), (0.5 + 0.5) / (length + 2) ** 2]
    )


@pytest.mark.parametrize("limits", [(2.0, 1.0), (-1.0, 1.0), (np.inf, np.inf)])
def test_limits_that_no_sum_keeps_are_refused(limits):
    with pytest.raises(ValueError, match="give a finite low"):
        fold(np.eye(2), [1.0, 0.0], *limits)
