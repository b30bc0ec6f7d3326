"""Measures as exact step functions along a line of models."""

import math
from dataclasses import dataclass

import numpy as np

from rankcore.algorithms.parts.gain_sums import gain_sum
from rankcore.data.dataset import RankingDataset
from rankcore.measures import (
    STANDARD,
    Measure,
    Rules,
    exact_ranks,
    parse,
    worst_first,
)

_SHARE = 12


@dataclass(frozen=True)
class StepFunction:
    """A mean measure along a line, exactly.

    Attributes
    ----------
    times : (m,) float64
        Its breakpoints, strictly ascending.
    values : (m + 1,) float64
        Its values before, between and after the breakpoints.
    """

    times: np.ndarray
    values: np.ndarray

    def at(self, t: np.ndarray | float) -> np.ndarray:
        """Return the values at any points; at a breakpoint, the value after it."""
        return self.values[np.searchsorted(self.times, t, side="right")]


class LineSearch:
    """A measure of a data set along lines of models.

    Parameters
    ----------
    measure : str or Measure
        nDCG, AP, RR, P or WTA, with or without a cutoff.
    ties : {"input", "worst"}
        As in `rankcore.measures.evaluate`, for documents that tie along the whole line;
        two whose scores cross change places at the crossing.

    Raises
    ------
    ValueError
        For any other measure.

    Attributes
    ----------
    queries : (p,) int64
        The queries whose value can change.
    """

    def __init__(
        self,
        dataset: RankingDataset,
        measure: str | Measure,
        rules: Rules = STANDARD,
        ties: str = "input",
    ) -> None:
        parsed = parse(measure)
        form, discounts, gains = gain_sum(dataset, parsed, rules.convention)
        longest = int(dataset.lengths.max())
        self._depth = int(np.flatnonzero(discounts)[-1]) + 1
        begins = dataset.offsets[:-1]
        low, high = (
            np.minimum.reduceat(gains, begins),
            np.maximum.reduceat(gains, begins),
        )
        self.queries = np.flatnonzero(low < high)
        self._whole = self._depth >= longest
        # Tied documents keep their order; sorted by ascending label, that is the worst
        # order.
        self._rows: np.ndarray | slice = slice(None)
        if ties == "worst":
            self._rows = worst_first(dataset.y, dataset.offsets)
        self._problem = (
            gains[self._rows],
            dataset.offsets,
            self.queries,
            np.append(discounts, 0.0),
            form,
        )
        self._order = np.arange(dataset.n_documents) - np.repeat(
            begins, dataset.lengths
        )
        self._carry = np.zeros(5)
        self._capacity = max(len(gains), dataset.X.size // _SHARE)
        ranks = exact_ranks(np.zeros(dataset.n_documents), dataset.offsets)
        values = parsed(ranks, dataset.y, dataset.offsets, rules.convention)
        fill = rules.undefined.value
        filled = np.where(np.isnan(values), fill, values)
        counted = ~np.isnan(filled)
        fixed = np.delete(np.where(counted, filled, 0.0), self.queries)
        self._fixed, self._count = float(fixed.sum()), max(int(counted.sum()), 1)

    def along(self, s: np.ndarray, v: np.ndarray) -> StepFunction:
        """Return the mean measure of the scores s + t v (n,), as a function of t."""
        start, times, changes = (
            self._follow(s, v, keep=True) if self._whole else self._sweep(s, v)
        )
        values = start + np.concatenate(([0.0], np.cumsum(changes)))
        return StepFunction(times, (values + self._fixed) / self._count)

    def best(self, s: np.ndarray, v: np.ndarray) -> tuple[float, float]:
        """Return the largest mean along s + t v, and the middle of the widest interval
        of t that attains it; 0 if the mean is constant."""
        from rankcore._kernels.ordering.step_functions import BEST, MIDDLE, search

        if self._whole:
            self._follow(s, v, keep=False)
        else:
            search(*self._sweep(s, v), self._carry)
        value = (self._carry[BEST] + self._fixed) / self._count
        return float(value), float(self._carry[MIDDLE])

    def _sweep(
        self, s: np.ndarray, v: np.ndarray
    ) -> tuple[float, np.ndarray, np.ndarray]:
        """Return the sum of the measure: its first value, and its changes by ascending
        t."""
        from rankcore._kernels.ordering.line_search import note_changes
        from rankcore._kernels.ordering.step_functions import joined

        start, times, changes = note_changes(
            s[self._rows], v[self._rows], self._order, *self._problem, self._depth
        )
        return start, *joined(times, changes)

    def _follow(
        self, s: np.ndarray, v: np.ndarray, keep: bool
    ) -> tuple[float, np.ndarray, np.ndarray]:
        """Return `_sweep`'s results for whole lists, and the best interval."""
        from rankcore._kernels.ordering.crossings import follow_crossings

        with np.errstate(over="ignore", invalid="ignore"):
            spread = float(v.std())
            unit = float(s.std()) / spread if spread > 0.0 else 1.0
        return follow_crossings(
            s[self._rows],
            v[self._rows],
            *self._problem,
            unit if 0.0 < unit < math.inf else 1.0,
            self._capacity,
            keep,
            self._carry,
        )
