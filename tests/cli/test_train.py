"""Training on the command line: the same model as in Python, from options that the
algorithms' declarations make."""

import contextlib
import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rankcore import (
    RSRank,
    get_algorithm,
    list_algorithms,
    load_dataset,
    load_model,
    measures,
)
from rankcore.base.hyperparameters import hyperparameters
from rankcore.cli._hyperparameters import option_name
from rankcore.cli.commands.path import path
from rankcore.cli.commands.search import search
from rankcore.cli.commands.sweep import sweep
from rankcore.cli.commands.train import train
from rankcore.data.formats.parts import source
from rankcore.data.readers import load_fold
from rankcore.training import drive
from tests.soaking import sample

QUICK = ("--max-iter", 5)


@pytest.fixture
def on_terminal(rankscope, monkeypatch):
    """Run a command as ``rankscope`` does, but standard error is a terminal: what it
    draws there."""

    def run(*words):
        terminal, inside = pty.openpty()
        drawn = []

        def read():
            # On Linux the end of what a terminal shows is an error.
            with contextlib.suppress(OSError):
                while text := os.read(terminal, 4096):
                    drawn.append(text)

        reading = threading.Thread(target=read)
        reading.start()
        with os.fdopen(inside, "w") as stream, monkeypatch.context() as patch:
            patch.setattr(sys, "stderr", stream)
            assert rankscope(*words).code == 0
        reading.join()
        os.close(terminal)
        return b"".join(drawn).decode()

    return run


@pytest.mark.parametrize("name", sample(list_algorithms(), every=4))
def test_help_shows_each_hyperparameter_with_its_meaning(rankscope, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "2000")
    shown = " ".join(rankscope("train", name, "--help").out.split())
    for key, declared in hyperparameters(get_algorithm(name)).items():
        assert option_name(key) in shown
        assert declared.meaning in shown
        assert (
            f"{declared.range_text}; default {declared.format(declared.default)}"
            in (shown)
        )


@pytest.mark.parametrize("name", list_algorithms())
def test_no_hyperparameter_has_the_name_of_another_option(name):
    declared = set(hyperparameters(get_algorithm(name)))
    for command in (path, search, sweep, train):
        assert not set(command.__annotations__) & declared, command
    assert "seed" not in declared


@pytest.mark.parametrize("name", sample(list_algorithms(), every=4))
def test_the_defaults_written_as_options_are_the_defaults(rankscope, letor, name):
    declared = hyperparameters(get_algorithm(name)).items()
    written = [
        word
        for key, one in declared
        if key != "max_iter"
        for word in (option_name(key), one.format(one.default))
    ]
    words = ("train", letor, name, *QUICK, "--no-store", "--json")
    plain, spelt = rankscope(*words).json, rankscope(*words, *written).json
    for report in (plain, spelt):
        del report["seconds"]
    assert spelt == plain


def test_the_model_is_the_one_python_trains(rankscope, letor, tmp_path):
    out = tmp_path / "model.json"
    ended = rankscope(
        "train", letor, "RSRank", "--g", 2, *QUICK, "--out", out, "--json"
    )
    assert ended.code == 0
    splits = load_fold(letor)
    model = get_algorithm("RSRank")(g=2.0, max_iter=5)
    model.fit_dataset(splits.train, splits.valid)
    np.testing.assert_array_equal(load_model(out).coef_, model.coef_)
    assert ended.json["hyperparameters"]["g"] == 2.0
    for part, data in splits._asdict().items():
        expected = measures.means(data, model.scores(data.X, model.coef_))
        assert ended.json["measures"][part] == expected


def test_files_named_for_validation_and_test_are_used(rankscope, letor):
    options = ("--valid", letor / "vali.txt", "--test", letor / "test.txt")
    named = rankscope(
        "train", letor / "train.txt", "RSRank", *options, *QUICK, "--json"
    )
    folder = rankscope("train", letor, "RSRank", *QUICK, "--json")
    assert named.json["measures"] == folder.json["measures"]


def test_a_test_file_without_the_last_feature_has_zeros_there(rankscope, letor):
    (letor / "test.txt").write_text("1 qid:a 1:0.5\n0 qid:a 1:0.25\n")
    ended = rankscope("train", letor, "RSRank", *QUICK, "--json")
    assert set(ended.json["measures"]) == {"train", "valid", "test"}


