"""The error of a smooth measure while models are trained on it, found pass by pass.

As in figures 1 and 2 of T. Qin, T.-Y. Liu, H. Li, *A general approximation framework
for direct optimization of information retrieval measures*, Information Retrieval
13:375-397, 2010: a model is trained for each sharpness of positions and for each of
what the measure asks of them, and measured at its own.
"""

import itertools
import math
from collections import deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from rankcore import measures
from rankcore.dataset import RankingDataset
from rankcore.insight.approximation import exact_values
from rankcore.training import History, Record, Stop, drive

if TYPE_CHECKING:
    from rankcore.algorithms import Approximation

Floats = NDArray[np.float64]

# The paper tunes over 50, 100, ..., 300 and these betas; its figures draw three alphas,
# of which the text names 100. At 10 the error is large enough to be seen.
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
    """The mean error rho after the passes of one run, measured at several sharpnesses.

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
    chosen = np.unique(np.linspace(0, len(history) - 1, most).astype(np.int64))
    curves = []
    for alpha, beta in itertools.product(alphas, betas):
        meter = ErrorMeter(sharpened(algorithm, alpha, beta), dataset)
        for place in chosen:
            meter.measure(history[place])
        curves.append(meter.curve())
    return curves


def sharpened(algorithm: "Approximation", alpha: float, beta: float) -> "Approximation":
    """The same algorithm of other sharpness; its seed, and so its start, stays."""
    from sklearn.base import clone

    return clone(algorithm).set_params(alpha=float(alpha), beta=float(beta))


def minds_beta(algorithm: "Approximation", dataset: RankingDataset) -> bool:
    """Whether beta plays a part in what an algorithm maximises."""
    scores = np.linspace(0.0, 1.0, dataset.n_documents)
    soft, sharp = (
        sharpened(algorithm, 1.0, beta).surrogate(dataset).at(scores).values
        for beta in (1.0, 10.0)
    )
    return not np.array_equal(soft, sharp, equal_nan=True)


class ErrorMeter:
    """Measures one model after the other at an algorithm's own sharpness.

    Parameters
    ----------
    algorithm : Approximation
    dataset : RankingDataset

    Attributes
    ----------
    iterations : list of int
        Of the models measured so far.
    latest : (q,) float64
        The last model's error of each query; NaN without relevant documents, and before
        the first model.
    """

    def __init__(self, algorithm: "Approximation", dataset: RankingDataset) -> None:

        self.iterations: list[int] = []
        self.latest = np.full(dataset.n_queries, math.nan)
        self._algorithm, self._dataset = algorithm, dataset
        self._surrogate = algorithm.surrogate(dataset)
        self._means: list[tuple[float, float]] = []

    def measure(self, record: Record) -> None:
        """Measure a linear model."""
        data = self._dataset
        scores = data.X @ record.coef
        ranks = measures.exact_ranks(scores, data.offsets)
        found = self._surrogate.at(scores)
        self.latest = np.abs(found.values - exact_values(self._algorithm, data, ranks))
        counted = self.latest[~np.isnan(self.latest)]
        self._means.append(
            (float(counted.mean()), found.n_vanished / len(counted))
            if len(counted)
            else (math.nan, math.nan)
        )
        # Written last: whoever reads from another thread finds all the means.
        self.iterations.append(record.iteration)

    def curve(self) -> ErrorCurve:
        """What was found so far."""
        iterations = np.array(self.iterations, dtype=np.int64)
        means = np.array(self._means[: len(iterations)]).reshape(-1, 2)
        alpha, beta = float(self._algorithm.alpha), float(self._algorithm.beta)
        return ErrorCurve(alpha, beta, iterations, means[:, 0], means[:, 1])


class ErrorsRun(Iterator[Record]):
    """A model that is trained and, after each pass, measured at its own sharpness.

    Parameters
    ----------
    algorithm : Approximation
    dataset : RankingDataset
        What it is trained and measured on.
    passes : int
        At most so many.

    Attributes
    ----------
    alpha, beta : float
    reason : str or None
        Why it ended, as a sentence; None while it has not.
    """

    def __init__(
        self, algorithm: "Approximation", dataset: RankingDataset, passes: int
    ) -> None:
        self.alpha, self.beta = float(algorithm.alpha), float(algorithm.beta)
        self._meter = ErrorMeter(algorithm, dataset)
        self._run = drive(
            algorithm, dataset, stop=Stop(max_iterations=passes), measures=()
        )

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Record:
        record = next(self._run)
        self._meter.measure(record)
        return record

    @property
    def reason(self) -> str | None:
        return self._run.reason

    def close(self) -> None:
        """Take no further pass; what is measured stays."""
        self._run.close()

    def curve(self) -> ErrorCurve:
        """The errors so far."""
        return self._meter.curve()

    def spread(self, bins: int = 30) -> ErrorSpread:
        """How the last model's errors are spread over the queries."""
        return spread(self._meter.latest, bins)


class SharpnessStudy(Iterator[Record]):
    """A training run for each sharpness, a pass of each in turn, as a job takes them.

    All begin at one start, with one seed.

    Parameters
    ----------
    algorithm : Approximation
        Says which measure and how it is climbed.
    dataset : RankingDataset
        What is trained and measured on.
    passes : int
        Of each run, at most.
    alphas, betas : sequence of float
        Each alpha is trained with the algorithm's beta and each beta, where it plays a
        part, with the algorithm's alpha, which are both added.

    Attributes
    ----------
    own : (float, float)
        The algorithm's alpha and beta.
    runs : dict
        The runs by alpha and beta, rising.
    passes : int
    reason : str or None
        Why it ended, as a sentence; None while it has not.
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
        self.reason: str | None = None
        self.own = alpha, beta = float(algorithm.alpha), float(algorithm.beta)
        settings = {self.own, *((float(a), beta) for a in alphas)}
        if minds_beta(algorithm, dataset):
            settings |= {(alpha, float(b)) for b in betas}
        self.runs = {
            pair: ErrorsRun(sharpened(algorithm, *pair), dataset, passes)
            for pair in sorted(settings)
        }
        self._waiting = deque(self.runs.values())

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Record:
        while self._waiting:
            run = self._waiting.popleft()
            record = next(run, None)
            if record is not None:
                self._waiting.append(run)
                return record
        self.reason = f"All {len(self.runs)} runs have ended."
        raise StopIteration

    def close(self) -> None:
        """Take no further pass; what is measured stays."""
        for run in self.runs.values():
            run.close()

    @property
    def done(self) -> float:
        """The share of the passes that have been made, those of ended runs included."""
        made = [
            1.0 if run.reason else len(run.curve().iterations) / (self.passes + 1)
            for run in self.runs.values()
        ]
        return float(np.mean(made))

    def by_alpha(self) -> list[ErrorCurve]:
        """The curves at the algorithm's beta, alpha rising."""
        return [r.curve() for r in self.runs.values() if r.beta == self.own[1]]

    def by_beta(self) -> list[ErrorCurve]:
        """The curves at the algorithm's alpha, beta rising."""
        return [r.curve() for r in self.runs.values() if r.alpha == self.own[0]]


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
