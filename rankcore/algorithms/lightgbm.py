r"""LightGBM: LambdaMART, that is, regression trees boosted along LambdaRank's forces.

Each round fits a tree to the forces that LambdaRank exerts on the documents,

.. math::

    \lambda_i = \sum_{j:\, y_i > y_j} \frac{|\Delta\mathrm{NDCG}_{ij}|}
    {1 + e^{s_i - s_j}} - \sum_{j:\, y_j > y_i} \frac{|\Delta\mathrm{NDCG}_{ij}|}
    {1 + e^{s_j - s_i}},

and adds it, times the learning rate, to the scores. The model is not linear; it serves
as the most widely known reference.

C. J. C. Burges, *From RankNet to LambdaRank to LambdaMART: an overview*, Microsoft
Research, 2010. The trees are grown by LightGBM (G. Ke et al., *LightGBM: a highly
efficient gradient boosting decision tree*, NIPS 2017), which must be installed to
train, not to score.

A round costs O(n d) plus the pairs within the truncation level. LightGBM stores one
byte per value in addition to the data.

Deviations and readings

- LambdaMART has no loss of its own. The objective reported is NDCG@k on the training
  queries that have relevant documents; k is the truncation level.
- LightGBM scales the forces of a query by a function of their sum, and those of a pair
  by the difference of its scores (its ``lambdarank_norm``); this default is kept.
- It runs in one thread, so that two runs do not compete for the cores. One version of
  LightGBM grows the same trees from the same data on processors of one architecture.
- With more than 10,000 documents, a sample of 10,000 sets the bin boundaries.
- Documents that the trees do not distinguish are ranked in an order derived from their
  features, by initial scores of at most 1e-6; LightGBM would keep the order of the
  rows.
- The trees are read from LightGBM and scored here; scores equal its own predictions.
- A missing value takes, at each split, the branch that gained more in training.
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
    """LambdaMART with LightGBM's leaf-wise trees, where LightGBM is installed.

    Scores are sums of tree values; the objective reported is the training NDCG at the
    truncation level.
    """

    title = "LightGBM LambdaMART"
    summary = (
        "Boosts regression trees along the forces that NDCG exerts on pairs, always "
        "splitting the leaf with the largest gain; not linear."
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
        """Return the reason if queries are too long for LightGBM, or labels too
        large."""
        longest = int(dataset.lengths.max())
        if longest > _LONGEST_QUERY:
            return (
                f"LightGBM ranks at most {_LONGEST_QUERY} documents in a query, but "
                f"one has {longest}; keep only its best documents."
            )
        return super().unsupported_reason(dataset)

    def rounds(
        self, dataset: RankingDataset, rng: np.random.Generator
    ) -> Iterator[Tree]:
        """Yield the tree that LightGBM grows in each round."""
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
