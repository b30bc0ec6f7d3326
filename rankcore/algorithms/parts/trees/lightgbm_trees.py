"""LightGBM's trees, grown one round at a time and read from its text format.

The package is imported when it is first used: it takes a second or two.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from rankcore.algorithms.parts.trees.boosting import rows_for_bins
from rankcore.algorithms.parts.trees.forests import Tree, lightgbm_trees
from rankcore.data.dataset import RankingDataset

_BIN = 3
# One thread, silent, and the same trees from the same data.
_DEFAULTS = {
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
    present: Callable[[], dict[str, Any]],
    group: np.ndarray | None = None,
    first: np.ndarray | None = None,
) -> Iterator[list[Tree]]:
    """Yield the trees of each round, one per class of the objective.

    It ends when LightGBM finds no split that improves anything.

    Parameters
    ----------
    dataset : RankingDataset
        The data, of which it uses the features and the order derived from them.
    labels : (n,) array
    parameters : dict
        LightGBM's own parameters, in addition to `_DEFAULTS`.
    rng : Generator
    present : callable
        Returns the current parameters; called before each round.
    group : (q,) int, optional
        Number of documents of each query, for ranking objectives.
    first : (n,) or (n, k) float64, optional
        Initial scores, which are not part of the trees.
    """
    import lightgbm

    now = present()
    settings = {**_DEFAULTS, **parameters, **now, "seed": int(rng.integers(2**31))}
    # Small leaves are useless if bins hold more documents than a leaf.
    settings["min_data_in_bin"] = min(_BIN, settings["min_data_in_leaf"])
    rows = rows_for_bins(dataset, rng)
    settings["bin_construct_sample_cnt"] = len(rows)
    limits = lightgbm.Dataset(dataset.X[rows], labels[rows], params=settings)
    data = lightgbm.Dataset(
        dataset.X, labels, limits, None, group, first, params=settings
    )
    booster = lightgbm.Booster(settings, data)
    iteration = 0
    while True:
        if present() != now:
            now = present()
            booster.reset_parameter(now)
        if booster.update():
            return
        yield lightgbm_trees(booster, iteration, dataset.has_missing)
        iteration += 1
