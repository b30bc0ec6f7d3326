"""Structured rankers fitted within seconds, and settings for comparisons."""

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankcore.base.arrays import Floats
from rankcore.base.hyperparameters import hyperparameters
from rankcore.base.numbers import counted
from rankcore.data.dataset import RankingDataset
from rankcore.topics.margins.order import slacks
from rankcore.topics.margins.rounds import slack_weights
from rankcore.training import Stop, drive

if TYPE_CHECKING:
    from rankcore.algorithms import StructuredRanker


FEATURE_MAP = "feature_map"
# A limit on iterations rather than seconds: the same model on every machine.
QUICK = Stop(max_iterations=40)
QUICK_PRECISION = 1e-2
QUICK_PAIRS = 4_000_000
# Multiplications of the solver, about a second: ten times what mean feature maps need.
# The many constraints of summed maps would take minutes.
QUICK_WORK = 2e9


class QuickFit(NamedTuple):
    """A model trained briefly.

    Attributes
    ----------
    coef : (d,) float64
    reason : str
        Why training ended, as a sentence.
    passes : int
        Iterations taken.
    queries : int
        Number of first queries used for training.
    """

    coef: Floats
    reason: str
    passes: int
    queries: int


class LinearModel(NamedTuple):
    """A linear model.

    Attributes
    ----------
    coef : (d,) float64
    note : str
        Source of the coefficients, as a sentence.
    """

    coef: Floats
    note: str


def quick_fit(
    algorithm: "StructuredRanker", dataset: RankingDataset, pairs: int = QUICK_PAIRS
) -> QuickFit:
    """Train roughly: at most 40 iterations, to a precision of 0.01, with a limited
    number of multiplications in the solver.

    Parameters
    ----------
    algorithm : StructuredRanker
        Its own ``epsilon`` is not used.
    dataset : RankingDataset
        Data that the algorithm does not refuse.
    pairs : int
        With more pairs of documents than this, counted as squares of the queries'
        lengths, only the first queries are used, at least one.
    """
    few = max(int((np.cumsum(dataset.lengths**2) <= pairs).sum()), 1)
    train = dataset.subset(range(few)) if few < dataset.n_queries else dataset
    settings = {**algorithm.get_params(), "epsilon": QUICK_PRECISION}
    quick = type(algorithm)(**settings).within(QUICK_WORK)
    run = drive(quick, train, stop=QUICK, measures=())
    *_, last = run
    return QuickFit(run.best.coef, run.reason or "", last.iteration, few)


def quick_model(algorithm: "StructuredRanker", dataset: RankingDataset) -> LinearModel:
    """Return a model trained as by `quick_fit`; zero if the algorithm refuses the
    data."""
    refusal = algorithm.unsupported_reason(dataset)
    if refusal is not None:
        nothing = zero(dataset)
        return nothing._replace(note=f"{refusal} {nothing.note}")
    result = quick_fit(algorithm, dataset)
    some = result.queries < dataset.n_queries
    which = f" on the first {result.queries} queries" if some else ""
    passes = counted(result.passes, "iterations")
    note = f"{algorithm.title}, {passes}{which}. {result.reason}"
    return LinearModel(result.coef, note)


def least_squares(dataset: RankingDataset) -> LinearModel:
    """Return the linear model that predicts the label."""
    from rankcore.algorithms.least_squares import LeastSquares

    *_, last = drive(LeastSquares(), dataset, measures=())
    return LinearModel(last.coef, "Predicts the label, independent of the order.")


def zero(dataset: RankingDataset) -> LinearModel:
    """Return the model with all coefficients zero."""
    return LinearModel(np.zeros(dataset.n_features), "All scores are equal.")


def largest_slack(
    algorithm: "StructuredRanker",
    dataset: RankingDataset,
    coef: ArrayLike,
    loss: str | None = None,
) -> int:
    """Return the position of the query that is furthest from its margins; parameters as
    of `rankcore.topics.margins.order.Case`."""
    slack = slacks(algorithm, dataset, coef, loss, predicted=False)
    return int(np.argmax(np.where(slack.counted, slack.slack, -np.inf)))


def training_only(learner: "type[StructuredRanker]") -> tuple[str, ...]:
    """Return the hyperparameters that affect only training, not the slack of a given
    model: every C, and those of the solver."""
    from rankcore.algorithms import StructuredRanker

    shared = {field.name for field in fields(StructuredRanker)}
    shared_names = set(slack_weights(learner()))
    return tuple(
        name for name in hyperparameters(learner) if name in shared | shared_names
    )


def scaled_weights(algorithm: "StructuredRanker", total: float) -> dict[str, float]:
    """Return the C of each loss by name, in their ratio, with the sum ``total``.

    Raises
    ------
    ZeroDivisionError
        If every C of the algorithm is 0.
    """
    weights = slack_weights(algorithm)
    whole = sum(weights.values())
    return {name: value * total / whole for name, value in weights.items()}


def by_feature_map(algorithm: "StructuredRanker") -> "dict[str, StructuredRanker]":
    """Return the algorithm with each of its feature maps, by the map's name; by "" if
    there is only one."""
    declared = hyperparameters(algorithm).get(FEATURE_MAP)
    if declared is None:
        return {"": algorithm}
    params: Mapping[str, Any] = algorithm.get_params()
    return {
        name: type(algorithm)(**{**params, FEATURE_MAP: name})
        for name in declared.choices
    }
