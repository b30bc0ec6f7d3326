"""The ``rankscope`` command.

Exit codes: 0 done; 1 could not be done; 2 wrong usage; 3 bad data; 130 interrupted; 143
terminated; 129 hung up. Each command imports its dependencies when it runs, so that
``rankscope --help`` is quick and signal handlers are installed before anything else.
"""

import sys
from collections.abc import Sequence

from rankcore.cli import _signals


def main(arguments: Sequence[str] | None = None) -> None:
    """Run ``rankscope``, by default with the arguments of the command line, and exit
    with its exit code.

    The command owns the process: Ctrl-C, SIGTERM and SIGHUP end it with a one-line
    message, unless they are ignored.
    """
    alone = arguments is None
    if alone:
        _signals.begin()
    try:
        from rankcore.base.compiling import NOTICE
        from rankcore.base.extras import MissingExtraError, needed_to

        try:
            with needed_to("use the command line"):
                from rankcore.cli._running import run
        except MissingExtraError as error:
            sys.stderr.write(f"rankscope: {error}\n")
            sys.exit(2)
        NOTICE.to_people_only = alone

        sys.exit(run(sys.argv[1:] if arguments is None else arguments))
    finally:
        if alone:
            # Python may ignore an exception raised from here on.
            _signals.watch_signals(_signals.leave_at_once)
        if (code := _signals.exit_code()) is not None:
            sys.exit(code)
