"""A bad file gets file, line, column, problem and remedy, whatever is wrong with it."""

import gzip
import io
import zlib

import numpy as np
import pytest
from hypothesis import strategies as st

from rankcore import DataError, read_letor
from rankcore.data.readers import Limits
from tests.damage import damaged, edits_of
from tests.readers import naive_letor
from tests.readers.samples import refusal
from tests.soaking import examples

GOOD = b"2 qid:1 1:0.5 3:1 #docid = a\n"

CASES = {
    "wrong token": (GOOD + b"1 qid:1 1:2 bad\n", 2, 13, "'bad' is not a feature"),
    "value that is no number": (GOOD + b"1 qid:1 3:x\n", 2, 9, "'x' of feature 3"),
    "no value": (GOOD + b"1 qid:1 1: 2:1\n", 2, 9, "'' of feature 1"),
    "repeated index": (b"1 qid:1 2:1 2:1\n", 1, 13, "Feature 2 occurs twice"),
    "huge index": (GOOD + b"1 qid:1 99999999999:1\n", 2, 9, "above 100000"),
    "negative index": (b"1 qid:1 -1:1\n", 1, 9, "'-1:1' is not a feature"),
    "fractional label": (b"1.5 qid:1 1:1\n", 1, 1, "label '1.5'"),
    "negative half": (GOOD + b"-1.5 qid:1 1:1\n", 2, 1, "label '-1.5'"),
    "word as label": (b"good qid:1 1:1\n", 1, 1, "label 'good'"),
    "label above 31": (b"0 qid:1 1:1\n32 qid:1 1:1\n", 2, 1, "label 32 is above 31"),
    "NaN": (GOOD + b"1 qid:1 1:NaN\n", 2, 9, "'NaN' of feature 1 is not a finite"),
    "infinity": (b"1 qid:1 1:0 2:-inf\n", 1, 13, "'-inf' of feature 2"),
    "overflow": (b"1 qid:1 1:1e400\n", 1, 11, "'1e400' is too large"),
    "missing qid": (GOOD + b"1 1:0.5\n", 2, 3, "'1:0.5' instead of the query id"),
    "judgements": (b"mug 0 A 2\nmug 0 B 0\n", 1, 1, "in TREC qrels format, which"),
    "judgements of numbers": (b"1 0 A-1 2\n", 1, 3, "in TREC qrels format, which"),
    "ranking": (b"1 Q0 A-1 1 9.5 new\n", 1, 3, "in TREC run format, which"),
    "label only": (GOOD + b"1\n", 2, 2, "query id is missing"),
    "empty qid": (b"1 qid: 1:1\n", 1, 3, "query id is empty"),
    "empty file": (b"", 1, 1, "no rows"),
    "comments only": (b"# nothing\n\n", 1, 1, "no rows"),
    "NUL": (GOOD + b"1 qid:1 1:1 # \0\n", 2, 15, "not text"),
    "UTF-16": ("1 qid:1 1:1\n".encode("utf-16"), 1, 1, "not text"),
    "picture": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), 1, 1, "not text"),
    "stray carriage return": (b"1 qid:1 1:1 \r 2:1\n", 1, 13, "carriage return"),
    "damaged gzip": (b"\x1f\x8brubbish", 1, 1, "damaged or cut short"),
    "same document twice": (
        GOOD + b"1 qid:2 1:1 #docid = a\n0 qid:1 1:0 #docid = a\n", 3, 22,
        "Document 'a' occurs twice in query '1'",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "line", "column", "problem"), CASES.values(), ids=CASES
)
def test_place_problem_and_remedy(text, line, column, problem):
    error = refusal(read_letor, text, problem, line, column)
    assert f"broken, line {line}, column {column}" in str(error)


@pytest.mark.parametrize("kept", [1, 5, 12, 300, -9, -1])
def test_truncated_gzip(kept, tmp_path):
    lines = [b"1 qid:%d 1:%d\n" % (i, i * i) for i in range(2000)]
    path = tmp_path / "train.txt.gz"
    path.write_bytes(gzip.compress(b"".join(lines))[:kept])
    with pytest.raises(DataError) as caught:
        read_letor(path)
    assert caught.value.file == str(path)
    assert caught.value.line >= 1
    if kept < -1 or kept > 100:
        assert "cut short" in caught.value.problem


