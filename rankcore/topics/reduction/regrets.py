r"""Regrets of all orders, and of all classifiers of pairs, along label distributions.

Two labellings of the same few documents, the first with probability p: the regret of
each order in expected NDCG and in expected importance-weighted loss. Theorem 1 of Z.
Sun, T. Qin, Q. Tao, J. Wang (SIGIR 2009) bounds the regret in NDCG by that of the
classifier. It is false for three or more documents. `rankcore.topics.reduction.swaps`
has the definitions.
"""

import itertools
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcore.base.arrays import Floats, Integers
from rankcore.base.draws import standard_exponential
from rankcore.mathematics.products import product
from rankcore.topics.reduction.swaps import (
    beaten_by,
    ndcg,
    pairwise_loss,
    positions,
    ranks_of,
    tournament_loss,
    tournaments,
)

FEWEST_DOCUMENTS = 2
MOST_DOCUMENTS = 4
TOLERANCE = 1e-12
DRAWS = 1000
LABELS_RULE = "Write a digit from 0 to 4 for each of 2 to 4 documents."

Flags = NDArray[np.bool_]
Labels = tuple[tuple[int, ...], ...]


class PairClassifier(NamedTuple):
    """An order, or a classifier of pairs with a cycle in it.

    Attributes
    ----------
    key : str
        Short: ``"132"`` is the order of documents 1, 3, 2; ``"c1"`` a cyclic
        classifier.
    name : str
        For readers.
    """

    key: str
    name: str
    cyclic: bool

    @property
    def title(self) -> str:
        """The name with its kind, such as "the order 1 3 2"."""
        return ("the cycle " if self.cyclic else "the order ") + self.name


class Losses(NamedTuple):
    """Losses of all candidates for each of several labellings.

    Attributes
    ----------
    candidates : tuple of PairClassifier
        All orders, then all other classifiers.
    loss : (m, c) float64
        The importance-weighted loss for each label vector.
    ndcg : (m, k) float64
        NDCG of each order.
    respects : (c, k) bool
        Whether a candidate may result in each order.
    """

    candidates: tuple[PairClassifier, ...]
    loss: Floats
    ndcg: Floats
    respects: Flags


class Regrets(NamedTuple):
    """Regrets of candidates for one or several distributions.

    Attributes
    ----------
    candidates : tuple of c PairClassifier
    ndcg, loss : (…, c) float64
        Expected values; for a cyclic classifier the worst possible NDCG.
    ndcg_regret, loss_regret : (…, c) float64
        Regret against the best order, and the best candidate.
    """

    candidates: tuple[PairClassifier, ...]
    ndcg: Floats
    loss: Floats
    ndcg_regret: Floats
    loss_regret: Floats

    @property
    def refutes(self) -> Flags:
        """(…, c) whether the regret in NDCG is the larger one, beyond rounding."""
        return self.ndcg_regret > self.loss_regret + TOLERANCE

    def find(self, key: str) -> int | None:
        """Return the position of the candidate with a key, or None."""
        keys = [candidate.key for candidate in self.candidates]
        return keys.index(key) if key in keys else None

    def table(self) -> dict[str, Sequence[object]]:
        """Return every candidate with its values and regrets under one distribution."""
        return {
            "order or cycle": [candidate.name for candidate in self.candidates],
            "expected NDCG": self.ndcg.tolist(),
            "expected L": self.loss.tolist(),
            "regret in NDCG": self.ndcg_regret.tolist(),
            "regret in pairs": self.loss_regret.tolist(),
            "breaks Theorem 1": self.refutes.tolist(),
        }


@lru_cache(maxsize=64)
def losses(labels: Labels) -> Losses:
    """Return the losses of every order and every cyclic classifier.

    Parameters
    ----------
    labels : tuple of tuple of int
        Labellings of the same 2 to 4 documents.

    Raises
    ------
    ValueError
        For unequal lengths, or too many documents.
    """
    n = len(labels[0])
    if {len(y) for y in labels} != {n} or not FEWEST_DOCUMENTS <= n <= MOST_DOCUMENTS:
        raise ValueError(
            f"Give label vectors of one length, from 2 to {MOST_DOCUMENTS} documents."
        )
    orders = list(itertools.permutations(range(n)))
    ranks = [ranks_of(order) for order in orders]
    cyclic = [b for b in tournaments(n) if len(set(positions(b).tolist())) < n]
    places = [positions(beaten_by(r)) for r in ranks] + [positions(b) for b in cyclic]
    return Losses(
        _candidates(orders, cyclic),
        np.array(
            [
                [pairwise_loss(r, y) for r in ranks]
                + [tournament_loss(b, y) for b in cyclic]
                for y in labels
            ]
        ),
        np.array([[ndcg(r, y) for r in ranks] for y in labels]),
        np.array(
            [[bool((np.diff(p[list(o)]) >= 0.0).all()) for o in orders] for p in places]
        ),
    )


