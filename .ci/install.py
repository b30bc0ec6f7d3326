"""Install packages into the environment: with uv, which takes seconds, or with pip.

    .venv/bin/python .ci/install.py requirements.txt [--project]

`--project` installs the checkout as well. Where uv is not at hand, it is installed; pip
does all where it cannot be, or fails.
"""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

UV = "uv==0.13.9"
PIP = (sys.executable, "-m", "pip")
QUIET = ("install", "--quiet", "--disable-pip-version-check")

# What uv calls pip's settings, and what it puts between several values.
VARIABLES = {
    "index-url": ("UV_DEFAULT_INDEX", ""),
    "extra-index-url": ("UV_INDEX", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "constraint": ("UV_CONSTRAINT", " "),
    "trusted-host": ("UV_INSECURE_HOST", " "),
    "cert": ("SSL_CERT_FILE", ""),
    "client-cert": ("SSL_CLIENT_CERT", ""),
    "proxy": ("ALL_PROXY", ""),
}
# As pip: certificates of the system, and the best version of all indexes.
AS_PIP = {"UV_SYSTEM_CERTS": "1", "UV_INDEX_STRATEGY": "unsafe-best-match"}
# What the app imports until its first figure. It is compiled to bytecode now, in place
# of seconds at the first start; all else where it is needed, since most of it never is.
FIRST = """import numba, plotly.graph_objects, sqlalchemy, streamlit.web.bootstrap
import pages.views.train, rankcore.cli.commands.serve, server"""


def main(requirements: str, *more: str) -> int:
    """Install what a file requires, and the checkout if ``more`` says so."""
    command = uv()
    if command and with_uv(command, requirements, project=bool(more)):
        if more:
            silent([sys.executable, "-c", FIRST])
        return 0
    reason = "uv could not install them" if command else "uv cannot be had"
    sys.stderr.write(f"make: {reason}, so pip does: some minutes, only once ...\n")
    done = subprocess.run([*PIP, *QUIET, "--requirement", requirements], check=False)
    if more and done.returncode == 0:
        project = [*PIP, *QUIET, "--no-deps", "--editable", "."]
        done = subprocess.run(project, check=False)
    return done.returncode


def uv() -> str | None:
    """Return the path of uv, which is installed if need be; None if it cannot be."""
    own = Path(sys.executable).with_name("uv")
    if found := shutil.which("uv"):
        return found
    if not own.exists():
        silent([*PIP, *QUIET, "--retries=1", UV])
    return str(own) if own.exists() else None


def with_uv(command: str, requirements: str, project: bool) -> bool:
    """Return whether uv has installed everything."""
    what = ["--requirement", requirements, *(["--editable", "."] if project else [])]
    install = [command, "pip", "install", "--quiet", "--python", sys.executable]
    # What uv itself has been told comes first.
    environment = {**AS_PIP, **settings(), **os.environ}
    return silent([*install, *what], environment)


def settings() -> dict[str, str]:
    """Return pip's settings on indexes and certificates, as variables for uv, which
    does not read them."""
    listed = subprocess.run(
        [*PIP, "config", "list"], check=False, capture_output=True, text=True
    )
    found = {}
    for line in listed.stdout.splitlines():
        # Such as: global.index-url='https://pypi.example.org/simple'
        key, _, value = line.partition("=")
        variable, between = VARIABLES.get(key.rpartition(".")[2], ("", ""))
        if variable:
            words = str(ast.literal_eval(value)).split()
            found[variable] = between.join(words) if between else words[-1]
    return found


def silent(command: list[str], environment: dict[str, str] | None = None) -> bool:
    """Return whether a command succeeds; what it prints is not shown."""
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, check=False
        )
    except OSError:
        return False
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
