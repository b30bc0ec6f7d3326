"""Cards of accuracy: tables of test figures, and whether one model beats another."""

from collections.abc import Callable, Sequence

import numpy as np

from rankcore import statistics
from rankcore.numbers import three_digits
from rankcore.papers import published
from rankcore.papers.bench import PROTOCOL, Bench, Tested, paired_error
from rankcore.papers.card import (
    ABSENT,
    EXCEEDED,
    MISSED,
    OVER_FOLDS,
    OVER_QUERIES,
    REACHED,
    Card,
    Found,
    Value,
)
from rankcore.papers.entry import Entry
from rankcore.papers.published import Printed

COUNTED = "none: counts are exact"


def scores(convention: str) -> Callable[[Card, Bench], Found]:
    """A check of printed test figures against models trained by the protocol.

    A figure is reached within one standard error of a paired difference between two of
    the card's models, exceeded or not reached beyond it.
    """

    def check(card: Card, bench: Bench) -> Found:
        rows = [
            row
            for row in card.rows
            if row.dataset in bench.data and row.algorithm in card.entries
        ]
        bench.train((row.dataset, card.entries[row.algorithm]) for row in rows)
        values, steps = [], []
        for row in card.rows:
            measure, (series, x) = card.measure(row), card.at(row)
            if row not in rows:
                values.append(Value.of(row, None, series, x))
                continue
            here = bench.tested(row.dataset, card.entries[row.algorithm])
            ours = here.mean(measure, convention)
            ends = here.spread(measure, convention)
            values.append(Value.of(row, ours, series, x, ends))
            error = _error(card, bench, row.dataset, measure, convention)
            name = f"{row.algorithm}, {measure}" if _several(rows) else x
            steps.append((name, ours - row.value, error))
        used = {(row.dataset, row.algorithm) for row in rows}
        trained = [bench.tested(d, card.entries[a]) for d, a in sorted(used)]
        verdict, why = judged(steps)
        return Found(
            verdict,
            why,
            tuple(values),
            PROTOCOL,
            convention,
            OVER_FOLDS,
            sum(each.seconds for each in trained),
        )

    return check


def _several(rows: Sequence[Printed]) -> bool:
    return len({row.algorithm for row in rows}) > 1


def _error(
    card: Card, bench: Bench, dataset: str, measure: str, convention: str
) -> float:
    """Of the models that the card's paper compares."""
    entries = {entry.name: entry for entry in card.entries.values()}
    bench.train((dataset, entry) for entry in entries.values())
    here = [bench.tested(dataset, entry) for entry in entries.values()]
    return paired_error(here, measure, convention)


