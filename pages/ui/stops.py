"""The stops of a slider, from a hyperparameter's declaration.

Named values (``auto``, none) come first, then zero where a logarithmic scale starts at
it, then round numbers from low to high.
"""

import math
from typing import Any

from rankcore.hyperparameters import Hyperparameter, Value

MANTISSAS = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)
DECADES_ABOVE_ZERO = 4
LINEAR_STOPS = 100


def stops(parameter: Hyperparameter, *wanted: Value) -> list[Value]:
    """Every value a control offers; ``wanted`` ones are added in their place."""
    if parameter.kind == "choice":
        return list(parameter.choices)
    named: list[Value] = [*parameter.special, *([None] if parameter.optional else [])]
    named += [v for v in wanted if isinstance(v, str) and v not in named]
    extra = [parameter.default, *parameter.sweep, *wanted]
    numbers = {v for v in extra if isinstance(v, int | float)} | set(_grid(parameter))
    if parameter.kind == "integer":
        return named + sorted({round(number) for number in numbers})
    return named + sorted(numbers)


def text(parameter: Hyperparameter, value: Any) -> str:
    """The shortest text that the declaration reads back as ``value``."""
    if isinstance(value, float) and float(f"{value:g}") == value:
        return f"{value:g}"
    return parameter.format(value)


def _grid(parameter: Hyperparameter) -> list[float]:
    low, high = parameter.low, parameter.high
    if low is None or high is None:
        return []
    if parameter.scale == "linear":
        return _linear(low, high)
    if low > 0:
        return _logarithmic(low, high)
    smallest = 1 if parameter.kind == "integer" else high / 10**DECADES_ABOVE_ZERO
    return [low, *_logarithmic(smallest, high)]


def _linear(low: float, high: float) -> list[float]:
    rough = (high - low) / LINEAR_STOPS
    decade = 10 ** math.floor(math.log10(rough))
    step = next(decade * m for m in (1, 2, 5, 10) if decade * m >= rough * (1 - 1e-9))
    count = math.floor((high - low) / step + 1e-9)
    grid = [float(f"{low + i * step:.10g}") for i in range(count + 1)]
    return sorted({*grid, high})


def _logarithmic(low: float, high: float) -> list[float]:
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    grid = [float(f"{m}e{decade}") for decade in decades for m in MANTISSAS]
    return [low, *(number for number in grid if low < number < high), high]
