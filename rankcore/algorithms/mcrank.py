r"""McRank: ranking by classifying documents into their labels.

Boosted trees estimate the probability of each label k for a document, and documents are
ranked by their expected gain,

.. math::

    s(x) = \sum_k \hat p_k(x)\, (2^k - 1) \qquad\text{or}\qquad
    s(x) = \sum_k \hat p_k(x)\, k .

``multinomial`` grows one tree per label and round on the cross-entropy of
:math:`\hat p = \mathrm{softmax}(F)`; ``ordinal`` grows one tree for each label except
the lowest, a logistic model of :math:`P(y \ge k)`; the differences of these
probabilities are the :math:`\hat p_k`. The objective reported is the mean over
documents of :math:`-\ln \hat p_y`, or of the sum of the logistic losses.

A round costs O(K n d) for K labels and stores one byte per value besides the data.

Deviations and readings

- Documents are classified one by one; queries play no part in training.
- The paper bounds 1 - NDCG by the square root of the classification error, so a perfect
  classifier ranks perfectly. Ranking by the most likely label would tie most documents;
  hence the expected gain.
- Trees are scikit-learn's histogram trees or LightGBM's, both in one thread; one
  version of either grows the same trees on processors of one architecture. All trees
  are stored and scored by `rankcore._kernels.models.forest`.
- By default trees are stumps, and there are 100 rounds: larger trees soon overfit a few
  thousand documents with noisy labels, as in a fold of OHSUMED. With more documents, or
  validation data for early stopping, larger trees and more rounds pay off.
- For ordinal models the expected gain uses the probabilities without correction. Those
  of neighbouring labels may be slightly inconsistent.
"""

import importlib.util
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankcore.algorithms.parts.ranker import QueryWeights
from rankcore.algorithms.parts.trees import lightgbm_trees
from rankcore.algorithms.parts.trees.boosting import (
    BoostedTrees,
    documents_in_a_leaf,
    fewest_in_a_leaf,
    leaves,
    rounds,
)
from rankcore.algorithms.parts.trees.forests import (
    GrowingForest,
    GrowingTotals,
    Tree,
    leaf,
)
from rankcore.algorithms.parts.trees.histogram_trees import HistogramTrees
from rankcore.base.cancellation import cancel_point
from rankcore.base.forest_columns import OUTPUT, VALUE
from rankcore.base.hyperparameters import choice
from rankcore.base.numbers import counted
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.elementary import exp, exp2, log, logistic, softplus
from rankcore.mathematics.products import times_vector
from rankcore.training.steps import Start, Step, Steps

_MOST_LABELS = 32
_ONE_LABEL = (
    "All documents have the same label, so there is nothing to learn; the starting "
    "model is kept."
)


