"""Data sets by name: bundled ones and the user's LETOR folders."""

from __future__ import annotations

import difflib
import inspect
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from rankcore.base import bundle
from rankcore.base.discovery import of_others
from rankcore.base.errors import DataError
from rankcore.data.dataset import Gain, Normalisation, RankingDataset
from rankcore.data.partitions import (
    CONTENTS,
    SAMPLE_CELLS,
    describe_partitions,
    is_partitioned,
    sample_partitions,
    without_labels,
)
from rankcore.data.planted import planted, planted_truth
from rankcore.data.readers import Limits, Splits, load_fold, read
from rankcore.data.readers.folds import fold_files, fold_folders

__all__ = [
    "DatasetInfo",
    "Splits",
    "list_datasets",
    "load",
    "load_dataset",
    "planted_truth",
]

FOLDER_VARIABLE = "RANKSCOPE_DATA"
MAX_FOLDERS = 1000


@dataclass(frozen=True)
class DatasetInfo:
    """The catalogue's entry of a data set, available without reading it.

    Attributes
    ----------
    name : str
        The argument of :func:`load_dataset`.
    title, description, origin, licence : str
        Texts to display. They name files on this machine without the folders above the
        data, because visitors of a served app read them, too.
    splits : tuple of str
        The available splits among ``train``, ``valid`` and ``test``.
    bundled : bool
        Whether it comes with RankScope.
    sampled_from : int
        Number of queries that it was sampled from; 0 if it is not a sample.
    problem : str
        Why it cannot be read, as a sentence; empty if no problem is known.
    """

    name: str
    title: str
    description: str
    origin: str
    licence: str
    splits: tuple[str, ...] = ("train", "valid", "test")
    bundled: bool = True
    sampled_from: int = 0
    problem: str = ""


class _Entry(NamedTuple):
    """A data set, and its folder or the function that generates it."""

    info: DatasetInfo
    source: Path | Callable[[], Splits]
    normalise: Normalisation | None = None

    def named(self, error: DataError) -> DataError:
        """Return the error with file names without the folders above the data."""
        if not isinstance(self.source, Path):
            return error
        above = f"{self.source.parents[self.info.name.count('/')]}{os.sep}"
        return type(error)(
            error.problem.replace(above, ""),
            error.remedy.replace(above, ""),
            error.file and error.file.replace(above, ""),
            error.line,
            error.column,
        )


MSLR_ORIGIN = (
    "Microsoft Learning to Rank Datasets (Qin and Liu, arXiv:1306.2597), as carried by "
    "the source archive of rankeval 0.8.2; complete queries only, documents unnamed"
)
MSLR = DatasetInfo(
    name="mslr10k-sample",
    title="MSLR-WEB10K sample",
    description=(
        "84 web search queries with 9,929 documents, 136 features and grades 0 to 4. "
        "Each feature is scaled to [0, 1] within each query, as LETOR's QueryLevelNorm "
        "does, because the raw scales differ by a factor of a billion."
    ),
    origin=MSLR_ORIGIN,
    licence="CC BY 4.0",
)
# Enough queries per split to detect differences of 0.02 between models.
MANY = 900
PLANTED = DatasetInfo(
    name="planted",
    title="Planted sparse model",
    description=(
        "106 generated queries in the shape of OHSUMED: 45 features in [0, 1], grades "
        "0 to 2 from a linear model of eight features plus noise. The true weights are "
        "known."
    ),
    origin="Generated when it is loaded, from a fixed seed",
    licence="Apache-2.0",
)
PLANTED_MANY = replace(
    PLANTED,
    name=f"planted-{MANY}",
    title=f"Planted sparse model, {MANY} queries",
    description=(
        f"{MANY} generated queries, 300 in each split, of some 40 documents: 45 "
        "features in [0, 1], grades 0 to 2 from a linear model of eight features plus "
        "noise. The true weights are known, and models that differ by 0.02 are told "
        "apart."
    ),
)
BUNDLED = (
    _Entry(MSLR, Path("mslr10k-sample"), "minmax"),
    _Entry(PLANTED, lambda: _divided(planted())),
    _Entry(
        PLANTED_MANY,
        lambda: _divided(
            planted(n_queries=MANY, mean_length=40), (1 / 3, 1 / 3, 1 / 3)
        ),
    ),
    _Entry(
        DatasetInfo(
            name="toy-2d",
            title="Toy shop in two dimensions",
            description="Ten shop queries, two features: text match and popularity.",
            origin="Made up for RankScope",
            licence="Apache-2.0",
        ),
        Path("toy-2d"),
    ),
    _Entry(
        DatasetInfo(
            name="toy-3d",
            title="Toy news in three dimensions",
            description=(
                "Ten news queries, three features: text match, popularity, freshness."
            ),
            origin="Made up for RankScope",
            licence="Apache-2.0",
        ),
        Path("toy-3d"),
    ),
    _Entry(
        replace(
            MSLR,
            name="mslr10k-sample-raw",
            title="MSLR-WEB10K sample, raw scale",
            description="The same 84 queries with their features as published.",
        ),
        Path("mslr10k-sample"),
    ),
)


