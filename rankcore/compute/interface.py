"""The interface of executors, and the one that computes here, block after block."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent import futures
from typing import Any, Self

from rankcore.base.blocks import total
from rankcore.base.cancellation import cancel_point


class Placed(ABC):
    """The parts of a loss, one for each block, where an executor has put them.

    A part is any object; its methods take and give arrays and numbers.
    """

    @abstractmethod
    def call(
        self,
        method: str,
        *arguments: Any,
        per_part: Sequence[tuple[Any, ...]] | None = None,
    ) -> list[Any]:
        """Call a method of every part; between two blocks there is a cancel point.

        Parameters
        ----------
        method : str
        *arguments
            The same for all parts.
        per_part : sequence of tuple, optional
            Arguments of each part, after those.

        Returns
        -------
        list
            What each part gave, in the order of the blocks.
        """

    def sum(self, method: str, *arguments: Any, **options: Any) -> tuple[Any, ...]:
        """Return the sum of the tuples that `call` gives, added in the order of the
        blocks."""
        return total(self.call(method, *arguments, **options))


class Executor(ABC):
    """A place for the parts of losses.

    Attributes
    ----------
    workers : int
        How many compute at the same time.
    is_here : bool
        Whether they do in this process, where parts need not be sent.
    deadly : tuple of type
        Errors of a run that has ended its worker, each time it was tried.
    """

    workers = 1
    is_here = True
    deadly: tuple[type[Exception], ...] = ()

    @abstractmethod
    def place(self, parts: Sequence[Any]) -> Placed:
        """Take over the parts of a loss, one for each block."""

    def runs(self) -> futures.Executor | None:
        """Return the executor of whole runs, as of a sweep, one a worker; None where
        they are trained here, one after the other."""
        return None

    def runs_at_once(self) -> int:
        """How many runs may be given at a time.

        One more each than they train: data go to a worker that asks for them, and all
        would ask before the first has received them.
        """
        return 2 * self.workers

    def close(self) -> None:  # noqa: B027  # not all of them begin something
        """End what the executor has begun; nothing can be placed there afterwards."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class Serial(Executor):
    """One block after the other, in the thread that asks."""

    def place(self, parts: Sequence[Any]) -> Placed:
        return Here(parts)

    def __repr__(self) -> str:
        return "Serial()"


class Here(Placed):
    """Parts that are asked one after the other, in the thread that asks."""

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
