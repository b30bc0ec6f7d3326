"""Sending figures before all else, when a page looks as it did and only values change.

The browser takes some milliseconds for every control, caption and container it is sent,
and draws a figure after all that came before it. While a control is moved, most of that
is as it was. So whatever stands where something of the same kind stood after the last
complete run waits until the end of this run, and figures do not. As soon as anything
new comes, all is sent in order: the browser needs to know a container before its parts.
What fragments inside draw does not wait, as they may have drawn other things since.
Even the containers that Streamlit sends before a fragment's first line wait: for each
of them alone the browser would look through the whole page.

Where a figure has changed, the rest waits a moment longer, until the browser has drawn;
and if by then the next run is asked for, as while a control is dragged, that run sends
it. A run that ends because another is to follow sends nothing more: with each message
Streamlit looks for requests, and a second one would replace the first, with what was
pressed.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.exceptions import RerunException
from streamlit.runtime.scriptrunner_utils.script_requests import (
    ScriptRequests,
    ScriptRequestType,
)
from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState

from pages.ui import sent

if TYPE_CHECKING:
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
    from streamlit.runtime.fragment import FragmentStorage

FIGURE = "bidi_component"
# A figure is on its way to the screen for about so long.
DRAWING_SECONDS = 0.12
POLL_SECONDS = 0.01


def runs_a_part() -> bool:
    """Whether only a part of the page is drawn, as when something in it was pressed."""
    context = get_script_run_ctx()
    return context is not None and bool(context.fragment_ids_this_run)


class Place(NamedTuple):
    """Where something stands on the page, and of what kind it is."""

    path: tuple[int, ...]
    kind: str

    @classmethod
    def of(cls, message: "ForwardMsg") -> "Place":
        """Where a message puts what it brings."""
        delta = message.delta
        if delta.WhichOneof("type") == "new_element":
            kind = delta.new_element.WhichOneof("type")
        else:
            kind = f"{delta.WhichOneof('type')} {delta.add_block.WhichOneof('type')}"
        return cls(tuple(message.metadata.delta_path), kind)


class FiguresFirst:
    """Knows what stood where when a part of a page was last drawn to its end.

    Parameters
    ----------
    waits : bool
        Whether there is time to wait for the browser.
    """

    def __init__(self, waits: bool = True) -> None:
        self.known: dict[Place, str] = {}
        self.waits = waits

    def fragment(
        self,
        draw: Callable[[], None],
        every: float | None,
        then: Callable[[], None],
    ) -> None:
        """Draw a part of a page, which from now on can be drawn alone.

        Parameters
        ----------
        draw : callable
            Draws the part.
        every : float or None
            Seconds after which it is drawn alone by itself.
        then : callable
            Called when the part was drawn alone, even if that stopped half-way, but
            not if it asked for another run.
        """
        context = get_script_run_ctx()
        if context is None:
            return
        begun = False
        around = ThreadState.get().fragment_id

        def part() -> None:
            # What is drawn may stop the run, so this comes first.
            nonlocal begun
            if not begun:
                begun = True
                self._take_over(context.fragment_storage, around, then)
            draw()

        with self.sending():
            st.fragment(part, run_every=every)()

    def _take_over(
        self, storage: "FragmentStorage", around: str | None, then: Callable[[], None]
    ) -> None:
        """Let what draws the current fragment alone send its figures first; ``around``
        is the fragment that it is a part of."""
        name = ThreadState.get().fragment_id
        alone = storage.lookup(name)

        def whole() -> None:
            with sent.to_the_end(then), self.sending():
                alone()

        storage.register(name, whole, parent_fragment_id=around)

    @contextmanager
    def sending(self) -> Iterator[None]:
        """Send the figures drawn inside before the rest."""
        context = get_script_run_ctx()
        if context is None:
            yield
            return
        send = context._enqueue
        run = _Run(send, self.known)
        # Until this run is complete, nobody knows what the browser holds.
        self.known = {}
        context._enqueue = run.take
        try:
            yield
            self.known = run.seen
            if self.waits and run.moved and run.waiting:
                _wait_for_drawing(context.script_requests)
        except RerunException:
            # The next run sends it all.
            run.waiting.clear()
            raise
        finally:
            context._enqueue = send
            run.release()


class _Run:
    """One run of a part: what has been seen, and what waits."""

    def __init__(
        self, send: Callable[["ForwardMsg"], None], known: dict[Place, str]
    ) -> None:
        self.send = send
        self.known = known
        self.fragment: str | None = None
        self.seen: dict[Place, str] = {}
        self.moved = False
        self.waiting: list[ForwardMsg] = []

    def take(self, message: "ForwardMsg") -> None:
        """Send a message or let it wait."""
        if not message.HasField("delta") or not self.owns(message.delta.fragment_id):
            self.send(message)
            return
        place = Place.of(message)
        self.seen[place] = message.hash
        if place not in self.known:
            self.release()
        elif place.kind == FIGURE and message.hash != self.known[place]:
            self.moved = True
        else:
            self.waiting.append(message)
            return
        self.send(message)

    def owns(self, fragment: str) -> bool:
        """Whether this is the fragment that draws, which begins."""
        if self.fragment is None:
            self.fragment = fragment
        return self.fragment == fragment

    def release(self) -> None:
        """Send what waits, and let nothing wait from now on."""
        self.known = {}
        for message in self.waiting:
            self.send(message)
        self.waiting.clear()


def _wait_for_drawing(requests: ScriptRequests | None) -> None:
    """Wait while the browser draws, until a run is asked for at the longest."""
    end = time.monotonic() + DRAWING_SECONDS
    while time.monotonic() < end and not _is_asked_to_run(requests):
        time.sleep(POLL_SECONDS)


def _is_asked_to_run(requests: ScriptRequests | None) -> bool:
    return requests is not None and requests._state != ScriptRequestType.CONTINUE
