"""One visitor cannot take the server from the others."""

import asyncio
import contextlib
import os
import signal
import socket
import threading
import time
import urllib.error
import urllib.request
from urllib.parse import urlsplit

import pytest
import uvicorn
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from pages.ui import streamlit_compat
from pages.ui.serving import frames, limits
from pages.ui.serving.newcomers import STAY_SECONDS, Visits, sentence
from pages.ui.serving.pace import POLICY_VIOLATION, Rate, RequestPace
from pages.ui.serving.slow_bodies import SlowBodies
from tests.browser.conftest import free_port, started
from tests.streamlit_client import Visitor, cookie_of, run


def request(*states: WidgetState, fragment: str = "") -> bytes:
    """A page's request to be drawn, with the values of its widgets."""
    message = BackMsg()
    message.rerun_script.fragment_id = fragment
    message.rerun_script.widget_states.widgets.extend(states)
    return message.SerializeToString()


def at(key: str, value: int) -> WidgetState:
    return WidgetState(id=f"$${key}", int_value=value)


def pressed(key: str, value: str) -> WidgetState:
    state = WidgetState(id=f"$${key}")
    state.string_trigger_value.data = value
    return state


def passed_on(contents: list[bytes], last: bytes) -> list[list[WidgetState]]:
    """The values of each request that an app receives until ``last`` is among them."""
    begun = ForwardMsg()
    begun.new_session.name = "begun"
    received = []

    async def app(scope, receive, send):
        while True:
            content = (await receive())["bytes"]
            states = BackMsg.FromString(content).rerun_script.widget_states.widgets
            received.append(list(states))
            answer = begun.SerializeToString()
            await send({"type": "websocket.send", "bytes": answer})
            if {
                s.id
                for s in BackMsg.FromString(last).rerun_script.widget_states.widgets
            } <= {s.id for s in states}:
                return

    async def socket_of_a_page():
        coming = asyncio.Queue()
        for content in [*contents, last]:
            coming.put_nowait({"type": "websocket.receive", "bytes": content})

        async def send(message):
            pass

        await RequestPace(app)({"type": "websocket", "headers": []}, coming.get, send)

    run(socket_of_a_page())
    return received


END = request(at("end", 1))


def test_of_a_burst_the_latest_request_is_passed_on_with_every_value():
    burst = [
        request(at("only here", 7)),
        *(request(at("slider", n)) for n in range(500)),
    ]
    received = passed_on(burst, END)
    assert len(received) < 100
    values = {state.id: state.int_value for states in received for state in states}
    assert values == {"$$only here": 7, "$$slider": 499, "$$end": 1}


def test_a_request_waits_while_the_browser_draws(monkeypatch):
    """What it has asked for before its page; other messages do not wait."""
    order = []

    async def app(scope, receive, send):
        for _ in range(2):
            order.append((await receive())["type"])

    async def socket_of_a_page():
        future = asyncio.get_running_loop().create_future()
        monkeypatch.setattr(
            frames, "drawing", lambda cookies: None if future.done() else future
        )
        coming = asyncio.Queue()
        coming.put_nowait({"type": "websocket.connect"})
        coming.put_nowait({"type": "websocket.receive", "bytes": request(at("a", 1))})
        scope = {"type": "websocket", "headers": []}
        page = asyncio.create_task(RequestPace(app)(scope, coming.get, lambda _: None))
        await asyncio.sleep(0.1)
        assert order == ["websocket.connect"]
        future.set_result(None)
        await page

    run(socket_of_a_page())
    assert order == ["websocket.connect", "websocket.receive"]


def test_a_request_waits_for_one_drawing_only(monkeypatch):
    """While a point is dragged, one drawing follows another without a gap."""
    passed = []

    async def app(scope, receive, send):
        passed.append(await receive())

    async def socket_of_a_page():
        drawn = asyncio.get_running_loop().create_future()

        async def draw_on():
            nonlocal drawn
            while True:
                await asyncio.sleep(frames.PATIENCE_SECONDS / 4)
                drawn.cancel()
                drawn = asyncio.get_running_loop().create_future()

        monkeypatch.setattr(frames, "drawing", lambda cookies: drawn)
        drawings = asyncio.create_task(draw_on())
        coming = asyncio.Queue()
        coming.put_nowait({"type": "websocket.receive", "bytes": request(at("a", 1))})
        scope = {"type": "websocket", "headers": []}
        page = asyncio.create_task(RequestPace(app)(scope, coming.get, lambda _: None))
        await asyncio.sleep(frames.PATIENCE_SECONDS / 2)
        assert not passed
        await asyncio.wait([page], timeout=20 * frames.PATIENCE_SECONDS)
        drawings.cancel()
        page.cancel()

    run(socket_of_a_page())
    assert len(passed) == 1


