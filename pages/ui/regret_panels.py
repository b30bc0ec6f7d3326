"""The panels of the Reduction page on regrets under label distributions."""

from typing import NamedTuple

import numpy as np
import streamlit as st

from pages.ui import frame, state
from pages.ui.choice import box, segments
from pages.ui.theme import colours
from rankcore.insight import regrets as insight
from rankcore.insight.regrets import Candidate, Labels, Regrets

RULE = "A digit from 0 to 4 for each of 2 to 4 documents."
AMONG = ("all orders", "all classifiers")
GRID = np.linspace(0.0, 1.0, 101)


class Chosen(NamedTuple):
    """A label distribution, all regrets under it, and what is looked at.

    Attributes
    ----------
    labels : tuple of two tuple of int
    p : float
        Probability of the first.
    regrets : Regrets
    at : int
        Which candidate.
    """

    labels: Labels
    p: float
    regrets: Regrets
    at: int

    @property
    def candidate(self) -> Candidate:
        """The order or classifier that is looked at."""
        return self.regrets.candidates[self.at]


def settings() -> Chosen:
    """Draw the controls of the distribution."""
    labels = _labels()
    p = st.slider(
        "Probability &ensp;$p$",
        0.0,
        1.0,
        state.default("red_p"),
        0.01,
        help="Of the first labels; the second have 1 − p. The point in the lower "
        "figure can be dragged, too.",
        **state.widget("red_p"),
    )
    among = segments(
        "Compared with",
        "red_among",
        AMONG,
        help="A classifier of pairs may prefer in circles; an order never does.",
    )
    found = insight.regrets(labels, insight.mixed(p), among == AMONG[1])
    return Chosen(labels, p, found, _candidate(found))


def _labels() -> Labels:
    typed = [
        st.text_input(
            title,
            state.default(key),
            max_chars=insight.MOST_DOCUMENTS,
            help=RULE,
            **state.widget(key),
        )
        for title, key in (
            ("Labels with probability p", "red_first"),
            ("Labels otherwise", "red_second"),
        )
    ]
    found = tuple(insight.parse_labels(text) for text in typed)
    if all(found) and len(found[0]) == len(found[1]):
        return found
    st.warning(
        "Give both the same number of digits, 2 to 4, each from 0 to 4. Until then "
        f"they are {state.default('red_first')} and {state.default('red_second')}.",
        icon=":material/info:",
    )
    first, second = (state.default(key) for key in ("red_first", "red_second"))
    return insight.parse_labels(first), insight.parse_labels(second)


def _candidate(found: Regrets) -> int:
    """Choose an order, or a classifier; the default is the first one's."""
    keys = [candidate.key for candidate in found.candidates]
    names = {candidate.key: _title(candidate) for candidate in found.candidates}
    chosen = str(state.get("red_order"))
    if chosen not in keys:
        chosen = keys[insight.most_refuting(found)]
    box("Look at", "red_order", names, chosen, help="Or click a point.")
    state.put("red_order", chosen)
    return keys.index(chosen)


def facts(chosen: Chosen) -> None:
    """The regrets of what is looked at, and how many break the claim."""
    found, at = chosen.regrets, chosen.at
    broken = int(found.refutes.sum())
    often = insight.how_often(len(chosen.labels[0]))
    frame.facts(
        [
            frame.Fact("Looking at", chosen.candidate.name, _kind(chosen.candidate)),
            frame.Fact(
                "Regret in NDCG",
                f"{found.ndcg_regret[at]:.6f}",
                f"{found.ndcg[at] + found.ndcg_regret[at]:.6f} − {found.ndcg[at]:.6f}",
            ),
            frame.Fact(
                "Regret in pairs",
                f"{found.loss_regret[at]:.6f}",
                f"{found.loss[at]:.6f} − {found.loss[at] - found.loss_regret[at]:.6f}",
            ),
            frame.Fact(
                "Break Theorem 1", str(broken), f"of {len(found.candidates)} points"
            ),
            frame.Fact(
                "Random distributions",
                f"{100 * often.refuted / often.drawn:.0f} %",
                "have an order that breaks it",
            ),
        ]
    )


