"""Sweeps: one run for each combination of hyperparameters, fold and seed.

A run depends on its cell alone, so that the results are the same, to the bit, whatever
executes them and in whatever order. Test data is not looked at.
"""

import itertools
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent import futures
from contextlib import closing
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from rankcore import _workers
from rankcore import measures as _measures
from rankcore._cancellation import cancel_point
from rankcore.algorithms import Ranker, get_algorithm
from rankcore.catalogue import Splits
from rankcore.dataset import RankingDataset
from rankcore.errors import LostWorkerError
from rankcore.executors import Executor
from rankcore.hyperparameters import Value, hyperparameters
from rankcore.training import Record, Run, Stop, drive, every

if TYPE_CHECKING:
    import pandas as pd

    from rankcore.store import Store

Over = Mapping[str, Sequence[Value] | None]


class Cell(NamedTuple):
    """What tells one run of a sweep from the others.

    Attributes
    ----------
    settings : tuple of (str, value)
        The hyperparameters swept over, in their order, with the run's values.
    fold : str
        Empty where there are no folds.
    seed : int
        The run's ``random_state``.
    """

    settings: tuple[tuple[str, Value], ...]
    fold: str
    seed: int


@dataclass(frozen=True, eq=False)
class SweepRow:
    """The run of one cell.

    Attributes
    ----------
    cell : Cell
    failed : bool
        Whether training was not possible, or ended with an error.
    reason : str
        Why training ended, or what was wrong, as a sentence.
    diverged : bool
        Whether it ended because the model was no longer finite.
    problem : str
        What the algorithm says kept its last iteration from getting on; empty: nothing.
    iterations : int
        Iterations done.
    iteration : int
        The one after which the best model was taken, see `rankcore.training.Run.best`.
    seconds : float
        Training time without measuring.
    objective : float
        Of the best model; NaN if the run failed.
    nonzeros : int
        Features that the best model uses.
    train, valid : dict of str to float
        Mean measures of the best model on either split.
    queries : dict of str to (q,) float64
        Its measures for each query: of the validation data, else of the training data.
    coef : (d,) float64
        The best model.
    history : dict of str to (r,) float64
        Of each record: ``"iteration"``, ``"seconds"``, and the mean measures as
        ``"train nDCG@10"`` and ``"valid nDCG@10"``.
    """

    cell: Cell
    failed: bool
    reason: str
    diverged: bool = False
    problem: str = ""
    iterations: int = 0
    iteration: int = 0
    seconds: float = 0.0
    objective: float = np.nan
    nonzeros: int = 0
    train: Mapping[str, float] = field(default_factory=dict)
    valid: Mapping[str, float] = field(default_factory=dict)
    queries: Mapping[str, np.ndarray] = field(default_factory=dict)
    coef: np.ndarray = field(default_factory=lambda: np.empty(0))
    history: Mapping[str, np.ndarray] = field(default_factory=dict)

    def to_row(self) -> dict[str, Any]:
        """The row's figures by column name; those of each query and of each record are
        left out."""
        figures = ("iterations", "iteration", "seconds", "objective", "nonzeros")
        return {
            **dict(self.cell.settings),
            "fold": self.cell.fold,
            "seed": self.cell.seed,
            **{f"train {name}": value for name, value in self.train.items()},
            **{f"valid {name}": value for name, value in self.valid.items()},
            **{name: getattr(self, name) for name in figures},
            "failed": self.failed,
            "diverged": self.diverged,
            "problem": self.problem,
            "reason": self.reason,
        }

    def record(self) -> Record:
        """The best model as a record, such as for the progress of a study."""
        return Record(
            self.iteration, self.seconds, self.objective, self.coef, self.nonzeros,
            self.train, self.valid,
        )  # fmt: skip


