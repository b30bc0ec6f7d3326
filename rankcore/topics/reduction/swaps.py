r"""The exact bound of the reduction from NDCG to pairs, for a few documents.

For an order :math:`\pi` of the documents, or a classifier of pairs, this module gives
the NDCG and the importance-weighted loss

.. math:: L(\pi) = \sum_{y_i > y_j,\ \pi_i > \pi_j} \tfrac1N
    |(2^{y_i} - 2^{y_j})(D(\pi_i) - D(\pi_j))|.

:math:`1 - \mathrm{NDCG} \le L` holds for every order, with equality for any two
documents (Z. Sun, T. Qin, Q. Tao, J. Wang, SIGIR 2009). Their theorem on regrets is
in `rankcore.topics.reduction.regrets`.
"""

import itertools
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankcore.base.arrays import Floats, Integers
from rankcore.mathematics.elementary import exp2
from rankcore.mathematics.products import dot
from rankcore.measures import discounts

_ROUNDING = 1e-12


class Swap(NamedTuple):
    """One swap of neighbours on the way from an order to the ideal one.

    Attributes
    ----------
    order : tuple of int
        The order before the swap.
    ndcg_gain, weight : float
        Gain of the swap, and the pair's importance weight in the first order.
    gained_discount, weight_discount : float
        The differences of discounts in both.
    place : int
        Number of documents above the two.
    """

    order: tuple[int, ...]
    ndcg_gain: float
    weight: float
    gained_discount: float
    weight_discount: float
    place: int

    @property
    def exceeds(self) -> bool:
        """Whether the swap gains more than its weight, beyond rounding."""
        return self.ndcg_gain > self.weight + _ROUNDING

    @property
    def risen(self) -> tuple[int, int]:
        """The document that rises, and the one that it overtakes."""
        return self.order[self.place + 1], self.order[self.place]


def ranks_of(order: Sequence[int]) -> Integers:
    """Rank of each document, 1 = best, from the documents in order."""
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[list(order)] = np.arange(1, len(order) + 1)
    return ranks


def _gains(labels: Sequence[int] | Integers) -> tuple[Floats, float]:
    """Gains 2^y - 1, and the ideal DCG (1 without relevant documents)."""
    gains = exp2(labels) - 1.0
    ideal = dot(np.sort(gains)[::-1], discounts(np.arange(1, len(gains) + 1)))
    return gains, ideal or 1.0


def ndcg(ranks: Integers, labels: Sequence[int] | Integers) -> float:
    """NDCG of the whole list; 1 without relevant documents."""
    gains, ideal = _gains(labels)
    return dot(gains, discounts(ranks)) / ideal if gains.any() else 1.0


def pair_weights(places: ArrayLike, labels: Sequence[int] | Integers) -> Floats:
    """(n, n) importance weights of all pairs at given positions, which may be tied."""
    gains, ideal = _gains(labels)
    b = discounts(places)
    return np.abs((gains[:, None] - gains) * (b[:, None] - b)) / ideal


def pairwise_loss(
    ranks: Integers, labels: Sequence[int] | Integers, all_pairs: bool = True
) -> float:
    """Importance-weighted loss of an order.

    Parameters
    ----------
    ranks : (n,) int64
    labels : (n,) int64
    all_pairs : bool
        False takes the paper's equation (4) literally and counts the pairs with
        :math:`i < j` only, which misses half of them.
    """
    return tournament_loss(beaten_by(ranks), labels, ranks, all_pairs)


def beaten_by(ranks: Integers) -> Integers:
    """(n, n) the classifier of an order: 1 in row i, column j if j is above i."""
    return (ranks[None, :] < ranks[:, None]).astype(np.int64)


def positions(beaten: ArrayLike) -> Floats:
    """1 + the number of documents that beat each; ties and cycles share a place."""
    return 1.0 + np.asarray(beaten, dtype=np.float64).sum(axis=1)


def tournament_loss(
    beaten: ArrayLike,
    labels: Sequence[int] | Integers,
    places: ArrayLike | None = None,
    all_pairs: bool = True,
) -> float:
    """Importance-weighted loss of a classifier of pairs, transitive or not.

    Parameters
    ----------
    beaten : (n, n) array
        1 in row i, column j where the classifier prefers j to i.
    labels : (n,) int64
    places : (n,) array, optional
        Positions for the weights; by default `positions`, as in the
        paper: in a cycle all are equal and the loss vanishes.
    all_pairs : bool
        As in `pairwise_loss`.
    """
    y = np.asarray(labels)
    weights = pair_weights(positions(beaten) if places is None else places, y)
    wrong = np.asarray(beaten) * (y[:, None] > y)
    if not all_pairs:
        wrong = np.triu(wrong)
    return float((weights * wrong).sum())


