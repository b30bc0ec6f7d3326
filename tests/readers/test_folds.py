"""Folders of folds: found, read, and given the same features."""

import gzip

import pytest

from rankcore import DataError, DataWarning, load_folds
from rankcore.data.readers import load_fold, read
from rankcore.data.readers.folds import part_named, same_features

TRAIN = b"1 qid:1 1:1 # a\n0 qid:1 1:2 # b\n"
VALID = b"1 qid:2 3:1 # a\n"
TEST = b"1 qid:3 2:1 # a\n"


@pytest.fixture
def folder(tmp_path):
    for number in (1, 2):
        fold = tmp_path / f"Fold{number}"
        fold.mkdir()
        (fold / "train.txt").write_bytes(TRAIN)
        (fold / "vali.txt.gz").write_bytes(gzip.compress(VALID))
        (fold / "test.txt").write_bytes(TEST)
    (tmp_path / "Fold2" / "test.txt").write_bytes(TEST + b"0 qid:3 5:1 # b\n")
    (tmp_path / "notes").mkdir()
    return tmp_path


def test_all_folds_have_the_same_features(folder):
    with pytest.warns(DataWarning) as notes:
        folds = load_folds(folder)
    assert [str(note.message).partition(", unlike")[0] for note in notes] == [
        "Fold1 train, Fold2 train have no f2, f3, f4 and 1 more",
        "Fold1 valid, Fold2 valid have no f4, f5",
        "Fold1 test has no f3, f4, f5",
    ]
    assert list(folds) == ["Fold1", "Fold2"]
    parts = [part for fold in folds.values() for part in fold]
    assert {part.n_features for part in parts} == {5}
    assert folds["Fold1"].train.X.tolist() == [[1, 0, 0, 0, 0], [2, 0, 0, 0, 0]]
    assert folds["Fold1"].valid.query_ids == ("2",)
    assert folds["Fold2"].test.y.tolist() == [1, 0]


def test_one_fold(folder):
    fold = load_fold(folder / "Fold1")
    assert [part.n_features for part in fold] == [3, 3, 3]
    assert [part.name for part in fold] == ["Fold1 train", "Fold1 valid", "Fold1 test"]
    assert list(load_folds(folder / "Fold1")) == ["Fold1"]


def test_training_file_alone(tmp_path):
    (tmp_path / "trainingset.txt").write_bytes(TRAIN)
    fold = load_fold(tmp_path)
    assert fold.train.n_documents == 2
    assert (fold.valid, fold.test) == (None, None)


def test_tables_in_a_folder(tmp_path):
    for part in ("train", "test"):
        (tmp_path / f"{part}.csv").write_text("label,query,bm25\n1,q,2\n")
    fold = load_fold(tmp_path)
    assert fold.test.feature_names == ("bm25",)
    (tmp_path / "test.csv").write_text("label,query,age\n1,q,2\n")
    with pytest.raises(DataError, match="does not have the features"):
        load_fold(tmp_path)


def test_read_goes_by_the_name(tmp_path):
    path = tmp_path / "shop.csv.gz"
    path.write_bytes(gzip.compress(b"label,query,bm25\n1,q,2\n"))
    assert read(path).feature_names == ("bm25",)
    assert read(TRAIN, name="train.txt").doc_ids == ("a", "b")


def test_folders_without_folds(folder):
    with pytest.raises(DataError, match=r"several folds.*Fold1.*Fold2"):
        load_fold(folder)
    for path in (folder / "notes", folder / "none"):
        with pytest.raises(DataError, match="no fold in this folder"):
            load_folds(path)


def test_a_bad_file_is_named(folder):
    (folder / "Fold2" / "test.txt").write_bytes(b"1 qid:3 2:x\n")
    with pytest.raises(DataError) as caught:
        load_folds(folder)
    assert caught.value.file == str(folder / "Fold2" / "test.txt")
    assert caught.value.line == 1


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("train.txt", "train"),
        ("MQ2008-vali.csv.gz", "valid"),
        ("test", "test"),
        ("contest.txt", None),
        ("train_test.txt", None),
    ],
)
def test_a_file_name_tells_its_part(name, part):
    assert part_named(name) == part


def test_columns_are_matched_by_name():
    train = read(b"query,label,a,b\nq,1,1,2\nq,0,3,4\n", name="train.csv")
    test = read(b"query,label,b,a\nq,1,2,1\nq,0,4,3\n", name="test.csv")
    parts = same_features({"train": train, "test": test}, "shop")
    assert parts["test"].feature_names == ("a", "b")
    assert parts["test"].X.tolist() == parts["train"].X.tolist()

    other = read(b"query,label,a,c\nq,1,2,1\nq,0,4,3\n", name="test.csv")
    with pytest.raises(DataError, match=r"test does not .*: it lacks b and"):
        same_features({"train": train, "test": other}, "shop")


LACKING = "^train has no f3, unlike another file; the value counts as 0"


def test_lacking_features_are_told():
    train, test = read(b"1 qid:1 1:3 2:1\n", name="train"), read(b"1 qid:1 3:9\n")
    with pytest.warns(
        DataWarning,
        match=LACKING,
    ):
        parts = same_features({"train": train, "test": test}, "shop")
    assert parts["train"].X.tolist() == [[3.0, 1.0, 0.0]]
    with pytest.warns(
        DataWarning,
        match=LACKING,
    ):
        same_features({"test": test, "train": train}, "shop")
