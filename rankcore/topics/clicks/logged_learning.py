"""Learning from an uploaded click log, evaluated on held-out sessions.

Half of the sessions, drawn at random, train the models, a quarter select the penalty,
and a quarter evaluate the models: no click is used twice. Naive learning weights all
clicks equally, weighted learning by inverse propensities. The value of a model is
estimated from clicks, as there are no labels.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np

from rankcore.algorithms.list_net import ListNet
from rankcore.base.arrays import Floats
from rankcore.base.errors import DataError
from rankcore.base.numbers import counted, rounded
from rankcore.data.catalogue import Splits
from rankcore.data.clicks import ClickLog
from rankcore.data.dataset import RankingDataset
from rankcore.studies import Findings, Progress, Study
from rankcore.topics.clicks.curves import SESSIONS
from rankcore.topics.clicks.evaluation import (
    ValueEstimate,
    discounted,
    inverse_propensity,
    self_normalised,
    utilities,
)
from rankcore.topics.clicks.learning import click_data, click_weights
from rankcore.topics.clicks.logged import CUTOFF, LoggedClicks, divided, mean_places
from rankcore.training import Record

LogMethod = Literal["naive", "weighted"]
METHODS: tuple[LogMethod, ...] = ("naive", "weighted")
PENALTIES = (0.01, 0.001, 0.0001)
# Of every four sessions, two are for training, one for selection, one for evaluation.
PARTS = (0, 1), (2,), (3,)
NEEDED = (
    "On the page Data, upload the features of all documents shown, as a "
    "table with a query, a document, a label (0 if unknown) and a column "
    "per feature, with the same query and document names as in the log; then "
    "choose it here"
)


@dataclass(frozen=True, eq=False)
class LogPlan:
    """A log, the features of its documents, and the settings for learning.

    Attributes
    ----------
    log : ClickLog
        Its documents are rows of ``dataset``.
    dataset : RankingDataset
        Without labels.
    examined : (k,) float64 or None
        Examination by position; None: the propensities of the log.
    clip : float
        The least propensity that counts.
    """

    log: ClickLog
    dataset: RankingDataset
    examined: Floats | None
    clip: float

    @cached_property
    def parts(self) -> tuple[ClickLog, ClickLog, ClickLog]:
        """The sessions for training, selection and evaluation."""
        training, selection, evaluation = divided(self.log, PARTS)
        return training, selection, evaluation

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of sessions at which models are trained."""
        most = self.parts[0].n_sessions
        return *(n for n in SESSIONS if n < most), most

    @cached_property
    def logged(self) -> ValueEstimate:
        """The value of the documents' mean order in the training sessions."""
        return self.value(mean_places(self.parts[0]), self.parts[2])

    def value(self, scores: Floats, sessions: ClickLog) -> ValueEstimate:
        """Return the DCG of the order by scores (n,), by inverse propensities."""
        utility = utilities(sessions, scores, discounted, CUTOFF)
        return inverse_propensity(sessions, utility, self.examined, self.clip)


class LogPoint(NamedTuple):
    """A model trained on a number of sessions.

    Attributes
    ----------
    method : {"naive", "weighted"}
    model : ListNet or None
        With the penalty chosen on selection sessions; None if untrainable.
    value : ValueEstimate or None
        Value of its order, by inverse propensities.
    normalised : ValueEstimate or None
        The same by the self-normalised estimator.
    problem : str
        Why there is none, as a sentence.
    """

    sessions: int
    method: LogMethod
    clicks: int
    model: ListNet | None = None
    value: ValueEstimate | None = None
    normalised: ValueEstimate | None = None
    problem: str = ""


@lru_cache(maxsize=4)
def log_plan(clicks: LoggedClicks, splits: Splits, clip: float) -> LogPlan | str:
    """Return the plan for learning from a log with the features of data, or a sentence
    that says why it is impossible."""
    log = clicks.log
    if not clicks.source:
        return (
            f"{clicks.problem} Without propensities, clicks cannot be weighted, and no "
            "model can be evaluated."
        )
    try:
        dataset = _unlabelled(splits)
        numbered = log.numbered_as(dataset)
    except DataError as error:
        return f"To learn from the log: {error.problem}. {NEEDED}."
    propensities = clicks.estimate is None or log.propensity is not None
    examined = (
        None if propensities or clicks.estimate is None else clicks.estimate.values
    )
    plan = LogPlan(numbered, dataset, examined, clip)
    if not all(part.n_clicks for part in plan.parts):
        return (
            f"The log has {counted(log.n_clicks, 'clicks')}, too few to split "
            "for training and evaluation. Log more sessions."
        )
    return plan


def _unlabelled(splits: Splits) -> RankingDataset:
    """Return the documents of all parts, without labels."""
    parts = [part for part in splits if part is not None]
    first = parts[0]
    return RankingDataset.from_arrays(
        np.concatenate([part.X for part in parts]),
        np.zeros(sum(part.n_documents for part in parts), np.int64),
        np.concatenate([part.qid for part in parts]),
        doc_ids=[name for part in parts for name in part.doc_ids],
        feature_names=first.feature_names,
        name=first.name.removesuffix(" train"),
    )


