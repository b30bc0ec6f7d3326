"""Results of training runs in sweeps, maps, searches and the store.

A result identifies its run (`Cell`) and describes the best model. The study's plan has
everything common to its runs, such as the algorithm, the data and the rules; runs
compared with those of other studies have it in their `SharedTerms`.
"""

import json
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankcore import measures as _measures
from rankcore.algorithms import Ranker, get_algorithm
from rankcore.base.hyperparameters import Hyperparameter, Value, hyperparameters
from rankcore.base.numbers import plain
from rankcore.data.dataset import Query, RankingDataset, weighting_words
from rankcore.data.samples import Sample
from rankcore.studies import earlier
from rankcore.studies.earlier import Status
from rankcore.training import Record, Stop
from rankcore.training.selection import By, chooses, chosen_text, iterations_text

SPLITS = "train", "valid", "test"
PRUNED = "Ended early: below the median of other models after as many iterations."


class Course(NamedTuple):
    """Training options other than hyperparameters, as phrases; empty for defaults.

    Attributes
    ----------
    chosen : str
        Measure that chose its best iteration.
    limit : str
        Limit of its training other than the maximum number of iterations.
    changes : str
        Hyperparameters changed during training.
    start : str
        Its starting model.
    ended : str
        The iteration after which it was stopped.
    """

    chosen: str = ""
    limit: str = ""
    changes: str = ""
    start: str = ""
    ended: str = ""


AS_USUAL = Course()


@dataclass(frozen=True)
class SharedTerms:
    """Data, split and rules of a run that is compared with runs of other studies.

    Attributes
    ----------
    algorithm, data : str
        Names of the algorithm and the data set.
    split : {"train", "valid", "test"}
        Of the queries.
    ids : tuple of q str
        Of the queries.
    normalisation : str or None
        Scaling of the features of its data.
    division : str
        How its data was split, if not by the data set's own splits.
    content : (str or None, str or None)
        Fingerprints of its training and validation data; None if missing or unknown.
    rules : Rules
        Rules of evaluation.
    key : str
        Its id in the run store; empty for other runs.
    weights : tuple of q float
        Weights of the queries; empty if all are equal.
    weighted_by : str
        Name of the weights.
    """

    algorithm: str = ""
    data: str = ""
    split: str = "valid"
    ids: tuple[str, ...] = ()
    normalisation: str | None = None
    division: str = ""
    content: tuple[Any, ...] = (None, None)
    rules: _measures.Rules = _measures.STANDARD
    course: Course = AS_USUAL
    key: str = ""
    weights: tuple[float, ...] = ()
    weighted_by: str = ""

    @property
    def weighting(self) -> str:
        """Description of its weights; see `RankingDataset.weighting`."""
        return weighting_words(self.weighted_by) if self.weights else ""

    def of_queries(self, dataset: RankingDataset, split: str) -> "SharedTerms":
        """Return the terms of the run for the queries of a data set."""
        weights = dataset.weights.tolist() if dataset.weighting else ()
        return replace(
            self,
            split=split,
            ids=dataset.query_ids,
            weights=tuple(weights),
            weighted_by=dataset.weights_name if weights else "",
        )

    def to_json(self) -> dict[str, Any]:
        """Return the terms as JSON for `from_json`."""
        left_out = () if self.weights else ("weights", "weighted_by")
        names = [one.name for one in fields(self) if one.name not in left_out]
        return {name: plain(getattr(self, name), 17) for name in names}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> "SharedTerms":
        """Return the terms from JSON of `to_json`."""
        parts = {
            "ids": tuple(record["ids"]),
            "content": tuple(record["content"]),
            "rules": _measures.Rules(*record["rules"]),
            "course": Course(*record["course"]),
            "weights": tuple(record.get("weights", ())),
        }
        return cls(**{**record, **parts})


