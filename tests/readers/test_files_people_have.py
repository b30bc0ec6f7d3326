"""Every file of tests/inputs: how it is read, and what it gives.

The files were written for this project after public reports of what people's files ran
into.
"""

from math import nan
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest

from rankcore import DataError
from rankcore.base.errors import gathered_warnings
from rankcore.data.readers import read, read_judgements

FOLDER = Path(__file__).parents[1] / "inputs"
MUG = {"mug": {"A": 2, "B": 0}}


class Data(NamedTuple):
    """Expected data; None for what the row does not say."""

    features: str
    X: list[list[float]]
    y: list[int]
    query_ids: str
    doc_ids: str | None = None
    query_texts: tuple[str, ...] | None = None


class Row(NamedTuple):
    """A file, the call that reads it, and what that gives or warns of."""

    file: str
    gives: Any
    options: Any = MappingProxyType({})
    reader: Any = read
    warns: str = ""


class Refusal(NamedTuple):
    """The sentence with its place."""

    place: str
    words: str


ROWS = [
    Row(
        "A3_scores_in_use.csv",
        Data("bm25", [[7.5], [2.5], [3.5], [1.5]], [2, 0, 1, 0], "mug pan"),
        {"score": ["prod"]},
    ),
    Row("A6_qrels.txt", MUG, reader=read_judgements),
    Row(
        "A6_solr_tab_separated.ndjson",
        Data("bm25 stars", [[7.5, 4], [2.25, 0]], [2, 0], "mug", "A B"),
        {"judgements": FOLDER / "A6_qrels.txt"},
        warns="(stars 1) and counts as 0",
    ),
    Row(
        "A7_test_has_more_features_train.txt",
        Data("f1 f2", [[3, 1], [1, 2]], [1, 0], "1"),
    ),
    Row(
        "A7_test_has_more_features_test.txt",
        Data("f1 f2 f3", [[3, 1, 9], [1, 2, 1]], [1, 0], "1"),
    ),
    Row(
        "B1_features_from_zero.txt",
        Data("f0 f1", [[0.5, 2.5], [0.1, 1.5]], [1, 0], "1"),
    ),
    Row(
        "B2_features_in_any_order.txt",
        Data("f1 f2 f3", [[2.5, 0, 0.5], [1, 0.1, 1.5]], [1, 0], "1"),
    ),
    Row("B4_fraction_labels.txt", Refusal("line 1, column 1", "--labels")),
    Row(
        "B4_fraction_labels.txt",
        Data("f1", [[0.5], [0.1], [0]], [2, 1, 0], "1"),
        {"labels": "0.3=1,0.6=2"},
    ),
    Row(
        "B6_negative_judgements.txt",
        MUG,
        reader=read_judgements,
        warns="Negative judgements count as 0: 1, the first in line 2.",
    ),
    Row("B7_labels_to_100.txt", Refusal("line 1, column 1", "--label-gain linear")),
    Row(
        "B7_labels_to_100.txt",
        Data("f1", [[0.5], [0.1], [0]], [90, 40, 0], "1"),
        {"gain": "linear"},
    ),
    Row(
        "B8_no_qid.txt",
        Data("f1 f2", [[0.5, 2], [0.1, 1], [0.7, 3], [0.2, 1]], [1, 0, 1, 0], "1 2"),
        warns="The queries are read from B8_no_qid.txt.query beside it.",
    ),
    Row(
        "B8_no_qid.txt",
        Data("f1 f2", [[0.5, 2], [0.1, 1], [0.7, 3], [0.2, 1]], [1, 0, 1, 0], "1 2"),
        {"groups": FOLDER / "B8_no_qid.txt.query"},
    ),
    Row(
        "B9_missing_values.csv",
        Refusal("line 2, column stars", "The value of 'stars' is missing"),
    ),
    Row(
        "B9_missing_values.csv",
        Data("price stars", [[9.5, 3], [12, 3]], [1, 0], "1"),
        {"missing": "median"},
        warns="1 of 4 values (25.0%) is missing (stars 1) and counts as the median",
    ),
    Row(
        "B9_missing_values.csv",
        Data("price stars", [[9.5, 0], [12, 3]], [1, 0], "1"),
        {"missing": "zero"},
        warns="1 of 4 values (25.0%) is missing (stars 1) and counts as 0",
    ),
    Row(
        "B9_missing_values.csv",
        Data("price stars", [[9.5, nan], [12, 3]], [1, 0], "1"),
        {"missing": "keep"},
        warns="1 of 4 values (25.0%) is missing (stars 1) and is kept, for LightGBM",
    ),
    Row("B11_excel_sep_line.csv", Data("price", [[9], [12]], [1, 0], "1")),
    Row(
        "B12_decimal_comma.csv",
        Data("price", [[9.5], [12.25]], [1, 0], "1"),
        warns="commas are read as decimal points; the first is in line 2.",
    ),
    Row(
        "B14_windows_1252.csv",
        Refusal(
            "line 2, column 2",
            "The byte 0xFC is not text in UTF-8. Save the file as UTF-8, or give its "
            "encoding with encoding='windows-1252' (on the command line --encoding)",
        ),
    ),
    Row(
        "B14_windows_1252.csv",
        Data("price", [[9], [12]], [1, 0], "Küche"),
        {"encoding": "windows-1252"},
    ),
    Row("B15_blank_ratings.csv", {"mug": {"A": 3}}, reader=read_judgements),
    Row("B16_ranklib_judgements.txt", {"1": {"A": 4, "B": 0}}, reader=read_judgements),
    Row("B17_qrels_with_comment.txt", MUG, reader=read_judgements),
    Row("B18_grade_keywords.csv", {"mug": {"A": 4, "B": 0}}, reader=read_judgements),
    Row("B19_beir.tsv", MUG, reader=read_judgements),
    Row(
        "B22_cr_line_ends.txt",
        Refusal(
            "line 1, column 19",
            "There is a carriage return within the line. Save the file with line ends "
            "of Unix or Windows",
        ),
    ),
    Row(
        "B23_columns_in_other_order.csv",
        Data("prod bm25", [[9, 7.5], [1, 2.5]], [2, 0], "mug", "A B"),
    ),
    Row(
        "B25_solr_semicolon.ndjson",
        Data("bm25 stars", [[7.5, 4], [2.25, 1]], [2, 0], "mug", "A B"),
        {"judgements": MUG},
    ),
    Row(
        "B27_two_sets_one_name.ndjson",
        Data("main.t extra.t", [[1, 2], [0, 3]], [2, 0], "mug", "A B"),
        {"judgements": MUG},
    ),
    Row(
        "B28_log_without_query_id.ndjson",
        Data("t", [[1], [0]], [2, 0], "1", "A B"),
        {"judgements": {"1": MUG["mug"]}},
        warns="One response names no query; the id of each is its number among the "
        'responses of the file, from 1. Write "qid" beside its hits',
    ),
    Row(
        "B28_log_without_query_id.ndjson",
        Refusal(
            "", 'a response without a "qid" has its number in the file as id, from 1'
        ),
        {"judgements": MUG},
        warns="One response names no query",
    ),
    Row("B29_no_header.tsv", Refusal("line 1", "--no-header")),
    Row(
        "B29_no_header.tsv",
        Data("c3 c4", [[0.5, 0.2], [0.1, 0.9]], [2, 0], "1"),
        {"header": "none"},
    ),
    Row(
        "B31_tutorial_rows.txt",
        Data(
            "f1 f2",
            [[7.5, 4], [2.5, 1], [6.5, 3], [1.5, 2]],
            [4, 0, 3, 0],
            "1 2",
            "A-1 A-2 B-1 B-2",
            ("blue mug", "tin pan"),
        ),
    ),
]


