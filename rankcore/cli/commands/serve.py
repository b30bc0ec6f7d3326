"""``rankscope serve``."""

import contextlib
import errno
import importlib.util
import ipaddress
import os
import re
import runpy
import signal
import socket
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from threading import Thread
from typing import Annotated

import typer

from rankcore.base import bundle
from rankcore.base.extras import command
from rankcore.cli._failures import Failed, Misused, misuse
from rankcore.cli._options import NumberRange
from rankcore.cli._signals import leave_at_once, watch_signals

ADDRESS = "127.0.0.1"
LOCAL_HOSTS = ("localhost", ADDRESS)
EVERYWHERE = ("0.0.0.0", "::")
_HOST_NAME = re.compile(r"(\*\.)?[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*")
_ORIGIN = re.compile(rf"https?://{_HOST_NAME.pattern}(:[0-9]{{1,5}})?")
NEEDED = ("streamlit", "plotly", "yaml")


def serve(
    port: Annotated[int, NumberRange(1, 65535)] = 8501,
    host: list[str] | None = None,
    address: str = ADDRESS,
    data: Annotated[Path | None, typer.Option(exists=True, file_okay=False)] = None,
    lessons: Annotated[Path | None, typer.Option(exists=True, file_okay=False)] = None,
    embedded_by: list[str] | None = None,
    threads: Annotated[int | None, NumberRange(1)] = None,
) -> None:
    """Start the app on this machine, by default accessible from this machine only.

    Requests for other host names are refused, so that no web page can reach the app
    through a name that resolves to this machine.

    Parameters
    ----------
    port
        Port to listen on.
    host : NAME
        Another host name, besides localhost, by which browsers reach this server
        through a proxy; may be repeated.
    address : IP
        Address to listen on; 0.0.0.0 in a container that only its host or a proxy can
        reach.
    data : FOLDER
        Folder for the Data page: it contains LETOR folders and folders of `rankscope
        convert`, or is one of these.
    lessons : FOLDER
        Folder with lessons of your own, shown on the Lessons page.
    embedded_by : ORIGIN
        A site whose pages may show the app in a frame, such as
        https://courses.example.org; may be repeated.
    threads
        Number of threads for training on large data, at most the number of cores.
        (default all cores, or RANKSCOPE_THREADS)
    """
    _require_app()
    hosts = [_host_name(name) for name in host or []]
    _require_address(address)
    if address not in (ADDRESS, *EVERYWHERE):
        hosts.append(f"[{address}]" if ":" in address else address)
    require_free(address, port, "PORT={} make run", "rankscope serve --port {}")
    if data is not None:
        from rankcore.data.catalogue import FOLDER_VARIABLE

        os.environ[FOLDER_VARIABLE] = str(data.resolve())
    if lessons is not None:
        os.environ["RANKSCOPE_LESSONS"] = str(lessons.resolve())
    if embedded_by:
        os.environ["RANKSCOPE_EMBEDDED_BY"] = " ".join(map(_origin, embedded_by))
    _limit_threads(threads)
    Thread(target=_announce, args=(address, port), daemon=True).start()
    sys.argv = [
        "streamlit",
        "run",
        str(bundle.folder() / "server.py"),
        f"--server.address={address}",
        f"--server.port={port}",
        "--server.headless=true",
        "--logger.hideWelcomeMessage=true",
        *(f"--server.allowedHosts={name}" for name in _allowed(hosts)),
    ]
    raise typer.Exit(_served())


def _announce(address: str, port: int) -> None:
    """Print the app's address as soon as it responds."""
    while not _answers(address, port):
        time.sleep(0.05)
    typer.echo(f"RankScope is at {_link(address, port)} (Ctrl-C ends it)")


def _answers(address: str, port: int) -> bool:
    here = {"0.0.0.0": ADDRESS, "::": "::1"}.get(address, address)
    try:
        socket.create_connection((here, port), timeout=1).close()
    except OSError:
        return False
    return True


def _limit_threads(count: int | None) -> None:
    """Set the number of threads for training on large data. Raises Misused if
    RANKSCOPE_THREADS is not a number."""
    from rankcore.base.cores import VARIABLE, allowed_threads

    if count is not None:
        os.environ[VARIABLE] = str(count)
    with misuse():
        allowed_threads()


def _served() -> int:
    """Run Streamlit until a signal ends it, and exit with that signal's code.

    Streamlit replaces signal handlers, so signal numbers are read from a wakeup
    descriptor.
    """
    received, sent = socket.socketpair()
    for end in (received, sent):
        end.setblocking(False)
    signal.set_wakeup_fd(sent.fileno(), warn_on_full_buffer=False)
    # Its server would log an error if interrupted during its start.
    watch_signals(leave_at_once)
    from rankcore.topics.warmup import BACKGROUND

    # Streamlit takes a second to load; kernels are compiled meanwhile.
    BACKGROUND.begin()
    try:
        runpy.run_module("streamlit", run_name="__main__")
    except SystemExit as end:
        if end.code not in (None, 0):
            raise
    with contextlib.suppress(BlockingIOError):
        return 128 + received.recv(1)[0]
    return 0


def _host_name(name: str) -> str:
    """Return a host name as browsers send it, without a port. Raises Misused for
    anything else."""
    if not _HOST_NAME.fullmatch(name):
        raise Misused(
            f"{name!r} is not a host name: write only the name, such as "
            "rankscope.example.org or *.example.org, without http:// and port."
        )
    return name.lower()


def _origin(text: str) -> str:
    """Return an origin as browsers send it. Raises Misused for anything else."""
    if not _ORIGIN.fullmatch(text):
        raise Misused(
            f"{text!r} is not an origin: write scheme and host without a path, such as "
            "https://courses.example.org."
        )
    return text.lower()


def _allowed(hosts: Sequence[str]) -> Sequence[str]:
    """Return all allowed host names; none where the configuration decides."""
    return [*LOCAL_HOSTS, *hosts] if hosts else []


def _require_app() -> None:
    missing = [name for name in NEEDED if not importlib.util.find_spec(name)]
    if missing:
        raise Failed(
            f"The app needs {' and '.join(missing)}: install the missing packages with "
            f"{command('app')}."
        )


def _require_address(address: str) -> None:
    try:
        ipaddress.ip_address(address)
    except ValueError:
        raise Misused(
            f"{address!r} is not an address of this machine: write an IP address, such "
            "as 127.0.0.1, or 0.0.0.0 for all."
        ) from None


def _link(address: str, port: int) -> str:
    """Return the app's URL for a browser on this machine."""
    reached = ADDRESS if address in EVERYWHERE else address
    host = f"[{reached}]" if ":" in reached else reached
    return f"http://{host}:{port}"


def require_free(address: str, port: int, *others: str) -> None:
    """Raise Failed if the port cannot be used, and suggest commands for another port,
    whose number replaces ``{}``.
    """
    kind = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(kind) as probe:
        if os.name == "posix":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError as error:
            other = port + 1 if 1024 <= port < 65535 else 8501
            problem = (
                "is already in use"
                if error.errno == errno.EADDRINUSE
                else f"cannot be used ({error.strerror})"
            )
            ways = " or ".join(f"`{one.format(other)}`" for one in others)
            raise Failed(
                f"Port {port} {problem}: choose another one, as in {ways}."
            ) from error
