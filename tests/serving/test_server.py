"""The server answers to its own names and pages alone, and asks nobody else."""

import signal
import socket
import subprocess
import sys
import threading
from urllib.parse import urlsplit

import pytest

from tests.browser.conftest import free_port, serving, wait_until_healthy

REFUSED = (400, 403)
UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Protocol": "streamlit",
}


def status(url: str, path: str, **headers: str) -> int:
    """The status of the answer to a request with just these headers."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    with socket.create_connection(
        ("127.0.0.1", urlsplit(url).port), timeout=30
    ) as line:
        line.sendall(f"GET {path} HTTP/1.1\r\n{lines}\r\n".encode())
        return int(line.recv(64).split()[1])


def page(url: str, host: str) -> int:
    return status(url, "/", Host=host)


def websocket(url: str, host: str, origin: str | None = None) -> int:
    named = {} if origin is None else {"Origin": origin}
    return status(url, "/_stcore/stream", Host=host, **UPGRADE, **named)


class Internet:
    """A proxy to the rest of the world that notes what is asked of it."""

    def __init__(self) -> None:
        self.asked: list[bytes] = []
        self._door = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._door.getsockname()[1]}"
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while True:
            line, _ = self._door.accept()
            with line:
                self.asked.append(line.recv(200))


@pytest.fixture(scope="module")
def internet():
    return Internet()


@pytest.fixture(scope="module")
def url(internet):
    with serving(http_proxy=internet.url, https_proxy=internet.url) as address:
        yield address


def test_its_own_pages_are_served(url):
    own = urlsplit(url).netloc
    for host in (own, own.replace("127.0.0.1", "localhost"), own.upper()):
        assert page(url, host) == 200
        assert websocket(url, host, f"http://{host}") == 101
    assert websocket(url, own) == 101, "a program names no origin"


@pytest.mark.parametrize("host", ["rebound.example", "127.0.0.1.example", "[::1]", ""])
def test_a_name_that_leads_here_is_no_name_of_the_app(url, host):
    named = f"{host}:{urlsplit(url).port}"
    assert page(url, named) in REFUSED
    assert websocket(url, named) in REFUSED
    assert websocket(url, named, f"http://{named}") in REFUSED


@pytest.mark.parametrize(
    "origin",
    ["http://other.example", "http://localhost:3000", "null", "file://", "http://[::1"],
)
def test_pages_of_another_origin_are_refused_and_nobody_is_asked(url, internet, origin):
    assert websocket(url, urlsplit(url).netloc, origin) in REFUSED
    assert internet.asked == []


def test_a_proxy_s_name_is_answered_when_it_is_given():
    names = "localhost 127.0.0.1 rank.example.org *.lab.example.org"
    with serving(STREAMLIT_SERVER_ALLOWED_HOSTS=names) as url:
        for host in ("rank.example.org", "a.lab.example.org"):
            assert page(url, host) == 200
            assert websocket(url, host, f"https://{host}") == 101
        assert page(url, "example.org") in REFUSED


def test_serve_answers_to_the_names_it_is_given():
    port = free_port()
    command = [sys.executable, "-m", "rankcore.cli", "serve", "--port", str(port)]
    server = subprocess.Popen(
        [*command, "--host", "Rank.example.org"], stdout=subprocess.DEVNULL
    )
    url = f"http://127.0.0.1:{port}"
    try:
        wait_until_healthy(url, server)
        for host in ("rank.example.org", "localhost"):
            assert websocket(url, host, f"https://{host}") == 101
        assert page(url, "example.org") in REFUSED
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(60)


def test_serve_listens_where_it_is_told():
    port = free_port()
    command = [sys.executable, "-m", "rankcore.cli", "serve", "--port", str(port)]
    server = subprocess.Popen(
        [*command, "--address", "127.0.0.2"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert f"http://127.0.0.2:{port} " in server.stdout.readline()
        wait_until_healthy(f"http://127.0.0.2:{port}", server)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port))
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=120)


def test_serve_refuses_what_is_no_address():
    command = [sys.executable, "-m", "rankcore.cli", "serve", "--address", "everywhere"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert "write its numbers" in run.stderr
