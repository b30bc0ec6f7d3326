"""No file of up to 50 MB takes more than 1 GB, and pipes are read as files are."""

import gzip
import io
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_svmlight_file

from rankcore import DataError, read_letor
from rankcore.data.readers import Limits, find_problems, read
from tests.readers.bombs import (
    BOMBS,
    LEAN,
    MOST_BYTES,
    MOST_MEMORY,
    PAGE,
    Files,
    kind_of,
)

ROOT = Path(__file__).parents[2]
SAMPLE = (
    "CSV, 100,000 columns",
    "LETOR, one line of 50 MB",
    "Parquet, a long string repeated",
    "lesson, aliases of aliases as a key",
    "model, 5,900,000 wrong names",
    "a frame of objects",
)


def costs(files: list[tuple[str, Path]]) -> list[dict]:
    """Read each file in a process of its own."""
    words = [str(word) for file in files for word in file]
    answer = subprocess.run(
        [sys.executable, "-m", "tests.readers.bombs", *words],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return [json.loads(line) for line in answer.stdout.splitlines()]


def written(name: str, folder: Path, files: Files = BOMBS) -> tuple[str, Path]:
    ending, write = files[name]
    path = folder / f"{name.replace('/', '-')}.{ending}"
    write(path)
    assert min(path.stat().st_size, 512 * path.stat().st_blocks) <= MOST_BYTES
    return kind_of(ending), path


# Uploaded on the pages that take them, a sample of them in each run of the tests.
ON_PAGES = (
    "CSV, 100,000 columns",
    "CSV, 50 MB of short rows, a query each",
    "gz CSV, a row over many lines",
    "gz LETOR, rows without end",
    "LETOR, one line of 50 MB",
    "Parquet, a long string repeated",
    "Parquet, three columns, few",
    "log, objects with a key each",
    "model, 5,900,000 wrong names",
    "lesson, aliases of aliases as a key",
)
SAMPLE_ON_PAGES = ("model, lists in lists",)


def check(cost: dict) -> None:
    assert cost["outcome"].startswith(("read: ", "refused: ")), cost
    assert cost["peak"] <= MOST_MEMORY, cost


def on_page(name: str, folder: Path) -> tuple[str, Path]:
    kind, path = written(name, folder)
    return f"{PAGE}{kind}", path


def test_some_files_and_uploads_that_ask_for_much(tmp_path, device):
    files = [written(name, tmp_path) for name in SAMPLE]
    files += [on_page(name, tmp_path) for name in SAMPLE_ON_PAGES]
    files += [("data", device("zero")), ("model", device("zero"))]
    for cost in costs(files):
        check(cost)


# Times their size that files may take in memory, with what is the same for all sizes.
MOST_TIMES = 14


def test_what_is_read_takes_memory_in_proportion_to_the_file(tmp_path):
    files = [written(name, tmp_path, LEAN) for name in LEAN]
    first, *others = costs(files)
    for cost, (_, path) in zip(others, files[1:], strict=True):
        assert cost["outcome"].startswith("read: "), cost
        more = cost["peak"] - first["peak"]
        assert more <= MOST_TIMES * path.stat().st_size, (path, more)


@pytest.mark.soak
@pytest.mark.parametrize("name", ON_PAGES)
def test_uploads_that_ask_for_much(name, tmp_path):
    (cost,) = costs([on_page(name, tmp_path)])
    check(cost)


def test_more_rows_than_are_read_have_no_problems_of_their_own():
    rows = b"label,query,a\n0,1,?\n" + b"".join(b"0,%d,2\n" % n for n in range(9))
    few = find_problems(rows, name="a.csv", limits=Limits(rows=20))
    many = find_problems(rows, name="a.csv", limits=Limits(rows=5))
    assert (len(few.errors), few.complete) == (1, True)
    assert (len(many.errors), many.complete) == (1, False)
    assert many.lines == ()


@pytest.mark.soak
@pytest.mark.parametrize("name", BOMBS)
def test_every_file_that_asks_for_much(name, tmp_path):
    (cost,) = costs([written(name, tmp_path)])
    check(cost)


def test_limits_follow_from_the_size(tmp_path):
    """A row more than a small file may have is read from a large one."""
    small = Limits()
    assert small.problem(small.rows + 1, 1) == "There are more than 2000000 rows"
    assert "features + 16" in small.problem(1_000_000, 22)
    assert 1_000_000 * (22 + 16) > small.cells >= 1_000_000 * (21 + 16)
    assert small.problem(1_000_000, 21) is None


def through_a_pipe(content: bytes):
    if not Path("/dev/fd").is_dir():
        pytest.skip("a pipe has no path here")
    reading, writing = os.pipe()

    def write():
        with os.fdopen(writing, "wb") as file:
            file.write(content)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        return read(Path(f"/dev/fd/{reading}"))
    finally:
        os.close(reading)
        thread.join()


LETOR = b"2 qid:1 1:0.5 # a\n0 qid:1 1:1 # b\n"
CSV = b"label,query,docid,f1\n2,1,a,0.5\n0,1,b,1\n"


@pytest.mark.parametrize(
    "content",
    [
        LETOR,
        b"# made by hand\n\n" + LETOR,
        b"\xef\xbb\xbf" + LETOR,
        gzip.compress(LETOR),
        CSV,
        gzip.compress(CSV),
        pd.DataFrame({"label": [2, 0], "query": [1, 1], "docid": ["a", "b"],
                      "f1": [0.5, 1]}).to_parquet(),
    ],
    ids=["LETOR", "comment", "byte-order mark", "gz LETOR", "CSV", "gz CSV", "Parquet"],
)  # fmt: skip
def test_a_pipe_is_read_by_its_content(content):
    data = through_a_pipe(content)
    assert data.fingerprint == read_letor(LETOR).fingerprint


def test_a_pipe_with_nothing_in_it():
    with pytest.raises(DataError, match="no rows"):
        through_a_pipe(b"")


def test_widening_often_keeps_every_number(monkeypatch):
    monkeypatch.setattr("rankcore.data.formats.parts.source.BLOCK", 64)
    widths = range(1, 60)
    text = b"".join(b"1 qid:1 %d:%d\n" % (w, w) for w in widths)
    data = read_letor(text)
    assert data.X.tolist() == np.diag(np.array(widths, float)).tolist()


def test_wider_rows_among_others_are_read_to_the_bit():
    """Each row is a block; widths rise and fall, and queries take turns."""
    rng = np.random.default_rng(0)
    lines = []
    for row in range(400):
        present = np.flatnonzero(rng.random(1 + rng.integers(row + 1)) < 0.3) + 1
        numbers = rng.choice(["0", "1", "-0.25", "0.123456", "0.1234567890123"], 400)
        features = "".join(f" {i}:{numbers[i]}" for i in present)
        lines.append(f"{row % 3} qid:{row % 7}{features}\n".encode())
    data = read_letor(b"".join(map(gzip.compress, lines)))
    text = io.BytesIO(b"".join(lines))
    X, y, _ = load_svmlight_file(text, query_id=True, zero_based=False)
    assert data.original_order(data.X).tobytes() == X.toarray().tobytes()
    assert data.original_order(data.y).tolist() == y.tolist()


def test_joined_gzip_files_padded_with_zeros():
    many = gzip.compress(b"") * 5000
    long = gzip.compress(b"# some comment\n" * 200_000)
    last = gzip.compress(b"1 qid:2 1:7\n")
    parts = [gzip.compress(LETOR), many, bytes(10_000), long, long, last]
    data = read_letor(b"".join(parts) + bytes(100))
    assert data.query_ids == ("1", "2")
    assert data.X.ravel().tolist() == [0.5, 1, 7]
