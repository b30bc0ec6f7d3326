"""The data sets a page can choose from: the catalogue's and the visitor's uploads.

Uploads stay in this process, in a bounded store, under names made from their content,
such as ``upload-3f2a9c1d``: a link carries the name, never the data.
"""

import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

import numpy as np

from pages.ui import texts
from pages.ui.serving import visitor
from rankcore.base.errors import DataError
from rankcore.base.numbers import counted, label_text
from rankcore.data.catalogue import (
    FOLDER_VARIABLE,
    DatasetInfo,
    Splits,
    list_datasets,
    load_dataset,
)
from rankcore.data.dataset import AS_GIVEN, Normalisation, RankingDataset
from rankcore.data.readers import Division, Shares
from rankcore.data.readers.recipes import Files
from rankcore.data.uploads import FullError, Newest
from rankcore.views import Values

PREFIX = "upload-"
ORIGIN = "Uploaded by you; stays on this computer"
NORMALISATIONS = (AS_GIVEN, "standard", "minmax", "zscore")
# With fewer validation queries, the description of a data set gives the precision of a
# mean, from the usual standard deviation of measures such as nDCG@10 over queries.
MANY_QUERIES = 100
SPREAD = 0.2


@dataclass(frozen=True, eq=False)
class Upload:
    """An uploaded data set, and its files."""

    info: DatasetInfo
    splits: Splits
    files: Files


# Uploads by name.
UPLOADS = Newest[Upload](each=8, most=64)


def upload_name(splits: Splits) -> str:
    """Return the name of an upload, made from its content, which includes parts that
    fingerprints ignore, such as texts and which documents are judged."""
    digest = blake2b(digest_size=8)
    for part in splits:
        if part is not None:
            digest.update(part.fingerprint.encode())
            digest.update(_beside_fingerprint(part))
    return f"{PREFIX}{digest.hexdigest()}"


def _beside_fingerprint(part: RankingDataset) -> bytes:
    """Return the data's parts beyond features and labels; empty if there are none."""
    contents = {
        "doc_texts": part.doc_texts,
        "query_texts": part.query_texts,
        "query_groups": part.query_groups,
        "doc_scores": part.doc_scores,
        "judged": part.judged,
        "normalisation": part.normalisation,
        "weights_name": part.weights_name or None,
    }
    filled = {name: value for name, value in contents.items() if value is not None}
    return json.dumps(filled, default=np.ndarray.tolist).encode() if filled else b""


def upload(splits: Splits, files: Files, origin: str = ORIGIN) -> str:
    """Keep the splits of a visitor's upload; returns its new name.
    ``origin`` says whose data it is. Raises DataError if there is no room."""
    name = upload_name(splits)
    # Equal files share one copy of the features, whatever names visitors gave them.
    if (same := UPLOADS.get(name)) is not None:
        pairs = zip(splits, same.splits, strict=True)
        splits = Splits._make(part and old and part.sharing(old) for part, old in pairs)
    info = DatasetInfo(
        name=name,
        title=files.title,
        description=f"It is kept in memory until the server stops.{files.skipping}",
        origin=origin,
        licence="",
    )
    try:
        UPLOADS.keep(name, Upload(info, splits, files), visitor.current())
    except FullError as error:
        raise DataError("There are too many files", str(error)) from error
    return name


def drop(name: str) -> None:
    """Forget an upload of this visitor."""
    UPLOADS.drop(name, visitor.current())


def infos() -> dict[str, DatasetInfo]:
    """Every data set that this visitor can choose, by name: the catalogue's, the
    visitor's own, and the one that a link names."""
    who = visitor.current()
    uploads = UPLOADS.newest(who)
    if who:
        import streamlit as st

        if linked := _upload(str(st.session_state.get("data", ""))):
            uploads.append(linked)
    places = os.getcwd(), os.environ.get(FOLDER_VARIABLE)
    listed = _listed(int(time.monotonic()), places)
    rows = [*listed, *(one.info for one in uploads)]
    return {row.name: row for row in rows}


@lru_cache(maxsize=1)
def _listed(second: int, places: tuple[str | None, ...]) -> tuple[DatasetInfo, ...]:
    """Return the data sets of the catalogue, read at most once a second because every
    change of a setting needs them."""
    return tuple(list_datasets())


def _upload(name: str) -> Upload | None:
    """Return an upload, this visitor's own first; None if the data is not an upload."""
    return UPLOADS.get(name, visitor.current())


def info(name: str) -> DatasetInfo:
    """Return the description of a data set, which may be another visitor's upload."""
    upload = _upload(name)
    return infos()[name] if upload is None else upload.info


