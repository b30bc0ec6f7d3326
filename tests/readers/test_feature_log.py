"""Feature logs of Elasticsearch, OpenSearch and Solr, and judgements of them."""

import gzip
import json

import pytest
from hypothesis import strategies as st

from rankcore import DataError, read_feature_log
from rankcore.data.readers import Limits, read, read_judgements
from tests.damage import damaged, edits_of, outcome
from tests.readers.samples import refusal
from tests.soaking import examples

QRELS = b"1 0 a 2\n1 0 b 0\n2 0 a 1\n"
TABLE = b"query,docid,grade\n1,a,2\n1,b,0\n2,a,1\n"


def hit(document, features, **more):
    """A hit of the plugin; a feature of None has no value."""
    logged = [
        {"name": name} if value is None else {"name": name, "value": value}
        for name, value in features.items()
    ]
    return {"_id": document, "fields": {"_ltrlog": [{"main": logged}]}, **more}


def solr_document(document, features, **more):
    logged = ",".join(f"{name}={value}" for name, value in features.items())
    return {"id": document, "[features]": logged, **more}


HITS = [hit("a", {"bm25": 7.5, "age": None}), hit("b", {"bm25": 1, "age": -2})]
OTHER = [hit("a", {"age": 3.0, "clicks": 4}), hit("c", {"bm25": 0.5})]


def lines(*values):
    return b"\n".join(json.dumps(value).encode() for value in values) + b"\n"


def responses(*lists, **about):
    return [{"took": 3, **about, "hits": {"total": 2, "hits": hits}} for hits in lists]


BOTH = responses(HITS, OTHER)
LOGS = {
    "a response a line": lines(*BOTH),
    "a multiple search": lines({"took": 5, "responses": BOTH}),
    "one text": json.dumps({"responses": BOTH}, indent=2).encode(),
    "texts one after the other": b"\n".join(
        json.dumps(response, indent=1).encode() for response in BOTH
    ),
    "a list": json.dumps(BOTH).encode(),
    "queries named": lines(
        *(response | {"qid": n} for n, response in enumerate(BOTH, start=1))
    ),
    "wrapped": lines(
        *({"query": str(n), "response": r} for n, r in enumerate(BOTH, start=1))
    ),
    "a document a line": lines(
        *(one | {"qid": "1"} for one in HITS), *(one | {"qid": 2} for one in OTHER)
    ),
    "one entry as an object": lines(*BOTH).replace(b"[{\"main\"", b"{\"main\"")
    .replace(b"]}]}}", b"]}}}"),
    "gzip and a mark": gzip.compress(b"\xef\xbb\xbf" + lines(*BOTH)),
    "Solr": lines(*(
        {"responseHeader": {"params": {"qid": str(n), "q": "mug"}},
         "response": {"docs": docs}}
        for n, docs in enumerate((
            [solr_document("a", {"bm25": 7.5, "age": 0}),
             solr_document("b", {"bm25": 1.0, "age": -2.0})],
            [solr_document("a", {"age": "3e0", "clicks": 4}),
             solr_document("c", {"bm25": 0.5})],
        ), start=1)
    )),
}  # fmt: skip


@pytest.mark.parametrize("judgements", [QRELS, TABLE], ids=["qrels", "CSV"])
@pytest.mark.parametrize("log", LOGS.values(), ids=LOGS)
def test_what_is_logged_is_read(log, judgements):
    data = read_feature_log(log, judgements)

    assert data.feature_names == ("bm25", "age", "clicks")
    assert data.X.tolist() == [[7.5, 0, 0], [1, -2, 0], [0, 3, 4], [0.5, 0, 0]]
    assert (data.query_ids, data.doc_ids) == (("1", "2"), ("a", "b", "a", "c"))
    assert data.y.tolist() == [2, 0, 1, 0]
    assert data.judged.tolist() == [True, True, True, False]
    assert data.n_judged == 3


@pytest.mark.parametrize("separator", [",", ", ", ";", "\\t"])
@pytest.mark.parametrize("assignment", ["=", ":"])
def test_solr_may_separate_features_otherwise(separator, assignment):
    vector = separator.join([f"bm25{assignment}7.5", f"stars{assignment}4"])
    log = f'{{"qid": 1, "id": "A", "label": 2, "[features]": "{vector}"}}'
    data = read_feature_log(log.encode())
    assert data.feature_names == ("bm25", "stars")
    assert data.X.tolist() == [[7.5, 4.0]]


