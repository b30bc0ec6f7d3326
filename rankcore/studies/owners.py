"""Owners of runs: one person on a private computer, otherwise each visitor.

Runs of the command line and of Python are common: no visitor began them.
"""

import ipaddress
import os
from collections.abc import Container, Sequence

# Whether all browsers are one person's; by default as the server's address says.
ONE_PERSON = "RANKSCOPE_ONE_PERSON"
# Whether visitors may name, tag, note on and resume common runs.
COMMON_RUNS = "RANKSCOPE_COMMON_RUNS"
_CHOICES = {ONE_PERSON: ("yes", "no"), COMMON_RUNS: ("editable", "read-only")}
# A request that has one of them has come through a proxy.
_FORWARDED = (
    "Forwarded",
    "Via",
    "X-Forwarded-For",
    "X-Forwarded-Host",
    "X-Forwarded-Proto",
    "X-Real-IP",
)


def check() -> None:
    """Read the settings of the environment.

    Raises
    ------
    ValueError
        If one is none of its choices.
    """
    for variable in _CHOICES:
        _setting(variable)


def one_person(
    address: str | None, hosts: Sequence[str], headers: Container[str]
) -> bool:
    """Return whether all who reach the server by such a request are one person.

    By default they are where the server listens on this computer alone, answers to no
    other name, keeps its runs in a file, and no proxy has passed the request on: who is
    in front of a proxy, its server cannot know. No header of a request makes it so.

    Parameters
    ----------
    address : str or None
        What the server listens on; None: every address.
    hosts : sequence of str
        The names it answers to; none: all.
    headers : container of str
        Names of the request's headers, in any case.
    """
    setting = _setting(ONE_PERSON)
    if setting:
        return setting == "yes"
    database = os.environ.get("RANKSCOPE_DATABASE_URL") or "sqlite"
    return (
        database.startswith("sqlite")
        and bool(hosts)
        and all(map(_leads_here, [address or "", *hosts]))
        and not any(name in headers for name in _FORWARDED)
    )


def common_read_only() -> bool:
    """Return whether visitors may not change common runs."""
    return _setting(COMMON_RUNS) == "read-only"


def _leads_here(name: str) -> bool:
    """Whether an address or a host name leads to this computer alone."""
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return False


def _setting(variable: str) -> str:
    text = os.environ.get(variable, "").strip()
    if text and text not in _CHOICES[variable]:
        raise ValueError(
            f"{variable} is {text!r}: write {' or '.join(_CHOICES[variable])}, or "
            "leave it out."
        )
    return text
