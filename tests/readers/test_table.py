"""CSV, Parquet and DataFrames: what is guessed, and what a bad table gets."""

import codecs
import gzip
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankcore import DataError, DataWarning, RankingDataset, load_partitions, read_table
from rankcore.data.readers import Limits, preview_table
from rankcore.data.readers.converting import convert
from tests.damage import damaged, edits_of
from tests.readers.samples import refusal
from tests.soaking import examples

GOOD = b"label,qid,docid,a,b\n1,q1,x,0.1,2\n0,q2,x,3,4\n2,q1,y,-1e-7,0\n"


def test_csv():
    data = read_table(GOOD, name="shop.csv")
    assert data.name == "shop"
    assert data.query_ids == ("q1", "q2")
    assert data.doc_ids == ("x", "y", "x")
    assert data.y.tolist() == [1, 2, 0]
    assert data.feature_names == ("a", "b")
    assert data.X.tolist() == [[0.1, 2], [-1e-7, 0], [3, 4]]


@pytest.mark.parametrize(
    "text",
    [
        GOOD.replace(b"\n", b"\r\n"),
        GOOD.replace(b",", b";"),
        GOOD.replace(b",", b"\t"),
        GOOD.replace(b",", b", "),
        b"\xef\xbb\xbf" + GOOD + b"\n\n",
        GOOD.replace(b"q1", b'"q1"'),
        GOOD.replace(b"label,qid,docid", b"Relevance,Query ID,DOC-ID"),
        gzip.compress(GOOD, mtime=0),
    ],
)
def test_harmless_differences_of_csv(text):
    assert read_table(text).fingerprint == read_table(GOOD).fingerprint


def test_parquet_and_frame(tmp_path):
    frame = pd.read_csv(io.BytesIO(GOOD))
    path = tmp_path / "shop.parquet"
    frame.to_parquet(path)
    expected = read_table(GOOD).fingerprint
    assert read_table(frame).fingerprint == expected
    assert read_table(path).fingerprint == expected
    assert read_table(path.read_bytes()).fingerprint == expected
    assert read_table(path).name == "shop"


def test_columns_can_be_named():
    text = b"stars,search,day,label\n1,s,3,4\n0,s,5,6\n"
    data = read_table(text, label="stars", query="search", document="day")
    assert data.feature_names == ("label",)
    assert data.doc_ids == ("3", "5")
    data = read_table(GOOD, features=["b"])
    assert data.X.tolist() == [[2], [0], [4]]


SHOP = (
    b"sku,search,stars,title,words,note,price\n"
    b"A-1,s1,2,Blue mug,mug,new,9.5\n"
    b"B-7,s2,0,Plate,dish,,3\n"
    b'A-2,s1,1,"Mug, red",mug,new,12\n'
)
SHOP_COLUMNS = {
    "label": "stars",
    "query": "search",
    "document": "sku",
    "text": "title",
    "query_text": "words",
    "ignore": ["note"],
}


@pytest.mark.parametrize("kind", ["csv", "gzip", "parquet"])
def test_columns_are_detected_as_they_are_read(kind):
    frame = pd.DataFrame({"Query ID": ["a", "a"], "Grade": [1, 0], "f": [0.5, 0.1]})
    table = frame.to_csv(index=False).encode()
    if kind == "gzip":
        table = gzip.compress(table, mtime=0)
    if kind == "parquet":
        # The index is no column.
        table = frame.set_index(pd.Index(["x", "y"], name="docid")).to_parquet()
    rows = preview_table(table)

    assert rows.roles == {"Query ID": "query", "Grade": "label", "f": "feature"}
    assert [list(map(str, row)) for row in rows.rows] == [
        ["a", "1", "0.5"],
        ["a", "0", "0.1"],
    ]
    assert read_table(table).feature_names == ("f",)


@pytest.mark.parametrize("table", [b"", b"1,2,3\n", b"PAR1 nothing PAR1"])
def test_no_columns_are_detected_where_there_is_no_table(table):
    with pytest.raises(DataError, match="mine"):
        preview_table(table, "mine")


