"""Blocks and whole runs in threads; see `rankcore.compute.executors.Threads`."""

from collections import deque
from collections.abc import Callable, Sequence
from concurrent import futures
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from rankcore.base.cancellation import cancel_point, cancel_points
from rankcore.base.cores import allowed_threads
from rankcore.compute.interface import Executor, Here, Placed


class Threads(Executor):
    """Threads of this process, which run kernels in parallel.

    The calling thread computes blocks, too, so losses that share an executor each have
    their own thread, and take turns on the others.

    Parameters
    ----------
    workers : int, optional
        Threads including the calling one, at least 1; by default `allowed_threads`.

    Raises
    ------
    ValueError
        If ``workers`` is below 1.
    """

    def __init__(self, workers: int | None = None) -> None:
        self.workers = allowed_threads() if workers is None else workers
        if self.workers < 1:
            raise ValueError(
                f"There cannot be {workers} workers; give a whole number of at least 1."
            )
        self._helpers = ThreadPoolExecutor(max(self.workers - 1, 1), "blocks")
        self._runs = _Runs(self.workers, "runs")

    def runs(self) -> futures.Executor:
        return self._runs

    def place(self, parts: Sequence[Any]) -> Placed:
        if self.workers == 1 or len(parts) == 1:
            return Here(parts)
        return _Shared(parts, self._helpers, self.workers - 1)

    def close(self) -> None:
        self._runs.shutdown(cancel_futures=True)
        self._helpers.shutdown()

    def __repr__(self) -> str:
        return f"Threads({self.workers})"


class _ClosedError(BaseException):
    """The executor is closed; no run raises this error itself."""


class _Runs(ThreadPoolExecutor):
    """Threads whose runs end at the next cancel point on shutdown."""

    _closed = False

    def submit(
        self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> Future[Any]:
        return super().submit(self._run, fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._closed = True
        super().shutdown(wait, cancel_futures=cancel_futures)

    def _run(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        with cancel_points(self._check):
            return fn(*args, **kwargs)

    def _check(self) -> None:
        if self._closed:
            raise _ClosedError


class _Shared(Placed):
    """Parts processed by the calling thread and helper threads in turn."""

    def __init__(
        self, parts: Sequence[Any], helpers: ThreadPoolExecutor, count: int
    ) -> None:
        self._parts = list(parts)
        self._helpers = helpers
        self._count = min(count, len(parts) - 1)
        self._methods: set[str] = set()

    def call(
        self,
        method: str,
        *arguments: Any,
        per_part: Sequence[tuple[Any, ...]] | None = None,
    ) -> list[Any]:
        results: list[Any] = [None] * len(self._parts)
        waiting = deque(range(len(self._parts)))

        def take() -> bool:
            """Compute the next block if one is waiting."""
            try:
                number = waiting.popleft()
            except IndexError:
                return False
            extra = () if per_part is None else per_part[number]
            results[number] = getattr(self._parts[number], method)(*arguments, *extra)
            return True

        def help_out() -> None:
            try:
                while take():
                    pass
            except BaseException:
                waiting.clear()
                raise

        if method not in self._methods:
            # The calling thread compiles kernels and reports that.
            take()
            self._methods.add(method)
        helping = [self._helpers.submit(help_out) for _ in range(self._count)]
        try:
            while take():
                cancel_point()
        finally:
            # After an exception no other block starts, and none is still running.
            waiting.clear()
            running = [future for future in helping if not future.cancel()]
            errors = [future.exception() for future in running]
        for error in filter(None, errors):
            raise error
        return results
