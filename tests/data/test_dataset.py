"""The data set is grouped by query, immutable and traceable to the input."""

import copy
import dataclasses
import io
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rankcore import DataError, RankingDataset, read_letor, read_table
from rankcore.data.dataset import (
    LONGEST_QUERY_TEXT,
    MAX_EXPONENTIAL_LABEL,
    check_labels,
    document_names,
)


def small():
    """Give rows of queries b, a, b, a, c."""
    X = np.arange(10.0).reshape(5, 2)
    return RankingDataset.from_arrays(X, [0, 1, 2, 0, 1], ["b", "a", "b", "a", "c"])


def test_rows_are_grouped_by_query_in_order_of_first_appearance():
    data = small()
    assert data.query_ids == ("b", "a", "c")
    assert data.offsets.tolist() == [0, 2, 4, 5]
    assert data.rows.tolist() == [0, 2, 1, 3, 4]
    assert data.X[:, 0].tolist() == [0, 4, 2, 6, 8]
    assert data.y.tolist() == [0, 2, 1, 0, 1]
    assert data.doc_ids == ("d1", "d2", "d1", "d2", "d1")
    assert data.feature_names == ("f1", "f2")
    assert (data.n_queries, data.n_documents, data.n_features) == (3, 5, 2)
    assert data.lengths.tolist() == [2, 2, 1]


def test_original_order_puts_scores_back():
    data = small()
    assert data.original_order(data.X[:, 0]).tolist() == [0, 2, 4, 6, 8]
    assert (
        data.original_order(data.X).tolist() == np.arange(10.0).reshape(5, 2).tolist()
    )


@pytest.mark.parametrize("name", ["X", "y", "offsets", "rows"])
def test_arrays_are_read_only_contiguous_and_never_shared(name):
    array = getattr(small(), name)
    assert array.flags.c_contiguous
    assert array.dtype == (np.float64 if name == "X" else np.int64)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1


def test_features_begin_where_a_cache_line_does():
    data = small()
    table = read_table(io.StringIO("label,qid,a\n1,1,0.5\n0,1,0.25\n0,2,1\n"))
    text = read_letor(io.BytesIO(b"1 qid:1 1:0.5\n0 qid:2 1:1\n"))
    for made in (data, data.subset([1]), data.normalise("zscore"), table, text):
        for held in (made, made.normalise("minmax")):
            assert held.X.ctypes.data % 64 == 0
            assert not held.X.flags.writeable
            assert not held.X.base.flags.writeable


def test_changing_the_input_changes_nothing():
    X, y = np.zeros((3, 2)), np.zeros(3, dtype=np.int64)
    view = X[:]
    view.flags.writeable = False
    sets = [RankingDataset.from_arrays(part, y) for part in (X, view)]
    X[:], y[:] = 7, 1
    for data in sets:
        assert not data.X.any()
        assert not data.y.any()


def test_fields_cannot_be_set():
    with pytest.raises(dataclasses.FrozenInstanceError):
        small().name = "other"


def test_query_shows_one_query():
    query = small().query(1)
    assert (query.id, query.index, len(query)) == ("a", 1, 2)
    assert query.X.tolist() == [[2, 3], [6, 7]]
    assert query.y.tolist() == [1, 0]
    assert query.doc_ids == ("d1", "d2")
    assert small().X[query.slice].tolist() == query.X.tolist()
    assert small().query(-1).id == "c"
    with pytest.raises(IndexError):
        small().query(3)


def test_subset_takes_queries_in_the_given_order():
    data = small()
    part = data.subset([2, 0])
    assert part.query_ids == ("c", "b")
    assert part.X[:, 0].tolist() == [8, 0, 4]
    assert part.doc_ids == ("d1", "d1", "d2")
    assert part.rows.tolist() == [4, 0, 2]
    assert part.original_order(part.X[:, 0]).tolist() == [0, 4, 8]
    assert data.subset([True, False, True]).query_ids == ("b", "c")
    assert data.subset(data.query(1).index).query_ids == ("a",)
    with pytest.raises(DataError, match="no queries"):
        data.subset([])


