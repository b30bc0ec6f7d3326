"""Checks of Lai et al. 2011: FenchelRank's certificate, rate and early stopping."""

import numpy as np

from rankcore.algorithms.fenchel_rank import FenchelRank
from rankcore.algorithms.parts.scoring import linear_scores
from rankcore.base.numbers import three_digits
from rankcore.data.catalogue import load_dataset
from rankcore.topics.papers import rules
from rankcore.topics.papers.bench import Bench, Data, ends
from rankcore.topics.papers.card import OVER_FOLDS, Card, CardOutcome
from rankcore.topics.papers.rules import BROKEN, FALSE, TRIED, Facts, Values
from rankcore.topics.papers.value import CardValue
from rankcore.topics.reduction.pair_losses import list_pairs, plain_hinge
from rankcore.training import Run, Stop, drive

SMALL = "planted"
ITERATIONS = 60
LOOSE, TIGHT = 1e-3, 1e-6
LITTLE = 0.002
SUM = "sum of hinges"


def _run() -> Run:
    """FenchelRank on a small set, with a record of each iteration."""
    learner = FenchelRank()
    learner.set_params(gap_tolerance=0.0)
    run = drive(
        learner,
        load_dataset(SMALL).train,
        stop=Stop(max_iterations=ITERATIONS),
        measures=(),
    )
    list(run)
    return run


def certificate(card: Card, bench: Bench) -> CardOutcome:
    """Check that the gap is at least the distance from the optimum."""
    run = _run()
    optimum = min(record.objective for record in run.history.records)
    rows = [r for r in run.history.records if "best gap" in r.diagnostics]
    gaps = np.array([record.diagnostics["best gap"] for record in rows])
    away = np.array([record.objective for record in rows]) - optimum
    broken = int((gaps < away - 1e-9).sum())
    values = tuple(
        CardValue("distance", str(rows[i].iteration), float(gaps[i]), float(away[i]))
        for i in np.unique(np.linspace(0, len(rows) - 1, 10).astype(int))
    )
    facts = {TRIED: len(rows), BROKEN: broken}
    return card.outcome(
        values,
        f"At {broken} of {len(rows)} iterations the gap is smaller than the distance "
        f"from the best objective of {ITERATIONS} iterations; the last gap is "
        f"{three_digits(float(gaps[-1]))}.",
        f"{SMALL}, r = 1; hollow: the certificate",
        facts=facts,
    )


def rate(card: Card, bench: Bench) -> CardOutcome:
    """Check for an epsilon-accurate solution after O(1/epsilon) iterations."""
    run = _run()
    records = run.history.records
    optimum = min(record.objective for record in records)
    broken, values = 0, []
    for record in records:
        bound = 16.0 / (record.iteration + 2.0)
        away = record.objective - optimum
        broken += away > bound
        if record.iteration in (0, 1, 2, 5, 10, 20, 40, 60):
            values.append(CardValue("distance", str(record.iteration), bound, away))
    facts = {TRIED: len(records), BROKEN: broken}
    return card.outcome(
        values,
        f"{broken} of {len(records)} iterates are farther from the optimum than "
        "16 r²/(t + 2).",
        f"{SMALL}, r = 1, squared hinge averaged over pairs; hollow: the rate",
        facts=facts,
    )


def early_task(
    data: Data, dataset: str, fold: str, tolerance: float
) -> tuple[float, int, int, float]:
    """Test nDCG@10, iterations, features and seconds at a tolerance of the gap."""
    from rankcore import measures

    splits = data[dataset][fold]
    learner = FenchelRank(gap_tolerance=tolerance)
    run = drive(learner, splits.train, stop=Stop(max_iterations=2000), measures=())
    last = list(run)[-1]
    test = splits.test
    assert test is not None
    means = measures.means(
        test, linear_scores(test.X, last.coef), ["nDCG@10"], "letor3"
    )
    return means["nDCG@10"], last.iteration, last.nonzeros, last.seconds


def early_stopping(card: Card, bench: Bench) -> CardOutcome:
    """Check that a gap of 0.001 is enough for the ranking."""
    folds = list(bench.folds("OHSUMED"))
    tolerances = (1e-1, 1e-2, LOOSE, 1e-4, TIGHT)
    tasks = [("OHSUMED", fold, t) for t in tolerances for fold in folds]
    table = np.array(bench.run(early_task, tasks)).reshape(len(tolerances), -1, 4)
    means = table.mean(axis=1)
    values = tuple(
        CardValue("test nDCG@10", f"{t:g}", None, float(values.mean()), *ends(values))
        for t, values in zip(tolerances, table[:, :, 0], strict=True)
    )
    return card.outcome(
        values,
        f"Stopped at a gap of {LOOSE:g}, after {means[2, 1]:.0f} iterations, test "
        f"nDCG@10 is {means[2, 0]:.4f}; at {three_digits(TIGHT)}, after "
        f"{means[-1, 1]:.0f}, it is {means[-1, 0]:.4f}. The page at hand prints "
        "no numbers.",
        "r = 1, at most 2000 iterations, mean of the folds",
        "letor3",
        OVER_FOLDS,
        float(table[:, :, 3].sum()),
    )


def _loses_little(values: Values, facts: Facts) -> bool:
    at = {value.x: value.ours or 0.0 for value in values}
    return at[f"{TIGHT:g}"] - at[f"{LOOSE:g}"] <= LITTLE


EARLY = rules.when(
    f"Reached where test nDCG@10 at a gap of {LOOSE:g} is at most {LITTLE:g} below "
    f"that at {three_digits(TIGHT)}.",
    _loses_little,
)


def hinge(card: Card, bench: Bench) -> CardOutcome:
    """Check that the pairwise hinge loss bounds 1 - NDCG."""
    pairs = list_pairs([0, 1, 0, 0], [-0.63, 0.51, 0.57, -0.54])
    hinge_loss = plain_hinge(pairs)
    values = (
        CardValue("1 − NDCG", SUM, hinge_loss.total, pairs.lost),
        CardValue("1 − NDCG", "mean of hinges", hinge_loss.mean, pairs.lost),
    )
    bounds = [
        "is" if n >= pairs.lost else "is not"
        for n in (hinge_loss.total, hinge_loss.mean)
    ]
    return card.outcome(
        values,
        f"1 − NDCG is {pairs.lost:.3f}; the sum of the hinge losses, "
        f"{hinge_loss.total:.3f}, {bounds[0]} a bound, their mean, which is minimised, "
        f"{bounds[1]} ({hinge_loss.mean:.3f}).",
        "labels 0, 1, 0, 0; scores −0.63, 0.51, 0.57, −0.54; hollow: the bound",
        "standard",
    )


HINGE = rules.when(
    "Reached where the sum of the hinge losses, as equation 1 has it, is at least "
    "1 − NDCG; false as printed where it is below.",
    lambda values, facts: all(
        a <= b for a, b in rules.compared([v for v in values if v.x == SUM])
    ),
    FALSE,
)
