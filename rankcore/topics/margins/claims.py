r"""Claims of the slides on structured ranking losses, checked in numbers.

S. Chakrabarti, R. Khanna, U. Sawant, C. Bhattacharyya, "Structured learning for
non-smooth ranking losses", KDD 2008, slides. As printed, SVMCombo's bound, the second
form of :math:`\phi_{\mathrm{po}}`, the values of :math:`\Delta_{\mathrm{mrr}}` and the
scheme of merging by score hold only under conditions, or not at all.

Lists are small, and their documents have one feature, the score, so w is 1.
"""

import itertools
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcore import measures
from rankcore.base.arrays import Floats, Integers
from rankcore.base.draws import standard_normal
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.elementary import geomspace
from rankcore.topics.margins.merges import Staircase, staircase
from rankcore.topics.margins.order import Case, worst_order

if TYPE_CHECKING:
    from rankcore.algorithms import StructuredRanker

Flags = NDArray[np.bool_]

MOST_DOCUMENTS = 7
COMBINED = ("AUC", "AP", "NDCG", "RR")
MEASURED = {name: name for name in COMBINED} | {"NDCG": "nDCG"}
ROUNDING = 1e-12


class ComboBound(NamedTuple):
    r"""The chain that bounds the risks of SVMCombo's losses, for one list and any C.

    Attributes
    ----------
    names : tuple of L str
    slacks, risks : (L,) float64
        The slack of each loss, and its value at the predicted order.
    weights : (g,) float64
        Values of C, the same for all losses.
    weighted_slacks : (g,) float64
        :math:`\sum_\ell C_\ell \xi^\ell`, the left end of the chain.
    weighted : (g,) float64
        :math:`\sum_\ell C_\ell R(w, \Delta_\ell)`, which never exceeds it.
    """

    names: tuple[str, ...]
    slacks: Floats
    risks: Floats
    weights: Floats
    weighted_slacks: Floats
    weighted: Floats

    @property
    def claimed(self) -> float:
        """The sum of the risks, in the slides below ``weighted_slacks`` for every C."""
        return float(self.risks.sum())

    @property
    def holds_from(self) -> float:
        """The C from which the printed chain holds for this list; never above 1."""
        total = float(self.slacks.sum())
        return self.claimed / total if total else 0.0


def combo_bound(
    scores: ArrayLike, labels: ArrayLike, weights: ArrayLike | None = None
) -> ComboBound:
    """SVMCombo's bound at given scores, with feature maps that are means over pairs.

    Parameters
    ----------
    scores, labels : (n,) array
    weights : (g,) float64, optional
        Values of C; by default 93 from 0.05 to 10.
    """
    from rankcore.algorithms.svm_combo import SVMCombo

    data = _one_list(scores, labels)
    orders = [worst_order(Case(SVMCombo(), data, 0, [1.0], name)) for name in COMBINED]
    slacks = np.array([order.slack for order in orders])
    risks = np.array([order.predicted_loss for order in orders])
    if weights is None:
        weights = geomspace(0.05, 10.0, 93)
    C = np.asarray(weights, dtype=np.float64)
    return ComboBound(COMBINED, slacks, risks, C, C * slacks.sum(), C * risks.sum())


class PairForms(NamedTuple):
    r"""Both forms of :math:`\phi_{\mathrm{po}}` for all orders of a list.

    Attributes
    ----------
    orders : (m, n) int64
        All orders, best document first. Among equal ones, orders by descending score
        come first.
    signed : (m,) float64
        :math:`w^\top \sum_{g,b} y_{gb} (x_g - x_b)`, the definition.
    inverted : (m,) float64
        :math:`w^\top \sum_g \sum_{b \succ g} (x_g - x_b)`, claimed to be the same.
    ideal : float
        The definition for the ideal orders.
    n_pairs : int
        Pairs of a relevant and an irrelevant document.
    """

    orders: Integers
    signed: Floats
    inverted: Floats
    ideal: float
    n_pairs: int

    @property
    def apart(self) -> float:
        """Largest deviation of the second form from half the difference to the ideal
        order."""
        half = (self.ideal - self.signed) / 2.0
        return float(np.abs(self.inverted - half).max())

    @property
    def predicted(self) -> Integers:
        """The order that the definition predicts."""
        return self.orders[_first_largest(self.signed)]

    @property
    def predicted_by_inverted(self) -> Integers:
        """The order that the other form would predict; the last of equal ones."""
        return self.orders[::-1][_first_largest(self.inverted[::-1])]


