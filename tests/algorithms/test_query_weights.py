"""Weights of queries: what each algorithm says that it does with them."""

import numpy as np
import pytest

import rankcore
from rankcore.algorithms import StructuredRanker
from rankcore.algorithms.parts.ranker import NO_QUERY_WEIGHTS
from rankcore.data.dataset import RankingDataset
from rankcore.training import Stop, drive

ALGORITHMS = [rankcore.get_algorithm(name) for name in rankcore.list_algorithms()]
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


def trained(algorithm, data, passes=4, **settings):
    own = SETTINGS.get(algorithm.__name__, {}) | settings
    return list(drive(algorithm(**own), data, stop=Stop(max_iterations=passes)))


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda each: each.__name__)
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
