"""Checks of the slides of Chakrabarti et al. 2008: structured ranking losses."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from rankcore.algorithms import Ranker, StructuredRanker, get_algorithm
from rankcore.base.numbers import percent, signed, three_digits
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics import statistics
from rankcore.topics.margins import claims as margin_claims
from rankcore.topics.margins.rounds import slack_weights, total_weight
from rankcore.topics.papers import published, rules
from rankcore.topics.papers._scores import BINARY
from rankcore.topics.papers.bench import (
    PROTOCOL,
    Bench,
    Data,
    TestedEntry,
    ends,
    timed_values,
)
from rankcore.topics.papers.card import OVER_FOLDS, OVER_QUERIES, Card, CardOutcome
from rankcore.topics.papers.rules import (
    ABSENT,
    BROKEN,
    FALSE,
    MISSED,
    REACHED,
    TRIED,
    Facts,
    Rule,
    Values,
)
from rankcore.topics.papers.value import CardValue
from rankcore.training import Stop, drive

DATA_SETS_USED = "data sets at hand"
OTHER_ORDER = "another order is predicted"
DRAWS = 100
FACTORS = (0.01, 0.1, 1.0, 10.0)
TRAININGS = "a training with the defaults in each fold; mean of the folds"
# The notes of the slides' tables in ``published.csv``, and their measures.
TRUE_LOSS, BY_LOSS = 'table "Is training', 'table "Test accuracy'
MEASURES = {"MRR10": "RR@10", "NDCG10": "nDCG@10", "MAP": "AP"}
SCORES, LABELS = (0.5, 0.2, 0.1, -0.3), (0, 1, 0, 1)


def times_task(data: Data, dataset: str, fold: str, name: str) -> float:
    """Seconds of one training with the defaults, with kernels loaded."""
    train = data[dataset][fold].train
    list(drive(get_algorithm(name)(), train, stop=Stop(1), measures=()))
    run = drive(get_algorithm(name)(), train, measures=())
    return list(run)[-1].seconds


def _timed(bench: Bench, dataset: str, names: Iterable[str]) -> dict[str, np.ndarray]:
    """Seconds of a training in each fold, one process at a time."""
    return {
        name: np.array(
            [times_task(bench.data, dataset, f, name) for f in bench.folds(dataset)]
        )
        for name in names
    }


def times(card: Card, bench: Bench) -> CardOutcome:
    """Training times, and the speed-up of SVMNDCG over McRank."""
    dataset = card.dataset(bench)
    names = {
        "McRank total": "McRank",
        "SVMndcg": "SVMNDCG",
        "SVMmrr": "SVMMRR",
    }
    rows = [row for row in card.rows if row.algorithm in names]
    timed = _timed(bench, dataset, names.values())
    seconds = {row.algorithm: timed[names[row.algorithm]] for row in rows}
    values = timed_values(card.rows, seconds)
    ours, printed = rules.ratios(values, "McRank total", "SVMndcg")
    return card.outcome(
        values,
        f"McRank takes {three_digits(ours)} times as long as SVMNDCG here, "
        f"{three_digits(printed)} times in the slides. "
        + ("All are faster than printed; " if rules.none_above(values) else "")
        + "McRank here grows stumps in compiled code, so its share is another. The "
        "slides do not say what the parts tree and boost of its time are; it is "
        "trained in one go here, so only the total is compared.",
        f"{TRAININGS}; the slides give no unit",
        spread=OVER_FOLDS,
        seconds=sum(float(seconds.sum()) for seconds in timed.values()),
    )


def _as_many_times(values: Values, facts: Facts) -> bool:
    """Whether the speed-up of SVMNDCG over McRank is at least the printed one."""
    ours, printed = rules.ratios(values, "McRank total", "SVMndcg")
    return ours >= printed


TIMES = rules.when(
    "Reached where McRank takes at least as many times as long as SVMNDCG as in the "
    "slides; seconds of other machines and programs are not compared.",
    _as_many_times,
)


def speed_ups(card: Card, bench: Bench) -> CardOutcome:
    """SVMCombo against DORM and McRank."""
    timed = _timed(bench, "OHSUMED", ("SVMCombo", "DORM", "McRank"))
    seconds = {name: float(seconds.mean()) for name, seconds in timed.items()}
    values = []
    for row in card.rows:
        other = row.metric.rpartition(" ")[2]
        ours = seconds[other] / seconds["SVMCombo"]
        spread = ends(timed[other] / timed["SVMCombo"], ours)
        values.append(CardValue.of(row, ours, "times as fast", f"as {other}", spread))
    short = [v.x for v in values if (v.ours or 0.0) < (v.printed or 0.0)]
    total = published.value(
        paper="structured", dataset="OHSUMED", algorithm="McRank total"
    )
    took = (f"{name} {three_digits(value)} s" for name, value in seconds.items())
    return card.outcome(
        values,
        f"On average a training takes {', '.join(took)}. "
        f"{'Not reached: ' + ', '.join(short) if short else 'Both are reached'}. "
        f"The slides print {total:g} for McRank, {total / seconds['McRank']:.0f} times "
        "as much: here it grows stumps in compiled code, so there is less to gain.",
        TRAININGS,
        spread=OVER_FOLDS,
        seconds=sum(float(seconds.sum()) for seconds in timed.values()),
    )


def more_accurate(card: Card, bench: Bench) -> CardOutcome:
    """SVMCombo above DORM and McRank in a share of data sets and measures."""
    combo, *others = card.entries
    datasets = [name for name in card.data if name in bench.data]
    values, printed_wins = [], []
    entries: dict[tuple[str, str], TestedEntry] = {}
    for dataset, other in itertools.product(datasets, others):
        a, b = (bench.tested(dataset, card.entry(name)) for name in (combo, other))
        entries |= {(dataset, combo): a, (dataset, other): b}
        for metric, measure in MEASURES.items():
            one, two = (each.values(measure, "letor3") for each in (a, b))
            interval = statistics.difference_interval(one, two)
            difference = a.mean(measure, "letor3") - b.mean(measure, "letor3")
            printed = _accuracy(dataset, combo, metric) - _accuracy(
                dataset, other, metric
            )
            printed_wins.append(printed > 0.0)
            where = f"{dataset} {measure}" if len(datasets) > 1 else measure
            value = CardValue(
                f"less {other}", where, printed, difference, interval.low, interval.high
            )
            values.append(value)
    (claimed,) = card.claimed.values()
    wins = _wins(values)
    missing = [name for name in card.data if name not in bench.data]
    absent = f" {' and '.join(missing)} are not at hand." if missing else ""
    if len(datasets) == 1:
        absent += " One data set shows no share of data sets."
    facts = {DATA_SETS_USED: float(len(datasets))}
    return card.outcome(
        values,
        f"On {' and '.join(datasets)} SVMCombo is above {' and '.join(others)} in "
        f"{sum(wins)} of {len(wins)} comparisons, by the slides' table of the same "
        f"data in {sum(printed_wins)}; the slides say over {percent(claimed)} of data "
        f"sets.{absent}",
        f"{PROTOCOL}{BINARY}; compared by {', '.join(MEASURES.values())}",
        "letor3",
        OVER_QUERIES,
        sum(each.seconds for each in entries.values()),
        facts=facts,
    )


def _wins(values: Values) -> list[bool]:
    return [(value.ours or 0.0) > 0.0 for value in values]


def mostly_ahead(claimed: float) -> Rule:
    """Return the rule for a share of data sets, which needs several data sets."""

    def judge(values: Values, facts: Facts) -> str:
        if facts[DATA_SETS_USED] < 2:
            return ABSENT
        return REACHED if float(np.mean(_wins(values))) > claimed else MISSED

    return Rule(
        "Needs data where one data set is at hand, which shows no share of them; with "
        f"more, reached where SVMCombo is above the other in more than "
        f"{percent(claimed)} of the comparisons by data set and measure, as in the "
        "slides' own table.",
        judge,
    )


def _accuracy(dataset: str, algorithm: str, metric: str) -> float:
    """Return the slides' value of an algorithm, from the table with three decimals."""
    return published.value(
        BY_LOSS,
        paper="structured", dataset=dataset, algorithm=algorithm, metric=metric,
    )  # fmt: skip


