"""Results of a search: the best model, its test, and hyperparameter importance."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcore.algorithms import Ranker
from rankcore.compute.executors import Executor
from rankcore.data.catalogue import Splits
from rankcore.mathematics.differences import selection_optimism
from rankcore.mathematics.elementary import log
from rankcore.mathematics.statistics import Interval, mean_interval
from rankcore.measures import STANDARD, Rules, evaluate
from rankcore.studies import Findings, Study
from rankcore.studies.results import ModelResults, Result
from rankcore.studies.searches import Dimension, Search, best_of, search
from rankcore.studies.searches.space import Over, space_of
from rankcore.topics.explore.brush import Brush, let_through
from rankcore.topics.explore.model_study import ModelPlan, each_model
from rankcore.training import drive

Floats = NDArray[np.float64]

# fANOVA of fewer models is meaningless.
FEWEST_MODELS = 8
TREES = 64
# For the interval of an importance: number of random halves, and trees per half.
HALVES = 20
HALF_TREES = 8
# Grid points per axis of the interpolated measure.
PLACES = 41


@dataclass(frozen=True, eq=False)
class SearchPlan(ModelPlan):
    """A search that a page, a notebook or a command can start.

    Attributes
    ----------
    over : dict
        As in `rankcore.studies.searches.search`.
    by : str
        Search method.
    models, seed, generation, prune, max_seconds
        As in `rankcore.studies.searches.search`.
    ranker, splits, measure, rules, max_iterations, folds
        As in `rankcore.topics.explore.model_study.ModelPlan`.
    """

    ranker: Ranker
    over: Over
    splits: Splits
    by: str = "tpe"
    models: int = 50
    seed: int = 0
    generation: int = 8
    prune: bool = False
    folds: int = 1
    measure: str = "nDCG@10"
    rules: Rules = STANDARD
    max_iterations: int = 100
    max_seconds: float | None = None

    @property
    def space(self) -> tuple[Dimension, ...]:
        """The dimensions that are searched."""
        return space_of(self.ranker, self.over)

    @property
    def options(self) -> dict[str, Any]:
        """Arguments of `rankcore.studies.searches.search` except algorithm and data."""
        return {
            "over": self.over,
            "by": self.by,
            "models": self.models,
            "seed": self.seed,
            "seeds": (self.ranker.random_state or 0,),
            "generation": self.generation,
            "prune": self.prune,
            "measures": (self.measure,),
            "rules": self.rules,
            "stop": self.stop,
            "measured_every": self.measured_every,
            "max_seconds": self.max_seconds,
        }

    def study(
        self, processes: int = 1, store: Any = None, sweep_rows: Sequence[Result] = ()
    ) -> Study:
        """Train the models that the method proposes; see `ModelPlan.study`."""
        coming = self.begin(processes=processes, store=store, sweep_rows=sweep_rows)
        trained = {row.cell.settings for row in sweep_rows}
        candidates = self._candidates(coming, len(trained))
        return Study(candidates, coming.total, "models", self)

    def begin(
        self,
        executor: Executor | None = None,
        *,
        processes: int = 1,
        study: Path | None = None,
        store: Any = None,
        sweep_rows: Sequence[Result] = (),
    ) -> Search:
        """Return the search; for arguments see `rankcore.studies.searches.search`.

        Raises
        ------
        ValueError
            As in `rankcore.studies.searches.search`, and with more folds than queries.
        """
        data: Any = self.splits[:2] if self.folds == 1 else (self.data, None)
        return search(
            self.ranker,
            *data,
            **self.options,
            executor=executor,
            processes=processes,
            study=study,
            store=store,
            rows=sweep_rows,
        )

    def _candidates(self, coming: Search, n_before: int) -> Findings:
        with closing(coming):
            models = ((one, one.rows[-1]) for one in coming)
            progress = yield from each_model(
                models, coming.total, most=self.max_seconds, n_before=n_before
            )
        best, done = coming.best, len(coming.candidates)
        if self.max_seconds is not None and done < coming.total:
            progress = (
                f"The {self.max_seconds:g} seconds are over: {done} of {coming.total} "
                "models are trained."
            )
        if best is None:
            return progress
        return f"{progress.rstrip('.')}; the best was number {best.number + 1}."


@dataclass(frozen=True, eq=False)
class SearchProgress:
    """The completed part of a search.

    Attributes
    ----------
    candidates : tuple of ModelResults
        The completed models, by number.
    """

    plan: SearchPlan
    candidates: tuple[ModelResults, ...]

    @cached_property
    def usable(self) -> tuple[ModelResults, ...]:
        """The models that can be selected as the best."""
        return tuple(one for one in self.candidates if one.usable)

    @property
    def best(self) -> ModelResults | None:
        """The best model, as in `rankcore.studies.searches.Search`."""
        return best_of(self.candidates)

    def at(self, one: ModelResults) -> tuple[str, str]:
        """Return a candidate's iteration, as for `rankcore.training.selection.select`,
        and its description; over folds, the best iteration on the training data."""
        return self.plan.chosen(one.rows[0])

    def model(self, one: ModelResults) -> Ranker | None:
        """Return the fitted model of a usable candidate; None over folds, whose runs
        have different data."""
        return self.plan.model(one.rows[0])

    @cached_property
    def values(self) -> Floats:
        """(n,) the measure of each usable model."""
        return np.array([one.value for one in self.usable])

    def places(self, dimension: Dimension) -> Floats:
        """Return (n,) positions of the usable models on a dimension's scale, 0 to 1."""
        return np.array(
            [place(dimension, one.settings[dimension.name]) for one in self.usable]
        )

    @cached_property
    def axes(self) -> Mapping[str, Floats]:
        """Name → positions of the usable models on each axis that can be brushed: the
        dimensions as in `places`, then ``measure``, ``features`` in use and ``seconds``
        of training."""
        return {
            **{dimension.name: self.places(dimension) for dimension in self.plan.space},
            "measure": self.values,
            "features": np.array([one.nonzeros for one in self.usable]),
            "seconds": np.array([one.seconds for one in self.usable]),
        }

    def brushed(self, brush: Brush) -> "SearchProgress":
        """Return the usable models inside a brush; the whole search if the brush has no
        range on these axes."""
        if not brush.keys() & self.axes.keys():
            return self
        through = let_through(self.axes, brush)
        return SearchProgress(self.plan, tuple(compress(self.usable, through)))

    @cached_property
    def tested(self) -> Interval | None:
        """`tested_once` of the best model only: test data selects nothing."""
        return None if self.best is None else tested_once(self.plan, self.best)

    @cached_property
    def best_so_far(self) -> Floats:
        """(n,) the highest value up to each usable model."""
        return np.maximum.accumulate(self.values)

    @cached_property
    def counted(self) -> tuple[ModelResults, ...]:
        """The models that enter the importance; see `importance`."""
        return _counted(self.candidates)

    @cached_property
    def importance(self) -> Mapping[str, float]:
        """Importance of each dimension; see `importance`."""
        return importance(self.plan.space, self.candidates)

    @cached_property
    def importance_ends(self) -> Mapping[str, tuple[float, float]]:
        """The interval of each importance; see `importance_ends`."""
        return importance_ends(self.plan.space, self.candidates, self.importance)

    @cached_property
    def optimism(self) -> str:
        """Sentence on the selection bias of the best model's value; empty with fewer
        than two models or two queries."""
        measure = self.plan.measure
        rows = [
            np.concatenate([row.queries[measure] for row in one.rows])
            for one in self.usable
            if all(measure in row.queries for row in one.rows)
        ]
        if len(rows) < 2 or len({len(values) for values in rows}) > 1:
            return ""
        table = np.array(rows)
        valued = np.isfinite(table).all(axis=0)
        table, folds = table[:, valued], [row.cell.fold for row in self.usable[0].rows]
        models, queries = table.shape
        if queries < 2:
            return ""
        weights = self.plan.query_weights(*folds, valued=valued)
        above = selection_optimism(table, weights=weights)
        return (
            f"Choosing the best of {models} models by {queries} queries makes its "
            f"value too high by about {above:.2g} (bootstrap over these queries)."
        )


