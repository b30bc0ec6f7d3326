"""Construction of a worst order: a merge of two lists, or an assignment."""

from typing import NamedTuple

import numpy as np

from rankcore.algorithms.parts.margins.assignment_loss import AssignmentLoss
from rankcore.algorithms.parts.margins.margin_losses import MergeLoss
from rankcore.base.arrays import Floats, Integers
from rankcore.topics.margins.order import Case, pair_values


class Staircase(NamedTuple):
    """The merge of good and bad documents in the worst order, as a path of pairs.

    Attributes
    ----------
    good, bad : tuples of str
        Documents, each by descending score.
    values : (m, n') float64
        Change of loss minus margin by inverting each pair.
    above : (m,) int64
        Bad documents above each good one; the pairs ``values[i, :above[i]]`` are
        inverted.
    """

    good: tuple[str, ...]
    bad: tuple[str, ...]
    values: Floats
    above: Integers


def staircase(case: Case) -> Staircase:
    """Return the staircase of one query's worst order.

    Raises
    ------
    ValueError
        If the loss has no staircase, as DORM's.
    """
    lists, chosen, scores = case.alone()
    names = lists.query(0).doc_names
    chosen.separation_oracle(scores)
    if not isinstance(chosen, MergeLoss):
        raise ValueError(  # noqa: TRY004 - it is the algorithm's value that is wrong
            f"The worst orders of {case.algorithm.title} assign documents to ranks; "
            "they do not merge two lists."
        )
    queries, m = chosen.queries, int(chosen.queries.n_good[0])
    return Staircase(
        good=tuple(names[row] for row in queries.rows[:m]),
        bad=tuple(names[row] for row in queries.rows[m:]),
        values=pair_values(chosen).sum(axis=0),
        above=chosen.above[:m].copy(),
    )


class Assignment(NamedTuple):
    """Contributions of documents by rank; the worst order has one cell per rank.

    Attributes
    ----------
    documents : tuple of m str
        By descending score.
    labels, scores : (m,) int64, (m,) float64
    values : (m, k) float64
        Score times the weight of the rank, minus the gain's contribution there.
    ranks : (m,) int64
        The rank of each document in the worst order; 0 if it contributes nothing.
    """

    documents: tuple[str, ...]
    labels: Integers
    scores: Floats
    values: Floats
    ranks: Integers


def assignment(case: Case) -> Assignment:
    """Return the assignment of one query's documents to ranks.

    Raises
    ------
    ValueError
        If the worst order is a merge, not an assignment.
    """
    lists, chosen, scores = case.alone()
    if not isinstance(chosen, AssignmentLoss):
        raise ValueError(  # noqa: TRY004 - it is the algorithm's value that is wrong
            f"The worst orders of {case.algorithm.title} merge two lists; they assign "
            "no documents to ranks."
        )
    order = np.argsort(-scores, kind="stable")
    return Assignment(
        documents=tuple(lists.query(0).doc_names[row] for row in order),
        labels=lists.y[order],
        scores=scores[order],
        values=chosen.values(scores, 0)[order],
        ranks=chosen.ranks(scores)[order],
    )


def making(case: Case) -> Staircase | Assignment:
    """Return the construction of one query's worst order."""
    is_merge = isinstance(case.alone()[1], MergeLoss)
    return staircase(case) if is_merge else assignment(case)