# Folders added while the program runs, by name.
_FOLDERS: dict[str, Path] = {}


def add_folder(name: str, folder: Path) -> None:
    """List the folds of a folder under a name, as ``name/Fold1``, until the program
    ends."""
    _FOLDERS[name] = folder


def remove_folder(name: str) -> None:
    """Remove a folder that `add_folder` added."""
    _FOLDERS.pop(name, None)


def list_datasets() -> list[DatasetInfo]:
    """Return every data set that :func:`load_dataset` accepts.

    These are the bundled ones, and the LETOR folders found under ``data/letor`` of the
    current folder or of a checkout and under the folder that the environment variable
    ``RANKSCOPE_DATA`` names. A folder ``ohsumed`` with ``Fold1`` to ``Fold5`` gives the
    names ``ohsumed/Fold1`` to ``ohsumed/Fold5``. A sample of a folder ``web30k`` of
    `rankscope convert` is ``web30k-sample``. A folder that cannot be read is listed
    with its ``problem``.
    """
    return [entry.info for entry in _entries().values()]


def folds_of(name: str) -> list[str]:
    """Return the names of the folds that include a data set, in order; none if it is
    not a fold."""
    whole, _, fold = name.rpartition("/")
    if not whole or not fold.startswith("Fold"):
        return []
    return [other for other in _entries() if other.startswith(f"{whole}/Fold")]


def load_dataset(name: str) -> Splits:
    """Return the training, validation and test splits of a listed data set.

    Splits are cached in memory until the files on disk change.

    Parameters
    ----------
    name : str
        A name from :func:`list_datasets`.

    Raises
    ------
    DataError
        If the data set does not exist or its files are invalid.
    """
    entry = _entry(name)
    if entry is None:
        entries = _entries()
        near = difflib.get_close_matches(name, entries, n=3, cutoff=0.4)
        raise DataError(
            f"There is no data set called {name!r}",
            f"Choose one of these: {', '.join(near or entries)}",
        )
    try:
        stamps = _stamps(entry.source) if isinstance(entry.source, Path) else ()
        return _load(name, entry.source, entry.normalise, stamps)
    except OSError as error:
        unread = DataError(*_why(error), str(error.filename or entry.source))
        raise entry.named(unread) from None
    except DataError as error:
        raise entry.named(error) from None


