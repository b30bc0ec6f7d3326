"""What algorithms make of labels that are fractions."""

import numpy as np
import pytest

from rankcore import RankingDataset, get_algorithm
from rankcore.training import Stop, drive

RNG = np.random.default_rng(3)
X = RNG.random((40, 3))
GRADES = np.digitize(X @ [2.0, -1.0, 0.5], [0.2, 0.8, 1.4])
QUERIES = np.repeat(np.arange(8), 5)


def coefficients(name, labels, **settings):
    data = RankingDataset.from_arrays(X, labels, QUERIES)
    return last(name, data, **settings)


def last(name, data, **settings):
    run = drive(get_algorithm(name)(**settings), data, stop=Stop(max_iterations=5))
    return [*run][-1].coef


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("RankSVM", {}),
        ("RankNet", {}),
        ("ListMLE", {}),
        ("RankBoost", {}),
        ("FenchelRank", {}),
        ("ConeRank", {"pair_weights": "equal"}),
    ],
)
def test_of_an_order_of_labels_only_the_order_counts(name, settings):
    fractions = np.array([0.0, 0.5, 2.25, 2.5])[GRADES]
    np.testing.assert_array_equal(
        coefficients(name, fractions, **settings),
        coefficients(name, GRADES, **settings),
    )


@pytest.mark.parametrize("name", ["RSRank", "LambdaRank", "ApproxNDCG", "SoftRank"])
def test_a_gain_is_that_of_a_relevant_document_with_its_weight(name):
    """2^y - 1 of log2(1 + g) is g, as is that of the label 1 with the weight g."""
    gains = np.array([0.0, 1.5, 2.0, 4.5])[GRADES]
    graded = coefficients(name, np.log2(1.0 + gains))
    relevant = RankingDataset.from_arrays(X, (GRADES > 0).astype(int), QUERIES)
    weights = np.where(gains > 0.0, gains, 1.0)
    weighted = last(name, relevant.with_document_weights(weights))
    np.testing.assert_allclose(graded, weighted, rtol=1e-9)


def test_a_label_of_list_net_counts_as_its_exponential():
    labels = np.array([0.0, 0.5, 2.25, 2.5])[GRADES]
    flat = RankingDataset.from_arrays(X, np.zeros(40, int), QUERIES)
    weighted = flat.with_document_weights(np.exp(labels))
    np.testing.assert_allclose(
        coefficients("ListNet", labels), last("ListNet", weighted), rtol=1e-9
    )


def test_labels_of_regression_may_have_any_unit():
    fractions = coefficients("LeastSquares", GRADES / 8)
    np.testing.assert_allclose(
        8 * fractions, coefficients("LeastSquares", GRADES), rtol=1e-9
    )


def test_differences_of_labels_weigh_pairs_of_cones():
    whole, half = (coefficients("ConeRank", y) for y in (GRADES, GRADES * 1.0))
    np.testing.assert_array_equal(whole, half)
    fractions = np.array([0.0, 0.75, 2.0, 3.5])
    one = coefficients("ConeRank", fractions[GRADES])
    other = coefficients("ConeRank", (fractions + 0.25)[GRADES])
    assert not np.array_equal(one, whole)
    # Only differences count; a quarter more for all changes no bit of them.
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("RSRank", {"importance": "AP"}),
        ("AdaRank", {"criterion": "average_precision"}),
        ("CoordinateAscent", {"criterion": "AP"}),
        ("SingleFeature", {"criterion": "RR"}),
    ],
)
def test_a_binary_setting_refuses_what_its_graded_one_takes(name, settings):
    graded = {"SingleFeature": {"criterion": "nDCG"}}.get(name, {})
    assert get_algorithm(name)(**graded).fractions_refusal is None
    with pytest.raises(ValueError, match="only tells relevant documents from"):
        coefficients(name, GRADES / 2, **settings)