def test_place_in_a_truncated_gzip():
    whole = b"".join(b"1 qid:1 1:%d #%d\n" % (i % 7, i) for i in range(9000))
    compressed = gzip.compress(whole)
    complete = zlib.decompressobj(31).decompress(compressed[:-20]).count(b"\n")
    with pytest.raises(DataError) as caught:
        read_letor(compressed[:-20])
    assert caught.value.line == complete + 1


class Endless(io.RawIOBase):
    """A stream without end that counts what was taken from it."""

    def __init__(self, start, more):
        self.start, self.more, self.taken = start, more, 0

    def read(self, size=-1):
        block = self.start or self.more * (size // len(self.more))
        self.start = b""
        self.taken += len(block)
        return block


def test_an_endless_line_is_never_read_whole():
    stream = Endless(GOOD, b"1 ")
    with pytest.raises(DataError, match="longer than 100000 bytes") as caught:
        read_letor(stream, limits=Limits(line=100_000))
    assert (caught.value.line, caught.value.column) == (2, 1)
    assert stream.taken < 500_000


def test_a_compressed_endless_line_is_never_expanded():
    bomb = gzip.compress(bytes(50 * 10**6).replace(b"\0", b"1"))
    with pytest.raises(DataError, match="longer than 1000 bytes"):
        read_letor(bomb, limits=Limits(line=1000))


def test_a_line_that_looks_like_parquet_is_no_exception():
    stream = Endless(b"PAR1", b"1 ")
    with pytest.raises(DataError, match="longer than 1000 bytes"):
        read_letor(stream, limits=Limits(line=1000))


def test_a_disk_that_fails():
    class Failing(io.RawIOBase):
        def read(self, size=-1):
            raise OSError(5, "Input/output error")

    with pytest.raises(DataError, match=r"Reading fails \(Input/output error\)"):
        read_letor(Failing())


def test_an_endless_file_is_never_read_whole():
    stream = Endless(b"", GOOD)
    with pytest.raises(DataError, match="larger than 1000000 bytes") as caught:
        read_letor(stream, limits=Limits(size=10**6))
    assert 1 < caught.value.line <= 10**6 // len(GOOD)
    assert stream.taken < 3 * 10**6


def test_limits_of_rows_features_and_numbers():
    assert read_letor(b"1 qid:1 1:1\n" * 3, limits=Limits(rows=3)).n_documents == 3
    for text in (b"1 qid:1 1:1\n" * 4, b"1 qid:1 1:1\n" * 3 + b"1 qid:1"):
        with pytest.raises(DataError, match="more than 3 rows") as caught:
            read_letor(text, limits=Limits(rows=3))
        assert caught.value.line == 4
    with pytest.raises(DataError, match="above 9") as caught:
        read_letor(GOOD + b"1 qid:1 2:1 10:1\n", limits=Limits(features=9))
    assert (caught.value.line, caught.value.column) == (2, 13)
    with pytest.raises(DataError, match="too many numbers"):
        read_letor(b"1 qid:1 4:1 # a\n1 qid:1 4:1\n", limits=Limits(cells=7))


def test_places_beyond_the_first_block(monkeypatch):
    """Blocks of lines are parsed one by one; problems are counted from the start."""
    monkeypatch.setattr("rankcore.data.formats.parts.source.BLOCK", 100)
    lines = [b"1 qid:%d 1:%d # doc %d\n" % (i // 7, i, i) for i in range(300)]
    data = read_letor(b"".join(lines))
    assert data.X[:, 0].tolist() == list(range(300))
    assert data.doc_ids == tuple(f"doc {i}" for i in range(300))
    assert data.query_ids == tuple(str(i) for i in range(-(-300 // 7)))
    for line, column, bad in [
        (250, 14, b"1 qid:35 7:1 x\n"),
        (250, 14, b"1 qid:0 1:1 #doc 1\n"),
        (250, 12, b"1 qid:35 1:1e999\n"),
        (250, 10, b"1 qid:35 200000:1\n"),
    ]:
        with pytest.raises(DataError) as caught:
            read_letor(b"".join(lines[:249]) + bad)
        assert (caught.value.line, caught.value.column) == (line, column)


def test_no_more_features_than_asked_for():
    with pytest.raises(DataError, match="Feature 3 is above 2"):
        read_letor(GOOD, n_features=2)


def test_files_that_cannot_be_opened(tmp_path):
    for source, problem in [
        (tmp_path / "none.txt", "no such file"),
        (tmp_path, "is a folder"),
        ("a\0b", "cannot be opened"),
    ]:
        with pytest.raises(DataError, match=problem) as caught:
            read_letor(source)
        assert caught.value.file == str(source)


numbers = st.sampled_from(["0", "1", "0.25", "-3.5", "1e-7", "0.123456", "12.345678"])
good_rows = st.builds(
    lambda label, query, values, comment: (
        f"{label} qid:{query} "
        + " ".join(f"{i}:{v}" for i, v in sorted(values.items()))
        + comment
    ),
    st.integers(0, 4),
    st.sampled_from(["1", "2", "q"]),
    st.dictionaries(st.integers(1, 6), numbers),
    st.sampled_from(["", "", " #docid = GX", " # remark", "\r"]),
)
good_files = st.lists(good_rows, min_size=1, max_size=8).map("\n".join)
telling = (
    *(b" ", b"\t", b"\n", b"\r", b"#", b":", b"-", b"+", b".", b"e", b"0", b"9"),
    *(b"qid:", b"nan", b"inf", b"1e999", b"12345678901234567890", b"3:1", b"0:1"),
    *(b" 70:1", b"32 ", b"docid =", b"\0", b"\xff", b"\xef\xbb\xbf", "é".encode()),
)
edits = edits_of(telling, most=4, least=0)


def outcome(function, *arguments, **options):
    """Return what a function returns, or the ValueError it raises."""
    try:
        return function(*arguments, **options)
    except ValueError as error:
        return error


def check(content):
    """Compare with the oracle: the same rows, or a DataError that says everything."""
    expected = outcome(naive_letor.read, content)
    data = outcome(read_letor, content, name="fuzz.txt")
    if isinstance(expected, ValueError):
        assert isinstance(data, DataError)
        assert data.file == "fuzz.txt"
        assert 1 <= data.line <= content.count(b"\n") + 1
        assert data.column >= 1
        assert data.problem
        assert data.remedy
    else:
        assert not isinstance(data, ValueError), str(data)
        check_rows(data, expected)


def check_rows(data, expected):
    X = data.original_order(data.X)
    queries = np.repeat(np.array(data.query_ids, dtype=object), data.lengths)
    documents = np.array(data.doc_ids, dtype=object)
    assert data.original_order(data.y).tolist() == [row.label for row in expected]
    assert data.original_order(queries).tolist() == [row.query for row in expected]
    assert data.original_order(documents).tolist() == [r.document for r in expected]
    for x, row in zip(X, expected, strict=True):
        values = [row.features.get(int(f[1:]), 0.0) for f in data.feature_names]
        assert x.tolist() == values


@examples(80, 400, good_files, st.lists(edits, min_size=5, max_size=5))
def test_thousands_of_broken_files(text, versions):
    for edits in versions:
        check(damaged(text.encode(), edits))


@examples(100, 500, st.binary(max_size=200))
def test_binary_rubbish(content):
    if not content.startswith(b"\x1f\x8b"):
        check(content)


@examples(60, 300, good_files, st.data())
def test_damaged_gzip(text, data):
    """Whatever byte is wrong or missing: the same data, or a DataError."""
    whole = outcome(read_letor, text.encode())
    compressed = bytearray(gzip.compress(text.encode(), mtime=0))
    position = data.draw(st.integers(2, len(compressed) - 1))
    if data.draw(st.booleans()):
        del compressed[position:]
    else:
        compressed[position] ^= data.draw(st.integers(1, 255))
    read = outcome(read_letor, compressed)
    if isinstance(read, ValueError):
        assert isinstance(read, DataError)
        assert read.line >= 1
    else:
        # Only the header can change without notice: it has no check sum.
        assert read.fingerprint == whole.fingerprint
