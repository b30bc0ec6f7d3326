"""The error of a smooth measure at each iteration of its training.

As in figures 1 and 2 of T. Qin, T.-Y. Liu, H. Li, *A general approximation framework
for direct optimization of information retrieval measures*, Information Retrieval
13:375-397, 2010: a model is trained for each sharpness of positions and each sharpness
of the measure's conditions on them, and measured at its own.
"""

import math
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankcore import measures
from rankcore.algorithms.parts.scoring import linear_scores
from rankcore.base.arrays import Floats, Integers
from rankcore.base.numbers import all_of, percent
from rankcore.data.dataset import RankingDataset
from rankcore.studies import Findings, Progress, Study
from rankcore.topics.approximation.approximate_list import measure_name
from rankcore.topics.approximation.bounds import exact_values
from rankcore.training import Record, Stop, drive

if TYPE_CHECKING:
    from rankcore.algorithms import Approximation


# The paper tunes over 50, 100, ..., 300 and these betas; its figures draw three alphas,
# of which the text names 100. At 10 the error is large enough to be visible.
ALPHAS = (10.0, 50.0, 100.0, 200.0, 300.0)
BETAS = (1.0, 10.0, 20.0, 50.0, 100.0)


class ErrorCurve(NamedTuple):
    """The error of a smooth measure along a run.

    Attributes
    ----------
    iterations : (m,) int64
    error : (m,) float64
        Mean over the queries with relevant documents: the paper's rho.
    flat : (m,) float64
        Share of these queries whose gradient has vanished.
    """

    alpha: float
    beta: float
    iterations: Integers
    error: Floats
    flat: Floats

    def rows(self) -> list[dict[str, float]]:
        """Return the curve as a table: one row per iteration, columns by name."""
        return [
            {
                "alpha": self.alpha,
                "beta": self.beta,
                "iteration": int(iteration),
                "mean error": float(error),
                "queries without gradient": float(flat),
            }
            for iteration, error, flat in zip(
                self.iterations, self.error, self.flat, strict=True
            )
        ]


class ErrorSpread(NamedTuple):
    """The distribution of the errors over queries.

    Attributes
    ----------
    edges : (b + 1,) float64
    counts : (b,) int64
        Queries between each two edges.
    mean, median, largest : float
        NaN without queries.
    """

    edges: Floats
    counts: Integers
    mean: float
    median: float
    largest: float


def sharpened(algorithm: "Approximation", alpha: float, beta: float) -> "Approximation":
    """Return the algorithm with another sharpness, and the same seed and start."""
    from sklearn.base import clone

    return clone(algorithm).set_params(alpha=float(alpha), beta=float(beta))


def minds_beta(algorithm: "Approximation", dataset: RankingDataset) -> bool:
    """Whether an algorithm's objective depends on beta."""
    scores = np.linspace(0.0, 1.0, dataset.n_documents)
    soft, sharp = (
        sharpened(algorithm, 1.0, beta).surrogate(dataset).at(scores).values
        for beta in (1.0, 10.0)
    )
    return not np.array_equal(soft, sharp, equal_nan=True)


def sharpness_name(alpha: float, beta: float) -> str:
    """Return the name of a run, by its sharpness."""
    return f"α = {alpha:g}, β = {beta:g}"


def promise_text(max_iterations: int) -> str:
    """Return the plan of `sharpness_study` at the paper's sharpnesses, as sentences."""
    alphas, betas = (", ".join(f"{n:g}" for n in row) for row in (ALPHAS, BETAS))
    return (
        f"A run of at most {max_iterations} iterations at each of α = {alphas} and, "
        f"where it plays a part, of β = {betas} (the paper's). All begin at the same "
        "start. After each iteration, the error of each run's surrogate is measured at "
        "its own α and β."
    )


class ErrorMeter:
    """Measures successive models at an algorithm's own sharpness.

    Attributes
    ----------
    alpha, beta : float
    iterations : list of int
        Iterations of the models measured so far.
    latest : (q,) float64
        The last model's error of each query; NaN without relevant documents, and before
        the first model.
    reason : str or None
        Why training ended, as a sentence; None while it goes on.
    """

    def __init__(self, algorithm: "Approximation", dataset: RankingDataset) -> None:

        params = algorithm.get_params()
        self.alpha, self.beta = float(params["alpha"]), float(params["beta"])
        self.iterations: list[int] = []
        self.latest = np.full(dataset.n_queries, math.nan)
        self.reason: str | None = None
        self._algorithm, self._dataset = algorithm, dataset
        self._surrogate = algorithm.surrogate(dataset)
        self._means: list[tuple[float, float]] = []

    def measure(self, record: Record) -> None:
        """Measure a linear model."""
        data = self._dataset
        scores = linear_scores(data.X, record.coef)
        ranks = measures.exact_ranks(scores, data.offsets)
        values = self._surrogate.at(scores)
        self.latest = np.abs(values.values - exact_values(self._algorithm, data, ranks))
        counted = self.latest[~np.isnan(self.latest)]
        self._means.append(
            (float(counted.mean()), values.n_vanished / len(counted))
            if len(counted)
            else (math.nan, math.nan)
        )
        # Written last, so that another thread then finds all means.
        self.iterations.append(record.iteration)

    def curve(self) -> ErrorCurve:
        """Return the results so far."""
        iterations = np.array(self.iterations, dtype=np.int64)
        means = np.array(self._means[: len(iterations)]).reshape(-1, 2)
        return ErrorCurve(self.alpha, self.beta, iterations, means[:, 0], means[:, 1])

    @property
    def vanished_share(self) -> float:
        """The share of the queries in which the last model has no gradient."""
        return self._means[-1][1] if self.iterations else math.nan

    def spread(self, bins: int = 30) -> ErrorSpread:
        """Return the distribution of the last model's errors over the queries."""
        return spread(self.latest, bins)