def test_what_is_pressed_is_passed_on_once_and_in_order():
    names = [f"answer {n}" for n in range(6)]
    burst = [
        content
        for n, name in enumerate(names)
        for content in (request(at("slider", n)), request(pressed("chat", name)))
    ]
    received = passed_on(burst, END)
    values = [
        state.string_trigger_value.data
        for states in received
        for state in states
        if state.WhichOneof("value") == "string_trigger_value"
    ]
    assert values == names


def test_requests_of_two_fragments_are_both_passed_on():
    received = passed_on(
        [request(at("a", 1), fragment="one"), request(at("b", 1), fragment="two")], END
    )
    assert [{state.id for state in states} for states in received] == [
        {"$$a"},
        {"$$b"},
        {"$$end"},
    ]


def files(count: int) -> bytes:
    """A question where to put so many files."""
    message = BackMsg()
    message.file_urls_request.file_names.extend(["a"] * count)
    return message.SerializeToString()


@pytest.mark.parametrize(
    "foreign",
    [
        BackMsg(clear_cache=True).SerializeToString(),
        BackMsg(set_run_on_save=True).SerializeToString(),
        BackMsg(debug_shutdown_runtime=True).SerializeToString(),
        request(WidgetState(id="no widget", trigger_value=True)),
        files(100_000),
        b"",
    ],
    ids=[
        "caches",
        "files watched",
        "end",
        "forged",
        "a hundred thousand files",
        "none",
    ],
)
def test_what_no_page_sends_is_left_out(foreign):
    assert passed_on([foreign], END) == [[at("end", 1)]]


NOWHERE = BackMsg()
NOWHERE.rerun_script.context_info.url = "http://["


@pytest.mark.parametrize(
    "wrong",
    [{"bytes": b"\xff\xff"}, {"text": "{}"}, {"bytes": NOWHERE.SerializeToString()}],
    ids=["bytes", "text", "nowhere"],
)
def test_what_is_no_message_ends_the_connection(wrong):
    received, sent = [], []

    async def app(scope, receive, send):
        received.append(await receive())
        await send({"type": "websocket.send", "bytes": b"late"})

    async def come():
        return {"type": "websocket.receive", **wrong}

    async def send(message):
        sent.append(message)

    run(RequestPace(app)({"type": "websocket", "headers": []}, come, send))
    assert [message["type"] for message in received] == ["websocket.disconnect"]
    assert [message["type"] for message in sent] == ["websocket.close"]


def test_large_messages_wait_at_their_sender():
    taken = []

    async def app(scope, receive, send):
        await receive()
        await asyncio.sleep(0.2)
        await asyncio.wait_for(receive(), 0.2)

    async def come():
        taken.append(request(pressed(f"{len(taken)}", "x" * 2**22)))
        return {"type": "websocket.receive", "bytes": taken[-1]}

    async def send(message):
        pass

    with contextlib.suppress(TimeoutError):
        run(RequestPace(app)({"type": "websocket", "headers": []}, come, send))
    assert 1 < len(taken) <= 6


@pytest.mark.parametrize(
    ("a_second", "seconds", "closed"),
    [(10_000, 0.1, False), (190, 10.0, False), (250, 1.5, False), (250, 4.0, True)],
)
def test_a_socket_is_closed_only_where_it_sends_too_much_for_long(
    a_second, seconds, closed
):
    rate, count = Rate(), round(a_second * seconds)
    over = [rate.exceeded(1000 + n / a_second) for n in range(count)]
    assert any(over) == closed
    if closed:
        assert over.index(True) / a_second >= 0.8 * limits.MESSAGE_SECONDS


