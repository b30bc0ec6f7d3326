"""ApproxNDCG's full-batch gradient of a linear model, beside rax and plain PyTorch.

All three take coefficients and return the value and the gradient, X @ w and g @ X
included, at alpha = 100 and scores of standard deviation 1. rax computes in single
precision on padded lists, compiled; PyTorch in double precision query by query, with
its own differentiation. The lists have the shapes of LETOR collections. Padding has its
price, so their lengths vary alike: most of MQ2007's have 40 documents, the longest 147.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec

import numpy as np
from _rows import Row, interleaved, seconds_of, show

from rankcore import ApproxNDCG, RankingDataset

ALPHA = 100.0
REPEATS = 9
# Ours are timed several in a row, as in training: one alone would mostly read X anew
# from memory, which a peer's hundred milliseconds have emptied the cache of.
IN_A_ROW = 5
# The workers of rax go on spinning for a while; that is rax's time and not ours.
SETTLE_SECONDS = 0.05


@dataclass(frozen=True)
class Shape:
    """A collection's size, the shares of its grades, and the targets by peer."""

    name: str
    n_queries: int
    n_documents: int
    n_features: int
    length_deviation: float
    longest: int
    grades: tuple[float, ...]
    targets: dict[str, float]


SHAPES = (
    Shape(
        "OHSUMED", 63, 9_653, 45, 58.0, 320, (0.65, 0.2, 0.15), {"rax": 20, "torch": 15}
    ),
    Shape(
        "TD2003", 30, 28_849, 64, 40.0, 1000, (0.992, 0.008), {"rax": 200, "torch": 100}
    ),
    Shape(
        "MQ2007",
        1_017,
        41_234,
        46,
        7.0,
        147,
        (0.76, 0.17, 0.07),
        {"rax": 40, "torch": 45},
    ),
)

Job = Callable[[], tuple[float, np.ndarray]]


def collection(
    shape: Shape, rng: np.random.Generator
) -> tuple[RankingDataset, np.ndarray]:
    """Random lists of a shape, and coefficients that score them with deviation 1."""
    n, q = shape.n_documents, shape.n_queries
    lengths = rng.normal(n / q, shape.length_deviation, q).clip(5, shape.longest)
    lengths[0] = shape.longest
    ends = np.round(np.cumsum(lengths) / lengths.sum() * n).astype(int)
    qid = np.searchsorted(ends, np.arange(n), side="right")
    y = rng.choice(len(shape.grades), size=n, p=shape.grades)
    dataset = RankingDataset.from_arrays(rng.random((n, shape.n_features)), y, qid)
    w = rng.normal(size=shape.n_features)
    return dataset, w / np.std(dataset.X @ w)


def our_job(dataset: RankingDataset, w: np.ndarray) -> Job:
    learner = ApproxNDCG(alpha=ALPHA)
    surrogate = learner.surrogate(dataset)
    queries = np.arange(dataset.n_queries)

    def gradient() -> tuple[float, np.ndarray]:
        return learner.value_and_gradient(surrogate, w, queries)[:2]

    return gradient


def padded(dataset: RankingDataset) -> tuple:
    """Features, labels and which places hold a document, in single precision."""
    import jax.numpy as jnp

    sizes = np.diff(dataset.offsets)
    place = np.arange(sizes.max())
    inside = place < sizes[:, None]
    X = np.zeros((*inside.shape, dataset.n_features), dtype=np.float32)
    labels = np.zeros(inside.shape, dtype=np.float32)
    X[inside], labels[inside] = dataset.X, dataset.y
    return jnp.asarray(X), jnp.asarray(labels), jnp.asarray(inside)


def rax_gradient(objective: Callable, lists: tuple, w: np.ndarray) -> Job:
    """Return a call of the compiled gradient of ``objective`` by its first argument."""
    import jax
    import jax.numpy as jnp

    compiled = jax.jit(jax.value_and_grad(objective))
    coef = jnp.asarray(w, dtype=jnp.float32)

    def gradient() -> tuple[float, np.ndarray]:
        value, slope = jax.block_until_ready(compiled(coef, *lists))
        time.sleep(SETTLE_SECONDS)
        return float(value), np.asarray(slope)

    return gradient


def rax_job(dataset: RankingDataset, w: np.ndarray, cutoff: int | None = None) -> Job:
    import jax.numpy as jnp
    import rax

    def objective(coef, X, labels, where):
        return rax.ndcg_metric(
            ALPHA * (X @ coef),
            labels,
            where=where,
            topn=cutoff,
            rank_fn=rax.utils.approx_ranks,
            reduce_fn=jnp.sum,
        )

    return rax_gradient(objective, padded(dataset), w)


def torch_job(dataset: RankingDataset, w: np.ndarray) -> Job:
    import torch

    torch.set_num_threads(1)
    gains = torch.tensor(ApproxNDCG().document_weights(dataset))
    X = torch.tensor(dataset.X)
    bounds = list(zip(dataset.offsets[:-1], dataset.offsets[1:], strict=True))
    coef = torch.tensor(w, requires_grad=True)

    def gradient() -> tuple[float, np.ndarray]:
        coef.grad = None
        scores = X @ coef
        total = torch.zeros((), dtype=torch.float64)
        for begin, end in bounds:
            s = scores[begin:end]
            above = torch.sigmoid(ALPHA * (s[None, :] - s[:, None]))
            positions = above.sum(1) + 0.5
            total = total + (gains[begin:end] / torch.log2(1.0 + positions)).sum()
        total.backward()
        return total.item(), coef.grad.numpy()

    return gradient


PEERS = {"rax": rax_job, "torch": torch_job}


def check(ours: Job, peer: Job, name: str, tolerance: float) -> None:
    """Stop if the two do not compute the same thing."""
    for mine, theirs in zip(ours(), peer(), strict=True):
        if not np.abs(mine - theirs).max() <= tolerance * np.abs(theirs).max():
            raise SystemExit(f"{name} computes something else: {theirs}, not {mine}.")


def in_a_row(job: Job) -> None:
    for _ in range(IN_A_ROW):
        job()


def rows() -> Iterator[Row]:
    """One row per shape and peer."""
    rng = np.random.default_rng(0)
    for shape in SHAPES:
        dataset, w = collection(shape, rng)
        ours = our_job(dataset, w)
        job_name = f"ApproxNDCG gradient, {shape.name}"
        for peer, job in PEERS.items():
            row = partial(Row, job_name, peer, target_ratio=shape.targets[peer])
            if find_spec(peer) is None:
                yield row(seconds_of(ours, REPEATS), None)
                continue
            theirs = job(dataset, w)
            check(ours, theirs, peer, 1e-10 if peer == "torch" else 1e-2)
            mine, other = interleaved(partial(in_a_row, ours), theirs, REPEATS)
            yield row(mine / IN_A_ROW, other)


if __name__ == "__main__":
    show(rows())
