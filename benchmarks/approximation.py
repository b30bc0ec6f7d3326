"""The gradients of ApproxAP and of ApproxNDCG@10, beside rax and plain PyTorch.

As in the benchmark of ApproxNDCG: coefficients in, value and gradient out, at
alpha = 100, beta = 10 and scores of standard deviation 1. PyTorch forms the matrix of
the pairs of a query and differentiates by itself, in double precision. rax has no
smooth average precision; its NDCG@10 cuts off sharply, which is less work.
"""

from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec

import numpy as np
from _rows import Row, interleaved, seconds_of, show
from approx_ndcg import (
    ALPHA,
    IN_A_ROW,
    REPEATS,
    SHAPES,
    Job,
    check,
    collection,
    in_a_row,
    rax_job,
)

from rankcore import ApproxAP, ApproxNDCG, RankingDataset
from rankcore.algorithms import Approximation

BETA = 10.0
CUTOFF = 10
# Of what ApproxNDCG is to reach: average precision visits a row twice, NDCG once.
SHARE_OF_TARGET = {"ApproxAP": 0.5, "ApproxNDCG@10": 1.0}

LEARNERS = {
    "ApproxAP": ApproxAP(alpha=ALPHA, beta=BETA),
    "ApproxNDCG@10": ApproxNDCG(alpha=ALPHA, cutoff=CUTOFF, beta=BETA),
}


def our_job(learner: Approximation, dataset: RankingDataset, w: np.ndarray) -> Job:
    surrogate = learner.surrogate(dataset)

    def gradient() -> tuple[float, np.ndarray]:
        return learner.value_and_gradient(surrogate, w, surrogate.queries)[:2]

    return gradient


def torch_job(learner: Approximation, dataset: RankingDataset, w: np.ndarray) -> Job:
    import torch

    torch.set_num_threads(1)
    weights = torch.tensor(learner.document_weights(dataset))
    X = torch.tensor(dataset.X)
    bounds = list(zip(dataset.offsets[:-1], dataset.offsets[1:], strict=True))
    coef = torch.tensor(w, requires_grad=True)

    def average_precision(positions, weights):
        relevant = weights > 0.0
        p = positions[relevant]
        above = torch.sigmoid(BETA * (p[:, None] - p[None, :])).sum(1) + 0.5
        return (weights[relevant] * above / p).sum()

    def ndcg(positions, weights):
        tau = torch.sigmoid(BETA * (CUTOFF + 0.5 - positions))
        return (weights * tau / torch.log2(1.0 + positions)).sum()

    measure = ndcg if isinstance(learner, ApproxNDCG) else average_precision

    def gradient() -> tuple[float, np.ndarray]:
        coef.grad = None
        scores = X @ coef
        total = torch.zeros((), dtype=torch.float64)
        for begin, end in bounds:
            s = scores[begin:end]
            above = torch.sigmoid(ALPHA * (s[None, :] - s[:, None]))
            total = total + measure(above.sum(1) + 0.5, weights[begin:end])
        total.backward()
        return total.item(), coef.grad.numpy()

    return gradient


def rows() -> Iterator[Row]:
    """One row per learner, shape and peer that has such a measure."""
    rng = np.random.default_rng(0)
    for shape in SHAPES:
        dataset, w = collection(shape, rng)
        for name, learner in LEARNERS.items():
            ours = our_job(learner, dataset, w)
            job_name = f"{name} gradient, {shape.name}"
            peers = {"torch": partial(torch_job, learner)}
            if name != "ApproxAP":
                peers["rax"] = partial(rax_job, cutoff=CUTOFF)
            for peer, job in peers.items():
                target = shape.targets[peer] * SHARE_OF_TARGET[name]
                row = partial(Row, job_name, peer, target_ratio=target)
                if find_spec(peer) is None:
                    yield row(seconds_of(ours, REPEATS), None)
                    continue
                theirs = job(dataset, w)
                if peer == "torch":
                    check(ours, theirs, peer, 1e-9)
                mine, other = interleaved(partial(in_a_row, ours), theirs, REPEATS)
                yield row(mine / IN_A_ROW, other)


if __name__ == "__main__":
    show(rows())
