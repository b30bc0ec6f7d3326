"""Maps: a measure over one or more hyperparameters, computed coarse to fine.

A cell is one combination of values, with one run per seed. Cells are trained in an
order that soon covers the whole range; the results do not depend on this order.
"""

import dataclasses
import itertools
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcore.algorithms import Ranker
from rankcore.base.hyperparameters import Hyperparameter, Value, hyperparameters
from rankcore.base.numbers import three_digits
from rankcore.base.symbols import plain
from rankcore.data.catalogue import Splits
from rankcore.mathematics.statistics import mean_intervals
from rankcore.measures import STANDARD, Rules
from rankcore.studies import Findings, Study
from rankcore.studies.paths import grid
from rankcore.studies.results import ModelResults, Result
from rankcore.studies.sweeps import cell_levels, grid_levels, sweep
from rankcore.topics.explore.model_study import ModelPlan, Models, each_model
from rankcore.topics.train.entries import main_hyperparameter

Floats = NDArray[np.float64]
State = Literal["trained", "diverges", "nothing", "vanishes", "failed"]

# Hyperparameters that are fixed for a whole map.
_COMMON = ("random_state", "max_iter")
_FEWEST_QUERIES = 2
# K is the truncation interval in RSRank, the basis vectors in ConeRank, and restarts
# elsewhere.
AMBIGUOUS = ("K",)


class Axis(NamedTuple):
    """A hyperparameter and its values on a map.

    Attributes
    ----------
    values : tuple
        In ascending order, or the names of a choice.
    """

    declared: Hyperparameter
    values: tuple[Value, ...]

    @property
    def name(self) -> str:
        return self.declared.name

    @property
    def letter(self) -> str:
        """The symbol in plain letters; empty if there is none."""
        return plain(self.declared.symbol)

    @property
    def symbol(self) -> str:
        """The symbol in plain letters, or else the title in lower case; both if the
        symbol has several meanings."""
        if self.letter and self.letter not in AMBIGUOUS:
            return self.letter
        title = self.declared.title
        return f"{title[:1].lower()}{title[1:]} {self.letter}".rstrip()

    @property
    def label(self) -> str:
        """The title and the symbol."""
        title = self.declared.title
        return title if title == self.letter else f"{title} {self.letter}".strip()

    @property
    def title(self) -> str:
        """The axis title of a figure: label and scale."""
        logarithmic = self.declared.kind != "choice" and self.declared.scale == "log"
        return f"{self.label}, log scale" if logarithmic else self.label

    def text(self, at: int) -> str:
        """Return one of the values as text."""
        value = self.values[at]
        if not isinstance(value, float):
            return self.declared.format(value)
        # 10⁻⁵ rather than 1.0 · 10⁻⁵.
        return three_digits(value).removeprefix("1.0 · ")


def mappable(algorithm: type[Ranker]) -> list[str]:
    """Return the hyperparameters that an axis can have, the most important first."""
    declared = hyperparameters(algorithm)
    able = [
        name for name, row in declared.items() if name not in _COMMON and row.varies
    ]
    first = [main_hyperparameter(algorithm), *algorithm.tuning_params, "learning_rate"]
    first += [name for name in able if declared[name].sweep]
    return list(dict.fromkeys(n for n in [*first, *able] if n in able))


def axis(
    declared: Hyperparameter,
    count: int,
    low: float | None = None,
    high: float | None = None,
) -> Axis:
    """Return an axis of ``count`` values, equidistant on the hyperparameter's scale.

    Parameters
    ----------
    count : int
        At least 2. A choice has all its names, and an integer has no value twice.
    low, high : float, optional
        Ends of the axis; the hyperparameter's whole range by default.

    Raises
    ------
    ValueError
        If the range is empty.
    """
    if declared.kind == "choice":
        return Axis(declared, declared.choices)
    low = declared.low if low is None else low
    high = declared.high if high is None else high
    if low is None or high is None or not low < high:
        raise ValueError(f"The range of {declared.title} must end above its beginning.")
    narrowed = dataclasses.replace(declared, low=low, high=high)
    return Axis(
        declared, tuple(dict.fromkeys(map(declared.check, grid(narrowed, count))))
    )


