"""Runs as JSON files that people and other programs can read.

A file is one object::

    {
      "format": "rankscope run", "version": 1,
      "id": "0123456789abcdef", "status": "finished", "title": "RSRank", ...
      "history": {"iteration": [0, 1, ...], "objective": [1.5, ...], ...},
      "models": {"best": {"iteration": 7, "arrays": {"coef": ...}}, ...},
      "queries": {"best": {"split": "valid", "ids": ["1", ...],
                           "values": {"nDCG@10": [0.5, ...]}}, ...}
    }

with the fields of a `StoredRun`. An array is ``{"shape": [2, 3], "values": [...]}``,
row by row. Numbers that are not finite are null. Nothing in a file is ever executed.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

import numpy as np
from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    Field,
    FiniteFloat,
    ValidationError,
    model_validator,
)
from sqlalchemy import Connection, select

from rankcore import measures as _measures
from rankcore.base.errors import DataError
from rankcore.base.hyperparameters import LARGEST_WHOLE, check_all, hyperparameters
from rankcore.base.json_limits import (
    MOST_NAMES,
    ByName,
    JsonContent,
    Values,
    Whole,
    asks_for_much,
    check_names,
    first_fault,
)
from rankcore.base.numbers import quoted
from rankcore.data.dataset import Normalisation
from rankcore.measures import Rules
from rankcore.studies.store import _tables
from rankcore.studies.store._arrays import packed

if TYPE_CHECKING:
    from rankcore.algorithms import Ranker

LARGEST_FILE = 2**28
MOST_VALUES = 20_000_000

_HERE_ONLY = {"host", "process", "deleted", "started_from", "visitor"}

_LARGEST = 2**53
_Number = FiniteFloat | Annotated[int, Field(ge=-_LARGEST, le=_LARGEST)] | None
_FIGURES = ("iteration", "seconds", "objective", "nonzeros")
_WHOLE_COLUMNS = ("iteration", "nonzeros")
# More than users write by hand.
_MOST_TAGS, _LONGEST_TAG, _LONGEST_TITLE, _LONGEST_NOTES = 1000, 200, 1000, 10**6


def _in_calendar(moment: datetime) -> datetime:
    # Range of dates in pandas, in any time zone.
    if not 1700 < moment.year < 2200:
        raise ValueError("a run is of the years 1701 to 2199")
    return moment.astimezone(UTC)


_Moment = Annotated[AwareDatetime, Field(strict=False), AfterValidator(_in_calendar)]


class _Array(JsonContent):
    shape: list[Whole] = Field(max_length=8)
    values: Values[_Number]

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if np.prod(self.shape, dtype=float) != len(self.values):
            raise ValueError(f"{len(self.values)} values for the shape {self.shape}")
        return self

    def array(self) -> np.ndarray:
        array = np.array(self.values, dtype=None if self.values else np.float64)
        floats = array if array.dtype.kind == "i" else array.astype(np.float64)
        return floats.reshape(self.shape)


class _Model(JsonContent):
    iteration: Whole
    arrays: ByName[_Array]

    @model_validator(mode="after")
    def _has_coefficients(self) -> Self:
        if "coef" not in self.arrays:
            raise ValueError("there is no array coef")
        return self


class _Queries(JsonContent):
    split: Literal["train", "valid"]
    ids: Values[str]
    values: ByName[Values[_Number]] = Field(min_length=1)
    weights: Values[Annotated[FiniteFloat, Field(gt=0)]] | None = None

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays for the store."""
        columns = np.array(list(self.values.values()), dtype=np.float64)
        weights = {} if self.weights is None else {"weights": np.array(self.weights)}
        return {"values": columns.T, **weights}


class _Change(JsonContent):
    iteration: Whole
    name: str
    old: _Number | str
    new: _Number | str


