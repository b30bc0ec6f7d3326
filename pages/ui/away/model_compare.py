"""A model compared with the one in use before export: queries that gain or lose."""

from typing import Any

import streamlit as st

from pages.ui import texts
from pages.ui.data import in_use
from rankcore.algorithms import Ranker
from rankcore.studies.models import document_scores
from rankcore.topics.compare.replacing import Replacement, replacement
from rankcore.topics.datasets import unjudged
from rankcore.topics.datasets.description import PART_WORDS
from rankcore.views import HeldOut
from rankcore.views.kinds import distinct

MOST_CHANGES = 100


def show(model: Ranker, held_out: HeldOut) -> None:
    """Draw the choice of the model in use, a warning about slices that get worse under
    the new model, and the rankings that change."""
    dataset = held_out.dataset
    names = distinct(in_use.names(dataset))
    chosen = st.selectbox(
        "Compare with the production model",
        list(names),
        format_func=names.__getitem__,
        key="export_against",
        help="A stored run, a model file of the Inspector, or a column with the scores "
        "in use: one with that role in an upload, or a feature.",
    )
    if not chosen:
        return
    measure, rules = held_out.measure, held_out.rules
    try:
        scores, others = document_scores(model, dataset), in_use.scores(chosen, dataset)
        judged = replacement(dataset, scores, others, measure, rules)
    except ValueError as error:
        st.warning(texts.literal(str(error)), icon=":material/block:")
        return
    _verdict(judged, PART_WORDS[held_out.split])
    rankings = {"in use": others, "this model": scores}
    _unjudged(held_out, unjudged.table(dataset, rankings, [measure], rules))
    _slices(judged)
    _changes(judged)


def _verdict(replacement: Replacement, split: str) -> None:
    means = (
        f"{replacement.measure} on {split} queries: {replacement.value:.3f}, "
        f"{replacement.other:.3f} in use."
    )
    worse = replacement.with_verdict("worse")
    if worse:
        losses = "; ".join(
            f"{by} {row.name} ({row.second:.3f} → {row.first:.3f})" for by, row in worse
        )
        sentence = f"{means} Queries that get significantly worse, by {losses}."
        st.warning(texts.literal(sentence), icon=":material/trending_down:")
        return
    lower = len(replacement.with_verdict("lower"))
    groups = "No group of queries is lower."
    if lower:
        noun = "group is" if lower == 1 else "groups are"
        groups = f"{lower} {noun} lower, none significantly."
    groups = f"{groups} {replacement.undecided}".rstrip()
    st.info(texts.literal(f"{means} {groups}"), icon=":material/compare_arrows:")


def _unjudged(held_out: HeldOut, rows: list[dict[str, Any]]) -> None:
    """Draw the unjudged documents that both models rank, if there are any."""
    if not rows:
        return
    sentence = unjudged.sentence(held_out.dataset, PART_WORDS[held_out.split])
    st.caption(f"{sentence} {unjudged.NOTE[0].upper()}{unjudged.NOTE[1:]}.")
    formats = {
        name: st.column_config.NumberColumn(format=text)
        for name, text in unjudged.FORMATS.items()
    }
    st.dataframe(rows, hide_index=True, key="export_unjudged", column_config=formats)


def _slices(replacement: Replacement) -> None:
    st.dataframe(
        replacement.slice_rows(),
        hide_index=True,
        key="export_slices",
        height=212,
        column_config=_formats("in use", "this model", "difference"),
    )


def _changes(replacement: Replacement) -> None:
    st.caption(texts.literal(replacement.sentence))
    if not replacement.changes:
        return
    st.dataframe(
        replacement.change_rows(MOST_CHANGES),
        hide_index=True,
        key="export_changes",
        height=212,
        column_config=_formats("in use", "this model"),
    )


def _formats(*names: str) -> dict[str, Any]:
    return {name: st.column_config.NumberColumn(format="%.3f") for name in names}
