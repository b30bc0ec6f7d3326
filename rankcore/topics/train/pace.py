"""Speed and remaining time of a run, estimated from its steps so far."""

import itertools
import math
from typing import NamedTuple

import numpy as np

from rankcore.base.numbers import duration
from rankcore.training import History, Run

# Number of latest records from which the speed is estimated.
LATEST = 30
# The first iteration is named separately if it took this many times as long as others.
LONGER = 30.0


class Pace(NamedTuple):
    """The speed of a run; all NaN before its second iteration.

    Attributes
    ----------
    first : int
        The first iteration that was recorded after the starting point.
    first_seconds : float
        Training time until then, which may include loading kernels.
    step_seconds : float
        Mean training time of each later iteration; together they give the training
        time.
    per_second : float
        Iterations per second of wall-clock time, with measuring, drawing and waiting,
        without pauses.
    seconds_left : float
        Wall-clock time to the nearer limit of the run, which may converge earlier; 0 at
        its end, NaN without a limit.
    """

    first: int
    first_seconds: float
    step_seconds: float
    per_second: float
    seconds_left: float

    @property
    def speed(self) -> str:
        """The achieved speed, such as ``30/s``; empty if unknown."""
        if math.isnan(self.per_second):
            return ""
        if self.per_second < 1.0:
            return f"{1.0 / self.per_second:.2g} s each"
        return f"{self.per_second:.2g}/s"

    @property
    def step(self) -> str:
        """Training time per iteration in words, separately for a slower first one;
        empty if unknown."""
        if math.isnan(self.step_seconds):
            return ""
        step = f"{duration(self.step_seconds)} each"
        if self.first_seconds <= LONGER * self.first * self.step_seconds:
            return step
        return f"{duration(self.first_seconds)}, then {step}"

    @property
    def time_left(self) -> str:
        """The time left in words; empty if unknown."""
        if math.isnan(self.seconds_left) or self.seconds_left == 0.0:
            return ""
        if self.seconds_left < 90.0:
            return f"about {max(self.seconds_left, 1.0):.0f} s left"
        return f"about {self.seconds_left / 60.0:.0f} min left"


def pace(run: Run) -> Pace:
    """Return the speed of a run so far."""
    step, tick = _medians(run.history)
    left = 0.0 if run.reason is not None else _seconds_left(run, step, tick)
    return Pace(*_means(run.history), 1.0 / tick if tick else math.nan, left)


def _means(history: History) -> tuple[int, float, float]:
    """Return the first iteration, the seconds until then, and the seconds of each later
    one."""
    records = [one for one in itertools.islice(history.records, 2) if one.iteration > 0]
    if not records or history[-1].iteration <= records[0].iteration:
        return 0, math.nan, math.nan
    first, last = records[0], history[-1]
    step = (last.seconds - first.seconds) / (last.iteration - first.iteration)
    return first.iteration, first.seconds, step


def _medians(history: History) -> tuple[float, float]:
    """Return the training time and wall-clock time per iteration, in seconds."""
    records = history.records[-LATEST:]
    # The first iteration may load kernels.
    if len(records) == len(history) and len(records) > 3:
        records = records[1:]
    done = np.array([record.iteration for record in records], np.float64)
    counts = np.diff(done)
    if not (counts > 0.0).any():
        return math.nan, math.nan
    medians = []
    for times in ([one.seconds for one in records], [one.clock for one in records]):
        each = np.diff(times)[counts > 0.0] / counts[counts > 0.0]
        medians.append(float(np.median(each)))
    return medians[0], medians[1]


def _seconds_left(run: Run, step: float, tick: float) -> float:
    last = run.history[-1] if len(run.history) else None
    if last is None:
        return math.nan
    left = []
    if run.max_iterations is not None:
        left.append((run.max_iterations - last.iteration) * tick)
    if run.max_seconds is not None and step > 0.0:
        left.append((run.max_seconds - last.seconds) / step * tick)
    return max(min(left), 0.0) if left else math.nan