def test_the_first_queries_are_those_that_fit():
    data = small()
    assert data.first_queries(2, 5).query_ids == ("b", "a")
    assert data.first_queries(3, 4).query_ids == ("b", "a")
    assert data.first_queries(3, 3).query_ids == ("b",)
    assert data.first_queries(9, 9).query_ids == data.query_ids
    assert data.first_queries(3, 1).query_ids == ("b",)


@given(
    st.lists(st.floats(0.05, 1), min_size=1, max_size=5),
    st.integers(5, 40),
    st.integers(0, 9),
)
@settings(deadline=None)
def test_split_deals_every_query_once(shares, n_queries, seed):
    fractions = np.array(shares) / sum(shares)
    data = RankingDataset.from_arrays(
        np.zeros((n_queries, 1)), np.zeros(n_queries), np.arange(n_queries)
    )
    parts = data.split(fractions, seed=seed)
    dealt = [query for part in parts for query in part.query_ids]
    assert sorted(dealt) == sorted(data.query_ids)
    for part, fraction in zip(parts, fractions, strict=True):
        assert part.n_queries >= 1
        assert part.n_queries <= max(1, fraction * n_queries + 1)
        assert part.rows.tolist() == sorted(part.rows)
    again = data.split(fractions, seed=np.random.default_rng(seed))
    assert [p.query_ids for p in again] == [p.query_ids for p in parts]


def test_split_refuses_what_cannot_be_dealt():
    with pytest.raises(DataError, match="3 queries cannot be split into 4"):
        small().split([0.25] * 4)
    with pytest.raises(ValueError, match="sum to 1"):
        small().split([0.5, 0.4])


def test_minmax_is_letors_query_level_norm():
    X = [[1, 5, 0], [3, 5, -2], [2, 5, 2], [7, 1, 1]]
    data = RankingDataset.from_arrays(X, [0] * 4, [1, 1, 1, 2]).normalise("minmax")
    span = 3 - 1
    expected = [[0, 0, 2 / 4], [1, 0, 0], [(2 - 1) / span, 0, 1], [0, 0, 0]]
    assert data.X.tolist() == expected
    assert data.normalisation == "minmax"
    assert data.subset([0]).normalisation == "minmax"


def test_zscore():
    data = RankingDataset.from_arrays([[1.0, 4], [2, 4], [3, 4]], [0] * 3)
    deviation = np.sqrt(((1 - 2) ** 2 + 0 + (3 - 2) ** 2) / 3)
    expected = [[-1 / deviation, 0], [0, 0], [1 / deviation, 0]]
    np.testing.assert_allclose(data.normalise("zscore").X, expected, rtol=1e-15)


@pytest.mark.parametrize("kind", ["minmax", "zscore"])
@given(X=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2))
@example(X=[0.0, 5e-324])
@settings(deadline=None)
def test_normalising_stays_finite_and_ignores_scale(kind, X):
    column = np.array(X)[:, None]
    scaled = RankingDataset.from_arrays(column, [0] * len(X)).normalise(kind).X
    assert np.isfinite(scaled).all()
    if column.min() == column.max():
        assert not scaled.any()
    elif kind == "minmax":
        assert (scaled.min(), scaled.max()) == (0, 1)
    else:
        np.testing.assert_allclose(scaled.mean(), 0, atol=1e-12)
        np.testing.assert_allclose(scaled.std(), 1, rtol=1e-9)


def test_unknown_normalisation():
    assert small().normalise(None).X.tolist() == small().X.tolist()
    with pytest.raises(ValueError, match="'zscore', 'standard', or None"):
        small().normalise("l2")


def test_fingerprint_is_of_the_content():
    data = dataclasses.replace(small(), doc_ids=tuple("abcde"))
    same = dataclasses.replace(data, name="other")
    assert data.fingerprint == same.fingerprint
    changed = [
        dataclasses.replace(data, X=data.X + 1e-12),
        dataclasses.replace(data, y=data.y[::-1]),
        dataclasses.replace(data, offsets=[0, 1, 4, 5]),
        dataclasses.replace(data, query_ids=("b", "ac", "")),
        dataclasses.replace(data, doc_ids=tuple("vwxyz")),
        dataclasses.replace(data, feature_names=("f1", "g")),
        data.subset([0, 1]),
        data.normalise("minmax"),
    ]
    prints = {data.fingerprint, *(other.fingerprint for other in changed)}
    assert len(prints) == 1 + len(changed)


