"""The only module that goes below Streamlit's public interface.

Each function states the behaviour of Streamlit that it works around, and checks that
the internals it needs exist. If not, it returns False, and the caller uses Streamlit's
own way.
"""

import asyncio
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import streamlit as st


def enter_through_app() -> bool:
    """Make every link enter through ``app.py``; start again if one has not.

    An app beside a folder ``pages`` counts as one of Streamlit's older kind until its
    first ``st.navigation``, so the first link to a page runs that page alone
    (https://github.com/streamlit/streamlit/issues/9992). Without this call the page has
    no navigation until the visitor's first action; if only the page calls it, not the
    server's start, the sidebar is wider.
    """
    try:
        from streamlit.runtime.pages_manager import PagesManager
    except ImportError:
        return False
    skipped = getattr(PagesManager, "uses_pages_directory", False)
    PagesManager.uses_pages_directory = False
    if skipped:
        st.rerun()
    return True


def draws_a_page() -> bool:
    """Whether the caller draws a page, and therefore has a session.

    Code that pages share with commands and threads asks this: outside pages, Streamlit
    writes a warning per line and makes up a session that nobody else sees.
    """
    return _run() is not None


def went_through_history() -> bool:
    """Whether a page is drawn because the browser went back or forward to it; the
    public interface cannot distinguish this from a link in the menu."""
    return bool(getattr(_run(), "is_history_navigation", False))


def _run() -> Any:
    try:
        from streamlit.runtime.scriptrunner import get_script_run_ctx

        return get_script_run_ctx(suppress_warning=True)
    except (ImportError, TypeError):
        return None


# Values that a page sends once, on a press, rather than with every request.
_PRESSED = (
    "trigger_value",
    "string_trigger_value",
    "chat_input_value",
    "json_trigger_value",
)
_FOREIGN = (
    *(None, "clear_cache", "set_run_on_save"),
    *("debug_disconnect_websocket", "debug_shutdown_runtime"),
)
# Maximum number of files, widgets and cached messages of a page.
_MOST = 10_000
# A message that starts a run holds only settings; figures are larger.
_LARGEST_BEGINNING = 2**15


@dataclass(frozen=True)
class Rerun:
    """A page's request to be redrawn: the message, the kind of draw, within which one
    request may replace another, and whether a button is pressed."""

    content: bytes
    kind: tuple[Any, ...]
    pressed: bool

    def replaces(self, before: "Rerun") -> bool:
        """Whether the previous request need not be answered."""
        return self.kind == before.kind and not before.pressed

    def with_values_of(self, before: "Rerun") -> "Rerun":
        """Return this request with values that only the previous one has."""
        message, other = _message(self.content), _message(before.content)
        widgets = message.rerun_script.widget_states.widgets
        ids = {state.id for state in widgets}
        others = other.rerun_script.widget_states.widgets
        lacking = [state for state in others if state.id not in ids]
        if not lacking:
            return self
        widgets.extend(lacking)
        return Rerun(message.SerializeToString(), self.kind, self.pressed)


def rerun(content: bytes) -> Rerun | None:
    """Return the request in a page's message; None for any other message."""
    try:
        message = _message(content)
        if message.WhichOneof("type") != "rerun_script":
            return None
        state = message.rerun_script
        kind = (
            state.page_script_hash,
            state.page_name,
            state.fragment_id,
            state.is_auto_rerun,
            state.is_history_navigation,
        )
        pressed = any(
            widget.WhichOneof("value") in _PRESSED
            for widget in state.widget_states.widgets
        )
    except (ImportError, AttributeError, ValueError):
        return None
    return Rerun(content, kind, pressed)


def is_foreign(content: bytes) -> bool:
    """Whether no page of the app sends such a message: it clears all caches, names a
    hundred thousand files or widgets, or an unknown widget. Raises ValueError if it is
    not a page's message at all."""
    try:
        message = _message(content)
    except ImportError:
        return False
    state, files = message.rerun_script, message.file_urls_request.file_names
    widgets = state.widget_states.widgets
    urlsplit(state.context_info.url)
    return (
        message.WhichOneof("type") in _FOREIGN
        or max(map(len, (files, widgets, state.cached_message_hashes))) > _MOST
        or not all(widget.id.startswith("$$") for widget in widgets)
    )


def begins_a_run(content: bytes | None) -> bool:
    """Whether a message to a page says that its run has begun, and so has taken the
    request's values; also true if that cannot be known."""
    if content is None or len(content) > _LARGEST_BEGINNING:
        return False
    try:
        from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

        return _parsed(ForwardMsg, content).WhichOneof("type") == "new_session"
    except ImportError:
        return True
    except ValueError:
        return False


def _message(content: bytes) -> Any:
    from streamlit.proto.BackMsg_pb2 import BackMsg

    return _parsed(BackMsg, content)


def _parsed(kind: Any, content: bytes) -> Any:
    """Return a message; raises ValueError if it is not of that kind."""
    try:
        return kind.FromString(content)
    # The class is in a package without types.
    except Exception as error:
        raise ValueError(f"no {kind.__name__}") from error


def limit_request_heads(seconds: float) -> bool:
    """Close connections that do not send a complete request head in time.

    Uvicorn, which serves Streamlit, limits only the time between two requests.
    """
    try:
        from uvicorn.protocols.http.auto import AutoHTTPProtocol as Protocol
    except ImportError:
        return False
    original = getattr(Protocol, "connection_made", None)
    if original is None or getattr(original, "limits_heads", False):
        return original is not None

    def connection_made(self: Any, transport: asyncio.Transport) -> None:
        original(self, transport)
        asyncio.get_running_loop().call_later(seconds, look, self, transport, None)

    def look(self: Any, transport: asyncio.Transport, before: object) -> None:
        if transport.is_closing() or transport.get_protocol() is not self:
            return
        request = getattr(self, "cycle", None)
        waits = request is None or request.response_complete
        if waits and request is before:
            transport.close()
            return
        again = asyncio.get_running_loop().call_later
        again(seconds, look, self, transport, request if waits else None)

    connection_made.limits_heads = True  # type: ignore[attr-defined]
    Protocol.connection_made = connection_made  # type: ignore[method-assign,assignment]
    return True


def leave_collecting() -> bool:
    """Keep Streamlit from collecting garbage after each run, wherever the server's
    configuration comes from."""
    try:
        from streamlit import config

        config.set_option("runner.postScriptGC", False)
    except (ImportError, AttributeError, RuntimeError):
        return False
    return True


def forget_sessions() -> int:
    """Forget the sessions of pages that have been closed for longer than
    ``server.disconnectedSessionTTL``; return how many.

    Streamlit itself forgets them only when another page is closed, so the last
    visitors' data would stay in memory.
    """
    try:
        from streamlit.runtime import get_instance

        manager: Any = get_instance()._session_mgr
        with manager._storage_lock:
            forgotten = manager._session_storage._cache.expire()
    except (ImportError, AttributeError, RuntimeError, TypeError):
        return 0
    return len(forgotten)