@dataclass(eq=False, repr=False, kw_only=True)
class McRank(BoostedTrees):
    """McRank: expected gain under boosted classification trees.

    The model keeps one sum of trees for each label.
    """

    title = "McRank"
    summary = (
        "Estimates the probability of each label for a document and ranks by the "
        "expected gain; not linear."
    )
    equation = (
        r"\min_F -\sum_i \ln \hat p_{y_i}(x_i), \quad \hat p = \mathrm{softmax}(F), "
        r"\quad s(x) = \sum_k \hat p_k(x)\, (2^k - 1)"
    )
    paper = (
        "P. Li, C. J. C. Burges, Q. Wu: McRank: learning to rank using multiple "
        "classification and gradient boosting. NIPS 2007."
    )
    other_gain = "the linear gain"
    whole_labels = "It learns the probability of each label as a class."
    query_weights = QueryWeights(
        False, "It classifies documents one by one, without regard to queries."
    )
    presets = {
        "Multiple classification": {"classes": "multinomial"},
        "Ordinal classification": {"classes": "ordinal"},
        "Large trees overfit": {"n_leaves": 15, "max_iter": 200},
    }
    tuning_params = ("classes", "n_leaves")

    classes: str = choice(
        "multinomial",
        ("multinomial", "ordinal"),
        label="Model of the labels",
        meaning="Model the labels as unordered classes, or as an ordered scale with a "
        "threshold between neighbouring labels.",
        sweep=("multinomial", "ordinal"),
    )
    gain: str = choice(
        "exponential",
        ("exponential", "linear"),
        label="Gain of a label",
        meaning="Rank by the expected value of 2^k - 1, or of the label k itself.",
        sweep=("exponential", "linear"),
    )
    trees: str = choice(
        "scikit-learn",
        ("scikit-learn", "lightgbm"),
        label="Trees grown by",
        meaning="The library that grows the trees; LightGBM only if installed.",
        advanced=True,
    )
    n_leaves: int = leaves(2, (2, 4, 8))
    min_documents: int | str = documents_in_a_leaf()
    max_iter: int = rounds(100)

    @property
    def exponential_gain(self) -> bool:
        return self.gain == "exponential"

    def unsupported_reason(self, dataset: RankingDataset) -> str | None:
        """Return the reason if labels do not fit, or LightGBM is missing."""
        labels = np.unique(dataset.y)
        if len(labels) > _MOST_LABELS:
            return (
                f"McRank grows trees for each label, but there are {len(labels)}; use "
                f"at most {_MOST_LABELS} grades."
            )
        if self.trees == "lightgbm" and not _lightgbm_is_installed():
            return (
                "LightGBM is not installed here: choose scikit-learn's trees, or "
                "install the package lightgbm."
            )
        return super().unsupported_reason(dataset)

    def steps(
        self, dataset: RankingDataset, rng: np.random.Generator, start: Start = None
    ) -> Steps:
        """Yield a model of the label frequencies, then that after each round.

        Diagnostics are the number of trees and the share of documents whose label is
        the most likely one.
        """
        self.reject_start(start)
        labels, target = np.unique(dataset.y, return_inverse=True)
        forest, growing = GrowingForest(), GrowingTotals(dataset.X)
        priors = self._priors(np.bincount(target) / len(target))
        for label, prior in zip(labels, priors, strict=True):
            forest.add(leaf(prior), int(label))

        def totals() -> np.ndarray:
            return growing(forest.nodes())[0]

        yield self._step(0, forest.nodes(), totals(), target)
        if len(labels) == 1:
            return _ONE_LABEL
        grow = self._lightgbm if self.trees == "lightgbm" else self._scikit_learn
        iteration = 0
        for grown in grow(dataset, target, priors, totals, rng):
            for k, tree in grown:
                forest.add(tree, int(labels[k]))
            iteration += 1
            yield self._step(iteration, forest.nodes(), totals(), target)
        return (
            f"After {counted(iteration, 'rounds')} no split improves anything; ask "
            "for fewer documents in a leaf to go on."
        )

    def probabilities(self, totals: np.ndarray) -> np.ndarray:
        """Probabilities (n, k) of the labels from the sums (n, k) of their trees."""
        if self.classes == "multinomial":
            p = exp(totals - totals.max(axis=1, keepdims=True))
            return p / p.sum(axis=1, keepdims=True)
        at_least = logistic(totals)
        at_least[:, 0] = 1.0
        at_least[:, :-1] -= at_least[:, 1:]
        return at_least

    def combined(self, totals: np.ndarray, outputs: np.ndarray) -> np.ndarray:
        """Return the expected gains (n,) of documents; ``outputs`` are the labels."""
        gains = exp2(outputs) - 1.0 if self.gain == "exponential" else outputs
        return times_vector(self.probabilities(totals), gains)

    def additive(self, coef: np.ndarray) -> np.ndarray:
        """With two labels, the expected gain increases with the difference of their
        sums; with more, no sum of trees gives the same order."""
        labels = np.unique(coef[:, OUTPUT])
        if len(labels) > 2:
            raise ValueError(
                f"McRank's score for {len(labels)} labels is an expected gain, not a "
                "sum of trees, and only RankScope's own format holds it. Train on two "
                "labels, or with another algorithm."
            )
        above = coef[:, OUTPUT] == labels[-1]
        if self.classes == "ordinal":
            return coef[above]
        signed = coef.copy()
        signed[~above, VALUE] *= -1.0
        return signed

    def _step(
        self, iteration: int, nodes: np.ndarray, totals: np.ndarray, target: np.ndarray
    ) -> Step:
        p = self.probabilities(totals)
        trees = iteration * (p.shape[1] - (self.classes == "ordinal"))
        figures = {
            "trees": float(trees),
            "right labels": float((p.argmax(axis=1) == target).mean()),
        }
        return Step(iteration, nodes, self._loss(totals, p, target), figures)

    def _loss(self, totals: np.ndarray, p: np.ndarray, target: np.ndarray) -> float:
        if self.classes == "multinomial":
            top = totals.max(axis=1)
            norm = top + log(exp(totals - top[:, None]).sum(axis=1))
            return float((norm - totals[np.arange(len(target)), target]).mean())
        above = target[:, None] >= np.arange(1, totals.shape[1])
        signed = np.where(above, -totals[:, 1:], totals[:, 1:])
        return float(softplus(signed).sum(axis=1).mean())

    def _priors(self, shares: np.ndarray) -> np.ndarray:
        """Return the sums (k,) that give the shares (k,) as probabilities."""
        if self.classes == "multinomial":
            logs = log(shares)
            return logs - logs.mean()
        at_least = np.cumsum(shares[::-1])[::-1]
        at_least[0] = 0.5
        return log(at_least / (1.0 - at_least))

    def _scikit_learn(
        self,
        dataset: RankingDataset,
        target: np.ndarray,
        priors: np.ndarray,
        totals: Callable[[], np.ndarray],
        rng: np.random.Generator,
    ) -> Iterator[list[tuple[int, Tree]]]:
        """Yield each round's trees with the number of their label."""
        trees = HistogramTrees(
            dataset.X,
            max_leaf_nodes=self.n_leaves,
            min_samples_leaf=fewest_in_a_leaf(self.min_documents, len(target)),
        )
        ordinal = self.classes == "ordinal"
        labels = range(int(ordinal), len(priors))
        while True:
            F = totals()
            p = logistic(F) if ordinal else self.probabilities(F)
            now = {"l2_regularization": self.l2, "shrinkage": self.learning_rate}
            grown = []
            for k in labels:
                cancel_point()
                wanted = target >= k if ordinal else target == k
                slope, share = p[:, k] - wanted, p[:, k]
                grown.append((k, trees.grow(slope, share * (1.0 - share), **now)))
            if all(len(tree.feature) == 1 for _, tree in grown):
                return
            yield grown

    def _lightgbm(
        self,
        dataset: RankingDataset,
        target: np.ndarray,
        priors: np.ndarray,
        totals: Callable[[], np.ndarray],
        rng: np.random.Generator,
    ) -> Iterator[list[tuple[int, Tree]]]:
        """Yield each round's trees with the number of their label."""
        settings: dict[str, Any] = {
            "num_leaves": self.n_leaves,
            "min_data_in_leaf": fewest_in_a_leaf(self.min_documents, len(target)),
        }
        if self.classes == "multinomial":
            settings |= {"objective": "multiclass", "num_class": len(priors)}
            first = np.tile(priors, (len(target), 1))
            for trees in lightgbm_trees.rounds(
                dataset, target, settings, rng, self.present, first=first
            ):
                yield list(enumerate(trees))
            return
        settings |= {"objective": "binary"}
        models = [
            lightgbm_trees.rounds(
                dataset,
                target >= k,
                settings,
                rng,
                self.present,
                first=np.full(len(target), priors[k]),
            )
            for k in range(1, len(priors))
        ]
        for grown in itertools.zip_longest(*models, fillvalue=()):
            yield [(k, tree) for k, trees in enumerate(grown, 1) for tree in trees]


def _lightgbm_is_installed() -> bool:
    return importlib.util.find_spec("lightgbm") is not None
