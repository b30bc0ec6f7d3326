"""The Typer application: which commands there are."""

from collections.abc import Sequence
from typing import Annotated

import typer

from rankcore.cli import (
    _agreeing,
    _away,
    _checking,
    _cluster,
    _converting,
    _evaluating,
    _exporting,
    _hyperparameters,
    _importance,
    _listing,
    _paths,
    _reproducing,
    _runs,
    _scoring,
    _searching,
    _serving,
    _sweeping,
    _training,
    _warming,
)

HELP = """Learning to rank by direct optimisation of ranking measures.

Exit codes: 0 done; 1 could not be done; 2 wrong usage; 3 bad data; 130 interrupted
(once training has begun, `train` keeps the best model so far); 143 terminated.
"""


def application(arguments: Sequence[str]) -> typer.Typer:
    """Make the application for a command line.

    Parameters
    ----------
    arguments : sequence of str
        The command line: the options of ``train``, ``path``, ``sweep`` and ``search``
        depend on the algorithm it names.
    """
    app = typer.Typer(
        help=HELP,
        no_args_is_help=True,
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    app.command()(_listing.datasets)
    app.command()(_listing.algorithms)
    app.command()(_listing.describe)
    settings, train = _hyperparameters.command(_training.train, arguments)
    app.command("train", context_settings=settings)(train)
    settings, path = _hyperparameters.command(_paths.path, arguments, "path")
    app.command("path", context_settings=settings)(path)
    settings, sweep = _hyperparameters.command(_sweeping.sweep, arguments, "sweep")
    app.command("sweep", context_settings=settings)(sweep)
    settings, search = _hyperparameters.command(_searching.search, arguments, "search")
    app.command("search", context_settings=settings)(search)
    app.add_typer(_runs.application(), name="runs")
    app.command()(_evaluating.evaluate)
    app.command()(_importance.importance)
    app.command()(_agreeing.agreement)
    app.command()(_scoring.score)
    app.command()(_exporting.export)
    app.command("check-export")(_checking.check_export)
    app.command()(_converting.convert)
    app.command("export-view")(_away.export_view)
    app.command("export-site")(_away.export_site)
    app.command()(_reproducing.reproduce)
    app.command()(_cluster.cluster)
    app.command()(_serving.serve)
    app.command()(_warming.warmup)
    app.add_typer(_warming.cache_application(), name="cache")
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
        import rankcore

        typer.echo(f"rankscope {rankcore.__version__}")
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
