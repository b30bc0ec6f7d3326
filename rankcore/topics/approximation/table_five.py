"""The restart experiment of a paper's Table 5, on any data.

T. Qin, T.-Y. Liu, H. Li, *A general approximation framework for direct optimization of
information retrieval measures*, Information Retrieval 13:375-397, 2010, train
ApproxNDCG by their Algorithm 1 on fold 1 of OHSUMED, at three sharpnesses, from one
random start and from a hundred, and give nDCG@5 on the training queries.

The paper gives one number per cell. The result of one start varies far more than the
cells differ, and even with a hundred starts the seed decides which sharpness leads. So
each `Outcome` includes its spread.

Readings: starts are uniform in [-1, 1] for each feature of range 1, and a climb that
still moves ends after 300 epochs; the paper specifies neither. A climb returns its best
model rather than its last. Results follow LETOR 3.0's script, in which a query without
relevant documents counts as 0.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rankcore.data.dataset import RankingDataset
from rankcore.measures import Rules
from rankcore.studies import Study
from rankcore.topics.approximation.end_points import (
    Outcome,
    RestartSubject,
    restart_study,
)

if TYPE_CHECKING:
    from rankcore.algorithms import Approximation

RULES = Rules("letor3")
CUTOFF = 5
PASSES = 300
# Name of the paper's data, and its number of features in LETOR 3.0.
DATA = "ohsumed/Fold1"
FEATURES = 45
# Minimum restarts per sharpness for the deviation of the best of a few.
FEW, ENOUGH = 5, 20


class PublishedRow(NamedTuple):
    """A row of the published table.

    Attributes
    ----------
    one, hundred : float
        nDCG@5 on the training queries, from one start and as the best of a hundred.
    """

    alpha: float
    one: float
    hundred: float


PUBLISHED = (
    PublishedRow(50.0, 0.4818, 0.4828),
    PublishedRow(100.0, 0.4849, 0.4862),
    PublishedRow(300.0, 0.4793, 0.5073),
)
ALPHAS = tuple(row.alpha for row in PUBLISHED)


@dataclass(frozen=True)
class TableFiveSubject(RestartSubject):
    """The subject of `study`.

    Attributes
    ----------
    learner, dataset, alphas, measure
        As in `RestartSubject`.
    comparable : bool
        Whether the published table has the same data and surrogate.
    """

    comparable: bool


def study(
    learner: "Approximation",
    dataset: RankingDataset,
    measure: str,
    count: int,
    comparable: bool = False,
) -> Study:
    """Return the experiment, not yet started.

    Parameters
    ----------
    learner : Approximation
        Determines the measure and, by its ``random_state``, the starts.
    dataset : RankingDataset
        With all its features.
    measure : str
        Measure of the end points; see `reported`.
    count : int
        Restarts at each sharpness.
    comparable : bool
        Whether the published table has the same data and surrogate; see `is_published`.

    Returns
    -------
    Study
        As that of `restart_study`; its subject is a `TableFiveSubject`.
    """
    restarts = restart_study(
        as_in_the_paper(learner),
        dataset,
        ALPHAS,
        count,
        measure=measure,
        rules=RULES,
    )
    restarts.subject = TableFiveSubject(**vars(restarts.subject), comparable=comparable)
    return restarts


def as_in_the_paper(learner: "Approximation") -> "Approximation":
    """Return a copy that climbs by the paper's Algorithm 1."""
    settings = learner.get_params() | {
        "optimiser": "stochastic",
        "learning_rate": 0.01,
        "tolerance": 0.001,
        "init": "uniform",
        "init_scale": 1.0,
        "restart_passes": PASSES,
        "max_iter": PASSES,
    }
    return type(learner)(**settings)


def reported(smoothed: str, names: Iterable[str]) -> str:
    """Return the measure of a climb's result: the smoothed one at cutoff 5 if it
    exists, as for nDCG."""
    top = f"{smoothed}@{CUTOFF}"
    return top if top in names else smoothed


