"""Damaged files, hundreds of each kind: a sentence with a place, or sound data."""

import itertools
import json
import os
import shutil
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings

from rankcore import DataError, list_datasets, load_dataset, load_partitions
from rankcore.data.formats.parts import part_sizes
from rankcore.data.formats.parts.first_rows import FIRST_ROWS
from rankcore.data.planted import planted
from rankcore.data.readers import (
    find_judgement_problems,
    find_problems,
    first_rows,
    preview_table,
    read,
    read_judgements,
    reading_options,
)
from rankcore.data.readers.converting import convert
from tests.damage import ABSENT, damaged, edits, outcome, replaced
from tests.soaking import examples, numbers, soak

ROWS = [(f"q{n // 5}", f"d{n}", n % 3) for n in range(40)]
QRELS = b"".join(b"%s 0 %s %d\n" % (q.encode(), d.encode(), y) for q, d, y in ROWS)
JUDGED_CSV = pd.DataFrame(ROWS, columns=["query", "document", "label"]).to_csv(
    index=False
).encode()  # fmt: skip


@pytest.mark.parametrize("content", [QRELS, JUDGED_CSV], ids=["qrels", "csv"])
@numbers(100, 400)
def test_judgements(content, number):
    @given(edits)
    @settings(max_examples=number, deadline=None)
    def check(changes):
        text = damaged(content, changes)
        result = outcome(read_judgements, text, name="j")
        problems = find_judgement_problems(text, name="j")
        if isinstance(result, DataError):
            assert str(result) == str(problems.errors[0])
            return
        assert not problems
        lines = text.count(b"\n") + text.count(b"\r") + 1
        assert 1 <= sum(map(len, result.values())) <= lines
        labels = [y for of_query in result.values() for y in of_query.values()]
        assert all(isinstance(y, int) and 0 <= y <= 31 for y in labels)
        assert all(all(of_query) for of_query in (result, *result.values()))

    check()


FRAME = planted(n_queries=6).to_frame()
FRAME["title"] = [f"title {n}" for n in range(len(FRAME))]
PARQUET = FRAME.to_parquet()


@examples(75, 300, edits)
@example([(0.0, 0, b"\x1f\x8b")])
def test_parquet_is_looked_at_and_its_problems_are_found(changes):
    content = damaged(PARQUET, changes)
    preview = outcome(preview_table, content, name="p.parquet")
    if isinstance(preview, DataError):
        options = {"ignore": ["title"]}
    else:
        assert all(len(row) == len(preview.columns) for row in preview.rows)
        options = reading_options(preview, preview.roles)
    result = outcome(read, content, name="p.parquet", **options)
    problems = find_problems(content, name="p.parquet", **options)
    if isinstance(result, DataError):
        assert str(result) in map(str, problems.errors)
        assert problems.lines == ()
    else:
        assert not problems
        assert np.isfinite(result.X).all()


