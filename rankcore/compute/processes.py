"""Blocks in processes that stay; see `rankcore.compute.executors.Processes`."""

import itertools
import multiprocessing
import pickle
import threading
import weakref
from collections import deque
from collections.abc import Sequence
from concurrent import futures
from contextlib import ExitStack, suppress
from multiprocessing.connection import wait
from types import TracebackType
from typing import Any

from rankcore.base.cancellation import cancel_point
from rankcore.base.errors import LostWorkerError
from rankcore.compute.interface import (
    Executor,
    Placed,
    Serial,
    allowed_threads,
    checked_workers,
)
from rankcore.compute.shared_arrays import Shared
from rankcore.compute.workers import processes, without_interrupts

# How long a process that is told to end may take.
_PATIENCE_SECONDS = 5.0


class Processes(Executor):
    """Processes of this machine, which stay and are sent the data once.

    A block stays with its process. Large arrays go by shared memory; features in a
    read-only memory map are not even copied. As with all processes that Python begins
    anew, a script that trains must do so under ``if __name__ == "__main__":``.

    Parameters
    ----------
    workers : int, optional
        Processes, at least 1; by default `allowed_threads`.

    Raises
    ------
    ValueError
    """

    is_here = False

    def __init__(self, workers: int | None = None) -> None:
        self.workers = checked_workers(
            allowed_threads() if workers is None else workers
        )
        self._lines: list[_WorkerLine] = []
        self._shared = Shared()
        self._asking = threading.Lock()
        self._numbers = itertools.count()
        # Losses that nobody holds any more; the processes are told with the next call.
        self._left: deque[int] = deque()
        self._closed = False
        self._runs: futures.Executor | None = None
        self._stack = ExitStack()

    def runs(self) -> futures.Executor:
        if self._runs is None:
            self._runs = self._stack.enter_context(processes(self.workers))
        return self._runs

    def place(self, parts: Sequence[Any]) -> Placed:
        if len(parts) == 1:
            return Serial().place(parts)
        with self._asking:
            self._begin()
            key, count = next(self._numbers), len(parts)
            homes = [number * self.workers // count for number in range(count)]
            for home, line in enumerate(self._lines):
                own = {k: parts[k] for k in range(count) if homes[k] == home}
                line.send("place", key, self._shared.dumps(own))
                line.result()
        placed = _Elsewhere(self, key, homes)
        weakref.finalize(placed, self._left.append, key)
        return placed

    def ask(
        self, key: int, homes: Sequence[int], calls: Sequence[tuple[Any, ...]]
    ) -> list[Any]:
        """Call methods of the parts of a loss, each in its process."""
        with self._asking:
            self._begin()
            while self._left:
                dropped = self._left.popleft()
                for line in self._lines:
                    line.send("drop", dropped)
                    line.result()
            return self._ask(key, homes, calls)

    def _ask(
        self, key: int, homes: Sequence[int], calls: Sequence[tuple[Any, ...]]
    ) -> list[Any]:
        results: list[Any] = [None] * len(calls)
        left: list[deque[int]] = [deque() for _ in self._lines]
        for number, home in enumerate(homes):
            left[home].append(number)
        busy: dict[Any, tuple[int, int]] = {}

        def give(home: int) -> None:
            if left[home]:
                number = left[home].popleft()
                self._lines[home].send("call", key, number, *calls[number])
                busy[self._lines[home].end] = home, number

        try:
            for home in range(len(left)):
                give(home)
            while busy:
                for end in wait(list(busy)):
                    home, number = busy.pop(end)
                    results[number] = self._lines[home].result()
                    cancel_point()
                    give(home)
        except LostWorkerError:
            busy.clear()
            self._closed = True
            self._end()
            raise
        finally:
            # After an exception no other block begins, and none is under way any more.
            for home, _ in list(busy.values()):
                self._lines[home].await_result()
        return results

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # After an exception, runs under way are not waited for.
        self._stack.__exit__(kind, error, trace)
        self.close()

    def close(self) -> None:
        self._stack.close()
        with self._asking:
            self._closed = True
            self._end()

    def _begin(self) -> None:
        if self._closed:
            raise ValueError("This executor is closed; make another one.")
        if not self._lines:
            self._lines = [_WorkerLine() for _ in range(self.workers)]

    def _end(self) -> None:
        for line in self._lines:
            line.close()
        self._lines = []
        self._shared.close()

    def __repr__(self) -> str:
        return f"Processes({self.workers})"


class _WorkerLine:
    """A process, and the connection to it.

    Attributes
    ----------
    end : multiprocessing.connection.Connection
        This end of it.
    """

    def __init__(self) -> None:
        spawn = multiprocessing.get_context("spawn")
        self.end, other = spawn.Pipe()
        self._process = spawn.Process(target=_serve, args=(other,), daemon=True)
        with without_interrupts():
            self._process.start()
        other.close()

    def send(self, *message: Any) -> None:
        try:
            self.end.send(message)
        except OSError as error:
            raise self._lost() from error

    def result(self) -> Any:
        """Return what the process answers; raises what was raised there."""
        try:
            good, answer = self.end.recv()
        except (EOFError, OSError) as error:
            raise self._lost() from error
        if not good:
            raise answer
        return answer

    def await_result(self) -> None:
        """Wait for the answer, whatever it is."""
        with suppress(Exception):
            self.result()

    def close(self) -> None:
        self.end.close()
        self._process.join(_PATIENCE_SECONDS)
        if self._process.is_alive():
            self._process.terminate()
            self._process.join()

    def _lost(self) -> LostWorkerError:
        self._process.join(_PATIENCE_SECONDS)
        return LostWorkerError(
            "A process that computes blocks has ended unexpectedly (exit code "
            f"{self._process.exitcode}), perhaps for want of memory. Train again with "
            "fewer processes, or with threads."
        )


def _serve(end: Any) -> None:
    """Answer what comes down a line, until it is closed at the other end."""
    held: dict[int, dict[int, Any]] = {}
    while True:
        try:
            task, key, *details = end.recv()
        except (EOFError, OSError):
            return
        try:
            answer = True, _answer(held, task, key, *details)
        except Exception as error:
            answer = False, error
        try:
            end.send(answer)
        except (OSError, BrokenPipeError):
            return
        except Exception as error:
            end.send((False, RuntimeError(f"{type(error).__name__}: {error}")))


def _answer(held: dict[int, dict[int, Any]], task: str, key: int, *details: Any) -> Any:
    if task == "drop":
        held.pop(key, None)
        return None
    if task == "place":
        held[key] = pickle.loads(details[0])
        return None
    number, method, *arguments = details
    return getattr(held[key][number], method)(*arguments)


class _Elsewhere(Placed):
    """Parts that are in other processes."""

    def __init__(self, processes: Processes, key: int, homes: Sequence[int]) -> None:
        self._processes, self._key, self._homes = processes, key, homes

    def call(
        self,
        method: str,
        *arguments: Any,
        per_part: Sequence[tuple[Any, ...]] | None = None,
    ) -> list[Any]:
        each = [()] * len(self._homes) if per_part is None else per_part
        calls = [(method, *arguments, *mine) for mine in each]
        return self._processes.ask(self._key, self._homes, calls)
