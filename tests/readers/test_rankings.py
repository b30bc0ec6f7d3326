"""Runs of any ranker: read in all forms, refused with a sentence, broken by chance."""

import gzip
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import strategies as st

from rankcore import DataError
from rankcore.data.rankings import Rankings, forms, read_rankings
from rankcore.data.readers import Limits
from tests.damage import damaged, edits_of
from tests.readers.samples import refusal
from tests.readers.test_feature_log import examples, outcome

WANTED = {"mug": {"A": 9.5, "B": 7.0}, "pan": {"A": 3.0}}
FORMS = {
    "TREC": "mug Q0 A 1 9.5 bm25\nmug Q0 B 2 7 bm25\npan Q0 A 1 3e0 bm25\n",
    "TREC, not adjacent": "mug Q0 A 1 9.5 x\npan Q0 A 1 3 x\nmug Q0 B 2 7 x",
    "TREC with tabs, comments and line ends of Windows": (
        "# mine\r\n\r\nmug\tQ0\tA\t1\t9.5\tx\r\n mug Q0 B 2 7.0 x more\r\n"
        "pan 0 A 1 3 x\r\n"
    ),
    "CSV": "query,docid,score\nmug,A,9.5\nmug,B,7\npan,A,3\n",
    "CSV with more columns": "q;rank;doc;sim\nmug;1;A;9.5\nmug;2;B;7\npan;1;A;3\n",
    "JSON": '{"mug": {"A": 9.5, "B": 7}, "pan": {"A": 3}}',
    "JSON over lines": '{\n"mug": {"A": 9.5,\n "B": 7},\n"pan": {"A": 3}\n}\n',
    "a query a line": '{"mug": {"A": 9.5, "B": 7}}\n{"pan": {"A": 3}}\n',
    "an object a line": (
        '{"query": "mug", "id": "A", "score": 9.5}\n'
        '{"query": "mug", "id": "B", "score": 7}\n{"qid": "pan", "doc": "A", "sim": 3}'
    ),
    "an array of objects": (
        '[{"query": "mug", "id": "A", "score": 9.5, "rank": 1},\n'
        '{"query": "mug", "id": "B", "score": 7}, {"query": "pan", "id": "A", '
        '"score": 3}]'
    ),
}


def nested(run: Rankings):
    bounds = zip(run.query_ids, run.offsets, run.offsets[1:], strict=False)
    return {
        query: dict(
            zip(run.doc_ids[begin:end], run.scores[begin:end].tolist(), strict=True)
        )
        for query, begin, end in bounds
    }


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_every_form_is_read(text, mark):
    run = read_rankings(mark + text.encode(), name="run.txt")
    assert nested(run) == WANTED
    assert run.name == "run"
    assert nested(read_rankings(gzip.compress(mark + text.encode()))) == WANTED


def test_a_rank_orders_documents_without_a_score():
    run = read_rankings(b"query,document,position\nmug,A,1\nmug,B,2\n")
    assert nested(run) == {"mug": {"A": -1.0, "B": -2.0}}


def test_scores_are_read_to_the_nearest_float():
    texts = ["0.1", "1e-300", "123456789012345678901", "-2.2250738585072011e-308",
             "0.30000000000000004", "1E5", "+7", "9007199254740993"]  # fmt: skip
    lines = [f"q Q0 d{n} 0 {text} t\n" for n, text in enumerate(texts)]
    run = read_rankings("".join(lines).encode())
    assert run.scores.tolist() == list(map(float, texts))


def test_documents_of_many_lengths_are_told_apart():
    names = ["x" * n for n in range(1, 40)] + ["x" * n + "y" for n in range(39)]
    lines = [f"q{query} Q0 {name} 0 1 t\n" for query in range(3) for name in names]
    run = read_rankings("".join(lines).encode())
    assert run.doc_ids == tuple(names) * 3
    twice = [*lines, f"q1 Q0 {names[7]} 0 1 t\n"]
    with pytest.raises(DataError, match=f"is in line {len(names) + 8} and here"):
        read_rankings("".join(twice).encode())


