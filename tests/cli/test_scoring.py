"""`rankscope score`: new documents, without labels."""

import json
import os

import numpy as np
import pandas as pd
import pytest

from rankcore import load_model
from rankcore.data.formats.parts import part_sizes
from rankcore.data.readers import load_fold
from rankcore.measures import means
from rankcore.studies.models import document_scores


def test_documents_are_scored_and_the_run_is_measured(
    rankscope, model, letor, tmp_path
):
    out = tmp_path / "scores.csv"
    ended = rankscope("score", model, letor / "test.txt", "--out", out)
    data = load_fold(letor).test
    assert ended.code == 0
    sentence = f"has the scores of {data.n_documents} documents of {data.n_queries} qu"
    assert sentence in ended.out
    scores = document_scores(load_model(model), data)
    assert pd.read_csv(out)["score"].tolist() == pytest.approx(scores.tolist())
    run, qrels = tmp_path / "a.run", tmp_path / "qrels.txt"
    ended = rankscope("score", model, letor / "test.txt", "--out", run, "--json")
    assert ended.json == {
        "out": str(run),
        "queries": data.n_queries,
        "documents": data.n_documents,
        "skipped": 0,
    }
    words = "--measure", "AP", "--json"
    measured = rankscope("evaluate", letor, model, "--qrels-out", qrels, *words).json
    judged = rankscope("evaluate", "--run", run, "--judgements", qrels, *words).json
    assert judged["runs"]["a.run"]["measures"]["AP"] == pytest.approx(
        measured["measures"]["AP"]
    )


def test_lines_that_cannot_be_read(rankscope, model, letor, tmp_path):
    file, out = letor / "test.txt", tmp_path / "scores.run"
    text = file.read_text()
    file.write_text(f"0 qid:new 1:x # n\n{text}")
    ended = rankscope("score", model, file, "--out", out)
    assert ended.code == 3
    assert f"{file}, line 1, column 11" in ended.err
    assert not out.exists()
    ended = rankscope("score", model, file, "--out", out, "--skip-bad", 1)
    assert ended.code == 0
    assert "; 1 line could not be read and was skipped." in ended.out
    assert len(out.read_text().splitlines()) == len(text.splitlines())


@pytest.mark.parametrize("label", ["", "?\t", " 0.5 ", "bad ", "-1 ", "1e9 "])
@pytest.mark.parametrize("sizes", [False, True])
def test_labels_of_text_are_neither_read_nor_needed(
    rankscope, model, letor, tmp_path, label, sizes
):
    file, out, groups = letor / "test.txt", tmp_path / "s.csv", tmp_path / "sizes.txt"
    lines = [line.partition(" ")[2] for line in file.read_text().splitlines()]
    assert rankscope("score", model, file, "--out", out).code == 0
    wanted = pd.read_csv(out)
    words = ()
    if sizes:
        groups.write_text("\n".join(map(str, wanted.groupby("query").size())))
        lines = [line.partition(" ")[2] for line in lines]
        words = "--groups", groups
    file.write_text("".join(f"{label}{line}\n" for line in lines))
    ended = rankscope("score", model, file, "--out", out, *words)
    assert (ended.code, ended.err) == (0, "")
    result = pd.read_csv(out)
    assert result["score"].tolist() == wanted["score"].tolist()
    assert result["document"].tolist() == wanted["document"].tolist()


def test_rows_of_parquet_are_skipped(rankscope, model, letor, tmp_path, monkeypatch):
    data, file, out = load_fold(letor).test, tmp_path / "t.parquet", tmp_path / "s.csv"
    table = pd.DataFrame(np.array(data.X), columns=data.feature_names)
    table.insert(0, "document", data.doc_ids)
    table.insert(0, "query", np.repeat(data.query_ids, data.lengths))
    model.write_text("## Coordinate Ascent\n1:10 2:10 3:10 4:10\n")
    scores = document_scores(load_model(model), data)
    # The first and the last row, one that cannot be read and one that has no score.
    bad = [0, 2, 5, len(table) - 1]
    table.iloc[bad, 2] = [np.nan, np.nan, 1e308, np.nan]
    table.to_parquet(file, row_group_size=4)
    monkeypatch.setattr(part_sizes, "CELLS", 8)
    ended = rankscope("score", model, file, "--out", out, "--skip-bad", 3)
    assert ended.code == 3
    assert f"{file}, line {bad[-1] + 1}, column f1" in ended.err
    assert not out.exists()
    ended = rankscope("score", model, file, "--out", out, "--skip-bad", 4, "--json")
    assert ended.json["skipped"] == 4
    wanted = np.delete(scores, bad).tolist()
    assert pd.read_csv(out)["score"].tolist() == pytest.approx(wanted)


def test_a_score_that_is_not_finite_has_its_line(rankscope, model, tmp_path):
    file, out = tmp_path / "rows.txt", tmp_path / "s.run"
    query, large = "qid:a", " ".join(f"{i}:1e308" for i in range(1, 5))
    rows = [f"0 {query} 1:1 # A", "# none", f"0 {query} {large} # B", f"0 {query} 1:2"]
    file.write_text("\n".join(rows))
    model.write_text("## Coordinate Ascent\n1:10 2:10 3:10 4:10\n")
    ended = rankscope("score", model, file, "--out", out)
    assert (ended.code, out.exists()) == (3, False)
    assert f"{file}, line 3: The score of document 'B' of query 'a' is not" in ended.err
    ended = rankscope("score", model, file, "--out", out, "--skip-bad", 1)
    assert "2 documents of 1 query; 1 line could not be read" in ended.out