def plane(chosen: Chosen) -> None:
    """Every order in the plane of both regrets."""
    from rankcore.charts.regrets import regret_plane_figure

    found = chosen.regrets
    frame.heading(
        "The regret plane",
        "a point for each order; click one",
    )

    def take(trace: str, point: int, x: float, y: float) -> None:
        if trace == "candidates":
            state.put("red_order", found.candidates[point].key)

    broken = int(found.refutes.sum())
    frame.figure(
        regret_plane_figure(found, chosen.at, colours()),
        key="red_regrets",
        alt=f"{broken} of {len(found.candidates)} points lie above the line; "
        f"{_title(chosen.candidate)} has a regret of "
        f"{found.ndcg_regret[chosen.at]:.6f} in NDCG and of "
        f"{found.loss_regret[chosen.at]:.6f} in pairs.",
        table=lambda: table(chosen),
        on_click=take,
    )


def along(chosen: Chosen) -> None:
    """Both regrets of what is looked at over p."""
    from rankcore.charts.regrets import along_figure

    cyclic = len(chosen.regrets.candidates) > len(insight.losses(chosen.labels).ndcg[0])
    found = insight.regrets(chosen.labels, insight.mixed(GRID), cyclic)
    fails = insight.failing_range(GRID, found, chosen.at)
    where = (
        "it does not fail"
        if fails is None
        else "it fails between p = {:.2f} and {:.2f}".format(*fails)
    )
    frame.heading(
        f"{_title(chosen.candidate).capitalize()} along p",
        "shaded: Theorem 1 fails; drag the point",
    )

    def take(trace: str, point: int, x: float, y: float) -> None:
        state.apply({"red_p": float(np.clip(round(x, 2), 0.0, 1.0))})

    frame.figure(
        along_figure(GRID, found, chosen.at, chosen.p, colours()),
        key="red_along",
        alt=f"Of Theorem 1 for {_title(chosen.candidate)}: {where}.",
        table=lambda: {
            "p": GRID,
            "regret in NDCG": found.ndcg_regret[:, chosen.at],
            "regret in pairs": found.loss_regret[:, chosen.at],
        },
        on_drag=take,
    )


def verdict(chosen: Chosen) -> None:
    """What is proved, what holds and what does not, with the numbers filled in."""
    found, at = chosen.regrets, chosen.at
    lost, loss = 1.0 - found.ndcg[at], found.loss[at]
    left, middle, right = st.columns(3, gap="medium")
    left.markdown(
        "**What is proved.** For every order and any labels $1 - \\mathrm{NDCG} \\le "
        "L$, and so on average over labels. That needs an order: a scoring function "
        "with ties broken."
    )
    middle.markdown(_holds(chosen.candidate, lost, loss))
    right.markdown(_fails(chosen))


def table(chosen: Chosen) -> dict[str, object]:
    """Every candidate with its losses and regrets."""
    found = chosen.regrets
    return {
        "order or cycle": [candidate.name for candidate in found.candidates],
        "expected NDCG": found.ndcg,
        "expected L": found.loss,
        "regret in NDCG": found.ndcg_regret,
        "regret in pairs": found.loss_regret,
        "breaks Theorem 1": found.refutes,
    }


def _holds(candidate: Candidate, lost: float, loss: float) -> str:
    if candidate.cyclic and loss < lost - insight.TOLERANCE:
        return (
            f"**What holds.** Of a cycle, nothing: documents share positions, the "
            f"weights of their pairs vanish, and $L = {loss:.6f}$ whatever order comes "
            f"of it. The worst one loses $1 - \\mathrm{{NDCG}} = {lost:.6f}$."
        )
    return (
        "**What holds.** Here $\\mathrm{E}[1 - \\mathrm{NDCG}] = "
        f"{lost:.6f} \\le \\mathrm{{E}}[L] = {loss:.6f}$."
    )


def _fails(chosen: Chosen) -> str:
    found, at = chosen.regrets, chosen.at
    ndcg, loss = found.ndcg_regret[at], found.loss_regret[at]
    if found.refutes[at]:
        best = " It is the best there is for pairs." if loss == 0.0 else ""
        return (
            "**What does not hold.** Theorem 1 has the regret in NDCG less than that "
            f"in pairs. Here ${ndcg:.6f} > {loss:.6f}$.{best}"
        )
    equal = " Equality already breaks the strict “less than”." if ndcg == loss else ""
    return (
        "**What does not hold** in general is Theorem 1, regret against regret. Here "
        f"it does: ${ndcg:.6f} \\le {loss:.6f}$.{equal}"
    )


def _title(candidate: Candidate) -> str:
    return ("the cycle " if candidate.cyclic else "the order ") + candidate.name


def _kind(candidate: Candidate) -> str:
    return "who beats whom" if candidate.cyclic else "from the top down"
