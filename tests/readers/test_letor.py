"""What LETOR text means, and that it is read to the bit."""

import gzip
import io
import os
import subprocess
import sys
from itertools import chain

import numpy as np
import pytest
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file

from rankcore import DataError, load_partitions, read_letor
from rankcore.data.readers.converting import convert
from tests.soaking import examples


def original(data):
    queries = np.repeat(data.query_ids, data.lengths)
    return (
        data.original_order(data.X).tolist(),
        data.original_order(data.y).tolist(),
        data.original_order(queries).tolist(),
        data.original_order(np.array(data.doc_ids)).tolist(),
    )


def test_words_after_a_tab_are_texts(tmp_path):
    of_queries = b"""2 qid:1 1:7 # A-1\tblue mug
0 qid:1 1:2\t# A-2 \t blue mug
1 qid:2 1:3 # B-1\ttin\tpan
"""
    data = read_letor(of_queries)
    assert data.doc_ids == ("A-1", "A-2", "B-1")
    assert data.query_texts == ("blue mug", "tin\tpan")
    assert data.doc_texts is None

    of_documents = of_queries.replace(b"# A-2 \t blue mug", b"# A-2\tred mug")
    data = read_letor(of_documents)
    assert data.doc_ids == ("A-1", "A-2", "B-1")
    assert data.query_texts == ("", "tin\tpan")
    assert data.doc_texts == ("blue mug", "red mug", "")

    for number, text in enumerate((of_queries, of_documents, b"1 qid:1 1:2 # A\n")):
        (tmp_path / "file.txt").write_bytes(text)
        convert(tmp_path / "file.txt", tmp_path / str(number))
        again, data = load_partitions(tmp_path / str(number)), read_letor(text)
        assert again.doc_ids == data.doc_ids
        assert again.query_texts == data.query_texts
        assert again.doc_texts == data.doc_texts


def test_every_part_of_a_row():
    data = read_letor(
        b"2 qid:7 1:0.5 3:-1e-2 #docid = GX000-00 inc = 1 prob = 0.08\n"
        b"0 qid:b 2:4\n"
        b"1 qid:7 # any other comment \n"
    )
    assert data.query_ids == ("7", "b")
    assert data.doc_ids == ("GX000-00", "any other comment", "d1")
    assert data.y.tolist() == [2, 1, 0]
    assert data.X.tolist() == [[0.5, 0, -0.01], [0, 0, 0], [0, 4, 0]]
    assert data.rows.tolist() == [0, 2, 1]
    assert data.feature_names == ("f1", "f2", "f3")


def test_documents_without_comment_are_numbered_within_their_query():
    data = read_letor(b"0 qid:1 1:0\n0 qid:2 1:0 #x\n0 qid:1 1:0\n0 qid:2 1:0\n")
    assert data.doc_ids == ("d1", "d2", "x", "d2")


@pytest.mark.parametrize(
    "text",
    [
        b"1 qid:1 1:2\n",
        b"1 qid:1 1:2",
        b"1 qid:1 1:2\r\n",
        b"\xef\xbb\xbf1 qid:1 1:2\n",
        b"# made by hand\n\n  \t\n1 qid:1 1:2\n\n",
        b"+1.0\tqid:1\t\t1:+2. \t",
        b"1 qid:1 1:2#\n",
    ],
)
def test_harmless_differences_of_layout(text):
    assert original(read_letor(text)) == ([[2]], [1], ["1"], ["d1"])


@pytest.mark.parametrize(
    "number",
    [
        "0", "-0", "7", "10", "-3", "+3", "0.5", ".5", "5.", "-0.25", "1e5", "1E-5",
        "1.0000001", "12345678", "1234567.1234567", "0.1234567", "0.12345678",
        "123456789012345", "9007199254740993", "0.1234567890123456789", "1e22", "1e23",
        "1e-22", "1e-23", "1.7976931348623157e308", "5e-324", "2e-324", "1e-400",
        "0000000000000000000000001", "0.00000000000000000000001", "0e999999999",
        "3.141592653589793238462643383279", "22.076928", "-37.330565",
    ],
)  # fmt: skip
def test_numbers_equal_python_floats(number):
    """In a position for each of the parser's ways of reading."""
    text = f"0 qid:1 1:{number} 2:{number} 4:{number} 5:{number}#\n".encode()
    (row,) = read_letor(text).X.tolist()
    assert row == [float(number)] * 2 + [0.0] + [float(number)] * 2
    assert not np.signbit(row).any() or float(number) < 0


numerals = st.one_of(
    st.integers(-(10**6), 10**6).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(0, 1).map("{:.6f}".format),
    st.floats(-99, 99).map("{:.6f}".format),
    st.floats(-1, 1).map("{:.17g}".format),
    st.floats(1e-9, 1e-5).map("{:.3e}".format),
    st.tuples(st.integers(0, 10**25), st.integers(-40, 40)).map("{0[0]}e{0[1]}".format),
)
rows = st.tuples(
    st.integers(0, 4), st.integers(0, 3), st.dictionaries(st.integers(1, 12), numerals)
)


