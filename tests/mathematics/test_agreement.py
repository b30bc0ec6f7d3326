"""Agreement of raters: published examples, and statsmodels."""

import numpy as np
import pytest

from rankcore.mathematics.agreement import (
    cohen,
    fleiss,
    krippendorff,
    label_counts,
    majority,
    median,
    ordinal_variances,
)

# Krippendorff (2011): four observers, twelve units, 0 where a label is missing.
PUBLISHED = np.array([
    [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
    [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
])  # fmt: skip
# Ten subjects and fourteen raters, of whom so many chose each category: the example of
# the article "Fleiss' kappa" in Wikipedia.
FLEISS = np.array([
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1], [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
])  # fmt: skip


def counted(table):
    """Of a table (raters, items) with 0 where a label is missing."""
    _, item = np.nonzero(table)
    return label_counts(item, table[table > 0].astype(float))


@pytest.mark.parametrize(
    ("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_krippendorffs_example(level, alpha):
    result = krippendorff(*counted(PUBLISHED), level)

    assert result.value == pytest.approx(alpha, abs=5e-4)
    # The last unit has one label.
    assert result.items == 11
    assert result.low < result.value < result.high <= 1.0


def test_alpha_is_undefined_where_all_labels_are_equal():
    assert np.isnan(krippendorff(*counted(np.full((3, 4), 2))).value)
    assert np.isnan(krippendorff(*counted(np.array([[1, 2]]))).value)
    one = krippendorff(*counted(np.array([[1, 2, 1], [1, 2, 1]])))
    assert (one.value, one.low, one.high) == (1.0, 1.0, 1.0)
    with pytest.raises(ValueError, match="no level 'ratio'; use nominal, ordinal"):
        krippendorff(*counted(PUBLISHED), "ratio")


def test_the_interval_is_that_of_resampled_items():
    """As drawing items and computing each time, up to the draws."""
    rng = np.random.default_rng(1)
    values, counts = counted(PUBLISHED)
    counts = counts[:11]
    drawn = [
        krippendorff(values, counts[rng.integers(0, 11, 11)], "interval").value
        for _ in range(150)
    ]
    result = krippendorff(values, counts, "interval")
    low, high = np.nanquantile(drawn, [0.025, 0.975])
    assert (result.low, result.high) == pytest.approx((low, high), abs=0.08)


def test_the_example_of_fleiss_kappa():
    assert fleiss(FLEISS) == pytest.approx(0.210, abs=5e-4)
    assert np.isnan(fleiss(np.array([[3, 0], [3, 0]])))
    with pytest.raises(ValueError, match="equally many for each item"):
        fleiss(np.array([[2, 1], [1, 1]]))


def drawn_pairs():
    """Labels of two raters, at most one apart."""
    rng = np.random.default_rng(2)
    first = rng.integers(0, 4, 60)
    return first, np.clip(first + rng.integers(-1, 2, 60), 0, 3)


def test_the_example_of_cohens_kappa():
    """Of 50 applications both raters accept 20 and refuse 15; chance is one half."""
    first = np.repeat([1, 1, 0, 0], [20, 5, 10, 15])
    second = np.repeat([1, 0, 1, 0], [20, 5, 10, 15])

    assert cohen(first, second) == pytest.approx((0.7 - 0.5) / (1 - 0.5), rel=1e-12)
    assert np.isnan(cohen(np.ones(3), np.ones(3)))
    assert np.isnan(cohen(np.ones(0), np.ones(0)))


@pytest.mark.parametrize(("weights", "power"), [("linear", 1), ("quadratic", 2)])
def test_weighted_kappa_compares_each_with_each(weights, power):
    first, second = drawn_pairs()
    observed = np.mean(np.abs(first - second) ** power)
    expected = np.mean([abs(a - b) ** power for a in first for b in second])

    assert cohen(first, second, weights) == pytest.approx(1 - observed / expected)


@pytest.mark.soak
def test_kappas_are_those_of_other_programs():
    from sklearn.metrics import cohen_kappa_score
    from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa

    assert fleiss(FLEISS) == pytest.approx(fleiss_kappa(FLEISS), rel=1e-12)
    first, second = drawn_pairs()
    table = np.zeros((4, 4))
    np.add.at(table, (first, second), 1)
    for weights, kind in {
        "none": None,
        "linear": "linear",
        "quadratic": "quadratic",
    }.items():
        wanted = cohen_kappa_score(first, second, weights=kind)
        assert cohen(first, second, weights) == pytest.approx(wanted, rel=1e-12)
    for weights, kind in {"none": None, "linear": "linear"}.items():
        wanted = cohens_kappa(table, wt=kind, return_results=False)
        assert cohen(first, second, weights) == pytest.approx(wanted, rel=1e-12)


def test_of_ties_the_lower_label_is_taken():
    values = np.array([0.0, 1.0, 4.0])
    counts = np.array([[2, 1, 2], [0, 1, 1], [1, 1, 1], [1, 0, 3], [1, 0, 1]])

    assert majority(values, counts).labels.tolist() == [0, 1, 0, 4, 0]
    assert majority(values, counts).ties == 4
    # 0 0 1 4 4; 1 4; 0 1 4; 0 4 4 4; 0 4.
    assert median(values, counts).labels.tolist() == [1, 1, 1, 4, 0]
    assert median(values, counts).ties == 2


def test_ties_are_fractional_on_request_and_made_whole():
    values = np.array([0.0, 1.0, 3.0])
    counts = np.array([[1, 1, 1], [2, 2, 0], [0, 1, 0]])
    assert majority(values, counts, "fractional").labels == pytest.approx(
        [4 / 3, 0.5, 1.0]
    )
    assert median(values, counts, "fractional").labels.tolist() == [1.0, 0.5, 1.0]
    labels, factor = majority(values, counts, "fractional").whole()
    assert (labels.tolist(), factor) == ([8, 3, 6], 6)
    labels, factor = majority(values, counts).whole()
    assert (labels.tolist(), factor) == ([0, 0, 1], 1)


def test_the_variance_of_an_item_is_that_of_the_places_of_its_labels():
    # Places of the labels of eight ratings: 2 / 8 and 6 / 8.
    counts = np.array([[1, 1], [2, 0], [1, 2], [0, 1]])
    variances = ordinal_variances(counts)
    assert variances == pytest.approx(
        [2 * 0.25**2, 0.0, np.var([0, 0.5, 0.5], ddof=1), 0]
    )