def found_search(
    plan: SearchPlan, candidates: Sequence[ModelResults]
) -> SearchProgress:
    """Return the progress of a search from its completed models, in any order."""
    return SearchProgress(plan, tuple(sorted(candidates, key=lambda one: one.number)))


def place(dimension: Dimension, value: Any) -> float:
    """Return the position of a value on a dimension, from 0 to 1 on its own scale.

    Examples
    --------
    >>> from rankcore import RSRank
    >>> from rankcore.studies.searches import Range
    >>> rate, g = space_of(
    ...     RSRank(), {"learning_rate": Range(0.001, 0.1), "g": Range(0.0, 50.0)}
    ... )
    >>> round(place(rate, 0.01), 12), place(g, 0.0), place(g, 50.0)
    (0.5, 0.0, 1.0)
    """
    if dimension.values:
        last = max(len(dimension.values) - 1, 1)
        return dimension.values.index(value) / last
    low, high = dimension.ends
    number = float(value)
    if not dimension.log:
        return (number - low) / (high - low)
    return float(log(max(number, low) / low) / log(high / low))


def importance(
    space: Sequence[Dimension], candidates: Sequence[ModelResults]
) -> dict[str, float]:
    """Return the importance of each dimension for the measure, by fANOVA.

    F. Hutter, H. Hoos, K. Leyton-Brown, "An efficient approach for assessing
    hyperparameter importance", ICML 2014, computed by Optuna from a forest of 64 trees
    over the complete models with the first model's number of iterations.

    Returns
    -------
    dict of str to float
        Name → share of the variance explained by single dimensions, the largest first;
        the shares sum to 1. Empty with fewer than 8 models, or if all reach the same
        value.
    """
    counted = _counted(candidates)
    if len(counted) < FEWEST_MODELS:
        return {}
    return _importance(space, counted, 0, TREES)