@pytest.mark.parametrize(
    "again", [copy.deepcopy, lambda d: pickle.loads(pickle.dumps(d))]
)
def test_copies_are_as_immutable(again):
    data = again(small().normalise("minmax"))
    assert data.fingerprint == small().normalise("minmax").fingerprint
    assert (data.normalisation, data.rows.tolist()) == ("minmax", [0, 2, 1, 3, 4])
    assert not data.X.flags.writeable


def test_to_frame():
    frame = small().to_frame()
    assert list(frame.columns) == ["query", "document", "label", "f1", "f2"]
    assert frame.index.tolist() == [0, 2, 1, 3, 4]
    assert frame.sort_index()["query"].tolist() == ["b", "a", "b", "a", "c"]
    assert frame.loc[2].tolist() == ["b", "d2", 2, 4.0, 5.0]


def test_to_frame_with_a_feature_called_label():
    data = RankingDataset.from_arrays([[3.0]], [1], feature_names=["label"])
    assert data.to_frame().iloc[0].to_dict() == {
        "query": "1", "document": "d1", "label": 1, "label (feature)": 3.0,
    }  # fmt: skip


def test_feature_names_of_a_frame():
    frame = pd.DataFrame({"bm25": [1, 2], "age": [3, 4]})
    assert RankingDataset.from_arrays(frame, [0, 1]).feature_names == ("bm25", "age")


def test_query_ids_as_numbers_and_given_document_ids():
    data = RankingDataset.from_arrays(
        np.eye(3), [0.0, 1.0, 2.0], np.array([2.0, 1.0, 2.0]), doc_ids=["x", "y", ""]
    )
    assert data.query_ids == ("2", "1")
    assert data.doc_ids == ("x", "d2", "y")


def test_repr():
    assert repr(small()) == (
        "<RankingDataset 3 queries, 5 documents, 2 features, labels 0-2>"
    )
    named = dataclasses.replace(small().normalise("zscore"), name="mine")
    assert repr(named).startswith("<RankingDataset 'mine': 3 queries")
    assert repr(named).endswith("zscore per query>")


def test_texts_go_with_their_documents_and_queries():
    plain = small()
    data = RankingDataset.from_arrays(
        np.arange(10.0).reshape(5, 2),
        [0, 1, 2, 0, 1],
        ["b", "a", "b", "a", "c"],
        doc_texts=["B one", "A one", "B two", "A two", "C"],
        query_texts=["bee", "ay", "sea"],
    )
    assert (plain.doc_texts, plain.query_texts) == (None, None)
    assert (plain.query(0).text, plain.query(0).doc_texts) == (None, None)
    assert data.fingerprint == plain.fingerprint
    assert data.doc_texts == ("B one", "B two", "A one", "A two", "C")
    for same in (data, data.normalise(), pickle.loads(pickle.dumps(data))):
        assert same.query(1).text == "ay"
        assert same.query(1).doc_texts == ("A one", "A two")
    part = data.subset([2, 0])
    assert part.query_texts == ("sea", "bee")
    assert part.doc_texts == ("C", "B one", "B two")
    for part in data.split((0.5, 0.5)):
        for query in map(part.query, range(part.n_queries)):
            assert query.text == {"a": "ay", "b": "bee", "c": "sea"}[query.id]
    frame = data.to_frame().sort_index()
    assert list(frame.columns[:5]) == [
        "query", "document", "query_text", "document_text", "label",
    ]  # fmt: skip
    assert frame.loc[3].tolist()[:4] == ["a", "d2", "ay", "A two"]
    with pytest.raises(DataError, match="1 query texts instead of 3"):
        dataclasses.replace(data, query_texts=("one",))
    with pytest.raises(DataError, match="2 document texts instead of 5"):
        dataclasses.replace(data, doc_texts=("one", "two"))
    with pytest.raises(dataclasses.FrozenInstanceError):
        data.doc_texts = None


