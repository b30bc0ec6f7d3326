"""Trade-offs: which models are worth their cost, and which one is enough."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcore.algorithms import Ranker
from rankcore.base.hyperparameters import Value
from rankcore.base.numbers import rounded
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.statistics import Interval, mean_interval
from rankcore.measures import evaluate
from rankcore.studies.models import document_scores
from rankcore.topics.explore.model_study import ModelPlan, time_left
from rankcore.topics.sparsity.changes import RelativeChange, relative_change
from rankcore.training import Stop, drive, every
from rankcore.training.selection import BEST

# Training that a test may wait for.
MOST_SECONDS = 10.0


@dataclass(frozen=True, eq=False)
class CandidateModel:
    """A model that can be chosen.

    Attributes
    ----------
    key : str
        Tells it from the others.
    origin : str
        Where it was computed, one of `rankcore.topics.explore.computed.ORIGINS`.
    ranker : Ranker
        With its hyperparameters, not fitted; over several seeds that of the best run.
    settings : dict of str to value
        The hyperparameters that tell it from others.
    value : float
        The measure by which it is chosen, the mean over its runs.
    kept, seconds : float
        Features in use, and training time; means over its runs.
    terms : ModelPlan
        The data, measure and rules that models have in common to be compared.
    seeds : tuple of int or None
        Of its runs.
    stop : Stop or None
        The limits of its training.
    measures : tuple of str
        The first one chooses its best iteration.
    measured_every : int
    coef : array or None
        Of that run, where it is known.
    stored : callable or None
        Gives the fitted model of an ``at``, where a store keeps it.
    at : str
        The model of that run, as of `rankcore.training.selection.select`: its
        iteration, or ``"best"`` over folds, whose runs have other data.
    chosen : str
        That and how it was chosen, in words.
    """

    key: str
    origin: str
    ranker: Ranker
    settings: Mapping[str, Value]
    value: float
    kept: float
    seconds: float
    terms: ModelPlan
    seeds: tuple[int | None, ...]
    stop: Stop | None
    measures: tuple[str, ...]
    measured_every: int = 1
    coef: NDArray[Any] | None = None
    stored: Callable[[str], Ranker] | None = None
    at: str = BEST
    chosen: str = ""

    @property
    def max_iterations(self) -> int:
        """Of its training at most."""
        limit = None if self.stop is None else self.stop.max_iterations
        return int(self.ranker.get_params()["max_iter"] if limit is None else limit)

    @property
    def seed(self) -> int:
        """Of the run that stands for it."""
        return self.ranker.random_state or 0

    @property
    def trains(self) -> bool:
        """Whether it must be trained again before it scores other queries."""
        known = self.coef is not None and self.terms.folds == 1
        return not known and self.stored is None

    @cached_property
    def identity(self) -> tuple[Any, ...]:
        """The key that equal models share, wherever they were computed."""
        own = self.ranker.get_params() | {"max_iter": None, "random_state": None}
        recipe = type(self.ranker).__name__, repr(sorted(own.items()))
        return *recipe, self.max_iterations, self.seeds, self.value, self.kept

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CandidateModel) and self._all == other._all

    def __hash__(self) -> int:
        return hash(self._all)

    @cached_property
    def _all(self) -> tuple[Any, ...]:
        terms = self.terms
        own = self.key, self.origin, self.identity, self.seed
        return *own, terms.splits, terms.measure, terms.rules, terms.folds


def front(values: ArrayLike, costs: ArrayLike) -> list[int]:
    """Return the models that no other one beats: none is as good for less, or better
    for as little.

    Parameters
    ----------
    values : (n,) float64
        Higher is better.
    costs : (n,) or (n, k) float64
        Lower is better; of several costs none may be higher.

    Returns
    -------
    list of int
        Their numbers by rising first cost; of equals the first.

    Examples
    --------
    >>> front([0.5, 0.8, 0.7, 0.9], [1, 3, 4, 9])
    [0, 1, 3]
    >>> front([0.5, 0.8, 0.7, 0.9], [[1, 5], [3, 5], [4, 1], [9, 5]])
    [0, 1, 2, 3]
    """
    y = np.asarray(values, np.float64)
    x = np.asarray(costs, np.float64).reshape(len(y), -1)
    # Whatever beats a model comes before it.
    order = np.lexsort((np.arange(len(y)), -y, *x.T[::-1]))
    found: list[int] = []
    for n in order:
        beaten = (y[found] >= y[n]) & (x[found] <= x[n]).all(axis=1)
        if not beaten.any():
            found.append(int(n))
    return sorted(found, key=lambda n: (x[n, 0], -y[n], n))


def best_of(models: Sequence[CandidateModel]) -> CandidateModel | None:
    """Return the model of the highest value, the first of equals; None if there is
    none."""
    return max(models, key=lambda model: model.value, default=None)


def trained(model: CandidateModel) -> Ranker:
    """Return the fitted model: from the store, else trained again, to the bit.

    Over folds it is trained on the training data, its best iteration chosen by the
    validation data.
    """
    if model.stored is not None:
        return model.stored(model.at)
    train, valid, _ = model.terms.splits
    ranker = type(model.ranker)(**model.ranker.get_params())
    run = drive(
        ranker, train, valid,
        stop=model.stop, measures=model.measures, rules=model.terms.rules,
        schedule=every(model.measured_every),
    )  # fmt: skip
    for _ in run:
        pass
    return ranker.load_run(run, model.at)


def best_within(
    models: Sequence[CandidateModel], features: float
) -> CandidateModel | None:
    """Return the best model that keeps at most so many features, by the data that
    chooses; None if there is none."""
    able = [model for model in models if model.kept <= features]
    return max(able, key=lambda model: (model.value, -model.kept), default=None)


def none_within(models: Sequence[CandidateModel], features: float) -> str:
    """Why `best_within` finds no model, and what to do."""
    fewest = min(model.kept for model in models)
    return (
        f"None of the {len(models)} models keeps at most {features:g} features. The "
        f"smallest keeps {rounded(fewest)}: allow more features, or train models that "
        "keep fewer."
    )


def smallest_within(
    models: Sequence[CandidateModel], loss: float
) -> CandidateModel | None:
    """Return the model with the fewest features of those that lose at most a share
    ``loss`` of the best value, by the data that chooses; of equals the best."""
    best = best_of(models)
    if best is None:
        return None
    least = (1.0 - loss) * best.value
    able = [model for model in models if model.value >= least]
    return min(able, key=lambda model: (model.kept, -model.value))


class TestedModel(NamedTuple):
    """A model on test data.

    Attributes
    ----------
    reached : Interval
        The mean of its measure over the queries that have a value.
    change : RelativeChange
        Against the best model.
    """

    reached: Interval
    change: RelativeChange


def tested(
    model: CandidateModel, best: CandidateModel, test: RankingDataset
) -> TestedModel:
    """A model, also against the best one, on test data.

    Parameters
    ----------
    model, best : CandidateModel
    test : RankingDataset
        With two queries or more that have a value.
    """
    terms = model.terms
    before, after = (
        evaluate(test, _scores(own, test), (terms.measure,), *terms.rules)[
            terms.measure
        ].to_numpy()
        for own in (best, model)
    )
    counted = after[np.isfinite(after)]
    return TestedModel(mean_interval(counted), relative_change(before, after))


def tested_in_time(
    chosen: CandidateModel, best: CandidateModel
) -> tuple[TestedModel | None, str]:
    """Return the model that a rule chose on test data, and how; or why not."""
    test = chosen.terms.splits.test
    if test is None or test.n_queries < 2:
        return None, "These data have too few test queries for a test."
    needed = {each.key: each.seconds for each in (chosen, best) if each.trains}
    if (seconds := sum(needed.values())) > MOST_SECONDS:
        return None, (
            "There is no test here: the store keeps no model of a study, and training "
            f"it again takes {time_left(seconds).removesuffix(' left')}. Export the "
            "model to have it."
        )
    result = tested(chosen, best, test)
    return result, f"Test: {result.change.method}."


def _scores(model: CandidateModel, test: RankingDataset) -> NDArray[np.float64]:
    """Scores of test documents under the model that `trained` gives."""
    if model.coef is not None and not model.trains:
        return model.ranker.scores(test.X, model.coef)
    return document_scores(trained(model), test)
