"""A RankSVM fit on all pairs, compared with scikit-learn's on their differences.

Both minimise |w|^2 / 2 + C times the sum of squared hinges, at C = 0.01. The peer
receives its array of differences precomputed and keeps its own tolerance; ours starts
from the documents and ends when its objective is at most a millionth above the peer's.
The lists have the shapes of LETOR collections, see `_lists`; labels are a noisy linear
function of the features.
"""

from collections.abc import Iterator

import numpy as np
from _lists import SHAPES, Shape, linear
from _rows import Row, interleaved, show
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from rankcore import RankingDataset, RankSVM
from rankcore.training import Stop, drive

C = 0.01
MAX_PASSES = 5_000
REPEATS = 5
TARGETS = {"OHSUMED": 150, "TD2003": 15, "MQ2007": 45}


def differences(dataset: RankingDataset) -> tuple[np.ndarray, np.ndarray]:
    """Return x_i - x_j or, alternately, x_j - x_i for every pair, and the sign."""
    parts = []
    for query in map(dataset.query, range(dataset.n_queries)):
        better, worse = np.nonzero(query.y[:, None] > query.y)
        parts.append(query.X[better] - query.X[worse])
    rows = np.concatenate(parts)
    signs = np.resize([1, -1], len(rows))
    rows *= signs[:, None]
    return rows, signs


def rows() -> Iterator[Row]:
    """Yield one row per shape."""
    rng = np.random.default_rng(0)
    with threadpool_limits(1):
        for shape in SHAPES:
            yield fit(shape, rng)


def fit(shape: Shape, rng: np.random.Generator) -> Row:
    """Return both fits, with a comparison of their objectives."""
    dataset = linear(shape, rng).normalise("minmax")
    pairs, signs = differences(dataset)
    l2 = 1 / (C * len(pairs))
    model = RankSVM(l2=l2)
    peer = LinearSVC(C=C, fit_intercept=False, dual=False)

    def theirs() -> np.ndarray:
        return peer.fit(pairs, signs).coef_[0]

    w = theirs()
    lacks = np.maximum(1 - signs * (pairs @ w), 0.0)
    best = l2 / 2 * (w @ w) + (lacks**2).mean()

    def ours() -> float:
        run = drive(model, dataset, stop=Stop(max_iterations=MAX_PASSES), measures=())
        for record in run:
            if record.objective <= best * (1 + 1e-6):
                run.close()
                return record.objective
        raise SystemExit(f"Ours ends at {record.objective}, scikit-learn at {best}.")

    objective = ours()
    seconds = interleaved(ours, theirs, REPEATS)
    return Row(
        f"RankSVM fit, {shape.name}",
        "LinearSVC",
        *seconds,
        TARGETS[shape.name],
        note=f"{len(pairs)} pairs, {pairs.nbytes / 1e6:.0f} MB of differences there; "
        f"objective {objective:.7f} here, {best:.7f} there",
    )


if __name__ == "__main__":
    show(rows())
