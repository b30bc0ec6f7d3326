"""The sort of the kernels, beside NumPy's stable one."""

import numpy as np
import pytest

from rankcore._kernels.ordering.sorting import sort_descending

DRAWS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "even": lambda rng, n: rng.random(n),
    "tied": lambda rng, n: rng.integers(0, 4, n).astype(float),
    "equal": lambda rng, n: np.ones(n),
    "heavy-tailed": lambda rng, n: rng.standard_cauchy(n) ** 3,
    "subnormal": lambda rng, n: rng.integers(0, 50, n) * 5e-324,
    "huge": lambda rng, n: rng.uniform(-1.0, 1.0, n) * 1.7e308,
    "infinite": lambda rng, n: rng.choice([-np.inf, 0.0, 1.0, np.inf], n),
    "of two scales": lambda rng, n: np.append(rng.random(n - 1), 1e9),
    "signed zeros": lambda rng, n: rng.choice([-0.0, 0.0, 1.0], n),
}


def sorted_from(order: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The permutation and the keys that a sort starting from ``order`` ends with."""
    result, keys = order.copy(), np.empty(len(scores))
    spare_keys, spare_order = np.empty(len(scores)), np.empty(len(scores), np.int64)
    sort_descending(scores, result, keys, spare_keys, spare_order)
    return result, keys


@pytest.mark.parametrize("draw", DRAWS)
def test_any_scores_from_any_order(draw):
    rng = np.random.default_rng(0)
    for n in [*range(1, 60), 100, 257, 1000]:
        scores = DRAWS[draw](rng, n)
        stable = np.argsort(-scores, kind="stable")
        swapped = stable.copy()
        swapped[[0, -1]] = swapped[[-1, 0]]
        for order in (np.arange(n), rng.permutation(n), stable, stable[::-1], swapped):
            result, keys = sorted_from(np.ascontiguousarray(order), scores)
            np.testing.assert_array_equal(result, stable)
            np.testing.assert_array_equal(keys, scores[stable])


def test_scores_that_are_no_numbers_stay_within_the_list():
    rng = np.random.default_rng(0)
    for n in (5, 100, 1000):
        scores = rng.normal(size=n)
        scores[rng.integers(0, n, 3)] = np.nan
        result, _ = sorted_from(rng.permutation(n), scores)
        assert result.min() >= 0
        assert result.max() < n
