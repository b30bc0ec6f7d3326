"""Tables as files, read back."""

import io
import json

import numpy as np
import pandas as pd
import pytest

from rankcore.reports.formats import FORMATS, format_of

pytestmark = pytest.mark.unit

COLUMNS = {
    "name": ["a", "b|&", None],
    "value": [0.1, np.nan, 1 / 3],
    "count": [1, 2, 3],
    "mixed": [1, "two", None],
}


def written(ending, table=COLUMNS):
    return FORMATS[ending].write(table, "A caption")


def test_csv_and_parquet_read_back_to_the_bit():
    csv = pd.read_csv(
        io.BytesIO(written("csv")), keep_default_na=False, na_values="nan"
    )
    parquet = pd.read_parquet(io.BytesIO(written("parquet")))

    for item in (csv, parquet):
        assert item["value"].tolist()[::2] == [0.1, 1 / 3]
        assert np.isnan(item["value"][1])
        assert item["count"].tolist() == [1, 2, 3]
    assert parquet["mixed"].tolist()[:2] == ["1", "two"]
    assert parquet["name"].tolist()[:2] == ["a", "b|&"]


def test_json_has_a_row_each_and_null_for_what_is_missing():
    assert json.loads(written("json"))[1] == {
        "name": "b|&", "value": None, "count": 2, "mixed": "two",
    }  # fmt: skip


def test_what_people_read_says_where_a_model_ranks_nothing():
    table = {
        "valid nDCG@10": [0.5, 0.25],
        "ranks": [True, False],
        "iteration": [3, 7],
    }
    assert json.loads(written("json", table))[1] == {
        "valid nDCG@10": 0.25, "ranks": False, "iteration": 7,
    }  # fmt: skip
    for ending in ("md", "tex"):
        text = written(ending, table).decode()
        assert "0.5 " in text
        assert "7" in text
        assert "0.25" not in text
        assert "ranks nothing" in text
    ranks = {"ranks": [1, 2], "test nDCG@10": [0.25, 0.5]}
    assert b"0.25" in written("md", ranks)


def test_markdown_and_latex_have_the_caption_and_escaped_texts():
    assert b"b\\|&amp;" in written("md")
    assert b"b\\textbar{}\\&" in written("tex")
    assert b"\\caption{A caption}" in written("tex")


@pytest.mark.parametrize("ending", FORMATS)
def test_rows_columns_and_frames_make_the_same_file(ending):
    frame = pd.DataFrame(COLUMNS)
    every = zip(*COLUMNS.values(), strict=True)
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in every]

    assert written(ending, frame) == written(ending) == written(ending, rows)
    assert frame["mixed"].tolist()[0] == 1
    assert written(ending, {})


@pytest.mark.parametrize(
    ("path", "title"),
    [("a.parquet", "Parquet"), ("a.PARQUET", "Parquet"), ("a.csv", "CSV"),
     ("a.tex", "LaTeX"), ("/dev/stdout", "CSV"), ("a.history", "CSV")],
)  # fmt: skip
def test_the_ending_chooses_the_format(path, title):
    assert format_of(path).title == title
