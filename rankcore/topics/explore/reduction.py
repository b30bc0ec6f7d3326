"""Reduction of the objective by training, over a map's axis."""

from contextlib import closing
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcore.algorithms import StructuredRanker
from rankcore.algorithms.cone_rank import ConeRank
from rankcore.algorithms.parts.scales import feature_ranges
from rankcore.base.numbers import percent, rounded, three_digits
from rankcore.studies.results import Result
from rankcore.topics.explore.maps import Map, MapPlan
from rankcore.training import drive

Floats = NDArray[np.float64]

# Names of the share by which training reduces the objective, for algorithms that define
# it.
NAMES = {StructuredRanker: "reduction from w = 0", ConeRank: "energy captured"}


class Ends(NamedTuple):
    """Final figures of the models of a map over one axis, in axis order.

    Attributes
    ----------
    objective : (c,) float64
        Final objective of each model; NaN if its runs failed.
    share : (c,) float64
        Relative reduction of the objective from that without a model; NaN if the
        algorithm does not define it.
    train : (c,) float64
        Measure on the training data.
    length : (c,) float64
        Norm of a structured SVM's coefficients, with features in units of their range.
    name : str
        Name of the share; empty without one.
    """

    objective: Floats
    share: Floats
    train: Floats
    length: Floats
    name: str


def ends_of(heat_map: Map) -> Ends:
    """Return the final objective and training measure of a map's models."""
    plan = heat_map.plan
    rows = [[row for row in cell.rows if not row.failed] for cell in heat_map.cells]
    name = next((n for kind, n in NAMES.items() if isinstance(plan.ranker, kind)), "")
    if plan.folds > 1 or len(plan.axes) > 1:
        name = ""
    objective = np.array([_mean([row.objective for row in values]) for values in rows])
    whole = np.array(
        [_without_model(plan, pair[0]) if name and pair else np.nan for pair in rows]
    )
    return Ends(
        objective,
        1.0 - objective / np.where(whole > 0.0, whole, np.nan),
        np.array(
            [_mean([row.train[plan.measure] for row in values]) for values in rows]
        ),
        np.array([_length(plan, heat_map.best_row(cell)) for cell in heat_map.cells]),
        name,
    )


def ends_text(heat_map: Map) -> str:
    """Return sentences that compare the first and last model of a map over one axis;
    empty with fewer than two models."""
    ends, plan = ends_of(heat_map), heat_map.plan
    at = np.flatnonzero(np.isfinite(ends.objective) & np.isfinite(ends.train))
    if len(plan.axes) > 1 or len(at) < 2:
        return ""
    i, j = int(at[0]), int(at[-1])
    (across,) = plan.axes
    first, last = (across.text(heat_map.cells[n].at[0]) for n in (i, j))
    objective, train = ends.objective, ends.train
    worse = bool(objective[j] < objective[i] and train[j] < train[i])
    text = (
        f"From {across.symbol} = {first} to {last} the objective goes from "
        f"{three_digits(objective[i])} to {three_digits(objective[j])}, and training "
        f"{plan.measure} from {train[i]:.3f} to {train[j]:.3f}."
    )
    if ends.name == NAMES[StructuredRanker]:
        text += (
            f" Training takes {percent(ends.share[i])} to {percent(ends.share[j])} off "
            f"the objective at w = 0, and ‖w‖ goes from {rounded(ends.length[i])} to "
            f"{rounded(ends.length[j])}."
        )
    return "**A lower objective, but a worse ranking.** " * worse + text


def ends_columns(heat_map: Map) -> list[dict[str, Any]]:
    """Return the columns of `ends_of` for each model's row of a table."""
    ends, plan = ends_of(heat_map), heat_map.plan
    columns = {"objective": ends.objective}
    if plan.split == "valid":
        columns[f"Training {plan.measure}"] = ends.train
    if ends.name:
        columns[ends.name] = ends.share
    if np.isfinite(ends.length).any():
        columns["‖w‖"] = ends.length
    rows = zip(*columns.values(), strict=True)
    return [dict(zip(columns, map(float, row), strict=True)) for row in rows]


def _without_model(plan: MapPlan, row: Result) -> float:
    """Return the objective without a model on a run's training data."""
    # The energy of the differences does not depend on the number of vectors.
    return _of_settings(
        plan, tuple(setting for setting in row.cell.settings if setting[0] != "n_basis")
    )


@lru_cache(maxsize=256)
def _of_settings(plan: MapPlan, settings: tuple[tuple[str, Any], ...]) -> float:
    one = {"n_basis": 1} if isinstance(plan.ranker, ConeRank) else {}
    ranker = type(plan.ranker)(**{**plan.ranker.get_params(), **dict(settings), **one})
    with closing(drive(ranker, plan.splits.train, measures=())) as run:
        first = next(run)
    return first.objective / (1.0 - first.diagnostics.get("energy captured", 0.0))


def _length(plan: MapPlan, row: Result | None) -> float:
    if row is None or not isinstance(plan.ranker, StructuredRanker):
        return np.nan
    return float(np.sqrt(np.square(row.coef * _ranges(plan)).sum()))


@lru_cache(maxsize=8)
def _ranges(plan: MapPlan) -> Floats:
    return feature_ranges(plan.splits.train)


def _mean(values: list[float]) -> float:
    return float(np.mean(values)) if values else np.nan
