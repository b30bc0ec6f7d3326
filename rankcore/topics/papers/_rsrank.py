"""Checks of Sun et al. 2009: the reduction to pairs, and sparse models."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from rankcore.base.draws import standard_normal
from rankcore.base.numbers import percent
from rankcore.studies.paths import CUTOFFS, Path, PathSubject, path
from rankcore.studies.results import Result
from rankcore.topics.papers import rules
from rankcore.topics.papers.bench import Bench, Data, ends
from rankcore.topics.papers.card import NO_MEASURE, OVER_FOLDS, Card, CardOutcome
from rankcore.topics.papers.rules import (
    BROKEN,
    FALSE,
    MET,
    MISSED,
    TRIED,
    Facts,
    Values,
)
from rankcore.topics.papers.value import CardValue
from rankcore.topics.reduction import regrets
from rankcore.topics.reduction.pair_losses import list_pairs, readings
from rankcore.topics.reduction.swaps import procedure_losses, sum_swaps, swaps_to_ideal
from rankcore.topics.sparsity import paths as sparsity
from rankcore.topics.sparsity.shrinkage import settled_rules, settled_text
from rankcore.training import Stop

PENALTIES = (0.0, 5.0, 10.0, 20.0, 50.0, 100.0, 150.0, 200.0, 250.0)
ITERATIONS = 500
DRAWS = 500
# Settings that test whether training length or step explains a change.
SHORT, PRINTED_STEP = 100, 0.001
# The paper's sparse models have more than 63% of the features removed.
SPARSE = 0.37
LARGEST = "largest drop"
DENSE = "g = 0"
# Table 1's limit on the mean change over cutoffs.
SMALL_CHANGE = 0.03
PATHS = (
    f"warm path over g, {ITERATIONS} iterations at each value, default step, seed 0; "
    "mean of the folds"
)


def swaps(card: Card, bench: Bench) -> CardOutcome:
    """Lemma 1: each swap of neighbours gains at most the pair's weight."""
    steps = swaps_to_ideal(range(3), (0, 1, 2))
    values = []
    for number, swap in enumerate(steps, 1):
        x = f"swap {number}"
        values.append(CardValue("gain in NDCG", x, swap.weight, swap.ndcg_gain))
    total = sum_swaps(steps)
    worst = max(steps, key=lambda swap: swap.ndcg_gain - swap.weight)
    return card.outcome(
        values,
        f"Reversing labels 0, 1, 2: {len(total.broken)} of {len(steps)} swaps gains "
        f"{worst.ndcg_gain:.3f}, more than the pair's weight {worst.weight:.3f}. The "
        f"bound still holds for the sums: {total.gained:.4f} ≤ {total.weight:.4f}.",
        "labels 0, 1, 2 upside down; hollow: the weight that should be larger",
        "standard",
    )


def regret_bound(card: Card, bench: Bench) -> CardOutcome:
    """Theorem 1: regret in NDCG is at most regret in pairs."""
    labels = ((0, 0, 1), (1, 1, 0))
    both = regrets.regrets(labels, regrets.mixed(0.6))
    at = both.find("132") or 0
    often = regrets.how_often(3)
    values = tuple(
        CardValue(
            "NDCG regret",
            candidate.name,
            float(both.loss_regret[i]),
            float(both.ndcg_regret[i]),
        )
        for i, candidate in enumerate(both.candidates)
    )
    return card.outcome(
        values,
        f"Three documents, labels 001 (p = 0.6) or 110 (0.4): the order 1 3 2 has "
        f"regret {both.ndcg_regret[at]:.4f} in NDCG and {both.loss_regret[at]:.4f} "
        f"in pairs. It fails for {often.refuted} of {often.drawn} distributions over "
        f"the eight ways to give three documents the labels 0 and 1, drawn uniformly "
        f"(Dirichlet, seed 0).",
        "all orders of three documents; hollow: regret in pairs, the printed bound",
        "standard",
    )


