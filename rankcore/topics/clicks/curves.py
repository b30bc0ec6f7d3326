"""Quality of models learnt from clicks, as sessions arrive.

At each of a few numbers of sessions, and for several users' seeds, the same learner is
trained on clicks that all count alike and on clicks weighted by 1/propensity; and once
on the true labels, which is full information. Each uses the C that is best on the
validation data's true labels.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from rankcore.base.arrays import Floats
from rankcore.base.errors import DataError
from rankcore.base.numbers import counted, percent
from rankcore.data.catalogue import Splits
from rankcore.data.clicks import ClickLog
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.products import times_vector
from rankcore.studies import Findings, Progress, Study
from rankcore.topics.clicks.evaluation import effective_clicks
from rankcore.topics.clicks.examination import (
    ExaminationEstimate,
    by_regression,
    by_swaps,
)
from rankcore.topics.clicks.learning import (
    MEASURE,
    PENALTIES,
    best_of,
    click_weights,
    learn,
    quality,
)
from rankcore.topics.clicks.simulation import ClickBehaviour, ClickSimulation, relevant
from rankcore.training import Record

TOLERANCE = 1e-2
SEEDS = 3
# The exponent of wrong propensities.
ASSUMED = 2.0
# Numbers of sessions at which models are trained.
SESSIONS = (
    40, 63, 100, 160, 250, 400, 630, 1_000, 1_600, 2_500, 4_000, 6_300, 10_000, 16_000,
    25_000,
)  # fmt: skip
# Documents count as relevant from the lowest grade that at most this share reaches,
# otherwise from the highest.
RELEVANT_SHARE = 0.2
# Number of judged queries from which the weak model learns.
WEAK_QUERIES = 3

CONDITIONS = (
    "nDCG cannot be computed from clicks, because its ideal order is unknown: here the "
    "true labels of the data measure it, and choose C from "
    f"{', '.join(f'{C:g}' for C in PENALTIES)} on validation data."
)

_SWAPS = (
    "Line: true. Dots: estimated from an equal number of further sessions with random "
    "swaps, with 95% intervals."
)
EXAMINED = {
    "true": _SWAPS,
    "swaps": f"{_SWAPS} Clicks are weighted by the estimate.",
    "regression": "Line: true. Dots: estimated by EM from the same clicks, with 95% "
    "intervals without its bias. Clicks are weighted by the estimate.",
    "wrong": f"{_SWAPS} Dashed: used as weights of clicks.",
}

Logger = Literal["arbitrary order", "weak model", "one feature"]
Source = Literal["true", "swaps", "regression", "wrong"]
Method = Literal["labels", "naive", "weighted"]


@dataclass(frozen=True, eq=False)
class CurvePlan:
    """A simulation of clicks, and the settings for learning from it.

    Attributes
    ----------
    splits : Splits
        Users search its training queries.
    sessions : int
        The largest number of sessions, one of `SESSIONS`.
    shown : int
        Number of documents shown in a list.
    logger : {"arbitrary order", "weak model", "one feature"}
        The ranker that orders the lists.
    feature : int
        The number of the feature that orders the lists.
    source : {"true", "swaps", "regression", "wrong"}
        Source of propensities.
    assumed : float
        The exponent eta of wrong propensities.
    clip : float
        Lower limit of propensities.
    seed : int
        Seed of the first users; the others have the next seeds.
    """

    splits: Splits
    behaviour: ClickBehaviour = field(default_factory=ClickBehaviour)
    sessions: int = 10_000
    shown: int = 50
    logger: Logger = "arbitrary order"
    feature: int = 0
    source: Source = "true"
    assumed: float = ASSUMED
    clip: float = 0.0
    seed: int = 0

    @property
    def valid(self) -> RankingDataset:
        """The data that select C."""
        return self.splits.train if self.splits.valid is None else self.splits.valid

    @property
    def test(self) -> RankingDataset:
        """The data that evaluate models."""
        return self.valid if self.splits.test is None else self.splits.test

    @property
    def part(self) -> str:
        """The name of the evaluation data: test, validation or training."""
        if self.splits.test is not None:
            return "test"
        return "training" if self.splits.valid is None else "validation"

    @property
    def grade(self) -> int:
        """The lowest relevant label."""
        return relevant_from(self.splits.train)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of sessions at which models are trained."""
        return tuple(n for n in SESSIONS if n <= self.sessions)

    @cached_property
    def examined(self) -> Floats:
        """The true examination of positions in the first users' lists."""
        return true_examination(self.engine(0))

    def engine(self, number: int, swaps: bool = False) -> ClickSimulation:
        """Return the search engine of the users with this number, from 0."""
        train, seed = self.splits.train, self.seed + number
        scores = _logging_scores(train, self.logger, self.feature, self.grade, seed)
        return ClickSimulation(
            train,
            relevant(train, self.grade),
            (scores,),
            self.behaviour,
            min(self.shown, int(train.lengths.max())),
            swaps,
            # Sessions with swaps have separate users.
            2 * seed + swaps,
        )

    def used(self, examined: Floats, estimate: ExaminationEstimate | None) -> Floats:
        """Return the propensities that weight the clicks."""
        if self.source == "true":
            return examined
        if self.source == "wrong":
            behaviour = ClickBehaviour(severity=self.assumed, noise=0.0)
            return behaviour.examination(len(examined))
        assert estimate is not None
        return estimate.values


