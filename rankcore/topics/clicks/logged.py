"""An uploaded click log: examination, and the values of two orders.

Examination comes from the log's propensities, or is estimated from documents shown at
several positions. The orders are the average logged order, and the order by weighted
clicks in half of the sessions; both are evaluated on the other half, so that no click
is used twice. The halves are drawn at random, since logs often change from session to
session between two systems.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from rankcore.base.arrays import Floats
from rankcore.base.errors import DataError
from rankcore.base.numbers import counted, percent
from rankcore.data.clicks import ClickLog
from rankcore.topics.clicks.evaluation import (
    ValueEstimate,
    discounted,
    inverse_propensity,
    self_normalised,
    utilities,
)
from rankcore.topics.clicks.examination import (
    ExaminationEstimate,
    by_all_pairs,
    by_swaps,
)
from rankcore.topics.clicks.learning import click_weights

CUTOFF = 10
NUMBERS = ("value", "lower end", "upper end", "effective clicks")
ORDERS = ("as logged", "by weighted clicks")
NDCG = (
    "nDCG cannot be computed from clicks, because its ideal order is unknown; DCG "
    "counts a relevant document as 1, and a document that was never shown as 0."
)
# Seed for dividing the sessions.
_SEED = 0
_ESTIMATORS = {"swaps with the top": by_swaps, "pairs of positions": by_all_pairs}


@dataclass(frozen=True, eq=False)
class LoggedClicks:
    """The clicks of a log, and the estimates from them.

    Attributes
    ----------
    rates : (k,) float64
        Click rate of each position, relative to that of the first.
    estimate : ExaminationEstimate, optional
    source : str
        Source of the clicks' propensities, as a phrase; empty if none.
    problem : str
        Why examination cannot be estimated, as a sentence.
    values : dict
        (order, name of the estimator) → `ValueEstimate`.
    """

    log: ClickLog
    rates: Floats
    estimate: ExaminationEstimate | None
    source: str
    problem: str
    values: dict[tuple[str, str], ValueEstimate]

    @property
    def notes(self) -> list[str]:
        """Sentences on propensities, and on missing estimates."""
        note = f"Clicks are weighted by propensities {self.source}." * bool(self.values)
        return [*filter(None, (self.problem, note)), NDCG]

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each order and estimator, with its verdict."""
        return [
            {
                "order": order,
                "estimator": name,
                **value.numbers,
                "verdict": value.verdict,
            }
            for (order, name), value in self.values.items()
        ]


@lru_cache(maxsize=4)
def logged_clicks(log: ClickLog, clip: float = 0.0) -> LoggedClicks:
    """Return the estimates from a log's clicks; ``clip`` limits propensities."""
    estimate, source, problem = None, "", ""
    for name, estimator in _ESTIMATORS.items():
        try:
            estimate, source = estimator(log), f"estimated by {name}"
            break
        except DataError as error:
            problem = problem or f"{error.problem}. {error.remedy}."
    propensities = None if estimate is None else estimate.values
    if log.propensity is not None:
        propensities, source = None, "given in the log"
    values = _values(log, propensities, clip) if source and log.n_clicks else {}
    if estimate is not None:
        problem = ""
    return LoggedClicks(log, _rates(log), estimate, source, problem, values)


def _rates(log: ClickLog) -> Floats:
    shown = np.bincount(log.position - 1)
    clicks = np.bincount(log.position[log.clicked] - 1, minlength=len(shown))
    rates = clicks / np.maximum(shown, 1)
    first = rates[0] if rates[0] > 0.0 else max(float(rates.max()), 1.0)
    relative: Floats = rates / first
    return relative


def _values(
    log: ClickLog, propensities: Floats | None, clip: float
) -> dict[tuple[str, str], ValueEstimate]:
    """Return the values of both orders by both estimators, if they have clicks."""
    first, held = divided(log, ((0,), (1,)))
    if not (first.n_clicks and held.n_clicks):
        return {}
    documents = len(log.doc_ids)
    shown = np.bincount(first.document, minlength=documents)
    clicked = click_weights(first, propensities, clip) / np.maximum(shown, 1)
    values = {}
    for order, scores in zip(ORDERS, (mean_places(first), clicked), strict=True):
        utility = utilities(held, scores, discounted, CUTOFF)
        for name, estimator in (
            ("inverse propensity", inverse_propensity),
            ("self-normalised", self_normalised),
        ):
            values[order, name] = estimator(held, utility, propensities, clip)
    return values


def mean_places(log: ClickLog) -> Floats:
    """Return scores (m,) that order documents by their mean positions, with documents
    that were never shown last."""
    documents = len(log.doc_ids)
    shown = np.bincount(log.document, minlength=documents)
    places = np.bincount(log.document, log.position, documents)
    lowest = -float(log.position.max(initial=0) + 1)
    return np.where(shown > 0, -places / np.maximum(shown, 1), lowest)


def divided(log: ClickLog, parts: Sequence[Sequence[int]]) -> list[ClickLog]:
    """Return a log in parts: the sessions, in random order, are dealt out in turns, and
    each part gets those of certain places in a turn."""
    order = np.random.default_rng(_SEED).permutation(log.n_sessions)
    dealt = order % sum(map(len, parts))
    return [_of_sessions(log, np.isin(dealt, places)) for places in parts]


def _of_sessions(log: ClickLog, chosen: np.ndarray) -> ClickLog:
    """Return the log of chosen sessions (s,), numbered from 0."""
    rows = chosen[log.session]
    propensity = None if log.propensity is None else log.propensity[rows]
    return replace(
        log,
        session=(np.cumsum(chosen) - 1)[log.session[rows]],
        document=log.document[rows],
        position=log.position[rows],
        clicked=log.clicked[rows],
        propensity=propensity,
    )


def facts(logged: LoggedClicks) -> list[tuple[str, str, str]]:
    """Return the key facts: meaning, number and note of each."""
    log = logged.log
    shown = f"of {counted(len(log.query_ids), 'queries')}"
    share = f"{percent(log.n_clicks / len(log.session), 1)} of impressions"
    rows = [
        ("Sessions", f"{log.n_sessions:,}", shown),
        ("Clicks", f"{log.n_clicks:,}", share),
    ]
    for (order, name), value in logged.values.items():
        if name == "inverse propensity":
            text = "cannot say" if value.interval is None else f"{value.value:.3g}"
            clicks = f"{value.effective:,.0f} effective clicks"
            rows.append((f"DCG@{CUTOFF}, {order}", text, clicks))
    return rows
