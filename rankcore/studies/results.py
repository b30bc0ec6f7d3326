"""Results: what one run of training came to, in sweeps, maps, searches and the store.

A result says which run it is of (`Cell`) and what its best model is. What all runs of a
study have in common, such as the algorithm, the data and the rules, is in its plan; of
runs that stand beside those of other studies, it is in their `SharedTerms`.
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
    """Training options of a run beside its hyperparameters, in words; empty: the usual.

    Attributes
    ----------
    chosen : str
        By which measure its best iteration was chosen.
    limit : str
        Of its training, beside the maximum number of iterations.
    changes : str
        Hyperparameters that changed while it ran.
    start : str
        The model it started from.
    ended : str
        After which iteration it was stopped.
    """

    chosen: str = ""
    limit: str = ""
    changes: str = ""
    start: str = ""
    ended: str = ""


AS_USUAL = Course()


@dataclass(frozen=True)
class SharedTerms:
    """The data, split and rules of a run, where it stands beside runs of other
    studies.

    Attributes
    ----------
    algorithm, data : str
        Names of the algorithm and of the data set.
    split : {"train", "valid", "test"}
        Of the queries.
    ids : tuple of q str
        Of the queries.
    normalisation : str or None
        How the features of its data were scaled.
    division : str
        How its data was divided, where that is not the data set's own.
    content : (str or None, str or None)
        Fingerprints of its training and validation data; None where there is none or it
        is not known.
    rules : Rules
        By which its queries were measured.
    key : str
        Its id in the run store; empty if it is not from there.
    weights : tuple of q float
        Of the queries; empty where all count alike.
    weighted_by : str
        What the weights are called.
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
        """The description of its weights; see `RankingDataset.weighting`."""
        return weighting_words(self.weighted_by) if self.weights else ""

    def of_queries(self, dataset: RankingDataset, split: str) -> "SharedTerms":
        """Return the terms of the same run, measured on the queries of a data set."""
        weights = dataset.weights.tolist() if dataset.weighting else ()
        return replace(
            self,
            split=split,
            ids=dataset.query_ids,
            weights=tuple(weights),
            weighted_by=dataset.weights_name if weights else "",
        )

    def to_json(self) -> dict[str, Any]:
        """Return the terms as JSON has them; `from_json` reads them."""
        left_out = () if self.weights else ("weights", "weighted_by")
        names = [one.name for one in fields(self) if one.name not in left_out]
        return {name: plain(getattr(self, name), 17) for name in names}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> "SharedTerms":
        """Return the terms that `to_json` has written."""
        parts = {
            "ids": tuple(record["ids"]),
            "content": tuple(record["content"]),
            "rules": _measures.Rules(*record["rules"]),
            "course": Course(*record["course"]),
            "weights": tuple(record.get("weights", ())),
        }
        return cls(**{**record, **parts})


