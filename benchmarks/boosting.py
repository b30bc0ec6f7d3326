"""Trees and boosted weak rankers, compared with LightGBM's scoring and plain NumPy.

We know of no package that trains AdaRank or RankBoost from Python; their peer is the
same algorithm in NumPy, query by query, with arrays of pairs where needed. Scoring a
forest is compared with LightGBM's own prediction for the trees it grew, in one thread.
Scores after each step are measured as in training, when only the trees of the last
round are new.
"""

from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np
from _lists import SHAPES, linear
from _rows import Row, interleaved, seconds_of, show

from rankcore import RankingDataset
from rankcore.algorithms.parts.gain_sums import MeanOverTies
from rankcore.algorithms.parts.trees.forests import GrowingForest, GrowingTotals
from rankcore.algorithms.rankboost import Thresholds, WeightedPairs, weight_of

TREES, CUTOFF, N_THRESHOLDS, REPEATS = 300, 10, 10, 9


def forest_rows(data: RankingDataset) -> Iterator[Row]:
    """Yield scoring of all trees at once, and of each additional tree."""
    if find_spec("lightgbm") is None:
        yield Row("scores of a forest", "lightgbm", 1.0, None, 1.0)
        return
    import lightgbm

    from rankcore.algorithms.parts.trees.forests import lightgbm_trees

    settings = {"objective": "lambdarank", "num_threads": 1, "verbose": -1}
    train = lightgbm.Dataset(data.X, data.y, group=data.lengths)
    booster = lightgbm.train(settings, train, num_boost_round=TREES)
    forest, steps = GrowingForest(), []
    for i in range(TREES):
        for tree in lightgbm_trees(booster, i):
            forest.add(tree)
        steps.append(forest.nodes())

    def ours() -> np.ndarray:
        return GrowingTotals(data.X)(steps[-1])[0][:, 0]

    def theirs() -> np.ndarray:
        return booster.predict(data.X, raw_score=True, num_threads=1)

    error = np.abs(ours() / theirs() - 1).max()
    median, peer = interleaved(ours, theirs, REPEATS)
    note = f"relative difference {error:.0e}"
    yield Row(f"scores by {TREES} LightGBM trees", "lightgbm", median, peer, 1.0, note)

    def each_step() -> None:
        growing = GrowingTotals(data.X)
        for step in steps:
            growing(step)

    def one_by_one() -> None:
        total = np.zeros(data.n_documents)
        for i in range(TREES):
            total += booster.predict(
                data.X,
                raw_score=True,
                num_threads=1,
                start_iteration=i,
                num_iteration=1,
            )

    median, peer = interleaved(each_step, one_by_one, 5)
    yield Row(f"scores after each of {TREES} rounds", "lightgbm", median, peer, 1.0)


def plain_quality(data: RankingDataset, scores: np.ndarray) -> np.ndarray:
    """Return nDCG@10 of each query with NumPy."""
    discounts = 1 / np.log2(2 + np.arange(CUTOFF))
    values = []
    for begin, end in zip(data.offsets, data.offsets[1:], strict=False):
        gains = np.exp2(data.y[begin:end]) - 1
        order = np.argsort(-scores[begin:end], kind="stable")[:CUTOFF]
        ideal = np.sort(gains)[::-1][:CUTOFF] @ discounts[: len(order)]
        values.append(gains[order] @ discounts[: len(order)] / ideal)
    return np.array(values)


def adarank_row(data: RankingDataset) -> Row:
    """Return the costly job: the quality of every feature in both directions."""
    quality = MeanOverTies(data, f"nDCG@{CUTOFF}")

    def theirs() -> np.ndarray:
        sides = [sign * column for sign in (1, -1) for column in data.X.T]
        return np.array([plain_quality(data, scores) for scores in sides]).T

    assert np.abs(quality.of_features() - theirs()).max() < 1e-12
    median, peer = interleaved(quality.of_features, theirs, 5)
    return Row("AdaRank: quality of every feature", "NumPy", median, peer, 5.0)


class PlainRankBoost:
    """Do a round over arrays of pairs: weights, potentials, best threshold, update."""

    def __init__(self, data: RankingDataset, values: list[np.ndarray]) -> None:
        self.parts = [data.query(q) for q in range(data.n_queries)]
        pairs = [np.nonzero(p.y[:, None] > p.y) for p in self.parts]
        starts = data.offsets[:-1]
        self.better = np.concatenate(
            [i + s for (i, _), s in zip(pairs, starts, strict=True)]
        )
        self.worse = np.concatenate(
            [j + s for (_, j), s in zip(pairs, starts, strict=True)]
        )
        self.D = np.full(len(self.better), 1 / len(self.better))
        self.X, self.values = data.X, values

    def round(self) -> float:
        """Rho of the threshold added."""
        n = len(self.X)
        potentials = np.bincount(self.better, self.D, n)
        potentials -= np.bincount(self.worse, self.D, n)
        best = max(
            (
                (potentials[self.X[:, f] > value].sum(), f, value)
                for f, thresholds in enumerate(self.values)
                for value in thresholds
            ),
            key=lambda cut: abs(cut[0]),
        )
        rho, feature, value = best
        h = self.X[:, feature] > value
        self.D *= np.exp(
            -weight_of(rho) * (h[self.better].astype(float) - h[self.worse])
        )
        self.D /= self.D.sum()
        return rho


def rankboost_row(data: RankingDataset) -> Row:
    """One round."""
    thresholds, pairs = Thresholds(data.X, N_THRESHOLDS), WeightedPairs(data)
    plain = PlainRankBoost(data, thresholds.values)
    state = {"loss": pairs.weigh()}

    def ours() -> float:
        feature, number, correlation = thresholds.best(pairs.potentials)
        rho = correlation / state["loss"]
        thresholds.add(pairs.scores, feature, number, weight_of(rho))
        state["loss"] = pairs.weigh()
        return rho

    for _ in range(5):
        assert abs(ours() - plain.round()) < 1e-9
    median = seconds_of(ours, REPEATS)
    return Row("RankBoost: a round", "NumPy", median, seconds_of(plain.round, 5), 20.0)


def rows() -> Iterator[Row]:
    """One row per job."""
    data = linear(SHAPES[0], np.random.default_rng(0))
    yield from forest_rows(data)
    yield adarank_row(data)
    yield rankboost_row(data)


if __name__ == "__main__":
    show(rows())
