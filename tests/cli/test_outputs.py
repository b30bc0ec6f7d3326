"""Files that commands write: never over what they read, through links, whole."""

import os
import shlex
import stat

import pandas as pd
import pytest

from rankcore import load_model
from rankcore.cli import main
from rankcore.data.readers import load_fold

QUICK = ("--max-iter", 2)


def contents(folder):
    return {
        path.relative_to(folder): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


# Words in braces are files of the test.
CLASHES = [
    ("train", "{fold}/train.txt", "RSRank", "--out", "{fold}/train.txt"),
    ("train", "{fold}", "RSRank", "--out", "{fold}/test.txt"),
    ("train", "{fold}", "RSRank", "--history", "{link}"),
    ("train", "{fold}", "RSRank", "--valid", "{other}", "--out", "{other}"),
    ("train", "{fold}", "RSRank", "--test", "{other}", "--history", "{other}"),
    ("train", "{fold}", "RSRank", "--start", "{model}", "--out", "{hard}"),
    ("train", "{fold}", "RSRank", "--out", "{new}", "--history", "{new}"),
    ("path", "{fold}", "RSRank", "--over", "g", "--out", "{link}"),
    ("path", "{fold}", "RSRank", "--over", "g", "--coefficients", "{link}"),
    ("path", "{fold}", "RSRank", "--over", "g", "--out", "{new}",
     "--coefficients", "{new}"),
    ("evaluate", "{fold}", "{model}", "--run-out", "{hard}"),
    ("evaluate", "{fold}/test.txt", "{model}", "--run-out", "{fold}/test.txt"),
    ("evaluate", "{fold}/test.txt", "{model}", "--qrels-out", "{fold}/test.txt"),
    ("evaluate", "{fold}", "{model}", "--run-out", "{new}", "--qrels-out", "{new}"),
    ("export", "{model}", "csv", "--out", "{model}"),
]  # fmt: skip


@pytest.mark.parametrize("words", CLASHES, ids=" ".join)
def test_no_output_is_an_input_or_another_output(
    rankscope, letor, model, tmp_path, words
):
    (letor / "link").symlink_to("vali.txt")
    (tmp_path / "hard").hardlink_to(model)
    (tmp_path / "other").write_bytes((letor / "vali.txt").read_bytes())
    places = {"fold": letor, "link": letor / "link", "model": model}
    places |= {name: tmp_path / name for name in ("hard", "other", "new")}
    before = contents(tmp_path)
    ended = rankscope(*(word.format(**places) for word in words))
    assert ended.code == 2
    assert "name another file" in ended.err or "name two files" in ended.err
    assert ended.err.count("\n") == 1
    assert ended.out == ""
    assert contents(tmp_path) == before


def test_a_data_set_known_by_name_is_not_written_over(
    rankscope, letor, tmp_path, monkeypatch
):
    (tmp_path / "mine").mkdir()
    letor.rename(tmp_path / "mine" / "Fold1")
    monkeypatch.setenv("RANKSCOPE_DATA", str(tmp_path))
    out = tmp_path / "mine" / "Fold1" / "train.txt"
    ended = rankscope("train", "mine/Fold1", "RSRank", *QUICK, "--out", out)
    assert ended.code == 2
    assert load_fold(out.parent).train.n_queries == 6


def test_model_and_history_go_through_links_and_keep_modes(rankscope, letor, tmp_path):
    for name in ("model.json", "history.csv"):
        (tmp_path / f"real {name}").touch(0o600)
        (tmp_path / name).symlink_to(f"real {name}")
    out, history = tmp_path / "model.json", tmp_path / "history.csv"
    files = ("--out", out, "--history", history)
    assert rankscope("train", letor, "RSRank", *QUICK, *files).code == 0
    for path in (out, history):
        assert path.is_symlink()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert load_model(out).n_iter_ <= 2
    assert len(pd.read_csv(history)) == 3


def test_a_device_gets_no_history_beside_it(rankscope, letor, tmp_path, device):
    ended = rankscope("train", letor, "RSRank", *QUICK, "--out", device("null"))
    assert ended.code == 0
    assert stat.S_ISCHR(device("null").stat().st_mode)
    assert {path.name for path in tmp_path.iterdir()} <= {"null", "Fold1"}


def test_a_model_can_go_to_standard_output(letor, tmp_path, capfd):
    # As /dev/stdout, which a fault would replace for the whole machine.
    out = tmp_path / "stdout"
    out.symlink_to("/proc/self/fd/1")
    with pytest.raises(SystemExit) as end:
        main(["train", str(letor), "RSRank", "--max-iter", "2", "--out", str(out)])
    result, err = capfd.readouterr()
    assert (end.value.code, err) == (0, "")
    (tmp_path / "model.json").write_text(result[: result.index("\n}\n") + 3])
    assert load_model(tmp_path / "model.json").provenance_.data_name == "Fold1 train"
    assert "Model: iteration" in result


@pytest.mark.parametrize(
    "words",
    [
        ("train", "{fold}", "RSRank", "--history"),
        ("path", "{fold}", "RSRank", "--over", "g", "--out"),
        ("path", "{fold}", "RSRank", "--over", "g", "--coefficients"),
        ("evaluate", "{fold}", "{model}", "--run-out"),
        ("evaluate", "{fold}", "{model}", "--qrels-out"),
        ("export", "{model}", "csv", "--out"),
    ],
    ids=" ".join,
)
def test_a_pipe_that_nobody_reads_is_refused_at_once(
    rankscope, letor, model, tmp_path, words
):
    os.mkfifo(tmp_path / "pipe")
    places = {"fold": letor, "model": model}
    values = (word.format(**places) for word in words)
    ended = rankscope(*values, tmp_path / "pipe")
    assert ended.code == 1
    assert "nobody reads from this pipe" in ended.err
    assert ended.err.count("\n") == 1


@pytest.mark.parametrize("kind", ["ranklib", "solr", "elasticsearch"])
def test_the_command_for_a_file_with_blanks_can_be_run(
    rankscope, letor, tmp_path, kind
):
    model, out = tmp_path / "model.json", tmp_path / "my model.txt"
    rankscope("train", letor, "RSRank", "--max-iter", 1, "--out", model)
    printed = rankscope("export", model, kind, "--out", out).err
    words = shlex.split(printed.strip().rpartition("\n\n")[2])
    assert any(word in (str(out), f"@{out}") for word in words)
