"""Runs that commands keep: listed, shown, exported, imported, deleted, gone on with."""

import json
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from rankcore import RSRank, load_dataset, load_model
from rankcore.data.readers import Fold, load_fold
from rankcore.data.trec import qrels, trec_run
from rankcore.studies.store import open_store
from rankcore.training import Stop, drive
from rankcore.views import past
from tests.cli.conftest import write_letor


@pytest.fixture(autouse=True)
def url(tmp_path, monkeypatch):
    """A store of the test's own."""
    address = f"sqlite:///{tmp_path / 'own.sqlite'}"
    monkeypatch.setenv("RANKSCOPE_DATABASE_URL", address)
    return address


@pytest.fixture
def train(rankscope, letor):
    """Train for a few iterations; how the command ended."""

    def run(*words):
        return rankscope("train", letor, "RSRank", "--max-iter", 5, "--json", *words)

    return run


def listed(rankscope, *words):
    return rankscope("runs", "list", "--json", *words).json["runs"]


def test_training_keeps_its_run(rankscope, train):
    report = train().json
    (run,) = listed(rankscope)
    assert run["id"] == report["run"]
    assert (run["algorithm"], run["status"]) == ("RSRank", "finished")
    assert run["iterations"] == report["iterations"] == 5
    assert run["hyperparameters"] == report["hyperparameters"]
    shown = rankscope("runs", "show", run["id"][:6], "--json").json
    assert shown["best"]["valid nDCG@10"] == report["measures"]["valid"]["nDCG@10"]
    assert shown["models"]["best"] == report["best"]["iteration"]
    for words in (("list",), ("show", run["id"])):
        assert run["id"] in rankscope("runs", *words).out


def test_training_keeps_nothing_where_it_should_not(rankscope, train, tmp_path):
    assert train("--no-store").json["run"] is None
    assert not (tmp_path / "own.sqlite").exists()
    assert listed(rankscope) == []
    assert "There are no runs yet" in rankscope("runs", "list").out


def test_runs_are_searched_sorted_and_limited(rankscope, train, letor, url):
    first, second = (train("--seed", seed).json["run"] for seed in (1, 2))
    with open_store(url) as store:
        store.note(first, notes="the one to keep")
        bests = {key: store.load(key).best["valid nDCG@10"] for key in (first, second)}
    assert [run["id"] for run in listed(rankscope, "--search", "keep ONE")] == [first]
    assert [run["id"] for run in listed(rankscope, "--sort", "oldest")] == [
        first,
        second,
    ]
    result = rankscope("runs", "list", "--json", "--limit", 1).json
    assert ([run["id"] for run in result["runs"]], result["total"]) == ([second], 2)
    table = rankscope("runs", "list", "--limit", 1).out
    assert f"{bests[second]:.4f}" in table
    assert "1 of 2 runs." in table
    wrong = rankscope("runs", "list", "--sort", "colour")
    assert (wrong.code, wrong.out) == (2, "")
    assert "not by 'colour'" in wrong.err


def test_settings_are_listed_and_found(rankscope, train):
    train()
    train("--g", 30)
    assert [run["settings"] for run in listed(rankscope)] == [
        "g = 30, maximum iterations = 5",
        "maximum iterations = 5",
    ]
    (run,) = listed(rankscope, "--search", "g = 30")
    assert run["hyperparameters"]["g"] == 30.0
    head, row = rankscope("runs", "list", "--search", "g=30").out.splitlines()
    assert "SETTINGS" in head
    assert "g = 30, maximum iterations = 5" in row


def test_sweeps_are_listed_and_cleared(rankscope, letor, url):
    words = ("sweep", letor, "RSRank", "--over", "g=0,5", "--seeds", 1, "--json")
    assert rankscope(*words).code == 0
    result = rankscope("runs", "list", "--sweeps", "--json").json
    (sweep,) = result["sweeps"]
    assert result["total"] == 1
    assert (sweep["title"], sweep["cells"], sweep["ended"]) == ("RSRank over g", 2, 2)
    head, row = rankscope("runs", "list", "--sweeps").out.splitlines()
    assert head.split() == [
        "ID", "TITLE", "ALGORITHM", "DATA", "CELLS", "ENDED", "CREATED"
    ]  # fmt: skip
    assert row.startswith(f"{sweep['id']}  RSRank over g  RSRank ")
    for words in (("--tag", "paper"), ("--sort", "best"), ("--measure", "AP")):
        wrong = rankscope("runs", "list", "--sweeps", *words)
        assert (
            wrong.code,
            "--sweeps allows only --visitor" in wrong.err,
        ) == (2, True)
    for words in ((), ("--undo",), ()):
        done = rankscope("runs", "delete", sweep["id"][:8], *words)
        verb = "Brought back" if words else "Deleted"
        assert done.out == f"{verb}: {sweep['id']}.\n"
    assert rankscope("runs", "list", "--sweeps", "--json").json["sweeps"] == []
    binned = rankscope("runs", "list", "--sweeps", "--deleted", "--json").json
    assert binned["sweeps"] == [sweep]
    assert rankscope("runs", "clear").out == "Removed 0 runs and 1 sweep.\n"