def test_labels_and_texts_within_the_log():
    log = lines(
        *responses(
            [
                hit("a", {"f": 1}, label=2, _source={"title": "Blue mug"}),
                hit("b", {"f": 2}, _source={"title": ["Plate", "Dish"], "label": 1}),
                hit("c", {"f": 3}),
            ],
            qid=7,
            query="mug",
        )
    )
    data = read_feature_log(log, name="shop.ndjson")

    assert (data.name, data.query_ids, data.query_texts) == ("shop", ("7",), ("mug",))
    assert data.doc_texts == ("Blue mug", "Plate", "")
    assert data.y.tolist() == [2, 1, 0]
    assert data.judged.tolist() == [True, True, False]


def test_documents_of_a_query_need_not_be_adjacent():
    rows = [("1", "a"), ("2", "a"), ("1", "b")]
    log = lines(*(hit(d, {"f": n}, qid=q) for n, (q, d) in enumerate(rows)))
    data = read_feature_log(log, b"1 0 b 1\n")

    assert data.doc_ids == ("a", "b", "a")
    assert data.judged.tolist() == [False, True, False]
    assert data.subset([1, 0]).judged.tolist() == [False, False, True]
    assert data.normalise().judged.tolist() == [False, True, False]


def test_a_log_is_known_by_its_name_or_its_beginning(tmp_path):
    path = tmp_path / "log.ndjson.gz"
    path.write_bytes(gzip.compress(LOGS["a list"]))
    (tmp_path / "qrels.txt").write_bytes(QRELS)
    by_name = read(path, judgements=tmp_path / "qrels.txt")
    by_content = read(LOGS["one text"], judgements=QRELS, name="standard input")

    assert by_name.fingerprint == by_content.fingerprint
    with pytest.raises(DataError, match="can be the label"):
        read(path, judgements=QRELS, label="grade")
    with pytest.raises(DataError, match="this is not a feature log"):
        read(TABLE, judgements=QRELS, name="a.csv")
    with pytest.raises(DataError, match="this is not a feature log"):
        read(b"1 qid:1 1:1\n", judgements=QRELS, name="a.txt")


