"""Sweeps and searches that offload work to processes, however short they are."""

import os
import time
from dataclasses import replace

from rankcore.compute import offloading as _offloading
from rankcore.compute.processes import Pool
from rankcore.studies.cells import train_cell


def slowly(*given):
    """The run of a cell; its reason is the process that trained it."""
    time.sleep(0.1)
    return replace(train_cell(*given), reason=str(os.getpid()))


def offload_soon(monkeypatch, module):
    """Let a module offload its cells after half a second, to processes that are ready
    when they are first asked; returns a list that has an item for each. They are not in
    the background, where they would wait for all other tests."""
    begun, renew = [], _offloading._Process.renew

    def awaited(process):
        renew(process)
        process._ready.result()

    def ready(workers, share, background):
        begun.append(workers)
        return Pool(workers, share)

    monkeypatch.setattr(_offloading, "Pool", ready)
    monkeypatch.setattr(_offloading._Process, "renew", awaited)
    monkeypatch.setattr(_offloading, "PAYS_AFTER_SECONDS", 0.5)
    monkeypatch.setattr(module, "train_cell", slowly)
    return begun
