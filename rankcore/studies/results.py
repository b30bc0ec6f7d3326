"""Results: what one run of training came to, in sweeps, maps, searches and the store.

A result says which run it is of (`Cell`) and what its best model is. What all runs of a
study have in common, such as the algorithm, the data and the rules, is in its plan.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcore.base.hyperparameters import Value
from rankcore.base.numbers import plain
from rankcore.data.dataset import RankingDataset
from rankcore.data.samples import Sample
from rankcore.studies import earlier
from rankcore.studies.earlier import Status
from rankcore.training import Record, Stop

PRUNED = "Ended early: below the median of other models after as many iterations."


class Cell(NamedTuple):
    """What tells one run of a study from the others.

    Attributes
    ----------
    settings : tuple of (str, value)
        The hyperparameters that vary, in their order, with the run's values.
    fold : str
        Empty where there are no folds.
    seed : int
        The run's ``random_state``.
    most : int or None
        Iterations at most, where they are fewer than those of all.
    sample : Sample or None
        The training data, where they are not the fold's own.
    """

    settings: tuple[tuple[str, Value], ...]
    fold: str
    seed: int
    most: int | None = None
    sample: Sample | None = None

    def data(self, train: RankingDataset) -> RankingDataset:
        """Return the training data, from those of the fold."""
        return train if self.sample is None else self.sample.of(train)

    def limits(self, stop: Stop | None) -> Stop | None:
        """Return the limits of the run, from those of all."""
        if self.most is None:
            return stop
        return replace(stop or Stop(), max_iterations=self.most)

    def to_json(self) -> dict[str, Any]:
        """Return the cell as JSON has it; `from_json` reads it."""
        own = self._asdict()
        if self.sample is not None:
            own["sample"] = self.sample._asdict()
        return {name: value for name, value in own.items() if value is not None}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> "Cell":
        """Return the cell that `to_json` has written."""
        settings = tuple((name, value) for name, value in record["settings"])
        sample = Sample(**record["sample"]) if "sample" in record else None
        return cls(settings, record["fold"], record["seed"], record.get("most"), sample)


@dataclass(frozen=True, eq=False, slots=True)
class Result:
    """A run that has ended, with its best model.

    Attributes
    ----------
    cell : Cell
    status : {"finished", "pruned", "diverged", "failed"}
        How the run ended: by itself, early because it was below a
        `rankcore.studies.cells.Bar`, because the model was no longer finite, or without
        a model, as training was not possible or ended with an error.
    reason : str
        Why training ended, or what was wrong, as a sentence.
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
        The best model; empty where it is not kept.
    history : dict of str to (r,) float64
        Of each record: ``"iteration"``, ``"seconds"``, and the mean measures as
        ``"train nDCG@10"`` and ``"valid nDCG@10"``.
    ranks : bool
        Whether the best model orders any two documents of a query.
    """

    cell: Cell
    status: Status = "finished"
    reason: str = ""
    problem: str = ""
    iterations: int = 0
    iteration: int = 0
    seconds: float = 0.0
    objective: float = np.nan
    nonzeros: int = 0
    train: Mapping[str, float] = field(default_factory=dict)
    valid: Mapping[str, float] = field(default_factory=dict)
    queries: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    coef: NDArray[Any] = field(default_factory=lambda: np.empty(0))
    history: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    ranks: bool = True

    @property
    def failed(self) -> bool:
        """Whether there is no model."""
        return self.status == "failed"

    @property
    def diverged(self) -> bool:
        """Whether the model was no longer finite at the end."""
        return self.status == "diverged"

    @property
    def pruned(self) -> bool:
        """Whether the run was ended early."""
        return self.status == "pruned"

    def value(self, column: str) -> float:
        """Return a mean of the best model, such as ``"valid nDCG@10"``; NaN where there
        is none."""
        split, _, measure = column.partition(" ")
        means = self.train if split == "train" else self.valid
        return means.get(measure, np.nan)

    def to_row(self) -> dict[str, Any]:
        """Return the result's figures by column name; those of each query and of each
        record are left out."""
        return {
            **dict(self.cell.settings),
            "fold": self.cell.fold,
            "seed": self.cell.seed,
            **({} if self.cell.sample is None else self.cell.sample.to_row()),
            **{f"train {name}": value for name, value in self.train.items()},
            **{f"valid {name}": value for name, value in self.valid.items()},
            **{name: getattr(self, name) for name in _FIGURES},
            "failed": self.failed,
            "diverged": self.diverged,
            "problem": self.problem,
            "reason": self.reason,
        }

    @classmethod
    def of_row(cls, cell: Cell, row: Mapping[str, Any]) -> "Result":
        """Return the result of a cell with the figures that `to_row` gave, as the store
        has them."""
        status = earlier.status({"pruned": row["reason"] == PRUNED, **row})
        own: dict[str, Any] = {
            name: kind(row[name])
            for name, kind in _FIGURES.items()
            if row.get(name) is not None
        }
        for split in ("train", "valid"):
            own[split] = {
                name.removeprefix(f"{split} "): _number(value)
                for name, value in row.items()
                if name.startswith(f"{split} ")
            }
        return cls(cell, status, row["reason"], **own)

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON has it, to the bit; what is not finite becomes
        None."""
        own = {one.name: plain(getattr(self, one.name), 17) for one in fields(self)}
        return {"version": earlier.VERSION} | own | {"cell": self.cell.to_json()}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> "Result":
        """Return the result that `to_json` has written, or that of an earlier version
        has."""
        record = earlier.result(record)
        figures = {one.name: record[one.name] for one in fields(cls)}
        figures["objective"] = _number(record["objective"])
        for split in ("train", "valid"):
            figures[split] = {n: _number(value) for n, value in record[split].items()}
        for name in ("queries", "history"):
            figures[name] = {
                n: np.array(v, np.float64) for n, v in record[name].items()
            }
        figures["coef"] = np.array(record["coef"], np.float64)
        return cls(**figures | {"cell": Cell.from_json(record["cell"])})

    def record(self) -> Record:
        """Return the best model as a record, such as for the progress of a study."""
        return Record(
            self.iteration, self.seconds, self.objective, self.coef, self.nonzeros,
            self.train, self.valid, ranks=self.ranks,
        )  # fmt: skip


# Figures of a row that are not means.
_FIGURES: Mapping[str, Callable[[Any], Any]] = {
    "iterations": int,
    "iteration": int,
    "seconds": float,
    "objective": float,
    "nonzeros": int,
    "ranks": bool,
}


def _number(value: float | None) -> float:
    return np.nan if value is None else value