def test_texts_and_columns_to_ignore(tmp_path):
    path = tmp_path / "shop.parquet"
    frame = pd.read_csv(io.BytesIO(SHOP))
    frame.to_parquet(path)
    for source in (SHOP, frame, path):
        data = read_table(source, **SHOP_COLUMNS)
        assert data.doc_ids == ("A-1", "A-2", "B-7")
        assert data.doc_texts == ("Blue mug", "Mug, red", "Plate")
        assert data.query_texts == ("mug", "dish")
        assert data.feature_names == ("price",)
    with pytest.raises(DataError, match="no such column 'colour'"):
        read_table(SHOP, **SHOP_COLUMNS | {"ignore": ["colour"]})
    with pytest.raises(DataError, match="'sku' is both the document and to be ignored"):
        read_table(SHOP, **SHOP_COLUMNS | {"ignore": ["sku", "note"]})
    with pytest.raises(DataError, match="'note' is both the group and to be ignored"):
        read_table(SHOP, **SHOP_COLUMNS, group=["note"])
    with pytest.raises(DataError, match="no group or weight column 'colour'"):
        read_table(SHOP, **SHOP_COLUMNS, group=["colour"])


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_texts_come_back_from_a_file(kind, tmp_path):
    data = read_table(SHOP, **SHOP_COLUMNS)
    path = tmp_path / f"shop.{kind}"
    frame = data.to_frame().sort_index()
    frame.to_csv(path, index=False) if kind == "csv" else frame.to_parquet(path)
    again = read_table(path)
    assert again.fingerprint == data.fingerprint
    assert (again.doc_texts, again.query_texts) == (data.doc_texts, data.query_texts)


def test_a_query_has_one_text():
    two = SHOP.replace(b'red",mug', b'red",cup')
    with pytest.raises(DataError, match="another text here than in line 2") as caught:
        read_table(two, **SHOP_COLUMNS)
    assert (caught.value.line, caught.value.column) == (4, "words")


def test_a_column_of_words_is_not_a_wrong_cell(tmp_path):
    path = tmp_path / "shop.parquet"
    frame = pd.read_csv(io.BytesIO(SHOP))
    frame.to_parquet(path)
    named = {"label": "stars", "query": "search", "ignore": ["note", "title", "words"]}
    for source in (SHOP, frame, path):
        with pytest.raises(DataError) as caught:
            read_table(source, **named)
        error = caught.value
        assert error.column == "sku"
        assert "'sku' does not hold numbers but 'A-1'" in error.problem
        for way in ("document=", "text=", "ignore=", "--document", "--ignore"):
            assert way in error.remedy
        assert "number" not in error.remedy
    lines = [b"label,qid,a\n", *[b"1,q,1\n"] * 5, b"1,q,many\n", *[b"0,q,x\n"] * 3]
    with pytest.raises(DataError, match="'many' is not a finite number") as caught:
        read_table(b"".join(lines))
    assert (caught.value.line, caught.value.column) == (7, "a")


def test_encodings():
    for name in ("utf-16", "utf-16-le", "utf-16-be", "utf-32"):
        mark = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}
        content = mark.get(name, b"") + GOOD.decode().encode(name)
        with pytest.raises(
            DataError, match=f"is {name[:6].upper()}, not text"
        ) as caught:
            read_table(content, name="up.csv")
        assert caught.value.place == "up.csv, line 1, column 1"
    latin = GOOD.replace(b"q2", "é".encode("latin-1"))
    with pytest.raises(DataError, match="0xE9 is not text in UTF-8") as caught:
        read_table(latin)
    assert (caught.value.line, caught.value.column) == (3, 3)