def test_a_column_is_that_of_the_file_where_sizes_tell_the_queries(
    rankscope, model, tmp_path
):
    file, sizes = tmp_path / "rows.txt", tmp_path / "sizes.txt"
    sizes.write_text("11\n")
    for row in ("0 1:1 2:x", "1:1 2:x", "\t0  1:1 2:x"):
        file.write_text("0 1:1 # a\n" * 10 + row)
        place = f"{file}, line 11, column {row.index('2:x') + 1}:"
        commands = [("score", model, file, "--out", tmp_path / "s.csv")]
        if not row.startswith("1"):
            commands.append(("convert", file, tmp_path / str(len(row))))
        for words in commands:
            assert place in rankscope(*words, "--groups", sizes).err


def test_what_the_model_lacks_can_be_left_out_of_any_file(
    rankscope, model, letor, tmp_path
):
    file, out, folder = letor / "test.txt", tmp_path / "s.csv", tmp_path / "folder"
    assert rankscope("score", model, file, "--out", out).code == 0
    wanted = out.read_text()
    width = load_fold(letor).test.n_features
    file.write_text(file.read_text().replace(" #", f" {width + 1}:7 #"))
    assert rankscope("convert", file, folder).code == 0
    for source in (file, folder):
        ended = rankscope("score", model, source, "--out", out)
        assert f"only it has f{width + 1}. Give data" in ended.err
        assert "--ignore" in ended.err
        ended = rankscope("score", model, source, "--out", out, "--ignore", "f5")
        assert (width, ended.code) == (4, 0)
        assert out.read_text() == wanted
    for words in (("--query", "q"), ("--missing", "zero"), ("--encoding", "latin-1")):
        ended = rankscope("score", model, folder, "--out", out, *words)
        assert ended.code == 3
        assert "A converted folder is read unchanged, so" in ended.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--out", "o.xlsx"), "Scores are written to files that end in .run, .txt"),
        (("--out", "o.csv", "--judgements", "q"), "--judgements has no effect"),
        (("--out", "o.csv", "--skip-bad", "-1"), "skip-bad"),
        (("--out", "model.json.run", "--label-gain", "no"), "--label-gain must be"),
    ],
)
def test_what_does_not_go_together_is_refused(
    rankscope, model, letor, tmp_path, monkeypatch, words, sentence
):
    monkeypatch.chdir(tmp_path)
    ended = rankscope("score", model, letor / "test.txt", *words)
    assert ended.code == 2
    assert sentence in ended.err


def test_a_pipe_cannot_be_read_several_times(rankscope, model, tmp_path):
    pipe = tmp_path / "rows.txt"
    os.mkfifo(pipe)
    ended = rankscope("score", model, pipe, "--out", tmp_path / "scores.csv")
    assert ended.code == 3
    assert (
        f"{pipe}: This is a pipe, but the file must be read several times" in ended.err
    )


def test_the_file_that_is_read_is_not_written(rankscope, model, letor):
    file = letor / "test.txt"
    ended = rankscope("score", model, file, "--out", file)
    assert ended.code == 2
    assert "would overwrite" in ended.err


def test_a_model_of_another_program_is_scored_measured_and_exported(
    rankscope, letor, tmp_path
):
    """RankLib's weights, of some of the features."""
    file, out = tmp_path / "ranklib.txt", tmp_path / "scores.csv"
    file.write_text("## Coordinate Ascent\n1:2.0 2:-0.5\n")
    data = load_fold(letor).test
    wanted = data.X[:, :2] @ [2.0, -0.5]

    assert rankscope("score", file, letor / "test.txt", "--out", out).code == 0
    assert pd.read_csv(out)["score"].tolist() == pytest.approx(wanted.tolist())
    measured = rankscope("evaluate", letor, file, "--measure", "AP", "--json").json
    assert measured["measures"]["AP"] == means(data, wanted, "AP")["AP"]
    assert measured["iteration"] is None
    exported = rankscope("export", file, "solr").json
    assert exported["params"]["weights"] == {"f1": 2.0, "f2": -0.5}
    file.write_text("## Coordinate Ascent\n1:2.0 2=0.5\n")
    refused = rankscope("score", file, letor / "test.txt", "--out", out)
    assert refused.code == 3
    assert f"{file}, line 2: '2=0.5' is not a pair feature:weight" in refused.err


def test_training_starts_at_the_coefficients_of_a_model_of_solr(
    rankscope, letor, tmp_path
):
    names = load_fold(letor).train.feature_names
    weights = dict.fromkeys(names, 0.5)
    content = {"class": "org.apache.solr.ltr.model.LinearModel", "name": "mine"}
    content |= {"features": [{"name": name} for name in names]}
    content |= {"params": {"weights": weights}}
    start, out = tmp_path / "solr.json", tmp_path / "model.json"
    start.write_text(json.dumps(content))
    options = ("--max-iter", 1, "--at", "0", "--no-store", "--out", out)
    ended = rankscope("train", letor, "RSRank", "--start", start, *options)
    assert ended.code == 0, ended.err
    assert load_model(out).coef_.tolist() == [0.5] * len(names)