X = np.zeros((3, 2))
BAD = {
    "no rows": ({"X": np.zeros((0, 2)), "y": []}, "0 documents with 2 features"),
    "no columns": ({"X": np.zeros((3, 0))}, "3 documents with 0 features"),
    "flat": ({"X": [1, 2, 3]}, "1 dimension"),
    "words": ({"X": [["a"], ["b"], ["c"]]}, "not all numbers"),
    "ragged": ({"X": [[1], [2, 3], [4]]}, "not all numbers"),
    "NaN": ({"X": [[0, 1], [0, np.nan], [0, 1]]}, "row 2, feature 2: .* NaN"),
    "infinity": ({"X": [[0, 1], [0, 1], [-np.inf, 1]]}, "row 3, feature 1: .* -inf"),
    "negative label": ({"y": [0, -1, 0]}, "row 2: The label -1"),
    "negative fraction": ({"y": [0, 1, -0.5]}, "row 3: The label -0.5"),
    "missing label": ({"y": [np.nan, 1, 0]}, "row 1: The label NaN"),
    "label words": ({"y": ["a", "b", "c"]}, "labels are not all numbers"),
    "two labels": ({"y": [0, 1]}, r"shape \(2,\) for 3 documents"),
    "two query ids": ({"qid": [1, 2]}, "2 query ids instead of 3"),
    "missing query id": ({"qid": [1.0, np.nan, 2.0]}, "row 2: A query id is missing"),
    "None as query id": ({"qid": ["a", "b", None]}, "row 3: A query id is missing"),
    "one document id": ({"doc_ids": ["a"]}, "1 document ids instead of 3"),
    "document twice": (
        {"qid": [1, 2, 1], "doc_ids": list("aaa")},
        "row 3: Document 'a' occurs twice in query '1'",
    ),
    "one feature name": ({"feature_names": ["a"]}, "1 feature names instead of 2"),
    "feature twice": ({"feature_names": ["a", "a"]}, "feature name 'a' occurs twice"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_a_sentence(case):
    changes, message = BAD[case]
    arguments = {"X": X, "y": [0, 1, 2]} | changes
    with pytest.raises(DataError, match=message) as caught:
        RankingDataset.from_arrays(**arguments)
    assert caught.value.remedy


@pytest.mark.parametrize(
    "offsets", [[0, 3, 3, 5], [0, 4], [1, 5], [0, 3, 2, 5], [0], [[0, 5]]]
)
def test_offsets_must_divide_the_documents(offsets):
    with pytest.raises(DataError, match="offsets do not divide"):
        dataclasses.replace(small(), offsets=offsets)


def test_rows_must_be_distinct():
    with pytest.raises(DataError, match="row numbers"):
        dataclasses.replace(small(), rows=[0, 1, 2, 2, 3])


def test_labels_for_the_exponential_gain():
    labels = np.array([0, MAX_EXPONENTIAL_LABEL, MAX_EXPONENTIAL_LABEL + 1])
    check_labels(labels[:2])
    check_labels(labels, "linear")
    with pytest.raises(DataError, match=r"^The label 32 is above 31"):
        check_labels(labels)
    with pytest.raises(DataError, match=r"^row 3: The label 32 is above 31"):
        RankingDataset.from_arrays(X, labels).check_gain()


def test_errors_can_be_sent_between_processes():
    error = pickle.loads(pickle.dumps(DataError("Bad", "Mend it", "a.txt", 3, "label")))
    assert str(error) == "a.txt, line 3, column label: Bad. Mend it."


def test_importing_the_data_part_is_light():
    code = (
        "import sys, rankcore.data.dataset, rankcore.data.catalogue\n"
        "heavy = {'numba', 'pandas', 'sklearn', 'scipy', 'pyarrow', 'plotly'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_names_of_documents_are_distinct_titles():
    assert document_names(["a", "b"]) == ("a", "b")
    assert document_names(["a", "b", "c"], ["Cup", "Cup", ""]) == (
        "Cup (a)",
        "Cup (b)",
        "c",
    )
    # A title that is another document's id and title would not tell them apart.
    odd = document_names(["a", "b", "c"], ["Cup", "Cup", "Cup (a)"])
    assert odd == ("a", "b", "c")
    long = document_names(["a", "b"], ["very " * 40 + "old", "very " * 40 + "new"])
    assert len(set(long)) == 2
    assert all(len(name) <= LONGEST_QUERY_TEXT + len(" (a)") for name in long)


def with_missing():
    X = [[1.0, np.nan, 5.0], [3.0, np.nan, np.nan], [2.0, np.nan, 9.0]]
    X += [[np.nan, 4.0, 7.0], [8.0, 6.0, np.nan]]
    return RankingDataset.from_arrays(X, [0] * 5, [1, 1, 1, 2, 2], missing="keep")


@pytest.mark.parametrize("kind", ["minmax", "zscore"])
def test_missing_values_stay_and_do_not_count_when_others_are_scaled(kind):
    data = with_missing()
    scaled = data.normalise(kind)
    np.testing.assert_array_equal(np.isnan(scaled.X), np.isnan(data.X))
    for query, rows in ((0, slice(0, 3)), (1, slice(3, 5))):
        for j in range(3):
            column = data.X[rows, j]
            values = column[~np.isnan(column)]
            if len(values):
                alone = RankingDataset.from_arrays(values[:, None], [0] * len(values))
                result = scaled.query(query).X[:, j]
                expected = alone.normalise(kind).X[:, 0]
                np.testing.assert_array_equal(result[~np.isnan(column)], expected)


def test_missing_values_are_kept_on_request_only_and_infinite_ones_never():
    for missing, value in ((None, np.nan), ("keep", np.inf), ("keep", -np.inf)):
        with pytest.raises(DataError, match="is not a finite number"):
            RankingDataset.from_arrays([[0.0, value]], [0], missing=missing)
    data = with_missing()
    assert data.has_missing
    assert data.missing_text == (
        "6 of 15 values are missing, the first in feature f1 (1)"
    )
    assert not data.subset([1]).with_features(["f2"]).has_missing
    np.testing.assert_array_equal(data.limits, [[1.0, 4.0, 5.0], [8.0, 6.0, 9.0]])
    for same in (data.subset([0, 1]), pickle.loads(pickle.dumps(data))):
        assert same.has_missing
        assert same.fingerprint == data.fingerprint
    single = data.stored("float32")
    assert single.has_missing
    assert single.stored("float64").fingerprint == data.fingerprint
    negative = np.copysign(data.X, -1.0)
    np.copyto(negative, data.X, where=~np.isnan(data.X))
    other = RankingDataset.from_arrays(
        negative, [0] * 5, [1, 1, 1, 2, 2], missing="keep"
    )
    assert other.fingerprint == data.fingerprint


def test_queries_are_counted_taken_and_gone_through():
    data = RankingDataset.from_arrays([[0.0], [1.0], [2.0]], [0, 1, 2], ["b", "a", "b"])
    assert data.qid.tolist() == ["b", "b", "a"]
    assert not data.qid.flags.writeable
    assert len(data) == 2
    assert [query.id for query in data] == ["b", "a"]
    assert data[-1].y.tolist() == [1]
    with pytest.raises(IndexError):
        data[2]


def test_labels_that_are_fractions_stay_and_whole_ones_are_integers():
    X, qid = np.eye(4), ["a", "b", "a", "b"]
    data = RankingDataset.from_arrays(X, [0.5, 0, 2.25, 1], qid)
    assert data.y.tolist() == [0.5, 2.25, 0.0, 1.0]
    assert data.has_fractions
    assert data.grades.tolist() == [1, 3, 0, 2]
    assert "labels 0.0-2.25" in repr(data)
    whole = RankingDataset.from_arrays(X, np.array([2.0, 0.0, 1.0, 1.0]), qid)
    assert whole.y.dtype == np.int64
    integers = RankingDataset.from_arrays(X, [2, 0, 1, 1], qid)
    assert whole.fingerprint == integers.fingerprint
    assert whole.grades.tolist() == whole.y.tolist() == integers.y.tolist()
    assert not whole.has_fractions
    again = pickle.loads(pickle.dumps(data))
    assert again.fingerprint == data.fingerprint != whole.fingerprint
    assert data.subset([0]).y.tolist() == [0.5, 2.25]
    with pytest.raises(DataError, match="Some labels are fractions, and folders have"):
        data.check_whole("folders have")
    whole.check_whole("folders have")
