"""Files in parts on disk: the same data as the reader's, in little memory."""

import gzip
import json
import os
import pickle
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock

from rankcore import (
    DataError,
    ListNet,
    RSRank,
    load_partitions,
    read_letor,
    read_table,
)
from rankcore.base import blocks as division
from rankcore.compute.executors import Serial
from rankcore.data.catalogue import load
from rankcore.data.formats.parts import part_sizes
from rankcore.data.formats.parts import source as opening
from rankcore.data.planted import planted
from rankcore.data.readers import read
from rankcore.data.readers.converting import convert
from rankcore.training import Stop, drive
from tests.cli.conftest import write_letor
from tests.fits import digest
from tests.readers.test_broken_letor import CASES

ROOT = Path(__file__).parents[2]
LETOR = (
    b"\xef\xbb\xbf# a comment\n"
    b"2 qid:a 1:0.5 3:-1e-7 #docid = d-1 inc = 1\r\n"
    b"0 qid:a 2:0.1234567890123456789\n"
    b"\n"
    b"1 qid:b # named \xc3\xa9\n"
    b"0 qid:b 1:1 2:2 7:7\n"
    b"# between\n"
    b"3 qid:10 4:4\n"
    b"0 qid:11 4:4\n"
    b"1 qid:11 5:5 # last"
)
CSV = (
    "\ufeffstars;q;sku;query_text;document_text;f1;f2\n"
    '2;a;x;words of a;"a title;\nof two lines";1;2\n'
    "0;a;y;words of a;;3;4e-3\n"
    "1;b;x;words of b;t;5;6\n\n"
).encode()[:-1]
COLUMNS = {"label": "stars", "query": "q", "document": "sku"}


@pytest.fixture
def small_parts(monkeypatch):
    def choose(size: int) -> None:
        monkeypatch.setattr(part_sizes, "BYTES", size)
        monkeypatch.setattr(part_sizes, "CELLS", size)
        monkeypatch.setattr(opening, "BLOCK", max(size, 16))

    choose(1)
    return choose


def is_same(found, expected) -> bool:
    for key in ("X", "y", "offsets", "rows"):
        np.testing.assert_array_equal(getattr(found, key), getattr(expected, key))
        assert not getattr(found, key).flags.writeable
    keys = (
        "query_ids", "doc_ids", "feature_names", "name", "doc_texts", "query_texts",
        "normalisation", "fingerprint",
    )  # fmt: skip
    return all(getattr(found, key) == getattr(expected, key) for key in keys)


@pytest.mark.parametrize("size", [1, 40, 100, 10**6])
@pytest.mark.parametrize("zipped", [False, True])
def test_letor_text_gives_what_the_reader_gives(size, zipped, tmp_path, small_parts):
    small_parts(size)
    path = tmp_path / ("up.txt.gz" if zipped else "up.txt")
    path.write_bytes(gzip.compress(LETOR) if zipped else LETOR)
    converted = convert(path, tmp_path / "up")
    assert converted[:2] == (4, 7)
    assert converted.parts > 1 or size >= 100
    assert is_same(load_partitions(tmp_path / "up"), read_letor(path))


@pytest.mark.parametrize("killed", [False, True])
def test_a_row_with_more_features_than_those_before(killed, tmp_path, small_parts):
    """The conversion begins anew once it is found; if it ends then, too."""
    small_parts(30)
    path, folder, seen = tmp_path / "up.txt", tmp_path / "up", []
    lines = [f"{k % 2} qid:{k // 2} {1 + k // 12}:1\n" for k in range(40)]
    path.write_text("".join(lines))

    def told(found) -> None:
        seen.append(found.parts)
        if killed and seen.count(1) == 2 and found.parts == 2:
            raise BrokenOffError

    if killed:
        with pytest.raises(BrokenOffError):
            convert(path, folder, report=told)
    convert(path, folder, report=told if not killed else seen.append)
    assert is_same(load_partitions(folder), read_letor(path))
    assert seen.count(1) == 2


