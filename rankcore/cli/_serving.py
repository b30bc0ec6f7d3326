"""``rankscope serve``."""

import errno
import importlib.util
import os
import runpy
import socket
import sys
from pathlib import Path
from typing import Annotated

import typer

from rankcore import _bundle
from rankcore.cli._failures import Failed

ADDRESS = "127.0.0.1"
NEEDED = ("streamlit", "plotly", "yaml")


def serve(
    port: Annotated[
        int, typer.Option(metavar="WHOLE", min=1, max=65535, help="Port to listen on.")
    ] = 8501,
    lessons: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            exists=True,
            file_okay=False,
            help="Folder with lessons of your own, shown on the Lessons page.",
        ),
    ] = None,
) -> None:
    """Start the app on this machine, on 127.0.0.1."""
    _require_app()
    _require_free(port)
    if lessons is not None:
        os.environ["RANKSCOPE_LESSONS"] = str(lessons.resolve())
    typer.echo(f"RankScope is at http://{ADDRESS}:{port} (Ctrl-C ends it)")
    sys.argv = [
        "streamlit",
        "run",
        str(_bundle.folder() / "app.py"),
        f"--server.address={ADDRESS}",
        f"--server.port={port}",
        "--server.headless=true",
        "--logger.hideWelcomeMessage=true",
    ]
    runpy.run_module("streamlit", run_name="__main__")


def _require_app() -> None:
    missing = [name for name in NEEDED if not importlib.util.find_spec(name)]
    if missing:
        raise Failed(
            f"The app needs {' and '.join(missing)}: install what is missing with "
            "pip install 'rankscope[app]'."
        )


def _require_free(port: int) -> None:
    with socket.socket() as probe:
        if os.name == "posix":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((ADDRESS, port))
        except OSError as error:
            other = port + 1 if 1024 <= port < 65535 else 8501
            problem = (
                "is already in use"
                if error.errno == errno.EADDRINUSE
                else f"cannot be used ({error.strerror})"
            )
            raise Failed(
                f"Port {port} {problem}: choose another one, as in `PORT={other} make "
                f"run` or `rankscope serve --port {other}`."
            ) from error
