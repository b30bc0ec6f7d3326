"""Structured large-margin ranking: most violated orders, training, DORM and SVMCombo.

Most violated orders of one query, with sorted scores, are compared with the scan of all
pairs of a good and a bad document. Training is compared with passes over the data
(scores, most violated orders, gradient) on random data of OHSUMED's shape whose labels
are a noisy linear function; the note counts the rounds, each of which is one such pass.
DORM finds its most violated orders by the Hungarian method; McRank boosts trees.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from _rows import Row, interleaved, seconds_of, show
from numba import njit
from threadpoolctl import threadpool_limits

from rankcore import DORM, SVMMAP, SVMNDCG, McRank, RankingDataset, SVMCombo
from rankcore.algorithms import StructuredRanker
from rankcore.algorithms.parts.margins.margin_losses import (
    APLoss,
    BinaryQueries,
    NDCGLoss,
)
from rankcore.training import drive

N_QUERIES, N_DOCUMENTS, N_FEATURES = 63, 9_653, 45
GRADES, SKEW = (0.7, 0.85), 4
PASSES, SECONDS = 30, 0.5


@njit(error_model="numpy", fastmath={"contract"})
def scan_ap(good, bad, weight):
    """Return the bad documents above each good one by O(P N) independent sums."""
    m, n = len(good), len(bad)
    above = np.zeros(m, dtype=np.int64)
    for j in range(1, n + 1):
        best, choice, total = 0.0, m, 0.0
        for i in range(m, 0, -1):
            total += weight * (bad[j - 1] - good[i - 1])
            total += (i / (i + j - 1.0) - i / (i + j * 1.0)) / m
            if total > best:
                best, choice = total, i - 1
        for i in range(choice, m):
            above[i] += 1
    return above


@njit(error_model="numpy", fastmath={"contract"})
def scan_ndcg(good, bad, weight, discounts):
    """Do the scan for NDCG."""
    m, n = len(good), len(bad)
    ideal = np.sum(discounts[1 : m + 1])
    above = np.zeros(m, dtype=np.int64)
    for j in range(1, n + 1):
        best, choice, total = 0.0, m, 0.0
        for i in range(m, 0, -1):
            total += weight * (bad[j - 1] - good[i - 1])
            total += (discounts[i + j - 1] - discounts[i + j]) / ideal
            if total > best:
                best, choice = total, i - 1
        for i in range(choice, m):
            above[i] += 1
    return above


def most_violated_orders(rng: np.random.Generator, m: int, n_bad: int) -> Iterator[Row]:
    """Return one query with m good documents."""
    n = m + n_bad
    good = -np.sort(-rng.normal(size=m) - 0.5)
    bad = -np.sort(-rng.normal(size=n_bad))
    scores, relevant = np.concatenate([good, bad]), np.arange(n) < m
    dataset = RankingDataset.from_arrays(scores[:, None], relevant.astype(int))
    queries = BinaryQueries(dataset, relevant)
    queries.sort(scores)
    discounts = np.append(0.0, 1 / np.log2(1 + np.arange(1, n + 1)))
    losses, weight = np.zeros(1), 2 / (m * n_bad)

    def all_pairs_of_ap() -> np.ndarray:
        return scan_ap(good, bad, weight)

    def all_pairs_of_ndcg() -> np.ndarray:
        return scan_ndcg(good, bad, weight, discounts)

    for name, loss, scan, target in (
        ("SVMMAP", APLoss(queries, True), all_pairs_of_ap, 60),
        ("SVMNDCG", NDCGLoss(queries, True, None, False), all_pairs_of_ndcg, 40),
    ):
        ours = partial(loss.solve, losses)
        ours()
        differing = int((scan() != loss.above[:m]).sum())
        median, theirs = interleaved(ours, scan, 15)
        note = f"{differing} of {m} places differ" if differing else "same order"
        job = f"{name} most violated order, P = {m}, N = {n_bad}"
        yield Row(job, "O(PN) scan", median, theirs, target, note)


def planted(rng: np.random.Generator) -> RankingDataset:
    """Return three grades: a linear function of skewed features, with strong noise."""
    X = rng.random((N_DOCUMENTS, N_FEATURES)) ** SKEW
    truth = X @ rng.normal(size=N_FEATURES)
    truth += rng.normal(scale=2 * truth.std(), size=N_DOCUMENTS)
    y = np.searchsorted(np.quantile(truth, GRADES), truth)
    return RankingDataset.from_arrays(X, y, np.arange(N_DOCUMENTS) % N_QUERIES)


def fit(ranker: StructuredRanker, dataset: RankingDataset) -> int:
    """Train to the end; return the number of rounds."""
    return sum(1 for _ in ranker.steps(dataset, np.random.default_rng(0)))


def gradient_pass(
    ranker: StructuredRanker, dataset: RankingDataset
) -> Callable[[], object]:
    """Compute scores, most violated orders and gradient once; scores change slowly."""
    (item,) = ranker.losses(dataset)
    w = np.ones(dataset.n_features)

    def once() -> np.ndarray:
        w[:] *= 1.001
        _, forces = item.loss.separation_oracle(dataset.X @ w)
        return forces @ dataset.X

    return once


def training(dataset: RankingDataset) -> Iterator[Row]:
    """Yield fits with their time in passes or, for C = 1000 and one slack, a limit."""
    for kind in (SVMMAP, SVMNDCG):
        for C in (20.0, 100.0, 1000.0):
            ranker = kind(C=C, slacks="one" if C == 1000.0 else "per_query")
            note = f"{fit(ranker, dataset)} rounds"
            job = f"{ranker.title} fit, C = {C:g}, ohsumed"
            if C == 1000.0:
                median = seconds_of(lambda ranker=ranker: fit(ranker, dataset), 5)
                yield Row(job, "0.5 s", median, SECONDS, 1, note)
            else:
                ours, passes = interleaved(
                    lambda ranker=ranker: fit(ranker, dataset),
                    gradient_pass(ranker, dataset),
                    7,
                )
                yield Row(job, f"{PASSES} passes", ours, PASSES * passes, 1, note)


def dorm_beside_combo(dataset: RankingDataset) -> Row:
    """Return SVMCombo compared with DORM, which took 15 times as long on the slides."""
    median = seconds_of(lambda: fit(SVMCombo(), dataset), 1)
    theirs = seconds_of(lambda: fit(DORM(), dataset), 1)
    return Row("SVMCombo fit, ohsumed", "DORM", median, theirs, 15)


def ndcg_beside_mcrank(dataset: RankingDataset) -> Row:
    """Return SVMNDCG compared with McRank, which took 100 times as long on the
    slides."""
    median = seconds_of(lambda: fit(SVMNDCG(), dataset), 3)
    began = time.process_time()
    rounds = list(drive(McRank(), dataset, measures=()))[-1].iteration
    theirs = time.process_time() - began
    note = f"{rounds} rounds of boosting"
    return Row("SVMNDCG fit, ohsumed", "McRank", median, theirs, 100, note)


def rows() -> Iterator[Row]:
    """One row per job."""
    rng = np.random.default_rng(0)
    with threadpool_limits(1):
        for m, n_bad in ((300, 700), (3_000, 7_000)):
            yield from most_violated_orders(rng, m, n_bad)
        dataset = planted(rng)
        yield from training(dataset)
        yield dorm_beside_combo(dataset)
        yield ndcg_beside_mcrank(dataset)


if __name__ == "__main__":
    show(rows())
