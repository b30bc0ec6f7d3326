"""Ctrl-C ends a command with exit code 130 and one line, whatever it is doing."""

import os
import random
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from rankcore import RSRank, cli
from rankcore.cli import _signals
from rankcore.data.readers import Splits
from rankcore.measures import STANDARD
from rankcore.studies import cells
from rankcore.studies.cells import train_cell
from rankcore.studies.results import Cell
from rankcore.studies.store import open_store
from tests.browser.conftest import free_port
from tests.soaking import soak

COMMAND = (sys.executable, "-m", "rankcore.cli")
SCRIPT = (str(Path(sys.executable).with_name("rankscope")),)
LINE = "rankscope: interrupted.\n"
LONG = ("--max-iter", "100000000")


def catches(process, number):
    """Whether a process has a function of its own for a signal."""
    try:
        status = Path(f"/proc/{process.pid}/status").read_text()
    except FileNotFoundError:
        return False
    (caught,) = (line for line in status.splitlines() if line.startswith("SigCgt"))
    return bool(int(caught.split()[1], 16) >> (number - 1) & 1)


def children(process):
    folder = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    return [int(number) for number in folder.read_text().split()]


def answers(port):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except ConnectionRefusedError:
        return False
    return True


def wait_until(true, process):
    while not true() and process.poll() is None:
        time.sleep(0.002)


def started(*words, command=COMMAND, ctrl_c=signal.SIG_DFL, env=None):
    """A command whose first line has run: Python itself leaves SIGTERM alone."""
    # What is ignored here, the new process ignores, too.
    wanted = {signal.SIGINT: ctrl_c, signal.SIGHUP: signal.SIG_DFL}
    before = {
        number: signal.signal(number, action) for number, action in wanted.items()
    }
    process = subprocess.Popen(
        [*command, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=env,
    )
    for number, action in before.items():
        signal.signal(number, action)
    wait_until(lambda: catches(process, signal.SIGTERM), process)
    return process


def interrupted(process, delay, number=signal.SIGINT, group=True):
    """How a command ends by a signal; a terminal sends it to its workers, too."""
    time.sleep(delay)
    (os.killpg if group else os.kill)(process.pid, number)
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


@pytest.fixture
def folds(letor):
    (letor.parent / "mine").mkdir()
    letor.rename(letor.parent / "mine" / "Fold1")
    return letor.parent / "mine"


@pytest.fixture
def uncompiled(tmp_path):
    """An environment in which every kernel has yet to be compiled."""
    return {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kernels")}


TRAIN = ("train", "planted", "RSRank", *LONG)


def check(ended, expected=(130, LINE)):
    code, out, err = ended
    assert (code, err) == expected, out


@pytest.mark.parametrize(
    ("command", "delay"), [(COMMAND, 0.0), (SCRIPT, 0.05), soak(COMMAND, 0.3)]
)
def test_ctrl_c_before_training(uncompiled, command, delay):
    process = started(*TRAIN, command=command, env=uncompiled)
    check(interrupted(process, delay))


@pytest.mark.soak
@pytest.mark.parametrize("command", [COMMAND, SCRIPT], ids=["module", "script"])
@pytest.mark.parametrize("turn", range(20))
def test_ctrl_c_at_any_time_before_training(uncompiled, command, turn):
    delay = random.Random(turn).uniform(0.0, 0.2 * (turn + 1))
    process = started(*TRAIN, command=command, env=uncompiled)
    check(interrupted(process, delay))


@pytest.mark.soak
@pytest.mark.parametrize("turn", range(10))
@pytest.mark.parametrize(
    "words",
    [("path", "planted", "RSRank", "--over", "g", *LONG), ("warmup",), ("describe",)],
    ids=lambda words: words[0],
)
def test_ctrl_c_ends_other_commands(uncompiled, words, turn):
    process = started(*words, env=uncompiled)
    code, out, err = interrupted(process, 0.3 * turn)
    assert (code, err) in [(130, LINE), (2, err)], out
    assert "Traceback" not in err
    assert code == 130 or words == ("describe",)


def test_after_ctrl_c_nothing_more_is_said(monkeypatch, capfd):
    """An import that Ctrl-C ends, for one, may fail with an error of its own."""
    monkeypatch.setattr(_signals, "_received", [signal.SIGINT])
    with pytest.raises(SystemExit) as end:
        cli.main(["describe", "no-such-data"])
    assert end.value.code == 130
    assert capfd.readouterr().err == ""


def test_ctrl_c_keeps_the_runs_of_a_sweep_that_are_complete(letor, tmp_path):
    out = tmp_path / "sweep.csv"
    words = ("--over", "g", "--values", "900", "--max-iter", "5", "--out", out)
    process = started("sweep", letor, "RSRank", *words)
    first = process.stderr.readline()
    code, value, _ = interrupted(process, 0.0)
    assert first.startswith("1 of 900: g = ")
    assert code == 130
    assert "Interrupted; the runs so far are kept." in value
    result = pd.read_csv(out)
    assert 0 < len(result) < 900
    assert not result["failed"].any()


@pytest.mark.parametrize(
    ("number", "word"), [soak(signal.SIGTERM, "terminated"), (signal.SIGHUP, "hung up")]
)
def test_other_signals_end_a_command_too(uncompiled, number, word):
    process = started(*TRAIN, env=uncompiled)
    expected = 128 + number, f"rankscope: {word}.\n"
    check(interrupted(process, 0.2, number), expected)


@pytest.mark.parametrize("delay", [0.4, *map(soak, (0.0, 0.7, 1.0, 1.3))])
@pytest.mark.parametrize("number", [signal.SIGTERM, soak(signal.SIGHUP)])
def test_what_a_signal_breaks_off_is_no_result(letor, number, delay, tmp_path):
    url = f"sqlite:///{tmp_path / 'runs.sqlite'}"
    words = ("--over", "g", "--values", "900", "--max-iter", "50", "--processes", "2")
    env = {**os.environ, "RANKSCOPE_DATABASE_URL": url}
    process = started("sweep", letor, "RSRank", *words, env=env)
    assert process.stderr.readline().startswith("1 of 900: g = ")
    code, _, result = interrupted(process, delay, number, group=False)
    assert code == 128 + number
    # No semaphore is left either.
    assert "resource_tracker" not in result
    with open_store(url) as store:
        (key,) = store.sweeps().index
        assert not store.load_sweep(key).to_frame()["failed"].any()


def test_a_signal_within_compiled_code_ends_a_cell(small, monkeypatch):
    """Such code makes a SystemError of it."""

    def drive(*_, **__):
        try:
            sys.exit(143)
        except SystemExit as end:
            raise SystemError("returned a result with an exception set") from end

    monkeypatch.setattr(cells, "drive", drive)
    cell = Cell((), "", 0, None)
    folds = {"": Splits(small)}
    with pytest.raises(SystemExit):
        train_cell(RSRank(), folds, (), STANDARD, None, 1, cell)


@pytest.mark.soak
def test_where_ctrl_c_is_ignored_it_stays_so(letor):
    words = ("train", letor, "RSRank", "--max-iter", "50")
    process = started(*words, ctrl_c=signal.SIG_IGN)
    while process.poll() is None:
        # So often that some come while it trains.
        time.sleep(0.002)
        process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, "")
    assert "Interrupted" not in out


def reproducing(folds, **details):
    words = ("--algorithm", "RSRank", "--algorithm", "ApproxNDCG", "--workers", "2")
    return started("reproduce", folds, *words, **details)


def end_of(process):
    """Wait until nothing of a command's session is left."""
    try:
        while True:
            os.killpg(process.pid, 0)
            time.sleep(0.01)
    except ProcessLookupError:
        return


SLOW_TO_LEAVE = """
import os, signal, time
from rankcore.cli import _signals

class Slow:
    def __del__(self, sleep=time.sleep):
        sleep(0.8)

slow = Slow()
_signals.GRACE_SECONDS = 0.2
_signals.watch_signals(_signals._leave)
os.kill(os.getpid(), signal.SIGINT)
"""


def test_a_process_slow_to_leave_has_the_exit_code_too():
    command = [sys.executable, "-c", SLOW_TO_LEAVE]
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=60
    )
    check((done.returncode, done.stdout, done.stderr))


