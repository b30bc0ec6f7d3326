"""Upload: from a visitor's files to a data set every page can choose."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import streamlit as st

from pages.ui import texts
from pages.ui.data import datasets
from pages.ui.data.datasets import Files
from pages.ui.widgets import Change
from rankcore.errors import DataError
from rankcore.readers import Division, Splits, detect_columns, read, read_judgements
from rankcore.readers.folds import is_log, is_table, part_named, same_features
from rankcore.views import Values

KINDS = (
    *("txt", "dat", "letor", "svm", "gz", "csv", "tsv", "parquet"),
    *("json", "ndjson", "jsonl", "qrels"),
)


class UploadedFile(Protocol):
    """A file that a visitor has uploaded."""

    name: str

    def getvalue(self) -> bytes: ...


def panel(values: Values, change: Change) -> None:
    """Take files, report errors line by line, or offer the files as a data set."""
    st.divider()
    files = st.file_uploader(
        "Your own data",
        type=KINDS,
        key="upload",
        accept_multiple_files=True,
        max_upload_size=50,
        help="LETOR or SVMlight text (`label qid:7 1:0.3 2:0.1 # id`, also as .gz), or "
        "CSV or Parquet with a label and a query column. Or a feature log of "
        "Elasticsearch, OpenSearch or Solr (.json, .ndjson) with its judgements beside "
        "it (CSV or TREC qrels). One file is split by query; of several, the names say "
        "which is for training, validation and test. They stay on this machine.",
    )
    columns = _columns(files)
    if not files:
        return
    try:
        chosen = _division(files)
        with st.spinner(f"Reading {', '.join(file.name for file in files)} …"):
            splits, read_again = _read(files, columns, chosen)
    except DataError as error:
        st.error(texts.literal(str(error)), icon=":material/error:")
        return
    name = datasets.upload(splits, read_again)
    st.success(texts.literal(_summary(files, splits, chosen)), icon=":material/check:")
    st.button(
        "Use this data",
        key="use_upload",
        type="primary",
        on_click=change,
        args=({"data": name},),
        disabled=values.data == name,
    )


def _columns(files: Sequence[UploadedFile]) -> dict[str, str]:
    """The label and the query column of a table, where a person names them."""
    tables = [file for file in files if is_table(file.name)]
    if not tables or _judgements(files) is not None:
        return {}
    try:
        detected = detect_columns(tables[-1].getvalue(), tables[-1].name)
    except DataError:
        # Reading the file says what is wrong with it.
        detected = {}
    named = {}
    for column, role in zip(st.columns(2), ("label", "query"), strict=True):
        found = detected.get(role)
        hint = f"Detected: {found}" if found else "Name it here"
        title, key = f"{role.capitalize()} column", f"upload_{role}"
        named[role] = column.text_input(title, key=key, placeholder=hint)
    return {role: name for role, name in named.items() if name}


def _division(files: Sequence[UploadedFile]) -> Division:
    """How the queries of one file are split, as a person says.

    Raises
    ------
    DataError
        If what is written is no division.
    """
    if not files or len(_by_split(files)) > 1:
        return datasets.DIVISION
    shares, seed = st.columns(2)
    text = shares.text_input(
        "Split (%)",
        str(datasets.DIVISION),
        key="upload_shares",
        help="Percentages of the queries for training, validation and test; two "
        "numbers leave the test split out.",
    )
    number = seed.number_input("Seed", 0, 2**31 - 1, key="upload_seed")
    try:
        return Division.parse(text, int(number))
    except ValueError as error:
        problem = str(error).partition(";")[0]
        remedy = "Write percentages that sum to 100, such as 60/20/20"
        raise DataError(problem, remedy) from error


def _read(
    files: Sequence[UploadedFile], columns: Mapping[str, str], chosen: Division
) -> tuple[Splits, Files]:
    """A file for each split, or one divided by query; and how to read it again."""
    named, judged = _by_split(files), _judgements(files)
    names = {split: file.name for split, file in named.items()}
    options: dict[str, Any] = dict(columns)
    if judged is not None:
        labels = read_judgements(judged.getvalue(), name=judged.name)
        columns, options = {"judgements": judged.name}, {"judgements": labels}
    found = {
        split: read(
            file.getvalue(),
            name=file.name,
            **(options if is_table(file.name) or is_log(file.name) else {}),
        )
        for split, file in named.items()
    }
    if len(found) > 1:
        parts = same_features(found, Path(names["train"]))
        return Splits(**parts), Files(names, columns)
    whole = found["train"]
    division = datasets.division(whole, chosen)
    splits = Splits(whole) if division is None else division.divide(whole)
    return splits, Files(names, columns, division)


def _by_split(files: Sequence[UploadedFile]) -> dict[str, UploadedFile]:
    """The newest file of each split; the newest of all alone where no name says which.

    So a corrected file takes the place of the one before.
    """
    logs = [file for file in files if is_log(file.name)]
    data = files if _judgements(files) is None else logs
    newest = {part_named(file.name): file for file in data}
    if part_named(data[-1].name) is None or "train" not in newest:
        return {"train": data[-1]}
    return {split: newest[split] for split in Splits._fields if split in newest}


def _judgements(files: Sequence[UploadedFile]) -> UploadedFile | None:
    """The judgements of a feature log: the newest of the files that are no logs."""
    others = [file for file in files if not is_log(file.name)]
    return others[-1] if len(others) < len(files) and others else None


def _summary(files: Sequence[UploadedFile], splits: Splits, chosen: Division) -> str:
    """What has been loaded, and how it is divided."""
    names = ", ".join(file.name for file in _by_split(files).values())
    found = [split for split in splits if split is not None]
    loaded = f"{names} loaded: " + ", ".join(
        f"{number:,} {one if number == 1 else many}"
        for number, one, many in (
            (sum(split.n_queries for split in found), "query", "queries"),
            (sum(split.n_documents for split in found), "document", "documents"),
            (splits.train.n_features, "feature", "features"),
        )
    )
    unjudged = sum(split.n_documents - split.n_judged for split in found)
    if unjudged:
        loaded += f", {unjudged:,} documents without judgement"
    if len(_by_split(files)) > 1:
        return f"{loaded}."
    if len(found) == 1:
        return f"{loaded}, too few queries to split."
    parts = "training, validation and test"
    if len(found) < len(Splits._fields):
        parts = "training and validation"
    return f"{loaded}, split {chosen} into {parts}."
