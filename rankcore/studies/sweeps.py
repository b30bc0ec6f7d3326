"""Sweeps: one run for each combination of hyperparameters, fold and seed.

A run depends only on its cell (`rankcore.studies.cells`), so results are identical to
the bit for any executor and order. Test data is not used.
"""

import itertools
from collections.abc import Generator, Iterable, Mapping, Sequence
from concurrent import futures
from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np

from rankcore import measures as _measures
from rankcore.algorithms import Ranker, get_algorithm
from rankcore.base.errors import LostWorkerError
from rankcore.base.hyperparameters import Hyperparameter, Value, hyperparameters
from rankcore.base.spellings import british
from rankcore.compute.calls import Pick
from rankcore.compute.executors import Executor
from rankcore.compute.offloading import calls_of
from rankcore.data.catalogue import Splits
from rankcore.data.dataset import RankingDataset
from rankcore.studies.cells import train_cell
from rankcore.studies.distributions import is_distribution, of_distribution
from rankcore.studies.paths import grid
from rankcore.studies.results import Cell, Result, Trainings
from rankcore.training import Stop

if TYPE_CHECKING:
    import pandas as pd
    from optuna.distributions import BaseDistribution

    from rankcore.studies.store import Store, SweepRecorder

Over = Mapping[str, "Sequence[Value] | BaseDistribution | None"]
# Number of values for a continuous distribution.
_OF_RANGE = 5


class Sweep(Trainings[Result]):
    """A sweep; iterating over it yields each row at the end of its run.

    Attributes
    ----------
    cells : tuple of Cell
        All cells in order: by settings, then fold, then seed.
    rows : dict of Cell to Result
        Results of ended runs, in the order of their ends.
    """

    def __init__(
        self,
        algorithm: str,
        cells: Sequence[Cell],
        coming: Generator[Result],
    ) -> None:
        super().__init__(algorithm, len(cells), coming)
        self.cells = tuple(cells)
        self.rows: dict[Cell, Result] = {}

    def __next__(self) -> Result:
        row = next(self._coming)
        self.rows[row.cell] = row
        return row

    @property
    def done(self) -> int:
        return len(self.rows)

    def to_frame(self) -> "pd.DataFrame":
        """Return a table of the rows so far, one per cell, in the order of `cells`."""
        import pandas as pd

        ended = [self.rows[cell] for cell in self.cells if cell in self.rows]
        return pd.DataFrame([row.to_row() for row in ended])


