"""What structured large-margin training does: its health, its worst orders, its merges.

The functions take a structured ranker (`rankcore.SVMMAP`, `rankcore.SVMCombo`,
`rankcore.DORM` …) with its hyperparameters, and the coefficients of any linear model.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcore import measures as _measures
from rankcore.algorithms._assignment_loss import AssignmentLoss
from rankcore.algorithms._margin_losses import StaircaseLoss
from rankcore.dataset import RankingDataset

if TYPE_CHECKING:
    from rankcore.algorithms._ranker import Ranker
    from rankcore.algorithms._structured import StructuredRanker

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Health(NamedTuple):
    """How much training gains over no model at all, as C grows.

    Attributes
    ----------
    C : (m,) float64
        Sum of the C of all losses.
    objective : (m,) float64
        The minimum found.
    useless : (m,) float64
        The objective at w = 0, the sum of C times the largest mean loss.
    norm : (m,) float64
        Length of the coefficients found, features in units of their range.
    rounds : (m,) int64
        Passes over the data.
    """

    C: Floats
    objective: Floats
    useless: Floats
    norm: Floats
    rounds: Integers

    @property
    def gain(self) -> Floats:
        """(m,) share of the useless objective that training takes away, 0 to 1."""
        gained = np.zeros_like(self.useless)
        some = self.useless > 0.0
        gained[some] = 1.0 - self.objective[some] / self.useless[some]
        return gained


def optimisation_health(
    algorithm: "StructuredRanker",
    dataset: RankingDataset,
    factors: Sequence[float] = (0.01, 0.1, 1.0, 10.0),
) -> Health:
    """Train with the algorithm's C, or all its C, times each factor.

    Parameters
    ----------
    algorithm : StructuredRanker
    dataset : RankingDataset
    factors : sequence of float

    Returns
    -------
    Health
    """
    from rankcore.training import drive

    names = [name for name in algorithm.get_params() if name.split("_")[0] == "C"]
    rows = []
    for factor in factors:
        settings = algorithm.get_params()
        settings.update({name: factor * settings[name] for name in names})
        run = drive(type(algorithm)(**settings), dataset, measures=())
        history = list(run)
        rows.append(
            (
                sum(settings[name] for name in names),
                run.best.objective,
                history[0].objective,
                run.best.diagnostics.get("norm of w", 0.0),
                history[-1].iteration,
            )
        )
    C, objective, useless, norm, rounds = map(np.array, zip(*rows, strict=True))
    return Health(C, objective, useless, norm, rounds)


class Mismatch(NamedTuple):
    """Every model, trained for one measure, tested by every measure.

    Attributes
    ----------
    trained : tuple of m str
        What the models were trained for.
    tested : tuple of k str
        Names of the measures.
    values : (m, k) float64
        Higher is better.
    best : (k,) int64
        The model that is best by each measure.
    """

    trained: tuple[str, ...]
    tested: tuple[str, ...]
    values: Floats
    best: Integers


def mismatch(
    models: "Mapping[str, Ranker]",
    dataset: RankingDataset,
    measures: Sequence[str] = ("RR@10", "nDCG@10", "AP", "AUC"),
    convention: str = "standard",
    empty: str = "zero",
) -> Mismatch:
    """Test fitted models by measures they were not all trained for.

    Parameters
    ----------
    models : dict of str to Ranker
        Fitted, by what they were trained for.
    dataset : RankingDataset
    measures, convention, empty
        As in `rankcore.measures.evaluate`.

    Returns
    -------
    Mismatch
    """
    rows = []
    for model in models.values():
        scores = model.scores(dataset.X, model.parameters_)
        found = _measures.means(dataset, scores, measures, convention, empty)
        rows.append(list(found.values()))
        names = tuple(found)
    values = np.array(rows)
    return Mismatch(tuple(models), names, values, np.argmax(values, axis=0))


class Swap(NamedTuple):
    """A bad document that the worst order puts above a good one.

    Attributes
    ----------
    good, bad : int
        Documents, counted within the query.
    loss : float
        What the swap adds to the loss.
    margin : float
        What it adds to the margin, w . (phi(ideal) - phi(worst)): positive where the
        model scores the good document higher.
    """

    good: int
    bad: int
    loss: float
    margin: float


class WorstOrder(NamedTuple):
    """The order that violates its margin most, beside the current and the ideal one.

    Attributes
    ----------
    loss_name : str
    documents : tuple of m str
    labels, scores : (m,) int64, (m,) float64
    current, worst, ideal : (m,) int64
        Documents in the three orders, best first, counted within the query. The ideal
        order keeps the current one where labels do not decide.
    losses, margins : (m,) float64
        What each document adds to the loss of the worst order and to the margin.
    swaps : tuple of Swap
        The pairs that the worst order inverts, which add up to the same two sums; none
        for a loss that does not fall apart into pairs.
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
    swaps: tuple[Swap, ...]

    @property
    def loss(self) -> float:
        """The loss of the worst order, 0 to 1."""
        return float(self.losses.sum())

    @property
    def margin(self) -> float:
        """By how much the ideal order beats the worst one."""
        return float(self.margins.sum())

    @property
    def slack(self) -> float:
        """What is lacking to the margin that is asked for; at least the loss of the
        current order."""
        return self.loss - self.margin


