"""What the columns of a table are taken for, and what the reader is told of it."""

import pandas as pd
import pytest
from hypothesis import given, settings

from rankcore import DataError, read_table
from rankcore.readers import preview_table, reading_options
from rankcore.readers.preview import FIRST_ROWS
from tests.readers.test_table import GOOD, edits

SHOP = (
    b"qid,grade,sku,title,keywords,segment,part,note,empty,price\n"
    b"q1,2,A-1,Blue mug,mug,head,train,all new,,9.5\n"
    b"q1,0,A-2,Red cup,mug,head,train,all new,,3\n"
    b"q2,1,B-1,Green plate,plate,tail,test,old stock,,4\n"
)
ROLES = {
    "qid": "query",
    "grade": "label",
    "sku": "document",
    "title": "text",
    "keywords": "query_text",
    "segment": "group",
    "part": "group",
    "note": "ignore",
    "empty": "ignore",
    "price": "feature",
}


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_roles_are_detected_with_a_reason(kind, tmp_path):
    table = SHOP
    if kind == "parquet":
        frame = read_frame(SHOP)
        table = frame.to_parquet()
    found = preview_table(table)

    assert found.roles == ROLES
    assert all(column.reason for column in found.columns)
    assert [c.name for c in found.columns if c.splits] == ["part"]
    assert found.columns[2].examples == ("A-1", "A-2", "B-1")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_what_is_detected_can_be_read(kind):
    table = SHOP if kind == "csv" else read_frame(SHOP).to_parquet()
    preview = preview_table(table)
    options = reading_options(preview, preview.roles)
    data = read_table(table, **options)

    assert options == {
        "document": "sku",
        "text": "title",
        "query_text": "keywords",
        "group": ["segment", "part"],
        "ignore": ["note", "empty"],
    }
    assert data.feature_names == ("price",)
    assert data.query_texts == ("mug", "plate")
    assert data.query_groups == {"segment": ("head", "tail"), "part": ("train", "test")}


def test_the_reader_is_told_only_what_it_would_not_detect():
    preview = preview_table(GOOD)
    assert reading_options(preview, preview.roles) == {}

    options = reading_options(preview, preview.roles | {"docid": "ignore"})
    assert options == {"ignore": ["docid"]}
    assert read_table(GOOD.replace(b"x,", b"z,"), **options).n_documents == 3
    as_feature = b"label,qid,item,a\n1,q1,7,2\n0,q1,8,3\n"
    preview = preview_table(as_feature)
    options = reading_options(preview, preview.roles | {"item": "feature"})
    assert options == {"document": ""}
    assert read_table(as_feature, **options).feature_names == ("item", "a")
    options = reading_options(preview, preview.roles | {"qid": "feature", "a": "query"})
    assert options == {"query": "a"}


@pytest.mark.parametrize("name", ["query", "Search", "keyword", "search term"])
def test_words_beside_the_id_of_the_query_are_its_words(name):
    table = SHOP.replace(b"keywords", name.encode())
    preview = preview_table(table)
    assert preview.roles == {
        name if column == "keywords" else column: role for column, role in ROLES.items()
    }
    data = read_table(table, **reading_options(preview, preview.roles))
    assert data.query_ids == ("q1", "q2")
    assert data.query_texts == ("mug", "plate")


def test_the_only_column_of_the_query_holds_its_id():
    roles = preview_table(SHOP.replace(b"qid", b"query")).roles
    assert (roles["query"], roles["keywords"]) == ("query", "query_text")


def test_few_rows_are_read():
    preview = preview_table(b"label,qid,a\n" + b"1,1,2\n" * 50 + b'"')
    assert len(preview.rows) == FIRST_ROWS


def test_a_wrong_cell_does_not_make_a_column_of_words():
    preview = preview_table(b"label,qid,a\n1,1,2\n1,1,many\n0,1,3\n")
    assert preview.roles["a"] == "feature"


def test_a_row_that_cannot_be_read_ends_the_look():
    preview = preview_table(b'label,qid,a\n1,1,2,9\n1,1\n1,"1\n')
    assert preview.rows == [["1", "1", "2"], ["1", "1", ""]]


def test_columns_of_other_kinds_are_ignored(tmp_path):
    frame = pd.DataFrame({"label": [1], "qid": [1], "a": [0.5], "list": [[1, 2]]})
    preview = preview_table(frame.to_parquet())
    assert preview.roles["list"] == "ignore"
    assert preview.columns[3].examples[0].startswith("list<")


@given(edits)
@settings(max_examples=300, deadline=None)
def test_a_look_at_hundreds_of_broken_tables(edits):
    """What a look refuses, reading refuses too; what is read is as it was shown."""
    content = SHOP
    for where, length, piece in edits:
        begin = round(where * len(content))
        content = content[:begin] + piece + content[begin + length :]
    try:
        preview = preview_table(content, name="fuzz.csv")
    except DataError:
        with pytest.raises(DataError):
            read_table(content)
        return
    assert all(len(row) == len(preview.columns) for row in preview.rows)
    options = reading_options(preview, preview.roles)
    try:
        data = read_table(content, **options)
    except DataError as error:
        assert error.remedy  # noqa: PT017
    else:
        features = [n for n, role in preview.roles.items() if role == "feature"]
        assert list(data.feature_names) == features


def read_frame(content):
    import io

    return pd.read_csv(io.BytesIO(content))