def sweep(
    algorithm: str | type[Ranker] | Ranker,
    train: RankingDataset | Mapping[str, Splits],
    valid: RankingDataset | None = None,
    over: Over | None = None,
    seeds: Sequence[int] = (0,),
    executor: Executor | futures.Executor | None = None,
    *,
    measures: Sequence[str] = ("nDCG@10",),
    rules: _measures.Rules = _measures.STANDARD,
    stop: Stop | None = None,
    measured_every: int = 1,
    order: Sequence[int] | None = None,
    pick: Pick | None = None,
    processes: int = 1,
    store: "Store | None" = None,
    title: str = "",
    rows: Sequence[Result] = (),
    cells: Sequence[Cell] | None = None,
) -> Sweep:
    """Train an algorithm with each combination of some hyperparameters' values.

    Parameters
    ----------
    algorithm : str, type or Ranker
        Name, class, or an instance with the other hyperparameters.
    train : RankingDataset, or dict of str to Splits
        Training data, or folds by name, with their own validation data.
    valid : RankingDataset, optional
        Data for choosing the best iteration of each run.
    over : dict of str to sequence, distribution or None
        Hyperparameter → values; None stands for its declared sweep values, and a
        distribution of SciPy or Optuna for its values, or for five equidistant ones on
        its scale. By default all hyperparameters with sweep values.
    seeds : sequence of int
        Seeds; each gives a run of every combination.
    executor : Executor of `rankcore.compute.executors` or of `concurrent.futures`,
    optional
        Executor of the runs, such as ``Processes(2)``; by default this process, one
        after the other. Data is sent to each process once.
    measures : sequence of str
        Names of measures; the first one chooses the best iteration.
    rules : Rules
        How measures are computed.
    stop : Stop, optional
        Limits of each run; by default the algorithm's own ``max_iter``.
    measured_every : int
        Number of iterations between evaluations; the best model is from an evaluated
        one.
    order : sequence of int, optional
        Numbers of all cells, in the order in which they begin.
    pick : callable, optional
        Called with the numbers of waiting cells, in this order; returns the position of
        the next one to begin, by default the first.
    processes : int
        Number of training processes, at low priority, without an ``executor``. They
        start once the remaining runs take long enough; until then, and with 1, this
        process trains.
    store : rankcore.studies.store.Store, optional
        Stores the sweep as one entry, and each row when its run has ended.
    title : str
        Title of that entry; by default the algorithm and the varied hyperparameters.
    rows : sequence of Result
        Results of the same interrupted sweep. They come first, and the rest is trained.
    cells : sequence of Cell, optional
        Distinct cells to train instead of all combinations; they require a title, and
        exclude ``over``.

    Returns
    -------
    Sweep
        Closing it cancels waiting runs. A configuration that cannot be trained, or ends
        its process at every attempt, becomes a row with the reason.

    Raises
    ------
    ValueError
        For an unknown hyperparameter or measure, an invalid value, no values at all, an
        invalid order, or a cell of an unknown fold.
    StoreError
        If the store cannot be written.

    Examples
    --------
    >>> from rankcore import load_dataset
    >>> data = load_dataset("toy-2d")
    >>> found = sweep("RankSVM", data.train, over={"l2": [0.1, 1.0]})
    >>> [row.failed for row in found]
    [False, False]
    """
    model = model_of(algorithm)
    folds = train if isinstance(train, Mapping) else {"": Splits(train, valid, None)}
    if cells is None:
        axes = _axes(model, over)
        cells = _cells(axes, folds, seeds)
        title = title or f"{model.title} over {', '.join(axes) or 'seeds'}"
    else:
        _check_cells(model, folds, cells, over)
    for name in measures:
        _measures.parse(name)
    rules.checked()
    numbers = _checked_order(len(cells), order)
    context = model, dict(folds), tuple(measures), rules, stop, measured_every
    before = {row.cell: row for row in rows}
    first = [before[cells[number]] for number in numbers if cells[number] in before]
    numbers = [number for number in numbers if cells[number] not in before]
    tasks = [(cells[number],) for number in numbers]

    def picked(waiting: Sequence[int]) -> int:
        return 0 if pick is None else pick([numbers[number] for number in waiting])

    def lost(number: int, error: LostWorkerError) -> Result:
        return Result(*tasks[number], "failed", str(error))

    def trained() -> Generator[Result]:
        yield from first
        with (
            calls_of(train_cell, context, len(tasks), executor, processes) as calls,
            closing(calls.results(tasks, lost, picked)) as ended,
        ):
            for _, row in ended:
                yield row

    coming = trained()
    if store is not None:
        from rankcore.studies.store import SweepRecorder

        recorder = SweepRecorder(
            store, model, folds, cells,
            title=title, measures=measures, rules=rules, stop=stop,
            measured_every=measured_every,
        )  # fmt: skip
        coming = _record_each(recorder, cells, coming)
    return Sweep(type(model).__name__, cells, coming)


def _record_each(
    recorder: "SweepRecorder", cells: Sequence[Cell], coming: Generator[Result]
) -> Generator[Result]:
    """Yield the rows, after storing each."""
    numbers = {cell: number for number, cell in enumerate(cells)}
    with closing(recorder), closing(coming):
        for row in coming:
            recorder.put_result(numbers[row.cell], row)
            yield row


def _cells(
    axes: Mapping[str, Sequence[Value]], folds: Iterable[str], seeds: Sequence[int]
) -> list[Cell]:
    """Return the cell of each combination, fold and seed."""
    values = itertools.product(*axes.values())
    return [
        Cell(tuple(zip(axes, chosen, strict=True)), fold, int(seed))
        for chosen, fold, seed in itertools.product(values, folds, seeds)
    ]