@pytest.mark.parametrize("size", [1, 3, 10**6])
def test_csv_gives_what_the_reader_gives(size, tmp_path, small_parts):
    small_parts(size)
    path = tmp_path / "shop.csv"
    path.write_bytes(CSV)
    convert(path, tmp_path / "shop", **COLUMNS)
    partitions = load_partitions(tmp_path / "shop")
    assert is_same(partitions, read_table(path, **COLUMNS))
    assert partitions.doc_texts == ("a title;\nof two lines", "", "t")
    # Each part is a table for itself.
    parts = [read_table(p) for p in sorted((tmp_path / "shop").glob("*.parquet"))]
    np.testing.assert_array_equal(
        np.concatenate([part.X for part in parts]), partitions.X
    )
    assert sum((part.doc_ids for part in parts), ()) == partitions.doc_ids


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("kind", [None, "minmax", "zscore"])
def test_features_are_scaled_and_stored_as_asked(dtype, kind, tmp_path, small_parts):
    path = tmp_path / "up.txt"
    path.write_bytes(LETOR)
    convert(path, tmp_path / "up", dtype=dtype, normalisation=kind)
    expected = read_letor(path).normalise(kind).stored(dtype)
    partitions = load_partitions(tmp_path / "up")
    assert partitions.X.dtype == dtype
    assert is_same(partitions, expected)


def sentence(action, *arguments, **details) -> str:
    with pytest.raises(DataError) as caught:
        action(*arguments, **details)
    return str(caught.value)


GOOD = b"1 qid:a 1:1\n0 qid:a 1:2\n1 qid:b 1:1\n0 qid:c 1:2\n"


# The second is one whose rows are not adjacent; a part of the first is a wide table.
@pytest.mark.parametrize(
    "case", sorted(CASES.keys() - {"huge index", "same document twice"})
)
@pytest.mark.parametrize("size", [1, 10**6])
def test_a_bad_line_gets_the_sentence_of_the_reader(case, size, tmp_path, small_parts):
    small_parts(size)
    path = tmp_path / "up.txt"
    text = CASES[case][0]
    # In the first line, and after others, which are parts by then.
    marked = text.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff"))
    nothing = not text.replace(b"\n", b"").strip() or text.startswith(b"#")
    for number, before in enumerate([b""] if marked or nothing else [b"", GOOD]):
        path.write_bytes(before + text)
        expected = sentence(read_letor, path)
        assert sentence(convert, path, tmp_path / f"up{number}") == expected


@pytest.mark.parametrize(
    "row",
    ["x,1,a", "1,,a", "1,9,", "1,9", "1,9,1,2", '1,9,"1', "0.5,9,1", "1,9,nan"],
)
def test_a_bad_row_of_csv_gets_the_sentence_of_the_reader(row, tmp_path, small_parts):
    path = tmp_path / "up.csv"
    path.write_text(f"label,qid,f\n0,1,1\n1,1,2\n1,2,3\n0,3,4\n{row}\n")
    assert sentence(convert, path, tmp_path / "up") == sentence(read_table, path)


class BrokenOffError(Exception):
    pass


def test_folders_that_hold_something_else_are_refused(tmp_path):
    path, folder = tmp_path / "up.txt", tmp_path / "up"
    path.write_bytes(LETOR)
    assert "contains other files" in sentence(convert, path, tmp_path)
    convert(path, folder)
    assert "other options" in sentence(convert, path, folder, dtype="float32")
    with FileLock(folder / ".lock"):
        assert "Another process" in sentence(convert, path, folder)
    path.write_bytes(LETOR + b"\n")
    assert "another file" in sentence(convert, path, folder)
    assert "not a folder of" in sentence(load_partitions, tmp_path)
    (folder / "X.npy").write_bytes(b"\x93NUMPY")
    assert "cannot be read" in sentence(load_partitions, folder)
    (tmp_path / "empty.txt").write_bytes(b"# nothing\n")
    assert "no rows" in sentence(convert, tmp_path / "empty.txt", tmp_path / "empty")
    assert "no such file" in sentence(convert, tmp_path / "absent.txt", tmp_path / "a")


@pytest.fixture
def written(tmp_path, monkeypatch):
    """A file of some blocks and parts, and its folder."""
    path = tmp_path / "planted.txt"
    write_letor(path, planted(n_queries=12))
    monkeypatch.setattr(part_sizes, "BYTES", 50_000)
    monkeypatch.setattr(opening, "BLOCK", 50_000)
    monkeypatch.setattr(division, "CELLS", 8000)
    assert convert(path, tmp_path / "planted").parts > 5
    return path, tmp_path / "planted"


