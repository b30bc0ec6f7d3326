"""Regrets: what orders and classifiers lose against the best under random labels."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from pages.views.reduction._explain import EXPLAIN
from rankcore.charts.regrets import along_figure, regret_plane_figure
from rankcore.insight import regrets as insight
from rankcore.insight.regrets import Labels, Regrets
from rankcore.views import (
    Changes,
    Choice,
    Fact,
    Listed,
    Number,
    Panel,
    Row,
    Shown,
    Text,
    Values,
    View,
    Words,
)

ORDERS, CLASSIFIERS = "all orders", "all classifiers"
GRID = np.linspace(0.0, 1.0, 101)


def _digits(key: str, default: str, label: str) -> Text:
    return Text(
        key,
        default,
        label,
        meaning=insight.LABELS_RULE,
        read=lambda text: insight.parse_labels(text) or None,
        rule=insight.LABELS_RULE,
    )


def _labels(values: Values) -> Labels:
    """Both ways to label the documents; none if they are not as many."""
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
class Selected(Listed):
    """An order or a classifier; at first one for which Theorem 1 fails most."""

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
PROBABILITY = Number(
    "red_p",
    0.6,
    "Probability",
    "p",
    "Of the first labels; the second have 1 − p. Its point in the figure can be "
    "dragged, too.",
    low=0.0,
    high=1.0,
    step=0.01,
)
CANDIDATES = Choice(
    "candidates",
    ORDERS,
    "Compared with",
    meaning="A classifier of pairs may have cyclic preferences; an order never has.",
    names=(ORDERS, CLASSIFIERS),
)
SELECTED = Selected(
    "red_order", "132", "Selected", meaning="Or click a point.", names=_names
)
SETTINGS = (FIRST, SECOND, PROBABILITY, CANDIDATES, SELECTED)


def show(values: Values) -> Shown:
    """The plane of both regrets, both along p, and what holds."""
    found = _regrets(values, values.red_p)
    at = list(_names(values)).index(values.red_order)
    figures = [[_plane(found, at, values)], [_along(at, values)]]
    words = [[Words(text)] for text in _verdict(found, at)]
    return Shown(_facts(found, at, len(values.red_first)), [Row(figures), Row(words)])


def _facts(found: Regrets, at: int, documents: int) -> list[Fact]:
    candidate, often = found.candidates[at], insight.how_often(documents)
    ndcg, ndcg_regret = found.ndcg[at], found.ndcg_regret[at]
    loss, loss_regret = found.loss[at], found.loss_regret[at]
    kind = "who beats whom" if candidate.cyclic else "from the top down"
    ndcgs = f"{ndcg + ndcg_regret:.6f} − {ndcg:.6f}"
    losses = f"{loss:.6f} − {loss - loss_regret:.6f}"
    broken, points = int(found.refutes.sum()), len(found.candidates)
    share = f"{100 * often.refuted / often.drawn:.0f} %"
    return [
        Fact("Selected", candidate.name, kind),
        Fact("Regret in NDCG", f"{ndcg_regret:.6f}", ndcgs),
        Fact("Regret in pairs", f"{loss_regret:.6f}", losses),
        Fact("Break Theorem 1", str(broken), f"of {points} points"),
        Fact("Random distributions", share, "have an order that breaks it"),
    ]


def _plane(found: Regrets, at: int, values: Values) -> Panel:
    def take(trace: str, point: int, *place: float) -> Changes:
        key = found.candidates[point].key
        return {SELECTED.key: key} if trace == "candidates" else {}

    picture = regret_plane_figure(found, at, values.palette)
    title, note = "The regret plane", "a point for each order; click one to select it"
    return Panel("red_regrets", title, note, picture, on_click=take)


def _along(at: int, values: Values) -> Panel:
    def take(trace: str, point: int, x: float, y: float) -> Changes:
        return {PROBABILITY.key: float(np.clip(round(x, 2), 0.0, 1.0))}

    found = _regrets(values, GRID)
    picture = along_figure(GRID, found, at, values.red_p, values.palette)
    title = f"{found.candidates[at].title.capitalize()} along p"
    note = "shaded: Theorem 1 fails; drag the point"
    return Panel("red_along", title, note, picture, on_drag=take)


def _verdict(found: Regrets, at: int) -> tuple[str, str, str]:
    """What is proved, what is true and what is false, with the numbers filled in."""
    lost, loss = 1.0 - found.ndcg[at], found.loss[at]
    ndcg, pairs = found.ndcg_regret[at], found.loss_regret[at]
    proved = (
        "**Proved:** $1 - \\mathrm{NDCG} \\le L$ for every order and any labels, and "
        "so on average over labels. That needs an order: a scoring function with ties "
        "broken."
    )
    if found.candidates[at].cyclic and loss < lost - insight.TOLERANCE:
        true = (
            "**True** of a cycle: nothing. Documents share positions, the weights of "
            f"their pairs vanish, and $L = {loss:.6f}$ whatever order follows. The "
            f"worst one loses $1 - \\mathrm{{NDCG}} = {lost:.6f}$."
        )
    else:
        true = (
            f"**True:** here $\\mathrm{{E}}[1 - \\mathrm{{NDCG}}] = {lost:.6f} \\le "
            f"\\mathrm{{E}}[L] = {loss:.6f}$."
        )
    if found.refutes[at]:
        false = (
            "**False:** by Theorem 1 the regret in NDCG is less than that in pairs. "
            f"Here ${ndcg:.6f} > {pairs:.6f}$."
        ) + (" It is optimal for pairs." if pairs == 0.0 else "")
    else:
        false = (
            "**False** in general: Theorem 1, regret against regret. Here it holds: "
            f"${ndcg:.6f} \\le {pairs:.6f}$."
        ) + (" Equality already breaks “less than”." if ndcg == pairs else "")
    return proved, true, false


def _scene(*chosen: Any) -> Changes:
    return {row.key: value for row, value in zip(SETTINGS, chosen, strict=True)}


VIEW = View(
    "Regrets",
    "What an order loses against the best one under random labels.",
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
    explain=EXPLAIN,
)