def worst_order(
    algorithm: "StructuredRanker",
    dataset: RankingDataset,
    query: int,
    coef: ArrayLike,
    loss: str | None = None,
) -> WorstOrder:
    """The worst order of one query under a model, term by term.

    Parameters
    ----------
    algorithm : StructuredRanker
        Says which loss, feature map and threshold.
    dataset : RankingDataset
    query : int
        Position of the query.
    coef : (d,) float64
    loss : str, optional
        Which of several losses, by name; by default the first.

    Returns
    -------
    WorstOrder

    Raises
    ------
    ValueError
        If the algorithm has no such loss.
    """
    own = dataset.subset([query])
    chosen, scores = _loss_named(algorithm, own, loss), own.X @ np.asarray(coef)
    forces = chosen.worst(scores)[1]
    swaps: tuple[Swap, ...] = ()
    levels, losses = own.y, np.zeros(len(scores))
    if isinstance(chosen, StaircaseLoss):
        swaps, levels = _swaps(chosen), chosen.queries.relevant.astype(np.int64)
        for swap in swaps:
            losses[swap.good] += swap.loss
    else:
        losses = chosen.lost
    current = np.argsort(-scores, kind="stable")
    return WorstOrder(
        loss_name=chosen.name,
        documents=own.doc_ids,
        labels=own.y,
        scores=scores,
        current=current,
        worst=chosen.worst_order(scores, 0),
        ideal=current[np.argsort(-levels[current], kind="stable")],
        losses=losses,
        margins=forces * scores,
        swaps=swaps,
    )


class Staircase(NamedTuple):
    """How the worst order merges good and bad documents: a path through their pairs.

    Attributes
    ----------
    good, bad : tuples of str
        Documents, each by falling score.
    good_scores, bad_scores : (m,) float64, (n',) float64
    values : (m, n') float64
        What inverting a pair adds to loss minus margin.
    above : (m,) int64
        Bad documents above each good one; the pairs ``values[i, :above[i]]`` are
        inverted.
    """

    good: tuple[str, ...]
    bad: tuple[str, ...]
    good_scores: Floats
    bad_scores: Floats
    values: Floats
    above: Integers


def staircase(
    algorithm: "StructuredRanker",
    dataset: RankingDataset,
    query: int,
    coef: ArrayLike,
    loss: str | None = None,
) -> Staircase:
    """The staircase of one query's worst order; parameters as `worst_order`.

    Raises
    ------
    ValueError
        If the loss has no staircase, as DORM's.
    """
    own = dataset.subset([query])
    chosen, scores = _loss_named(algorithm, own, loss), own.X @ np.asarray(coef)
    chosen.worst(scores)
    if not isinstance(chosen, StaircaseLoss):
        raise ValueError(  # noqa: TRY004 - it is the algorithm's value that is wrong
            f"The worst orders of {algorithm.title} assign documents to ranks; there "
            "is no merge of two lists to show."
        )
    queries, m = chosen.queries, int(chosen.queries.n_good[0])
    return Staircase(
        good=tuple(own.doc_ids[row] for row in queries.rows[:m]),
        bad=tuple(own.doc_ids[row] for row in queries.rows[m:]),
        good_scores=queries.keys[:m].copy(),
        bad_scores=queries.keys[m:].copy(),
        values=_pair_values(chosen).sum(axis=0),
        above=chosen.above[:m].copy(),
    )


def _loss_named(
    algorithm: "StructuredRanker", dataset: RankingDataset, name: str | None
) -> StaircaseLoss | AssignmentLoss:
    losses = [item.loss for item in algorithm.losses(dataset)]
    for loss in losses:
        if name in (None, loss.name):
            return cast(StaircaseLoss | AssignmentLoss, loss)
    known = ", ".join(loss.name for loss in losses)
    raise ValueError(f"{algorithm.title} has no loss {name!r}; there is {known}.")


def _pair_values(loss: StaircaseLoss) -> Floats:
    """(2, m, n'): what inverting a pair adds to the loss, and takes from the margin."""
    queries = loss.queries
    m, n_bad = int(queries.n_good[0]), int(queries.n_bad[0])
    if not loss.counted[0]:
        return np.zeros((2, m, n_bad))
    good, bad = queries.keys[:m], queries.keys[m:]
    added = np.diff(loss.costs(m, n_bad), axis=1)
    return np.stack([added, loss.weights[0] * (bad - good[:, None])])


def _swaps(loss: StaircaseLoss) -> tuple[Swap, ...]:
    rows, m = loss.queries.rows, int(loss.queries.n_good[0])
    added, taken = _pair_values(loss)
    return tuple(
        Swap(int(rows[i]), int(rows[m + j]), float(added[i, j]), float(-taken[i, j]))
        for i in range(m)
        for j in range(loss.above[i])
    )