def importance_ends(
    space: Sequence[Dimension],
    candidates: Sequence[ModelResults],
    shares: Mapping[str, float],
) -> dict[str, tuple[float, float]]:
    """Return a 95% interval of each importance, given the finite number of models.

    Half of the models are deleted at random, 20 times; the standard deviation over the
    remaining halves estimates that of all models (J. Shao, C. F. J. Wu, "A general
    theory for jackknife variance estimation", 1989).

    Parameters
    ----------
    space, candidates
        As in `importance`.
    shares : dict of str to float
        Result of `importance`.

    Returns
    -------
    dict of str to (float, float)
        Name → interval within 0 to 1; empty without an importance.
    """
    counted, rng = _counted(candidates), np.random.default_rng(0)
    if not shares:
        return {}
    each = []
    for half in range(HALVES):
        half_sample = np.sort(rng.permutation(len(counted))[: len(counted) // 2])
        importances = _importance(
            space, [counted[i] for i in half_sample], half, HALF_TREES
        )
        if importances:
            each.append([importances[name] for name in shares])
    if len(each) < 2:
        return dict.fromkeys(shares, (0.0, 1.0))
    halves = 1.96 * np.std(each, axis=0, ddof=1)
    return {
        name: (max(share - float(half), 0.0), min(share + float(half), 1.0))
        for (name, share), half in zip(shares.items(), halves, strict=True)
    }


def _importance(
    space: Sequence[Dimension], counted: Sequence[ModelResults], seed: int, trees: int
) -> dict[str, float]:
    """Return the shares by fANOVA; empty if all models reach the same value."""
    from optuna import create_study
    from optuna.importance import FanovaImportanceEvaluator, get_param_importances
    from optuna.storages import InMemoryStorage
    from optuna.trial import create_trial

    if np.ptp([c.value for c in counted]) == 0.0:
        return {}
    distributions = {dimension.name: dimension.distribution() for dimension in space}
    study = _silently(create_study, storage=InMemoryStorage(), direction="maximize")
    for one in counted:
        params = {
            dimension.name: _number(dimension, one.settings[dimension.name])
            for dimension in space
        }
        study.add_trial(
            create_trial(params=params, distributions=distributions, value=one.value)
        )
    evaluator = FanovaImportanceEvaluator(n_trees=trees, seed=seed)
    importances = get_param_importances(study, evaluator=evaluator)
    return {name: float(share) for name, share in importances.items()}


def _counted(candidates: Sequence[ModelResults]) -> tuple[ModelResults, ...]:
    """Return the complete models with the first model's number of iterations."""
    most = candidates[0].most if candidates else None
    return tuple(c for c in candidates if c.state == "complete" and c.most == most)


class Contour(NamedTuple):
    """The measure over two dimensions, interpolated between the models.

    Attributes
    ----------
    places : (k,) float64
        Grid positions on both dimensions, 0 to 1 on their own scales.
    values : (k, k) float64
        One row per position on ``up``; NaN outside the convex hull of the models.
    models : int
        Number of models in the interpolation.
    """

    across: Dimension
    up: Dimension
    places: Floats
    values: Floats
    models: int


def contour(progress: SearchProgress) -> Contour | None:
    """Return the measure over the two most important dimensions, linear between
    neighbouring models; None if fewer than two have an importance, or the models lie on
    a line."""
    from scipy.interpolate import LinearNDInterpolator
    from scipy.spatial import QhullError

    dimensions = {dimension.name: dimension for dimension in progress.plan.space}
    if len(progress.importance) < 2:
        return None
    across, up = (dimensions[name] for name in list(progress.importance)[:2])
    at = np.column_stack([progress.places(across), progress.places(up)])
    # Average models that differ in other dimensions only.
    points, which = np.unique(at, axis=0, return_inverse=True)
    count = np.bincount(which.ravel())
    means = np.bincount(which.ravel(), progress.values) / count
    places = np.linspace(0.0, 1.0, PLACES)
    try:
        between = LinearNDInterpolator(points, means)
    except QhullError:
        return None
    values = between(*np.meshgrid(places, places))
    return Contour(across, up, places, np.asarray(values), len(at))


def _silently(function: Any, **arguments: Any) -> Any:
    """Call a function of Optuna with its logging turned off."""
    from optuna import logging

    level = logging.get_verbosity()
    logging.set_verbosity(logging.WARNING)
    try:
        return function(**arguments)
    finally:
        logging.set_verbosity(level)


def _number(dimension: Dimension, value: Any) -> Any:
    """Return a value in Optuna's form: zero becomes the lower end of a log scale."""
    return (
        max(float(value), dimension.ends[0])
        if dimension.from_zero and not dimension.values
        else value
    )


def tested_once(plan: SearchPlan, best: ModelResults) -> Interval | None:
    """Return the mean measure of a search's best model over the test queries; None with
    fewer than two queries.

    After a search over folds, the model is retrained on the training data, and the
    validation data selects its iteration.
    """
    train, valid, test = plan.splits
    if test is None or test.n_queries < 2:
        return None
    coef = best.rows[0].coef
    if plan.folds > 1:
        seed = plan.ranker.random_state or 0
        params = {**plan.ranker.get_params(), **best.settings, "random_state": seed}
        run = drive(
            type(plan.ranker)(**params), train, valid,
            stop=plan.stop,
            measures=(plan.measure,), rules=plan.rules,
        )  # fmt: skip
        for _ in run:
            pass
        coef = run.best.coef
    scores = plan.ranker.scores(test.X, coef)
    table = evaluate(test, scores, (plan.measure,), *plan.rules)
    values = table[plan.measure].to_numpy()
    if np.isfinite(values).sum() < 2:
        return None
    return mean_interval(values, weights=test.query_weights)