def test_kernels_run_without_compilation():
    names = ", ".join(repr(name) for name in ("AP", "RBP", "Bpref", "R@5", "Judged"))
    code = (
        "from rankcore.data.rankings import read_rankings;"
        "from rankcore.measures import evaluate_run;"
        "run = read_rankings(b'q Q0 a-long-document 1 2 x\\n'"
        "b'q Q0 b 2 0.12345678901234567890 x\\n');"
        "judged = {'q': {'b': 1, 'c': 1, 'a-long-document': 0}};"
        f"table = evaluate_run(run, judged, [{names}], 'trec');"
        "print(table.loc['q'].tolist());"
        "from rankcore.data.clicks import read_clicks;"
        "log = read_clicks(b'query,session,document,position,clicked\\n' + b''.join("
        "b'q,%d,a-long-document%d,1,0\\n' % (n % 12, n % 12) for n in range(12)));"
        "assert log.session.tolist() == log.document.tolist() == list(range(12))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", code],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    expected = [1 / 2 / 2, 0.2 * 0.8, (1 - 1) / 2, 1 / 2, 1.0]
    assert json.loads(done.stdout) == pytest.approx(expected)


FAULTS = {
    "a document twice": ("m Q0 A 1 9 x\np Q0 A 1 1 x\nm Q0 A 2 8 x\n",
                         "'A' of query 'm' is in line 1 and here", 3, 3),
    "too few words": ("m Q0 A 1 9 x\n\nm Q0 B 2 8\n", "5 words, not 6", 3, 6),
    "a word for a score": ("m Q0 A 1 high x\n", "'high' is not a finite", 1, 5),
    "no number": ("m Q0 A 1 9 x\nm Q0 B 1 NaN x\n", "'NaN' is not a finite", 2, 5),
    "too large": ("m Q0 A 1 9 x\nm Q0 B 1 1e999 x\n", "'1e999' is not", 2, 5),
    "line ends of old": ("m Q0 A 1 9 x\rm Q0 B 2 8 x\r", "carriage return", 1, 13),
    "in a comment": ("m Q0 A 1 9 x\n# a\rb\n", "carriage return", 2, 4),
    "no text": ("m Q0 A\x01 1 9 x\n", "bytes that are not text", 1, 7),
    "zeros": ("m Q0 A 1 9 x\nm Q0 B\0 1 9 x\n", "bytes that are not text", 2, 7),
    "not UTF-8": (b"m Q0 A 1 9 x\nm Q0 \xe9 1 9 x\n", "0xE9 is not text", 2, 6),
    "empty": ("", "There are no rows", 1, 1),
    "comments only": ("# m Q0 A 1 9 x\n", "There are no rows", 1, 1),
    "Parquet": (b"PAR1\0\0PAR1", "format of these rankings is unknown", 1, 1),
    "CSV without a score": ("query,docid\nm,A\n", "no column 'score'", 1, None),
    "CSV, a word": ("query,docid,score\nm,A,x\n", "'x' is not a finite", 2, "score"),
    "CSV, a rank": ("query,docid,rank\nm,A,x\n", "The rank 'x'", 2, "rank"),
    "CSV, no document": ("query,docid,score\nm,,1\n", "document is missing", 2,
                         "document"),
    "CSV, too long": ("query,docid,score\nm,A,1,2\n", "4 here, not 3", 2, None),
    "CSV, twice": ("query,docid,score\nm,A,1\nm,A,1\n", "in line 2 and here", 3,
                   "document"),
    "JSON, a word": ('{"m": {"A": "x"}}', "'x' is not a finite", 1, 13),
    "JSON, true": ('[{"query": "m", "id": "A", "score": true}]', "'True'", 1, 37),
    "JSON, no query": ('{"id": "A", "score": 1}', "has no query", 1, 1),
    "JSON, no object": ("[1]", "This is not a JSON object", 1, 2),
    "JSON, a list for a document": ('{"query": "m", "id": [], "score": 1}',
                                    "'list' is neither text nor a number", 1, 22),
    "JSON, cut short": ('{"m": {"A": 1}}\n{"m": ', "not JSON", 2, 7),
    "JSON, a document's key twice": ('{"m": {"A": 1, "A": 2}}',
                                     "'A' of query 'm' is in this line twice", 1,
                                     "document"),
    "JSON, a document twice": ('{"m": {"A": 1,\n"B": 1,\n"A": 2}}',
                               "'A' of query 'm' is in line 1 and here", 3, "document"),
    "JSON, no scores": ('{"m": {"A": 1}, "n": 2}', "has no query", 1, 1),
    "JSON, no scores of many": ('{"m": {"A": 1},' + " " * 2**13 + '"n": 2}',
                                "'n' has no object of scores", 1, 8213),
    "JSON, a comma too many": ('{"m": {"A": 1,}}', "not JSON (Expecting property", 1,
                               15),
    "JSON, no comma": ('{"m": {"A": 1 "B": 2}}', "not JSON (Expecting ','", 1, 15),
    "JSON, no colon": ('{"m": {"A" 1}}', "not JSON (Expecting ':'", 1, 12),
    "JSON, an array cut short": ('[{"query": "m", "id": 1, "score": 1}', "not JSON", 1,
                                 37),
    "JSON, a query's key twice": ('{"m": {"A": 1}, "m": {"B": 2}}', "'m' occurs twice",
                                  1, 17),
    "JSON, a score's key twice": ('[{"query": "m", "id": "A", "score": 1, "score": 2}]',
                                  "'score' occurs twice", 1, 2),
    "JSON, no text": ('{"m": {"\\ud800": 1}}', "'\\ud800' is not a name", 1, 8),
    "JSON, no text for a query": ('{"\\ud800": {"A": 1}}', "is not a name", 1, 2),
    "JSON, half a letter": ('{"query": "m", "id": "\\udc00", "score": 1}',
                            "'\\udc00' is not a name", 1, 22),
    "JSON, empty names": ('{"m": {"": 1}}', "'' is not a name", 1, 8),
    "digits of other scripts": ("m Q0 A 1 \uff11 x\n", "'\uff11' is not a finite", 1,
                                5),
    "JSON, twice": ('{"m": {"A": 1}}\n{"m": {"A": 2}}\n', "in line 1 and here", 2,
                    "document"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "problem", "line", "column"), FAULTS.values(),
                         ids=FAULTS)  # fmt: skip
