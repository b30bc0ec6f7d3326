"""LambdaRank's full-batch gradient of a linear model, beside rax and NumPy.

All take coefficients and return loss and gradient, X @ w and g @ X included, at scores
of standard deviation 1. rax computes its pairwise logistic loss with DCG weights in
single precision on padded lists, compiled; NumPy in double precision with arrays of
pairs, a query at a time. Lists as in `approx_ndcg`; ours are timed several in a row.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec

import numpy as np
from _rows import Row, interleaved, seconds_of, show
from approx_ndcg import SETTLE_SECONDS, SHAPES, Job, check, collection

from rankcore import LambdaRank, RankingDataset

REPEATS = 7
IN_A_ROW = 5
TARGETS = {"rax": 40.0, "NumPy pairs": 10.0}


def rax_job(dataset: RankingDataset, w: np.ndarray) -> Job:
    import jax
    import jax.numpy as jnp
    import rax

    sizes = np.diff(dataset.offsets)
    inside = np.arange(sizes.max()) < sizes[:, None]
    X = np.zeros((*inside.shape, dataset.n_features), dtype=np.float32)
    labels = np.zeros(inside.shape, dtype=np.float32)
    X[inside], labels[inside] = dataset.X, dataset.y
    lists = jnp.asarray(X), jnp.asarray(labels), jnp.asarray(inside)

    def objective(coef, X, labels, where):
        return rax.pairwise_logistic_loss(
            X @ coef,
            labels,
            where=where,
            lambdaweight_fn=partial(rax.dcg_lambdaweight, normalize=True),
            reduce_fn=jnp.sum,
        ) / len(where[0])  # rax scales its weights by the length of a padded list

    compiled = jax.jit(jax.value_and_grad(objective))
    coef = jnp.asarray(w, dtype=jnp.float32)

    def gradient() -> tuple[float, np.ndarray]:
        value, slope = jax.block_until_ready(compiled(coef, *lists))
        time.sleep(SETTLE_SECONDS)
        return float(value), np.asarray(slope)

    return gradient


def numpy_job(dataset: RankingDataset, w: np.ndarray) -> Job:
    queries = [dataset.query(i) for i in range(dataset.n_queries)]

    def gradient() -> tuple[float, np.ndarray]:
        scores = dataset.X @ w
        forces, total = np.zeros(len(scores)), 0.0
        for query in queries:
            s, n = scores[query.slice], len(query)
            discounts = 1 / np.log2(2 + np.arange(n))
            a = np.exp2(query.y) - 1
            ideal = np.sort(a)[::-1] @ discounts
            b = np.empty(n)
            b[np.argsort(-s, kind="stable")] = discounts
            weights = np.maximum(a[:, None] - a, 0) * np.abs(b[:, None] - b)
            weights /= ideal or 1.0
            v = s[:, None] - s
            total += (weights * np.logaddexp(0, -v)).sum()
            slopes = -weights / (1 + np.exp(v))
            forces[query.slice] = slopes.sum(axis=1) - slopes.sum(axis=0)
        return total, forces @ dataset.X

    return gradient


def rows() -> Iterator[Row]:
    """One row per shape and peer."""
    rng = np.random.default_rng(0)
    for shape in SHAPES:
        dataset, w = collection(shape, rng)
        loss = LambdaRank().loss(dataset)

        def ours(loss: Callable[..., object] = loss, w: np.ndarray = w) -> None:
            for _ in range(IN_A_ROW):
                loss(w)

        for peer, job in (("NumPy pairs", numpy_job), ("rax", rax_job)):
            row = partial(
                Row,
                f"LambdaRank gradient, {shape.name}",
                peer,
                target_ratio=TARGETS[peer],
            )
            if peer == "rax" and find_spec("rax") is None:
                yield row(seconds_of(ours, REPEATS) / IN_A_ROW, None)
                continue
            theirs = job(dataset, w)
            check(partial(loss, w), theirs, peer, 1e-2 if peer == "rax" else 1e-10)
            mine, other = interleaved(ours, theirs, REPEATS)
            yield row(mine / IN_A_ROW, other)


if __name__ == "__main__":
    show(rows())
