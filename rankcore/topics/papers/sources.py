"""Sources of the papers' data sets, and their folders on this computer."""

from pathlib import Path
from typing import NamedTuple

from rankcore.base.errors import DataError
from rankcore.data import catalogue
from rankcore.data.readers.folds import fold_folders
from rankcore.topics.papers.card import DATA_SETS, Card

FOLDS = 5
LONGEST_PATH = 4096
TERMS = (
    "LETOR's online agreement must be accepted before the data is used, and its terms "
    "do not allow redistribution."
)
# Sentences on how to mend a folder, by fault.
PROBLEMS = {
    "path": "Write the absolute path of a folder on this computer, such as "
    "/home/me/letor/OHSUMED.",
    "missing": "There is no such folder on this computer, or it cannot be opened: "
    "check the path.",
    "folds": f"The folder does not hold Fold1 to Fold{FOLDS}, each with train.txt, "
    "vali.txt and test.txt: name the folder above them.",
    "unreadable": "The files of the folder cannot be read as LETOR text: open it with "
    "`rankscope datasets` to see the line.",
    "other": "The folder holds other data: the number of features differs.",
}


class DataSource(NamedTuple):
    """The publication of a data set.

    Attributes
    ----------
    release : str
        The release of LETOR.
    """

    release: str
    features: int


SOURCES = {
    "OHSUMED": DataSource("LETOR 3.0", 45),
    "MQ2007": DataSource("LETOR 4.0", 46),
    "MQ2008": DataSource("LETOR 4.0", 46),
    "TD2003": DataSource("LETOR 3.0", 64),
    "TD2004": DataSource("LETOR 3.0", 64),
}


def obtainable(one: Card) -> tuple[str, ...]:
    """Return the data sets with which a card can be computed here."""
    return () if one.unobtainable else tuple(n for n in one.data if n in DATA_SETS)


def how_to_get(names: tuple[str, ...]) -> str:
    """Return the source, the layout of the folder and the terms, as sentences."""
    releases = sorted({SOURCES[name].release for name in names})
    folder = names[0]
    return (
        f"**Source**: {' or '.join(names)} of {' and '.join(releases)} by Microsoft "
        "Research, project *LETOR: Learning to Rank for Information Retrieval*.  \n"
        f"**Folder**: `{folder}/Fold1` to `{folder}/Fold{FOLDS}`, each with "
        "`train.txt`, `vali.txt` and `test.txt`, features normalised by query "
        f"(QueryLevelNorm).  \n**Terms**: {TERMS}"
    )


def take_folder(name: str, text: str) -> str:
    """Register a folder of a data set in the catalogue until the program ends.

    Parameters
    ----------
    name : str
        One of `SOURCES`.
    text : str
        The path that a user entered.

    Returns
    -------
    str
        A key of `PROBLEMS` if the folder was refused; empty if it was registered.
    """
    if not text.strip() or len(text) > LONGEST_PATH or "\0" in text:
        return "path"
    try:
        folder = Path(text.strip()).expanduser()
        if not folder.is_absolute():
            return "path"
        folder = folder.resolve(strict=True)
        folds = [path.name for path in fold_folders(folder) if path != folder]
    except (OSError, RuntimeError):
        return "missing"
    if not folder.is_dir():
        return "missing"
    if folds != [f"Fold{number}" for number in range(1, FOLDS + 1)]:
        return "folds"
    catalogue.add_folder(name.lower(), folder)
    try:
        splits = catalogue.load_dataset(f"{name.lower()}/{folds[0]}")
    except DataError:
        catalogue.remove_folder(name.lower())
        return "unreadable"
    if splits.valid is None or splits.test is None:
        catalogue.remove_folder(name.lower())
        return "folds"
    if splits.train.n_features != SOURCES[name].features:
        catalogue.remove_folder(name.lower())
        return "other"
    return ""
