"""Files as people have them: read where their meaning is clear, and said what of."""

import gzip
import itertools
import json
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import dump_svmlight_file

from rankcore import (
    DataError,
    DataWarning,
    load_partitions,
    read_letor,
    read_table,
)
from rankcore.base.errors import MissingValueError, gathered_warnings
from rankcore.data.formats.parts import part_sizes
from rankcore.data.formats.parts import source as opening
from rankcore.data.partitions import sample_partitions
from rankcore.data.readers import (
    find_problems,
    load_fold,
    read,
    read_judgements,
)
from rankcore.data.readers.converting import convert

FROM_ZERO = b"1 qid:1 0:0.5 1:2.5\n0 qid:1 0:0.1 1:1.5\n"
ANY_ORDER = b"1 qid:1 3:0.5 1:2.5 2:0\n0 qid:1 2:0.1 3:1.5 1:1\n"


def converted(text, folder):
    folder.mkdir(exist_ok=True)
    (folder / "file.txt").write_bytes(text)
    convert(folder / "file.txt", folder / "converted")
    return load_partitions(folder / "converted")


def test_features_are_counted_from_0(tmp_path):
    for data in read_letor(FROM_ZERO), converted(FROM_ZERO, tmp_path):
        assert data.feature_names == ("f0", "f1")
        assert data.X.tolist() == [[0.5, 2.5], [0.1, 1.5]]


def test_the_default_dump_of_scikit_learn_is_read(tmp_path):
    X, y = np.eye(4)[[3, 2, 1, 0]], [1, 0, 1, 0]
    dump_svmlight_file(X, y, str(tmp_path / "dump.txt"), query_id=[1, 1, 2, 2])
    data = read_letor(tmp_path / "dump.txt")
    assert data.feature_names == ("f0", "f1", "f2", "f3")
    np.testing.assert_array_equal(data.X, X)


@pytest.mark.parametrize("n_before", [1, 200, 3000])
def test_a_feature_0_after_many_rows(n_before, tmp_path):
    """Blocks are set aside where rows become wider, and where a column comes before."""
    lines = [b"1 qid:1 1:%d\n" % i for i in range(n_before)]
    lines += [b"0 qid:1 1:7 5:8\n", b"0 qid:1 0:1 2:3\n", b"0 qid:2 9:4\n"]
    text = b"".join(lines)
    for data in read_letor(text), converted(text, tmp_path):
        assert data.feature_names == tuple(f"f{i}" for i in range(10))
        assert data.X[:n_before, 1].tolist() == list(range(n_before))
        rest = np.zeros((3, 10))
        rest[[0, 0, 1, 1, 2], [1, 5, 0, 2, 9]] = 7, 8, 1, 3, 4
        np.testing.assert_array_equal(data.X[n_before:], rest)


def test_a_feature_0_where_the_number_of_features_is_given():
    text = b"1 qid:1 1:1\n" * 200 + b"0 qid:1 0:5\n"
    assert read_letor(text, n_features=2).X[[0, 200]].tolist() == [[0, 1], [5, 0]]
    with pytest.raises(DataError, match="one feature too many") as caught:
        read_letor(text, n_features=1)
    assert (caught.value.line, caught.value.column) == (201, 9)


def test_a_file_of_a_fold_without_a_feature_0(tmp_path):
    folder = tmp_path / "Fold1"
    folder.mkdir()
    (folder / "train.txt").write_bytes(FROM_ZERO)
    (folder / "test.txt").write_bytes(b"1 qid:1 1:3 2:4\n")
    with pytest.warns(DataWarning, match="unlike") as caught:
        splits = load_fold(folder)
    assert [str(warning.message) for warning in caught] == [
        "Fold1 train has no f2, unlike another file; the value counts as 0.",
        "Fold1 test has no f0, unlike another file; the value counts as 0.",
    ]
    assert splits.train.feature_names == ("f0", "f1", "f2")
    assert splits.test.X.tolist() == [[0, 3, 4]]