def test_what_is_wrong_has_its_place(text, problem, line, column):
    content = text if isinstance(text, bytes) else text.encode()
    error = refusal(read_rankings, content, problem)
    assert (error.line, error.column) == (line, column or error.column)


def test_limits():
    run = FORMS["TREC"].encode()
    with pytest.raises(DataError, match="more than 2 rows"):
        read_rankings(run, limits=Limits(rows=2))
    with pytest.raises(DataError, match="more than 2 rows"):
        read_rankings(FORMS["CSV"].encode(), limits=Limits(rows=2))
    with pytest.raises(DataError, match="take more than 2 bytes"):
        read_rankings(FORMS["CSV"].encode(), limits=Limits(text=2))
    with pytest.raises(DataError, match="larger than 20 bytes"):
        read_rankings(run, limits=Limits(size=20))
    assert nested(read_rankings(run, limits=Limits(text=300))) == WANTED
    with pytest.raises(DataError, match="take more than 100 bytes"):
        read_rankings(run, limits=Limits(text=100))
    queries = json.dumps({f"q{i}": {} for i in range(9)}).encode()
    with pytest.raises(DataError, match="take more than 300 bytes"):
        read_rankings(queries, limits=Limits(text=300))


def test_long_values_of_json():
    """Values are decoded in growing parts, up to the longest that a line may have."""
    more = '"note": "' + "x" * 9000 + '"'
    long = '[{"query": "mug", "id": "A", "score": 9.5, ' + more + "}]"
    assert nested(read_rankings(long.encode())) == {"mug": {"A": 9.5}}
    for text in (
        "[" + long,
        "[\n{" + " " * 5000 + more + "}]",
        "{" + "\n" * 5000 + more + "}",
        '{"mug": {"A": [' + "1," * 5000 + "1]}}",
    ):
        with pytest.raises(DataError, match="longer than 2000 characters"):
            read_rankings(text.encode(), limits=Limits(line=2000))
    with pytest.raises(DataError, match="is not JSON") as caught:
        read_rankings(b"[{x" + b" " * 9000, name="a", limits=Limits(line=2000))
    assert caught.value.column == 3


