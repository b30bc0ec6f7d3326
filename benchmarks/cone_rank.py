"""Folding-in of many differences, compared with batched accelerated gradient steps.

Both find weights on the simplex for 20 000 differences of 46 features over 10 vectors.
The peer is NumPy, with one matrix product per step for the whole batch; the note bounds
the excess of each over the smallest squared distance.
"""

from collections.abc import Iterator

import numpy as np
from _rows import Row, interleaved, show
from threadpoolctl import threadpool_limits

from rankcore.algorithms.parts.cones import Folding, folding_weights

N_PAIRS, N_FEATURES, N_BASIS, STEPS = 20_000, 46, 10, 50


def onto_simplex(points: np.ndarray) -> np.ndarray:
    """Return the projection of each row onto the simplex."""
    falling = -np.sort(-points, axis=1)
    shifts = (np.cumsum(falling, axis=1) - 1.0) / np.arange(1, points.shape[1] + 1)
    last = (falling > shifts).sum(axis=1) - 1
    return np.maximum(points - shifts[np.arange(len(points)), last][:, None], 0.0)


def accelerated(gram: np.ndarray, products: np.ndarray) -> np.ndarray:
    """Return the weights after some steps of FISTA on all rows at once."""
    rate = 1.0 / np.linalg.eigvalsh(gram)[-1]
    weights = ahead = np.full(products.shape, 1.0 / products.shape[1])
    momentum = 1.0
    for _ in range(STEPS):
        moved = onto_simplex(ahead - rate * (ahead @ gram - products))
        following = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        ahead = moved + (momentum - 1.0) / following * (moved - weights)
        weights, momentum = moved, following
    return weights


def gap(gram: np.ndarray, products: np.ndarray, weights: np.ndarray) -> float:
    """Return the largest optimality gap of a squared distance."""
    slopes = weights @ gram - products
    return float(2.0 * ((weights * slopes).sum(1) - slopes.min(1)).max())


def rows() -> Iterator[Row]:
    """One row per job."""
    rng = np.random.default_rng(0)
    basis = rng.standard_normal((N_FEATURES, N_BASIS)) + rng.standard_normal(
        (N_FEATURES, 1)
    )
    z = rng.standard_normal((N_PAIRS, N_FEATURES)) + basis.mean(axis=1)
    z *= np.sqrt(N_FEATURES) / (1.0 + np.linalg.norm(z, axis=1, keepdims=True))
    gram, products = basis.T @ basis, z @ basis

    def ours() -> np.ndarray:
        return folding_weights(gram, products, Folding(low=1.0, high=1.0))

    def peer() -> np.ndarray:
        return accelerated(gram, products)

    with threadpool_limits(1):
        median, theirs = interleaved(ours, peer, 7)
    note = (
        f"gap {gap(gram, products, ours()):.0e}, "
        f"NumPy {gap(gram, products, peer()):.0e}"
    )
    job = f"folding-in, {N_PAIRS} differences, K = {N_BASIS}"
    yield Row(job, "NumPy FISTA", median, theirs, 4, note)


if __name__ == "__main__":
    show(rows())