class Sweep(Iterator[SweepRow]):
    """A sweep; iterating over it yields each row when its run has ended.

    Attributes
    ----------
    algorithm : str
    cells : tuple of Cell
        All of them, in order: by settings, then fold, then seed.
    rows : dict of Cell to SweepRow
        Of the runs that have ended, in the order in which they did.
    """

    def __init__(
        self,
        algorithm: str,
        cells: Sequence[Cell],
        coming: Generator[SweepRow],
    ) -> None:
        self.algorithm = algorithm
        self.cells = tuple(cells)
        self.rows: dict[Cell, SweepRow] = {}
        self._coming = coming

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> SweepRow:
        row = next(self._coming)
        self.rows[row.cell] = row
        return row

    def close(self) -> None:
        """End the sweep; the rows so far stay."""
        self._coming.close()

    def to_frame(self) -> "pd.DataFrame":
        """A table of the rows so far, a row a cell, in the order of `cells`."""
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
    beside: int = 0,
    store: "Store | None" = None,
    title: str = "",
) -> Sweep:
    """Train an algorithm with each combination of some hyperparameters' values.

    Parameters
    ----------
    algorithm : str, type or Ranker
        Its name, its class, or an instance with the values of the others.
    train : RankingDataset, or dict of str to Splits
        Training data, or folds by name; those have validation data of their own.
    valid : RankingDataset, optional
        The best iteration of each run is chosen on it.
    over : dict of str to sequence
        Hyperparameter → values; None stands for the values it declares for a sweep. By
        default all that declare some.
    seeds : sequence of int
        Each gives a run of every combination.
    executor : Executor of `rankcore.executors` or of `concurrent.futures`, optional
        Where the runs are trained, such as ``Processes(2)``; by default here, one after
        the other. Data is sent to each process once.
    measures : sequence of str
        Names; the first one chooses the best iteration.
    rules : Rules
        How measures are computed.
    stop : Stop, optional
        By default the algorithm's own ``max_iter``.
    measured_every : int
        So many iterations lie between those that are measured, of which the best model
        is one.
    order : sequence of int, optional
        The numbers of all cells, in the order in which they are begun.
    beside : int
        Where there is no ``executor``: processes that train as well as this one, begun
        as soon as the runs to come take long enough to pay for it.
    store : rankcore.store.Store, optional
        Keeps the sweep as one entry, and each row when its run has ended.
    title : str
        Of that entry; by default the algorithm's and what is swept over.

    Returns
    -------
    Sweep
        Closing it cancels the runs that have not begun. A configuration that cannot be
        trained, or ends its process each time, is a row with its reason.

    Raises
    ------
    ValueError
        For a hyperparameter or a measure that does not exist, a value that is not
        permitted, no values at all, or an order that is none.
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
    model = _instance(algorithm)
    axes = _axes(model, over)
    folds = train if isinstance(train, Mapping) else {"": Splits(train, valid, None)}
    names, values = list(axes), itertools.product(*axes.values())
    cells = [
        Cell(tuple(zip(names, chosen, strict=True)), fold, int(seed))
        for chosen, fold, seed in itertools.product(values, folds, seeds)
    ]
    if not cells:
        raise ValueError("There is nothing to train: give at least one fold and seed.")
    for name in measures:
        _measures.parse(name)
    rules.checked()
    begun = list(range(len(cells)) if order is None else order)
    if sorted(begun) != list(range(len(cells))):
        raise ValueError(f"An order has each number below {len(cells)} once.")
    given = model, dict(folds), tuple(measures), rules, stop, measured_every
    tasks = [(cells[number],) for number in begun]

    def lost(number: int, error: LostWorkerError) -> SweepRow:
        return SweepRow(*tasks[number], failed=True, reason=str(error))

    if executor is None and beside:
        found = _workers.shared_out(beside, _row, tasks, given, lost)
    else:
        found = _workers.results(executor, _row, tasks, given, lost)
    coming = (row for _, row in found)
    if store is not None:
        title = title or f"{model.title} over {', '.join(names) or 'seeds'}"
        key = store.begin_sweep(title=title, **_fields(cells, *given[:-1]))
        coming = _kept(store, key, cells, coming)
    return Sweep(type(model).__name__, cells, coming)


def _kept(
    store: "Store",
    key: str,
    cells: Sequence[Cell],
    coming: Generator[SweepRow],
) -> Generator[SweepRow]:
    """The rows, each written before it is given."""
    numbers = {cell: number for number, cell in enumerate(cells)}
    with closing(coming):
        for row in coming:
            store.put_cell(key, numbers[row.cell], row.to_row())
            yield row


def _fields(
    cells: Sequence[Cell],
    model: Ranker,
    folds: Mapping[str, Splits],
    measures: tuple[str, ...],
    rules: _measures.Rules,
    stop: Stop | None,
) -> dict[str, Any]:
    """What a store keeps of a sweep beside its rows."""
    return {
        "algorithm": type(model).__name__,
        "hyperparameters": {
            name: getattr(model, name) for name in hyperparameters(model)
        },
        "folds": {
            name: {
                "data": train.name,
                "fingerprint": train.fingerprint,
                "valid_fingerprint": None if valid is None else valid.fingerprint,
                "normalisation": train.normalisation,
            }
            for name, (train, valid, _) in folds.items()
        },
        "cells": [cell._asdict() for cell in cells],
        "measures": list(measures),
        "convention": rules.convention,
        "empty": rules.empty,
        "stop": {} if stop is None else asdict(stop),
    }


def _instance(algorithm: str | type[Ranker] | Ranker) -> Ranker:
    given: Any = get_algorithm(algorithm) if isinstance(algorithm, str) else algorithm
    return given() if isinstance(given, type) else given


def _axes(model: Ranker, over: Over | None) -> dict[str, tuple[Value, ...]]:
    """Each hyperparameter swept over, with its values, checked and without doubles."""
    declared, title = hyperparameters(model), type(model).__name__
    if over is None:
        over = {name: None for name, own in declared.items() if own.sweep}
    found: dict[str, tuple[Value, ...]] = {}
    for name, values in over.items():
        if name not in declared:
            raise ValueError(
                f"{title} has no hyperparameter {name!r}; it has {', '.join(declared)}."
            )
        own = declared[name]
        wanted = own.sweep if values is None else values
        if not len(wanted):
            raise ValueError(f"Give values for {name}: {title} declares none.")
        found[name] = tuple(dict.fromkeys(own.check(value) for value in wanted))
    return found


def _row(
    model: Ranker,
    folds: Mapping[str, Splits],
    measures: tuple[str, ...],
    rules: _measures.Rules,
    stop: Stop | None,
    measured_every: int,
    cell: Cell,
) -> SweepRow:
    """Train the run of a cell; what goes wrong is in the row."""
    settings = {**model.get_params(), **dict(cell.settings), "random_state": cell.seed}
    train, valid, _ = folds[cell.fold]
    try:
        own = type(model)(**settings)
        schedule = every(measured_every)
        run = drive(
            own, train, valid,
            stop=stop, measures=measures, rules=rules, schedule=schedule,
        )  # fmt: skip
        with closing(run):
            for _ in run:
                cancel_point()
    except ValueError as error:
        return SweepRow(cell, failed=True, reason=str(error))
    except Exception as error:
        kind = type(error).__name__
        reason = f"The run ended with an internal error ({kind}): {error}"
        return SweepRow(cell, failed=True, reason=reason)
    best, last = run.best, run.history[-1]
    split = train if valid is None else valid
    scores = own.scores(split.X, best.coef)
    measured = _measures.evaluate(split, scores, measures, *rules)
    return SweepRow(
        cell,
        failed=False,
        reason=run.reason or "",
        diverged=run.diverged,
        problem=run.algorithm_after(last).problem(last) or "",
        iterations=last.iteration,
        iteration=best.iteration,
        seconds=last.seconds,
        objective=best.objective,
        nonzeros=best.nonzeros,
        train=dict(best.train),
        valid=dict(best.valid),
        queries={str(name): column.to_numpy() for name, column in measured.items()},
        coef=best.coef,
        history=_history(run),
    )


def _history(run: Run) -> dict[str, np.ndarray]:
    """As in `SweepRow`."""
    first = run.history[0]
    names = [f"train {name}" for name in first.train]
    names += [f"valid {name}" for name in first.valid]
    return {name: run.history.column(name) for name in ("iteration", "seconds", *names)}