@dataclass(frozen=True, eq=False)
class MapPlan(ModelPlan):
    """The runs of a map.

    Attributes
    ----------
    axes : tuple of Axis
        One or more axes.
    ranker, splits, measure, rules, max_iterations, folds
        As in `rankcore.topics.explore.model_study.ModelPlan`.
    """

    ranker: Ranker
    axes: tuple[Axis, ...]
    splits: Splits
    seeds: tuple[int, ...] = (0,)
    measure: str = "nDCG@10"
    rules: Rules = STANDARD
    max_iterations: int = 100
    folds: int = 1

    @property
    def repeats(self) -> int:
        """Number of runs per cell."""
        return self.folds * len(self.seeds)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of values on each axis."""
        return tuple(len(axis.values) for axis in self.axes)

    @property
    def runs(self) -> int:
        """Number of runs."""
        return int(np.prod(self.shape)) * self.repeats

    @property
    def over(self) -> dict[str, tuple[Value, ...]]:
        """Hyperparameter → values, as `rankcore.studies.sweeps.sweep` takes them."""
        return {axis.name: axis.values for axis in self.axes}

    def study(
        self, processes: int = 1, store: Any = None, sweep_rows: Sequence[Result] = ()
    ) -> "MapStudy":
        """Train the cells coarse to fine; see `ModelPlan.study`."""
        pointer = Pointer()
        rows = self._rows(processes, store, pointer, sweep_rows)
        coming = each_model(rows, self.runs, "coarse to fine", n_before=len(sweep_rows))
        return MapStudy(coming, self.runs, "models", self, pointer)

    def _rows(
        self,
        processes: int,
        store: Any,
        pointer: "Pointer",
        sweep_rows: Sequence[Result],
    ) -> Models:
        # All runs of a cell come together: means over different folds do not compare.
        levels = np.repeat(cell_levels(self.shape), self.repeats)

        def nearest(waiting: Sequence[int]) -> int:
            if pointer.at is None:
                return 0
            first = [n for n in waiting if levels[n] == levels[waiting[0]]]
            cells = np.array(first) // self.repeats
            at = np.column_stack(np.unravel_index(cells, self.shape))
            squares = ((at - np.array(pointer.at)) ** 2).sum(axis=1)
            return int(squares.argmin())

        rows = sweep(
            self.ranker, self.data, None, self.over, self.seeds,
            measures=(self.measure,), rules=self.rules,
            stop=self.stop,
            measured_every=self.measured_every,
            order=np.argsort(levels, kind="stable").tolist(),
            pick=nearest,
            processes=processes, store=store, rows=sweep_rows,
        )  # fmt: skip
        with closing(rows):
            for row in rows:
                yield row, row


@dataclass
class Pointer:
    """The pointer's position on each axis of a map during training."""

    at: tuple[int, ...] | None = None


class MapStudy(Study):
    """Study of a map that continues near the pointer.

    Within a level, the cells nearest to the pointer are trained first; the results do
    not depend on this order.

    Attributes
    ----------
    pointer : Pointer
        May be moved from another thread.
    """

    def __init__(
        self, coming: Findings, total: int, unit: str, plan: MapPlan, pointer: Pointer
    ) -> None:
        super().__init__(coming, total, unit, plan)
        self.pointer = pointer


def state_of(cell: ModelResults) -> State:
    """Return the worst state that the runs of a cell report."""
    if "failed" in cell.statuses:
        return "failed"
    if "diverged" in cell.statuses:
        return "diverges"
    if not cell.ranks:
        return "nothing"
    return "vanishes" if any(row.problem for row in cell.rows) else "trained"


def report_of(cell: ModelResults) -> str:
    """Return the report of the first run of a cell that has one; empty if none has."""
    for row in cell.rows:
        if row.failed or row.diverged:
            return row.reason
        if row.problem:
            return row.problem
    return ""


class Curves(NamedTuple):
    """Training curves of several cells over the same iterations.

    Attributes
    ----------
    iterations : (r,) float64
    values : (c, r) float64
        The measure of each cell; NaN at iterations without a record.
    """

    iterations: Floats
    values: Floats


