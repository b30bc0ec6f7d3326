"""Trade-offs: which models are worth their cost, and which one is enough."""

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

# Training that a test may wait for.
MOST_SECONDS = 10.0


@dataclass(frozen=True, eq=False)
class Batch:
    """Runs that were begun together.

    Attributes
    ----------
    origin : str
        One of `rankcore.topics.explore.computed.ORIGINS`.
    ranker : Ranker or None
        With the hyperparameters that they share; None: it is not known here.
    folds : dict of str to SharedTerms
        Of each fold the data, their normalisation and their content.
    runs : tuple of (str, Result)
        Each with a key that tells its model from others.
    lack : str
        Why they give no model; empty: they may give one.
    division : str
        How the data was divided, where that is not the data set's own.
    stored : callable or None
        Gives the fitted model of an iteration, where a store keeps it.
    unread : int
        How many others there are that have not been read.
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
    """A model that can be chosen, wherever it was computed.

    Attributes
    ----------
    key : str
        Tells it from the others.
    batch : Batch
        All that were begun together.
    terms : ModelPlan
        The data, measure and rules that models have in common to be compared.
    """

    key: str
    batch: Batch
    terms: ModelPlan

    @cached_property
    def first(self) -> Result:
        """The run that stands for it: the best one, or the first where there are folds,
        whose runs have other data."""
        if self.terms.folds > 1:
            return min(self.rows, key=lambda row: row.cell.seed)
        return max(self.rows, key=lambda row: row.value(self.column))

    @cached_property
    def ranker(self) -> Ranker:
        """That of this run, not fitted."""
        shared = self.batch.ranker
        assert shared is not None
        params = shared.get_params() | self.first.settings
        return type(shared)(**params | {"random_state": self.first.cell.seed})

    @cached_property
    def settings(self) -> dict[str, Any]:
        """The hyperparameters that tell it from others: those that its study varied,
        and those that differ from the others' or, of another algorithm, from the
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
        """Of its training at most."""
        limit = None if self.stop is None else self.stop.max_iterations
        return int(self.ranker.get_params()["max_iter"] if limit is None else limit)

    @property
    def seed(self) -> int:
        """Of the run that stands for it."""
        return self.first.cell.seed

    @property
    def iteration(self) -> str:
        """The model of that run, as of `rankcore.training.selection.select`: its
        iteration, or ``"best"`` over folds."""
        return self.terms.chosen(self.first, self.ranker)[0]

    @property
    def chosen(self) -> str:
        """That and how it was chosen, in words."""
        return self.terms.chosen(self.first, self.ranker)[1]

    @property
    def trains(self) -> bool:
        """Whether it must be trained again before it scores other queries."""
        has_model = self.first.coef.size and self.terms.folds == 1
        return not has_model and self.batch.stored is None

    @cached_property
    def identity(self) -> tuple[Any, ...]:
        """The key that equal models share, wherever they were computed."""
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
    members: list[int] = []
    for n in order:
        beaten = (y[members] >= y[n]) & (x[members] <= x[n]).all(axis=1)
        if not beaten.any():
            members.append(int(n))
    return sorted(members, key=lambda n: (x[n, 0], -y[n], n))


def best_of(models: Sequence[CandidateModel]) -> CandidateModel | None:
    """Return the model of the highest value, the first of equals; None if there is
    none."""
    return max(models, key=lambda model: model.value, default=None)


def trained(model: CandidateModel) -> Ranker:
    """Return the fitted model: from the store, else trained again, to the bit.

    Over folds it is trained on the training data, its best iteration chosen by the
    validation data.
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
    """Return the best model that keeps at most so many features, by the data that
    chooses; None if there is none."""
    able = [model for model in models if model.nonzeros <= features]
    return max(able, key=lambda model: (model.value, -model.nonzeros), default=None)


def none_within(models: Sequence[CandidateModel], features: float) -> str:
    """Why `best_within` finds no model, and what to do."""
    fewest = min(model.nonzeros for model in models)
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
    return min(able, key=lambda model: (model.nonzeros, -model.value))


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
    test : RankingDataset
        With two queries or more that have a value.
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
    """Return the model that a rule chose on test data, and how; or why not."""
    test = chosen.terms.splits.test
    if test is None or test.n_queries < 2:
        return None, "These data have too few test queries for a test."
    needed = {each.key: each.mean_seconds for each in (chosen, best) if each.trains}
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
    if model.first.coef.size and not model.trains:
        return model.ranker.scores(test.X, model.first.coef)
    return document_scores(trained(model), test)
