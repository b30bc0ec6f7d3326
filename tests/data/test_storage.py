"""How features are stored: single precision, without a copy, in a memory map."""

import pickle

import numpy as np
import pytest

import rankcore
from rankcore.base import blocks
from rankcore.base.errors import DataError
from rankcore.data.dataset import RankingDataset
from rankcore.data.readers import limits_of_machine
from tests.fits import mixed

# Each kernel is compiled once more for single precision.
SAMPLE = ("RSRank", "ApproxNDCG", "ListNet", "LeastSquares", "RankBoost")
ALGORITHMS = [
    pytest.param(name, marks=() if name in SAMPLE else pytest.mark.soak)
    for name in rankcore.list_algorithms()
]


def arrays(seed=0):
    """Features that single precision holds exactly, labels and queries in order."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 256, (60, 3)) / 256.0
    return X, rng.integers(0, 3, 60), np.repeat(np.arange(6), 10)


def test_features_are_stored_in_the_type_wanted():
    X, y, qid = arrays()
    for dtype in ("float64", "float32"):
        data = RankingDataset.from_arrays(X, y, qid, dtype=dtype)
        assert data.X.dtype == dtype
        assert not data.X.flags.writeable
        assert data.X.flags.c_contiguous
        np.testing.assert_array_equal(data.X, X)
    with pytest.raises(ValueError, match="'float32'"):
        RankingDataset.from_arrays(X, y, qid, dtype="float16")


def test_single_precision_goes_with_all_that_is_made_of_a_data_set():
    X, y, qid = arrays()
    data = RankingDataset.from_arrays(X, y, qid[::-1], dtype="float32")
    again = pickle.loads(pickle.dumps(data))
    parts = [data.subset([3, 1]), data.normalise(), again, data.part(slice(1, 3))]
    assert {part.X.dtype for part in parts} == {np.dtype(np.float32)}
    assert again.fingerprint == data.fingerprint
    assert data.stored("float64").X.dtype == np.float64
    assert data.stored("float32") is data


def test_the_fingerprint_is_that_of_the_same_numbers():
    X, y, qid = arrays()
    data = RankingDataset.from_arrays(X, y, qid)
    assert data.stored("float32").fingerprint == data.fingerprint


@pytest.mark.parametrize("kind", ["minmax", "zscore"])
def test_normalising_in_blocks_gives_the_same_numbers(kind, monkeypatch):
    data = mixed()
    whole = data.normalise(kind).X
    monkeypatch.setattr(blocks, "CELLS", 300)
    np.testing.assert_array_equal(data.normalise(kind).X, whole)
    single = data.stored("float32").normalise(kind).X
    assert single == pytest.approx(whole, abs=1e-5)


def test_the_fingerprint_is_the_same_in_blocks(monkeypatch):
    whole = mixed().fingerprint
    monkeypatch.setattr(blocks, "CELLS", 300)
    assert mixed().fingerprint == whole


def test_a_number_too_large_for_single_precision_is_named():
    X, y, qid = arrays()
    X[41, 2] = 1e300
    with pytest.raises(DataError, match="1e\\+300 is too large for float32") as refusal:
        RankingDataset.from_arrays(X, y, qid, dtype="float32")
    assert (refusal.value.line, refusal.value.column) == (42, 3)


@pytest.mark.parametrize("row", [0, 4095, 4096, 9999])
def test_a_number_that_is_not_finite_is_found_in_any_row(row):
    X = np.zeros((10_000, 2))
    X[row, 1] = np.nan
    with pytest.raises(DataError, match="NaN is not a finite number") as refusal:
        RankingDataset.from_arrays(X, np.zeros(10_000))
    assert (refusal.value.line, refusal.value.column) == (row + 1, 2)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_features_need_not_be_copied(dtype):
    X, y, qid = arrays()
    X = X.astype(dtype)
    data = RankingDataset.from_arrays(X, y, qid, dtype=dtype, copy=False)
    assert np.shares_memory(data.X, X)
    assert not data.X.flags.writeable
    assert X.flags.writeable
    copied = RankingDataset.from_arrays(X, y, qid, dtype=dtype)
    assert not np.shares_memory(copied.X, X)


def test_rows_that_are_not_grouped_are_copied_whatever_is_wanted():
    X, y, _ = arrays()
    data = RankingDataset.from_arrays(X, y, np.arange(60) % 6, copy=False)
    assert not np.shares_memory(data.X, X)
    np.testing.assert_array_equal(data.query(1).X, X[1::6])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_read_only_memory_map_is_taken_as_it_is(dtype, tmp_path):
    X, y, qid = arrays()
    np.save(tmp_path / "X.npy", X.astype(dtype))
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    data = RankingDataset.from_arrays(mapped, y, qid, dtype=dtype)
    assert np.shares_memory(data.X, mapped)
    assert type(data.X) is np.ndarray
    writable = np.load(tmp_path / "X.npy", mmap_mode="r+")
    data = RankingDataset.from_arrays(writable, y, qid, dtype=dtype)
    assert not np.shares_memory(data.X, writable)


def test_models_of_a_memory_map_are_those_of_an_array(tmp_path):
    X, y, qid = arrays()
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    for algorithm in (rankcore.RSRank, rankcore.ApproxNDCG, rankcore.RankBoost):
        model = algorithm(max_iter=3)
        parameters_ = model.fit_dataset(
            RankingDataset.from_arrays(X, y, qid)
        ).parameters_
        theirs = model.fit_dataset(RankingDataset.from_arrays(mapped, y, qid))
        np.testing.assert_array_equal(theirs.parameters_, parameters_)


def test_document_ids_are_made_when_asked_for():
    X, y, qid = arrays()
    data = RankingDataset.from_arrays(X, y, qid)
    part = data.subset([2, 0])
    assert "doc_ids" not in data.__dict__
    assert "doc_ids" not in part.__dict__
    assert data.doc_ids == tuple(f"d{place}" for place in range(1, 11)) * 6
    assert data.subset([2, 0]).fingerprint == part.fingerprint
    assert part.query(0).doc_ids == data.query(2).doc_ids
    assert not hasattr(data, "no_such_part")


def test_a_part_shares_the_arrays():
    data = mixed()
    part, same = data.part(slice(2, 5)), data.subset([2, 3, 4])
    assert np.shares_memory(part.X, data.X)
    assert part.fingerprint == same.fingerprint
    np.testing.assert_array_equal(part.rows, same.rows)


@pytest.mark.parametrize(
    "qid",
    [
        np.repeat([7, 3, 7, -1], 5),
        np.repeat([7.0, 3.0, 7.0, 1.0], 5),
        np.repeat([7.5, 3.0, 7.5, 1.0], 5),
        np.repeat(["b", "a", "b", ""], 5),
        np.repeat([True, False, True, False], 5),
    ],
    ids=str,
)
def test_query_ids_in_an_array_are_those_of_a_list(qid):
    X, y = np.eye(20), np.zeros(20)
    data = RankingDataset.from_arrays(X, y, qid)
    listed = RankingDataset.from_arrays(X, y, qid.astype(object))
    if qid.dtype.kind == "f" and (qid == np.floor(qid)).all():
        assert data.query_ids == ("7", "3", "1")
    else:
        assert data.query_ids == listed.query_ids
    np.testing.assert_array_equal(data.rows, listed.rows)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_exact_numbers_in_single_precision_train_the_same_model(name):
    """Only the order of a sum may differ, which the compiler chooses."""
    data = RankingDataset.from_arrays(*arrays())
    model = rankcore.get_algorithm(name)(max_iter=3)
    expected = np.array(model.fit_dataset(data).parameters_, dtype=np.float64)
    single = data.stored("float32")
    result = np.array(model.fit_dataset(single).parameters_, dtype=np.float64)
    assert result == pytest.approx(expected, rel=1e-7, abs=1e-9)
    scores = model.scores(data.X, model.parameters_)
    assert model.scores(single.X, model.parameters_) == pytest.approx(scores, rel=1e-12)


@pytest.mark.parametrize(("memory", "fits"), [(8 * 2**30, True), (4 * 2**30, False)])
def test_a_file_that_is_named_is_limited_by_memory_alone(monkeypatch, memory, fits):
    """WEB30K: 5.2 GB of text, 3,771,125 documents of 136 features."""
    of_machine = {"SC_PHYS_PAGES": memory // 4096, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr("os.sysconf", of_machine.__getitem__)
    limits = limits_of_machine()
    assert limits.size > 5.2e9 > 2**32
    # Features and ids, 16 numbers a document, in eight tenths of the memory.
    assert (0.8 * memory >= 3_771_125 * (136 + 16) * 8) == fits
    assert (limits.problem(3_771_125, 136) is None) == fits
