"""Trade-offs: which models are worth their cost, and which one suffices."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcore.algorithms import Ranker
from rankcore.base.hyperparameters import hyperparameters
from rankcore.base.numbers import rounded
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.statistics import Interval, mean_interval
from rankcore.measures import Rules, evaluate
from rankcore.studies.models import document_scores
from rankcore.studies.results import ModelResults, Result, SharedTerms
from rankcore.topics.explore.model_study import ModelPlan, time_left
from rankcore.topics.sparsity.changes import RelativeChange, relative_change
from rankcore.topics.train.entries import main_hyperparameter
from rankcore.training import Stop, drive, every

# Longest training, in seconds, for which a test waits.
MOST_SECONDS = 10.0


@dataclass(frozen=True, eq=False)
class Batch:
    """Runs that were started together.

    Attributes
    ----------
    origin : str
        One of `rankcore.topics.explore.computed.ORIGINS`.
    ranker : Ranker or None
        The algorithm with the shared hyperparameters; None if it is not installed.
    folds : dict of str to SharedTerms
        Fold name → its data set, normalisation and content.
    runs : tuple of (str, Result)
        Runs with the key of their model.
    lack : str
        Reason why the runs yield no model; empty if they may yield one.
    division : str
        How the data was divided; empty for the data set's own splits.
    stored : callable or None
        Returns the fitted model of an iteration, if the store has it.
    unread : int
        Number of further runs that were not read.
    """

    origin: str
    ranker: Ranker | None
    folds: Mapping[str, SharedTerms]
    measures: tuple[str, ...]
    rules: Rules
    stop: Stop | None
    measured_every: int
    runs: tuple[tuple[str, Result], ...]
    lack: str = ""
    division: str = ""
    stored: Callable[[str], Ranker] | None = None
    unread: int = 0


@dataclass(frozen=True, eq=False)
class CandidateModel(ModelResults):
    """A model that can be chosen, from any study or stored run.

    Attributes
    ----------
    key : str
        Unique name of the model.
    batch : Batch
        The batch that contains the model's runs.
    terms : ModelPlan
        The data, measure and rules that compared models share.
    """

    key: str
    batch: Batch
    terms: ModelPlan

    @cached_property
    def first(self) -> Result:
        """The representative run: the best one, or the one with the lowest seed if runs
        on different folds cannot be compared."""
        if self.terms.folds > 1:
            return min(self.rows, key=lambda row: row.cell.seed)
        return max(self.rows, key=lambda row: row.value(self.column))

    @cached_property
    def ranker(self) -> Ranker:
        """The algorithm of the representative run, not fitted."""
        shared = self.batch.ranker
        assert shared is not None
        params = shared.get_params() | self.first.settings
        return type(shared)(**params | {"random_state": self.first.cell.seed})

    @cached_property
    def settings(self) -> dict[str, Any]:
        """The hyperparameters that distinguish the model: those that its study varied,
        and those that differ from the terms or, for another algorithm, from the
        defaults."""
        swept = [name for name, _ in self.first.cell.settings]
        kind = type(self.ranker)
        alike = kind is type(self.terms.ranker)
        usual = (self.terms.ranker if alike else kind()).get_params()
        params, declared = self.ranker.get_params(), hyperparameters(kind)
        names = [n for n in declared if n not in swept and params[n] != usual[n]]
        names = [n for n in (*swept, *names) if n not in ("max_iter", "random_state")]
        main = main_hyperparameter(kind)
        return {name: params[name] for name in names or filter(None, [main])}

    @property
    def stop(self) -> Stop | None:
        """The limits of its training."""
        return self.first.cell.limits(self.batch.stop)

    @property
    def max_iterations(self) -> int:
        """Maximum number of training iterations."""
        limit = None if self.stop is None else self.stop.max_iterations
        return int(self.ranker.get_params()["max_iter"] if limit is None else limit)

    @property
    def seed(self) -> int:
        """The seed of the representative run."""
        return self.first.cell.seed

    @property
    def iteration(self) -> str:
        """The iteration of the representative run's model, as for
        `rankcore.training.selection.select`; ``"best"`` over folds."""
        return self.terms.chosen(self.first, self.ranker)[0]

    @property
    def chosen(self) -> str:
        """Text with the iteration and how it was chosen."""
        return self.terms.chosen(self.first, self.ranker)[1]

    @property
    def trains(self) -> bool:
        """Whether the model must be retrained before it can score other queries."""
        has_model = self.first.coef.size and self.terms.folds == 1
        return not has_model and self.batch.stored is None

    @cached_property
    def identity(self) -> tuple[Any, ...]:
        """Key that is equal for equal models of different studies."""
        params = self.ranker.get_params() | {"max_iter": None, "random_state": None}
        recipe = type(self.ranker).__name__, repr(sorted(params.items()))
        seeds = tuple(sorted({row.cell.seed for row in self.rows}))
        return *recipe, self.max_iterations, seeds, self.value, self.nonzeros

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CandidateModel) and self._all == other._all

    def __hash__(self) -> int:
        return hash(self._all)

    @cached_property
    def _all(self) -> tuple[Any, ...]:
        terms = self.terms
        identity = self.key, self.batch.origin, self.identity, self.seed
        return *identity, terms.splits, terms.measure, terms.rules, terms.folds


def front(values: ArrayLike, costs: ArrayLike) -> list[int]:
    """Return the Pareto front: no other model is at least as good and as cheap, and
    strictly better in one of the two.

    Parameters
    ----------
    values : (n,) float64
        Values, higher is better.
    costs : (n,) or (n, k) float64
        Costs, lower is better; a dominating model has none higher.

    Returns
    -------
    list of int
        Indices by ascending first cost; the first of equal models.

    Examples
    --------
    >>> front([0.5, 0.8, 0.7, 0.9], [1, 3, 4, 9])
    [0, 1, 3]
    >>> front([0.5, 0.8, 0.7, 0.9], [[1, 5], [3, 5], [4, 1], [9, 5]])
    [0, 1, 2, 3]
    """
    y = np.asarray(values, np.float64)
    x = np.asarray(costs, np.float64).reshape(len(y), -1)
    # Every model that dominates another precedes it.
    order = np.lexsort((np.arange(len(y)), -y, *x.T[::-1]))
    members: list[int] = []
    for n in order:
        beaten = (y[members] >= y[n]) & (x[members] <= x[n]).all(axis=1)
        if not beaten.any():
            members.append(int(n))
    return sorted(members, key=lambda n: (x[n, 0], -y[n], n))


def best_of(models: Sequence[CandidateModel]) -> CandidateModel | None:
    """Return the model with the highest value, the first of equals; None without
    models."""
    return max(models, key=lambda model: model.value, default=None)


def trained(model: CandidateModel) -> Ranker:
    """Return the fitted model from the store, or else retrained with identical bits.

    Over folds, it is trained on the training data, and the validation data selects its
    iteration.
    """
    if model.batch.stored is not None:
        return model.batch.stored(model.iteration)
    train, valid, _ = model.terms.splits
    ranker = type(model.ranker)(**model.ranker.get_params())
    run = drive(
        ranker, train, valid,
        stop=model.stop, measures=model.batch.measures, rules=model.terms.rules,
        schedule=every(model.batch.measured_every),
    )  # fmt: skip
    for _ in run:
        pass
    return ranker.load_run(run, model.iteration)


def best_within(
    models: Sequence[CandidateModel], features: float
) -> CandidateModel | None:
    """Return the best model with at most ``features`` features, by the data used for
    selection; None if there is none."""
    able = [model for model in models if model.nonzeros <= features]
    return max(able, key=lambda model: (model.value, -model.nonzeros), default=None)


def none_within(models: Sequence[CandidateModel], features: float) -> str:
    """Sentence on why `best_within` finds no model, and what to do."""
    fewest = min(model.nonzeros for model in models)
    return (
        f"None of the {len(models)} models keeps at most {features:g} features. The "
        f"smallest keeps {rounded(fewest)}: allow more features, or train models that "
        "keep fewer."
    )


def smallest_within(
    models: Sequence[CandidateModel], loss: float
) -> CandidateModel | None:
    """Return the model with the fewest features among those within a relative ``loss``
    of the best value, by the data used for selection; the best of equals."""
    best = best_of(models)
    if best is None:
        return None
    least = (1.0 - loss) * best.value
    able = [model for model in models if model.value >= least]
    return min(able, key=lambda model: (model.nonzeros, -model.value))


class TestedModel(NamedTuple):
    """Test results of a model.

    Attributes
    ----------
    reached : Interval
        The mean measure over the queries that have a value.
    change : RelativeChange
        Relative change from the best model.
    """

    reached: Interval
    change: RelativeChange


def tested(
    model: CandidateModel, best: CandidateModel, test: RankingDataset
) -> TestedModel:
    """Return the test results of a model, also relative to the best model.

    Parameters
    ----------
    test : RankingDataset
        With at least two queries that have a value.
    """
    terms = model.terms
    before, after = (
        evaluate(test, _scores(one, test), (terms.measure,), *terms.rules)[
            terms.measure
        ].to_numpy()
        for one in (best, model)
    )
    return TestedModel(
        mean_interval(after, weights=test.query_weights),
        relative_change(before, after, weights=test.weights),
    )


def tested_in_time(
    chosen: CandidateModel, best: CandidateModel
) -> tuple[TestedModel | None, str]:
    """Return the chosen model's test results and the method, or None and the reason."""
    test = chosen.terms.splits.test
    if test is None or test.n_queries < 2:
        return None, "These data have too few test queries for a test."
    needed = {each.key: each.mean_seconds for each in (chosen, best) if each.trains}
    if (seconds := sum(needed.values())) > MOST_SECONDS:
        return None, (
            "Not tested: the store keeps no models of studies, and retraining takes "
            f"{time_left(seconds).removesuffix(' left')}. Export the model to test it."
        )
    result = tested(chosen, best, test)
    return result, f"Test: {result.change.method}."


def _scores(model: CandidateModel, test: RankingDataset) -> NDArray[np.float64]:
    """Return the scores of the test documents under the fitted model."""
    if model.first.coef.size and not model.trains:
        return model.ranker.scores(test.X, model.first.coef)
    return document_scores(trained(model), test)
