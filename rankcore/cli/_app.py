"""The Typer application: which commands there are."""

from collections.abc import Sequence
from typing import Annotated

import typer

from rankcore.base.spellings import british_option
from rankcore.base.version import __version__
from rankcore.cli import _hyperparameters
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


def application(arguments: Sequence[str]) -> typer.Typer:
    """Make the application for a command line: the options of ``train``, ``path``,
    ``sweep`` and ``search`` depend on the algorithm it names."""
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
    app.command()(listing.datasets)
    app.command()(listing.algorithms)
    app.command()(listing.describe)
    for name, command in (
        ("train", train.train),
        ("path", path.path),
        ("sweep", sweep.sweep),
        ("search", search.search),
    ):
        settings, complete = _hyperparameters.command(command, arguments, name)
        app.command(name, context_settings=settings)(complete)
    app.add_typer(runs.application(), name="runs")
    app.command()(evaluate.evaluate)
    app.command()(importance.importance)
    app.command()(agreement.agreement)
    app.command()(score.score)
    app.command()(export.export)
    app.command("check-export")(check_export.check_export)
    app.command()(convert.convert)
    app.command("export-view")(export_view.export_view)
    app.command("export-site")(export_view.export_site)
    app.command()(reproduce.reproduce)
    app.command()(cluster.cluster)
    app.command()(serve.serve)
    app.command()(warmup.warmup)
    app.add_typer(warmup.cache_application(), name="cache")
    _leave_others_out(app, arguments[0] if arguments else "")
    return app


def _leave_others_out(app: typer.Typer, name: str) -> None:
    """Keep only the named command, if it exists: building all options takes long."""
    commands = [
        command
        for command in app.registered_commands
        if name == (command.name or getattr(command.callback, "__name__", ""))
    ]
    groups = [group for group in app.registered_groups if group.name == name]
    if commands or groups:
        app.registered_commands, app.registered_groups = commands, groups


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
    """Take the options that come before a command."""