def log_study(plan: LogPlan) -> Study:
    """Return the study of growing numbers of sessions; a `LogPoint` per model."""
    total = len(METHODS) * len(plan.numbers)
    return Study(_learnt(plan), total, "models", plan)


def _learnt(plan: LogPlan) -> Findings:
    iterations = 0
    for sessions in plan.numbers:
        yield Progress(counted(sessions, "sessions"))
        for method in METHODS:
            yield _point(plan, sessions, method)
            yield Record(iterations, 0.0, 0.0, np.zeros(0), 0)
            iterations += 1
    return f"Complete: trained on {counted(plan.numbers[-1], 'sessions')}."


def _point(plan: LogPlan, sessions: int, method: LogMethod) -> LogPoint:
    """Return the model of a number of sessions and its value."""
    training, selection, evaluation = plan.parts
    log, examined, X = training.first(sessions), plan.examined, plan.dataset.X
    point = LogPoint(sessions, method, log.n_clicks)
    if method == "naive":
        examined = np.ones(int(plan.log.position.max()))
    models = []
    try:
        weights = click_weights(log, examined, plan.clip)
        for l2 in PENALTIES:
            learner = ListNet(l2=l2)
            models.append(learner.fit_dataset(_taught(plan, learner, weights)))
    except DataError as error:
        return point._replace(problem=f"{error.problem}. {error.remedy}.")
    values = [plan.value(one.predict(X), selection).value for one in models]
    best = models[int(np.argmax(values))]
    utility = utilities(evaluation, best.predict(X), discounted, CUTOFF)
    how = evaluation, utility, plan.examined, plan.clip
    return point._replace(
        model=best, value=inverse_propensity(*how), normalised=self_normalised(*how)
    )


def _taught(plan: LogPlan, learner: ListNet, weights: Floats) -> RankingDataset:
    data = click_data(learner, plan.dataset, weights)
    return replace(data, name=f"clicks of {plan.log.name} on {plan.dataset.name}")


def last_models(points: Sequence[LogPoint]) -> dict[str, ListNet]:
    """Return the models with the most sessions by description, weighted first."""
    last = {one.method: one for one in points if one.model is not None}
    return {
        f"{one.method} learning, {one.sessions:,} sessions": one.model
        for _, one in sorted(last.items(), reverse=True)
        if one.model is not None
    }


def rows(points: Sequence[LogPoint]) -> list[dict[str, Any]]:
    """Return a row for each model and estimator, with its verdict."""
    return [
        {
            "learning": point.method,
            "sessions": point.sessions,
            "estimator": name,
            **value.numbers,
            "verdict": value.verdict,
        }
        for point in points
        for name, value in (
            ("inverse propensity", point.value),
            ("self-normalised", point.normalised),
        )
        if value is not None
    ]


def verdict(plan: LogPlan, points: Sequence[LogPoint]) -> str:
    """Return the values of the models with the most sessions, as sentences."""
    last = {point.method: point for point in points if point.value is not None}
    if not last:
        return next((one.problem for one in points), "No model is trained yet.")
    sessions = max(point.sessions for point in last.values())
    sentences = [f"With {counted(sessions, 'sessions')}:"]
    values = {f"{m} learning": one.value for m, one in last.items()}
    for name, value in {**values, "as logged": plan.logged}.items():
        assert value is not None
        if value.interval is None:
            return f"{sentences[0]} {value.verdict[0].lower()}{value.verdict[1:]}"
        low, high = value.interval
        sentences.append(f"{name} {value.value:.3g} ({low:.3g} to {high:.3g}),")
    text = " ".join(sentences).rstrip(",")
    both = [last.get(method) for method in METHODS]
    if any(one is None or one.sessions < sessions for one in both):
        return f"{text}."
    return f"{text}. {_difference(plan, *[one for one in both if one is not None])}"


def _difference(plan: LogPlan, naive: LogPoint, weighted: LogPoint) -> str:
    """Return the lead of weighted learning on the same sessions, as a sentence."""
    X, evaluation, utility = plan.dataset.X, plan.parts[2], []
    for point in (naive, weighted):
        assert point.model is not None
        scores = point.model.predict(X)
        utility.append(utilities(evaluation, scores, discounted, CUTOFF))
    lead = inverse_propensity(
        evaluation, utility[1] - utility[0], plan.examined, plan.clip
    )
    if lead.interval is None:
        return lead.verdict
    low, high = lead.interval
    if low <= 0.0 <= high:
        ahead = "the difference is not significant"
    else:
        ahead = f"{'weighted' if low > 0.0 else 'naive'} learning is ahead"
    return (
        f"Weighted minus naive, on the same clicks: {rounded(lead.value)} "
        f"({rounded(low)} to {rounded(high)}); {ahead}."
    )
