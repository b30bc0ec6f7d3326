r"""Base of the structured large-margin rankers: settings and training.

Features are taken in units of their range within a query, so that :math:`w^\top w`
treats them alike at any scale. Features scaled to [0, 1] within each query, as in
LETOR, are in that unit already.

All orders of a query that has only relevant or only irrelevant documents have the same
loss, so it is skipped. It does count in :math:`|Q|`, as on the slides, and so scales C.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rankcore.algorithms.parts.forces import Forces
from rankcore.algorithms.parts.margins.cutting_planes import (
    LIMITED,
    WeightedLoss,
    cutting_planes,
)
from rankcore.algorithms.parts.margins.margin_losses import BinaryQueries
from rankcore.algorithms.parts.ranker import BINARY_LOSS, QueryWeights
from rankcore.algorithms.parts.scales import feature_ranges, reciprocal
from rankcore.algorithms.parts.signs import SignedRanker
from rankcore.base.hyperparameters import choice, integer, logarithmic
from rankcore.data.dataset import RankingDataset
from rankcore.training.steps import Start, Steps

if TYPE_CHECKING:
    from rankcore.training import Record

SLIDES = (
    "S. Chakrabarti, R. Khanna, U. Sawant, C. Bhattacharyya: Structured learning for "
    "non-smooth ranking losses. KDD 2008."
)
# The beginning of the summaries of rankers with one loss.
MARGIN_OF = "Makes each query's ideal order beat every other order by a margin of"
_ZERO_MODEL = (
    "The best model is the zero model, which gives all documents one score: whatever "
    "the coefficients tried, margins cost more than they save. No cutoff, another "
    "loss, feature map or scaling, a larger C or a smaller epsilon may help."
)
_ZERO_SO_FAR = (
    "So far the zero model, which gives all documents one score, is the best one."
)
_SWEEP = (0.01, 0.1, 1.0, 10.0, 100.0)


def margin_problem(measure: str) -> str:
    """Return the objective of a ranker whose slacks bound 1 - a measure, in LaTeX."""
    return (
        r"\min_{w,\,\xi \ge 0} w^\top w + \frac{C}{|Q|} \sum_q \xi_q, \quad "
        rf"w^\top \delta\phi_q(y) \ge 1 - {measure}(y) - \xi_q \;\; \forall y"
    )


def slack_weight(default: float, loss: str = "", **details: Any) -> Any:
    """Declare the C of a loss; a name distinguishes it from those of other losses."""
    what = f"slack of the {loss} loss" if loss else "slack"
    return logarithmic(
        default,
        (0.0, 1000.0),
        symbol=rf"C_{{\mathrm{{{loss}}}}}" if loss else "C",
        label=f"Weight of the {loss} loss" if loss else "Weight of the loss",
        meaning=f"Weight of the mean {what} relative to the squared coefficients; 0 "
        f"leaves {'this loss out' if loss else 'the zero model'}.",
        while_running=True,
        **details,
    )


def swept_slack_weight(default: float) -> Any:
    """Declare the C of a ranker's only loss."""
    return slack_weight(default, sweep=_SWEEP)


def letor_discount() -> Any:
    """Declare the discount of NDCG."""
    return choice(
        "standard",
        ("standard", "letor"),
        symbol="D",
        meaning="Discount 1 / log2(1 + rank), or that of the LETOR scripts: 1 at ranks "
        "1 and 2, then 1 / log2(rank).",
        advanced=True,
    )


def map_scaling(meaning: str) -> Any:
    """Declare whether a feature map is a mean or a sum."""
    return choice(
        "mean",
        ("mean", "sum"),
        symbol=r"\nu",
        label="Scaling of features",
        meaning=meaning,
        advanced=True,
    )


@dataclass
class _Limit:
    """Limit on the solver's multiplications, and whether it was reached; a run trains a
    copy of the algorithm, which shares this object."""

    work: float
    is_reached: bool = False


