"""The importance of features: coefficients in units of the score, gains of splits."""

import numpy as np
import pytest

from rankcore.algorithms import RankBoost, RSRank
from rankcore.algorithms.parts import scales
from rankcore.algorithms.parts.scales import feature_spreads
from rankcore.base import blocks
from rankcore.data.dataset import RankingDataset

SIZES = (7, 1, 30, 12)


def data(X, sizes=SIZES, **how):
    queries = np.repeat(np.arange(len(sizes)), sizes)
    return RankingDataset.from_arrays(X, np.zeros(len(X), int), queries, **how)


def features(d=5, seed=0):
    return np.random.default_rng(seed).normal(3.0, 2.0, (sum(SIZES), d))


def brute_force(X, sizes=SIZES):
    parts = np.split(X, np.cumsum(sizes)[:-1])
    return np.sqrt(np.mean([np.nanvar(part, axis=0) for part in parts], axis=0))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_spread_is_the_root_of_the_mean_variance_within_a_query(dtype):
    X = features().astype(dtype)
    spreads = feature_spreads(data(X, dtype=dtype))
    np.testing.assert_allclose(spreads, brute_force(X.astype(np.float64)), rtol=1e-13)


def test_values_that_are_missing_do_not_count():
    X = features()
    X[8:][np.random.default_rng(1).random(X[8:].shape) < 0.3] = np.nan
    spreads = feature_spreads(data(X, missing="keep"))
    np.testing.assert_allclose(spreads, brute_force(X), rtol=1e-13)
    # A query without any value has no variance, as one with a single value.
    X[:7] = np.nan
    spreads = feature_spreads(data(X, missing="keep"))
    X[:7] = 1.0
    np.testing.assert_allclose(spreads, brute_force(X), rtol=1e-13)


def test_what_is_constant_within_each_query_has_no_spread():
    X = np.repeat([0.1, 0.7, 1e300, -0.3], SIZES)[:, None]
    assert feature_spreads(data(X)).tolist() == [0.0]


@pytest.mark.parametrize("size", [1e-300, 1e-200, 1e200, 1e306])
def test_values_of_any_size_have_one(size):
    X = features(2)
    result = feature_spreads(data(X * [size, 1.0])) / [size, 1.0]
    np.testing.assert_allclose(result, brute_force(X), rtol=1e-13)


def test_the_range_may_exceed_the_largest_number():
    X = np.array([[-1.7e308], [1.7e308]])
    with np.errstate(over="ignore"):
        assert feature_spreads(data(X, (2,))).tolist() == [1.7e308]


def test_neither_blocks_nor_the_order_of_queries_matter(monkeypatch):
    X = features()
    once = feature_spreads(data(X))
    monkeypatch.setattr(blocks, "CELLS", 40)
    assert len(scales.blocks(data(X).offsets, X.shape[1])) > 1
    np.testing.assert_allclose(feature_spreads(data(X)), once, rtol=1e-15)
    turned = data(X).subset(np.arange(len(SIZES))[::-1])
    np.testing.assert_allclose(feature_spreads(turned), once, rtol=1e-15)


@pytest.mark.parametrize(("factor", "close"), [(1024.0, 0.0), (1000.0, 1e-15)])
def test_the_unit_of_a_feature_changes_no_importance(factor, close):
    X, coef, units = features(), np.array([1.0, -2.0, 0.0, 3e-7, 1e5]), np.ones(5)
    units[3] = factor
    before = RSRank().importances(coef, data(X))
    after = RSRank().importances(coef / units, data(X * units))
    np.testing.assert_allclose(after, before, rtol=close)
    np.testing.assert_allclose(np.abs(before), np.abs(coef) * brute_force(X), 1e-13)
    assert (np.sign(before) == np.sign(coef)).all()


def test_several_models_have_theirs_and_forests_their_gain(small):
    weights = np.arange(2.0 * small.n_features).reshape(2, -1)
    linear, forest = RSRank(), RankBoost()
    both = linear.importances(weights, small)
    assert (both[1] == linear.importances(weights[1], small)).all()
    assert forest.importances(weights, small) is weights
