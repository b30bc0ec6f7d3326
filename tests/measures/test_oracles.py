"""Measures against other implementations, where the definitions coincide."""

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from sklearn.metrics import average_precision_score, ndcg_score, roc_auc_score

from rankcore import RankingDataset
from rankcore.measures import evaluate


@pytest.fixture(scope="module")
def judged():
    """Sixty lists of 2 to 40 documents, distinct scores, both kinds of documents."""
    rng = np.random.default_rng(11)
    sizes = rng.integers(2, 41, size=60)
    labels = rng.choice([0, 0, 0, 1, 2, 4], size=sizes.sum())
    begins = np.cumsum([0, *sizes[:-1]])
    labels[begins], labels[begins + 1] = 1, 0
    qid = np.repeat(np.arange(60), sizes)
    dataset = RankingDataset.from_arrays(np.zeros((len(qid), 1)), labels, qid)
    return dataset, rng.permutation(len(qid)) / len(qid)


def nested(dataset, values):
    """Query id → document id → value."""
    bounds = zip(dataset.offsets, dataset.offsets[1:], strict=False)
    return {
        query: dict(zip(dataset.doc_ids[a:b], values[a:b].tolist(), strict=True))
        for query, (a, b) in zip(dataset.query_ids, bounds, strict=True)
    }


def assert_agrees(dataset, scores, measure, values):
    """A measure has these values, by query id."""
    expected = [values[query] for query in dataset.query_ids]
    result = evaluate(dataset, scores, measure)[measure]
    np.testing.assert_allclose(result, expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("nDCG(dcg='log2')@5", "ndcg_cut_5"),
        ("nDCG(dcg='log2')", "ndcg"),
        ("AP", "map"),
        ("AP@10", "map_cut_10"),
        ("P@5", "P_5"),
        ("P@30", "P_30"),
        ("RR", "recip_rank"),
        ("WTA", "P_1"),
        ("R@10", "recall_10"),
        ("Success@5", "success_5"),
        ("Bpref", "bpref"),
    ],
)
def test_pytrec_eval(judged, ours, theirs):
    dataset, scores = judged
    requested = {
        "ndcg_cut.5", "ndcg", "map", "map_cut.10", "P.1,5,30", "recip_rank",
        "recall.10", "success.5", "bpref",
    }  # fmt: skip
    evaluator = pytrec_eval.RelevanceEvaluator(nested(dataset, dataset.y), requested)
    results = evaluator.evaluate(nested(dataset, scores))
    values = {query: result[theirs] for query, result in results.items()}
    assert_agrees(dataset, scores, ours, values)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("nDCG(dcg='log2')@10", "nDCG@10"),
        ("AP", "AP"),
        ("AP(rel=2)", "AP(rel=2)"),
        ("P(rel=2)@5", "P(rel=2)@5"),
        ("RR@10", "RR@10"),
    ],
)
def test_ir_measures(judged, ours, theirs):
    dataset, scores = judged
    measure = ir_measures.parse_measure(theirs)
    results = measure.iter_calc(nested(dataset, dataset.y), nested(dataset, scores))
    values = {result.query_id: result.value for result in results}
    assert_agrees(dataset, scores, ours, values)


@pytest.mark.parametrize("k", [1, 3, 10, None])
def test_sklearn_ndcg_with_exponential_gains(judged, k):
    dataset, scores = judged
    name = "nDCG" if k is None else f"nDCG@{k}"
    expected = [
        ndcg_score([2.0 ** dataset.y[a:b] - 1], [scores[a:b]], k=k)
        for a, b in zip(dataset.offsets, dataset.offsets[1:], strict=False)
    ]
    values = evaluate(dataset, scores, name)[name]
    np.testing.assert_allclose(values, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "oracle"), [("AP", average_precision_score), ("AUC", roc_auc_score)]
)
def test_sklearn_binary_measures(judged, name, oracle):
    dataset, scores = judged
    expected = [
        oracle(dataset.y[a:b] > 0, scores[a:b])
        for a, b in zip(dataset.offsets, dataset.offsets[1:], strict=False)
    ]
    values = evaluate(dataset, scores, name)[name]
    np.testing.assert_allclose(values, expected, rtol=1e-12)


# Where documents tie, the definitions coincide if those that tie have one label.
RANX = {
    "ndcg": "nDCG(dcg='log2')",
    "ndcg@5": "nDCG(dcg='log2')@5",
    "ndcg_burges@10": "nDCG@10",
    "map": "AP",
    "mrr": "RR",
    "recall@10": "R@10",
    "precision@5": "P@5",
    "bpref": "Bpref",
    "rbp.80": "RBP",
}


@pytest.mark.soak
# Of the kernels that it compiles.
@pytest.mark.filterwarnings("ignore::numba.core.errors.NumbaTypeSafetyWarning")
def test_ranx():
    ranx = pytest.importorskip("ranx", reason="ranx is not installed")
    rng = np.random.default_rng(7)
    sizes = rng.integers(2, 41, size=200)
    labels = rng.choice([0, 0, 0, 1, 2, 4], size=sizes.sum())
    begins = np.cumsum([0, *sizes[:-1]])
    labels[begins], labels[begins + 1] = 1, 0
    qid = np.repeat(np.arange(200), sizes)
    dataset = RankingDataset.from_arrays(np.zeros((len(qid), 1)), labels, qid)
    # Few different scores, each of documents of one label.
    scores = 10.0 * rng.permutation(5)[dataset.y.astype(int)] + rng.integers(
        0, 9, len(qid)
    )
    scores = np.where(rng.random(len(qid)) < 0.5, scores, 100 * rng.random(len(qid)))
    assert min(len(set(scores[a:b])) - (b - a) for a, b in spans(dataset)) < 0
    judged = ranx.Qrels(nested(dataset, dataset.y.astype(int)))
    run = ranx.Run(nested(dataset, scores))
    # Both in the same order of queries, which it presumes.
    graded = [name for name in RANX if name != "rbp.80"]
    ranx.evaluate(judged, run, graded, make_comparable=True)
    # Its RBP adds up grades: ours are of 0 and 1.
    binary = ranx.Qrels(nested(dataset, (dataset.y > 0).astype(int)))
    ranx.evaluate(binary, run, "rbp.80", make_comparable=True)
    ours = evaluate(dataset, scores, list(RANX.values()))
    for name, result in RANX.items():
        theirs = [run.scores[name][query] for query in dataset.query_ids]
        np.testing.assert_allclose(ours[result], theirs, rtol=1e-9, atol=1e-12)


def spans(dataset):
    return zip(dataset.offsets[:-1], dataset.offsets[1:], strict=True)
