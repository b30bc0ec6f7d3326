r"""Least squares: regression on the labels as if they were measurements.

.. math::

    \min_w \frac{1}{n} \sum_i \big(w^\top (x_i - \bar x) - (y_i - \bar y)\big)^2
    + \frac{\lambda}{2} \|w\|^2,

the pointwise baseline, which ignores the ranking. Features and labels are centred over
all documents, which adds an intercept, or within each query, which adds one intercept
per query: then only differences between documents of one query count, as in a ranking.

A. E. Hoerl, R. W. Kennard, *Ridge regression: biased estimation for nonorthogonal
problems*, Technometrics 12:55-67, 1970; for ranking, D. Cossock, T. Zhang, *Subset
ranking using regression*, COLT 2006.

Complexity: O(n d^2), once; memory O(d^2) and the documents of one query in addition to
the data. The solution is exact, so there is one step.

Remarks: the usual form :math:`\sum (s - y)^2 + \mu \|w\|^2` has :math:`\mu = n \lambda
/ 2`. In the penalty, features are taken in units of their largest range within a query,
see `rankcore.algorithms.parts.smooth`.
"""

from dataclasses import dataclass

import numpy as np

from rankcore.algorithms.parts.forces import Forces
from rankcore.algorithms.parts.normal_equations import NormalEquations
from rankcore.algorithms.parts.ranker import (
    NOTHING_TO_LEARN,
    LinearRanker,
    QueryWeights,
)
from rankcore.algorithms.parts.scales import feature_ranges, graded_queries
from rankcore.algorithms.parts.smooth import l2_penalty
from rankcore.base.hyperparameters import choice
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.products import dot
from rankcore.training.steps import Start, Step, Steps


@dataclass(eq=False, repr=False, kw_only=True)
class LeastSquares(LinearRanker):
    """Ridge regression on the labels.

    Examples
    --------
    >>> import numpy as np
    >>> from rankcore import LeastSquares
    >>> X, y = np.array([[0.0], [0.5], [1.0]]), np.array([0, 1, 2])
    >>> LeastSquares(l2=0.0).fit(X, y, qid=None).coef_.round(6)
    array([2.])
    """

    title = "Least squares"
    family = "regression"
    summary = "Predicts the labels themselves, by ridge regression."
    whole_labels = ""
    equation = (
        r"\min_w \frac{1}{n} \sum_i \big(w^\top (x_i - \bar x) - (y_i - \bar y)\big)^2 "
        r"+ \frac{\lambda}{2} \|w\|^2"
    )
    paper = (
        "A. E. Hoerl, R. W. Kennard: Ridge regression: biased estimation for "
        "nonorthogonal problems. Technometrics 12:55-67, 1970. D. Cossock, T. Zhang: "
        "Subset ranking using regression. COLT 2006."
    )
    presets = {
        "Plain regression": {"l2": 0.0},
        "An intercept a query": {"centring": "queries"},
        "Strongly penalised": {"l2": 10.0},
    }
    query_weights = QueryWeights(
        True,
        "The squared error of a document has weight w_q, also in means.",
    )
    tuning_params = ("l2",)
    splits = True

    l2: float = l2_penalty(0.1, (1.0, 0.1, 0.01, 0.001), while_running=False)
    centring: str = choice(
        "documents",
        ("documents", "queries"),
        label="Centred over",
        meaning="Subtract from features and labels their mean over all documents, or "
        "over their query.",
    )

    def forces(self, dataset: RankingDataset, scores: np.ndarray) -> Forces:
        begins = dataset.offsets[: -1 if self.centring == "queries" else 1]
        error, each = dataset.y - scores, np.repeat(dataset.weights, dataset.lengths)
        lengths = np.diff(np.append(begins, dataset.n_documents))
        whole, n = np.add.reduceat(each, begins), float(each.sum())
        means = np.add.reduceat(each * error, begins) / whole
        error = error - np.repeat(means, lengths)
        return Forces(dot(each * error, error) / n, 2.0 / n * each * error)

    def steps(
        self, dataset: RankingDataset, rng: np.random.Generator, start: Start = None
    ) -> Steps:
        """Yield the start, by default zero, and the solution.

        The diagnostic is the mean squared error.
        """
        w = np.zeros(dataset.n_features)
        if start is not None:
            w = self.checked_start(start, dataset)
        equations = NormalEquations.of(dataset, self.centring == "queries")
        weights = 0.5 * self.l2 * feature_ranges(dataset) ** 2
        yield _step(0, equations, weights, w)
        if not graded_queries(dataset).any():
            return NOTHING_TO_LEARN
        w = equations.minimum(equations.n * weights)
        yield _step(1, equations, weights, w)
        return "The minimum is the solution of a system of linear equations."


def _step(
    iteration: int, equations: NormalEquations, weights: np.ndarray, w: np.ndarray
) -> Step:
    error = equations.mean_squared_error(w)
    objective = error + dot(weights, w**2)
    return Step(iteration, w, objective, {"mean squared error": error})