@dataclass(eq=False, repr=False, kw_only=True)
class StructuredRanker(SignedRanker):
    """Base of the structured large-margin rankers."""

    family = "structured"
    anytime = False
    converges = True
    whole_labels = BINARY_LOSS
    tuning_params = ("C",)
    query_weights = QueryWeights(
        True, "The slack of a query has C w_q / Σ w_q in place of C / |Q|."
    )
    resumes = True
    splits = True

    epsilon: float = logarithmic(
        1e-3,
        (1e-5, 0.1),
        minimum=1e-8,
        symbol=r"\epsilon",
        label="Precision",
        meaning="Training ends when the objective is provably within this fraction of "
        "ΣC of its minimum.",
        advanced=True,
    )
    slacks: str = choice(
        "per_query",
        ("per_query", "one"),
        symbol=r"\xi",
        label="Slack variables",
        meaning="One slack per query (n-slack: few rounds) or one for the mean over "
        "queries (1-slack: few constraints); the minimum is the same.",
        advanced=True,
    )

    _limit = _Limit(math.inf)

    def within(self, work: float) -> Self:
        """Return a copy with this limit on the solver's multiplications."""
        same = type(self)(**self.get_params())
        same._limit = _Limit(work)
        return same

    def ending_note(self, best: "Record") -> str | None:
        """Return a note if the best model is zero despite constraints."""
        considered = "primal" in best.diagnostics
        if not considered or best.nonzeros:
            return None
        return _ZERO_SO_FAR if self._limit.is_reached else _ZERO_MODEL

    @abstractmethod
    def losses(self, dataset: RankingDataset) -> list[WeightedLoss]:
        """Return the losses to be minimised together, each with its C."""

    def forces(self, dataset: RankingDataset, scores: np.ndarray) -> Forces:
        """Return the weighted mean slack with its derivatives or subgradient."""
        value, total = 0.0, np.zeros(dataset.n_documents)
        for item in self.losses(dataset):
            losses, margins = item.loss.separation_oracle(scores)
            counted = np.repeat(item.loss.counted, dataset.lengths)
            share = item.C / float(dataset.weights.sum())
            slacks = (losses * dataset.weights)[item.loss.counted]
            margins = margins * np.repeat(dataset.weights, dataset.lengths)
            slack = slacks.sum() - (margins * scores)[counted].sum()
            value += share * float(slack)
            total += share * np.where(counted, margins, 0.0)
        return Forces(value, total)

    def steps(
        self, dataset: RankingDataset, rng: np.random.Generator, start: Start = None
    ) -> Steps:
        """Yield the rounds of `rankcore.algorithms.parts.margins.cutting_planes`.

        Diagnostics: the number of constraints, the largest violation, primal, dual and
        gap, and the norm of the coefficients, with features in units of their range.
        """
        first = None if start is None else self.checked_start(start, dataset)
        steps = cutting_planes(
            dataset,
            self.losses,
            reciprocal(feature_ranges(dataset)),
            epsilon=self.epsilon,
            per_query=self.slacks == "per_query",
            start=first,
            signs=self.bounds(dataset),
            most_work=self._limit.work,
        )
        reason = yield from steps
        self._limit.is_reached = (reason or "").startswith(LIMITED)
        return reason


@dataclass(eq=False, repr=False, kw_only=True)
class BinaryStructuredRanker(StructuredRanker):
    """Base of the rankers whose losses use binary relevance."""

    relevant_from: int = integer(
        1,
        low=1,
        high=4,
        label="Relevant if label ≥",
        meaning="Documents with at least this label count as relevant, all others as "
        "irrelevant; training ignores finer grades.",
        sweep=(1, 2),
    )
    scaling: str = map_scaling(
        "Whether a query's feature map is the mean over its pairs, so that margins are "
        "comparable across queries, or the sum, as in the paper's slides."
    )

    def queries(self, dataset: RankingDataset) -> BinaryQueries:
        """Return the documents, divided by the relevance threshold."""
        return BinaryQueries(dataset, dataset.y >= self.relevant_from)

    @property
    def per_pair(self) -> bool:
        """Whether feature maps are means over pairs."""
        return self.scaling == "mean"
