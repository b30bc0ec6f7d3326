"""ListNet's full-batch gradient of a linear model, beside rax's softmax loss.

The collections are those of `approx_ndcg`. Both do little more than read the features,
rax in single precision, which is half as much to read, on padded lists, which is more
where lengths vary.
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
from rankcore.algorithms.list_net import TopOneLoss

TARGETS = {"OHSUMED": 1.0, "TD2003": 1.0, "MQ2007": 2.0}


def rax_job(dataset: RankingDataset, w: np.ndarray) -> Job:
    import jax.numpy as jnp
    import rax

    target = np.exp(dataset.y)
    sums = np.add.reduceat(target, dataset.offsets[:-1])
    target /= np.repeat(sums, dataset.lengths)
    X, _, inside = padded(dataset)
    chances = np.zeros(inside.shape, dtype=np.float32)
    chances[np.asarray(inside)] = target

    def objective(coef, X, chances, where):
        losses = rax.softmax_loss(X @ coef, chances, where=where, reduce_fn=jnp.sum)
        return losses / dataset.n_queries

    return rax_gradient(objective, (X, jnp.asarray(chances), inside), w)


def rows() -> Iterator[Row]:
    """One row a shape."""
    rng = np.random.default_rng(0)
    for shape in SHAPES:
        dataset, w = collection(shape, rng)
        ours = partial(TopOneLoss(dataset), w)
        row = partial(
            Row,
            f"ListNet gradient, {shape.name}",
            "rax",
            target_ratio=TARGETS[shape.name],
        )
        if find_spec("rax") is None:
            yield row(seconds_of(ours, REPEATS), None)
            continue
        theirs = rax_job(dataset, w)
        check(ours, theirs, "rax", 1e-2)
        mine, other = interleaved(partial(in_a_row, ours), theirs, REPEATS)
        yield row(mine / IN_A_ROW, other)


if __name__ == "__main__":
    show(rows())
