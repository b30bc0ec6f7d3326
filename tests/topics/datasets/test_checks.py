"""Queries that occur twice, and features alone and in pairs."""

import numpy as np
import pytest

from rankcore import RankingDataset, load_dataset, measures
from rankcore.data.readers import Splits
from rankcore.topics.datasets import checks as data_checks


def queries(labels, names, X=None):
    """Queries of two documents each, with the features that are given."""
    n = len(labels)
    X = np.arange(2 * n, dtype=float) if X is None else np.array(X, dtype=float)
    y = [label for pair in labels for label in pair]
    return RankingDataset.from_arrays(
        X.reshape(2 * n, -1), y, [name for name in names for _ in range(2)]
    )


def test_queries_of_one_content_or_id_are_found():
    train = queries([(1, 0), (1, 0), (2, 0)], "abc", [1, 2, 1, 2, 5, 6])
    test = queries([(2, 0), (0, 1)], "xa", [5, 6, 8, 9])
    result = data_checks.repeated(Splits(train, None, test))

    assert result.same == [
        ("a (training)", "b (training)"),
        ("c (training)", "x (test)"),
    ]
    assert result.leaking == [
        ("c (training)", "x (test)"),
        ("a (training)", "a (test)"),
    ]
    leak, twice = data_checks.warnings(train, result)
    assert leak.startswith("2 queries are in two splits")
    assert "c (training) = x (test); a (training) = a (test)" in leak
    assert twice.startswith("1 query is with the same documents")


def test_data_without_repetition_has_no_warning():
    splits = load_dataset("planted")
    result = data_checks.repeated(splits)
    assert result == ([], [])
    assert data_checks.warnings(splits.train, result) == []


def test_documents_without_judgement_are_counted():
    data = queries([(1, 0)], "a")._with(judged=np.array([True, False]))
    (result,) = data_checks.warnings(data, data_checks.Repeated([], []))
    assert result.startswith("1 of 2 documents have no judgement")


def test_features_alone_by_hand():
    """Ranked by the first, all is right; by the second, all is wrong but turned round;
    the third ties all, of which the mean over their orders counts."""
    X = [[3, 1, 7], [1, 3, 7], [9, 0, 7], [2, 5, 7]]
    data = queries([(1, 0), (1, 0)], "ab", X)
    first, second, third = data_checks.features(data, "RR")

    assert {first[:3], second[:3]} == {("f1", 1.0, False), ("f2", 1.0, True)}
    assert third[:3] == ("f3", (1 + 1 / 2) / 2, False)
    assert first.correlation == pytest.approx(second.correlation)
    assert third.correlation == 0


def test_correlations_are_those_of_centred_values():
    data = load_dataset("toy-3d").train
    X = np.hstack([data.X, data.X @ [[1.0], [0.1], [0.0]], -1e9 * data.X[:, :1]])
    wide = RankingDataset.from_arrays(
        X, data.y, np.repeat(data.query_ids, data.lengths)
    )
    nearest, result = data_checks.nearest_features(wide)
    means = np.add.reduceat(wide.X, wide.offsets[:-1]) / wide.lengths[:, None]
    expected = np.corrcoef((wide.X - np.repeat(means, wide.lengths, axis=0)).T)
    np.fill_diagonal(expected, 0)

    assert result == pytest.approx(expected[np.arange(5), nearest])
    assert np.abs(result) == pytest.approx(np.abs(expected).max(axis=1))
    assert (nearest[0], nearest[4]) == (4, 0)


def test_the_best_feature_is_that_of_the_measure():
    data = load_dataset("mslr10k-sample").train
    best = data_checks.features(data)[0]
    column = data.X[:, data.feature_names.index(best.name)]
    scores = -column if best.falling else column
    value = measures.means(data, scores, "nDCG@10")["nDCG@10"]

    assert best.value == value
    assert len(data_checks.features(data)) == data.n_features


@pytest.fixture
def noise():
    """Twelve queries of five documents, the best first, with two features of noise."""
    rng = np.random.default_rng(0)
    return RankingDataset.from_arrays(
        rng.uniform(size=(60, 2)), np.tile([2, 1, 1, 0, 0], 12), np.repeat(range(12), 5)
    )


def with_feature(dataset, values):
    X = np.column_stack([dataset.X, values])
    return RankingDataset.from_arrays(
        X, dataset.y, np.repeat(dataset.query_ids, dataset.lengths)
    )


@pytest.mark.parametrize(
    "values",
    [np.arange(60), np.arange(60, 0, -1), np.tile(range(1, 6), 12)],
    ids=["row numbers", "falling", "ranks"],
)
def test_numbers_of_rows_are_doubtful(noise, values):
    assert data_checks.doubtful_features(noise) == {}
    features = data_checks.doubtful_features(with_feature(noise, values))
    assert features == {"f3": "changes by one from row to row"}
    (sentence,) = data_checks.doubts(features)
    assert sentence.startswith("Feature f3 changes by one from row to row.")


def test_numbers_of_rows_are_doubtful_where_queries_are_mixed(noise):
    order = np.random.default_rng(1).permutation(60)
    queries = np.repeat(noise.query_ids, noise.lengths)
    X = np.column_stack([noise.X[order], np.arange(60)])
    mixed = RankingDataset.from_arrays(X, noise.y[order], queries[order])
    assert set(data_checks.doubtful_features(mixed)) == {"f3"}


@pytest.mark.parametrize("sign", [1, -1])
def test_a_copy_of_the_label_is_doubtful(noise, sign):
    copied = with_feature(noise, sign * (noise.y + 0.1 * noise.X[:, 0]))
    what = "alone ranks nearly every query perfectly"
    assert data_checks.doubtful_features(copied) == {"f3": what}
    few = copied.subset(range(data_checks.FEWEST_QUERIES - 1))
    assert data_checks.doubtful_features(few) == {}
    X = copied.X.copy()
    X[::10, 2] = X[1::10, 2]
    half = RankingDataset.from_arrays(
        X, copied.y, np.repeat(copied.query_ids, copied.lengths)
    )
    assert data_checks.doubtful_features(half) == {}
