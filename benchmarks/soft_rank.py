"""SoftRank's value and gradient for one list of 150 documents.

The peer is the paper's exact dynamic programme, compiled: the distribution of each
document's rank by adding the others one at a time, and for the derivatives the
distribution without each of them by removing it again, both O(n^2) per document. In the
second row the peer is our own exact method, which goes back through the recursion
instead.
"""

import math
from collections.abc import Iterator

import numpy as np
from _rows import Row, interleaved, show
from numba import njit

from rankcore import ApproxNDCG, RankingDataset, SoftRank

N = 150
SIGMA = 0.5
IN_A_ROW = 5
REPEATS = 15


@njit(error_model="numpy")
def dynamic_programme(s, gains, sigma):
    n = len(s)
    chances, others = np.empty(n), np.empty(n)
    value, force = 0.0, np.zeros(n)
    for i in range(n):
        chances[:] = 0.0
        chances[0] = 1.0
        for j in range(n):
            if j == i:
                continue
            p = 0.5 * math.erfc((s[i] - s[j]) / (2.0 * sigma))
            for r in range(n - 1, 0, -1):
                chances[r] = chances[r] * (1.0 - p) + chances[r - 1] * p
            chances[0] *= 1.0 - p
        for r in range(n):
            value += gains[i] * chances[r] / math.log2(2.0 + r)
        for j in range(n):
            if j == i:
                continue
            x = (s[i] - s[j]) / (2.0 * sigma)
            p = 0.5 * math.erfc(x)
            if p <= 0.5:
                others[0] = chances[0] / (1.0 - p)
                for r in range(1, n - 1):
                    others[r] = (chances[r] - p * others[r - 1]) / (1.0 - p)
            else:
                others[n - 2] = chances[n - 1] / p
                for r in range(n - 3, -1, -1):
                    others[r] = (chances[r + 1] - (1.0 - p) * others[r + 1]) / p
            change = 0.0
            for r in range(n - 1):
                change += others[r] * (1 / math.log2(3.0 + r) - 1 / math.log2(2.0 + r))
            change *= gains[i] * math.exp(-x * x) / (2.0 * sigma * math.sqrt(math.pi))
            force[j] += change
            force[i] -= change
    return value, force


def rows() -> Iterator[Row]:
    """Yield one row per peer; both check that the results are equal."""
    rng = np.random.default_rng(0)
    s = rng.normal(size=N)
    dataset = RankingDataset.from_arrays(np.eye(N), rng.integers(1, 3, N))
    one_feature = RankingDataset.from_arrays(s[:, None], dataset.y)
    gains = ApproxNDCG().document_weights(dataset)
    expected, force = dynamic_programme(s, gains, SIGMA)
    learners = [
        SoftRank(sigma=SIGMA, method=method) for method in ("exponential_sum", "exact")
    ]
    for learner in learners:
        value, ours = learner.loss(dataset, rng)(s)
        errors = abs(value / expected - 1), np.abs(ours - force).max() / force.max()
        if not max(errors) <= 1e-12:
            raise SystemExit(f"The two ways differ by {errors}.")

    fast_loss, exact_loss = (learner.loss(one_feature, rng) for learner in learners)
    one = np.ones(1)

    def fast() -> None:
        for _ in range(IN_A_ROW):
            fast_loss(one)

    peers = {
        "programme": (lambda: dynamic_programme(s, gains, SIGMA), 50.0),
        "our exact": (lambda: exact_loss(one), 5.0),
    }
    for name, (peer, target) in peers.items():
        median, theirs = interleaved(fast, peer, REPEATS)
        yield Row(
            f"SoftRank value and gradient, n = {N}",
            name,
            median / IN_A_ROW,
            theirs,
            target,
        )


if __name__ == "__main__":
    show(rows())
