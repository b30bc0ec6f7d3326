"""LightGBM's trees, grown one round at a time and read out of its text format.

The package is imported when it is first used: it takes a second or two.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rankcore.algorithms._boosting import rows_for_bins
from rankcore.algorithms._forest import Tree, leaf
from rankcore.dataset import RankingDataset

if TYPE_CHECKING:
    import lightgbm

_BIN = 3
# One thread, silent, and the same trees from the same data.
_HOUSE = {
    "num_threads": 1,
    "verbose": -1,
    "deterministic": True,
    "force_row_wise": True,
    "feature_pre_filter": False,
}


def rounds(
    dataset: RankingDataset,
    labels: np.ndarray,
    parameters: Mapping[str, Any],
    rng: np.random.Generator,
    group: np.ndarray | None = None,
    first: np.ndarray | None = None,
) -> Iterator[list[Tree]]:
    """Yield the trees of each round, as many as the objective has classes.

    It ends when LightGBM finds no split that improves anything.

    Parameters
    ----------
    dataset : RankingDataset
        Its features are used, and the order that they give to the documents.
    labels : (n,) array
    parameters : dict
        LightGBM's own, beside those of the house.
    rng : Generator
    group : (q,) int, optional
        Documents of each query, where the objective ranks.
    first : (n,) or (n, k) float64, optional
        Scores that the first trees are added to; no part of the trees.
    """
    import lightgbm

    settings = {**_HOUSE, **parameters, "seed": int(rng.integers(2**31))}
    # Few documents in a leaf are of no use if bins hold more of them.
    settings["min_data_in_bin"] = min(_BIN, settings["min_data_in_leaf"])
    rows = rows_for_bins(dataset, rng)
    settings["bin_construct_sample_cnt"] = len(rows)
    limits = lightgbm.Dataset(dataset.X[rows], labels[rows], params=settings)
    data = lightgbm.Dataset(
        dataset.X, labels, limits, None, group, first, params=settings
    )
    booster = lightgbm.Booster(settings, data)
    iteration = 0
    while not booster.update():
        yield trees_of_round(booster, iteration)
        iteration += 1


def trees_of_round(booster: "lightgbm.Booster", iteration: int) -> list[Tree]:
    """The trees of one round, counted from 0."""
    text = booster.model_to_string(num_iteration=1, start_iteration=iteration)
    blocks = text.split("\nTree=")[1:]
    return [_tree(block.split("\n\n", 1)[0]) for block in blocks]


def _tree(block: str) -> Tree:
    """Read ``key=value`` lines; there, leaf k as a child is written -k - 1."""
    lines = (line.partition("=") for line in block.splitlines())
    texts = {key: value for key, _, value in lines}

    def column(name: str) -> np.ndarray:
        return np.array(texts[name].split(), dtype=np.float64)

    values = column("leaf_value")
    if len(values) == 1:
        return leaf(float(values[0]))
    splits, none = len(values) - 1, np.zeros(len(values))

    def child(name: str) -> np.ndarray:
        places = column(name)
        return np.append(np.where(places < 0, splits - 1 - places, places), none)

    return Tree(
        feature=np.append(column("split_feature"), none - 1),
        threshold=np.append(column("threshold"), none),
        left=child("left_child"),
        right=child("right_child"),
        value=np.append(np.zeros(splits), values),
        gain=np.append(column("split_gain"), none),
    )
