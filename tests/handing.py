"""Sweeps and searches that hand work over to processes, however short they are."""

import os
import time
from contextlib import contextmanager
from dataclasses import replace

from rankcore.compute import handover as _handover
from rankcore.studies.cells import train_cell


def slowly(*given):
    """The run of a cell; its reason is the process that trained it."""
    time.sleep(0.1)
    return replace(train_cell(*given), reason=str(os.getpid()))


def hand_over(monkeypatch, module):
    """Let a module hand its cells over after half a second, to processes that are ready
    when they are first asked; returns a list that has an item for each."""
    begun, processes = [], _handover.processes
    readiness = _handover.Handover._readiness

    def awaited(handover, pool):
        future = readiness(handover, pool)
        future.result()
        return future

    @contextmanager
    def ready(workers, *options, **named):
        begun.append(workers)
        with processes(workers, *options, **named) as pool:
            yield pool

    monkeypatch.setattr(_handover, "processes", ready)
    monkeypatch.setattr(_handover.Handover, "_readiness", awaited)
    monkeypatch.setattr(_handover, "PAYS_AFTER_SECONDS", 0.5)
    monkeypatch.setattr(module, "train_cell", slowly)
    return begun
