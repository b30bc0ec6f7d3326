r"""Every order of a short list as a point, its margin as x and its loss as y.

With :math:`x = w^\top(\phi(y^*) - \phi(y))` horizontally and :math:`\Delta(y)`
vertically, the line :math:`\Delta = x + \xi` touches the cloud from above. It meets x =
0 at the slack :math:`\xi`, and the order that it touches is the most violated one.
"""

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankcore.algorithms.parts.margins.assignment_loss import AssignmentLoss
from rankcore.algorithms.parts.margins.margin_losses import FirstOnlyRRLoss, MergeLoss
from rankcore.algorithms.parts.scoring import linear_scores
from rankcore.base.arrays import Floats, Integers
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.elementary import geomspace
from rankcore.topics.margins.matrix import map_symbol
from rankcore.topics.margins.models import by_feature_map
from rankcore.topics.margins.order import Case, loss_named, worst_order

if TYPE_CHECKING:
    from rankcore.algorithms import StructuredRanker


# Up to this many documents, all orders are drawn: 720 for 6.
MOST_DOCUMENTS = 6
# Distances of scores at which the worst orders are the outermost ones of a longer list.
_SPREADS = (1e-2, 1e2, 41)
# Points whose coordinates differ by less are merged.
_SAME = 1e-9


class OrderCloud(NamedTuple):
    r"""Orders of one query, with those of equal loss and margin as one point.

    Attributes
    ----------
    margins, losses : (p,) float64
        :math:`w^\top \delta\phi(y)` and :math:`\Delta(y)` of each point.
    counts : (p,) int64
        Number of orders at each point.
    orders : (p, m) int64
        The order nearest to descending scores at each point, best document first.
    predicted : int
        The point of the order by descending score.
    every : bool
        Whether all orders are included, or only the outermost ones.
    """

    margins: Floats
    losses: Floats
    counts: Integers
    orders: Integers
    predicted: int
    every: bool

    @property
    def violations(self) -> Floats:
        """Loss minus margin of each point."""
        return self.losses - self.margins

    @property
    def worst(self) -> int:
        """The point that the line touches."""
        return int(np.argmax(self.violations))

    @property
    def slack(self) -> float:
        """The loss at which the line meets a margin of 0."""
        return max(0.0, float(self.violations.max()))

    @property
    def outline(self) -> Integers:
        """Points by rising margin whose loss is at least that of those before."""
        by_margin = np.lexsort((self.losses, self.margins))
        losses = self.losses[by_margin]
        return by_margin[losses >= np.maximum.accumulate(losses)]


def order_cloud(case: Case) -> OrderCloud:
    """Return loss and margin of every order of a query with few documents, or of the
    outermost orders of a longer one."""
    (single, chosen, _), three = case.alone(), worst_order(case)
    scores, every = three.scores, len(three.scores) <= MOST_DOCUMENTS
    if every:
        orders = np.array(list(itertools.permutations(three.current.tolist())))
    else:
        factors = geomspace(*_SPREADS) / (float(np.ptp(scores)) or 1.0)
        outer = [chosen.most_violated(factor * scores, 0) for factor in factors]
        orders = np.stack([three.current, three.worst, three.ideal, *outer])
    ranks = np.argsort(orders, axis=1, kind="stable")
    margins, losses = _margins(chosen, scores, ranks), _losses(chosen, single.y, ranks)
    places = np.stack([margins / max(np.abs(margins).max(), 1.0), losses], axis=1)
    _, first, point, counts = np.unique(
        np.round(places / _SAME),
        axis=0,
        return_index=True,
        return_inverse=True,
        return_counts=True,
    )
    return OrderCloud(
        margins[first], losses[first], counts, orders[first], int(point[0]), every
    )


def clouds(case: Case) -> dict[str, OrderCloud]:
    """Return the cloud of a query for each feature map of the loss, by the map's
    symbol; by "" if there is only one."""
    every = {
        name: case._replace(algorithm=one)
        for name, one in by_feature_map(case.algorithm).items()
    }
    if len({type(one.alone()[1]) for one in every.values()}) == 1:
        every = {"": case}
    return {map_symbol(name): order_cloud(one) for name, one in every.items()}


class RoundOrders(NamedTuple):
    r"""The orders added for one query by rounds of training, under the last round's
    model.

    Attributes
    ----------
    cloud : OrderCloud
        All orders, or the outermost ones.
    names : tuple of m str
        The documents.
    margins, losses : (r + 1,) float64
        :math:`w^\top \delta\phi(y)` and :math:`\Delta(y)` of the order that each round
        from 0 added; its plane is a lower bound on the slack, loss minus margin.
    """

    cloud: OrderCloud
    names: tuple[str, ...]
    margins: Floats
    losses: Floats

    @property
    def lower_bound(self) -> float:
        """The lower bound on the slack by the planes of earlier rounds."""
        return max(0.0, *(self.losses - self.margins)[:-1], 0.0)


def round_orders(
    algorithm: "StructuredRanker",
    dataset: RankingDataset,
    query: int,
    models: Sequence[ArrayLike],
) -> RoundOrders:
    """Return the orders that the rounds added for a query.

    Parameters
    ----------
    algorithm, dataset, query
        As in `rankcore.topics.margins.order.Case`.
    models : sequence of (d,) float64
        The coefficients of each round, from round 0; at least one.
    """
    single = dataset.subset([query])
    chosen = loss_named(algorithm, single, None)
    scores = [linear_scores(single.X, np.asarray(coef)) for coef in models]
    orders = np.stack([chosen.most_violated(order, 0) for order in scores])
    ranks = np.argsort(orders, axis=1, kind="stable")
    return RoundOrders(
        order_cloud(Case(algorithm, single, 0, models[-1])),
        single.query(0).doc_names,
        _margins(chosen, scores[-1], ranks),
        _losses(chosen, single.y, ranks),
    )


def orders_title(every: Mapping[str, OrderCloud]) -> str:
    """Return the heading of clouds of one query."""
    cloud = next(iter(every.values()))
    if cloud.every:
        count = cloud.counts.sum()
        return f"{'Both' if count == 2 else f'All {count}'} orders of the list"
    return f"The outermost orders; all are drawn for at most {MOST_DOCUMENTS} documents"


def _losses(
    loss: MergeLoss | AssignmentLoss, labels: Integers, ranks: Integers
) -> Floats:
    """Return the loss of each order, given by the (k, m) ranks of the documents, from
    0; documents of equal labels can be exchanged."""
    ranked = np.take_along_axis(
        labels[None], np.argsort(ranks, axis=1, kind="stable"), axis=1
    )
    _, first, kind = np.unique(ranked, axis=0, return_index=True, return_inverse=True)
    each = [loss.predicted_losses(-ranks[i].astype(np.float64))[0] for i in first]
    return np.array(each)[kind]


def _margins(
    loss: MergeLoss | AssignmentLoss, scores: Floats, ranks: Integers
) -> Floats:
    """Return the margin of the ideal order over each order of `_losses`."""
    if isinstance(loss, AssignmentLoss):
        return (scores * (loss.ideal - loss.weights[ranks])).sum(axis=1)
    good = loss.queries.relevant
    above = ranks[:, good, None] > ranks[:, None, ~good]
    if isinstance(loss, FirstOnlyRRLoss) and good.any():
        first = ranks[:, good].min(axis=1, keepdims=True)
        above &= (ranks[:, good] == first)[:, :, None]
    gaps = scores[good][:, None] - scores[~good]
    return loss.weights[0] * (above * gaps).sum(axis=(1, 2))