def load(
    path_or_name: str | os.PathLike[str],
    *,
    gain: Gain = "exponential",
    limits: Limits | None = None,
    **columns: Any,
) -> Splits:
    """Load a listed data set, a file or a folder of `rankscope convert` (as training
    split), or a folder with one fold.

    Parameters
    ----------
    path_or_name : str or path
        The name of a data set takes precedence over a file or folder.
    gain : {"exponential", "linear"}
        The gain of nDCG the labels of a file are meant for.
    limits : Limits, optional
        Largest sizes of a file; by default those for a file of its size.
    **columns
        Columns of a file, as for :func:`rankcore.data.readers.read`; only ``ignore``
        for a listed data set.

    Raises
    ------
    DataError
        If nothing of these exists, a file is invalid, or other columns are named for a
        listed data set.
    """
    path = Path(path_or_name)
    if _entry(str(path_or_name)) is not None:
        left_out = columns.pop("ignore", None) or ()
        if any(columns.values()):
            raise DataError(
                f"{str(path_or_name)!r} is a data set whose columns are known",
                "Name columns of your own files only",
            )
        return load_dataset(str(path_or_name)).without(left_out)
    if path.is_dir() and not is_partitioned(path):
        return load_fold(path, gain=gain, limits=limits, **columns)
    if path.exists():  # a file, or a pipe
        return Splits(read(path, gain=gain, limits=limits, **columns))
    return load_dataset(str(path_or_name))


def files_of(path_or_name: str | os.PathLike[str]) -> list[Path]:
    """Return the files that :func:`load` reads; none for generated data."""
    path = Path(path_or_name)
    entry = _entry(str(path_or_name))
    if entry is not None:
        if not isinstance(entry.source, Path):
            return []
        path = entry.source
    if is_partitioned(path):
        return sorted(path.iterdir())
    return list(fold_files(path).values()) if path.is_dir() else [path]


def _entries() -> dict[str, _Entry]:
    """Return all data sets; the first takes precedence among equal names."""
    bundled = [there for entry in BUNDLED if (there := _at_its_place(entry))]
    entries = {entry.info.name: entry for entry in bundled}
    for entry in (*_entries_of_others(), *_user_entries()):
        entries.setdefault(entry.info.name, entry)
    return entries


def _entry(name: str) -> _Entry | None:
    """Return the data set of a name, or None; folders are not searched for bundled
    ones."""
    for entry in BUNDLED:
        if entry.info.name == name and (there := _at_its_place(entry)):
            return there
    return _entries().get(name)


def _at_its_place(entry: _Entry) -> _Entry | None:
    """Return a bundled data set with the path of its files; None if they are
    missing."""
    if not isinstance(entry.source, Path):
        return entry
    source = bundle.folder() / "data" / entry.source
    return entry._replace(source=source) if fold_files(source) else None


def _entries_of_others() -> Iterator[_Entry]:
    """Yield the data sets of other packages and registered ones: functions whose
    docstring begins with a title."""
    for name, make in of_others("data").items():
        title, _, rest = (inspect.getdoc(make) or name).partition("\n\n")
        info = DatasetInfo(
            name=name,
            title=" ".join(title.split()).rstrip("."),
            description=" ".join(rest.split()),
            origin=f"Made by {make.__module__}",
            licence="See that package's terms",
            bundled=False,
        )
        yield _Entry(info, make)


def _user_entries() -> Iterator[_Entry]:
    """Yield the data sets in the users' folders."""
    for name, folder in list(_FOLDERS.items()):
        yield from _entries_in(folder, name)
    places = [home / "data" / "letor" for home in (bundle.folder(), Path.cwd())]
    variable = os.environ.get(FOLDER_VARIABLE)
    if variable:
        places.append(Path(variable).expanduser())
        yield from _entries_in(places[-1])
    for place in places:
        for folder in _subfolders(place):
            if not folder.name.startswith("Fold"):
                yield from _entries_in(folder)


def _entries_in(folder: Path, name: str = "") -> list[_Entry]:
    """Return the converted data and the folds of a folder, by default under the
    folder's name."""
    try:
        return [
            *([_sample(folder)] if is_partitioned(folder) else []),
            *(_fold(folder, fold, name) for fold in fold_folders(folder)),
        ]
    except OSError as error:
        return [
            _broken(name or folder.name, DataError(*_why(error), str(folder)), folder)
        ]