class _RunFile(JsonContent):
    format: Literal["rankscope run"]
    version: Literal[1]
    id: str = Field(pattern="^[A-Za-z0-9_-]{1,32}$")
    created: _Moment
    updated: _Moment
    status: Literal["running", "finished", "stopped", "interrupted", "failed"]
    reason: str
    title: str = Field(max_length=_LONGEST_TITLE)
    algorithm: str = Field(max_length=64)
    hyperparameters: dict[str, Any]
    changes: Values[_Change]
    planned: ByName[dict[str, Any]] | None
    settings: dict[str, Any]
    seed: int | None = Field(ge=-LARGEST_WHOLE, le=LARGEST_WHOLE)
    data: str
    fingerprint: str = Field(max_length=64)
    valid_fingerprint: str | None = Field(max_length=64)
    normalisation: Normalisation | None
    feature_names: Values[str] = Field(min_length=1)
    measures: Values[str]
    convention: str
    empty: str
    max_iterations: Whole | None
    max_seconds: FiniteFloat | None
    started_from: _Array | None
    versions: ByName[str]
    machine: dict[str, Any]
    iterations: Whole
    seconds: FiniteFloat = Field(ge=0)
    best: ByName[_Number]
    last: ByName[_Number]
    curve: Values[_Number] | None
    notes: str = Field(max_length=_LONGEST_NOTES)
    tags: list[Annotated[str, Field(max_length=_LONGEST_TAG)]] = Field(
        max_length=_MOST_TAGS
    )
    history: ByName[Values[_Number]]
    models: dict[Annotated[str, Field(max_length=16)], _Model] = Field(
        max_length=MOST_NAMES
    )
    queries: dict[Literal["best", "last"], _Queries]

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        lengths = {name: len(column) for name, column in self.history.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError("history: the columns differ in length")
        lacking = [name for name in _FIGURES if lengths and name not in lengths]
        if lacking:
            raise ValueError(f"history: there is no column {lacking[0]}")
        for place, figures in (("best", self.best), ("last", self.last)):
            for name in _WHOLE_COLUMNS if figures else ():
                value = figures.get(name)
                if value is None or value < 0 or value != int(value):
                    raise ValueError(f"{place}: {name} is no whole number from 0 on")
        iterations = {
            int(n) for n in self.history.get("iteration", ()) if n is not None
        }
        for at, model in self.models.items():
            if model.iteration not in iterations:
                raise ValueError(f"models.{at}: its iteration is not in the history")
        for name, part in self.queries.items():
            columns = [*part.values.values(), part.weights]
            sizes = {len(column) for column in columns if column is not None}
            if sizes != {len(part.ids)}:
                raise ValueError(f"queries.{name}: not one value for each query")
        for whole in _WHOLE_COLUMNS:
            column = self.history.get(whole, ())
            if any(n is None or n < 0 or n != int(n) for n in column):
                raise ValueError(f"history: {whole} is not whole numbers from 0 on")
        for measure in self.measures:
            _measures.parse(measure)
        Rules(self.convention, self.empty).checked()
        algorithm = _checked(self.algorithm, self.hyperparameters)
        for at, changed in (self.planned or {}).items():
            if not re.fullmatch("[0-9]{1,10}", at):
                raise ValueError(
                    f"planned: an iteration is a whole number, not {quoted(at)}"
                )
            with _within("planned"):
                _checked(self.algorithm, {**self.hyperparameters, **changed})
        for at, model in self.models.items():
            with _within(f"models.{at}"):
                _check_model(algorithm, model, len(self.feature_names))
        for field in type(self).model_fields.keys() - {"history", "models"}:
            if _has_nul(getattr(self, field)):
                raise ValueError(f"{field} contains a NUL character")
        return self


@contextmanager
def _within(place: str) -> Iterator[None]:
    """Add the place to an error."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from error


def _has_nul(value: Any) -> bool:
    """Return whether a text has a character that PostgreSQL cannot store."""
    if isinstance(value, BaseModel):
        value = vars(value)
    if isinstance(value, dict):
        return any(map(_has_nul, (*value, *value.values())))
    if isinstance(value, list):
        return any(map(_has_nul, value))
    return isinstance(value, str) and "\0" in value


def _check_model(algorithm: type["Ranker"], model: _Model, n_features: int) -> None:
    from rankcore.algorithms import ForestRanker
    from rankcore.algorithms.parts.trees.forests import check_tree, trees_of
    from rankcore.base.forest_columns import COLUMNS

    coef = model.arrays["coef"].array()
    if not issubclass(algorithm, ForestRanker):
        if coef.shape != (n_features,):
            raise ValueError(f"{coef.shape} coefficients for {n_features} features")
        return
    if coef.ndim != 2 or coef.shape[1] != COLUMNS:
        raise ValueError(f"{coef.shape} numbers are not a forest")
    for _, tree in trees_of(coef):
        check_tree(tree, n_features)


def _checked(name: str, settings: dict[str, Any]) -> type["Ranker"]:
    """Return the algorithm of a name, after checking the settings."""
    from rankcore.algorithms import get_algorithm

    algorithm = get_algorithm(name)
    unknown = sorted(set(settings) - set(hyperparameters(algorithm)))
    if unknown:
        raise ValueError(f"{name} has no hyperparameter {quoted(unknown[0])}")
    check_all(algorithm(**settings))
    return algorithm


def run_to_json(stored: Any, connection: Connection) -> str:
    """Return the text of a run's file; see `StoredRun.to_json`."""
    runs, models, queries = _tables.runs, _tables.models, _tables.queries
    columns = [c for c in runs.c if c.name not in _HERE_ONLY]
    record = connection.execute(select(*columns).where(runs.c.id == stored.id))
    row = dict(record.mappings().one())
    for name in ("created", "updated"):
        row[name] = row[name].isoformat()
    start, unpacked = stored._started_from, stored._unpacked
    content = {
        "format": "rankscope run",
        "version": 1,
        **row,
        "status": stored.status,
        "reason": stored.reason,
        "started_from": None if start is None else _list(unpacked(start)["coef"]),
        "history": {
            name: [_plain(value) for value in column.tolist()]
            for name, column in stored.figures().items()
        },
        "models": {
            row.name: {
                "iteration": row.iteration,
                "arrays": {n: _list(a) for n, a in unpacked(row.arrays).items()},
            }
            for row in connection.execute(
                select(models)
                .where(models.c.run == stored.id)
                .order_by(models.c.iteration, models.c.name)
            )
        },
        "queries": {
            row["name"]: {
                "split": row["split"],
                "ids": row["ids"],
                **_columns(row, unpacked),
            }
            for row in connection.execute(
                select(queries).where(queries.c.run == stored.id)
            ).mappings()
        },
    }
    # One line per field, with all its numbers.
    lines = (
        f"  {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}"
        for name, value in content.items()
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _columns(content: Any, unpacked: Any) -> dict[str, Any]:
    arrays = unpacked(content["values"])
    values = {
        name: [_plain(value) for value in column.tolist()]
        for name, column in zip(content["measures"], arrays["values"].T, strict=True)
    }
    weights = {n: column.tolist() for n, column in arrays.items() if n == "weights"}
    return {"values": values, **weights}


def _list(array: np.ndarray) -> dict[str, Any]:
    values = [_plain(value) for value in array.ravel().tolist()]
    return {"shape": list(array.shape), "values": values}


def _plain(value: Any) -> Any:
    return value if not isinstance(value, float) or np.isfinite(value) else None


def read_run(content: bytes | str) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of a run's file by table: ``runs``, ``pieces``, ``models`` and
    ``queries``.

    Raises
    ------
    DataError
        If it is not such a file; the message says where.
    """
    advice = "Use a file written by `rankscope runs export`"
    if len(content) > LARGEST_FILE:
        raise DataError(f"It is larger than {LARGEST_FILE} bytes, as no run is", advice)
    if asks_for_much(content, MOST_VALUES):
        problem = "This is not a RankScope run (it holds more values than a run has)"
        raise DataError(problem, advice)
    try:
        check_names(content, _RunFile)
        return _rows(_RunFile.model_validate_json(content))
    except ValidationError as error:
        parts, fault = first_fault(error)
        place = ".".join(map(str, parts))
        message = fault.removeprefix("Value error, ").removesuffix(".")
        problem = f"{place}: {message}" if place else message
    except UnicodeEncodeError:
        problem = "it is not a text"
    except ValueError as error:
        problem = str(error)
    raise DataError(f"This is not a RankScope run ({problem})", advice)


def _rows(file: _RunFile) -> dict[str, list[dict[str, Any]]]:
    nested = {"format", "version", "history", "models", "queries", "started_from"}
    row = file.model_dump(exclude=nested)
    start = None if file.started_from is None else file.started_from.array()
    row["started_from"] = None if start is None else packed(coef=start)
    if file.status == "running":
        row |= {
            "status": "interrupted",
            "reason": "It was running when it was written.",
        }
    columns = list(file.history)
    figures = np.array(list(file.history.values()), dtype=np.float64).T
    piece = {"first": 0, "columns": columns, "figures": packed(figures=figures)}
    return {
        "runs": [row],
        "pieces": [piece] if figures.size else [],
        "models": [
            {
                "name": name,
                "iteration": model.iteration,
                "arrays": packed(**{n: a.array() for n, a in model.arrays.items()}),
            }
            for name, model in file.models.items()
        ],
        "queries": [
            {
                "name": name,
                "split": part.split,
                "ids": part.ids,
                "measures": list(part.values),
                "values": packed(**part.arrays()),
            }
            for name, part in file.queries.items()
        ],
    }
