"""Coordinate ascent to the end of one restart, compared with fastrank.

Both maximise nDCG@10 on data in the shape of an OHSUMED fold; ours starts at equal
weights, fastrank at random ones. The note gives the training nDCG@10 of each, because a
lower value means that less of the job was done.
"""

from collections.abc import Iterator

import numpy as np
from _rows import Row, interleaved, seconds_of, show
from threadpoolctl import threadpool_limits

from rankcore import CoordinateAscent, RankingDataset, measures
from rankcore.data.planted import planted

MEASURE, N_QUERIES, REPEATS = "nDCG@10", 63, 3


def theirs(dataset: RankingDataset) -> tuple[object, list[np.ndarray]]:
    """Return a call of fastrank, and a list that receives its coefficients."""
    from fastrank import CDataset, TrainRequest

    request = TrainRequest.coordinate_ascent()
    request.measure = "ndcg@10"
    request.params.num_restarts = 1
    request.params.seed = 42
    request.params.quiet = True
    queries = np.repeat(np.arange(dataset.n_queries), dataset.lengths)
    data = CDataset.from_numpy(
        dataset.X.astype(np.float32), dataset.y.astype(np.float64), queries
    )
    weights: list[np.ndarray] = []

    def train() -> None:
        model = data.train_model(request).to_dict()
        weights.append(np.array(model["Linear"]["weights"]))

    return train, weights


def rows() -> Iterator[Row]:
    """One row per job."""
    dataset = planted(n_queries=N_QUERIES)
    model = CoordinateAscent(criterion=MEASURE)

    def ours() -> None:
        model.fit_dataset(dataset)

    def reached(w: np.ndarray) -> float:
        return measures.means(dataset, dataset.X @ w, MEASURE)[MEASURE]

    with threadpool_limits(1):
        try:
            train, weights = theirs(dataset)
        except ImportError:
            yield Row(MEASURE, "fastrank", seconds_of(ours, REPEATS), None, 20)
            return
        median, peer = interleaved(ours, train, REPEATS)
    note = f"reached {reached(model.coef_):.4f}, fastrank {reached(weights[-1]):.4f}"
    yield Row(f"coordinate ascent, {MEASURE}", "fastrank", median, peer, 20, note)


if __name__ == "__main__":
    show(rows())