def test_who_is_here_stays_and_newcomers_wait(monkeypatch):
    monkeypatch.setattr(limits, "VISITORS", limits.Limit("NONE_SUCH", 2, 1, 9))
    now = [0.0]
    visits = Visits(lambda: now[0])
    for visitor in ("first", "second"):
        assert visits.has_room(visitor, None)
        visits.come(visitor, None)
    assert not visits.lets_in("third")
    assert not visits.lets_in(None)
    assert visits.lets_in("first")
    visits.leave("first", None)
    assert visits.lets_in("first"), "between two pages"
    assert not visits.lets_in("third")
    now[0] += STAY_SECONDS
    assert visits.lets_in("third")
    for _ in range(2 * limits.SOCKETS_PER_VISITOR - 1):
        visits.come("second", None)
    assert not visits.has_room("second", None), "nor does one take all there are"


def test_pages_of_one_address_are_limited_only_where_the_operator_says_so(monkeypatch):
    visits = Visits()
    for number in range(30):
        assert visits.has_room(f"student {number}", "192.0.2.1")
        visits.come(f"student {number}", "192.0.2.1")
    limit = limits.Limit("NONE_SUCH", 30, 0, 99)
    monkeypatch.setattr(limits, "SOCKETS_PER_ADDRESS", limit)
    assert not visits.has_room("one more", "192.0.2.1")
    assert visits.has_room("one more", "192.0.2.2")
    visits.leave("student 3", "192.0.2.1", returns=False)
    assert visits.has_room("one more", "192.0.2.1")


def test_a_limit_that_is_no_number_is_refused_with_a_sentence(monkeypatch):
    monkeypatch.setenv("RANKSCOPE_A_LIMIT", "many")
    with pytest.raises(SystemExit, match="RANKSCOPE_A_LIMIT is 'many': write a whole"):
        limits.Limit("RANKSCOPE_A_LIMIT", 3, 1, 9).value  # noqa: B018


@pytest.fixture
def impatient(monkeypatch):
    """The port of a server that waits for a tenth of a second."""
    monkeypatch.setattr(limits, "REQUEST_SECONDS", limits.Limit("NONE_SUCH", 0.1, 0, 1))
    assert streamlit_compat.limit_request_heads(0.1)

    async def app(scope, receive, send):
        if scope["type"] == "http":
            content = await Request(scope, receive).body()
            await PlainTextResponse(content)(scope, receive, send)

    port = free_port()
    config = uvicorn.Config(SlowBodies(app), port=port, lifespan="off", log_config=None)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield port
    server.should_exit = True
    thread.join(60)