def test_measures_convention_and_rule_are_named_in_the_table(rankscope, letor):
    words = ("--measure", "nDCG@3", "--measure", "AP", "--convention", "letor3")
    out = rankscope("train", letor, "RSRank", *words, "--empty", "skip", *QUICK).out
    for name in ("nDCG@3", "AP"):
        definition = measures.parse(name).describe("letor3", "skip")
        assert definition.replace(f"{name}, ", f"{name}: ", 1) in out


@pytest.mark.parametrize(
    ("option", "named", "written"),
    [
        ("--history", "history.csv", "history.csv"),
        ("--out", "model.json", "model.history.csv"),
    ],
)
def test_history_has_a_row_for_each_pass(
    rankscope, letor, tmp_path, option, named, written
):
    ended = rankscope("train", letor, "RSRank", *QUICK, option, tmp_path / named)
    assert str(tmp_path / written) in ended.out
    table = pd.read_csv(tmp_path / written)
    assert table["iteration"].tolist() == [0, 1, 2, 3, 4, 5]
    assert {"objective", "train nDCG@10", "valid nDCG@10"} <= set(table.columns)


def test_training_goes_on_from_a_model(rankscope, letor, tmp_path):
    model, history = tmp_path / "model.json", tmp_path / "history.csv"
    rankscope("train", letor, "RSRank", *QUICK, "--out", model)
    words = ("--start", model, "--history", history)
    rankscope("train", letor, "RSRank", *QUICK, *words)
    first = pd.read_csv(history)["valid nDCG@10"][0]
    assert first == load_model(model).provenance_.measures["valid nDCG@10"]


def test_hyperparameters_change_while_it_runs(rankscope, letor, tmp_path):
    values = ["--change", "2:learning-rate=0.001", "--change", "2:g=3"]
    ended = rankscope("train", letor, "RSRank", *QUICK, *values, "--json")
    python = drive(
        RSRank(max_iter=5),
        *load_fold(letor)[:2],
        changes={2: {"learning_rate": 0.001, "g": 3.0}},
    )
    list(python)
    assert ended.json["changes"] == [
        {"iteration": 2, "name": "learning_rate", "old": "auto", "new": 0.001},
        {"iteration": 2, "name": "g", "old": 0.0, "new": 3.0},
    ]
    assert ended.json["best"]["objective"] == python.best.objective


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("2:init=zeros", "cannot change its init"),
        ("g=3", "iteration, name and new value"),
        ("2:g=-3", "g must be a number of at least 0"),
    ],
)
def test_a_change_that_cannot_be_made_is_misuse(rankscope, letor, change, sentence):
    ended = rankscope("train", letor, "RSRank", *QUICK, "--change", change)
    assert ended.code == 2
    assert sentence in " ".join(ended.err.split())


def test_a_change_after_the_end_is_said(rankscope, letor):
    ended = rankscope("train", letor, "RSRank", *QUICK, "--change", "5:g=3")
    assert ended.code == 0
    assert "The change after iteration 5 was not made" in ended.err


def test_another_seed_is_passed_on(rankscope, letor):
    ended = rankscope("train", letor, "RSRank", "--seed", 7, *QUICK, "--json")
    assert ended.json["hyperparameters"]["random_state"] == 7


def test_a_preset_is_found_by_its_beginning_and_an_option_goes_before_it(
    rankscope, letor
):
    name = "RSRank"
    preset, settings = next(
        (title, values)
        for title, values in get_algorithm(name).presets.items()
        if values
    )
    words = ("train", letor, name, *QUICK, "--json", "--preset", preset.upper())
    chosen = rankscope(*words).json["hyperparameters"]
    assert {key: chosen[key] for key in settings} == dict(settings)
    key = next(iter(settings))
    other = hyperparameters(get_algorithm(name))[key].default
    text = hyperparameters(get_algorithm(name))[key].format(other)
    overridden = rankscope(*words, option_name(key), text).json["hyperparameters"]
    assert overridden[key] == other