def test_parquet_of_other_kinds(tmp_path):
    path = tmp_path / "t.parquet"
    frame = pd.DataFrame(
        {"y": [1, 0], "q": ["s", "t"], "f.g": ["1", "2.5"], "h": [0, 1]}
    )
    frame["q"] = frame["q"].astype("category")
    frame["docid"] = ["a", "b"]
    frame.to_parquet(path, column_encoding={"docid": "DELTA_BYTE_ARRAY"},
                     use_dictionary=["q"])  # fmt: skip
    data = read_table(path)
    assert data.X.tolist() == [[1, 0], [2.5, 1]]
    assert (data.query_ids, data.doc_ids) == (("s", "t"), ("a", "b"))
    frame["h"] = [[1, 2], [3]]
    frame.to_parquet(path)
    with pytest.raises(DataError, match="column 'h' holds list<") as caught:
        read_table(path)
    assert caught.value.column == "h"
    assert read_table(path, ignore=["h"]).feature_names == ("f.g",)


def test_identifiers_stay_as_written():
    data = read_table(b"y,query,f\n1,007,0\n0,7,0\n0,NA,0\n")
    assert data.query_ids == ("007", "7", "NA")


def test_whole_numbers_as_identifiers_of_a_frame():
    frame = pd.DataFrame({"y": [1, 0], "q": [3.0, 4.0], "f": [True, False]})
    assert read_table(frame).query_ids == ("3", "4")
    assert read_table(frame.astype({"q": "Int64"})).query_ids == ("3", "4")
    assert read_table(frame).X.tolist() == [[1], [0]]


def test_to_frame_reads_back():
    rng = np.random.default_rng(0)
    data = RankingDataset.from_arrays(
        rng.random((20, 3)), rng.integers(0, 3, 20), rng.integers(0, 4, 20)
    )
    frame = data.to_frame()
    assert read_table(frame).fingerprint == data.fingerprint
    csv = frame.sort_index().to_csv(index=False, float_format="%.17g").encode()
    assert read_table(csv).fingerprint == data.fingerprint


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
@settings(deadline=None)
def test_csv_numbers_are_exact(numbers):
    lines = [f"0,q,{number!r}" for number in numbers]
    data = read_table("\n".join(["label,query,f", *lines]).encode())
    assert data.X[:, 0].tolist() == numbers


