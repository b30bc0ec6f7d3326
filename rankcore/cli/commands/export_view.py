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
from rankcore.cli._options import NumberRange


@takes_reading
def export_view(
    link: str,
    out: Path = Path("view.html"),
    seconds: Annotated[float | None, NumberRange(0)] = None,
    data: str | None = None,
    valid: Path | None = None,
    test: Path | None = None,
    *,
    reading: Reading,
) -> None:
    """Write a view of the app, or a whole lesson, as one HTML file.

    The study that its figures need runs first; an optional one runs only if the link
    names a job. The file has the figures, texts and numbers, and opens without a
    network.

    Parameters
    ----------
    link : LINK
        Path and query of a view's link, such as "margins?margin_source=by+hand", or of
        a lesson, "home?lesson=2-alpha".
    out : FILE
        Write the HTML file here.
    seconds
        End each study or training after this time, and show its results so far.
        (default: none)
    data : DATA
        Data to use instead of the link's data.
    valid : FILE
        Validation data, with --data.
    test : FILE
        Test data, with --data.
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
        raise Misused("Options for reading data require --data.")
    with misuse(), _telling() as tell:
        text = app.report(link, seconds, tell, name)
    if file is not None:
        file.write(text)


def export_site(
    folder: Annotated[Path, typer.Argument(dir_okay=True)],
    seconds: Annotated[float, NumberRange(0)] = 30.0,
) -> None:
    """Write a gallery of all views and lessons, for a web page without a server.

    index.html leads to the files. Views open on their examples.

    Parameters
    ----------
    folder : FOLDER
        Output folder, created if missing.
    seconds
        End each study or training after this time, and show its results so far.
    """
    app = away()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Failed(f"{folder} exists and is not an empty folder; name another one.")
    with misuse(), _telling() as tell:
        n_files = sum(1 for _ in app.site(folder, seconds, tell))
    typer.echo(
        f"{counted(n_files, 'files')} written; begin with {folder / 'index.html'}"
    )


def away() -> Any:
    """Return the app's module that makes reports. Raises Failed if a package it needs
    is not installed."""
    from rankcore.reports.app import away as opener

    try:
        return opener()
    except ModuleNotFoundError as error:
        raise Failed(str(error)) from error


@contextmanager
def _telling() -> Iterator[Callable[[str], None]]:
    """Show the progress of the work on standard error."""
    from rich.console import Console

    with Console(stderr=True).status("Preparing") as status:
        yield status.update