def answer(port: int, text: bytes) -> bytes:
    """All that comes back until the server closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as line:
        line.sendall(text)
        return b"".join(iter(lambda: line.recv(4096), b""))


def test_half_a_request_does_not_stay_open(impatient):
    assert answer(impatient, b"") == b""
    assert answer(impatient, b"GET / HTTP/1.1\r\nHost: a\r\n") == b""
    head = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n"
    late = answer(impatient, head + b"\r\nab")
    assert late.startswith(b"HTTP/1.1 408 ")
    whole = answer(impatient, head + b"Connection: close\r\n\r\nabcd")
    assert whole.startswith(b"HTTP/1.1 200 ")
    assert whole.endswith(b"abcd")


def check_idle(port: int, count: int) -> None:
    """Sockets that say nothing, or begin a request, keep nobody from being served, and
    end."""
    with contextlib.ExitStack() as stack:
        lines = [
            stack.enter_context(socket.create_connection(("127.0.0.1", port), 120))
            for _ in range(count)
        ]
        for line in lines[::2]:
            line.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n")
        head = b"POST / HTTP/1.1\r\nConnection: close\r\nContent-Length: 0\r\n"
        host = f"Host: 127.0.0.1:{port}\r\n\r\n".encode()
        assert answer(port, head + host).startswith(b"HTTP/1.1 ")
        assert [line.recv(1) for line in lines] == [b""] * count


def test_idle_sockets_end_and_others_are_served(impatient):
    check_idle(impatient, 60)


@pytest.mark.soak
def test_500_idle_sockets_end_and_others_are_served():
    port = free_port()
    server = started(port, RANKSCOPE_REQUEST_SECONDS="5")
    try:
        check_idle(port, 500)
        assert opened(f"http://127.0.0.1:{port}") == 200
    finally:
        server.kill()
        server.wait()


def opened(url: str, cookie: str = "") -> int:
    headers = {"Accept": "text/html", "Cookie": cookie}
    request = urllib.request.Request(url, headers=headers)
    with urllib.request.urlopen(request) as page:
        return page.status


async def flood(url: str, cookie: str, count: int) -> tuple[int, int]:
    """Send so many requests at once; how often the page is drawn until all runs have
    ended, and how the server then answers to a flood that goes on."""
    runs, ended = 0, False
    async with connect(
        f"ws://{urlsplit(url).netloc}/_stcore/stream",
        origin=url,
        subprotocols=["streamlit"],
        additional_headers={"Cookie": cookie},
        max_size=2**28,
        ping_interval=None,
    ) as line:
        # Where that takes long, the server ends it before all are sent.
        with contextlib.suppress(ConnectionClosed):
            for number in range(count):
                await line.send(request(at("slider", number)))
        with contextlib.suppress(TimeoutError, ConnectionClosed):
            while True:
                # After a run the next one may begin.
                content = await asyncio.wait_for(line.recv(), 1 if ended else None)
                kind = ForwardMsg.FromString(content).WhichOneof("type")
                runs += kind == "new_session"
                if kind in ("new_session", "script_finished"):
                    ended = kind == "script_finished"
        # One who does not read what comes is told of the end by a time limit alone.
        with contextlib.suppress(ConnectionClosed):
            while True:
                await line.send(request(at("slider", -1)))
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(line.recv(), 0.002)
        return runs, line.close_code


def test_a_server_that_is_full_and_flooded_serves_and_ends():
    port = free_port()
    server = started(port, RANKSCOPE_VISITORS="1", RANKSCOPE_MESSAGES="50")
    url = f"http://127.0.0.1:{port}"

    async def visit():
        result = cookie_of(url)
        async with Visitor(url, "measures", cookie=result) as visitor:
            assert await asyncio.to_thread(opened, url, result) == 200
            with pytest.raises(urllib.error.HTTPError) as full:
                await asyncio.to_thread(opened, url)
            assert full.value.code == 503
            assert sentence(1) in full.value.read().decode()
            with pytest.raises(InvalidStatus):
                async with Visitor(url, "measures"):
                    pass
            runs, code = await flood(url, result, 200)
            assert 1 <= runs < 100
            assert code == POLICY_VIOLATION
            await visitor.act("again", None)
            assert visitor.faults == []

    try:
        run(visit())
        # A request that never comes to its end would keep the server waiting.
        with socket.create_connection(("127.0.0.1", port)) as line:
            line.sendall(b"POST /_stcore/upload_file/a/b HTTP/1.1\r\n")
            line.sendall(f"Host: 127.0.0.1:{port}\r\n".encode())
            line.sendall(b"Content-Length: 9\r\n\r\n")
            server.send_signal(signal.SIGTERM)
            assert server.wait(60) in (-signal.SIGTERM, 128 + signal.SIGTERM)
    finally:
        server.kill()
        server.wait()


@pytest.mark.soak
def test_a_flood_costs_others_half_a_second_at_most_and_signals_end_the_server():
    port = free_port()
    server = started(port)
    url, health = f"http://127.0.0.1:{port}", []

    async def others():
        while True:
            began = time.perf_counter()
            await asyncio.to_thread(opened, f"{url}/healthz")
            health.append(time.perf_counter() - began)
            await asyncio.sleep(0.05)

    async def visits():
        async with Visitor(url, "compare", cookie=cookie_of(url)):
            watching = asyncio.create_task(others())
            await asyncio.sleep(1)
            runs, _ = await flood(url, cookie_of(url), 5000)
            watching.cancel()
        return runs

    try:
        assert run(visits()) < 500
        assert max(health) < 0.5 * max(1, os.getloadavg()[0] / (os.cpu_count() or 1))
        began = time.perf_counter()
        server.send_signal(signal.SIGTERM)
        server.wait(60)
        assert time.perf_counter() - began < 5
    finally:
        server.kill()
        server.wait()