@examples(80, 300, st.lists(rows, min_size=1, max_size=20))
def test_equal_to_scikit_learn_to_the_bit(rows):
    lines = [
        f"{label} qid:{query} " + " ".join(f"{i}:{v}" for i, v in sorted(x.items()))
        for label, query, x in rows
    ]
    n_features = max(chain([1], *(x for _, _, x in rows)))
    text = "\n".join(lines).encode()
    X, y, qid = load_svmlight_file(
        io.BytesIO(text), n_features=n_features, query_id=True, zero_based=False
    )
    ours, labels, queries, _ = original(read_letor(text))
    assert np.array(ours).tobytes() == X.toarray().tobytes()
    assert labels == y.tolist()
    assert queries == qid.astype(str).tolist()


def test_more_long_numbers_than_fit_the_list_of_those_left_over(monkeypatch):
    monkeypatch.setattr("rankcore.data.formats.letor.LEFT_OVER", 4)
    from rankcore.data.readers import Limits

    numbers = np.random.default_rng(0).random((30, 3))
    text = "\n".join(
        f"0 qid:{i // 4} " + " ".join(f"{j + 1}:{x!r}" for j, x in enumerate(row))
        for i, row in enumerate(numbers.tolist())
    )
    data = read_letor(text.encode(), limits=Limits(features=4))
    assert data.X.tolist() == numbers.tolist()


def test_features_that_only_late_rows_have():
    early = b"".join(b"0 qid:1 1:%d\n" % i for i in range(500))
    data = read_letor(early + b"1 qid:1 1:3 9:1.5\n1 qid:2 20:1\n")
    assert data.n_features == 20
    assert data.X[:500, 0].tolist() == list(range(500))
    assert np.flatnonzero(data.X[500:]).tolist() == [0, 8, 39]
    assert not data.X[:500, 1:].any()


def test_width_can_be_given():
    assert read_letor(b"0 qid:1 1:1\n", n_features=3).X.tolist() == [[1, 0, 0]]
    names = ("bm25", "length")
    assert read_letor(b"0 qid:1 1:1\n", feature_names=names).feature_names == names


def test_sources(tmp_path):
    text = b"1 qid:1 1:2 #a\n0 qid:1 1:3 #b\n"
    expected = read_letor(text).fingerprint
    plain, packed = tmp_path / "train.txt", tmp_path / "vali.txt.gz"
    plain.write_bytes(text)
    packed.write_bytes(gzip.compress(text[:15]) + gzip.compress(text[15:]) + bytes(4))
    upload = io.BytesIO(text)
    upload.name = "my data.txt"
    sources = (plain, str(packed), bytearray(text), upload, gzip.compress(text))
    values = [read_letor(source) for source in sources]
    assert {data.fingerprint for data in values} == {expected}
    assert [data.name for data in values[:2]] == ["train", "vali"]
    assert values[3].name == "my data"
    assert read_letor(text, name="given.txt").name == "given"


def test_large_labels_need_the_linear_gain():
    assert read_letor(b"32 qid:1 1:0", gain="linear").y.tolist() == [32]


def test_comments_in_latin_1():
    data = read_letor("0 qid:ä 1:0 #ö".encode("latin-1"))
    assert (data.query_ids, data.doc_ids) == (("ä",), ("ö",))


def test_without_compilation(tmp_path):
    """The kernels are Python as well, and warn of nothing."""
    code = """
import numpy as np
from rankcore import DataError, load_partitions, read_letor
from rankcore.data.readers.converting import convert
text = b"2 qid:7 1:0.5 2:-12.25 3:7 5:1e-7 #docid = a b\\n0 qid:7 1:0.123456 #c\\n"
text += b"1 qid:8 1:12345678901234567890 2:1234567 3:0.1234567\\n"
data = read_letor(text)
assert data.X.tolist() == [
    [0.5, -12.25, 7, 0, 1e-7], [0.123456, 0, 0, 0, 0],
    [12345678901234567890.0, 1234567, 0.1234567, 0, 0],
]
assert data.doc_ids == ("a", "c", "d1")
"""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    subprocess.run(
        [sys.executable, "-W", "error", "-c", code], check=True, env=environment
    )


def test_blocks_leave_no_trace(monkeypatch):
    """Comments, blank lines, wider rows and long numbers come in many small blocks."""
    rng = np.random.default_rng(1)
    lines, expected = [], []
    for row in range(900):
        width = 2 + row // 300
        if row % 7 == 0:
            lines.append("# a comment" if row % 2 else "")
        values = rng.random(width) if row % 5 else rng.integers(0, 9, width)
        features = " ".join(f"{j}:{v!r}" for j, v in enumerate(values.tolist(), 1))
        lines.append(f"{row % 3} qid:{row // 9} {features} # doc {row}")
        expected.append(np.pad(values, (0, 4 - width)).tolist())
    text = "\n".join(lines).encode()
    monkeypatch.setattr("rankcore.data.formats.parts.source.BLOCK", 700)

    data = read_letor(text)
    assert data.X.tolist() == expected
    assert data.y.tolist() == [row % 3 for row in range(900)]
    assert data.doc_ids == tuple(f"doc {row}" for row in range(900))


def test_the_first_problem_of_the_file_is_told(monkeypatch):
    monkeypatch.setattr("rankcore.data.formats.parts.source.BLOCK", 40)
    good, bad = b"1 qid:1 1:1\n", b"1 qid:1 1:x\n"
    for place in range(0, 60, 7):
        lines = [good] * 60 + [bad] * 20
        lines[place] = bad
        with pytest.raises(DataError) as caught:
            read_letor(b"".join(lines))
        assert caught.value.line == place + 1
