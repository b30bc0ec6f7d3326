"""Base of LightGBM and XGBoost: LambdaMART's rounds as steps of a growing forest."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankcore import measures
from rankcore.algorithms.parts.ranker import NOTHING_TO_LEARN, QueryWeights
from rankcore.algorithms.parts.scales import graded_queries
from rankcore.algorithms.parts.signs import bounds_of, feature_signs, refusal
from rankcore.algorithms.parts.trees.boosting import BoostedTrees
from rankcore.algorithms.parts.trees.forests import GrowingForest, Tree
from rankcore.base.hyperparameters import first_positions
from rankcore.base.numbers import counted, quoted
from rankcore.data.dataset import RankingDataset
from rankcore.training.steps import Start, Step, Steps

OVERVIEW = (
    "C. J. C. Burges: From RankNet to LambdaRank to LambdaMART: an overview. "
    "Microsoft Research, 2010."
)


@dataclass(eq=False, repr=False, kw_only=True)
class LambdaMART(BoostedTrees):
    """Base of the algorithms that boost trees along LambdaRank's forces."""

    query_weights = QueryWeights(
        False, "Its trees fit forces that are scaled within each query."
    )
    equation = (
        r"\max_s \frac1{|Q|} \sum_q \mathrm{NDCG}@k \text{ by } "
        r"s \leftarrow s + \eta\, \mathrm{tree}(\lambda), \quad "
        r"\lambda_i = \sum_{j:\, y_i > y_j} \frac{|\Delta\mathrm{NDCG}_{ij}|}"
        r"{1 + e^{s_i - s_j}} - \sum_{j:\, y_j > y_i} "
        r"\frac{|\Delta\mathrm{NDCG}_{ij}|}{1 + e^{s_j - s_i}}"
    )
    maximises = True
    whole_labels = "Its package looks up gains by integer label."
    exponential_gain = True
    takes_missing = True
    presets = {"Slow and steady": {"learning_rate": 0.01, "max_iter": 1000}}

    cutoff: int = first_positions(
        30,
        "Only pairs with a document among the first k exert forces; NDCG@k is "
        "the objective reported.",
        (10, 30),
        optional=False,
        label="Truncation level",
    )

    signs: str = feature_signs(
        "The permitted direction of scores as a feature rises, with all others fixed"
    )

    def directions(self, dataset: RankingDataset) -> list[int] | None:
        """Return the monotonicity of scores in each feature, for LightGBM and XGBoost:
        1, -1 or 0; None if all are free."""
        bounds = bounds_of(self.signs, dataset.feature_names)
        return None if bounds is None else bounds.directions.tolist()

    def unsupported_reason(self, dataset: RankingDataset) -> str | None:
        """Return the reason of the base class, or signs that trees lack."""
        if reason := refusal(self.signs, dataset):
            return reason
        bounds = bounds_of(self.signs, dataset.feature_names)
        if bounds is not None and bounds.fixed.any():
            at = int(np.argmax(bounds.fixed))
            return (
                "Trees have no coefficient that signs could fix at 0: remove the "
                f"feature {quoted(dataset.feature_names[at])} from the data instead."
            )
        return super().unsupported_reason(dataset)

    @abstractmethod
    def rounds(
        self, dataset: RankingDataset, rng: np.random.Generator
    ) -> Iterator[Tree]:
        """Yield the tree of each round, until no split improves anything."""

    @property
    def document_weights_refusal(self) -> str | None:
        return "Weights of documents would multiply their gradients, not their gains."

    def steps(
        self, dataset: RankingDataset, rng: np.random.Generator, start: Start = None
    ) -> Steps:
        """Yield the empty forest, then the forest after each round.

        Diagnostics are the number of trees and the leaves of the last one.
        """
        self.reject_start(start)
        forest, score = GrowingForest(), self.scorer(dataset.X)
        name = f"nDCG@{self.cutoff}"

        def step(iteration: int, leaves: float) -> Step:
            nodes = forest.nodes()
            value = measures.means(dataset, score(nodes), name, empty="skip")
            mean = float(np.nan_to_num(value[name]))
            figures = {"trees": float(iteration), "leaves of the last": leaves}
            return Step(iteration, nodes, mean, figures)

        yield step(0, 0.0)
        if not graded_queries(dataset).any():
            return NOTHING_TO_LEARN
        iteration = 0
        for iteration, tree in enumerate(self.rounds(dataset, rng), start=1):
            forest.add(tree)
            yield step(iteration, float((tree.feature < 0).sum()))
        return (
            f"After {counted(iteration, 'trees')} no split improves anything; ask for "
            "fewer documents in a leaf to go on."
        )