def test_every_file_has_a_row():
    files = {path.name for path in FOLDER.iterdir() if path.name[0] != "."}
    beside = {"B8_no_qid.txt.query"}
    # Of noise: what commands make of them is in tests/cli.
    long = {"A1_label_sorted_noise.txt", "A4_unnamed_row_numbers.csv"}
    assert {row.file for row in ROWS} == files - beside - long


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.file)
def test_files_people_have(row):
    with gathered_warnings() as sentences:
        if isinstance(row.gives, Refusal):
            with pytest.raises(DataError) as caught:
                row.reader(FOLDER / row.file, **row.options)
            place = ", ".join(filter(None, (row.file, row.gives.place)))
            assert f"{place}: " in str(caught.value)
            assert row.gives.words in str(caught.value)
        else:
            reader = row.reader(FOLDER / row.file, **row.options)
    assert row.warns in " ".join(sentences)
    assert bool(sentences) == bool(row.warns)
    if isinstance(row.gives, dict):
        assert reader == row.gives
    elif isinstance(row.gives, Data):
        names, X, y, query_ids, doc_ids, query_texts = row.gives
        assert reader.feature_names == tuple(names.split())
        np.testing.assert_array_equal(reader.X, X)
        assert reader.y.tolist() == y
        assert reader.query_ids == tuple(query_ids.split())
        assert doc_ids is None or reader.doc_ids == tuple(doc_ids.split())
        assert reader.query_texts == query_texts
