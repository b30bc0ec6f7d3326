"""Upload: from a visitor's files to a data set every page can choose."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import streamlit as st

from pages.ui import datasets
from pages.ui.setting import Values
from pages.ui.widgets import Change
from rankcore.dataset import RankingDataset
from rankcore.errors import DataError
from rankcore.readers import Splits, read_letor, read_table
from rankcore.readers.folds import part_named, same_features

TABLES = ("csv", "tsv", "parquet")
TEXTS = ("txt", "dat", "letor", "svm", "gz")


class UploadedFile(Protocol):
    """A file that a visitor has uploaded."""

    name: str

    def getvalue(self) -> bytes: ...


def panel(values: Values, change: Change) -> None:
    """Take files, report errors line by line, or offer the files as a data set."""
    files = st.file_uploader(
        "Your own data",
        type=[*TEXTS, *TABLES],
        key="upload",
        accept_multiple_files=True,
        max_upload_size=50,
        help="LETOR or SVMlight text (`label qid:7 1:0.3 2:0.1 # id`, also as .gz), or "
        "CSV or Parquet with a label and a query column. One file is divided by query; "
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
        st.error(_plain(str(error)), icon=":material/error:")
        return
    name = datasets.uploads().add(splits, splits.train.name)
    st.success(_summary(splits), icon=":material/check:")
    st.button(
        "Use this data",
        key="use_upload",
        type="primary",
        on_click=change,
        args=({"data": name},),
        disabled=values.data == name,
    )


def _columns(files: Sequence[UploadedFile]) -> tuple[str | None, str | None]:
    if not any(_kind(file.name) in TABLES for file in files):
        return None, None
    left, right = st.columns(2)
    label = left.text_input("Label column", key="upload_label", placeholder="detected")
    query = right.text_input("Query column", key="upload_query", placeholder="detected")
    return label or None, query or None


def _splits(
    files: Sequence[UploadedFile], label: str | None, query: str | None
) -> Splits:
    """A file for each part, or one divided by query."""
    named = _parts(files)
    parts = {part: _read(file, label, query) for part, file in named.items()}
    if len(parts) == 1:
        return datasets.divide(parts["train"])
    return Splits(**same_features(parts, Path(named["train"].name)))


def _parts(files: Sequence[UploadedFile]) -> dict[str, UploadedFile]:
    """The newest file of each part; the newest of all alone where no part is named.

    So a corrected file takes the place of the one before.
    """
    newest = {part_named(file.name): file for file in files}
    if part_named(files[-1].name) is None or "train" not in newest:
        return {"train": files[-1]}
    return {part: file for part, file in newest.items() if part is not None}


def _read(file: UploadedFile, label: str | None, query: str | None) -> RankingDataset:
    content = file.getvalue()
    if _kind(file.name) in TABLES:
        return read_table(content, label, query, name=file.name)
    return read_letor(content, name=file.name)


def _kind(name: str) -> str:
    """The ending of a file's name that says what it holds; .csv.gz is a table."""
    endings = [ending for ending in name.lower().split(".") if ending != "gz"]
    return endings[-1] if len(endings) > 1 else "gz"


def _summary(splits: Splits) -> str:
    parts = [part for part in splits if part is not None]
    queries = sum(part.n_queries for part in parts)
    documents = sum(part.n_documents for part in parts)
    many = f"{len(parts)} parts" if len(parts) > 1 else "one part"
    return (
        f"{_plain(splits.train.name)} is fine: {queries:,} queries, {documents:,} "
        f"documents, {splits.train.n_features:,} features, in {many}."
    )


def _plain(text: str) -> str:
    """Text of a file, with the characters that Markdown would act on disarmed."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]()<>#+!|~$:" else c for c in text)
