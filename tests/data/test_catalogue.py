"""Every listed data set loads, and nothing else does."""

from pathlib import Path

import numpy as np
import pytest

from rankcore import DataError, list_datasets, load_dataset
from rankcore.data.catalogue import files_of, folds_of, load
from rankcore.data.planted import LABEL_SHARES, planted, planted_truth
from rankcore.data.readers.converting import convert
from rankcore.measures import evaluate

ROOT = Path(__file__).parents[2]
NAMES = [info.name for info in list_datasets() if info.bundled]


def test_bundled_sets():
    assert {"mslr10k-sample", "planted", "toy-2d", "toy-3d"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_bundled_set_loads(name):
    info = next(info for info in list_datasets() if info.name == name)
    splits = load_dataset(name)
    for part in info.splits:
        data = getattr(splits, part)
        assert data.name == f"{name} {part}"
        assert data.feature_names == splits.train.feature_names
    queries = [set(data.query_ids) for data in splits if data is not None]
    assert len(set.union(*queries)) == sum(map(len, queries))
    assert load_dataset(name) is splits


@pytest.mark.parametrize("name", NAMES)
def test_origin_and_licence_are_documented(name):
    info = next(info for info in list_datasets() if info.name == name)
    assert info.title
    assert info.description
    assert info.origin
    table = (ROOT / "data" / "README.md").read_text()
    row = next(line for line in table.splitlines() if line.startswith(f"| `{name}`"))
    assert row.endswith(f"| {info.licence} |")
    sizes = [data.n_queries for data in load_dataset(name)]
    assert " / ".join(map(str, sizes)) in row


def test_mslr_sample_is_complete_and_exact():
    raw, scaled = load_dataset("mslr10k-sample-raw"), load_dataset("mslr10k-sample")
    first = raw.test.query(raw.test.query_ids.index("13"))
    assert first.y[0] == 2
    assert first.X[0, [0, 8, 14, 15, 69]].tolist() == [2, 0.5, 49, 6.553125, 0.000104]
    assert raw.train.feature_names[105] == "BM25 (body)"
    assert raw.train.feature_names[129] == "PageRank"
    assert scaled.train.normalisation == "minmax"
    assert (scaled.train.X.min(), scaled.train.X.max()) == (0, 1)
    assert scaled.test.y.tolist() == raw.test.y.tolist()
    assert sum(data.n_documents for data in raw) < 10_000


def test_planted_has_the_shape_of_ohsumed():
    data = planted()
    assert (data.n_queries, data.n_features) == (106, 45)
    shares = np.bincount(data.y) / data.n_documents
    np.testing.assert_allclose(shares, LABEL_SHARES, atol=1e-3)
    low = np.minimum.reduceat(data.X, data.offsets[:-1])
    high = np.maximum.reduceat(data.X, data.offsets[:-1])
    assert (low == 0).all()
    assert (high == 1).all()
    assert planted().fingerprint == data.fingerprint
    assert planted(seed=1).fingerprint != data.fingerprint


def test_many_planted_queries_tell_models_apart():
    splits = load_dataset("planted-900")
    assert min(data.n_queries for data in splits) == 300
    best = splits.valid.X @ planted_truth()
    without_one = planted_truth() * (np.arange(45) != 41)
    values = [
        evaluate(splits.valid, scores)["nDCG@10"]
        for scores in (best, splits.valid.X @ without_one)
    ]
    gain = values[0] - values[1]
    assert 0.005 < gain.mean() < 0.02
    assert gain.mean() > 1.96 * gain.std() / 300**0.5


def test_planted_truth_ranks_without_noise():
    data = planted(noise=0.0)
    scores = data.X @ planted_truth()
    for i in range(data.n_queries):
        query = data.query(i)
        order = np.argsort(-scores[query.slice])
        assert (np.diff(query.y[order]) <= 0).all()


def test_planted_truth_is_sparse_and_recoverable():
    """Least squares on documents less their query's mean finds the direction."""
    data, truth = planted(), planted_truth()
    assert np.count_nonzero(truth) == 8
    means = np.add.reduceat(np.c_[data.X, data.y], data.offsets[:-1])
    means /= data.lengths[:, None]
    centred = np.c_[data.X, data.y] - np.repeat(means, data.lengths, axis=0)
    result = np.linalg.lstsq(centred[:, :-1], centred[:, -1])[0]
    cosine = result @ truth / np.linalg.norm(result) / np.linalg.norm(truth)
    assert cosine > 0.98


def test_toys_have_readable_documents():
    data = load_dataset("toy-2d").train
    assert "manual-lever" in data.doc_ids
    assert data.feature_names == ("text match", "popularity")
    assert load_dataset("toy-3d").train.n_features == 3


def write_folds(folder, text="1 qid:1 1:0.5\n0 qid:2 2:1\n"):
    for fold in ("Fold1", "Fold2"):
        (folder / fold).mkdir(parents=True)
        for part in ("train", "vali", "test"):
            (folder / fold / f"{part}.txt").write_text(text)


def names():
    return [info.name for info in list_datasets()]


def test_letor_folders_of_the_user(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_folds(tmp_path / "data" / "letor" / "mine")
    assert {"mine/Fold1", "mine/Fold2"} <= set(names())
    splits = load_dataset("mine/Fold2")
    assert splits.valid.n_features == 2
    assert splits.valid.name == "mine/Fold2 valid"


@pytest.mark.parametrize("within", ["", "collection"])
def test_letor_folders_named_by_the_environment(tmp_path, monkeypatch, within):
    """The folder may hold collections, or be one."""
    write_folds(tmp_path / "collection")
    monkeypatch.setenv("RANKSCOPE_DATA", str(tmp_path / within))
    info = next(i for i in list_datasets() if i.name == "collection/Fold1")
    assert not info.bundled
    assert load_dataset(info.name).train.n_queries == 2


def test_a_fold_knows_the_others(tmp_path, monkeypatch):
    monkeypatch.setenv("RANKSCOPE_DATA", str(tmp_path))
    write_folds(tmp_path / "mine")
    write_folds(tmp_path / "mine2")
    assert folds_of("mine/Fold2") == ["mine/Fold1", "mine/Fold2"]
    assert folds_of("toy-2d") == folds_of("mine/other") == folds_of("/Fold1") == []


def test_a_changed_file_is_read_again(tmp_path, monkeypatch):
    monkeypatch.setenv("RANKSCOPE_DATA", str(tmp_path))
    write_folds(tmp_path / "mine")
    assert load_dataset("mine/Fold1").train.n_queries == 2
    (tmp_path / "mine" / "Fold1" / "train.txt").write_text("1 qid:1 1:0.5\n")
    assert load_dataset("mine/Fold1").train.n_queries == 1


def test_a_user_cannot_hide_a_bundled_set(tmp_path, monkeypatch):
    monkeypatch.setenv("RANKSCOPE_DATA", str(tmp_path))
    (tmp_path / "toy-2d").mkdir()
    (tmp_path / "toy-2d" / "train.txt").write_text("1 qid:1 1:0.5\n")
    assert load_dataset("toy-2d").train.n_features == 2
    assert len(names()) == len(set(names()))


@pytest.mark.parametrize(
    "name", ["../data/toy-2d", "toy-2d/", "", "/etc", "a\0b", "toy_2d", "nothing"]
)
def test_only_listed_names_are_accepted(name):
    with pytest.raises(DataError, match="no data set called") as caught:
        load_dataset(name)
    assert "toy-2d" in caught.value.remedy


def test_near_names_are_offered():
    with pytest.raises(DataError, match=r"Choose one of these: toy-2d, toy-3d\."):
        load_dataset("toy2d")


def test_load_takes_names_files_and_folds(tmp_path):
    write_folds(tmp_path)
    assert load("toy-2d") is load_dataset("toy-2d")
    alone = load(tmp_path / "Fold1" / "train.txt")
    assert (alone.train.n_queries, alone.valid) == (2, None)
    assert load(str(tmp_path / "Fold1")).test.n_queries == 2
    with pytest.raises(DataError, match="several folds"):
        load(tmp_path)
    with pytest.raises(DataError, match="no data set called"):
        load(tmp_path / "none.txt")


def test_a_converted_folder_is_listed_as_a_sample(tmp_path, monkeypatch):
    path = tmp_path / "shop.csv"
    rows = [f"{k % 3},{k // 4},{k / 7}" for k in range(80)]
    path.write_text("\n".join(["label,qid,price", *rows]))
    folder = tmp_path / "data" / "shop"
    convert(path, folder)
    (tmp_path / "data" / "other").mkdir()
    for place in (folder.parent, folder):
        monkeypatch.setenv("RANKSCOPE_DATA", str(place))
        (info,) = [one for one in list_datasets() if not one.bundled]
        assert info.name == "shop-sample"
        assert "sample" in info.title
        assert "out of 20 queries with 80 documents" in info.description
        splits = load_dataset("shop-sample")
        assert [part.n_queries for part in splits] == [12, 4, 4]
        assert splits.train.name == "shop-sample train"
        assert folder / "X.npy" in files_of("shop-sample")
    with pytest.raises(DataError, match=r"no data set called '\.\./shop'"):
        load_dataset("../shop")


@pytest.mark.parametrize("text", ["[1]", '{"format": 1, "features": 5}', ""])
def test_a_folder_that_cannot_be_read_is_listed_with_the_reason(
    text, tmp_path, monkeypatch
):
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "dataset.json").write_text(text)
    monkeypatch.setenv("RANKSCOPE_DATA", str(tmp_path))
    (info,) = [one for one in list_datasets() if not one.bundled]
    assert info.name == "shop-sample"
    assert info.problem.startswith("shop/dataset.json: ")
    assert str(tmp_path) not in f"{info}"
    with pytest.raises(DataError) as refused:
        load_dataset("shop-sample")
    assert str(refused.value) == info.problem


def test_a_folder_that_may_not_be_read_is_listed_with_the_reason(tmp_path, monkeypatch):
    (tmp_path / "shop").mkdir()

    def refuse(folder):
        raise PermissionError(13, "Permission denied", str(folder))

    monkeypatch.setattr("rankcore.data.catalogue.is_partitioned", refuse)
    monkeypatch.setenv("RANKSCOPE_DATA", str(tmp_path))
    problems = {one.name: one.problem for one in list_datasets() if one.problem}
    assert "Permission denied" in problems["shop"]
