"""Trainings so short that a page waits for them."""

import math
import time
from collections.abc import Iterator
from contextlib import closing

from rankcore.training import Record, Run


def records(run: Run, seconds: float) -> Iterator[Record]:
    """What a run records, until it ends or its time is over.

    The first step may take long, as kernels are loaded in it; so the ``seconds`` begin
    after it, and there are at least the start and one step.
    """
    end = math.inf
    with closing(run):
        for number, record in enumerate(run):
            yield record
            if number == 1:
                end = time.monotonic() + seconds
            if time.monotonic() > end:
                return