class Health(NamedTuple):
    """Models for increasing C.

    Attributes
    ----------
    C : (m,) float64
        Sum of the C of all losses.
    gain : (m,) float64
        Share of the objective at w = 0 that training removes, 0 to 1.
    norm : (m,) float64
        Length of the coefficients, features in units of their range.
    """

    C: np.ndarray
    gain: np.ndarray
    norm: np.ndarray


def health_task(data: Data, dataset: str, fold: str, name: str) -> Health:
    """Train with each C of the algorithm multiplied by each factor."""
    return health_of(get_algorithm(name)(), data[dataset][fold].train, FACTORS)


def health_of(
    learner: Ranker, train: RankingDataset, factors: Sequence[float]
) -> Health:
    """Return the models with every C of an algorithm multiplied by each factor."""
    assert isinstance(learner, StructuredRanker)
    rows = []
    for factor in factors:
        scaled = {of: factor * C for of, C in slack_weights(learner).items()}
        ranker = type(learner)(**learner.get_params() | scaled)
        run = drive(ranker, train, measures=())
        list(run)
        useless, norm = run.history[0].objective, run.best.diagnostics["norm of w"]
        gain = 1.0 - run.best.objective / useless if useless > 0.0 else 0.0
        rows.append((total_weight(ranker), gain, norm))
    return Health(*np.array(rows).T)


