"""Axes of a still picture: ranges, ticks and labels as Plotly would choose them."""

import math
from array import array as array_of
from base64 import b64decode
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

# The relative margin on each side of an automatic range, and the assumed length of the
# axis in pixels for the room that markers need.
MARGIN, PIXELS = 0.05, 640
ROUND = (2, 5, 10)
CODES = {
    "f4": "f", "f8": "d", "i1": "b", "i2": "h", "i4": "i", "u1": "B", "u2": "H",
    "u4": "I",
}  # fmt: skip
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
PREFIXES = {-9: "n", -6: "μ", -3: "m", 0: "", 3: "k", 6: "M", 9: "B", 12: "T"}


def values(array: Any) -> list[Any]:
    """Return a figure's array, possibly in base64, as a list or a list of rows."""
    if not isinstance(array, Mapping):
        return list(array.tolist() if hasattr(array, "tolist") else array)
    row = array_of(CODES[array["dtype"]], b64decode(array["bdata"])).tolist()
    if "shape" not in array:
        return row
    width = int(str(array["shape"]).rpartition(",")[2])
    return [row[begin : begin + width] for begin in range(0, len(row), width)]


class Axis:
    """Positions of values on one axis, as fractions of the plot from the left or the
    top.

    Parameters
    ----------
    name : str
        Such as ``"xaxis2"``.
    layout : dict
        The layout of the axis.
    reach : sequence of (float or str, float, bool)
        Needs of its traces: a value, the pixels around it, whether it has a margin.
    """

    def __init__(
        self,
        name: str,
        layout: Mapping[str, Any],
        reach: Sequence[tuple[Any, float, bool]],
    ) -> None:
        self.id, self.vertical, self.layout = name[0] + name[5:], name[0] == "y", layout
        self.log = layout.get("type") == "log"
        self._names = dict.fromkeys(v for v, _, _ in reach if isinstance(v, str))
        self.low, self.high = map(
            float, layout.get("range") or self._automatic(list(reach))
        )
        self._domain = layout.get("domain") or (0.0, 1.0)

    def number(self, value: Any) -> float:
        """Return a value in the units of the range; NaN if it is not on the axis."""
        if isinstance(value, str):
            names = list(self._names)
            return float(names.index(value)) if value in self._names else math.nan
        if value is None or (self.log and not value > 0):
            return math.nan
        return math.log10(value) if self.log else float(value)

    def at(self, value: Any) -> float:
        """Return the position of a value."""
        return self.share(self.number(value))

    def share(self, number: float) -> float:
        """Return the position of a number in the units of the range."""
        begin, end = self._domain
        place = begin + (end - begin) * (number - self.low) / (self.high - self.low)
        return 1 - place if self.vertical else place

    def ends(self) -> tuple[float, float]:
        """Return the ends of the axis, the smaller one first."""
        begin, end = sorted((self.share(self.low), self.share(self.high)))
        return begin, end

    def ticks(self) -> Iterable[tuple[float, str]]:
        """Yield the positions and labels of ticks."""
        if self.layout.get("visible") is False:
            return
        low, high = sorted((self.low, self.high))
        slack = 1e-9 * (high - low)
        for number, text in self._ticks(low, high):
            if low - slack <= number <= high + slack:
                yield self.share(number), text

    def _ticks(self, low: float, high: float) -> Iterable[tuple[float, str]]:
        if "tickvals" in self.layout:
            numbers = [self.number(v) for v in values(self.layout["tickvals"])]
            texts = self.layout.get("ticktext")
            written = [f"{n:g}" for n in numbers] if texts is None else values(texts)
            return zip(numbers, map(str, written), strict=False)
        if self._names:
            return enumerate(self._names)
        if self.log:
            powers = range(math.floor(low), math.ceil(high) + 1)
            parts = (1,) if high - low > 2 else (1, 2, 5)
            marks = [part * 10.0**power for power in powers for part in parts]
            return [(math.log10(mark), self._label(mark, mark)) for mark in marks]
        step = float(self.layout.get("dtick") or 0)
        if not step:
            rough = (high - low) / self.layout.get("nticks", 6)
            power = 10.0 ** math.floor(math.log10(rough))
            step = power * next(part for part in ROUND if part > rough / power)
        first = math.ceil(low / step - 1e-6)
        marks = [step * n for n in range(first, math.floor(high / step + 1e-6) + 1)]
        return [(mark, self._label(mark, step, marks)) for mark in marks]

    def _label(self, value: float, step: float, marks: Sequence[float] = ()) -> str:
        """Return the label of a tick, with as many digits as the tick distance
        requires."""
        written: str = self.layout.get("tickformat", "")
        if written:
            text = format(value, written.replace("~", "").replace("d", ".0f"))
            return text.replace("-", "−")
        if self.layout.get("exponentformat") == "power":
            return "10" + f"{math.log10(value):.0f}".translate(RAISED)
        largest = max(map(abs, marks or [value]))
        power = math.floor(math.log10(largest) + 0.01) if largest else 0
        unit = 3 * round((power - 1) / 3) if abs(power) > 3 else 0
        unit = min(max(unit, min(PREFIXES)), max(PREFIXES))
        digits = max(0, -math.floor(math.log10(step / 10.0**unit) + 1e-9))
        text = f"{value / 10.0**unit:.{digits}f}"
        text = text.rstrip("0").rstrip(".") if digits else text
        return text.replace("-", "−") + (PREFIXES[unit] if value else "")

    def _automatic(self, reach: list[tuple[Any, float, bool]]) -> tuple[float, float]:
        """Return a range with room for everything drawn."""
        points = [(self.number(v), room, wide) for v, room, wide in reach]
        points = [point for point in points if math.isfinite(point[0])]
        if self.layout.get("rangemode") == "tozero":
            points.append((0.0, 0.0, False))
        if not points:
            return 0.0, 1.0
        low, high = (end(n for n, _, _ in points) for end in (min, max))
        if low == high:
            return low - 1, high + 1
        margins = [
            max((room / PIXELS + MARGIN * wide) for n, room, wide in points if n == end)
            for end in (low, high)
        ]
        if self.layout.get("rangemode") == "tozero" and low == 0:
            margins[0] = 0.0
        unit = (high - low) / (1 - sum(margins))
        return low - margins[0] * unit, high + margins[1] * unit