def learned_ranks(labels: ArrayLike, printed: bool = False) -> Integers:
    r"""Ranks of documents after a classifier has learned its targets without error.

    A classifier c with :math:`c(x_i, x_j) = 1` prefers :math:`x_j`, so its target is
    :math:`1\{y_j > y_i\}`.

    Parameters
    ----------
    labels : (n,) int64
    printed : bool
        Whether it learns :math:`1\{y_i > y_j\}`, as printed in Procedure 1 of the
        paper; Procedure 2 then reverses the order.
    """
    y = np.asarray(labels)
    beaten = y[:, None] > y if printed else y[:, None] < y
    return ranks_of(np.argsort(positions(beaten), kind="stable").tolist())


def tournaments(n: int) -> Iterator[Integers]:
    """All tournaments of n documents: each pair has a winner."""
    above = np.triu_indices(n, 1)
    for bits in itertools.product((0, 1), repeat=len(above[0])):
        beaten = np.zeros((n, n), dtype=np.int64)
        beaten[above] = bits
        yield beaten + np.triu(1 - beaten, 1).T


def swaps_to_ideal(order: Sequence[int], labels: Sequence[int]) -> list[Swap]:
    """Return swaps of neighbours, from the top of the list down, until it is ideal.

    The paper's first lemma has each swap gain less than the pair's weight, computed in
    the first order. That is false for single swaps; it holds for the sums.
    """
    current, first = list(order), ranks_of(order)
    weights = pair_weights(first, labels)
    swaps: list[Swap] = []
    for _ in order:
        for k in range(len(current) - 1):
            above, below = current[k], current[k + 1]
            if labels[above] < labels[below]:
                was = tuple(current)
                current[k], current[k + 1] = below, above
                gain = ndcg(ranks_of(current), labels) - ndcg(ranks_of(was), labels)
                now = float(discounts(k + 1) - discounts(k + 2))
                then = float(discounts(first[above]) - discounts(first[below]))
                weight = float(weights[above, below])
                swaps.append(Swap(was, gain, weight, now, then, k))
    return swaps


def procedure_losses(labels: ArrayLike) -> tuple[float, float]:
    """Return 1 - NDCG, 0 to 1, of a list ordered by a classifier without error: first
    with Procedure 1's targets as printed, then as intended.

    Parameters
    ----------
    labels : (n,) int64
    """
    y = np.asarray(labels)
    printed, meant = (1.0 - ndcg(learned_ranks(y, how), y) for how in (True, False))
    return printed, meant


@lru_cache(maxsize=32)
def swaps_of_list(labels: tuple[int, ...]) -> list[Swap]:
    """Return `swaps_to_ideal` of a list, given its labels from the top down."""
    return swaps_to_ideal(range(len(labels)), labels)


class SwapFilm(NamedTuple):
    """A list before, between and after s swaps on its way to the ideal order.

    Attributes
    ----------
    places : (n, s + 1) int64
        Number of documents above each.
    lost, unpaid : (s + 1,) float64
        1 - NDCG of the order, and the weights of the remaining swaps, a part of L.
    """

    places: Integers
    lost: Floats
    unpaid: Floats


def swap_film(swaps: Sequence[Swap]) -> SwapFilm:
    """Return the orders between swaps, each with its remaining 1 - NDCG and L.

    Parameters
    ----------
    swaps : sequence of Swap
        From `swaps_to_ideal`, at least one.
    """
    last = list(swaps[-1].order)
    k = swaps[-1].place
    last[k : k + 2] = reversed(last[k : k + 2])
    orders = [*(swap.order for swap in swaps), last]
    places = np.array([ranks_of(order) - 1 for order in orders]).T
    amounts = ([s.ndcg_gain for s in swaps], [s.weight for s in swaps])
    lost, unpaid = (np.cumsum([0.0, *each[::-1]])[::-1] for each in amounts)
    return SwapFilm(places, lost, unpaid)


class SwapSum(NamedTuple):
    """Lemma 1 of the paper for the swaps of one list, singly and in sum.

    Attributes
    ----------
    broken : tuple of int
        The swaps, from 0, that gain more than their pair's weight.
    worst : int or None
        The one whose gain in discounts exceeds its weight's most.
    gained, weight : float
        Sums over all swaps: 1 - NDCG, and L of the first order.
    """

    broken: tuple[int, ...]
    worst: int | None
    gained: float
    weight: float


def sum_swaps(swaps: Sequence[Swap]) -> SwapSum:
    """Compare the gains of swaps to the ideal order with the weights of their pairs."""
    broken = tuple(i for i, swap in enumerate(swaps) if swap.exceeds)
    excess = {i: swaps[i].gained_discount - swaps[i].weight_discount for i in broken}
    return SwapSum(
        broken,
        max(excess, key=lambda i: excess[i]) if excess else None,
        float(sum(swap.ndcg_gain for swap in swaps)),
        float(sum(swap.weight for swap in swaps)),
    )
