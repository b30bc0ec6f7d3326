"""What the columns of a table are taken for, and what the reader is told of it."""

import pandas as pd
import pytest

from rankcore import DataError, read_feature_log, read_letor, read_table
from rankcore.data.formats import letor
from rankcore.data.formats.parts.first_rows import FIRST_FEATURES, FIRST_ROWS
from rankcore.data.readers import (
    find_problems,
    first_rows,
    preview_table,
    read,
    reading_options,
)
from tests.damage import damaged
from tests.readers.test_table import GOOD, edits
from tests.soaking import examples

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
    rows = preview_table(table)

    assert rows.roles == ROLES
    assert all(column.reason for column in rows.columns)
    assert [c.name for c in rows.columns if c.splits] == ["part"]
    assert rows.columns[2].examples == ("A-1", "A-2", "B-1")


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


@examples(80, 300, edits)
def test_a_look_at_hundreds_of_broken_tables(edits):
    """What a look refuses, reading refuses too; what is read is as it was shown."""
    content = damaged(SHOP, edits)
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


# The rows of a query are not adjacent, and those of the second have no third feature.
LETOR = b"# a comment\n\n" + b"".join(
    b"%d qid:q%d 1:%d.5 2:1 3:%d # d%d\n" % (n % 3, n % 2, n, n % 2, n)
    for n in range(50)
)


def test_the_first_rows_of_letor_text_are_those_that_are_read():
    rows = first_rows(LETOR)
    assert rows.rows[:2] == [
        {"query": "q0", "document": "d0", "label": 0, "f1": 0.5, "f2": 1.0, "f3": 0.0},
        {"query": "q1", "document": "d1", "label": 1, "f1": 1.5, "f2": 1.0, "f3": 1.0},
    ]
    assert len(rows.rows) == FIRST_ROWS
    assert not rows.more
    read = read_letor(LETOR).to_frame().sort_index()
    assert [row["f1"] for row in rows.rows] == read["f1"].tolist()[:FIRST_ROWS]


@pytest.mark.parametrize(
    ("line", "instead"),
    [
        (b"2 qid:q0 1:2.5", b"2 qid:q0 1:many"),
        (b"2 qid:q0 1:2.5", b"2 q0 1:2.5"),
        # A document that its query has already.
        (b"0 # d2\n", b"0 # d0\n"),
        (b"2 qid:q0 1:2.5", b"99 qid:q0 1:2.5"),
    ],
)
def test_a_row_of_letor_text_that_cannot_be_read_ends_the_look(line, instead):
    broken = LETOR.replace(line, instead, 1)
    with pytest.raises(DataError, match="line 5"):
        read_letor(broken)
    assert first_rows(broken).rows == first_rows(LETOR).rows[:2]


@pytest.mark.parametrize("content", [b"", b"# nothing\n", b"a,b\n1,2\n", b"\xff\xfe1"])
def test_what_is_no_letor_text_has_no_first_rows(content):
    assert first_rows(content) == ([], False)


def test_only_the_beginning_of_a_large_file_is_read(tmp_path, monkeypatch):
    parsed = []
    result = letor.read_letor
    monkeypatch.setattr(
        letor, "read_letor", lambda text, **n: parsed.append(text) or result(text, **n)
    )
    path = tmp_path / "large.txt"
    path.write_bytes(LETOR + b"0 qid:z 1:1\n" * 10**6 + b"broken\n")
    assert first_rows(path).rows == first_rows(LETOR).rows
    assert [text.count(b"\n") for text in parsed] == [FIRST_ROWS - 1] * 2


LOG = "".join(
    f'{{"qid": "{n // 2}", "query": "mug {n // 2}", "id": "d{n}", "label": {n % 3}, '
    f'"title": "Mug {n}", "[features]": "bm25={n}.5,stars={n % 5}"}}\n'
    for n in range(50)
).encode()


@pytest.mark.parametrize("kind", ["lines", "text"])
def test_the_first_rows_of_a_feature_log(kind):
    log = LOG
    if kind == "text":
        log = b"[\n" + LOG.strip().replace(b"}\n", b"},\n") + b"\n]"
    rows = first_rows(log, "log.json")
    assert rows.rows[3] == {
        "query": "1", "document": "d3", "query text": "mug 1", "text": "Mug 3",
        "label": 0.0, "bm25": 3.5, "stars": 3.0,
    }  # fmt: skip
    assert len(rows.rows) == FIRST_ROWS
    data = read_feature_log(log, name="log.json")
    assert [row["bm25"] for row in rows.rows] == data.X[:FIRST_ROWS, 0].tolist()
    judged = first_rows(log, "log.json", {"1": {"d3": 4}}).rows
    assert [row["label"] for row in judged[:5]] == [None, None, None, 4, None]


def test_a_document_that_cannot_be_read_ends_the_look():
    for wrong in (b'"id": ""', b'"id": 2'):
        broken = LOG.replace(b'"id": "d2"', wrong).replace(b"bm25=2.5", b"bm25=many")
        assert (
            first_rows(broken, "log.ndjson").rows
            == (first_rows(LOG, "log.ndjson").rows[:2])
        )
    assert first_rows(b"{", "log.json").rows == []
    assert first_rows(b'{"hits": 3}', "log.json").rows == []


def test_few_features_are_shown():
    names = [f"x{n}" for n in range(FIRST_FEATURES + 2)]
    logged = ",".join(f"{name}=1" for name in names)
    log = f'{{"qid": 1, "id": "a", "[features]": "{logged}"}}'.encode()
    wide = b"1 qid:1 " + b" ".join(b"%d:1" % (n + 1) for n in range(len(names)))
    for item in (first_rows(log, "log.json"), first_rows(wide)):
        (row,) = item.rows
        assert len(row) == 3 + FIRST_FEATURES
        assert item.more


def read_frame(content):
    import io

    return pd.read_csv(io.BytesIO(content))


def test_a_column_of_weights_is_named_to_the_reader():
    rows = [b"qid,grade,query_weight,price", b"a,1,2.5,3", b"a,0,2.5,4", b"b,1,1,5"]
    table = b"\n".join(rows)
    preview = preview_table(table)
    assert preview.roles["query_weight"] == "weights"
    options = reading_options(preview, preview.roles)
    assert options == {"weights": "query_weight"}
    data = read(table, name="shop.csv", **options)
    assert (data.feature_names, data.weights.tolist()) == (("price",), [2.5, 1.0])
    frame = data.to_frame().to_csv(index=False).encode()
    again = preview_table(frame)
    of_frame = reading_options(again, again.roles)
    assert read(frame, name="a.csv", **of_frame).fingerprint == data.fingerprint
    wrong = table.replace(b"b,1,1", b"b,1,-1")
    (error,) = find_problems(wrong, name="shop.csv", **options).errors
    assert "b" in error.problem
    (error,) = find_problems(
        table.replace(b"a,0,2.5", b"a,0,3"), name="shop.csv", **options
    ).errors
    assert (error.line, error.column) == (3, "query_weight")
