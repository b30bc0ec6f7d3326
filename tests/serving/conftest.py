"""Servers for tests of several files."""

import socket
import threading

import pytest
from platformdirs import user_cache_path

from rankcore.studies.owners import ONE_PERSON
from tests.browser.conftest import serving


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


@pytest.fixture(scope="package")
def internet():
    return Internet()


@pytest.fixture(scope="package")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("server")


@pytest.fixture(scope="package")
def store_url(folder):
    return f"sqlite:///{folder / 'runs.sqlite'}"


@pytest.fixture(scope="package")
def url(folder, store_url, internet):
    """The address of a server with the hosts of the configuration, which one site may
    frame."""
    environment = {
        "RANKSCOPE_DATABASE_URL": store_url,
        "RANKSCOPE_LOG": str(folder / "events.jsonl"),
        "RANKSCOPE_EMBEDDED_BY": "https://courses.example.org",
        "http_proxy": internet.url,
        "https_proxy": internet.url,
        ONE_PERSON: "",
    }
    with serving(**environment) as address:
        yield address


# No folder can be made there, not even by an administrator.
NOWHERE = "/proc/no-home"


@pytest.fixture(scope="package")
def contained():
    """The address of a server as in a container: without a home, and with the names
    that proxies have for it."""
    environment = {
        "HOME": NOWHERE,
        "XDG_DATA_HOME": "",
        "RANKSCOPE_DATABASE_URL": "",
        "STREAMLIT_SERVER_ALLOWED_HOSTS": (
            "localhost 127.0.0.1 rank.example.org *.lab.example.org"
        ),
        # Kernels are not compiled again.
        "XDG_CACHE_HOME": str(user_cache_path()),
    }
    with serving(**environment) as address:
        yield address
