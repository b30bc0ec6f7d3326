"""Randomly modified training data: a sample of queries, or shuffled labels."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rankcore.data.dataset import RankingDataset


def with_noise(data: RankingDataset, share: float, seed: Any) -> RankingDataset:
    """Return data with a random share of the labels shuffled among each other.

    The set of labels stays the same, and unjudged documents are unchanged. With the
    same seed, a larger share includes the documents of a smaller one.

    Parameters
    ----------
    share : float
        From 0 to 1.
    seed : int or sequence of int
    """
    rng = np.random.default_rng(seed)
    flips = rng.random(data.n_documents) < share
    at = np.flatnonzero(flips if data.judged is None else flips & data.judged)
    y = data.y.copy()
    y[at] = y[rng.permutation(at)]
    return replace(data, y=y)


def part_of(data: RankingDataset, queries: float, seed: Any) -> RankingDataset:
    """Return a number of queries, drawn at random; with the same seed, a larger sample
    includes a smaller one."""
    numbers = np.random.default_rng(seed).permutation(data.n_queries)[: int(queries)]
    return data.subset(np.sort(numbers))


class Kind(NamedTuple):
    """A kind of modification of training data.

    Attributes
    ----------
    column : str
        Column of its levels in a table.
    changed : callable
        Returns modified data from data, level and seed.
    words : str
        Name of modified data in a sentence.
    whole : callable
        Returns whether a level leaves the data unchanged.
    """

    column: str
    changed: Callable[[RankingDataset, float, Any], RankingDataset]
    words: str
    whole: Callable[[RankingDataset, float], bool]


KINDS: Mapping[str, Kind] = {
    "queries": Kind(
        "training queries",
        part_of,
        "a part of the training queries",
        lambda data, level: level >= data.n_queries,
    ),
    "noise": Kind(
        "shuffled training labels",
        with_noise,
        "shuffled training labels",
        lambda data, level: level == 0.0,
    ),
}


class Sample(NamedTuple):
    """Training data of a run, drawn at random from those of its fold.

    Attributes
    ----------
    kind : str
        A name of `KINDS`.
    repeat : int
        Number of the draw, from 0.
    """

    kind: str
    level: float
    seed: int
    repeat: int

    def of(self, data: RankingDataset) -> RankingDataset:
        """Return the modified data."""
        return KINDS[self.kind].changed(data, self.level, (self.seed, self.repeat))

    def changes(self, data: RankingDataset) -> bool:
        """Return whether the sample modifies the data."""
        return not KINDS[self.kind].whole(data, self.level)

    def to_row(self) -> dict[str, float]:
        """Return its level and repeat, counted from 1 here, by column name."""
        return {KINDS[self.kind].column: self.level, "repeat": self.repeat + 1}
