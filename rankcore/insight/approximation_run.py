"""The error of a smooth measure while a model is trained, found pass by pass.

As in figures 1 and 2 of T. Qin, T.-Y. Liu, H. Li, *A general approximation framework
for direct optimization of information retrieval measures*, Information Retrieval
13:375-397, 2010: one run, measured at several sharpnesses of positions and at several
of what the measure asks of them.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from rankcore.dataset import RankingDataset
from rankcore.insight.approximation import ErrorCurve, ErrorMeter
from rankcore.training import Record, Stop, drive

if TYPE_CHECKING:
    from rankcore.algorithms._approximation import Approximation

# The paper's.
ALPHAS = (10.0, 50.0, 100.0, 200.0, 300.0)
BETAS = (1.0, 10.0, 20.0, 50.0, 100.0)


class ErrorSpread(NamedTuple):
    """How the errors of the queries are spread.

    Attributes
    ----------
    edges : (b + 1,) float64
    counts : (b,) int64
        Queries between each two edges.
    mean, median, largest : float
        NaN without queries.
    """

    edges: NDArray[np.float64]
    counts: NDArray[np.int64]
    mean: float
    median: float
    largest: float


class ErrorsRun(Iterator[Record]):
    """A run that is measured as it goes, as a background job takes it.

    Parameters
    ----------
    algorithm : Approximation
        What is trained, and says which measure.
    dataset : RankingDataset
        What it is trained and measured on.
    passes : int
        At most so many.
    alphas, betas : sequence of float
        Measured at: the algorithm's own alpha and beta are added, each alpha with the
        algorithm's beta and each beta with its alpha.

    Attributes
    ----------
    reason : str or None
        Why it ended, as a sentence; None while it has not.
    passes : int
    """

    def __init__(
        self,
        algorithm: "Approximation",
        dataset: RankingDataset,
        passes: int,
        alphas: Sequence[float] = ALPHAS,
        betas: Sequence[float] = BETAS,
    ) -> None:
        self.passes = passes
        self.own = (float(algorithm.alpha), float(algorithm.beta))
        alpha, beta = self.own
        settings = [(a, beta) for a in alphas] + [(alpha, b) for b in betas]
        self._meter = ErrorMeter(algorithm, dataset, sorted({*settings, self.own}))
        self._run = drive(
            algorithm,
            dataset,
            stop=Stop(max_iterations=passes),
            measures=(algorithm.measure(dataset),),
        )
        self.records: list[Record] = []

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Record:
        record = next(self._run)
        self._meter.measure(record)
        self.records.append(record)
        return record

    @property
    def reason(self) -> str | None:
        return self._run.reason

    def close(self) -> None:
        """Take no further pass; what is measured stays."""
        self._run.close()

    def by_alpha(self) -> list[ErrorCurve]:
        """The curves at the algorithm's beta, alpha rising."""
        return [c for c in self._meter.curves() if c.beta == self.own[1]]

    def by_beta(self) -> list[ErrorCurve]:
        """The curves at the algorithm's alpha, beta rising."""
        return [c for c in self._meter.curves() if c.alpha == self.own[0]]

    def spread(self, bins: int = 30) -> ErrorSpread:
        """The last model's errors at the algorithm's own sharpness."""
        row = self._meter.latest[self._meter.settings.index(self.own)]
        return spread(row, bins)


def spread(errors: NDArray[np.float64], bins: int = 30) -> ErrorSpread:
    """How errors are spread; NaN are queries that do not count."""
    counted = errors[~np.isnan(errors)]
    if not len(counted):
        nothing = np.zeros(bins, dtype=np.int64)
        nan = float("nan")
        return ErrorSpread(np.linspace(0.0, 1.0, bins + 1), nothing, nan, nan, nan)
    top = max(float(counted.max()), 1e-9)
    counts, edges = np.histogram(counted, bins, (0.0, top))
    return ErrorSpread(
        edges,
        counts.astype(np.int64),
        float(counted.mean()),
        float(np.median(counted)),
        float(counted.max()),
    )
