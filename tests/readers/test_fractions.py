"""Labels that are fractions, read where they are asked for."""

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from rankcore import (
    DataError,
    load_partitions,
    read_feature_log,
    read_letor,
    read_table,
)
from rankcore.data.formats.parts import part_sizes
from rankcore.data.readers import find_problems, read, read_judgements
from rankcore.data.readers.converting import convert
from rankcore.data.trec import qrels
from rankcore.studies.interop import qrels_of

TEXT = b".5 qid:1 1:1 # a\n2.25 qid:1 1:2 # b\n-1 qid:2 1:3 # c\n1e0 qid:2 1:4 # d\n"
TABLE = b"query,label,x\n1,.5,1\n1,2.25,2\n2,-1,3\n2,1e0,4\n"
LABELS = [0.5, 2.25, 0.0, 1.0]


def frame():
    return pd.DataFrame({"query": [1, 1, 2, 2], "label": [0.5, 2.25, -1, 1], "x": 1.0})


@pytest.mark.filterwarnings("ignore::rankcore.base.errors.DataWarning")
@pytest.mark.parametrize(
    ("read", "source"),
    [(read_letor, TEXT), (read_table, TABLE), (read_table, frame())],
    ids=["LETOR", "CSV", "DataFrame"],
)
def test_fractions_stay_if_asked_for(read, source):
    assert read(source, labels="fractional").y.tolist() == LABELS
    with pytest.raises(DataError, match=r"0\.5|'\.5'"):
        read(source)


@pytest.mark.filterwarnings("ignore::rankcore.base.errors.DataWarning")
def test_fractions_of_parquet_stay(tmp_path):
    path = tmp_path / "a.parquet"
    frame().to_parquet(path)
    assert read_table(path, labels="fractional").y.tolist() == LABELS


def test_whole_labels_are_integers_there_too():
    text = TEXT.replace(b".5", b"5").replace(b"2.25", b"2").replace(b"-1", b"0")
    data = read_letor(text, labels="fractional")
    assert data.y.dtype == np.int64
    assert data.fingerprint == read_letor(text.replace(b"1e0", b"1")).fingerprint


def test_what_is_no_label_is_refused_with_its_place():
    with pytest.raises(DataError, match="label 'x'") as error:
        read_letor(TEXT.replace(b"2.25", b"x   "), labels="fractional")
    assert (error.value.line, error.value.column) == (2, 1)
    with pytest.raises(DataError, match=r"The label 31\.5 is above 31") as error:
        read_letor(TEXT.replace(b"2.25", b"31.5"), labels="fractional")
    assert error.value.line == 2
    linear = read_letor(
        TEXT.replace(b"2.25", b"31.5").replace(b"-1", b"0"),
        labels="fractional",
        gain="linear",
    )
    assert linear.y.max() == 31.5
    assert not find_problems(TEXT, name="a.txt", labels="fractional")


@pytest.mark.parametrize("given", [TEXT, TABLE], ids=["a.txt", "a.csv"])
@pytest.mark.parametrize("size", [1, 2**20], ids=["parts", "one part"])
def test_fractions_stay_in_converted_folders(given, size, tmp_path, monkeypatch):
    monkeypatch.setattr(part_sizes, "BYTES", size)
    monkeypatch.setattr(part_sizes, "CELLS", size)
    file = tmp_path / ("a.txt" if given == TEXT else "a.csv")
    file.write_bytes(given)
    convert(file, tmp_path / "a", labels="fractional")
    partitions = load_partitions(tmp_path / "a")
    assert partitions.y.tolist() == LABELS
    assert partitions.fingerprint == read(file, labels="fractional").fingerprint
    tables = sorted((tmp_path / "a").glob("*.parquet"))
    assert len(tables) == (2 if size == 1 else 1)
    assert {str(pq.read_schema(one).field("label").type) for one in tables} == {
        "double"
    }
    with pytest.raises(DataError, match=r"0\.5|\.5"):
        convert(file, tmp_path / "b")


LOG = b"".join(
    b'{"qid": "%d", "hits": {"hits": [{"_id": "%s", "_source": {"grade": %s}, '
    b'"fields": {"_ltrlog": [{"main": [{"name": "f", "value": %d}]}]}}]}}\n' % row
    for row in ((1, b"a", b"0.5", 1), (2, b"b", b"2.25", 2))
)
JUDGED = b"1 0 a 0.5\n2 0 b 2.25\n"


@pytest.mark.parametrize("judged", [None, JUDGED], ids=["in the log", "in qrels"])
def test_fractions_stay_in_logs_and_their_judgements(judged, tmp_path):
    files = {"log.ndjson": LOG} | ({} if judged is None else {"a.qrels": judged})
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    beside = {} if judged is None else {"judgements": tmp_path / "a.qrels"}
    log = tmp_path / "log.ndjson"
    data = read_feature_log(log, **beside, labels="fractional")
    assert data.y.tolist() == [0.5, 2.25]
    convert(log, tmp_path / "a", **beside, labels="fractional")
    assert load_partitions(tmp_path / "a").fingerprint == data.fingerprint
    with pytest.raises(DataError, match=r"labels='fractional'"):
        read_feature_log(log, **beside)


def test_a_large_fraction_of_a_judgement_is_refused_with_its_place():
    with pytest.raises(DataError, match="above 31") as error:
        read_judgements(b"1 0 a .5\n1 0 b 31.5\n", labels="fractional")
    assert (error.value.line, error.value.column) == (2, 4)


def test_files_of_trec_eval_have_whole_labels():
    data = read_letor(TEXT.replace(b"-1", b"0"), labels="fractional")
    with pytest.raises(DataError, match="Some labels are fractions"):
        qrels(data)
    assert qrels_of(data)["1"] == {"a": 0.5, "b": 2.25}
