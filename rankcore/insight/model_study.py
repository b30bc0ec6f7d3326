"""Studies that train one model after the other."""

from collections.abc import Generator
from contextlib import closing
from typing import Any

from rankcore.cells import SweepRow
from rankcore.studies import Progress

# Records of a run: enough for a curve and to prune by; more only take time.
RECORDS = 25

Models = Generator[tuple[Any, SweepRow]]


def measured_every(max_iterations: int) -> int:
    """Iterations between two of the records of a run, 1 or more."""
    return max(1, max_iterations // RECORDS)


def each_model(
    models: Models, total: int, doing: str = ""
) -> Generator[Any, None, str]:
    """The findings of a study, one for each model that is trained.

    Parameters
    ----------
    models : generator of (finding, SweepRow)
        Trains the next model when it is asked for it; closed at the end.
    total : int
        How many come.
    doing : str
        What the progress says.

    Returns
    -------
    generator
        See `rankcore.studies.Findings`.
    """
    done = lost = 0
    with closing(models):
        for done, (finding, row) in enumerate(models, 1):
            lost += row.failed
            yield finding
            yield Progress(doing, done / total)
            # A step of the study, so that it can be stopped between two models.
            yield row.record()
    said = f"All {done} models are trained"
    return f"{said}, but for {lost}." if lost else f"{said}."