def test_runs_are_filtered(rankscope, train, url):
    plain, noted = (train("--seed", seed).json["run"] for seed in (1, 2))
    other = rankscope("train", "toy-2d", "ListNet", "--max-iter", 2, "--json").json
    with open_store(url) as store:
        store.note(noted, tags=["paper 2"])
    for words, wanted in (
        (("--algorithm", "RSRank"), [noted, plain]),
        (("--data", "toy-2d train"), [other["run"]]),
        (("--tag", "paper 2"), [noted]),
        (("--status", "finished", "--algorithm", "ListNet"), [other["run"]]),
        (("--status", "failed"), []),
    ):
        assert [run["id"] for run in listed(rankscope, *words)] == wanted
    assert "There are no runs yet" not in rankscope("runs", "list", "--tag", "no").out
    wrong = rankscope("runs", "list", "--status", "done")
    assert (wrong.code, wrong.out) == (2, "")
    assert "The status of a run is running, finished," in wrong.err


def test_a_model_of_a_run_is_written_by_its_iteration(rankscope, train, tmp_path, url):
    key, file = train("--g", 5).json["run"], tmp_path / "model.json"
    with open_store(url) as store:
        stored = store.load(key)
        for at in ("best", "last", "3"):
            words = ("--model", file, "--at", at)
            ended = rankscope("runs", "export", key, *words)
            wanted = stored.model(at).provenance_
            assert load_model(file).provenance_ == wanted
            assert (ended.out, ended.err) == ("", f"Model: {wanted.text}.\n")
        assert stored.best_and_last in rankscope("runs", "show", key).out
    gone = rankscope("runs", "export", key, "--model", file, "--at", 9)
    assert gone.code == 2
    assert "There is no iteration 9: the run has those up to 5." in gone.err
    alone = rankscope("runs", "export", key, "--at", 3)
    assert alone.code == 2
    assert "--at has no effect without --model or --run-out." in alone.err


def test_every_command_prints_json(rankscope, train, tmp_path, url):
    key, file = train().json["run"], tmp_path / "run.json"
    assert rankscope("runs", "export", key, "--json").json["id"] == key
    table, html = tmp_path / "history.csv", tmp_path / "run.html"
    words = ("--out", file, "--history", table, "--json")
    assert rankscope("runs", "export", key, *words).json == {
        "run": key,
        "files": {"--out": str(file), "--history": str(table)},
    }
    small = rankscope("train", "toy-2d", "RSRank", "--max-iter", 2, "--json").json[
        "run"
    ]
    made = rankscope("runs", "report", small, "--out", html, "--json").json
    assert made == {"run": small, "files": {"--out": str(html)}}
    assert html.stat().st_size
    assert {run["id"] for run in rankscope("runs", "list", "--json").json["runs"]} == {
        key,
        small,
    }
    assert rankscope("runs", "show", key, "--json").json["id"] == key
    assert rankscope("runs", "delete", key, "--json").json == {"deleted": [key]}
    assert rankscope("runs", "clear", "--json").json["removed"] == 1
    assert rankscope("runs", "import", file, "--json").json["id"] == key
    data = load_dataset("toy-2d")
    run = drive(RSRank(max_iter=5), data.train, data.valid)
    with open_store(url) as store:
        recorder = store.record(run)
        next(run)
        recorder.end()
    assert rankscope("runs", "resume", recorder.id, "--json").json["iterations"] == 5


def test_deleted_runs_are_removed_for_good(rankscope, train, url):
    key = train().json["run"]
    rankscope("runs", "delete", key)
    result = rankscope("runs", "clear", "--json").json
    assert result["removed"] == 1
    assert rankscope("runs", "clear").out == "Removed 0 runs.\n"
    assert listed(rankscope, "--deleted") == []


