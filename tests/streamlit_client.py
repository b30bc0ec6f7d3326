"""A visitor without a browser, who speaks Streamlit's protocol as its web page does.

Every action sends the values of all widgets that are drawn. Messages are read as they
come; what would be drawn is not.
"""

import asyncio
import json
import random
import time
import urllib.request
from collections.abc import Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import takewhile
from typing import Any
from urllib.parse import urlsplit

from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import connect

LARGEST_MESSAGE = 2**28


def cookie_of(url: str) -> str:
    """The cookie that a browser has from the page's first answer."""
    with urllib.request.urlopen(url) as answer:
        return (answer.headers["Set-Cookie"] or "").partition(";")[0]


def run(visit: Coroutine[Any, Any, Any]) -> Any:
    """What a coroutine returns, in a thread of its own: browser tests before may have
    left an event loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, visit).result()


class Visitor:
    """One page that is open.

    Attributes
    ----------
    faults : list of str
        What a visitor would see of errors.
    seconds : list of (str, float)
        Each action, and how long it took.
    elements : dict
        What is drawn, by where: its kind, its content, and its fragment.
    toasts : list of str
    shown : str
        The hash of the page that the server draws.
    names : str or None
        The hash of the page that requests name; None: of the one that is shown, as a
        browser does.
    """

    def __init__(
        self,
        url: str,
        page: str = "",
        query: str = "",
        cookie: str = "",
        headers: Mapping[str, str] | None = None,
    ):
        self.url, self.page, self.query, self.cookie = url, page, query, cookie
        self._headers = dict(headers or {})
        self.faults: list[str] = []
        self.seconds: list[tuple[str, float]] = []
        self.elements: dict[tuple[int, ...], tuple[str, object, str]] = {}
        self._values: dict[str, WidgetState] = {}
        self.toasts: list[str] = []
        self.shown = ""
        self.names: str | None = None
        self._whole = True
        self._redrawn: dict[str, set[tuple[int, ...]]] = {}
        # Where each fragment stands: the start that its paths have in common.
        self._places: dict[str, tuple[int, ...]] = {}
        self._finished = asyncio.Event()
        self._due: dict[str, float] = {}

    async def __aenter__(self):
        address = f"ws://{urlsplit(self.url).netloc}/_stcore/stream"
        self._line = await connect(
            address,
            origin=self.url,
            subprotocols=["streamlit"],
            additional_headers=self._headers
            | ({"Cookie": self.cookie} if self.cookie else {}),
            max_size=LARGEST_MESSAGE,
            open_timeout=60,
            ping_interval=None,
        )
        self._reader = asyncio.create_task(self._read())
        await self.act("open", None)
        return self

    async def __aexit__(self, *error):
        self._reader.cancel()
        await self._line.close()

    async def act(self, name, trigger, fragment="", patience=120.0):
        """Send all values, and what has been pressed; wait until all is drawn. Nobody
        waits for a timer, which the server passes over if what it is in has gone."""
        message = BackMsg()
        state = message.rerun_script
        state.query_string = self.query
        here = "" if name == "open" else self.shown
        state.page_script_hash = here if self.names is None else self.names
        state.page_name = "" if state.page_script_hash else self.page
        state.fragment_id = fragment
        state.context_info.url = f"{self.url}/{self.page}"
        state.context_info.timezone = "UTC"
        state.context_info.locale = "en-GB"
        state.context_info.color_scheme = "light"
        state.widget_states.widgets.extend(self._values.values())
        if trigger is not None:
            state.widget_states.widgets.append(trigger)
        began = time.perf_counter()
        self._whole = not fragment
        self._finished.clear()
        await self._line.send(message.SerializeToString())
        try:
            await asyncio.wait_for(self._finished.wait(), patience)
        except TimeoutError:
            # What was pressed may have been drawn away meanwhile.
            there = {result for _, _, result in self.elements.values()}
            if name != "timer" and (not fragment or fragment in there):
                self.faults.append(f"{name}: no answer")
            return
        self.seconds.append((name, time.perf_counter() - began))

    def widgets(self, kind):
        """Enabled widgets of a kind, each with the fragment that it is in."""
        return [
            (element, fragment)
            for result, element, fragment in self.elements.values()
            if result == kind and not getattr(element, "disabled", False)
        ]

    async def press(self, name):
        """Press a button by its label or its key, if it is there; return whether."""
        for element, fragment in self.widgets("button"):
            if element.label == name or element.id.endswith(f"-{name}"):
                trigger = WidgetState(id=element.id, trigger_value=True)
                await self.act(f"press {name}", trigger, fragment)
                return True
        return False

    async def wander(self, rng: random.Random):
        """Change one control, as a person would."""
        kinds = ("slider", "number_input", "selectbox", "button_group", "radio")
        offered = [
            (kind, element, fragment)
            for kind in kinds
            for element, fragment in self.widgets(kind)
        ]
        if not offered:
            await self.act("again", None)
            return
        kind, element, fragment = rng.choice(offered)
        state = _state(element) or WidgetState(id=element.id)
        if kind == "slider" and not element.options:
            steps = round((element.max - element.min) / element.step)
            value = element.min + element.step * rng.randint(0, steps)
            state.double_array_value.data[:] = [value]
        elif kind == "number_input":
            high = element.max if element.has_max else element.default + 5
            low = element.min if element.has_min else element.default - 5
            value = rng.choice(
                [low, min(high, low + 3 * element.step), element.default]
            )
            state.double_value = value
        elif kind in ("selectbox", "radio"):
            state.string_value = rng.choice(list(element.options))
        else:
            state.string_array_value.data[:] = [rng.choice(_names(element))]
        self._values[element.id] = state
        await self.act(f"{kind}", None, fragment)

    async def rest(self, seconds: float):
        """Wait as a page does that is looked at: its timers call the server."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            due = [key for key, at in self._due.items() if at <= time.monotonic()]
            for key in due:
                del self._due[key]
                result = self._timers().get(key)
                if result is not None:
                    element, fragment = result
                    value = [
                        {"event": "due", "value": json.loads(element.json)["number"]}
                    ]
                    trigger = WidgetState(
                        id=_make_trigger_id(element.id, "events"),
                        json_trigger_value=json.dumps(value),
                    )
                    await self.act("timer", trigger, fragment, patience=1.0)
            await asyncio.sleep(0.02)

    def _timers(self):
        return {
            element.id: (element, fragment)
            for element, fragment in self.widgets("bidi_component")
            if _is_timer("bidi_component", element)
        }

    async def _read(self):
        try:
            await self._read_on()
        except Exception as error:
            self.faults.append(f"the page cannot go on: {error!r}")
            self._finished.set()
            raise

    async def _read_on(self):
        async for content in self._line:
            message = ForwardMsg.FromString(content)
            kind = message.WhichOneof("type")
            if kind == "delta":
                self._take(message)
            elif kind == "new_session":
                self.shown = message.new_session.page_script_hash
                self._redrawn.clear()
                if self._whole:
                    self.elements.clear()
                    self._places.clear()
            elif kind == "navigation":
                # Only a run of the whole page says so.
                self.shown = message.navigation.page_script_hash
                self.page = _address_of(message.navigation)
                self.elements.clear()
                self._places.clear()
            elif kind == "page_info_changed":
                self.query = message.page_info_changed.query_string
            elif kind == "script_finished":
                if message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                    # What has been asked for is drawn by the run that follows.
                    continue
                if message.script_finished == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
                    self.faults.append("the script did not compile")
                self._forget_what_was_there()
                self._finished.set()
            elif kind == "session_event":
                self.faults.append(str(message.session_event))

    def _forget_what_was_there(self):
        """Where a fragment has been drawn again, only what it drew is left, and of the
        fragments in it those that it drew."""
        new = set().union(*self._redrawn.values())
        for fragment, paths in self._redrawn.items():
            result = self._places.get(fragment)
            place = _common(paths if result is None else {*paths, result})
            self._places[fragment] = place
            for path in [p for p in self.elements if p[: len(place)] == place]:
                if place not in paths and path not in new:
                    del self.elements[path]
        # A browser sends no values of controls that are gone.
        there = {getattr(element, "id", "") for _, element, _ in self.elements.values()}
        self._values = {
            key: value for key, value in self._values.items() if key in there
        }

    def _take(self, message):
        path = tuple(message.metadata.delta_path)
        delta = message.delta
        if delta.WhichOneof("type") != "new_element":
            return
        element = delta.new_element
        kind = element.WhichOneof("type")
        result = getattr(element, kind)
        if kind == "toast":
            self.toasts.append(result.body)
        if kind == "exception":
            self.faults.append(f"{result.type}: {result.message}")
        self.elements[path] = (kind, result, delta.fragment_id)
        self._redrawn.setdefault(delta.fragment_id, set()).add(path)
        if _is_timer(kind, result):
            wait = json.loads(result.json)["after"]
            if wait is not None:
                self._due[result.id] = time.monotonic() + wait / 1e3
            return
        state = _state(result) if getattr(result, "id", "") else None
        set_here = getattr(result, "set_value", False)
        if state is not None and (set_here or result.id not in self._values):
            self._values[result.id] = state


