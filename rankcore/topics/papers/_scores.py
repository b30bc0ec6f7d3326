"""Cards of accuracy: tables of test figures, and comparisons of two models."""

from collections.abc import Sequence

import numpy as np

from rankcore.base.numbers import three_digits
from rankcore.mathematics import statistics
from rankcore.studies.paths import CUTOFFS
from rankcore.topics.papers import published
from rankcore.topics.papers.bench import PROTOCOL, Bench, TestedEntry, paired_error
from rankcore.topics.papers.card import OVER_FOLDS, OVER_QUERIES, Card, CardOutcome
from rankcore.topics.papers.entry import learner
from rankcore.topics.papers.published import Printed
from rankcore.topics.papers.rules import (
    ABSENT,
    EXCEEDED,
    MISSED,
    REACHED,
    Facts,
    Rule,
    Values,
    at_least,
    ours,
    when,
)
from rankcore.topics.papers.value import CardValue

COUNTED = "none: counts are exact"
BINARY = "; labels above 0 count as 1 in training, choice and test"
PER_QUERY = "documents per query"
# Name of the p-value of a measure among the facts.
P_VALUE = "p, "
RULES = "letor3"


def scores(card: Card, bench: Bench, convention: str) -> CardOutcome:
    """Check printed test figures against models trained by the protocol.

    The tolerance of a figure is one standard error of a paired difference between two
    of the card's models.
    """
    rows = [
        row
        for row in card.rows
        if row.dataset in bench.data and row.algorithm in card.entries
    ]
    bench.train((row.dataset, card.entry(row.algorithm)) for row in rows)
    values, names = [], []
    for row in card.rows:
        measure, (series, x) = card.measure(row), card.at(row)
        if row not in rows:
            values.append(CardValue.of(row, None, series, x))
            continue
        here = bench.tested(row.dataset, card.entry(row.algorithm))
        mean = here.mean(measure, convention)
        ends = here.spread(measure, convention)
        error = _error(card, bench, row.dataset, measure, convention)
        value = CardValue.of(row, mean, series, x, ends)._replace(tolerance=error)
        values.append(value)
        names.append(f"{row.algorithm}, {measure}" if _several(rows) else x)
    keys = {(row.dataset, row.algorithm) for row in rows}
    trained = [bench.tested(d, card.entry(a)) for d, a in sorted(keys)]
    verdict, steps = card.verdict(values, {}), steps_of(values, names)
    return card.outcome(
        values,
        apart(steps) if verdict == ABSENT else judged(steps)[1],
        f"{PROTOCOL}{BINARY if card.binary else ''}",
        convention,
        OVER_FOLDS,
        sum(each.seconds for each in trained),
    )


def _several(rows: Sequence[Printed]) -> bool:
    return len({row.algorithm for row in rows}) > 1


def _error(
    card: Card, bench: Bench, dataset: str, measure: str, convention: str
) -> float:
    """Return the standard error for the models that the card's paper compares."""
    of_card = map(card.entry, card.entries)
    entries = {entry.name: entry for entry in of_card}
    bench.train((dataset, entry) for entry in entries.values())
    here = [bench.tested(dataset, entry) for entry in entries.values()]
    return paired_error(here, measure, convention)


def steps_of(
    values: Values, names: Sequence[str] = ()
) -> list[tuple[str, float, float]]:
    """Name, deviation from the printed value, and tolerance of each value.

    Parameters
    ----------
    values : sequence of CardValue
    names : sequence of str
        Names that replace the values' places on the axis.
    """
    steps = [value for value in values if value.tolerance is not None]
    return [
        (name, (v.ours or 0.0) - (v.printed or 0.0), v.tolerance or 0.0)
        for v, name in zip(steps, names or [v.x for v in steps], strict=True)
    ]


def apart(steps: Sequence[tuple[str, float, float]]) -> str:
    """Sentence on deviations from printed values that no claim covers."""
    away = [step[1] for step in steps]
    return (
        f"The values are {three_digits(min(map(abs, away)))} to "
        f"{three_digits(max(map(abs, away)))} from the printed ones, "
        f"{sum(step < 0.0 for step in away)} of {len(away)} below them."
    )


