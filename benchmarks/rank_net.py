"""RankNet's full-batch gradient of a linear model, beside rax and plain PyTorch.

As in `approx_ndcg`, whose collections these are: rax's pairwise logistic loss computes
in single precision on padded lists, compiled; PyTorch in double precision query by
query, with its own differentiation. Scores have standard deviation 1.
"""

from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec

import numpy as np
from _rows import Row, interleaved, seconds_of, show
from approx_ndcg import (
    IN_A_ROW,
    REPEATS,
    SHAPES,
    Job,
    check,
    collection,
    in_a_row,
    padded,
    rax_gradient,
)

from rankcore import RankingDataset
from rankcore.algorithms.rank_net import LogisticLoss

TARGETS = {"rax": 20.0, "torch": 10.0}


def our_job(dataset: RankingDataset, w: np.ndarray) -> Job:
    return partial(LogisticLoss(dataset), w)


def rax_job(dataset: RankingDataset, w: np.ndarray) -> Job:
    import jax.numpy as jnp
    import rax

    n_pairs = LogisticLoss(dataset).n_pairs

    def objective(coef, X, labels, where):
        losses = rax.pairwise_logistic_loss(
            X @ coef, labels, where=where, reduce_fn=jnp.sum
        )
        return losses / n_pairs

    return rax_gradient(objective, padded(dataset), w)


def torch_job(dataset: RankingDataset, w: np.ndarray) -> Job:
    import torch

    torch.set_num_threads(1)
    n_pairs = LogisticLoss(dataset).n_pairs
    X = torch.tensor(dataset.X)
    queries = [
        (slice(a, b), torch.tensor(dataset.y[a:b, None] > dataset.y[a:b]))
        for a, b in zip(dataset.offsets[:-1], dataset.offsets[1:], strict=True)
    ]
    coef = torch.tensor(w, requires_grad=True)

    def gradient() -> tuple[float, np.ndarray]:
        coef.grad = None
        scores = X @ coef
        total = torch.zeros((), dtype=torch.float64)
        for rows, better in queries:
            s = scores[rows]
            margins = (s[:, None] - s)[better]
            total = total + torch.nn.functional.softplus(-margins).sum()
        total = total / n_pairs
        total.backward()
        return total.item(), coef.grad.numpy()

    return gradient


PEERS = {"rax": rax_job, "torch": torch_job}


def rows() -> Iterator[Row]:
    """One row a shape and peer."""
    rng = np.random.default_rng(0)
    for shape in SHAPES:
        dataset, w = collection(shape, rng)
        ours = our_job(dataset, w)
        for peer, job in PEERS.items():
            row = partial(
                Row, f"RankNet gradient, {shape.name}", peer, target_ratio=TARGETS[peer]
            )
            if find_spec(peer) is None:
                yield row(seconds_of(ours, REPEATS), None)
                continue
            theirs = job(dataset, w)
            check(ours, theirs, peer, 1e-10 if peer == "torch" else 1e-2)
            mine, other = interleaved(partial(in_a_row, ours), theirs, REPEATS)
            yield row(mine / IN_A_ROW, other)


if __name__ == "__main__":
    show(rows())
