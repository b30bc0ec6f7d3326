"""From what a person types to a data set in its parts."""

from pathlib import Path
from typing import TYPE_CHECKING

from rankcore.cli._failures import Misused

if TYPE_CHECKING:
    from rankcore.readers import Splits

DATA_HELP = (
    "A data set of `rankscope datasets`, a file (LETOR text, CSV or Parquet), or the "
    "folder of one LETOR fold."
)
NORMALISE_HELP = "Scale each feature within its query: minmax, zscore or none."


def load(
    data: str,
    valid: Path | None = None,
    test: Path | None = None,
    normalise: str = "none",
) -> "Splits":
    """Load a data set in its parts.

    Parameters
    ----------
    data : str
        A name of the catalogue, a file or a fold's folder.
    valid, test : path, optional
        Files to use for these parts instead.
    normalise : str
        "none", or how to scale each feature within its query.

    Raises
    ------
    DataError
        If there is no such data or it cannot be used.
    """
    from rankcore import catalogue
    from rankcore.readers import Splits, read
    from rankcore.readers.folds import same_features

    loaded = catalogue.load(Path(data).expanduser() if data.startswith("~") else data)
    parts = {name: part for name, part in loaded._asdict().items() if part is not None}
    given = {"valid": valid, "test": test}
    others = {name: read(path) for name, path in given.items() if path is not None}
    if others:
        parts = same_features(parts | others, Path(data))
    return _normalised(Splits(**parts), normalise)


def _normalised(splits: "Splits", normalise: str) -> "Splits":
    if normalise == "none":
        return splits
    if normalise not in ("minmax", "zscore"):
        raise Misused(f"--normalise must be minmax, zscore or none, not {normalise!r}.")
    parts = splits._asdict().items()
    scaled = {name: part and part.normalise(normalise) for name, part in parts}
    return splits._replace(**scaled)
