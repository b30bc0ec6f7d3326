"""The server answers to its own names and pages alone, and asks nobody else."""

import signal
import socket
import subprocess
import sys
from urllib.parse import urlsplit

import pytest

from rankcore.cli import main
from tests.browser.conftest import free_port, wait_until_healthy

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
    place = urlsplit(url)
    with socket.create_connection((place.hostname, place.port), timeout=30) as line:
        line.sendall(f"GET {path} HTTP/1.1\r\n{lines}\r\n".encode())
        return int(line.recv(64).split()[1])


def page(url: str, host: str) -> int:
    return status(url, "/", Host=host)


def websocket(url: str, host: str, origin: str | None = None) -> int:
    named = {} if origin is None else {"Origin": origin}
    return status(url, "/_stcore/stream", Host=host, **UPGRADE, **named)


def test_its_own_pages_are_served(url):
    netloc = urlsplit(url).netloc
    for host in (netloc, netloc.replace("127.0.0.1", "localhost"), netloc.upper()):
        assert page(url, host) == 200
        assert websocket(url, host, f"http://{host}") == 101
    assert websocket(url, netloc) == 101, "a program names no origin"


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


def test_a_proxy_s_name_is_answered_when_it_is_given(contained):
    for host in ("rank.example.org", "a.lab.example.org"):
        assert page(contained, host) == 200
        assert websocket(contained, host, f"https://{host}") == 101
    assert page(contained, "example.org") in REFUSED


def test_serve_listens_where_it_is_told_and_answers_to_the_names_it_is_given():
    port = free_port()
    command = [sys.executable, "-m", "rankcore.cli", "serve", "--port", str(port)]
    server = subprocess.Popen(
        [*command, "--address", "127.0.0.2", "--host", "Rank.example.org"],
        stdout=subprocess.PIPE,
        text=True,
    )
    url = f"http://127.0.0.2:{port}"
    try:
        assert f"{url} " in server.stdout.readline()
        wait_until_healthy(url, server)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port))
        for host in ("rank.example.org", "localhost"):
            assert websocket(url, host, f"https://{host}") == 101
        assert page(url, "example.org") in REFUSED
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=120)


def test_serve_refuses_what_is_no_address(capsys):
    with pytest.raises(SystemExit) as end:
        main(["serve", "--address", "everywhere"])
    assert end.value.code == 2
    assert "write an IP address" in capsys.readouterr().err
