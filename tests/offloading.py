"""Sweeps and searches that offload work to processes, however short they are."""

import os
import time
from contextlib import contextmanager
from dataclasses import replace

from rankcore.compute import offloading as _offloading
from rankcore.studies.cells import train_cell


def slowly(*given):
    """The run of a cell; its reason is the process that trained it."""
    time.sleep(0.1)
    return replace(train_cell(*given), reason=str(os.getpid()))


def offload_soon(monkeypatch, module):
    """Let a module offload its cells after half a second, to processes that are ready
    when they are first asked; returns a list that has an item for each. They are not in
    the background, where they would wait for all other tests."""
    begun, processes = [], _offloading.processes
    readiness = _offloading.Offload._readiness

    def awaited(offload, pool):
        future = readiness(offload, pool)
        future.result()
        return future

    @contextmanager
    def ready(workers, *options, **named):
        begun.append(workers)
        with processes(workers, *options, **named | {"background": False}) as pool:
            yield pool

    monkeypatch.setattr(_offloading, "processes", ready)
    monkeypatch.setattr(_offloading.Offload, "_readiness", awaited)
    monkeypatch.setattr(_offloading, "PAYS_AFTER_SECONDS", 0.5)
    monkeypatch.setattr(module, "train_cell", slowly)
    return begun