LETOR = b"".join(
    b"%d qid:q%d 1:%d.5 2:1 # d%d\n" % (n % 3, n // 5, n, n) for n in range(60)
)
LOG = b"".join(
    json.dumps(
        {"qid": f"q{n // 5}", "id": f"d{n}", "label": n % 3, "[features]": f"f={n}"}
    ).encode()
    + b"\n"
    for n in range(60)
)
CONVERTED = {
    "f.txt": (LETOR, {}),
    "f.csv": (FRAME.to_csv(index=False).encode(), {"ignore": ["title"]}),
    "f.parquet": (PARQUET, {"ignore": ["title"]}),
    "f.ndjson": (LOG, {}),
}


@pytest.mark.parametrize("name", ["f.txt", "f.ndjson"])
@numbers(100, 400)
def test_first_rows_are_the_first_ones_that_are_read(name, number):
    @given(edits)
    @example([(0.1875, 0, b",")])
    @settings(max_examples=number, deadline=None)
    def check(changes):
        content = damaged(CONVERTED[name][0], changes)
        result = outcome(first_rows, content, name=name)
        whole = outcome(read, content, name=name)
        if isinstance(result, DataError):
            assert isinstance(whole, DataError)
            return
        assert len(result.rows) <= FIRST_ROWS
        if not isinstance(whole, DataError):
            expected = whole.to_frame().sort_index()
            assert len(result.rows) == min(FIRST_ROWS, len(expected))
            for row, (_, value) in zip(result.rows, expected.iterrows(), strict=False):
                # A document that is not judged is read as one that is not relevant. The
                # order of a log's features is that of the documents looked at.
                entries = row | {"label": row["label"] or 0}
                assert entries == {key: value[key] for key in row}

    check()


@pytest.mark.parametrize("name", CONVERTED)
@numbers(30, 100)
def test_what_is_converted_is_what_is_read(name, number, tmp_path):
    whole, options = CONVERTED[name]
    count = itertools.count()

    @given(edits)
    @settings(max_examples=number, deadline=None)
    def check(changes):
        folder = tmp_path / str(next(count))
        folder.mkdir()
        file = folder / name
        file.write_bytes(damaged(whole, changes))
        expected = outcome(read, file, **options)
        result = outcome(convert, file, folder / "made", **options)
        if isinstance(expected, DataError):
            assert isinstance(result, DataError)
        elif isinstance(result, DataError):
            # Read whole, the rows of a query may stand apart.
            assert "comes twice" in result.problem
        else:
            assert load_partitions(folder / "made").fingerprint == expected.fingerprint
        shutil.rmtree(folder)

    check()


@pytest.fixture(scope="module")
def converted(tmp_path_factory):
    """A converted folder with all that one can hold, in two parts."""
    place = tmp_path_factory.mktemp("converted")
    frame = FRAME.assign(use=np.arange(len(FRAME)) / 7, group="g")
    frame.to_csv(place / "shop.csv", index=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(part_sizes, "BYTES", 1)
        patch.setattr(part_sizes, "CELLS", 45 * len(frame) // 2)
        convert(
            place / "shop.csv", place / "shop", text="title", score=["use"],
            group=["group"],
        )  # fmt: skip
    return place / "shop"


ODD = [ABSENT, None, [1], 10**400]
ODDER = [5, "\ud800", [], {}, "", "\0", -1, 1e999, True, [[]] * 9]


def check_folder(folder: Path, monkeypatch) -> None:
    """A folder is listed, with the reason where it cannot be read; what is read of it
    is sound."""
    monkeypatch.setenv("RANKSCOPE_DATA", str(folder.parent))
    (info,) = [one for one in list_datasets() if one.name == f"{folder.name}-sample"]
    for load, named in (
        (lambda: load_partitions(folder), folder),
        # The catalogue must not reveal where the server keeps its data.
        (lambda: load_dataset(info.name).train, Path(folder.name)),
    ):
        data = outcome(load)
        if isinstance(data, DataError):
            assert Path(data.file).is_relative_to(named)
            continue
        assert not info.problem
        assert np.isfinite(data.X).all()
        assert data.y.min() >= 0
        assert len(data.y) == len(data.X) == data.offsets[-1]
        ids = outcome(lambda data=data: data.doc_ids)
        assert isinstance(ids, DataError) or all(isinstance(one, str) for one in ids)


@pytest.mark.parametrize(
    "value", [*ODD, *map(soak, ODDER)], ids=lambda odd: f"{odd!r:.9}"
)
@pytest.mark.parametrize("name", ["dataset.json", "part-00001.json"])
def test_a_converted_folder_with_other_json(
    name, value, converted, tmp_path, monkeypatch
):
    folder = tmp_path / "shop"
    shutil.copytree(converted, folder)
    whole = json.loads((converted / name).read_text())
    for content in replaced(whole, value):
        (folder / name).write_text(json.dumps(content))
        check_folder(folder, monkeypatch)


@pytest.mark.parametrize(
    "name",
    ["dataset.json", "part-00000.json", "X.npy", "y.npy", "part-00001.parquet"],
)
@numbers(15, 30)
def test_a_converted_folder_with_a_damaged_file(
    name, number, converted, tmp_path, monkeypatch
):
    folder = tmp_path / "shop"
    shutil.copytree(converted, folder)
    whole = (converted / name).read_bytes()

    @given(edits)
    @example([(0.0, 0, b"PK\3\4")])
    @example([(1.0, 0, b"x")])
    @example([(0.5, len(whole), b"")])
    @settings(max_examples=number, deadline=None)
    def check(changes):
        (folder / name).write_bytes(damaged(whole, changes))
        check_folder(folder, monkeypatch)

    check()


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_not_finite_are_told_by_row_and_feature(
    value, converted, tmp_path
):
    folder = tmp_path / "shop"
    shutil.copytree(converted, folder)
    stored = np.lib.format.open_memmap(folder / "X.npy", mode="r+")
    stored[7, 3] = value
    stored.flush()
    with pytest.raises(
        DataError, match=r"line 8, column f4: .* is not a finite number"
    ):
        load_partitions(folder)


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "1 TB"])
@pytest.mark.parametrize("name", ["dataset.json", "part-00000.json", "X.npy", "y.npy"])
def test_a_converted_folder_with_what_is_no_file(
    kind, name, converted, tmp_path, monkeypatch
):
    """A page that lists it waits for no pipe and reads no more than memory holds."""
    folder = tmp_path / "shop"
    shutil.copytree(converted, folder)
    if kind == "1 TB":
        os.truncate(folder / name, 2**40)
    else:
        (folder / name).unlink()
        make = {"pipe": os.mkfifo, "folder": os.mkdir}
        make.get(kind, partial(os.symlink, "/dev/zero"))(folder / name)
    if kind == "1 TB" or name != "dataset.json":
        check_folder(folder, monkeypatch)
    if kind != "1 TB" or name.endswith(".json"):
        with pytest.raises(DataError):
            load_partitions(folder)


@pytest.mark.parametrize("gone", ["part-00000.json", "part-00001.json", "X.npy"])
def test_a_converted_folder_without_a_file(gone, converted, tmp_path, monkeypatch):
    folder = tmp_path / "shop"
    shutil.copytree(converted, folder)
    (folder / gone).unlink()
    check_folder(folder, monkeypatch)
    with pytest.raises(DataError):
        load_partitions(folder)