def test_every_order_gives_the_same_row():
    # A number that NumPy's arithmetic cannot convert at once is among them.
    features = [b"1:0.12345678901234567890", b"2:-3", b"4:1e-7", b"9:5"]
    row = read_letor(b"1 qid:1 " + b" ".join(features) + b"\n").X
    for order in itertools.permutations(features):
        text = b"1 qid:1 " + b" ".join(order) + b" # A\n"
        np.testing.assert_array_equal(read_letor(text).X, row)


def test_rows_that_become_wider_at_their_beginning():
    text = b"".join(b"1 qid:1 %d:1 1:2\n" % i for i in range(2, 400))
    data = read_letor(text)
    assert data.n_features == 399
    assert data.X.sum(axis=1).tolist() == [3.0] * 398


@pytest.mark.parametrize("numbers", [b"2:1 2:1", b"3:0 1:1 3:0", b"1:1 2:2 1:3"])
def test_a_feature_twice_in_a_line_is_refused(numbers):
    with pytest.raises(
        DataError, match=r"Feature \d occurs twice in this line"
    ) as caught:
        read_letor(b"1 qid:1 1:1\n1 qid:1 " + numbers + b"\n")
    assert caught.value.line == 2
    assert caught.value.column == len(b"1 qid:1 ") + numbers.rindex(b" ") + 2


def test_negative_judgements_count_as_0_and_are_said():
    with pytest.warns(DataWarning, match=r"q.txt: Negative .* 0: 1, .* line 2\.$"):
        result = read_judgements(b"mug 0 A 2\nmug 0 B -2\n", name="q.txt")
    assert result == {"mug": {"A": 2, "B": 0}}
    with pytest.raises(DataError, match=r"'-0\.5' is not a whole number"):
        read_judgements(b"mug 0 A -0.5\n")


@pytest.mark.parametrize("n_before", [0, 3000])
def test_negative_labels_of_letor_text_count_as_0_and_are_said(n_before, tmp_path):
    lines = [b"1 qid:%d 1:1\n" % i for i in range(n_before)]
    text = b"".join([*lines, b"-1 qid:x 1:1\n", b"2 qid:x 1:2\n", b"-2.0 qid:x 1:3\n"])
    for reading in read_letor, lambda text: converted(text, tmp_path):
        with pytest.warns(DataWarning, match="Negative labels count as 0") as result:
            data = reading(text)
        assert data.y[-3:].tolist() == [0, 2, 0]
        (warning,) = result
        assert str(warning.message).endswith(f"first is in line {n_before + 1}.")


