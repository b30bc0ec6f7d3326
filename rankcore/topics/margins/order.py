"""One query of a structured large-margin ranker: its worst order and its slack.

The functions take a structured ranker (`rankcore.SVMMAP`, `rankcore.SVMCombo`,
`rankcore.DORM` …) with its hyperparameters, and the coefficients of any linear model.
The construction of the worst order is in `rankcore.topics.margins.merges`, training
over many queries in `rankcore.topics.margins.training`.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcore.algorithms.parts.margins.assignment_loss import AssignmentLoss
from rankcore.algorithms.parts.margins.margin_losses import MergeLoss
from rankcore.algorithms.parts.scoring import linear_scores
from rankcore.base.arrays import Floats, Integers
from rankcore.data.dataset import RankingDataset

if TYPE_CHECKING:
    from rankcore.algorithms import StructuredRanker


class Case(NamedTuple):
    """A query under a model.

    Attributes
    ----------
    algorithm : StructuredRanker
        Determines the loss, feature map and threshold.
    query : int
        Position of the query.
    coef : (d,) float64
    loss : str, optional
        Name of one of several losses; by default the first.
    """

    algorithm: "StructuredRanker"
    dataset: RankingDataset
    query: int
    coef: ArrayLike
    loss: str | None = None

    def alone(self) -> tuple[RankingDataset, MergeLoss | AssignmentLoss, Floats]:
        """Return the query as a separate data set, its loss, and its documents' scores.

        Raises
        ------
        ValueError
            If the algorithm has no such loss.
        """
        lists = self.dataset.subset([self.query])
        loss = loss_named(self.algorithm, lists, self.loss)
        return lists, loss, linear_scores(lists.X, np.asarray(self.coef))


class Inversion(NamedTuple):
    """A bad document that the worst order puts above a good one.

    Attributes
    ----------
    good, bad : int
        Documents, counted within the query.
    loss : float
        Contribution of the swap to the loss.
    margin : float
        Contribution to the margin, w . (phi(ideal) - phi(worst)): positive if the model
        scores the good document higher.
    """

    good: int
    bad: int
    loss: float
    margin: float


class WorstOrder(NamedTuple):
    """The order that violates its margin most, with the current and the ideal one.

    Attributes
    ----------
    documents : tuple of m str
    labels, scores : (m,) int64, (m,) float64
    current, worst, ideal : (m,) int64
        Documents in the three orders, best first, counted within the query. The ideal
        order keeps the current one among equal labels.
    losses, margins : (m,) float64
        Contribution of each document to the loss of the worst order and to the margin.
    swaps : tuple of Inversion
        The pairs that the worst order inverts, with the same two sums; empty for a loss
        that is not a sum over pairs.
    predicted_loss : float
        The loss of the current order, a lower bound on the slack.
    counted : bool
        Whether the query has an order to prefer; if not, nothing can be lost.
    """

    loss_name: str
    documents: tuple[str, ...]
    labels: Integers
    scores: Floats
    current: Integers
    worst: Integers
    ideal: Integers
    losses: Floats
    margins: Floats
    swaps: tuple[Inversion, ...]
    predicted_loss: float
    counted: bool

    @property
    def loss(self) -> float:
        """The loss of the worst order, 0 to 1."""
        return float(self.losses.sum())

    @property
    def margin(self) -> float:
        """The margin of the ideal order over the worst one."""
        return float(self.margins.sum())

    @property
    def slack(self) -> float:
        """Loss minus margin; at least the loss of the current order."""
        return self.loss - self.margin


def worst_order(case: Case) -> WorstOrder:
    """Return the worst order of one query under a model, term by term.

    Raises
    ------
    ValueError
        If the algorithm of the case has no such loss.
    """
    lists, chosen, scores = case.alone()
    forces = chosen.separation_oracle(scores)[1]
    swaps: tuple[Inversion, ...] = ()
    levels, losses = lists.y, np.zeros(len(scores))
    if isinstance(chosen, MergeLoss):
        swaps, levels = _swaps(chosen), chosen.queries.relevant.astype(np.int64)
        for swap in swaps:
            losses[swap.good] += swap.loss
    else:
        losses = chosen.lost
    current = np.argsort(-scores, kind="stable")
    return WorstOrder(
        loss_name=chosen.name,
        documents=lists.query(0).doc_names,
        labels=lists.y,
        scores=scores,
        current=current,
        worst=chosen.most_violated(scores, 0),
        ideal=current[np.argsort(-levels[current], kind="stable")],
        losses=losses,
        margins=forces * scores,
        swaps=swaps,
        predicted_loss=float(chosen.predicted_losses(scores)[0]),
        counted=bool(chosen.counted[0]),
    )


class Term(NamedTuple):
    """Contribution of a swap, a document or all others to loss and margin."""

    name: str
    loss: float
    margin: float


def slack_terms(worst: WorstOrder) -> list[Term]:
    """Return every swap or, if the loss is not a sum over pairs, every contributing
    document, with the largest contributions to the slack first."""
    names = worst.documents
    terms = [
        Term(f"{names[swap.bad]} above {names[swap.good]}", swap.loss, swap.margin)
        for swap in worst.swaps
    ]
    if not worst.swaps:
        sums = (worst.losses.tolist(), worst.margins.tolist())
        each = zip(names, *sums, strict=True)
        terms = [Term(*term) for term in each if term[1] or term[2]]
    return sorted(terms, key=lambda term: term.margin - term.loss)


def largest_terms(terms: Sequence[Term], most: int = 12) -> tuple[Term, ...]:
    """Return the first terms, and the sum of the others.

    Parameters
    ----------
    terms : sequence of Term
        From `slack_terms`.
    most : int
        Maximum number of terms; the last one is the sum of all others.
    """
    if len(terms) <= most:
        return tuple(terms)
    others = terms[most - 1 :]
    rest = Term(
        f"{len(others)} others",
        sum(term.loss for term in others),
        sum(term.margin for term in others),
    )
    return (*terms[: most - 1], rest)


class Slacks(NamedTuple):
    """The shortfall of each query from its margins.

    Attributes
    ----------
    slack : (q,) float64
        The loss of the worst order minus its margin.
    predicted : (q,) float64
        The loss of the predicted order, never above the slack; NaN if not requested.
    counted : (q,) bool
        Queries with an order to prefer.
    """

    slack: Floats
    predicted: Floats
    counted: NDArray[np.bool_]

    @property
    def mean(self) -> float:
        """The mean slack of the counted queries; NaN if there are none."""
        return float(self.slack[self.counted].mean()) if self.counted.any() else np.nan


def slacks(
    algorithm: "StructuredRanker",
    dataset: RankingDataset,
    coef: ArrayLike,
    loss: str | None = None,
    predicted: bool = True,
) -> Slacks:
    """Return the slack of every query, and by default the loss of its predicted order;
    parameters as of `worst_order`."""
    chosen = loss_named(algorithm, dataset, loss)
    scores = linear_scores(dataset.X, np.asarray(coef, dtype=np.float64))
    lost, forces = chosen.separation_oracle(scores)
    margins = np.add.reduceat(forces * scores, dataset.offsets[:-1])
    losses = (
        chosen.predicted_losses(scores) if predicted else np.full(len(lost), np.nan)
    )
    return Slacks(lost - margins, losses, chosen.counted)


class SlackCurve(NamedTuple):
    """Slack and loss of one query as functions of one document's score.

    Attributes
    ----------
    scores : (g,) float64
        Scores of the document, rising.
    slack : (g,) float64
        Convex and piecewise linear.
    loss : (g,) float64
        Loss of the predicted order, with steps at the other documents' scores.
    at : int
        The present position of the document.
    every : (m,) float64
        The scores of all documents now.
    """

    scores: Floats
    slack: Floats
    loss: Floats
    at: int
    every: Floats


def slack_along(
    algorithm: "StructuredRanker",
    scores: ArrayLike,
    labels: ArrayLike,
    document: int,
    low: float | None = None,
    high: float | None = None,
    loss: str | None = None,
    count: int = 121,
) -> SlackCurve:
    """Move the score of one document of a list, with all others fixed.

    Parameters
    ----------
    algorithm : StructuredRanker
        Determines the loss and threshold.
    scores, labels : (m,) array
    document : int
        The moving document, from 0.
    low, high : float, optional
        The range to show; by default `score_range`.
    loss : str, optional
        As in `worst_order`.
    count : int
        Points on the range, in addition to the document's own score and a pair of
        points at each other score, which makes steps vertical.
    """
    s = np.asarray(scores, dtype=np.float64)
    ends = score_range(s)
    low, high = ends[0] if low is None else low, ends[1] if high is None else high
    others = np.delete(s, document)
    near = 1e-6 * max(high - low, 1e-9)
    grid = np.unique(
        np.concatenate(
            [np.linspace(low, high, count), others - near, others + near, [s[document]]]
        )
    )
    rows = np.tile(s, (len(grid), 1))
    rows[:, document] = grid
    lists = RankingDataset.from_arrays(
        rows.reshape(-1, 1),
        np.tile(np.asarray(labels), len(grid)),
        np.repeat(np.arange(len(grid)), len(s)),
    )
    slack = slacks(algorithm, lists, np.ones(1), loss)
    at = int(np.searchsorted(grid, s[document]))
    return SlackCurve(grid, slack.slack, slack.predicted, at, s)


def loss_named(
    algorithm: "StructuredRanker", dataset: RankingDataset, name: str | None
) -> MergeLoss | AssignmentLoss:
    """Return one of the losses of an algorithm on a data set, by default the first.

    Raises
    ------
    ValueError
        If there is no loss of that name.
    """
    losses = [item.loss for item in algorithm.losses(dataset)]
    for loss in losses:
        if name in (None, loss.name):
            return cast(MergeLoss | AssignmentLoss, loss)
    names = ", ".join(loss.name for loss in losses)
    raise ValueError(f"{algorithm.title} has no loss {name!r}; there is {names}.")


def pair_values(loss: MergeLoss) -> Floats:
    """(2, m, n') contributions of inverting each pair to the loss and to the margin."""
    queries = loss.queries
    m, n_bad = int(queries.n_good[0]), int(queries.n_bad[0])
    if not loss.counted[0]:
        return np.zeros((2, m, n_bad))
    good, bad = queries.keys[:m], queries.keys[m:]
    added = np.diff(loss.costs(m, n_bad), axis=1)
    return np.stack([added, loss.weights[0] * (bad - good[:, None])])


def _swaps(loss: MergeLoss) -> tuple[Inversion, ...]:
    rows, m = loss.queries.rows, int(loss.queries.n_good[0])
    added, removed = pair_values(loss)
    return tuple(
        Inversion(
            int(rows[i]), int(rows[m + j]), float(added[i, j]), float(-removed[i, j])
        )
        for i in range(m)
        for j in range(loss.above[i])
    )


def score_range(scores: ArrayLike) -> tuple[float, float]:
    """Return whole numbers around all scores and 0, with room beside them.

    Parameters
    ----------
    scores : (m,) float64
        At least one.
    """
    s = np.asarray(scores, dtype=np.float64)
    low = math.floor(min(float(s.min()) - 0.05, -0.5))
    high = math.ceil(max(float(s.max()) + 0.05, 0.5))
    return float(low), float(high)