def loss_bound(card: Card, bench: Bench) -> CardOutcome:
    """1 - NDCG is at most the weighted pair loss, for given labels."""
    from rankcore.topics.reduction.pair_losses import all_orders

    values, broken, met, tried = [], 0, 0, 0
    for labels in ((0, 1), (0, 1, 2), (0, 0, 1, 1), (0, 1, 1, 2, 2)):
        orders = all_orders(labels)
        imperfect = orders.lost > 1e-12
        broken += int((orders.lost > orders.loss + 1e-12).sum())
        met += int((imperfect & (np.abs(orders.lost - orders.loss) <= 1e-12)).sum())
        tried += int(imperfect.sum())
        worst = int(np.argmax(orders.lost))
        name = " ".join(map(str, labels))
        values.append(
            CardValue(
                "1 − NDCG", name, float(orders.loss[worst]), float(orders.lost[worst])
            )
        )
    facts = {TRIED: tried, BROKEN: broken, MET: met}
    return card.outcome(
        values,
        f"{broken} of {tried} imperfect orders break it, and {met} meet the bound, in "
        "lists of two to five documents, so it holds with “≤” in place of “<”.",
        "every imperfect order of four lists, the worst one drawn; hollow: the loss",
        "standard",
        facts=facts,
    )


def half_of_the_pairs(card: Card, bench: Bench) -> CardOutcome:
    """Equation 4: a sum over i < j only."""
    values, below = [], 0
    for labels in ((0, 1), (0, 1, 2), (0, 0, 1), (0, 0, 1, 2)):
        n = len(labels)
        # The documents are in reverse order, and numbered from the top.
        pairs = list_pairs(labels, np.arange(n, 0, -1.0))
        literal = readings(labels, pairs, np.arange(n)).literal
        below += literal < pairs.lost - 1e-12
        values.append(
            CardValue("loss", " ".join(map(str, labels)), literal, pairs.lost)
        )
    return card.outcome(
        values,
        f"Summed over i < j, documents numbered from the top, the loss of {below} of "
        f"{len(values)} lists that stand upside down is below 1 − NDCG: for labels "
        f"0, 1 it is {values[0].printed:g} instead of {values[0].ours:.3f} at least. "
        "All pairs with yᵢ > yⱼ must count.",
        "labels from the top down; filled: 1 − NDCG; hollow: equation 4 as printed",
        "standard",
    )


def targets(card: Card, bench: Bench) -> CardOutcome:
    """Procedure 1: the targets of the classifier."""
    values, lost = [], []
    for labels in ((0, 1), (0, 1, 2), (0, 0, 1), (2, 0, 1, 0)):
        printed, meant = procedure_losses(labels)
        values.append(CardValue("1 − NDCG", " ".join(map(str, labels)), printed, meant))
        lost.append(printed)
    return card.outcome(
        values,
        "A classifier without error on the printed targets 1{yᵢ > yⱼ} orders "
        f"documents upside down: 1 − NDCG is {min(lost):.3f} to {max(lost):.3f}. With "
        "1{yⱼ > yᵢ}, what c means, it is 0.",
        "four lists; filled: targets as meant; hollow: as printed",
        "standard",
    )


TARGETS = rules.when(
    "False as printed where a classifier without error on the printed targets does not "
    "rank perfectly.",
    lambda values, facts: not any(value.printed for value in values),
    FALSE,
)


def signed_weights(card: Card, bench: Bench) -> CardOutcome:
    """Check the weight below equation 12, without its absolute value."""
    rng, below, values = np.random.default_rng(0), 0, []
    for number in range(DRAWS):
        n = int(rng.integers(2, 7))
        labels = rng.integers(0, 3, n)
        labels[:2] = 0, 2
        pairs = list_pairs(labels, standard_normal(rng, n))
        signed = readings(labels, pairs, np.arange(n)).signed
        below += signed < pairs.lost - 1e-12
        if number < 8:
            values.append(CardValue("loss", f"list {number + 1}", signed, pairs.lost))
    facts = {TRIED: DRAWS, BROKEN: below}
    return card.outcome(
        values,
        f"Without an absolute value the weight of a pair in its right order is "
        f"negative: the loss is below 1 − NDCG, or below 0, in {below} of {DRAWS} "
        "random lists. Equation 3 has the absolute value.",
        "lists of 2 to 6 documents, normal scores, seed 0; filled: 1 − NDCG; hollow: "
        "the loss with signed weights",
        "standard",
        facts=facts,
    )


