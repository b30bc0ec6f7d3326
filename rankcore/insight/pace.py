"""How fast a run goes and how long it has still to go, from the steps it has taken."""

import math
from typing import NamedTuple

import numpy as np

from rankcore.training import History, Run

# Records at the end of the history that tell the speed.
LATEST = 30


class Pace(NamedTuple):
    """The speed of a run, all of NaN before its second iteration.

    Attributes
    ----------
    step_seconds : float
        Of training an iteration takes, the median of the latest ones.
    per_second : float
        Iterations a second by the clock: measuring, drawing and waiting count, but not
        a pause.
    seconds_left : float
        By the clock, to the nearer limit of the run, which may converge earlier; 0 at
        its end, NaN without a limit.
    """

    step_seconds: float
    per_second: float
    seconds_left: float

    @property
    def speed(self) -> str:
        """The achieved speed, such as ``30/s``; empty where it is not known."""
        if math.isnan(self.per_second):
            return ""
        if self.per_second < 1.0:
            return f"{1.0 / self.per_second:.2g} s each"
        return f"{self.per_second:.2g}/s"

    @property
    def step(self) -> str:
        """Training time of an iteration in words; empty where it is not known."""
        if math.isnan(self.step_seconds):
            return ""
        if self.step_seconds < 1.0:
            return f"{1000.0 * self.step_seconds:.3g} ms per iteration"
        return f"{self.step_seconds:.3g} s per iteration"

    @property
    def left(self) -> str:
        """The time left in words; empty where it is not known."""
        if math.isnan(self.seconds_left) or self.seconds_left == 0.0:
            return ""
        if self.seconds_left < 90.0:
            return f"about {max(self.seconds_left, 1.0):.0f} s left"
        return f"about {self.seconds_left / 60.0:.0f} min left"


def pace(run: Run) -> Pace:
    """The speed of a run so far."""
    step, tick = _medians(run.history)
    left = 0.0 if run.reason is not None else _seconds_left(run, step, tick)
    return Pace(step, 1.0 / tick if tick else math.nan, left)


def _medians(history: History) -> tuple[float, float]:
    """Seconds of training and by the clock from one iteration to the next."""
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
