r"""Linear models of a smooth objective, found by L-BFGS.

A learner declares its data term, a mean over pairs, documents or queries, with its
gradient. The objective adds one penalty to it,

.. math:: L(w) + \frac{\lambda}{2} \sum_j (\rho_j w_j)^2,

with :math:`\rho_j` the largest range of feature j within a query, which is 1 for
features scaled to [0, 1] within each query, where the penalty is the plain
:math:`\tfrac\lambda2 \|w\|^2`. So neither the model's ranking nor the path to it
depends on units. A feature that is constant within every query is left out.

A convex objective is :math:`\lambda`-strongly convex in the scaled coefficients and
hence within :math:`\|\nabla\|^2 / 2 \lambda` of its minimum, which each step reports.

The steps are those of `rankcore.mathematics.lbfgs`.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from rankcore.algorithms.parts.forces import Forces, one_feature_each
from rankcore.algorithms.parts.ranker import (
    MEAN_OVER_QUERIES,
    NOTHING_TO_LEARN,
    LinearRanker,
)
from rankcore.algorithms.parts.scales import feature_ranges, reciprocal_or_zero
from rankcore.base.hyperparameters import logarithmic
from rankcore.base.numbers import three_digits
from rankcore.compute.executors import place
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.lbfgs import minimise
from rankcore.mathematics.products import dot, norm
from rankcore.training.steps import Start, Step, Steps

_CORRECTIONS = 20


class Loss(Protocol):
    """A data term, such as the mean of a loss over all pairs.

    Attributes
    ----------
    informative : bool
        Whether it depends on the coefficients at all.
    """

    informative: bool

    def __call__(self, w: np.ndarray) -> tuple[float, np.ndarray]:
        """Return its value at ``w`` (d,) and its gradient (d,)."""
        ...


class MeanLoss:
    """A data term that is summed block by block.

    Parameters
    ----------
    parts : list
        The blocks; their method ``sums`` takes coefficients (d,) and returns a block's
        part of the sum, and its gradient (d,).
    whole : float
        Total weight by which the sum is divided; 0 if nothing counts.
    """

    def __init__(self, parts: list[Any], whole: float) -> None:
        self._parts, self._whole = place(parts), whole or 1.0
        self.informative = whole > 0.0

    def __call__(self, w: np.ndarray) -> tuple[float, np.ndarray]:
        """Mean at ``w`` (d,) and its gradient (d,)."""
        value, gradient = self._parts.sum("sums", w)
        return value / self._whole, gradient / self._whole


def l2_penalty(default: float, sweep: tuple[float, ...], **limits: Any) -> Any:
    """Declare the weight of the penalty."""
    return logarithmic(
        default,
        (1e-6, 10.0),
        symbol=r"\lambda",
        label="Penalty",
        meaning="Weight of half the squared coefficients, with features in units of "
        "their range, relative to the mean loss.",
        sweep=sweep,
        **{"while_running": True} | limits,
    )


class Objective:
    """A data term and the penalty, of coefficients in units of the features' ranges.

    Parameters
    ----------
    ranges : (d,) float64
    origin : (d,) float64
        The coefficients that are the origin in the minimiser's units.
    sign : float
        1 to minimise the data term, -1 to maximise it.
    """

    def __init__(
        self,
        loss: Loss,
        ranges: np.ndarray,
        l2: float,
        origin: np.ndarray,
        sign: float = 1.0,
    ) -> None:
        self._loss, self._l2, self._sign = loss, l2, sign
        self._ranges, self._origin = ranges, origin
        self._units = reciprocal_or_zero(ranges)
        self._last_point: np.ndarray | None = None
        self._last_result = 0.0, np.empty(0)

    def coefficients(self, u: np.ndarray) -> np.ndarray:
        """Return the coefficients (d,) of the model."""
        return self._origin + self._units * u

    def over(self, loss: Loss) -> "Objective":
        """Return the objective with another data term."""
        return Objective(loss, self._ranges, self._l2, self._origin, self._sign)

    def curvature(self, hessian: np.ndarray) -> np.ndarray:
        """(d, d) second derivatives by ``u``; ``hessian`` is the data term's."""
        penalty = np.where(self._ranges > 0.0, self._l2, 1.0)
        return self._sign * np.outer(self._units, self._units) * hessian + np.diag(
            penalty
        )

    def __call__(self, u: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the value to be minimised, and its gradient by ``u``.

        The last result is cached, because a minimiser ends at its last evaluated point.
        """
        if self._last_point is None or not np.array_equal(u, self._last_point):
            w = self.coefficients(u)
            scaled = self._ranges * w
            value, gradient = self._loss(w)
            self._last_point = u.copy()
            self._last_result = (
                self._sign * value + 0.5 * self._l2 * dot(scaled, scaled),
                self._sign * self._units * gradient + self._l2 * scaled,
            )
        return self._last_result

    def descend(self, start: np.ndarray, tolerance: float) -> Iterator[np.ndarray]:
        """Yield L-BFGS's iterates from ``start``, both in the minimiser's units."""
        return minimise(self, start, tolerance, _CORRECTIONS)


@dataclass(eq=False, repr=False, kw_only=True)
class SmoothRanker(LinearRanker):
    """Base of the linear rankers with a smooth objective.

    A subclass declares the data term with `loss`, and with `l2_penalty` a different
    default penalty.

    Attributes
    ----------
    convex : bool
        Whether the data term is convex, or concave if it is maximised.
    """

    convex = True
    converges = True
    whole_labels = ""
    query_weights = MEAN_OVER_QUERIES
    signs_refusal = "Its optimiser, L-BFGS, does not support bounds on coefficients."
    resumes = True
    tuning_params = ("l2",)
    splits = True

    presets = {
        "Hardly penalised": {"l2": 1e-5},
        "Strongly penalised": {"l2": 1.0},
    }

    l2: float = l2_penalty(0.01, (0.1, 0.01, 0.001, 0.0001))
    gradient_tolerance: float = logarithmic(
        1e-6,
        (1e-9, 0.01),
        label="Smallest gradient",
        meaning="Training ends when no component of the gradient is larger, with "
        "features in units of their range.",
        advanced=True,
    )

    @abstractmethod
    def loss(self, dataset: RankingDataset, rng: np.random.Generator) -> Loss:
        """Return the data term of ``dataset``."""

    def forces(self, dataset: RankingDataset, scores: np.ndarray) -> Forces:
        rng = np.random.default_rng(self.random_state)
        value, gradient = self.loss(one_feature_each(dataset), rng)(scores)
        return Forces(float(value), gradient if self.maximises else -gradient)

    def iterates(
        self, dataset: RankingDataset, objective: Objective, start: np.ndarray
    ) -> Iterator[np.ndarray]:
        """Return the iterates after ``start`` (d,), in the minimiser's units; by
        default those of L-BFGS."""
        return objective.descend(start, self.gradient_tolerance)

    def steps(
        self, dataset: RankingDataset, rng: np.random.Generator, start: Start = None
    ) -> Steps:
        """Yield the start, by default zero, and the coefficients after each step.

        Diagnostics are the norm of the gradient, with features in units of their range,
        and, with a penalty, a bound on the distance of a convex objective from its
        optimum.
        """
        w = self._origin(dataset, start)
        loss, ranges = self.loss(dataset, rng), feature_ranges(dataset)
        sign = -1.0 if self.maximises else 1.0
        objective = Objective(loss, ranges, self.l2, w, sign)
        u = np.zeros_like(w)
        yield self._step(0, objective, u)
        if not loss.informative:
            return NOTHING_TO_LEARN
        for iteration, u in enumerate(self.iterates(dataset, objective, u), 1):  # noqa: B020
            yield self._step(iteration, objective, u)
        return self._ending(objective, u)

    def _origin(self, dataset: RankingDataset, start: np.ndarray | None) -> np.ndarray:
        if start is None:
            return np.zeros(dataset.n_features)
        return self.checked_start(start, dataset)

    def _step(self, iteration: int, objective: Objective, u: np.ndarray) -> Step:
        value, gradient = objective(u)
        return Step(
            iteration,
            objective.coefficients(u),
            -value if self.maximises else value,
            self._diagnostics(gradient),
        )

    def _diagnostics(self, gradient: np.ndarray) -> Mapping[str, float]:
        length = norm(gradient)
        if not self.convex or self.l2 == 0.0:
            return {"gradient norm": length}
        return {"gradient norm": length, "gap": length * length / (2.0 * self.l2)}

    def _ending(self, objective: Objective, u: np.ndarray) -> str:
        _, gradient = objective(u)
        largest = float(np.abs(gradient).max())
        if largest <= self.gradient_tolerance:
            reason = f"No component of the gradient exceeds {three_digits(largest)}"
        else:
            reason = (
                "The line search finds no better coefficients, with a largest "
                f"component of the gradient of {three_digits(largest)}"
            )
        gap = self._diagnostics(gradient).get("gap")
        if gap is None:
            return f"{reason}."
        return f"{reason}: the objective is within {three_digits(gap)} of its optimum."
