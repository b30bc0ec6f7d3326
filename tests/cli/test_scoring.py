"""`rankscope score`: new documents, without labels."""

import os

import pandas as pd
import pytest

from rankcore import load_model
from rankcore.data.readers import load_fold
from rankcore.measures import means
from rankcore.studies.models import document_scores


@pytest.fixture
def model(rankscope, letor, tmp_path):
    """A file with a model trained on the fold `letor`."""
    out = tmp_path / "model.json"
    rankscope("train", letor, "RSRank", "--max-iter", 3, "--out", out)
    return out


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
    assert f"{pipe}: This is a pipe, and the file is read several times" in ended.err


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
    exported = rankscope("export", file, "solr").json
    assert exported["params"]["weights"] == {"f1": 2.0, "f2": -0.5}
    file.write_text("## Coordinate Ascent\n1:2.0 2=0.5\n")
    refused = rankscope("score", file, letor / "test.txt", "--out", out)
    assert refused.code == 3
    assert f"{file}, line 2: '2=0.5' is no feature:weight" in refused.err