@dataclass(frozen=True)
class CurvePoint:
    """A model learnt from a number of sessions.

    Attributes
    ----------
    sessions : int
        Number of sessions; 0 if the model learns from labels.
    number : int
        Number of the users' seed, from 0.
    method : {"labels", "naive", "weighted"}
    quality : float or None
        Mean of the measure on test data; None if no model can be learnt.
    effective : float
        Effective number of clicks: as many of equal weight give the same variance.
    problem : str
        Why the model or the examination cannot be estimated, as a sentence.
    examination : tuple of three tuples of float
        Estimates by position, and the ends of their intervals; empty if there are none.
    """

    sessions: int
    number: int
    method: Method
    quality: float | None
    C: float = 0.0
    clicks: int = 0
    effective: float = 0.0
    problem: str = ""
    examination: tuple[tuple[float, ...], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the point for JSON; `from_json` reads it."""
        return asdict(self)

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Self:
        """Return the point that `to_json` wrote."""
        rows = tuple(map(tuple, fields["examination"]))
        return cls(**{**fields, "examination": rows})


class UnderWay(NamedTuple):
    """A model while it is learnt.

    Attributes
    ----------
    sessions, number, method, C
        As in `CurvePoint`.
    coef : (d,) float64
        Coefficients after the latest step.
    clicks : (k,) float64
        Clicks of its sessions by position, as shares of those at position 1.
    """

    sessions: int
    number: int
    method: Method
    C: float
    coef: Floats
    clicks: Floats


class SessionCurve(NamedTuple):
    """Quality against sessions.

    Attributes
    ----------
    sessions : (k,) int64
    mean, low, high : (k,) float64
        Over the users finished so far.
    """

    sessions: np.ndarray
    mean: Floats
    low: Floats
    high: Floats


class ClickCurves(NamedTuple):
    """Quality of all models learnt so far, with their estimates of examination.

    Attributes
    ----------
    full : float
        Quality with full information.
    last : CurvePoint
        The weighted model of the first users with the most sessions.
    examined : (k,) float64
        The true examination by position, 1 at the top.
    used : (k,) float64 or None
        The latest weights' propensities, if they are neither the true nor the estimated
        examination.
    leads : tuple of float
        Latest lead of weighted over naive learning, by seed.
    """

    full: float
    naive: SessionCurve
    weighted: SessionCurve
    last: CurvePoint
    examined: Floats
    used: Floats | None
    leads: tuple[float, ...] = ()

    @property
    def lines(self) -> dict[str, Floats]:
        """The true examination by position and, if different, that of weights."""
        line = {} if self.used is None else {"used": self.used}
        return {"true": self.examined, **line}

    @property
    def estimate(self) -> ExaminationEstimate | None:
        """The estimated examination; None if there is none yet."""
        rows = map(np.array, self.last.examination)
        return ExaminationEstimate(*rows) if self.last.examination else None


def relevant_from(dataset: RankingDataset) -> int:
    """Return the lowest label that at most a fifth of documents reach, or the highest
    label."""
    highest = int(dataset.y.max())
    for grade in range(1, highest):
        if float((dataset.y >= grade).mean()) <= RELEVANT_SHARE:
            return grade
    return max(highest, 1)


def true_examination(engine: ClickSimulation) -> Floats:
    """Return the probability (k,) that each position is examined, 1 at the top: from
    the users' behaviour or, if it depends on the list, the mean over queries."""
    behaviour, cutoff = engine.behaviour, engine.cutoff
    if behaviour.model == "position":
        return behaviour.examination(cutoff)
    noise = behaviour.noise + behaviour.trust / np.arange(1.0, cutoff + 1.0)
    shown = engine.tops()
    attracted = noise + (behaviour.certainty - noise) * engine.relevance[shown]
    stays = np.where(shown < 0, 0.0, 1.0 - attracted)
    reached = np.cumprod(stays, axis=2)[:, :, :-1].mean(axis=(0, 1))
    return np.append(1.0, reached)


# Called with the model under way after each of its steps.
Watch = Callable[[UnderWay], None]


class CurveStudy(Study):
    """Learning from clicks as sessions arrive; it finds a `CurvePoint` for each model.

    Its subject is the plan.

    Attributes
    ----------
    now : UnderWay or None
        The model being learnt, or the last one; None before the first.
    """

    def __init__(self, plan: CurvePlan) -> None:
        self.now: UnderWay | None = None
        total = 1 + 2 * SEEDS * len(plan.numbers)
        learnt = _learnt(plan, self._watch)
        super().__init__(learnt, total, "models", plan, doing="full information")

    def _watch(self, now: UnderWay) -> None:
        self.now = now


def _learnt(plan: CurvePlan, watch: Watch) -> Findings:
    """Learn with full information, then two models per seed and number."""
    labels = relevant(plan.splits.train, plan.grade)
    full = CurvePoint(0, 0, "labels", None, clicks=int(labels.sum()))
    yield _measured(plan, full, labels)
    yield _record(0)
    users = [_Users(plan, number, watch) for number in range(SEEDS)]
    iterations = 0
    for sessions in plan.numbers:
        for user in users:
            yield Progress(f"{sessions:,} sessions of users {user.number + 1}")
            for point in user.learnt(sessions):
                iterations += 1
                yield point
                yield _record(iterations)
    amount = counted(plan.numbers[-1], "sessions")
    return f"Complete: {amount} for each of {SEEDS} seeds of users."


def _record(iteration: int) -> Record:
    """Return the step of a study for one model."""
    return Record(iteration, 0.0, 0.0, np.zeros(0), 0)


class _Users:
    """The users of one seed: their clicks, and the models learnt from them."""

    def __init__(self, plan: CurvePlan, number: int, watch: Watch) -> None:
        self.plan, self.number, self._watch = plan, number, watch

    @cached_property
    def log(self) -> ClickLog:
        """All their sessions."""
        return self.plan.engine(self.number).log(self.plan.sessions)

    @cached_property
    def swapped(self) -> ClickLog | None:
        """As many further sessions, with random swaps; None if they are not needed."""
        plan = self.plan
        if plan.source == "regression" or (plan.source != "swaps" and self.number):
            return None
        return plan.engine(self.number, swaps=True).log(plan.sessions)

    def learnt(self, sessions: int) -> Iterator[CurvePoint]:
        """Yield the naive and the weighted model of a number of sessions."""
        plan, log = self.plan, self.log.first(sessions)
        shown = len(plan.examined)
        place = log.position[log.clicked] - 1
        at = np.bincount(place, minlength=shown) / max((place == 0).sum(), 1)
        point = CurvePoint(sessions, self.number, "naive", None, clicks=len(place))
        weights = click_weights(log, np.ones(shown))
        yield _measured(plan, point, weights, self._watch, at)
        estimate, problem = None, ""
        try:
            estimate = self._estimate(sessions)
        except DataError as error:
            problem = f"{error.problem}. {error.remedy}."
        rows = () if estimate is None else estimate.rows
        point = replace(
            point,
            method="weighted",
            problem=problem,
            examination=tuple(tuple(row.tolist()) for row in rows),
        )
        if estimate is None and plan.source in ("swaps", "regression"):
            yield point
            return
        propensities = plan.used(plan.examined, estimate)
        each = 1.0 / np.maximum(propensities[place], plan.clip)
        point = replace(point, effective=effective_clicks(each))
        weights = click_weights(log, propensities, plan.clip)
        yield _measured(plan, point, weights, self._watch, at)

    def _estimate(self, sessions: int) -> ExaminationEstimate | None:
        """Return the estimated examination; None if there is no log for it."""
        if self.plan.source != "regression":
            log = self.swapped
            return None if log is None else by_swaps(log.first(sessions))
        log = self.log.first(sessions)
        # Each document is always at the same position.
        return by_regression(log, self.plan.splits.train, relevance="features")


def _measured(
    plan: CurvePlan,
    point: CurvePoint,
    weights: Floats,
    watch: Watch | None = None,
    clicks: Floats | None = None,
) -> CurvePoint:
    """Return a point with the test quality of the C that validation chooses; ``watch``
    is called after each step."""
    train, models = plan.splits.train, []
    point_key = point.sessions, point.number, point.method
    try:
        for C in PENALTIES:

            def see(coef: Floats, C: float = C) -> None:
                if watch is not None and clicks is not None:
                    watch(UnderWay(*point_key, C, coef, clicks))

            models.append(learn(train, weights, point.clicks, C, TOLERANCE, see).coef)
    except DataError as error:
        return replace(point, problem=f"{error.problem}. {error.remedy}.")
    best = best_of(models, plan.valid)
    tested = quality(plan.test, models[best])
    return replace(point, quality=tested, C=PENALTIES[best])


def _logging_scores(
    train: RankingDataset, logger: Logger, feature: int, grade: int, seed: int
) -> Floats:
    """Return the scores by which the search engine orders documents, (n,)."""
    if logger == "one feature":
        return np.ascontiguousarray(train.X[:, min(feature, train.n_features - 1)])
    if logger == "arbitrary order":
        order = np.random.default_rng((seed, 1)).permutation(train.n_documents)
        return order.astype(np.float64)
    labels = relevant(train, grade)
    query = np.repeat(np.arange(train.n_queries), train.lengths)
    judged = np.unique(query[labels > 0.0])[:WEAK_QUERIES]
    few = train.subset(judged.tolist())
    grades = relevant(few, grade)
    return times_vector(train.X, learn(few, grades, int(grades.sum()), 1.0, 1e-2).coef)


class Moving(NamedTuple):
    """The part of a running study that its curves do not show yet.

    Attributes
    ----------
    points : sequence of CurvePoint
        Models of a number of sessions that is not complete yet.
    quality : float
        Quality of the model under way on the evaluation data.
    """

    points: Sequence[CurvePoint]
    now: UnderWay
    quality: float

    @property
    def doing(self) -> str:
        """A phrase for the model under way."""
        now = self.now
        return f"{now.method}, {now.sessions:,} sessions, users {now.number + 1}"


def moving(study: Study) -> Moving | None:
    """Return the moving part of a study; None if nothing moves."""
    now = study.now if isinstance(study, CurveStudy) else None
    if now is None or study.ended:
        return None
    points = [one for one in study.found if one.quality is not None]
    late = [one for one in points if one.sessions == now.sessions]
    return Moving(late, now, quality(study.subject.test, now.coef))


def curves(plan: CurvePlan, points: Sequence[CurvePoint]) -> ClickCurves | None:
    """Gather the curves of the points so far, in any order; None before the first
    users' weighted model.

    A number of sessions counts once all users' models exist, except the first number.
    """
    models = Counter(one.sessions for one in points)
    whole = [n for n, count in models.items() if count == 2 * SEEDS]
    if whole:
        points = [one for one in points if one.sessions in (0, *whole)]
    first = [one for one in points if one.method == "weighted" and not one.number]
    full = [one.quality for one in points if one.method == "labels"]
    if not first or not full or full[0] is None:
        return None
    last = max(first, key=lambda one: one.sessions)
    examined = plan.examined
    learnt = ClickCurves(
        full[0],
        _curve(points, "naive"),
        _curve(points, "weighted"),
        last,
        examined,
        None,
        _leads(points, last.sessions),
    )
    if last.quality is None or (plan.source != "wrong" and not plan.clip):
        return learnt
    propensities = np.maximum(plan.used(examined, learnt.estimate), plan.clip)
    return learnt._replace(used=propensities)


def _leads(points: Sequence[CurvePoint], sessions: int) -> tuple[float, ...]:
    """Return the gain from weighting the same users' clicks, by seed."""
    qualities = {
        (one.number, one.method): one.quality
        for one in points
        if one.sessions == sessions and one.quality is not None
    }
    pairs = [
        [qualities.get((n, method)) for method in ("weighted", "naive")]
        for n in range(SEEDS)
    ]
    return tuple(a - b for a, b in pairs if a is not None and b is not None)


def _curve(points: Sequence[CurvePoint], method: Method) -> SessionCurve:
    by_number: dict[int, list[float]] = {}
    for one in sorted(points, key=lambda one: (one.sessions, one.number)):
        if one.method == method and one.quality is not None:
            by_number.setdefault(one.sessions, []).append(one.quality)
    rows = [
        (np.mean(values), min(values), max(values)) for values in by_number.values()
    ]
    mean, low, high = np.array(rows, np.float64).reshape(-1, 3).T
    return SessionCurve(np.array([*by_number], np.int64), mean, low, high)


def verdict(learnt: ClickCurves) -> str:
    """Return a sentence that says which method leads with the most sessions."""
    if not len(learnt.weighted.mean) or not learnt.leads:
        return learnt.last.problem or "There is no weighted model yet."
    weighted, naive = (
        percent(float(curve.mean[-1]) / learnt.full)
        for curve in (learnt.weighted, learnt.naive)
    )
    ahead, seeds = sum(lead > 0.0 for lead in learnt.leads), len(learnt.leads)
    place = f"ahead for {ahead} of {seeds}" if 0 < ahead < seeds else ""
    place = place or ("ahead for all" if ahead else "behind for all")
    return (
        f"With {learnt.last.sessions:,} sessions, naive learning reaches {naive} of "
        f"full information and weighted learning {weighted}, which is {place} seeds of "
        "users."
    )


def facts(plan: CurvePlan, learnt: ClickCurves | None) -> list[tuple[str, str, str]]:
    """Return the key facts: meaning, number and note of each; dashes if there are no
    curves yet."""
    train = plan.splits.train
    name = train.name.removesuffix(" train")
    relevance = f"{plan.part} queries of {name}, relevant from label {plan.grade}"
    shown = len(plan.examined)
    users = f"of {shown} documents; seeds {plan.seed} to {plan.seed + SEEDS - 1}"
    if learnt is None:
        return [
            (f"{MEASURE}, weighted", "–", "none yet"),
            (f"{MEASURE}, naive", "–", "none yet"),
            (f"{MEASURE}, full information", "–", relevance),
            ("Sessions", "–", users),
            ("Effective clicks", "–", "none yet"),
        ]
    last, rows = learnt.last, []
    for name, curve in (("weighted", learnt.weighted), ("naive", learnt.naive)):
        if len(curve.mean):
            reached = float(curve.mean[-1])
            share = f"{percent(reached / learnt.full)} of full information"
            rows.append((f"{MEASURE}, {name}", f"{reached:.3f}", share))
    effective = f"{last.effective:,.0f}"
    clicks = f"of {last.clicks:,} clicks, weighted by 1/propensity"
    return [
        *rows,
        (f"{MEASURE}, full information", f"{learnt.full:.3f}", relevance),
        ("Sessions", f"{last.sessions:,}", users),
        ("Effective clicks", effective, clicks),
    ]


def refusal(splits: Splits) -> str | None:
    """Return why a data set does not allow learning from clicks, as a sentence."""
    train = splits.train
    labels = relevant(train, relevant_from(train))
    relevant_counts = np.add.reduceat(labels, train.offsets[:-1])
    if not ((relevant_counts > 0) & (relevant_counts < train.lengths)).any():
        return (
            "No training query has both relevant and irrelevant documents, so clicks "
            "carry no information: choose other data."
        )
    plan = CurvePlan(splits)
    if not plan.test.y.any():
        return (
            f"No {plan.part} query has a relevant document, so {MEASURE} is undefined "
            "there: choose other data."
        )
    return None
