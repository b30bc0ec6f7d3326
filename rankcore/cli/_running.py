"""From a command line to an exit code."""

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from typer import Exit, TyperException

from rankcore.base.errors import DataError, DataWarning, LostWorkerError
from rankcore.base.extras import MissingExtraError
from rankcore.cli import _signals
from rankcore.cli._app import application


def run(arguments: Sequence[str]) -> int:
    """Run a command; report any error as one sentence on standard error."""
    try:
        app = application(arguments)
        words = list(arguments)
        with _notices():
            return app(args=words, prog_name="rankscope", standalone_mode=False) or 0
    except Exit as end:
        return end.exit_code
    except TyperException as error:
        return _complain(error.format_message(), error.exit_code)
    except LostWorkerError as error:
        return _complain(str(error), 1)
    except MissingExtraError as error:
        return _complain(str(error), 2)
    except DataError as error:
        return _complain(str(error), 3)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _complain(f"{where}{error.strerror or error}.", 1)
    except Exception as error:
        if "RANKSCOPE_DEBUG" in os.environ:
            raise
        return _complain(
            f"internal error, {type(error).__name__}: {error}. Set RANKSCOPE_DEBUG=1 "
            "to see where it happened.",
            1,
        )


@contextmanager
def _notices() -> Iterator[None]:
    """Show each `DataWarning` as one line, once; other warnings as usual."""
    shown: set[str] = set()

    def show(
        message: Warning | str, category: type[Warning], *place: Any, **more: Any
    ) -> None:
        if not issubclass(category, DataWarning):
            others(message, category, *place, **more)
        elif str(message) not in shown:
            shown.add(str(message))
            print(f"Note: {message}", file=sys.stderr)  # noqa: T201

    with warnings.catch_warnings():
        others, warnings.showwarning = warnings.showwarning, show
        warnings.simplefilter("always", DataWarning)
        yield


def _complain(message: str, code: int) -> int:
    sentence = " ".join(message.split())
    # An import that a signal interrupts, for example, may raise another error.
    if sentence and _signals.exit_code() is None:
        print(f"rankscope: {sentence}", file=sys.stderr)  # noqa: T201
    return code