def test_models_are_those_of_the_file_to_the_last_bit(written):
    data, mapped = read_letor(written[0]), load_partitions(written[1])
    for model in (RSRank(), ListNet()):
        assert fitted(model, mapped, None) == fitted(model, data, Serial())


def fitted(model, data, executor) -> str:
    stop = Stop(max_iterations=4)
    return digest(drive(model, data, stop=stop, executor=executor))


def test_other_processes_receive_the_folder(written):
    mapped = load_partitions(written[1])
    text = pickle.dumps(mapped)
    assert len(text) < 1000
    assert is_same(pickle.loads(text), mapped)
    scaled = mapped.normalise("minmax")
    assert is_same(pickle.loads(pickle.dumps(scaled)), scaled)
    weights = np.arange(1.0, scaled.n_documents + 1.0)
    both = scaled.with_document_weights(weights).with_query_weights(
        np.arange(1.0, scaled.n_queries + 1.0)
    )
    again = pickle.loads(pickle.dumps(both))
    assert again.fingerprint == both.fingerprint != scaled.fingerprint


def test_document_ids_are_read_when_they_are_asked_for(written):
    data = read_letor(written[0])
    mapped = load_partitions(written[1])
    assert "doc_ids" not in vars(mapped)
    assert "doc_ids" not in vars(mapped.normalise("minmax"))
    assert mapped.normalise("minmax").doc_ids == data.doc_ids
    fresh = load_partitions(written[1])
    assert fresh.part(slice(3, 5)).doc_ids == data.part(slice(3, 5)).doc_ids
    assert load_partitions(written[1]).subset([7, 2]).doc_ids == (
        data.subset([7, 2]).doc_ids
    )


def test_folders_are_loaded_by_their_path(written):
    assert is_same(load(written[1]).train, read(written[0]))
    assert "'label' cannot be changed" in sentence(read, written[1], label="y")


CONVERTING = """
import sys
from rankcore.data.formats.parts import part_sizes, source
from rankcore.data.readers.converting import convert
part_sizes.BYTES = source.BLOCK = int(sys.argv[3])
def peak():
    with open("/proc/self/status") as status:
        line = next(line for line in status if line.startswith("VmHWM"))
    return 1024 * int(line.split()[1])
convert(sys.argv[4], sys.argv[2] + "-small")
before = peak()
print("ready", flush=True)
convert(sys.argv[1], sys.argv[2])
print(peak() - before)
"""


def converted(path: Path, folder: Path, size: int, small: Path) -> subprocess.Popen:
    if not small.exists():
        small.write_bytes(LETOR)
    words = [str(path), str(folder), str(size), str(small)]
    return subprocess.Popen(
        [sys.executable, "-c", CONVERTING, *words],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


@pytest.mark.soak
def test_the_memory_of_a_conversion_is_bounded(tmp_path):
    path, small = tmp_path / "large.txt", tmp_path / "small.txt"
    values = " ".join(f"{k}:{k / 7:.6f}" for k in range(1, 137))
    with path.open("w") as file:
        for query in range(3000):
            file.writelines(f"{k % 3} qid:{query} {values}\n" for k in range(100))
    assert path.stat().st_size > 400e6
    process = converted(path, tmp_path / "large", part_sizes.BYTES, small)
    taken = int(process.communicate(timeout=300)[0].split()[-1])
    assert process.returncode == 0
    assert taken <= 256 * 2**20, f"{taken / 2**20:.0f} MiB"


@pytest.mark.soak
def test_a_conversion_that_is_killed_at_random_moments_goes_on(tmp_path, written):
    path, expected = written[0], load_partitions(written[1])
    folder, small = tmp_path / "killed", tmp_path / "small.txt"
    chance, kills = random.Random(0), 0
    for _ in range(12):
        process = converted(path, folder, 3000, small)
        assert process.stdout.readline() == "ready\n"
        parts = len(list(folder.glob("part-*.json"))) + chance.choice((1, 2))
        while len(list(folder.glob("part-*.json"))) < parts:
            if process.poll() is not None:
                break
        time.sleep(chance.uniform(0.0, 0.02))
        process.kill()
        process.communicate()
        kills += process.returncode != 0
        contents = folder / "dataset.json"
        if contents.exists() and json.loads(contents.read_text()).get("complete"):
            break
    assert kills >= 2
    convert(path, folder)
    assert is_same(load_partitions(folder), expected)
    assert os.path.getsize(folder / "X.npy") == os.path.getsize(written[1] / "X.npy")