def _check_cells(
    model: Ranker, folds: Iterable[str], cells: Sequence[Cell], over: Over | None
) -> None:
    if over is not None:
        raise ValueError("Give either over or cells.")
    for name in {name: None for cell in cells for name, _ in cell.settings}:
        _declared(model, name)
    for fold in {cell.fold: None for cell in cells}:
        if fold not in folds:
            raise ValueError(
                f"There is no fold {fold!r}; there are {', '.join(map(repr, folds))}."
            )


def _checked_order(count: int, order: Sequence[int] | None) -> list[int]:
    """Return the numbers of cells in the order in which they begin."""
    if not count:
        raise ValueError("There is nothing to train: give at least one fold and seed.")
    numbers = list(range(count) if order is None else order)
    if sorted(numbers) != list(range(count)):
        raise ValueError(f"An order must contain each number below {count} once.")
    return numbers


def model_of(algorithm: str | type[Ranker] | Ranker) -> Ranker:
    """Return an algorithm from its name, class, or instance."""
    ranker: Any = get_algorithm(algorithm) if isinstance(algorithm, str) else algorithm
    return ranker() if isinstance(ranker, type) else ranker


def _axes(model: Ranker, over: Over | None) -> dict[str, tuple[Value, ...]]:
    """Return each varied hyperparameter with its checked, distinct values."""
    declared, title = hyperparameters(model), type(model).__name__
    if over is None:
        over = {name: None for name, axis in declared.items() if axis.sweep}
    axes: dict[str, tuple[Value, ...]] = {}
    for spelt, values in over.items():
        name = british(spelt, declared)
        row = _declared(model, name)
        wanted = row.sweep if values is None else _values(row, values)
        if not len(wanted):
            raise ValueError(f"Give values for {name}: {title} declares none.")
        axes[name] = tuple(dict.fromkeys(row.check(value) for value in wanted))
    return axes


def _declared(model: Ranker, name: str) -> Hyperparameter:
    declared = hyperparameters(model)
    if name not in declared:
        raise ValueError(
            f"{type(model).__name__} has no hyperparameter {name!r}; it has "
            f"{', '.join(declared)}."
        )
    return declared[name]


def _values(declared: Hyperparameter, values: Any) -> Sequence[Value]:
    """Return the given values, or those of a distribution."""
    if is_distribution(values):
        values = of_distribution(declared, values)
    return grid(values, _OF_RANGE) if isinstance(values, Hyperparameter) else values


def coarse_to_fine(shape: Sequence[int]) -> list[int]:
    """Return the cells of a grid in an order that soon gives a coarse overview.

    The ends of each axis come first, then its middle, then the midpoints between these,
    and so on.

    Parameters
    ----------
    shape : sequence of int
        Number of values on each axis, at least 1.

    Returns
    -------
    list of int
        Numbers of all cells, with the last axis fastest.

    Examples
    --------
    >>> coarse_to_fine([5])
    [0, 4, 2, 1, 3]
    >>> coarse_to_fine([3, 2])
    [0, 1, 4, 5, 2, 3]
    """
    levels = cell_levels(shape)
    return sorted(range(len(levels)), key=levels.__getitem__)


def cell_levels(shape: Sequence[int]) -> list[int]:
    """Return the level of each cell of a grid, from 0; the last axis is the fastest.

    Examples
    --------
    >>> cell_levels([3, 2])
    [0, 0, 1, 1, 0, 0]
    """
    levels = itertools.product(*map(grid_levels, shape))
    return [max(level, default=0) for level in levels]


def grid_levels(count: int) -> list[int]:
    """Return the level of each value of an axis, from 0."""
    levels, level, points = np.full(count, -1), 0, 2
    while (levels < 0).any():
        at = np.round(np.linspace(0, count - 1, points)).astype(int)
        at = at[levels[at] < 0]
        levels[at] = level
        level, points = level + 1, 2 * points - 1
    return levels.tolist()
