"""Whole runs in processes that stay; see `rankcore.compute.executors.Processes`."""

from contextlib import ExitStack
from typing import Any

from rankcore.compute.threads import Threads
from rankcore.compute.workers import Pool, processes


class Processes(Threads):
    """Processes of this machine, which stay and train whole runs; the blocks of a run
    that is trained here are computed by as many threads.

    Data that are a read-only memory map are not copied for them. As with all processes
    that Python begins anew, a script that trains must do so under
    ``if __name__ == "__main__":``.

    Parameters
    ----------
    workers : int, optional
        Processes, at least 1; by default `allowed_threads`.

    Raises
    ------
    ValueError
    """

    def __init__(self, workers: int | None = None) -> None:
        super().__init__(workers)
        self._pool: Pool | None = None
        self._open = ExitStack()

    def runs(self) -> Pool:
        if self._pool is None:
            self._pool = self._open.enter_context(processes(self.workers))
        return self._pool

    def __exit__(self, *error: Any) -> None:
        # After an exception, runs under way are not waited for.
        self._open.__exit__(*error)
        self.close()

    def close(self) -> None:
        self._open.close()
        super().close()

    def __repr__(self) -> str:
        return f"Processes({self.workers})"