@dataclass(frozen=True, eq=False)
class Map:
    """The known part of a map.

    Attributes
    ----------
    cells : tuple of ModelResults
        The cells with at least one run, by position.
    """

    plan: MapPlan
    cells: tuple[ModelResults, ...]

    @cached_property
    def places(self) -> dict[tuple[int, ...], int]:
        """Position → number of the cell."""
        return {cell.at: number for number, cell in enumerate(self.cells)}

    @cached_property
    def values(self) -> Floats:
        """The measure at each position, one dimension per axis; NaN without a usable
        model."""
        grid = np.full(self.plan.shape, np.nan)
        for cell in self.cells:
            if cell.usable:
                grid[cell.at] = cell.value
        return grid

    @cached_property
    def nearest(self) -> NDArray[np.int64]:
        """The number of the known cell nearest to each position, by Euclidean distance
        in axis steps; the first of several."""
        shape = self.plan.shape
        places = np.array([cell.at for cell in self.cells]).reshape(-1, len(shape))
        every = np.array(list(np.ndindex(*shape)))
        squares = ((every[:, None, :] - places[None, :, :]) ** 2).sum(axis=2)
        return squares.argmin(axis=1).reshape(shape)

    @cached_property
    def best(self) -> ModelResults | None:
        """The cell with the highest measure, the first of equals; None without a usable
        cell."""
        usable = [cell for cell in self.cells if cell.usable]
        return max(usable, key=lambda cell: cell.value, default=None)

    @cached_property
    def complete(self) -> tuple[NDArray[np.int64], ...]:
        """The positions on each axis of the finest regular grid whose cells are all
        known; empty if there is no such grid."""
        levels = [np.array(grid_levels(count)) for count in self.plan.shape]
        cells = tuple(np.empty(0, np.int64) for _ in levels)
        for level in range(1 + max(int(level.max()) for level in levels)):
            at = tuple(np.flatnonzero(stops <= level) for stops in levels)
            if any(place not in self.places for place in itertools.product(*at)):
                break
            cells = at
        return cells

    def weights(self, cell: ModelResults) -> Floats:
        """Return the (d,) importance of each feature in the best run of a cell, see
        `Ranker.feature_weights`; NaN if every run failed."""
        features = self.plan.splits.train.n_features
        row = self.best_row(cell)
        if row is None:
            return np.full(features, np.nan)
        return np.asarray(self.plan.ranker.feature_weights(row.coef, features))

    def best_row(self, cell: ModelResults, fold: str | None = None) -> Result | None:
        """Return the run of a cell with the highest measure, within a fold if one is
        named; runs that rank nothing come last. None if every run failed."""
        rows = [row for row in cell.rows if not row.failed]
        if fold is not None:
            rows = [row for row in rows if row.cell.fold == fold]
        return max(
            rows, key=lambda row: (row.ranks, row.value(self.plan.column)), default=None
        )

    def seed(self, cell: ModelResults) -> int:
        """Return the seed of a cell's representative run: the best run, or the first
        seed if runs on different folds cannot be compared."""
        row = self.best_row(cell) if self.plan.folds == 1 else None
        return self.plan.seeds[0] if row is None else row.cell.seed

    def chosen(self, cell: ModelResults) -> tuple[str, str]:
        """Return the iteration of a cell's representative run, as for
        `rankcore.training.selection.select`, and its description; over folds, the best
        iteration of a run on the training data."""
        return self.plan.chosen(self.best_row(cell))

    def model(self, cell: ModelResults) -> Ranker | None:
        """Return the fitted model of a cell's representative run; None if every run
        failed, or over folds, whose runs have different data."""
        return self.plan.model(self.best_row(cell))

    def curves(self) -> Curves:
        """Return the training curve of each cell, the mean over its runs."""
        column = self.plan.column
        every = [row for cell in self.cells for row in cell.rows if not row.failed]
        histories = [row.history["iteration"] for row in every]
        iterations = np.unique(np.concatenate([*histories, []]))
        values = np.full((len(self.cells), len(iterations)), np.nan)
        for number, cell in enumerate(self.cells):
            table = np.full((len(cell.rows), len(iterations)), np.nan)
            for line, row in zip(table, cell.rows, strict=True):
                if not row.failed:
                    at = np.searchsorted(iterations, row.history["iteration"])
                    line[at] = row.history[column]
            count = np.isfinite(table).sum(axis=0)
            total = np.nansum(table, axis=0)
            values[number] = np.where(count > 0, total / np.maximum(count, 1), np.nan)
        return Curves(iterations, values)

    def intervals(self) -> Floats:
        """Return (c, 2) 95% intervals over queries of each cell's mean over runs; NaN
        if a fold has no successful run yet, or with too few queries."""
        ends = np.full((len(self.cells), 2), np.nan)
        each = {
            number: np.concatenate(values)
            for number, cell in enumerate(self.cells)
            if (values := self._query_values(cell)) is not None
        }
        if not each:
            return ends
        table = np.column_stack(list(each.values()))
        # A measure that is undefined for a query is undefined under every model.
        valued = np.isfinite(table).all(axis=1)
        weights = self.plan.query_weights(valued=valued)
        if valued.sum() >= _FEWEST_QUERIES:
            ends[list(each)] = mean_intervals(table[valued].T, weights=weights)
        return ends

    def _query_values(self, cell: ModelResults) -> list[Floats] | None:
        """Return the measure of each query per fold, averaged over seeds, if known."""
        columns = []
        for fold in self.plan.data:
            rows = [r for r in cell.rows if not r.failed and r.cell.fold == fold]
            if not rows:
                return None
            values = [row.queries[self.plan.measure] for row in rows]
            columns.append(np.mean(values, axis=0))
        return columns


def found_map(plan: MapPlan, rows: Sequence[Result]) -> Map:
    """Return the map of the completed runs, which may come in any order."""
    positions = [{v: n for n, v in enumerate(axis.values)} for axis in plan.axes]
    cells: dict[tuple[int, ...], list[Result]] = {}
    for row in rows:
        values = [value for _, value in row.cell.settings]
        at = tuple(column[v] for column, v in zip(positions, values, strict=True))
        cells.setdefault(at, []).append(row)
    return Map(plan, tuple(_cell(plan, at, cells[at]) for at in sorted(cells)))


def _cell(plan: MapPlan, at: tuple[int, ...], rows: list[Result]) -> ModelResults:
    folds = list(plan.data)
    ordered = tuple(
        sorted(
            rows,
            key=lambda r: (folds.index(r.cell.fold), plan.seeds.index(r.cell.seed)),
        )
    )
    return ModelResults(at, ordered, plan.column)
