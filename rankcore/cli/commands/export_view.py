"""``rankscope export-view`` and ``export-site``: the app's views as HTML files."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from rankcore.base.numbers import counted
from rankcore.cli._data import Reading, load, takes_reading
from rankcore.cli._failures import Failed, Misused, misuse
from rankcore.cli._files import outputs
from rankcore.cli._options import option_number

SECONDS_HELP = (
    "End each study or training after this time, and show what it has found by then. "
    "(default: none)"
)


@takes_reading
def export_view(
    link: Annotated[
        str,
        typer.Argument(
            metavar="LINK",
            help="Path and query of a view's link, such as "
            '"margins?margin_source=by+hand", or of a lesson, "home?lesson=2-alpha".',
        ),
    ],
    out: Annotated[
        Path, typer.Option(metavar="FILE", help="Write the HTML file here.")
    ] = Path("view.html"),
    seconds: Annotated[
        float | None, option_number("--seconds", "real", 0, help=SECONDS_HELP)
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(metavar="DATA", help="Data in place of that of the link."),
    ] = None,
    valid: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Validation data, with --data.")
    ] = None,
    test: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Test data, with --data.")
    ] = None,
    *,
    reading: Reading,
) -> None:
    """Write a view of the app, or a whole lesson, as one HTML file.

    The study that its figures wait for is made first; one that is optional, only if the
    link names a job. The file has the figures, texts and numbers, and opens without a
    network.
    """
    (file,) = outputs({"--out": out}, data, [valid, test, *reading.files])
    app, name = away(), ""
    if data is not None:
        parts = {"train": data, "valid": valid, "test": test}
        names = {split: str(path) for split, path in parts.items() if path}
        options = {role: column for role, column in reading.columns.items() if column}
        splits = load(data, valid, test, reading=reading)
        name = app.taken_in(splits, names, options, reading.division)
    elif valid or test or reading.division or any(reading.columns.values()):
        raise Misused("Options on how data is read need --data.")
    with misuse(), _telling() as tell:
        text = app.report(link, seconds, tell, name)
    if file is not None:
        file.write(text)


def export_site(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER", help="Made if it is not there.", dir_okay=True
        ),
    ],
    seconds: Annotated[
        float, option_number("--seconds", "real", 0, help=SECONDS_HELP)
    ] = 30.0,
) -> None:
    """Write a gallery of all views and lessons, for a web page without a server.

    index.html leads to the files. Views open on their examples.
    """
    app = away()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Failed(f"{folder} is there and not an empty folder; name another one.")
    with misuse(), _telling() as tell:
        n_files = sum(1 for _ in app.site(folder, seconds, tell))
    typer.echo(
        f"{counted(n_files, 'files')} written; begin with {folder / 'index.html'}"
    )


def away() -> Any:
    """Return the app's module that makes reports; Failed where something it needs is
    not installed."""
    from rankcore.reports.app import away as opener

    try:
        return opener()
    except ModuleNotFoundError as error:
        raise Failed(str(error)) from error


@contextmanager
def _telling() -> Iterator[Callable[[str], None]]:
    """Show how far the work is, on standard error."""
    from rich.console import Console

    with Console(stderr=True).status("Preparing") as status:
        yield status.update
