"""Upload of a model: from a visitor's file to a model the Inspector can show."""

import streamlit as st

from pages.ui import texts
from pages.ui.data import models
from pages.ui.widgets import Change
from rankcore.base.errors import DataError
from rankcore.views import Values


def panel(values: Values, change: Change) -> None:
    """Take a model's file, and offer it as the model or as the second order."""
    with st.expander("Use a model file", key="model_upload", type="compact"):
        file = st.file_uploader(
            "Model (JSON)",
            type="json",
            key="upload_model",
            help="Written by *Export model* or `rankscope train --out`. It stays "
            "in memory until the server stops.",
        )
        if file is None:
            return
        try:
            name = models.keep(file.getvalue(), file.name)
        except DataError as error:
            st.error(texts.literal(str(error)), icon=":material/error:")
            return
        for label, key in (("Use as model", "run"), ("Use as second order", "beside")):
            st.button(
                label,
                key=f"use_{key}",
                on_click=change,
                args=({key: name},),
                disabled=values[key] == name,
            )
