r"""The pairs of one ranked list: their weights and their losses.

The weight of a pair of documents with :math:`y_i > y_j` is the change of NDCG by
swapping the two. The weights of the misordered pairs sum to L, and :math:`1 -
\mathrm{NDCG} \le L \le \sum w_{ij} \phi(s_i - s_j)` for every loss that is at least 1
where the margin is not positive; see Z. Sun, T. Qin, Q. Tao, J. Wang, "Robust sparse
rank learning for non-smooth ranking measures", SIGIR 2009.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcore.base.arrays import Floats, Integers
from rankcore.base.numbers import three_digits
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.elementary import LN2, exp2, logistic, softplus
from rankcore.mathematics.products import dot, times_vector
from rankcore.measures import discounts, exact_ranks
from rankcore.topics.reduction.swaps import ndcg, pair_weights, pairwise_loss

MOST_ORDERS = 720


class PairLoss(NamedTuple):
    """A loss of one pair as a function of its margin.

    Attributes
    ----------
    formula : str
        In LaTeX, of the margin v.
    value, slope : callable
        Functions of an array of margins.
    """

    title: str
    formula: str
    value: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]


def _huber(v: Floats) -> Floats:
    near = np.clip(v, -1.0, 1.0)
    return (near - 1.0) ** 2 + 4.0 * np.maximum(-1.0 - v, 0.0)


LOSSES = {
    loss.title: loss
    for loss in (
        PairLoss(
            "RSRank",
            r"\begin{cases} -4v & v < -1 \\ (v-1)^2 & |v| \le 1 \\ 0 & v > 1 "
            r"\end{cases}",
            _huber,
            lambda v: 2.0 * (np.clip(v, -1.0, 1.0) - 1.0),
        ),
        PairLoss(
            "hinge",
            r"\max(0,\, 1 - v)",
            lambda v: np.maximum(1.0 - v, 0.0),
            lambda v: -(v < 1.0).astype(np.float64),
        ),
        PairLoss(
            "logistic",
            r"\log_2(1 + e^{-v})",
            lambda v: softplus(-v) / LN2,
            lambda v: -logistic(-v) / LN2,
        ),
        PairLoss(
            "0-1",
            r"\mathbf 1\{v \le 0\}",
            lambda v: (v <= 0.0).astype(np.float64),
            np.zeros_like,
        ),
    )
}


class ListPairs(NamedTuple):
    """The pairs of different labels of one list.

    Attributes
    ----------
    ranks : (n,) int64
        Rank of each document, 1 = top.
    better, worse : (p,) int64
        The documents of each pair.
    weight : (p,) float64
        Change of NDCG by a swap.
    margin : (p,) float64
        The better document's score minus the worse one's.
    wrong : (p,) bool
        Whether the worse document is ranked above.
    lost : float
        1 - NDCG of the whole list, 0 without relevant documents.
    """

    ranks: Integers
    better: Integers
    worse: Integers
    weight: Floats
    margin: Floats
    wrong: NDArray[np.bool_]
    lost: float

    @property
    def loss(self) -> float:
        """L: the sum of weights of misordered pairs."""
        return float(self.weight[self.wrong].sum())

    @property
    def in_words(self) -> str:
        """The weights of the pairs, as the text alternative of their picture."""
        wrong, right = self.weight[self.wrong].sum(), self.weight[~self.wrong].sum()
        return (
            f"The {int(self.wrong.sum())} misordered pairs weigh {three_digits(wrong)} "
            f"together, the others {three_digits(right)}."
        )

    def total(self, loss: PairLoss) -> float:
        """Return the sum over pairs of weight times loss."""
        return dot(self.weight, loss.value(self.margin))

    def table(self, names: Sequence[str]) -> dict[str, Sequence[object]]:
        """Every pair as columns of a table.

        Parameters
        ----------
        names : sequence of n str
            Names of the documents, from the top of the list down.
        """
        better, worse = self.ranks[self.better], self.ranks[self.worse]
        return {
            "better": [names[rank - 1] for rank in better],
            "worse": [names[rank - 1] for rank in worse],
            "rank of the better": better.tolist(),
            "rank of the worse": worse.tolist(),
            "weight": self.weight.tolist(),
            "misordered": self.wrong.tolist(),
            "margin": self.margin.tolist(),
        }


def list_pairs(labels: Sequence[float] | Integers, scores: ArrayLike) -> ListPairs:
    """Return the pairs of a list that is ranked by scores.

    Parameters
    ----------
    labels : (n,) int64, or float64 with fractions
    scores : (n,) float64
        Higher is better; ties keep the order given.
    """
    y, s = np.asarray(labels), np.asarray(scores, np.float64)
    ranks = exact_ranks(s, np.array([0, len(y)])).astype(np.int64)
    better, worse = np.nonzero(y[:, None] > y)
    return ListPairs(
        ranks,
        better,
        worse,
        pair_weights(ranks, y)[better, worse],
        s[better] - s[worse],
        ranks[better] > ranks[worse],
        1.0 - ndcg(ranks, y),
    )


def weight_matrix(pairs: ListPairs) -> Floats:
    """(n, n) weights with documents in the order of the list.

    Row k, column l holds the pair of the documents at ranks k + 1 and l + 1 if the
    first is the better one, else NaN. Misordered pairs are below the diagonal; their
    sum is L.
    """
    n = len(pairs.ranks)
    matrix = np.full((n, n), np.nan)
    matrix[pairs.ranks[pairs.better] - 1, pairs.ranks[pairs.worse] - 1] = pairs.weight
    return matrix


class Readings(NamedTuple):
    """The pairwise loss as printed elsewhere in the paper.

    Attributes
    ----------
    literal : float
        Equation (4) literally: only pairs with i < j, half of them.
    signed : float
        RSRank's loss with weights without absolute value, as below equation (12):
        correctly ordered pairs have negative weights.
    """

    literal: float
    signed: float


def readings(
    labels: Sequence[float] | Integers, pairs: ListPairs, numbers: Integers
) -> Readings:
    """Return L and RSRank's loss under literal readings of the paper.

    Parameters
    ----------
    labels : (n,) int64
    pairs : ListPairs
        Pairs of the same list.
    numbers : (n,) int64
        A permutation of 0 to n - 1, the i of each document.
    """
    y = np.asarray(labels)
    order = np.argsort(numbers, kind="stable")
    sign = np.where(pairs.wrong, 1.0, -1.0)
    phi = LOSSES["RSRank"].value(pairs.margin)
    return Readings(
        pairwise_loss(pairs.ranks[order], y[order], all_pairs=False),
        dot(sign * pairs.weight, phi),
    )


class PlainHinge(NamedTuple):
    """The hinge loss of a list's pairs without weights.

    Attributes
    ----------
    total, mean : float
        The sum bounds 1 - NDCG, since one wrong pair costs at least 1; the mean does
        not.
    """

    total: float
    mean: float


def plain_hinge(pairs: ListPairs) -> PlainHinge:
    """Return the sum and the mean of the hinge loss over all pairs, each counting the
    same.

    H. Lai, Y. Pan, C. Liu, L. Lin, J. Wu, "Sparse learning-to-rank via an efficient
    primal-dual algorithm", IEEE Transactions on Computers 62(6), 2013, quote the
    pairwise hinge loss as a bound of 1 - NDCG and of 1 - AP.
    """
    values = LOSSES["hinge"].value(pairs.margin)
    return PlainHinge(float(values.sum()), float(values.mean()) if values.size else 0.0)


class Orders(NamedTuple):
    """Orders of the same documents, with their losses.

    Attributes
    ----------
    labels : (m, n) int64
        From the top down.
    lost, loss : (m,) float64
        1 - NDCG, and L.
    complete : bool
        Whether these are all distinct orders rather than a random sample.
    """

    labels: Integers
    lost: Floats
    loss: Floats
    complete: bool


@lru_cache(maxsize=64)
def all_orders(labels: tuple[int, ...]) -> Orders:
    """Return all orders of labels, or a random sample of 720 if there are more.

    Parameters
    ----------
    labels : tuple of int
        In any order, which affects only the order of the rows.
    """
    complete = math.factorial(len(labels)) <= MOST_ORDERS
    if complete:
        rows = np.array(list(itertools.permutations(labels)), np.int64)
    else:
        rng = np.random.default_rng(0)
        rows = rng.permuted(
            np.tile(np.array(labels, np.int64), (MOST_ORDERS, 1)), axis=1
        )
    rows = np.unique(rows, axis=0)
    b = discounts(np.arange(1, rows.shape[1] + 1))
    gains = exp2(rows) - 1.0
    ideal = dot(np.sort(gains[0])[::-1], b) or 1.0
    wrong = np.triu(b[:, None] - b)
    # Row k, column l: excess gain of the document at rank l over that at rank k.
    excess = np.maximum(gains[:, None, :] - gains[:, :, None], 0.0)
    lost = 1.0 - times_vector(gains, b) / ideal if gains.any() else np.zeros(len(rows))
    return Orders(rows, lost, (excess * wrong).sum(axis=(1, 2)) / ideal, complete)


class QueryLosses(NamedTuple):
    """Losses of the rankings of all queries of a data set.

    Attributes
    ----------
    names : tuple of q str
        Names of the queries.
    lost, loss : (q,) float64
        1 - NDCG, and L.
    """

    names: tuple[str, ...]
    lost: Floats
    loss: Floats


def query_losses(dataset: RankingDataset, scores: ArrayLike) -> QueryLosses:
    """1 - NDCG and L of every query.

    Parameters
    ----------
    scores : (n,) float64
    """
    s = np.asarray(scores, np.float64)
    losses = [
        list_pairs(query.y, s[query.slice])
        for query in map(dataset.query, range(dataset.n_queries))
    ]
    return QueryLosses(
        dataset.query_names,
        np.array([pairs.lost for pairs in losses]),
        np.array([pairs.loss for pairs in losses]),
    )


def from_the_top(pairs: ListPairs) -> ListPairs:
    """Return the same pairs with documents numbered in the order of the list, from the
    top."""
    return pairs._replace(
        ranks=np.arange(1, len(pairs.ranks) + 1),
        better=pairs.ranks[pairs.better] - 1,
        worse=pairs.ranks[pairs.worse] - 1,
    )


def totals(pairs: ListPairs) -> dict[str, float]:
    """Return each of `LOSSES` of a list, summed over its pairs with weights.

    The 0-1 loss is that of the order, L: pairs of equal scores follow the order.
    """
    return {name: pairs.total(loss) for name, loss in LOSSES.items()} | {
        "0-1": pairs.loss
    }
