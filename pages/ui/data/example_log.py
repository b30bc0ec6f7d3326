"""The example feature log that ships with the app, as a data set."""

from pathlib import Path

import streamlit as st

from pages.ui import texts
from pages.ui.data import datasets
from pages.ui.widgets import Change
from rankcore.base.errors import DataError
from rankcore.data.readers import Shares, read_feature_log

ROOT = Path(__file__).parents[3]
FOLDER = "data/shop-log"
LOG, JUDGEMENTS = f"{FOLDER}/log.ndjson", f"{FOLDER}/qrels.txt"
ORIGIN = "Made up for RankScope, the example of the guide below; licence Apache-2.0"


def button(change: Change) -> None:
    """Draw the button that loads the example, where a visitor has uploaded no files."""
    st.button(
        "Load the example feature log",
        key="use_example_log",
        type="tertiary",
        icon=":material/receipt_long:",
        help="An Elasticsearch log of 15 searches in a shop, with judgements of most "
        "documents. Below the figures, *From a search log to the model at work* "
        "continues from there.",
        on_click=_use,
        args=(change,),
    )


def _use(change: Change) -> None:
    """Read, keep and choose the example, in a callback."""
    log = read_feature_log(ROOT / LOG, ROOT / JUDGEMENTS)
    files = datasets.Files({"train": LOG}, {"judgements": JUDGEMENTS}, Shares())
    try:
        name = datasets.upload(Shares().divide(log), files, ORIGIN)
    except DataError as error:
        st.toast(texts.literal(str(error)), icon=":material/block:", duration="long")
        return
    change({"data": name})
