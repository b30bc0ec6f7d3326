"""Rows of stored studies."""

import json
from typing import Any, Self

from pydantic import (
    FiniteFloat,
    ValidationError,
    model_validator,
)

from rankcore.base.json_limits import JsonContent, Whole, first_fault
from rankcore.studies.earlier import Status, result
from rankcore.studies.results import Result

_Number = FiniteFloat | None


class _Cell(JsonContent):
    settings: list[tuple[str, bool | int | FiniteFloat | str | None]]
    fold: str
    seed: Whole
    most: Whole | None = None


class _Row(JsonContent):
    """JSON of `rankcore.studies.results.Result.to_json`; unknown keys are ignored."""

    cell: _Cell
    status: Status
    reason: str
    problem: str
    iterations: Whole
    iteration: Whole
    seconds: FiniteFloat
    objective: _Number
    nonzeros: Whole
    train: dict[str, _Number]
    valid: dict[str, _Number]
    queries: dict[str, list[_Number]]
    coef: list[_Number] | list[list[_Number]]
    history: dict[str, list[_Number]]
    ranks: bool

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        columns = {"iteration", *(f"train {name}" for name in self.train)}
        columns |= {f"valid {name}" for name in self.valid}
        if self.status != "failed" and not columns <= self.history.keys():
            raise ValueError("its history lacks a column")
        if len({len(column) for column in self.history.values()}) > 1:
            raise ValueError("the columns of its history differ in length")
        if None in self.history.get("iteration", ()):
            raise ValueError("its history has a record without an iteration")
        return self


def row(content: Any, settings: dict[str, Any], measure: str) -> Result:
    """Return the row of a model with these settings.

    Raises
    ------
    ValueError
        If it is not such a row.
    """
    if isinstance(content, dict):
        content = result(content)
    # Compared as JSON, where tuples are lists.
    try:
        record = _Row.model_validate_json(json.dumps(content))
    except ValidationError as error:
        place, fault = first_fault(error)
        raise ValueError(f"{'.'.join(map(str, place))}: {fault}") from error
    values = record.model_dump(exclude_unset=True)
    trained = Result.from_json(values)
    if dict(trained.cell.settings) != settings:
        raise ValueError("the settings of a model differ from its trial")
    split, _, name = measure.partition(" ")
    if not trained.failed and name not in values[split]:
        raise ValueError(f"a model has no {measure}")
    return trained
