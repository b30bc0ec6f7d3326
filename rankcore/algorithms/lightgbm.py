r"""LightGBM: LambdaMART, regression trees boosted along LambdaRank's forces.

Each round fits a tree to the forces that LambdaRank would move the documents by,

.. math::

    \lambda_i = \sum_{j:\, y_i > y_j} \frac{|\Delta\mathrm{NDCG}_{ij}|}
    {1 + e^{s_i - s_j}} - \sum_{j:\, y_j > y_i} \frac{|\Delta\mathrm{NDCG}_{ij}|}
    {1 + e^{s_j - s_i}},

and adds it, times the learning rate, to the scores. The model is not linear; it is here
as the reference that most people know.

C. J. C. Burges, *From RankNet to LambdaRank to LambdaMART: an overview*, Microsoft
Research, 2010. The trees are grown by LightGBM (G. Ke et al., *LightGBM: a highly
efficient gradient boosting decision tree*, NIPS 2017), which must be installed to
train, not to score.

A round costs O(n d) beside the pairs within the truncation level. LightGBM keeps one
byte a value of the data beside it.

Deviations and readings

- LambdaMART has no loss of its own. The objective reported is NDCG@k on the training
  queries that have relevant documents, k the truncation level.
- LightGBM scales the forces of a query by a function of their sum, and those of a pair
  by the difference of its scores (its ``lambdarank_norm``); that is left as it is.
- It runs in one thread, so that two trainings do not fight for the cores. One version
  of LightGBM grows the same trees from the same data on processors of one architecture.
- Of more than 10,000 documents a sample of 10,000 sets the limits of the bins.
- Documents that the trees do not tell apart are ranked in an order drawn from their
  features, by first scores of at most 1e-6; LightGBM would keep that of the rows.
- The trees are read out of LightGBM and scored here, equal to its own prediction.
- Missing values that the data keeps take, at each split, the way that gained more in
  training.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankcore.algorithms.parts.content_order import content_order
from rankcore.algorithms.parts.trees import lightgbm_trees
from rankcore.algorithms.parts.trees.boosting import (
    documents_in_a_leaf,
    fewest_in_a_leaf,
    leaves,
)
from rankcore.algorithms.parts.trees.forests import Tree
from rankcore.algorithms.parts.trees.lambda_mart import OVERVIEW, LambdaMART
from rankcore.data.dataset import RankingDataset

_LONGEST_QUERY = 10_000
_SPREAD = 1e-6


@dataclass(eq=False, repr=False, kw_only=True)
class LightGBM(LambdaMART):
    """LambdaMART on LightGBM's leaf-wise trees; offered where LightGBM is installed.

    Scores are sums of tree values; the objective reported is the training NDCG at the
    truncation level.
    """

    title = "LightGBM LambdaMART"
    summary = (
        "Boosts trees, always splitting the leaf that gains most, along the forces "
        "that NDCG exerts on pairs; not linear."
    )
    paper = (
        f"{OVERVIEW} Trees: G. Ke et al.: LightGBM: a highly efficient gradient "
        "boosting decision tree. NIPS 2017."
    )
    presets = {
        "Stumps": {"n_leaves": 2},
        "Large trees overfit": {"n_leaves": 127, "min_documents": 5},
        **LambdaMART.presets,
        "LightGBM's own defaults": {"n_leaves": 31, "learning_rate": 0.1, "l2": 0.0},
    }
    tuning_params = ("n_leaves",)
    requires = ("lightgbm",)

    n_leaves: int = leaves(7, (3, 7, 15, 31))
    min_documents: int | str = documents_in_a_leaf()

    def unsupported_reason(self, dataset: RankingDataset) -> str | None:
        """Return queries longer than LightGBM permits, and too large labels."""
        longest = int(dataset.lengths.max())
        if longest > _LONGEST_QUERY:
            return (
                f"LightGBM ranks at most {_LONGEST_QUERY} documents in a query, but "
                f"one has {longest}; take its best documents only."
            )
        return super().unsupported_reason(dataset)

    def rounds(
        self, dataset: RankingDataset, rng: np.random.Generator
    ) -> Iterator[Tree]:
        """Yield the tree of each of LightGBM's rounds."""
        settings = {
            "objective": "lambdarank",
            "lambdarank_truncation_level": self.cutoff,
            "label_gain": [2**label - 1 for label in range(int(dataset.y.max()) + 1)],
            "num_leaves": self.n_leaves,
            "min_data_in_leaf": fewest_in_a_leaf(
                self.min_documents, dataset.n_documents
            ),
        }
        if (directions := self.directions(dataset)) is not None:
            settings["monotone_constraints"] = directions
        first = content_order(dataset).scores(_SPREAD)
        for trees in lightgbm_trees.rounds(
            dataset, dataset.y, settings, rng, self.present, dataset.lengths, first
        ):
            yield from trees