def regrets(
    labels: Labels, probabilities: ArrayLike, classifiers: bool = False
) -> Regrets:
    """Return the regrets of all orders, or of all classifiers of pairs.

    Parameters
    ----------
    labels : tuple of m tuple of int
    probabilities : (…, m) float64
        Probability of each label vector; they sum to 1.
    classifiers : bool
        Whether to include classifiers with cycles. Their documents share positions, so
        pairs weigh less; a classifier that is one cycle has no loss, and is then
        optimal.
    """
    table = losses(labels)
    p = np.asarray(probabilities, dtype=np.float64)
    of_orders = _expected(p, table.ndcg)
    count = len(table.candidates) if classifiers else of_orders.shape[-1]
    loss = _expected(p, table.loss)[..., :count]
    open_to = np.where(table.respects[:count], of_orders[..., None, :], np.inf)
    worst = open_to.min(axis=-1)
    best = of_orders.max(axis=-1, keepdims=True)
    least = loss.min(axis=-1, keepdims=True)
    return Regrets(table.candidates[:count], worst, loss, best - worst, loss - least)


def _expected(p: Floats, values: Floats) -> Floats:
    """``p @ values``, of (…, m) and (m, c)."""
    rows = product(p.reshape(-1, p.shape[-1]), values)
    return rows.reshape(*p.shape[:-1], values.shape[1])


def mixed(p: ArrayLike) -> Floats:
    """(…, 2) probabilities of two label vectors, the first with p."""
    first = np.asarray(p, dtype=np.float64)
    return np.stack([first, 1.0 - first], axis=-1)


class HowOften(NamedTuple):
    """Number of random distributions in which some order refutes the theorem."""

    refuted: int
    drawn: int


@lru_cache(maxsize=16)
def how_often(n: int) -> HowOften:
    """Count how many of `DRAWN` random distributions over all labellings of n documents
    with 0 and 1 refute the theorem.

    Parameters
    ----------
    n : int
        Number of documents, 2 to 4.
    """
    labels = tuple(itertools.product((0, 1), repeat=n))
    rng = np.random.default_rng(0)
    # Uniform on the simplex (a flat Dirichlet distribution).
    shares = standard_exponential(rng, (DRAWS, len(labels)))
    both = regrets(labels, shares / shares.sum(axis=1, keepdims=True))
    return HowOften(int(both.refutes.any(axis=-1).sum()), DRAWS)


def _candidates(
    orders: Sequence[tuple[int, ...]], cyclic: Sequence[Integers]
) -> tuple[PairClassifier, ...]:
    listed = [
        PairClassifier(
            "".join(str(i + 1) for i in order),
            " ".join(str(i + 1) for i in order),
            False,
        )
        for order in orders
    ]
    return (
        *listed,
        *(
            PairClassifier(f"c{number}", _cycle(beaten), True)
            for number, beaten in enumerate(cyclic, start=1)
        ),
    )


def _cycle(beaten: Integers) -> str:
    """Return a cycle of preferences, as a ring of three or pair by pair."""
    if len(beaten) == 3:
        second = 2 if beaten[1, 0] else 3
        return f"1→{second}→{5 - second}→1"
    winners, losers = np.nonzero(np.asarray(beaten).T)
    return " ".join(f"{w + 1}→{v + 1}" for w, v in zip(winners, losers, strict=True))


def most_refuting(regrets: Regrets) -> int:
    """Return the position of the candidate whose regret in NDCG exceeds that in pairs
    most.

    Parameters
    ----------
    regrets : Regrets
        For one distribution.
    """
    return int(np.argmax(regrets.ndcg_regret - regrets.loss_regret))


def failing_range(
    p: ArrayLike, regrets: Regrets, candidate: int
) -> tuple[float, float] | None:
    """Return the range of probabilities at which the theorem fails, or None.

    Parameters
    ----------
    p : (g,) float64
        Probabilities of the first of two label vectors, 0 to 1.
    regrets : Regrets
        For each of these.
    candidate : int
        Position of the candidate.
    """
    fails = np.asarray(p, dtype=np.float64)[regrets.refutes[:, candidate]]
    return (float(fails.min()), float(fails.max())) if len(fails) else None


def parse_labels(text: str) -> tuple[int, ...]:
    """Return the labels of 2 to 4 documents, written as digits from 0 to 4; None for
    any other text."""
    sound = FEWEST_DOCUMENTS <= len(text) <= MOST_DOCUMENTS
    return tuple(map(int, text)) if sound and set(text) <= set("01234") else ()


def candidate_keys() -> set[str]:
    """Return the keys of all orders and cycles of 2 to 4 documents."""
    return {
        candidate.key
        for n in range(FEWEST_DOCUMENTS, MOST_DOCUMENTS + 1)
        for candidate in losses(((0,) * n, (0,) * n)).candidates
    }