def judged(steps: Sequence[tuple[str, float, float]]) -> tuple[str, str]:
    """Return the verdict on several values, and the reason.

    Parameters
    ----------
    steps : sequence of (str, float, float)
        Name, difference from the printed value, and tolerance of each.
    """
    below = [step for step in steps if step[1] < -step[2]]
    above = [step for step in steps if step[1] > step[2]]
    largest = max(step[2] for step in steps)
    within = (
        f"one standard error of a paired difference (at most {three_digits(largest)})"
    )
    if below:
        worst = min(below, key=lambda step: step[1])
        others = "" if len(below) == len(steps) else "; the others are not below it"
        return MISSED, (
            f"{len(below)} of {len(steps)} are below the printed values by more than "
            f"{within}, {worst[0]} most, by {-worst[1]:.3f}{others}."
        )
    if len(above) == len(steps):
        least = min(above, key=lambda step: step[1])
        return EXCEEDED, (
            f"All {len(steps)} are above the printed values by more than {within}, by "
            f"{least[1]:.3f} at least."
        )
    apart = max(abs(step[1]) for step in steps)
    return REACHED, (
        f"None is below the printed value by more than {within}; the largest distance "
        f"is {apart:.3f}."
    )


TOLERATED = Rule(
    "Reached where no value is below the printed one by more than one standard error "
    "of a paired difference between two of the models that the paper compares, over "
    "the same test queries; exceeded where all are above by more.",
    lambda values, facts: judged(steps_of(values))[0],
)


def better(
    card: Card,
    bench: Bench,
    first: str,
    second: str,
    measures: Sequence[str],
    level: float,
) -> CardOutcome:
    """Check that the first learner is better than the second; the facts are the
    p-values of paired tests, significant up to the level."""
    (dataset,) = card.data
    a, b = _tested(bench, dataset, (first, second))
    values: list[CardValue] = []
    p_values = []
    for measure in measures:
        one, two = (each.values(measure, RULES) for each in (b, a))
        test = statistics.randomisation_test(one, two)
        ends = statistics.difference_interval(two, one)
        values.append(
            CardValue(
                f"{first} − {second}",
                measure,
                None,
                test.difference,
                ends.low,
                ends.high,
            )
        )
        p_values.append(test.p_value)
    gain = a.mean(measures[0], RULES) / b.mean(measures[0], RULES) - 1.0
    for row in card.rows:
        name = "relative gain" if "gain" in row.metric else "largest p"
        figure = gain if "gain" in row.metric else max(p_values)
        values.append(CardValue.of(row, figure, name, name))
    adjusted = statistics.holm(p_values)
    facts = {f"{P_VALUE}{m}": p for m, p in zip(measures, p_values, strict=True)}
    wins = significant(values, facts, level)
    why = (
        f"{first} is significantly better in {sum(wins)} of {len(wins)} "
        f"measures: paired randomisation tests over {one.size} queries give "
        f"p = {min(p_values):.2g} to {max(p_values):.2g} "
        f"(the least after Holm: {adjusted.min():.2g})."
    )
    if card.verdict(values, facts) == MISSED:
        why += behind(dataset, (a, b), measures)
    return card.outcome(
        values,
        why,
        PROTOCOL,
        RULES,
        OVER_QUERIES,
        a.seconds + b.seconds,
        facts=facts,
    )


def significantly_better(level: float) -> Rule:
    """Return the rule of a difference that is significant in every measure."""
    return when(
        "Reached where RSRank has the larger mean and a paired randomisation test over "
        f"the queries gives p ≤ {level:g}, for every cutoff named.",
        lambda values, facts: all(significant(values, facts, level)),
    )


GAIN = at_least("Reached where the gain is at least the printed one.")


def significant(values: Values, facts: Facts, level: float) -> list[bool]:
    """Whether the first has the larger mean, and p is at most a level, by measure."""
    differences = {value.x: value.ours or 0.0 for value in values}
    measures = [name.removeprefix(P_VALUE) for name in facts]
    return [differences[m] > 0.0 and facts[f"{P_VALUE}{m}"] <= level for m in measures]


def _tested(bench: Bench, dataset: str, names: Sequence[str]) -> list[TestedEntry]:
    entries = list(map(learner, names))
    bench.train((dataset, entry) for entry in entries)
    return [bench.tested(dataset, entry) for entry in entries]


