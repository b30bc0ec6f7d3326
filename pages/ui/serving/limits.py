"""Limits that keep one visitor from taking the server from the others.

Each is a setting of the environment with a default; docs/how-to/serving.md lists them.
"""

import os
import sys
from dataclasses import dataclass
from functools import lru_cache

from pages.ui.serving import secret
from rankcore.studies import owners


@dataclass(frozen=True)
class Limit:
    """One limit: its variable, its default and its range."""

    variable: str
    default: int
    low: int
    high: int

    @property
    def value(self) -> int:
        """The effective value; the process ends with a message if it is invalid."""
        return _value(self)


@lru_cache(maxsize=8)
def _value(limit: Limit) -> int:
    text = os.environ.get(limit.variable, "").strip()
    if not text:
        return limit.default
    try:
        number = int(text)
    except ValueError:
        number = limit.low - 1
    if not limit.low <= number <= limit.high:
        sys.exit(
            f"{limit.variable} is {text!r}: write a whole number from {limit.low} to "
            f"{limit.high}, or leave it out."
        )
    return number


# Messages per second on one page's socket, and for how many seconds.
MESSAGES = Limit("RANKSCOPE_MESSAGES", 200, 20, 100_000)
MESSAGE_SECONDS = 2.0
# Seconds for the head of a request, and for each part of its body.
REQUEST_SECONDS = Limit("RANKSCOPE_REQUEST_SECONDS", 20, 1, 3600)
VISITORS = Limit("RANKSCOPE_VISITORS", 60, 1, 100_000)
# A visitor may have several pages open, each with a socket.
SOCKETS_PER_VISITOR = 4
# 0 means any number, as thirty students may share an address.
SOCKETS_PER_ADDRESS = Limit("RANKSCOPE_SOCKETS_PER_ADDRESS", 0, 0, 100_000)


def check() -> None:
    """Read all settings, so that the process ends at its start if one is wrong."""
    try:
        secret.check()
        owners.check()
    except ValueError as error:
        sys.exit(str(error))
    for limit in (MESSAGES, REQUEST_SECONDS, VISITORS, SOCKETS_PER_ADDRESS):
        _value(limit)
