"""Labels that are fractions, read where they are asked for."""

import numpy as np
import pandas as pd
import pytest

from rankcore import DataError, read_letor, read_table
from rankcore.data.readers import find_problems
from rankcore.data.readers.converting import convert
from rankcore.interop import qrels_of
from rankcore.reports.trec import qrels

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


def test_what_has_whole_labels_refuses_fractions(tmp_path):
    data = read_letor(TEXT.replace(b"-1", b"0"), labels="fractional")
    for write in (qrels, qrels_of):
        with pytest.raises(DataError, match="Some labels are fractions"):
            write(data)
    file = tmp_path / "a.csv"
    file.write_bytes(TABLE.replace(b"-1", b"0"))
    with pytest.raises(DataError, match="converted folders have whole ones"):
        convert(file, tmp_path / "a", labels="fractional")
    (tmp_path / "b.txt").write_bytes(TEXT)
    with pytest.raises(DataError, match="only where text is read as a whole"):
        convert(tmp_path / "b.txt", tmp_path / "b", labels="fractional")
