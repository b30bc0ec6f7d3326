"""The space of a search: hyperparameters with a range or with some values."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankcore.base.hyperparameters import Hyperparameter, Value, hyperparameters
from rankcore.base.spellings import british
from rankcore.mathematics.elementary import exp, log, ten_digits
from rankcore.studies.distributions import is_distribution, of_distribution
from rankcore.studies.paths import DECADES, grid

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

# Share of a log scale from zero, below the smallest value, that stands for zero.
ZERO_SHARE = 1 / 8


class Range(NamedTuple):
    """Values of a hyperparameter from ``low`` to ``high``, on its own scale.

    `search` raises ValueError for ends outside the hyperparameter's range, and if
    ``low`` is not below ``high``.
    """

    low: float
    high: float


Over = Mapping[str, "Sequence[Value] | Range | BaseDistribution | None"]


@dataclass(frozen=True)
class Dimension:
    """A searched hyperparameter.

    Attributes
    ----------
    declared : Hyperparameter
        Hyperparameter whose ``low`` and ``high`` are the ends of the search.
    values : tuple
        Allowed values; empty for all from low to high.
    """

    declared: Hyperparameter
    values: tuple[Value, ...] = ()

    @property
    def name(self) -> str:
        return self.declared.name

    @property
    def numeric(self) -> bool:
        """Whether all values are numbers."""
        return all(
            isinstance(v, int | float) and not isinstance(v, bool) for v in self.values
        )

    @property
    def from_zero(self) -> bool:
        """Whether it has a log scale with zero below it."""
        return self.log and self._low <= 0.0

    @property
    def log(self) -> bool:
        """Whether its scale is logarithmic."""
        return self.declared.scale == "log" and self.numeric

    @property
    def smallest(self) -> float:
        """The smallest value above zero, on a log scale."""
        if not self.from_zero:
            return self._low
        return 1.0 if self._whole else DECADES * self._high

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of its numbers; those below `smallest` stand for zero."""
        if not self.from_zero:
            return self._low, self._high
        length = float(log(self._high / self.smallest))
        below = length * ZERO_SHARE / (1.0 - ZERO_SHARE)
        return float(ten_digits(self.smallest * exp(-below))), self._high

    def ends_or_values(self) -> tuple[Value, ...]:
        """Return what distinguishes it from other dimensions of the hyperparameter."""
        return self.values or self.ends

    def value(self, number: Any) -> Value:
        """Return the value of a number between the `ends`; names stay unchanged."""
        if self.values:
            return number
        if self.from_zero and number < self.smallest:
            number = 0.0
        return self.declared.check(round(number) if self._whole else float(number))

    def at(self, share: float) -> Value:
        """Return the value at a share of its length, in [0, 1)."""
        if self.values:
            return self.values[int(share * len(self.values))]
        low, high = self.ends
        if self.log:
            return self.value(min(float(low * exp(share * log(high / low))), high))
        if self._whole:
            return self.value(int(low) + int(share * (int(high) - int(low) + 1)))
        return self.value(low + share * (high - low))

    def grid(self, count: int) -> tuple[Value, ...]:
        """Return some equidistant values on its scale, or all if there are few."""
        if self.values:
            return self.values
        numbers = grid(self.declared, count)
        return tuple(dict.fromkeys(map(self.declared.check, numbers)))

    def distribution(self) -> "BaseDistribution":
        """Return the distribution for Optuna."""
        from optuna import distributions

        if self.values:
            return distributions.CategoricalDistribution(self.values)
        low, high = self.ends
        if self._whole and not self.from_zero:
            return distributions.IntDistribution(int(low), int(high), log=self.log)
        return distributions.FloatDistribution(low, high, log=self.log)

    @property
    def _whole(self) -> bool:
        return self.declared.kind == "integer"

    @property
    def _low(self) -> float:
        return float(self.declared.low or 0.0)

    @property
    def _high(self) -> float:
        return float(self.declared.high or 0.0)


def searchable(algorithm: Any) -> list[str]:
    """Return the hyperparameters of an algorithm that have a range or choices, except
    the seed and the number of iterations."""
    return [
        name
        for name, declared in hyperparameters(algorithm).items()
        if name not in ("random_state", "max_iter") and declared.varies
    ]


def space_of(model: Any, over: Over) -> tuple[Dimension, ...]:
    """Return the checked dimensions to search.

    Parameters
    ----------
    model : Ranker
    over : dict of str to sequence, Range, distribution or None
        As for `rankcore.studies.searches.search`.

    Raises
    ------
    ValueError
        For an unknown hyperparameter or one without a range, an invalid value, an empty
        range, or no dimensions.
    """
    declared, title = hyperparameters(model), type(model).__name__
    if not over:
        raise ValueError("There is nothing to search: name a hyperparameter.")
    over = {british(name, declared): values for name, values in over.items()}
    for name in over:
        if name not in declared:
            raise ValueError(
                f"{title} has no hyperparameter {name!r}; it has {', '.join(declared)}."
            )
    return tuple(_dimension(declared[name], choice) for name, choice in over.items())


def _dimension(hyperparameter: Hyperparameter, choice: Any) -> Dimension:
    if is_distribution(choice):
        declared = of_distribution(hyperparameter, choice)
        if isinstance(declared, Hyperparameter):
            return Dimension(declared)
        return Dimension(hyperparameter, declared)
    if isinstance(choice, Range):
        low, high = (float(hyperparameter.check(end)) for end in choice)
        if hyperparameter.kind == "choice" or not low < high:
            raise ValueError(
                f"The range of {hyperparameter.name} must have its end above its start."
            )
        return Dimension(replace(hyperparameter, low=low, high=high))
    if (
        isinstance(choice, tuple)
        and len(choice) == 2
        and hyperparameter.kind != "choice"
    ):
        raise ValueError(
            f"{hyperparameter.name}: {choice} may be two values or the ends of a "
            f"range. Give {list(choice)} for the two values, or Range{choice} for all "
            "between."
        )
    if choice is not None:
        if not isinstance(choice, Iterable) or isinstance(choice, str):
            raise ValueError(
                f"{hyperparameter.name}: give values such as [{choice}], or a Range, "
                f"not {choice!r}."
            )
        values = tuple(dict.fromkeys(hyperparameter.check(value) for value in choice))
        if not values:
            raise ValueError(f"Give values for {hyperparameter.name}, or a range.")
        return Dimension(hyperparameter, values)
    if hyperparameter.kind == "choice":
        return Dimension(hyperparameter, tuple(hyperparameter.choices))
    if hyperparameter.low is None or hyperparameter.high is None:
        raise ValueError(
            f"{hyperparameter.name} declares no range: give one, or values."
        )
    return Dimension(hyperparameter)


def settings_at(space: Sequence[Dimension], shares: np.ndarray) -> dict[str, Value]:
    """Return the values at a share of each dimension's length."""
    return {
        dimension.name: dimension.at(float(share))
        for dimension, share in zip(space, shares, strict=True)
    }