def test_negative_labels_of_tables_count_as_0_and_are_said_once(tmp_path):
    rows = b"".join(b"%d,q%d,%d\n" % (i % 3 - 1, i // 3, i) for i in range(60))
    (tmp_path / "t.csv").write_bytes(b"label,qid,f\n" + rows)
    with pytest.warns(
        DataWarning, match=r"Negative labels count .* line 2\.$"
    ) as result:
        convert(tmp_path / "t.csv", tmp_path / "converted")
    assert len(result) == 1
    with pytest.warns(DataWarning, match=r"Negative labels count .* line 2\.$"):
        assert read(tmp_path / "t.csv").y.tolist() == [0, 0, 1] * 20
    assert load_partitions(tmp_path / "converted").y.tolist() == [0, 0, 1] * 20


def test_features_that_documents_of_a_log_lack_are_counted(tmp_path):
    log = [
        {"qid": qid, "id": "A", "label": 1, "[features]": features}
        for qid, features in enumerate(["bm25=7.5,stars=4", "bm25=2", "age=3"])
    ]
    (tmp_path / "l.ndjson").write_text("\n".join(map(json.dumps, log)))
    share = r"5 of 9 values .* are missing \(stars 2, age 2, bm25 1\) and count as 0"
    with pytest.warns(DataWarning, match=share):
        read(tmp_path / "l.ndjson")
    with pytest.warns(DataWarning, match=share):
        convert(tmp_path / "l.ndjson", tmp_path / "converted")


LABELLED = "label,qid,f\nPerfect,a,1\nbad,a,2\nFair,a,3\n1,b,4\n"
GRADES = "bad=0, fair=1,perfect=4"


def test_words_are_labels_where_their_grades_are_given(tmp_path):
    (tmp_path / "t.csv").write_text(LABELLED)
    frame = pd.read_csv(tmp_path / "t.csv")
    frame.to_parquet(tmp_path / "t.parquet")
    for table in tmp_path / "t.csv", tmp_path / "t.parquet", frame:
        with pytest.raises(DataError, match="Perfect") as caught:
            read_table(table)
        assert "--labels" in caught.value.remedy
        assert read_table(table, labels=GRADES).y.tolist() == [4, 0, 1, 1]
        if table is not frame:
            folder = tmp_path / f"{table.suffix} converted"
            convert(table, folder, labels=GRADES)
            assert load_partitions(folder).y.tolist() == [4, 0, 1, 1]
    judged = b"query,document,label\nmug,A,perfect\nmug,B,bad\nmug,C,\n"
    assert read_judgements(judged, labels=GRADES) == {"mug": {"A": 4, "B": 0}}


def test_fractions_have_grades_from_some_numbers_on(tmp_path):
    rates = [0.05, 0.3, 0.31, 0.6, 1.0, -1]
    grades = [0, 1, 1, 2, 2, 0]
    text = "".join(f"{rate} qid:1 1:{i}\n" for i, rate in enumerate(rates))
    (tmp_path / "t.txt").write_text("# by hand\n\n" + text)
    assert read_letor(tmp_path / "t.txt", labels="0.3,0.6").y.tolist() == grades
    convert(tmp_path / "t.txt", tmp_path / "converted", labels="0.3,0.6")
    assert load_partitions(tmp_path / "converted").y.tolist() == grades
    with pytest.raises(DataError) as caught:
        read_letor(tmp_path / "t.txt", labels="0.05=1,0.3=2")
    assert (caught.value.line, caught.value.column) == (5, 1)
    problems = find_problems(text.encode(), name="t.txt", labels="0.3,0.6")
    assert not problems


@pytest.mark.parametrize("labels", ["0.6,0.3", "0.3,", "a", "a=b", "=1", "0.3,1=1"])
def test_grades_that_say_nothing_are_refused(labels):
    with pytest.raises(DataError, match="such as"):
        read_letor(b"1 qid:1 1:1\n", labels=labels)


@pytest.mark.parametrize("block", [7, 10_000])
def test_sizes_of_queries_are_converted_too(block, tmp_path, monkeypatch):
    monkeypatch.setattr(opening, "BLOCK", block)
    text = b"# no queries\n" + b"".join(b"%d 1:%d\n" % (i % 2, i) for i in range(9))
    (tmp_path / "t.txt").write_bytes(text)
    (tmp_path / "sizes").write_bytes(b"4\n2\n3\n")
    convert(tmp_path / "t.txt", tmp_path / "given", groups=tmp_path / "sizes")
    (tmp_path / "t.txt.group").write_bytes(b"4\n2\n3\n")
    with pytest.warns(DataWarning, match="are read from t.txt.group") as result:
        convert(tmp_path / "t.txt", tmp_path / "beside")
    assert len(result) == 1
    for name in "given", "beside":
        data = load_partitions(tmp_path / name)
        assert data.query_ids == ("1", "2", "3")
        assert data.lengths.tolist() == [4, 2, 3]
        assert data.X.tolist() == [[i] for i in range(9)]
    for sizes, than in (b"4\n2\n", "more"), (b"4\n2\n4\n", "fewer"):
        (tmp_path / "sizes").write_bytes(sizes)
        with pytest.raises(DataError, match=f"but there are {than} rows"):
            convert(tmp_path / "t.txt", tmp_path / than, groups=tmp_path / "sizes")


def test_text_in_other_encodings_is_read_by_its_name(tmp_path):
    text = "qid,label,price\nKüche,1,9\nKüche,0,12\n"
    for encoding in "windows-1252", "utf-16", "cp850":
        for pack in bytes, gzip.compress:
            file = tmp_path / f"{encoding}.csv"
            file.write_bytes(pack(text.encode(encoding)))
            assert read(file, encoding=encoding).query_ids == ("Küche",)
        folder = tmp_path / f"{encoding} converted"
        convert(file, folder, encoding=encoding)
        assert load_partitions(folder).query_ids == ("Küche",)
    with pytest.raises(DataError, match="There is no encoding 'rot13'"):
        read(file, encoding="rot13")
    with pytest.raises(DataError, match="not text in the given encoding"):
        read(text.encode("cp1252"), name="a.csv", encoding="ascii")
    judged = "query,document,label\nKüche,A,2\n".encode("cp1252")
    log = '{"qid": "Küche", "id": "A", "[features]": "bm25=7.5"}'.encode()
    data = read(log, name="l.ndjson", judgements=judged, encoding="cp1252")
    assert data.y.tolist() == [2]


def test_decimal_commas_are_read_in_parts_too(tmp_path):
    rows = "".join(f"{i % 2};q{i // 2};{i},5;{i}\n" for i in range(40))
    (tmp_path / "t.csv").write_text("label;qid;f;g\n" + rows)
    with pytest.warns(DataWarning, match="decimal points; the first is in line 2"):
        convert(tmp_path / "t.csv", tmp_path / "converted")
    X = load_partitions(tmp_path / "converted").X
    assert X.tolist() == [[i + 0.5, i] for i in range(40)]


MISSING = b"qid,label,price,stars\n1,1,9.5,\n1,0,12,3\n1,0,NA,5\n"


def tables(folder):
    """The same table as CSV, as Parquet and as a DataFrame."""
    (folder / "t.csv").write_bytes(MISSING)
    frame = pd.read_csv(folder / "t.csv")
    frame.to_parquet(folder / "t.parquet")
    yield folder / "t.csv"
    yield folder / "t.parquet"
    yield frame
    yield frame.astype({"stars": object}).where(frame.notna(), None)


@pytest.mark.parametrize(
    ("missing", "filled"),
    [("zero", (0, 0)), ("median", ((9.5 + 12) / 2, (3 + 5) / 2))],
)
def test_missing_values_are_filled_and_counted(missing, filled, tmp_path):
    price, stars = filled
    for table in tables(tmp_path):
        with pytest.warns(DataWarning, match=r"2 of 6 values \(33\.3%\) are missing"):
            data = read_table(table, missing=missing)
        assert data.X.tolist() == [[9.5, stars], [12, 3], [price, 5]]


def test_missing_values_are_kept_and_counted(tmp_path):
    values = [[9.5, np.nan], [12, 3], [np.nan, 5]]
    for table in tables(tmp_path):
        words = (
            r"2 of 6 values \(33\.3%\) are missing \(.*\) and are kept, for LightGBM"
        )
        with pytest.warns(DataWarning, match=words):
            data = read_table(table, missing="keep")
        np.testing.assert_array_equal(data.X, values)
        assert data.has_missing
        again = read_table(data.to_frame(), missing="keep")
        assert again.fingerprint == data.fingerprint
    with pytest.raises(ValueError, match="or 'keep' "):
        read(b"label,qid,a\n1,1,\n", name="t.csv", missing="mean")


@pytest.mark.parametrize("kind", [None, "minmax"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_missing_values_are_kept_in_a_converted_folder(dtype, kind, tmp_path):
    list(tables(tmp_path))
    for name in ("t.csv", "t.parquet"):
        with gathered_warnings() as sentences:
            how = {"dtype": dtype, "normalisation": kind, "missing": "keep"}
            convert(tmp_path / name, tmp_path / f"{name} folder", **how)
            data = read(tmp_path / name, missing="keep")
        assert "are missing" in sentences[0]
        for load in (load_partitions, sample_partitions):
            stored = load(tmp_path / f"{name} folder")
            assert stored.has_missing
            expected = data.normalise(kind).stored(dtype)
            np.testing.assert_array_equal(stored.X, expected.X)
            assert pickle.loads(pickle.dumps(stored)).has_missing


def test_missing_values_are_refused_with_the_ways_to_fill_them(tmp_path):
    for table in tables(tmp_path):
        with pytest.raises(MissingValueError, match="--missing") as caught:
            read_table(table)
        assert caught.value.column in ("price", "stars")
        assert "0" not in caught.value.remedy


def test_only_features_are_filled():
    for wrong in (b"1,,1,2\n", b"1,1,inf,2\n", b"1,1,many,2\n"):
        with pytest.raises(DataError, match="line 5"):
            read(MISSING + wrong, name="t.csv", missing="zero")


@pytest.mark.parametrize("at_once", [1, 2**25])
def test_a_converted_table_fills_missing_values_as_a_read_one(
    at_once, tmp_path, monkeypatch
):
    monkeypatch.setattr(part_sizes, "GATHERED", at_once)
    monkeypatch.setattr(part_sizes, "CELLS", 6)
    rows = [
        f"q{i // 4},{i % 2},{'' if i % 3 == 0 else i},{i},{'NA' if i == 7 else i * i}"
        for i in range(40)
    ]
    (tmp_path / "t.csv").write_text("\n".join(["qid,label,f,g,h", *rows]))
    pd.read_csv(tmp_path / "t.csv").to_parquet(tmp_path / "t.parquet")
    for name in "t.csv", "t.parquet":
        for missing in "median", "zero":
            folder = tmp_path / f"{name} {missing}"
            with pytest.warns(DataWarning, match=r"15 of 120 .*f 14, h 1") as result:
                assert convert(tmp_path / name, folder, missing=missing).parts > 1
            assert len(result) == 1
            with pytest.warns(DataWarning, match=r"15 of 120 .*f 14, h 1"):
                data = read_table(tmp_path / name, missing=missing)
            np.testing.assert_array_equal(load_partitions(folder).X, data.X)


def test_warnings_are_gathered_where_a_page_shows_them():
    with gathered_warnings() as sentences:
        for _ in range(2):
            read_judgements(b"mug 0 B -2\n", name="q.txt")
    assert sentences == [
        "q.txt: Negative judgements count as 0: 1, the first in line 1."
    ]


WITHOUT_QUERIES = b"1 1:0.5 2:2\n0 1:0.1 2:1\n1 1:0.7 2:3\n0 1:0.2 2:1\n"


@pytest.mark.parametrize("suffix", [".query", ".group"])
def test_sizes_beside_a_file_tell_its_queries(suffix, tmp_path):
    file = tmp_path / "train.txt"
    file.write_bytes(WITHOUT_QUERIES)
    with pytest.raises(DataError, match="--groups"):
        read(file)
    (tmp_path / f"train.txt{suffix}").write_bytes(b"2\n2\n")
    with pytest.warns(DataWarning, match=f"queries are read from train.txt{suffix}"):
        data = read(file)
    assert (data.query_ids, data.lengths.tolist()) == (("1", "2"), [2, 2])
    assert data.X.tolist() == [[0.5, 2], [0.1, 1], [0.7, 3], [0.2, 1]]
    assert data.y.tolist() == [1, 0, 1, 0]
    file.write_bytes(ANY_ORDER)
    assert read(file).query_ids == ("1",)


def test_sizes_of_queries_are_given():
    for name in "a.txt", "standard input":
        data = read(WITHOUT_QUERIES, groups=b"1\n3\n", name=name)
        assert data.lengths.tolist() == [1, 3]
    many = read_letor(WITHOUT_QUERIES * 50_000, groups=b"4\n" * 50_000)
    assert many.lengths.tolist() == [4] * 50_000


@pytest.mark.parametrize(
    ("groups", "problem"),
    [
        (b"1\n2\n", "add up to 3, but there are 4 rows"),
        (b"1\n\nx\n", "line 3, column 1: 'x' is not a number of rows"),
        (b"4\n0\n", "line 2, column 1: '0' is not a number of rows"),
    ],
)
def test_sizes_that_do_not_belong_to_a_file_are_refused(groups, problem):
    with pytest.raises(DataError, match=problem):
        read(WITHOUT_QUERIES, groups=groups, name="a.txt")
    problems = find_problems(WITHOUT_QUERIES, groups=groups, name="a.txt")
    assert len(problems.errors) == 1


def test_sizes_of_queries_are_for_letor_text():
    with pytest.raises(DataError, match="this is not LETOR text"):
        read(b"qid,label,a\n1,1,2\n", groups=b"1\n", name="a.csv")
