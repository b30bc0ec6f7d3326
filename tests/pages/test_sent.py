"""A run ends when what it has drawn is on its way to the browser."""

import asyncio
import threading
from types import SimpleNamespace

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.scriptrunner import RerunData
from streamlit.runtime.scriptrunner_utils.exceptions import (
    RerunException,
    StopException,
)

from pages.ui import sent


@pytest.fixture
def session(monkeypatch):
    """A session on a loop of its own, as the current script's."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    session = SimpleNamespace(_event_loop=loop, _browser_queue=ForwardMsgQueue())
    find = {"this": SimpleNamespace(session=session)}.get
    manager = SimpleNamespace(get_active_session_info=find)
    app = SimpleNamespace(
        exists=lambda: True,
        get_instance=lambda: SimpleNamespace(_session_mgr=manager),
    )
    context = SimpleNamespace(session_id="this")
    monkeypatch.setattr(sent, "runtime", app)
    monkeypatch.setattr(sent, "get_script_run_ctx", lambda: context)
    yield session
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def draw(session, in_loop=()):
    """Put a message into the queue, as a script does, and then do what is asked."""
    for step in (lambda: session._browser_queue.enqueue(ForwardMsg()), *in_loop):
        session._event_loop.call_soon_threadsafe(step)


def test_what_is_drawn_is_sent_when_the_wait_is_over(session):
    flushed = []

    def flush():
        flushed.extend(session._browser_queue.flush())

    draw(session, [lambda: session._event_loop.call_later(0.05, flush)])
    sent.wait()
    assert len(flushed) == 1

    sent.wait()
    assert len(flushed) == 1


def test_a_browser_that_takes_nothing_is_not_waited_for(session, monkeypatch):
    monkeypatch.setattr(sent, "PATIENCE_SECONDS", 0.02)
    draw(session)
    sent.wait()
    assert not session._browser_queue.is_empty()


def test_nobody_waits_for_a_browser_that_has_gone(session, monkeypatch):
    gone = SimpleNamespace(session_id="another")
    monkeypatch.setattr(sent, "get_script_run_ctx", lambda: gone)
    draw(session)
    sent.wait()
    monkeypatch.setattr(sent, "get_script_run_ctx", lambda: None)
    sent.wait()


@pytest.mark.parametrize(
    ("end", "waits"),
    [(None, 1), (StopException(), 1), (RerunException(RerunData()), 0)],
)
def test_a_run_stays_to_the_end_unless_another_is_asked_for(monkeypatch, end, waits):
    waited = []
    monkeypatch.setattr(sent, "wait", lambda: waited.append(None))

    def run():
        with sent.to_the_end():
            assert not waited
            if end:
                raise end

    if end:
        with pytest.raises(type(end)):
            run()
    else:
        run()
    assert len(waited) == waits