def along_c(card: Card, bench: Bench, of: str) -> CardOutcome:
    """Check that an attribute of `Health` grows with C, "gain" or "norm"."""
    names = ("SVMAUC", "SVMMAP", "SVMMRR")
    folds = list(bench.folds("OHSUMED"))
    tasks = [("OHSUMED", fold, name) for name in names for fold in folds]
    results, seconds = bench.once("health", lambda: bench.run(health_task, tasks))
    per = {
        name: results[i * len(folds) : (i + 1) * len(folds)]
        for i, name in enumerate(names)
    }
    tables = {
        name: np.array([getattr(one, of) for one in results])
        for name, results in per.items()
    }
    values = tuple(
        CardValue(name, f"{C:.3g}", None, float(each.mean()), *ends(each))
        for name, table in tables.items()
        for C, each in zip(per[name][0].C, table.T, strict=True)
    )
    most = {name: float(columns.mean(axis=0).max()) for name, columns in tables.items()}
    grows = _grow(values, {})
    return card.outcome(
        values,
        SENTENCES[of]("grows" if grows else "does not always grow", most)
        + " The slides print no numbers.",
        "training queries of each fold, default C times powers of ten; mean of "
        "the folds",
        spread=OVER_FOLDS,
        seconds=seconds,
    )


def _grow(values: Values, facts: Facts) -> bool:
    """Whether no series ever falls."""
    return all(
        (np.diff(rules.ours(values, series)) >= 0.0).all()
        for series in {value.series for value in values}
    )


GROWTH = rules.when(
    "Reached where the mean over the folds does not fall from any C to the next, for "
    "any algorithm.",
    _grow,
)


def objective_removed(grows: str, most: Mapping[str, float]) -> str:
    """Return the share of the objective that training removes."""
    listed = ", ".join(f"{name} {percent(gain)}" for name, gain in most.items())
    return (
        f"The share of the objective of w = 0 that training removes {grows} with C, up "
        f"to {listed}."
    )


def length(grows: str, most: Mapping[str, float]) -> str:
    """Return the length of the coefficients."""
    listed = ", ".join(f"{name} {three_digits(value)}" for name, value in most.items())
    return (
        f"‖w‖, with features in units of their range, {grows} with C, up to {listed}."
    )


SENTENCES = {"gain": objective_removed, "norm": length}


def map_gain(card: Card, bench: Bench) -> CardOutcome:
    """phi_mrr against phi_po in SVMMRR."""
    first, pairs = (bench.tested("OHSUMED", e) for e in card.entries.values())
    values, test = [], None
    for measure in MEASURES.values():
        for each in (first, pairs):
            values.append(
                CardValue(
                    each.entry.name,
                    measure,
                    None,
                    each.mean(measure, "letor3"),
                    *each.spread(measure, "letor3"),
                )
            )
    test = statistics.randomisation_test(
        pairs.values("RR@10", "letor3"), first.values("RR@10", "letor3")
    )
    facts = {"difference": test.difference, "p": test.p_value}
    superior = _superior(values, facts)
    zero = sum(fold.nonzeros == 0 for fold in first.folds)
    cause = (
        f" In {zero} of {len(first.folds)} folds the model of φₘᵣᵣ is w = 0: the map "
        "sees only the documents above the first relevant one, so the orders of the "
        "largest loss are nearly free, and no other w lowers the objective."
        if zero and not superior
        else ""
    )
    return card.outcome(
        values,
        f"The difference in RR@10 is {signed(test.difference, 3)}, p = "
        f"{test.p_value:.2g}: φₘᵣᵣ is {'' if superior else 'not '}superior to φₚₒ "
        "here. The slides say "
        f"“far superior”, without numbers.{cause}",
        PROTOCOL,
        "letor3",
        OVER_FOLDS,
        first.seconds + pairs.seconds,
        facts=facts,
    )