def promise_text(dataset: RankingDataset, smoothed: str, by: str, count: int) -> str:
    """Return the plan of the experiment, as sentences.

    Parameters
    ----------
    smoothed, by : str
        The measure whose surrogate is maximised, and that of the end points.
    count : int
        Restarts at each sharpness.
    """
    alphas = ", ".join(f"{alpha:g}" for alpha in ALPHAS)
    return (
        f"Table 5 of the paper: {count} restarts at each of α = {alphas}, on all "
        f"{dataset.n_features} features and all {dataset.n_queries:,} training "
        f"queries. These {count * len(ALPHAS)} runs of Algorithm 1 maximise the "
        f"surrogate of {smoothed}, each for at most {PASSES} epochs; results are "
        f"measured by {by}."
    )


def is_published(name: str, dataset: RankingDataset, smoothed: str) -> bool:
    """Whether the published table has this data and this smooth measure.

    Parameters
    ----------
    name : str
        Name of the data in the catalogue.
    smoothed : str
        Such as ``"nDCG"``.
    """
    same_data = name.lower() == DATA.lower() and dataset.n_features == FEATURES
    return same_data and smoothed == "nDCG"


def published_texts() -> dict[str, str]:
    """Return the published columns ``alphas``, ``one`` and ``hundred`` as lists in
    words."""
    return {
        "alphas": ", ".join(f"{row.alpha:g}" for row in PUBLISHED),
        "one": ", ".join(f"{row.one:.4f}" for row in PUBLISHED),
        "hundred": ", ".join(f"{row.hundred:.4f}" for row in PUBLISHED),
    }


def published(alpha: float) -> PublishedRow | None:
    """Return the published row of a sharpness."""
    return next((row for row in PUBLISHED if row.alpha == alpha), None)


class Apart(NamedTuple):
    """Range (largest − smallest) over the sharpnesses.

    Attributes
    ----------
    one, hundred : float
        From one start, and as the best of a hundred.
    """

    one: float
    hundred: float


def published_apart() -> Apart:
    """Return the range of the published figures over the sharpnesses."""
    _, one, hundred = zip(*PUBLISHED, strict=True)
    return Apart(max(one) - min(one), max(hundred) - min(hundred))


def table(outcomes: Sequence[Outcome], comparable: bool) -> list[dict[str, str]]:
    """Return Table 5 as text, one row per sharpness.

    Parameters
    ----------
    comparable : bool
        Whether to include the published values.
    """
    return [
        {
            "α": f"{outcome.alpha:g}",
            "one start": _varies(outcome.mean, outcome.deviation),
            f"best of {FEW}": _varies(
                outcome.expected[FEW - 1], outcome.varies[FEW - 1]
            )
            if outcome.restarts >= ENOUGH
            else "–",
            "best of all": f"{outcome.best:.3f}",
            **(_beside(outcome.alpha) if comparable else {}),
            "restarts": f"{outcome.restarts}",
        }
        for outcome in outcomes
    ]


def reading(outcomes: Sequence[Outcome], comparable: bool) -> str:
    """Return the explanation of the table and of its rows' differences; parameters as
    of `table`."""
    meaning = (
        "Best: the restart with the largest training surrogate. ± is a standard "
        "deviation; the best of all has none, because it is a single value."
    )
    if min(outcome.restarts for outcome in outcomes) < ENOUGH:
        return meaning
    means = [outcome.mean for outcome in outcomes]
    widest = max(outcome.deviation for outcome in outcomes)
    if not comparable:
        return (
            f"{meaning} The mean of one start differs by up to "
            f"{max(means) - min(means):.3f} between the values of α; a single start "
            f"varies by up to ± {widest:.3f}."
        )
    apart = published_apart()
    verdict = ", so their order is random" if widest > apart.one else ""
    return (
        f"{meaning} The published values of one start differ by at most "
        f"{apart.one:.4f}, and a single start varies by up to ± {widest:.3f} "
        f"here{verdict}. Those of a hundred starts differ by up to "
        f"{apart.hundred:.4f}; run another seed to see how much they vary."
    )


def _varies(mean: float, deviation: float) -> str:
    return f"{mean:.3f}" + ("" if math.isnan(deviation) else f" ± {deviation:.3f}")


def _beside(alpha: float) -> dict[str, str]:
    """Return the published values of a sharpness; empty if it is not in the table."""
    row = published(alpha)
    if row is None:
        return {}
    return {
        "published, one start": f"{row.one:.4f}",
        "published, best of 100": f"{row.hundred:.4f}",
    }
