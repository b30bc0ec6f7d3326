r"""XGBoost: LambdaMART on level-wise trees.

Each round fits a tree to the forces that LambdaRank would move the documents by,

.. math::

    \lambda_i = \sum_{j:\, y_i > y_j} \frac{|\Delta\mathrm{NDCG}_{ij}|}
    {1 + e^{s_i - s_j}} - \sum_{j:\, y_j > y_i} \frac{|\Delta\mathrm{NDCG}_{ij}|}
    {1 + e^{s_j - s_i}},

and adds it, times the learning rate, to the scores. The model is not linear; it is here
as a reference that many people know.

C. J. C. Burges, *From RankNet to LambdaRank to LambdaMART: an overview*, Microsoft
Research, 2010. The trees are grown by XGBoost (T. Chen, C. Guestrin, *XGBoost: a
scalable tree boosting system*, KDD 2016), which must be installed to train, not to
score.

A round costs O(n d) beside the pairs within the truncation level. XGBoost keeps one
byte a value of the data beside it.

Deviations and readings

- LambdaMART has no loss of its own. The objective reported is NDCG@k on the training
  queries that have relevant documents, k the truncation level.
- XGBoost normalises the forces of a query (its ``lambdarank_normalization``); that is
  left as it is.
- It computes in single precision. The trees are read out of it and their thresholds
  moved between two single numbers, so that documents in double precision take the same
  way as they did in training; only the sum of the leaves' values differs, by about
  1e-6 of it.
- Documents that the trees do not tell apart are ranked in an order drawn from their
  features, by first scores of at most 1e-3; XGBoost would keep that of the rows.
- It runs in one thread, so that two trainings do not fight for the cores. One version
  of XGBoost grows the same trees from the same data on processors of one architecture.
- Of more than 10,000 documents a sample of 10,000 sets the limits of the bins. XGBoost
  is given them in an order drawn from their features, since its limits depend on it.
- Missing values that the data keeps take, at each split, the way that gained more in
  training.
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
    """LambdaMART on XGBoost's level-wise trees; offered where XGBoost is installed.

    Scores are sums of tree values; the objective reported is the training NDCG at the
    truncation level.
    """

    title = "XGBoost LambdaMART"
    summary = (
        "Boosts trees, splitting them level by level, along the forces that NDCG "
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
        meaning="Comparisons on the way to a leaf at most; 1 makes stumps.",
        sweep=(2, 4, 6),
    )
    min_child_weight: float = logarithmic(
        1.0,
        (0.0, 100.0),
        label="Curvature in a leaf",
        meaning="Second derivatives of the forces that a leaf must hold at least, "
        "which keeps leaves from following few documents.",
        sweep=(1.0, 10.0),
    )

    def unsupported_reason(self, dataset: RankingDataset) -> str | None:
        """Features beyond single precision, and too large labels."""
        if np.abs(dataset.limits).max() > _LARGEST:
            return (
                f"XGBoost computes in single precision, but a feature exceeds "
                f"{_LARGEST:.2g}; scale the features, or take their logarithms."
            )
        return super().unsupported_reason(dataset)

    def rounds(
        self, dataset: RankingDataset, rng: np.random.Generator
    ) -> Iterator[Tree]:
        """Yield the tree of each of XGBoost's rounds."""
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
    """Return the data as XGBoost keeps it, a byte a value."""
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
    """Return the largest double numbers that are less than ``conditions`` once rounded.

    XGBoost sends a document left when its feature, rounded to single precision, is
    *less* than the condition, a single number.
    """
    below = np.nextafter(conditions, np.float32(-np.inf))
    middle = 0.5 * (below.astype(np.float64) + conditions.astype(np.float64))
    rounds_up = middle.astype(np.float32) == conditions
    return np.where(rounds_up, np.nextafter(middle, -np.inf), middle)