def _superior(values: Values, facts: Facts) -> bool:
    return facts["difference"] > 0.0 and facts["p"] < 0.05


MAP_GAIN = rules.when(
    "Reached where RR@10 is larger with φₘᵣᵣ, and a paired randomisation test over the "
    "queries gives p < 0.05.",
    _superior,
)


def combo_bound(card: Card, bench: Bench) -> CardOutcome:
    """SVMCombo's chain of bounds for C below 1."""
    C = np.array([0.1, 0.25, 0.5, 0.75, 1.0, 1.5])
    bound = margin_claims.combo_bound(SCORES, LABELS, C)
    values = tuple(
        CardValue("sum of risks", f"{c:g}", float(left), bound.claimed)
        for c, left in zip(C, bound.weighted_slacks, strict=True)
    )
    return card.outcome(
        values,
        f"The risks sum to {bound.claimed:.3f}, the left side to "
        f"{bound.weighted_slacks[0]:.3f} at C = {C[0]:g}: the chain holds "
        f"from C = {three_digits(bound.holds_from)} "
        "for this list, and for all from C = 1.",
        "scores 0.5, 0.2, 0.1, −0.3, the second and the fourth relevant; hollow: "
        "the printed upper bound",
    )


def second_form(card: Card, bench: Bench) -> CardOutcome:
    """Check the second form of phi_po."""
    forms = margin_claims.pair_forms(SCORES, LABELS)
    values = tuple(
        CardValue("wᵀφₚₒ", f"order {i + 1}", float(a), float(b))
        for i, (a, b) in enumerate(
            zip(forms.signed[:8], forms.inverted[:8], strict=True)
        )
    )
    other = bool((forms.predicted != forms.predicted_by_inverted).any())
    facts = {OTHER_ORDER: float(other)}
    return card.outcome(
        values,
        "The second form is half the difference to the ideal order "
        f"(within {three_digits(forms.apart)}), not φₚₒ: maximised, it predicts "
        f"{'another' if other else 'the same'} order.",
        "eight orders of four documents; hollow: the definition",
        facts=facts,
    )


SECOND_FORM = rules.when(
    "False as printed where the second form, maximised, predicts another order than "
    "the first.",
    lambda values, facts: not facts[OTHER_ORDER],
    FALSE,
)


def reciprocal(card: Card, bench: Bench) -> CardOutcome:
    """1, 1/2, .., 1/k, 0 as the values of the loss."""
    losses = margin_claims.reciprocal_values(6, 4)
    slack = margin_claims.reciprocal_slack(SCORES, LABELS, 4)
    values = tuple(
        CardValue("Δₘᵣᵣ", str(rank), float(printed), float(loss))
        for rank, printed, loss in zip(
            losses.ranks, losses.reciprocal, losses.loss, strict=True
        )
    )
    other = bool((losses.loss != losses.reciprocal).any())
    return card.outcome(
        values,
        f"These are values of {'RR, not of ' if other else ''}the loss, 1 − RR. "
        f"Taken for the loss, the slack is {slack.printed_slack:.3f} instead of "
        f"{slack.slack:.3f}.",
        "first relevant document at rank 1 to 6, cutoff 4; hollow: the printed values",
    )


RECIPROCAL = rules.when(
    "False as printed where a value that the slides list is not Δₘᵣᵣ = 1 − RR of an "
    "order.",
    lambda values, facts: all(a == b for a, b in rules.compared(values)),
    FALSE,
)


def template(card: Card, bench: Bench) -> CardOutcome:
    """Check merging by score with phi_po, to which the slides apply it."""
    best = margin_claims.template_values(SCORES, LABELS)
    cases = margin_claims.template_losses(DRAWS)
    lost = sum(values.lost > margin_claims.ROUNDING for values in cases)
    other = margin_claims.first_map_values(SCORES, LABELS)
    facts = {TRIED: len(cases), BROKEN: lost}
    values = tuple(
        CardValue("Δ + wᵀφₚₒ", values.loss, values.merged, values.best)
        for values in best
    )
    return card.outcome(
        values,
        f"In {lost or 'none'} of {len(cases)} cases ({DRAWS} random lists, {len(best)} "
        "losses each) is an order above the best merge, with φₚₒ. For φₘᵣᵣ the slides "
        "give another routine, which puts the relevant document of the lowest score "
        f"first: a merge would miss it, by {other.lost:.3f} for the four documents "
        "drawn.",
        "the best of all orders of four documents; hollow: the best merge; lists of 2 "
        "to 6 documents, normal scores, seed 0",
        facts=facts,
    )