def test_a_full_store_keeps_no_more_runs(rankscope, train, monkeypatch):
    train()
    monkeypatch.setenv("RANKSCOPE_STORE_LIMIT", "10 KB")
    ended = train()
    assert (ended.code, ended.json["run"]) == (0, None)
    assert "its limit is 10 KB. Delete runs and remove them permanently" in ended.err
    assert len(listed(rankscope)) == 1
    monkeypatch.setenv("RANKSCOPE_STORE_LIMIT", "much")
    assert "RANKSCOPE_STORE_LIMIT is 'much'. Write a size such as" in train().err


def test_training_goes_on_without_a_store(rankscope, train, monkeypatch):
    monkeypatch.setenv("RANKSCOPE_DATABASE_URL", "sqlite:////no/folder/runs.sqlite")
    ended = train()
    assert ended.code == 0
    assert ended.json["run"] is None
    assert ended.err.count("\n") == 1
    assert ended.err.startswith("The run is not stored: The run store sqlite:////no")
    ended = rankscope("runs", "list")
    assert ended.code == 1
    assert "cannot be used: There is no such folder." in ended.err


def test_a_damaged_store_is_told_in_one_line(train, tmp_path):
    (tmp_path / "own.sqlite").write_bytes(b"no database at all" * 100)
    ended = train()
    assert ended.json["run"]
    assert ended.err.count("\n") == 1
    assert "is kept as own.sqlite.unreadable-" in ended.err


def test_a_start_that_does_not_fit_is_kept_as_failed(rankscope, letor, tmp_path):
    other = tmp_path / "model.json"
    rankscope("train", "toy-2d", "RSRank", "--no-store", "--out", other)
    ended = rankscope("train", letor, "RSRank", "--start", other)
    assert ended.code == 2
    (run,) = listed(rankscope)
    assert run["status"] == "failed"
    assert run["reason"] in ended.err


def test_the_history_of_a_run_is_exported_as_a_table(rankscope, train, tmp_path, url):
    key = train("--change", "2:learning-rate=0.5").json["run"]
    csv, parquet = tmp_path / "history.csv", tmp_path / "history.parquet"
    for file in (csv, parquet):
        ended = rankscope("runs", "export", key, "--history", file)
        assert (ended.code, ended.out) == (0, "")
    with open_store(url) as store:
        history = store.load(key).history()

    # "auto" before the change, and a number after it.
    history = history.astype({"learning_rate": str})
    for read in (pd.read_csv(csv), pd.read_parquet(parquet)):
        result = read.astype({"learning_rate": str})
        pd.testing.assert_frame_equal(result, history, check_exact=True)
    both = tmp_path / "run.json"
    rankscope("runs", "export", key, "--history", csv, "--out", both)
    assert json.loads(both.read_text()) == rankscope("runs", "export", key).json
    refused = rankscope("runs", "export", key, "--out", csv)
    assert refused.code == 2
    assert f"give --history {csv}" in " ".join(refused.err.split())


def test_the_rankings_of_a_run_are_exported_for_trec_eval(
    rankscope, train, letor, tmp_path, url
):
    key = train("--normalise", "minmax").json["run"]
    splits = load_fold(letor).normalise("minmax")
    with open_store(url) as store:
        model = store.load(key).model()
    run, labels = tmp_path / "run.trec", tmp_path / "labels.qrels"
    for part, words in (("valid", ()), ("test", ("--split", "test"))):
        files = ("--run-out", run, "--qrels-out", labels)
        ended = rankscope("runs", "export", key, letor, *files, *words)
        assert (ended.code, ended.out) == (0, "")
        result = getattr(splits, part)
        assert labels.read_text() == qrels(result)
        scores = model.scores(result.X, model.parameters_)
        assert run.read_text() == trec_run(result, scores, "RSRank")


def test_rankings_that_cannot_be_exported_are_told_in_a_sentence(
    rankscope, train, letor, tmp_path, url
):
    key = train().json["run"]
    out = ("--run-out", tmp_path / "run.trec")
    away = rankscope("runs", "export", key, *out)
    assert away.code == 2
    assert "which is not in the catalogue: give the data after the id" in away.err
    other = rankscope("runs", "export", key, "toy-2d", *out)
    assert other.code == 2
    assert f"Run {key} was trained on other data" in other.err
    part = rankscope("runs", "export", key, letor, *out, "--split", "vali")
    assert part.code == 2
    assert "The data has no split 'vali'; choose train, valid, test." in part.err
    idle = rankscope("runs", "export", key, letor)
    assert idle.code == 2
    assert "DATA has no effect without --run-out or --qrels-out." in idle.err
    # A run that could not begin.
    model = tmp_path / "model.json"
    rankscope("train", "toy-2d", "RSRank", "--no-store", "--out", model)
    rankscope("train", letor, "RSRank", "--start", model)
    none = rankscope("runs", "export", "last", letor, *out)
    assert none.code == 2
    assert "has no model: it ended before its first iteration." in none.err