def pair_forms(scores: ArrayLike, labels: ArrayLike) -> PairForms:
    """Return both forms, as sums over pairs, for every order of 2 to 7 documents."""
    s, good = np.asarray(scores, dtype=np.float64), np.asarray(labels) > 0
    orders = _all_orders(s)
    signs = np.where(_inverted(orders, good), -1.0, 1.0)
    gaps = s[good][:, None] - s[~good]
    return PairForms(
        orders,
        (signs * gaps).sum(axis=(1, 2)),
        ((signs < 0.0) * gaps).sum(axis=(1, 2)),
        float(gaps.sum()),
        gaps.size,
    )


class ReciprocalValues(NamedTuple):
    r"""The loss of the reciprocal rank, by the rank of the first relevant document.

    Attributes
    ----------
    ranks : (r,) int64
    reciprocal : (r,) float64
        1 / rank up to the cutoff, then 0: MRR, and the slides' values of
        :math:`\Delta_{\mathrm{mrr}}`.
    loss : (r,) float64
        1 minus that.
    """

    ranks: Integers
    reciprocal: Floats
    loss: Floats


def reciprocal_values(most: int, cutoff: int) -> ReciprocalValues:
    """Return the values of MRR and of its loss for first ranks 1 to ``most``."""
    ranks = np.arange(1, most + 1)
    reciprocal = np.where(ranks <= cutoff, 1.0 / ranks, 0.0)
    return ReciprocalValues(ranks, reciprocal, 1.0 - reciprocal)


class ReciprocalSlack(NamedTuple):
    r"""The slack of the reciprocal rank with its loss, and with the printed values.

    Attributes
    ----------
    worst, printed_worst : (n,) int64
        The orders that attain the slacks, best document first.
    predicted_loss, printed_predicted : float
        Losses of the order by descending score.
    """

    slack: float
    printed_slack: float
    worst: Integers
    printed_worst: Integers
    predicted_loss: float
    printed_predicted: float


def reciprocal_slack(
    scores: ArrayLike, labels: ArrayLike, cutoff: int
) -> ReciprocalSlack:
    """Return the slack with Δ = 1 - RR and with Δ = RR, over every order of the list.

    The feature map is the mean over pairs, as in `rankcore.SVMMRR` by default.
    """
    s, good = np.asarray(scores, dtype=np.float64), np.asarray(labels) > 0
    orders = _all_orders(s)
    gaps = s[good][:, None] - s[~good]
    margins = 2.0 * (_inverted(orders, good) * gaps).sum(axis=(1, 2)) / gaps.size
    values = reciprocal_values(len(s), cutoff)
    first = np.argmax(good[orders], axis=1)
    right, printed = values.loss[first], values.reciprocal[first]
    worst, other = _first_largest(right - margins), _first_largest(printed - margins)
    predicted = int(np.argmax(good[np.argsort(-s, kind="stable")]))
    return ReciprocalSlack(
        float(right[worst] - margins[worst]),
        float(printed[other] - margins[other]),
        orders[worst],
        orders[other],
        float(values.loss[predicted]),
        float(values.reciprocal[predicted]),
    )


