"""The time limit of a command that trains several runs."""

import re
import time
from collections.abc import Callable
from contextlib import closing, nullcontext
from typing import TYPE_CHECKING, Any

from rankcore.cli._failures import Misused
from rankcore.cli._interrupts import Interrupts

if TYPE_CHECKING:
    from rankcore.compute.executors import Executor
    from rankcore.studies.paths import Path
    from rankcore.studies.searches import Search
    from rankcore.studies.sweeps import Sweep

_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def seconds_of(text: str | None) -> float | None:
    """Return a time such as 60s, 5m or 1h30m in seconds; None where there is none."""
    if text is None:
        return None
    parts = re.findall(r"(\d+(?:\.\d+)?)\s*(h|min|m|s|)", text.strip())
    if not parts or "".join("".join(p) for p in parts) != text.replace(" ", ""):
        raise Misused(f"--budget must be a time such as 60s, 5m or 1h30m, not {text!r}")
    total = sum(float(number) * _SECONDS[unit] for number, unit in parts)
    if not total:
        raise Misused("--budget must be longer than 0 seconds.")
    return total


class _EndedError(BaseException):
    """The time limit or Ctrl-C ends the runs; no run raises this error itself."""


class Budget:
    """A limit in seconds for several runs, which Ctrl-C also ends; ``why`` is a
    sentence with the reason for an early end, and empty without one."""

    def __init__(self, interrupts: Interrupts, limit: float | None) -> None:
        self.why = ""
        self._interrupts = interrupts
        self._limit = limit
        self._began = time.monotonic()

    def check(self) -> None:
        """End the runs when the limit is reached or after Ctrl-C."""
        if self._interrupts.noted:
            self.why = "Interrupted; the runs so far are kept."
        elif self._limit is not None and time.monotonic() - self._began > self._limit:
            self.why = (
                f"The time of {self._limit:g} s is over; the runs so far are kept."
            )
        if self.why:
            raise _EndedError

    def left(self, expected: float | None) -> float | None:
        """Return the seconds left: the ``expected`` ones or those of the limit,
        whichever are fewer; None where neither is known."""
        if self._limit is None:
            return expected
        limit = max(self._limit - (time.monotonic() - self._began), 0.0)
        return limit if expected is None else min(limit, expected)

    def take(
        self,
        coming: "Path | Search | Sweep",
        where: "Executor | None",
        say: Callable[[Any], None] | None,
    ) -> None:
        """Collect and report each trained model until the last one or the time limit.

        An executor that is closed early does not wait for unfinished runs.
        """
        from rankcore.base.cancellation import cancel_points

        try:
            with cancel_points(self.check), where or nullcontext(), closing(coming):
                for one in coming:
                    if say is not None:
                        say(one)
                    self.check()
        except _EndedError:
            pass
