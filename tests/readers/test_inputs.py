"""Small files as people have them, each read or refused as they would expect."""

import json

import pytest

from rankcore import DataError, DataWarning, load_partitions
from rankcore.data.readers import read, read_feature_log, read_judgements
from rankcore.data.readers.converting import convert

MUG = {"mug": {"A": 2, "B": 0}}
JUDGEMENTS = {
    "blank ratings": ("query,docid,rating\nmug,A,2\nmug,B,0\nmug,C,\nmug,D,n/a\n", MUG),
    "list form": (
        "# qid:1: blue mug*1.5\n\n2\tqid:1\t # A\tmug\n0 qid:1 #B\n",
        {"1": MUG["mug"]},
    ),
    "list of LETOR": (
        "2 qid:mug 1:0.5 #docid = A inc = 1\n0 qid:mug # B x\n",
        MUG,
    ),
    "qrels with comments": (
        "# by hand\n\nmug 0 A 2 # sure\n# mug 0 C 4\nmug 0 B 0\n",
        MUG,
    ),
    "spaces and case": (
        " Query Text ; Doc ID ; Rating \n mug ; A ; 2 \nmug;B;0\n",
        MUG,
    ),
    "bars": ("query|docid|relevance\nmug|A|2\nmug|B|0\n", MUG),
    "bars and blanks": ("query | docid | label\nmug | A | 2\nmug | B | 0\n", MUG),
    "sep= and comments": (
        "# by hand, twice\nsep=;\nquery;docid;label\nmug;A;2\nmug;B;0",
        MUG,
    ),
    "a heading behind #": ("#query,docid,label\nmug,A,2\nmug,B,0\n", MUG),
}


@pytest.mark.parametrize(("text", "labels"), JUDGEMENTS.values(), ids=JUDGEMENTS)
def test_judgements_have_many_forms(text, labels):
    assert read_judgements(text.encode()) == labels


def test_a_list_tells_the_words_of_its_queries():
    text, labels = JUDGEMENTS["list form"]
    result = read_judgements(text.encode())
    log = b'{"qid": 1, "id": "A", "[features]": "bm25=7.5"}'

    assert result.query_texts == {"1": "blue mug"}
    assert read_feature_log(log, result).query_texts == ("blue mug",)
    assert read_feature_log(log, labels).query_texts is None


def test_a_comment_with_a_carriage_return_gets_its_line():
    with pytest.raises(DataError, match="carriage return") as caught:
        read_judgements(b"# mine\n# a\rb,c\nquery,document,label\nmug,A,1\n")
    assert caught.value.line == 2


ROWS = b"hard drive|A|2\nhard drive|B|0\n"


def test_judgements_without_a_heading_say_so():
    with pytest.raises(DataError, match="no header line with the names") as caught:
        read_judgements(b"1,7,2\n1,8,0\n")
    assert "--columns query,document,label" in caught.value.remedy
    with pytest.raises(DataError, match="No column is named as the query") as caught:
        read_judgements(ROWS)
    assert "--columns query,document,label" in caught.value.remedy

    result = read_judgements(ROWS, header=("query", "document", "label"))
    assert result == {"hard drive": {"A": 2, "B": 0}}


TABLES = {
    "sep=": b"sep=;\nqid;label;price\n1;1;9\n1;0;12\n",
    "sep= of bars": b'"SEP=|"\r\nqid|label|price\r\n1|1|9\r\n1|0|12\r\n',
    "comments": b"# made, by hand\n\n# twice\nqid,label,price\n1,1,9\n1,0,12\n",
    "a heading behind #": b"# qid,label,price\n1,1,9\n1,0,12\n",
}


@pytest.mark.parametrize("text", TABLES.values(), ids=TABLES)
def test_tables_may_have_lines_above_the_heading(text):
    data = read(text, name="a.csv")

    assert data.feature_names == ("price",)
    assert (data.X.tolist(), data.y.tolist()) == ([[9], [12]], [1, 0])
    with pytest.raises(DataError) as caught:
        read(text.replace(b"12", b"x"), name="a.csv")
    n_lines = len(text.splitlines())
    assert (caught.value.line, caught.value.column) == (n_lines, "price")


def test_a_table_may_have_no_header():
    text = b"2\t1\t0.5\t0.25\n0\t1\t0.1\t0.75\n"
    with pytest.raises(DataError, match="--no-header"):
        read(text, name="a.tsv")
    data = read(text, name="a.tsv", header="none")
    named = read(text, name="a.tsv", header=["rel", "qid", "bm25", "price"])
    other = read(text, name="a.tsv", header="none", label="c2", query="c1")

    assert data.feature_names == ("c3", "c4")
    assert (data.y.tolist(), data.query_ids) == ([2, 0], ("1",))
    assert named.feature_names == ("bm25", "price")
    assert (named.X == data.X).all()
    assert other.query_ids == ("2", "0")
    with pytest.raises(DataError, match="no named columns"):
        read(b"1 qid:1 1:1\n", header="none", name="a.txt")


