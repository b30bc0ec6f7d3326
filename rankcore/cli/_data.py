"""From what a person types to a data set: a name, a file, or the folder of a fold."""

from pathlib import Path
from typing import TYPE_CHECKING

from rankcore.cli._failures import Misused
from rankcore.errors import DataError

if TYPE_CHECKING:
    from rankcore.catalogue import Splits
    from rankcore.dataset import RankingDataset

DATA_HELP = (
    "A data set of `rankscope datasets`, a file (LETOR text, CSV or Parquet), or the "
    "folder of one LETOR fold."
)
NORMALISE_HELP = "Scale each feature within its query: minmax, zscore or none."
TABLES = {".csv", ".parquet", ".pq"}
PARTS = {"train": "train", "valid": "vali", "test": "test"}


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
    from rankcore.catalogue import Splits, load_dataset

    path = Path(data).expanduser()
    if path.is_dir():
        splits = _fold(path)
    elif path.is_file():
        splits = Splits(_read(path))
    elif path.suffix:
        raise DataError("There is no such file", "Check its name", file=data)
    else:
        splits = load_dataset(data)
    n_features = splits.train.n_features
    if valid is not None:
        splits = splits._replace(valid=_read(valid, n_features))
    if test is not None:
        splits = splits._replace(test=_read(test, n_features))
    return splits if normalise == "none" else _normalised(splits, normalise)


def _read(path: Path, n_features: int | None = None) -> "RankingDataset":
    from rankcore.readers import read_letor, read_table

    if path.suffix.lower() in TABLES:
        return read_table(path)
    return read_letor(path, n_features=n_features)


def _fold(folder: Path) -> "Splits":
    from rankcore.catalogue import Splits

    files = {part: _part(folder, stem) for part, stem in PARTS.items()}
    files = {part: file for part, file in files.items() if file}
    if "train" not in files:
        inner = "Fold1" if (folder / "Fold1").is_dir() else "…"
        raise DataError(
            "This folder has no train.txt",
            f"Name the folder of one fold, such as {folder / inner}",
            file=str(folder),
        )
    read = {part: _read(file) for part, file in files.items()}
    widest = max(dataset.n_features for dataset in read.values())
    for part, dataset in read.items():
        if dataset.n_features < widest:
            read[part] = _read(files[part], widest)
    return Splits(**read)


def _part(folder: Path, stem: str) -> Path | None:
    files = (folder / f"{stem}{ending}" for ending in (".txt", ".txt.gz"))
    return next((file for file in files if file.is_file()), None)


def _normalised(splits: "Splits", normalise: str) -> "Splits":
    if normalise not in ("minmax", "zscore"):
        raise Misused(f"--normalise must be minmax, zscore or none, not {normalise!r}.")
    parts = splits._asdict().items()
    scaled = {name: part and part.normalise(normalise) for name, part in parts}
    return splits._replace(**scaled)
