"""Owners of runs: a single person on a private computer, otherwise each visitor.

Runs of the command line and of Python are common: they belong to no visitor.
"""

import ipaddress
import os
from collections.abc import Container, Sequence

# Whether all browsers belong to one person; by default the server's address decides.
ONE_PERSON = "RANKSCOPE_ONE_PERSON"
# Whether visitors may name, tag, annotate and resume common runs.
COMMON_RUNS = "RANKSCOPE_COMMON_RUNS"
_CHOICES = {ONE_PERSON: ("yes", "no"), COMMON_RUNS: ("editable", "read-only")}
# Headers of requests that came through a proxy.
_FORWARDED = (
    "Forwarded",
    "Via",
    "X-Forwarded-For",
    "X-Forwarded-Host",
    "X-Forwarded-Proto",
    "X-Real-IP",
)


def check() -> None:
    """Check the settings in environment variables.

    Raises
    ------
    ValueError
        If a setting is not one of its choices.
    """
    for variable in _CHOICES:
        _setting(variable)


def one_person(
    address: str | None, hosts: Sequence[str], headers: Container[str]
) -> bool:
    """Return whether all visitors with such a request are the same person.

    By default they are if the server listens only on this computer, answers to no other
    name, stores its runs in a file, and no proxy forwarded the request: behind a proxy,
    the server cannot know its visitors. A request's headers can only deny it.

    Parameters
    ----------
    address : str or None
        Address that the server listens on; None for all.
    hosts : sequence of str
        Host names that it answers to; empty for all.
    headers : container of str
        Names of the request's headers, in upper or lower case.
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
    """Return whether an address or a host name leads only to this computer."""
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
