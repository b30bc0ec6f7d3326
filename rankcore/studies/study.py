"""Background work other than one training run: a study, taken an iteration at a time.

A study is a generator function that yields `Findings` and a `Study` around it, which a
job (`rankcore.studies.jobs`), a notebook or a test takes one iteration at a time.
"""

import time
from collections.abc import Generator, Iterable, Iterator
from typing import Any, NamedTuple, Self

from rankcore.base.numbers import counted
from rankcore.training import Record

# Iterations without a record need not be watched one by one.
SLICE_SECONDS = 0.1


class Progress(NamedTuple):
    """The present activity of a study, yielded by its generator.

    Attributes
    ----------
    doing : str
        A phrase, or empty.
    share : float or None
        How much of the whole study is done, 0 to 1, where that says more than the
        number of findings does.
    """

    doing: str = ""
    share: float | None = None


# A generator of `Record` (an iteration of training), None (an iteration without a
# record), `Progress` and, of any other type, findings. It may return the reason why it
# ended, as a sentence.
Findings = Generator[Any, None, str | None]


class Study(Iterator[Record]):
    """Work of known extent whose findings appear one by one.

    Iterating over it takes one iteration at a time. A finding is in `found` before the
    iteration after it begins. All attributes may be read from another thread.

    Parameters
    ----------
    coming : generator
        Of findings, see `Findings`.
    total : int
        How many findings there will be.
    unit : str
        What is counted, in the plural, such as ``"models"``.
    subject : object
        What is studied: all that a picture needs beside the findings. Its type tells
        kinds of studies apart.
    doing : str
        What the first iteration does, as a phrase.

    Attributes
    ----------
    found : list
        Findings so far; it is only appended to.
    subject : object
    doing : str
        What is under way, as a phrase; empty where there is nothing to say.
    iterations : int
        Iterations of training so far.
    reason : str or None
        Why it ended, as a sentence. None while it has not, and of a study that was
        closed or has failed.
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
        """Whether nothing more will be found."""
        return self._closed or self.reason is not None

    def recall(self, findings: Iterable[Any], reason: str) -> Self:
        """End at once, with findings that the same study has had before."""
        self.found.extend(findings)
        self.reason = reason
        self.close()
        return self

    def close(self) -> None:
        """Take no further iteration; what is found stays."""
        self._closed = True
        self._coming.close()

    def _to_the_end(self, coming: Findings) -> Generator[Any]:
        reason = yield from coming
        self.doing = ""
        self.reason = reason or (
            f"Complete after {counted(self.iterations, 'iterations')}."
        )
