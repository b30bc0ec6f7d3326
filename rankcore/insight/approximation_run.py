"""The error of a smooth measure while a model is trained, found pass by pass.

As in figures 1 and 2 of T. Qin, T.-Y. Liu, H. Li, *A general approximation framework
for direct optimization of information retrieval measures*, Information Retrieval
13:375-397, 2010: one run, measured at several sharpnesses of positions and at several
of what the measure asks of them.
"""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from rankcore import measures
from rankcore.dataset import RankingDataset
from rankcore.insight.approximation import exact_values
from rankcore.training import History, Record, Stop, drive

if TYPE_CHECKING:
    from rankcore.algorithms._approximation import Approximation

Floats = NDArray[np.float64]

# The paper's.
ALPHAS = (10.0, 50.0, 100.0, 200.0, 300.0)
BETAS = (1.0, 10.0, 20.0, 50.0, 100.0)


class ErrorCurve(NamedTuple):
    """The error of a smooth measure along a run.

    Attributes
    ----------
    alpha, beta : float
    iterations : (m,) int64
    error : (m,) float64
        Mean over the queries with relevant documents: the paper's rho.
    flat : (m,) float64
        Share of these queries whose gradient has vanished.
    """

    alpha: float
    beta: float
    iterations: NDArray[np.int64]
    error: Floats
    flat: Floats


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

    edges: Floats
    counts: NDArray[np.int64]
    mean: float
    median: float
    largest: float


def errors_along(
    history: History,
    algorithm: "Approximation",
    dataset: RankingDataset,
    alphas: Sequence[float],
    betas: Sequence[float],
    most: int = 100,
) -> list[ErrorCurve]:
    """The mean error rho after the passes of a run, at several sharpnesses.

    Parameters
    ----------
    history : History
        Of a linear model, trained by whatever algorithm.
    algorithm : Approximation
        Says which measure; its own alpha and beta do not count.
    dataset : RankingDataset
        What to measure on, for example the training data.
    alphas, betas : sequences of float
        Each of one is combined with each of the other.
    most : int
        Records looked at, evenly spread, at most.

    Returns
    -------
    list of ErrorCurve
        One for each alpha and beta, beta changing fastest.
    """
    settings = [(alpha, beta) for alpha in alphas for beta in betas]
    meter = ErrorMeter(algorithm, dataset, settings)
    chosen = np.unique(np.linspace(0, len(history) - 1, most).astype(np.int64))
    for place in chosen:
        meter.measure(history[place])
    return meter.curves()


class ErrorMeter:
    """Measures one model after the other at several sharpnesses.

    Parameters
    ----------
    algorithm : Approximation
        Says which measure; its own alpha and beta do not count.
    dataset : RankingDataset
    settings : sequence of (float, float)
        Each alpha and beta.

    Attributes
    ----------
    settings : list of (float, float)
    iterations : list of int
        Of the models measured so far.
    latest : (s, q) float64
        The last model's error of each query at each setting; NaN without relevant
        documents, and before the first model.
    """

    def __init__(
        self,
        algorithm: "Approximation",
        dataset: RankingDataset,
        settings: Sequence[tuple[float, float]],
    ) -> None:
        from sklearn.base import clone

        from rankcore.algorithms._surrogate import Surrogate

        self.settings = [(float(alpha), float(beta)) for alpha, beta in settings]
        self.iterations: list[int] = []
        self.latest = np.full((len(self.settings), dataset.n_queries), math.nan)
        self._algorithm, self._dataset = algorithm, dataset
        self._surrogates = [
            Surrogate(clone(algorithm).set_params(alpha=alpha, beta=beta), dataset)
            for alpha, beta in self.settings
        ]
        self._means: list[Floats] = []

    def measure(self, record: Record) -> None:
        """Measure a linear model."""
        data = self._dataset
        scores = data.X @ record.coef
        ranks = measures.exact_ranks(scores, data.offsets)
        exact = exact_values(self._algorithm, data, ranks)
        errors = np.empty_like(self.latest)
        means = np.full((2, len(self.settings)), math.nan)
        for row, surrogate in enumerate(self._surrogates):
            found = surrogate.at(scores)
            errors[row] = np.abs(found.values - exact)
            counted = errors[row][~np.isnan(errors[row])]
            if len(counted):
                means[:, row] = counted.mean(), found.flat / len(counted)
        self._means.append(means)
        self.latest = errors
        # Written last: whoever reads from another thread finds all the means.
        self.iterations.append(record.iteration)

    def curves(self) -> list[ErrorCurve]:
        """What was found so far, a curve a setting."""
        iterations = np.array(self.iterations, dtype=np.int64)
        means = self._means[: len(iterations)]
        found = np.array(means).reshape(len(means), 2, len(self.settings))
        return [
            ErrorCurve(alpha, beta, iterations, found[:, 0, i], found[:, 1, i])
            for i, (alpha, beta) in enumerate(self.settings)
        ]


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


def spread(errors: Floats, bins: int = 30) -> ErrorSpread:
    """How errors are spread; NaN are queries that do not count."""
    counted = errors[~np.isnan(errors)]
    if not len(counted):
        nothing = np.zeros(bins, dtype=np.int64)
        edges = np.linspace(0.0, 1.0, bins + 1)
        return ErrorSpread(edges, nothing, math.nan, math.nan, math.nan)
    top = max(float(counted.max()), 1e-9)
    counts, edges = np.histogram(counted, bins, (0.0, top))
    return ErrorSpread(
        edges,
        counts.astype(np.int64),
        float(counted.mean()),
        float(np.median(counted)),
        float(counted.max()),
    )
