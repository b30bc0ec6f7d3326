"""The interface of executors, and a serial one in this process."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent import futures
from typing import Any, Self

from rankcore.base.blocks import total
from rankcore.base.cancellation import cancel_point


class Placed(ABC):
    """The parts of a loss, one per block, as placed by an executor.

    A part is any object; its methods take and give arrays and numbers.
    """

    @abstractmethod
    def call(
        self,
        method: str,
        *arguments: Any,
        per_part: Sequence[tuple[Any, ...]] | None = None,
    ) -> list[Any]:
        """Call a method of every part, with a cancel point between blocks.

        Parameters
        ----------
        method : str
        *arguments
            Arguments common to all parts.
        per_part : sequence of tuple, optional
            Additional arguments of each part.

        Returns
        -------
        list
            The result of each part, in the order of the blocks.
        """

    def sum(self, method: str, *arguments: Any, **options: Any) -> tuple[Any, ...]:
        """Return the sum of the tuples from `call`, added in the order of the
        blocks."""
        return total(self.call(method, *arguments, **options))


class Executor(ABC):
    """A place for the parts of losses.

    Attributes
    ----------
    workers : int
        Number of workers that compute at the same time.
    is_here : bool
        Whether they are in this process, so that parts need not be sent.
    deadly : tuple of type
        Errors of a run that ended its worker at every attempt.
    """

    workers = 1
    is_here = True
    deadly: tuple[type[Exception], ...] = ()

    @abstractmethod
    def place(self, parts: Sequence[Any]) -> Placed:
        """Place the parts of a loss, one for each block."""

    def runs(self) -> futures.Executor | None:
        """Return the executor of whole runs, as in a sweep, one per worker; None if
        they are trained in this process, one after the other."""
        return None

    def runs_at_once(self) -> int:
        """Maximum number of runs submitted at a time.

        One more per worker than it trains: data go to a worker on request, and all
        would request them before the first has received them.
        """
        return 2 * self.workers

    def close(self) -> None:  # noqa: B027  # not all of them begin something
        """End the executor's workers; nothing can be placed in it afterwards."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class Serial(Executor):
    """An executor that computes one block after the other in the calling thread."""

    def place(self, parts: Sequence[Any]) -> Placed:
        return Here(parts)

    def __repr__(self) -> str:
        return "Serial()"


class Here(Placed):
    """Parts called one after the other in the calling thread."""

    def __init__(self, parts: Sequence[Any]) -> None:
        self._parts = list(parts)

    def call(
        self,
        method: str,
        *arguments: Any,
        per_part: Sequence[tuple[Any, ...]] | None = None,
    ) -> list[Any]:
        results = []
        for number, part in enumerate(self._parts):
            if number:
                cancel_point()
            own_arguments = () if per_part is None else per_part[number]
            results.append(getattr(part, method)(*arguments, *own_arguments))
        return results
