"""Staying until what a run has drawn is on its way to the browser.

Where the next run begins before, Streamlit drops what the parts it draws anew have left
there. A control that a callback has set would then show its old value for ever. And the
end of a whole page is told all the same: the browser, which has not heard of those
parts in it, takes them off, and forgets their controls and the zoom of their figures.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from streamlit import runtime
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.runtime_util import MESSAGE_FLUSH_INTERVAL_SECS
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.exceptions import RerunException

# A browser that has gone away takes nothing any more.
PATIENCE_SECONDS = 2.0


@contextmanager
def to_the_end(then: Callable[[], None] = lambda: None) -> Iterator[None]:
    """At the end, also of what stops half-way, do ``then`` and stay until all is sent.

    Not where another run is asked for: that one draws it again.
    """
    asked_again = False
    try:
        yield
    except RerunException:
        asked_again = True
        raise
    finally:
        if not asked_again:
            then()
            wait()


def wait() -> None:
    """Wait until the server has sent what this run has drawn so far."""
    context = get_script_run_ctx()
    if context is None or not runtime.exists():
        return
    sessions = runtime.get_instance()._session_mgr
    active = sessions.get_active_session_info(context.session_id)
    if active is not None:
        _wait(active.session)


def _wait(session: AppSession) -> None:
    waiting = asyncio.run_coroutine_threadsafe(_emptied(session), session._event_loop)
    try:
        waiting.result(PATIENCE_SECONDS)
    except TimeoutError:
        waiting.cancel()


async def _emptied(session: AppSession) -> None:
    # What the script has drawn is put there in this loop, before this begins.
    while not session._browser_queue.is_empty():
        await asyncio.sleep(MESSAGE_FLUSH_INTERVAL_SECS / 5)
