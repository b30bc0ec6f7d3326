r"""XGBoost: LambdaMART with level-wise trees.

Each round fits a tree to the forces that LambdaRank exerts on the documents,

.. math::

    \lambda_i = \sum_{j:\, y_i > y_j} \frac{|\Delta\mathrm{NDCG}_{ij}|}
    {1 + e^{s_i - s_j}} - \sum_{j:\, y_j > y_i} \frac{|\Delta\mathrm{NDCG}_{ij}|}
    {1 + e^{s_j - s_i}},

and adds it, times the learning rate, to the scores. The model is not linear; it serves
as a widely known reference.

C. J. C. Burges, *From RankNet to LambdaRank to LambdaMART: an overview*, Microsoft
Research, 2010. The trees are grown by XGBoost (T. Chen, C. Guestrin, *XGBoost: a
scalable tree boosting system*, KDD 2016), which must be installed to train, not to
score.

A round costs O(n d) plus the pairs within the truncation level. XGBoost stores one byte
per value in addition to the data.

Deviations and readings

- LambdaMART has no loss of its own. The objective reported is NDCG@k on the training
  queries that have relevant documents; k is the truncation level.
- XGBoost normalises the forces of a query (its ``lambdarank_normalization``); this
  default is kept.
- It computes in single precision. The trees are read from it and their thresholds moved
  between two single-precision numbers, so that documents in double precision take the
  same branches as in training; only the sum of the leaf values differs, by about 1e-6
  of it.
- Documents that the trees do not distinguish are ranked in an order derived from their
  features, by initial scores of at most 1e-3; XGBoost would keep the order of the rows.
- It runs in one thread, so that two runs do not compete for the cores. One version of
  XGBoost grows the same trees from the same data on processors of one architecture.
- With more than 10,000 documents, a sample of 10,000 sets the bin boundaries. XGBoost
  receives it in an order derived from the features, because the boundaries depend on
  the order.
- A missing value takes, at each split, the branch that gained more in training.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankcore.algorithms.parts.content_order import content_order
from rankcore.algorithms.parts.trees.boosting import rows_for_bins
from rankcore.algorithms.parts.trees.forests import Tree
from rankcore.algorithms.parts.trees.lambda_mart import OVERVIEW, LambdaMART
from rankcore.base.hyperparameters import integer, logarithmic
from rankcore.data.dataset import RankingDataset

if TYPE_CHECKING:
    import xgboost

_LARGEST = float(np.finfo(np.float32).max)
_SPREAD = 1e-3


@dataclass(eq=False, repr=False, kw_only=True)
class XGBoost(LambdaMART):
    """LambdaMART with XGBoost's level-wise trees, where XGBoost is installed.

    Scores are sums of tree values; the objective reported is the training NDCG at the
    truncation level.
    """

    title = "XGBoost LambdaMART"
    summary = (
        "Boosts regression trees, grown level by level, along the forces that NDCG "
        "exerts on pairs; not linear."
    )
    paper = (
        f"{OVERVIEW} Trees: T. Chen, C. Guestrin: XGBoost: a scalable tree boosting "
        "system. KDD 2016."
    )
    presets = {
        "Stumps": {"depth": 1},
        "Deep trees overfit": {"depth": 10, "min_child_weight": 0.0},
        **LambdaMART.presets,
    }
    tuning_params = ("depth",)
    requires = ("xgboost",)

    depth: int = integer(
        4,
        low=1,
        high=12,
        maximum=30,
        label="Depth of a tree",
        meaning="Maximum number of comparisons on the path to a leaf; 1 makes stumps.",
        sweep=(2, 4, 6),
    )
    min_child_weight: float = logarithmic(
        1.0,
        (0.0, 100.0),
        label="Curvature in a leaf",
        meaning="Minimum sum of second derivatives in a leaf, which keeps leaves from "
        "fitting few documents.",
        sweep=(1.0, 10.0),
    )

    def unsupported_reason(self, dataset: RankingDataset) -> str | None:
        """Return the reason if features or labels are too large."""
        if np.abs(dataset.limits).max() > _LARGEST:
            return (
                f"XGBoost computes in single precision, but a feature exceeds "
                f"{_LARGEST:.2g}; scale the features, or take their logarithms."
            )
        return super().unsupported_reason(dataset)

    def rounds(
        self, dataset: RankingDataset, rng: np.random.Generator
    ) -> Iterator[Tree]:
        """Yield the tree that XGBoost grows in each round."""
        import xgboost

        settings = {
            "objective": "rank:ndcg",
            "lambdarank_pair_method": "topk",
            "lambdarank_num_pair_per_sample": self.cutoff,
            "max_depth": self.depth,
            "min_child_weight": self.min_child_weight,
            "tree_method": "hist",
            "base_score": 0.0,
            "nthread": 1,
            "verbosity": 0,
            "seed": int(rng.integers(2**31)),
        }
        if (directions := self.directions(dataset)) is not None:
            settings["monotone_constraints"] = tuple(directions)
        data = binned(dataset, rng)
        data.set_base_margin(content_order(dataset).scores(_SPREAD))
        booster = xgboost.Booster(settings, [data])
        iteration = 0
        while True:
            booster.set_param(self.present())
            booster.update(data, iteration)
            tree = tree_of_round(booster, iteration, dataset.has_missing)
            if len(tree.feature) == 1:
                return
            yield tree
            iteration += 1


def binned(
    dataset: RankingDataset, rng: np.random.Generator
) -> "xgboost.QuantileDMatrix":
    """Return the data as XGBoost stores it, one byte per value."""
    import xgboost

    values = dataset.X[rows_for_bins(dataset, rng)].astype(np.float32)
    limits = xgboost.QuantileDMatrix(values, nthread=1)
    query = np.repeat(np.arange(dataset.n_queries), dataset.lengths)
    return xgboost.QuantileDMatrix(
        dataset.X, dataset.y, qid=query, ref=limits, nthread=1
    )


def tree_of_round(
    booster: "xgboost.Booster", iteration: int, missing: bool = False
) -> Tree:
    """Return the tree of one round, counted from 0; ``missing`` says whether the data
    had missing values."""
    text = bytes(booster[iteration : iteration + 1].save_raw("json"))
    nodes = json.loads(text)["learner"]["gradient_booster"]["model"]["trees"][0]
    left, right = np.array(nodes["left_children"]), np.array(nodes["right_children"])
    leaf = left < 0
    conditions = np.array(nodes["split_conditions"], dtype=np.float32)
    ways = np.where(nodes["default_left"], -1.0, 1.0) * missing
    return Tree(
        feature=np.where(leaf, -1, nodes["split_indices"]),
        threshold=np.where(leaf, 0.0, last_below(conditions)),
        left=np.where(leaf, 0, left),
        right=np.where(leaf, 0, right),
        value=np.where(leaf, conditions.astype(np.float64), ways),
        gain=np.where(leaf, 0.0, nodes["loss_changes"]),
    )


def last_below(conditions: np.ndarray) -> np.ndarray:
    """Return the largest doubles that are below ``conditions`` once rounded to single.

    XGBoost sends a document left when its feature, rounded to single precision, is
    *less* than the condition, a single-precision number.
    """
    below = np.nextafter(conditions, np.float32(-np.inf))
    middle = 0.5 * (below.astype(np.float64) + conditions.astype(np.float64))
    rounds_up = middle.astype(np.float32) == conditions
    return np.where(rounds_up, np.nextafter(middle, -np.inf), middle)
