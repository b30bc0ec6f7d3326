"""A model in the format of another program: choose one, look at it, take it."""

from collections.abc import Callable

import streamlit as st

from pages.ui import model_compare
from rankcore.algorithms import LinearRanker, Ranker
from rankcore.exports import ExportFormat, get_format, list_formats
from rankcore.views import HeldOut

PREVIEW_LINES = 12


def show(
    label: str,
    make: Callable[[], Ranker],
    stem: str,
    held_out: Callable[[], HeldOut | None] | None = None,
) -> None:
    """Compare with the model in use, choose a format, download.

    Parameters
    ----------
    label : str
        Before the formats.
    make : callable
        Gives the model as it is now.
    stem : str
        The file's name without its ending.
    held_out : callable, optional
        Gives the queries to compare on; None where there are none.
    """
    model = make()
    known = None if held_out is None else held_out()
    if known is not None:
        model_compare.show(model, known)
    linear, scaling = isinstance(model, LinearRanker), model.provenance_.normalisation
    names = [name for name in list_formats() if linear or get_format(name).holds_trees]
    chosen = get_format(
        st.selectbox(
            label,
            names,
            names.index("json"),
            format_func=lambda name: get_format(name).title,
            key="export_format",
        )
    )
    alike = (
        scaling is not None
        and not chosen.holds_scaling
        and st.checkbox(
            f"Features there are scaled by {scaling} within each query too",
            key="export_scaled",
        )
    )
    try:
        written = text(model, chosen, alike)
    except ValueError as error:
        st.warning(str(error), icon=":material/block:")
        return
    lines = written.splitlines()
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
    st.caption(chosen.use)
    commands = chosen.commands(chosen.default_name(model), f"{stem}{chosen.ending}")
    if commands:
        st.code(commands, language="sh", wrap_lines=True)


def text(model: Ranker, chosen: ExportFormat, scaled_input: bool = False) -> str:
    """A model in a format.

    Raises
    ------
    ValueError
        If the format cannot hold it; the sentence says why.
    """
    chosen.check(model, scaled_input)
    return chosen.write(model, chosen.default_name(model))
