"""scikit-learn's histogram trees, grown one at a time.

`sklearn.ensemble.HistGradientBoostingClassifier` sorts the data into bins again, and
scores it by all trees again, for each further round: seven times the
work. So its two private parts are used here directly; a test compares the trees with
those of the public class, in case a new version changes their meaning. Bin boundaries
come from all documents; from more than 200,000, the public class draws a sample that
depends on their order.
"""

from typing import Any

import numpy as np

from rankcore.algorithms.parts.trees.forests import Tree

_BINS = 256


class HistogramTrees:
    """Grows regression trees on the features of a data set, which are binned once.

    Parameters
    ----------
    X : (n, d) float64
    **settings
        Settings of scikit-learn's grower: ``max_leaf_nodes``, ``min_samples_leaf``,
        ``l2_regularization``, ``shrinkage``.
    """

    def __init__(self, X: np.ndarray, **settings: Any) -> None:
        from sklearn.ensemble._hist_gradient_boosting.binning import _BinMapper

        self._mapper = _BinMapper(n_bins=_BINS, subsample=None, n_threads=1)
        self._binned = np.asfortranarray(self._mapper.fit_transform(X))
        self._settings = settings

    def grow(
        self, gradients: np.ndarray, hessians: np.ndarray, **settings: Any
    ) -> Tree:
        """Return the tree that takes a Newton step for gradients (n,); further settings
        apply to this tree only."""
        from sklearn.ensemble._hist_gradient_boosting.grower import TreeGrower

        grower = TreeGrower(
            self._binned,
            gradients.astype(np.float32),
            hessians.astype(np.float32),
            n_bins=_BINS,
            n_bins_non_missing=self._mapper.n_bins_non_missing_,
            n_threads=1,
            **self._settings | settings,
        )
        grower.grow()
        thresholds = self._mapper.bin_thresholds_
        return tree_of(grower.make_predictor(binning_thresholds=thresholds).nodes)


def tree_of(nodes: np.ndarray) -> Tree:
    """Return a tree from the nodes of scikit-learn's predictor."""
    leaf = nodes["is_leaf"].astype(bool)

    def inside(name: str, otherwise: float = 0.0) -> np.ndarray:
        """Return a column of the splits, with another value at leaves."""
        return np.where(leaf, otherwise, nodes[name].astype(np.float64))

    return Tree(
        feature=inside("feature_idx", -1.0),
        threshold=inside("num_threshold"),
        left=inside("left"),
        right=inside("right"),
        value=np.where(leaf, nodes["value"], 0.0),
        gain=inside("gain"),
    )
