"""Gradient descent on a loss whose pair weights depend on the current order."""

import copy
import logging
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rankcore.algorithms.parts.delta_weights import DeltaWeightedLoss
from rankcore.algorithms.parts.forces import Forces, score_as_feature
from rankcore.algorithms.parts.normal_equations import NormalEquations
from rankcore.algorithms.parts.ranker import (
    Derived,
    FeatureUnits,
    QueryWeights,
)
from rankcore.algorithms.parts.scales import reciprocal_or_zero
from rankcore.algorithms.parts.signs import SignedRanker
from rankcore.base.cancellation import cancel_point
from rankcore.base.draws import standard_normal
from rankcore.base.hyperparameters import choice, logarithmic
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.products import dot, norm
from rankcore.training.steps import Start, Step, Steps

_log = logging.getLogger(__name__)

_START_SPREAD = 0.01


@dataclass(eq=False, repr=False, kw_only=True)
class LambdaDescent(SignedRanker):
    """Base of RSRank and LambdaRank: sort, weight the pairs, take a gradient step.

    Where features have signs, each step ends at the nearest coefficients with these
    signs.
    """

    family = "pairwise"
    query_weights = QueryWeights(
        True,
        "The loss is Σ w_q L_q, which also sets the automatic step.",
    )
    splits = True

    learning_rate: float | str = logarithmic(
        "auto",
        (1e-6, 0.01),
        special=("auto",),
        symbol=r"\eta",
        meaning="Length of a step; auto derives it from the curvature of the loss.",
        sweep=("auto", 1e-5, 1e-4, 1e-3),
        while_running=True,
    )
    init: str = choice(
        "random",
        ("zeros", "random", "least_squares"),
        symbol=r"\beta_0",
        label="Start",
        meaning="Start of training: zero, where all documents tie; small random "
        "coefficients; or the least squares fit to the labels.",
        advanced=True,
    )

    @property
    def feature_units(self) -> FeatureUnits | None:
        if self.learning_rate == "auto":
            return None
        return FeatureUnits("a fixed learning rate", "set the learning rate to auto")

    @property
    def document_weights_refusal(self) -> str | None:
        return None

    @abstractmethod
    def loss(self, dataset: RankingDataset) -> DeltaWeightedLoss:
        """Return the loss on ``dataset``, whose pair weights depend on the scores."""

    def forces(self, dataset: RankingDataset, scores: np.ndarray) -> Forces:
        loss = self.loss(score_as_feature(dataset, scores))
        value, _ = loss(np.ones(1))
        return Forces(float(value), -loss.forces)

    def _penalty(self, beta: np.ndarray) -> float:
        """Return the penalty that the objective adds to the loss."""
        return 0.0

    def _after_step(
        self, iteration: int, beta: np.ndarray, eta: np.ndarray
    ) -> np.ndarray:
        """Post-process ``beta`` (d,) after a gradient step; by default unchanged."""
        return beta

    def steps(
        self, dataset: RankingDataset, rng: np.random.Generator, start: Start = None
    ) -> Steps:
        """Yield the start, then the state after each descent step.

        Diagnostics are the loss without any penalty, the norm of its gradient, the
        longest step length and the number of queries with pairs. Without any such query
        only the start is yielded.
        """
        loss, bounds = self.loss(dataset), self.bounds(dataset)
        cancel_point()
        beta = bounds.nearest(self._first(dataset, loss, rng, start))
        cancel_point()
        graded = int(loss.graded.sum())
        rate, eta = self.learning_rate, self.step_lengths(loss, rng)
        if graded and not beta.any():
            _log.warning(
                "All scores tie at zero coefficients, so the first step weights pairs "
                "by an arbitrary order of the documents."
            )
        iteration = 0
        while True:
            value, gradient = loss(beta)
            diagnostics = {
                "loss": value,
                "gradient norm": norm(gradient),
                "step length": float(eta.max()),
                "queries with pairs": float(graded),
            }
            yield Step(iteration, beta, value + self._penalty(beta), diagnostics)
            if not graded:
                return loss.nothing_to_learn
            if self.learning_rate != rate:
                rate, eta = self.learning_rate, self.step_lengths(loss, rng)
            iteration += 1
            point = self._after_step(iteration, beta - eta * gradient, eta)
            beta = bounds.nearest(point)

    def step_lengths(
        self, loss: DeltaWeightedLoss, rng: np.random.Generator
    ) -> np.ndarray:
        """Return the learning rate of each coefficient, with ``"auto"`` replaced by a
        value.

        That value is 1 / (largest eigenvalue of the Hessian), the longest step that
        never overshoots while the weights are fixed. The weights change with the order,
        and the eigenvalue is largest near the ideal order, so it is computed there.

        It is computed for features divided by their ranges, and each coefficient moves
        as that of the divided feature would. So all features on raw scales are learnt,
        none makes training diverge, and the minimum is unchanged; features scaled to
        [0, 1] within a query share one step length, as in the paper.
        """
        if self.learning_rate != "auto":
            return np.full(len(loss.ranges), float(self.learning_rate))
        return _automatic(loss, rng)

    def derived_values(self, dataset: RankingDataset) -> Mapping[str, Derived]:
        """Return the learning rate: the value of ``"auto"``, and the stability limit 2
        / (largest eigenvalue of the Hessian), above which a step of equal length in all
        coefficients may increase the loss."""
        dataset = dataset.standardised
        rng, loss = np.random.default_rng(self.random_state), self.loss(dataset)
        # A run draws its start before anything else, so the step must not draw first.
        self._first(dataset, loss, rng, None)
        again = copy.deepcopy(rng)
        steps = _automatic(loss, rng)
        steps = steps[steps > 0.0]
        if not steps.size:
            return {}
        curvature = loss.curvature(np.ones(dataset.n_features), again)
        rates = Derived(float(steps.max()), 2.0 / curvature, float(steps.min()))
        return {"learning_rate": rates}

    def _first(
        self,
        dataset: RankingDataset,
        loss: DeltaWeightedLoss,
        rng: np.random.Generator,
        start: np.ndarray | None,
    ) -> np.ndarray:
        if start is not None:
            return self.checked_start(start, dataset)
        if self.init == "zeros":
            return np.zeros(dataset.n_features)
        if self.init == "least_squares":
            return NormalEquations.of(dataset).minimum()
        beta = standard_normal(rng, dataset.n_features) * reciprocal_or_zero(
            loss.ranges
        )
        scores = self.scores(dataset.X, beta)[loss.rows]
        if dataset.is_weighted:
            each = np.repeat(dataset.weights, dataset.lengths)[loss.rows]
            each = each / each.sum()
            spread = float(np.sqrt(dot(each, (scores - dot(each, scores)) ** 2)))
        else:
            spread = float(np.std(scores))
        return beta * (_START_SPREAD / spread if spread > 0.0 else _START_SPREAD)


def _automatic(loss: DeltaWeightedLoss, rng: np.random.Generator) -> np.ndarray:
    """Step lengths (d,) of ``"auto"``, see `LambdaDescent.step_lengths`; 0 for a
    feature without influence."""
    if not loss.ranges.any():
        return np.zeros(len(loss.ranges))
    units = reciprocal_or_zero(loss.ranges)
    return units**2 / loss.curvature(units, rng)