@dataclass(frozen=True)
class SharpnessSubject:
    """The subject of `sharpness_study`.

    Attributes
    ----------
    chosen : (float, float)
        The algorithm's alpha and beta.
    measure : str
        The measure that the algorithm approximates.
    max_iterations : int
        Maximum number per run.
    runs : dict of (float, float) to ErrorMeter
        The runs by alpha and beta, in rising order. All are measured during training,
        and may be read meanwhile.
    """

    chosen: tuple[float, float]
    measure: str
    max_iterations: int
    runs: Mapping[tuple[float, float], ErrorMeter]

    @property
    def share(self) -> float:
        """The finished share of the iterations, including those of ended runs."""
        shares = [
            1.0 if run.reason else len(run.iterations) / (self.max_iterations + 1)
            for run in self.runs.values()
        ]
        return float(np.mean(shares))

    @property
    def last(self) -> int:
        """The end of an axis of iterations: that of the longest run once all have
        ended, otherwise the limit."""
        if any(run.reason is None for run in self.runs.values()):
            return self.max_iterations
        return max(run.iterations[-1] for run in self.runs.values())

    def vanished_text(self, run: ErrorMeter) -> str:
        """Return the effect of vanished gradients on an ended run; empty if none
        vanished."""
        share, name = run.vanished_share, f"α = {run.alpha:g}"
        if run.reason is None or not share > 0.0:
            return ""
        if share <= 0.5:
            return (
                f"At {name} the gradient has vanished in {percent(share)} of the "
                "queries, which no longer change the model; the others still do."
            )
        gentler = [
            other.alpha
            for other in self.runs.values()
            if other.alpha < run.alpha and other.vanished_share <= 0.5
        ]
        advice = f", such as {max(gentler):g}" if gentler else ""
        return (
            f"At {name} the gradient has vanished in {percent(share)} of the queries, "
            "so training may have ended on a plateau that is no maximum. Choose a "
            f"smaller α{advice}."
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return the curves of all runs as a table, with the measure."""
        curves = [run.curve() for run in self.runs.values()]
        return [{"measure": self.measure, **row} for c in curves for row in c.rows()]

    def names(self) -> dict[str, str]:
        """Return the runs' names by alpha and beta, written ``100/50``; the selected
        one is ``""``."""
        return {
            "" if pair == self.chosen else "{:g}/{:g}".format(*pair): sharpness_name(
                *pair
            )
            for pair in self.runs
        }

    def by_alpha(self) -> list[ErrorCurve]:
        """Return the curves at the algorithm's beta, alpha rising."""
        return [r.curve() for r in self.runs.values() if r.beta == self.chosen[1]]

    def by_beta(self) -> list[ErrorCurve]:
        """Return the curves at the algorithm's alpha, beta rising."""
        return [r.curve() for r in self.runs.values() if r.alpha == self.chosen[0]]


def sharpness_study(
    algorithm: "Approximation",
    dataset: RankingDataset,
    max_iterations: int,
    alphas: Sequence[float] = ALPHAS,
    betas: Sequence[float] = BETAS,
) -> Study:
    """Yield a training run for each sharpness, measured at its own.

    The runs have the same start and seed, and take turns by one iteration.

    Parameters
    ----------
    algorithm : Approximation
        Determines the measure and the optimiser.
    dataset : RankingDataset
        Data to train and measure on.
    max_iterations : int
        Maximum number per run.
    alphas, betas : sequence of float
        Each alpha is trained with the algorithm's beta and each beta, where it plays a
        part, with the algorithm's alpha, which are both added. If both are empty, only
        the algorithm's own sharpness is trained.

    Returns
    -------
    Study
        It finds the `ErrorCurve` of each ended run; its subject is a
        `SharpnessSubject`, which shows the runs earlier.
    """
    params = algorithm.get_params()
    chosen = alpha, beta = float(params["alpha"]), float(params["beta"])
    pairs = {chosen, *((float(a), beta) for a in alphas)}
    if minds_beta(algorithm, dataset):
        pairs |= {(alpha, float(b)) for b in betas}
    trained = {pair: sharpened(algorithm, *pair) for pair in sorted(pairs)}
    meters = {pair: ErrorMeter(one, dataset) for pair, one in trained.items()}
    measure = measure_name(algorithm, dataset)
    subject = SharpnessSubject(chosen, measure, max_iterations, meters)
    stop = Stop(max_iterations=max_iterations)
    runs = {
        pair: drive(one, dataset, stop=stop, measures=())
        for pair, one in trained.items()
    }

    def coming() -> Findings:
        waiting = deque(runs)
        with ExitStack() as opened:
            for run in runs.values():
                opened.enter_context(closing(run))
            while waiting:
                pair = waiting.popleft()
                run, meter = runs[pair], meters[pair]
                record = next(run, None)
                if record is not None:
                    meter.measure(record)
                    waiting.append(pair)
                meter.reason = run.reason
                yield Progress(share=subject.share)
                yield meter.curve() if record is None else record
        return f"{all_of(len(runs), 'runs', 'have')} ended."

    return Study(coming(), len(meters), "runs", subject)


def spread(errors: Floats, bins: int = 30) -> ErrorSpread:
    """Return the distribution of errors; NaN marks queries that do not count."""
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
