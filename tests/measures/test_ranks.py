"""Ranks from scores, and what soft ranks make of the measures."""

from math import inf, log2, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcore.measures import exact_ranks, parse, soft_ranks

SMALL_SCORES, SMALL_LABELS = (0.3, 0.1, 0.2), (0, 2, 1)


def naive_ranks(scores):
    """Ranks by sorting with the place in the input as second key."""
    order = sorted(range(len(scores)), key=lambda i: (-scores[i], i))
    return [order.index(i) + 1 for i in range(len(scores))]


score = st.one_of(
    st.integers(-3, 3).map(float),
    st.floats(allow_nan=False),
    st.sampled_from([0.0, -0.0, 5e-324, -5e-324, inf, -inf, 1.8e308, -1.7e308]),
)


@given(st.lists(st.lists(score, max_size=40), min_size=1, max_size=4))
def test_exact_ranks_equal_a_stable_sort(lists):
    offsets = np.cumsum([0, *map(len, lists)])
    scores = [s for scores in lists for s in scores]
    expected = [rank for scores in lists for rank in naive_ranks(scores)]
    assert exact_ranks(scores, offsets).tolist() == expected


@pytest.mark.parametrize("n", [15, 16, 17, 511, 512, 513, 3000])
def test_long_lists_with_ties_keep_input_order(n):
    scores = np.random.default_rng(n).integers(40, size=n).astype(float)
    expected = np.empty(n)
    expected[np.argsort(-scores, kind="stable")] = np.arange(1, n + 1)
    # One query alone is ranked by another way than several.
    for offsets in ([0, n], [0, 0, n]):
        assert (exact_ranks(scores, offsets) == expected).all()


def test_scores_that_are_nan_are_refused_with_a_sentence():
    with pytest.raises(ValueError, match="scores are not one number per document"):
        exact_ranks([1.0, nan], [0, 2])


def test_inputs_are_left_alone():
    scores = np.array([1.0, 3.0, 2.0])
    exact_ranks(scores, [0, 3])
    soft_ranks(scores, [0, 3], 1.0)
    assert scores.tolist() == [1, 3, 2]
    assert scores.flags.writeable


def test_soft_ranks_are_the_double_sum():
    rng = np.random.default_rng(1)
    scores = rng.normal(size=12)
    for alpha in (0.1, 1, 50):
        above = 1 / (1 + np.exp(alpha * np.subtract.outer(scores, scores)))
        expected = 1 + above.sum(axis=1) - 1 / 2
        assert soft_ranks(scores, [0, 12], alpha) == pytest.approx(expected, rel=1e-12)


@given(
    st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=30),
    st.sampled_from([1e-3, 1.0, 100.0, 1e300]),
)
def test_soft_ranks_sum_to_the_ranks_and_never_overflow(scores, alpha):
    n = len(scores)
    ranks = soft_ranks(scores, [0, n], alpha)
    assert ranks.sum() == pytest.approx(n * (n + 1) / 2)
    assert ((ranks >= 1) & (ranks <= n + 1e-9)).all()


@pytest.mark.parametrize("alpha", [0.0, -1.0, inf, nan])
def test_soft_ranks_refuse_an_alpha_out_of_range(alpha):
    with pytest.raises(ValueError, match="alpha is"):
        soft_ranks([1.0, 2.0], [0, 2], alpha)


def test_soft_ranks_refuse_infinite_scores():
    with pytest.raises(ValueError, match="finite scores"):
        soft_ranks([1.0, inf], [0, 2], 1.0)


def test_other_measures_of_soft_ranks_are_their_formulas():
    ranks = soft_ranks(SMALL_SCORES, [0, 3], 10)
    best = ranks[2]

    def sigma(x):
        return 1 / (1 + np.exp(-x))

    def value(name, **kwargs):
        return parse(name)(ranks, SMALL_LABELS, [0, 3], **kwargs)[0]

    assert value("RR", beta=10) == pytest.approx(1 / best)
    assert value("RR@2", beta=10) == pytest.approx(sigma(10 * (2.5 - best)) / best)
    assert value("WTA", beta=10) == value("P@1", beta=10)
    pairs = [sigma(10 * (SMALL_SCORES[good] - 0.3)) for good in (1, 2)]
    assert value("AUC") == pytest.approx(np.mean(pairs))
    ndcgs = [value(f"nDCG@{k}", beta=10) for k in (1, 2, 3)]
    assert value("MeanNDCG", beta=10) == pytest.approx(np.mean(ndcgs))
    assert value("RBP") == pytest.approx(0.2 * sum(0.8 ** (ranks[1:] - 1)))
    letor = [value(f"nDCG@{k}", convention="letor4") for k in (1, 2, 3)]
    assert value("MeanNDCG", convention="letor4") == pytest.approx(np.mean(letor))
    fractional = value("nDCG", convention="letor3")
    assert fractional == pytest.approx((3 / log2(ranks[1]) + 1) / (3 + 1))


def test_a_tie_at_the_cutoff_counts_one_half():
    ranks, offsets = soft_ranks([0.0, 0.0], [0, 2], 1.0), [0, 2]
    assert ranks.tolist() == [1.5, 1.5]
    assert parse("P@1")(ranks, [1, 0], offsets).tolist() == [1 / 2]
    halves = [parse(f"nDCG@{k}")(ranks, [1, 0], offsets)[0] for k in (1, 2)]
    assert parse("MeanNDCG")(ranks, [1, 0], offsets)[0] == pytest.approx(
        np.mean(halves)
    )
    both = parse("AP")(ranks, [1, 1], offsets)[0]
    assert both == pytest.approx((1 + 1 / 2) / 1.5)


@pytest.mark.parametrize("convention", ["standard", "letor4"])
@pytest.mark.parametrize(
    "name",
    ["nDCG@3", "nDCG", "MeanNDCG", "AP", "AP@4", "RR", "RR@2", "P@3", "WTA", "AUC"],
)
def test_soft_ranks_tend_to_the_measure(name, convention):
    rng = np.random.default_rng(2)
    offsets = np.arange(0, 65, 8)
    scores = np.concatenate([rng.permutation(8) for _ in range(8)]) / 8
    labels = rng.integers(3, size=64)
    measure = parse(name)
    exact = measure(exact_ranks(scores, offsets), labels, offsets, convention)
    for beta in (200, inf):
        soft = soft_ranks(scores, offsets, 400)
        values = measure(soft, labels, offsets, convention, beta)
        np.testing.assert_allclose(values, exact, atol=1e-12)


def test_surrogate_error_falls_with_alpha_and_beta():
    rng = np.random.default_rng(3)
    scores, labels = rng.permutation(30) / 30, rng.integers(3, size=30)
    measure = parse("AP")
    exact = measure(exact_ranks(scores, [0, 30]), labels, [0, 30])
    errors = [
        abs(
            measure(soft_ranks(scores, [0, 30], a), labels, [0, 30], beta=a / 10)
            - exact
        )
        for a in (10, 100, 1000)
    ]
    assert errors[0] > errors[1] > errors[2]
