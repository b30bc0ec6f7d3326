"""Upload: from a visitor's file to a data set every page can choose."""

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from pages.ui import datasets, state
from rankcore.dataset import RankingDataset
from rankcore.errors import DataError
from rankcore.readers import Limits, read_letor, read_table

TABLES = ("csv", "tsv", "parquet")
TEXTS = ("txt", "dat", "letor", "svm", "gz")
LIMITS = Limits(size=2**28, rows=2_000_000, features=10_000, cells=2**25)


def panel() -> None:
    """Take a file, say what is wrong with it line by line, or make it choosable."""
    file = st.file_uploader(
        "Your own data",
        type=[*TEXTS, *TABLES],
        key="upload",
        max_upload_size=50,
        help="LETOR or SVMlight text (`label qid:7 1:0.3 2:0.1 # id`, also as .gz), or "
        "CSV or Parquet with a label and a query column. The file stays on this "
        "machine.",
    )
    label, query = _columns(file)
    if file is None:
        return
    try:
        with st.spinner(f"Reading {file.name} …"):
            dataset = _read(file, label, query)
    except DataError as error:
        st.error(_plain(str(error)), icon=":material/error:")
        return
    name = datasets.uploads().add(dataset)
    st.success(_summary(dataset), icon=":material/check:")
    st.button(
        "Use this data",
        key="use_upload",
        type="primary",
        on_click=state.apply,
        args=({"data": name},),
        disabled=state.get("data") == name,
    )


def _columns(file: UploadedFile | None) -> tuple[str | None, str | None]:
    if file is None or _kind(file.name) not in TABLES:
        return None, None
    left, right = st.columns(2)
    label = left.text_input("Label column", key="upload_label", placeholder="guessed")
    query = right.text_input("Query column", key="upload_query", placeholder="guessed")
    return label or None, query or None


def _read(file: UploadedFile, label: str | None, query: str | None) -> RankingDataset:
    content = file.getvalue()
    if _kind(file.name) in TABLES:
        return read_table(content, label, query, name=file.name, limits=LIMITS)
    return read_letor(content, name=file.name, limits=LIMITS)


def _kind(name: str) -> str:
    """The ending of a file's name that says what it holds; .csv.gz is a table."""
    endings = [ending for ending in name.lower().split(".") if ending != "gz"]
    return endings[-1] if len(endings) > 1 else "gz"


def _summary(dataset: RankingDataset) -> str:
    return (
        f"{_plain(dataset.name)} is fine: {dataset.n_queries:,} queries, "
        f"{dataset.n_documents:,} documents, {dataset.n_features:,} features."
    )


def _plain(text: str) -> str:
    """Text of a file, with the characters that Markdown would act on disarmed."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]()<>#+!|~$:" else c for c in text)
