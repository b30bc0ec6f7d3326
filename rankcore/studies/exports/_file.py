"""The text of a model file, its lines, and its JSON with the position of each value."""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rankcore.base.errors import DataError
from rankcore.base.numbers import quoted

_SHOWN, _MOST_KEYS = 40, 6


def finite(number: int | float | str) -> float | None:
    """Return a finite number in double precision; None for other values."""
    try:
        value = float(number)
    except (ValueError, OverflowError):
        return None
    return value if math.isfinite(value) else None


def number_of(text: str) -> float | None:
    """Return the finite number in a text; None for other texts."""
    return finite(text) if text.isascii() and "_" not in text else None


@dataclass(frozen=True)
class ModelFile:
    """A file that may hold a model."""

    text: str
    name: str

    @cached_property
    def lines(self) -> list[str]:
        """Lines without line ends."""
        return self.text.splitlines()

    @cached_property
    def first(self) -> str:
        """The first non-blank line, stripped."""
        return next((line.strip() for line in self.lines if line.strip()), "")

    @cached_property
    def json(self) -> "JsonPart | None":
        """The content as JSON; None if it is not JSON."""
        if self.text.lstrip()[:1] not in ("{", "["):
            return None
        from pydantic_core import from_json

        try:
            return JsonPart(from_json(self.text), self)
        except (ValueError, TypeError) as error:
            if "recursion" not in f"{error}":
                return None
        try:
            return JsonPart(json.loads(self.text), self)
        except (ValueError, RecursionError):
            return None

    def fault(self, problem: str, line: int | None = None) -> DataError:
        """Return the error of a file that its program cannot have written."""
        remedy = "Write the model again with the program that trained it"
        return DataError(problem, remedy, self.name, line)

    def refusal(self, what: str, line: int | None = None) -> DataError:
        """Return the error of a model that cannot be represented here."""
        remedy = "Use a model that is linear or a sum of trees on numeric features"
        return DataError(what, remedy, self.name, line)


@dataclass(frozen=True)
class JsonPart:
    """A value of a JSON file.

    Attributes
    ----------
    plain : object
        The value as a Python object.
    path : tuple of str and int
        Keys and indices of its path; empty for the root.
    """

    plain: Any
    file: ModelFile
    path: tuple[str | int, ...] = ()

    @property
    def place(self) -> str:
        """The end of the path, such as ``trees.3.value``."""
        return ".".join(f"{key}"[:_SHOWN] for key in self.path[-_MOST_KEYS:])

    def _with_place(self, error: DataError) -> DataError:
        """Return an error with line and column, and the path before its message."""
        from rankcore.data.formats.parts.json_values import Value

        text = self.file.text
        begin = len(text) - len(text.lstrip())
        line, column = Value(self.plain, text, begin, 0).place(self.path)
        path = f"{self.place}: " if self.path else ""
        problem = f"{path}{error.problem}"
        return DataError(problem, error.remedy, error.file, line, column)

    def fault(self, problem: str) -> DataError:
        """Return the error of a value that its program cannot have written."""
        return self._with_place(self.file.fault(problem))

    def refusal(self, what: str) -> DataError:
        """Return the error of a model that cannot be represented here."""
        return self._with_place(self.file.refusal(what))

    def _below(self, key: str | int, plain: Any) -> "JsonPart":
        return JsonPart(plain, self.file, (*self.path, key))

    def get(self, *keys: str) -> "JsonPart | None":
        """Return the value at a path of keys; None if missing."""
        value = self
        for key in keys:
            if not isinstance(value.plain, dict) or key not in value.plain:
                return None
            value = value._below(key, value.plain[key])
        return value

    def at(self, *keys: str) -> "JsonPart":
        """Return the value at a path of keys, which must exist."""
        value = self
        for key in keys:
            item = value.get(key)
            if item is None:
                raise value.fault(f"there is no {quoted(key)}")
            value = item
        return value

    def each(self) -> "list[JsonPart]":
        """Return the values of a list."""
        if not isinstance(self.plain, list):
            raise self.fault("this is not a list")
        return [self._below(number, one) for number, one in enumerate(self.plain)]

    def items(self) -> "Iterator[tuple[str, JsonPart]]":
        """Yield the keys and values of an object."""
        if not isinstance(self.plain, dict):
            raise self.fault("this is not an object")
        for name, one in self.plain.items():
            yield name, self._below(name, one)

    @property
    def text(self) -> str:
        """The value as a text."""
        if not isinstance(self.plain, str):
            raise self.fault("this is not a text")
        return self.plain

    @property
    def number(self) -> float:
        """The value as a number, also from text."""
        number = None
        if isinstance(self.plain, str):
            number = number_of(self.plain)
        elif isinstance(self.plain, int | float) and not isinstance(self.plain, bool):
            number = finite(self.plain)
        if number is None:
            raise self.fault(f"{quoted(self.plain)} is not a finite number")
        return number

    @property
    def truth(self) -> bool:
        """The value as a truth value, also from 0 or 1."""
        if not isinstance(self.plain, int) or self.plain not in (0, 1):
            raise self.fault(f"{quoted(self.plain)} is neither 0 nor 1")
        return bool(self.plain)

    def whole(self, below: int) -> int:
        """Return the value as a whole number of at least 0 and less than ``below``."""
        number = self.number
        if number != int(number) or not 0 <= number < below:
            raise self.fault(f"{number:g} is not a whole number from 0 to {below - 1}")
        return int(number)
