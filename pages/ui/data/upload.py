"""Upload: from a visitor's files to a data set every page can choose."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import streamlit as st

from pages.ui import texts
from pages.ui.data import datasets
from pages.ui.widgets import Change
from rankcore.dataset import RankingDataset
from rankcore.errors import DataError
from rankcore.readers import Splits, detect_columns, read_letor, read_table
from rankcore.readers.folds import part_named, same_features
from rankcore.views import Values

TABLES = ("csv", "tsv", "parquet")
TEXTS = ("txt", "dat", "letor", "svm", "gz")


class UploadedFile(Protocol):
    """A file that a visitor has uploaded."""

    name: str

    def getvalue(self) -> bytes: ...


def panel(values: Values, change: Change) -> None:
    """Take files, report errors line by line, or offer the files as a data set."""
    st.divider()
    files = st.file_uploader(
        "Your own data",
        type=[*TEXTS, *TABLES],
        key="upload",
        accept_multiple_files=True,
        max_upload_size=50,
        help="LETOR or SVMlight text (`label qid:7 1:0.3 2:0.1 # id`, also as .gz), or "
        "CSV or Parquet with a label and a query column. One file is split by query; "
        "of several, the names say which is for training, validation and test. They "
        "stay on this machine.",
    )
    columns = _columns(files)
    if not files:
        return
    try:
        with st.spinner(f"Reading {', '.join(file.name for file in files)} …"):
            splits = _splits(files, *columns)
    except DataError as error:
        st.error(texts.literal(str(error)), icon=":material/error:")
        return
    name = datasets.upload(splits, splits.train.name)
    st.success(texts.literal(_summary(files, splits)), icon=":material/check:")
    st.button(
        "Use this data",
        key="use_upload",
        type="primary",
        on_click=change,
        args=({"data": name},),
        disabled=values.data == name,
    )


def _columns(files: Sequence[UploadedFile]) -> tuple[str | None, str | None]:
    """The label and the query column of a table, where a person names them."""
    tables = [file for file in files if _kind(file.name) in TABLES]
    if not tables:
        return None, None
    try:
        detected = detect_columns(tables[-1].getvalue(), tables[-1].name)
    except DataError:
        # Reading the file says what is wrong with it.
        detected = {}
    label, query = (
        column.text_input(
            f"{role.capitalize()} column",
            key=f"upload_{role}",
            placeholder=f"Detected: {detected[role]}"
            if detected.get(role)
            else "Name it here",
        )
        for column, role in zip(st.columns(2), ("label", "query"), strict=True)
    )
    return label or None, query or None


def _splits(
    files: Sequence[UploadedFile], label: str | None, query: str | None
) -> Splits:
    """A file for each split, or one divided by query."""
    named = _by_split(files)
    found = {split: _read(file, label, query) for split, file in named.items()}
    if len(found) == 1:
        return datasets.divide(found["train"])
    return Splits(**same_features(found, Path(named["train"].name)))


def _by_split(files: Sequence[UploadedFile]) -> dict[str, UploadedFile]:
    """The newest file of each split; the newest of all alone where no name says which.

    So a corrected file takes the place of the one before.
    """
    newest = {part_named(file.name): file for file in files}
    if part_named(files[-1].name) is None or "train" not in newest:
        return {"train": files[-1]}
    return {split: newest[split] for split in Splits._fields if split in newest}


def _read(file: UploadedFile, label: str | None, query: str | None) -> RankingDataset:
    content = file.getvalue()
    if _kind(file.name) in TABLES:
        return read_table(content, label, query, name=file.name)
    return read_letor(content, name=file.name)


def _kind(name: str) -> str:
    """The ending of a file's name that says what it holds; .csv.gz is a table."""
    endings = [ending for ending in name.lower().split(".") if ending != "gz"]
    return endings[-1] if len(endings) > 1 else "gz"


def _summary(files: Sequence[UploadedFile], splits: Splits) -> str:
    """What has been loaded, and how it is divided."""
    names = [file.name for file in _by_split(files).values()]
    found = [split for split in splits if split is not None]
    size = ", ".join(
        [
            _many(sum(split.n_queries for split in found), "query", "queries"),
            _many(sum(split.n_documents for split in found), "document", "documents"),
            _many(splits.train.n_features, "feature", "features"),
        ]
    )
    if len(names) > 1:
        return f"{', '.join(names)} loaded: {size}."
    if len(found) == 1:
        return f"{names[0]} loaded: {size}, too few queries to split."
    shares = "/".join(f"{100 * share:.0f}" for share in datasets.SHARES)
    return (
        f"{names[0]} loaded: {size}, split {shares} into training, validation and test."
    )


def _many(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
