"""The Typer application and its commands."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from rankcore.base.spellings import british_option
from rankcore.base.version import __version__
from rankcore.cli import _hyperparameters
from rankcore.cli._options import documented
from rankcore.cli.commands import (
    agreement,
    check_export,
    cluster,
    convert,
    evaluate,
    export,
    export_view,
    importance,
    listing,
    path,
    reproduce,
    runs,
    score,
    search,
    serve,
    sweep,
    train,
    warmup,
)

HELP = """Learning to rank by direct optimisation of ranking measures.

Exit codes: 0 done; 1 could not be done; 2 wrong usage; 3 bad data; 130 interrupted
(once training has begun, `train` keeps the best model so far); 143 terminated.
"""


COMMANDS: dict[str, Callable[..., None]] = {
    command.__name__.replace("_", "-"): command
    for command in (
        *(listing.datasets, listing.algorithms, listing.describe),
        *(train.train, path.path, sweep.sweep, search.search),
        *(evaluate.evaluate, importance.importance, agreement.agreement),
        *(score.score, export.export, check_export.check_export, convert.convert),
        *(export_view.export_view, export_view.export_site, reproduce.reproduce),
        *(cluster.cluster, serve.serve, warmup.warmup),
    )
}
GROUPS = {"runs": runs.application, "cache": warmup.cache_application}
# Commands that take the hyperparameters of an algorithm as options.
TRAINING = ("train", "path", "sweep", "search")


def application(arguments: Sequence[str]) -> typer.Typer:
    """Return the application for a command line: the options of ``train``, ``path``,
    ``sweep`` and ``search`` depend on the algorithm it names. Where it names a command,
    only that one is built, because building all options takes long."""
    app = typer.Typer(
        help=HELP,
        no_args_is_help=True,
        add_completion=False,
        context_settings={
            "help_option_names": ["-h", "--help"],
            "token_normalize_func": british_option,
        },
    )
    app.callback()(_root)
    every = [*COMMANDS, *GROUPS]
    for name in [name for name in arguments[:1] if name in every] or every:
        if name in GROUPS:
            app.add_typer(GROUPS[name](), name=name)
            continue
        command = documented(COMMANDS[name])
        settings: dict[str, Any] = {}
        if name in TRAINING:
            settings, command = _hyperparameters.command(command, arguments, name)
        app.command(name, context_settings=settings)(command)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"rankscope {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_print_version,
            is_eager=True,
            help="Print the version and exit.",
        ),
    ] = False,
) -> None:
    """Read the options that come before a command."""
