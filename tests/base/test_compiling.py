import gc
import io
import logging
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from numba import njit

from rankcore._kernels import NOTICE
from rankcore.base import compiling
from rankcore.base.cancellation import training_seconds


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Cell(io.StringIO):
    """Standard error in a notebook, which `ipykernel.iostream` shows below the cell."""


Cell.__module__ = "ipykernel.iostream"


@pytest.fixture
def notice():
    """A notice, and the event that it has been logged."""
    logged = threading.Event()
    handler = logging.Handler()
    handler.emit = lambda record: logged.set()
    log = logging.getLogger("rankcore")
    log.addHandler(handler)
    level = log.level
    log.setLevel(logging.INFO)
    yield compiling.CompilationNotice(), logged
    log.setLevel(level)
    log.removeHandler(handler)


def compile_long(notice, logged):
    """Two long compilations of one subject, one kernel calling another."""
    for _ in range(2):
        with compiling.kernels_of("RSRank"):
            notice.begin()
            notice.begin()
        assert logged.wait(30)
        notice._timer.join()
        notice.end()
        notice.end()


@pytest.mark.parametrize(
    ("shown", "to_people_only", "lines"),
    [
        (Terminal, False, 1),
        (Terminal, True, 1),
        (Cell, True, 1),
        (io.StringIO, False, 1),
        (io.StringIO, True, 0),
    ],
)
def test_a_long_compilation_is_said_in_one_line_with_its_duration(
    notice, monkeypatch, shown, to_people_only, lines
):
    result, logged = notice
    monkeypatch.setattr("sys.stderr", shown())
    monkeypatch.setattr(compiling, "PATIENCE_SECONDS", 0)
    result.to_people_only = to_people_only
    warned = logging.StreamHandler(compiling.sys.stderr)
    warned.setLevel(logging.WARNING)
    log = logging.getLogger("rankcore")
    log.addHandler(warned)
    compile_long(result, logged)
    log.removeHandler(warned)
    text = compiling.sys.stderr.getvalue()
    assert text.count("\n") == text.count("RSRank") == lines
    assert text.count(compiling.DURATION) == lines


def test_a_short_compilation_is_not_said(notice, monkeypatch):
    result, logged = notice
    monkeypatch.setattr(compiling, "PATIENCE_SECONDS", 60)
    result.begin()
    result.end()
    result._timer.join()
    assert not logged.is_set()


def test_compilation_is_no_time_of_training(monkeypatch):
    elapsed = iter([0.0, 2.0, 10.0, 12.0, 100.0])
    monkeypatch.setattr(compiling.time, "perf_counter", lambda: next(elapsed))
    before = training_seconds()
    NOTICE.begin()
    NOTICE.begin()
    NOTICE.end()
    NOTICE.end()
    assert training_seconds() - before == 12.0 - (10.0 - 2.0)
    monkeypatch.undo()
    with ThreadPoolExecutor() as other:
        assert other.submit(NOTICE.seconds_here).result() == 0.0


def test_nothing_is_collected_while_a_kernel_is_compiled(monkeypatch):
    """Collections would take a fifth of the time."""
    seen = []
    monkeypatch.setattr(NOTICE, "begin", lambda: seen.append(gc.isenabled()))

    def twice(x):
        return x + x

    twice.__module__ = "rankcore.twice"
    assert gc.isenabled()
    assert njit(twice)(1) == 2
    assert seen == [False]
    assert gc.isenabled()
