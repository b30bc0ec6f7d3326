"""SoftRank against its worked number, the paper's recursion and the measure."""

import itertools

import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.stats import norm

from rankcore import measures
from rankcore.algorithms.soft_rank import SoftNDCG, SoftRank
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.discount_terms import discount_terms
from rankcore.training import drive


def rank_distributions(above):
    """Distribution of each document's rank, counted from 0, the others added one at a
    time; ``above[i, j]`` is the chance that j is above i."""
    n = len(above)
    cells = np.eye(1, n).repeat(n, axis=0)
    for p in above.T[:, :, None]:
        cells = cells * (1 - p) + np.roll(cells, 1, axis=1) * p
    return cells


def recursion(scores, labels, sigma, cutoff=None):
    """The mean SoftNDCG of one query as in the paper."""
    n = len(scores)
    above = norm.cdf((scores - scores[:, None]) / (sigma * np.sqrt(2)))
    np.fill_diagonal(above, 0)
    discounts = 1 / np.log2(2 + np.arange(n)) * (np.arange(n) < (cutoff or n))
    gains = 2.0**labels - 1
    return (
        gains
        @ rank_distributions(above)
        @ discounts
        / (np.sort(gains)[::-1] @ discounts)
    )


def soft_ndcg(scores, labels, sigma, cutoff=None, exact=False):
    """Ours: each document has a feature of its own, so coefficients are scores."""
    dataset = RankingDataset.from_arrays(np.eye(len(scores)), labels)
    return SoftNDCG(dataset, sigma, cutoff, exact)(scores)


def random_list(n):
    rng = np.random.default_rng(n)
    y = rng.integers(0, 3, n)
    y[0] = 2
    return rng.standard_normal(n), y


def test_worked_example():
    s, y = np.array([0.3, 0.1, 0.2]), np.array([0, 2, 1])
    assert soft_ndcg(s, y, 0.1)[0] == pytest.approx(0.636991, abs=5e-7)
    ndcg = (3 / np.log2(4) + 1 / np.log2(3)) / (3 + 1 / np.log2(3))
    assert soft_ndcg(s, y, 1e-5)[0] == pytest.approx(ndcg, abs=1e-12)
    assert ndcg == pytest.approx(0.586883, abs=5e-7)


def test_two_documents_change_places_with_the_normal_chance():
    chance = norm.cdf(0.7 / (0.5 * np.sqrt(2)))
    value, force = soft_ndcg(np.array([0.7, 0.0]), np.array([1, 0]), 0.5)
    assert value == pytest.approx(chance + (1 - chance) / np.log2(3), rel=1e-13)
    density = norm.pdf(0.7 / (0.5 * np.sqrt(2))) / (0.5 * np.sqrt(2))
    slope = density * (1 - 1 / np.log2(3))
    assert force == pytest.approx([slope, -slope], rel=1e-12)


@pytest.mark.parametrize("n", [2, 5, 40, 150])
@pytest.mark.parametrize("sigma", [0.02, 0.3, 1.0, 20.0])
@pytest.mark.parametrize("details", [{}, {"exact": True}, {"cutoff": 10}])
def test_values_equal_the_recursion(n, sigma, details):
    s, y = random_list(n)
    expected = recursion(s, y, sigma, details.get("cutoff"))
    assert soft_ndcg(s, y, sigma, **details)[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n", [2, 40, 150])
@pytest.mark.parametrize("sigma", [0.02, 0.3, 1.0, 20.0])
def test_both_ways_have_one_gradient(n, sigma):
    s, y = random_list(n)
    _, fast = soft_ndcg(s, y, sigma)
    _, exact = soft_ndcg(s, y, sigma, exact=True)
    assert np.abs(fast - exact).max() <= 1e-12 * np.abs(exact).max()
    assert fast.sum() == pytest.approx(0.0, abs=1e-14)


@pytest.mark.parametrize("details", [{}, {"exact": True}, {"cutoff": 3}])
def test_gradient_by_finite_differences(details):
    s, y = random_list(12)
    loss = SoftNDCG(RankingDataset.from_arrays(np.eye(12), y), 0.4, **details)
    assert check_grad(lambda s: loss(s)[0], lambda s: loss(s)[1], s) < 1e-7


@pytest.mark.parametrize("cutoff", [None, 2])
def test_it_tends_to_the_measure(cutoff):
    y = np.array([0, 2, 1, 0])
    name = "nDCG" if cutoff is None else f"nDCG@{cutoff}"
    for order in itertools.permutations(range(4)):
        s = np.array(order, dtype=float)
        dataset = RankingDataset.from_arrays(np.eye(4), y)
        exact = measures.means(dataset, s, (name,))[name]
        blurred = [soft_ndcg(s, y, sigma, cutoff)[0] for sigma in (1.0, 0.3, 0.01)]
        errors = np.abs(np.array(blurred) - exact)
        assert errors[2] < 1e-12
        assert errors[0] > errors[1]


def test_scores_beyond_reach_and_huge_ones_stay_finite():
    y = np.array([0, 1, 2])
    for s in ([0.0, 1e9, -1e9], [1e300, 0.0, -1e300], [0.0, 0.0, 0.0]):
        for exact in (False, True):
            value, force = soft_ndcg(np.array(s), y, 0.1, exact=exact)
            assert 0 < value <= 1
            assert np.isfinite(force).all()


@pytest.mark.parametrize("longest", [1, 2, 10, 150, 1000, 5000])
def test_exponentials_sum_to_the_discount_at_every_rank(longest):
    rates, weights = discount_terms(longest)
    r = np.arange(longest)
    result = np.exp(-rates * r[:, None]) @ weights
    assert np.abs(result - 1 / np.log2(2 + r)).max() < 5e-13
    assert len(rates) % 4 == 0


def test_only_the_ratio_of_scores_and_sigma_matters():
    s, y = random_list(30)
    assert soft_ndcg(s, y, 0.3)[0] == pytest.approx(soft_ndcg(10 * s, y, 3.0)[0])


def test_the_mean_is_over_queries_with_relevant_documents():
    s, y = random_list(6)
    X, labels = np.concatenate([s, s]), np.concatenate([y, 0 * y])
    qid = np.repeat([1, 2], 6)
    dataset = RankingDataset.from_arrays(X[:, None], labels, qid)
    value, _ = SoftNDCG(dataset, 0.3)(np.ones(1))
    assert value == pytest.approx(recursion(s, y, 0.3), rel=1e-12)


def test_the_objective_rises():
    rng = np.random.default_rng(0)
    X = rng.random((80, 4))
    y = np.floor(3 * X[:, 0] * X[:, 1]).astype(int)
    dataset = RankingDataset.from_arrays(X, y, np.repeat(np.arange(8), 10))
    objectives = [record.objective for record in drive(SoftRank(), dataset)]
    assert objectives == sorted(objectives)
    assert objectives[-1] > objectives[0] + 0.1


def test_labels_too_large_for_the_gain_are_refused_with_a_sentence():
    dataset = RankingDataset.from_arrays(np.ones((2, 1)), np.array([0, 32]))
    with pytest.raises(ValueError, match="32 is above 31"):
        SoftRank().fit_dataset(dataset)
