"""Regrets: losses of orders and classifiers relative to the best, for random labels."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from pages.views.reduction import _list
from rankcore import views
from rankcore.base.numbers import counted, percent
from rankcore.plot.numbers import significant
from rankcore.topics.reduction import regrets as insight
from rankcore.topics.reduction.regrets import Labels, Regrets
from rankcore.topics.reduction.regrets_figure import (
    along_figure,
    regret_plane_figure,
    verdict,
)
from rankcore.views import Changes, Fact, Panel, Values

ORDERS, CLASSIFIERS = "all orders", "all classifiers"
GRID = np.linspace(0.0, 1.0, 101)


def _digits(key: str, default: str, label: str) -> views.Text:
    return views.Text(
        key,
        default,
        label,
        meaning=insight.LABELS_RULE,
        read=lambda text: insight.parse_labels(text) or None,
        rule=insight.LABELS_RULE,
    )


def _labels(values: Values) -> Labels:
    """Return both labellings of the documents; empty if their lengths differ."""
    both = tuple(insight.parse_labels(values[key]) for key in (FIRST.key, SECOND.key))
    return both if len(both[0]) == len(both[1]) else ()


def _regrets(values: Values, p: Any) -> Regrets:
    cyclic = values.candidates == CLASSIFIERS
    return insight.regrets(_labels(values), insight.mixed(p), cyclic)


def _names(values: Values) -> dict[str, str]:
    if not _labels(values):
        return {}
    return {each.key: each.title for each in _regrets(values, values.red_p).candidates}


@dataclass(frozen=True)
class CandidateSetting(views.Listed):
    """An order or a classifier; by default the worst violation of Theorem 1."""

    def check(self, value: Any) -> Any:
        if str(value) not in insight.candidate_keys():
            raise ValueError(
                f"{self.key} must be an order such as 132, or a cycle such as c1, not "
                f"'{value!s:.40}'"
            )
        return str(value)

    def fitted(self, value: Any, values: Values) -> Any:
        offered = list(self.labels(values))
        if value in offered or not offered:
            return value
        return offered[insight.most_refuting(_regrets(values, values.red_p))]


FIRST = _digits("red_first", "001", "Labels with probability p")
SECOND = _digits("red_second", "110", "Labels otherwise")
PROBABILITY = views.Number(
    "red_p",
    0.6,
    "Probability",
    "p",
    "Probability of the first labels; the second have 1 − p. The point in the figure "
    "can also be dragged.",
    low=0.0,
    high=1.0,
    step=0.01,
)
CANDIDATES = views.Choice(
    "candidates",
    ORDERS,
    "Compared with",
    meaning="A classifier of pairs may have cyclic preferences; an order never does.",
    names=(ORDERS, CLASSIFIERS),
    group=views.MORE,
)
SELECTED = CandidateSetting(
    "red_order", "132", "Selected", meaning="Or click a point.", names=_names
)
SETTINGS = (FIRST, SECOND, PROBABILITY, CANDIDATES, SELECTED)


def show(values: Values) -> views.Shown:
    """Return the plane of both regrets, both against p, and the verdict."""
    regrets = _regrets(values, values.red_p)
    at = list(_names(values)).index(values.red_order)
    figures = [[_plane(regrets, at, values)], [_along(at, values)]]
    words = [[views.Words(text)] for text in verdict(regrets, at)]
    facts = _facts(regrets, at, len(values.red_first))
    return views.Shown(facts, [views.Row(figures, widths=(12, 7)), views.Row(words)])


def _facts(regrets: Regrets, at: int, documents: int) -> list[Fact]:
    candidate, often = regrets.candidates[at], insight.how_often(documents)
    ndcg, ndcg_regret = regrets.ndcg[at], regrets.ndcg_regret[at]
    loss, loss_regret = regrets.loss[at], regrets.loss_regret[at]
    kind = "pairwise preferences" if candidate.cyclic else "from the top down"
    ndcgs = f"{significant(ndcg + ndcg_regret)} − {significant(ndcg)}"
    losses = f"{significant(loss)} − {significant(loss - loss_regret)}"
    broken, share = int(regrets.refutes.sum()), often.refuted / often.drawn
    return [
        Fact("Selected", candidate.name, kind),
        Fact("Regret in NDCG", significant(ndcg_regret), ndcgs),
        Fact("Regret in pairs", significant(loss_regret), losses),
        Fact(
            "Break Theorem 1",
            str(broken),
            f"of {counted(len(regrets.candidates), 'points')}",
        ),
        Fact(
            "Random distributions",
            percent(share),
            f"of {often.drawn} uniform draws have an order that breaks it",
        ),
    ]


def _plane(regrets: Regrets, at: int, values: Values) -> Panel:
    def take(trace: str, point: int, *place: float) -> Changes:
        key = regrets.candidates[point].key
        return {SELECTED.key: key} if trace == "candidates" else {}

    picture = regret_plane_figure(regrets, at, values.palette)
    title, note = "The regret plane", "one point per order; click a point to select it"
    return Panel("red_regrets", title, note, picture, on_click=take)


def _along(at: int, values: Values) -> Panel:
    def take(trace: str, point: int, x: float, y: float) -> Changes:
        return {PROBABILITY.key: float(np.clip(round(x, 2), 0.0, 1.0))}

    regrets = _regrets(values, GRID)
    picture = along_figure(GRID, regrets, at, values.red_p, values.palette)
    title = f"{regrets.candidates[at].title.capitalize()} along p"
    note = "shaded: Theorem 1 fails; drag the point"
    return Panel("red_along", title, note, picture, on_drag=take)


def _scene(*chosen: Any) -> Changes:
    return {row.key: value for row, value in zip(SETTINGS, chosen, strict=True)}


VIEW = views.View(
    "Regrets",
    "The loss of an order relative to the best one under random labels.",
    SETTINGS,
    show,
    refuses=lambda values: (
        None if _labels(values) else "Give both labellings the same number of digits."
    ),
    presets={
        "NDCG regret exceeds pair regret": _scene("001", "110", 0.6, ORDERS, "132"),
        "Optimal for pairs, wrong for NDCG": _scene("001", "110", 0.55, ORDERS, "132"),
        "Cyclic preferences have zero pair regret": _scene(
            "210", "210", 1.0, CLASSIFIERS, "c1"
        ),
    },
    explain=_list.EXPLAIN,
)
