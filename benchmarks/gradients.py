"""Full-batch gradients of linear models, compared with rax, plain PyTorch and NumPy.

All take coefficients and return the value and the gradient, including X @ w and g @ X,
at scores of standard deviation 1 and, for approximations, alpha = 100 and beta = 10.
rax computes in single precision on padded lists, compiled; PyTorch in double precision,
query by query, with automatic differentiation; NumPy with arrays of pairs. rax has no
smooth average precision; its NDCG@10 cuts off sharply, which is less work.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec

import numpy as np
from _lists import SHAPES, scored
from _rows import Row, interleaved, seconds_of, show

from rankcore import ApproxAP, ApproxNDCG, LambdaRank, RankingDataset
from rankcore.algorithms import Approximation
from rankcore.algorithms.list_net import TopOneLoss
from rankcore.algorithms.rank_net import LogisticLoss

ALPHA, BETA, CUTOFF = 100.0, 10.0, 10
REPEATS = 9
# Ours are timed several in a row, as in training: a single one would mostly reload X
# into the cache, from which the peer's hundred milliseconds have evicted it.
IN_A_ROW = 5
# The workers of rax keep spinning for a while, which must not count as our time.
SETTLE_SECONDS = 0.05

Job = Callable[[], tuple[float, np.ndarray]]
Make = Callable[[RankingDataset, np.ndarray], Job]


@dataclass(frozen=True)
class Peer:
    """The gradient of a peer.

    Attributes
    ----------
    package : str
    make : callable
        Makes a job from a data set and coefficients.
    targets : tuple of float
        Smallest acceptable ratio for each of `SHAPES`.
    tolerance : float or None
        Largest relative difference; None where the peer computes something else.
    """

    package: str
    make: Make
    targets: tuple[float, float, float]
    tolerance: float | None


def approximation(learner: Approximation) -> Make:
    """Return our job for the gradient of a smooth measure."""

    def make(dataset: RankingDataset, w: np.ndarray) -> Job:
        surrogate = learner.surrogate(dataset)
        queries = np.arange(dataset.n_queries)
        return lambda: learner.value_and_gradient(surrogate, w, queries)[:2]

    return make


def loss(loss_of: Callable[[RankingDataset], Callable]) -> Make:
    """Return our job for the gradient of a loss."""
    return lambda dataset, w: partial(loss_of(dataset), w)


def padded(dataset: RankingDataset, *columns: np.ndarray) -> list:
    """Return padded single-precision features, columns and the mask of documents."""
    import jax.numpy as jnp

    place = np.arange(dataset.lengths.max())
    inside = place < dataset.lengths[:, None]
    lists = []
    for values in (dataset.X, *columns):
        full = np.zeros((*inside.shape, *values.shape[1:]), dtype=np.float32)
        full[inside] = values
        lists.append(jnp.asarray(full))
    return [*lists, jnp.asarray(inside)]


def rax_job(objective: Callable, lists: list, w: np.ndarray) -> Job:
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


def rax_ndcg(dataset: RankingDataset, w: np.ndarray, cutoff: int | None = None) -> Job:
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

    return rax_job(objective, padded(dataset, dataset.y), w)


def rax_pairs(dataset: RankingDataset, w: np.ndarray, by_dcg: bool) -> Job:
    """Return the logistic loss of pairs: the mean, or the sum weighted by DCG."""
    import jax.numpy as jnp
    import rax

    options, n_pairs = {}, LogisticLoss(dataset).n_pairs
    if by_dcg:
        # rax scales its weights by the length of a padded list.
        n_pairs = dataset.lengths.max()
        weights = partial(rax.dcg_lambdaweight, normalize=True)
        options = {"lambdaweight_fn": weights}

    def objective(coef, X, labels, where):
        losses = rax.pairwise_logistic_loss(
            X @ coef, labels, where=where, reduce_fn=jnp.sum, **options
        )
        return losses / n_pairs

    return rax_job(objective, padded(dataset, dataset.y), w)


def rax_softmax(dataset: RankingDataset, w: np.ndarray) -> Job:
    import jax.numpy as jnp
    import rax

    target = np.exp(dataset.y)
    target /= np.repeat(np.add.reduceat(target, dataset.offsets[:-1]), dataset.lengths)

    def objective(coef, X, chances, where):
        losses = rax.softmax_loss(X @ coef, chances, where=where, reduce_fn=jnp.sum)
        return losses / dataset.n_queries

    return rax_job(objective, padded(dataset, target), w)


def torch_job(dataset: RankingDataset, w: np.ndarray, values: list[Callable]) -> Job:
    """Return a job that adds the value of each query, computed from its scores."""
    import torch

    torch.set_num_threads(1)
    X = torch.tensor(dataset.X)
    coef = torch.tensor(w, requires_grad=True)
    lengths = dataset.lengths.tolist()

    def gradient() -> tuple[float, np.ndarray]:
        coef.grad = None
        total = torch.zeros((), dtype=torch.float64)
        for value, scores in zip(values, (X @ coef).split(lengths), strict=True):
            total = total + value(scores)
        total.backward()
        return total.item(), coef.grad.numpy()

    return gradient


def torch_approximation(learner: Approximation) -> Make:
    def make(dataset: RankingDataset, w: np.ndarray) -> Job:
        import torch

        def value(weights, scores):
            above = torch.sigmoid(ALPHA * (scores[None, :] - scores[:, None]))
            positions = above.sum(1) + 0.5
            if isinstance(learner, ApproxAP):
                relevant = weights > 0.0
                p = positions[relevant]
                above = torch.sigmoid(BETA * (p[:, None] - p[None, :])).sum(1) + 0.5
                return (weights[relevant] * above / p).sum()
            if learner.cutoff is not None:
                weights = weights * torch.sigmoid(BETA * (CUTOFF + 0.5 - positions))
            return (weights / torch.log2(1.0 + positions)).sum()

        weights = torch.tensor(learner.document_weights(dataset))
        parts = weights.split(dataset.lengths.tolist())
        return torch_job(dataset, w, [partial(value, part) for part in parts])

    return make


def torch_pairs(dataset: RankingDataset, w: np.ndarray) -> Job:
    import torch

    n_pairs = LogisticLoss(dataset).n_pairs

    def value(better, scores):
        margins = (scores[:, None] - scores)[better]
        return torch.nn.functional.softplus(-margins).sum() / n_pairs

    labels = np.split(dataset.y, dataset.offsets[1:-1])
    better = [torch.tensor(y[:, None] > y) for y in labels]
    return torch_job(dataset, w, [partial(value, pairs) for pairs in better])


def numpy_lambdas(dataset: RankingDataset, w: np.ndarray) -> Job:
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


WHOLE, AP = ApproxNDCG(alpha=ALPHA), ApproxAP(alpha=ALPHA, beta=BETA)
CUT = ApproxNDCG(alpha=ALPHA, cutoff=CUTOFF, beta=BETA)
SINGLE = 1e-2
GRADIENTS: dict[str, tuple[Make, list[Peer]]] = {
    "ApproxNDCG": (
        approximation(WHOLE),
        [
            Peer("rax", rax_ndcg, (20, 200, 40), SINGLE),
            Peer("torch", torch_approximation(WHOLE), (15, 100, 45), 1e-10),
        ],
    ),
    # Average precision visits a row twice, NDCG once.
    "ApproxAP": (
        approximation(AP),
        [Peer("torch", torch_approximation(AP), (7.5, 50, 22.5), 1e-9)],
    ),
    "ApproxNDCG@10": (
        approximation(CUT),
        [
            Peer("torch", torch_approximation(CUT), (15, 100, 45), 1e-9),
            Peer("rax", partial(rax_ndcg, cutoff=CUTOFF), (20, 200, 40), None),
        ],
    ),
    "RankNet": (
        loss(LogisticLoss),
        [
            Peer("rax", partial(rax_pairs, by_dcg=False), (20, 20, 20), SINGLE),
            Peer("torch", torch_pairs, (10, 10, 10), 1e-10),
        ],
    ),
    "LambdaRank": (
        loss(LambdaRank().loss),
        [
            Peer("numpy", numpy_lambdas, (10, 10, 10), 1e-10),
            Peer("rax", partial(rax_pairs, by_dcg=True), (40, 40, 40), SINGLE),
        ],
    ),
    "ListNet": (loss(TopOneLoss), [Peer("rax", rax_softmax, (1, 1, 2), SINGLE)]),
}


def check(ours: Job, peer: Job, name: str, tolerance: float) -> None:
    """Raise an error if the two do not compute the same result."""
    for values, theirs in zip(ours(), peer(), strict=True):
        if not np.abs(values - theirs).max() <= tolerance * np.abs(theirs).max():
            raise SystemExit(f"{name} computes something else: {theirs}, not {values}.")


def rows() -> Iterator[Row]:
    """Yield one row per gradient, shape and peer."""
    rng = np.random.default_rng(0)
    collections = [(shape, *scored(shape, rng)) for shape in SHAPES]
    for name, (make, peers) in GRADIENTS.items():
        for at, (shape, dataset, w) in enumerate(collections):
            ours = make(dataset, w)

            def in_a_row(ours: Job = ours) -> None:
                for _ in range(IN_A_ROW):
                    ours()

            for peer in peers:
                job = f"{name} gradient, {shape.name}"
                row = partial(Row, job, peer.package, target_ratio=peer.targets[at])
                if find_spec(peer.package) is None:
                    yield row(seconds_of(in_a_row, REPEATS) / IN_A_ROW, None)
                    continue
                theirs = peer.make(dataset, w)
                if peer.tolerance is not None:
                    check(ours, theirs, peer.package, peer.tolerance)
                median, other = interleaved(in_a_row, theirs, REPEATS)
                yield row(median / IN_A_ROW, other)


if __name__ == "__main__":
    show(rows())