def _common(paths):
    """The start that paths have in common."""
    both = zip(min(paths), max(paths), strict=False)
    return tuple(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], both))


def _address_of(navigation):
    """The path of the page that is shown; empty for the first one."""
    for page in navigation.app_pages:
        if page.page_script_hash == navigation.page_script_hash and not page.is_default:
            return page.url_pathname
    return ""


def _names(element):
    return [getattr(option, "content", option) for option in element.options]


def _is_timer(kind, element):
    return kind == "bidi_component" and element.component_name.endswith("timer")


def _state(element):
    """What a widget shows; None of what has no value."""
    kind, state = type(element).__name__, WidgetState(id=element.id)
    result = getattr(element, "set_value", False)
    if kind == "Slider":
        if element.options:
            texts = (
                list(element.raw_value)
                if result
                else [element.options[int(at)] for at in element.default]
            )
            state.string_array_value.data[:] = texts
        else:
            state.double_array_value.data[:] = (
                element.value if result else element.default
            )
    elif kind == "NumberInput":
        state.double_value = element.value if result else element.default
    elif kind in ("Selectbox", "Radio"):
        if result:
            state.string_value = element.raw_value
        elif not element.HasField("default"):
            return None
        elif element.options:
            state.string_value = element.options[element.default]
    elif kind in ("MultiSelect", "ButtonGroup"):
        chosen = [_names(element)[at] for at in element.default]
        state.string_array_value.data[:] = element.raw_values if result else chosen
    elif kind in ("TextInput", "TextArea"):
        state.string_value = element.value if result else element.default
    elif kind == "Checkbox":
        state.bool_value = element.value if result else element.default
    else:
        return None
    return state
