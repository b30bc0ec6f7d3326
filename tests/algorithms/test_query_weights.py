"""Weights of queries: what each algorithm says that it does with them."""

import numpy as np
import pytest

from rankcore.algorithms import StructuredRanker
from rankcore.algorithms.parts.ranker import NO_QUERY_WEIGHTS
from rankcore.data.dataset import RankingDataset
from rankcore.training import Stop, drive
from tests.algorithms.scored import ALGORITHMS, every

# Settings with which training is a function of the data's sums: what is drawn for each
# document is drawn once more for a query given twice.
SETTINGS = {"ListMLE": {"ties": "input"}}
WEIGHTS = np.array([2.0, 1.0, 1.0, 2.0, 1.0])


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(5)
    X = rng.uniform(size=(35, 3))
    y = np.digitize(X @ [3.0, -2.0, 1.0] + rng.normal(size=35), [0.5, 1.5])
    return RankingDataset.from_arrays(X, y, np.repeat(np.arange(5), 7))


@pytest.fixture(scope="module")
def repeated(data):
    """The data with each query as often as its weight says."""
    at = np.repeat(np.arange(5), WEIGHTS.astype(int))
    rows = np.concatenate([np.arange(7 * q, 7 * q + 7) for q in at])
    qid = np.repeat(np.arange(len(at)), 7)
    return RankingDataset.from_arrays(data.X[rows], data.y[rows], qid)


def data_of(order):
    """Forty queries in some order, the seventh of weight 2 unless it is there twice."""
    rng = np.random.default_rng(5)
    X = rng.uniform(size=(40, 20, 10))
    # So few rows a feature that RankSVM does not begin with a sample of them.
    y = np.digitize(X @ rng.normal(size=10) + rng.normal(size=(40, 20)), [0.5, 1.5])
    qid = np.repeat(np.arange(len(order)), 20)
    arrays = RankingDataset.from_arrays(np.vstack(X[order]), np.hstack(y[order]), qid)
    if order.count(7) == 2:
        return arrays
    return arrays.with_query_weights(1.0 + (np.array(order) == 7))


def trained(algorithm, data, passes=4, **settings):
    entries = SETTINGS.get(algorithm.__name__, {}) | settings
    return list(drive(algorithm(**entries), data, stop=Stop(max_iterations=passes)))


@every()
def test_weights_do_what_the_class_says(algorithm, data, repeated):
    assert algorithm.query_weights.text.endswith(".")
    plain = trained(algorithm, data)
    ones = trained(algorithm, data.with_query_weights(np.ones(5)))
    for one, other in zip(plain, ones, strict=True):
        assert (one.coef == other.coef).all()
        assert (one.objective, one.train) == (other.objective, other.train)
    weighted = data.with_query_weights(WEIGHTS)
    if not algorithm.query_weights.taken:
        assert algorithm.query_weights.text != NO_QUERY_WEIGHTS.text
        with pytest.raises(ValueError, match=r"queries have weights.* takes none"):
            trained(algorithm, weighted)
        return
    if issubclass(algorithm, StructuredRanker):
        # Within ε, by the objective of the same problem.
        least = trained(algorithm, repeated, 200)[-1].objective
        reached = trained(algorithm, weighted, 200)[-1].objective
        precision = algorithm().epsilon * 2.0
        assert reached == pytest.approx(least, abs=precision)
        assert abs(trained(algorithm, data, 200)[-1].objective - least) > precision
        return
    last, other = trained(algorithm, weighted)[-1], trained(algorithm, repeated)[-1]
    assert last.objective == pytest.approx(other.objective, rel=1e-12)
    np.testing.assert_allclose(last.coef, other.coef, rtol=1e-12, atol=1e-15)
    assert abs(plain[-1].objective / other.objective - 1.0) > 1e-6
    assert last.train["nDCG@10"] == pytest.approx(other.train["nDCG@10"], rel=1e-12)


@pytest.mark.parametrize(
    "algorithm",
    [
        each
        for each in ALGORITHMS
        if each.query_weights.taken and not issubclass(each, StructuredRanker)
    ],
    ids=lambda each: each.__name__,
)
def test_a_second_copy_at_the_end_differs_by_rounding(algorithm):
    order = list(range(40))
    (first, *weighted), (same, *repeated) = (
        trained(algorithm, data_of(each), 20) for each in (order, [*order, 7])
    )
    # One step tells the whole gradient.
    for one, other in [(first, same), (weighted[0], repeated[0])]:
        np.testing.assert_allclose(one.coef, other.coef, rtol=1e-12, atol=1e-15)
        assert one.objective == pytest.approx(other.objective, rel=1e-12)
    # Rounding that a climb amplifies is that of any other order of the same queries.
    turned = trained(algorithm, data_of(order[9:] + order[:9]), 20)
    for one, other, third in zip(weighted, repeated, turned[1:], strict=False):
        apart = np.linalg.norm(one.coef - other.coef)
        rounding = np.linalg.norm(one.coef - third.coef)
        assert apart <= 30.0 * rounding + 1e-12 * np.linalg.norm(one.coef)
