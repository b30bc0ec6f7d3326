"""Measures of labels that are fractions."""

import numpy as np
import pytest

from rankcore import RankingDataset, measures
from rankcore.base.errors import DataError
from rankcore.measures import Measure

SCORES = np.array([3.0, 2.0, 1.0, 0.5, 2.0, 2.0])
QUERIES = [1, 1, 1, 2, 2, 2]
LABELS = np.array([0.5, 2.25, 0.0, 1.0, 0.0, 3.5])
TIES = ("mean", "worst", "input", "trec")


def mean(labels, names, **rules):
    data = RankingDataset.from_arrays(np.zeros((6, 1)), labels, QUERIES)
    return measures.means(data, SCORES, names, **rules)


def test_a_gain_is_that_of_the_fraction():
    """2^y - 1 of log2(1 + g) is g, the linear gain of g."""
    gains = np.array([3.0, 1.0, 0.0, 2.0, 0.0, 7.0])
    for ties in TIES:
        exponential = mean(np.log2(1.0 + gains), ["nDCG@2", "DCG"], ties=ties)
        linear = mean(gains, ["nDCG(dcg='log2')@2", "DCG(dcg='log2')"], ties=ties)
        assert list(exponential.values()) == pytest.approx(list(linear.values()))


@pytest.mark.parametrize("ties", TIES)
def test_linear_gain_is_that_of_whole_multiples(ties):
    name = "nDCG(dcg='log2')@2"
    assert mean(LABELS, name, ties=ties) == pytest.approx(
        mean(LABELS * 4, name, ties=ties)
    )


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize(
    "name", ["AP", "AP(rel=2)", "P@2", "RR", "R@2", "RBP", "AUC", "Bpref"]
)
def test_a_binary_measure_counts_from_its_grade_up(name, ties):
    """So it takes fractions for the whole numbers below them."""
    assert mean(LABELS, name, ties=ties) == mean(np.floor(LABELS), name, ties=ties)


def test_every_measure_takes_fractions():
    for one in measures.list_measures():
        name = f"{one.name}@5" if one.cutoffs == "always" else one.name
        values = measures.evaluate(LABELS, SCORES, name, qid=QUERIES)
        assert np.isfinite(values.to_numpy()).all(), name


class HighestLabel(Measure):
    """A measure of somebody else; without a name it is not registered."""

    def values(self, lists, convention, beta):
        return np.maximum.reduceat(lists.labels, lists.offsets[:-1]).astype(float)


HighestLabel.name = "Highest"


def test_a_measure_that_reads_labels_itself_refuses_fractions():
    whole = HighestLabel()
    assert whole([1.0, 2.0], [3, 1], [0, 2]).tolist() == [3.0]
    for measured in (
        lambda: whole([1.0, 2.0], [0.5, 1.0], [0, 2]),
        lambda: measures.evaluate(LABELS, SCORES, whole, qid=QUERIES),
    ):
        with pytest.raises(ValueError, match="needs whole labels, and some are frac"):
            measured()


def test_a_binary_measure_says_its_threshold():
    assert "relevant from grade 2 up" in measures.parse("AP(rel=2)").describe()


def test_err_stops_by_the_fraction():
    stop = (2**2.25 - 1) / 16
    values = measures.evaluate([0.0, 2.25], [2.0, 1.0], "ERR", qid=[1, 1])
    assert values["ERR"].tolist() == pytest.approx([stop / 2])
    with pytest.raises(ValueError, match=r"The label 4\.5 .* write ERR\(max_grade=5\)"):
        measures.evaluate([0.0, 4.5], [2.0, 1.0], "ERR", qid=[1, 1])


def test_a_fraction_too_large_or_negative_is_refused():
    with pytest.raises(DataError, match=r"The label 31\.5 is above 31"):
        measures.evaluate([0.0, 31.5], [2.0, 1.0], "nDCG", qid=[1, 1])
    with pytest.raises(ValueError, match="negative"):
        measures.parse("nDCG")([1.0, 2.0], [-0.5, 1.0], [0, 2])