HEAD = b"label,qid,docid,a,b\n1,q1,x,0.1,2\n"
CASES = {
    "empty file": (b"", 1, 1, "no rows"),
    "header only": (b"label,qid,a\n", 1, None, "no rows"),
    "no header": (b"1,2,3\n4,5,6\n", 1, None, "no header line with the names"),
    "no label": (b"foo,qid,a\n1,2,3\n", 1, None, "No column looks like the label"),
    "no query": (b"label,foo,a\n1,2,3\n", 1, None, "No column looks like the query"),
    "no feature": (b"label,qid\n1,2\n", 1, None, "no feature column"),
    "column twice": (b"label,qid,a,a\n1,2,3,4\n", 1, "a", "Two columns are named 'a'"),
    "words": (HEAD + b"0,q1,y,many,4\n", 3, "a", "'many' is not a finite"),
    "empty cell": (HEAD + b"0,q1,y,,4\n", 3, "a", "of 'a' is missing"),
    "NaN": (HEAD + b"0,q1,y,NaN,4\n", 3, "a", "of 'a' is missing"),
    "infinity": (HEAD + b"0,q1,y,1,-inf\n", 3, "b", "'-inf' is not a finite"),
    "label words": (HEAD + b"good,q1,y,1,2\n", 3, "label", "'good'"),
    "fractional label": (HEAD + b"0.5,q1,y,1,2\n", 3, "label", "0.5 is not a whole"),
    "negative fraction": (HEAD + b"-0.5,q1,y,1,2\n", 3, "label", "-0.5 is not a whole"),
    "label above 31": (HEAD + b"32,q1,y,1,2\n", 3, "label", "32 is above 31"),
    "missing qid": (HEAD + b"0,,y,1,2\n", 3, "qid", "query id is missing"),
    "too few cells": (HEAD + b"0,q1,y,1\n", 3, "b", "of 'b' is missing"),
    "too many cells": (HEAD + b"0,q1,y,1,2,3\n", 3, 6, "not 5; cell 6 holds '3'"),
    "all too many": (b"label,qid,a\n1,q,2,3\n0,q,4,5\n", 2, 4, "cell 4 holds '3'"),
    "names too few": (b"label,qid,a\n1,q,2,x,y,z\n", 2, 4, "6 here, not 3; cell 4"),
    "blank line": (HEAD + b"\n0,q1,y,1,2\n", 3, "a", "of 'a' is missing"),
    "open quotation": (HEAD + b'0,"q1,y,1,2\n', 3, "qid", "mark is not closed"),
    "open at the end": (HEAD + b'0,q1,y,1,"', 3, "b", "mark is not closed"),
    "open, others below": (
        HEAD + b'0,"q1",y,"1,2\n1,"q2",z,3,4\n',
        3,
        "a",
        "mark is not closed",
    ),
    "open after line breaks": (
        HEAD + b'0,"q\n1","y\n2",1,2\n1,q,"y,3,4\n',
        6,
        "docid",
        "not closed",
    ),
    "quotation within a cell": (HEAD + b'0,q1,"y"2,1,2\n', 3, "docid", "mark"),
    "open in a surplus cell": (HEAD + b'0,q1,y,1,2,"3\n', 3, 6, "mark is not closed"),
    "open in a name": (b'label,"qid,docid,a\n1,q,x,2\n', 1, 2, "mark is not closed"),
    "long cell": (HEAD + b"0,q1," + b"y" * 140_000 + b",1,2\n", 3, "docid", "longer"),
    "open for long": (HEAD + b'0,"q1' + b",y\n" * 50_000, 3, "qid", "longer than"),
    "long name": (b"label,qid," + b"a" * 140_000 + b"\n1,2,3\n", 1, 3, "longer than"),
    "carriage return first": (b"\r" + HEAD, 1, 1, "carriage return"),
    "carriage return": (HEAD + b"0,q1,y\rz,1,2\n", 3, "docid", "carriage return"),
    "document twice": (HEAD + b"0,q1,x,1,2\n", 3, "docid", "'x' occurs twice"),
    "NUL": (HEAD + b"0,q1,y\0,1,2\n", 3, 7, "not text"),
    "damaged Parquet": (b"PAR1" + bytes(range(90)), 1, None, "Parquet data is damaged"),
}


@pytest.mark.parametrize("case", CASES)
def test_place_problem_and_remedy(case):
    text, line, column, problem = CASES[case]
    refusal(read_table, text, problem, line, column)


def test_lines_are_counted_through_quoted_line_breaks():
    text = b'label,qid,docid,a\n1,q1,"two\nlines",3\n0,q1,y,bad\n'
    with pytest.raises(DataError) as caught:
        read_table(text)
    assert caught.value.line == 4


def test_the_cell_at_fault_is_found_across_blocks(monkeypatch):
    """Rows, and the cells in them, go over the ends of blocks."""
    monkeypatch.setattr("rankcore.data.formats.parts.source.BLOCK", 16)
    good = b'1,q1,"two\n\nlines %d",3\n'
    head = b"label,qid,docid,a\n" + b"".join(good % i for i in range(30))
    for column, bad in [
        ("qid", b'0,"q1,%b\n"x,3\n' % (b"y\n" * 40)),
        ("docid", b'0,"q%b1","y,3\n' % (b"\n" * 40)),
        ("a", b'0,q1,y,"3\n'),
        (5, b'0,q1,y,3,"%b\n' % (b"4\n" * 40)),
    ]:
        with pytest.raises(DataError, match="mark is not closed") as caught:
            read_table(head + bad)
        assert (caught.value.line, caught.value.column) == (92, column)


def test_a_row_over_many_lines_is_never_read_whole():
    head = b'label,qid,a\n1,1,1\n1,1,"2\n",'
    for end in (b'"3\n4",' * 40_000, b"5\n1,1,6\n"):
        with pytest.raises(DataError) as caught:
            read_table(head + end, limits=Limits(line=1000))
        many = len(end) > 1000
        assert ("longer than 1000 characters" in caught.value.problem) == many
        assert caught.value.line == 3


