"""Rules of verdicts: a sentence for readers, and an equivalent function of figures."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from rankcore.topics.papers.value import CardValue

REACHED, EXCEEDED, MISSED = "reached", "exceeded", "not reached"
FALSE, NOT_STRICT, ABSENT = "false as printed", "holds with ≤", "needs data"
VERDICTS = (REACHED, EXCEEDED, MISSED, FALSE, NOT_STRICT, ABSENT)
# Facts for `held`: the numbers of cases that were tried, that break the claim, and that
# equal a bound printed with <.
TRIED, BROKEN, MET = "tried", "broken", "met"
# A fact of cards computed on other data than the paper's.
STAND_IN = "stand-in"
ROUNDING = 1e-9

Values = Sequence[CardValue]
Facts = Mapping[str, float]


class Rule(NamedTuple):
    """The rule for a card's verdict.

    Attributes
    ----------
    text : str
        Sentences for readers of the paper.
    judge : callable
        ``judge(values, facts)``, of a `CardOutcome`, returns one of `VERDICTS`.
    """

    text: str
    judge: Callable[[Values, Facts], str]


def when(
    text: str, holds: Callable[[Values, Facts], bool], otherwise: str = MISSED
) -> Rule:
    """Return the rule of a claim that is reached if a condition holds."""
    return Rule(
        text, lambda values, facts: REACHED if holds(values, facts) else otherwise
    )


def held(text: str) -> Rule:
    """Return the rule of a theorem tested on cases, which the facts count."""

    def judge(values: Values, facts: Facts) -> str:
        if facts[BROKEN]:
            return FALSE
        return NOT_STRICT if facts.get(MET) else REACHED

    return Rule(text, judge)


def undecided(text: str) -> Rule:
    """Return the rule of a card that no available data can decide."""
    return Rule(text, lambda values, facts: ABSENT)


def compared(values: Values) -> list[tuple[float, float]]:
    """Return ours and the printed value of each value that has both."""
    return [
        (value.ours, value.printed)
        for value in values
        if value.ours is not None and value.printed is not None
    ]


def ratios(values: Values, first: str, second: str) -> tuple[float, float]:
    """Return ours and the printed ratio of the figures at two places of the axis."""
    ours, printed = (
        {value.x: getattr(value, name) or math.nan for value in values}
        for name in ("ours", "printed")
    )
    return ours[first] / ours[second], printed[first] / printed[second]


def none_above(values: Values) -> bool:
    """Whether no figure is above the printed one."""
    return all(a <= b for a, b in compared(values))


def at_most(text: str) -> Rule:
    """Return the rule of figures that may not be above the printed ones."""
    return when(text, lambda values, _: none_above(values))


def at_least(text: str) -> Rule:
    """Return the rule of figures that may not be below the printed ones."""
    return when(text, lambda values, _: all(a >= b for a, b in compared(values)))


def never_below(text: str) -> Rule:
    """Return the rule of a claim that is false where a figure is below the printed one,
    beyond rounding."""

    def holds(values: Values, facts: Facts) -> bool:
        return all(a >= b - ROUNDING for a, b in compared(values))

    return when(text, holds, FALSE)


def never_above(text: str) -> Rule:
    """Return the rule of a claim that is false where a figure is above the printed one,
    beyond rounding."""

    def holds(values: Values, facts: Facts) -> bool:
        return all(a <= b + ROUNDING for a, b in compared(values))

    return when(text, holds, FALSE)


def ours(values: Values, series: str = "", x: str = "") -> list[float]:
    """Return our figures of a series, at a place, or all."""
    return [
        value.ours
        for value in values
        if value.ours is not None
        and value.series == (series or value.series)
        and value.x == (x or value.x)
    ]