def interval_rule(card: Card, bench: Bench) -> CardOutcome:
    """Algorithm 1: shrinking by eta g after every K-th step."""
    rules = settled_rules()
    values = tuple(
        CardValue(f"β{i + 1}", rule.name, None, float(b))
        for rule in rules
        for i, b in enumerate(rule.coef)
    )
    return card.outcome(
        values,
        settled_text(),
        f"four documents, three features, g = {rules[-1].g:g}, K = {rules[0].interval}",
    )


def _is_the_penalty(values: Values, facts: Facts) -> bool:
    """Whether the first rule's coefficients are at least as near to the last rule's,
    with the full penalty, as to the second's, with penalty g / K."""
    names = dict.fromkeys(value.x for value in values)
    printed, divided, *_, whole = (np.array(rules.ours(values, x=x)) for x in names)
    near, far = (float(np.abs(printed - other).max()) for other in (divided, whole))
    return near >= far


INTERVAL = rules.when(
    "False as printed where the coefficients that shrink every K steps settle nearer "
    "to those of K = 1 with g / K than to those of K = 1 with g.",
    _is_the_penalty,
    FALSE,
)


def path_task(
    data: Data, dataset: str, fold: str, iterations: int, step: float | str
) -> list[Result]:
    """RSRank over all penalties in one fold."""
    from rankcore.algorithms.rsrank import RSRank

    points = path(
        RSRank(random_state=0, learning_rate=step),
        data[dataset][fold],
        "g",
        PENALTIES,
        measures=CUTOFFS,
        stop=Stop(max_iterations=iterations),
    )
    return list(points)


def _paths(card: Card, bench: Bench) -> list[Path]:
    """Return the paths of all folds, trained once for a bench."""
    (dataset,) = (name for name in card.data if name in bench.data)
    paths, _ = bench.once(
        f"RSRank over g on {dataset}", lambda: _trained(dataset, bench)
    )
    return paths


def _trained(
    dataset: str, bench: Bench, iterations: int = ITERATIONS, step: float | str = "auto"
) -> list[Path]:
    tasks = [(dataset, fold, iterations, step) for fold in bench.folds(dataset)]
    paths = bench.run(path_task, tasks)
    return [
        PathSubject("g", PENALTIES, splits.train.feature_names).path(points)
        for splits, points in zip(bench.folds(dataset).values(), paths, strict=True)
    ]


def _of(paths: Sequence[Path]) -> dict[str, Any]:
    """Return the protocol of an outcome of paths."""
    seconds = sum(point.seconds for each in paths for point in each.points)
    return {
        "protocol": PATHS,
        "convention": "standard",
        "spread": OVER_FOLDS,
        "seconds": seconds,
    }


def _feature_counts(paths: Sequence[Path]) -> np.ndarray:
    """(folds, m) the features kept at each penalty."""
    return np.array([sparsity.curves(path).nonzeros for path in paths])


def _curves(paths: Sequence[Path], split: str, measure: str) -> np.ndarray:
    """(folds, m) a measure at each penalty."""
    curves = [sparsity.curves(path, measure).measured[split] for path in paths]
    return np.array(curves)