def judged(steps: Sequence[tuple[str, float, float]]) -> tuple[str, str]:
    """The verdict on several values, and why.

    Parameters
    ----------
    steps : sequence of (str, float, float)
        Name, ours less printed, and the tolerance of each.
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


def better(
    dataset: str,
    first: Entry,
    second: Entry,
    measures: Sequence[str],
    printed_level: float,
    convention: str = "letor3",
) -> Callable[[Card, Bench], Found]:
    """A check of "the first is significantly better than the second".

    Reached where the first has the larger mean and the paired test's p-value is at most
    ``printed_level``, for every measure.
    """

    def check(card: Card, bench: Bench) -> Found:
        bench.train([(dataset, first), (dataset, second)])
        a, b = (bench.tested(dataset, entry) for entry in (first, second))
        values: list[Value] = []
        wins, p_values = [], []
        for measure in measures:
            one, two = (each.values(measure, convention) for each in (b, a))
            test = statistics.randomisation_test(one, two)
            ends = statistics.bootstrap_interval(two - one, resamples=2000)
            values.append(
                Value(
                    f"{first.name} − {second.name}",
                    measure,
                    None,
                    test.difference,
                    ends.low,
                    ends.high,
                )
            )
            p_values.append(test.p_value)
            wins.append(test.difference > 0.0 and test.p_value <= printed_level)
        gain = a.mean(measures[0], convention) / b.mean(measures[0], convention) - 1.0
        for row in card.rows:
            name = "relative gain" if "gain" in row.metric else "largest p"
            ours = gain if "gain" in row.metric else max(p_values)
            values.append(Value.of(row, ours, name, name))
        adjusted = statistics.holm(p_values)
        verdict = REACHED if all(wins) else MISSED
        why = (
            f"{first.name} is significantly better in {sum(wins)} of {len(wins)} "
            f"measures: paired randomisation tests over {one.size} queries give "
            f"p = {min(p_values):.2g} to {max(p_values):.2g} "
            f"(the least after Holm: {adjusted.min():.2g})."
        )
        if verdict == MISSED:
            why += behind(dataset, (a, b), measures, convention)
        return Found(
            verdict,
            why,
            tuple(values),
            PROTOCOL,
            convention,
            OVER_QUERIES,
            a.seconds + b.seconds,
        )

    return check


def leads(
    dataset: str,
    first: Entry,
    others: Sequence[Entry],
    measures: Sequence[str],
    convention: str = "letor3",
) -> Callable[[Card, Bench], Found]:
    """A check of a figure in which one learner leads at every cutoff."""

    def check(card: Card, bench: Bench) -> Found:
        entries = [first, *others]
        bench.train((dataset, entry) for entry in entries)
        here = [bench.tested(dataset, entry) for entry in entries]
        values = tuple(
            Value(
                each.entry.name,
                measure.removeprefix("nDCG"),
                None,
                each.mean(measure, convention),
                *each.spread(measure, convention),
            )
            for each in here
            for measure in measures
        )
        table = np.array([[e.mean(m, convention) for m in measures] for e in here])
        ahead = int((table.argmax(axis=0) == 0).sum())
        best = [entries[i].name for i in table.argmax(axis=0)]
        verdict = REACHED if ahead == len(measures) else MISSED
        leaders = ", ".join(dict.fromkeys(best))
        cause = (
            "" if verdict == REACHED else behind(dataset, here, measures, convention)
        )
        return Found(
            verdict,
            f"{first.name} has the largest mean at {ahead} of {len(measures)} cutoffs; "
            f"the leaders are {leaders}. The figure has no printed numbers.{cause}",
            values,
            PROTOCOL,
            convention,
            OVER_FOLDS,
            sum(each.seconds for each in here),
        )

    return check


def behind(
    dataset: str, tested: Sequence[Tested], measures: Sequence[str], convention: str
) -> str:
    """How far the first entry, RSRank, is behind the best of all, and why.

    In the paper it leads, so a rival whose value is above that printed for RSRank is
    better here than there.
    """
    gaps = []
    for measure in measures:
        best = max(tested, key=lambda each: each.mean(measure, convention))
        gap = best.mean(measure, convention) - tested[0].mean(measure, convention)
        error = paired_error((tested[0], best), measure, convention)
        gaps.append((gap, error, measure, best))
    gap, error, measure, best = max(gaps, key=lambda one: one[0])
    queries = len(tested[0].values(measure, convention))
    text = (
        f" It is at most {gap:.3f} behind ({best.entry.name}, {measure}), where the "
        f"standard error of a paired difference over {queries} queries is {error:.3f}."
        if gap > 0.0
        else f" It leads, but {queries} queries do not tell the two apart."
    )
    for row in published.every():
        if (row.dataset, row.algorithm) != (dataset, "RSRank (no sparsity)"):
            continue
        rival = max(tested[1:], key=lambda each: each.mean(row.measure, convention))
        reached = rival.mean(row.measure, convention)
        if reached > row.value:
            text += (
                f" The {row.measure} of {rival.entry.name} is {reached:.3f} here, more "
                f"than the {row.value:g} printed for RSRank: the rivals of the paper "
                "were weaker."
            )
    return text


def sizes(card: Card, bench: Bench) -> Found:
    """A check of the sizes of data sets, counted over all folds' test data."""
    values, wrong, counted = [], [], 0
    for row in card.rows:
        if row.dataset not in bench.data:
            values.append(Value.of(row, None, row.dataset, row.metric))
            continue
        tests = [s.test for s in bench.folds(row.dataset).values() if s.test]
        queries = sum(test.n_queries for test in tests)
        documents = sum(len(test.y) for test in tests)
        ours = {
            "queries": queries,
            "relevance levels": 1 + max(int(test.y.max()) for test in tests),
            "documents per query": documents / queries,
            "query-document pairs": documents,
            "features": tests[0].n_features,
        }[row.metric]
        values.append(Value.of(row, float(ours), row.dataset, row.metric))
        counted += 1
        # The paper rounds the length of a list.
        share = 0.05 if row.metric == "documents per query" else 0.0
        if abs(ours - row.value) > share * row.value:
            wrong.append(f"{row.metric} of {row.dataset}: {ours:g}, not {row.value:g}")
    if not counted:
        return card.absent()._replace(verdict=ABSENT)
    why = "; ".join(wrong) or f"All {counted} counts of the data at hand agree"
    missing = len(values) - counted
    return Found(
        MISSED if wrong else REACHED,
        f"{why}{f'; the data of {missing} more are not at hand' if missing else ''}.",
        tuple(values),
        "counted over the test data of all folds",
        spread=COUNTED,
    )
