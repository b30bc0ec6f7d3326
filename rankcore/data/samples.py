"""Training data changed by chance: some of its queries, or some labels shuffled."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rankcore.data.dataset import RankingDataset


def with_noise(data: RankingDataset, share: float, seed: Any) -> RankingDataset:
    """Return data of which a share of the labels, drawn at random, are shuffled among
    each other.

    The labels as a whole stay the same, as do documents without a judgement. With the
    same seed, a larger share has all the documents of a smaller one.

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
    """So many queries of data, drawn at random; with the same seed, more queries have
    all of fewer ones."""
    numbers = np.random.default_rng(seed).permutation(data.n_queries)[: int(queries)]
    return data.subset(np.sort(numbers))


class Kind(NamedTuple):
    """A way to change training data.

    Attributes
    ----------
    column : str
        Of its levels in a table.
    changed : callable
        The data, from data, the level and a seed.
    words : str
        What changed data are, in a sentence.
    whole : callable
        Whether the data stay as they are, from data and the level.
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
    """Training data of a run that are not those of its fold, but drawn from them.

    Attributes
    ----------
    kind : str
        A name of `KINDS`.
    repeat : int
        Each draws other data, from 0.
    """

    kind: str
    level: float
    seed: int
    repeat: int

    def of(self, data: RankingDataset) -> RankingDataset:
        """Return the changed data."""
        return KINDS[self.kind].changed(data, self.level, (self.seed, self.repeat))

    def changes(self, data: RankingDataset) -> bool:
        """Whether the data do not stay as they are."""
        return not KINDS[self.kind].whole(data, self.level)

    def to_row(self) -> dict[str, float]:
        """Its level and repeat by column name; there repeats count from 1."""
        return {KINDS[self.kind].column: self.level, "repeat": self.repeat + 1}
