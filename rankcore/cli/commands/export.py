"""``rankscope export``."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from rankcore.cli._data import Reading, load, takes_reading
from rankcore.cli._failures import Misused, misuse
from rankcore.cli._files import beside, outputs
from rankcore.cli._options import MODEL
from rankcore.studies.exports import expected_scores, get_format, list_formats

FORMATS = "; ".join(f"{name}: {get_format(name).title}" for name in list_formats())
SHOWN = 3


@takes_reading
def export(
    model: Annotated[Path, MODEL],
    format_name: Annotated[str, typer.Argument(metavar="FORMAT", help=f"{FORMATS}.")],
    name: str = "",
    scaled_input: bool = False,
    out: Path | None = None,
    check: str | None = None,
    *,
    reading: Reading,
) -> None:
    """Write a model, or the features it needs, in the format of another program.

    Parameters
    ----------
    name : NAME
        Name of the model in the other program. (default: from algorithm and data)
    scaled_input
        The other program scales features within each query as in training.
    out : FILE
        Write here. (default: standard output)
    check : DATA
        Write ten documents of this data, with their features and expected scores, to a
        .check.csv file beside --out.
    """
    from rankcore.studies.exports import export as as_text
    from rankcore.studies.models import load_model

    check_path = None if check is None else beside(out, ".check.csv")
    if check is not None and check_path is None:
        raise Misused("--check writes a file beside --out: give --out a file.")
    if check is None and any((*reading.columns.values(), *reading[1:])):
        raise Misused("Options for reading data have no effect without --check.")
    paths = {"--out": out, "--check": check_path}
    out_file, check_file = outputs(paths, check, [model, *reading.files])
    with misuse():
        chosen = get_format(format_name)
        ranker = load_model(model)
        text = as_text(ranker, chosen.name, name, scaled_input)
        if check is not None and check_file is not None:
            data = load(check, reading=reading)
            check_file.write(expected_scores(ranker, chosen, data.test or data.train))
    if out_file is None:
        typer.echo(text, nl=False)
    else:
        out_file.write(text)
    names = ranker.provenance_.feature_names
    changed = [
        f"{before!r} is {after}"
        for before, after in zip(names, chosen.feature_names(names), strict=True)
        if before != after
    ]
    if changed:
        more = f" and {len(changed) - SHOWN} more" if len(changed) > SHOWN else ""
        typer.echo(f"Renamed: {', '.join(changed[:SHOWN])}{more}.", err=True)
    typer.echo(f"Model: {ranker.provenance_.text}.", err=True)
    typer.echo(chosen.use, err=True)
    if check_path is not None:
        typer.echo(f"{check_path} has documents with their expected scores.", err=True)
    file = "FILE" if out is None else shlex.quote(str(out))
    commands = chosen.commands(name or chosen.default_name(ranker), file)
    if commands:
        typer.echo(f"\n{commands}", nl=False, err=True)
