"""Unjudged documents: counted, left out of condensed lists, and not seen by bpref."""

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from rankcore import DataError, RankingDataset, measures
from rankcore.topics.datasets import unjudged


def judged_data(queries):
    """A data set of lists of labels, None for documents without a judgement."""
    labels = [label for query in queries for label in query]
    data = RankingDataset.from_arrays(
        np.arange(len(labels), dtype=float)[:, None],
        [label or 0 for label in labels],
        [number for number, query in enumerate(queries) for _ in query],
    )
    flags = np.array([label is not None for label in labels])
    return data._with(judged=flags)


def test_by_hand():
    """Ranked as given: unjudged, 2, 0 and 0, 1."""
    data = judged_data([[None, 2, 0], [0, 1]])
    scores = [3.0, 2.0, 1.0, 2.0, 1.0]
    report = unjudged.report(data, scores, ["RR", "P@1"])

    assert (report.documents, report.unjudged) == (5, 1)
    assert report.rows == [
        unjudged.UnjudgedMeasure(
            "RR", (1 / 2 + 1 / 2) / 2, (1 + 1 / 2) / 2, (2 / 3 + 1) / 2
        ),
        unjudged.UnjudgedMeasure("P@1", 0.0, 1 / 2, 1 / 2),
    ]
    # The first query's relevant document has no judged irrelevant one above it.
    each = measures.by_query(data, scores, ["Bpref", "Judged@2"])
    assert each["Bpref"].tolist() == [1.0, 0.0]
    assert report.bpref == 1 / 2
    assert each["Judged@2"].tolist() == [1 / 2, 1.0]


def test_queries_without_judgements_are_left_out_of_condensed_lists():
    data = judged_data([[None, None], [1, None, 0]])
    assert unjudged.condensed(data).query_ids == ("1",)
    assert unjudged.condensed(data).doc_ids == ("d1", "d3")
    with pytest.raises(DataError):
        unjudged.condensed(judged_data([[None]]))


def test_where_all_are_judged_nothing_changes():
    data = judged_data([[2, 0, 1], [0, 1]])
    report = unjudged.report(data, [1.0, 2, 3, 4, 5], ["nDCG@10", "AP"])

    assert report.unjudged == 0
    for row in report.rows:
        assert (row.value, row.judged) == (row.condensed, 1.0)


def test_a_table_has_a_row_for_each_model_and_measure():
    data = judged_data([[None, 2, 0], [0, 1]])
    rankings = {"first": [3.0, 2.0, 1.0, 2.0, 1.0], "second": [1.0, 3.0, 2.0, 1.0, 2.0]}
    rows = unjudged.table(data, rankings, ["RR", "P@1"])
    assert [(row["model"], row["measure"]) for row in rows] == [
        ("first", "RR"), ("first", "P@1"), ("second", "RR"), ("second", "P@1"),
    ]  # fmt: skip
    assert rows[1] == {
        "model": "first",
        "measure": "P@1",
        "all documents": 0.0,
        "judged only": 1 / 2,
        "% judged": 100 * 1 / 2,
        "bpref": 1 / 2,
    }
    assert rows[3]["judged only"] == rows[3]["bpref"] == 1.0
    (alone,) = unjudged.table(data, {"one": rankings["first"]}, ["RR"])
    assert "model" not in alone
    assert set(unjudged.FORMATS) < set(alone)
    assert unjudged.sentence(data, "test") == (
        "1 of 5 test documents have no judgement and count as irrelevant."
    )


def test_a_split_without_any_judgement_is_said():
    data = judged_data([[None, None], [None]])
    assert unjudged.table(data, {"one": [1.0, 2, 3]}, ["RR"]) == []
    assert unjudged.sentence(data, "test").startswith("None of the 3 test documents")
    whole = judged_data([[1, 0]])
    assert unjudged.table(whole, {"one": [1.0, 2]}, ["RR"]) == []
    assert unjudged.sentence(whole, "test") == ""


labels = st.lists(st.sampled_from([None, 0, 0, 1, 2]), min_size=1, max_size=12)


@given(st.lists(labels, min_size=1, max_size=4), st.integers(0, 100))
@settings(max_examples=60, deadline=None)
def test_trec_eval_agrees(queries, seed):
    """Its bpref, and its measures of the same run without unjudged documents."""
    data = judged_data(queries)
    scores = np.random.default_rng(seed).permutation(data.n_documents).astype(float)
    judged = unjudged.judged_rows(data)
    qrels, run = {}, {}
    for index, query_id in enumerate(data.query_ids):
        query = data.query(index)
        rows = zip(
            query.doc_ids, query.y.tolist(), judged[query.slice], scores[query.slice],
            strict=True,
        )  # fmt: skip
        for document, label, entries, score in rows:
            run.setdefault(query_id, {})[document] = float(score)
            if entries:
                qrels.setdefault(query_id, {})[document] = label
    each = measures.by_query(data, scores, "Bpref", empty="skip")["Bpref"]
    ours = dict(zip(data.query_ids, each, strict=True))
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"bpref", "map"}).evaluate(run)
    for query_id, result in theirs.items():
        if max(qrels[query_id].values()) > 0:
            assert ours[query_id] == pytest.approx(result["bpref"])
        else:
            assert np.isnan(ours[query_id])
    if judged.any():
        entries = {q: {d: run[q][d] for d in of} for q, of in qrels.items()}
        less = pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(entries)
        table = measures.evaluate(unjudged.condensed(data), scores[judged], "AP")
        for query_id, result in less.items():
            assert table.loc[query_id, "AP"] == pytest.approx(result["map"])
