"""`rankscope convert --unlabelled`: folders that are scored and nothing else."""

import json

import numpy as np
import pandas as pd
import pytest

from rankcore import DataError, load_partitions
from rankcore.data import catalogue
from rankcore.data.formats.parts import part_sizes
from rankcore.data.readers import read
from rankcore.data.readers.converting import convert

FEATURES = ("f1", "f2", "f3", "f4")


def rows():
    rng = np.random.default_rng(4)
    lengths = rng.integers(1, 6, 30)
    queries = np.repeat([f"q{n}" for n in rng.permutation(30)], lengths)
    names = [f"d{n}" for length in lengths for n in rng.permutation(length)]
    return queries, names, np.round(rng.random((len(names), 4)), 3)


def logged(x):
    return ",".join(map("{}={}".format, FEATURES, x))


def written(folder, ending):
    """A file of some rows without labels."""
    queries, names, X = rows()
    file = folder / f"new{ending}"
    table = pd.DataFrame(X, columns=list(FEATURES))
    table.insert(0, "document", names)
    table.insert(0, "query", queries)
    if ending == ".csv":
        table.to_csv(file, index=False)
    elif ending == ".parquet":
        table.to_parquet(file)
    elif ending == ".ndjson":
        lines = (
            {
                "qid": q,
                "id": d,
                "[features]": ",".join(map("{}={}".format, FEATURES, x)),
            }
            for q, d, x in zip(queries, names, X, strict=True)
        )
        file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    else:
        pairs = (" ".join(f"{n}:{v}" for n, v in enumerate(x, start=1)) for x in X)
        values = zip(queries, pairs, names, strict=True)
        file.write_text("".join(f"qid:{q} {x} # {d}\n" for q, x, d in values))
    return file


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("ending", [".txt", ".csv", ".ndjson", ".parquet"])
def test_a_folder_without_labels_has_the_scores_of_its_file(
    rankscope, model, tmp_path, monkeypatch, ending, dtype
):
    file, folder = written(tmp_path, ending), tmp_path / "folder"
    monkeypatch.setattr(part_sizes, "BYTES", 500)
    monkeypatch.setattr(part_sizes, "CELLS", 40)
    assert rankscope("score", model, file, "--out", tmp_path / "a.csv").code == 0
    words = "convert", file, folder, "--unlabelled", "--dtype", dtype
    ended = rankscope(*words)
    assert (ended.code, ended.err) == (0, "")
    assert f"Score them: rankscope score MODEL {folder}" in ended.out
    assert len(list(folder.glob("part-*.json"))) > 1
    assert not (folder / "y.npy").exists()
    parts = pd.concat(map(pd.read_parquet, sorted(folder.glob("part-*.parquet"))))
    assert {"query", "document", *FEATURES} <= set(parts.columns)
    assert "label" not in parts
    assert rankscope("score", model, folder, "--out", tmp_path / "b.csv").code == 0
    wanted, result = (pd.read_csv(tmp_path / f"{name}.csv") for name in "ab")
    assert result[["query", "document"]].equals(wanted[["query", "document"]])
    same = 1e-6 if dtype == "float32" else 0.0
    assert result["score"].tolist() == pytest.approx(
        wanted["score"], rel=same, abs=same
    )
    # Whoever converts again goes on, and with labels is told apart.
    assert rankscope(*words).code == 0
    refused = rankscope("convert", file, folder)
    assert refused.code == 3