def test_training_writes_its_history_as_the_ending_says(train, tmp_path):
    file = tmp_path / "history.parquet"
    report = train("--history", file).json

    assert pd.read_parquet(file)["iteration"].tolist()[-1] == report["iterations"]


def test_a_run_is_exported_and_imported_to_the_bit(rankscope, train, tmp_path, url):
    key = train("--change", "2:learning-rate=0.5").json["run"]
    file = tmp_path / "run.json"
    assert rankscope("runs", "export", key, "--out", file).code == 0
    assert json.loads(file.read_text()) == rankscope("runs", "export", key).json
    here = rankscope("runs", "import", file)
    assert here.code == 1
    assert f"Run {key} is already in this store." in here.err
    rankscope("runs", "delete", key)
    assert "store, among those deleted." in rankscope("runs", "import", file).err
    with open_store(url) as store:
        before = store.load(key)
        wanted = before.history(), before.coef("best"), before.queries("last")
        models = before.models()
        store.clear()
    assert rankscope("runs", "import", file, "--json").json["id"] == key
    with open_store(url) as store:
        after = store.load(key)
        assert after == before
        assert after.changes[0].iteration == 2
        assert after.history().equals(wanted[0])
        np.testing.assert_array_equal(after.coef("best"), wanted[1])
        assert after.queries("last").equals(wanted[2])
        assert after.models() == models


DEPARTURES = {
    "format": ("other", "format: Input should be 'rankscope run'"),
    "version": (2, "version: Input should be 1"),
    "id": ("../x", "id: String should match pattern"),
    "algorithm": ("Nothing", "Nothing"),
    "hyperparameters": ({"zzz": 1}, "RSRank has no hyperparameter 'zzz'"),
    "history": ({"iteration": [0], "objective": []}, "differ in length"),
    "measures": (["nonsense"], "nonsense"),
    "convention": ("nonsense", "nonsense"),
    "created": ("yesterday", "created: "),
    "planned": ({"x": {}}, "planned: an iteration is a whole number"),
    "models": ({"best": {"iteration": 0, "arrays": {}}}, "no array coef"),
    "started_from": (
        {"shape": [3], "values": [1.0]},
        "started_from: 1 values for the shape [3]",
    ),
    "queries": (
        {"best": {"split": "valid", "ids": [], "values": {"AP": [1]}}},
        "queries.best: not one value for each query",
    ),
}


def test_a_file_that_departs_is_told(rankscope, train, tmp_path):
    key = train().json["run"]
    content = rankscope("runs", "export", key).json
    file = tmp_path / "run.json"
    for name, (value, sentence) in DEPARTURES.items():
        file.write_text(json.dumps(content | {"id": "other"} | {name: value}))
        ended = rankscope("runs", "import", file)
        assert ended.code == 3, name
        assert sentence in ended.err
        assert "run.json: This is not a RankScope run (" in ended.err
    assert [run["id"] for run in listed(rankscope)] == [key]


def test_a_file_that_is_no_run_is_told(rankscope, tmp_path):
    file = tmp_path / "run.json"
    file.write_bytes(b"\xff no JSON")
    ended = rankscope("runs", "import", file)
    assert (ended.code, ended.out) == (3, "")
    assert "This is not a RankScope run (Invalid JSON" in ended.err


def test_runs_are_deleted_and_brought_back(rankscope, train):
    keys = [train().json["run"] for _ in range(2)]
    assert rankscope("runs", "delete", keys[0], "--json").json == {"deleted": keys[:1]}
    assert [run["id"] for run in listed(rankscope)] == keys[1:]
    assert rankscope("runs", "show", "last", "--json").json["id"] == keys[1]
    assert [run["id"] for run in listed(rankscope, "--deleted")] == keys[:1]
    assert "There is no run" in rankscope("runs", "show", keys[0]).err
    assert rankscope("runs", "delete", "--undo", keys[0]).code == 0
    assert len(listed(rankscope)) == 2


@pytest.mark.parametrize("command", ["show", "export", "delete", "resume"])
def test_an_unknown_run_is_told(rankscope, command):
    ended = rankscope("runs", command, "zz")
    assert ended.code == 2
    assert "There is no run 'zz'; see `rankscope runs list`." in ended.err