class Cell(NamedTuple):
    """The values that identify a run within a study.

    Attributes
    ----------
    settings : tuple of (str, value)
        Varied hyperparameters, in order, with the run's values.
    fold : str
        Name of the fold, empty without folds; for several paths, their label.
    seed : int
        The run's ``random_state``.
    most : int or None
        Maximum number of iterations, if lower than for all runs.
    sample : Sample or None
        Training data, if not the fold's own.
    """

    settings: tuple[tuple[str, Value], ...]
    fold: str
    seed: int
    most: int | None = None
    sample: Sample | None = None

    @property
    def value(self) -> Any:
        """The value of the first varied hyperparameter, such as on a path."""
        return self.settings[0][1]

    def data(self, train: RankingDataset) -> RankingDataset:
        """Return the training data, given those of the fold."""
        return train if self.sample is None else self.sample.of(train)

    def limits(self, stop: Stop | None) -> Stop | None:
        """Return the limits of the run, given those of all runs."""
        if self.most is None:
            return stop
        return replace(stop or Stop(), max_iterations=self.most)

    def to_json(self) -> dict[str, Any]:
        """Return the cell as JSON for `from_json`."""
        values = self._asdict()
        if self.sample is not None:
            values["sample"] = self.sample._asdict()
        return {name: value for name, value in values.items() if value is not None}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> "Cell":
        """Return the cell from JSON of `to_json`."""
        settings = tuple((name, value) for name, value in record["settings"])
        sample = Sample(**record["sample"]) if "sample" in record else None
        return cls(settings, record["fold"], record["seed"], record.get("most"), sample)


