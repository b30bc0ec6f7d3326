"""Views, runs and the whole app as HTML files, by commands."""

import pytest


def test_a_view_is_written_as_one_file(rankscope, tmp_path):
    out = tmp_path / "hand.html"
    ended = rankscope("export-view", "margins?margin_source=by+hand", "--out", out)

    assert (ended.code, ended.out) == (0, "")
    assert "<h1>Margins: One list</h1>" in out.read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("nowhere",), 2, "There is no page 'nowhere'; the pages are"),
        (("measures?cutoff=x",), 2, "cutoff must be a whole number, not 'x'"),
        (("measures", "--seconds", "-1"), 2, "--seconds"),
        (
            ("measures", "--out", "/no/folder/a.html"),
            1,
            "there is no folder /no/folder",
        ),
        (("explore?data=upload-1",), 3, "Upload the same file"),
        (("data", "--divide", "50/50"), 2, "Options for reading data require --data."),
        (("data", "--data", "nowhere.txt"), 3, "nowhere.txt"),
    ],
)
def test_what_cannot_be_written_is_said_in_one_sentence(
    rankscope, tmp_path, monkeypatch, words, code, said
):
    monkeypatch.chdir(tmp_path)
    ended = rankscope("export-view", *words)

    assert ended.code == code
    assert said in ended.err
    assert ended.err.count("\n") == 1
    assert not list(tmp_path.glob("*.html"))


def test_a_kept_run_is_written_as_one_file(rankscope, tmp_path, monkeypatch):
    monkeypatch.setenv("RANKSCOPE_DATABASE_URL", f"sqlite:///{tmp_path / 'r.sqlite'}")
    words = ("--max-iter", 7, "--normalise", "minmax", "--json")
    key = rankscope("train", "toy-2d", "RSRank", *words).json["run"]
    out = tmp_path / "run.html"

    assert rankscope("runs", "report", key, "--out", out).code == 0
    assert f"<h1>RSRank: run {key}</h1>" in out.read_text("utf-8")
    other = rankscope("runs", "report", key, "toy-3d", "--out", out)
    assert other.code == 2
    assert "was trained on other data" in other.err


def test_a_run_of_a_file_needs_that_file(rankscope, letor, tmp_path, monkeypatch):
    monkeypatch.setenv("RANKSCOPE_DATABASE_URL", f"sqlite:///{tmp_path / 'r.sqlite'}")
    key = rankscope("train", letor, "RSRank", "--max-iter", 3, "--json").json["run"]
    out = tmp_path / "run.html"

    ended = rankscope("runs", "report", key, "--out", out)
    assert ended.code == 2
    assert "give the data after the id" in ended.err
    assert rankscope("runs", "report", key, letor, "--out", out).code == 0
    text = out.read_text("utf-8")
    assert "Fold1 train" in text
    # The page shows another set by default, which has no part in this run.
    assert "MSLR" not in text


def test_a_site_is_not_written_over_other_files(rankscope, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    ended = rankscope("export-site", tmp_path)

    assert ended.code == 1
    assert "exists and is not an empty folder" in ended.err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