def fraction_left(card: Card, bench: Bench) -> CardOutcome:
    """Table 1: features kept where nDCG@1 to @10 change by less than 3%."""
    paths = _paths(card, bench)
    change = np.abs(sparsity.ratios(paths) - 1.0).mean(axis=1)
    counts, d = sparsity.curves(paths).nonzeros, len(paths[0].feature_names)
    near = np.flatnonzero(change < SMALL_CHANGE)
    best = int(near[np.argmin(counts[near])])
    here = {name for name in card.data if name in bench.data}
    ours, spread = float(counts[best]) / d, ends(_feature_counts(paths)[:, best] / d)
    values = [
        CardValue.of(row, ours, row.dataset, "fraction of features left", spread)
        if row.dataset in here
        else CardValue.of(row, None, row.dataset, "fraction of features left")
        for row in card.rows
    ]
    printed = next(row.value for row in card.rows if row.dataset in here)
    return card.outcome(
        values,
        f"At g = {PENALTIES[best]:g} {percent(ours, 1)} of the features are kept and "
        f"the test measures change by {percent(float(change[best]), 1)} on "
        f"average; printed: {percent(printed, 1)}.",
        **_of(paths),
    )


def ratio_curve(card: Card, bench: Bench) -> CardOutcome:
    """Figure 3: the ratio of nDCG@k with and without sparsity, and its drop."""
    paths = _paths(card, bench)
    ratios = sparsity.ratios(paths)
    counts, d = sparsity.curves(paths).nonzeros, len(paths[0].feature_names)
    sparse = np.flatnonzero(counts < SPARSE * d)
    # If no penalty removes as many features, the largest one comes nearest.
    at = int(sparse[0]) if len(sparse) else -1
    in_folds = np.array([sparsity.ratios(path)[at] for path in paths])
    values = [
        CardValue(
            "ratio", f"@{k}", None, float(ratio), *ends(in_folds[:, k - 1], ratio)
        )
        for k, ratio in enumerate(ratios[at].tolist(), 1)
    ]
    largest, mean = float((1.0 - ratios[at]).max()), float((1.0 - ratios[at]).mean())
    spread = ends(in_folds[:, int(ratios[at].argmin())], largest)
    steps = [(LARGEST, largest, row.value) for row in card.rows]
    values += [
        CardValue.of(row, largest, LARGEST, LARGEST, spread) for row in card.rows
    ]
    for name, limit in card.claimed.items():
        steps.append((name, mean, limit))
        over = ends(in_folds.mean(axis=1), mean)
        values.append(CardValue(name, name, limit, mean, *over))
    text = "; ".join(
        f"the {name} is {percent(drop, 1)}, printed: at most {percent(limit, 1)}"
        for name, drop, limit in steps
    )
    return card.outcome(
        values,
        f"At g = {PENALTIES[at]:g}, with {counts[at]:.1f} of {d} features, test nDCG@1 "
        f"to @{len(ratios[at])} drop: {text}.",
        **_of(paths),
    )


def over_penalties(card: Card, bench: Bench, split: str) -> CardOutcome:
    """Check Figures 4 and 5: nDCG@10 hardly varies over g."""
    paths = _paths(card, bench)
    curves = sparsity.curves(paths)
    curve, in_folds = curves.measured[split], _curves(paths, split, "nDCG@10")
    change = np.abs(curve / curve[0] - 1.0)
    at, varies = int(change.argmax()), float(change.max())
    values = [
        CardValue("nDCG@10", f"{g:g}", None, float(value), *ends(each))
        for g, value, each in zip(curves.values, curve, in_folds.T, strict=True)
    ]
    (row,) = card.rows
    spread = ends(in_folds[:, at] / in_folds[:, 0], varies)
    values.append(CardValue.of(row, varies, "largest change", "largest change", spread))
    verdict = card.verdict(values, {})
    missed = verdict == MISSED
    others = _shorter(card, bench) if missed else []
    return card.outcome(
        values,
        f"nDCG@10 changes by {percent(varies, 2)} at most against g = 0; printed: "
        f"less than {percent(row.value, 2)}."
        + (_why_it_varies(paths, others, split, row.value) if missed else ""),
        **_of([*paths, *itertools.chain.from_iterable(others)]),
    )


VARIATION = rules.when(
    "Reached where nDCG@10 at every penalty is away from that at g = 0 by less than "
    "printed.",
    lambda values, facts: all(a < b for a, b in rules.compared(values)),
)


def _shorter(card: Card, bench: Bench) -> list[list[Path]]:
    """Return the paths of all folds after fewer iterations, by the step here and the
    printed one."""
    dataset = next(name for name in card.data if name in bench.data)
    steps = ("auto", PRINTED_STEP)
    return [_trained(dataset, bench, SHORT, step) for step in steps]


