"""Trade-offs: which models of a map are worth their cost, and which one is enough."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcore.algorithms import Ranker
from rankcore.dataset import RankingDataset
from rankcore.insight.bootstrap import RelativeChange, relative_change
from rankcore.insight.maps import Map, MapCell
from rankcore.measures import evaluate
from rankcore.statistics import Interval, bootstrap_interval
from rankcore.training import Stop, drive, every


def front(values: ArrayLike, costs: ArrayLike) -> list[int]:
    """The models that no other one beats: none is as good for less, or better for as
    little.

    Parameters
    ----------
    values : (n,) float64
        Higher is better.
    costs : (n,) float64
        Lower is better.

    Returns
    -------
    list of int
        Their numbers by rising cost; of equals the first.

    Examples
    --------
    >>> front([0.5, 0.8, 0.7, 0.9], [1, 3, 4, 9])
    [0, 1, 3]
    """
    y, x = np.asarray(values, np.float64), np.asarray(costs, np.float64)
    found: list[int] = []
    for number in np.lexsort((np.arange(len(y)), -y, x)).tolist():
        if not found or y[number] > y[found[-1]]:
            found.append(number)
    return found


def usable(found: Map) -> list[MapCell]:
    """The cells of a map that have a model, by position."""
    return [cell for cell in found.cells if cell.usable]


def front_cells(found: Map, costs: ArrayLike) -> list[MapCell]:
    """The usable cells of a map that no other one beats, by rising cost.

    Parameters
    ----------
    found : Map
    costs : (n,) float64
        Of each usable cell.
    """
    cells = usable(found)
    return [cells[number] for number in front([c.value for c in cells], costs)]


def trained(found: Map, cell: MapCell) -> Ranker:
    """The fitted model of a cell's best run, trained again, to the bit.

    Of a map over folds it is trained on the training data, its best iteration chosen by
    the validation data.

    Parameters
    ----------
    found : Map
    cell : MapCell
        A usable one.
    """
    plan = found.plan
    settings = {**plan.ranker.get_params(), **cell.settings}
    model = type(plan.ranker)(**settings | {"random_state": found.seed(cell)})
    train, valid, _ = plan.splits
    run = drive(
        model, train, valid,
        stop=Stop(max_iterations=plan.max_iterations),
        measures=(plan.measure,), rules=plan.rules,
        schedule=every(plan.measured_every),
    )  # fmt: skip
    for _ in run:
        pass
    return model.load_run(run)


def best_within(found: Map, features: float) -> MapCell | None:
    """The best model that keeps at most so many features, by the data that a map is
    measured on; None if there is none."""
    able = [cell for cell in usable(found) if cell.kept <= features]
    return max(able, key=lambda cell: (cell.value, -cell.kept), default=None)


def smallest_within(found: Map, loss: float) -> MapCell | None:
    """The model with the fewest features of those that lose at most a share ``loss`` of
    the best value, by the data that a map is measured on; of equals the best."""
    best = found.best
    if best is None:
        return None
    least = (1.0 - loss) * best.value
    able = [cell for cell in usable(found) if cell.value >= least]
    return min(able, key=lambda cell: (cell.kept, -cell.value))


class Tested(NamedTuple):
    """A model on test data.

    Attributes
    ----------
    reached : Interval
        The mean of its measure over the queries that have a value.
    change : RelativeChange
        Against the best cell of the map.
    """

    reached: Interval
    change: RelativeChange


def tested(found: Map, cell: MapCell, test: RankingDataset) -> Tested:
    """The best run of a cell, also against that of the best cell, on test data.

    Parameters
    ----------
    found : Map
        With a usable cell.
    cell : MapCell
        A usable one.
    test : RankingDataset
        With two queries or more that have a value.
    """
    plan = found.plan
    before, after = (
        evaluate(test, plan.ranker.scores(test.X, coef), (plan.measure,), *plan.rules)[
            plan.measure
        ].to_numpy()
        for coef in (_coef(found, one) for one in (found.best or cell, cell))
    )
    counted = after[np.isfinite(after)]
    return Tested(bootstrap_interval(counted), relative_change(before, after))


def _coef(found: Map, cell: MapCell) -> NDArray[np.float64]:
    """The model that `trained` gives."""
    row = found.best_row(cell)
    if found.plan.folds > 1 or row is None:
        return trained(found, cell).coef_
    return row.coef
