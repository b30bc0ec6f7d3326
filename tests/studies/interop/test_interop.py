"""Runs, qrels, names of measures and models as other packages have them."""

import sys
from functools import partial

import ir_measures
import numpy as np
import pandas as pd
import pytest
import pytrec_eval

from rankcore import DataError, RSRank, get_algorithm, load_dataset, measures
from rankcore.studies import interop
from tests.soaking import soak

TRAIN, VALID, TEST = load_dataset("toy-2d")
RUN = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}, "r": {"a": 1.0, "d": 0.5}}
QRELS = {"q": {"a": 0, "b": 2, "e": 1}, "r": {"a": 1}}


def rows(of_query, kind):
    return [
        kind(query, document, number)
        for query, documents in of_query.items()
        for document, number in documents.items()
    ]


RUNS = {
    "dict": RUN,
    "frame": pd.DataFrame(rows(RUN, ir_measures.ScoredDoc)),
    "objects": rows(RUN, ir_measures.ScoredDoc),
    "pyterrier": pd.DataFrame(
        rows(RUN, lambda *row: row), columns=["qid", "docno", "score"]
    ),
    "file": b"q Q0 a 1 3 x\nq Q0 b 2 2 x\nq Q0 c 3 1 x\nr Q0 a 1 1 x\nr Q0 d 2 .5 x\n",
}


@pytest.mark.parametrize("source", list(RUNS.values()), ids=list(RUNS))
def test_a_run_is_read_from_every_form(source):
    assert interop.to_dict(interop.run(source)) == RUN


@pytest.mark.parametrize(
    "source",
    [
        QRELS,
        rows(QRELS, ir_measures.Qrel),
        pd.DataFrame(rows(QRELS, ir_measures.Qrel)),
        b"q 0 a 0\nq 0 b 2\nq 0 e 1\nr 0 a 1\n",
    ],
    ids=["dict", "objects", "frame", "file"],
)
def test_qrels_are_read_from_every_form(source):
    assert interop.to_dict(interop.qrels(source)) == QRELS


def test_tables_have_the_columns_of_ir_measures():
    table = interop.to_frame(interop.run(RUN))
    assert list(table.columns) == ["query_id", "doc_id", "score"]
    assert interop.to_dict(interop.run(table)) == RUN
    table = interop.to_frame(interop.qrels(QRELS))
    assert interop.to_dict(interop.qrels(table)) == QRELS


MEASURES = [
    ir_measures.nDCG @ 3, ir_measures.AP, ir_measures.RR, ir_measures.P(rel=2) @ 2,
]  # fmt: skip


def test_objects_of_ir_measures_mean_what_they_mean_there():
    table = interop.evaluate(RUN, QRELS, MEASURES, convention="trec")
    theirs = ir_measures.calc_aggregate(MEASURES, QRELS, RUN)
    for measure, column in zip(MEASURES, table, strict=True):
        assert table[column].mean() == pytest.approx(theirs[measure])
    assert interop.measure_name(ir_measures.nDCG) == "nDCG(dcg='log2')"
    exponential = ir_measures.nDCG(dcg="exp-log2") @ 10
    assert measures.parse(interop.measure_name(exponential)) == measures.parse(
        "nDCG@10"
    )


def test_names_of_trec_eval_are_measured_as_there():
    names = ["ndcg_cut_3", "recip_rank", "map"]
    table = interop.evaluate(RUN, QRELS, names, convention="trec")
    theirs = pytrec_eval.RelevanceEvaluator(QRELS, set(names)).evaluate(RUN)
    for name, column in zip(names, table, strict=True):
        assert table.loc["q", column] == pytest.approx(theirs["q"][name])


def test_grades_that_are_fractions_gain_as_in_ir_measures():
    qrels = {"q": {"a": 0, "b": 2.25, "e": 0.5}, "r": {"a": 1}}
    assert interop.to_dict(interop.qrels(qrels)) == qrels
    table = interop.evaluate(RUN, qrels, [ir_measures.nDCG @ 3], ties="worst")
    # b is in the second place of three, and e is not returned.
    best = 2.25 + 0.5 / np.log2(3)
    assert table.iloc[0, 0] == pytest.approx(2.25 / np.log2(3) / best)
    quarters = {query: {d: 4 * g for d, g in of.items()} for query, of in qrels.items()}
    for name in ("DCG(dcg='log2')", "nDCG(dcg='log2')@2"):
        once, fourfold = (
            interop.evaluate(RUN, item, [name]) for item in (qrels, quarters)
        )
        scale = 1 if name.startswith("n") else 4
        assert fourfold.to_numpy() == pytest.approx(scale * once.to_numpy())


def test_a_data_set_and_its_scores_are_qrels_and_a_run():
    scores = TEST.X[:, 0]
    run, qrels = interop.run_of(TEST, scores), interop.qrels_of(TEST)
    ours = interop.evaluate(run, qrels, ["nDCG@10"], ties="mean")
    assert ours.equals(measures.evaluate(TEST, scores, "nDCG@10"))


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: interop.run({}), "There are no rows"),
        (
            lambda: interop.run({"q": {"a": np.nan}}),
            "score nan is not a finite",
        ),
        (lambda: interop.run(2 * RUNS["objects"]), "contains document 'a' twice"),
        (
            lambda: interop.run(RUNS["frame"][["query_id", "score"]]),
            "no doc_id or",
        ),
        (lambda: interop.qrels({"q": {"a": np.inf}}), "The grade inf of document 'a'"),
    ],
)
def test_what_cannot_be_used_gets_a_sentence(call, sentence):
    with pytest.raises(DataError, match=sentence):
        call()


def test_a_table_of_pyterrier_is_ranked_anew():
    model = RSRank(max_iter=3).fit(TRAIN)
    frame = pd.DataFrame(
        {"qid": TEST.qid, "docno": TEST.doc_ids, "features": list(TEST.X)}
    )
    again = partial(interop.rerank, model)(frame)
    assert again["score"].loc[frame.index].tolist() == model.predict(TEST).tolist()
    first = again[again["rank"] == 0].set_index("qid")["score"]
    assert first.to_dict() == again.groupby("qid")["score"].max().to_dict()


@pytest.mark.parametrize(
    "name", ["RSRank", "RankBoost", soak("LightGBM"), soak("XGBoost")]
)
def test_a_model_in_onnx_scores_as_it_does(name):
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    data = load_dataset("planted").train.first_queries(6, 30)
    model = get_algorithm(name)(max_iter=4).fit(data)
    session = runtime.InferenceSession(interop.to_onnx(model))
    (scores,) = session.run(None, {"X": data.X.astype(np.float64)})
    assert scores == pytest.approx(model.predict(data), rel=1e-6, abs=1e-9)
    assert len(set(scores.tolist())) > 1


def test_without_onnx_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match="pip install onnx"):
        interop.to_onnx(RSRank(max_iter=1).fit(TRAIN))
