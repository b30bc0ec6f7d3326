"""Chunked reading of other formats gives the same data and errors as the readers."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest

from rankcore import load_partitions, read_feature_log, read_table
from rankcore.data.formats.parts import part_sizes
from rankcore.data.partitions import sample_partitions
from rankcore.data.planted import planted
from rankcore.data.readers import read
from rankcore.data.readers.converting import convert
from tests.readers.test_converting import (
    COLUMNS,
    CSV,
    LETOR,
    BrokenOffError,
    is_same,
    sentence,
)

JUDGEMENTS = "qid,docid,label\na,d1,2\na,d2,0\n2,d1,1\nb,d9,3\nc,d1,1\ne,d1,1\n"


def response(query: str | None, *documents: tuple[str, dict[str, float]]) -> str:
    hits = [
        {
            "_id": name,
            "_source": {"title": f"about {name}"},
            "fields": {
                "_ltrlog": [
                    {"main": [{"name": n, "value": v} for n, v in features.items()]}
                ]
            },
        }
        for name, features in documents
    ]
    return json.dumps({**({"qid": query} if query else {}), "hits": {"hits": hits}})


LOG = "\n".join(
    [
        response("a", ("d1", {"x": 1.5, "y": 2.0}), ("d2", {"y": 0.5})),
        # The second response, whose query has no name but its number.
        response(None, ("d1", {"x": -1.0})),
        "",
        response("b", ("d9", {"y": 3.0})),
        response("b", ("d8", {"x": 0.25, "late": 7.0})),
        response("c", ("d1", {"x": 4.0})) + response("d", ("d1", {"x": 5.0})),
    ]
)


@pytest.fixture
def log(tmp_path):
    path, judgements = tmp_path / "log.ndjson", tmp_path / "judged.csv"
    path.write_text(LOG)
    judgements.write_text(JUDGEMENTS)
    return path, judgements


@pytest.fixture
def table(tmp_path):
    """Parquet of several row groups, which are not those of the parts."""
    path = tmp_path / "shop.parquet"
    frame = planted(n_queries=5).to_frame()
    frame["query_text"] = "words of " + frame["query"]
    frame["document_text"] = [f"title {k}" for k in range(len(frame))]
    frame.to_parquet(path, row_group_size=70)
    return path


def small(monkeypatch, size: int) -> None:
    monkeypatch.setattr(part_sizes, "BYTES", size)
    monkeypatch.setattr(part_sizes, "CELLS", size)


@pytest.mark.parametrize("size", [1, 7, 10**6])
def test_a_feature_log_gives_what_the_reader_gives(size, log, tmp_path, monkeypatch):
    small(monkeypatch, size)
    converted = convert(log[0], tmp_path / "log", judgements=log[1])
    assert (converted.parts > 1) == (size < 10**6)
    result, expected = load_partitions(tmp_path / "log"), read_feature_log(*log)
    assert result.feature_names == ("x", "y", "late")
    assert result.query_ids == ("a", "2", "b", "c", "d")
    assert is_same(result, expected)
    np.testing.assert_array_equal(result.judged, expected.judged)
    assert result.n_judged == 5


@pytest.mark.parametrize("size", [1, 400, 10**6])
def test_parquet_gives_what_the_reader_gives(size, table, tmp_path, monkeypatch):
    small(monkeypatch, size)
    converted = convert(table, tmp_path / "shop")
    assert converted.parts == (5 if size == 1 else converted.parts)
    partitions = load_partitions(tmp_path / "shop")
    assert is_same(partitions, read_table(table))
    assert partitions.doc_texts[1] == "title 1"


@pytest.fixture(params=["txt", "csv", "ndjson", "parquet"])
def given(request, tmp_path):
    """A file of each format, and the options that it is read with."""
    path = tmp_path / f"up.{request.param}"
    if request.param == "parquet":
        return request.getfixturevalue("table"), {}
    if request.param == "ndjson":
        path, judgements = request.getfixturevalue("log")
        return path, {"judgements": judgements}
    path.write_bytes(LETOR if request.param == "txt" else CSV)
    return path, COLUMNS if request.param == "csv" else {}


def test_a_conversion_that_was_broken_off_goes_on(given, tmp_path, monkeypatch):
    small(monkeypatch, 1)
    (path, options), folder, numbers = given, tmp_path / "parts", []

    def break_off(found) -> None:
        numbers.append(found.parts)
        raise BrokenOffError

    while True:
        try:
            convert(path, folder, report=break_off, **options)
        except BrokenOffError:
            assert "is incomplete" in sentence(load_partitions, folder)
            # The state that a process killed while writing leaves behind.
            for name in ("X.npy", "y.npy"):
                with (folder / name).open("ab") as file:
                    file.write(b"half a row")
            (folder / f"part-{numbers[-1]:05d}.parquet").write_bytes(b"PAR")
        else:
            break
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) > 1
    assert is_same(load_partitions(folder), read(path, **options))
    assert not list(folder.glob(".table-*"))
    # Nothing is left to do.
    before = {p: p.stat().st_mtime_ns for p in folder.iterdir() if p.suffix}
    convert(path, folder, **options)
    assert before == {p: p.stat().st_mtime_ns for p in folder.iterdir() if p.suffix}


BROKEN = {
    "no JSON": "{",
    "no name": response("e", ("d1", {"": 1.0})),
    "no number": response("e", ("d1", {"x": 1.0})).replace("1.0", '"high"'),
    "no features": '{"hits": {"hits": [{"_id": "d1"}]}}',
    "twice": response("e", ("d1", {"x": 1.0}), ("d1", {"x": 2.0})),
}


@pytest.mark.parametrize("case", BROKEN)
@pytest.mark.parametrize("size", [1, 10**6])
def test_a_bad_line_gets_the_sentence_of_the_reader(
    case, size, log, tmp_path, monkeypatch
):
    small(monkeypatch, size)
    for number, before in enumerate(["", LOG + "\n"]):
        log[0].write_text(before + BROKEN[case])
        expected = sentence(read_feature_log, *log)
        folder = tmp_path / f"up{number}"
        assert sentence(convert, log[0], folder, judgements=log[1]) == expected


def test_logs_that_are_no_data_set_get_the_sentence_of_the_reader(log, tmp_path):
    path, judgements = log
    result = sentence(convert, path, tmp_path / "unjudged")
    remedy = "; or convert documents without labels"
    assert remedy in result
    assert result.split(remedy)[0] == sentence(read_feature_log, path).rstrip(".")
    judgements.write_text("qid,docid,label\nz,d1,2\n")
    result = sentence(convert, path, tmp_path / "others", judgements=judgements)
    assert result == sentence(read_feature_log, path, judgements)
    path.write_text("\n")
    result = sentence(convert, path, tmp_path / "none", judgements=judgements)
    assert result == sentence(read_feature_log, path, judgements)
    (tmp_path / "up.csv").write_text("label,qid,f\n1,1,1\n")
    result = sentence(
        convert, tmp_path / "up.csv", tmp_path / "up", judgements=judgements
    )
    assert "not a feature log" in result


@pytest.mark.parametrize("size", [1, 10**6])
def test_a_query_that_comes_twice_is_refused(size, given, tmp_path, monkeypatch):
    small(monkeypatch, size)
    path, options = given
    if path.suffix == ".parquet":
        frame = pd.read_parquet(path)
        pd.concat([frame, frame[:1].assign(document="new")]).to_parquet(path)
        query, line = frame["query"].iloc[0], len(frame) + 1
    else:
        row = {
            ".txt": b"\n1 qid:a 1:1",
            ".csv": b"1;a;new;words of a;;1;2\n",
            ".ndjson": b"\n" + response("a", ("d7", {"x": 1.0})).encode(),
        }[path.suffix]
        path.write_bytes(path.read_bytes() + row)
        query, line = "a", len(path.read_bytes().splitlines())
    read(path, **options)
    assert sentence(convert, path, tmp_path / "parts", **options) == (
        f"{path}, line {line}: The query {query!r} comes twice: its rows are not "
        "adjacent. Sort the file by query, or read the whole file if it fits into "
        "memory."
    )


@pytest.mark.parametrize("size", [1, 10**6])
def test_a_bad_row_of_parquet_gets_the_sentence_of_the_reader(
    size, table, tmp_path, monkeypatch
):
    import pandas as pd

    small(monkeypatch, size)
    frame = pd.read_parquet(table)
    for column, value in (("f3", np.nan), ("label", 0.5), ("query", None)):
        frame.assign(
            **{column: [*frame[column][:-1].astype(object), value]}
        ).to_parquet(table)
        folder = tmp_path / f"{column}-{size}"
        assert sentence(convert, table, folder) == sentence(read_table, table)
    table.write_bytes(table.read_bytes()[:-40])
    assert "is damaged" in sentence(convert, table, tmp_path / "damaged")


def test_a_sample_has_whole_queries_as_they_are_in_all_data(
    table, tmp_path, monkeypatch
):
    small(monkeypatch, 400)
    convert(table, tmp_path / "shop")
    data = load_partitions(tmp_path / "shop")
    few = sample_partitions(tmp_path / "shop", data.X.size // 2)
    assert 2 <= few.n_queries < data.n_queries
    assert few.X.size <= data.X.size // 2
    chosen = [data.query_ids.index(query) for query in few.query_ids]
    assert chosen == sorted(chosen)
    expected = data.subset(chosen)
    assert few.fingerprint == expected.fingerprint
    assert few.doc_texts == expected.doc_texts
    assert few.query_texts == expected.query_texts
    assert sample_partitions(tmp_path / "shop", 1).n_queries == 1
    assert is_same(sample_partitions(tmp_path / "shop"), data)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("size", [1, 10**6])
def test_groups_of_queries_are_kept(ending, size, tmp_path, monkeypatch):
    small(monkeypatch, size)
    frame = planted(n_queries=5).to_frame()
    frame["segment"] = [f"of {query[-1]}" for query in frame["query"]]
    frame["split"] = np.where(frame["query"] == frame["query"].iloc[0], "vali", "train")
    path = tmp_path / f"shop.{ending}"
    frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
    groups = ["segment", "split"]
    convert(path, tmp_path / "shop", group=groups)

    result, expected = (
        load_partitions(tmp_path / "shop"),
        read_table(path, group=groups),
    )
    assert is_same(result, expected)
    assert result.query_groups == expected.query_groups
    pd.testing.assert_frame_equal(result.to_frame(), expected.to_frame())
    (first, *_) = sorted((tmp_path / "shop").glob("part-*.parquet"))
    assert set(groups) < set(pd.read_parquet(first).columns)
    few = sample_partitions(tmp_path / "shop", 1)
    at = result.query_ids.index(few.query_ids[0])
    settings = {name: (words[at],) for name, words in result.query_groups.items()}
    assert few.query_groups == settings
    assert pickle.loads(pickle.dumps(result)).query_groups == result.query_groups
    train, valid, _ = result.split_by("split")
    assert valid.query_ids == result.query_ids[:1]
    assert train.n_queries == 4


def test_a_conversion_without_groups_is_known_as_before(table, tmp_path):
    """Folders that were left half finished before there were groups go on."""
    convert(table, tmp_path / "shop")
    contents = json.loads((tmp_path / "shop" / "dataset.json").read_text())
    assert contents["format"] == 1
    assert "group" not in contents["source"]["columns"]
    part = json.loads((tmp_path / "shop" / "part-00000.json").read_text())
    assert "query_groups" not in part