MISLEADING = {
    "a decimal comma beside others": (
        "a.csv",
        b'qid,label,price\n1,1,"9,5"\n1,0,"12,25"\n',
        ("2", "price", "'9,5' of column 'price' has a decimal comma", "9.5"),
    ),
    "a decimal comma after a point": (
        "a.csv",
        b"qid;label;price\n1;1;9.5\n1;0;1,250\n",
        ("3", "price", "decimal comma", "1.250"),
    ),
    "a decimal point after a comma": (
        "a.csv",
        b"qid;label;price\n1;1;9,5\n1;0;1.250\n",
        (
            "3",
            "price",
            "'1.250' has a decimal point, but line 2 has",
            "thousands separators",
        ),
    ),
    "JSON as CSV": ("a.csv", b'{"qid": 1}\n', ("1", "1", "is JSON", ".ndjson")),
    "JSON as LETOR": ("a.txt", b'[{"qid": 1}]\n', ("1", "1", "is JSON", ".ndjson")),
    "line ends of old in CSV": (
        "a.csv",
        b"qid,label,f\n1,1,9\r1,0,12\r",
        ("2", "f", "carriage return", "line ends of Unix or Windows"),
    ),
}


@pytest.mark.parametrize(("file", "text", "words"), MISLEADING.values(), ids=MISLEADING)
def test_messages_say_what_is_wrong_and_what_to_do(file, text, words):
    line, column, problem, remedy = words
    with pytest.raises(DataError) as caught:
        read(text, name=file)
    error = caught.value
    assert (str(error.line), str(error.column)) == (line, column)
    assert problem in error.problem
    assert remedy in error.remedy


@pytest.mark.parametrize("text", [b"a 0 d 1\ra 0 e 0\r", b"1 qid:1 # d\r0 qid:1 # e"])
def test_judgements_with_line_ends_of_old_are_refused(text):
    with pytest.raises(DataError, match="carriage return"):
        read_judgements(text)
    assert read_judgements(text.replace(b"\r", b"\r\n")) != {}


def logged(document, **entries):
    """A hit whose entries hold features."""
    log = [
        {entry: [{"name": name, "value": value} for name, value in features.items()]}
        for entry, features in entries.items()
    ]
    return {"_id": document, "fields": {"_ltrlog": log}, "label": 1}


def log_of(*hits, **about):
    return json.dumps({**about, "hits": {"hits": hits}}).encode() + b"\n"


SETS = (
    log_of(logged("A", main={"t": 1, "u": 5}), qid="mug")
    + log_of(logged("A", main={"t": 0}, extra={"t": 2, "v": 7}), qid="pan")
)  # fmt: skip


def test_two_sets_with_one_name_are_told_apart(tmp_path):
    data = read_feature_log(SETS)

    assert data.feature_names == ("main.t", "u", "extra.t", "v")
    assert data.X.tolist() == [[1, 5, 0, 0], [0, 0, 2, 7]]
    (tmp_path / "log.ndjson").write_bytes(SETS)
    convert(tmp_path / "log.ndjson", tmp_path / "parts")
    converted = load_partitions(tmp_path / "parts")
    assert converted.feature_names == data.feature_names
    assert (converted.X == data.X).all()


def test_sets_without_a_common_document_share_their_names():
    log = log_of(logged("A", one={"t": 1}), qid=1) + log_of(
        logged("A", two={"t": 2}), qid=2
    )
    data = read_feature_log(log)
    assert (data.feature_names, data.X.tolist()) == (("t",), [[1], [2]])


@pytest.mark.parametrize("vector", ["bm25=7.5,stars=4", "bm25:7.5;stars:4"])
def test_the_features_of_solr_may_have_another_name(vector):
    document = {"qid": 1, "id": "A", "label": 1, "title": "x=y, a:b", "fv": vector}
    data = read_feature_log(json.dumps(document).encode())

    assert (data.feature_names, data.X.tolist()) == (("bm25", "stars"), [[7.5, 4]])
    with pytest.raises(DataError, match="no logged features"):
        read_feature_log(json.dumps(document | {"other": vector}).encode())


def test_responses_without_a_query_are_numbered_and_it_is_said():
    log = log_of(logged("A", main={"t": 1})) + log_of(logged("B", main={"t": 2}))
    with pytest.warns(DataWarning, match=r'2 responses name no query.*from 1.*"qid"'):
        data = read_feature_log(log, name="log.ndjson")

    assert data.query_ids == ("1", "2")
    with pytest.warns(DataWarning), pytest.raises(DataError) as caught:
        read_feature_log(log, {"mug": {"A": 1}})
    assert "number in the file as id, from 1" in caught.value.remedy