class FirstMapValues(NamedTuple):
    r"""The maximum of :math:`\Delta + w^\top \phi_{\mathrm{mrr}}` by first rank.

    Attributes
    ----------
    ranks : (r,) int64
        Rank of the first relevant document.
    lowest : (r,) float64
        With the relevant document of the lowest score there: the maximum.
    merged : (r,) float64
        With the one of the highest score, as in a merge by descending score.
    order, merge : (n,) int64
        The orders with the largest value of each, best document first.
    """

    ranks: Integers
    lowest: Floats
    merged: Floats
    order: Integers
    merge: Integers

    @property
    def lost(self) -> float:
        """Distance of merging by score from the maximum."""
        return float(self.lowest.max() - self.merged.max())


def first_map_values(scores: ArrayLike, labels: ArrayLike) -> FirstMapValues:
    """Return the values of all first ranks, of the sum over documents above the
    first."""
    s, good = np.asarray(scores, dtype=np.float64), np.asarray(labels) > 0
    by_score = np.argsort(-s, kind="stable")
    g, b = by_score[good[by_score]], by_score[~good[by_score]]
    ranks = np.arange(1, len(b) + 2)
    above = np.append(0.0, np.cumsum(s[b]))
    shared = above + 1.0 - 1.0 / ranks
    lowest, merged = (shared - (ranks - 1) * s[i] for i in (g[-1], g[0]))
    return FirstMapValues(
        ranks,
        lowest,
        merged,
        _with_first(by_score, b[: int(np.argmax(lowest))], g[-1]),
        _with_first(by_score, b[: int(np.argmax(merged))], g[0]),
    )


class TemplateValue(NamedTuple):
    r"""The largest :math:`\Delta + w^\top \phi_{\mathrm{po}}` of a list, for a loss.

    Attributes
    ----------
    loss : str
        The measure; the loss is 1 minus it.
    best : float
        Over all orders.
    merged : float
        Over the merges of relevant and irrelevant documents by descending score.
    """

    loss: str
    best: float
    merged: float

    @property
    def lost(self) -> float:
        """Distance of the best merge from the maximum."""
        return self.best - self.merged


def template_values(scores: ArrayLike, labels: ArrayLike) -> list[TemplateValue]:
    """Return the largest sums for each loss, over every order of 2 to 7 documents, some
    relevant and some not; the feature map is the mean over pairs."""
    s, good = np.asarray(scores, dtype=np.float64), np.asarray(labels) > 0
    orders = _all_orders(s)
    in_order = good[orders]
    m, n = orders.shape
    signs = np.where(_inverted(orders, good), -1.0, 1.0)
    map_values = (signs * (s[good][:, None] - s[~good])).mean(axis=(1, 2))
    merges = np.ones(m, dtype=np.bool_)
    for kind in (in_order, ~in_order):
        falling = np.diff(s[orders][kind].reshape(m, -1), axis=1) <= 0.0
        merges &= falling.all(axis=1)
    ranks = np.tile(np.arange(1, n + 1), m)
    lists = in_order.astype(np.int64).ravel(), np.arange(0, m * n + 1, n)
    sums = {
        name: 1.0 - measures.parse(MEASURED[name])(ranks, *lists) + map_values
        for name in COMBINED
    }
    return [
        TemplateValue(name, float(totals.max()), float(totals[merges].max()))
        for name, totals in sums.items()
    ]


def template_losses(count: int) -> list[TemplateValue]:
    """Return the values of random lists of 2 to 6 documents with normal scores, for all
    losses of each."""
    rng = np.random.default_rng(0)
    losses = []
    for _ in range(count):
        n = int(rng.integers(2, MOST_DOCUMENTS))
        labels = rng.integers(0, 2, n)
        labels[:2] = 0, 1
        losses += template_values(standard_normal(rng, n), labels)
    return losses


