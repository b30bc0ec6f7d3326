"""Weights of documents: gains of losses are multiplied by them, or they are refused."""

import numpy as np
import pytest

from rankcore import LambdaRank, RSRank
from rankcore.algorithms.approx_ndcg import ApproxNDCG
from rankcore.algorithms.list_net import TopOneLoss
from rankcore.algorithms.soft_rank import SoftNDCG
from rankcore.data.dataset import RankingDataset
from rankcore.training import Stop, drive
from tests.algorithms.scored import every

TAKEN = {"ApproxNDCG", "LambdaRank", "ListNet", "RSRank", "SoftRank"}
SIZE = 7


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(5)
    X = rng.uniform(size=(5 * SIZE, 3))
    y = np.digitize(X @ [3.0, -2.0, 1.0] + rng.normal(size=len(X)), [0.5, 1.5])
    return RankingDataset.from_arrays(X, y, np.repeat(np.arange(5), SIZE))


@pytest.fixture(scope="module")
def weights(data):
    drawn = np.random.default_rng(6).uniform(0.5, 5.0, data.n_documents)
    return np.where(np.arange(len(drawn)) % 4 == 1, 0.0, drawn)


def trained(algorithm, data, passes=4, **settings):
    return list(drive(algorithm(**settings), data, stop=Stop(max_iterations=passes)))


@every()
def test_weights_of_1_change_no_bit_and_others_count_or_are_refused(
    algorithm, data, weights
):
    weighted = data.with_document_weights(weights)
    all_ones = data.with_document_weights(np.ones(len(weights)))
    if algorithm.__name__ not in TAKEN:
        reason = algorithm().unsupported_reason(weighted)
        assert f"documents have weights, and {algorithm.title} takes none. " in reason
        assert algorithm().unsupported_reason(all_ones) is None
        return
    plain, ones = trained(algorithm, data, 2), trained(algorithm, all_ones, 2)
    for one, other in zip(plain, ones, strict=True):
        assert (one.coef == other.coef).all()
        assert (one.objective, one.train) == (other.objective, other.train)
    last = trained(algorithm, weighted, 2)[-1]
    assert abs(plain[-1].objective / last.objective - 1.0) > 1e-3
    # Only ratios within a query count.
    scale = np.repeat([1e-200, 0.25, 1.0, 4.0, 1e200], SIZE)
    same = trained(algorithm, data.with_document_weights(weights * scale), 2)[-1]
    assert same.objective == pytest.approx(last.objective, rel=1e-9)


@pytest.mark.parametrize("importance", ["AP", "RR"])
def test_pairs_by_measures_without_gains_refuse_them(importance, data, weights):
    with pytest.raises(ValueError, match=f"{importance} has no gains"):
        trained(RSRank, data.with_document_weights(weights), importance=importance)


def lists(data, weights, scores):
    """Gains by weights, and scores, of each query."""
    gains = weights * (2.0**data.y - 1.0)
    for lo, hi in zip(data.offsets, data.offsets[1:], strict=False):
        yield gains[lo:hi], scores[lo:hi]


@pytest.mark.parametrize("algorithm", [RSRank, LambdaRank])
def test_pairs_of_different_gains_weigh_what_their_swap_changes(
    algorithm, data, weights
):
    coef = np.array([0.3, 1.1, -0.7])
    expected = 0.0
    for gain, s in lists(data, weights, data.X @ coef):
        discount = 1.0 / np.log2(1.0 + np.argsort(np.argsort(-s)) + 1.0)
        ideal = np.sort(gain)[::-1] @ (1.0 / np.log2(np.arange(2.0, SIZE + 2.0)))
        for i in range(SIZE):
            for j in np.flatnonzero(gain < gain[i]):
                v = s[i] - s[j]
                huber = -4.0 * v if v < -1.0 else (v - 1.0) ** 2 * (v < 1.0)
                lost = huber if algorithm is RSRank else np.log1p(np.exp(-v))
                change = (gain[i] - gain[j]) * abs(discount[i] - discount[j])
                expected += change / ideal * lost
    loss = algorithm().loss(data.with_document_weights(weights))
    value, gradient = loss(coef)
    assert value == pytest.approx(expected, rel=1e-12)
    assert loss.graded.all()
    for j, step in enumerate(1e-6 * np.eye(3)):
        slope = (loss(coef + step)[0] - loss(coef - step)[0]) / 2e-6
        assert slope == pytest.approx(gradient[j], rel=1e-5)


def gradient_holds(loss, coef):
    _, gradient = loss(coef)
    for j, step in enumerate(1e-6 * np.eye(3)):
        slope = (loss(coef + step)[0] - loss(coef - step)[0]) / 2e-6
        assert slope == pytest.approx(gradient[j], rel=1e-5)


def test_list_net_matches_chances_in_proportion_to_weights(data, weights):
    coef = np.array([0.3, 1.1, -0.7])
    expected = 0.0
    chances = weights * np.exp(data.y)
    for lo, hi in zip(data.offsets, data.offsets[1:], strict=False):
        s, chance = data.X[lo:hi] @ coef, chances[lo:hi] / chances[lo:hi].sum()
        expected += chance @ (np.log(np.exp(s).sum()) - s) / 5
    loss = TopOneLoss(data.with_document_weights(weights))
    assert loss(coef)[0] == pytest.approx(expected, rel=1e-12)
    gradient_holds(loss, coef)


def test_smooth_ndcg_has_gains_by_weights(data, weights):
    coef = np.array([3.0, 11.0, -7.0])
    weighted = data.with_document_weights(weights)
    surrogate = ApproxNDCG(alpha=2.0).surrogate(weighted)
    expected = 0.0
    for gain, s in lists(data, weights, data.X @ coef):
        ideal = np.sort(gain)[::-1] @ (1.0 / np.log2(np.arange(2.0, SIZE + 2.0)))
        above = 1.0 / (1.0 + np.exp(-2.0 * (s - s[:, None])))
        position = 1.0 + above.sum(axis=1) - 0.5
        expected += gain @ (1.0 / np.log2(1.0 + position)) / ideal / 5

    def value(w):
        point = surrogate.evaluate(w)
        return point.value, point.gradient

    assert value(coef)[0] == pytest.approx(expected, rel=1e-12)
    gradient_holds(value, coef)
    gradient_holds(SoftNDCG(weighted, 0.5), coef / 10.0)


@pytest.mark.parametrize("algorithm", [RSRank, LambdaRank])
def test_the_order_of_rows_changes_no_bit(algorithm, data, weights):
    # Documents in pairs of equal features and labels, which only weights tell apart.
    first = np.arange(data.n_documents) // 2 * 2 % SIZE
    X, y = data.X[first], data.y[first]
    qid = np.repeat(np.arange(5), SIZE)
    order = np.concatenate(
        [np.random.default_rng(7).permutation(SIZE) + q * SIZE for q in range(5)]
    )
    coefs = []
    for rows in (np.arange(len(y)), order):
        arrays = RankingDataset.from_arrays(X[rows], y[rows], qid)
        weighted = arrays.with_document_weights(weights[rows])
        coefs.append(trained(algorithm, weighted)[-1].coef)
    assert (coefs[0] == coefs[1]).all()
