"""Export of a model in another program's format: choose, view, download."""

from functools import partial

import streamlit as st

from pages.ui import texts
from pages.ui.away import model_compare
from rankcore.algorithms import LinearRanker, Ranker
from rankcore.studies.exports import (
    ExportFormat,
    expected_scores,
    get_format,
    list_formats,
)
from rankcore.views import TakeModel

PREVIEW_LINES = 12


def show(block: TakeModel) -> None:
    """Choose the model and a format, compare with the model in use, download."""
    at = _choice(block) if len(block.choices) > 1 else None
    make = block.model if at is None else partial(block.model, at)
    model = make()
    origin = model.provenance_
    if at is None:
        st.caption(_sentence(next(iter(block.choices.values()), origin.text)))
    data = None if block.held_out is None else block.held_out()
    if data is not None:
        model_compare.show(model, data)
    stem, scaling = origin.file_stem(block.stem), origin.normalisation
    chosen = _format(block.label, model)
    alike = (
        scaling not in (None, "standard")
        and not chosen.holds_scaling
        and st.checkbox(
            f"The other program also scales by {scaling} within each query",
            key="export_scaled",
        )
    )
    try:
        code = text(model, chosen, alike)
    except ValueError as error:
        st.warning(texts.literal(str(error)), icon=":material/block:")
        return
    lines = code.splitlines()
    more = ["…"] if len(lines) > PREVIEW_LINES else []
    st.code("\n".join([*lines[:PREVIEW_LINES], *more]), language=None, height=220)
    st.download_button(
        "Download model",
        lambda: text(make(), chosen, alike),
        file_name=f"{stem}{chosen.ending}",
        mime=chosen.mime,
        on_click="ignore",
        key="model_file",
        type="primary",
    )
    if data is not None:
        st.download_button(
            "Download check",
            lambda: expected_scores(make(), chosen, data.dataset),
            file_name=f"{stem}.check.csv",
            mime="text/csv",
            on_click="ignore",
            key="model_check",
            help="Ten documents with features and the expected scores.",
        )
    st.caption(chosen.use)
    commands = chosen.commands(chosen.default_name(model), f"{stem}{chosen.ending}")
    if commands:
        st.code(commands, language="sh", wrap_lines=True)


def _choice(block: TakeModel) -> str:
    return st.radio(
        "Model",
        list(block.choices),
        format_func=lambda name: _sentence(block.choices[name]),
        # A new set of models starts without a selection.
        key=f"{block.key} {' '.join(block.choices)}",
    )


def _format(label: str, model: Ranker) -> ExportFormat:
    linear = isinstance(model, LinearRanker)
    names = [name for name in list_formats() if linear or get_format(name).holds_trees]
    name = st.selectbox(
        label,
        names,
        names.index("json"),
        format_func=lambda name: get_format(name).title,
        key="export_format",
    )
    return get_format(name)


def _sentence(words: str) -> str:
    """Return a sentence about a model, capitalised, as Markdown."""
    return texts.literal(words[:1].upper() + words[1:])


def text(model: Ranker, chosen: ExportFormat, scaled_input: bool = False) -> str:
    """Return a model in a format. Raises ValueError, which says why, if the format
    cannot hold it."""
    chosen.check(model, scaled_input)
    return chosen.write(model, chosen.default_name(model))
