r"""A single feature: the baseline that any learner has to beat.

.. math:: s_i = \pm x_{ij},

for a feature j given by name or number, such as BM25, with the sign that ranks the
training data better; or for the feature and sign that rank the data best.

The "BM25" rows of the LETOR benchmark are of this kind: T. Qin, T.-Y. Liu, J. Xu, H.
Li, *LETOR: a benchmark collection for research on learning to rank for information
retrieval*, Information Retrieval 13:346-374, 2010.

Complexity: O(n log n) per feature and sign, in one step; memory O(n) in addition to the
data. Documents of equal value are averaged over all their orders, so that the order of
the rows has no influence. Features that are constant within every query are skipped:
they cannot rank.
"""

from dataclasses import dataclass

import numpy as np

from rankcore.algorithms.parts.gain_sums import MeanOverTies
from rankcore.algorithms.parts.ranker import (
    BINARY_LOSS,
    NOTHING_TO_LEARN,
    LinearRanker,
    QueryWeights,
)
from rankcore.algorithms.parts.scales import feature_ranges, graded_queries
from rankcore.base.hyperparameters import choice, integer
from rankcore.data.dataset import RankingDataset
from rankcore.training.steps import Start, Step, Steps

_DIGITS = 12


@dataclass(eq=False, repr=False, kw_only=True)
class SingleFeature(LinearRanker):
    """Ranking by one feature.

    Examples
    --------
    >>> import numpy as np
    >>> from rankcore import SingleFeature
    >>> X, y = np.array([[3.0, 0.9], [1.0, 0.2], [2.0, 0.4]]), np.array([2, 0, 1])
    >>> SingleFeature(feature=2).fit(X, y, qid=None).coef_
    array([0., 1.])
    """

    title = "Single feature"
    family = "regression"
    summary = "Ranks by one feature: a chosen one, such as BM25, or the best one."
    equation = r"s_i = \pm x_{ij}"
    paper = (
        "T. Qin, T.-Y. Liu, J. Xu, H. Li: LETOR: a benchmark collection for research "
        "on learning to rank for information retrieval. Information Retrieval "
        "13:346-374, 2010."
    )
    maximises = True
    other_gain = "another measure to judge by"
    whole_labels = BINARY_LOSS
    query_weights = QueryWeights(
        False,
        "It chooses by the mean of a measure, in which every query counts the same.",
    )
    presets = {
        "The best by average precision": {"feature": "best"},
        "The best by nDCG@10": {"feature": "best", "criterion": "nDCG@10"},
        "The first feature": {"feature": 1},
    }

    feature: int | str = integer(
        "best",
        low=1,
        high=136,
        special=("best",),
        words=True,
        symbol="j",
        meaning="The feature's number, counted from 1, or its name; best chooses the "
        "feature that ranks the training data best.",
        sweep=("best",),
    )
    criterion: str = choice(
        "AP",
        ("AP", "nDCG@10", "nDCG", "RR", "P@10"),
        label="Judged by",
        meaning="The training measure that chooses the feature and its sign.",
        sweep=("AP", "nDCG@10"),
    )

    @property
    def exponential_gain(self) -> bool:
        return self.criterion.startswith("nDCG")

    def unsupported_reason(self, dataset: RankingDataset) -> str | None:
        """Return the reason if the data lacks the feature, or labels are too large."""
        names = dataset.feature_names
        if self.feature == "best" or self.feature in names:
            return super().unsupported_reason(dataset)
        if isinstance(self.feature, str):
            some = ", ".join(names[:3])
            return (
                f"There is no feature called {self.feature!r}; the data's features are "
                f"called {some}{' …' if len(names) > 3 else ''}."
            )
        if self.feature > len(names):
            return (
                f"There is no feature {self.feature}: the data has {len(names)}. Give "
                "a smaller number or a name."
            )
        return super().unsupported_reason(dataset)

    def steps(
        self, dataset: RankingDataset, rng: np.random.Generator, start: Start = None
    ) -> Steps:
        """Yield the start, by default zero, and the feature.

        The diagnostic is the feature's number.
        """
        w = np.zeros(dataset.n_features)
        if start is not None:
            w = self.checked_start(start, dataset)
        measure = MeanOverTies(dataset, self.criterion)
        first = measure.of_scores(self.scores(dataset.X, w)).sum() / dataset.n_queries
        yield Step(0, w, float(first))
        if not graded_queries(dataset).any():
            return NOTHING_TO_LEARN
        candidates = self._candidates(dataset)
        if len(candidates) == 0:
            if self.feature == "best":
                return "No feature varies within a query; the starting model is kept."
            return (
                f"Feature {self.feature} is constant within every query, so it ranks "
                "nothing; the starting model is kept."
            )
        values = measure.of_features().sum(axis=0) / dataset.n_queries
        upwards, downwards = np.round(np.split(values, 2), _DIGITS)[:, candidates]
        # Of equally good features choose the first, ascending before descending.
        at = int(np.argmax(np.maximum(upwards, downwards)))
        j, sign = candidates[at], 1.0 if upwards[at] >= downwards[at] else -1.0
        w = np.zeros(dataset.n_features)
        w[j] = sign
        value = values[j if sign > 0.0 else j + dataset.n_features]
        yield Step(1, w, float(value), {"feature": j + 1.0})
        more = "more" if sign > 0.0 else "less"
        return (
            f"Documents with {more} of feature {dataset.feature_names[j]} come first."
        )

    def _candidates(self, dataset: RankingDataset) -> np.ndarray:
        if self.feature == "best":
            chosen = np.arange(dataset.n_features)
        elif isinstance(self.feature, str):
            chosen = np.array([dataset.feature_names.index(self.feature)])
        else:
            chosen = np.array([self.feature - 1])
        return chosen[feature_ranges(dataset)[chosen] > 0.0]