class Cell(NamedTuple):
    """The values that tell one run of a study from the others.

    Attributes
    ----------
    settings : tuple of (str, value)
        The hyperparameters that vary, in their order, with the run's values.
    fold : str
        Empty where there are no folds; of several paths, what sets them apart.
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

    @property
    def value(self) -> Any:
        """The value of the first hyperparameter that varies, such as that of a path."""
        return self.settings[0][1]

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
        values = self._asdict()
        if self.sample is not None:
            values["sample"] = self.sample._asdict()
        return {name: value for name, value in values.items() if value is not None}

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
    train, valid, test : dict of str to float
        Mean measures of the best model on each split; empty where it is not measured.
    queries : dict of str to (q,) float64
        Its measures for each query: of the validation data, else of the training data.
    coef : (d,) float64
        The best model; empty if it is not stored.
    history : dict of str to (r,) float64
        Of each record: ``"iteration"``, ``"seconds"``, and the mean measures as
        ``"train nDCG@10"`` and ``"valid nDCG@10"``.
    ranks : bool
        Whether the best model orders any two documents of a query.
    diagnostics : dict of str to float
        The algorithm's own figures of the model, where they are kept.
    model : Ranker
        The fitted model, to predict with, save and export, where it is kept.
    terms : SharedTerms
        Of a run that stands beside runs of other studies, and then its cell has all
        hyperparameters, with ``max_iter`` as what limited it; otherwise they are those
        of its plan.
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
        """Whether the run was ended early."""
        return self.status == "pruned"

    @property
    def settings(self) -> dict[str, Any]:
        """The hyperparameters of its cell."""
        return dict(self.cell.settings)

    @property
    def title(self) -> str:
        """The algorithm, with the hyperparameters of its cell."""
        settings = [f"{name} = {value}" for name, value in self.cell.settings]
        return ", ".join([self.ranked_by, *settings])

    @property
    def ranked_by(self) -> str:
        """The title of its algorithm."""
        return get_algorithm(self.terms.algorithm).title

    @property
    def has_model(self) -> bool:
        """Whether there is a model, which can rank other documents."""
        return True

    @property
    def declared(self) -> Mapping[str, Hyperparameter]:
        """The hyperparameters that its algorithm has, by name."""
        return hyperparameters(get_algorithm(self.terms.algorithm))

    @property
    def ranker(self) -> Ranker:
        """The algorithm with these settings, not fitted."""
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
        """Scores (n,) of documents under the best model."""
        return self.ranker.scores(documents.X, self.coef)

    def weights(self, n_features: int) -> NDArray[np.float64]:
        """(d,) importance of each feature in the best model."""
        return self.ranker.feature_weights(self.coef, n_features)

    def measured(self, dataset: RankingDataset, split: str) -> "Result":
        """Return the same run, its model measured on other queries by its own rules."""
        names, rules = list(self.queries), self.terms.rules
        table = _measures.evaluate(dataset, self.scores(dataset), names, *rules)
        columns = {str(name): column.to_numpy() for name, column in table.items()}
        terms = self.terms.of_queries(dataset, split)
        return replace(self, queries=columns, terms=terms)

    def value(self, column: str) -> float:
        """Return a mean of the best model, such as ``"valid nDCG@10"``; NaN where there
        is none."""
        split, _, measure = column.partition(" ")
        means: Mapping[str, float] = getattr(self, split)
        return means.get(measure, np.nan)

    def to_row(self) -> dict[str, Any]:
        """Return the result's figures by column name; those of each query and of each
        record are left out."""
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
        """Return the result of a cell with the figures that `to_row` gave, as the store
        has them."""
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
        """Return the result as JSON has it, to the bit; what is not finite becomes
        None."""
        values = {one.name: plain(getattr(self, one.name), 17) for one in fields(self)}
        values["cell"] = self.cell.to_json()
        values["terms"] = self.terms and self.terms.to_json()
        if self.model is not None:
            from rankcore.studies.models import model_to_json

            # It has the coefficients, and is the same with other packages.
            values["model"] = json.loads(model_to_json(self.model)) | {"versions": {}}
            values["coef"] = []
        extra = ("test", "diagnostics", "model", "terms")
        left_out = [name for name in extra if not values[name]]
        return {"version": earlier.VERSION} | {
            name: value for name, value in values.items() if name not in left_out
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> "Result":
        """Return the result that `to_json` has written, or that of an earlier version
        has."""
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
        """Return the best model as a record, such as for the progress of a study."""
        return Record(
            self.iteration, self.seconds, self.objective, self.coef, self.nonzeros,
            self.train, self.valid, ranks=self.ranks,
        )  # fmt: skip


State = Literal["complete", "pruned", "ranks nothing", "failed"]


@dataclass(frozen=True, eq=False)
class ModelResults:
    """Results of one combination of values: a run of each fold and seed.

    Attributes
    ----------
    at : tuple of int
        Its place in the study: of a map that on each axis, of a search its number in
        the order of proposals, from 0.
    column : str
        The measure that chooses, with its split, such as ``"valid nDCG@10"``.
    """

    at: tuple[int, ...]
    rows: tuple[Result, ...]
    column: str

    @property
    def number(self) -> int:
        """The first of its places."""
        return self.at[0]

    @property
    def settings(self) -> dict[str, Any]:
        """The hyperparameters that vary."""
        return self.rows[0].settings

    @property
    def most(self) -> int | None:
        """Iterations at most, where they are fewer than those of all."""
        return self.rows[0].cell.most

    @cached_property
    def statuses(self) -> frozenset[Status]:
        """The states in which its runs ended."""
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
        """The mean measure, by which models are chosen; NaN if a run failed or
        diverged."""
        return np.nan if self.statuses & {"failed", "diverged"} else self.mean

    @cached_property
    def state(self) -> State:
        """Of its runs; pruned: ended early by the values on the way."""
        if np.isnan(self.value):
            return "failed"
        if not self.ranks:
            return "ranks nothing"
        return "pruned" if "pruned" in self.statuses else "complete"

    @cached_property
    def ranks(self) -> bool:
        """Whether each run that did not fail has a model that orders any documents."""
        return all(row.ranks for row in self.rows if not row.failed)

    @property
    def usable(self) -> bool:
        """Whether it can be the best of a study."""
        return self.state in ("complete", "pruned")

    @property
    def nonzeros(self) -> float:
        """Features in use, the mean over its runs."""
        return float(np.mean([row.nonzeros for row in self.rows]))

    @property
    def seconds(self) -> float:
        """Training time of all its runs."""
        return float(sum(row.seconds for row in self.rows))

    @property
    def mean_seconds(self) -> float:
        """Training time of one of its runs."""
        return self.seconds / len(self.rows)

    @property
    def iterations(self) -> int:
        """Of its longest run."""
        return max(row.iterations for row in self.rows)

    @property
    def best_iteration(self) -> str:
        """Of its model, or the first and the last of several."""
        iterations = [row.iteration for row in self.rows if not row.failed]
        return iterations_text(iterations) if iterations else ""

    @property
    def reason(self) -> str:
        """Why its first run ended, or what was wrong with one that failed."""
        failed = [row.reason for row in self.rows if row.failed]
        return failed[0] if failed else self.rows[0].reason

    def to_json(self) -> dict[str, Any]:
        """Return the results as JSON has them, to the bit; `from_json` reads them."""
        rows = [row.to_json() for row in self.rows]
        return {"number": self.number, "rows": rows, "measure": self.column}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> "ModelResults":
        """Return the results that `to_json` has written, also in an earlier version."""
        rows = tuple(map(Result.from_json, record["rows"]))
        column = record.get("measure") or earlier.measure(record)
        return cls((record["number"],), rows, column)

    def to_row(self, measure: str) -> dict[str, Any]:
        """Return its figures by column name, its value under that of a measure; there
        its number counts from 1."""
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


One = TypeVar("One")


class Trainings(Iterator[One]):
    """A sweep or a search; iterating over it trains one after the other.

    Attributes
    ----------
    total : int
        How many there will be.
    """

    def __init__(self, algorithm: str, total: int, coming: Generator[One]) -> None:
        self.algorithm, self.total = algorithm, total
        self._coming = coming

    @property
    def done(self) -> int:
        """How many there are."""
        raise NotImplementedError

    def run(self) -> Self:
        """Train all that is left, and return the whole."""
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
        """End the training; what has come stays."""
        self._coming.close()