def _why_it_varies(
    paths: Sequence[Path], shorter: Sequence[Sequence[Path]], split: str, limit: float
) -> str:
    """Return the range of the limit, and excluded explanations beyond it."""
    counts = sparsity.curves(paths).nonzeros
    curves = [sparsity.curves(some).measured[split] for some in (paths, *shorter)]
    change, *others = (np.abs(curve / curve[0] - 1.0) for curve in curves)
    last = int(np.argmax(change >= limit)) - 1
    return (
        f" Up to g = {PENALTIES[last]:g}, with {counts[last]:.1f} features, the change "
        f"is below that; beyond, the features that are removed are missed. Shorter "
        f"training does not explain it ({percent(others[0].max(), 2)} with {SHORT} "
        f"iterations), nor does the printed step of {PRINTED_STEP:g}, with which "
        f"training does not settle ({percent(others[1].max())})."
    )


def kept_features(card: Card, bench: Bench) -> CardOutcome:
    """About three features at g = 250."""
    paths = _paths(card, bench)
    curves = sparsity.curves(paths)
    counts = _feature_counts(paths)
    values = [
        CardValue("features kept", f"{g:g}", None, float(each.mean()), *ends(each))
        for g, each in zip(curves.values[:-1], counts.T, strict=False)
    ]
    (row,) = card.rows
    last, x = float(curves.nonzeros[-1]), f"{curves.values[-1]:g}"
    values.append(CardValue.of(row, last, "features kept", x, ends(counts[:, -1])))
    return card.outcome(
        values,
        f"{last:.1f} of {len(paths[0].feature_names)} features are kept at g = 250; "
        "printed: “only 3 features or so”.",
        **_of(paths) | {"convention": NO_MEASURE},
    )


ABOUT_THREE = rules.when(
    "Reached where 2 to 4 features are kept at g = 250, on average over the folds.",
    lambda values, facts: all(abs(a - b) <= 1.0 for a, b in rules.compared(values)),
)


def first_rank(card: Card, bench: Bench) -> CardOutcome:
    """nDCG@1 without sparsity, and the best with it."""
    paths = _paths(card, bench)
    measure = card.rows[0].measure
    curve = sparsity.curves(paths, measure).measured["test"]
    counts, d = sparsity.curves(paths).nonzeros, len(paths[0].feature_names)
    sparse = np.flatnonzero(counts < SPARSE * d)
    # If no penalty removes as many features, the largest one comes nearest.
    best = int(sparse[np.argmax(curve[sparse])]) if len(sparse) else -1
    ours = {"no": float(curve[0]), "sparse": float(curve[best])}
    in_folds = _curves(paths, "test", measure)
    values = []
    for row in card.rows:
        dense = "no sparsity" in row.algorithm
        at, x = (0, DENSE) if dense else (best, "sparse")
        spread = ends(in_folds[:, at])
        values.append(CardValue.of(row, float(curve[at]), measure, x, spread))
    printed = " and ".join(row.text for row in card.rows)
    return card.outcome(
        values,
        f"Here {ours['no']:.3f} without a penalty and {ours['sparse']:.3f} as the best "
        f"of the sparse models; printed {printed}. {measure} rests on few documents of "
        "a query, so both vary much from fold to fold.",
        **_of(paths),
    )


def _keep_quality(values: Values, facts: Facts) -> bool:
    """Whether the sparse models lose no more against g = 0 than in the paper."""
    dense, sparse = sorted(values, key=lambda value: value.x != DENSE)
    ours, printed = (
        (getattr(dense, name) or 0.0) - (getattr(sparse, name) or 0.0)
        for name in ("ours", "printed")
    )
    return ours <= printed


FIRST_RANKS = rules.when(
    "Reached where the best sparse model loses no more against g = 0 than in the "
    "paper, or gains as much where it gains there; the levels of both differ with the "
    "model at g = 0.",
    _keep_quality,
)
