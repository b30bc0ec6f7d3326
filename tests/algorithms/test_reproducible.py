"""The same bits, whatever memory held before and whatever queries come before."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

import rankcore
from rankcore._kernels.losses.approximation import ndcg_pass, soft_positions
from rankcore.algorithms import Approximation, StructuredRanker, rank_net
from rankcore.algorithms.fenchel_rank import SquaredHinge
from rankcore.algorithms.list_mle import PlackettLuceLoss
from rankcore.algorithms.list_net import TopOneLoss
from rankcore.algorithms.parts import delta_weights
from rankcore.algorithms.parts.cones import RULES, Differences, Folding, fold_in
from rankcore.algorithms.parts.gain_sums import MeanOverTies
from rankcore.algorithms.parts.line_search import LineSearch
from rankcore.algorithms.parts.normalised_gains import normalised_gains
from rankcore.algorithms.rank_svm import HingeLoss
from rankcore.algorithms.rankboost import WeightedPairs
from rankcore.algorithms.soft_rank import SoftNDCG
from rankcore.data.dataset import RankingDataset
from rankcore.measures import evaluate
from tests.fits import MEASURES, changing_fits, mixed

# Repeated, each byte is another kind of number: large, small, negative, hardly any.
SOME_BYTES = (0x3F, 0xFE)
MORE_BYTES = (0x00, 0x01, 0x40, 0x7F, 0xBF, 0xC0)

Found = Callable[[RankingDataset, np.ndarray], np.ndarray]


@pytest.mark.soak
def test_no_fit_depends_on_what_memory_held():
    assert not changing_fits("small", SOME_BYTES)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("size", "filling"),
    [("varied", SOME_BYTES + MORE_BYTES), ("large", (*SOME_BYTES, 0x40))],
)
def test_no_variant_depends_on_what_memory_held(size, filling):
    assert not changing_fits(size, filling)


def test_a_position_that_is_not_wanted_is_zero():
    scores = 1e4 * np.random.default_rng(0).normal(size=90)
    wanted = np.repeat([1.0, 0.0], 45)
    positions = soft_positions(scores, wanted, np.array([0, 90]), 1.0)
    assert (positions[:45] >= 1.0).all()
    assert not positions[45:].any()


def test_the_slopes_of_one_query_do_not_widen_the_window_of_the_next():
    """The second list has steep slopes nowhere, and one pair within its windows: too
    little to be doubted, unless slopes are taken for its own that the first one left.
    """
    n = 90
    gaps = np.full(n, 60.0)
    gaps[-4] = 9.0
    scores = np.append(200.0 * np.arange(n), np.cumsum(gaps)[::-1])
    labels = np.append(np.eye(n)[-1], np.tile([1, 0], n // 2)).astype(np.int64)
    offsets = np.array([0, n, 2 * n])
    X = np.eye(2 * n)
    for array in (X, offsets):
        array.flags.writeable = False
    gains = normalised_gains(labels, offsets, None)
    settings = 1.0, np.inf, 1.0

    def by_score(*queries: int) -> np.ndarray:
        chosen = np.array(queries)
        return ndcg_pass(X, gains, offsets, chosen, scores, *settings, 0.0)[1]

    result, expected = by_score(0, 1), by_score(0) + by_score(1)
    assert np.count_nonzero(expected[n:]) == 2
    np.testing.assert_array_equal(result, expected)


def separated(data: RankingDataset) -> RankingDataset:
    """The same lists, each with features of its own: its part of a gradient is its own
    gradient."""
    query = np.repeat(np.arange(data.n_queries), data.lengths)
    X = np.zeros((data.n_documents, data.n_queries, data.n_features))
    X[np.arange(len(X)), query] = data.X
    return RankingDataset.from_arrays(X.reshape(len(X), -1), data.y, query)


def scores_of(data: RankingDataset, w: np.ndarray) -> np.ndarray:
    """As X @ w, but a row at a time: a product of a block depends on its neighbours."""
    return (data.X * w).sum(axis=1)


def by_document(data: RankingDataset, *columns: np.ndarray) -> np.ndarray:
    return np.array([data.original_order(column) for column in columns])


def by_query(data: RankingDataset, queries: np.ndarray, rows: np.ndarray) -> np.ndarray:
    names = np.array(data.query_ids)[queries]
    return rows[np.argsort(names)]


def gradient(loss: Callable, **settings: object) -> Found:
    return lambda data, w: loss(data, **settings)(w)[1]


def approximation(learner: Approximation, data: RankingDataset, w: np.ndarray):
    surrogate = learner.surrogate(data)
    _, gradient, _ = learner.value_and_gradient(surrogate, w, surrogate.queries)
    at = surrogate.at(scores_of(data, w))
    columns = by_document(data, at.positions, at.slopes, at.gradient)
    return np.append(gradient, columns)


def structured(learner: StructuredRanker, data: RankingDataset, w: np.ndarray):
    scores = scores_of(data, w)
    worst = [item.loss.separation_oracle(scores) for item in learner.losses(data)]
    columns = [(np.repeat(losses, data.lengths), forces) for losses, forces in worst]
    return by_document(data, *sum(columns, ()))


def squared_hinge(data: RankingDataset, w: np.ndarray) -> np.ndarray:
    hinge, scores = SquaredHinge(data), scores_of(data, w)
    hinge(scores, scores, 0.3)
    return by_document(data, hinge.forces)


def weighted_pairs(data: RankingDataset, w: np.ndarray) -> np.ndarray:
    pairs = WeightedPairs(data)
    pairs.scores[:] = scores_of(data, w)
    pairs.weigh()
    return by_document(data, pairs.potentials)


def qualities(measure: str, data: RankingDataset, w: np.ndarray) -> np.ndarray:
    ties = MeanOverTies(data, measure)
    of_scores = ties.of_scores(scores_of(data, w))
    return by_query(
        data, ties.queries, np.column_stack([ties.of_features(), of_scores])
    )


def crossings(measure: str, data: RankingDataset, w: np.ndarray) -> np.ndarray:
    search = LineSearch(data, measure)
    return search.along(scores_of(data, w), scores_of(data, w[::-1] ** 2)).times


def folding(rule: str, data: RankingDataset, w: np.ndarray) -> np.ndarray:
    basis = np.stack([np.abs(w), np.roll(np.abs(w), 1), w**2])
    differences = Differences(data, False, 1.0, None, weighted=True)
    return fold_in(differences, basis, Folding(rule, steps=5)).moment


def measured(data: RankingDataset, w: np.ndarray) -> np.ndarray:
    table = evaluate(data, scores_of(data, w), MEASURES).to_numpy()
    return by_query(data, np.arange(data.n_queries), table)


LEARNERS = [rankcore.get_algorithm(name)() for name in rankcore.list_algorithms()]
FOUND: dict[str, Found] = {
    "ListNet": gradient(TopOneLoss),
    "ListMLE": gradient(PlackettLuceLoss),
    "RankNet": gradient(rank_net.LogisticLoss),
    "RankSVM": gradient(HingeLoss),
    "RankSVM rounded": gradient(HingeLoss, width=0.1),
    "SoftRank": gradient(SoftNDCG, sigma=0.1),
    "SoftRank exact": gradient(SoftNDCG, sigma=0.1, cutoff=5),
    "RSRank": gradient(delta_weights.PairwiseLoss),
    "RSRank AP": gradient(delta_weights.BinaryLoss, measure="AP"),
    "RSRank RR": gradient(delta_weights.BinaryLoss, measure="RR"),
    "LambdaRank": gradient(delta_weights.WeightedLogisticLoss),
    "FenchelRank": squared_hinge,
    "RankBoost": weighted_pairs,
    "AdaRank": partial(qualities, "nDCG@5"),
    "AdaRank AP": partial(qualities, "AP"),
    "CoordinateAscent": partial(crossings, "nDCG@5"),
    "CoordinateAscent AP": partial(crossings, "AP"),
    "measures": measured,
    **{f"ConeRank {rule}": partial(folding, rule) for rule in RULES},
    **{
        type(learner).__name__: partial(approximation, learner)
        for learner in LEARNERS
        if isinstance(learner, Approximation)
    },
    **{
        type(learner).__name__: partial(structured, learner)
        for learner in LEARNERS
        if isinstance(learner, StructuredRanker)
    },
}


@pytest.mark.parametrize("found", FOUND.values(), ids=FOUND)
def test_what_a_query_gives_does_not_depend_on_those_before(found):
    data = separated(mixed())
    q = data.n_queries
    direction = np.random.default_rng(0).normal(size=data.n_features // q)
    orders = [np.arange(q)[::-1], np.roll(np.arange(q), 3)]
    for scale in (1.0, 10.0, 100.0):
        w = scale * np.tile(direction, q)
        expected = found(data, w)
        for order in orders:
            np.testing.assert_array_equal(found(data.subset(order), w), expected)
