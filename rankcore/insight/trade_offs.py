"""Trade-offs: which models are worth their cost, and which one is enough.

They are the cells of a map and, where there is one on the same data, the models of a
search.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcore.algorithms import Ranker
from rankcore.dataset import RankingDataset
from rankcore.hyperparameters import Value
from rankcore.insight.bootstrap import RelativeChange, relative_change
from rankcore.insight.maps import Map, MapCell, MapPlan
from rankcore.insight.model_study import measured_every
from rankcore.insight.search import Found, SearchPlan
from rankcore.measures import evaluate
from rankcore.statistics import Interval, bootstrap_interval
from rankcore.training import Stop, drive, every


@dataclass(frozen=True, eq=False)
class Model:
    """A model that can be chosen.

    Attributes
    ----------
    key : str
        Tells it from the others: the position of its cell, or ``search`` and its
        number.
    settings : dict of str to value
        Of the hyperparameters that differ between models.
    value : float
        The measure by which it is chosen, the mean over its runs.
    kept, seconds : float
        Features in use, and training time; means over its runs.
    plan : MapPlan or SearchPlan
    coef : (d,) float64
        Of its only run, or of its best one.
    seed : int
        Of that run.
    max_iterations : int
    """

    key: str
    settings: Mapping[str, Value]
    value: float
    kept: float
    seconds: float
    plan: MapPlan | SearchPlan
    coef: NDArray[np.float64]
    seed: int
    max_iterations: int

    @property
    def searched(self) -> bool:
        """Whether it is of a search."""
        return isinstance(self.plan, SearchPlan)


def models_of(found: Map, search: Found | None = None) -> list[Model]:
    """The models of a map and of a search that can be chosen.

    Those of a search on other data, of another algorithm, or chosen by another measure
    or other folds do not compare and are left out.
    """
    models = [_of_cell(found, cell) for cell in usable(found)]
    if search is not None and _alike(found.plan, search.plan):
        models += [
            Model(
                f"search {one.number + 1}", one.settings, one.value, one.kept,
                one.seconds / len(one.rows), search.plan, one.rows[0].coef,
                one.rows[0].cell.seed, one.most or search.plan.max_iterations,
            )
            for one in search.usable
            if one.state == "complete"
        ]  # fmt: skip
    return models


def _of_cell(found: Map, cell: MapCell) -> Model:
    row = found.best_row(cell)
    assert row is not None
    return Model(
        ",".join(map(str, cell.at)), cell.settings, cell.value, cell.kept,
        cell.seconds, found.plan, row.coef, found.seed(cell), found.plan.max_iterations,
    )  # fmt: skip


def _alike(one: MapPlan, other: SearchPlan) -> bool:
    """Whether the models of two plans can be compared."""

    def told(plan: MapPlan | SearchPlan) -> tuple[object, ...]:
        data = [None if own is None else own.fingerprint for own in plan.splits[:2]]
        return type(plan.ranker), *data, plan.measure, plan.rules, plan.folds

    return told(one) == told(other)


def front(values: ArrayLike, costs: ArrayLike) -> list[int]:
    """The models that no other one beats: none is as good for less, or better for as
    little.

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
    number = np.arange(len(y))
    as_good = y[:, None] >= y
    for cost in x.T:
        as_good &= cost[:, None] <= cost
    beats = as_good & (~as_good.T | (number[:, None] < number))
    order = np.lexsort((number, -y, x[:, 0])) if len(y) else number
    beaten = np.asarray(beats.any(axis=0))
    return [int(n) for n in order if not beaten[n]]


def usable(found: Map) -> list[MapCell]:
    """The cells of a map that have a model, by position."""
    return [cell for cell in found.cells if cell.usable]


def best_of(models: Sequence[Model]) -> Model | None:
    """The model of the highest value, the first of equals; None if there is none."""
    return max(models, key=lambda model: model.value, default=None)


def trained(model: Model) -> Ranker:
    """The fitted model, trained again, to the bit.

    Over folds it is trained on the training data, its best iteration chosen by the
    validation data.
    """
    plan = model.plan
    settings = {**plan.ranker.get_params(), **model.settings}
    ranker = type(plan.ranker)(**settings | {"random_state": model.seed})
    train, valid, _ = plan.splits
    run = drive(
        ranker, train, valid,
        stop=Stop(max_iterations=model.max_iterations),
        measures=(plan.measure,), rules=plan.rules,
        schedule=every(measured_every(plan.max_iterations)),
    )  # fmt: skip
    for _ in run:
        pass
    return ranker.load_run(run)


def best_within(models: Sequence[Model], features: float) -> Model | None:
    """The best model that keeps at most so many features, by the data that chooses;
    None if there is none."""
    able = [model for model in models if model.kept <= features]
    return max(able, key=lambda model: (model.value, -model.kept), default=None)


def smallest_within(models: Sequence[Model], loss: float) -> Model | None:
    """The model with the fewest features of those that lose at most a share ``loss`` of
    the best value, by the data that chooses; of equals the best."""
    best = best_of(models)
    if best is None:
        return None
    least = (1.0 - loss) * best.value
    able = [model for model in models if model.value >= least]
    return min(able, key=lambda model: (model.kept, -model.value))


class Tested(NamedTuple):
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


def tested(model: Model, best: Model, test: RankingDataset) -> Tested:
    """A model, also against the best one, on test data.

    Parameters
    ----------
    model, best : Model
    test : RankingDataset
        With two queries or more that have a value.
    """
    plan = model.plan
    before, after = (
        evaluate(test, plan.ranker.scores(test.X, coef), (plan.measure,), *plan.rules)[
            plan.measure
        ].to_numpy()
        for coef in map(_coef, (best, model))
    )
    counted = after[np.isfinite(after)]
    return Tested(bootstrap_interval(counted), relative_change(before, after))


def _coef(model: Model) -> NDArray[np.float64]:
    """The model that `trained` gives."""
    return model.coef if model.plan.folds == 1 else trained(model).coef_