GOOD = lines(responses(HITS)[0])
SHOP = b"qid,docid,label\n"
WORDS = (
    b'{"qid":1,"query":"x","id":"a","label":1,"[features]":"f=1"}\n'
    b'{"qid":1,"query":"y","id":"b","label":1,"[features]":"f=1"}\n'
)
BROKEN = {
    "no JSON": (GOOD + b"{'a': 1}\n", 2, 2, "This is not JSON"),
    "cut short": (json.dumps(BOTH, indent=1).encode()[:400], None, None, "not JSON"),
    "no features": (GOOD + b'{"_id": "a", "qid": 1}\n', 2, 1, "no logged features"),
    "a hit without": (
        GOOD + lines(responses([HITS[0], {"_id": "b"}], qid=3)[0]), 2, None,
        "no logged features"),
    "an answer that failed": (
        GOOD + b'{"error": {"reason": "no such index"}, "status": 404}\n', 2, 1,
        "answered with an error (no such index)"),
    "a word": (GOOD + b'"rambo"\n', 2, 1, "no logged features"),
    "a value that is a word": (
        b'{"qid":1,"_id":"a",\n"fields":{"_ltrlog":[{"m":[{"name":"f","value":"x"}]}]}}',
        2, 48, "'x' of feature 'f' is not a finite number"),
    "true": (
        b'{"qid":1,"_id":"a","fields":{"_ltrlog":[{"m":[{"name":"f","value":true}]}]}}',
        1, 67, "'True' of feature 'f'"),
    "NaN": (
        b'{"qid":1,"_id":"\xc3\xa9","fields":{"_ltrlog":[{"m":[{"name":"f","value":NaN}]}]}}',
        1, 68, "'nan' of feature 'f'"),
    "very many digits": (
        b'{"qid":1,"id":"a","[features]":"f=1","label":' + b"9" * 5000 + b"}", 1, 46,
        "is not a number"),
    "Solr's word": (
        b'{"qid":1,"id":"a","[features]":"f=x"}', 1, 32, "'x' of feature 'f'"),
    "Solr's underscore": (
        b'{"qid":1,"id":"a","[features]":"f=1_0"}', 1, 32, "'1_0' of feature 'f'"),
    "no equals sign": (
        b'{"qid":1,"id":"a","[features]":"f"}', 1, 32, "'f' is not a feature"),
    "no name": (
        b'{"qid":1,"_id":"a","fields":{"_ltrlog":[{"m":[{"value":1}]}]}}', 1, 47,
        "no name"),
    "an entry that is a number": (
        b'{"qid":1,"_id":"a","fields":{"_ltrlog":[{"m":1}]}}', 1, 46,
        "'m' is not a list of features"),
    "a log that is a number": (
        b'{"qid":1,"_id":"a","fields":{"_ltrlog":1}}', 1, 40, "not an object"),
    "a feature twice": (
        b'{"qid":1,"id":"a","[features]":"f=1,f=2"}', 1, 32, "'f' occurs twice"),
    "a document without query": (
        b'{"id":"a","[features]":"f=1"}', 1, 1, "the query it was"),
    "a document without id": (b'{"qid":1,"[features]":"f=1"}', 1, 1, "no id"),
    "half a character": (
        b'{"qid":"\\ud800","id":"a","[features]":"f=1"}', 1, 8, "neither text"),
    "no documents": (b'{"hits": {"hits": []}}', 1, 1, "no documents"),
    "nothing": (b"\n \n", 1, 1, "no documents"),
    "no features at all": (
        b'{"qid":1,"id":"a","label":1,"[features]":""}', 1, 1, "have no features"),
    "no labels": (b'{"qid":1,"id":"a","[features]":"f=1"}', None, None, "has a label"),
    "a label of half": (
        b'\n{"qid":1,"id":"a","label":0.5,"[features]":"f=1"}', 2, "label",
        "The label 0.5 is not a whole number"),
    "a document twice": (
        b'{"qid":1,"id":"a","label":1,"[features]":"f=1"}\n' * 2, 2, "document",
        "Document 'a' occurs twice"),
    "two texts of a query": (
        WORDS, 2, "text", "has another text here than in line 1"),
    "too deep": (b"[" * 10**6, 1, 1, "nested too deeply"),
    "UTF-16": ("{}".encode("utf-16"), 1, 1, "UTF-16"),
    "Latin-1": (b'{"a": "\xe9"}', 1, 8, "0xE9 is not text in UTF-8"),
    "NUL": (b'{"a": \0}', 1, 7, "not text"),
    "damaged gzip": (b"\x1f\x8brubbish", 1, 1, "damaged or cut short"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("log", "line", "column", "problem"), BROKEN.values(), ids=BROKEN
)
def test_a_broken_log_gets_place_problem_and_remedy(log, line, column, problem):
    error = refusal(read_feature_log, log, problem)
    assert (error.line, error.column) == (line or error.line, column or error.column)


JUDGED = {
    "no rows": (b"", "There are no", 1, 1),
    "too few words": (b"1 0 a 1\n1 0 b\n", "3 words, not 4", 2, 4),
    "too many words": (b"1 0 a 1\n1 0 b 1 x\n", "5 words, not 4", 2, 5),
    "a negative half": (b"1 0 a 1\n1 0 b -0.5\n", "'-0.5' is not a whole number", 2, 4),
    "a half": (SHOP + b"1,a,0.5\n", "'0.5' is not a whole number", 2, "label"),
    "too large": (SHOP + b"1,a,99\n", "'99' is above 31", 2, "label"),
    "endless": (SHOP + b"1,a,1e999\n", "'1e999' is above 31", 2, "label"),
    "a word": (SHOP + b"1,a,good\n", "'good' is not a whole", 2, "label"),
    "no document column": (
        b"qid,thing,label\n1,a,1\n", "no column 'document'", 1, None),
    "no document": (SHOP + b"1,,1\n", "The document is missing", 2, "document"),
    "no query": (SHOP + b",a,1\n", "The query is missing", 2, "query"),
    "two labels": (b"1 0 a 1\n1 0 a 2\n", "is judged 2 here, but 1 above", 2, 4),
    "uneven": (SHOP + b"1,a\n", "2 here, not 3", 2, "label"),
    "Parquet": (b"PAR1", "Parquet", 1, 1),
    "a word in the first of qrels": (
        b"1 0 a good\n1 0 b 0\n", "'good' of these TREC qrels is not a number", 1, 4),
    "a word after blank lines and tabs": (
        b"\n\n1\t0\ta\tgood\r\n", "'good' of these TREC qrels", 3, 4),
    "qrels with a header": (
        b"qid iter docid label\n1 0 a 1\n", "'label' of these TREC qrels", 1, 4),
    "a half in qrels": (b"1 0 a 0.5\n", "'0.5' is not a whole number", 1, 4),
}  # fmt: skip


@pytest.mark.parametrize("case", JUDGED)
def test_broken_judgements_get_place_problem_and_remedy(case):
    refusal(read_judgements, *JUDGED[case])


def test_a_table_of_four_columns_is_no_qrels():
    table = b"topic\titer\tdocno\trel\ny\t0\ta\t2\n"
    assert read_judgements(table) == {"y": {"a": 2}}
    words = b"query id\tdocument\tlabel\ny\ta\t2\n"
    assert read_judgements(words) == {"y": {"a": 2}}
    # Of qrels, "y" is a query, not the name of a column.
    assert read_judgements(b"y\t0\ta\t2\n") == {"y": {"a": 2}}
    assert read_judgements(b"y\t0\ta\t2.0\n") == {"y": {"a": 2}}


def test_judgements_of_other_queries_are_of_no_use():
    with pytest.raises(DataError, match="No document of the log is judged") as caught:
        read_feature_log(GOOD, b"rambo 0 7555 4\n")
    assert "'7555' for query 'rambo'" in caught.value.remedy


def test_limits():
    for limits, problem in [
        (Limits(rows=1), "more than 1 rows"),
        (Limits(features=1), "2 columns are too many"),
        (Limits(text=60), "more than 60 bytes"),
        (Limits(line=50), "longer than 50"),
        (Limits(cells=30), "too many numbers"),
    ]:
        with pytest.raises(DataError, match=problem):
            read_feature_log(GOOD, {"1": {"a": 1}}, limits=limits)
    with pytest.raises(DataError, match="more than 2 judgements"):
        read_judgements(QRELS, limits=Limits(rows=2))


names = st.sampled_from(["bm25", "age", "ctr", "é", "a b"])
numbers = st.one_of(
    st.integers(-5, 5), st.floats(-1e9, 1e9).map(lambda x: x + 0.0), st.none()
)
documents = st.dictionaries(st.sampled_from("abcd"), st.dictionaries(names, numbers))
searches = st.dictionaries(st.sampled_from(["1", "2", "q"]), documents, max_size=3)


def written(found, solr, indent):
    """A log of what was found: query → document → feature → value."""
    parts = []
    for query, of_query in found.items():
        if solr:
            docs = [
                solr_document(d, {f: v or 0 for f, v in features.items()}, label=1)
                for d, features in of_query.items()
            ]
            part = {"qid": query, "response": {"docs": docs}}
        else:
            hits = [hit(d, features, label=1) for d, features in of_query.items()]
            part = {"qid": query, "hits": {"hits": hits}}
        parts.append(json.dumps(part, indent=indent))
    return "\n".join(parts).encode()


@examples(40, 100, searches, st.booleans(), st.sampled_from([None, 1]))
def test_any_log_is_read(found, solr, indent):
    rows = [
        (query, document, features)
        for query, of_query in found.items()
        for document, features in of_query.items()
    ]
    order = list(dict.fromkeys(name for *_, features in rows for name in features))
    if not order:
        with pytest.raises(DataError):
            read_feature_log(written(found, solr, indent))
        return
    data = read_feature_log(written(found, solr, indent))
    table = data.to_frame()

    assert data.feature_names == tuple(order)
    assert data.X.tolist() == [
        [float(features.get(name) or 0) for name in order] for *_, features in rows
    ]
    assert list(zip(table["query"], table["document"], strict=True)) == [
        row[:2] for row in rows
    ]


telling = (
    *(b"{", b"}", b"[", b"]", b'"', b",", b":", b"\n", b"\\", b"=", b"1", b"null"),
    *(b"NaN", b"1e999", b"true", b'"label":0.5,', b'"qid":"",', b"\\ud800", b"\xff"),
    *(b"\0", b"{}", b'"fields":{"_ltrlog":', b'"[features]":"f=1"', b'"hits":'),
)
edits = edits_of(telling)


def is_json(content):
    """Whether it begins with JSON, as Python's own reader has it."""
    try:
        json.JSONDecoder().raw_decode(content.decode("utf-8-sig").lstrip())
    except ValueError:
        return False
    return True


def check_broken(content):
    """A data set, or a DataError that says everything."""
    labels = {"1": {"a": 1}, "q": {"b": 2}}
    result = outcome(read_feature_log, content, labels, name="f.json")
    if isinstance(result, DataError):
        assert result.file == "f.json"
        assert 1 <= (result.line or 1) <= content.count(b"\n") + 1
        assert not isinstance(result.column, int) or result.column >= 1
    else:
        assert is_json(content)
        assert result.n_judged >= 1
        assert len(result.fingerprint) == 32


@examples(
    40,
    150,
    searches,
    st.booleans(),
    st.sampled_from([None, 1]),
    st.lists(edits, max_size=5),
)
def test_broken_logs(found, solr, indent, versions):
    text = written(found, solr, indent)
    for version in versions:
        check_broken(damaged(text, version))
