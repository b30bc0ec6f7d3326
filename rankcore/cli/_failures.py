"""Errors that end a command, each with its exit code."""

from collections.abc import Iterator
from contextlib import contextmanager

from typer import TyperException

from rankcore.base.errors import DataError

INTERRUPTED = 130


class Failed(TyperException):
    """The command failed."""

    exit_code = 1


class Misused(TyperException):
    """The command was used incorrectly."""

    exit_code = 2


@contextmanager
def misuse() -> Iterator[None]:
    """Turn a ValueError about the arguments into a `Misused` with the same message."""
    try:
        yield
    except DataError:
        raise
    except ValueError as error:
        raise Misused(str(error)) from error
