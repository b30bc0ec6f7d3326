"""What visitors had is given back when they have gone."""

import gc
import weakref
from types import SimpleNamespace

import pytest
from streamlit import runtime
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.session_manager import SessionInfo
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from pages.ui import streamlit_compat
from pages.ui.serving.memory import Collector


class Session:
    """A session that refers to itself, as what pages make often does."""

    def __init__(self, name: str) -> None:
        self.id, self.itself = name, self


@pytest.fixture
def storage(monkeypatch):
    """Where a server keeps sessions whose pages are closed, a minute each; its clock is
    ``storage.now``."""
    result = MemorySessionStorage(ttl_seconds=60)
    result.now = 0.0
    result._cache._timer = lambda: result.now
    manager = WebsocketSessionManager(result, None, None, None)
    server = SimpleNamespace(_session_mgr=manager)
    monkeypatch.setattr(runtime, "get_instance", lambda: server)
    return result


def leave(storage, name: str) -> weakref.ref:
    """Close the page of a session."""
    session = Session(name)
    storage.save(SessionInfo(None, session))
    return weakref.ref(session)


def test_sessions_are_forgotten_though_no_other_ends(storage):
    assert streamlit_compat.forget_sessions() == 0
    leave(storage, "first")
    storage.now = 40.0
    leave(storage, "second")
    assert streamlit_compat.forget_sessions() == 0
    storage.now = 61.0
    assert streamlit_compat.forget_sessions() == 1
    assert [info.session.id for info in storage.list()] == ["second"]


def test_what_a_visitor_had_is_freed_though_collections_left_it_out(storage):
    gone = leave(storage, "gone")
    collector = Collector()
    try:
        gc.collect()
        gc.freeze()
        storage.now = 61.0
        collector.collect()
        assert gone() is None
        # What is loaded is left out again.
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()


def test_without_a_server_no_session_is_forgotten():
    assert streamlit_compat.forget_sessions() == 0