def test_whatever_needs_labels_refuses_the_folder(
    rankscope, model, letor, tmp_path, monkeypatch
):
    folder = tmp_path / "new"
    convert(written(tmp_path, ".csv"), folder, unlabelled=True)
    sentence = "This folder has no labels, since it was converted with --unlabelled"
    remedy = "Score it (rankscope score), or convert the file with its labels"
    commands = [
        ("train", folder, "RSRank"),
        ("train", letor / "train.txt", "RSRank", "--valid", folder),
        ("evaluate", folder, model),
        ("importance", folder, model),
        ("sweep", folder, "RSRank", "--over", "truncation_interval=1,2"),
        ("search", folder, "RSRank"),
        ("path", folder, "RSRank", "--over", "g"),
    ]
    for command in commands:
        ended = rankscope(*command)
        assert ended.code == 3, command
        assert f"{folder}: {sentence}. {remedy}" in ended.err, command
    for reading in (load_partitions, read, catalogue.load):
        with pytest.raises(DataError, match=sentence):
            reading(folder)
    monkeypatch.setenv("RANKSCOPE_DATA", str(tmp_path))
    [info] = [one for one in catalogue.list_datasets() if one.name == "new-sample"]
    assert sentence in info.problem


def test_options_about_labels_are_refused(rankscope, tmp_path):
    file = written(tmp_path, ".csv")
    for option in ("--label", "--labels", "--judgements", "--unjudged"):
        words = {"--unjudged": "drop", "--labels": "0.5"}.get(option, file)
        ended = rankscope(
            "convert", file, tmp_path / "f", "--unlabelled", option, words
        )
        assert (ended.code, f"{option} has no effect" in ended.err) == (2, True)
    with pytest.raises(DataError, match="label is given, but no labels are converted"):
        convert(file, tmp_path / "f", unlabelled=True, label="f1")
    assert not (tmp_path / "f").exists()


def test_labels_that_the_file_has_are_left_out(rankscope, model, letor, tmp_path):
    folder = tmp_path / "folder"
    assert rankscope("convert", letor / "test.txt", folder, "--unlabelled").code == 0
    for data, out in ((folder, "a.csv"), (letor / "test.txt", "b.csv")):
        assert rankscope("score", model, data, "--out", tmp_path / out).code == 0
    assert (tmp_path / "a.csv").read_text() == (tmp_path / "b.csv").read_text()


@pytest.mark.parametrize("damage", ["short", "infinite"])
def test_a_damaged_folder_is_named(rankscope, model, tmp_path, damage):
    folder, out = tmp_path / "new", tmp_path / "o.csv"
    convert(written(tmp_path, ".csv"), folder, unlabelled=True)
    X = folder / "X.npy"
    content = bytearray(X.read_bytes())
    content[-8:] = np.array([np.inf]).tobytes()
    X.write_bytes(content[:-9] if damage == "short" else content)
    ended = rankscope("score", model, folder, "--out", out)
    assert (ended.code, out.exists()) == (3, False)
    assert f"{X}" in ended.err


def test_a_folder_takes_no_options_but_ignore(rankscope, model, tmp_path):
    folder, out = tmp_path / "new", tmp_path / "o.csv"
    convert(written(tmp_path, ".csv"), folder, unlabelled=True)
    ended = rankscope("score", model, folder, "--out", out, "--query", "f1")
    assert "A converted folder is read unchanged, so 'query' cannot be" in ended.err
    ended = rankscope("score", model, folder, "--out", out, "--ignore", "f9")
    assert "has no f9 to leave out" in ended.err


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".ndjson", ".txt"])
def test_converting_without_labels_says_how(rankscope, tmp_path, ending):
    ended = rankscope("convert", written(tmp_path, ending), tmp_path / "folder")
    assert ended.code == 3
    assert "with unlabelled=True (on the command line --unlabelled)." in ended.err


def test_converting_with_an_empty_label_says_how(rankscope, tmp_path):
    file = tmp_path / "some.csv"
    file.write_text("label,query,f1\n1,a,2\n,a,3\n")
    ended = rankscope("convert", file, tmp_path / "folder")
    assert "some.csv, line 3, column label: The label is missing." in ended.err
    assert "(on the command line --unjudged); or convert documents" in ended.err


def test_text_that_lacks_a_label_says_so(rankscope, tmp_path):
    file = tmp_path / "new.txt"
    file.write_text("2 qid:1 1:.5\nqid:1 1:.25\n")
    ended = rankscope("train", file, "RSRank")
    assert "new.txt, line 2, column 1: The label is missing. Begin" in ended.err
    assert "--unlabelled" not in ended.err
