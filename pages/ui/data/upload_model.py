"""Upload of models and rankings: from a visitor's files to what pages can show."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from pages.ui import stage, texts
from pages.ui.data import datasets, models
from pages.ui.widgets import Change
from rankcore.base.errors import DataError
from rankcore.data.uploads import FileStore, VisitorFile
from rankcore.topics.compare.ranked_files import match_text
from rankcore.views import Go, Values


def panel(values: Values, change: Change) -> None:
    """Take a model's file, and offer it as the model or as the second order."""
    with st.expander("Use a model file", key="model_upload", type="compact"):
        note = (
            "Written by *Export model* or `rankscope train --out`, or a model of "
            "LightGBM (text), XGBoost (JSON), RankLib, SVMrank, Solr or Elasticsearch. "
            "It stays in memory until the server stops."
        )
        for name, *_ in _taken(models.MODELS, "Model", "upload_model", note):
            uses = ("Use as model", "run"), ("Use as second order", "beside")
            for label, key in uses:
                st.button(
                    label,
                    key=f"use_{key}",
                    on_click=change,
                    args=({key: name},),
                    disabled=values[key] == name,
                )


def rankings(values: Values) -> None:
    """Take rankings of any ranker, say what of the data they rank, and offer to compare
    them."""
    with st.expander("Rankings of any ranker", key="ranking_upload", type="compact"):
        note = (
            "A TREC run (`query Q0 document rank score tag`), CSV with columns query, "
            "document and score, or JSON, of queries and documents of the data above. "
            "They stay in memory until the server stops."
        )
        kinds = ["run", "trec", "txt", "csv", "tsv", "json", "jsonl", "ndjson", "gz"]
        label = "Rankings to compare on the chosen data"
        files = _taken(models.RANKINGS, label, "upload_rankings", note, kinds)
        splits = datasets.readable(values)
        if not files or splits is None:
            return
        train, valid, _ = splits
        data = (train, "train") if valid is None else (valid, "valid")
        for _, title, own in files:
            st.caption(texts.literal(match_text(title, own, *data, values.data)))
        chosen = {"data": values.data, "ranked": tuple(file.name for file in files)}
        link = stage.named(Go("", "compare", chosen))
        stage.page_link("Compare them with models", "compare", link)


def _taken(
    store: FileStore[Any],
    label: str,
    key: str,
    note: str,
    rankings: Sequence[str] = (),
) -> list[VisitorFile[Any]]:
    """Return files that are uploaded: one model, or many of the kinds of rankings; say
    what is wrong with one."""
    kinds = rankings or ("json", "txt", "dat")
    given: Any = st.file_uploader(
        label, type=kinds, key=key, accept_multiple_files=bool(rankings), help=note
    )
    files = given if rankings else filter(None, [given])
    try:
        return [store.add(file.getvalue(), file.name) for file in files]
    except DataError as error:
        st.error(texts.literal(str(error)), icon=":material/error:")
        return []
