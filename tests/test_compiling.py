import io
import logging
import threading

import pytest

from rankcore import compiling


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def notice(monkeypatch):
    """A notice, and the event that it has been logged."""
    logged = threading.Event()
    handler = logging.Handler()
    handler.emit = lambda record: logged.set()
    log = logging.getLogger("rankcore")
    log.addHandler(handler)
    monkeypatch.setattr(log, "level", logging.INFO)
    yield compiling.Notice(), logged
    log.removeHandler(handler)


def test_a_long_compilation_is_said_in_one_line_to_a_terminal(notice, monkeypatch):
    said, logged = notice
    monkeypatch.setattr("sys.stderr", Terminal())
    monkeypatch.setattr(compiling, "PATIENCE_SECONDS", 0)
    for _ in range(2):
        with compiling.kernels_of("RSRank"):
            said.begin()
            said.begin()
        assert logged.wait(30)
        said._timer.join()
        said.end()
        said.end()
    text = compiling.sys.stderr.getvalue()
    assert text.count("\n") == text.count("RSRank") == 1


def test_what_is_no_terminal_is_told_nothing(notice, monkeypatch, capsys):
    said, logged = notice
    monkeypatch.setattr(compiling, "PATIENCE_SECONDS", 0)
    said.begin()
    assert logged.wait(30)
    said.end()
    assert capsys.readouterr() == ("", "")


def test_a_short_compilation_is_not_said(notice, monkeypatch):
    said, logged = notice
    monkeypatch.setattr(compiling, "PATIENCE_SECONDS", 60)
    said.begin()
    said.end()
    said._timer.join()
    assert not logged.is_set()
