"""Weights of queries go with the data, and say nothing where they are all 1."""

import pickle

import numpy as np
import pytest

from rankcore import ListNet, RSRank, measures
from rankcore.base.errors import DataError
from rankcore.data.dataset import RankingDataset

WEIGHTS = [2.0, 1.0, 0.5, 4.0]


def data(weights=WEIGHTS):
    rng = np.random.default_rng(0)
    arrays = RankingDataset.from_arrays(
        rng.uniform(size=(8, 2)), [0, 1] * 4, ["a", "a", "b", "b", "c", "c", "d", "d"]
    )
    return arrays if weights is None else arrays.with_query_weights(weights)


def test_they_go_with_their_queries():
    weighted = data()
    assert weighted.subset([3, 0]).weights.tolist() == [4.0, 2.0]
    assert weighted.part(slice(1, 3)).weights.tolist() == [1.0, 0.5]
    one_each = np.tile([True, False], 4)
    assert weighted.documents(one_each).weights.tolist() == WEIGHTS
    assert weighted.normalise("minmax").weights.tolist() == WEIGHTS
    for part in weighted.split((0.5, 0.5)):
        assert dict(zip(part.query_ids, part.weights, strict=True)).items() <= {
            *zip("abcd", WEIGHTS, strict=True)
        }
    assert pickle.loads(pickle.dumps(weighted)).weights.tolist() == WEIGHTS
    table = weighted.to_frame()
    assert table["query_weight"].tolist() == np.repeat(WEIGHTS, 2).tolist()


def test_the_fingerprint_has_weights_other_than_1():
    plain = data(None)
    assert data(np.ones(4)).fingerprint == plain.fingerprint
    assert plain.fingerprint == "52c4a982aa5298a56d1f9d29321037d4", "as without weights"
    assert (
        len({plain.fingerprint, data().fingerprint, data(WEIGHTS[::-1]).fingerprint})
        == 3
    )
    assert data().subset([1]).fingerprint == plain.subset([1]).fingerprint


def test_documents_take_their_weights_along():
    of_each = np.arange(8.0)
    weighted = data(None).with_document_weights(of_each)
    assert weighted.subset([3, 1]).document_weights.tolist() == [6.0, 7.0, 2.0, 3.0]
    assert weighted.part(slice(1, 2)).document_weights.tolist() == [2.0, 3.0]
    second = np.tile([False, True], 4)
    assert weighted.documents(second).document_weights.tolist() == [1, 3, 5, 7]
    assert pickle.loads(pickle.dumps(weighted)).document_weights.tolist() == [*of_each]
    assert weighted.to_frame()["document_weight"].tolist() == of_each.tolist()
    plain = data(None)
    assert weighted.fingerprint != plain.fingerprint
    ones = plain.with_document_weights(np.ones(8))
    assert ones.fingerprint == plain.fingerprint
    both = weighted.with_query_weights(WEIGHTS)
    assert both.document_weights.tolist() == of_each.tolist()


@pytest.mark.parametrize(
    ("weights", "problem"),
    [
        ([1.0, 2.0], "shape \\(2,\\) for 8 documents"),
        ([1.0, -2.0] * 4, "Document number 2 has the weight -2"),
        ([1.0, np.nan] * 4, "Document number 2 has the weight NaN"),
        ([1.0] * 4 + [0.0] * 4, "All documents of query number 3 have the weight 0"),
        (["heavy"] * 8, "not all numbers"),
    ],
)
def test_weights_of_documents_that_are_none_are_refused(weights, problem):
    with pytest.raises(DataError, match=problem):
        data(None).with_document_weights(weights)