def test_a_stopped_run_goes_on_to_the_same_result(rankscope, letor, url):
    """Also with a change that was still to come."""
    whole = rankscope(
        *("train", letor, "RSRank", "--max-iter", 30, "--normalise", "minmax"),
        *("--change", "20:g=2", "--json", "--out", letor / "whole.json"),
    ).json
    train, valid, _ = (part.normalise("minmax") for part in load_fold(letor))
    plan = {20: {"g": 2.0}}
    run = drive(RSRank(max_iter=30), train, valid, stop=Stop(30), changes=plan)
    with open_store(url) as store, store.recording(run) as recorder:
        for _ in range(10):
            next(run)
    refused = rankscope("runs", "resume", recorder.id)
    assert "not in the catalogue: give the data" in refused.err
    other = rankscope("runs", "resume", recorder.id, "planted")
    assert (other.code, "trained on other data" in other.err) == (2, True)
    report = rankscope("runs", "resume", recorder.id, letor, "--json").json
    for one in (report, whole):
        for item in ("run", "seconds", "model", "history"):
            del one[item]
    assert report == whole
    with open_store(url) as store:
        result, complete = (store.load(key) for key in store.runs().index)
        same = [one.history().drop(columns="seconds") for one in (result, complete)]
        assert same[0].equals(same[1])
        np.testing.assert_array_equal(result.coef(), complete.coef())
    ended = rankscope("runs", "resume", recorder.id, letor)
    assert (ended.code, "has ended: Reached the limit" in ended.err) == (1, True)


@pytest.mark.soak
def test_an_interrupted_run_of_the_catalogue_needs_no_data(rankscope):
    words = ["train", "planted", "RSRank", "--max-iter", "100"]
    # However fast the machine, it is killed before its end.
    script = (
        "import rankcore.cli.commands.train as t, time\n"
        "from rankcore.cli import main\n"
        "figures = t._figures\n"
        "def waiting(record):\n"
        "    if record.iteration == 50:\n"
        "        time.sleep(3600)\n"
        "    return figures(record)\n"
        "t._figures = waiting\n"
        "main()\n"
    )
    command = [sys.executable, "-c", script, *words]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while not any(run["iterations"] for run in listed(rankscope)):
        assert process.poll() is None
        time.sleep(0.3)
    process.send_signal(signal.SIGKILL)
    process.wait()
    (run,) = listed(rankscope)
    assert run["status"] == "interrupted"
    report = rankscope("runs", "resume", run["id"], "--json").json
    (run,) = listed(rankscope)
    assert (run["status"], run["iterations"]) == ("finished", 100)
    whole = rankscope(*words, "--no-store", "--json").json
    assert report["best"] == whole["best"]
    assert report["measures"] == whole["measures"]


def settings_of(rankscope, *words):
    key = rankscope("train", *words, "--max-iter", 3, "--json").json["run"]
    shown = rankscope("runs", "show", key)
    return rankscope("runs", "show", key, "--json").json["settings"], shown.out


def test_how_the_data_was_read_is_kept_and_shown(rankscope, letor, tmp_path, small):
    file = tmp_path / "own.txt"
    write_letor(file, small)
    divided = ("--divide", "60/20/20", "--divide-seed", 3, "--normalise", "minmax")
    result, shown = settings_of(rankscope, file, "RSRank", *divided)
    assert result == {
        "data": "own",
        "normalise": "minmax",
        "source": str(file),
        "divide": "60/20/20",
        "divide_seed": 3,
    }
    assert "divide 60/20/20, divide_seed 3" in shown
    fold, _ = settings_of(rankscope, file, "RSRank", "--divide", "2-of-5")
    assert (fold["divide"], fold["divide_seed"]) == ("2-of-5", 0)
    parts = ("--valid", letor / "vali.txt")
    named, _ = settings_of(rankscope, letor / "train.txt", "RSRank", *parts)
    assert named["valid"] == str(letor / "vali.txt")
    listed, _ = settings_of(rankscope, "planted", "RSRank")
    assert listed == {"data": "planted", "normalise": "as given"}


def test_the_division_of_a_run_is_read_back(rankscope, tmp_path, small, url):
    file = tmp_path / "own.txt"
    write_letor(file, small)
    words = ("--divide", "2-of-5", "--divide-seed", 4, "--max-iter", 3, "--json")
    key = rankscope("train", file, "RSRank", *words).json["run"]
    with open_store(url) as store:
        result = store.load(key)
    assert result.division == Fold(2, 5, seed=4)
    assert result.data_set == "own"
    settings = past.settings(result)
    assert settings["RSRank.max_iter"] == 3
    assert not {"divide", "divide_seed", "source"} & {*settings}
