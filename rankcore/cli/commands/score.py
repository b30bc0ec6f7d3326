"""``rankscope score``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankcore.base.numbers import counted
from rankcore.cli import _output
from rankcore.cli._data import takes_columns
from rankcore.cli._failures import Misused, misuse
from rankcore.cli._files import outputs
from rankcore.cli._options import MODEL, AsJson, NumberRange

if TYPE_CHECKING:
    from rankcore.studies.scores import Scored


@takes_columns
def score(
    model: Annotated[Path, MODEL],
    file: Path,
    out: Annotated[Path, typer.Option()],
    skip_bad: Annotated[int, NumberRange(0)] = 0,
    as_json: AsJson = False,
    *,
    columns: dict[str, Any],
) -> None:
    """Score new documents, even from a file larger than memory.

    Columns are matched to the model's features by name.

    Parameters
    ----------
    file : FILE
        CSV, Parquet, LETOR text or a feature log, or a folder of `rankscope convert`;
        the rows of each query must be adjacent. Labels are not needed.
    out : FILE
        Write the scores here: as a TREC run (.run, .txt, .trec), CSV (.csv) or Parquet
        (.parquet).
    skip_bad
        Number of unreadable lines, or rows of Parquet, to skip at most; by default the
        first one stops the command, and nothing is written.
    """
    from rankcore.studies.models import load_model
    from rankcore.studies.scores import kind_of, score_file

    for role in ("judgements", "labels", "unjudged", "duplicates"):
        if columns.pop(role, None):
            raise Misused(f"--{role} has no effect: new documents have no labels.")
    columns.pop("gain", None)
    with misuse():
        kind_of(out)
    outputs({"--out": out}, str(file), [model, columns["groups"]])
    ranker = load_model(model)
    with _output.progress(as_json, _words) as tell, misuse():
        options = {name: value for name, value in columns.items() if value}
        counts = score_file(
            ranker, file, out, skip_bad=skip_bad, report=tell, **options
        )
    if as_json:
        _output.print_json({"out": str(out), **counts._asdict()})
    else:
        typer.echo(f"{out} has {_words(counts)}.")


def _words(scored: "Scored") -> str:
    """Return the progress of scoring as a phrase."""
    skipped = ""
    if scored.skipped:
        lines = counted(scored.skipped, "lines")
        verb = "was" if scored.skipped == 1 else "were"
        skipped = f"; {lines} could not be read and {verb} skipped"
    return (
        f"the scores of {counted(scored.documents, 'documents')} of "
        f"{counted(scored.queries, 'queries')}{skipped}"
    )
