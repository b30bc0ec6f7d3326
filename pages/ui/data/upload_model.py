"""Upload of models and rankings: from a visitor's files to models on every page."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from pages.ui import stage, texts
from pages.ui.data import datasets, models
from pages.ui.widgets import Change
from rankcore.base.errors import DataError
from rankcore.data.judged_table import judged_table
from rankcore.data.readers import Splits, read_table
from rankcore.data.uploads import FileStore, VisitorFile
from rankcore.topics.compare.ranked_files import match_text
from rankcore.views import Go, Values

# A table of rankings with judgements, and how it is read as data.
TABLE = "judged.csv"
MOST_QUERIES = 10
# The view that compares raters and models on each query.
BESIDE = "Each query"
OF_TABLE = datasets.Files({"train": TABLE}, {"unjudged": "irrelevant"})


def panel(values: Values, change: Change) -> None:
    """Draw the upload of a model file, and offer it as the model or second order."""
    with st.expander("Use a model file", key="model_upload", type="compact"):
        note = (
            "Written by *Export model* or `rankscope train --out`, or a model of "
            "LightGBM (text), XGBoost (JSON), RankLib, SVMrank, Solr or Elasticsearch. "
            "It stays in memory until the server stops."
        )
        how: Any = {"key": "upload_model", "type": ["json", "txt", "dat"], "help": note}
        for name, *_ in _files(models.MODELS, "Model", **how):
            uses = ("Use as model", "run"), ("Use as second order", "beside")
            for label, key in uses:
                st.button(
                    label,
                    key=f"use_{key}",
                    on_click=change,
                    args=({key: name},),
                    disabled=values[key] == name,
                )
            go = Go("", "compare", {"data": values.data, "ranked": (name,)})
            stage.page_link("Compare it with models", "compare", stage.link_texts(go))


def clicks(values: Values, change: Change) -> None:
    """Draw the upload of a click log, and offer it in place of simulated users."""
    with st.expander("A click log of your own", key="click_upload", type="compact"):
        note = (
            "CSV, Parquet or JSON lines with query, session, document, position and "
            "clicked, perhaps propensity. It stays in memory until the server stops."
        )
        for name, *_ in _files(models.CLICKS, "Log", key="upload_clicks", help=note):
            in_use = values["click_log"] == name
            how: Any = {"args": ({"click_log": name},), "disabled": in_use}
            st.button("Use log", "use_clicks", on_click=change, **how)


def rankings(values: Values, change: Change) -> None:
    """Draw the upload of rankings, report which part of the data they rank, and offer
    to compare them; with their own judgements they become a data set."""
    with st.expander("Rankings of any ranker", key="ranking_upload", type="compact"):
        note = (
            "A TREC run (`query Q0 document rank score tag`), CSV with columns query, "
            "document and score, or JSON, of queries and documents of the data above. "
            "They stay in memory until the server stops."
        )
        label = "Rankings to compare on the chosen data"
        several: Any = {"help": note, "accept_multiple_files": True}
        files = _files(models.RANKINGS, label, key="upload_rankings", **several)
        splits = datasets.readable(values)
        if not files or splits is None:
            return
        train, valid, _ = splits
        data = (train, "train") if valid is None else (valid, "valid")
        for _, title, content in files:
            st.caption(texts.literal(match_text(title, content, *data)))
        chosen = {"data": values.data, "ranked": tuple(file.name for file in files)}
        link = stage.link_texts(Go("", "compare", chosen))
        stage.page_link("Compare them with models", "compare", link)
        note = "TREC qrels or CSV with a query, a document and a label column."
        label = "Judgements of these rankings, as another data set"
        judged = _files(models.JUDGED, label, key="ranking_judgements", help=note)
        if judged:
            by_name = {file.title: file.content for file in files}
            table = partial(judged_table, by_name, judged[0].content)
            st.button("Use as data", "use_ranked", on_click=_use, args=(table, change))
            if datasets.files(values.data) == OF_TABLE:
                st.download_button(f"Save {TABLE}, the data", table, TABLE)


def ratings(values: Values) -> None:
    """Draw the upload of several raters' judgements, report their agreement, and link
    to the models on queries where raters disagree."""
    with st.expander(
        "Judgements of several raters", key="rating_upload", type="compact"
    ):
        note = (
            "CSV with columns query, document, rater (or judge, worker, …) and label. "
            "It stays in memory until the server stops."
        )
        for name, title, rating in _files(
            models.RATINGS, "Ratings", key="upload_ratings", type=["csv"], help=note
        ):
            st.caption(rating.sentence)
            st.markdown("\n".join(f"- {line}" for line in rating.lines))
            st.markdown("**Queries on which raters disagree most**")
            worst = [one.row() for one in rating.queries[:MOST_QUERIES]]
            st.dataframe(worst, hide_index=True, key="rater_queries")
            chosen = {"data": values.data, "raters": (name,), "compare_view": BESIDE}
            link = stage.link_texts(Go("", "compare", chosen))
            stage.page_link("Compare models on these queries", "compare", link)
            file = f"{title.rpartition('.')[0] or title}-labels.csv"
            st.download_button("Save one label a document", rating.label_table, file)


def _use(table: Callable[[], bytes], change: Change) -> None:
    """Keep and choose judged rankings as data, in a callback."""
    try:
        data = read_table(table(), name=TABLE, **OF_TABLE.options)
        change({"data": datasets.upload(Splits(data), OF_TABLE), "without": ()})
    except DataError as error:
        st.toast(texts.literal(str(error)), icon=":material/block:", duration="long")


def _files(store: FileStore[Any], label: str, **how: Any) -> list[VisitorFile[Any]]:
    """Return the uploaded files; report what is wrong with one."""
    uploaded: Any = st.file_uploader(label, **how)
    files = uploaded if isinstance(uploaded, list) else filter(None, [uploaded])
    try:
        stored = [store.add(file.getvalue(), file.name) for file in files]
    except DataError as error:
        st.error(texts.literal(str(error)), icon=":material/error:")
        return []
    for sentence in (text for file in stored for text in store.warnings(file.name)):
        st.warning(texts.literal(sentence), icon=":material/warning:")
    return stored