def leads(card: Card, bench: Bench, *names: str) -> CardOutcome:
    """Check a figure in which the first of some learners leads at every cutoff."""
    (dataset,) = card.data
    here = _tested(bench, dataset, names)
    values = tuple(
        CardValue(
            each.entry.name,
            measure.removeprefix("nDCG"),
            None,
            each.mean(measure, RULES),
            *each.spread(measure, RULES),
        )
        for each in here
        for measure in CUTOFFS
    )
    table = np.array([[e.mean(m, RULES) for m in CUTOFFS] for e in here])
    ahead = int((table.argmax(axis=0) == 0).sum())
    leaders = ", ".join(dict.fromkeys(names[i] for i in table.argmax(axis=0)))
    reached = card.verdict(values, {}) == REACHED
    cause = "" if reached else behind(dataset, here, CUTOFFS)
    return card.outcome(
        values,
        f"{names[0]} has the largest mean at {ahead} of {len(CUTOFFS)} cutoffs; "
        f"the leaders are {leaders}. The figure has no printed numbers.{cause}",
        PROTOCOL,
        RULES,
        OVER_FOLDS,
        sum(each.seconds for each in here),
    )


def _first_leads(values: Values, facts: Facts) -> bool:
    first = values[0].series
    places = {value.x for value in values}
    return all(ours(values, first, x)[0] == max(ours(values, x=x)) for x in places)


LEADS = when("Reached where RSRank has the largest mean at every cutoff.", _first_leads)


def behind(dataset: str, tested: Sequence[TestedEntry], measures: Sequence[str]) -> str:
    """Return the distance of the first entry, RSRank, from the best, and why.

    In the paper it leads, so a rival whose value is above that printed for RSRank is
    better here than there.
    """
    gaps = []
    for measure in measures:
        best = max(tested, key=lambda each: each.mean(measure, RULES))
        gap = best.mean(measure, RULES) - tested[0].mean(measure, RULES)
        error = paired_error((tested[0], best), measure, RULES)
        gaps.append((gap, error, measure, best))
    gap, error, measure, best = max(gaps, key=lambda one: one[0])
    queries = len(tested[0].values(measure, RULES))
    text = (
        f" It is at most {gap:.3f} behind ({best.entry.name}, {measure}), where the "
        f"standard error of a paired difference over {queries} queries is {error:.3f}."
        if gap > 0.0
        else f" It leads, but {queries} queries do not tell the two apart."
    )
    for row in published.every():
        if (row.dataset, row.algorithm) != (dataset, "RSRank (no sparsity)"):
            continue
        rival = max(tested[1:], key=lambda each: each.mean(row.measure, RULES))
        reached = rival.mean(row.measure, RULES)
        if reached > row.value:
            text += (
                f" The {row.measure} of {rival.entry.name} is {reached:.3f} here, more "
                f"than the {row.value:g} printed for RSRank: the rivals of the paper "
                "were weaker."
            )
    return text


def _agrees(value: CardValue) -> bool:
    """Whether a count equals the printed one, if it was counted."""
    if value.ours is None or value.printed is None:
        return True
    share = 0.05 if value.x == PER_QUERY else 0.0
    return abs(value.ours - value.printed) <= share * value.printed


def sizes(card: Card, bench: Bench) -> CardOutcome:
    """Check the sizes of data sets, counted over all folds' test data."""
    values, wrong, counted = [], [], 0
    for row in card.rows:
        if row.dataset not in bench.data:
            values.append(CardValue.of(row, None, row.dataset, row.metric))
            continue
        tests = [s.test for s in bench.folds(row.dataset).values() if s.test]
        queries = sum(test.n_queries for test in tests)
        documents = sum(len(test.y) for test in tests)
        count = {
            "queries": queries,
            "relevance levels": 1 + max(int(test.y.max()) for test in tests),
            PER_QUERY: documents / queries,
            "query-document pairs": documents,
            "features": tests[0].n_features,
        }[row.metric]
        value = CardValue.of(row, float(count), row.dataset, row.metric)
        values.append(value)
        counted += 1
        if not _agrees(value):
            wrong.append(f"{row.metric} of {row.dataset}: {count:g}, not {row.value:g}")
    if not counted:
        return card.absent
    why = "; ".join(wrong) or f"All {counted} counts of the data at hand agree"
    missing = len(values) - counted
    return card.outcome(
        values,
        f"{why}{f'; the data of {missing} more are not at hand' if missing else ''}.",
        "counted over the test data of all folds",
        spread=COUNTED,
    )


COUNTS = when(
    "Reached where every count of the data at hand is the printed one; for documents "
    "per query, which the papers round, 5% away at most.",
    lambda values, facts: all(map(_agrees, values)),
)