def test_rows_in_several_parts_of_a_run(monkeypatch):
    monkeypatch.setattr("rankcore.data.rankings.trec_run._LINES", 1)
    monkeypatch.setattr("rankcore.data.formats.parts.source.BLOCK", 16)
    for text in FORMS.values():
        assert nested(read_rankings(text.encode())) == WANTED
    with pytest.raises(DataError, match="in line 1 and here") as caught:
        read_rankings(b"m Q0 A 1 9 x\nm Q0 B 1 8 x\nm Q0 A 1 7 x\n")
    assert caught.value.line == 3
    assert [form.order for form in forms()] == sorted(form.order for form in forms())


NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=6)


@examples(
    40, 300,
    st.dictionaries(NAMES, st.dictionaries(NAMES, st.floats(-1e30, 1e30), min_size=1),
                    min_size=1),
    st.sampled_from([None, 0, 2]),
    st.booleans(),
    st.sampled_from(["one object", "a query a line", "objects", "an array"]),
    st.integers(1, 40),
)  # fmt: skip
def test_json_is_read_wherever_blocks_end(rankings, indent, escaped, form, size):
    def text(value):
        return json.dumps(value, indent=indent, ensure_ascii=escaped)

    rows = [
        {"query": query, "id": document, "score": score}
        for query, result in rankings.items()
        for document, score in result.items()
    ]
    content = {
        "one object": lambda: text(rankings),
        "a query a line": lambda: "\n".join(text({q: d}) for q, d in rankings.items()),
        "objects": lambda: "\n".join(map(text, rows)),
        "an array": lambda: text(rows),
    }[form]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rankcore.data.formats.parts.source.BLOCK", size)
        patch.setattr("rankcore.data.rankings.json_form._SHORT", size)
        assert nested(read_rankings(content.encode())) == rankings


EDITS = edits_of(
    [b"\n", b" ", b"\t", b"\r", b"#", b",", b'"', b"{", b"}", b"0", b"e", b".",
     b"-", b"nan", b"\0", b"\xff", b"A", b"mug", b"Q0"]
)  # fmt: skip


def naive(content):
    """Read a TREC run word by word; None where a row is not one."""
    rows = {}
    for line in content.decode().split("\n"):
        words = line.removesuffix("\r").replace("\t", " ").split(" ")
        words = [word for word in words if word]
        if not words or words[0].startswith("#"):
            continue
        if len(words) < 6 or words[2] in rows.setdefault(words[0], {}):
            return None
        rows[words[0]][words[2]] = float(words[4])
    return rows


def check(content):
    """Return rankings; or check problem, remedy and place of the DataError."""
    result = outcome(read_rankings, content, name="f")
    if isinstance(result, DataError):
        assert result.problem
        assert result.remedy
        assert result.file == "f"
        assert 1 <= (result.line or 1) <= content.count(b"\n") + 1
        assert not isinstance(result.column, int) or result.column >= 1
        return None
    assert len(result.scores) == len(result.documents) == result.offsets[-1] > 0
    assert np.isfinite(result.scores).all()
    assert len(set(result.query_ids)) == len(result.query_ids)
    assert all(len(item) for item in nested(result).values())
    return result


@examples(60, 300, st.sampled_from(list(FORMS)), st.lists(EDITS, max_size=5))
def test_broken_runs(form, versions):
    text = FORMS[form].encode()
    for version in versions:
        content = damaged(text, version)
        result = check(content)
        if result is not None and form.startswith("TREC") and b"Q0" in content[:30]:
            assert content.startswith(b"\xef") or nested(result) == naive(content)


words = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]),
                min_size=1).filter(lambda word: not word.startswith("#"))  # fmt: skip


SCORES = st.dictionaries(words, st.floats(-1e30, 1e30), min_size=1)


@examples(30, 200, st.dictionaries(words, SCORES, min_size=1), st.randoms())
def test_any_run_is_read(rankings, random):
    rows = [
        (f"q{q}", d, s) for q, result in rankings.items() for d, s in result.items()
    ]
    random.shuffle(rows)
    text = "".join(f"{q} Q0 {d} 1 {s!r} t\n" for q, d, s in rows)
    expected = {f"q{query}": result for query, result in rankings.items()}
    assert nested(read_rankings(text.encode())) == expected
