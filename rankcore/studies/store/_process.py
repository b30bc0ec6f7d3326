"""The process of a run, and whether it still exists."""

import os
import platform
import socket
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from rankcore.base.version import __version__


def host() -> str:
    """Return the name of this machine."""
    return socket.gethostname()


def process(pid: int | None = None) -> str:
    """Return an identifier of a local process: its number and start time.

    Numbers are reused; the start time distinguishes processes. It is left out on
    systems that do not provide it. Empty if the process does not exist.
    """
    pid = os.getpid() if pid is None else pid
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except FileNotFoundError:
        if Path("/proc/self").exists() or not _exists(pid):
            return ""
        return str(pid)
    except OSError:
        return str(pid)
    # The name of the program, in brackets, may have spaces; 20 fields follow it.
    return f"{pid} {fields.rpartition(')')[2].split()[19]}"


def gone(identity: str) -> bool:
    """Return whether a local process, identified by `process`, has ended."""
    number = identity.split(maxsplit=1)[0] if identity else ""
    return not number.isdigit() or process(int(number)) != identity


@cache
def machine() -> dict[str, Any]:
    """Return the machine's properties that affect a run's speed."""
    return {
        "system": platform.platform(terse=True),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
    }


@cache
def versions() -> dict[str, str]:
    """Return the versions of the packages that affect a run's metrics."""
    others = ("numpy", "scipy", "numba")
    return {
        "rankcore": __version__,
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in others},
    }


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True
