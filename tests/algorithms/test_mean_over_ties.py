"""Tied documents count by the mean over all their orders, exactly."""

import itertools

import numpy as np
import pytest

from rankcore import measures
from rankcore.algorithms.parts.gain_sums import MeanOverTies
from rankcore.data.dataset import RankingDataset

NAMES = ["nDCG", "nDCG@3", "AP", "AP@2", "RR", "RR@2", "P@3", "WTA"]


def brute_force(scores, labels, name):
    """The mean of the measure over all orders of the rows, of which a stable sort
    keeps that of tied documents."""
    orders = np.array(list(itertools.permutations(range(len(labels)))))
    queries = np.repeat(np.arange(len(orders)), len(labels))
    every = RankingDataset.from_arrays(
        np.zeros((orders.size, 1)), labels[orders].ravel(), queries
    )
    return measures.means(every, scores[orders].ravel(), name)[name]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("values", [1, 2, 3, 20])
def test_it_is_the_mean_over_all_orders(name, values):
    rng = np.random.default_rng(values)
    X, y = rng.integers(values, size=(24, 2)).astype(float), rng.integers(3, size=24)
    dataset = RankingDataset.from_arrays(X, y, np.repeat([1, 2, 3, 4], 6))
    measure = MeanOverTies(dataset, name)
    features = measure.of_features()
    for at, q in enumerate(measure.queries):
        query = dataset.query(q)
        sides = [sign * column for sign in (1.0, -1.0) for column in query.X.T]
        expected = [brute_force(side, query.y, name) for side in sides]
        assert features[at] == pytest.approx(expected, rel=1e-12, abs=1e-15)
    for column in range(2):
        scores = measure.of_scores(dataset.X[:, column])
        assert scores == pytest.approx(features[:, column], rel=1e-14)


@pytest.mark.parametrize("name", NAMES)
def test_without_ties_it_is_the_measure(name):
    rng = np.random.default_rng(0)
    X, y = rng.random((40, 3)), rng.integers(3, size=40)
    dataset = RankingDataset.from_arrays(X, y, np.arange(40) % 4)
    features = MeanOverTies(dataset, name).of_features()
    for column in range(3):
        for side, sign in enumerate((1.0, -1.0)):
            table = measures.evaluate(dataset, sign * dataset.X[:, column], name)
            result = features[:, 3 * side + column]
            assert result == pytest.approx(table[name].to_numpy(), rel=1e-12)


def test_queries_without_relevant_documents_are_left_out():
    dataset = RankingDataset.from_arrays(np.eye(4), [0, 0, 0, 1], [1, 1, 2, 2])
    assert MeanOverTies(dataset, "AP").queries.tolist() == [1]