@dataclass(frozen=True, eq=False, slots=True)
class Result:
    """An ended run with its best model.

    Attributes
    ----------
    status : {"finished", "pruned", "diverged", "failed"}
        How the run ended: normally, pruned below a `rankcore.studies.cells.Bar`, with a
        non-finite model, or without a model after an error.
    reason : str
        Why training ended or failed, as a sentence.
    problem : str
        Obstacle to progress in the last iteration, reported by the algorithm, or empty.
    iterations : int
        Number of iterations.
    iteration : int
        The iteration of the best model, see `rankcore.training.Run.best`.
    seconds : float
        Training time without evaluation.
    objective : float
        Objective of the best model; NaN if the run failed.
    nonzeros : int
        Number of features of the best model.
    train, valid, test : dict of str to float
        Mean measures of the best model on each split; empty if not evaluated.
    queries : dict of str to (q,) float64
        Its measures for each query of the validation data, or else the training data.
    coef : (d,) float64
        The best model; empty if not stored.
    history : dict of str to (r,) float64
        Columns of all records: ``"iteration"``, ``"seconds"``, and mean measures such
        as ``"train nDCG@10"`` and ``"valid nDCG@10"``.
    ranks : bool
        Whether the best model orders any two documents of a query.
    diagnostics : dict of str to float
        The algorithm's diagnostics of the model, if stored.
    model : Ranker
        The fitted model, for predictions and export, if kept.
    terms : SharedTerms
        Terms of a run compared with runs of other studies, whose cell then has all
        hyperparameters, with ``max_iter`` as its limit; otherwise the plan has the
        terms.
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
    test: Mapping[str, float] = field(default_factory=dict)
    queries: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    coef: NDArray[Any] = field(default_factory=lambda: np.empty(0))
    history: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    ranks: bool = True
    diagnostics: Mapping[str, float] = field(default_factory=dict)
    model: Ranker = None  # type: ignore[assignment]  # not kept
    terms: SharedTerms = None  # type: ignore[assignment]  # those of its plan

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
        """Whether the run was pruned."""
        return self.status == "pruned"

    @property
    def settings(self) -> dict[str, Any]:
        """The hyperparameters of its cell."""
        return dict(self.cell.settings)

    @property
    def title(self) -> str:
        """The algorithm and the hyperparameters of its cell."""
        settings = [f"{name} = {value}" for name, value in self.cell.settings]
        return ", ".join([self.ranked_by, *settings])

    @property
    def ranked_by(self) -> str:
        """The title of its algorithm."""
        return get_algorithm(self.terms.algorithm).title

    @property
    def has_model(self) -> bool:
        """Whether there is a model that can rank other documents."""
        return True

    @property
    def declared(self) -> Mapping[str, Hyperparameter]:
        """The hyperparameters of its algorithm, by name."""
        return hyperparameters(get_algorithm(self.terms.algorithm))

    @property
    def ranker(self) -> Ranker:
        """The unfitted algorithm with these settings."""
        algorithm = get_algorithm(self.terms.algorithm)
        return algorithm(**self.settings, random_state=self.cell.seed)

    @property
    def chosen_by(self) -> By:
        """The rule that chose the iteration of its model."""
        measured = any(name.startswith("valid ") for name in self.history)
        return chooses(self.ranker, measured)

    @property
    def chosen_text(self) -> str:
        """The iteration of its model and how it was chosen."""
        return chosen_text(self.iteration, self.chosen_by)

    def scores(self, documents: RankingDataset | Query) -> NDArray[np.float64]:
        """Return the scores (n,) of documents by the best model."""
        return self.ranker.scores(documents.X, self.coef)

    def weights(self, n_features: int) -> NDArray[np.float64]:
        """Return the importance of each feature in the best model, (d,)."""
        return self.ranker.feature_weights(self.coef, n_features)

    def measured(self, dataset: RankingDataset, split: str) -> "Result":
        """Return the run with its model evaluated on other queries by its own rules."""
        names, rules = list(self.queries), self.terms.rules
        table = _measures.evaluate(dataset, self.scores(dataset), names, *rules)
        columns = {str(name): column.to_numpy() for name, column in table.items()}
        terms = self.terms.of_queries(dataset, split)
        return replace(self, queries=columns, terms=terms)

    def value(self, column: str) -> float:
        """Return a mean of the best model, such as ``"valid nDCG@10"``; NaN if
        missing."""
        split, _, measure = column.partition(" ")
        means: Mapping[str, float] = getattr(self, split)
        return means.get(measure, np.nan)

    def to_row(self) -> dict[str, Any]:
        """Return the result's metrics by column name, without those of queries and
        records."""
        return {
            **dict(self.cell.settings),
            "fold": self.cell.fold,
            "seed": self.cell.seed,
            **({} if self.cell.sample is None else self.cell.sample.to_row()),
            **{
                f"{split} {name}": value
                for split in SPLITS
                for name, value in getattr(self, split).items()
            },
            **{name: getattr(self, name) for name in _FIGURES},
            "failed": self.failed,
            "diverged": self.diverged,
            "problem": self.problem,
            "reason": self.reason,
        }

    @classmethod
    def of_row(cls, cell: Cell, row: Mapping[str, Any]) -> "Result":
        """Return the result of a cell from the stored metrics of `to_row`."""
        status = earlier.status({"pruned": row["reason"] == PRUNED, **row})
        figures: dict[str, Any] = {
            name: kind(row[name])
            for name, kind in _FIGURES.items()
            if row.get(name) is not None
        }
        for split in SPLITS:
            figures[split] = {
                name.removeprefix(f"{split} "): _number(value)
                for name, value in row.items()
                if name.startswith(f"{split} ")
            }
        return cls(cell, status, row["reason"], **figures)

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON with exact numbers; non-finite values become
        None."""
        values = {one.name: plain(getattr(self, one.name), 17) for one in fields(self)}
        values["cell"] = self.cell.to_json()
        values["terms"] = self.terms and self.terms.to_json()
        if self.model is not None:
            from rankcore.studies.models import model_to_json

            # It includes the coefficients, and is the same with other packages.
            values["model"] = json.loads(model_to_json(self.model)) | {"versions": {}}
            values["coef"] = []
        extra = ("test", "diagnostics", "model", "terms")
        left_out = [name for name in extra if not values[name]]
        return {"version": earlier.VERSION} | {
            name: value for name, value in values.items() if name not in left_out
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> "Result":
        """Return the result from JSON of `to_json`, also of earlier versions."""
        record = earlier.result(record)
        names = {one.name for one in fields(cls)}
        figures = {name: value for name, value in record.items() if name in names}
        figures["objective"] = _number(record["objective"])
        for part in {*SPLITS, "diagnostics"} & record.keys():
            figures[part] = {n: _number(value) for n, value in record[part].items()}
        for name in ("queries", "history"):
            figures[name] = {
                n: np.array(v, np.float64) for n, v in record[name].items()
            }
        figures["coef"] = np.array(record["coef"], np.float64)
        figures["cell"] = Cell.from_json(record["cell"])
        if "model" in record:
            from rankcore.studies.models import read_model

            model = read_model(json.dumps(record["model"]).encode(), "a result")
            figures |= {"model": model, "coef": model.parameters_}
        if "terms" in record:
            figures["terms"] = SharedTerms.from_json(record["terms"])
        return cls(**figures)

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value!r}" for name, value in self.cell.settings)
        parts = [self.status, *(f"valid {n} {v:.4f}" for n, v in self.valid.items())]
        return f"<Result {settings}: {', '.join(parts)}>"

    def record(self) -> Record:
        """Return the best model as a record, such as for a study's progress."""
        return Record(
            self.iteration, self.seconds, self.objective, self.coef, self.nonzeros,
            self.train, self.valid, ranks=self.ranks,
        )  # fmt: skip


State = Literal["complete", "pruned", "ranks nothing", "failed"]