def _why(error: OSError) -> tuple[str, str]:
    """Return the problem and the remedy of a file or folder that cannot be read."""
    return (
        f"It cannot be read ({error.strerror})",
        "Let this user read it, or move it elsewhere",
    )


def _subfolders(place: Path) -> list[Path]:
    try:
        return sorted(path for path in place.iterdir() if path.is_dir())[:MAX_FOLDERS]
    except OSError:
        return []


def _fold(folder: Path, fold: Path, whole: str) -> _Entry:
    whole = whole or folder.name
    name = whole if fold == folder else f"{whole}/{fold.name}"
    info = DatasetInfo(
        name=name,
        title=name.replace("/Fold", ", fold "),
        description="LETOR files found on this machine.",
        origin=str(fold.relative_to(folder.parent)),
        licence="See the publisher's terms",
        splits=tuple(fold_files(fold)),
        bundled=False,
    )
    return _Entry(info, fold)


def _sample(folder: Path) -> _Entry:
    """Return a sample of a converted folder, which may be larger than memory."""
    name = f"{folder.name}-sample"
    try:
        contents = describe_partitions(folder)
    except DataError as error:
        return _broken(name, error, folder)
    if contents.unlabelled:
        return _broken(name, without_labels(folder), folder)
    most = SAMPLE_CELLS // len(contents.features)
    info = DatasetInfo(
        name=name,
        title=f"{folder.name}, a sample",
        description=(
            f"Queries drawn at random, with at most {most:,} documents, out of "
            f"{contents.queries:,} queries with {contents.documents:,} documents that "
            "`rankscope convert` has put into a folder; split 60/20/20."
        ),
        origin=folder.name,
        licence="See the publisher's terms",
        bundled=False,
        sampled_from=contents.queries,
    )
    return _Entry(info, folder)


def _broken(name: str, error: DataError, folder: Path) -> _Entry:
    """Return the entry of data that cannot be read, with the problem."""
    info = DatasetInfo(
        name=name,
        title=f"{name}, cannot be read",
        description="",
        origin=folder.name,
        licence="",
        splits=(),
        bundled=False,
    )
    entry = _Entry(info, folder)
    return entry._replace(info=replace(info, problem=str(entry.named(error))))


def _stamps(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Return a stamp that changes with the files of a fold."""
    files = fold_files(folder).values() or [folder / CONTENTS]
    stats = ((path, path.stat()) for path in files)
    return tuple((str(path), stat.st_size, stat.st_mtime_ns) for path, stat in stats)


# Splits in use: after the cache has dropped one, all users share one object again, so
# that no other cache holds a second copy.
_IN_USE: WeakValueDictionary[Any, RankingDataset] = WeakValueDictionary()


@lru_cache(maxsize=8)
def _load(
    name: str,
    source: Path | Callable[[], Splits],
    normalise: Normalisation | None,
    stamps: tuple[tuple[str, int, int], ...],
) -> Splits:
    if not isinstance(source, Path):
        splits = source()
    elif is_partitioned(source):
        splits = _divided(sample_partitions(source))
    else:
        splits = load_fold(source)
    parts = {
        part: replace(data.normalise(normalise), name=f"{name} {part}")
        for part, data in splits._asdict().items()
        if data is not None
    }
    key = name, source, normalise, stamps
    return Splits(
        **{part: _IN_USE.setdefault((key, part), data) for part, data in parts.items()}
    )


def _divided(
    dataset: RankingDataset, shares: tuple[float, float, float] = (0.6, 0.2, 0.2)
) -> Splits:
    """Return its splits, or only training data if there are too few queries."""
    if dataset.n_queries < len(shares):
        return Splits(dataset)
    return Splits(*dataset.split(shares, seed=1))
