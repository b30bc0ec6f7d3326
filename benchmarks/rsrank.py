"""RSRank's gradient compared with its lower bound: two passes over the data.

The full batch has the shape of a tenth of an MSLR-WEB30K fold. The peer is only the
linear algebra, scores X @ w and then g @ X, one BLAS call each. A training step sorts
from the order of the previous step; the first step has none. For a single query the
peer is NumPy with arrays of pairs.
"""

from collections.abc import Iterator

import numpy as np
from _rows import Row, interleaved, show
from threadpoolctl import threadpool_limits

from rankcore import RankingDataset
from rankcore.algorithms.rsrank import PairwiseLoss

N_QUERIES, N_DOCUMENTS, N_FEATURES = 1_900, 227_247, 136
GRADES = (0.52, 0.32, 0.13, 0.02, 0.01)
QUERY_GRADES = (0.68, 0.16, 0.16)
STEP_NOISE = 0.01


def collection(rng: np.random.Generator) -> RankingDataset:
    """Return random data of the full batch's shape."""
    n, q = N_DOCUMENTS, N_QUERIES
    qid = np.sort(np.append(np.arange(q), rng.integers(q, size=n - q)))
    labels = rng.choice(len(GRADES), size=n, p=GRADES)
    return RankingDataset.from_arrays(rng.random((n, N_FEATURES)), labels, qid)


def full_batch(rng: np.random.Generator) -> Iterator[Row]:
    """Yield a training step and a first step, compared with the two BLAS passes."""
    dataset = collection(rng)
    w, other = rng.normal(size=(2, N_FEATURES)) / np.sqrt(N_FEATURES / 12)
    steps = [w, w + STEP_NOISE * other]
    loss, weights = PairwiseLoss(dataset), rng.normal(size=N_DOCUMENTS)
    unsorted = loss.order.copy()

    def step() -> None:
        steps.reverse()
        loss(steps[0])

    def first_step() -> None:
        loss.order[:] = unsorted
        loss(w)

    def passes() -> None:
        dataset.X @ w
        weights @ dataset.X

    for name, ours in (("a training step", step), ("the first step", first_step)):
        median, theirs = interleaved(ours, passes, 15)
        yield Row(
            f"RSRank gradient, mslr10, {name}", "X@w, g@X", median, theirs, 1 / 1.1
        )


def from_pairs(
    s: np.ndarray, gains: np.ndarray, b: np.ndarray
) -> tuple[float, np.ndarray]:
    """Return loss and gradient by score from arrays of pairs, in O(n^2)."""
    ranked = np.empty(len(s))
    ranked[np.argsort(-s, kind="stable")] = b
    weights = np.maximum(gains[:, None] - gains, 0.0)
    weights *= np.abs(ranked[:, None] - ranked)
    v = s[:, None] - s
    losses = weights * np.where(v < -1, -4 * v, np.where(v <= 1, (v - 1) ** 2, 0.0))
    slopes = weights * np.where(v < -1, -4.0, np.where(v <= 1, 2 * (v - 1), 0.0))
    return losses.sum(), slopes.sum(axis=1) - slopes.sum(axis=0)


def one_query(rng: np.random.Generator, n: int) -> Row:
    """Return the gradient of one query by its scores, without a known order."""
    s = rng.normal(size=n)
    labels = rng.choice(len(QUERY_GRADES), size=n, p=QUERY_GRADES)
    loss = PairwiseLoss(RankingDataset.from_arrays(s[:, None], labels))
    unsorted, one, repeats = loss.order.copy(), np.ones(1), 200
    b = 1 / np.log2(2 + np.arange(n))
    gains = (np.exp2(labels) - 1) / (np.sort(np.exp2(labels) - 1)[::-1] @ b)

    def ours() -> None:
        for _ in range(repeats):
            loss.order[:] = unsorted
            loss(one)

    median, theirs = interleaved(ours, lambda: from_pairs(s, gains, b), 15)
    return Row(
        f"RSRank gradient, one query, n = {n}",
        "NumPy pairs",
        median / repeats,
        theirs,
        400,
    )


def rows() -> Iterator[Row]:
    """One row per job."""
    rng = np.random.default_rng(0)
    with threadpool_limits(1):
        yield from full_batch(rng)
        yield one_query(rng, 1_000)


if __name__ == "__main__":
    show(rows())