@pytest.mark.parametrize("role", ["label", "query", "document"])
def test_named_columns_must_exist(role):
    with pytest.raises(DataError, match=f"no {role} column 'z'"):
        read_table(GOOD, **{role: "z"})
    with pytest.raises(DataError, match="no feature column 'z'"):
        read_table(GOOD, features=["z"])
    with pytest.raises(DataError, match="feature column 'b' is named twice") as caught:
        read_table(GOOD, features=["b", "a", "b"], name="up.csv")
    assert caught.value.place == "up.csv, line 1, column b"


def test_bad_frames_name_the_row():
    frame = pd.read_csv(io.BytesIO(GOOD))
    frame.loc[1, "a"] = np.nan
    with pytest.raises(DataError) as caught:
        read_table(frame)
    assert (caught.value.line, caught.value.column) == (2, "a")
    missing = pd.DataFrame({"y": [1, 0], "q": ["a", None], "f": [1, 2]})
    with pytest.raises(DataError, match="query id is missing") as caught:
        read_table(missing)
    assert (caught.value.line, caught.value.column) == (2, "q")
    dates = pd.DataFrame({"y": [1], "q": [1], "f": pd.to_datetime(["2020-01-01"])})
    with pytest.raises(DataError, match="column 'f' does not hold numbers"):
        read_table(dates)


def test_limits(tmp_path):
    for limits, problem in [
        (Limits(rows=2), "more than 2 rows"),
        (Limits(features=2), "too many"),
        (Limits(cells=6), "too many"),
    ]:
        path = tmp_path / "t.parquet"
        pd.read_csv(io.BytesIO(GOOD)).to_parquet(path)
        for source in (GOOD, path, pd.read_parquet(path)):
            with pytest.raises(DataError, match=problem):
                read_table(source, limits=limits)
    with pytest.raises(DataError, match="longer than 9 bytes"):
        read_table(GOOD, limits=Limits(line=9))
    with pytest.raises(DataError, match="larger than 40 bytes"):
        read_table(GOOD, limits=Limits(size=40))


edits = edits_of([b",", b"\n", b'"', b"\r", b";", b"nan", b"1e999", b"-"], 3)


@examples(150, 600, edits)
def test_hundreds_of_broken_tables(edits):
    content = damaged(GOOD, edits)
    try:
        data = read_table(content, name="fuzz.csv")
    except DataError as error:
        place = (error.file, error.line is not None, error.problem, error.remedy)
        assert all(place), str(error)  # noqa: PT017
    else:
        assert 1 <= data.n_documents <= content.count(b"\n") + content.count(b"\r") + 1
        assert np.isfinite(data.X).all()


PARQUET = pd.read_csv(io.BytesIO(GOOD)).to_parquet()


@examples(60, 200, st.integers(4, 2000), st.integers(1, 255))
def test_damaged_parquet(position, change):
    content = bytearray(PARQUET)
    content[position % len(content)] ^= change
    try:
        assert read_table(bytes(content)).n_documents == 3
    except DataError as error:
        assert error.line  # noqa: PT017


@pytest.mark.parametrize("name", ["", "Unnamed: 0"])
def test_row_numbers_without_a_name_are_left_out(name, tmp_path):
    table = f"{name},qid,label,a\n0,x,1,0.5\n1,x,0,0.25\n".encode()
    with pytest.warns(DataWarning, match="first column has no name and is left out"):
        data = read_table(table)
    assert data.feature_names == ("a",)
    assert read_table(table, ignore=[name]).feature_names == ("a",)
    assert read_table(table, features=[name, "a"]).feature_names == (name, "a")
    first = preview_table(table).columns[0]
    assert (first.role, first.reason[:11]) == ("ignore", "Has no name")

    (tmp_path / "table.csv").write_bytes(table)
    with pytest.warns(DataWarning, match="first column has no name"):
        convert(tmp_path / "table.csv", tmp_path / "converted")
    assert load_partitions(tmp_path / "converted").feature_names == ("a",)