@dataclass(frozen=True, eq=False)
class ModelResults:
    """Results of one combination of values: one run per fold and seed.

    Attributes
    ----------
    at : tuple of int
        Its position in the study, from 0: on each axis of a map, or in a search's order
        of proposals.
    column : str
        The measure for choosing, with its split, such as ``"valid nDCG@10"``.
    """

    at: tuple[int, ...]
    rows: tuple[Result, ...]
    column: str

    @property
    def number(self) -> int:
        """The first index of its position."""
        return self.at[0]

    @property
    def settings(self) -> dict[str, Any]:
        """The varied hyperparameters."""
        return self.rows[0].settings

    @property
    def most(self) -> int | None:
        """Maximum number of iterations, if lower than for all runs."""
        return self.rows[0].cell.most

    @cached_property
    def statuses(self) -> frozenset[Status]:
        """The final states of its runs."""
        return frozenset(row.status for row in self.rows)

    @cached_property
    def values(self) -> tuple[float, ...]:
        """The measure of each run that did not fail."""
        return tuple(row.value(self.column) for row in self.rows if not row.failed)

    @cached_property
    def mean(self) -> float:
        """The mean measure of the runs that did not fail; NaN where all failed."""
        return float(np.mean(self.values)) if self.values else np.nan

    @cached_property
    def value(self) -> float:
        """The mean measure for choosing models; NaN if a run failed or diverged."""
        return np.nan if self.statuses & {"failed", "diverged"} else self.mean

    @cached_property
    def state(self) -> State:
        """State of its runs; ``pruned`` if ended early by intermediate values."""
        if np.isnan(self.value):
            return "failed"
        if not self.ranks:
            return "ranks nothing"
        return "pruned" if "pruned" in self.statuses else "complete"

    @cached_property
    def ranks(self) -> bool:
        """Whether every run that did not fail has a model that orders any documents."""
        return all(row.ranks for row in self.rows if not row.failed)

    @property
    def usable(self) -> bool:
        """Whether it can be the best of a study."""
        return self.state in ("complete", "pruned")

    @property
    def nonzeros(self) -> float:
        """Mean number of features used by its runs."""
        return float(np.mean([row.nonzeros for row in self.rows]))

    @property
    def seconds(self) -> float:
        """Total training time of its runs."""
        return float(sum(row.seconds for row in self.rows))

    @property
    def mean_seconds(self) -> float:
        """Mean training time of its runs."""
        return self.seconds / len(self.rows)

    @property
    def iterations(self) -> int:
        """Number of iterations of its longest run."""
        return max(row.iterations for row in self.rows)

    @property
    def best_iteration(self) -> str:
        """Best iteration of its model, or the lowest and highest of several."""
        iterations = [row.iteration for row in self.rows if not row.failed]
        return iterations_text(iterations) if iterations else ""

    @property
    def reason(self) -> str:
        """Why its first run ended, or why one failed."""
        failed = [row.reason for row in self.rows if row.failed]
        return failed[0] if failed else self.rows[0].reason

    def to_json(self) -> dict[str, Any]:
        """Return the results as JSON with exact numbers for `from_json`."""
        rows = [row.to_json() for row in self.rows]
        return {"number": self.number, "rows": rows, "measure": self.column}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> "ModelResults":
        """Return the results from JSON of `to_json`, also of earlier versions."""
        rows = tuple(map(Result.from_json, record["rows"]))
        column = record.get("measure") or earlier.measure(record)
        return cls((record["number"],), rows, column)

    def to_row(self, measure: str) -> dict[str, Any]:
        """Return its metrics by column name, its value under the measure's name;
        numbers start at 1 there."""
        return {
            "number": self.number + 1,
            **self.settings,
            measure: self.value,
            "features kept": self.nonzeros,
            "ranks": self.ranks,
            "best iteration": self.best_iteration,
            "iterations": self.iterations,
            "seconds": self.seconds,
            "state": self.state,
            "reason": self.reason,
        }


# Metrics of a row that are not means.
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


One = TypeVar("One")


class Trainings(Iterator[One]):
    """A sweep or a search; iterating over it trains one run or model after another.

    Attributes
    ----------
    total : int
        Total number of runs or models.
    """

    def __init__(self, algorithm: str, total: int, coming: Generator[One]) -> None:
        self.algorithm, self.total = algorithm, total
        self._coming = coming

    @property
    def done(self) -> int:
        """Number of runs or models so far."""
        raise NotImplementedError

    def run(self) -> Self:
        """Train all remaining runs, and return the whole."""
        for _ in self:
            pass
        return self

    def __len__(self) -> int:
        return self.total

    def __repr__(self) -> str:
        rest = "" if self.done >= self.total else "; iterate to go on"
        far = f"{self.done} of {self.total} done{rest}"
        return f"<{type(self).__name__} of {self.algorithm}: {far}>"

    def close(self) -> None:
        """End the training, keeping results so far."""
        self._coming.close()