def test_scaling_is_noted_in_the_model_and_used_when_it_is_measured(
    rankscope, letor, tmp_path
):
    out = tmp_path / "model.json"
    words = ("--normalise", "zscore", "--measure", "AP", "--out", out, "--json")
    trained = rankscope("train", letor, "RSRank", *QUICK, *words)
    assert load_model(out).provenance_.normalisation == "zscore"
    measured = rankscope("evaluate", letor, out, "--measure", "AP", "--json")
    assert measured.json["measures"] == trained.json["measures"]["test"]


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        (("planted", "RSRnk", "--g", "1"), 2, "RSRank"),
        (("planted", "RSRank", "--learning-rat", "1"), 2, "--learning-rate"),
        (("planted", "RSRank", "--g", "-1"), 2, "at least 0"),
        (("planted", "RSRank", "--g", "much"), 2, "a number"),
        (("planted", "RSRank", "--g", "9" * 400), 2, "a number"),
        (("planted", "RSRank", "--max-iter", "9" * 400), 2, "a whole number"),
        (("planted", "RSRank", "--max-iter", "9" * 5000), 2, "a whole number"),
        (("planted", "RSRank", "--seed", "9" * 400), 2, "a whole number"),
        (("planted", "RSRank", "--max-seconds", "nan"), 2, "a number"),
        (("planted", "RSRank", "--measure", "nDCG@" + "9" * 5000), 2, "name of a"),
        (("planted", "RSRank", "--measure", "nDGC@10"), 2, "nDGC"),
        (("planted", "RSRank", "--convention", "letor5"), 2, "letor4"),
        (("planted", "RSRank", "--empty", "two"), 2, "skip"),
        (("planted", "RSRank", "--preset", "nonsense"), 2, "presets"),
        (("planted", "RSRank", "--normalise", "max"), 2, "minmax"),
        (("planted",), 2, "ALGORITHM"),
        (("plantd", "RSRank"), 3, "planted"),
        (("planted", "RSRank", "--start", "no.json"), 1, "no.json"),
        (("planted", "RSRank", "--out", "no/m.json"), 1, "no folder"),
        (("planted", "RSRank", "--out", "."), 1, "folder"),
    ],
)
def test_what_goes_wrong_is_one_sentence_with_its_exit_code(
    rankscope, words, code, expected
):
    ended = rankscope("train", *words)
    assert ended.code == code
    assert expected in ended.err
    assert ended.err.count("\n") == 1
    assert ended.out == ""


@pytest.mark.soak
def test_neither_a_home_nor_a_place_for_a_cache_is_needed(letor, tmp_path):
    nowhere = dict.fromkeys(("HOME", "NUMBA_CACHE_DIR"), str(letor / "train.txt"))
    # Compiling all that training needs would take long.
    uncompiled = {"NUMBA_DISABLE_JIT": "1", "TMPDIR": str(tmp_path)}
    ended = subprocess.run(
        [sys.executable, "-m", "rankcore.cli", "train", letor, "LeastSquares"],
        env={**os.environ, **nowhere, **uncompiled},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "nDCG@10" in ended.stdout


def test_a_bad_line_is_named_and_nothing_is_written(rankscope, letor, tmp_path):
    (letor / "train.txt").write_text("1 qid:1 1:0.5\n0 qid:1 1:x\n")
    out = tmp_path / "model.json"
    ended = rankscope("train", letor, "RSRank", "--out", out)
    assert ended.code == 3
    assert "line 2" in ended.err
    assert not out.exists()


def test_ctrl_c_keeps_the_best_model_so_far(tmp_path):
    out, history = tmp_path / "model.json", tmp_path / "history.csv"
    script = (
        "import rankcore.cli.commands.train as t, pathlib\n"
        "from rankcore.cli import main\n"
        "figures = t._figures\n"
        "def noted(record):\n"
        "    if record.iteration == 3:\n"
        f"        pathlib.Path({str(tmp_path / 'ready')!r}).touch()\n"
        "    return figures(record)\n"
        "t._figures = noted\n"
        "main()\n"
    )
    words = ["train", "planted", "RSRank", "--max-iter", "100000000", "--max-seconds"]
    files = ["--out", str(out), "--history", str(history)]
    process = subprocess.Popen(
        [sys.executable, "-c", script, *words, "300", *files],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.getcwd()},
    )
    while not (tmp_path / "ready").exists() and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    printed, complaints = process.communicate(timeout=120)
    assert process.returncode == 130, complaints
    assert "Interrupted" in printed
    assert complaints == ""
    table = pd.read_csv(history)
    best = load_model(out).provenance_
    after_start = table[table["iteration"] > 0]
    assert best.measures["valid nDCG@10"] == after_start["valid nDCG@10"].max()
    assert load_dataset("planted").train.fingerprint == best.data_fingerprint