def test_a_column_of_words_becomes_weights():
    groups = {"weight": ("2", "1", ".5", "4"), "segment": ("x",) * 4}
    plain = data(None)
    dataset = RankingDataset(
        plain.X, plain.y, plain.offsets, plain.query_ids, plain.doc_ids, ("f", "g"),
        query_groups=groups,
    )  # fmt: skip
    weighted = dataset.weighted_by("weight")
    assert weighted.weights.tolist() == WEIGHTS
    assert weighted.query_groups == {"segment": ("x",) * 4}
    with pytest.raises(DataError, match="no column 'nothing' with the weight"):
        dataset.weighted_by("nothing")
    with pytest.raises(DataError, match="not all numbers"):
        dataset.weighted_by("segment")


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf])
def test_weights_are_above_0(bad):
    with pytest.raises(DataError, match=r"query 'b' has the weight .* above zero"):
        data([1.0, bad, 1.0, 1.0])


@pytest.mark.parametrize("bad", [1e-300, 1e308])
def test_nothing_trains_on_weights_beyond_sums(bad):
    with pytest.raises(
        ValueError, match=r"weights range .*\. Divide all weights by one"
    ):
        RSRank().fit_dataset(data([1.0, bad, 1.0, 1.0]))
    documents = data(None).with_document_weights([1.0, 0.0, bad, *[1.0] * 5])
    with pytest.raises(
        ValueError, match=r"weights range .*\. Divide all weights by one"
    ):
        RSRank().fit_dataset(documents)


def test_every_query_has_a_weight():
    assert data({**dict(zip("abcd", WEIGHTS, strict=True)), "e": 9.0}).weights[3] == 4.0
    with pytest.raises(DataError, match="Queries have no weight: c, d"):
        data({"a": 1.0, "b": 1.0})
    with pytest.raises(DataError, match="shape \\(3,\\) for 4 queries"):
        data([1.0, 2.0, 3.0])


def test_fit_and_score_take_the_weight_of_each_row():
    plain, by_row = data(None), np.repeat(WEIGHTS, 2)
    order = np.array([5, 0, 3, 1, 7, 2, 6, 4])
    X, y, qid = plain.X[order], plain.y[order], np.repeat(list("abcd"), 2)[order]
    model = ListNet(max_iter=5).fit(X, y, qid, sample_weight=by_row[order])
    other = ListNet(max_iter=5).fit_dataset(data().subset([2, 0, 1, 3]))
    assert model.coef_ == pytest.approx(other.coef_, rel=1e-9)
    assert model.coef_ != pytest.approx(ListNet(max_iter=5).fit(X, y, qid).coef_)
    values = measures.by_query(plain, plain.X @ model.coef_)["nDCG@10"]
    mean = (values * WEIGHTS).sum() / sum(WEIGHTS)
    assert model.score(X, y, qid, sample_weight=by_row[order]) == pytest.approx(mean)
    with pytest.raises(DataError, match="query 'c' have different weights"):
        model.fit(X, y, qid, sample_weight=np.arange(1.0, 9.0))
    with pytest.raises(DataError, match=r"the shape \(4,\) for 8 documents"):
        model.fit(X, y, qid, sample_weight=WEIGHTS)


def test_means_are_weighted_and_all_1_changes_no_bit():
    weighted, scores = data(), np.arange(8.0) % 3
    values = measures.by_query(weighted, scores, "RR")["RR"]
    assert len(set(values)) > 1
    expected = (values * WEIGHTS).sum() / 7.5
    assert measures.means(weighted, scores, "RR") == {"RR": pytest.approx(expected)}
    ones = measures.means(data(np.ones(4)), scores, ("nDCG@10", "AP"))
    assert ones == measures.means(data(None), scores, ("nDCG@10", "AP"))
    # Queries without relevant documents are left out with their weights.
    assert measures.mean([np.nan, 1.0, 0.0], "skip", np.array([5.0, 3.0, 1.0])) == 0.75


def test_the_effective_number_of_queries():
    assert data(None).effective_queries == 4.0
    assert data([1e300] * 4).effective_queries == 4.0
    assert data([1.0, 1.0, 1.0, 3.0]).effective_queries == pytest.approx(36 / 12)


@pytest.mark.parametrize("weight", [1e-300, 2.0, 1.7e308])
def test_equal_weights_of_any_size_give_the_mean_without_weights(weight):
    heavy, plain, scores = data([weight] * 4), data(None), np.arange(8.0)
    assert measures.means(heavy, scores) == measures.means(plain, scores)
