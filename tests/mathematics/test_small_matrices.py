"""Small symmetric matrices against NumPy."""

import numpy as np
import pytest

from rankcore._kernels.arithmetic.small_matrices import add_products
from rankcore.mathematics.small_matrices import (
    eigenvectors,
    inverse,
    largest_eigenvalue,
    pseudo_inverse,
    singular_vectors,
    solution,
    spectral_norm,
    symmetric,
)


def gram(n, d, condition=1.0, seed=0):
    """A positive definite matrix (d, d) with this quotient of its eigenvalues."""
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.normal(size=(n, d)))[0]
    return Q.T * np.geomspace(1.0, 1.0 / condition, n) @ Q if n == d else Q.T @ Q


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize(
    ("n", "d"), [(1, 1), (3, 5), (4, 2), (23, 7), (3, 8), (40, 11), (30, 16), (65, 37)]
)
def test_products_of_rows_are_added_four_rows_at_a_time(n, d, kind):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(n, d)).astype(kind), rng.normal(size=(n, d))
    before = rng.normal(size=(d, d))
    sums, expected = before.copy(), before.copy()
    add_products(X, Y, sums)
    products = X.astype(float)[:, :, None] * Y[:, None, :]
    whole = n - n % 4
    for a, b, c, e in products[:whole].reshape(-1, 4, d, d):
        expected += a + b + c + e
    for product in products[whole:]:
        expected += product
    assert (np.triu(sums) == np.triu(expected)).all()
    assert (np.tril(sums, -1) == np.tril(before, -1)).all()


@pytest.mark.parametrize("condition", [1.0, 1e4, 1e10])
@pytest.mark.parametrize("d", [1, 2, 30, 136])
def test_systems_are_solved_and_inverted(d, condition):
    matrix = gram(d, d, condition)
    right = np.random.default_rng(1).normal(size=d)
    x = solution(matrix, right, share=0.0)
    lost = 1e-15 * condition * d
    assert x == pytest.approx(
        np.linalg.solve(matrix, right), rel=lost, abs=lost * abs(x).max()
    )
    assert np.abs(matrix @ x - right).max() <= 1e-14 * d * np.abs(x).max()
    assert matrix @ inverse(matrix) == pytest.approx(np.eye(d), abs=10 * lost)


@pytest.mark.parametrize("consistent", [True, False])
def test_of_many_solutions_the_shortest_is_found(consistent):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 6))
    X = np.column_stack([X, X[:, 0], X[:, 1] - 2.0 * X[:, 2], np.zeros(50)])
    right = X.T @ rng.normal(size=50) if consistent else rng.normal(size=9)
    expected = np.linalg.pinv(X.T @ X) @ right
    assert solution(X.T @ X, right) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("d", [1, 2, 3, 20, 100])
def test_the_largest_eigenvalue(d):
    square = np.random.default_rng(d).normal(size=(d, d))
    matrix = symmetric(square)
    expected = np.linalg.eigvalsh(matrix)[-1]
    assert largest_eigenvalue(matrix) == pytest.approx(expected, rel=1e-13)
    assert largest_eigenvalue(np.diag(np.arange(d) + 1.0)) == d
    assert largest_eigenvalue(np.zeros((d, d))) == 0.0


@pytest.mark.parametrize("d", [1, 2, 3, 20, 136])
def test_eigenvectors(d):
    matrix = gram(d, d, 1e6)
    values, rows = eigenvectors(matrix)
    expected = np.linalg.eigvalsh(matrix)[::-1]
    assert values == pytest.approx(expected, rel=0.0, abs=1e-13)
    assert rows @ rows.T == pytest.approx(np.eye(d), abs=1e-13)
    assert rows.T * values @ rows == pytest.approx(matrix, abs=1e-13)
    alike = np.ones((d, d))
    assert eigenvectors(alike)[0] == pytest.approx([d, *[0.0] * (d - 1)], abs=1e-14 * d)


@pytest.mark.parametrize(("n", "d"), [(1, 1), (2, 5), (4, 4), (23, 7)])
def test_singular_values(n, d):
    matrix = np.random.default_rng(0).normal(size=(n, d))
    expected = np.linalg.svd(matrix)[1]
    lengths, rows = singular_vectors(matrix)
    rank = min(n, d)
    assert lengths == pytest.approx([*expected, *[0.0] * (d - rank)], abs=1e-14)
    assert np.abs(matrix @ rows.T) == pytest.approx(
        np.abs(np.linalg.svd(matrix)[0][:, :rank] @ np.eye(rank, d) * lengths),
        abs=1e-13,
    )
    assert spectral_norm(matrix) == pytest.approx(expected[0], rel=1e-14)
    assert pseudo_inverse(matrix) == pytest.approx(np.linalg.pinv(matrix), abs=1e-12)


def test_a_flat_matrix_has_no_length_across():
    across = np.random.default_rng(0).normal(size=(2, 3))
    lengths, _ = singular_vectors(np.arange(8.0).reshape(4, 2) @ across)
    assert lengths[2] <= 1e-14 * lengths[0]
    assert lengths[2] < lengths[1] < lengths[0]
