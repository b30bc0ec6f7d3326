"""A Dask scheduler and killable workers on this machine."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rankcore.compute.executors import Dask

STARTING_SECONDS = 120.0


class Cluster:
    """A scheduler with workers that come and go.

    Attributes
    ----------
    address : str
    workers : list of subprocess.Popen
        The workers in the order of their start.
    """

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        self.address = f"tcp://127.0.0.1:{port}"
        self.workers: list[subprocess.Popen[bytes]] = []
        self._scheduler = _start("dask_scheduler", "--port", port)

    def add(self) -> subprocess.Popen[bytes]:
        """Start a worker with one thread."""
        worker = _start("dask_worker", self.address, "--no-nanny", "--nthreads", "1")
        self.workers.append(worker)
        return worker

    def close(self) -> None:
        for process in (*self.workers, self._scheduler):
            process.kill()
            process.wait()


def _start(module: str, *words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", f"distributed.cli.{module}", *words]
    return subprocess.Popen(
        [*command, "--host", "127.0.0.1", "--no-dashboard"],
        env={**os.environ, "RANKSCOPE_THREADS": "1"},
        stderr=subprocess.DEVNULL,
    )


@contextmanager
def cluster(workers: int) -> Iterator[tuple[Cluster, Dask]]:
    """Provide a cluster, and an executor connected to all its workers."""
    running = Cluster()
    try:
        for _ in range(workers):
            running.add()
        with Dask(running.address, patience_seconds=STARTING_SECONDS) as dask:
            wait_for(dask, workers)
            yield running, dask
    finally:
        running.close()


def wait_for(dask: Dask, workers: int) -> None:
    """Wait until this number of workers is connected."""
    end = time.monotonic() + STARTING_SECONDS
    while len(dask.homes(look=True)) < workers:
        if time.monotonic() > end:
            raise TimeoutError("The workers have not started.")
        time.sleep(0.05)
