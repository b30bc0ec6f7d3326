"""The process that makes a run, and whether it still exists."""

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
    """Return a process of this machine by its number and when it started.

    Numbers are used again; the time of the start tells one process from the next. It is
    left out where the system does not say it. Empty if there is no such process.
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
    """Whether a process of this machine, as `process` named it, has ended."""
    number = identity.split(maxsplit=1)[0] if identity else ""
    return not number.isdigit() or process(int(number)) != identity


@cache
def machine() -> dict[str, Any]:
    """Return what a run's speed depends on."""
    return {
        "system": platform.platform(terse=True),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
    }


@cache
def versions() -> dict[str, str]:
    """Return the versions of the packages that a run's figures depend on."""
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
