"""Background work other than a training run: a study, advanced one iteration at a time.

A study is a generator function that yields `Findings` and a `Study` around it, which a
job (`rankcore.studies.jobs`), a notebook or a test advances one iteration at a time.
"""

import time
from collections.abc import Generator, Iterable, Iterator
from typing import Any, NamedTuple, Self

from rankcore.base.numbers import counted
from rankcore.training import Record

# Iterations without a record need not be watched individually.
SLICE_SECONDS = 0.1


class Progress(NamedTuple):
    """The present activity of a study, yielded by its generator.

    Attributes
    ----------
    doing : str
        A phrase; may be empty.
    share : float or None
        Completed share of the study, 0 to 1, if more informative than the number of
        findings.
    """

    doing: str = ""
    share: float | None = None


# A generator of `Record` (a training iteration), None (an iteration without a record),
# `Progress`, and findings of any other type. It may return the reason why it ended, as
# a sentence.
Findings = Generator[Any, None, str | None]


class Study(Iterator[Record]):
    """Work of known extent whose findings appear one by one.

    Each step of iterating over it runs one iteration. A finding is in `found` before
    the next iteration begins. All attributes may be read from other threads.

    Parameters
    ----------
    coming : generator
        Generator of findings, see `Findings`.
    total : int
        Total number of findings.
    unit : str
        Unit of the findings, in the plural, such as ``"models"``.
    subject : object
        Subject of the study: everything that a figure needs besides the findings. Its
        type identifies the kind of study.
    doing : str
        Activity of the first iteration, as a phrase.

    Attributes
    ----------
    found : list
        Findings so far; append-only.
    subject : object
    doing : str
        Current activity, as a phrase; may be empty.
    iterations : int
        Number of training iterations so far.
    reason : str or None
        Why it ended, as a sentence; None before its end, and for a closed or failed
        study.
    """

    def __init__(
        self,
        coming: Findings,
        total: int,
        unit: str,
        subject: Any = None,
        *,
        doing: str = "",
    ) -> None:
        self.found: list[Any] = []
        self.total = total
        self.unit = unit
        self.subject = subject
        self.doing = doing
        self.iterations = 0
        self.reason: str | None = None
        self._latest: Record | None = None
        self._share: float | None = None
        self._closed = False
        self._coming = self._to_the_end(coming)

    @property
    def done(self) -> int:
        """Number of findings so far."""
        return len(self.found)

    @property
    def share(self) -> float:
        """Completed share of the study, 0 to 1."""
        if self._share is not None:
            return self._share
        return self.done / self.total if self.total else 1.0

    def __next__(self) -> Record:
        began = time.perf_counter()
        for item in self._coming:
            if isinstance(item, Record):
                self.iterations += 1
                self._latest = item
                return item
            if item is None:
                late = time.perf_counter() - began > SLICE_SECONDS
                if late and self._latest is not None:
                    return self._latest
            elif isinstance(item, Progress):
                self.doing, self._share = item
            else:
                self.found.append(item)
        raise StopIteration

    @property
    def ended(self) -> bool:
        """Whether there will be no more findings."""
        return self._closed or self.reason is not None

    def recall(self, findings: Iterable[Any], reason: str) -> Self:
        """End at once, with findings of an earlier identical study."""
        self.found.extend(findings)
        self.reason = reason
        self.close()
        return self

    def close(self) -> None:
        """End the study, keeping its findings."""
        self._closed = True
        self._coming.close()

    def _to_the_end(self, coming: Findings) -> Generator[Any]:
        reason = yield from coming
        self.doing = ""
        self.reason = reason or (
            f"Complete after {counted(self.iterations, 'iterations')}."
        )
