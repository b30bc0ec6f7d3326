"""A model in place of another: which rankings change, and for whom they get worse."""

from dataclasses import replace

import numpy as np
import pytest

from rankcore import RankingDataset, measures
from rankcore.algorithms import LeastSquares
from rankcore.studies.models import document_scores
from rankcore.topics.compare import slices
from rankcore.topics.compare.replacing import column_scores, replacement
from rankcore.training import drive

QUERIES, DOCUMENTS, TOP = 24, 6, 3
HEAD = tuple("head" if q < 12 else "tail" for q in range(QUERIES))


@pytest.fixture
def data():
    rng = np.random.default_rng(3)
    n = QUERIES * DOCUMENTS
    dataset = RankingDataset.from_arrays(
        rng.random((n, 3)),
        rng.integers(0, 3, n),
        np.repeat(np.arange(QUERIES), DOCUMENTS),
        doc_texts=[f"Title {i}" for i in range(n)],
        name="shop",
    )
    return replace(dataset, query_groups={"segment": HEAD})


def test_rankings_whose_first_documents_change(data):
    scores, others = data.X[:, 0], data.X[:, 1].copy()
    others[:DOCUMENTS] = 5.0 * scores[:DOCUMENTS]
    result = replacement(data, scores, others, "nDCG@3", top=TOP)

    expected = {}
    for q in range(QUERIES):
        query = data.query(q)
        first, second = (np.argsort(-s[query.slice])[:TOP] for s in (scores, others))
        if list(first) != list(second):
            expected[q] = len({*first} - {*second})
    assert {c.position: c.entering for c in result.changes} == expected
    assert 0 not in expected
    lost = [change.difference for change in result.changes]
    assert lost == sorted(lost)
    table = measures.evaluate(data, scores, "nDCG@3")
    for change in result.changes:
        assert change.value == table.iloc[change.position, 0]
        assert change.name == data.query_names[change.position]
        row = np.argmax(scores[data.query(change.position).slice])
        title = data.query(change.position).doc_texts[row]
        assert change.first[0].startswith(f"{title} (")
    assert result.sentence.startswith(
        f"The first 3 documents change for {len(expected)} of 24 queries"
    )


def test_groups_that_get_worse_are_found(data):
    good = data.y + 0.0
    mixed = np.where(np.repeat(np.array(HEAD) == "head", DOCUMENTS), good, -good)
    result = replacement(data, mixed, good, "nDCG@3")

    assert list(result.slices) == [slices.LENGTH, slices.RELEVANT, "segment"]
    head, tail = result.slices["segment"]
    assert (head.name, head.queries, head.verdict) == ("head", 12, "")
    assert (tail.name, tail.verdict) == ("tail", "worse")
    assert ("segment", tail) in result.with_verdict("worse")
    assert all(change.position >= 12 for change in result.changes)
    only = replacement(data, mixed, good, "nDCG@3", by=["segment"])
    assert list(only.slices) == ["segment"]


def test_queries_that_do_not_count_are_left_out(data):
    labels = data.y.copy()
    labels[:DOCUMENTS] = 0
    rules = measures.Rules(empty="skip")
    result = replacement(
        replace(data, y=labels), data.X[:, 0], data.X[:, 1], "nDCG@3", rules
    )
    assert sum(row.queries for row in result.slices["segment"]) == QUERIES - 1
    (first,) = (change for change in result.changes if change.position == 0)
    assert np.isnan(first.value)
    assert first.difference == 0.0


def test_scores_in_use(data):
    assert column_scores(data, "f2").tolist() == data.X[:, 1].tolist()
    with pytest.raises(ValueError, match="no feature or score column 'x' in shop"):
        column_scores(data, "x")
    # A column of scores, which models do not see, comes before a feature of its name.
    scored = replace(data, doc_scores={"f2": -data.X[:, 1], "used": data.X[:, 0]})
    assert column_scores(scored, "f2").tolist() == (-data.X[:, 1]).tolist()
    assert column_scores(scored, "used").tolist() == data.X[:, 0].tolist()

    run = drive(LeastSquares(), data.normalise("minmax"))
    for _ in run:
        pass
    model = LeastSquares().load_run(run)
    scaled = data.normalise("minmax")
    expected = scaled.X @ model.coef_
    assert np.allclose(document_scores(model, data), expected)
    assert np.allclose(document_scores(model, scaled), expected)
    renamed = replace(data, feature_names=("a", "b", "c"))
    with pytest.raises(ValueError, match="does not have the features of the model"):
        document_scores(model, renamed)