def test_a_bar_on_a_terminal_shows_the_figures_of_the_pass(
    on_terminal, letor, tmp_path, monkeypatch
):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    history = tmp_path / "history.csv"
    drawn = on_terminal("train", letor, "RSRank", *QUICK, "--history", history)
    shown = re.findall(r"iteration \d of 5 train nDCG@10 \S+  valid nDCG@10 \S+", drawn)
    table = pd.read_csv(history)
    columns = table[["iteration", "train nDCG@10", "valid nDCG@10"]]
    expected = [
        f"iteration {n:.0f} of 5 train nDCG@10 {train:.4f}  valid nDCG@10 {valid:.4f}"
        for n, train, valid in columns.to_numpy()
    ]
    assert set(shown) <= set(expected)
    assert shown[-1] == expected[-1]


def test_there_is_no_bar_for_scripts(rankscope, on_terminal, letor, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    assert "pass" not in on_terminal("train", letor, "RSRank", *QUICK, "--json")
    assert rankscope("train", letor, "RSRank", *QUICK).err == ""


def test_trees_are_kept_and_measured_but_are_no_start(rankscope, letor, tmp_path):
    forest = tmp_path / "forest.json"
    ended = rankscope("train", letor, "RankBoost", *QUICK, "--out", forest)
    assert "features used" in ended.out
    trained, data = load_model(forest), load_fold(letor).test
    measured = rankscope("evaluate", letor, forest, "--json").json["measures"]
    expected = measures.means(data, trained.predict(data.X))["nDCG@10"]
    assert measured["nDCG@10"] == pytest.approx(expected)
    for name, complaint in (
        ("RankBoost", "cannot start from another model"),
        ("AdaRank", "finite coefficients"),
    ):
        refused = rankscope("train", letor, name, "--start", forest)
        assert refused.code == 2
        assert complaint in " ".join(refused.err.split())


def test_features_of_mixed_scales_get_one_line_on_standard_error(rankscope, tmp_path):
    rows = [
        f"{i % 3} qid:{i // 6} 1:{i % 6 * 1e-4!r} 2:{i % 5 * 10.0!r}\n"
        for i in range(24)
    ]
    data = tmp_path / "mixed.txt"
    data.write_text("".join(rows))
    result = rankscope("train", data, "FenchelRank", *QUICK, "--json")
    assert result.code == 0
    assert result.json["algorithm"] == "FenchelRank"
    (line,) = result.err.splitlines()
    assert "Standardise the features" in line
    for kind in ("minmax", "standard"):
        scaled = rankscope("train", data, "FenchelRank", *QUICK, "--normalise", kind)
        assert (scaled.code, scaled.err) == (0, "")


def test_a_converted_folder_trains_as_its_file(rankscope, letor, tmp_path):
    parts = {}
    for part in ("train", "vali"):
        file = letor / f"{part}.txt"
        ended = rankscope("convert", file, tmp_path / part, "--json")
        parts[part] = tmp_path / part
        assert ended.json["parts"] == 1
    options = ("ListNet", "--max-iter", 3, "--no-store", "--json", "--valid")
    result = rankscope("train", parts["train"], *options, parts["vali"]).json
    expected = rankscope(
        "train", letor / "train.txt", *options, letor / "vali.txt"
    ).json
    for report in (result, expected):
        del report["seconds"]
    assert result == expected


def test_a_converted_folder_keeps_the_column_that_splits_it(rankscope, tmp_path):
    file, folder = tmp_path / "shop.csv", tmp_path / "shop"
    rows = [
        f"{d % 3},q{q},{q + d},{'vali' if q % 3 == 0 else 'train'}"
        for q in range(12)
        for d in range(4)
    ]
    file.write_text("\n".join(["label,query,price,part", *rows]))
    assert rankscope("convert", file, folder, "--group", "part", "--json").code == 0
    options = ("ListNet", "--max-iter", 3, "--no-store", "--json")
    options = (*options, "--divide", "column:part")
    result = rankscope("train", folder, *options).json
    expected = rankscope("train", file, *options).json
    assert result["fingerprint"] == expected["fingerprint"]
    missing = rankscope("train", folder, *options[:-1], "column:segment")
    assert missing.code == 3
    assert "There is no column 'segment'" in missing.err


def test_a_bad_file_is_not_converted(rankscope, tmp_path):
    file = tmp_path / "up.txt"
    file.write_text("1 qid:1 1:x\n")
    ended = rankscope("convert", file, tmp_path / "up")
    assert (ended.code, ended.out) == (3, "")
    assert f"{file}, line 1, column 9: The value 'x' of feature 1" in ended.err
    for option in ("--dtype", "--normalise"):
        assert rankscope("convert", file, tmp_path / "up", option, "half").code == 2


def test_files_named_may_be_as_large_as_they_are(rankscope, letor, monkeypatch):
    limits = replace(source.LARGE_FILE, size=100, cells=10, rows=5)
    monkeypatch.setattr(source, "LARGE_FILE", limits)
    monkeypatch.setattr(source, "SMALL_FILE", 50)
    options = ("ListNet", "--max-iter", 1, "--no-store", "--valid", letor / "vali.txt")
    for data in (letor, letor / "train.txt"):
        assert rankscope("train", data, *options).code == 0
    # On a machine that has no memory for them.
    monkeypatch.setattr("os.sysconf", lambda name: 1)
    ended = rankscope("train", letor, *options)
    assert ended.code == 3
    assert "too many numbers: rows times (features + 16) may be at most 10" in ended.err


def test_a_feature_log_is_converted_with_its_judgements(rankscope, tmp_path):
    log, judged = tmp_path / "log.ndjson", tmp_path / "judged.qrels"
    features = '"fields": {"_ltrlog": [{"main": [{"name": "bm25", "value": 1.5}]}]}'
    log.write_text(f'{{"qid": 7, "hits": {{"hits": [{{"_id": "a", {features}}}]}}}}')
    judged.write_text("7 0 a 2\n")
    ended = rankscope("convert", log, tmp_path / "up", "--judgements", judged, "--json")
    assert (ended.json["queries"], ended.json["documents"]) == (1, 1)


@pytest.mark.parametrize("at", ["best", "last", "7"])
def test_the_model_named_is_reported_written_and_measured(rankscope, tmp_path, at):
    out = tmp_path / "model.json"
    words = ("planted", "RSRank", "--g", 200, "--max-iter", 20)
    named = rankscope("train", *words, "--at", at, "--out", out, "--json").json
    splits = load_dataset("planted")
    model = RSRank(g=200.0, max_iter=20)
    run = drive(model, splits.train, splits.valid)
    list(run)
    model.load_run(run, at)
    origin = model.provenance_
    assert load_model(out).provenance_ == origin
    np.testing.assert_array_equal(load_model(out).coef_, model.coef_)
    chosen = named["chosen"]
    assert (chosen["iteration"], chosen["text"]) == (origin.iteration, origin.text)
    assert chosen["nonzeros"] == np.count_nonzero(model.coef_)
    reached = origin.measures["valid nDCG@10"]
    assert named["measures"]["valid"]["nDCG@10"] == pytest.approx(reached, abs=1e-12)
    sentence = rankscope("evaluate", "planted", out, "--split", "valid").out
    assert f"RSRank, {origin.text}.\n" in sentence
    assert f"{reached:.4f}" in sentence
    assert f"Model: {origin.text}." in rankscope("export", out, "csv").err


def test_best_and_last_are_said_side_by_side(rankscope):
    words = ("planted", "RSRank", "--g", 200, "--max-iter", 20)
    ended = rankscope("train", *words, "--at", "last")
    assert "Model: iteration 20, last, of 20: objective" in ended.out
    assert re.search(
        r"^Best \(\d+\): \d+ features, 0\.\d+; last \(20\)", ended.out, re.M
    )


def test_an_iteration_that_cannot_be_is_misuse(rankscope, letor):
    ended = rankscope("train", letor, "RSRank", *QUICK, "--at", 6)
    assert ended.code == 2
    assert "no model of iteration 6: give a smaller --at" in ended.err
    ended = rankscope("train", letor, "RSRank", *QUICK, "--at", "newest")
    assert ended.code == 2
    assert "write best, last, or the number" in ended.err


def test_where_training_ends_before_the_iteration_the_last_is_said(rankscope):
    words = ("toy-2d", "LeastSquares", "--max-iter", 400, "--at", 300, "--json")
    ended = rankscope("train", *words)
    last = ended.json["last"]["iteration"]
    assert last < 300
    assert f"no iteration 300: training ended after {last}" in ended.err
    assert ended.json["chosen"]["iteration"] == last