class OwnChoices(NamedTuple):
    """Documents of one kind that each choose their place alone, and the best order.

    Attributes
    ----------
    stairs : Staircase
        The best order, and the contribution of inverting each pair.
    relevant : bool
        Whether the relevant documents choose, or the irrelevant ones.
    chosen : (k,) int64
        Number of documents of the other kind that each puts above itself, by descending
        score.
    repaired : (k,) int64
        The choices, raised where necessary to form an order.
    best : (k,) int64
        In the best order.
    lost : float
        Loss of the repaired order against the best one.
    """

    stairs: Staircase
    relevant: bool
    chosen: Integers
    repaired: Integers
    best: Integers
    lost: float

    @property
    def is_order(self) -> bool:
        """Whether the choices form an order without repair."""
        return bool((self.chosen == self.repaired).all())

    @property
    def inverted(self) -> Flags:
        """(m, n') mask of pairs that the documents would invert, each alone."""
        m, n_bad = self.stairs.values.shape
        if self.relevant:
            return np.arange(n_bad) < self.chosen[:, None]
        return np.arange(m)[:, None] >= self.chosen


def own_choices(
    algorithm: "StructuredRanker", scores: ArrayLike, labels: ArrayLike, relevant: bool
) -> OwnChoices:
    """Let each relevant, or each irrelevant, document choose its place alone.

    Parameters
    ----------
    algorithm : StructuredRanker
        A ranker with merges as worst orders.
    scores, labels : (n,) array
    relevant : bool
        Whether relevant documents choose. Each takes the irrelevant ones above it that
        add most; an irrelevant document takes the relevant ones above it so that
        inverting the others adds most. Ties take the largest choice.
    """
    stairs = staircase(Case(algorithm, _one_list(scores, labels), 0, [1.0]))
    n_bad = stairs.values.shape[1]
    nothing = np.zeros(1)
    if relevant:
        adds = np.array([np.append(nothing, np.cumsum(row)) for row in stairs.values])
        best = stairs.above
    else:
        adds = np.array(
            [np.append(np.cumsum(col[::-1])[::-1], nothing) for col in stairs.values.T]
        )
        best = (stairs.above <= np.arange(n_bad)[:, None]).sum(axis=1)
    last = adds.shape[1] - 1
    chosen = np.array([last - _first_largest(row[::-1]) for row in adds])
    repaired = np.maximum.accumulate(chosen)
    rows = np.arange(len(adds))
    lost = float((adds[rows, best] - adds[rows, repaired]).sum())
    return OwnChoices(stairs, relevant, chosen, repaired, best, lost)


def _one_list(scores: ArrayLike, labels: ArrayLike) -> RankingDataset:
    s = np.asarray(scores, dtype=np.float64)
    names = [f"x{i}" for i in range(1, len(s) + 1)]
    return RankingDataset.from_arrays(
        s[:, None], np.asarray(labels, dtype=np.int64), doc_ids=names
    )


def _all_orders(scores: Floats) -> Integers:
    """(n!, n) every order, with that by descending score first."""
    if not 2 <= len(scores) <= MOST_DOCUMENTS:
        raise ValueError(
            f"All orders are compared: give 2 to {MOST_DOCUMENTS} documents."
        )
    by_score = np.argsort(-scores, kind="stable")
    return np.array(list(itertools.permutations(by_score.tolist())))


def _inverted(orders: Integers, good: Flags) -> Flags:
    """Return the mask (m, n+, n-) of pairs that each order inverts."""
    ranks = np.argsort(orders, axis=1, kind="stable")
    return ranks[:, good][:, :, None] > ranks[:, ~good][:, None, :]


def _first_largest(values: Floats) -> int:
    """Return the first of the largest values, equal up to rounding."""
    return int(np.flatnonzero(values >= values.max() - ROUNDING)[0])


def _with_first(by_score: Integers, above: Integers, first: int) -> Integers:
    """Return the documents ``above``, the first relevant one, then all others by
    score."""
    head = np.append(above, first)
    return np.append(head, by_score[~np.isin(by_score, head)])
