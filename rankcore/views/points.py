"""Draggable points, as a setting."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankcore.base.numbers import quoted, read_number
from rankcore.views.settings import Setting, Values


@dataclass(frozen=True)
class Points(Setting):
    """Draggable points as text: ``1,0;-1,1``; empty: at their initial places.

    Attributes
    ----------
    start : (n, d) array, or function of the values before it
        Their initial places.
    names : sequence of str
        Names of the points.
    """

    start: Any = None
    names: Sequence[str] = ()

    LARGEST = 1000.0
    DIGITS = 3

    def begins(self, values: Values) -> np.ndarray:
        """(n, d) the initial points."""
        return np.array(self.start(values) if callable(self.start) else self.start)

    def points(self, values: Values) -> np.ndarray:
        """(n, d) the points; the initial ones if the text has another number."""
        begins = self.begins(values)
        array = self._read(str(values[self.key]))
        return begins if array is None or array.shape != begins.shape else array

    def moved(self, values: Values, place: int, at: Sequence[float]) -> dict[str, str]:
        """Return the change that moves one of the points; none if it is too far."""
        points = self.points(values).tolist()
        if not (0 <= place < len(points) and all(abs(n) <= self.LARGEST for n in at)):
            return {}
        points[place] = [*at]
        begins = points == self.begins(values).tolist()
        return {self.key: "" if begins else self.written(points)}

    def written(self, points: Iterable[Iterable[float]]) -> str:
        """Points in the format of links, rounded to a few digits."""
        # Points are rounded singly, as a number may determine its own rounding.
        rounded = ([round(n, self.DIGITS) + 0.0 for n in row] for row in points)
        return ";".join(",".join(f"{n:.10g}" for n in row) for row in rounded)

    def check(self, value: Any) -> Any:
        if value == "" or self._read(str(value)) is not None:
            return str(value)
        raise ValueError(
            f"{self.key} cannot be {quoted(str(value))}; write points as 1,0;-1,1"
        )

    def refusal(self, value: Any, values: Values) -> str | None:
        points, begins = self._read(value), self.begins(values)
        if value == "" or (points is not None and points.shape == begins.shape):
            return None
        count, numbers = begins.shape
        return (
            f"{self.key} must be {count} points of {numbers} numbers each here, not "
            f"{quoted(value)}"
        )

    def _read(self, text: str) -> np.ndarray | None:
        try:
            rows = [
                [float(read_number(n)) for n in point.split(",")]
                for point in text.split(";")
            ]
        except ValueError:
            return None
        if len({len(row) for row in rows}) > 1:
            return None
        if not all(abs(n) <= self.LARGEST for row in rows for n in row):
            return None
        return np.array(rows)
