"""Optima found from random starts: how many differ, and the value of the best of k.

The closer a smooth measure follows the exact one, the more hills it has, with flat
plains between them. A climb then ends on the hill where it started, or does not move,
and only many starts make it likely that one of them reaches a good hill. T. Qin, T.-Y.
Liu, H. Li, *A general approximation framework for direct optimization of information
retrieval measures*, Information Retrieval 13:375-397, 2010, compare one start with a
hundred in their Table 5.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankcore import measures
from rankcore.algorithms.parts.scoring import linear_scores
from rankcore.base.arrays import Floats
from rankcore.base.numbers import all_of, counted, percent
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.angles import cos
from rankcore.mathematics.products import dot, times_vector
from rankcore.studies import Findings, Progress, Study
from rankcore.studies.restarts import restarts
from rankcore.studies.results import Cell, Result
from rankcore.training import Record, Run

if TYPE_CHECKING:
    from rankcore.algorithms import Approximation


SAME_DEGREES = 1.0
RELEVANT_ONLY = measures.Rules(empty="skip")


@dataclass(frozen=True, eq=False, kw_only=True)
class EndPoint(Result):
    """The best model of one restart.

    Its objective is the smooth measure, the only one that training sees; its measure is
    the exact one on the training data, over the queries with relevant documents.

    Attributes
    ----------
    start : (d,) float64
        The starting point.
    flat : float
        Share of the queries whose gradient has vanished at the model.
    """

    start: Floats
    flat: float

    @property
    def alpha(self) -> float:
        """The sharpness."""
        return float(self.settings["alpha"])

    @property
    def exact(self) -> float:
        """The measure."""
        return next(iter(self.train.values()))


class Outcome(NamedTuple):
    """The results of the restarts at one sharpness.

    Attributes
    ----------
    distinct : int
        Number of directions in which they ended, one per degree.
    mean, deviation : float
        Mean of the measure at the end points, the expected value of one start, and its
        sample standard deviation (NaN with a single restart).
    median, lowest, highest : float
        Quantiles of the measure at the end points.
    best : float
        The measure at the end point with the best surrogate, which training keeps.
    stayed : float
        Share of restarts that ended within a degree of where they began.
    expected : (restarts,) float64
        The measure to expect from 1, 2, … restarts when the best surrogate is kept.
    varies : (restarts,) float64
        Its standard deviation; see `deviation_of_best`.
    """

    alpha: float
    restarts: int
    distinct: int
    mean: float
    deviation: float
    median: float
    lowest: float
    highest: float
    best: float
    stayed: float
    expected: Floats
    varies: Floats


@dataclass(frozen=True)
class RestartSubject:
    """The subject of `restart_study`.

    Attributes
    ----------
    measure : str
        Measure of the end points.
    """

    learner: "Approximation"
    dataset: RankingDataset
    alphas: tuple[float, ...]
    measure: str


def restart_study(
    learner: "Approximation",
    dataset: RankingDataset,
    alphas: Sequence[float],
    count: int,
    measure: str | None = None,
    rules: measures.Rules = RELEVANT_ONLY,
) -> Study:
    """Restarts at several sharpnesses, one whole restart per iteration.

    Each start is used at every sharpness before the next start.

    Parameters
    ----------
    learner : Approximation
        Its ``alpha`` and ``n_restarts`` are ignored; its ``random_state`` determines
        all starts, which are the same at every sharpness.
    count : int
        Restarts at each sharpness.
    measure : str, optional
        Measure of the end points; by default the measure that the learner smooths.
    rules : Rules
        Evaluation rules; by default queries without relevant documents are left out.

    Returns
    -------
    Study
        It finds an `EndPoint` per restart; its subject is a `RestartSubject`.
    """
    measured_by = measure or learner.measure(dataset)
    different = tuple(dict.fromkeys(float(alpha) for alpha in alphas))
    subject = RestartSubject(learner, dataset, different, measured_by)
    total = len(subject.alphas) * count

    def coming() -> Findings:
        settings = learner.get_params()
        runs = {
            alpha: restarts(
                type(learner)(**{**settings, "alpha": alpha}),
                dataset,
                count=count,
                measures=(),
            )
            for alpha in subject.alphas
        }
        points = []
        for _ in range(count):
            for alpha, each in runs.items():
                run = next(each)
                best = max(run.history.records, key=lambda one: one.objective)
                points.append(_end_point(alpha, run, best, dataset, measured_by, rules))
                yield points[-1]
                yield Progress(time_left(seconds_left(points, total)))
                yield best
        return f"{all_of(total, 'restarts', 'have')} ended."

    return Study(coming(), total, "restarts", subject)


def promise_text(alphas: Sequence[float], count: int) -> str:
    """Return the plan of `restart_study`, as sentences."""
    listed = ", ".join(f"{alpha:g}" for alpha in alphas)
    return (
        f"{counted(count, 'restarts')} at each of α = {listed}, on the models and "
        "queries of the figures. End points appear as they are found."
    )


def seconds_left(points: Sequence[EndPoint], total: int) -> float | None:
    """Estimated time left of ``total`` restarts; None without a finished one."""
    if not points:
        return None
    spent = sum(point.seconds for point in points)
    return spent / len(points) * (total - len(points))


def time_left(seconds: float | None) -> str:
    """Return the time left as a phrase; empty if it is unknown."""
    if not seconds:
        return ""
    time = f"{seconds:.0f} s" if seconds < 90.0 else f"{seconds / 60.0:.0f} min"
    return f"about {time} left"


def _end_point(
    alpha: float,
    run: Run,
    best: Record,
    dataset: RankingDataset,
    measure: str,
    rules: measures.Rules,
) -> EndPoint:
    scores = linear_scores(dataset.X, best.coef)
    last = run.history[len(run.history) - 1]
    return EndPoint(
        Cell((("alpha", alpha),), "", run.algorithm.random_state or 0),
        iterations=last.iteration,
        iteration=best.iteration,
        seconds=last.seconds,
        objective=best.objective,
        nonzeros=best.nonzeros,
        train=measures.means(dataset, scores, measure, *rules),
        coef=best.coef,
        start=run.history[0].coef,
        flat=best.diagnostics["flat queries"],
    )


def outcomes(points: Sequence[EndPoint]) -> list[Outcome]:
    """Return the results of the restarts at each sharpness, smallest first."""
    by_alpha: dict[float, list[EndPoint]] = {}
    for point in points:
        by_alpha.setdefault(point.alpha, []).append(point)
    return [_outcome(alpha, by_alpha[alpha]) for alpha in sorted(by_alpha)]


def outcome_table(outcomes: Sequence[Outcome], measure: str) -> list[dict[str, str]]:
    """Return the outcome of the restarts as text, a row for each sharpness.

    Parameters
    ----------
    measure : str
        The measure of the end points.
    """
    return [
        {
            "α": f"{outcome.alpha:g}",
            "restarts": f"{outcome.restarts}",
            "different end points": f"{outcome.distinct}",
            f"median {measure}": f"{outcome.median:.3f}",
            f"{measure} kept": f"{outcome.best:.3f}",
            f"best {measure}": f"{outcome.highest:.3f}",
            "ended where it began": percent(outcome.stayed),
        }
        for outcome in outcomes
    ]


def distinct_directions(models: ArrayLike) -> int:
    """Return the number of distinct directions of models (m, d).
    Each model joins the first direction found before that is close enough."""
    w = np.asarray(models, dtype=np.float64)
    lengths = np.sqrt((w**2).sum(axis=1))
    distinct: list[Floats] = []
    least = float(cos(math.radians(SAME_DEGREES)))
    for unit in w / np.where(lengths > 0.0, lengths, 1.0)[:, None]:
        if not any(dot(unit, other) >= least for other in distinct):
            distinct.append(unit)
    return len(distinct)


def expected_best(judged_by: ArrayLike, values: ArrayLike) -> Floats:
    """Return the expected value of the best of 1, 2, …, m, drawn without replacement.

    The best of k is the r-th smallest of m with probability C(r - 1, k - 1) / C(m, k).

    Parameters
    ----------
    judged_by : (m,) float64
        The values that decide which is best.
    values : (m,) float64
        The values to expect of the best.
    """
    worth = _in_order(judged_by, values)
    return times_vector(_chances(len(worth)), worth)


def deviation_of_best(judged_by: ArrayLike, values: ArrayLike) -> Floats:
    """Return the standard deviation of the value of `expected_best`.

    It is 0 for the best of all m, and means little unless k is far smaller than m,
    because larger draws overlap strongly.

    Parameters
    ----------
    judged_by, values : (m,) float64
        As in `expected_best`.
    """
    worth = _in_order(judged_by, values)
    chances = _chances(len(worth))
    apart = worth[None, :] - times_vector(chances, worth)[:, None]
    return np.sqrt((chances * apart**2).sum(axis=1))


def _in_order(judged_by: ArrayLike, values: ArrayLike) -> Floats:
    """Values, in rising order of ``judged_by``."""
    order = np.argsort(np.asarray(judged_by), kind="stable")
    return np.asarray(values, dtype=np.float64)[order]


@lru_cache(maxsize=8)
def _chances(m: int) -> Floats:
    """(m, m) probabilities that the best of k = 1, 2, … of m is the r-th smallest."""
    return np.array(
        [
            [math.comb(r, k - 1) / math.comb(m, k) for r in range(m)]
            for k in range(1, m + 1)
        ]
    )


def _outcome(alpha: float, points: Sequence[EndPoint]) -> Outcome:
    exact = np.array([point.exact for point in points])
    surrogate = np.array([point.objective for point in points])
    ways = [distinct_directions([point.start, point.coef]) for point in points]
    return Outcome(
        alpha=alpha,
        restarts=len(points),
        distinct=distinct_directions([point.coef for point in points]),
        mean=float(exact.mean()),
        deviation=float(exact.std(ddof=1)) if len(exact) > 1 else math.nan,
        median=float(np.median(exact)),
        lowest=float(exact.min()),
        highest=float(exact.max()),
        best=float(exact[np.argmax(surrogate)]),
        stayed=float(np.mean(np.equal(ways, 1))),
        expected=expected_best(surrogate, exact),
        varies=deviation_of_best(surrogate, exact),
    )


def nearest_sharpness(points: Sequence[EndPoint], alpha: float) -> float:
    """Return the sharpness among those of end points, at least one, that is nearest to
    ``alpha`` in ratio."""
    sharpnesses = sorted({point.alpha for point in points})
    return min(sharpnesses, key=lambda other: max(other / alpha, alpha / other))


def at_nearest(points: Sequence[EndPoint], alpha: float) -> list[EndPoint]:
    """Return the end points at the `nearest_sharpness`; empty if there are none."""
    nearest = nearest_sharpness(points, alpha) if points else alpha
    return [point for point in points if point.alpha == nearest]
