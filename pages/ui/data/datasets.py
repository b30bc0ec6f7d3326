"""The data sets a page can choose from: the catalogue's and the visitor's uploads.

Uploads stay in this process, in a bounded store, under names made from their content,
such as ``upload-3f2a9c1d``: a link carries the name, never the data.
"""

from functools import lru_cache
from hashlib import blake2b

from pages.ui.kept import Newest
from rankcore.catalogue import DatasetInfo, Splits, list_datasets, load_dataset
from rankcore.dataset import Normalisation, RankingDataset
from rankcore.errors import DataError
from rankcore.views import Values

PREFIX = "upload-"
AS_GIVEN = "as given"
NORMALISATIONS = (AS_GIVEN, "minmax", "zscore")
SHARES = (0.6, 0.2, 0.2)

Upload = tuple[DatasetInfo, Splits]
# Uploads by name.
UPLOADS = Newest[Upload](limit=8)


def upload(splits: Splits, title: str) -> str:
    """Keep the splits of an upload; returns the name that it has from now on."""
    prints = "".join(part.fingerprint for part in splits if part is not None)
    name = f"{PREFIX}{blake2b(prints.encode(), digest_size=4).hexdigest()}"
    info = DatasetInfo(
        name=name,
        title=title,
        description="It is kept in memory until the server stops.",
        origin="Uploaded by you; stays on this computer",
        licence="",
    )
    UPLOADS.keep(name, (info, splits))
    return name


def infos() -> dict[str, DatasetInfo]:
    """Every data set that can be chosen, by name."""
    rows = [*list_datasets(), *(info for info, _ in UPLOADS.newest())]
    return {row.name: row for row in rows}


def missing(name: str) -> bool:
    """Whether ``name`` is an upload that this process does not hold."""
    return name.startswith(PREFIX) and UPLOADS.get(name) is None


def load(name: str, normalise: str = AS_GIVEN) -> Splits:
    """The splits of a data set, its features scaled within each query on request.

    Raises
    ------
    DataError
        If it cannot be read; the sentence says why and what to do.
    """
    if missing(name):
        raise DataError(
            f"The data in this link is an uploaded file, {name}, which is not here",
            "Upload the same file again on the Data page; the link then works",
        )
    return _scaled(name, normalise)


def refusals(name: str) -> dict[str, str]:
    """The algorithms that cannot train on a data set as it is given, and why.

    Empty if the data cannot be read.
    """
    try:
        return _refusals(name)
    except DataError:
        return {}


@lru_cache(maxsize=16)
def _refusals(name: str) -> dict[str, str]:
    from rankcore.algorithms import get_algorithm, list_algorithms

    train = load(name).train
    answers = {
        name: get_algorithm(name)().unsupported_reason(train)
        for name in list_algorithms()
    }
    return {name: answer for name, answer in answers.items() if answer}


def of(values: Values) -> Splits:
    """The data that the settings ``data`` and ``normalise`` choose.

    Raises
    ------
    DataError
        As `load`.
    """
    return load(values.data, values.normalise)


def readable(values: Values) -> Splits | None:
    """The same, or None if it cannot be read: for ranges and choices of controls."""
    try:
        return of(values)
    except DataError:
        return None


def feature_names(name: str) -> tuple[str, ...]:
    """The names of a data set's features; none if it cannot be read."""
    try:
        return tuple(load(name).train.feature_names)
    except DataError:
        return ()


def describe(name: str) -> str:
    """A data set's size in one line."""
    if missing(name):
        return "It is not on this computer."
    try:
        train = load(name).train
    except DataError:
        return "It cannot be read."
    return (
        f"{train.n_queries:,} training queries, "
        f"{train.n_documents:,} documents, {train.n_features} features, "
        f"labels {train.y.min()} to {train.y.max()}."
    )


def divide(dataset: RankingDataset) -> Splits:
    """Training, validation and test queries; training alone if there are too few."""
    if dataset.n_queries < len(SHARES):
        return Splits(dataset)
    return Splits(*dataset.split(SHARES, seed=0))


@lru_cache(maxsize=6)
def _scaled(name: str, normalise: str) -> Splits:
    upload = UPLOADS.get(name)
    splits = load_dataset(name) if upload is None else upload[1]
    return splits.normalise(scaling(normalise))


def scaling(normalise: str) -> Normalisation | None:
    """How features are scaled, as `RankingDataset.normalise` takes it."""
    return None if normalise == AS_GIVEN else normalise  # type: ignore[return-value]