def missing(name: str) -> bool:
    """Whether ``name`` is an upload that this process does not hold."""
    return name.startswith(PREFIX) and UPLOADS.get(name) is None


def here(name: str) -> bool:
    """Whether ``name`` is a data set of the catalogue, or an upload that this process
    holds."""
    return UPLOADS.get(name) is not None or name in infos()


def load(name: str, normalise: str = AS_GIVEN, without: Sequence[str] = ()) -> Splits:
    """Return the splits of a data set, optionally scaled and without some features.
    Raises DataError, which says why, if it cannot be read."""
    if missing(name):
        raise DataError(
            f"The data in this link is an uploaded file, {name}, which is not here",
            "Upload the same file again on the Data page and use it there",
        )
    return _scaled(name, normalise, tuple(without), _upload(name))


def refusals(values: Values) -> dict[str, str]:
    """Return the algorithms that cannot train on the chosen data, and why.

    Empty if the data cannot be read.
    """
    scaled = values.get("normalise", AS_GIVEN)
    try:
        return _refusals(values.data, scaled, tuple(values.get("without", ())))
    except DataError:
        return {}


@lru_cache(maxsize=16)
def _refusals(name: str, normalise: str, without: tuple[str, ...]) -> dict[str, str]:
    from rankcore.algorithms import get_algorithm, list_algorithms

    train = load(name, normalise, without).train
    answers = {
        name: get_algorithm(name)().unsupported_reason(train)
        for name in list_algorithms()
    }
    return {name: answer for name, answer in answers.items() if answer}


def of(values: Values) -> Splits:
    """Return the data that the settings ``data``, ``normalise`` and ``without`` choose;
    raises what `load` does."""
    return load(values.data, values.normalise, values.get("without", ()))


def readable(values: Values) -> Splits | None:
    """Return the data for the ranges and choices of controls; None if unreadable."""
    try:
        return of(values)
    except DataError:
        return None


def feature_names(name: str, without: Sequence[str] = ()) -> tuple[str, ...]:
    """Return a data set's feature names except some; empty if it cannot be read."""
    try:
        return tuple(n for n in load(name).train.feature_names if n not in without)
    except DataError:
        return ()


def describe(name: str, chip: str = ":orange-badge[{}]") -> str:
    """Return a data set's size in one line of Markdown, with a chip where validation
    queries are few."""
    if missing(name):
        return "It is not on this computer."
    try:
        train, valid, _ = load(name)
    except DataError as error:
        return texts.literal(str(error))
    weighted = f" ({texts.literal(train.weighting)})" if train.weighting else ""
    size = (
        f"{train.n_queries:,} training queries{weighted}, "
        f"{counted(train.n_documents, 'documents')}, "
        f"{counted(train.n_features, 'features')}, "
        f"labels {label_text(train.y.min())} to {label_text(train.y.max())}."
    )
    if valid is None or valid.n_queries >= MANY_QUERIES:
        return size
    judged = "validation query" if valid.n_queries == 1 else "validation queries"
    half = 1.96 * SPREAD / valid.n_queries**0.5
    expected = f"{valid.n_queries} {judged}: expect ±{half:.2f}"
    return f"{size} {chip.format(expected)}"


def python(name: str, split: str) -> str:
    """Return the Python expression of an unscaled split; "" if there is none."""
    entry = _upload(name)
    return f"load_dataset({name!r}).{split}" if not entry else entry.files.python(split)


def files(name: str) -> Files | None:
    """Return the files of an upload; None if the data is not an upload."""
    upload = _upload(name)
    return None if upload is None else upload.files


def words(name: str) -> list[str]:
    """Return a data set's command-line arguments: its name, then options."""
    names = files(name)
    return [name] if names is None else names.words()


def division(dataset: RankingDataset, chosen: Division) -> Division | None:
    """Return the division of one uploaded file; None if it has too few queries for
    shares."""
    few = isinstance(chosen, Shares) and dataset.n_queries < len(chosen.shares)
    return None if few else chosen


@lru_cache(maxsize=6)
def _scaled(
    name: str, normalise: str, without: tuple[str, ...], upload: Upload | None
) -> Splits:
    splits = load_dataset(name) if upload is None else upload.splits
    return splits.without(without).normalise(scaling(normalise))


def scaling(normalise: str) -> Normalisation | None:
    """Return the scaling of features, as `RankingDataset.normalise` takes it."""
    return None if normalise == AS_GIVEN else normalise  # type: ignore[return-value]