def test_worker_processes_end_without_a_word(folds):
    process = reproducing(folds)
    # The third one keeps account of what they share.
    wait_until(lambda: len(children(process)) == 3, process)
    check(interrupted(process, 0.2))
    end_of(process)


@pytest.mark.soak
@pytest.mark.parametrize("turn", range(20))
@pytest.mark.parametrize("group", [True, False], ids=["terminal", "alone"])
def test_worker_processes_end_at_any_time(folds, uncompiled, group, turn):
    process = reproducing(folds, env=uncompiled)
    check(interrupted(process, 0.35 * turn, group=group))
    end_of(process)


@pytest.mark.soak
@pytest.mark.parametrize("turn", range(20))
def test_ctrl_c_ends_the_app(turn):
    process = started("serve", "--port", free_port())
    code, out, err = interrupted(process, 0.2 * turn)
    assert code == 130, out
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("number", "code", "delay"),
    [soak(signal.SIGINT, 130, 0.0), (signal.SIGTERM, 143, 1.0)],
)
def test_the_app_ends_by_the_signal_it_got(number, code, delay):
    port = free_port()
    process = started("serve", "--port", port)
    wait_until(lambda: answers(port), process)
    result, _, err = interrupted(process, delay, number)
    assert result == code
    assert "Traceback" not in err


@pytest.mark.soak
@pytest.mark.parametrize("turn", range(20))
def test_ctrl_c_at_the_end_counts_or_comes_too_late(turn):
    process = started("datasets")
    code, out, err = interrupted(process, 0.05 * turn)
    assert (code, err) in [(130, LINE), (0, "")], out
